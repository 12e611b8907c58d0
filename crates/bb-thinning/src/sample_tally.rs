use core::ops::RangeInclusive;

use bb_core::History;

/// What a history says of each bin: how often it was sampled as primary, how many of its primaries were
/// accepted, and how many balls it got as a later sample.
///
/// For a set of balls `M`: `L_{1,i}(M)`, `L_{2,i}(M)` and the samples of bin `i` of Feldheim, Gurel-Gurevich
/// and Li (arXiv 2110.05009, Section 2.1). What bin `i` got is `L_{1,i} + L_{2,i}`.
///
/// # Examples
///
/// ```
/// use bb_thinning::bb_core::{Allocator, Bins, History, LoadVector, WithCounters, Counters, rng_for_trial};
/// use bb_thinning::{SampleTally, Thinning, Threshold};
///
/// let mut loads = WithCounters::new(LoadVector::new(10)?, 1)?;
/// let mut history = History::new();
/// let mut rule = Thinning::new(Threshold::new(3)?);
/// history.record(&mut rule, &mut loads, 50, &mut rng_for_trial(1, 0));
/// let all = SampleTally::of(&history, 10, 1..=50);
/// for bin in 0..10 {
///     assert_eq!(all.accepted()[bin], loads.counter(bin, 0));
///     assert_eq!(all.accepted()[bin] + all.secondaries()[bin], loads.load(bin));
///     assert_eq!(all.accepted()[bin], all.sampled()[bin].min(3));
/// }
/// assert_eq!(all.rejections(), rule.rejections());
/// assert_eq!(all.sampled_at_least(1), 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleTally {
    sampled: Vec<u64>,
    accepted: Vec<u64>,
    secondaries: Vec<u64>,
    rejections: u64,
}

impl SampleTally {
    /// Counts the steps of a history of `bins` labelled bins, those numbered by `balls` from 1. Numbers that
    /// were not reached, and bins that are not there, are passed over. `O(n)`, and `O(1)` a step.
    #[must_use]
    pub fn of(history: &History<usize>, bins: usize, balls: RangeInclusive<u64>) -> Self {
        let mut counts =
            Self { sampled: vec![0; bins], accepted: vec![0; bins], secondaries: vec![0; bins], rejections: 0 };
        let count = |of: &mut Vec<u64>, bin: usize| {
            if let Some(count) = of.get_mut(bin) {
                *count += 1;
            }
        };
        for (ball, step) in (1..).zip(history.iter()) {
            if balls.contains(&ball) {
                let decision = step.decision;
                count(&mut counts.sampled, decision.primary);
                count(if decision.is_primary() { &mut counts.accepted } else { &mut counts.secondaries }, decision.bin);
                counts.rejections += u64::from(decision.sample.saturating_sub(1));
            }
        }
        counts
    }

    /// Returns how often each bin was sampled as primary, accepted or not.
    #[must_use]
    pub fn sampled(&self) -> &[u64] {
        &self.sampled
    }

    /// Returns the accepted primaries of each bin, `L_{1,i}`.
    #[must_use]
    pub fn accepted(&self) -> &[u64] {
        &self.accepted
    }

    /// Returns the balls that each bin got as a later sample, `L_{2,i}`.
    #[must_use]
    pub fn secondaries(&self) -> &[u64] {
        &self.secondaries
    }

    /// Returns the number of samples rejected.
    #[must_use]
    pub fn rejections(&self) -> u64 {
        self.rejections
    }

    /// Returns how many bins were sampled at least `least` times. `O(n)`.
    #[must_use]
    pub fn sampled_at_least(&self, least: u64) -> u64 {
        self.sampled.iter().filter(|&&count| count >= least).count() as u64
    }
}
