use std::collections::BTreeMap;

use super::{Counters, WithCounters};
use crate::afresh::Afresh;
use crate::bins::{Bins, bins_of};
use crate::load_profile::{CountedBin, LoadProfile, sum_from_above};
use crate::load_vector::LoadVector;
use crate::metrics::{Metrics, metrics_of};
use crate::place::{Place, Put};
use crate::ranked::Ranked;
use bb_samplers::IndexSampler;

/// How many bins there are of each class: of each load and state of the counters; no bin has an index.
///
/// Exact in law for every rule that sees bins only through their loads and counters, since bins of one class
/// are exchangeable. Memory grows with the occupied classes, whatever the number of bins up to `2^62`. It
/// wraps a [`LoadProfile`], which has the metrics, and takes draws and words from it.
///
/// Bins are called by their rank, as in the profile: 0 is the fullest, those of equal load are sorted by
/// their first counter, then by the next, and those of one class are numbered on. A placement renames the
/// receiver and a bin of each class that it passes; [`Bins::follow`] tells a rule that remembers bins.
///
/// *Cost,* with `C` occupied classes: a draw is a draw of a rank; a counter is found in `O(log C)`, a load as
/// in the profile. To place a ball is `O(classes passed)`, about the number of classes of one load, and
/// `O(C)` when a class appears or empties. A threshold strategy on a million bins occupies 15 classes after
/// `n` balls, 100 after `16n` and 300 after `64n`; a million balls in `2^40` bins, 3.
///
/// # Panics
///
/// A put that counts or flags a counter which is not there panics like an index outside a slice;
/// [`Counters::check_counters`] tells beforehand. Otherwise as [`LoadProfile`].
///
/// # Examples
///
/// ```
/// use bb_core::{Bins, LoadProfile, ProfileWithCounters, Counters, Metrics, Place, Put};
///
/// let mut loads = ProfileWithCounters::new(LoadProfile::new(1 << 40)?, 1);
/// let bin = loads.put(loads.nth(7), &(), Put::BALL.counting(0));
/// loads.place(loads.nth(9), &());
/// let classes: Vec<_> = loads.class_counts().collect();
/// assert_eq!(classes, [(0, &[0][..], (1 << 40) - 2), (1, &[0], 1), (1, &[1], 1)]);
/// assert_eq!((loads.counter(loads.nth(0), 0), loads.counter(loads.nth(1), 0)), (1, 0));
/// assert_eq!((loads.max_load(), loads.counter_total(0), loads.counters()), (1, 1, 1));
/// loads.clear_counters();
/// assert_eq!(loads.class_counts().count(), 2);
/// assert_eq!(loads.into_loads().level_counts(), [(0, (1 << 40) - 2), (1, 2)]);
/// # Ok::<(), bb_core::LoadsError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ProfileWithCounters {
    /// The loads alone. A rank is of the same load there.
    loads: LoadProfile,
    /// The occupied classes, increasing: of each its load, then its counters.
    classes: Vec<u64>,
    /// `tails[k]` bins are of class `k` or a larger one.
    tails: Vec<u64>,
    /// The sum of each counter.
    counter_total: Vec<u64>,
    /// The class that the ball at hand makes; kept so that no ball allocates.
    made: Vec<u64>,
    /// If counters began afresh with the last placement, what `follow` needs: of each class before it, by
    /// decreasing rank, its first rank then, and the one that its bins were sorted to.
    resorted: Vec<(u64, u64)>,
}

impl ProfileWithCounters {
    /// Returns loads whose bins have so many counters each, at 0.
    #[must_use]
    pub fn new(loads: LoadProfile, counters: u8) -> Self {
        let mut made = Self {
            loads,
            classes: Vec::new(),
            tails: Vec::new(),
            counter_total: vec![0; usize::from(counters)],
            made: Vec::new(),
            resorted: Vec::new(),
        };
        made.clear_counters();
        made
    }

    /// Returns the loads.
    #[must_use]
    pub fn loads(&self) -> &LoadProfile {
        &self.loads
    }

    /// Returns the loads and forgets the counters.
    #[must_use]
    pub fn into_loads(self) -> LoadProfile {
        self.loads
    }

    /// Begins a record of the maximum load, as [`LoadProfile::record_maximum`].
    pub fn record_maximum(&mut self) {
        self.loads.record_maximum();
    }

