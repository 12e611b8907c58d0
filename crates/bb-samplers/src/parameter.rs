//! The error of constructors whose parameters have a range.

use core::fmt::{Debug, Display};

use thiserror::Error;

/// A parameter is outside its range.
///
/// # Examples
///
/// ```
/// use bb_samplers::ParameterError;
///
/// let error = ParameterError::new("beta", 1.5, "[0, 1]");
/// assert_eq!(error.to_string(), "beta = 1.5 is outside [0, 1]");
/// assert_eq!((error.parameter(), error.value(), error.range()), ("beta", "1.5", "[0, 1]"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{parameter} = {value} is outside {range}")]
pub struct ParameterError {
    parameter: &'static str,
    value: String,
    range: String,
}

impl ParameterError {
    /// Returns the error that names the parameter, its value and the range it must lie in.
    #[must_use]
    pub fn new(parameter: &'static str, value: impl Display, range: impl Into<String>) -> Self {
        Self { parameter, value: value.to_string(), range: range.into() }
    }

    /// Checks a parameter: the error, if it is not `valid`. Value and range are printed only then, the value
    /// with `{:?}`, so that 1.0 is not taken for 1.
    ///
    /// # Errors
    ///
    /// If not `valid`.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_samplers::ParameterError;
    ///
    /// fn half(beta: f64) -> Result<f64, ParameterError> {
    ///     ParameterError::require((0.0..=1.0).contains(&beta), "beta", beta, "[0, 1]")?;
    ///     Ok(beta / 2.0)
    /// }
    /// assert_eq!(half(0.5), Ok(0.25));
    /// assert_eq!(half(1.5).unwrap_err().to_string(), "beta = 1.5 is outside [0, 1]");
    /// ```
    pub fn require(
        valid: bool,
        parameter: &'static str,
        value: impl Debug,
        range: impl Display,
    ) -> Result<(), ParameterError> {
        if valid { Ok(()) } else { Err(Self::new(parameter, format_args!("{value:?}"), range.to_string())) }
    }

    /// Returns the name of the parameter.
    #[must_use]
    pub fn parameter(&self) -> &'static str {
        self.parameter
    }

    /// Returns the offending value, as it would be printed.
    #[must_use]
    pub fn value(&self) -> &str {
        &self.value
    }

    /// Returns the range in words or as an interval.
    #[must_use]
    pub fn range(&self) -> &str {
        &self.range
    }
}
