use bb_core::{ParameterError, Rng};

use super::FieldParameters;
use crate::{
    Budget, Choice, Computed, Decider, Machine, MemoryError, Parameters, Samples, State, StateEditor, StateError,
    StateWriter,
};

/// Saturating counters relative to a base: as soon as all counters are at least 1, the base goes up by one and they go down by one.
///
/// *State:* `b` bits for each bin, and the base, `ceil(lg(floor(m/n) + 1))` bits for `m` balls. *Decision:* the lesser counter. *Update:* the counter of the bin goes up, unless it is full. *ModelClass:* computational. *Cost:* `O(1)` a ball
/// for the counter; a counter that leaves 0 looks for another one at 0, from its bin on, and each time the base goes up all `n` counters are written: `O(log n)` a ball, amortised, where zeros lie as at random.
///
/// Exact while no counter is full: then it is Greedy\[2\]. Where the run is longer than `m` balls the base cannot go up any more; the report counts that as overflows.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelativeCounters {}

/// The parameters of [`RelativeCounters`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RelativeParameters {
    fields: FieldParameters,
    /// The largest base.
    most: u64,
}

impl RelativeCounters {
    /// Returns counters of `b` bits for runs of up to `balls` balls; the type's example shows it.
    ///
    /// # Errors
    ///
    /// If `b` is outside `1..=32`, or `bins` outside `1..=2^40`, or there are more than `2^36` bits.
    pub fn new(bins: u64, bits: u32, balls: u64) -> Result<Computed<Self>, MemoryError> {
        let most = if (1..=32).contains(&bits) { (1 << bits) - 1 } else { 0 };
        let fields = FieldParameters::new(bins, bits, most)?;
        let parameters = RelativeParameters { fields, most: balls / bins };
        if parameters.bits() > 1 << 36 {
            return Err(ParameterError::new("bits", parameters.bits(), "0..=2^36").into());
        }
        Computed::new(parameters)
    }
}

impl RelativeParameters {
    fn base(&self) -> (u64, u32) {
        (self.bits() - u64::from(self.base_width()), self.base_width())
    }
    fn base_width(&self) -> u32 {
        64 - self.most.leading_zeros()
    }
    fn bits(&self) -> u64 {
        self.fields.budget().map_or(0, Budget::get) + u64::from(self.base_width())
    }
}

impl Parameters for RelativeParameters {
    fn to_words(&self) -> Vec<u64> {
        let mut words = self.fields.to_words();
        words.push(self.most);
        words
    }
    fn from_words(words: &[u64]) -> Option<Self> {
        let (&most, fields) = words.split_last()?;
        Some(Self { fields: FieldParameters::from_words(fields)?, most })
    }
}

impl Decider for RelativeCounters {
    type Parameters = RelativeParameters;
    type View = State;

    fn view(parameters: &RelativeParameters, state: &State) -> Result<State, StateError> {
        let (at, width) = parameters.base();
        if state.bits() != parameters.bits() || state.get(at, width)? > parameters.most {
            return Err(StateError::NonCanonical { reason: "the base is out of range" });
        }
        Ok(state.clone())
    }

    #[inline]
    fn decide(parameters: &RelativeParameters, state: &State, sample: Samples<'_>) -> Choice {
        parameters.fields.least(sample, |bin| parameters.fields.read(state, bin))
    }
}

impl Machine for RelativeCounters {
    fn budget(parameters: &RelativeParameters) -> Budget {
        Budget::bits(parameters.bits()).unwrap_or(Budget::NONE)
    }
    fn bins(parameters: &RelativeParameters) -> Option<u64> {
        Some(parameters.fields.bins())
    }
    fn initial(_: &RelativeParameters, _: &mut StateWriter) -> Result<(), StateError> {
        Ok(())
    }
    fn next<R: Rng>(
        parameters: &RelativeParameters,
        state: &mut StateEditor<'_>,
        sample: Samples<'_>,
        place: u32,
        _: &mut R,
    ) -> Result<(), StateError> {
        let fields = &parameters.fields;
        let bin = sample.bins()[place as usize];
        let (at, width) = fields.place(bin);
        let counter = state.state().get(at, width)?;
        state.set(at, width, (counter + 1).min(fields.most()))?;
        if counter > 0 {
            return Ok(());
        }
        let bins = fields.bins() as usize;
        let zero = |bin: usize| fields.read(state.state(), bin) == 0;
        if (bin + 1..bins).chain(0..bin).any(zero) {
            return Ok(());
        }
        let (base_at, base_width) = parameters.base();
        let base = state.state().get(base_at, base_width)?;
        if base == parameters.most {
            return Err(StateError::NonCanonical {
                reason: "the base cannot go up: there are more balls than were planned",
            });
        }
        state.set(base_at, base_width, base + 1)?;
        for bin in 0..bins {
            let (at, width) = fields.place(bin);
            let counter = state.state().get(at, width)?;
            state.set(at, width, counter - 1)?;
        }
        Ok(())
    }
}
