use bb_core::{Counters, ParameterError, Ranked};

use crate::asymptotic::{log_log_log_n, stages};
use crate::drift::ThetaDrift;
use crate::drift_multi_stage::DriftMultiStage;
use crate::multi_scale::MultiScale;
use crate::multi_stage::MultiStage;
use crate::strategy::wrapped::strategy_by_field;
use crate::strategy::{Cycle, Strategy, Then};

/// The long-term combined strategy: for ever in turn a drift, a multi-stage and a multi-scale strategy.
///
/// A round begins with the drift, so it can begin at any loads; multi-stage brings them below `Q = L₀ + 2kℓ`,
/// and the multi-scale strategy keeps them near for long. Times are in units of `n` balls, and rounded as
/// [`Then`] and [`Cycle`] say.
///
/// *Randomness* and *cost:* those of its parts. It runs on views with ranks and two counters a bin:
/// [`WithCounters`](bb_core::WithCounters) around a [`RankedVector`](bb_core::RankedVector), or
/// [`ProfileWithCounters`](bb_core::ProfileWithCounters).
///
/// # Guarantees
///
/// The maximum is `(ln n)^{1/2 + o(1)}` above the mean at all but a vanishing share of times up to any power
/// of `n`, with high probability (Feldheim, Gurel-Gurevich and Li, arXiv 2110.05009, Section 2). That there
/// are long segments of the multi-scale strategy between short ones of drift and multi-stage is quoted; all
/// parameters but `α₁`, `L` and `k` are not known to us, and what is here is proposed.
///
/// # Examples
///
/// ```
/// use bb_thinning::bb_core::{Allocator, LoadProfile, ProfileWithCounters, Metrics, rng_for_trial};
/// use bb_thinning::{LongTerm, Strategy, Thinning};
///
/// let strategy = LongTerm::practical(1000, 2)?;
/// assert_eq!(strategy.duration(), (7.0 + 25.0) + 3.0 * (7.0 + 3.5));
/// let mut loads = ProfileWithCounters::new(LoadProfile::new(1000)?, strategy.counters());
/// Thinning::new(strategy).start_and_run(&mut loads, 100_000, &mut rng_for_trial(1, 0))?;
/// assert!(loads.gap() < 30.0, "{}", loads.gap());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LongTerm {
    strategy: Cycle<Then<Then<ThetaDrift, MultiStage>, MultiScale>>,
}

impl LongTerm {
    /// Returns the strategy of these parts: the `Q` of the multi-scale strategy becomes what the multi-stage
    /// one leaves, `L₀ + 2kℓ`.
    ///
    /// # Errors
    ///
    /// If a sum of times or `Q` exceeds `2^53`.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_thinning::{DriftMultiStage, LongTerm, MultiScale};
    ///
    /// let strategy = LongTerm::new(DriftMultiStage::practical(1000, 1)?, MultiScale::practical(1000, 1)?)?;
    /// let first = strategy.multi_stage();
    /// assert_eq!(strategy.multi_scale().q(), first.l0() + 2.0 * first.limit());
    /// # Ok::<(), bb_thinning::bb_core::ParameterError>(())
    /// ```
    pub fn new(first: DriftMultiStage, multi_scale: MultiScale) -> Result<Self, ParameterError> {
        let (before, first) = (first.duration(), first.into_strategy());
        let multi_stage = first.second();
        let q = multi_stage.l0() + 2.0 * multi_stage.ends().len() as f64 * multi_stage.limit();
        let multi_scale = multi_scale.with_q(q)?;
        let duration = before + multi_scale.duration();
        Ok(Self { strategy: first.then(before, multi_scale)?.cycle(duration)? })
    }

    /// Returns the strategy by the formulas of [`DriftMultiStage::paper`] and [`MultiScale::paper`], with the
    /// scales up to the first that lasts longer than `n·ln n` balls.
    ///
    /// # Errors
    ///
    /// As these; so for every `n` that a computer can write down.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_thinning::LongTerm;
    ///
    /// assert_eq!(LongTerm::paper(500.0, 0.2).unwrap_err().to_string(), "alpha1 = 8.5 is outside (1/2, 1]");
    /// assert_eq!(LongTerm::paper(1e6, 0.2).unwrap_err().parameter(), "k");
    /// ```
    pub fn paper(n: f64, theta: f64) -> Result<Self, ParameterError> {
        let first = DriftMultiStage::paper(n, theta)?;
        let (k, logloglog) = (stages(n)?, log_log_log_n(n)?);
        Self::with_exponents(n, first, k, 0.5 + 2.0 / (logloglog.sqrt().floor() + 0.25))
    }

    /// Returns the strategy with the multi-scale part of [`MultiScale::with_exponents`], with the scales up
    /// to the first that lasts longer than `n·ln n` balls: `i_max + 1` of them, counting the first.
    ///
    /// # Errors
    ///
    /// As `MultiScale::with_exponents`; also if no scale lasts so long.
    pub fn with_exponents(n: f64, first: DriftMultiStage, k: u32, alpha1: f64) -> Result<Self, ParameterError> {
        let log = crate::asymptotic::log_n(n)?;
        // From one scale to the next the exponent rises by (α₁ − ½)/3, about: if twenty are not enough, none
        // are.
        for scales in 1..=20 {
            let multi_scale = MultiScale::with_exponents(n, k, alpha1, scales)?;
            if multi_scale.duration() > log {
                return Self::new(first, multi_scale);
            }
        }
        Err(ParameterError::new("alpha1", format!("{alpha1:?}"), "what makes a scale last longer than n·ln n balls"))
    }

    /// Returns the strategy of [`DriftMultiStage::practical`] and [`MultiScale::practical`] with `k` stages
    /// in each multi-stage part.
    ///
    /// # Errors
    ///
    /// As these.
    pub fn practical(bins: u64, k: u32) -> Result<Self, ParameterError> {
        Self::new(DriftMultiStage::practical(bins, k)?, MultiScale::practical(bins, k)?)
    }

    /// Returns the drift.
    #[must_use]
    pub fn drift(&self) -> &ThetaDrift {
        self.strategy.strategy().first().first()
    }

    /// Returns the multi-stage strategy.
    #[must_use]
    pub fn multi_stage(&self) -> &MultiStage {
        self.strategy.strategy().first().second()
    }

    /// Returns the multi-scale strategy.
    #[must_use]
    pub fn multi_scale(&self) -> &MultiScale {
        self.strategy.strategy().second()
    }

    /// Returns how long a round lasts, in units of `n` balls.
    #[must_use]
    pub fn duration(&self) -> f64 {
        self.strategy.duration()
    }

    /// Returns the number of this round, from 1.
    #[must_use]
    pub fn round(&self) -> u64 {
        self.strategy.round()
    }
}

strategy_by_field!(LongTerm, on: Counters<Load = u64> + Ranked);
