//! The model: who sees what, and when.

pub(crate) mod advisor;
mod budget;
mod choice;
mod decider;
mod driver;
mod loads;
mod machine;
mod parameters;
mod report;
mod state;
mod stream;

pub use self::advisor::{Advice, AdviceFailure, Advisor, Ball};
pub use self::budget::Budget;
pub use self::choice::{Choice, Odds, Samples};
pub(crate) use self::decider::checked_bins;
pub use self::decider::{Decider, TieRule};
pub use self::driver::{Asked, Bounded, Closed, Mode, SampleKind};
pub use self::loads::{LiveLoads, Loads};
pub use self::machine::{Computed, Machine};
pub use self::parameters::Parameters;
pub use self::report::{MemoryReport, ModelClass};
pub use self::state::{State, StateEditor, StateReader, StateWriter};
pub use self::stream::{BallStream, Purpose};
