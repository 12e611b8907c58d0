use bb_core::{Bins, ParameterError, Rng, StartError};

use crate::counting::{check_duration, check_positive};
use crate::strategy::wrapped::{decisions_of_field, strategy_of_field};
use crate::strategy::{Strategy, ThinningStrategy};
use crate::times::balls_until;

/// A strategy again and again, begun on the loads there are each time: [`Strategy::cycle`] makes it.
///
/// Round `j` has the balls `k` with `n·(j − 1)·duration < k ≤ n·j·duration`, exactly, counted from where the
/// whole began. A round has a ball at least, or the strategy refuses to start.
///
/// *Randomness* and *cost:* those of the strategy.
///
/// # Examples
///
/// ```
/// use bb_thinning::bb_core::{Allocator, LoadVector, WithCounters, Metrics, rng_for_trial};
/// use bb_thinning::{Strategy, Thinning, Threshold};
///
/// // Begun anew every 1.5·n balls.
/// let mut rule = Thinning::new(Threshold::new(3)?.cycle(1.5)?);
/// let mut loads = WithCounters::new(LoadVector::new(101)?, 1)?;
/// rule.start_and_run(&mut loads, 1000, &mut rng_for_trial(1, 0))?;
/// // Balls 1 to 151, 152 to 303, and so on; the seventh round goes up to ball 1060.
/// assert_eq!(rule.strategy().round(), 7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Cycle<S> {
    strategy: S,
    duration: f64,
    round: u64,
    /// The last ball of this round.
    last: u64,
    /// The last ball before this round.
    before: u64,
    /// Balls placed since the beginning.
    balls: u64,
    /// In an earlier round.
    unrealizable_at: Option<u64>,
}

impl<S: Strategy> Cycle<S> {
    pub(crate) fn new(strategy: S, duration: f64) -> Result<Self, ParameterError> {
        let duration = check_positive("duration", duration)?;
        Ok(Self { strategy, duration, round: 1, last: 0, before: 0, balls: 0, unrealizable_at: None })
    }

    /// Returns the strategy of a round.
    #[must_use]
    pub fn strategy(&self) -> &S {
        &self.strategy
    }

    /// Returns how long a round lasts, in units of `n` balls.
    #[must_use]
    pub fn duration(&self) -> f64 {
        self.duration
    }

    /// Returns the number of this round, from 1.
    #[must_use]
    pub fn round(&self) -> u64 {
        self.round
    }

    /// The last ball of a round: `⌊n·round·duration⌋`.
    fn last_of(&self, round: u64, bins: u64) -> u64 {
        balls_until(self.duration, u128::from(bins) * u128::from(round))
    }
}

impl<S: Strategy> Strategy for Cycle<S> {
    strategy_of_field!();
    fn unrealizable_at(&self) -> Option<u64> {
        self.unrealizable_at.or_else(|| self.strategy.unrealizable_at().map(|ball| self.before + ball))
    }
}

impl<V: Bins, S: ThinningStrategy<V>> ThinningStrategy<V> for Cycle<S> {
    fn check(&self, bins: &V) -> Result<(), StartError> {
        check_duration(self.duration, bins.bins())?;
        self.strategy.check(bins)
    }
    fn begin(&mut self, bins: &V) {
        (self.round, self.before, self.balls, self.unrealizable_at) = (1, 0, 0, None);
        self.last = self.last_of(1, bins.bins()).max(1);
        self.strategy.begin(bins);
    }
    #[inline]
    fn next_ball<R: Rng + ?Sized>(&mut self, bins: &V, rng: &mut R) {
        if self.balls >= self.last {
            self.unrealizable_at = self.unrealizable_at();
            self.before = self.balls;
            self.round += 1;
            // A ball a round at least, as `check` asks for.
            self.last = self.last_of(self.round, bins.bins()).max(self.balls + 1);
            self.strategy.begin(bins);
        }
        self.strategy.next_ball(bins, rng);
    }
    decisions_of_field!(V);
    #[inline]
    fn placed(&mut self, bins: &V, was: V::Bin, now: V::Bin, sample: u32) {
        self.balls += 1;
        self.strategy.placed(bins, was, now, sample);
    }
}
