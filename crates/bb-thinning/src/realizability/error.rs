//! Why a law cannot be realised: [`RealizeError`].

use core::fmt::{Debug, Display};

use thiserror::Error;

/// Why there is no decision strategy for a law, or no law for accept probabilities.
///
/// Places are those of the input: bins of a law, classes of a law by classes.
///
/// # Examples
///
/// ```
/// use bb_thinning::num_rational::Ratio;
/// use bb_thinning::{RealizeError, Rejections, accept_probabilities};
///
/// // Of two bins, one may be at most 1/2 likelier than the other.
/// let law = [Ratio::new(4_i128, 5), Ratio::new(1, 5)];
/// let error = accept_probabilities(&law, &Rejections::Fewest).unwrap_err();
/// let excess = Ratio::new(1, 10);
/// assert_eq!(error, RealizeError::Spread { likeliest: 0, least_likely: 1, excess, bins: 2 });
/// let text = "p[0] − p[1] exceeds 1/n for n = 2 bins, by 1/10: no two-thinning has this law";
/// assert_eq!(error.to_string(), text);
/// ```
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum RealizeError<T: Debug + Display> {
    /// There is no bin.
    #[error("bins = 0 is outside 1.., there must be a bin")]
    NoBins,
    /// A law for another number of bins.
    #[error("a law of {places} probabilities is outside those of {bins} bins")]
    OtherBins {
        /// The number of bins.
        bins: u64,
        /// The number of probabilities.
        places: usize,
    },
    /// A probability or an intensity is negative, infinite or not a number.
    #[error("p[{place}] = {value} is outside the finite numbers from 0")]
    NotAProbability {
        /// Its place.
        place: usize,
        /// Its value.
        value: T,
    },
    /// Probabilities must sum to 1.
    #[error("the probabilities sum to {sum}, outside ±{tolerance} of 1")]
    Sum {
        /// The sum found.
        sum: T,
        /// The rounding that is allowed for.
        tolerance: T,
    },
    /// All intensities are 0.
    #[error("the intensities sum to 0, outside the positive numbers")]
    NoIntensity,
    /// The violated inequality `p_max − p_min ≤ 1/n`.
    #[error(
        "p[{likeliest}] − p[{least_likely}] exceeds 1/n for n = {bins} bins, by {excess}: no two-thinning has this law"
    )]
    Spread {
        /// The place of the largest probability.
        likeliest: usize,
        /// The place of the smallest one.
        least_likely: usize,
        /// By how much the difference exceeds `1/n`.
        excess: T,
        /// The number of bins `n`.
        bins: u64,
    },
    /// The rejection probability asked for does not go with this law.
    #[error("c = {c} is outside [{low}, {high}], the rejection probabilities that realise this law")]
    Rejections {
        /// The rejection probability asked for.
        c: T,
        /// The smallest that there is.
        low: T,
        /// The largest.
        high: T,
    },
    /// An accept probability is outside `[0, 1]`.
    #[error("a[{place}] = {value} is outside [0, 1]")]
    NotAccept {
        /// Its place.
        place: usize,
        /// Its value.
        value: T,
    },
}
