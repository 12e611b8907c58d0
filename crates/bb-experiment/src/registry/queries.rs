//! Rules that ask each bin a question with few answers.

use bb_processes::{KQuantile, KThreshold, LoadThreshold, MeanThinning, Quantile, RelativeThreshold};

use super::{Entry, Kind, Parameter, Registrar, RuleInfo, RuleVisitor, Values};
use crate::RuleError;

pub(super) fn register(to: &mut impl Registrar) {
    to.enter::<LoadThresholdEntry>();
    to.enter::<MeanThinningEntry>();
    to.enter::<QuantileEntry>();
    to.enter::<KQuantileEntry>();
    to.enter::<RelativeThresholdEntry>();
    to.enter::<KThresholdEntry>();
}

struct LoadThresholdEntry;

impl Entry for LoadThresholdEntry {
    const INFO: RuleInfo = RuleInfo {
        name: "load-threshold",
        kind: Kind::Rule,
        rule: "up to d uniform bins are suggested; the first with load below l takes the ball, else the last",
        parameters: &[
            Parameter { key: "l", default: "1", range: "1..2^64", meaning: "loads below it are accepted" },
            Parameter { key: "d", default: "2", range: "1..=2^16", meaning: "the number of suggestions" },
        ],
        paper: "threshold on loads; Los and Sauerwald, arXiv 2107.03916, study such queries",
    };

    fn build<V: RuleVisitor>(values: &Values<'_>, visitor: V) -> Result<V::Output, RuleError> {
        let rule = LoadThreshold::new(values.integer("l")?)?.with_d(values.integer("d")?)?;
        Ok(visitor.visit_described(rule))
    }
}

struct MeanThinningEntry;

impl Entry for MeanThinningEntry {
    const INFO: RuleInfo = RuleInfo {
        name: "mean-thinning",
        kind: Kind::Rule,
        rule: "a uniform bin takes the ball if its load is below the mean, else a second uniform bin does",
        parameters: &[],
        paper: "Los, Sauerwald and Sylvester, arXiv 2308.05087",
    };

    fn build<V: RuleVisitor>(_: &Values<'_>, visitor: V) -> Result<V::Output, RuleError> {
        Ok(visitor.visit_described(MeanThinning))
    }
}

struct QuantileEntry;

impl Entry for QuantileEntry {
    const INFO: RuleInfo = RuleInfo {
        name: "quantile",
        kind: Kind::Rule,
        rule: "a uniform bin takes the ball unless it is among the delta·n fullest, else a second uniform bin does",
        parameters: &[Parameter {
            key: "delta",
            default: "0.5",
            range: "[0, 1]",
            meaning: "the share of bins that refuse a ball",
        }],
        paper: "Los and Sauerwald, arXiv 2107.03916",
    };

    fn build<V: RuleVisitor>(values: &Values<'_>, visitor: V) -> Result<V::Output, RuleError> {
        Ok(visitor.visit_ranked(Quantile::new(values.real("delta")?)?))
    }
}

struct KQuantileEntry;

impl Entry for KQuantileEntry {
    const INFO: RuleInfo = RuleInfo {
        name: "k-quantile",
        kind: Kind::Rule,
        rule: "of two uniform bins the one in the lighter class of ranks takes the ball, the first if both are in the same",
        parameters: &[Parameter {
            key: "delta",
            default: "0.25/0.5",
            range: "increasing numbers in [0, 1], with / between them",
            meaning: "the quantiles that divide the classes",
        }],
        paper: "Los and Sauerwald, arXiv 2107.03916",
    };

    fn build<V: RuleVisitor>(values: &Values<'_>, visitor: V) -> Result<V::Output, RuleError> {
        Ok(visitor.visit_ranked(KQuantile::new(&values.reals("delta")?)?))
    }
}

struct RelativeThresholdEntry;

impl Entry for RelativeThresholdEntry {
    const INFO: RuleInfo = RuleInfo {
        name: "relative-threshold",
        kind: Kind::Rule,
        rule: "a uniform bin takes the ball if its load is below the mean plus f, else a second uniform bin does",
        parameters: &[Parameter {
            key: "f",
            default: "2",
            range: "the finite numbers from 0",
            meaning: "how far above the mean the threshold lies",
        }],
        paper: "Los, Sauerwald and Sylvester, arXiv 2308.05087",
    };

    fn build<V: RuleVisitor>(values: &Values<'_>, visitor: V) -> Result<V::Output, RuleError> {
        Ok(visitor.visit_described(RelativeThreshold::new(values.real("f")?)?))
    }
}

struct KThresholdEntry;

impl Entry for KThresholdEntry {
    const INFO: RuleInfo = RuleInfo {
        name: "k-threshold",
        kind: Kind::Rule,
        rule: "of two uniform bins the one whose load is not below fewer of the thresholds, which are the mean plus offsets",
        parameters: &[Parameter {
            key: "offsets",
            default: "0/2",
            range: "1 to 16 increasing finite numbers, with / between them",
            meaning: "how far above the mean the thresholds lie",
        }],
        paper: "Los and Sauerwald, arXiv 2107.03916",
    };

    fn build<V: RuleVisitor>(values: &Values<'_>, visitor: V) -> Result<V::Output, RuleError> {
        Ok(visitor.visit_described(KThreshold::new(&values.reals("offsets")?)?))
    }
}
