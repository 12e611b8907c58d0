use bb_core::ParameterError;

use crate::model::checked_delta;
use crate::numbers::lg_binomial;

/// Returns `lg C(t + K − 1, K − 1)`: the bits that `K` exact cluster counters need when `t` balls are known
/// to be placed, to about `1e-9` of it.
///
/// # Errors
///
/// If `clusters` is 0.
///
/// # Examples
///
/// ```
/// assert!((bb_memory::theory::cluster_entropy_bits(2, 15)? - 4.0).abs() < 1e-9);
/// # Ok::<(), bb_memory::bb_core::ParameterError>(())
/// ```
pub fn cluster_entropy_bits(clusters: u64, balls: u64) -> Result<f64, ParameterError> {
    ParameterError::require(clusters > 0, "K", clusters, "1..")?;
    let rest = (clusters - 1) as f64;
    Ok(lg_binomial(balls as f64 + rest, rest))
}

/// Returns `λ_d = (2d + 1 + √(4d² + 1))/2`: the maximum of (d,1)-memory is `ln ln n/ln λ_d + O(1)` at
/// `m = n`.
///
/// By a fluid heuristic, and for `d = 1` by Mitzenmacher, Prabhakar and Shah, FOCS 2002: `λ_1` is the square
/// of the golden ratio.
///
/// # Errors
///
/// If `d` is 0.
///
/// # Examples
///
/// ```
/// use bb_memory::theory::memory_growth;
///
/// let golden = (1.0 + 5.0_f64.sqrt()) / 2.0;
/// assert!((memory_growth(1)? - golden * golden).abs() < 1e-12);
/// assert!((memory_growth(2)? - 4.56).abs() < 0.005);
/// # Ok::<(), bb_memory::bb_core::ParameterError>(())
/// ```
pub fn memory_growth(d: u32) -> Result<f64, ParameterError> {
    ParameterError::require(d > 0, "d", d, "1..")?;
    let d = f64::from(d);
    Ok((2.0 * d + 1.0 + (4.0 * d * d + 1.0).sqrt()) / 2.0)
}

/// Returns `√(2 ln n/ln ln n)`: about the best threshold of one bit a bin at `m = n`, by a sketch; the
/// maximum load is about twice that. At `n = 2^16` it is 3.04, and 3 is the best by simulation.
///
/// # Errors
///
/// If `bins` is below 3.
///
/// # Examples
///
/// ```
/// assert!((bb_memory::theory::best_threshold_bit(1 << 16)? - 3.04).abs() < 0.005);
/// # Ok::<(), bb_memory::bb_core::ParameterError>(())
/// ```
pub fn best_threshold_bit(bins: u64) -> Result<f64, ParameterError> {
    checked_delta(bins, 0.0)?;
    let log = libm::log(bins as f64);
    Ok((2.0 * log / libm::log(log)).sqrt())
}
