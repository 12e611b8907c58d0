use rand::Rng;

use super::Counters;
use crate::afresh::Afresh;
use crate::bins::{Bins, bins_of};
use crate::error::LoadsError;
use crate::load::Load;
use crate::load_vector::LoadVector;
use crate::metrics::{Metrics, metrics_of};
use crate::mix::Mix;
use crate::place::{Place, Put};
use crate::ranked::Ranked;
use crate::store::{Counts, Store};

/// Loads of labelled bins, and counters for each bin.
///
/// It wraps loads and adds the counters that [`Put::counting`] names; draws, loads and metrics are those of
/// the loads inside. So it composes with other settings: around batched loads the counters are up to date and
/// the loads as they were, and batched loads around it show both as they were.
///
/// *Cost:* a byte a bin for each counter, as offsets from a base that rises with them, and eight from the
/// moment when a counter spreads over more than about 220 values. A counter is asked and goes up in `O(1)`,
/// and cannot overflow ball by ball. `throw_to_least`, which counts nothing, is the loop of the loads inside.
///
/// # Panics
///
/// A put that counts or flags a counter which is not there panics like an index outside a slice.
/// [`Counters::check_counters`] tells beforehand.
///
/// # Examples
///
/// ```
/// use bb_core::{LoadVector, WithCounters, Counters, Metrics, Place, Put};
///
/// let mut loads = WithCounters::new(LoadVector::new(3)?, 2)?;
/// loads.put(0, &(), Put::BALL.counting(1));
/// loads.place(0, &());
/// assert_eq!((loads.counter(0, 0), loads.counter(0, 1), loads.max_load()), (0, 1, 2));
/// loads.clear_counters();
/// assert_eq!((loads.counter_total(1), loads.counters()), (0, 2));
/// assert_eq!(loads.loads().all_time_gap(), 4.0 / 3.0);
/// assert_eq!(loads.into_loads().to_vec(), [2, 0, 0]);
/// # Ok::<(), bb_core::LoadsError>(())
/// ```
#[derive(Clone, Debug)]
pub struct WithCounters<L> {
    loads: L,
    counters: Vec<Counter>,
}

/// One counter of every bin.
#[derive(Clone, Debug)]
struct Counter {
    counts: Counts,
    total: u64,
}

impl<L: Bins<Bin = usize>> WithCounters<L> {
    /// Returns loads whose bins have so many counters each, at 0.
    ///
    /// # Errors
    ///
    /// If the memory for the counters cannot be had.
    pub fn new(loads: L, counters: u8) -> Result<Self, LoadsError> {
        let bins = loads.bins();
        let bytes = u128::from(bins) * u128::from(counters);
        let counter = || Some(Counter { counts: Counts::zeros(usize::try_from(bins).ok()?)?, total: 0 });
        let counters: Option<_> = (0..counters).map(|_| counter()).collect();
        Ok(Self { loads, counters: counters.ok_or(LoadsError::DoesNotFit { bins, bytes })? })
    }
}

impl<L> WithCounters<L> {
    /// Returns the loads inside.
    #[must_use]
    pub fn loads(&self) -> &L {
        &self.loads
    }

    /// Returns the loads and forgets the counters.
    #[must_use]
    pub fn into_loads(self) -> L {
        self.loads
    }

    /// Sets all counters to 0, for a rule that begins to count on used loads. `O(n)`.
    pub fn clear_counters(&mut self) {
        for counter in &mut self.counters {
            counter.counts.clear();
            counter.total = 0;
        }
    }
}

impl<L: Bins<Bin = usize>> WithCounters<L> {
    /// Lets all counters begin afresh, before a ball is placed.
    #[cold]
    #[inline(never)]
    fn begin(&mut self, fresh: Afresh) {
        let flag = fresh.flag();
        for (which, counter) in self.counters.iter_mut().enumerate() {
            if flag.is_none_or(|flag| usize::from(flag.which()) != which) && counter.total > 0 {
                counter.counts.clear();
                counter.total = 0;
            }
        }
        let Some(flag) = flag else { return };
        let least = L::Load::of_balls(flag.at_least());
        let counter = &mut self.counters[usize::from(flag.which())];
        let loads = &self.loads;
        counter.total = 0;
        counter.counts.replace(|bin, old| {
            let flagged = flag.flags(loads.load(bin) >= least, old > 0);
            counter.total += u64::from(flagged);
            u8::from(flagged)
        });
    }
}

impl WithCounters<LoadVector> {
    /// Begins a record of the maximum load, as [`LoadVector::record_maximum`].
    pub fn record_maximum(&mut self) {
        self.loads.record_maximum();
    }
}

impl<L: Bins<Bin = usize>> Counters for WithCounters<L> {
    fn counters(&self) -> u8 {
        self.counters.len() as u8 // It was made from one.
    }

    #[inline]
    fn counter(&self, bin: usize, which: u8) -> u64 {
        self.counters[usize::from(which)].counts.get(bin)
    }

    fn counter_total(&self, which: u8) -> u64 {
        self.counters[usize::from(which)].total
    }
}

impl<L: Bins<Bin = usize>> Bins for WithCounters<L> {
    type Bin = usize;
    type Load = L::Load;
    type Places = L::Places;

    bins_of!(view => view.loads);
}

impl<L: Bins<Bin = usize>> WithCounters<L> {
    /// Does what a put says about the counters.
    #[inline(always)]
    fn count(&mut self, bin: usize, put: Put) {
        if let Some(fresh) = put.fresh() {
            self.begin(fresh);
        }
        if let Some(which) = put.counter() {
            let counter = &mut self.counters[usize::from(which)];
            counter.counts.add(bin, 1);
            counter.total += 1;
        }
    }
}

/// The counters count puts, whatever the balls weigh.
impl<L: Place<Ball> + Bins<Bin = usize>, Ball: ?Sized> Place<Ball> for WithCounters<L> {
    // Always: where a caller makes the put, most of what it might say is known not to be said.
    #[inline(always)]
    fn put(&mut self, bin: usize, ball: &Ball, put: Put) -> usize {
        self.count(bin, put);
        self.loads.put(bin, ball, put)
    }

    fn throw_to_least<R: Rng + ?Sized>(&mut self, d: impl Into<Mix<u32>>, ball: &Ball, balls: u64, rng: &mut R) {
        self.loads.throw_to_least(d, ball, balls, rng);
    }
}

impl<L: Metrics + Bins<Bin = usize>> Metrics for WithCounters<L> {
    metrics_of!(loads);
}

/// Ranks are those of the loads inside.
impl<L: Ranked<Bin = usize>> Ranked for WithCounters<L> {
    #[inline]
    fn at_least(&self, load: u64) -> u64 {
        self.loads.at_least(load)
    }
    #[inline]
    fn rank<R: Rng + ?Sized>(&self, bin: usize, taken: &[u64], rng: &mut R) -> u64 {
        self.loads.rank(bin, taken, rng)
    }
}
