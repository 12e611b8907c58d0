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

/// Why a rule cannot begin on the loads it was given.
///
/// # Examples
///
/// ```
/// use bb_core::StartError;
///
/// let error = StartError::TooFewBins { parameter: "d", value: 5, bins: 3 };
/// assert_eq!(error.to_string(), "d = 5 is outside 1..=3, the number of bins");
/// ```
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum StartError {
    /// A parameter must not exceed the number of bins.
    #[error("{parameter} = {value} is outside 1..={bins}, the number of bins")]
    TooFewBins {
        /// The parameter that is too large.
        parameter: &'static str,
        /// Its value.
        value: u64,
        /// The number of bins.
        bins: u64,
    },
    /// The rule was made for another number of bins (a graph, groups, probabilities per bin).
    #[error("the rule is made for {expected} bins, the loads have {bins}")]
    OtherBins {
        /// The number of bins the rule expects.
        expected: u64,
        /// The number of bins of the loads.
        bins: u64,
    },
    /// A rule that counts needs more counters per bin than the loads keep; [`Counters`](crate::Counters) has
    /// an example.
    #[error("the rule needs {needed} counters per bin, the loads keep {kept}")]
    TooFewCounters {
        /// The number of counters the rule needs.
        needed: u8,
        /// The number of counters of the loads.
        kept: u8,
    },
    /// A rule that counts begins at 0.
    #[error("counter {which} of the bins sums to {total}, the rule begins to count at 0")]
    CounterInUse {
        /// The counter, from 0.
        which: u8,
        /// Its sum over all bins.
        total: u64,
    },
    /// A reason of the rule's own.
    #[error("{0}")]
    Unsuitable(String),
}
