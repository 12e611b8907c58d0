use std::collections::VecDeque;

use bb_core::{Bins, DistinctSampler, Marks, ParameterError, Place, Put, Ranked, Rng};

/// τ-delayed loads: decisions see the loads as they were `τ` steps ago.
///
/// Under τ-delay each reported load is *some* value that the bin had in the last `τ` steps, any number from `x_i(t − τ)` to `x_i(t)`. Which one is up to a strategy:
///
/// | reports | what they are | how |
/// | --- | --- | --- |
/// | stale | `x_i(t − τ)` | any rule on `Delayed` loads |
/// | fresh | `x_i(t)` | any rule on the loads themselves |
/// | uniform, adversarial | a uniform integer of the interval; the worst for Two-Choice | [`DelayedTwoChoice`](crate::DelayedTwoChoice), which asks for [`Intervals`] |
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
pub struct Delayed<L> {
    live: L,
    /// The loads `delay` placements ago.
    seen: L,
    /// The placements since, oldest first.
    unseen: VecDeque<(usize, Put)>,
    delay: usize,
}

/// Views that report of a bin in which interval its load is.
///
/// # Examples
///
/// ```
/// use bb_processes::bb_core::{LoadVector, Place, Put};
/// use bb_processes::{Delayed, Intervals};
///
/// let mut loads = Delayed::new(LoadVector::new(2)?, 2)?;
/// for bin in [0, 0, 1] {
///     loads.place(bin, Put::BALL);
/// }
/// assert_eq!((loads.interval(0), loads.interval(1)), ((1, 2), (0, 1)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Intervals: Bins {
    /// Returns the smallest and the largest load that may be reported of a bin, the largest being the true one.
    fn interval(&self, bin: Self::Bin) -> (Self::Load, Self::Load);
}

impl<L: Bins<Bin = usize> + Clone> Delayed<L> {
    /// Returns loads of which the last `delay ≥ 0` placements are not seen; the type's example shows it.
    ///
    /// # Errors
    ///
    /// If the memory for so many placements cannot be had.
    pub fn new(loads: L, delay: u64) -> Result<Self, ParameterError> {
        let too_long = || ParameterError::new("tau", delay, "0.., as far as the memory reaches");
        let delay = usize::try_from(delay).map_err(|_| too_long())?;
        let mut unseen = VecDeque::new();
        unseen.try_reserve_exact(delay).map_err(|_| too_long())?;
        Ok(Self { seen: loads.clone(), live: loads, unseen, delay })
    }
}

impl<L> Delayed<L> {
    /// Returns the true loads; the type's example shows it.
    #[must_use]
    pub fn loads(&self) -> &L {
        &self.live
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

    /// Iterates over the placements that are not seen yet, oldest first; the type's example shows it.
    pub fn unseen(&self) -> impl ExactSizeIterator<Item = (usize, Put)> + '_ {
        self.unseen.iter().copied()
    }
}

impl<L: Bins<Bin = usize>> Intervals for Delayed<L> {
    #[inline]
    fn interval(&self, bin: usize) -> (L::Load, L::Load) {
        (self.seen.load(bin), self.live.load(bin))
    }
}

impl<L: Bins<Bin = usize>> Bins for Delayed<L> {
    type Bin = usize;
    type Load = L::Load;

    fn bins(&self) -> u64 {
        self.seen.bins()
    }
    fn nth(&self, place: u64) -> usize {
        self.seen.nth(place)
    }
    #[inline]
    fn load(&self, bin: usize) -> L::Load {
        self.seen.load(bin)
    }
    fn total(&self) -> L::Load {
        self.seen.total()
    }
    fn below_mean(&self, bin: usize) -> bool {
        self.seen.below_mean(bin)
    }
    #[inline]
    fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> usize {
        self.seen.draw(rng)
    }
    #[inline]
    fn draw_pair<R: Rng + ?Sized>(&self, rng: &mut R) -> [usize; 2] {
        self.seen.draw_pair(rng)
    }
    fn draw_each<R, F>(&self, d: u32, rng: &mut R, each: F)
    where
        R: Rng + ?Sized,
        F: FnMut(usize),
    {
        self.seen.draw_each(d, rng, each);
    }
    fn draw_distinct<R, F>(&self, d: u32, sampler: &mut DistinctSampler, rng: &mut R, each: F)
    where
        R: Rng + ?Sized,
        F: FnMut(usize),
    {
        self.seen.draw_distinct(d, sampler, rng, each);
    }
    #[inline]
    fn lighter(&self, first: usize, second: usize) -> usize {
        self.seen.lighter(first, second)
    }
}

/// Ranks are those of the seen loads; equal ones are ranked at random, anew for every ball.
impl<L: Ranked<Bin = usize>> Ranked for Delayed<L> {
    fn at_least(&self, load: u64) -> u64 {
        self.seen.at_least(load)
    }
    #[inline]
    fn rank<R: Rng + ?Sized>(&self, bin: usize, taken: &[u64], rng: &mut R) -> u64 {
        self.seen.rank(bin, taken, rng)
    }
}

/// Counters are seen as they were, too. Up to date they are around the delay: [`Marked`](bb_core::Marked) of `Delayed` loads.
impl<L: Marks<Bin = usize>> Marks for Delayed<L> {
    fn counters(&self) -> u8 {
        self.seen.counters()
    }
    #[inline]
    fn marks(&self, bin: usize, which: u8) -> u64 {
        self.seen.marks(bin, which)
    }
    fn total_marks(&self, which: u8) -> u64 {
        self.seen.total_marks(which)
    }
}

impl<L: Place<Bin = usize>> Place for Delayed<L> {
    #[inline]
    fn place(&mut self, bin: usize, put: Put) -> usize {
        self.live.place(bin, put);
        let shown = if self.unseen.len() < self.delay {
            None
        } else {
            // The oldest of them is seen from now on; without a delay, the ball itself.
            Some(self.unseen.pop_front().unwrap_or((bin, put)))
        };
        if self.delay > 0 {
            self.unseen.push_back((bin, put));
        }
        if let Some((bin, put)) = shown {
            self.seen.place(bin, put);
        }
        bin
    }
}
