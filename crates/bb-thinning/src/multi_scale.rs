use bb_core::{Counters, Mix, ParameterError, Put, Rng, StartError};

use crate::asymptotic::{log_log_log_n, log_n, stages};
use crate::counting::{check_counters, check_duration, check_positive};
use crate::multi_stage::MultiStage;
use crate::relative_threshold::ThinningRelativeThreshold;
use crate::strategy::{Strategy, ThinningStrategy};
use crate::times::{FARTHEST, balls_until};

/// The Q-multi-scale strategy: short runs of a relative threshold, between them multi-stage strategies which
/// let off steam, on several scales.
///
/// The first scale is the `L`-relative threshold for some time. A scale above another is several iterations
/// `j = 1, …, N` of: the lower scale with `Q + Q_j` for `Q`; then a multi-stage strategy with limit `ℓ` and
/// `L₀ = Q + Q_j + ℓ`; where `Q_j = (j − 1)·(2k + 1)·ℓ` and `k` is the number of its stages. If all loads are
/// at most `Q + Q_j` where an iteration begins, the multi-stage ends at `L₀ + 2kℓ = Q + Q_{j+1}` or below. A
/// scale stops when its time is used up, in the middle of an iteration if need be. Every part begins afresh,
/// on the loads there are.
///
/// A part has `⌊n·duration⌋` balls, each rounded for itself. After the last scale every primary is accepted.
///
/// *Randomness:* as [`Thinning`](crate::Thinning), no coin. *Cost:* `O(1)` amortised, two counters a bin, and
/// a pass over bins or classes where a part or a stage begins.
///
/// # Guarantees
///
/// Part of a strategy whose maximum is `(ln n)^{1/2 + o(1)}` above the mean at all but a vanishing share of
/// times, with high probability (Feldheim, Gurel-Gurevich and Li, arXiv 2110.05009, Section 2). The structure
/// is quoted; its displays (2.15), (2.16) and Figure 1 were not at hand, and the sequences of
/// [`with_exponents`](Self::with_exponents) are proposed. The gain is asymptotic: at any `n` that fits a
/// computer, mean-thinning does better.
///
/// # Examples
///
/// ```
/// use bb_thinning::bb_core::{Allocator, LoadVector, WithCounters, Metrics, rng_for_trial};
/// use bb_thinning::{MultiScale, MultiStage, Scale, Strategy, Thinning};
///
/// // Three times: a relative threshold for 10n balls, two stages for 6n.
/// let scale = Scale::new(3, MultiStage::new(&[3.0, 6.0], 0.0, 2.0)?)?;
/// let strategy = MultiScale::new(7.0, 10.0, vec![scale])?;
/// assert_eq!(strategy.duration(), 48.0);
/// let mut loads = WithCounters::new(LoadVector::new(1000)?, strategy.counters())?;
/// let mut rule = Thinning::new(strategy);
/// rule.start_and_run(&mut loads, 27_000, &mut rng_for_trial(1, 0))?;
/// // The second multi-stage has begun: L₀ = Q_2 + ℓ = 5·2 + 2.
/// assert_eq!(rule.strategy().part(), bb_thinning::ScalePart::MultiStage { scale: 1, l0: 12.0 });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MultiScale {
    base: ThinningRelativeThreshold,
    base_duration: f64,
    scales: Vec<Scale>,
    q: f64,
    /// Of each scale above the first: iterations done, and the last ball that its time allows.
    done: Vec<u64>,
    allowed: Vec<u64>,
    part: Part,
    /// The last ball of this part.
    last: u64,
    /// Balls placed since the beginning.
    balls: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Base,
    /// The multi-stage strategy of the scale with this place.
    Regulate(usize),
    Over,
}

/// What a [`MultiScale`] strategy is doing.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ScalePart {
    /// The relative threshold of the first scale.
    RelativeThreshold,
    /// A multi-stage strategy.
    MultiStage {
        /// Of which scale above the first, from 1: it follows that scale's lower scale.
        scale: usize,
        /// Its border `L₀`.
        l0: f64,
    },
    /// All is over: every primary is accepted.
    Over,
}

/// One scale above the first, of a [`MultiScale`] strategy: how often, and the multi-stage strategy that ends
/// an iteration.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    iterations: u64,
    multi_stage: MultiStage,
    increment: f64,
    duration: f64,
}

