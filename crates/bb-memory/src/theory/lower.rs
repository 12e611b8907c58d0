use bb_core::ParameterError;

use crate::error::MemoryError;
use crate::model::checked_delta;

/// Returns `δ ln n/(2 ln ln n)`: with `n^(1 − δ)` bits, after `n` balls some bin has so many balls, rounded
/// up, with high probability, whatever the scheme does.
///
/// \[BM\] Theorem 1.1 states `Ω(δ log n/log log n)`; the constant 1/2 is that of the number of phases in its
/// proof (restored, not quoted). It holds in the communication model, and so in the computational one, and is
/// asymptotic: [`certificate`](super::certificate) is for one size. For probing schemes it does not hold.
///
/// # Errors
///
/// If `bins` is below 3, or `delta` is outside `[0, 1]`.
///
/// # Examples
///
/// ```
/// use bb_memory::theory::lower_bound;
///
/// assert!((lower_bound(1 << 24, 0.75)? - 2.22).abs() < 0.005);
/// # Ok::<(), bb_memory::MemoryError>(())
/// ```
pub fn lower_bound(bins: u64, delta: f64) -> Result<f64, MemoryError> {
    checked_delta(bins, delta)?;
    let log = libm::log(bins as f64);
    Ok(delta * log / (2.0 * libm::log(log)))
}

/// Returns `ln(n/m)/(ln k + ln ln(n/m))` for `k` samples a ball and `m = n^(1 − δ)` bits: a lower bound of
/// the maximum load with high probability, in the computational model (\[AGL\], abstract).
///
/// Whether \[AGL\] lets the next state depend on all loads was not recovered. The expression means nothing
/// for `ln(n/m)` near 1 or below.
///
/// # Errors
///
/// If `bins` is below 3, `delta` outside `[0, 1]`, `samples` below 2, or the denominator is not positive.
///
/// # Examples
///
/// ```
/// use bb_memory::theory::choice_memory_bound;
///
/// assert!((choice_memory_bound(1 << 24, 2, 0.75)? - 3.88).abs() < 0.005);
/// assert!(choice_memory_bound(1 << 10, 2, 0.01).is_err());
/// # Ok::<(), bb_memory::MemoryError>(())
/// ```
pub fn choice_memory_bound(bins: u64, samples: u32, delta: f64) -> Result<f64, MemoryError> {
    checked_delta(bins, delta)?;
    ParameterError::require(samples >= 2, "k", samples, "2..")?;
    let ratio = delta * libm::log(bins as f64);
    let below = libm::log(f64::from(samples)) + libm::log(ratio);
    if ratio > 0.0 && below > 0.0 {
        return Ok(ratio / below);
    }
    let reason = "its denominator is not positive";
    Err(MemoryError::Undefined { formula: "ln(n/m)/(ln k + ln ln(n/m))", bins, delta, reason })
}

/// Returns the most bins that can have a probability below `ε/n` of the next ball, whatever the decision:
/// `n ε^(1/(d − 1))` for `d` independent samples.
///
/// \[BM\] Claim 2.1 for `d = 2` (restored): all samples lie in the set `F` with probability `(|F|/n)^d`, and
/// then the ball does; but it does with probability at most `ε|F|/n`.
///
/// # Errors
///
/// If `epsilon` is outside `[0, 1]` or `samples` below 2.
///
/// # Examples
///
/// ```
/// assert_eq!(bb_memory::theory::slow_bins_at_most(100, 2, 0.25)?, 25.0);
/// # Ok::<(), bb_memory::bb_core::ParameterError>(())
/// ```
pub fn slow_bins_at_most(bins: u64, samples: u32, epsilon: f64) -> Result<f64, ParameterError> {
    ParameterError::require((0.0..=1.0).contains(&epsilon), "epsilon", epsilon, "[0, 1]")?;
    ParameterError::require(samples >= 2, "d", samples, "2..")?;
    Ok(bins as f64 * libm::pow(epsilon, 1.0 / f64::from(samples - 1)))
}

/// Returns the least probability with which the next ball hits a set of `size` bins, none of them of
/// probability below `ε/n`, whatever the decision: `ε·size/n` (\[BM\] Claim 2.1, first part, restored).
///
/// # Errors
///
/// If `epsilon` is outside `[0, 1]`, `bins` is 0 or `size` exceeds it.
///
/// # Examples
///
/// ```
/// assert_eq!(bb_memory::theory::hits_at_least(100, 50, 0.5)?, 0.25);
/// # Ok::<(), bb_memory::bb_core::ParameterError>(())
/// ```
pub fn hits_at_least(bins: u64, size: u64, epsilon: f64) -> Result<f64, ParameterError> {
    ParameterError::require((0.0..=1.0).contains(&epsilon), "epsilon", epsilon, "[0, 1]")?;
    ParameterError::require(
        bins > 0 && size <= bins,
        "size",
        size,
        format_args!("0..={bins}, the number of bins, at least 1"),
    )?;
    Ok(epsilon * size as f64 / bins as f64)
}
