use bb_core::{Mix, ParameterError, Ranked, Rng};

use super::clock::Offset;
use super::common::Drift;
use super::law::Law;
use super::{Clock, DriftState};
use crate::asymptotic::{log_log_n, log_n};
use crate::counting::check_positive;
use crate::realizability::Rejections;
use crate::strategy::{Strategy, ThinningStrategy};

/// The ℓ-varying drift strategy: intensity `1 + θ₁` below a clock, `1 − θ₂` from it on, and `θ₃` from `ℓ`
/// above it on.
///
/// As [`ThetaDrift`](crate::ThetaDrift), with a third class: bins that are very high receive hardly more than
/// what second bins bring them in any case. That law is one which two-thinning has iff `λ_max − λ_min ≤ λ̄`
/// over the classes that have bins. It is checked for every ball, exactly up to rounding. From the first ball
/// on that fails, every primary is accepted, as the paper says, and
/// [`unrealizable_at`](Strategy::unrealizable_at) tells which ball that was. For `θ₁, θ₂ ≤ 1/3` and
/// `(1 + θ₁)/2 ≤ θ₃ ≤ 1 − θ₂` no state fails (derived).
///
/// *Randomness:* one word for the clock, if it is [exact](Clock::Exact), also after a failure; then as
/// [`Thinning`](crate::Thinning), with a coin. *Accuracy* and *cost:* as `ThetaDrift`.
///
/// # Guarantees
///
/// Over all times up to a power of `n` the maximum is `O(ln n/ln ln n)` with high probability, the best that
/// two-thinning can do, for `θ₁ = θ₂ = 1/√ln n`, `θ₃ = 12/√ln n`, `ℓ = 2 ln n/ln ln n` (Feldheim,
/// Gurel-Gurevich and Li, arXiv 2110.05009). These values make `θ₃ ≤ 1 − θ₂` only for `n ≥ 10^73.4`.
/// Intensities and realizability are derived; whether the borders are `≥` or `>`, and the constant of Lemma
/// 2.2, are not known to us.
///
/// # Examples
///
/// ```
/// use bb_thinning::bb_core::{Allocator, LoadProfile, Metrics, rng_for_trial};
/// use bb_thinning::{Strategy, Thinning, VaryingDrift};
///
/// let mut rule = Thinning::new(VaryingDrift::practical());
/// let mut loads = LoadProfile::new(10_000)?;
/// rule.start_and_run(&mut loads, 1_000_000, &mut rng_for_trial(1, 0))?;
/// assert!((8.0..18.0).contains(&loads.gap()), "about 12: {}", loads.gap());
/// assert_eq!(rule.strategy().unrealizable_at(), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct VaryingDrift {
    /// `ℓ`.
    offset: Offset,
    drift: Drift,
    /// Balls placed since the beginning.
    balls: u64,
    /// Whether the ball at hand has a law that two-thinning has.
    realizable: bool,
    unrealizable_at: Option<u64>,
}

impl VaryingDrift {
    /// Returns the strategy with drifts `θ₁ > 0`, `0 ≤ θ₂ < 1`, `0 < θ₃ ≤ 1 − θ₂`, and `ℓ > 0`, by the exact
    /// clock and with the fewest rejections.
    ///
    /// # Errors
    ///
    /// If one is outside its range; beyond these, what cannot be realised shows in a run.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_thinning::VaryingDrift;
    ///
    /// assert!(VaryingDrift::new(0.1, 0.1, 0.4, 6.0).is_ok());
    /// let error = VaryingDrift::new(0.1, 0.1, 0.95, 6.0).unwrap_err();
    /// assert_eq!(error.to_string(), "theta3 = 0.95 is outside (0, 1 - theta2] = (0, 0.9]");
    /// ```
    pub fn new(theta1: f64, theta2: f64, theta3: f64, limit: f64) -> Result<Self, ParameterError> {
        ParameterError::require(theta1 > 0.0 && theta1 <= 1.0, "theta1", theta1, "(0, 1]")?;
        ParameterError::require((0.0..1.0).contains(&theta2), "theta2", theta2, "[0, 1)")?;
        let range = format_args!("(0, 1 - theta2] = (0, {:?}]", 1.0 - theta2);
        ParameterError::require(theta3 > 0.0 && theta3 <= 1.0 - theta2, "theta3", theta3, range)?;
        Ok(Self::unchecked([1.0 + theta1, 1.0 - theta2, theta3], check_positive("l", limit)?))
    }

