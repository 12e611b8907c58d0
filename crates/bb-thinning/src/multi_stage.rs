use bb_core::counters::{Afresh, Flag, Old};
use bb_core::{Counters, Mix, ParameterError, Put, StartError};

use crate::asymptotic::{log_log_n, log_n, stages};
use crate::counting::{Counting, check_counters, check_positive};
use crate::relative_threshold::{is_very_low, very_low};
use crate::strategy::{Strategy, ThinningStrategy};
use crate::times::{FARTHEST, balls_until, ceil_times, floor_times};

/// The counter of accepted primaries in the present stage.
const ACCEPTED: u8 = 0;
/// The flag of heavy bins.
const HEAVY: u8 = 1;

/// The multi-stage (t, L₀, ℓ)-threshold strategy: a threshold in each of several stages, and bins that were
/// heavy where a stage began are rejected.
///
/// Stage `i` has the balls `k` with `n·t_{i−1} < k ≤ n·t_i`, counted from where the strategy began. In it, a
/// primary is rejected iff its load is at least `−ln n`, and it is heavy or has accepted `t_i − t_{i−1} + ℓ`
/// primaries in this stage already. `H_0` are the bins with load above `L₀` where stage 1 begins; where stage
/// `i + 1` begins, those with load at least `L₀ + 2iℓ` that are in no earlier set are `H_i`. Heavy are the
/// bins of `H_0` in stage 1 and those of `H_1 ∪ … ∪ H_{i−1}` in stage `i ≥ 2`: taken at its word, the rule
/// forgets `H_0` after stage 1, except that no bin of `H_0` enters `H_1`. [`keep_h0`](Self::keep_h0) keeps
/// them, a variant of ours. Loads are above the mean of all, at the time.
///
/// After its last stage every primary is accepted; [`then`](Strategy::then) and [`cycle`](Strategy::cycle) go
/// on from there.
///
/// *Randomness:* as [`Thinning`](crate::Thinning), no coin. *Cost:* `O(1)`, two counters a bin, and where a
/// stage begins a pass over bins or classes ([`Afresh`]). The borders of heavy bins are exact, in integers.
///
/// # Guarantees
///
/// With the paper's parameters the maximum at the end is `(ln n)^{1/2 + o(1)}` above the mean, with high
/// probability, for `√ln n ≪ t = O(ln n)` (Feldheim, Gurel-Gurevich and Li, arXiv 2110.05009, Section 2;
/// rule, times and number of stages are quoted, `ℓ` is from a second source and derived). The bound
/// `L₀ + 2kℓ` at the end is derived.
///
/// # Examples
///
/// ```
/// use bb_thinning::bb_core::{Allocator, LoadVector, WithCounters, Metrics, rng_for_trial};
/// use bb_thinning::{MultiStage, Strategy, Thinning};
///
/// let strategy = MultiStage::new(&[7.0, 10.0], 0.0, 2.0)?;
/// let mut loads = WithCounters::new(LoadVector::new(10_000)?, strategy.counters())?;
/// Thinning::new(strategy).start_and_run(&mut loads, 100_000, &mut rng_for_trial(1, 0))?;
/// assert!((6.0..9.0).contains(&loads.gap()), "the mean is 7.0: {}", loads.gap());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MultiStage {
    ends: Vec<f64>,
    l0: f64,
    limit: f64,
    keep_h0: bool,
    very_low: f64,
    /// The present stage, from 0; the number of stages after the last.
    stage: usize,
    /// The last ball of the present stage.
    last: u64,
    /// The number of accepted primaries from which on a bin is rejected in this stage.
    most: u64,
    /// Balls placed since the beginning.
    balls: u64,
    counting: Counting,
}

impl MultiStage {
    /// Returns the strategy with these ends of stages, `0 < t_1 < … < t_k`, initial border `L₀` and limit
    /// `ℓ > 0`.
    ///
    /// # Errors
    ///
    /// If there is no stage, the ends do not increase from above 0 up to at most `2^53`, `l0` is not within
    /// `±2^53`, or `limit` is not in `(0, 2^53]`.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_thinning::MultiStage;
    ///
    /// let error = MultiStage::new(&[7.0, 5.0], 0.0, 2.0).unwrap_err();
    /// let text = "stages = [7.0, 5.0] is outside 0 < t_1 < … < t_k ≤ 2^53 with k ≥ 1";
    /// assert_eq!(error.to_string(), text);
    /// assert_eq!(MultiStage::new(&[1.0], 0.0, 0.0).unwrap_err().parameter(), "l");
    /// ```
    pub fn new(ends: &[f64], l0: f64, limit: f64) -> Result<Self, ParameterError> {
        let increase = ends.first().is_some_and(|&first| first > 0.0)
            && ends.windows(2).all(|pair| pair[0] < pair[1])
            && ends.last().is_some_and(|&last| last <= FARTHEST);
        ParameterError::require(increase, "stages", ends, "0 < t_1 < … < t_k ≤ 2^53 with k ≥ 1")?;
        ParameterError::require(l0.abs() <= FARTHEST, "l0", l0, "[-2^53, 2^53]")?;
        let limit = check_positive("l", limit)?;
        Ok(Self {
            ends: ends.to_vec(),
            l0,
            limit,
            keep_h0: false,
            very_low: 0.0,
            stage: 0,
            last: 0,
            most: 0,
            balls: 0,
            counting: Counting::begin(Afresh::COUNT),
        })
    }

