use core::cmp::Reverse;
use core::convert::Infallible;
use std::collections::BinaryHeap;

use bb_core::{ParameterError, StartError};

use crate::model::advisor::Notes;
use crate::model::advisor::token::Token;
use crate::model::checked_bins;
use crate::{
    Advice, Advisor, Ball, BallStream, Budget, Choice, Decider, Loads, MemoryError, Offer, Parameters, State,
    StateError, StateReader, StateWriter,
};

/// Adaptive clusters: a binary tree over the bins whose `K` leaves are the clusters, with a counter for each; the advisor puts small leaves where the loads are large.
///
/// *State:* the tree in preorder, `2K − 1` bits, then `K` counters of `w` bits, left to right: `2K − 1 + K w` bits. The interval of a node is halved, as one of a power of two, of which the bins `0..n` are the first; halves without bins are passed over. *Decision:* the smaller ratio of counter and size; equal ratios go to the first offer. *Update:*
/// every `K` balls the tree is chosen anew: the leaf with the largest maximum load is split, of these the largest, of these the first, until there are `K`; the counters are exact up to their cap at all times. *Class:* communication. *Cost:* `O(log n)` a ball, amortised, and `16 n` bytes or more of the advisor's own.
///
/// No bound is known, and a run is never certified. The scheme is this library's.
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
    parameters: AdaptiveParameters,
    /// Sum and maximum of the loads of each node of the full tree, the root at 1.
    sums: Vec<u64>,
    maxima: Vec<u64>,
    leaves: Leaves,
    /// Balls until the tree is chosen anew.
    left: u64,
    changed: bool,
}

/// The decision of [`AdaptiveClusters`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdaptiveDecider {}

/// The parameters of [`AdaptiveClusters`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AdaptiveParameters {
    bins: u64,
    leaves: u64,
    width: u32,
}

/// The leaves as the decision reads them, from left to right.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Leaves {
    begins: Vec<u64>,
    counts: Vec<u64>,
    bins: u64,
}

/// The interval of a node: its first bin and its length, a power of two, with bins in both halves if it can be split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Interval {
    begin: u64,
    length: u64,
}

impl Interval {
    fn root(bins: u64) -> Self {
        Self { begin: 0, length: bins.next_power_of_two() }.trimmed(bins)
    }

    /// Without halves that have no bins.
    fn trimmed(mut self, bins: u64) -> Self {
        while self.length > 1 && self.begin + self.length / 2 >= bins {
            self.length /= 2;
        }
        self
    }

    fn halves(self, bins: u64) -> Option<[Self; 2]> {
        let length = self.length / 2;
        let half = |begin| Self { begin, length }.trimmed(bins);
        (length > 0).then(|| [half(self.begin), half(self.begin + length)])
    }
}

impl Leaves {
    #[inline]
    fn of(&self, bin: usize) -> usize {
        self.begins.partition_point(|&begin| begin <= bin as u64) - 1
    }

    fn size(&self, leaf: usize) -> u64 {
        self.begins.get(leaf + 1).copied().unwrap_or(self.bins) - self.begins[leaf]
    }
}

impl AdaptiveClusters {
    /// Returns the scheme with `K` leaves and counters of `w` bits; the type's example shows it.
    ///
    /// # Errors
    ///
    /// If `leaves` is outside `1..=n`, `width` outside `1..=32`, `bins` outside `1..=2^40`, or there are more than `2^36` bits.
    pub fn new(bins: u64, leaves: u64, width: u32) -> Result<Self, MemoryError> {
        let parameters = AdaptiveParameters::new(bins, leaves, width)?;
        let (sums, maxima) = (Vec::new(), Vec::new());
        Ok(Self { parameters, sums, maxima, leaves: Leaves::default(), left: 0, changed: true })
    }

    /// The node of an interval in the full tree.
    fn node(&self, interval: Interval) -> usize {
        ((self.sums.len() as u64 / 2 + interval.begin) / interval.length) as usize
    }

    /// Chooses the tree.
    fn choose(&mut self) {
        let (bins, wanted) = (self.parameters.bins, self.parameters.leaves);
        let entry = |interval: Interval| {
            let splits = interval.length > 1;
            (splits, self.maxima[self.node(interval)], interval.length, Reverse(interval.begin), interval)
        };
        let mut heap = BinaryHeap::from([entry(Interval::root(bins))]);
        while (heap.len() as u64) < wanted {
            let Some((.., interval)) = heap.pop() else { break };
            match interval.halves(bins) {
                Some(halves) => heap.extend(halves.map(entry)),
                None => break, // There are as many leaves as bins.
            }
        }
        let mut intervals: Vec<Interval> = heap.into_iter().map(|(.., interval)| interval).collect();
        intervals.sort_unstable();
        let most = self.parameters.most();
        let counts = intervals.iter().map(|&interval| self.sums[self.node(interval)].min(most)).collect();
        let leaves = Leaves { begins: intervals.iter().map(|interval| interval.begin).collect(), counts, bins };
        self.changed |= leaves != self.leaves;
        self.leaves = leaves;
        self.left = wanted;
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
        let count = sum.min(self.parameters.most());
        self.changed |= count != self.leaves.counts[leaf];
        self.leaves.counts[leaf] = count;
    }
}

