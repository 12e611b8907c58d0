use bb_core::counters::Afresh;
use bb_core::{Counters, Mix, ParameterError, Put, StartError};

use crate::asymptotic::{log_log_n, log_n};
use crate::counting::{Counting, check_counters};
use crate::prediction::best_limit;
use crate::strategy::{Strategy, ThinningStrategy};

/// d-thinning with a counter for each round: sample `j < d` is accepted as long as its bin has accepted fewer
/// than `ℓ` as sample `j`; sample `d` is always accepted.
///
/// `d = 2` is [`Threshold`](crate::Threshold), draw for draw. Whether Feldheim and Li count in each round, or
/// otherwise to the same effect, we do not know; that rounds with counters of their own reach their constant
/// is derived.
///
/// *Randomness:* as [`Thinning`](crate::Thinning), no coin. *Cost:* `O(d)`, `d − 1` counters a bin.
///
/// # Guarantees
///
/// For `m = Θ(n)` the smallest maximum load of any d-thinning is `(d + o(1))·(d ln n/ln ln n)^{1/d}` with
/// high probability (Feldheim and Li, Electron. Commun. Probab. 25, 2020, arXiv 1908.10278).
///
/// # Examples
///
/// ```
/// use bb_thinning::bb_core::{Allocator, LoadVector, WithCounters, Metrics, rng_for_trial};
/// use bb_thinning::{DThinning, Strategy, Thinning};
///
/// let n = 10_000;
/// let mut rule = Thinning::new(DThinning::practical(n, n, 3)?);
/// assert_eq!((rule.strategy().limit(), rule.strategy().d()), (2, 3));
/// let mut loads = WithCounters::new(LoadVector::new(n)?, rule.strategy().counters())?;
/// rule.start_and_run(&mut loads, n, &mut rng_for_trial(1, 0))?;
/// assert!(loads.max_load() <= 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DThinning {
    d: u32,
    limit: u64,
    counting: Counting,
}

impl DThinning {
    /// Returns the strategy with `d` samples, 2 to 256, and limit `ℓ ≥ 1` in each round.
    ///
    /// # Errors
    ///
    /// If `d` is outside `2..=256`, since loads have at most 255 counters, or `limit` is 0.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_thinning::DThinning;
    ///
    /// assert_eq!(DThinning::new(3, 2)?.limit(), 2);
    /// assert_eq!(DThinning::new(1, 2).unwrap_err().to_string(), "d = 1 is outside 2..=256");
    /// # Ok::<(), bb_thinning::bb_core::ParameterError>(())
    /// ```
    pub fn new(d: u32, limit: u64) -> Result<Self, ParameterError> {
        ParameterError::require((2..=256).contains(&d), "d", d, "2..=256")?;
        ParameterError::require(limit != 0, "l", limit, "1..")?;
        Ok(Self { d, limit, counting: Counting::begin(Afresh::COUNT) })
    }

    /// Returns the strategy with the asymptotic limit for `m = Θ(n)`, `⌈(d ln n/ln ln n)^{1/d}⌉`.
    ///
    /// # Errors
    ///
    /// If `ln ln n` is not positive, that is `n ≤ e`, or `d` is outside `2..=256`.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_thinning::DThinning;
    ///
    /// assert_eq!(DThinning::paper(1e6, 3)?.limit(), 3); // 2.51, rounded up.
    /// # Ok::<(), bb_thinning::bb_core::ParameterError>(())
    /// ```
    pub fn paper(n: f64, d: u32) -> Result<Self, ParameterError> {
        let power = f64::from(d) * log_n(n)? / log_log_n(n)?;
        Self::new(d, libm::pow(power, 1.0 / f64::from(d.max(1))).ceil() as u64)
    }

    /// Returns the strategy with the limit whose [predicted maximum](crate::predicted_maximum) after `balls`
    /// balls in `bins` bins is the smallest.
    ///
    /// # Errors
    ///
    /// If `bins` or `balls` is 0, there are more than `10^4` balls a bin, or `d` is outside `2..=256`.
    pub fn practical(bins: u64, balls: u64, d: u32) -> Result<Self, ParameterError> {
        Self::new(d, 1)?;
        Self::new(d, best_limit(bins, balls as f64 / bins.max(1) as f64, d)?)
    }

    /// Returns `d`.
    #[must_use]
    pub fn d(&self) -> u32 {
        self.d
    }

    /// Returns `ℓ`.
    #[must_use]
    pub fn limit(&self) -> u64 {
        self.limit
    }
}

impl Strategy for DThinning {
    #[inline]
    fn samples(&self) -> u32 {
        self.d
    }
    fn counters(&self) -> u8 {
        (self.d - 1) as u8 // At most 255.
    }
}

impl<B: Counters> ThinningStrategy<B> for DThinning {
    fn check(&self, bins: &B) -> Result<(), StartError> {
        check_counters(bins, self.counters())
    }
    fn begin(&mut self, _: &B) {
        self.counting = Counting::begin(Afresh::COUNT);
    }
    #[inline]
    fn accept(&self, bins: &B, bin: B::Bin, sample: u32) -> Mix<bool> {
        Mix::Sure(self.counting.counter(bins, bin, (sample - 1) as u8) < self.limit)
    }
    #[inline]
    fn put(&self, _: &B, _: B::Bin, sample: u32) -> Put {
        self.counting.put((sample < self.d).then(|| (sample - 1) as u8))
    }
    #[inline]
    fn placed(&mut self, _: &B, _: B::Bin, _: B::Bin, _: u32) {
        self.counting.placed();
    }
}
