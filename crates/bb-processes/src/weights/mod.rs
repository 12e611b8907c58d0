//! Balls with weights.

mod empirical;
mod law;
mod throw;

pub use empirical::EmpiricalError;
pub use law::WeightLaw;
pub use throw::{WeightError, throw_weighted};
