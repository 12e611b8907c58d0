//! Rules that sample bins with unequal probabilities.

use bb_core::{ParameterError, StartError, TrialRng, rng_for_trial};
use bb_processes::{BinProbabilities, NonuniformChoice, WeightsError};

use super::at_start::AtStart;
use super::kinds::comparing;
use super::{Entry, Parameter, Values, parameter, rule};
use crate::process::Process;
use crate::spec::RuleError;

/// The generator of what a rule draws once, when it starts: no trial has this number.
pub(super) fn rng_at_start(seed: u64) -> TrialRng {
    rng_for_trial(seed, u64::MAX)
}

const SAMPLES: Parameter = parameter("d", "2", "1..2^32").means("the number of bins sampled for a ball");

const TIES: Parameter =
    parameter("ties", "fair", "fair, smaller").means("whether the less likely of equally loaded bins is preferred");

/// The process of the rule on the probabilities that `make` returns for a number of bins.
fn choice(
    values: &Values<'_>,
    make: impl Fn(u64) -> Result<BinProbabilities, WeightsError> + Clone + Send + Sync + 'static,
) -> Result<Process, RuleError> {
    let d = values.integer("d")?;
    let smaller = values.choose("ties", &[("fair", false), ("smaller", true)])?;
    ParameterError::require(d != 0, "d", d, "1..")?;
    Ok(comparing(
        values,
        AtStart::new(move |bins| {
            let refused = |error: &dyn ToString| StartError::Unsuitable(error.to_string());
            let probabilities = make(bins).map_err(|error| refused(&error))?;
            let rule = NonuniformChoice::new(probabilities, d).map_err(|error| refused(&error))?;
            Ok(if smaller { rule.preferring_the_less_likely() } else { rule })
        }),
    ))
}

pub(super) static ENTRIES: &[Entry] = &[
    rule("nonuniform", "Wieder, SPAA 2007")
        .text("the least loaded of d bins, sampled with two classes of probabilities; the likelier bins come first")
        .parameters(&[
            SAMPLES,
            parameter("ratio", "2", "the finite numbers above 0")
                .means("how many times as likely the first class is, bin by bin"),
            parameter("share", "0.5", "[0, 1]").means("the share of bins in the first class"),
            TIES,
        ])
        .make(|values| {
            let (ratio, share) = (values.real("ratio")?, values.real("share")?);
            if !(ratio > 0.0 && ratio.is_finite()) {
                return Err(ParameterError::new("ratio", ratio, "the finite numbers above 0").into());
            }
            if !(0.0..=1.0).contains(&share) {
                return Err(ParameterError::new("share", share, "[0, 1]").into());
            }
            choice(values, move |bins| {
                let heavy = (share * bins as f64).round() as u64;
                BinProbabilities::two_class(bins, heavy.min(bins), ratio)
            })
        }),
    rule("circle", "Byers, Considine and Mitzenmacher, SPAA 2004")
        .text(
            "the least loaded of d uniform points of a circle; bins are the arcs between n uniform points, \
             the same in all trials",
        )
        .parameters(&[SAMPLES, TIES, parameter("seed", "1", "0..2^64").means("the seed of the arcs")])
        .make(|values| {
            let seed = values.integer("seed")?;
            choice(values, move |bins| BinProbabilities::circle(bins, &mut rng_at_start(seed)))
        }),
];
