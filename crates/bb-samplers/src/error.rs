//! What can be wrong with the parameters of a sampler.

use thiserror::Error;

use crate::numbers::MAX_POPULATION;

/// A parameter outside its range, named with its value and the range.
///
/// # Examples
///
/// ```
/// use bb_samplers::{Hypergeometric, SamplerError};
///
/// let error = Hypergeometric::new(10, 11, 3).unwrap_err();
/// assert_eq!(error, SamplerError::Count { parameter: "marked", value: 11, max: 10 });
/// assert_eq!(error.to_string(), "`marked` is 11, must be within 0..=10");
/// ```
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SamplerError {
    /// A count above its maximum.
    #[error("`{parameter}` is {value}, must be within 0..={max}")]
    Count {
        /// The parameter's name.
        parameter: &'static str,
        /// Its value; `u64::MAX` stands for a sum that does not fit.
        value: u64,
        /// The largest value allowed.
        max: u64,
    },
    /// A probability below 0, above 1 or not a number.
    #[error("`{parameter}` is {value}, must be within 0..=1")]
    Probability {
        /// The parameter's name.
        parameter: &'static str,
        /// Its value.
        value: f64,
    },
    /// A negative, infinite or undefined weight.
    #[error("weight {index} is {value}, must be finite and at least 0")]
    Weight {
        /// The weight's place.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// Weights that are all zero (or none at all), or whose sum overflows.
    #[error("the weights sum to {sum}, must be positive and finite")]
    WeightSum {
        /// The sum.
        sum: f64,
    },
    /// An output slice that does not match the categories.
    #[error("`out` has length {len}, must be {expected}")]
    Length {
        /// The slice's length.
        len: usize,
        /// The number of categories.
        expected: usize,
    },
}

/// Accepts `value` if it is at most `max`.
#[inline]
pub(crate) fn at_most(parameter: &'static str, value: u64, max: u64) -> Result<(), SamplerError> {
    if value <= max { Ok(()) } else { Err(SamplerError::Count { parameter, value, max }) }
}

/// Sums `counts` and accepts the sum if it is at most [`MAX_POPULATION`].
pub(crate) fn checked_total(parameter: &'static str, counts: &[u64]) -> Result<u64, SamplerError> {
    // Saturation cannot hide an excess: the maximum is far below u64::MAX.
    let total = counts.iter().fold(0u64, |sum, &count| sum.saturating_add(count));
    at_most(parameter, total, MAX_POPULATION)?;
    Ok(total)
}
