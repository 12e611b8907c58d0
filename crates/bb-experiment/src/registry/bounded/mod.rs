//! Rules with a bounded memory.

pub(super) mod counters;
pub(super) mod lists;
pub(super) mod others;

use bb_core::{Allocator, LoadVector, ParameterError};
use bb_memory::{Advisor, Bounded, Budget, TieRule};

use super::{Entry, Kind, Parameter, RuleInfo, Values};
use crate::number::parse_integer;
use crate::process::Process;

const BM: &str = "Benjamini and Makarychev, Ann. Appl. Probab. 22, 2012";

/// What stands for a budget that `delta` sets.
const BY_DELTA: &str = "n^(1-delta)";

const DELTA: Parameter = Parameter {
    key: "delta",
    default: "0.25",
    range: "[0, 1]",
    meaning: "the memory has n^(1 - delta) bits, rounded down",
};

const BITS: Parameter =
    Parameter { key: "bits", default: BY_DELTA, range: "n^(1-delta), 0..=2^36", meaning: "the number of bits" };

const TIES: Parameter = Parameter {
    key: "ties",
    default: "first",
    range: "first, left, coin",
    meaning: "which of two bins that the memory does not tell apart takes the ball",
};

const D: Parameter =
    Parameter { key: "d", default: "2", range: "1..=2^16", meaning: "the number of bins offered to a ball" };

/// The process of a memory that an advisor writes.
fn bounded<A>(values: &Values<'_>, advisor: A) -> Process
where
    A: Advisor + 'static,
    Bounded<A>: Allocator<LoadVector> + Clone + Send + Sync,
{
    Process::memory(values.name(), Bounded::new(advisor), Bounded::report)
}

fn tie_rule(values: &Values<'_>, key: &str) -> Result<TieRule, ParameterError> {
    Ok([TieRule::First, TieRule::Left, TieRule::Coin][values.one_of(key, &["first", "left", "coin"])?])
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
