use bb_core::{Bins, Mix, ParameterError, Put, Rng, StartError};

use crate::counting::check_positive;
use crate::strategy::{Strategy, ThinningStrategy};
use crate::times::balls_until;

/// One strategy for some time, then another, which begins on the loads there are: [`Strategy::then`] makes
/// it.
///
/// Times are in units of `n` balls and need not be integers. Ball `k`, counted from where the whole began,
/// belongs to the first strategy iff `k ≤ n·duration`, exactly. In `a.then(2.0, b)?.then(5.0, c)?` the time
/// of `b` is from 2 to 5; in `a.then(2.0, b.then(3.0, c)?)?` the time of `b` is 3, counted from its own
/// beginning, and so rounded apart.
///
/// *Randomness* and *cost:* those of the strategy whose time it is. Where one that counts begins, its first
/// ball lets the counters begin afresh ([`Afresh`](bb_core::counters::Afresh)).
///
/// # Examples
///
/// ```
/// use bb_thinning::bb_core::{Allocator, LoadVector, WithCounters, RankedVector, rng_for_trial};
/// use bb_thinning::{Strategy, ThetaDrift, Thinning, Threshold};
///
/// // A view with ranks for the drift and with counters for the threshold.
/// let strategy = ThetaDrift::practical().then(7.5, Threshold::new(3)?)?;
/// let mut loads = WithCounters::new(RankedVector::from(LoadVector::new(100)?), strategy.counters())?;
/// let mut rule = Thinning::new(strategy);
/// rule.start_and_run(&mut loads, 750, &mut rng_for_trial(1, 0))?;
/// assert!(!rule.strategy().is_second());
/// rule.run(&mut loads, 1, &mut rng_for_trial(1, 1));
/// assert!(rule.strategy().is_second());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Then<A, B> {
    first: A,
    duration: f64,
    second: B,
    /// The last ball of the first strategy.
    last: u64,
    /// Balls placed since the beginning.
    balls: u64,
    in_second: bool,
}

impl<A: Strategy, B: Strategy> Then<A, B> {
    pub(crate) fn new(first: A, duration: f64, second: B) -> Result<Self, ParameterError> {
        let duration = check_positive("duration", duration)?;
        Ok(Self { first, duration, second, last: 0, balls: 0, in_second: false })
    }

    /// Returns the first strategy.
    #[must_use]
    pub fn first(&self) -> &A {
        &self.first
    }

    /// Returns how long the first strategy lasts, in units of `n` balls.
    #[must_use]
    pub fn duration(&self) -> f64 {
        self.duration
    }

    /// Returns the second strategy.
    #[must_use]
    pub fn second(&self) -> &B {
        &self.second
    }

    /// Tells whether the second strategy has begun.
    #[must_use]
    pub fn is_second(&self) -> bool {
        self.in_second
    }
}

impl<A: Strategy, B: Strategy> Strategy for Then<A, B> {
    #[inline]
    fn samples(&self) -> u32 {
        if self.in_second { self.second.samples() } else { self.first.samples() }
    }
    fn counters(&self) -> u8 {
        self.first.counters().max(self.second.counters())
    }
    #[inline]
    fn is_randomised(&self) -> bool {
        if self.in_second { self.second.is_randomised() } else { self.first.is_randomised() }
    }
    fn unrealizable_at(&self) -> Option<u64> {
        let of_second = || self.second.unrealizable_at().filter(|_| self.in_second).map(|ball| self.last + ball);
        self.first.unrealizable_at().or_else(of_second)
    }
}

impl<V: Bins, A: ThinningStrategy<V>, B: ThinningStrategy<V>> ThinningStrategy<V> for Then<A, B> {
    fn check(&self, bins: &V) -> Result<(), StartError> {
        self.first.check(bins)?;
        self.second.check(bins)
    }
    fn begin(&mut self, bins: &V) {
        self.last = balls_until(self.duration, bins.bins().into());
        (self.balls, self.in_second) = (0, false);
        self.first.begin(bins);
    }
    #[inline]
    fn next_ball<R: Rng + ?Sized>(&mut self, bins: &V, rng: &mut R) {
        if self.balls >= self.last && !self.in_second {
            self.in_second = true;
            self.second.begin(bins);
        }
        if self.in_second {
            self.second.next_ball(bins, rng);
        } else {
            self.first.next_ball(bins, rng);
        }
    }
    #[inline]
    fn accept(&self, bins: &V, bin: V::Bin, sample: u32) -> Mix<bool> {
        if self.in_second { self.second.accept(bins, bin, sample) } else { self.first.accept(bins, bin, sample) }
    }
    #[inline]
    fn put(&self, bins: &V, bin: V::Bin, sample: u32) -> Put {
        if self.in_second { self.second.put(bins, bin, sample) } else { self.first.put(bins, bin, sample) }
    }
    #[inline]
    fn placed(&mut self, bins: &V, was: V::Bin, now: V::Bin, sample: u32) {
        self.balls += 1;
        if self.in_second {
            self.second.placed(bins, was, now, sample);
        } else {
            self.first.placed(bins, was, now, sample);
        }
    }
}
