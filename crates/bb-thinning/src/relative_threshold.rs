use bb_core::counters::Afresh;
use bb_core::{Bins, BinsExt, Counters, Load, Mix, ParameterError, Put, StartError};

use crate::asymptotic::log_n;
use crate::counting::{Counting, check_counters, check_positive};
use crate::strategy::{Strategy, ThinningStrategy};
use crate::times::ceil_times;

/// The ℓ-relative threshold strategy: a primary is accepted as long as its bin has accepted fewer than `ℓ`
/// above the number of balls per bin, or if its load is very low.
///
/// `f_k = 1` iff `L_{1,Z¹_k}([k−1]) < ℓ + (k−1)/n` or `L_{Z¹_k}(k−1) < −ln n`. Balls `k` and accepted
/// primaries are counted from where the strategy began; the load in the second clause is the true one, above
/// the mean of all. That clause does nothing unless some load was below `−ln n − ℓ` at the beginning: for a
/// bin with a higher load the first clause accepts already.
///
/// The first comparison is exact, in integers: `n·p < n·ℓ + k − 1`. In the second the load and `ln n` are
/// rounded once.
///
/// *Randomness:* as [`Thinning`](crate::Thinning), no coin. *Cost:* `O(1)`, one counter a bin.
///
/// # Guarantees
///
/// For `n√ln n ≪ m ≪ n ln² n` the maximum over all times is `O((t ln n)^{1/3})` at `t = m/n` with high
/// probability, if `ℓ` is of that order (Feldheim, Gurel-Gurevich and Li, arXiv 2110.05009; strategy and use
/// are quoted, the order is derived).
///
/// # Examples
///
/// ```
/// use bb_thinning::bb_core::{Allocator, LoadVector, WithCounters, Metrics, rng_for_trial};
/// use bb_thinning::{ThinningRelativeThreshold, Thinning};
///
/// let mut rule = Thinning::new(ThinningRelativeThreshold::new(4.0)?);
/// let mut loads = WithCounters::new(LoadVector::new(10_000)?, 1)?;
/// rule.start_and_run(&mut loads, 100_000, &mut rng_for_trial(1, 0))?;
/// assert!((6.0..9.0).contains(&loads.gap()), "the mean is 7.1: {}", loads.gap());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ThinningRelativeThreshold {
    limit: f64,
    /// `⌈n·ℓ⌉`.
    scaled_limit: i128,
    /// `−ln n`.
    very_low: f64,
    /// Balls placed since the beginning.
    balls: u64,
    counting: Counting,
}

impl ThinningRelativeThreshold {
    /// Returns the strategy with a limit `ℓ > 0`, which need not be an integer.
    ///
    /// # Errors
    ///
    /// If `limit` is outside `(0, 2^53]`.
    pub fn new(limit: f64) -> Result<Self, ParameterError> {
        let limit = check_positive("l", limit)?;
        let counting = Counting::begin(Afresh::COUNT);
        Ok(Self { limit, scaled_limit: 0, very_low: 0.0, balls: 0, counting })
    }

    /// Returns the strategy with the asymptotic limit for a run of `time·n` balls, `(t ln n)^{1/3}`, of which
    /// only the order is known.
    ///
    /// # Errors
    ///
    /// If `ln n` is not positive, or `time` is outside `(0, 2^53]`.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_thinning::ThinningRelativeThreshold;
    ///
    /// assert!((ThinningRelativeThreshold::paper(1e4, 10.0)?.limit() - 4.516).abs() < 1e-3);
    /// # Ok::<(), bb_thinning::bb_core::ParameterError>(())
    /// ```
    pub fn paper(n: f64, time: f64) -> Result<Self, ParameterError> {
        Self::new(libm::cbrt(check_positive("t", time)? * log_n(n)?))
    }

    /// Returns the strategy with a limit that does well at real sizes: the integer next to
    /// `0.9·(t ln n)^{1/3}`, at least 1.
    ///
    /// The factor is from a search over integer limits at `n` from `10^3` to `10^5` and `t` from 10 to 50:
    /// the maximum over all times is within a tenth of that of the best limit, which was between 2 and 7. It
    /// hardly depends on the limit there.
    ///
    /// # Errors
    ///
    /// If `bins` is below 2 or `balls` is 0.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_thinning::ThinningRelativeThreshold;
    ///
    /// assert_eq!(ThinningRelativeThreshold::practical(10_000, 100_000)?.limit(), 4.0);
    /// # Ok::<(), bb_thinning::bb_core::ParameterError>(())
    /// ```
    pub fn practical(bins: u64, balls: u64) -> Result<Self, ParameterError> {
        let asymptotic = Self::paper(bins as f64, balls as f64 / bins.max(1) as f64)?.limit;
        Self::new((0.9 * asymptotic).round().max(1.0))
    }

    /// Returns `ℓ`.
    #[must_use]
    pub fn limit(&self) -> f64 {
        self.limit
    }
}

impl Strategy for ThinningRelativeThreshold {
    fn counters(&self) -> u8 {
        1
    }
}

/// `−ln n`: a load below it is very low, and its bin is always accepted.
pub(crate) fn very_low<B: Bins>(bins: &B) -> f64 {
    -libm::log(bins.bins() as f64)
}

/// Whether a load is below `−ln n`.
#[inline]
pub(crate) fn is_very_low<B: Bins>(bins: &B, bin: B::Bin, very_low: f64) -> bool {
    // No bin above the mean is: most are told without a division.
    bins.below_mean(bin) && bins.load(bin).above_mean(bins.total(), bins.bins()) < very_low
}

impl<B: Counters> ThinningStrategy<B> for ThinningRelativeThreshold {
    fn check(&self, bins: &B) -> Result<(), StartError> {
        check_counters(bins, 1)
    }
    fn begin(&mut self, bins: &B) {
        self.scaled_limit = ceil_times(self.limit, bins.bins());
        self.very_low = very_low(bins);
        self.balls = 0;
        self.counting = Counting::begin(Afresh::COUNT);
    }
    #[inline]
    fn accept(&self, bins: &B, bin: B::Bin, _: u32) -> Mix<bool> {
        // An integer is below n·ℓ + k − 1 iff it is below the rounded-up value.
        let accepted = i128::from(self.counting.counter(bins, bin, 0)) * i128::from(bins.bins());
        let below = accepted < self.scaled_limit + i128::from(self.balls);
        Mix::Sure(below || is_very_low(bins, bin, self.very_low))
    }
    #[inline]
    fn put(&self, _: &B, _: B::Bin, sample: u32) -> Put {
        self.counting.put((sample == 1).then_some(0))
    }
    #[inline]
    fn placed(&mut self, _: &B, _: B::Bin, _: B::Bin, _: u32) {
        self.balls += 1;
        self.counting.placed();
    }
}