impl AdaptiveParameters {
    fn new(bins: u64, leaves: u64, width: u32) -> Result<Self, MemoryError> {
        let bins = checked_bins(bins)?;
        if leaves == 0 || leaves > bins {
            return Err(ParameterError::new("K", leaves, format!("1..={bins}, the number of bins")).into());
        }
        if width == 0 || width > 32 {
            return Err(ParameterError::new("w", width, "1..=32").into());
        }
        let made = Self { bins, leaves, width };
        Budget::bits(made.bits())?;
        Ok(made)
    }

    fn bits(&self) -> u64 {
        2 * self.leaves - 1 + self.leaves * u64::from(self.width)
    }

    fn most(&self) -> u64 {
        (1 << self.width) - 1
    }
}

impl Parameters for AdaptiveParameters {
    fn to_words(&self) -> Vec<u64> {
        vec![self.bins, self.leaves, u64::from(self.width)]
    }
    fn from_words(words: &[u64]) -> Option<Self> {
        let &[bins, leaves, width] = words else { return None };
        Self::new(bins, leaves, u32::try_from(width).ok()?).ok()
    }
}

impl Decider for AdaptiveDecider {
    type Parameters = AdaptiveParameters;
    type View = Leaves;

    fn view(parameters: &AdaptiveParameters, state: &State) -> Result<Leaves, StateError> {
        let mut reader = state.reader();
        let mut begins = Vec::new();
        // Intervals still to read, the next one last.
        let mut open = vec![Interval::root(parameters.bins)];
        while let Some(interval) = open.pop() {
            if begins.len() + open.len() >= parameters.leaves as usize {
                return Err(StateError::NonCanonical { reason: "there are too many leaves" });
            }
            if reader.read(1)? == 0 {
                begins.push(interval.begin);
            } else if let Some([left, right]) = interval.halves(parameters.bins) {
                open.extend([right, left]);
            } else {
                return Err(StateError::NonCanonical { reason: "a single bin is split" });
            }
        }
        if begins.len() as u64 != parameters.leaves {
            return Err(StateError::NonCanonical { reason: "there are too few leaves" });
        }
        let count = |reader: &mut StateReader<'_>| reader.read(parameters.width);
        let counts = begins.iter().map(|_| count(&mut reader)).collect::<Result<_, _>>()?;
        reader.finish()?;
        Ok(Leaves { begins, counts, bins: parameters.bins })
    }

    fn decide(_: &AdaptiveParameters, leaves: &Leaves, offer: Offer<'_>) -> Choice {
        let [a, b] = [offer.first(), offer.second()].map(|bin| leaves.of(bin));
        let ratio = |one: usize, other: usize| u128::from(leaves.counts[one]) * u128::from(leaves.size(other));
        Choice::sure(u32::from(ratio(b, a) < ratio(a, b)))
    }
}

impl Advisor for AdaptiveClusters {
    type Decider = AdaptiveDecider;
    type Failure = Infallible;

    fn parameters(&self) -> AdaptiveParameters {
        self.parameters
    }
    fn budget(&self) -> Budget {
        Budget::bits(self.parameters.bits()).unwrap_or(Budget::NONE)
    }

    fn begin(&mut self, loads: Loads<'_>) -> Result<(), StartError> {
        let bins = self.parameters.bins;
        if bins != loads.bins() {
            return Err(StartError::OtherBins { expected: bins, bins: loads.bins() });
        }
        let padded = bins.next_power_of_two() as usize;
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
        Ok(if core::mem::take(&mut self.changed) { Advice::Changed } else { Advice::Unchanged })
    }

    fn write(&self, _: Loads<'_>, writer: &mut StateWriter) -> Result<(), StateError> {
        let mut leaves = self.leaves.begins.iter().zip(0..).peekable();
        let mut open = vec![Interval::root(self.parameters.bins)];
        while let Some(interval) = open.pop() {
            let Some(&(&begin, leaf)) = leaves.peek() else { break };
            let whole = interval.begin == begin
                && self.leaves.size(leaf) == interval.length.min(self.parameters.bins - interval.begin);
            match interval.halves(self.parameters.bins) {
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
        self.leaves.counts.iter().try_for_each(|&count| writer.write(count, self.parameters.width))
    }

    fn placed(&mut self, _: Loads<'_>, ball: Ball<'_>) {
        self.update(ball.bin, ball.load);
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
    fn content_bits(&self, _: Token) -> Option<u64> {
        Some(self.parameters.bits())
    }
    fn lend(&self, _: Token) -> Option<&Leaves> {
        Some(&self.leaves)
    }
    fn notes(&self, _: Token) -> Notes {
        Notes { helper_bytes: 16 * self.sums.len() as u64, ..Notes::default() }
    }
}
