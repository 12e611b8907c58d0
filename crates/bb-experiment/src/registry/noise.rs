//! Two-Choice with noise.

use bb_processes::{GBounded, GMyopic, SigmaNoisyLoad};

use super::{Entry, Kind, Parameter, RuleInfo};
use crate::process::Process;

const NOISE: &str = "Los and Sauerwald, arXiv 2206.07503";
const G: &[Parameter] = &[Parameter {
    key: "g",
    default: "4",
    range: "0..2^64",
    meaning: "the largest difference of loads at which the comparison errs",
}];

pub(super) static ENTRIES: &[Entry] = &[
    Entry {
        info: RuleInfo {
            name: "g-bounded",
            kind: Kind::Rule,
            rule: "of two uniform bins whose loads differ by at most g the heavier, else the lighter",
            parameters: G,
            paper: NOISE,
        },
        make: |values| Ok(Process::described(values.name(), GBounded::new(values.integer("g")?))),
    },
    Entry {
        info: RuleInfo {
            name: "g-myopic",
            kind: Kind::Rule,
            rule: "of two uniform bins whose loads differ by at most g either with probability 1/2, else the lighter",
            parameters: G,
            paper: NOISE,
        },
        make: |values| Ok(Process::described(values.name(), GMyopic::new(values.integer("g")?))),
    },
    Entry {
        info: RuleInfo {
            name: "sigma-noisy-load",
            kind: Kind::Rule,
            rule: "of two uniform bins the one with the smaller load as reported, with normal noise",
            parameters: &[Parameter {
                key: "sigma",
                default: "2",
                range: "the finite numbers from 0",
                meaning: "the standard deviation of the noise of a report",
            }],
            paper: NOISE,
        },
        make: |values| Ok(Process::described(values.name(), SigmaNoisyLoad::new(values.real("sigma")?)?)),
    },
];