impl Scale {
    /// Returns a scale of `iterations ≥ 1` iterations that end with this multi-stage strategy, whose own `L₀`
    /// does not count. Each raises `Q` by `(2k + 1)ℓ`.
    ///
    /// # Errors
    ///
    /// If `iterations` is 0.
    pub fn new(iterations: u64, multi_stage: MultiStage) -> Result<Self, ParameterError> {
        ParameterError::require(iterations != 0, "iterations", iterations, "1..")?;
        let increment = (2.0 * multi_stage.ends().len() as f64 + 1.0) * multi_stage.limit();
        Ok(Self { iterations, multi_stage, increment, duration: FARTHEST })
    }

    /// Cuts the scale off after `duration·n` balls.
    ///
    /// # Errors
    ///
    /// If `duration` is outside `(0, 2^53]`.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_thinning::{MultiScale, MultiStage, Scale};
    ///
    /// let scale = Scale::new(3, MultiStage::new(&[6.0], 0.0, 2.0)?)?.with_duration(40.0)?;
    /// assert_eq!(MultiScale::new(7.0, 10.0, vec![scale])?.duration(), 40.0);
    /// # Ok::<(), bb_thinning::bb_core::ParameterError>(())
    /// ```
    pub fn with_duration(self, duration: f64) -> Result<Self, ParameterError> {
        Ok(Self { duration: check_positive("duration", duration)?, ..self })
    }

    /// Returns the number of iterations.
    #[must_use]
    pub fn iterations(&self) -> u64 {
        self.iterations
    }

    /// Returns the multi-stage strategy that ends an iteration.
    #[must_use]
    pub fn multi_stage(&self) -> &MultiStage {
        &self.multi_stage
    }
}

impl MultiScale {
    /// Returns the strategy whose first scale is the `limit`-relative threshold for `duration·n` balls, with
    /// these scales above it, and `Q = 0`.
    ///
    /// # Errors
    ///
    /// If `limit` or `duration` is outside `(0, 2^53]`.
    pub fn new(limit: f64, duration: f64, scales: Vec<Scale>) -> Result<Self, ParameterError> {
        let base = ThinningRelativeThreshold::new(limit)?;
        let base_duration = check_positive("duration", duration)?;
        let (done, allowed) = (vec![0; scales.len()], vec![0; scales.len()]);
        Ok(Self { base, base_duration, scales, q: 0.0, done, allowed, part: Part::Base, last: 0, balls: 0 })
    }

    /// Begins at another `Q`, which enters through all `L₀`.
    ///
    /// # Errors
    ///
    /// If it is not within `±2^53`.
    pub fn with_q(self, q: f64) -> Result<Self, ParameterError> {
        ParameterError::require(q.abs() <= FARTHEST, "q", q, "[-2^53, 2^53]")?;
        Ok(Self { q, ..self })
    }

    /// Returns the strategy by the formulas, with so many scales above the first.
    ///
    /// `k = ⌊ln ln n/(3 ln ln ln n)⌋`, `α₁ = ½ + 2/(⌊√(ln ln ln n)⌋ + ¼)`, and
    /// [`with_exponents`](Self::with_exponents).
    ///
    /// # Errors
    ///
    /// If `ln ln ln n` is not positive, `k = 0`, or `α₁ > 1`. The last is so for every `n` that a computer
    /// can write down: `ln ln ln n ≥ 16` is needed.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_thinning::MultiScale;
    ///
    /// assert_eq!(MultiScale::paper(1e6, 1).unwrap_err().to_string(), "k = 0 is outside 1..");
    /// assert_eq!(MultiScale::paper(500.0, 1).unwrap_err().to_string(), "alpha1 = 8.5 is outside (1/2, 1]");
    /// ```
    pub fn paper(n: f64, scales: u32) -> Result<Self, ParameterError> {
        let (k, logloglog) = (stages(n)?, log_log_log_n(n)?);
        Self::with_exponents(n, k, 0.5 + 2.0 / (logloglog.sqrt().floor() + 0.25), scales)
    }

