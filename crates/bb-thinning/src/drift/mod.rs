//! Drifts: strategies whose law of the next bin follows intensities that depend on the loads relative to a
//! clock.

mod clock;
mod common;
mod exponential;
mod law;
mod theta;
mod varying;

use clock::Borders;

pub use theta::ThetaDrift;
pub use varying::VaryingDrift;

/// Which clock the loads are compared with.
///
/// # Examples
///
/// ```
/// use bb_thinning::{Clock, ThetaDrift};
///
/// assert_eq!(ThetaDrift::new(0.2)?.clock(), Clock::Exact);
/// assert_eq!(ThetaDrift::new(0.2)?.with_clock(Clock::Discrete).clock(), Clock::Discrete);
/// # Ok::<(), bb_thinning::bb_core::ParameterError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Clock {
    /// The time of the `k`-th point of the point processes that define the strategy, simulated exactly. One
    /// word a ball.
    Exact,
    /// The number of balls per bin before this ball: loads are compared with the true mean. No word. It is
    /// another process, close in behaviour, and not the one that is analysed.
    Discrete,
}

/// What a drift shows of the ball at hand, between [`next_ball`](crate::ThinningStrategy::next_ball) and
/// [`placed`](crate::ThinningStrategy::placed).
///
/// Classes are told by the count of a bin: below `first_high` they are low, from `first_very_high` on very
/// high, and middle in between. Under the `θ`-drift no bin is very high.
///
/// # Examples
///
/// ```
/// use bb_thinning::bb_core::{LoadProfile, rng_for_trial};
/// use bb_thinning::{Clock, ThetaDrift, ThinningStrategy};
///
/// let mut drift = ThetaDrift::new(0.2)?.with_clock(Clock::Discrete);
/// let loads = LoadProfile::from_level_counts(&[(0, 2), (1, 3), (3, 5)])?;
/// drift.begin(&loads);
/// drift.next_ball(&loads, &mut rng_for_trial(1, 0));
/// let seen = drift.seen();
/// // The mean is 1.8.
/// assert_eq!((seen.first_high, seen.sizes), (2, [5, 5, 0]));
/// assert!((seen.accept[1] - 0.6).abs() < 1e-15, "1 − 2θ/λ̄, and λ̄ = 1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DriftState {
    /// The smallest count of a bin that is not low.
    pub first_high: u64,
    /// The smallest count of a bin that is very high; `u64::MAX` if none can be.
    pub first_very_high: u64,
    /// The numbers of low, middle and very high bins.
    pub sizes: [u64; 3],
    /// Their accept probabilities; without meaning for a class without bins.
    pub accept: [f64; 3],
}

impl DriftState {
    /// Returns the class of a bin with this count: 0 low, 1 middle, 2 very high.
    #[must_use]
    #[inline]
    pub fn class(&self, count: u64) -> usize {
        Borders { high: self.first_high, very_high: self.first_very_high }.class(count)
    }
}
