//! Two-Choice with noise.

use bb_processes::{GBounded, GMyopic, SigmaNoisyLoad};

use super::{Entry, Parameter, parameter, rule};
use crate::process::Process;

const NOISE: &str = "Los and Sauerwald, arXiv 2206.07503";
const G: &[Parameter] =
    &[parameter("g", "4", "0..2^64").means("the largest difference of loads at which the comparison errs")];

pub(super) static ENTRIES: &[Entry] = &[
    rule("g-bounded", NOISE)
        .text("of two uniform bins whose loads differ by at most g the heavier, else the lighter")
        .parameters(G)
        .make(|values| Ok(Process::described(values.name(), GBounded::new(values.integer("g")?)))),
    rule("g-myopic", NOISE)
        .text("of two uniform bins whose loads differ by at most g either with probability 1/2, else the lighter")
        .parameters(G)
        .make(|values| Ok(Process::described(values.name(), GMyopic::new(values.integer("g")?)))),
    rule("sigma-noisy-load", NOISE)
        .text("of two uniform bins the one with the smaller load as reported, with normal noise")
        .parameters(&[parameter("sigma", "2", "the finite numbers from 0")
            .means("the standard deviation of the noise of a report")])
        .make(|values| Ok(Process::described(values.name(), SigmaNoisyLoad::new(values.real("sigma")?)?))),
];
