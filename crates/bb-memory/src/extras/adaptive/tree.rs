//! A tree over the bins whose leaves are clusters, and how it is written.

use core::cmp::Reverse;
use std::collections::BinaryHeap;

use bb_core::ParameterError;

use crate::error::{MemoryError, StateError, refuse};
use crate::model::{Budget, Choice, Decider, Samples, State, StateWriter, checked_bins, checked_share};

/// The decision of [`AdaptiveClusters`](crate::AdaptiveClusters).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AdaptiveDecider {
    pub(super) bins: u64,
    pub(super) leaves: u64,
    pub(super) width: u32,
    budget: Budget,
}

/// The leaves as the decision reads them, from left to right.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Leaves {
    pub(super) begins: Vec<u64>,
    pub(super) counts: Vec<u64>,
    pub(super) bins: u64,
}

/// The interval of a node: its first bin and its length, a power of two, with bins in both halves if it can
/// be split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Interval {
    pub(super) begin: u64,
    pub(super) length: u64,
}

impl Interval {
    pub(super) fn root(bins: u64) -> Self {
        Self { begin: 0, length: bins.next_power_of_two() }.trimmed(bins)
    }

    /// Without halves that have no bins.
    fn trimmed(mut self, bins: u64) -> Self {
        while self.length > 1 && self.begin + self.length / 2 >= bins {
            self.length /= 2;
        }
        self
    }

    pub(super) fn halves(self, bins: u64) -> Option<[Self; 2]> {
        let length = self.length / 2;
        let half = |begin| Self { begin, length }.trimmed(bins);
        (length > 0).then(|| [half(self.begin), half(self.begin + length)])
    }
}

impl Leaves {
    #[inline]
    pub(super) fn of(&self, bin: usize) -> usize {
        self.begins.partition_point(|&begin| begin <= bin as u64) - 1
    }

    /// Writes the tree in preorder, and the counters.
    pub(super) fn write(&self, decider: &AdaptiveDecider, writer: &mut StateWriter) -> Result<(), StateError> {
        let mut leaves = self.begins.iter().zip(0..).peekable();
        let mut open = vec![Interval::root(self.bins)];
        while let Some(interval) = open.pop() {
            let Some(&(&begin, leaf)) = leaves.peek() else { break };
            let whole = interval.begin == begin && self.size(leaf) == interval.length.min(self.bins - interval.begin);
            match interval.halves(self.bins) {
                Some([left, right]) if !whole => {
                    writer.write(1, 1)?;
                    open.extend([right, left]);
                }
                _ => {
                    writer.write(0, 1)?;
                    leaves.next();
                }
            }
        }
        self.counts.iter().try_for_each(|&count| writer.write(count, decider.width))
    }

    pub(super) fn size(&self, leaf: usize) -> u64 {
        self.begins.get(leaf + 1).copied().unwrap_or(self.bins) - self.begins[leaf]
    }
}

/// The leaves of the tree that grows by splitting the leaf of the largest weight, of these the largest, of
/// these the first; from left to right.
pub(super) fn grown(decider: &AdaptiveDecider, weight: impl Fn(Interval) -> u64) -> Vec<Interval> {
    let bins = decider.bins;
    let entry = |interval: Interval| {
        let splits = interval.length > 1;
        (splits, weight(interval), interval.length, Reverse(interval.begin), interval)
    };
    let mut heap = BinaryHeap::from([entry(Interval::root(bins))]);
    while (heap.len() as u64) < decider.leaves {
        let Some((.., interval)) = heap.pop() else { break };
        match interval.halves(bins) {
            Some(halves) => heap.extend(halves.map(entry)),
            None => break, // There are as many leaves as bins.
        }
    }
    let mut intervals: Vec<Interval> = heap.into_iter().map(|(.., interval)| interval).collect();
    intervals.sort_unstable();
    intervals
}

impl AdaptiveDecider {
    pub(super) fn new(bins: u64, leaves: u64, width: u32) -> Result<Self, MemoryError> {
        let bins = checked_bins(bins)?;
        checked_share("K", leaves, bins)?;
        ParameterError::require((1..=32).contains(&width), "w", width, "1..=32")?;
        let budget = Budget::bits(2 * leaves - 1 + leaves * u64::from(width))?;
        Ok(Self { bins, leaves, width, budget })
    }

    pub(super) fn tree_bits(&self) -> u64 {
        2 * self.leaves - 1
    }

    pub(super) fn most(&self) -> u64 {
        (1 << self.width) - 1
    }
}

impl Decider for AdaptiveDecider {
    type View = Leaves;

    fn to_words(&self) -> Vec<u64> {
        vec![self.bins, self.leaves, u64::from(self.width)]
    }
    fn from_words(words: &[u64]) -> Option<Self> {
        let &[bins, leaves, width] = words else { return None };
        Self::new(bins, leaves, u32::try_from(width).ok()?).ok()
    }
    fn budget(&self) -> Budget {
        self.budget
    }

    fn view(&self, state: &State) -> Result<Leaves, StateError> {
        let mut reader = state.reader();
        let mut begins = Vec::new();
        // Intervals still to read, the next one last.
        let mut open = vec![Interval::root(self.bins)];
        while let Some(interval) = open.pop() {
            if begins.len() + open.len() >= self.leaves as usize {
                return refuse("there are too many leaves");
            }
            if reader.read(1)? == 0 {
                begins.push(interval.begin);
            } else if let Some([left, right]) = interval.halves(self.bins) {
                open.extend([right, left]);
            } else {
                return refuse("a single bin is split");
            }
        }
        if begins.len() as u64 != self.leaves {
            return refuse("there are too few leaves");
        }
        let counts = begins.iter().map(|_| reader.read(self.width)).collect::<Result<_, _>>()?;
        reader.finish()?;
        Ok(Leaves { begins, counts, bins: self.bins })
    }

    fn decide(&self, leaves: &Leaves, samples: Samples<'_>) -> Choice {
        let [a, b] = [samples.first(), samples.second()].map(|bin| leaves.of(bin));
        let ratio = |one: usize, other: usize| u128::from(leaves.counts[one]) * u128::from(leaves.size(other));
        Choice::sure(u32::from(ratio(b, a) < ratio(a, b)))
    }
}
