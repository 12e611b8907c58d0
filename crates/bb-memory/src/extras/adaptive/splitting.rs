use super::tree::{AdaptiveDecider, Interval, Leaves, grown};
use crate::error::{MemoryError, StateError};
use crate::model::{
    Ball, BallStream, Budget, Choice, Computed, Decider, Machine, Samples, State, StateEditor, StateWriter,
};

/// Splitting clusters: [`AdaptiveClusters`](crate::AdaptiveClusters) without an advisor. A cluster whose
/// counter is full is split, and two others are put together.
///
/// *State:* the tree and its counters, `2K − 1 + K w` bits, as there. It begins with leaves as even as they
/// can be. *Decision:* the smaller ratio of counter and size; equal ratios go to the first sample. *Update:*
/// the counter of the bin's leaf goes up, unless it is full. If it is full then, and the leaf has more than
/// one bin, the leaf is split, and each half inherits half of the counter, rounded down; and of the pairs of
/// leaves that are the two halves of one interval, without that leaf, the one with the smallest sum becomes
/// one leaf, of equal ones the first, with that sum or a full counter. Where there is no such pair, nothing
/// is split. *Class:* computational. *Cost:* `O(K)` a ball, for the tree is read bit by bit.
///
/// Counters are guesses once a leaf was split. No bound is known, and a run is never certified. The scheme is
/// this library's.
///
/// # Examples
///
/// ```
/// use bb_memory::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
/// use bb_memory::{Bounded, ModelClass, SplittingClusters};
///
/// let mut loads = LoadVector::new(1000)?;
/// let mut rule = Bounded::new(SplittingClusters::new(1000, 250, 4)?);
/// rule.start_and_run(&mut loads, 1000, &mut rng_for_trial(1, 0))?;
/// assert!(loads.max_load() <= 6);
/// let report = rule.report();
/// assert_eq!((report.budget().get(), report.class()), (499 + 1000, ModelClass::Computational));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SplittingClusters(AdaptiveDecider);

impl SplittingClusters {
    /// Returns the scheme with `K` leaves and counters of `w` bits.
    ///
    /// # Errors
    ///
    /// If `leaves` is outside `1..=n`, `width` outside `1..=32`, `bins` outside `1..=2^40`, or there are more
    /// than `2^36` bits.
    pub fn new(bins: u64, leaves: u64, width: u32) -> Result<Computed<Self>, MemoryError> {
        Computed::new(Self(AdaptiveDecider::new(bins, leaves, width)?))
    }

    /// The leaf of a bin: its number from the left, and its bins.
    fn find(&self, state: &State, bin: usize) -> Result<(u64, Interval), StateError> {
        let (bin, bins) = (bin as u64, self.0.bins);
        let (mut at, mut leaf, mut interval) = (0, 0, Interval::root(bins));
        while state.get(at, 1)? == 1 {
            let halves = interval.halves(bins);
            let [left, right] = halves.ok_or(StateError::NonCanonical { reason: "a single bin is split" })?;
            at += 1;
            if bin < right.begin {
                interval = left;
                continue;
            }
            // Past the subtree of the left half.
            let mut open = 1;
            while open > 0 {
                if state.get(at, 1)? == 1 {
                    open += 1;
                } else {
                    (open, leaf) = (open - 1, leaf + 1);
                }
                at += 1;
            }
            interval = right;
        }
        Ok((leaf, interval))
    }

    /// The counter of a leaf: its first bit, and its width.
    fn counter(&self, leaf: u64) -> (u64, u32) {
        (self.0.tree_bits() + leaf * u64::from(self.0.width), self.0.width)
    }

    /// Counter and size of the leaf of a bin.
    fn count_and_size(&self, state: &State, bin: usize) -> Result<[u128; 2], StateError> {
        let (leaf, interval) = self.find(state, bin)?;
        let (at, width) = self.counter(leaf);
        let size = interval.length.min(self.0.bins - interval.begin);
        Ok([state.get(at, width)?, size].map(u128::from))
    }

