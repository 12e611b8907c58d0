use bb_core::{ParameterError, Rng};

use super::FieldParameters;
use crate::{
    Budget, Choice, Computed, Decider, Machine, MemoryError, Parameters, Samples, State, StateEditor, StateError,
    StateWriter,
};

/// Approximate counters: `b` bits for each bin hold a Morris counter `c`, which goes up with probability `a^-c`; the lesser takes the ball.
///
/// *State:* `n b` bits. *Decision:* the lesser counter, the first on a tie. *Update:* with probability `a^-c` the counter of the bin goes up, unless it is full. `(a^c − 1)/(a − 1)` is an unbiased estimate of the balls counted (Morris, Comm. ACM, 1978). *ModelClass:* computational. *Randomness:* one coin a ball from
/// the stream of the machine, exact up to `2^-64`. *Cost:* `O(1)` a ball.
///
/// No bound is known here: errors are multiplicative, and results on noisy comparisons ask for bounded ones. Measured at `n = m = 2^16`: mean maximum 5.1, 4.9 and 4.5 for `a` of 2, 1.5 and 1.2, all worse than two saturating bits (3.45).
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApproximateCounters {}

/// The parameters of [`ApproximateCounters`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ApproximateParameters {
    fields: FieldParameters,
    base: f64,
}

impl ApproximateCounters {
    /// Returns counters of `b` bits to the base `a`; the type's example shows it.
    ///
    /// # Errors
    ///
    /// If `a` is not finite and above 1, `b` is outside `1..=32`, `bins` outside `1..=2^40`, or there are more than `2^36` bits.
    pub fn new(bins: u64, bits: u32, base: f64) -> Result<Computed<Self>, MemoryError> {
        if !(base > 1.0 && base.is_finite()) {
            return Err(ParameterError::new("a", format!("{base:?}"), "(1, inf)").into());
        }
        let most = if (1..=32).contains(&bits) { (1 << bits) - 1 } else { 0 };
        Computed::new(ApproximateParameters { fields: FieldParameters::new(bins, bits, most)?, base })
    }
}

impl Parameters for ApproximateParameters {
    fn to_words(&self) -> Vec<u64> {
        let mut words = self.fields.to_words();
        words.push(self.base.to_bits());
        words
    }
    fn from_words(words: &[u64]) -> Option<Self> {
        let (&base, fields) = words.split_last()?;
        Some(Self { fields: FieldParameters::from_words(fields)?, base: f64::from_bits(base) })
    }
}

impl Decider for ApproximateCounters {
    type Parameters = ApproximateParameters;
    type View = State;

    fn view(parameters: &ApproximateParameters, state: &State) -> Result<State, StateError> {
        parameters.fields.checked(state)
    }
    #[inline]
    fn decide(parameters: &ApproximateParameters, state: &State, sample: Samples<'_>) -> Choice {
        parameters.fields.least(sample, |bin| parameters.fields.read(state, bin))
    }
}

impl Machine for ApproximateCounters {
    fn budget(parameters: &ApproximateParameters) -> Budget {
        parameters.fields.budget().unwrap_or(Budget::NONE)
    }
    fn bins(parameters: &ApproximateParameters) -> Option<u64> {
        Some(parameters.fields.bins())
    }
    fn initial(_: &ApproximateParameters, _: &mut StateWriter) -> Result<(), StateError> {
        Ok(())
    }
    fn next<R: Rng>(
        parameters: &ApproximateParameters,
        state: &mut StateEditor<'_>,
        sample: Samples<'_>,
        place: u32,
        coins: &mut R,
    ) -> Result<(), StateError> {
        let fields = &parameters.fields;
        let (at, width) = fields.place(sample.bins()[place as usize]);
        let counter = state.state().get(at, width)?;
        // A word is below 2^64 a^-c with that probability; a conversion of 2^64 or more gives the largest word.
        let below = libm::pow(parameters.base, -(counter as f64)) * 2_f64.powi(64);
        let up = counter == 0 || coins.next_u64() < below as u64;
        state.set(at, width, (counter + u64::from(up)).min(fields.most()))
    }
}
