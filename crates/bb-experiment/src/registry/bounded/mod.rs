//! Rules with a bounded memory.

pub(super) mod counters;
pub(super) mod lists;
pub(super) mod others;

use bb_core::{Allocator, LoadVector, ParameterError};
use bb_memory::{Advisor, Bounded, Budget, TieRule};

use super::{Entry, Parameter, Values, memory, parameter};
use crate::number::parse_integer;
use crate::process::Process;

const BM: &str = "Benjamini and Makarychev, Ann. Appl. Probab. 22, 2012";

/// What stands for a budget that `delta` sets.
const BY_DELTA: &str = "n^(1-delta)";

const DELTA: Parameter = parameter("delta", "0.25", "[0, 1]").means("the memory has n^(1 - delta) bits, rounded down");

const BITS: Parameter = parameter("bits", BY_DELTA, "n^(1-delta), 0..=2^36").means("the number of bits");

const TIES: Parameter = parameter("ties", "first", "first, left, coin")
    .means("which of two bins that the memory does not tell apart takes the ball");

const D: Parameter = parameter("d", "2", "1..=2^16").means("the number of bins sampled for a ball");

/// The process of a memory that an advisor writes.
fn bounded<A>(values: &Values<'_>, advisor: A) -> Process
where
    A: Advisor + 'static,
    Bounded<A>: Allocator<LoadVector> + Clone + Send + Sync,
{
    Process::memory(values.name(), Bounded::new(advisor), Bounded::report)
}

fn tie_rule(values: &Values<'_>, key: &str) -> Result<TieRule, ParameterError> {
    values.choose(key, &[("first", TieRule::First), ("left", TieRule::Left), ("coin", TieRule::Coin)])
}

/// The budget, given by one of the two.
fn budget(values: &Values<'_>) -> Result<Budget, ParameterError> {
    let delta = values.real("delta")?;
    let bits = values.read("bits", |text| if text == BY_DELTA { Ok(None) } else { parse_integer(text).map(Some) })?;
    match bits {
        None => Budget::from_delta(values.size.bins, delta),
        Some(bits) => {
            if let Some(given) = values.spec.get("delta") {
                return Err(ParameterError::new("delta", given, "what bits leaves open: it is the budget"));
            }
            Budget::bits(bits)
        }
    }
}
