use bb_core::{Counters, ParameterError, Ranked};

use crate::asymptotic::{log_n, stages};
use crate::drift::ThetaDrift;
use crate::multi_stage::MultiStage;
use crate::strategy::wrapped::strategy_by_field;
use crate::strategy::{Strategy, Then};

/// The drift–multi-stage (θ, t′, t, L₀, ℓ) strategy: θ-drift for `t′·n` balls, then multi-stage for `t·n`
/// balls on the loads reached; then every primary is accepted.
///
/// *Randomness* and *cost:* those of [`ThetaDrift`] and [`MultiStage`]. It runs on views with ranks and two
/// counters a bin: [`WithCounters`](bb_core::WithCounters) around a [`RankedVector`](bb_core::RankedVector),
/// or [`ProfileWithCounters`](bb_core::ProfileWithCounters).
///
/// # Guarantees
///
/// The maximum at the end is `(ln n)^{1/2 + o(1)}` above the mean with high probability, for `t ≫ ln n`
/// altogether, where the multi-stage part lasts `Θ(ln n)` (Feldheim, Gurel-Gurevich and Li, arXiv 2110.05009,
/// Section 2). Their constants are not known to us; those of the constructors are this library's.
///
/// # Examples
///
/// ```
/// use bb_thinning::bb_core::{Allocator, LoadProfile, ProfileWithCounters, Metrics, rng_for_trial};
/// use bb_thinning::{DriftMultiStage, Strategy, Thinning};
///
/// let strategy = DriftMultiStage::practical(1000, 2)?;
/// assert_eq!((strategy.drift().theta(), strategy.multi_stage().ends()), (0.2, &[13.0, 25.0][..]));
/// let balls = (strategy.duration() * 1000.0) as u64;
/// let mut loads = ProfileWithCounters::new(LoadProfile::new(1000)?, strategy.counters());
/// Thinning::new(strategy).start_and_run(&mut loads, balls, &mut rng_for_trial(1, 0))?;
/// assert!(loads.gap() < 20.0, "{}", loads.gap());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct DriftMultiStage {
    strategy: Then<ThetaDrift, MultiStage>,
}

impl DriftMultiStage {
    /// Returns the strategy of a drift for `drift_time·n` balls, and of a multi-stage one.
    ///
    /// # Errors
    ///
    /// If `drift_time` is outside `(0, 2^53]`.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_thinning::{DriftMultiStage, MultiStage, ThetaDrift};
    ///
    /// let stages = MultiStage::new(&[7.0, 10.0], 3.0, 2.0)?;
    /// let strategy = DriftMultiStage::new(ThetaDrift::new(0.2)?, 10.0, stages)?;
    /// assert_eq!(strategy.duration(), 20.0);
    /// # Ok::<(), bb_thinning::bb_core::ParameterError>(())
    /// ```
    pub fn new(drift: ThetaDrift, drift_time: f64, multi_stage: MultiStage) -> Result<Self, ParameterError> {
        Ok(Self { strategy: drift.then(drift_time, multi_stage)? })
    }

    /// Returns the strategy with the paper's number of stages, a drift `θ ≤ √5 − 2` for `t′ = ⌈ln n⌉`,
    /// multi-stage for `t = ⌈1.5·ln n/κ⌉` (with `κ` of [`ThetaDrift`]), `η = 0` and `L₀ = ℓ`.
    ///
    /// Times and `L₀` are proposed: bins of height `ln n/κ`, which the drift leaves, drain in the first
    /// stage.
    ///
    /// # Errors
    ///
    /// As [`ThetaDrift::paper`] and [`MultiStage::paper`]: `k = 0` for `606 ≤ n < 10^40.5`.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_thinning::DriftMultiStage;
    ///
    /// assert_eq!(DriftMultiStage::paper(1e6, 0.2).unwrap_err().parameter(), "k");
    /// assert!(DriftMultiStage::paper(500.0, 0.2).is_ok());
    /// ```
    pub fn paper(n: f64, theta: f64) -> Result<Self, ParameterError> {
        let drift = ThetaDrift::paper(theta)?;
        Self::proposed(n, drift, stages(n)?)
    }

    /// Returns the strategy with `θ = 1/5` and a number of stages of the caller's, else as
    /// [`paper`](Self::paper).
    ///
    /// # Errors
    ///
    /// As [`MultiStage::with_stages`].
    pub fn practical(bins: u64, stages: u32) -> Result<Self, ParameterError> {
        Self::proposed(bins as f64, ThetaDrift::practical(), stages)
    }

    fn proposed(n: f64, drift: ThetaDrift, stages: u32) -> Result<Self, ParameterError> {
        let log = log_n(n)?;
        let time = (1.5 * log / drift.tail_rates().0).ceil();
        let multi_stage = MultiStage::with_stages(n, time, stages, 0.0)?;
        let l0 = multi_stage.limit();
        Self::new(drift, log.ceil(), multi_stage.with_l0(l0)?)
    }

    /// Returns the drift.
    #[must_use]
    pub fn drift(&self) -> &ThetaDrift {
        self.strategy.first()
    }

    /// Returns the multi-stage strategy.
    #[must_use]
    pub fn multi_stage(&self) -> &MultiStage {
        self.strategy.second()
    }

    /// Returns the two as one strategy after another.
    pub(crate) fn into_strategy(self) -> Then<ThetaDrift, MultiStage> {
        self.strategy
    }

    /// Returns how long both last, in units of `n` balls.
    #[must_use]
    pub fn duration(&self) -> f64 {
        self.strategy.duration() + self.multi_stage().duration()
    }
}

strategy_by_field!(DriftMultiStage, on: Counters<Load = u64> + Ranked);