    fn unchecked(intensities: [f64; 3], limit: f64) -> Self {
        let (offset, drift) = (Offset::new(limit), Drift::new(intensities));
        Self { offset, drift, balls: 0, realizable: true, unrealizable_at: None }
    }

    /// Returns the strategy with the paper's values, `θ₁ = θ₂ = 1/√ln n`, `θ₃ = 12/√ln n`,
    /// `ℓ = 2 ln n/ln ln n`.
    ///
    /// # Errors
    ///
    /// If `ln ln n` is not positive, or `θ₃ > 1 − θ₂`: always below `n = 10^73.4`. There very high bins would
    /// be preferred.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_thinning::VaryingDrift;
    ///
    /// let error = VaryingDrift::paper(1e6).unwrap_err();
    /// assert_eq!(error.parameter(), "theta3");
    /// assert!(VaryingDrift::paper(1e74).is_ok());
    /// ```
    pub fn paper(n: f64) -> Result<Self, ParameterError> {
        let (log, loglog) = (log_n(n)?, log_log_n(n)?);
        let (theta, theta3) = (1.0 / log.sqrt(), 12.0 / log.sqrt());
        if theta3 > 1.0 - theta {
            let range = format!("(0, 1 - theta2] = (0, {:?}]", 1.0 - theta);
            return Err(ParameterError::new("theta3", format!("{theta3:?}"), range));
        }
        Self::new(theta, theta, theta3, 2.0 * log / loglog)
    }

    /// Returns the strategy with `θ₁ = θ₂ = 1/5`, `θ₃ = 3/5` and `ℓ = 4`, which no state makes fail.
    #[must_use]
    pub fn practical() -> Self {
        Self::unchecked([1.2, 0.8, 0.6], 4.0)
    }

    /// Takes another clock; see [`Clock`].
    #[must_use]
    pub fn with_clock(mut self, clock: Clock) -> Self {
        self.drift.clock = clock;
        self
    }

    /// Rejects as often as can be: very high bins are never accepted then. The law of the bins stays.
    #[must_use]
    pub fn with_most_rejections(mut self) -> Self {
        self.drift.rejections = Rejections::Most;
        self
    }

    /// Returns the intensities of low, middle and very high bins: `1 + θ₁`, `1 − θ₂`, `θ₃`.
    ///
    /// # Examples
    ///
    /// ```
    /// let drift = bb_thinning::VaryingDrift::new(0.25, 0.5, 0.5, 3.5)?;
    /// assert_eq!((drift.intensities(), drift.limit()), ([1.25, 0.5, 0.5], 3.5));
    /// # Ok::<(), bb_thinning::bb_core::ParameterError>(())
    /// ```
    #[must_use]
    pub fn intensities(&self) -> [f64; 3] {
        self.drift.intensities
    }

    /// Returns `ℓ`.
    #[must_use]
    pub fn limit(&self) -> f64 {
        self.offset.real()
    }

    /// Returns the clock.
    #[must_use]
    pub fn clock(&self) -> Clock {
        self.drift.clock
    }

    /// Returns what the ball at hand sees; see [`DriftState`].
    #[must_use]
    pub fn seen(&self) -> DriftState {
        self.drift.seen()
    }
}

impl Strategy for VaryingDrift {
    #[inline]
    fn is_randomised(&self) -> bool {
        true
    }
    fn unrealizable_at(&self) -> Option<u64> {
        self.unrealizable_at
    }
}

impl<B: Ranked> ThinningStrategy<B> for VaryingDrift {
    fn begin(&mut self, bins: &B) {
        self.drift.begin(bins);
        (self.balls, self.realizable, self.unrealizable_at) = (0, true, None);
    }
    #[inline]
    fn next_ball<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) {
        self.realizable = self.drift.next_ball(Some(self.offset), bins, rng) && self.unrealizable_at.is_none();
        if !self.realizable {
            self.drift.law = Law::ALL;
        }
    }
    #[inline]
    fn accept(&self, bins: &B, bin: B::Bin, _: u32) -> Mix<bool> {
        self.drift.accept(bins, bin)
    }
    #[inline]
    fn placed(&mut self, _: &B, _: B::Bin, _: B::Bin, _: u32) {
        self.balls += 1;
        self.drift.placed();
        if !self.realizable && self.unrealizable_at.is_none() {
            self.unrealizable_at = Some(self.balls);
        }
    }
}
