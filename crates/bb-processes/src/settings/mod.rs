//! Settings: what a rule sees of the loads.

mod batched;
mod batched_profile;
mod delayed;
mod delayed_two_choice;
mod late;

pub use self::batched::{Batched, ByBatch};
pub use self::batched_profile::BatchedProfile;
pub(crate) use self::batched_profile::throw_batch;
pub use self::delayed::{ByDelay, Delayed};
pub use self::delayed_two_choice::DelayedTwoChoice;
pub use self::late::Late;
