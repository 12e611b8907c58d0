use bb_core::{ParameterError, Rng};

use crate::error::{MemoryError, StateError};
use crate::model::{Ball, BallStream, Budget, Choice, Computed, Decider, Machine, Samples, State, StateEditor};
use crate::schemes::counters::SaturatingCounters;

/// Approximate counters: `b` bits for each bin hold a Morris counter `c`, which goes up with probability
/// `a^-c`; the lesser takes the ball.
///
/// *State:* `n b` bits. *Decision:* the lesser counter, the first on a tie. *Update:* with probability `a^-c`
/// the counter of the bin goes up, unless it is full. `(a^c − 1)/(a − 1)` is an unbiased estimate of the
/// balls counted (Morris, Comm. ACM, 1978). *Class:* computational. *Randomness:* one coin a ball from
/// the stream of the machine, exact up to `2^-64`. *Cost:* `O(1)` a ball.
///
/// No bound is known here: errors are multiplicative, and results on noisy comparisons ask for bounded ones.
/// Measured at `n = m = 2^16`: mean maximum 5.1, 4.9 and 4.5 for `a` of 2, 1.5 and 1.2, all worse than two
/// saturating bits (3.45).
///
/// # Examples
///
/// ```
/// use bb_memory::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
/// use bb_memory::{ApproximateCounters, Bounded};
///
/// let mut loads = LoadVector::new(10_000)?;
/// let mut rule = Bounded::new(ApproximateCounters::new(10_000, 4, 1.5)?);
/// rule.start_and_run(&mut loads, 10_000, &mut rng_for_trial(1, 0))?;
/// assert!(loads.max_load() <= 6);
///
/// let error = ApproximateCounters::new(10, 4, 1.0).unwrap_err();
/// assert_eq!(error.to_string(), "a = 1.0 is outside (1, inf)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ApproximateCounters {
    counters: SaturatingCounters,
    base: f64,
}

impl ApproximateCounters {
    /// Returns counters of `b` bits to the base `a`.
    ///
    /// # Errors
    ///
    /// If `a` is not finite and above 1, `b` is outside `1..=32`, `bins` outside `1..=2^40`, or there are
    /// more than `2^36` bits.
    pub fn new(bins: u64, bits: u32, base: f64) -> Result<Computed<Self>, MemoryError> {
        ParameterError::require(base > 1.0 && base.is_finite(), "a", base, "(1, inf)")?;
        Computed::new(Self { counters: SaturatingCounters::of_bits(bins, bits)?, base })
    }
}

impl Decider for ApproximateCounters {
    type View = State;

    fn to_words(&self) -> Vec<u64> {
        let mut words = self.counters.to_words();
        words.push(self.base.to_bits());
        words
    }
    fn from_words(words: &[u64]) -> Option<Self> {
        let (&base, counters) = words.split_last()?;
        Some(Self { counters: SaturatingCounters::from_words(counters)?, base: f64::from_bits(base) })
    }
    fn budget(&self) -> Budget {
        self.counters.budget()
    }
    fn view(&self, state: &State) -> Result<State, StateError> {
        self.counters.view(state)
    }
    #[inline]
    fn decide(&self, state: &State, samples: Samples<'_>) -> Choice {
        self.counters.decide(state, samples)
    }
}

impl Machine for ApproximateCounters {
    fn bins(&self) -> Option<u64> {
        self.counters.bins()
    }
    #[inline]
    fn next(&self, state: &mut StateEditor<'_>, ball: Ball<'_>, coins: &mut BallStream) -> Result<(), StateError> {
        let (at, width) = self.counters.place(ball.bin);
        let counter = state.state().get(at, width)?;
        // A word is below 2^64 a^-c with that probability; a conversion of 2^64 or more gives the largest
        // word.
        let below = libm::pow(self.base, -(counter as f64)) * 2_f64.powi(64);
        let up = counter == 0 || coins.next_u64() < below as u64;
        state.set(at, width, (counter + u64::from(up)).min(self.counters.most()))
    }
}
