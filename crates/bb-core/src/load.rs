//! The number in a bin.

use core::fmt::Debug;
use core::ops::Add;

use crate::store::Stored;
use bb_samplers::ParameterError;

/// A number that can be the load of a bin: `u64` for counts and integer weights, `f64` for real weights, and
/// no other.
///
/// The two comparisons with the mean are the only arithmetic that a metric or a rule does with loads, so
/// that counts never pass through floating point before the last step.
///
/// # Examples
///
/// ```
/// use bb_core::Load;
///
/// // 10 balls in 3 bins: the mean is 10/3.
/// assert!(3_u64.is_below_mean(10, 3));
/// assert!(!4_u64.is_below_mean(10, 3));
/// assert_eq!(4_u64.above_mean(10, 3), 2.0 / 3.0);
/// assert_eq!(f64::of_balls(7), 7.0);
/// ```
pub trait Load: Stored + Add<Output = Self> + Copy + PartialOrd + Debug + Default + Send + Sync + 'static {
    /// Returns the load that `balls` unit balls make.
    fn of_balls(balls: u64) -> Self;

    /// Returns `load − total/n`: for counts rounded once, for real loads twice.
    fn above_mean(self, total: Self, bins: u64) -> f64;

    /// Tells whether `load < total/n`; exact for counts (`load·n < total` in 128 bits).
    fn is_below_mean(self, total: Self, bins: u64) -> bool;

    /// Returns the load as a double, rounded once.
    fn to_f64(self) -> f64;

    /// Compares two loads. Loads are finite, so this is a total order.
    fn compare(&self, other: &Self) -> core::cmp::Ordering;
}

/// The weight of a ball: a finite number, not below 0.
///
/// Loads of real weights take only this, so that a maximum once reached stays reached and no sum loses its
/// meaning.
///
/// # Examples
///
/// ```
/// use bb_core::Weight;
///
/// assert_eq!(Weight::new(1.5)?.get(), 1.5);
/// let error = Weight::new(-1.0).unwrap_err();
/// assert_eq!(error.to_string(), "weight = -1.0 is outside the finite numbers from 0");
/// assert!(Weight::new(f64::NAN).is_err() && Weight::new(f64::INFINITY).is_err());
/// # Ok::<(), bb_core::ParameterError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Weight(f64);

impl Weight {
    /// Returns the weight.
    ///
    /// # Errors
    ///
    /// If it is negative, infinite or not a number.
    pub fn new(weight: f64) -> Result<Self, ParameterError> {
        let valid = weight >= 0.0 && weight.is_finite();
        ParameterError::require(valid, "weight", weight, "the finite numbers from 0")?;
        Ok(Self(weight))
    }

    /// Returns the number.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }
}

impl From<Weight> for f64 {
    fn from(weight: Weight) -> Self {
        weight.0
    }
}

/// Small whole weights are exact.
impl From<u8> for Weight {
    fn from(weight: u8) -> Self {
        Self(f64::from(weight))
    }
}

impl Load for u64 {
    #[inline]
    fn of_balls(balls: u64) -> Self {
        balls
    }

    #[inline]
    fn above_mean(self, total: Self, bins: u64) -> f64 {
        // load·n and total stay below 2^127 wherever n < 2^63.
        let scaled = i128::from(self) * i128::from(bins) - i128::from(total);
        scaled as f64 / bins as f64
    }

    #[inline]
    fn is_below_mean(self, total: Self, bins: u64) -> bool {
        u128::from(self) * u128::from(bins) < u128::from(total)
    }

    #[inline]
    fn to_f64(self) -> f64 {
        self as f64
    }

    #[inline]
    fn compare(&self, other: &Self) -> core::cmp::Ordering {
        self.cmp(other)
    }
}

impl Load for f64 {
    #[inline]
    fn of_balls(balls: u64) -> Self {
        balls as f64
    }

    #[inline]
    fn above_mean(self, total: Self, bins: u64) -> f64 {
        // As for counts: the difference is rounded once, and whole numbers give what counts give.
        self.mul_add(bins as f64, -total) / bins as f64
    }

    #[inline]
    fn is_below_mean(self, total: Self, bins: u64) -> bool {
        self < total / bins as f64
    }

    #[inline]
    fn to_f64(self) -> f64 {
        self
    }

    #[inline]
    fn compare(&self, other: &Self) -> core::cmp::Ordering {
        self.total_cmp(other)
    }
}
