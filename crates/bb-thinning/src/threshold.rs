use bb_core::counters::Afresh;
use bb_core::{Counters, Mix, ParameterError, Put, StartError};

use crate::asymptotic::{log_log_n, log_n};
use crate::counting::{Counting, check_counters};
use crate::prediction::best_limit;
use crate::strategy::{Strategy, ThinningStrategy};

/// The ℓ-threshold strategy: a primary is accepted as long as its bin has accepted fewer than `ℓ` primaries.
///
/// What counts is accepted primaries, not the load: `f_k = 1` iff `L_{1,Z¹_k}([k−1]) < ℓ`. The balls that are
/// rejected are uniform and independent, so a bin that was sampled `N_i` times keeps `min(N_i, ℓ)`, and the
/// other `Σ (N_i − ℓ)⁺` balls are thrown once more.
///
/// *Randomness:* as [`Thinning`](crate::Thinning), no coin. *Cost:* `O(1)`, one counter a bin.
///
/// # Guarantees
///
/// For `m = Θ(n)` the smallest maximum load of any two-thinning is `(2 + o(1))·√(2 ln n/ln ln n)` with high
/// probability, reached at `ℓ = √(2 ln n/ln ln n)` (Feldheim and Gurel-Gurevich, Electron. Commun. Probab.
/// 26, 2021, arXiv 1807.01132; the threshold is derived from their argument). The finite-`n` limits of
/// [`practical`](Self::practical) are this library's.
///
/// # Examples
///
/// ```
/// use bb_thinning::bb_core::{Allocator, LoadProfile, ProfileWithCounters, Metrics, rng_for_trial};
/// use bb_thinning::{Thinning, Threshold};
///
/// let n = 10_000;
/// let mut rule = Thinning::new(Threshold::practical(n, n)?);
/// assert_eq!(rule.strategy().limit(), 3);
/// let mut loads = ProfileWithCounters::new(LoadProfile::new(n)?, 1);
/// rule.start_and_run(&mut loads, n, &mut rng_for_trial(1, 0))?;
/// assert!(loads.max_load() <= 5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threshold {
    limit: u64,
    counting: Counting,
}

impl Threshold {
    /// Returns the strategy with limit `ℓ ≥ 1`. A real
    /// `ℓ` is the same as `⌈ℓ⌉`.
    ///
    /// # Errors
    ///
    /// If `limit` is 0, which is [`NeverAccept`](crate::NeverAccept).
    pub fn new(limit: u64) -> Result<Self, ParameterError> {
        ParameterError::require(limit != 0, "l", limit, "1..")?;
        Ok(Self { limit, counting: Counting::begin(Afresh::COUNT) })
    }

    /// Returns the strategy with the asymptotic limit for `m = Θ(n)`, `⌈√(2 ln n/ln ln n)⌉`.
    ///
    /// # Errors
    ///
    /// If `ln ln n` is not positive: `n ≤ e`.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_thinning::Threshold;
    ///
    /// assert_eq!(Threshold::paper(1e6)?.limit(), 4); // 3.24, rounded up.
    /// assert!(Threshold::paper(2.0).unwrap_err().to_string().starts_with("loglog n = -0.366"));
    /// # Ok::<(), bb_thinning::bb_core::ParameterError>(())
    /// ```
    pub fn paper(n: f64) -> Result<Self, ParameterError> {
        Self::new((2.0 * log_n(n)? / log_log_n(n)?).sqrt().ceil() as u64)
    }

    /// Returns the strategy with the limit whose [predicted maximum](crate::predicted_maximum) after `balls`
    /// balls in `bins` bins is the smallest.
    ///
    /// # Errors
    ///
    /// If `bins` or `balls` is 0, or there are more than `10^4` balls a bin.
    pub fn practical(bins: u64, balls: u64) -> Result<Self, ParameterError> {
        Self::new(best_limit(bins, balls as f64 / bins.max(1) as f64, 2)?)
    }

    /// Returns `ℓ`.
    #[must_use]
    pub fn limit(&self) -> u64 {
        self.limit
    }
}

impl Strategy for Threshold {
    fn counters(&self) -> u8 {
        1
    }
}

impl<B: Counters> ThinningStrategy<B> for Threshold {
    fn check(&self, bins: &B) -> Result<(), StartError> {
        check_counters(bins, 1)
    }
    fn begin(&mut self, _: &B) {
        self.counting = Counting::begin(Afresh::COUNT);
    }
    #[inline]
    fn accept(&self, bins: &B, bin: B::Bin, _: u32) -> Mix<bool> {
        Mix::Sure(self.counting.counter(bins, bin, 0) < self.limit)
    }
    #[inline]
    fn put(&self, _: &B, _: B::Bin, sample: u32) -> Put {
        self.counting.put((sample == 1).then_some(0))
    }
    #[inline]
    fn placed(&mut self, _: &B, _: B::Bin, _: B::Bin, _: u32) {
        self.counting.placed();
    }
}
