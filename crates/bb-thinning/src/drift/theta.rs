use bb_core::{Mix, ParameterError, Ranked, Rng};
use bb_processes::theory::stationary::{lower_rate, upper_rate};

use super::common::Drift;
use super::{Clock, DriftState};
use crate::realizability::Rejections;
use crate::strategy::{Strategy, ThinningStrategy};

/// The θ-drift strategy: bins below a clock receive with intensity `1 + θ`, bins at or above it with `1 − θ`.
///
/// The bins are points of processes `X_i` that start at the loads, with intensity `1 + θ` while `X_i(t) < t`
/// and `1 − θ` else. `T_k` is the time of the `k`-th point, and the `k`-th ball goes to the process whose
/// point it is: `P(Z_k = i | T_k) = λ_i/Σλ`. Given the time, that is a law which two-thinning has, and the
/// time is the strategy's own randomness. So this is simulated exactly: draw `T_k`, which needs only the
/// number of bins below each level; decide on the primary by the accept probabilities of the law; and go on
/// from the bin that really received the ball.
///
/// With `b` bins below the clock and `λ̄ = 1 − θ + 2θb/n`, bins below are always accepted and others with
/// probability `1 − 2θ/λ̄` (for [`Rejections::Fewest`], the default): about a share `θ` of the primaries is
/// rejected.
///
/// *Randomness:* one word for the clock, if it is [exact](Clock::Exact); then as
/// [`Thinning`](crate::Thinning), with a coin. *Accuracy:* times and probabilities are `f64`, the exponential
/// variate has 53 bits. *Cost:* `O(1)` a ball whatever `n`, amortised over the levels that the clock passes.
///
/// # Guarantees
///
/// The paper has `θ ≤ √5 − 2` ([`SHARED_C`](Self::SHARED_C)), where one rejection probability fits all
/// states; every `θ ≤ 1/3` can be realised in every state for every `n` (derived). In the stationary state
/// the tail of the loads is `e^{−κx}`, `(1 − θ)(e^κ − 1) = κ`: the maximum is about `ln n/κ`, `κ = 0.431` for
/// `θ = 1/5` (derived). Strategy: Feldheim, Gurel-Gurevich and Li, arXiv 2110.05009, Section 2; its
/// intensities are derived from the text, and only these give the printed bound.
///
/// # Examples
///
/// ```
/// use bb_thinning::bb_core::{Allocator, LoadProfile, Metrics, rng_for_trial};
/// use bb_thinning::{ThetaDrift, Thinning};
///
/// let mut rule = Thinning::new(ThetaDrift::practical());
/// let mut loads = LoadProfile::new(10_000)?;
/// rule.start_and_run(&mut loads, 1_000_000, &mut rng_for_trial(1, 0))?;
/// assert!((14.0..32.0).contains(&loads.gap()), "about 21: {}", loads.gap());
/// assert!((0.19..0.21).contains(&(rule.rejections() as f64 / 1e6)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ThetaDrift {
    theta: f64,
    drift: Drift,
}

impl ThetaDrift {
    /// `√5 − 2`, the paper's bound on `θ`: up to it one rejection probability `c` realises the law in all
    /// states, any in `[2θ/(1 − θ), (1 − θ)/(1 + θ)]`.
    pub const SHARED_C: f64 = 0.236_067_977_499_789_7;

    /// Returns the strategy with drift `θ` in `(0, 1/3]`, by the exact clock and with the fewest rejections.
    ///
    /// # Errors
    ///
    /// If `theta` is outside `(0, 1/3]`.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_thinning::ThetaDrift;
    ///
    /// assert_eq!(ThetaDrift::new(1.0 / 3.0)?.theta(), 1.0 / 3.0);
    /// assert_eq!(ThetaDrift::new(0.4).unwrap_err().to_string(), "theta = 0.4 is outside (0, 1/3]");
    /// # Ok::<(), bb_thinning::bb_core::ParameterError>(())
    /// ```
    pub fn new(theta: f64) -> Result<Self, ParameterError> {
        ParameterError::require(theta > 0.0 && theta <= 1.0 / 3.0, "theta", theta, "(0, 1/3]")?;
        Ok(Self::unchecked(theta))
    }

    fn unchecked(theta: f64) -> Self {
        Self { theta, drift: Drift::new([1.0 + theta, 1.0 - theta, 0.0]) } // No bin is very high.
    }

