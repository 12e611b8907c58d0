//! Rules that ask a bin where its load lies, and no more.

mod above_mean;
mod k_threshold;
mod relative_threshold;

pub use self::k_threshold::KThreshold;
pub use self::relative_threshold::RelativeThreshold;