    /// Returns the strategy for `time·n` balls with the paper's `k = ⌊ln ln n/(3 ln ln ln n)⌋` stages, times
    /// and `ℓ` with `η`, and `L₀ = 0`; see [`with_stages`](Self::with_stages).
    ///
    /// # Errors
    ///
    /// If `ln ln ln n` is not positive, `k = 0` (for `606 ≤ n < 10^40.5`), or as `with_stages`.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_thinning::MultiStage;
    ///
    /// assert_eq!(MultiStage::paper(1e6, 14.0, 0.0).unwrap_err().to_string(), "k = 0 is outside 1..");
    /// assert_eq!(MultiStage::paper(500.0, 7.0, 0.0)?.ends(), [7.0]);
    /// # Ok::<(), bb_thinning::bb_core::ParameterError>(())
    /// ```
    pub fn paper(n: f64, time: f64, eta: f64) -> Result<Self, ParameterError> {
        Self::with_stages(n, time, stages(n)?, eta)
    }

    /// Returns the strategy for `time·n` balls in `bins` bins with `stages` stages by the formulas of
    /// [`with_stages`](Self::with_stages), `η = 0`.
    ///
    /// # Errors
    ///
    /// As `with_stages`.
    pub fn practical(bins: u64, time: f64, stages: u32) -> Result<Self, ParameterError> {
        Self::with_stages(bins as f64, time, stages, 0.0)
    }

    /// Returns the strategy with the paper's times and `ℓ` for a number `k` of stages of the caller's, and
    /// `L₀ = 0`.
    ///
    /// With `α = ln t/ln ln n`, `β = α + η`, `ε = (β − ½)/(k + 1)` and `β_i = β − iε`, the stages end at
    /// `t_i = ⌊t − (ln n)^{β_i}⌋` and `t_k = t`, and `ℓ = (ln n)^{β_k}`.
    ///
    /// # Errors
    ///
    /// If `ln ln n` is not positive, `stages` is 0, `t ≤ √ln n` (`α ≤ ½`), `η` is outside
    /// `[0, (α − ½)/(4k − 2)]`, or the ends of stages do not increase after rounding.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_thinning::MultiStage;
    ///
    /// let strategy = MultiStage::with_stages(1e6, 14.0, 3, 0.0)?;
    /// assert_eq!(strategy.ends(), [3.0, 6.0, 14.0]);
    /// assert!((strategy.limit() - 5.18).abs() < 0.01);
    /// assert_eq!(MultiStage::with_stages(1e6, 3.0, 3, 0.0).unwrap_err().parameter(), "alpha");
    /// # Ok::<(), bb_thinning::bb_core::ParameterError>(())
    /// ```
    pub fn with_stages(n: f64, time: f64, stages: u32, eta: f64) -> Result<Self, ParameterError> {
        let (log, loglog) = (log_n(n)?, log_log_n(n)?);
        ParameterError::require(stages != 0, "k", stages, "1..")?;
        let alpha = libm::log(check_positive("t", time)?) / loglog;
        ParameterError::require(alpha > 0.5, "alpha", alpha, "(1/2, ∞), t > √ln n")?;
        let most = (alpha - 0.5) / (4.0 * f64::from(stages) - 2.0);
        ParameterError::require((0.0..=most).contains(&eta), "eta", eta, format_args!("[0, {most:?}]"))?;
        Self::by_exponent(log, time, stages, alpha + eta)
    }

    /// The formulas, from `ln n` and `β`.
    pub(crate) fn by_exponent(log: f64, time: f64, stages: u32, beta: f64) -> Result<Self, ParameterError> {
        let epsilon = (beta - 0.5) / (f64::from(stages) + 1.0);
        let power = |i: u32| libm::pow(log, beta - f64::from(i) * epsilon);
        let ends: Vec<f64> = (1..stages).map(|i| (time - power(i)).floor()).chain([time]).collect();
        Self::new(&ends, 0.0, power(stages))
    }

    /// Takes another initial border `L₀`.
    ///
    /// # Errors
    ///
    /// If it is not within `±2^53`.
    pub fn with_l0(self, l0: f64) -> Result<Self, ParameterError> {
        let keep_h0 = self.keep_h0;
        Ok(Self { keep_h0, ..Self::new(&self.ends, l0, self.limit)? })
    }

    /// Keeps the bins of `H_0` heavy in all stages, a variant of ours.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_thinning::MultiStage;
    ///
    /// let variant = MultiStage::new(&[7.0, 10.0], 0.0, 2.0)?.keep_h0().with_l0(3.5)?;
    /// assert_eq!((variant.l0(), variant.limit()), (3.5, 2.0));
    /// # Ok::<(), bb_thinning::bb_core::ParameterError>(())
    /// ```
    #[must_use]
    pub fn keep_h0(self) -> Self {
        Self { keep_h0: true, ..self }
    }

