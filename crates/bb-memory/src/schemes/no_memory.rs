use bb_core::Rng;

use crate::model::checked_bins;
use crate::{
    Budget, Choice, Computed, Decider, Machine, MemoryError, Parameters, Samples, State, StateEditor, StateError,
    StateWriter, TieRule,
};

/// No memory at all: a single state, and the same decision for every ball.
///
/// *Decision:* the first sample (One-Choice on the first samples), the bin on the left, or a coin. *Bits:* 0.
///
/// # Guarantees
///
/// Whatever a decision without memory is, the maximum load is `(1 + o(1)) ln n/ln ln n` for `m = n` with high probability: a bin takes a ball with probability at most `2/n`, and most bins with a constant share of `1/n`
/// (Benjamini and Makarychev, Ann. Appl. Probab. 22(4), 2012, arXiv 0901.1155, credit N. Alon with this case). So a second choice is worth nothing to first order without memory.
///
/// # Examples
///
/// ```
/// use bb_memory::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
/// use bb_memory::{Bounded, NoMemory, TieRule};
///
/// let mut loads = LoadVector::new(1000)?;
/// let mut rule = Bounded::new(NoMemory::new(1000, TieRule::First)?);
/// rule.start_and_run(&mut loads, 1000, &mut rng_for_trial(1, 0))?;
/// assert!(loads.max_load() >= 4 && rule.report().budget().get() == 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoMemory {}

impl NoMemory {
    /// Returns the scheme for `bins` bins; the type's example shows it.
    ///
    /// # Errors
    ///
    /// If `bins` is outside `1..=2^40`.
    pub fn new(bins: u64, rule: TieRule) -> Result<Computed<Self>, MemoryError> {
        Computed::new(OneRule { bins: checked_bins(bins)?, rule })
    }
}

/// The parameters of [`NoMemory`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OneRule {
    bins: u64,
    rule: TieRule,
}

impl Parameters for OneRule {
    fn to_words(&self) -> Vec<u64> {
        vec![self.bins, self.rule.to_word()]
    }
    fn from_words(words: &[u64]) -> Option<Self> {
        let &[bins, rule] = words else { return None };
        Some(Self { bins, rule: TieRule::from_word(rule)? })
    }
}

impl Decider for NoMemory {
    type Parameters = OneRule;
    type View = State;

    fn view(_: &OneRule, state: &State) -> Result<State, StateError> {
        state.reader().finish()?;
        Ok(state.clone())
    }

    #[inline]
    fn decide(parameters: &OneRule, _: &State, sample: Samples<'_>) -> Choice {
        Choice::tie(parameters.rule, sample)
    }
}

impl Machine for NoMemory {
    fn budget(_: &OneRule) -> Budget {
        Budget::NONE
    }
    fn bins(parameters: &OneRule) -> Option<u64> {
        Some(parameters.bins)
    }
    fn initial(_: &OneRule, _: &mut StateWriter) -> Result<(), StateError> {
        Ok(())
    }
    fn next<R: Rng>(_: &OneRule, _: &mut StateEditor<'_>, _: Samples<'_>, _: u32, _: &mut R) -> Result<(), StateError> {
        Ok(())
    }
    fn follows_removals(_: &OneRule) -> bool {
        true
    }
}
