//! Rules that remember bins.

use bb_core::{CountedBin, ParameterError};
use bb_processes::{Caching, FirstMemory, Memory, Remember};

use super::kinds::comparing;
use super::{Entry, Parameter, Values, parameter, rule};

const START: Parameter = parameter("start", "uniform", "uniform, empty")
    .means("whether uniform bins are remembered before the first ball, or none");

pub(super) const REMEMBER: Parameter = parameter("remember", "lightest", "lightest, recent")
    .means("whether the receiver is remembered if it was as light as another and is heavier now");

fn first_memory(values: &Values<'_>) -> Result<FirstMemory, ParameterError> {
    values.choose("start", &[("uniform", FirstMemory::Uniform), ("empty", FirstMemory::Empty)])
}

pub(super) fn remember(values: &Values<'_>) -> Result<Remember, ParameterError> {
    values.choose("remember", &[("lightest", Remember::Lightest), ("recent", Remember::Recent)])
}

pub(super) static ENTRIES: &[Entry] = &[
    rule("caching", "Mitzenmacher, Prabhakar and Shah, FOCS 2002")
        .text(
            "the lesser loaded of a uniform bin and the remembered one, and the lesser loaded of the two is \
             remembered",
        )
        .parameters(&[START, REMEMBER])
        .make(|values| {
            let rule = Caching::<usize>::new().with_first(first_memory(values)?).with_remember(remember(values)?);
            Ok(comparing(values, rule.clone()).with_counted(rule.for_bins::<CountedBin>()))
        }),
    rule("memory", "Mitzenmacher, Prabhakar and Shah, FOCS 2002")
        .text(
            "the least loaded of d uniform bins and r remembered ones, and the r least loaded of them all \
             are remembered",
        )
        .parameters(&[
            parameter("d", "1", "1..=2^16").means("the number of bins sampled for a ball"),
            parameter("r", "1", "0..=2^16").means("the number of bins remembered"),
            START,
            REMEMBER,
        ])
        .make(|values| {
            let rule = Memory::<usize>::new(values.integer("d")?, values.integer("r")?)?;
            let rule = rule.with_first(first_memory(values)?).with_remember(remember(values)?);
            Ok(comparing(values, rule.clone()).with_counted(rule.for_bins::<CountedBin>()))
        }),
];
