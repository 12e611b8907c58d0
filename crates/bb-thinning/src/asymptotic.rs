//! The logarithms that the formulas of the papers are made of, and where they degenerate.

use bb_core::ParameterError;

/// `log n`, checked to be positive and finite.
pub(crate) fn log_n(n: f64) -> Result<f64, ParameterError> {
    if n > 1.0 && n.is_finite() {
        Ok(libm::log(n))
    } else {
        Err(ParameterError::new("n", format!("{n:?}"), "the finite numbers above 1, where log n > 0"))
    }
}

/// `log log n`, checked to be positive: `n > e`.
pub(crate) fn log_log_n(n: f64) -> Result<f64, ParameterError> {
    let loglog = libm::log(log_n(n)?);
    if loglog > 0.0 {
        Ok(loglog)
    } else {
        Err(ParameterError::new("loglog n", format!("{loglog:?}"), "(0, ∞), n > e"))
    }
}

/// `log log log n`, checked to be positive: `n > e^e`.
pub(crate) fn log_log_log_n(n: f64) -> Result<f64, ParameterError> {
    let logloglog = libm::log(log_log_n(n)?);
    if logloglog > 0.0 {
        Ok(logloglog)
    } else {
        Err(ParameterError::new("logloglog n", format!("{logloglog:?}"), "(0, ∞), n > e^e"))
    }
}

/// The paper's number of stages, `k = ⌊log log n/(3 log log log n)⌋`, checked to be positive.
pub(crate) fn stages(n: f64) -> Result<u32, ParameterError> {
    let k = (log_log_n(n)? / (3.0 * log_log_log_n(n)?)).floor();
    if k >= 1.0 { Ok(k as u32) } else { Err(ParameterError::new("k", k, "1..")) }
}
