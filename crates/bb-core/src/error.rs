//! What can be wrong with loads.

use thiserror::Error;

/// Loads cannot be made from what was given.
///
/// # Examples
///
/// ```
/// use bb_core::{LoadVector, LoadsError};
///
/// assert_eq!(LoadVector::new(0).unwrap_err(), LoadsError::NoBins);
/// assert!(matches!(LoadVector::new(1 << 62), Err(LoadsError::DoesNotFit { .. })));
/// ```
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum LoadsError {
    /// There must be at least one bin.
    #[error("bins = 0 is outside 1.., there must be a bin")]
    NoBins,
    /// The memory for one load per bin cannot be had.
    #[error("bins = {bins} needs {bytes} bytes, more than the memory that can be had")]
    DoesNotFit {
        /// The number of bins.
        bins: u64,
        /// The bytes that were asked for.
        bytes: u128,
    },
    /// Counted bins are at most `2^62`.
    #[error("bins = {bins} is outside 1..=2^62")]
    TooManyBins {
        /// The number of bins.
        bins: u128,
    },
    /// Counted loads may spread over at most `2^24` levels.
    #[error("initial loads from {lowest} to {highest} spread over more than 2^24 levels")]
    TooManyLevels {
        /// The smallest load.
        lowest: u64,
        /// The largest load.
        highest: u64,
    },
    /// An initial load is infinite or not a number.
    #[error("initial load {value} of bin {bin} is outside the finite numbers")]
    NotFinite {
        /// The bin.
        bin: usize,
        /// Its load.
        value: f64,
    },
    /// Normalised loads must sum to 0.
    #[error("initial loads sum to {sum}, outside ±{tolerance} of 0 as normalised loads must")]
    NotNormalised {
        /// The sum found.
        sum: f64,
        /// The rounding that is allowed for.
        tolerance: f64,
    },
    /// The absolute values of the initial loads sum to more than an `f64` holds.
    #[error("initial loads sum to inf, outside the finite numbers")]
    TotalNotFinite,
    /// The sum of the initial loads is too large for a count.
    #[error("initial loads sum to {sum}, outside 0..=2^63 − 1")]
    TotalTooLarge {
        /// The sum found.
        sum: u128,
    },
}