    /// Returns the strategy by the formulas for `n`, with a number `k` of stages, `α₁` and a number of scales
    /// above the first of the caller's.
    ///
    /// With `x = ln n`: `L = x^{(1+α₁)/3}` for `x^{α₁}·n` balls is the first scale. Scale `i + 1` lasts
    /// `x^{α_{i+1}} = (L/(3kℓ_i))·(x^{α_i} + x^{α′_i})` in at most `N_i = ⌈L/(3kℓ_i)⌉` iterations, and its
    /// multi-stage strategies last `x^{α′_i}` with `α′_i = ½ + (α_i − ½)(4k − 2)/(4k − 1)`,
    /// `η_i = α_i − α′_i` and `ℓ_i = x^{½ + (α_i − ½)/(k + 1)}`. Proposed, from what the text fixes.
    ///
    /// # Errors
    ///
    /// If `ln n ≤ 1`, `k` is 0, `α₁` is outside `(1/2, 1]`, or the ends of stages do not increase after
    /// rounding.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_thinning::MultiScale;
    ///
    /// let strategy = MultiScale::with_exponents(1e6, 1, 1.0, 1)?;
    /// assert!((strategy.limit() - 5.76).abs() < 0.01, "L = x^{{2/3}}");
    /// assert_eq!(strategy.scales()[0].iterations(), 1);
    /// # Ok::<(), bb_thinning::bb_core::ParameterError>(())
    /// ```
    pub fn with_exponents(n: f64, k: u32, alpha1: f64, scales: u32) -> Result<Self, ParameterError> {
        let log = log_n(n)?;
        ParameterError::require(log > 1.0, "log n", log, "(1, ∞)")?;
        ParameterError::require(k != 0, "k", k, "1..")?;
        ParameterError::require(alpha1 > 0.5 && alpha1 <= 1.0, "alpha1", alpha1, "(1/2, 1]")?;
        let stages = f64::from(k);
        let power = |exponent: f64| libm::pow(log, exponent);
        let limit = power((1.0 + alpha1) / 3.0);
        let mut alpha = alpha1;
        let mut above = Vec::new();
        for _ in 0..scales {
            let of_multi_stage = 0.5 + (alpha - 0.5) * (4.0 * stages - 2.0) / (4.0 * stages - 1.0);
            let time = power(of_multi_stage);
            let multi_stage = MultiStage::by_exponent(log, time, k, alpha)?;
            let iterations = limit / (3.0 * stages * multi_stage.limit());
            let duration = iterations * (power(alpha) + time);
            above.push(Scale::new(iterations.ceil() as u64, multi_stage)?.with_duration(duration)?);
            alpha = libm::log(duration) / libm::log(log);
        }
        Self::new(limit, power(alpha1), above)
    }

    /// Returns a strategy for real sizes, with one scale above the first: three times, the
    /// [practical](ThinningRelativeThreshold::practical) relative threshold for `⌈ln n⌉·n` balls, and
    /// multi-stage for half of that time with `k` stages of equal length and `ℓ = 2`.
    ///
    /// # Errors
    ///
    /// If `bins` is below 2 or `k` is 0.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_thinning::MultiScale;
    ///
    /// let strategy = MultiScale::practical(100_000, 2)?;
    /// assert_eq!(strategy.duration(), 3.0 * (12.0 + 6.0));
    /// assert_eq!(strategy.scales()[0].multi_stage().ends(), [3.0, 6.0]);
    /// # Ok::<(), bb_thinning::bb_core::ParameterError>(())
    /// ```
    pub fn practical(bins: u64, k: u32) -> Result<Self, ParameterError> {
        let time = log_n(bins as f64)?.ceil();
        ParameterError::require(k != 0, "k", k, "1..")?;
        let base = ThinningRelativeThreshold::paper(bins as f64, time)?.limit();
        let ends: Vec<f64> = (1..=k).map(|stage| 0.5 * time * f64::from(stage) / f64::from(k)).collect();
        let scale = Scale::new(3, MultiStage::new(&ends, 0.0, 2.0)?)?;
        Self::new((0.9 * base).round().max(1.0), time, vec![scale])
    }

    /// Returns `L`, the limit of the relative threshold.
    #[must_use]
    pub fn limit(&self) -> f64 {
        self.base.limit()
    }

    /// Returns `Q`.
    #[must_use]
    pub fn q(&self) -> f64 {
        self.q
    }

    /// Returns the scales above the first.
    #[must_use]
    pub fn scales(&self) -> &[Scale] {
        &self.scales
    }

    /// Returns how long all of it lasts, in units of `n` balls, before rounding.
    #[must_use]
    pub fn duration(&self) -> f64 {
        self.scales.iter().fold(self.base_duration, |lower, scale| {
            (scale.iterations as f64 * (lower + scale.multi_stage.duration())).min(scale.duration)
        })
    }

    /// Returns what the strategy is doing.
    #[must_use]
    pub fn part(&self) -> ScalePart {
        match self.part {
            Part::Base => ScalePart::RelativeThreshold,
            Part::Regulate(place) => {
                ScalePart::MultiStage { scale: place + 1, l0: self.scales[place].multi_stage.l0() }
            }
            Part::Over => ScalePart::Over,
        }
    }

