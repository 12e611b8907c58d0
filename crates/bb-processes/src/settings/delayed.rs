use std::collections::VecDeque;

use bb_core::{Bins, Counters, ParameterError, Place, Put, Ranked, Rng};

use crate::dimensions::MultiBins;

/// τ-delayed loads: decisions see the loads as they were `τ` steps ago.
///
/// Under τ-delay each reported load is *some* value that the bin had in the last `τ` steps, any number from `x_i(t − τ)` to `x_i(t)`. Which one is up to a strategy:
///
/// | reports | what they are | how |
/// | --- | --- | --- |
/// | stale | `x_i(t − τ)` | any rule on `Delayed` loads |
/// | fresh | `x_i(t)` | any rule on the loads themselves |
/// | uniform, adversarial | a uniform integer of the interval; the worst for Two-Choice | [`DelayedTwoChoice`](crate::DelayedTwoChoice), which asks for the [`interval`](Delayed::interval) |
///
/// It wraps loads, not a rule, so every rule for labelled bins runs on stale loads unchanged; `τ = 0` is the sequential process, draw for draw. A step is one placement. What is *seen* answers
/// [`Bins`]: loads, total and mean as they were; the true loads are [`loads`](Self::loads).
///
/// *Ties:* equal *seen* loads go to the first sample, a fair choice among independent samples.
/// *Cost:* two copies of the loads, and 24 bytes for each of the `τ` placements that are not seen yet; two placements a ball, `O(1)`.
///
/// # Guarantees
///
/// Two-Choice with `τ = n`: gap `O(ln n/ln ln n)` for all `m` with high probability, whatever is reported, and some reports reach it: those of batches of `n` balls (Los and Sauerwald,
/// arXiv 2206.07503, who define the setting).
///
/// # Examples
///
/// ```
/// use bb_processes::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
/// use bb_processes::{DChoice, Delayed};
///
/// let mut delayed = Delayed::new(LoadVector::new(1000)?, 10_000)?;
/// DChoice::two().run(&mut delayed, 100_000, &mut rng_for_trial(1, 0));
/// assert_eq!((delayed.loads().total(), delayed.delay()), (100_000, 10_000));
/// assert_eq!(delayed.unseen().len(), 10_000);
/// // Stale information costs much: fresh, the gap is 2.
/// assert!(delayed.into_loads().gap() > 8.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Delayed<L, Ball = ()> {
    live: L,
    /// The loads `delay` placements ago.
    seen: L,
    /// The placements since, oldest first.
    unseen: VecDeque<(usize, Ball, Put)>,
    delay: usize,
}

impl<L: Bins<Bin = usize> + Clone> Delayed<L> {
    /// Returns loads of which the last `delay ≥ 0` placements are not seen; the type's example shows it.
    ///
    /// # Errors
    ///
    /// If the memory for so many placements cannot be had.
    pub fn new(loads: L, delay: u64) -> Result<Self, ParameterError> {
        Self::of_balls(loads, delay)
    }
}

impl<L: Clone, Ball> Delayed<L, Ball> {
    /// Returns loads of which the last `delay ≥ 0` placements of balls of another kind are not seen: weights, or vectors over dimensions.
    ///
    /// No allocation per ball, once `delay` of them have gone by.
    ///
    /// # Errors
    ///
    /// If the memory for so many placements cannot be had.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_processes::Delayed;
    /// use bb_processes::bb_core::{Bins, LoadVector, Place, Weight};
    ///
    /// let mut delayed = Delayed::of_balls(LoadVector::weighted(2)?, 1)?;
    /// for weight in [1.5, 0.5, 3.0] {
    ///     delayed.place(1, &Weight::new(weight)?);
    /// }
    /// assert_eq!((delayed.load(1), delayed.loads().load(1)), (2.0, 5.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_balls(loads: L, delay: u64) -> Result<Self, ParameterError> {
        let too_long = || ParameterError::new("tau", delay, "0.., as far as the memory reaches");
        let delay = usize::try_from(delay).map_err(|_| too_long())?;
        let mut unseen = VecDeque::new();
        unseen.try_reserve_exact(delay).map_err(|_| too_long())?;
        Ok(Self { seen: loads.clone(), live: loads, unseen, delay })
    }
}