    /// Sets all counters to 0, for a rule that begins to count on used loads. `O(levels)`.
    ///
    /// Bins keep their names.
    pub fn clear_counters(&mut self) {
        self.counter_total.fill(0);
        let unmarked = vec![0; self.counter_total.len()];
        let levels = self.loads.level_counts();
        self.set_classes(levels.into_iter().map(|(load, count)| ([&[load], &unmarked[..]].concat(), count)));
    }

    /// Lets all counters begin afresh, before a ball is placed in a bin of this class, and returns the class
    /// that it is in then.
    ///
    /// Classes of one load that have equal counters now become one, and the bins of a load are sorted anew;
    /// those of one class stay in their order.
    #[cold]
    #[inline(never)]
    fn begin(&mut self, fresh: Afresh, of: usize) -> usize {
        let renew = |class: &[u64]| {
            let mut new = vec![0; class.len()];
            new[0] = class[0];
            if let Some(flag) = fresh.flag() {
                let place = 1 + usize::from(flag.which());
                new[place] = u64::from(flag.flags(class[0] >= flag.at_least(), class[place] > 0));
            }
            new
        };
        let firsts: Vec<u64> =
            (0..self.tails.len()).map(|class| self.tails.get(class + 1).copied().unwrap_or(0)).collect();
        let mut merged: BTreeMap<Vec<u64>, Vec<usize>> = BTreeMap::new();
        for class in 0..self.tails.len() {
            merged.entry(renew(self.class(class))).or_default().push(class);
        }
        let mut sorted = vec![0; firsts.len()];
        let mut rank = 0;
        for olds in merged.values().rev() {
            for &old in olds.iter().rev() {
                sorted[old] = rank;
                rank += self.tails[old] - firsts[old];
            }
        }
        self.resorted = firsts.iter().copied().zip(sorted).collect();
        let counts: Vec<(Vec<u64>, u64)> = merged
            .iter()
            .map(|(class, olds)| (class.clone(), olds.iter().map(|&old| self.tails[old] - firsts[old]).sum()))
            .collect();
        let renewed = renew(self.class(of));
        self.counter_total.fill(0);
        for (class, count) in &counts {
            self.counter_total.iter_mut().zip(&class[1..]).for_each(|(total, counter)| *total += counter * count);
        }
        self.set_classes(counts.into_iter());
        // It is one of them.
        (0..self.tails.len()).find(|&class| *self.class(class) == renewed[..]).unwrap_or(0)
    }

    /// The rank that a bin had once counters had begun afresh, before the ball was placed.
    fn resorted_rank(&self, rank: u64) -> u64 {
        // Ranks fall with the class.
        let class = self.resorted.partition_point(|&(first, _)| first > rank);
        self.resorted.get(class).map_or(rank, |&(first, sorted)| sorted + (rank - first))
    }

    /// Iterates over the occupied classes: load, counters, and number of bins, by increasing load, then
    /// counters.
    #[must_use]
    pub fn class_counts(&self) -> impl ExactSizeIterator<Item = (u64, &[u64], u64)> {
        (0..self.tails.len()).map(|class| {
            let next = self.tails.get(class + 1).copied().unwrap_or(0);
            (self.class(class)[0], &self.class(class)[1..], self.tails[class] - next)
        })
    }

    /// Takes over increasing classes and the number of bins of each.
    fn set_classes(&mut self, classes: impl Iterator<Item = (Vec<u64>, u64)>) {
        self.classes.clear();
        self.tails.clear();
        for (class, count) in classes {
            self.classes.extend(class);
            self.tails.push(count);
        }
        sum_from_above(&mut self.tails);
    }

    /// The load and the counters of a class.
    #[inline]
    fn class(&self, class: usize) -> &[u64] {
        let width = 1 + self.counter_total.len();
        &self.classes[class * width..][..width]
    }

    /// The class of the bin of a rank: the last one with more than `rank` bins at or above it.
    #[inline]
    fn class_of(&self, rank: u64) -> usize {
        self.tails.partition_point(|&tail| tail > rank) - 1
    }

    /// Moves a bin up from one class to the class `made`, and returns its rank there.
    #[inline]
    fn lift(&mut self, from: usize) -> u64 {
        let to = (from + 1..self.tails.len()).find(|&class| *self.class(class) >= self.made[..]);
        let to = to.unwrap_or(self.tails.len());
        if self.tails.get(to).is_none() || *self.class(to) != self.made[..] {
            self.insert(to);
        }
        self.tails[from + 1..=to].iter_mut().for_each(|tail| *tail += 1);
        let rank = self.tails[to] - 1;
        if self.tails[from] == self.tails[from + 1] {
            self.remove(from);
        }
        rank
    }