    /// Begins the first scale on these loads, within scales of which those below `below` begin too.
    fn begin_base<B: Counters<Load = u64>>(&mut self, bins: &B, below: usize) {
        for (place, scale) in self.scales[..below].iter().enumerate() {
            self.done[place] = 0;
            self.allowed[place] = self.balls.saturating_add(balls_until(scale.duration, bins.bins().into()));
        }
        self.part = Part::Base;
        self.base.begin(bins);
        self.end_after(bins, self.base_duration);
    }

    /// Begins the multi-stage strategy of a scale; if there is no such scale, all is over.
    fn begin_multi_stage<B: Counters<Load = u64>>(&mut self, bins: &B, place: usize) {
        if place == self.scales.len() {
            self.part = Part::Over;
            self.last = u64::MAX;
            return;
        }
        let raised: f64 =
            (place..self.scales.len()).map(|above| self.done[above] as f64 * self.scales[above].increment).sum();
        let multi_stage = &mut self.scales[place].multi_stage;
        multi_stage.set_l0((self.q + raised + multi_stage.limit()).clamp(-FARTHEST, FARTHEST));
        multi_stage.begin(bins);
        let duration = multi_stage.duration();
        self.part = Part::Regulate(place);
        self.end_after(bins, duration);
    }

    /// Sets the last ball of a part that begins: it ends with its own time, or with that of a scale around
    /// it.
    fn end_after<B: Counters<Load = u64>>(&mut self, bins: &B, duration: f64) {
        let around = match self.part {
            Part::Regulate(place) => place,
            _ => 0,
        };
        let own = self.balls.saturating_add(balls_until(duration, bins.bins().into()));
        self.last = self.allowed[around..].iter().copied().fold(own, u64::min);
    }

    /// Goes on to the part that has the next ball.
    #[cold]
    fn advance<B: Counters<Load = u64>>(&mut self, bins: &B) {
        while self.balls >= self.last {
            let around = match self.part {
                Part::Base => 0,
                Part::Regulate(place) => place,
                Part::Over => return,
            };
            // The largest scale whose time is used up ends, and all within it.
            if let Some(place) = (around..self.scales.len()).rev().find(|&place| self.allowed[place] <= self.balls) {
                self.begin_multi_stage(bins, place + 1);
                continue;
            }
            match self.part {
                Part::Regulate(place) => {
                    self.done[place] += 1;
                    if self.done[place] < self.scales[place].iterations {
                        self.begin_base(bins, place);
                    } else {
                        self.begin_multi_stage(bins, place + 1);
                    }
                }
                _ => self.begin_multi_stage(bins, 0),
            }
        }
    }
}

impl Strategy for MultiScale {
    fn counters(&self) -> u8 {
        2
    }
}

impl<B: Counters<Load = u64>> ThinningStrategy<B> for MultiScale {
    fn check(&self, bins: &B) -> Result<(), StartError> {
        check_counters(bins, 2)?;
        check_duration(self.base_duration, bins.bins())?;
        self.scales.iter().try_for_each(|scale| scale.multi_stage.check(bins))
    }
    fn begin(&mut self, bins: &B) {
        self.balls = 0;
        self.begin_base(bins, self.scales.len());
    }
    #[inline]
    fn next_ball<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) {
        if self.balls >= self.last {
            self.advance(bins);
        }
        if let Part::Regulate(place) = self.part {
            self.scales[place].multi_stage.next_ball(bins, rng);
        }
    }
    #[inline]
    fn accept(&self, bins: &B, bin: B::Bin, sample: u32) -> Mix<bool> {
        match self.part {
            Part::Base => self.base.accept(bins, bin, sample),
            Part::Regulate(place) => self.scales[place].multi_stage.accept(bins, bin, sample),
            Part::Over => Mix::Sure(true),
        }
    }
    #[inline]
    fn put(&self, bins: &B, bin: B::Bin, sample: u32) -> Put {
        match self.part {
            Part::Base => self.base.put(bins, bin, sample),
            Part::Regulate(place) => self.scales[place].multi_stage.put(bins, bin, sample),
            Part::Over => Put::BALL,
        }
    }
    #[inline]
    fn placed(&mut self, bins: &B, was: B::Bin, now: B::Bin, sample: u32) {
        self.balls += 1;
        match self.part {
            Part::Base => self.base.placed(bins, was, now, sample),
            Part::Regulate(place) => self.scales[place].multi_stage.placed(bins, was, now, sample),
            Part::Over => {}
        }
    }
}
