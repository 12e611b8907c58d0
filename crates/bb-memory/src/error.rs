//! What can go wrong: [`StateError`], [`MemoryError`], [`RunError`].

use bb_core::{ParameterError, StartError};
use thiserror::Error;

/// A string of bits cannot be written within its budget, or means nothing.
///
/// # Examples
///
/// ```
/// use bb_memory::{Budget, StateError, StateWriter};
///
/// let mut writer = StateWriter::new(Budget::bits(3)?)?;
/// writer.write(0b101, 3)?;
/// assert_eq!(writer.write(1, 1), Err(StateError::OverBudget { needed: 4, budget: 3 }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum StateError {
    /// There are more bits to write than the budget has.
    #[error("the state needs at least {needed} bits, outside 0..={budget}, the budget")]
    OverBudget {
        /// Bits up to the end of the first field that does not fit.
        needed: u64,
        /// The budget.
        budget: u64,
    },
    /// A value does not fit its field.
    #[error("value = {value} is outside 0..2^{width}, its field")]
    FieldTooNarrow {
        /// The value.
        value: u64,
        /// The bits of the field.
        width: u32,
    },
    /// A field is wider than 64 bits, or lies beyond the end of the state.
    #[error("a field of {width} bits at bit {at} is outside the {bits} bits of the state, or wider than 64")]
    NoSuchField {
        /// The first bit.
        at: u64,
        /// The bits of the field.
        width: u32,
        /// The bits of the state.
        bits: u64,
    },
    /// The bits are not the one string that stands for their meaning: entries not sorted, padding not zero, a
    /// value out of range.
    #[error("the state is not canonical: {reason}")]
    NonCanonical {
        /// What is wrong.
        reason: &'static str,
    },
    /// A count is too large for its field: the excess of a listed bin must be below `range`.
    #[error("excess = {excess} of bin {bin} is outside 0..{range}, the range of counts")]
    CountRange {
        /// The bin.
        bin: u64,
        /// Its count above the threshold.
        excess: u64,
        /// The number of counts there are.
        range: u64,
    },
    /// The memory for the bits cannot be had.
    #[error("bits = {bits} needs more memory than can be had")]
    DoesNotFit {
        /// The number of bits.
        bits: u64,
    },
}

/// Refuses bits that mean nothing.
#[inline]
pub(crate) fn refuse<T>(reason: &'static str) -> Result<T, StateError> {
    Err(StateError::NonCanonical { reason })
}

/// A scheme cannot be made from what was given.
///
/// # Examples
///
/// ```
/// use bb_memory::{Budget, HeavyList, MemoryError};
///
/// // 16 bits for 2^16 bins: not even one name fits.
/// let error = HeavyList::fill(1 << 16, Budget::bits(16)?).unwrap_err();
/// assert_eq!(error, MemoryError::BudgetTooSmall { budget: 16, needed: 20 });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// A parameter is outside its range.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// The budget does not hold one entry, so the scheme would be no memory at all.
    #[error("bits = {budget} is outside {needed}.., what one entry takes")]
    BudgetTooSmall {
        /// The budget.
        budget: u64,
        /// The bits of a list of one entry.
        needed: u64,
    },
    /// The scheme needs a budget of exactly so many bits or more.
    #[error("bits = {budget} is outside {needed}.., what the scheme takes")]
    BudgetBelowState {
        /// The budget.
        budget: u64,
        /// The bits of the state.
        needed: u64,
    },
    /// A formula is not defined, or has no useful value, for these parameters.
    #[error("{formula} is not defined for n = {bins}, delta = {delta:?}: {reason}")]
    Undefined {
        /// The formula.
        formula: &'static str,
        /// The number of bins.
        bins: u64,
        /// The parameter δ.
        delta: f64,
        /// Why.
        reason: &'static str,
    },
    /// The state cannot be written.
    #[error(transparent)]
    State(#[from] StateError),
}

/// A step cannot be taken, and nothing was placed.
///
/// # Examples
///
/// ```
/// use bb_memory::bb_core::{Bins, LoadVector, rng_for_trial};
/// use bb_memory::{Bounded, Budget, HeavyList, RunError};
///
/// // A list with a fixed threshold that stops where it outgrows its budget.
/// let list = HeavyList::fixed(100, Budget::bits(30)?, 1.0)?.stopping();
/// let (mut rule, mut loads, mut rng) = (Bounded::new(list), LoadVector::new(100)?, rng_for_trial(1, 0));
/// let error = loop {
///     if let Err(error) = rule.try_step(&mut loads, &mut rng) {
///         break error;
///     }
/// };
/// assert!(matches!(error, RunError::Overflow { budget: 30, step, .. } if step == loads.total()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum RunError {
    /// The rule cannot begin on these loads.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The next state does not fit its budget.
    #[error("before step {step} the state needs {needed} bits, outside 0..={budget}, the budget")]
    Overflow {
        /// Balls placed before.
        step: u64,
        /// The bits needed.
        needed: u64,
        /// The budget.
        budget: u64,
    },
    /// The next state cannot be written or read.
    #[error("before step {step}: {error}")]
    State {
        /// Balls placed before.
        step: u64,
        /// What is wrong.
        error: StateError,
    },
    /// A sampled bin does not exist.
    #[error("sample = {bin} is outside 0..{bins}")]
    NoSuchBin {
        /// The bin.
        bin: usize,
        /// The number of bins.
        bins: u64,
    },
    /// The number of samples is not that of the rule.
    #[error("samples = {found} is outside {asked}..={asked}, what the rule takes")]
    Samples {
        /// The number given.
        found: usize,
        /// The number the rule takes.
        asked: u32,
    },
    /// Samples that must be distinct are not.
    #[error("bin {bin} is drawn twice, without replacement")]
    Repeated {
        /// The bin.
        bin: usize,
    },
    /// A ball left a bin, and the scheme cannot follow.
    #[error("a ball left bin {bin}, and the scheme has no rule for that")]
    NoRemoval {
        /// The bin.
        bin: usize,
    },
}