    /// Inserts the class `made`, without a bin yet.
    #[cold]
    #[inline(never)]
    fn insert(&mut self, class: usize) {
        let place = class * self.made.len();
        self.classes.splice(place..place, self.made.iter().copied());
        self.tails.insert(class, self.tails.get(class).copied().unwrap_or(0));
    }

    /// Removes an empty class.
    #[cold]
    #[inline(never)]
    fn remove(&mut self, class: usize) {
        let width = self.made.len();
        self.classes.drain(class * width..(class + 1) * width);
        self.tails.remove(class);
    }
}

/// Counts the bins of labelled loads; what was recorded is not taken over.
impl From<&WithCounters<LoadVector>> for ProfileWithCounters {
    fn from(marked: &WithCounters<LoadVector>) -> Self {
        let counters = marked.counters();
        let mut counts = BTreeMap::new();
        for (bin, load) in marked.loads().iter().enumerate() {
            let class: Vec<u64> =
                [load].into_iter().chain((0..counters).map(|which| marked.counter(bin, which))).collect();
            *counts.entry(class).or_insert(0) += 1;
        }
        let mut made = Self::new(LoadProfile::from(marked.loads()), counters);
        made.set_classes(counts.into_iter());
        made.counter_total = (0..counters).map(|which| marked.counter_total(which)).collect();
        made
    }
}

impl Counters for ProfileWithCounters {
    fn counters(&self) -> u8 {
        self.counter_total.len() as u8 // It was made from one.
    }

    #[inline]
    fn counter(&self, bin: CountedBin, which: u8) -> u64 {
        bin.check_state(self.nth(0));
        self.class(self.class_of(bin.rank()))[1..][usize::from(which)]
    }

    fn counter_total(&self, which: u8) -> u64 {
        self.counter_total[usize::from(which)]
    }
}

impl Bins for ProfileWithCounters {
    type Bin = CountedBin;
    type Load = u64;
    type Places = IndexSampler;

    bins_of!(view => view.loads, but follow);

    /// The first bin of each class that the receiver passed took the rank of the first bin of the class
    /// before, the first of all that of the receiver.
    #[inline]
    fn follow(&self, kept: CountedBin, was: CountedBin, now: CountedBin) -> CountedBin {
        kept.check_state(was);
        now.check_state(self.nth(0));
        if kept == was {
            return now;
        }
        let (mut rank, was) = (self.resorted_rank(kept.rank()), self.resorted_rank(was.rank()));
        if (now.rank()..was).contains(&rank) {
            // Those first bins lay just behind what is now the end of a tail; every tail that ends in between
            // was passed.
            let tail = self.tails.partition_point(|&tail| tail > rank + 1);
            if self.tails[tail] == rank + 1 {
                rank = was.min(self.tails[tail - 1] - 1);
            }
        }
        kept.renamed(rank, now)
    }
}

impl Place for ProfileWithCounters {
    #[inline]
    fn put(&mut self, bin: CountedBin, (): &(), put: Put) -> CountedBin {
        let now = self.loads.put(bin, &(), put);
        let mut from = self.class_of(bin.rank());
        self.resorted.clear();
        if let Some(fresh) = put.fresh() {
            from = self.begin(fresh, from);
        }
        if let Some(which) = put.counter() {
            self.counter_total[usize::from(which)] += 1;
        }
        let width = 1 + self.counter_total.len();
        self.made.clear();
        self.made.extend_from_slice(&self.classes[from * width..][..width]);
        self.made[0] += put.count();
        if let Some(which) = put.counter() {
            self.made[1 + usize::from(which)] += 1;
        }
        let rank = self.lift(from);
        now.renamed(rank, now)
    }
}

/// Bins of one load are ranked at random, anew for every ball: the order of their names tells their counters.
impl Ranked for ProfileWithCounters {
    #[inline]
    fn at_least(&self, load: u64) -> u64 {
        self.loads.at_least(load)
    }
}

impl Metrics for ProfileWithCounters {
    metrics_of!(loads);
}

/// Equal if there are equally many bins of each class; what was recorded does not count.
impl PartialEq for ProfileWithCounters {
    fn eq(&self, other: &Self) -> bool {
        self.counters() == other.counters() && self.class_counts().eq(other.class_counts())
    }
}