    /// Splits a leaf and puts two others together, if there are two.
    fn split(&self, state: &mut StateEditor<'_>, leaf: usize) -> Result<(), StateError> {
        let tree = (0..self.0.tree_bits()).map(|at| state.state().get(at, 1)).collect::<Result<Vec<_>, _>>()?;
        let counts = (0..self.0.leaves)
            .map(|leaf| {
                let (at, width) = self.counter(leaf);
                state.state().get(at, width)
            })
            .collect::<Result<Vec<_>, _>>()?;
        // In preorder two leaves that are halves of one node follow it at once.
        let mut pairs = Vec::new();
        let mut leaves_before = 0;
        for (at, &bit) in tree.iter().enumerate() {
            if bit == 0 {
                leaves_before += 1;
            } else if tree[at + 1..].starts_with(&[0, 0]) && !(leaves_before..leaves_before + 2).contains(&leaf) {
                pairs.push((counts[leaves_before] + counts[leaves_before + 1], at));
            }
        }
        let Some(&(sum, merged_at)) = pairs.iter().min() else { return Ok(()) };
        let (mut new_tree, mut new_counts) = (Vec::new(), Vec::new());
        let (mut at, mut next) = (0, 0);
        while at < tree.len() {
            if at == merged_at {
                new_tree.push(0);
                new_counts.push(sum.min(self.0.most()));
                (at, next) = (at + 3, next + 2);
                continue;
            }
            if tree[at] == 1 {
                new_tree.push(1);
            } else if next == leaf {
                new_tree.extend([1, 0, 0]);
                new_counts.extend([counts[next] / 2; 2]);
                next += 1;
            } else {
                new_tree.push(0);
                new_counts.push(counts[next]);
                next += 1;
            }
            at += 1;
        }
        (0..).zip(new_tree).try_for_each(|(at, bit)| state.set(at, 1, bit))?;
        (0..).zip(new_counts).try_for_each(|(leaf, count)| {
            let (at, width) = self.counter(leaf);
            state.set(at, width, count)
        })
    }
}

impl Decider for SplittingClusters {
    type View = State;

    fn to_words(&self) -> Vec<u64> {
        self.0.to_words()
    }
    fn from_words(words: &[u64]) -> Option<Self> {
        AdaptiveDecider::from_words(words).map(Self)
    }
    fn budget(&self) -> Budget {
        self.0.budget()
    }
    fn view(&self, state: &State) -> Result<State, StateError> {
        self.0.view(state)?;
        Ok(state.clone())
    }

    fn decide(&self, state: &State, samples: Samples<'_>) -> Choice {
        let less = match [samples.first(), samples.second()].map(|bin| self.count_and_size(state, bin)) {
            [Ok([count, size]), Ok([other, other_size])] => other * size < count * other_size,
            // The view was refused then.
            _ => false,
        };
        Choice::sure(u32::from(less))
    }
}

impl Machine for SplittingClusters {
    fn bins(&self) -> Option<u64> {
        Some(self.0.bins)
    }
    fn initial(&self, writer: &mut StateWriter) -> Result<(), StateError> {
        let begins: Vec<u64> = grown(&self.0, |_| 0).iter().map(|interval| interval.begin).collect();
        Leaves { counts: vec![0; begins.len()], begins, bins: self.0.bins }.write(&self.0, writer)
    }
    fn next(&self, state: &mut StateEditor<'_>, ball: Ball<'_>, _: &mut BallStream) -> Result<(), StateError> {
        let (leaf, interval) = self.find(state.state(), ball.bin)?;
        let (at, width) = self.counter(leaf);
        let count = (state.state().get(at, width)? + 1).min(self.0.most());
        state.set(at, width, count)?;
        if count == self.0.most() && interval.halves(self.0.bins).is_some() {
            self.split(state, leaf as usize)?;
        }
        Ok(())
    }
}
