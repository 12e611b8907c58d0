use bb_core::ParameterError;

use crate::error::{MemoryError, StateError};
use crate::model::{
    Ball, BallStream, Budget, Choice, Computed, Decider, Machine, SampleKind, Samples, State, StateEditor, TieRule,
    checked_bins, checked_share,
};
use crate::numbers::width;
use crate::schemes::counters::{add_one, counters, least, take_one};

/// Cluster counts: `K` counters, each for a run of neighbouring bins, and the sample in the cluster with
/// fewer balls takes the ball.
///
/// *State:* `K` counters up to a cap, `K ceil(lg(cap + 1))` bits. Bin `b` is in cluster `floor(b K/n)`, so
/// sizes differ by at most one. *Decision:* the smaller counter, or the smaller ratio of counter and size
/// ([`Compare`]); equal, also where both are full or in the same cluster, is a tie. *Update:* the counter of
/// the bin's cluster goes up, unless it is full. *Class:* computational. *Cost:* `O(1)` a ball. A ball
/// that leaves takes one off a counter that is not full.
///
/// `K = n` with a large cap is Greedy\[2\], and `K = 1` is no memory.
///
/// # Guarantees
///
/// With `n/log log n` clusters the counts stay within `2 log log n` for `m = n` with high probability, and so
/// do the loads, with `o(n)` bits (Benjamini and Makarychev, Ann. Appl. Probab. 22(4), 2012, Section 1). It
/// is the only upper bound there that does without advice.
///
/// Inside a cluster the balls are split blindly, so clusters much larger than `log log n` are worth nothing,
/// and for many balls a bin the gap grows like `√((m/n) log n)`. Measured at `n = m = 2^16` for clusters of
/// 2, 4, 8, 16 and 32 bins: mean maximum 4.0, 5.35, 6.3, 7.05 and 7.05, with One-Choice at 7.45.
///
/// With [`asymmetric`](Self::asymmetric) samples the first bin is from the first half and the second from the
/// second, ties to the first: the counts then follow Vöcking's scheme (J. ACM 50(4), 2003), with
/// `ln ln K/(2 ln φ) + O(1)` in place of `lg ln K`, φ the golden ratio. For clusters this is by analogy.
///
/// # Examples
///
/// ```
/// use bb_memory::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
/// use bb_memory::{Bounded, ClusterCount};
///
/// let n = 1 << 14;
/// let max = |clusters| -> Result<u64, Box<dyn std::error::Error>> {
///     let mut loads = LoadVector::new(n)?;
///     let mut rule = Bounded::new(ClusterCount::new(n, clusters, 31)?);
///     rule.start_and_run(&mut loads, n, &mut rng_for_trial(1, 0))?;
///     Ok(loads.max_load())
/// };
/// assert!(max(n / 2)? < max(n / 16)?);
/// let error = ClusterCount::new(10, 11, 3).unwrap_err();
/// assert_eq!(error.to_string(), "K = 11 is outside 1..=10, the number of bins");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClusterCount {
    bins: u64,
    clusters: u64,
    cap: u64,
    compare: Compare,
    halves: bool,
    ties: TieRule,
    budget: Budget,
}

/// What a cluster decision compares.
///
/// # Examples
///
/// ```
/// use bb_memory::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
/// use bb_memory::{Bounded, ClusterCount, Compare};
///
/// // Clusters of 2 and 1 bins: by count, the single bin gets as much as the two.
/// let scheme = |compare| ClusterCount::with_compare(3, 2, 10_000, compare);
/// let share = |compare| -> Result<f64, Box<dyn std::error::Error>> {
///     let mut loads = LoadVector::new(3)?;
///     Bounded::new(scheme(compare)?).start_and_run(&mut loads, 3000, &mut rng_for_trial(1, 0))?;
///     Ok(loads.iter().last().unwrap() as f64 / 3000.0)
/// };
/// assert!((share(Compare::Count)? - 0.5).abs() < 0.01);
/// assert!((share(Compare::Density)? - 1.0 / 3.0).abs() < 0.01);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Compare {
    /// Counters; that sizes differ by one is passed over.
    #[default]
    Count,
    /// Counter over size, by cross-multiplication.
    Density,
}

/// What a bin belongs to.
struct Cluster {
    /// Its number among all clusters.
    number: u64,
    /// How many bins it has.
    size: u64,
}

impl ClusterCount {
    /// Returns the scheme with `clusters` counters up to `cap`, ties to the first sample.
    ///
    /// # Errors
    ///
    /// If `clusters` is outside `1..=n`, `cap` outside `1..2^32`, `bins` outside `1..=2^40`, or there are
    /// more than `2^36` bits.
    pub fn new(bins: u64, clusters: u64, cap: u64) -> Result<Computed<Self>, MemoryError> {
        Computed::new(Self::equal(bins, clusters, cap)?)
    }

    /// Returns the scheme like [`new`](Self::new) with what is compared.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new).
    pub fn with_compare(bins: u64, clusters: u64, cap: u64, compare: Compare) -> Result<Computed<Self>, MemoryError> {
        Computed::new(Self { compare, ..Self::equal(bins, clusters, cap)? })
    }

