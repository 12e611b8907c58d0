use crate::error::{MemoryError, StateError, refuse};
use crate::model::{
    Ball, BallStream, Budget, Choice, Computed, Decider, Machine, Samples, State, StateEditor, checked_bins,
};
use crate::numbers::width;

/// A clock hand: the sample that comes first from the hand on takes the ball, and the hand moves behind it.
///
/// The bins lie on a circle. A bin that has just received lies right behind the hand, so it has to wait for
/// the hand to come round.
///
/// *State:* the position of the hand, `ceil(lg n)` bits. *Decision:* the smaller distance from the hand; both
/// samples are the same bin on a tie. *Class:* computational. *Randomness:* none. *Cost:* `O(1)` per ball.
///
/// With `lg n` bits the lower bound of Benjamini and Makarychev (Ann. Appl. Probab. 22(4), 2012, arXiv
/// 0901.1155) leaves the maximum of One-Choice to first order. Measured at `n = m = 4096`: mean maximum 6.3,
/// without memory 6.2. It is here as the smallest machine that does something, to begin one of your own from.
///
/// # Examples
///
/// ```
/// use bb_memory::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
/// use bb_memory::{Bounded, ClockHand};
///
/// let mut loads = LoadVector::new(1000)?;
/// let mut rule = Bounded::new(ClockHand::new(1000)?);
/// rule.start_and_run(&mut loads, 1000, &mut rng_for_trial(1, 0))?;
/// assert_eq!(rule.report().budget().get(), 10);
/// assert!(loads.max_load() <= 8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockHand {
    bins: u64,
    budget: Budget,
}

impl ClockHand {
    /// Returns the scheme for `bins` bins.
    ///
    /// # Errors
    ///
    /// If `bins` is outside `1..=2^40`.
    pub fn new(bins: u64) -> Result<Computed<Self>, MemoryError> {
        Computed::new(Self::on(bins)?)
    }

    fn on(bins: u64) -> Result<Self, MemoryError> {
        let bins = checked_bins(bins)?;
        Ok(Self { bins, budget: Budget::bits(u64::from(width(bins - 1)))? })
    }

    #[inline]
    fn hand(&self, state: &State) -> Result<u64, StateError> {
        state.get(0, width(self.bins - 1))
    }
}

impl Decider for ClockHand {
    /// The position of the hand.
    type View = State;

    fn to_words(&self) -> Vec<u64> {
        vec![self.bins]
    }
    fn from_words(words: &[u64]) -> Option<Self> {
        let &[bins] = words else { return None };
        Self::on(bins).ok()
    }
    fn budget(&self) -> Budget {
        self.budget
    }
    fn view(&self, state: &State) -> Result<State, StateError> {
        if self.hand(state)? < self.bins { Ok(state.clone()) } else { refuse("the hand points at no bin") }
    }
    #[inline]
    fn decide(&self, state: &State, samples: Samples<'_>) -> Choice {
        let hand = self.hand(state).unwrap_or(0);
        let distance = |bin: usize| (bin as u64 + self.bins - hand) % self.bins;
        let bins = samples.bins();
        Choice::sure(u32::from(distance(bins[1]) < distance(bins[0])))
    }
}

impl Machine for ClockHand {
    fn bins(&self) -> Option<u64> {
        Some(self.bins)
    }
    #[inline]
    fn next(&self, state: &mut StateEditor<'_>, ball: Ball<'_>, _: &mut BallStream) -> Result<(), StateError> {
        state.set(0, width(self.bins - 1), (ball.bin as u64 + 1) % self.bins)
    }
}
