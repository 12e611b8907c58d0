//! The numbers that probabilities are made of: [`Number`].

use core::fmt::{Debug, Display};

use num_integer::Integer;
use num_rational::Ratio;
use num_traits::Num;

/// Numbers in which realizability is decided: exactly for rationals, up to a stated rounding for `f64`.
///
/// # Examples
///
/// ```
/// use bb_thinning::Number;
/// use bb_thinning::num_rational::Ratio;
///
/// assert_eq!(Ratio::<i128>::from_count(3), Ratio::from_integer(3));
/// assert_eq!(Ratio::<i128>::slack(8), Ratio::from_integer(0));
/// assert_eq!(f64::slack(8), 8.0 * f64::EPSILON);
/// assert!(!f64::NAN.is_finite_number());
/// ```
pub trait Number: Num + Clone + PartialOrd + Debug + Display {
    /// Returns a count as a number; for `f64` rounded beyond `2^53`.
    fn from_count(count: u64) -> Self;

    /// Returns what rounding may have added where `units` operations on numbers about 1 were made: 0 if they
    /// are exact, `units·2^-52` for `f64`.
    fn slack(units: u64) -> Self;

    /// Tells whether this is a number at all, and finite.
    fn is_finite_number(&self) -> bool;
}

impl Number for f64 {
    fn from_count(count: u64) -> Self {
        count as f64
    }
    fn slack(units: u64) -> Self {
        units as f64 * f64::EPSILON
    }
    fn is_finite_number(&self) -> bool {
        self.is_finite()
    }
}

/// Exact. Of a fixed width, like `Ratio<i128>`, it overflows like its integers; `BigRational` never does.
impl<T: Integer + Clone + From<u64> + Debug + Display> Number for Ratio<T> {
    fn from_count(count: u64) -> Self {
        Self::from_integer(T::from(count))
    }
    fn slack(_: u64) -> Self {
        Self::from_integer(T::zero())
    }
    fn is_finite_number(&self) -> bool {
        true
    }
}
