//! The number in a bin.

use core::fmt::Debug;

use num_traits::{ToPrimitive, Zero};

/// A number that can be the load of a bin: `u64` for counts and integer weights, `f64` for real weights.
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
pub trait Load: Copy + PartialOrd + Debug + Default + Zero + ToPrimitive + Send + Sync + 'static {
    /// Returns the load that `balls` unit balls make.
    fn of_balls(balls: u64) -> Self;

    /// Returns `load − total/n` with one rounding for counts.
    fn above_mean(self, total: Self, bins: u64) -> f64;

    /// Tells whether `load < total/n`; exact for counts (`load·n < total` in 128 bits).
    fn is_below_mean(self, total: Self, bins: u64) -> bool;

    /// Compares two loads. Loads are finite, so this is a total order.
    fn compare(&self, other: &Self) -> core::cmp::Ordering;
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
        self - total / bins as f64
    }

    #[inline]
    fn is_below_mean(self, total: Self, bins: u64) -> bool {
        self < total / bins as f64
    }

    #[inline]
    fn compare(&self, other: &Self) -> core::cmp::Ordering {
        self.total_cmp(other)
    }
}
