use std::collections::VecDeque;

use bb_core::{Bins, ParameterError, Place, Put};

use crate::settings::late::Late;

/// τ-delayed loads: decisions see the loads as they were `τ` steps ago.
///
/// Under τ-delay each reported load is *some* value that the bin had in the last `τ` steps, any number from
/// `x_i(t − τ)` to `x_i(t)`. Which one is up to a strategy:
///
/// | reports | what they are | how |
/// | --- | --- | --- |
/// | stale | `x_i(t − τ)` | any rule on `Delayed` loads |
/// | fresh | `x_i(t)` | any rule on the loads themselves |
/// | uniform, adversarial | a uniform integer of the interval; the worst for Two-Choice | [`DelayedTwoChoice`](crate::DelayedTwoChoice), which asks for the [`interval`](Late::interval) |
///
/// It wraps loads, not a rule, so every rule for labelled bins runs on stale loads unchanged; `τ = 0` is the
/// sequential process, draw for draw. A step is one placement. What is *seen* answers [`Bins`]: loads, total
/// and mean as they were; the true loads are [`loads`](Late::loads).
///
/// *Ties:* equal *seen* loads go to the first sample, a fair choice among independent samples. *Cost:* two
/// copies of the loads, and 24 bytes for each of the `τ` placements that are not seen yet; two placements a
/// ball, `O(1)`.
///
/// # Guarantees
///
/// Two-Choice with `τ = n`: gap `O(ln n/ln ln n)` for all `m` with high probability, whatever is reported,
/// and some reports reach it: those of batches of `n` balls (Los and Sauerwald, arXiv 2206.07503, who define
/// the setting).
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
pub type Delayed<L, Ball = ()> = Late<L, ByDelay<Ball>>;

/// When [`Delayed`](crate::Delayed) loads are seen.
#[derive(Clone, Debug)]
pub struct ByDelay<Ball> {
    /// The placements since, oldest first.
    unseen: VecDeque<(usize, Ball, Put)>,
    delay: usize,
}

impl<L: Bins<Bin = usize> + Clone> Delayed<L> {
    /// Returns loads of which the last `delay ≥ 0` placements are not seen.
    ///
    /// # Errors
    ///
    /// If the memory for so many placements cannot be had.
    pub fn new(loads: L, delay: u64) -> Result<Self, ParameterError> {
        Self::of_balls(loads, delay)
    }
}

impl<L: Clone, Ball> Delayed<L, Ball> {
    /// Returns loads of which the last `delay ≥ 0` placements of balls of another kind are not seen: weights,
    /// or vectors over dimensions.
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
        Ok(Self { seen: loads.clone(), live: loads, when: ByDelay { unseen, delay } })
    }
}

impl<L, Ball> Delayed<L, Ball> {
    /// Returns the delay `τ`.
    #[must_use]
    pub fn delay(&self) -> u64 {
        self.when.delay as u64
    }

    /// Iterates over the placements that are not seen yet, oldest first: bin, ball, and how many of them.
    pub fn unseen(&self) -> impl ExactSizeIterator<Item = &(usize, Ball, Put)> + '_ {
        self.when.unseen.iter()
    }
}

impl<L: Bins<Bin = usize>, Ball> Delayed<L, Ball> {
    /// Returns the smallest and the largest load that may be reported of a bin, the largest being the true
    /// one.
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

impl<L: Place<Ball> + Bins<Bin = usize>, Ball: Clone> Place<Ball> for Delayed<L, Ball> {
    #[inline]
    fn put(&mut self, bin: usize, ball: &Ball, put: Put) -> usize {
        self.live.put(bin, ball, put);
        if self.when.unseen.len() < self.when.delay {
            self.when.unseen.push_back((bin, ball.clone(), put));
        } else if let Some(mut oldest) = self.when.unseen.pop_front() {
            // It is seen from now on, and leaves its room to this one.
            self.seen.put(oldest.0, &oldest.1, oldest.2);
            (oldest.0, oldest.2) = (bin, put);
            oldest.1.clone_from(ball);
            self.when.unseen.push_back(oldest);
        } else {
            self.seen.put(bin, ball, put);
        }
        bin
    }
}
