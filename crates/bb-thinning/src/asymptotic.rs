//! The logarithms that the formulas of the papers are made of, and where they degenerate.

use bb_core::ParameterError;

/// `log n`, checked to be positive and finite.
pub(crate) fn log_n(n: f64) -> Result<f64, ParameterError> {
    let range = "the finite numbers above 1, where log n > 0";
    ParameterError::require(n > 1.0 && n.is_finite(), "n", n, range)?;
    Ok(libm::log(n))
}

/// `log log n`, checked to be positive: `n > e`.
pub(crate) fn log_log_n(n: f64) -> Result<f64, ParameterError> {
    let loglog = libm::log(log_n(n)?);
    ParameterError::require(loglog > 0.0, "loglog n", loglog, "(0, ∞), n > e")?;
    Ok(loglog)
}

/// `log log log n`, checked to be positive: `n > e^e`.
pub(crate) fn log_log_log_n(n: f64) -> Result<f64, ParameterError> {
    let logloglog = libm::log(log_log_n(n)?);
    ParameterError::require(logloglog > 0.0, "logloglog n", logloglog, "(0, ∞), n > e^e")?;
    Ok(logloglog)
}

/// The paper's number of stages, `k = ⌊log log n/(3 log log log n)⌋`, checked to be positive.
pub(crate) fn stages(n: f64) -> Result<u32, ParameterError> {
    let k = (log_log_n(n)? / (3.0 * log_log_log_n(n)?)).floor();
    if k >= 1.0 { Ok(k as u32) } else { Err(ParameterError::new("k", k, "1..")) }
}