    /// Returns the ends of the stages, in units of `n` balls.
    #[must_use]
    pub fn ends(&self) -> &[f64] {
        &self.ends
    }

    /// Returns the initial border `L₀`.
    #[must_use]
    pub fn l0(&self) -> f64 {
        self.l0
    }

    /// Returns `ℓ`.
    #[must_use]
    pub fn limit(&self) -> f64 {
        self.limit
    }

    /// Returns how long the strategy lasts, in units of `n` balls: the end of its last stage.
    #[must_use]
    pub fn duration(&self) -> f64 {
        self.ends.last().copied().unwrap_or(0.0) // There is one.
    }

    /// Returns the number of the present stage, from 1; one more than there are after the last.
    #[must_use]
    pub fn stage(&self) -> usize {
        self.stage + 1
    }

    /// Changes the border for the next beginning.
    pub(crate) fn set_l0(&mut self, l0: f64) {
        self.l0 = l0;
    }

    /// Begins a stage on these loads, or the time after the last.
    fn begin_stage<B: Counters<Load = u64>>(&mut self, bins: &B, stage: usize) {
        self.stage = stage;
        let (n, total) = (bins.bins(), i128::from(bins.total()));
        let Some(&end) = self.ends.get(stage) else {
            self.last = u64::MAX;
            return;
        };
        self.last = balls_until(end, n.into());
        let begun = if stage == 0 { 0.0 } else { self.ends[stage - 1] };
        // An integer is below a real number iff it is below that rounded up.
        self.most = (end - begun + self.limit).ceil() as u64;
        // A count c has load above x iff c·n − W > ⌊n·x⌋, and at least x iff c·n − W ≥ ⌈n·x⌉.
        let above_mean = match stage {
            0 => floor_times(self.l0, n) + 1,
            _ => ceil_times((self.l0 + 2.0 * stage as f64 * self.limit).clamp(-FARTHEST, FARTHEST), n),
        };
        let least = u128::try_from(total + above_mean).unwrap_or(0).div_ceil(n.into());
        let old = match stage {
            0 => Old::Forget,
            1 if !self.keep_h0 => Old::Exclude,
            _ => Old::Keep,
        };
        let flag = Flag::new(HEAVY, u64::try_from(least).unwrap_or(u64::MAX), old);
        self.counting = Counting::begin(Afresh::COUNT.with_flag(flag));
    }

    /// Whether a bin is heavy; with the first ball of a stage the loads learn it.
    #[inline]
    fn is_heavy<B: Counters<Load = u64>>(&self, bins: &B, bin: B::Bin) -> bool {
        let flagged = || bins.counter(bin, HEAVY) > 0;
        match self.counting.fresh().and_then(Afresh::flag) {
            None => flagged(),
            Some(flag) => flag.flags(bins.load(bin) >= flag.at_least(), flagged()),
        }
    }
}

impl Strategy for MultiStage {
    fn counters(&self) -> u8 {
        2
    }
}

impl<B: Counters<Load = u64>> ThinningStrategy<B> for MultiStage {
    fn check(&self, bins: &B) -> Result<(), StartError> {
        check_counters(bins, 2)?;
        let balls = |end: f64| balls_until(end, bins.bins().into());
        if balls(self.ends[0]) == 0 || self.ends.windows(2).any(|pair| balls(pair[0]) == balls(pair[1])) {
            let (stages, n) = (&self.ends, bins.bins());
            return Err(StartError::Unsuitable(format!(
                "stages = {stages:?} is outside what leaves each stage a ball in n = {n} bins"
            )));
        }
        Ok(())
    }
    fn begin(&mut self, bins: &B) {
        self.very_low = very_low(bins);
        self.balls = 0;
        self.begin_stage(bins, 0);
    }
    #[inline]
    fn next_ball<R: bb_core::Rng + ?Sized>(&mut self, bins: &B, _: &mut R) {
        // Each stage has a ball at least, as `check` asks for.
        while self.balls >= self.last && self.stage < self.ends.len() {
            self.begin_stage(bins, self.stage + 1);
        }
    }
    #[inline]
    fn accept(&self, bins: &B, bin: B::Bin, _: u32) -> Mix<bool> {
        let rejects = self.stage < self.ends.len()
            && !is_very_low(bins, bin, self.very_low)
            && (self.counting.counter(bins, bin, ACCEPTED) >= self.most || self.is_heavy(bins, bin));
        Mix::Sure(!rejects)
    }
    #[inline]
    fn put(&self, _: &B, _: B::Bin, sample: u32) -> Put {
        self.counting.put((sample == 1).then_some(ACCEPTED))
    }
    #[inline]
    fn placed(&mut self, _: &B, _: B::Bin, _: B::Bin, _: u32) {
        self.balls += 1;
        self.counting.placed();
    }
}
