//! Lists of bins.

use bb_core::ParameterError;
use bb_memory::{EpochAdvice, Format, HeavyList, IdleHint, Layout, Overflow, Policy};

use super::{BITS, BM, DELTA, Entry, Parameter, TIES, Values, bounded, budget, memory, parameter, tie_rule};
use crate::number::parse_real;
use crate::spec::RuleError;

const fn policy(default: &'static str) -> Parameter {
    parameter("policy", default, "fill, raise, fixed, tail").means(
        "whether the list is always full, has the least threshold that fits, the threshold T, or one that fits with \
         probability 1/2 or more",
    )
}

const THRESHOLD: Parameter = parameter("T", "3", "0..=2^32").means("the threshold, if it is fixed");

const FORMAT: Parameter =
    parameter("format", "elias-fano", "elias-fano, naive, flat, joint, layered").means("how the list is written");

const OVERFLOW: Parameter = parameter("overflow", "raise", "raise, fill, keep-heaviest, empty")
    .means("what happens where the list outgrows its bits, if it can");

const LIGHT: Parameter =
    parameter("light", "first", TIES.range).means("which of two bins that are not listed takes the ball");

/// The list with counts in `0..range`.
fn list(values: &Values<'_>, range: u64) -> Result<HeavyList, RuleError> {
    let formats = [
        ("elias-fano", Format::EliasFano),
        ("naive", Format::Naive),
        ("flat", Format::Flat),
        ("joint", Format::Joint),
        ("layered", Format::Layered),
    ];
    let format = values.choose("format", &formats)?;
    let threshold = values.read("T", parse_real)?;
    if !(0.0..=4_294_967_296.0).contains(&threshold) {
        return Err(ParameterError::new("T", threshold, THRESHOLD.range).into());
    }
    let overflows = [
        ("raise", Overflow::RaiseThreshold),
        ("fill", Overflow::Fill),
        ("keep-heaviest", Overflow::KeepHeaviest),
        ("empty", Overflow::Empty),
    ];
    let overflow = values.choose("overflow", &overflows)?;
    let (light, ties) = (tie_rule(values, "light")?, tie_rule(values, "ties")?);
    let which = values.choose("policy", &[("fill", 0), ("raise", 1), ("fixed", 2), ("tail", 3)])?;
    if which != 2 {
        values.refuse("T", "what the policy leaves open: it chooses the threshold")?;
    }
    if which < 2 {
        values.refuse("overflow", "what the policy leaves open: the list always fits")?;
    }
    let policy = match which {
        0 => Policy::Fill,
        1 => Policy::Raise,
        2 => Policy::Fixed(threshold),
        _ => {
            // A bin on the left may get twice its share.
            let rate = if values.text("light") == "left" { 2_f64.min(values.size.bins as f64) } else { 1.0 };
            Policy::Tail { balls: values.size.balls, rate, safety: 2.0 }
        }
    };
    let list = HeavyList::new(Layout::new(values.size.bins, budget(values)?, format, range)?, policy)?;
    let list = if which < 2 { list } else { list.with_overflow(overflow) };
    Ok(list.with_light_rule(light).with_ties(ties))
}

/// Counts that a list has room for, as in the library.
const COUNTS: u64 = 8;

pub(in crate::registry) static ENTRIES: &[Entry] = &[
    memory("heavy-list", BM)
        .text(
            "of two bins the one that is not on a list of the heaviest, with their loads, that fits into so many bits",
        )
        .parameters(&[DELTA, BITS, policy("fill"), THRESHOLD, FORMAT, OVERFLOW, LIGHT, TIES])
        .make(|values| Ok(bounded(values, list(values, COUNTS)?))),
    memory("heavy-set", BM)
        .text("as heavy-list, without the loads")
        .parameters(&[DELTA, BITS, policy("fixed"), THRESHOLD, FORMAT, OVERFLOW, LIGHT, TIES])
        .make(|values| Ok(bounded(values, list(values, 1)?))),
    memory("epoch", "Benjamini and Makarychev, Ann. Appl. Probab. 22, 2012, for q = 1")
        .text("as heavy-list, with a list that is renewed before every q-th ball only")
        .parameters(&[
            parameter("q", "16", "1..2^64").means("the number of balls that share a list"),
            DELTA,
            BITS,
            policy("fill"),
            THRESHOLD,
            FORMAT,
            OVERFLOW,
            LIGHT,
            TIES,
        ])
        .make(|values| {
            let period = values.integer("q")?;
            Ok(bounded(values, EpochAdvice::new(period, list(values, COUNTS)?)?))
        }),
    memory("idle-hint", "the two-sample relative of Lu, Xie, Kliot, Geller, Larus and Greenberg, 2011")
        .text("the first of two bins that is on a list of empty ones, else the first")
        .parameters(&[
            DELTA,
            BITS,
            parameter("c", "n", "n, n/2, …, 1..2^64").means("the most bins listed, as far as they fit"),
        ])
        .make(|values| {
            let most = values.share("c")?;
            Ok(bounded(values, IdleHint::new(values.size.bins, budget(values)?, most)?))
        }),
];
