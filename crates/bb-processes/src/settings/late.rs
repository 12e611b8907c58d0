//! Loads that are seen late: [`Late`].

use bb_core::{Bins, Counters, Ranked, Rng};

use crate::dimensions::MultiBins;

/// Loads of which a rule sees an earlier state. When it becomes a later one is up to `When`: see
/// [`Batched`](crate::Batched) and [`Delayed`](crate::Delayed), which are the two kinds there are.
///
/// It answers [`Bins`] as the loads were. So do ranks, of which equal ones are ranked at random, anew for
/// every ball, and so do counters and vectors. Counters are up to date in
/// [`WithCounters`](bb_core::WithCounters) *around* late loads.
#[derive(Clone, Debug)]
pub struct Late<L, When> {
    pub(super) live: L,
    pub(super) seen: L,
    pub(super) when: When,
}

impl<L, When> Late<L, When> {
    /// Returns the true loads.
    #[must_use]
    pub fn loads(&self) -> &L {
        &self.live
    }

    /// Returns the loads as they are seen.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_processes::bb_core::{LoadVector, Place};
    /// use bb_processes::{Batched, Delayed};
    ///
    /// let mut batched = Batched::new(LoadVector::new(2)?, 5)?;
    /// batched.place(1, &());
    /// assert_eq!((batched.seen().total(), batched.loads().total()), (0, 1));
    ///
    /// let mut delayed = Delayed::new(LoadVector::new(2)?, 5)?;
    /// delayed.place(1, &());
    /// assert_eq!((delayed.seen().total(), delayed.loads().total()), (0, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn seen(&self) -> &L {
        &self.seen
    }

    /// Returns the true loads and forgets the rest.
    #[must_use]
    pub fn into_loads(self) -> L {
        self.live
    }
}

impl<L: Bins<Bin = usize>, When> Bins for Late<L, When> {
    type Bin = usize;
    type Load = L::Load;
    type Places = L::Places;

    #[inline]
    fn places(&self) -> &L::Places {
        self.seen.places()
    }
    #[inline]
    fn nth(&self, place: u64) -> usize {
        self.seen.nth(place)
    }
    #[inline]
    fn load(&self, bin: usize) -> L::Load {
        self.seen.load(bin)
    }
    #[inline]
    fn total(&self) -> L::Load {
        self.seen.total()
    }
    #[inline]
    fn lighter(&self, first: usize, second: usize) -> usize {
        self.seen.lighter(first, second)
    }
}

impl<L: Ranked<Bin = usize>, When> Ranked for Late<L, When> {
    fn at_least(&self, load: u64) -> u64 {
        self.seen.at_least(load)
    }
    #[inline]
    fn rank<R: Rng + ?Sized>(&self, bin: usize, taken: &[u64], rng: &mut R) -> u64 {
        self.seen.rank(bin, taken, rng)
    }
}

impl<L: Counters<Bin = usize>, When> Counters for Late<L, When> {
    fn counters(&self) -> u8 {
        self.seen.counters()
    }
    #[inline]
    fn counter(&self, bin: usize, which: u8) -> u64 {
        self.seen.counter(bin, which)
    }
    fn counter_total(&self, which: u8) -> u64 {
        self.seen.counter_total(which)
    }
}

impl<L: MultiBins, When> MultiBins for Late<L, When> {
    fn dimensions(&self) -> usize {
        self.seen.dimensions()
    }
    #[inline]
    fn cell(&self, bin: usize, dimension: usize) -> L::Load {
        self.seen.cell(bin, dimension)
    }
    fn total_of(&self, dimension: usize) -> L::Load {
        self.seen.total_of(dimension)
    }
}
