//! Settings: what a rule sees of the loads.

mod delayed;
mod delayed_two_choice;

pub use delayed::Delayed;
pub use delayed_two_choice::DelayedTwoChoice;
