use bb_core::rand::distr::Distribution;
use bb_core::{Allocator, ParameterError, Place, Rng, Weight};
use thiserror::Error;

/// A law gave what is not a weight.
///
/// # Examples
///
/// [`throw_weighted`] has one.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("ball {ball}: {reason}")]
pub struct WeightError {
    /// The ball, counted from 1 in this call; those before it are placed, it is not.
    pub ball: u64,
    /// What was wrong.
    pub reason: ParameterError,
}

/// Throws `balls` balls by a rule, each with a weight of its own from a law: any distribution of finite
/// numbers from 0.
///
/// The rule sees the loads, which are weights, but not the weight of the new ball (Talwar and Wieder, STOC
/// 2007). Rules that compare bins, or count what they accepted, run on weights unchanged; so do batched and
/// delayed loads, and counters around them. It does not [start](Allocator::start) the rule, so a run in
/// pieces is the uncut run.
///
/// *Randomness:* for each ball the words of the law, then those of the rule. With
/// [constant](crate::WeightLaw::constant) weights the bins are those of unit balls. *Cost:* that of the rule
/// and the law, `O(1)` more.
///
/// # Errors
///
/// If a weight is negative, infinite or not a number. The balls before it are placed.
///
/// # Examples
///
/// ```
/// use bb_processes::bb_core::rand::distr::Uniform;
/// use bb_processes::bb_core::{LoadVector, Metrics, rng_for_trial};
/// use bb_processes::{DChoice, WeightLaw, throw_weighted};
///
/// let mut loads = LoadVector::weighted(1000)?;
/// let mut rng = rng_for_trial(1, 0);
/// throw_weighted(&mut DChoice::two(), &mut loads, &WeightLaw::exponential(), 100_000, &mut rng)?;
/// assert!((95.0..105.0).contains(&loads.average()) && loads.gap() < 15.0);
///
/// // A law of one's own, and one that will not do.
/// throw_weighted(&mut DChoice::two(), &mut loads, &Uniform::new(0.5, 1.5)?, 1000, &mut rng)?;
/// let before = loads.clone();
/// let negative = Uniform::new(-2.0, -1.0)?;
/// let refused = throw_weighted(&mut DChoice::two(), &mut loads, &negative, 1000, &mut rng).unwrap_err();
/// assert!(refused.ball == 1 && refused.to_string().starts_with("ball 1: weight = -1."));
/// assert_eq!(loads, before);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn throw_weighted<A, B, W, R>(
    rule: &mut A,
    bins: &mut B,
    weights: &W,
    balls: u64,
    rng: &mut R,
) -> Result<(), WeightError>
where
    A: Allocator<B>,
    B: Place<Weight>,
    W: Distribution<f64>,
    R: Rng + ?Sized,
{
    for ball in 1..=balls {
        let weight = Weight::new(weights.sample(rng)).map_err(|reason| WeightError { ball, reason })?;
        rule.step_ball(bins, &weight, rng);
    }
    Ok(())
}
