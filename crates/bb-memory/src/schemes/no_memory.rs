use crate::error::{MemoryError, StateError};
use crate::model::{
    Ball, BallStream, Budget, Choice, Computed, Decider, Machine, Samples, State, StateEditor, TieRule, checked_bins,
};

/// No memory at all: a single state, and the same decision for every ball.
///
/// *Decision:* the first sample (One-Choice on the first samples), the bin on the left, or a coin. *Bits:* 0.
///
/// # Guarantees
///
/// Whatever a decision without memory is, the maximum load is `(1 + o(1)) ln n/ln ln n` for `m = n` with high
/// probability: a bin takes a ball with probability at most `2/n`, and most bins with a constant share of
/// `1/n` (Benjamini and Makarychev, Ann. Appl. Probab. 22(4), 2012, arXiv 0901.1155, credit N. Alon with this
/// case). So a second choice is worth nothing to first order without memory.
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
pub struct NoMemory {
    bins: u64,
    rule: TieRule,
}

impl NoMemory {
    /// Returns the scheme for `bins` bins.
    ///
    /// # Errors
    ///
    /// If `bins` is outside `1..=2^40`.
    pub fn new(bins: u64, rule: TieRule) -> Result<Computed<Self>, MemoryError> {
        Computed::new(Self { bins: checked_bins(bins)?, rule })
    }
}

impl Decider for NoMemory {
    type View = State;

    fn to_words(&self) -> Vec<u64> {
        vec![self.bins, self.rule.to_word()]
    }
    fn from_words(words: &[u64]) -> Option<Self> {
        let &[bins, rule] = words else { return None };
        Some(Self { bins, rule: TieRule::from_word(rule)? })
    }
    fn budget(&self) -> Budget {
        Budget::NONE
    }
    fn view(&self, state: &State) -> Result<State, StateError> {
        state.reader().finish()?;
        Ok(state.clone())
    }
    #[inline]
    fn decide(&self, _: &State, samples: Samples<'_>) -> Choice {
        Choice::tie(self.rule, samples)
    }
}

impl Machine for NoMemory {
    fn bins(&self) -> Option<u64> {
        Some(self.bins)
    }
    #[inline]
    fn next(&self, _: &mut StateEditor<'_>, _: Ball<'_>, _: &mut BallStream) -> Result<(), StateError> {
        Ok(())
    }
    fn follows_removals(&self) -> bool {
        true
    }
}
