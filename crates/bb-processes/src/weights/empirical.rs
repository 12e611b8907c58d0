//! Weights that were measured.

use thiserror::Error;

/// Why numbers are not weights to draw from.
///
/// # Examples
///
/// ```
/// use bb_processes::{EmpiricalError, WeightLaw};
///
/// assert_eq!(WeightLaw::empirical(vec![]).unwrap_err(), EmpiricalError::NoWeights);
/// assert_eq!(WeightLaw::empirical(vec![0.0, 0.0]).unwrap_err(), EmpiricalError::AllZero);
/// let refused = WeightLaw::empirical(vec![1.0, -2.0]).unwrap_err();
/// assert_eq!(refused.to_string(), "weight = -2.0, number 2, is outside the finite numbers from 0");
/// ```
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum EmpiricalError {
    /// There must be a weight.
    #[error("there are no weights")]
    NoWeights,
    /// A weight is negative, infinite or not a number.
    #[error("weight = {weight:?}, number {}, is outside the finite numbers from 0", place + 1)]
    Weight {
        /// Its place, from 0.
        place: usize,
        /// The weight.
        weight: f64,
    },
    /// Some weight must be positive, or the mean cannot be made 1.
    #[error("all weights are 0")]
    AllZero,
}

/// Scales weights to mean 1.
pub(super) fn normalised(mut weights: Vec<f64>) -> Result<Box<[f64]>, EmpiricalError> {
    if weights.is_empty() {
        return Err(EmpiricalError::NoWeights);
    }
    if let Some(place) = weights.iter().position(|&weight| !(weight >= 0.0 && weight.is_finite())) {
        return Err(EmpiricalError::Weight { place, weight: weights[place] });
    }
    let largest = weights.iter().copied().fold(0.0, f64::max);
    if largest == 0.0 {
        return Err(EmpiricalError::AllZero);
    }
    // Of the order of 1 first, so that no sum overflows and no small one is lost; by a power of two, so that
    // nothing is rounded.
    let scale = 2_f64.powi((-largest.log2().floor()).clamp(-1022.0, 1022.0) as i32);
    weights.iter_mut().for_each(|weight| *weight *= scale);
    let mean = weights.iter().sum::<f64>() / weights.len() as f64;
    weights.iter_mut().for_each(|weight| *weight /= mean);
    Ok(weights.into())
}
