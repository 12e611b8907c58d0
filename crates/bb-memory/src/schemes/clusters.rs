use bb_core::{ParameterError, Rng};

use super::counters::least;
use super::counters::take_one;
use crate::model::checked_bins;
use crate::{
    Budget, Choice, Computed, Decider, Machine, MemoryError, Parameters, SampleKind, Samples, State, StateEditor,
    StateError, StateWriter, TieRule,
};

/// Cluster counts: `K` counters, each for a run of neighbouring bins, and the sample in the cluster with fewer balls takes the ball.
///
/// *State:* `K` counters up to a cap, `K ceil(lg(cap + 1))` bits. Bin `b` is in cluster `floor(b K/n)`, so sizes differ by at most one. *Decision:* the smaller counter, or the smaller ratio of counter and size ([`Compare`]); equal, also where both are full or in the same cluster, is a tie. *Update:* the counter of the
/// bin's cluster goes up, unless it is full. *ModelClass:* computational. *Cost:* `O(1)` a ball. A ball that leaves takes one off a counter that is not full.
///
/// `K = n` with a large cap is Greedy\[2\], and `K = 1` is no memory.
///
/// # Guarantees
///
/// With `n/log log n` clusters the counts stay within `2 log log n` for `m = n` with high probability, and so do the loads, with `o(n)` bits (Benjamini and Makarychev, Ann. Appl. Probab. 22(4), 2012, Section 1). It is the only upper bound there that does without advice.
///
/// Inside a cluster the balls are split blindly, so clusters much larger than `log log n` are worth nothing, and for many balls a bin the gap grows like `√((m/n) log n)`. Measured at `n = m = 2^16` for clusters of 2, 4, 8, 16 and 32 bins: mean maximum 4.0, 5.35, 6.3, 7.05 and 7.05, with One-Choice
/// at 7.45.
///
/// With [`asymmetric`](Self::asymmetric) samples the first bin is from the first half and the second from the second, ties to the first: the counts then follow Vöcking's scheme (J. ACM 50(4), 2003), with `ln ln K/(2 ln φ) + O(1)` in place of `lg ln K`, φ the golden ratio. For clusters this is
/// by analogy.
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
///     Bounded::new(ClusterCount::new(n, clusters, 31)?).start_and_run(&mut loads, n, &mut rng_for_trial(1, 0))?;
///     Ok(loads.max_load())
/// };
/// assert!(max(n / 2)? < max(n / 16)?);
/// assert_eq!(ClusterCount::new(10, 11, 3).unwrap_err().to_string(), "K = 11 is outside 1..=10, the number of bins");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClusterCount {}

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
/// assert!((share(Compare::Count)? - 0.5).abs() < 0.01 && (share(Compare::Density)? - 1.0 / 3.0).abs() < 0.01);
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

/// The parameters of [`ClusterCount`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClusterParameters {
    bins: u64,
    clusters: u64,
    cap: u64,
    compare: Compare,
    halves: bool,
    ties: TieRule,
}

impl ClusterCount {
    /// Returns the scheme with `clusters` counters up to `cap`, ties to the first sample; the type's example shows it.
    ///
    /// # Errors
    ///
    /// If `clusters` is outside `1..=n`, `cap` outside `1..2^32`, `bins` outside `1..=2^40`, or there are more than `2^36` bits.
    pub fn new(bins: u64, clusters: u64, cap: u64) -> Result<Computed<Self>, MemoryError> {
        Computed::new(ClusterParameters::new(bins, clusters, cap)?)
    }

    /// Returns the scheme like [`new`](Self::new) with what is compared; the example of [`Compare`] shows it.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new).
    pub fn with_compare(bins: u64, clusters: u64, cap: u64, compare: Compare) -> Result<Computed<Self>, MemoryError> {
        Computed::new(ClusterParameters { compare, ..ClusterParameters::new(bins, clusters, cap)? })
    }

    /// Returns the scheme like [`new`](Self::new) with a rule for ties.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new).
    pub fn with_ties(bins: u64, clusters: u64, cap: u64, ties: TieRule) -> Result<Computed<Self>, MemoryError> {
        Computed::new(ClusterParameters { ties, ..ClusterParameters::new(bins, clusters, cap)? })
    }

    /// Returns the scheme with one sample from each half of the bins, the larger half first, each half with its own clusters.
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
        let parameters = ClusterParameters::new(bins, clusters, cap)?;
        if clusters < 2 {
            return Err(ParameterError::new("K", clusters, format!("2..={bins}, the number of bins")).into());
        }
        Computed::new(ClusterParameters { halves: true, ..parameters })
    }
}

/// The part `floor(b k/n)` of bin `b`.
#[inline]
fn part(bin: u64, parts: u64, bins: u64) -> u64 {
    (u128::from(bin) * u128::from(parts) / u128::from(bins)) as u64
}

/// The number of bins in a part.
fn size(which: u64, parts: u64, bins: u64) -> u64 {
    let begin = |which: u64| (u128::from(which) * u128::from(bins)).div_ceil(u128::from(parts)) as u64;
    begin(which + 1) - begin(which)
}

