//! Two-Choice with noise.

use bb_processes::{GBounded, GMyopic, SigmaNoisyLoad};

use super::{Entry, Kind, Parameter, Registrar, RuleInfo, RuleVisitor, Values};
use crate::RuleError;

pub(super) fn register(to: &mut impl Registrar) {
    to.enter::<GBoundedEntry>();
    to.enter::<GMyopicEntry>();
    to.enter::<SigmaNoisyLoadEntry>();
}

const NOISE: &str = "Los and Sauerwald, arXiv 2206.07503";
const G: &[Parameter] = &[Parameter {
    key: "g",
    default: "4",
    range: "0..2^64",
    meaning: "the largest difference of loads at which the comparison errs",
}];

struct GBoundedEntry;

impl Entry for GBoundedEntry {
    const INFO: RuleInfo = RuleInfo {
        name: "g-bounded",
        kind: Kind::Rule,
        rule: "of two uniform bins whose loads differ by at most g the heavier, else the lighter",
        parameters: G,
        paper: NOISE,
    };

    fn build<V: RuleVisitor>(values: &Values<'_>, visitor: V) -> Result<V::Output, RuleError> {
        Ok(visitor.visit_described(GBounded::new(values.integer("g")?)))
    }
}

struct GMyopicEntry;

impl Entry for GMyopicEntry {
    const INFO: RuleInfo = RuleInfo {
        name: "g-myopic",
        kind: Kind::Rule,
        rule: "of two uniform bins whose loads differ by at most g either with probability 1/2, else the lighter",
        parameters: G,
        paper: NOISE,
    };

    fn build<V: RuleVisitor>(values: &Values<'_>, visitor: V) -> Result<V::Output, RuleError> {
        Ok(visitor.visit_described(GMyopic::new(values.integer("g")?)))
    }
}

struct SigmaNoisyLoadEntry;

impl Entry for SigmaNoisyLoadEntry {
    const INFO: RuleInfo = RuleInfo {
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
    };

    fn build<V: RuleVisitor>(values: &Values<'_>, visitor: V) -> Result<V::Output, RuleError> {
        Ok(visitor.visit_described(SigmaNoisyLoad::new(values.real("sigma")?)?))
    }
}
