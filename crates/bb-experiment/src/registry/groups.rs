//! Rules whose candidates have a structure: groups, hash values, rounds.

use bb_processes::{AlwaysGoLeft, DoubleHashing, GroupChoice, KdChoice};

use super::{Entry, Kind, Parameter, Registrar, RuleInfo, RuleVisitor, Values};
use crate::RuleError;

pub(super) fn register(to: &mut impl Registrar) {
    to.enter::<LeftEntry>();
    to.enter::<GroupChoiceEntry>();
    to.enter::<DoubleHashingEntry>();
    to.enter::<KdChoiceEntry>();
}

const GROUPS: Parameter = Parameter {
    key: "d",
    default: "2",
    range: "1..2^32, at most the number of bins",
    meaning: "the number of groups, of n/d bins each up to rounding",
};

struct LeftEntry;

impl Entry for LeftEntry {
    const INFO: RuleInfo = RuleInfo {
        name: "left",
        kind: Kind::Rule,
        rule: "always-go-left: the least loaded of one uniform bin from each of d groups, the leftmost on a tie",
        parameters: &[GROUPS],
        paper: "Vöcking, J. ACM 50, 2003",
    };

    fn build<V: RuleVisitor>(values: &Values<'_>, visitor: V) -> Result<V::Output, RuleError> {
        Ok(visitor.visit_weighted(AlwaysGoLeft::new(values.integer("d")?)?))
    }
}

struct GroupChoiceEntry;

impl Entry for GroupChoiceEntry {
    const INFO: RuleInfo = RuleInfo {
        name: "group-choice",
        kind: Kind::Rule,
        rule: "the least loaded of one uniform bin from each of d groups, fair ties",
        parameters: &[GROUPS],
        paper: "cf. Vöcking, J. ACM 50, 2003",
    };

    fn build<V: RuleVisitor>(values: &Values<'_>, visitor: V) -> Result<V::Output, RuleError> {
        Ok(visitor.visit_weighted(GroupChoice::new(values.integer("d")?)?))
    }
}

struct DoubleHashingEntry;

impl Entry for DoubleHashingEntry {
    const INFO: RuleInfo = RuleInfo {
        name: "double-hashing",
        kind: Kind::Rule,
        rule: "the least loaded of f, f + g, …, f + (d − 1)g modulo n, with f uniform and g uniform coprime to n, fair ties",
        parameters: &[Parameter {
            key: "d",
            default: "2",
            range: "1..2^32, at most the number of bins",
            meaning: "the number of candidates",
        }],
        paper: "Mitzenmacher, arXiv 1209.5360",
    };

    fn build<V: RuleVisitor>(values: &Values<'_>, visitor: V) -> Result<V::Output, RuleError> {
        Ok(visitor.visit_weighted(DoubleHashing::new(values.integer("d")?)?))
    }
}

struct KdChoiceEntry;

impl Entry for KdChoiceEntry {
    const INFO: RuleInfo = RuleInfo {
        name: "kd-choice",
        kind: Kind::Rule,
        rule: "in rounds: k balls go into the k lowest slots of d uniform bins; a bin sampled r times offers r slots",
        parameters: &[
            Parameter {
                key: "k",
                default: "2",
                range: "1..=2^16, at most d",
                meaning: "the number of balls of a round",
            },
            Parameter { key: "d", default: "3", range: "1..=2^16", meaning: "the number of bins sampled for a round" },
        ],
        paper: "Park, arXiv 1201.3310",
    };

    fn build<V: RuleVisitor>(values: &Values<'_>, visitor: V) -> Result<V::Output, RuleError> {
        let (k, d) = (values.integer("k")?, values.integer("d")?);
        Ok(visitor.visit_for_view(KdChoice::<usize>::new(k, d)?))
    }
}
