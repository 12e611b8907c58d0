//! Rules that sample bins with unequal probabilities.

use bb_core::{ParameterError, StartError, TrialRng, rng_for_trial};
use bb_processes::{BinProbabilities, NonuniformChoice, WeightsError};

use super::at_start::AtStart;
use super::{Entry, Kind, Parameter, Registrar, RuleInfo, RuleVisitor, Values};
use crate::RuleError;

pub(super) fn register(to: &mut impl Registrar) {
    to.enter::<NonuniformEntry>();
    to.enter::<CircleEntry>();
}

/// The generator of what a rule draws once, when it starts: no trial has this number.
pub(super) fn rng_at_start(seed: u64) -> TrialRng {
    rng_for_trial(seed, u64::MAX)
}

const SAMPLES: Parameter =
    Parameter { key: "d", default: "2", range: "1..2^32", meaning: "the number of bins sampled for a ball" };

const TIES: Parameter = Parameter {
    key: "ties",
    default: "fair",
    range: "fair, smaller",
    meaning: "whether the less likely of equally loaded bins is preferred",
};

/// Hands over the rule on the probabilities that `make` returns for a number of bins.
fn visit<V: RuleVisitor>(
    values: &Values<'_>,
    visitor: V,
    make: impl Fn(u64) -> Result<BinProbabilities, WeightsError> + Clone + Send + Sync,
) -> Result<V::Output, RuleError> {
    let d = values.integer("d")?;
    let smaller = values.one_of("ties", &["fair", "smaller"])? == 1;
    if d == 0 {
        return Err(ParameterError::new("d", d, "1..").into());
    }
    Ok(visitor.visit_weighted(AtStart::new(move |bins| {
        let refused = |error: &dyn ToString| StartError::Unsuitable(error.to_string());
        let probabilities = make(bins).map_err(|error| refused(&error))?;
        let rule = NonuniformChoice::new(probabilities, d).map_err(|error| refused(&error))?;
        Ok(if smaller { rule.preferring_the_less_likely() } else { rule })
    })))
}

struct NonuniformEntry;

impl Entry for NonuniformEntry {
    const INFO: RuleInfo = RuleInfo {
        name: "nonuniform",
        kind: Kind::Rule,
        rule: "the least loaded of d bins, sampled with two classes of probabilities; the likelier bins come first",
        parameters: &[
            SAMPLES,
            Parameter {
                key: "ratio",
                default: "2",
                range: "the finite numbers above 0",
                meaning: "how many times as likely the first class is, bin by bin",
            },
            Parameter {
                key: "share",
                default: "0.5",
                range: "[0, 1]",
                meaning: "the share of bins in the first class",
            },
            TIES,
        ],
        paper: "Wieder, SPAA 2007",
    };

    fn build<V: RuleVisitor>(values: &Values<'_>, visitor: V) -> Result<V::Output, RuleError> {
        let (ratio, share) = (values.real("ratio")?, values.real("share")?);
        if !(ratio > 0.0 && ratio.is_finite()) {
            return Err(ParameterError::new("ratio", ratio, "the finite numbers above 0").into());
        }
        if !(0.0..=1.0).contains(&share) {
            return Err(ParameterError::new("share", share, "[0, 1]").into());
        }
        visit(values, visitor, move |bins| {
            let heavy = (share * bins as f64).round() as u64;
            BinProbabilities::two_class(bins, heavy.min(bins), ratio)
        })
    }
}

struct CircleEntry;

impl Entry for CircleEntry {
    const INFO: RuleInfo = RuleInfo {
        name: "circle",
        kind: Kind::Rule,
        rule: "the least loaded of d uniform points of a circle; bins are the arcs between n uniform points, the same in all trials",
        parameters: &[
            SAMPLES,
            TIES,
            Parameter { key: "seed", default: "1", range: "0..2^64", meaning: "the seed of the arcs" },
        ],
        paper: "Byers, Considine and Mitzenmacher, SPAA 2004",
    };

    fn build<V: RuleVisitor>(values: &Values<'_>, visitor: V) -> Result<V::Output, RuleError> {
        let seed = values.integer("seed")?;
        visit(values, visitor, move |bins| BinProbabilities::circle(bins, &mut rng_at_start(seed)))
    }
}
