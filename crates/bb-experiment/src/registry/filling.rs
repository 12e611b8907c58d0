//! Rules that put several balls into a bin at once.

use bb_processes::{Packing, Twinning};

use super::{Entry, Kind, Parameter, Registrar, RuleInfo, RuleVisitor, Values};
use crate::RuleError;

pub(super) fn register(to: &mut impl Registrar) {
    to.enter::<TwinningEntry>();
    to.enter::<PackingEntry>();
}

struct TwinningEntry;

impl Entry for TwinningEntry {
    const INFO: RuleInfo = RuleInfo {
        name: "twinning",
        kind: Kind::Rule,
        rule: "a uniform bin gets two balls if its load is below the mean, else one",
        parameters: &[],
        paper: "Los, Sauerwald and Sylvester, arXiv 2308.05087",
    };

    fn build<V: RuleVisitor>(_: &Values<'_>, visitor: V) -> Result<V::Output, RuleError> {
        Ok(visitor.visit_any_view(Twinning::new()))
    }
}

struct PackingEntry;

impl Entry for PackingEntry {
    const INFO: RuleInfo = RuleInfo {
        name: "packing",
        kind: Kind::Rule,
        rule: "a uniform bin whose load is below the mean is filled to the mean, rounded up, plus e; any other gets one ball",
        parameters: &[Parameter {
            key: "e",
            default: "1",
            range: "0..=2^16",
            meaning: "the number of balls above the mean",
        }],
        paper: "Los, Sauerwald and Sylvester, arXiv 2204.04057",
    };

    fn build<V: RuleVisitor>(values: &Values<'_>, visitor: V) -> Result<V::Output, RuleError> {
        Ok(visitor.visit_any_view(Packing::new(values.integer("e")?)?))
    }
}
