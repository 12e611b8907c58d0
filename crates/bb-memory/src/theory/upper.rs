use bb_core::ParameterError;

use crate::error::MemoryError;
use crate::model::checked_delta;

/// The base of the logarithms in [`paper_threshold`], on which much depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LogBase {
    /// e.
    Natural,
    /// 2.
    Two,
}

impl LogBase {
    /// The logarithm.
    pub(crate) fn log(self, x: f64) -> f64 {
        match self {
            Self::Natural => libm::log(x),
            Self::Two => libm::log2(x),
        }
    }
}

/// Returns the threshold of \[BM\] Section 3, not rounded:
/// `(2δ log n/log log n)(1 + 2 log(1/δ)/log(δ log n))`.
///
/// It is asymptotic. It is not defined at `δ log n = 1`, depends much on the base (41.9 and 8.6 at
/// `n = 2^16`, `δ = 0.1`), and is at most sizes at or above the maximum of One-Choice, so that a list with it
/// stays empty.
///
/// # Errors
///
/// If `delta` is outside `[0, 1]`, `bins` is below 3, `δ log n ≤ 1`, or the value is below 1.
///
/// # Examples
///
/// ```
/// use bb_memory::theory::{LogBase, paper_threshold};
///
/// assert!((paper_threshold(1 << 16, 0.5, LogBase::Natural)? - 8.34).abs() < 0.005);
/// assert!((paper_threshold(1 << 16, 0.5, LogBase::Two)? - 6.67).abs() < 0.005);
/// assert!(paper_threshold(1 << 10, 0.1, LogBase::Natural).is_err());
/// # Ok::<(), bb_memory::MemoryError>(())
/// ```
pub fn paper_threshold(bins: u64, delta: f64, base: LogBase) -> Result<f64, MemoryError> {
    checked_delta(bins, delta)?;
    let undefined = |reason| {
        let formula = "(2δ log n/log log n)(1 + 2 log(1/δ)/log(δ log n))";
        Err(MemoryError::Undefined { formula, bins, delta, reason })
    };
    let log = base.log(bins as f64);
    if delta * log <= 1.0 {
        return undefined("it asks for δ log n > 1");
    }
    let threshold = 2.0 * delta * log / base.log(log) * (1.0 + 2.0 * base.log(1.0 / delta) / base.log(delta * log));
    if threshold.is_finite() && threshold >= 1.0 {
        Ok(threshold)
    } else {
        undefined("its value is below 1, or not finite")
    }
}

/// Returns `n^(1 − δ)/(2 lg n)`: with [`paper_threshold`] the list has at most so many entries with high
/// probability (\[BM\] Section 3). With `2 lg n` bits an entry it takes `n^(1 − δ)` bits; the logarithm has
/// to be that of base 2 for this.
///
/// # Errors
///
/// If `delta` is outside `[0, 1]` or `bins` is below 3.
///
/// # Examples
///
/// ```
/// assert_eq!(bb_memory::theory::paper_list_length(1 << 16, 0.25)?, 128.0);
/// # Ok::<(), bb_memory::MemoryError>(())
/// ```
pub fn paper_list_length(bins: u64, delta: f64) -> Result<f64, MemoryError> {
    checked_delta(bins, delta)?;
    Ok(libm::pow(bins as f64, 1.0 - delta) / (2.0 * libm::log2(bins as f64)))
}

/// Returns how many balls a listed bin takes at most on top of `T`, with high probability, if the list has
/// [`paper_list_length`] entries and no counts: `ceil((1 − δ)/δ) − 1`.
///
/// Derived: a given heavy bin is hit with probability at most `2|H|/n²` a ball, and a union bound over the
/// bins does the rest. So counts are not needed for constant `δ`.
///
/// # Errors
///
/// If `delta` is outside `(0, 1]`.
///
/// # Examples
///
/// ```
/// use bb_memory::theory::extra_balls;
///
/// assert_eq!([0.5, 0.25, 0.1].map(|delta| extra_balls(delta).unwrap()), [0, 2, 8]);
/// ```
pub fn extra_balls(delta: f64) -> Result<u64, ParameterError> {
    ParameterError::require(delta > 0.0 && delta <= 1.0, "delta", delta, "(0, 1]")?;
    let ratio = (1.0 - delta) / delta;
    // A rounding up must not make 9.000000000000002 of 9.
    let near = ratio.round();
    let ceiling = if (ratio - near).abs() < 1e-9 { near } else { ratio.ceil() };
    Ok((ceiling as u64).saturating_sub(1))
}

/// Returns the leading terms of the upper bound for a list with counts and a threshold: `T + lg ln n`; an
/// additive constant is not known (\[BM\] Section 3).
///
/// # Errors
///
/// If `bins` is below 3.
///
/// # Examples
///
/// ```
/// assert!((bb_memory::theory::upper_bound(1 << 16, 6)? - 9.5).abs() < 0.05);
/// # Ok::<(), bb_memory::MemoryError>(())
/// ```
pub fn upper_bound(bins: u64, threshold: u64) -> Result<f64, MemoryError> {
    checked_delta(bins, 0.0)?;
    Ok(threshold as f64 + libm::log2(libm::log(bins as f64)))
}