impl<L, Ball> Delayed<L, Ball> {
    /// Returns the true loads; the type's example shows it.
    #[must_use]
    pub fn loads(&self) -> &L {
        &self.live
    }

    /// Returns the loads as they are seen.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_processes::bb_core::{LoadVector, Place, Put};
    /// use bb_processes::Delayed;
    ///
    /// let mut loads = Delayed::new(LoadVector::new(2)?, 5)?;
    /// loads.place(1, &());
    /// assert_eq!((loads.seen().total(), loads.loads().total()), (0, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn seen(&self) -> &L {
        &self.seen
    }

    /// Returns the true loads and forgets the rest; the type's example shows it.
    #[must_use]
    pub fn into_loads(self) -> L {
        self.live
    }

    /// Returns the delay `τ`; the type's example shows it.
    #[must_use]
    pub fn delay(&self) -> u64 {
        self.delay as u64
    }

    /// Iterates over the placements that are not seen yet, oldest first: bin, ball, and how many of them.
    pub fn unseen(&self) -> impl ExactSizeIterator<Item = &(usize, Ball, Put)> + '_ {
        self.unseen.iter()
    }
}

impl<L: Bins<Bin = usize>, Ball> Delayed<L, Ball> {
    /// Returns the smallest and the largest load that may be reported of a bin, the largest being the true one.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_processes::Delayed;
    /// use bb_processes::bb_core::{LoadVector, Place};
    ///
    /// let mut loads = Delayed::new(LoadVector::new(2)?, 2)?;
    /// for bin in [0, 0, 1] {
    ///     loads.place(bin, &());
    /// }
    /// assert_eq!((loads.interval(0), loads.interval(1)), ((1, 2), (0, 1)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn interval(&self, bin: usize) -> (L::Load, L::Load) {
        (self.seen.load(bin), self.live.load(bin))
    }
}

impl<L: Bins<Bin = usize>, Ball> Bins for Delayed<L, Ball> {
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

/// Ranks are those of the seen loads; equal ones are ranked at random, anew for every ball.
impl<L: Ranked<Bin = usize>, Ball> Ranked for Delayed<L, Ball> {
    fn at_least(&self, load: u64) -> u64 {
        self.seen.at_least(load)
    }
    #[inline]
    fn rank<R: Rng + ?Sized>(&self, bin: usize, taken: &[u64], rng: &mut R) -> u64 {
        self.seen.rank(bin, taken, rng)
    }
}

/// Counters are seen as they were, too. Up to date they are around the delay: [`WithCounters`](bb_core::WithCounters) of `Delayed` loads.
impl<L: Counters<Bin = usize>, Ball> Counters for Delayed<L, Ball> {
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

/// The vectors are seen as they were, too.
impl<L: MultiBins, Ball> MultiBins for Delayed<L, Ball> {
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

impl<L: Place<Ball> + Bins<Bin = usize>, Ball: Clone> Place<Ball> for Delayed<L, Ball> {
    #[inline]
    fn put(&mut self, bin: usize, ball: &Ball, put: Put) -> usize {
        self.live.put(bin, ball, put);
        if self.unseen.len() < self.delay {
            self.unseen.push_back((bin, ball.clone(), put));
        } else if let Some(mut oldest) = self.unseen.pop_front() {
            // It is seen from now on, and leaves its room to this one.
            self.seen.put(oldest.0, &oldest.1, oldest.2);
            (oldest.0, oldest.2) = (bin, put);
            oldest.1.clone_from(ball);
            self.unseen.push_back(oldest);
        } else {
            self.seen.put(bin, ball, put);
        }
        bin
    }
}
