//! Where a ball is put: [`Place`], [`Put`].

use core::num::NonZeroU64;

use rand::Rng;

use crate::afresh::Afresh;
use crate::bins::Bins;
use crate::description::{Description, decide_described};
use crate::least::least_of;
use crate::mix::Mix;

/// Loads that take balls of one kind: unit balls (`Place`, that is `Place<()>`), weights, vectors over
/// dimensions.
///
/// # Examples
///
/// ```
/// use bb_core::{Bins, LoadVector, Metrics, Place, Weight};
///
/// let mut loads = LoadVector::new(3)?;
/// let bin = loads.place(1, &());
/// assert_eq!(loads.load(bin), 1);
///
/// let mut loads = LoadVector::weighted(3)?;
/// loads.place(2, &Weight::new(1.5)?);
/// assert_eq!(loads.max_load(), 1.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Place<Ball: ?Sized = ()>: Bins {
    /// Puts into a bin what one step puts there, [`Put::count`] balls like this one, and returns the name the
    /// bin has from now on.
    ///
    /// Loads that keep counters also do what the put says about these; loads that show them late keep the
    /// put.
    fn put(&mut self, bin: Self::Bin, ball: &Ball, put: Put) -> Self::Bin;

    /// Puts one ball into a bin and returns the name the bin has from now on.
    #[inline(always)]
    fn place(&mut self, bin: Self::Bin, ball: &Ball) -> Self::Bin {
        self.put(bin, ball, Put::BALL)
    }

    /// Throws `balls` balls like this one, each into the least loaded of `d` uniform bins: [`least_of`] ball
    /// by ball.
    ///
    /// This is a loop that a kind of loads may want to write for itself; the bins, and the outputs taken from
    /// the generator, are those of the provided method.
    fn throw_to_least<R: Rng + ?Sized>(&mut self, d: impl Into<Mix<u32>>, ball: &Ball, balls: u64, rng: &mut R) {
        let d = d.into();
        for _ in 0..balls {
            let bin = least_of(self, d, rng);
            self.place(bin, ball);
        }
    }

    /// Throws `balls` balls like this one by a described rule: [`decide_described`] ball by ball, with the
    /// phase looked up once for as long as it lasts.
    ///
    /// As [`throw_to_least`](Self::throw_to_least), a loop that a kind of loads may write for itself.
    fn throw<P, R>(&mut self, rule: &P, ball: &Ball, balls: u64, rng: &mut R)
    where
        Self: Bins<Load = u64>,
        P: Description + ?Sized,
        R: Rng + ?Sized,
    {
        // What a view shows as the total may stand still, or jump at the end of a batch: it is looked at for
        // each ball.
        let mut phase = None;
        for _ in 0..balls {
            let total = self.total();
            let now = match phase {
                Some((from, until, phase)) if (from..until).contains(&total) => phase,
                _ => {
                    let (now, until) = rule.phase(total, self.bins());
                    phase = Some((total, until, now));
                    now
                }
            };
            let bin = decide_described(rule, &now, self, rng).bin;
            self.place(bin, ball);
        }
    }
}

/// What one step puts into the bin that was chosen: nearly always one ball, [`Put::BALL`].
///
/// It says how many balls. What they do to counters it carries along, for the loads that keep them:
/// [`Counters`](crate::Counters).
///
/// # Examples
///
/// ```
/// use core::num::NonZeroU64;
/// use bb_core::Put;
/// use bb_core::counters::Afresh;
///
/// let two = Put::balls(NonZeroU64::new(2).unwrap());
/// assert_eq!((two.count(), two.counter()), (2, None));
/// assert_eq!(Put::BALL.counting(0).counter(), Some(0));
/// assert_eq!(Put::BALL.after(Afresh::COUNT).fresh(), Some(Afresh::COUNT));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Put {
    balls: NonZeroU64,
    counter: Option<u8>,
    fresh: Option<Afresh>,
}

impl Put {
    /// One unit ball.
    pub const BALL: Self = Self::balls(NonZeroU64::MIN);

    /// Returns a put of several unit balls, placed one after another in the same bin (twinning, packing).
    #[must_use]
    pub const fn balls(balls: NonZeroU64) -> Self {
        Self { balls, counter: None, fresh: None }
    }

    /// Adds that counter `which` of the bin is to go up by one, in loads that keep counters.
    ///
    /// Rules that count the accepted samples of each bin use it. Loads without counters ignore it,
    /// so such a rule asks for a view that has them: [`Counters`](crate::Counters).
    #[must_use]
    pub const fn counting(self, which: u8) -> Self {
        Self { counter: Some(which), ..self }
    }

    /// Adds that all counters begin afresh before this is put, in loads that keep counters.
    ///
    /// A rule that follows another on the same loads, or begins a new stage, uses it for its first ball.
    /// Until that ball is placed the counters are those of before; the rule reads them as 0.
    #[must_use]
    pub const fn after(self, fresh: Afresh) -> Self {
        Self { fresh: Some(fresh), ..self }
    }

    /// Returns the number of balls, at least 1.
    #[must_use]
    pub const fn count(self) -> u64 {
        self.balls.get()
    }

    /// Returns the counter that goes up, if any.
    #[must_use]
    pub const fn counter(self) -> Option<u8> {
        self.counter
    }

    /// Returns how the counters begin afresh, if they do.
    #[must_use]
    pub const fn fresh(self) -> Option<Afresh> {
        self.fresh
    }
}
