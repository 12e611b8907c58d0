use bb_core::Rng;

use super::{CompareFields, FieldParameters};
use crate::{
    Budget, Choice, Computed, Decider, Machine, MemoryError, Samples, State, StateEditor, StateError, StateWriter,
    TieRule,
};

/// Saturating counters: `b` bits for each bin count its balls up to `2^b − 1`, and the lesser counter takes the ball.
///
/// *State:* `min(load, 2^b − 1)` of each bin; `n b` bits. *Decision:* the least counter among `d ≥ 1` samples. *Update:* the counter of the bin goes up, unless it is full. *ModelClass:* computational. *Cost:* `O(d)` a ball. A ball that leaves takes one off a counter that is not
/// full; what a full one stands for is not known.
///
/// # Guarantees
///
/// On every path and for the same samples and ties as Greedy\[d\], `min(load, 2^b − 1)` is that of Greedy\[d\] for all bins at all times: as long as the lesser counter is not full both choose alike, and else the truncated loads do not move. So it *is* Greedy\[d\] while that has
/// a maximum below the cap. About `log log log n` bits a bin do for `m = n` (Benjamini and Makarychev, Ann. Appl. Probab. 22(4), 2012).
///
/// Measured at `m = n`, two samples, for `n = 2^16` and `2^20`: mean maximum 6.0 and 6.8 for `b = 1`, 3.45 and 4.0 for `b = 2`, where Greedy\[2\] has 3.4 and 4.0. With many balls a bin all counters are full, and it is One-Choice; [`RelativeCounters`](crate::RelativeCounters) are for that.
///
/// # Examples
///
/// ```
/// use bb_memory::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
/// use bb_memory::{Bounded, ModelClass, SaturatingCounters, TieRule};
///
/// let mut loads = LoadVector::new(10_000)?;
/// let mut rule = Bounded::new(SaturatingCounters::new(10_000, 2)?);
/// rule.start_and_run(&mut loads, 10_000, &mut rng_for_trial(1, 0))?;
/// assert!(loads.max_load() <= 4);
/// assert_eq!((rule.report().budget().get(), rule.report().class()), (20_000, ModelClass::Computational));
///
/// let error = SaturatingCounters::new(10, 33).unwrap_err();
/// assert_eq!(error.to_string(), "b = 33 is outside 1..=32");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SaturatingCounters {}

impl SaturatingCounters {
    /// Returns counters of `b` bits for two samples, ties to the first; the type's example shows it.
    ///
    /// # Errors
    ///
    /// If `b` is outside `1..=32`, or `bins` outside `1..=2^40`, or there are more than `2^36` bits.
    pub fn new(bins: u64, bits: u32) -> Result<Computed<Self>, MemoryError> {
        Self::with_choices(bins, bits, 2, TieRule::First)
    }

    /// Returns counters of `b` bits for `d` samples.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new), and if `d` is outside `1..=2^16`.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_memory::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
    /// use bb_memory::{Bounded, SaturatingCounters, TieRule};
    ///
    /// let mut loads = LoadVector::new(10_000)?;
    /// let mut rule = Bounded::new(SaturatingCounters::with_choices(10_000, 2, 4, TieRule::Coin)?);
    /// rule.start_and_run(&mut loads, 10_000, &mut rng_for_trial(1, 0))?;
    /// assert!(loads.max_load() <= 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_choices(bins: u64, bits: u32, choices: u32, ties: TieRule) -> Result<Computed<Self>, MemoryError> {
        let most = if (1..=32).contains(&bits) { (1 << bits) - 1 } else { 0 };
        Computed::new(FieldParameters::new(bins, bits, most)?.with_samples(choices)?.with_ties(ties))
    }
}

impl Decider for SaturatingCounters {
    type Parameters = FieldParameters;
    type View = State;

    fn samples(parameters: &FieldParameters) -> u32 {
        parameters.samples()
    }
    fn view(parameters: &FieldParameters, state: &State) -> Result<State, StateError> {
        CompareFields::view(parameters, state)
    }
    #[inline]
    fn decide(parameters: &FieldParameters, state: &State, sample: Samples<'_>) -> Choice {
        CompareFields::decide(parameters, state, sample)
    }
}

impl Machine for SaturatingCounters {
    fn budget(parameters: &FieldParameters) -> Budget {
        parameters.budget().unwrap_or(Budget::NONE)
    }
    fn bins(parameters: &FieldParameters) -> Option<u64> {
        Some(parameters.bins())
    }
    fn initial(_: &FieldParameters, _: &mut StateWriter) -> Result<(), StateError> {
        Ok(())
    }
    #[inline]
    fn next<R: Rng>(
        parameters: &FieldParameters,
        state: &mut StateEditor<'_>,
        sample: Samples<'_>,
        place: u32,
        _: &mut R,
    ) -> Result<(), StateError> {
        let bin = sample.bins()[place as usize];
        let (at, width) = parameters.place(bin);
        let counter = state.state().get(at, width)?;
        state.set(at, width, (counter + 1).min(parameters.most()))
    }
    fn follows_removals(_: &FieldParameters) -> bool {
        true
    }
    fn removed(parameters: &FieldParameters, state: &mut StateEditor<'_>, bin: usize) -> Result<(), StateError> {
        take_one(state, parameters.place(bin), parameters.most())
    }
}

/// Takes one off a counter, if it says how many balls there are.
pub(crate) fn take_one(state: &mut StateEditor<'_>, (at, width): (u64, u32), full: u64) -> Result<(), StateError> {
    match state.state().get(at, width)? {
        0 => Err(StateError::NonCanonical { reason: "a ball leaves where none is counted" }),
        counter if counter == full => {
            Err(StateError::NonCanonical { reason: "the counter is full, so what it becomes is not known" })
        }
        counter => state.set(at, width, counter - 1),
    }
}