impl ClusterParameters {
    fn new(bins: u64, clusters: u64, cap: u64) -> Result<Self, MemoryError> {
        let bins = checked_bins(bins)?;
        if clusters == 0 || clusters > bins {
            return Err(ParameterError::new("K", clusters, format!("1..={bins}, the number of bins")).into());
        }
        if cap == 0 || cap >> 32 != 0 {
            return Err(ParameterError::new("cap", cap, "1..2^32").into());
        }
        let made = Self { bins, clusters, cap, compare: Compare::Count, halves: false, ties: TieRule::First };
        Budget::bits(made.bits())?;
        Ok(made)
    }

    #[inline]
    fn width(&self) -> u32 {
        64 - self.cap.leading_zeros()
    }

    fn bits(&self) -> u64 {
        self.clusters.saturating_mul(u64::from(self.width()))
    }

    /// The cluster of a bin, and the number of bins and clusters of its half.
    #[inline]
    fn cluster(&self, bin: usize) -> (u64, u64, u64, u64) {
        let bin = bin as u64;
        if !self.halves {
            return (part(bin, self.clusters, self.bins), 0, self.clusters, self.bins);
        }
        let (bins, clusters) = (self.bins.div_ceil(2), self.clusters.div_ceil(2));
        if bin < bins {
            (part(bin, clusters, bins), 0, clusters, bins)
        } else {
            let (rest, parts) = (self.bins - bins, self.clusters - clusters);
            (part(bin - bins, parts, rest), clusters, parts, rest)
        }
    }

    #[inline]
    fn place(&self, bin: usize) -> (u64, u32) {
        let (which, before, ..) = self.cluster(bin);
        ((before + which) * u64::from(self.width()), self.width())
    }

    #[inline]
    fn count(&self, state: &State, bin: usize) -> u64 {
        let (at, width) = self.place(bin);
        state.get(at, width).unwrap_or(0)
    }

    fn size(&self, bin: usize) -> u64 {
        let (which, _, parts, bins) = self.cluster(bin);
        size(which, parts, bins)
    }
}

impl Parameters for ClusterParameters {
    fn to_words(&self) -> Vec<u64> {
        let density = u64::from(self.compare == Compare::Density);
        vec![self.bins, self.clusters, self.cap, density, u64::from(self.halves), self.ties.to_word()]
    }
    fn from_words(words: &[u64]) -> Option<Self> {
        let &[bins, clusters, cap, density, halves, ties] = words else { return None };
        let compare = if density == 1 { Compare::Density } else { Compare::Count };
        let made = Self::new(bins, clusters, cap).ok()?;
        Some(Self { compare, halves: halves == 1, ties: TieRule::from_word(ties)?, ..made })
    }
}

impl Decider for ClusterCount {
    type Parameters = ClusterParameters;
    type View = State;

    fn view(parameters: &ClusterParameters, state: &State) -> Result<State, StateError> {
        let mut reader = state.reader();
        for _ in 0..parameters.clusters {
            if reader.read(parameters.width())? > parameters.cap {
                return Err(StateError::NonCanonical { reason: "a counter is out of range" });
            }
        }
        reader.finish()?;
        Ok(state.clone())
    }

    #[inline]
    fn decide(parameters: &ClusterParameters, state: &State, sample: Samples<'_>) -> Choice {
        let counts = [sample.first(), sample.second()].map(|bin| parameters.count(state, bin));
        match parameters.compare {
            Compare::Density if counts != [parameters.cap; 2] => {
                // first/size < second/size, multiplied out: counters and sizes are below 2^32 and 2^40.
                let [a, b] = [sample.first(), sample.second()].map(|bin| u128::from(parameters.size(bin)));
                let (first, second) = (u128::from(counts[0]) * b, u128::from(counts[1]) * a);
                if first == second {
                    Choice::tie(parameters.ties, sample)
                } else {
                    Choice::sure(u32::from(second < first))
                }
            }
            _ => least(sample, parameters.ties, |bin| parameters.count(state, bin)),
        }
    }
}

impl Machine for ClusterCount {
    fn budget(parameters: &ClusterParameters) -> Budget {
        Budget::bits(parameters.bits()).unwrap_or(Budget::NONE)
    }
    fn sampling(parameters: &ClusterParameters) -> SampleKind {
        if parameters.halves { SampleKind::Halves } else { SampleKind::Independent }
    }
    fn bins(parameters: &ClusterParameters) -> Option<u64> {
        Some(parameters.bins)
    }
    fn initial(_: &ClusterParameters, _: &mut StateWriter) -> Result<(), StateError> {
        Ok(())
    }
    #[inline]
    fn next<R: Rng>(
        parameters: &ClusterParameters,
        state: &mut StateEditor<'_>,
        sample: Samples<'_>,
        place: u32,
        _: &mut R,
    ) -> Result<(), StateError> {
        let (at, width) = parameters.place(sample.bins()[place as usize]);
        let counter = state.state().get(at, width)?;
        state.set(at, width, (counter + 1).min(parameters.cap))
    }
    fn follows_removals(_: &ClusterParameters) -> bool {
        true
    }
    fn removed(parameters: &ClusterParameters, state: &mut StateEditor<'_>, bin: usize) -> Result<(), StateError> {
        take_one(state, parameters.place(bin), parameters.cap)
    }
}
