//! A small counter for each bin.

mod approximate;
mod fields;
mod relative;
mod saturating;
mod thresholds;

pub use self::approximate::{ApproximateCounters, ApproximateParameters};
pub(super) use self::fields::least;
pub use self::fields::{CompareFields, FieldParameters};
pub use self::relative::{RelativeCounters, RelativeParameters};
pub use self::saturating::SaturatingCounters;
pub(super) use self::saturating::take_one;
pub use self::thresholds::{ThresholdBit, Thresholds};
