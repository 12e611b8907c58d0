//! Clusters that are small where the loads are large.

mod splitting;
mod tree;

use core::convert::Infallible;

use bb_core::StartError;

pub use self::splitting::SplittingClusters;
pub use self::tree::{AdaptiveDecider, Leaves};
use self::tree::{Interval, grown};
use crate::error::{MemoryError, StateError};
use crate::model::{Advice, Advisor, Ball, BallStream, Decider, Loads, Notes, StateWriter, Token};

/// Adaptive clusters: a binary tree over the bins whose `K` leaves are the clusters, with a counter for each;
/// the advisor puts small leaves where the loads are large.
///
/// *State:* the tree in preorder, `2K − 1` bits, then `K` counters of `w` bits, left to right: `2K − 1 + K w`
/// bits. The interval of a node is halved, as one of a power of two, of which the bins `0..n` are the first;
/// halves without bins are passed over. *Decision:* the smaller ratio of counter and size; equal ratios go to
/// the first sample. *Update:* every `K` balls the tree is chosen anew: the leaf with the largest maximum
/// load is split, of these the largest, of these the first, until there are `K`; the counters are exact up to
/// their cap at all times. *Class:* communication. *Cost:* `O(log n)` a ball, amortised, and `16 n`
/// bytes or more of the advisor's own.
///
/// No bound is known, and a run is never certified. The scheme is this library's; [`SplittingClusters`] are
/// its relative without an advisor.
///
/// # Examples
///
/// ```
/// use bb_memory::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
/// use bb_memory::{AdaptiveClusters, Bounded};
///
/// let mut loads = LoadVector::new(1000)?;
/// let mut rule = Bounded::new(AdaptiveClusters::new(1000, 250, 6)?);
/// rule.start_and_run(&mut loads, 1000, &mut rng_for_trial(1, 0))?;
/// assert!(loads.max_load() <= 5 && rule.report().budget().get() == 499 + 1500);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct AdaptiveClusters {
    decider: AdaptiveDecider,
    /// Sum and maximum of the loads of each node of the full tree, the root at 1.
    sums: Vec<u64>,
    maxima: Vec<u64>,
    leaves: Leaves,
    /// Balls until the tree is chosen anew.
    left: u64,
    changed: bool,
}

impl AdaptiveClusters {
    /// Returns the scheme with `K` leaves and counters of `w` bits.
    ///
    /// # Errors
    ///
    /// If `leaves` is outside `1..=n`, `width` outside `1..=32`, `bins` outside `1..=2^40`, or there are more
    /// than `2^36` bits.
    pub fn new(bins: u64, leaves: u64, width: u32) -> Result<Self, MemoryError> {
        let decider = AdaptiveDecider::new(bins, leaves, width)?;
        let (sums, maxima) = (Vec::new(), Vec::new());
        Ok(Self { decider, sums, maxima, leaves: Leaves::default(), left: 0, changed: true })
    }

    /// The node of an interval in the full tree.
    fn node(&self, interval: Interval) -> usize {
        ((self.sums.len() as u64 / 2 + interval.begin) / interval.length) as usize
    }

    /// Chooses the tree.
    fn choose(&mut self) {
        let bins = self.decider.bins;
        let intervals = grown(&self.decider, |interval| self.maxima[self.node(interval)]);
        let most = self.decider.most();
        let counts = intervals.iter().map(|&interval| self.sums[self.node(interval)].min(most)).collect();
        let leaves = Leaves { begins: intervals.iter().map(|interval| interval.begin).collect(), counts, bins };
        self.changed |= leaves != self.leaves;
        self.leaves = leaves;
        self.left = self.decider.leaves;
    }

    /// A bin has another load.
    fn update(&mut self, bin: usize, load: u64) {
        let mut node = self.sums.len() / 2 + bin;
        (self.sums[node], self.maxima[node]) = (load, load);
        while node > 1 {
            node /= 2;
            self.sums[node] = self.sums[2 * node] + self.sums[2 * node + 1];
            self.maxima[node] = self.maxima[2 * node].max(self.maxima[2 * node + 1]);
        }
        let leaf = self.leaves.of(bin);
        let begin = self.leaves.begins[leaf];
        // The node of the leaf is the largest that begins there and is no larger than the leaf.
        let mut length = self.leaves.size(leaf).next_power_of_two();
        while !begin.is_multiple_of(length) {
            length /= 2;
        }
        let sum = self.sums[self.node(Interval { begin, length })];
        let count = sum.min(self.decider.most());
        self.changed |= count != self.leaves.counts[leaf];
        self.leaves.counts[leaf] = count;
    }
}

impl Advisor for AdaptiveClusters {
    type Decider = AdaptiveDecider;
    type Failure = Infallible;

    fn decider(&self) -> AdaptiveDecider {
        self.decider
    }

    fn begin(&mut self, loads: Loads<'_>) -> Result<(), StartError> {
        loads.expect_bins(self.decider.bins)?;
        let padded = self.decider.bins.next_power_of_two() as usize;
        self.sums = vec![0; 2 * padded];
        loads.iter().zip(&mut self.sums[padded..]).for_each(|(load, place)| *place = load);
        self.maxima = self.sums.clone();
        for node in (1..padded).rev() {
            self.sums[node] = self.sums[2 * node] + self.sums[2 * node + 1];
            self.maxima[node] = self.maxima[2 * node].max(self.maxima[2 * node + 1]);
        }
        self.choose();
        self.changed = true;
        Ok(())
    }

    fn advise(&mut self, _: Loads<'_>, _: &mut BallStream) -> Result<Advice, Infallible> {
        Ok(Advice::take(&mut self.changed))
    }

    fn write(&self, _: Loads<'_>, writer: &mut StateWriter) -> Result<(), StateError> {
        self.leaves.write(&self.decider, writer)
    }

    fn placed(&mut self, loads: Loads<'_>, ball: Ball<'_>) {
        self.update(ball.bin, loads.load(ball.bin));
        self.left -= 1;
        if self.left == 0 {
            self.choose();
        }
    }

    fn follows_removals(&self) -> bool {
        true
    }
    fn removed(&mut self, loads: Loads<'_>, bin: usize) -> Result<(), StateError> {
        self.update(bin, loads.load(bin));
        Ok(())
    }
    fn lend(&self, _: Token) -> Option<&Leaves> {
        Some(&self.leaves)
    }
    fn notes(&self, _: Token) -> Notes {
        let (bits, helper_bytes) = (Some(self.decider.budget().get()), 16 * self.sums.len() as u64);
        Notes { bits, helper_bytes, ..Notes::default() }
    }
}
