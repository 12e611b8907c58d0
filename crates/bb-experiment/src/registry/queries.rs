//! Rules that ask each bin a question with few answers.

use bb_core::ParameterError;
use bb_processes::{LoadThreshold, MeanThinning};

use super::{Entry, Parameter, Registrar, RuleInfo, RuleVisitor, Values};

pub(super) fn register(to: &mut impl Registrar) {
    to.enter::<LoadThresholdEntry>();
    to.enter::<MeanThinningEntry>();
}

struct LoadThresholdEntry;

impl Entry for LoadThresholdEntry {
    const INFO: RuleInfo = RuleInfo {
        name: "load-threshold",
        rule: "up to d uniform bins are suggested; the first with load below l takes the ball, else the last",
        parameters: &[
            Parameter { key: "l", default: "1", range: "1..2^64", meaning: "loads below it are accepted" },
            Parameter { key: "d", default: "2", range: "1..2^32", meaning: "the number of suggestions" },
        ],
        paper: "threshold on loads; Los and Sauerwald, arXiv 2107.03916, study such queries",
        bound: "for m = n: that of its fluid limit; One-Choice once all bins have load l",
    };

    fn build<V: RuleVisitor>(values: &Values<'_>, visitor: V) -> Result<V::Output, ParameterError> {
        let rule = LoadThreshold::new(values.integer("l")?)?.with_d(values.integer("d")?)?;
        Ok(visitor.visit_described(rule))
    }
}

struct MeanThinningEntry;

impl Entry for MeanThinningEntry {
    const INFO: RuleInfo = RuleInfo {
        name: "mean-thinning",
        rule: "a uniform bin takes the ball if its load is below the mean, else a second uniform bin does",
        parameters: &[],
        paper: "Los, Sauerwald and Sylvester, arXiv 2308.05087",
        bound: "maximum minus minimum O(ln n) for all m, which is tight",
    };

    fn build<V: RuleVisitor>(_: &Values<'_>, visitor: V) -> Result<V::Output, ParameterError> {
        Ok(visitor.visit_described(MeanThinning))
    }
}