    /// Returns the scheme like [`new`](Self::new) with a rule for ties.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new).
    pub fn with_ties(bins: u64, clusters: u64, cap: u64, ties: TieRule) -> Result<Computed<Self>, MemoryError> {
        Computed::new(Self { ties, ..Self::equal(bins, clusters, cap)? })
    }

    /// Returns the scheme with one sample from each half of the bins, the larger half first, each half with
    /// its own clusters.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new), and if `clusters` is 1: each half has one at least.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_memory::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
    /// use bb_memory::{Bounded, ClusterCount};
    ///
    /// let mut loads = LoadVector::new(10_001)?;
    /// let mut rule = Bounded::new(ClusterCount::asymmetric(10_001, 10_001, 255)?);
    /// rule.start_and_run(&mut loads, 100_000, &mut rng_for_trial(1, 0))?;
    /// assert!(loads.gap() < 4.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn asymmetric(bins: u64, clusters: u64, cap: u64) -> Result<Computed<Self>, MemoryError> {
        let equal = Self::equal(bins, clusters, cap)?;
        ParameterError::require(clusters >= 2, "K", clusters, format_args!("2..={bins}, the number of bins"))?;
        Computed::new(Self { halves: true, ..equal })
    }

    fn equal(bins: u64, clusters: u64, cap: u64) -> Result<Self, MemoryError> {
        let bins = checked_bins(bins)?;
        checked_share("K", clusters, bins)?;
        ParameterError::require((1..1 << 32).contains(&cap), "cap", cap, "1..2^32")?;
        let budget = Budget::bits(clusters * u64::from(width(cap)))?;
        Ok(Self { bins, clusters, cap, compare: Compare::Count, halves: false, ties: TieRule::First, budget })
    }

    /// The cluster of a bin: bin `b` of `n` is in cluster `floor(b K/n)` of `K`, in all bins or in its half.
    #[inline]
    fn cluster(&self, bin: usize) -> Cluster {
        let (mut bin, mut bins, mut clusters, mut before) = (bin as u64, self.bins, self.clusters, 0);
        if self.halves {
            (bins, clusters) = (bins.div_ceil(2), clusters.div_ceil(2));
            if bin >= bins {
                (bin, before) = (bin - bins, clusters);
                (bins, clusters) = (self.bins - bins, self.clusters - clusters);
            }
        }
        let which = (u128::from(bin) * u128::from(clusters) / u128::from(bins)) as u64;
        let begin = |which: u64| (u128::from(which) * u128::from(bins)).div_ceil(u128::from(clusters)) as u64;
        Cluster { number: before + which, size: begin(which + 1) - begin(which) }
    }

    /// The counter of the cluster of a bin: its first bit, and its width.
    #[inline]
    fn place(&self, bin: usize) -> (u64, u32) {
        (self.cluster(bin).number * u64::from(width(self.cap)), width(self.cap))
    }

    #[inline]
    fn count(&self, state: &State, bin: usize) -> u64 {
        let (at, width) = self.place(bin);
        state.get(at, width).unwrap_or(0)
    }
}

impl Decider for ClusterCount {
    type View = State;

    fn to_words(&self) -> Vec<u64> {
        let density = u64::from(self.compare == Compare::Density);
        vec![self.bins, self.clusters, self.cap, density, u64::from(self.halves), self.ties.to_word()]
    }
    fn from_words(words: &[u64]) -> Option<Self> {
        let &[bins, clusters, cap, density, halves, ties] = words else { return None };
        let compare = if density == 1 { Compare::Density } else { Compare::Count };
        let equal = Self::equal(bins, clusters, cap).ok()?;
        Some(Self { compare, halves: halves == 1, ties: TieRule::from_word(ties)?, ..equal })
    }
    fn budget(&self) -> Budget {
        self.budget
    }
    fn sampling(&self) -> SampleKind {
        if self.halves { SampleKind::Halves } else { SampleKind::Independent }
    }
    fn view(&self, state: &State) -> Result<State, StateError> {
        counters(state, self.clusters, width(self.cap), self.cap)
    }

    #[inline]
    fn decide(&self, state: &State, samples: Samples<'_>) -> Choice {
        let bins = [samples.first(), samples.second()];
        let counts = bins.map(|bin| self.count(state, bin));
        if self.compare == Compare::Count || counts == [self.cap; 2] {
            return least(samples, self.ties, |bin| self.count(state, bin));
        }
        // first/size < second/size, multiplied out: counters and sizes are below 2^32 and 2^40.
        let [a, b] = bins.map(|bin| u128::from(self.cluster(bin).size));
        let (first, second) = (u128::from(counts[0]) * b, u128::from(counts[1]) * a);
        if first == second { Choice::tie(self.ties, samples) } else { Choice::sure(u32::from(second < first)) }
    }
}

impl Machine for ClusterCount {
    fn bins(&self) -> Option<u64> {
        Some(self.bins)
    }
    #[inline]
    fn next(&self, state: &mut StateEditor<'_>, ball: Ball<'_>, _: &mut BallStream) -> Result<(), StateError> {
        add_one(state, self.place(ball.bin), self.cap)
    }
    fn follows_removals(&self) -> bool {
        true
    }
    fn removed(&self, state: &mut StateEditor<'_>, bin: usize) -> Result<(), StateError> {
        take_one(state, self.place(bin), self.cap)
    }
}
