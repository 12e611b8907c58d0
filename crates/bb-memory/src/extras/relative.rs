use crate::error::{MemoryError, StateError, refuse};
use crate::model::{Ball, BallStream, Budget, Choice, Computed, Decider, Machine, Samples, State, StateEditor};
use crate::numbers::width;
use crate::schemes::counters::{SaturatingCounters, add_one};

/// Saturating counters relative to a base: as soon as all counters are at least 1, the base goes up by one
/// and they go down by one.
///
/// *State:* `b` bits for each bin, and the base, `ceil(lg(floor(m/n) + 1))` bits for `m` balls. *Decision:*
/// the lesser counter. *Update:* the counter of the bin goes up, unless it is full. *Class:*
/// computational. *Cost:* `O(1)` a ball for the counter; a counter that leaves 0 looks for another one at 0,
/// from its bin on, and each time the base goes up all `n` counters are written: `O(log n)` a ball,
/// amortised, where zeros lie as at random.
///
/// Exact while no counter is full: then it is Greedy\[2\]. Where the run is longer than `m` balls the base
/// cannot go up any more; the report counts that as overflows.
///
/// # Examples
///
/// ```
/// use bb_memory::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
/// use bb_memory::{Bounded, RelativeCounters, SaturatingCounters};
///
/// let (n, m) = (1000, 16_000);
/// let (mut relative, mut absolute) = (LoadVector::new(n)?, LoadVector::new(n)?);
/// let mut rule = Bounded::new(RelativeCounters::new(n, 4, m)?);
/// rule.start_and_run(&mut relative, m, &mut rng_for_trial(1, 0))?;
/// Bounded::new(SaturatingCounters::new(n, 4)?).start_and_run(&mut absolute, m, &mut rng_for_trial(1, 0))?;
/// assert!(relative.gap() <= 3.0 && absolute.gap() > 4.0);
/// assert_eq!(rule.report().budget().get(), 4 * n + 5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RelativeCounters {
    counters: SaturatingCounters,
    /// The largest base.
    most: u64,
    budget: Budget,
}

impl RelativeCounters {
    /// Returns counters of `b` bits for runs of up to `balls` balls.
    ///
    /// # Errors
    ///
    /// If `b` is outside `1..=32`, or `bins` outside `1..=2^40`, or there are more than `2^36` bits.
    pub fn new(bins: u64, bits: u32, balls: u64) -> Result<Computed<Self>, MemoryError> {
        let counters = SaturatingCounters::of_bits(bins, bits)?;
        Computed::new(Self::with_base(counters, balls / bins)?)
    }

    fn with_base(counters: SaturatingCounters, most: u64) -> Result<Self, MemoryError> {
        let budget = Budget::bits(counters.budget().get() + u64::from(width(most)))?;
        Ok(Self { counters, most, budget })
    }

    /// The base, behind the counters: its first bit, and its width.
    fn base(&self) -> (u64, u32) {
        (self.counters.budget().get(), width(self.most))
    }
}

impl Decider for RelativeCounters {
    type View = State;

    fn to_words(&self) -> Vec<u64> {
        let mut words = self.counters.to_words();
        words.push(self.most);
        words
    }
    fn from_words(words: &[u64]) -> Option<Self> {
        let (&most, counters) = words.split_last()?;
        Self::with_base(SaturatingCounters::from_words(counters)?, most).ok()
    }
    fn budget(&self) -> Budget {
        self.budget
    }
    fn view(&self, state: &State) -> Result<State, StateError> {
        let (at, width) = self.base();
        if state.bits() != self.budget.get() || state.get(at, width)? > self.most {
            return refuse("the base is out of range");
        }
        Ok(state.clone())
    }

    #[inline]
    fn decide(&self, state: &State, samples: Samples<'_>) -> Choice {
        self.counters.decide(state, samples)
    }
}

impl Machine for RelativeCounters {
    fn bins(&self) -> Option<u64> {
        self.counters.bins()
    }
    #[inline]
    fn next(&self, state: &mut StateEditor<'_>, ball: Ball<'_>, _: &mut BallStream) -> Result<(), StateError> {
        let (counters, bin) = (&self.counters, ball.bin);
        let first = counters.read(state.state(), bin) == 0;
        add_one(state, counters.place(bin), counters.most())?;
        let bins = counters.bins().unwrap_or(0) as usize;
        let zero = |bin: usize| counters.read(state.state(), bin) == 0;
        if !first || (bin + 1..bins).chain(0..bin).any(zero) {
            return Ok(());
        }
        let (at, width) = self.base();
        let base = state.state().get(at, width)?;
        if base == self.most {
            return refuse("the base cannot go up: there are more balls than were planned");
        }
        state.set(at, width, base + 1)?;
        (0..bins).try_for_each(|bin| {
            let (at, width) = counters.place(bin);
            state.set(at, width, counters.read(state.state(), bin) - 1)
        })
    }
}
