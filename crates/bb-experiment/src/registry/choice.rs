//! Rules that compare the loads of the bins they sample.

use bb_processes::{DChoice, DistinctChoice, OneChoice, OnePlusBeta};

use super::{Entry, Kind, Parameter, Registrar, RuleInfo, RuleVisitor, Values};
use crate::RuleError;

pub(super) fn register(to: &mut impl Registrar) {
    to.enter::<OneChoiceEntry>();
    to.enter::<TwoChoiceEntry>();
    to.enter::<DChoiceEntry>();
    to.enter::<OnePlusBetaEntry>();
}

struct OneChoiceEntry;

impl Entry for OneChoiceEntry {
    const INFO: RuleInfo = RuleInfo {
        name: "one-choice",
        kind: Kind::Rule,
        rule: "each ball goes to a uniform bin",
        parameters: &[],
        paper: "Raab and Steger, RANDOM 1998",
    };

    fn build<V: RuleVisitor>(_: &Values<'_>, visitor: V) -> Result<V::Output, RuleError> {
        Ok(visitor.visit_described_weighted(OneChoice))
    }
}

struct TwoChoiceEntry;

impl Entry for TwoChoiceEntry {
    const INFO: RuleInfo = RuleInfo {
        name: "two-choice",
        kind: Kind::Rule,
        rule: "each ball goes to the lesser loaded of two uniform bins",
        parameters: &[],
        paper: "Azar, Broder, Karlin and Upfal, SIAM J. Comput. 29, 1999",
    };

    fn build<V: RuleVisitor>(_: &Values<'_>, visitor: V) -> Result<V::Output, RuleError> {
        Ok(visitor.visit_described_weighted(DChoice::two()))
    }
}

struct DChoiceEntry;

impl Entry for DChoiceEntry {
    const INFO: RuleInfo = RuleInfo {
        name: "d-choice",
        kind: Kind::Rule,
        rule: "each ball goes to the least loaded of d uniform bins",
        parameters: &[
            Parameter {
                key: "d",
                default: "3",
                range: "1..2^32, at most the number of bins if replacement=false",
                meaning: "the number of bins sampled for a ball",
            },
            Parameter {
                key: "replacement",
                default: "true",
                range: "true, false",
                meaning: "whether a bin can be sampled twice for one ball",
            },
        ],
        paper: "Azar, Broder, Karlin and Upfal, SIAM J. Comput. 29, 1999",
    };

    fn build<V: RuleVisitor>(values: &Values<'_>, visitor: V) -> Result<V::Output, RuleError> {
        let d = values.integer("d")?;
        Ok(if values.truth("replacement")? {
            visitor.visit_described_weighted(DChoice::new(d)?)
        } else {
            visitor.visit_any_view_weighted(DistinctChoice::new(d)?)
        })
    }
}

struct OnePlusBetaEntry;

impl Entry for OnePlusBetaEntry {
    const INFO: RuleInfo = RuleInfo {
        name: "one-plus-beta",
        kind: Kind::Rule,
        rule: "with probability beta the least loaded of d uniform bins, else the first of them",
        parameters: &[
            Parameter {
                key: "beta",
                default: "0.5",
                range: "[0, 1]",
                meaning: "the probability that a ball has more than one choice",
            },
            Parameter { key: "d", default: "2", range: "1..2^32", meaning: "the number of choices that it then has" },
        ],
        paper: "Peres, Talwar and Wieder, Random Structures & Algorithms 47, 2015",
    };

    fn build<V: RuleVisitor>(values: &Values<'_>, visitor: V) -> Result<V::Output, RuleError> {
        let rule = OnePlusBeta::new(values.real("beta")?)?.with_d(values.integer("d")?)?;
        Ok(visitor.visit_described_weighted(rule))
    }
}