    /// Returns the strategy in the paper's range, `0 < θ ≤ √5 − 2`.
    ///
    /// # Errors
    ///
    /// If `theta` is outside that range.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_thinning::ThetaDrift;
    ///
    /// assert!(ThetaDrift::paper(0.236).is_ok() && ThetaDrift::paper(0.237).is_err());
    /// ```
    pub fn paper(theta: f64) -> Result<Self, ParameterError> {
        if theta > Self::SHARED_C {
            return Err(ParameterError::new("theta", format!("{theta:?}"), "(0, √5 − 2]"));
        }
        Self::new(theta)
    }

    /// Returns the strategy with `θ = 1/5`.
    #[must_use]
    pub fn practical() -> Self {
        Self::unchecked(0.2)
    }

    /// Takes another clock; see [`Clock`].
    #[must_use]
    pub fn with_clock(mut self, clock: Clock) -> Self {
        self.drift.clock = clock;
        self
    }

    /// Takes another rejection probability: the law of the bins stays, the number of rejections changes.
    ///
    /// # Errors
    ///
    /// If it is given and some state has no such `c`: outside `[2θ/(1 − θ), (1 − θ)/(1 + θ)]`.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_thinning::{Rejections, ThetaDrift};
    ///
    /// let drift = ThetaDrift::new(0.2)?;
    /// assert!(drift.clone().with_rejections(Rejections::Given(0.5)).is_ok());
    /// assert!(drift.clone().with_rejections(Rejections::Given(0.7)).is_err());
    /// assert!(drift.with_rejections(Rejections::Most).is_ok());
    /// # Ok::<(), bb_thinning::bb_core::ParameterError>(())
    /// ```
    pub fn with_rejections(mut self, rejections: Rejections<f64>) -> Result<Self, ParameterError> {
        if let Rejections::Given(c) = rejections {
            let (low, high) = (2.0 * self.theta / (1.0 - self.theta), (1.0 - self.theta) / (1.0 + self.theta));
            ParameterError::require(c >= low && c <= high, "c", c, format_args!("[{low:?}, {high:?}]"))?;
        }
        self.drift.rejections = rejections;
        Ok(self)
    }

    /// Returns `θ`.
    #[must_use]
    pub fn theta(&self) -> f64 {
        self.theta
    }

    /// Returns the rates `κ` and `μ` of the stationary tails above and below the clock:
    /// `P(X_i − t > x) ≈ e^{−κx}`, `(1 − θ)(e^κ − 1) = κ`, and `P(t − X_i > x) ≈ e^{−μx}`,
    /// `(1 + θ)(1 − e^{−μ}) = μ`. So the maximum is about `ln n/κ` above the mean. Mean field, not a theorem;
    /// measured within 1.2 %.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_thinning::ThetaDrift;
    ///
    /// for (theta, kappa, mu) in [(0.1, 0.207, 0.194), (0.2, 0.431, 0.376), (1.0 / 3.0, 0.763, 0.606)] {
    ///     let rates = ThetaDrift::new(theta)?.tail_rates();
    ///     assert!((rates.0 - kappa).abs() < 5e-4 && (rates.1 - mu).abs() < 5e-4, "{rates:?}");
    /// }
    /// # Ok::<(), bb_thinning::bb_core::ParameterError>(())
    /// ```
    #[must_use]
    pub fn tail_rates(&self) -> (f64, f64) {
        // θ is in (0, 1/3].
        let rate = |rate: Result<f64, ParameterError>| rate.unwrap_or(f64::NAN);
        (rate(upper_rate(1.0 - self.theta)), rate(lower_rate(1.0 + self.theta)))
    }

    /// Returns the clock; see [`Clock`].
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

impl Strategy for ThetaDrift {
    #[inline]
    fn is_randomised(&self) -> bool {
        true
    }
}

impl<B: Ranked> ThinningStrategy<B> for ThetaDrift {
    fn begin(&mut self, bins: &B) {
        self.drift.begin(bins);
    }
    #[inline]
    fn next_ball<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) {
        self.drift.next_ball(None, bins, rng); // Realisable in every state, as θ ≤ 1/3.
    }
    #[inline]
    fn accept(&self, bins: &B, bin: B::Bin, _: u32) -> Mix<bool> {
        self.drift.accept(bins, bin)
    }
    #[inline]
    fn placed(&mut self, _: &B, _: B::Bin, _: B::Bin, _: u32) {
        self.drift.placed();
    }
}
