//! Numbers as people write them on a command line.

use thiserror::Error;

/// A text is not the number that was asked for.
///
/// # Examples
///
/// ```
/// let error = bb_experiment::parse_integer::<u64>("1e30").unwrap_err();
/// assert_eq!(error.to_string(), "1e30 is outside the integers 0..2^64");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{text} is outside {range}")]
pub struct NumberError {
    text: String,
    range: String,
}

impl NumberError {
    fn new(text: &str, range: impl Into<String>) -> Self {
        Self { text: text.to_owned(), range: range.into() }
    }

    /// Returns the text; the type's example shows it.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the range in words; the type's example shows it.
    #[must_use]
    pub fn range(&self) -> &str {
        &self.range
    }
}

/// Reads an integer that is at least 0, exactly: `1000`, `1e3`, `1.5e6` or `2^20`.
///
/// # Errors
///
/// If the text is no number, has a fraction, or does not fit in `T`.
///
/// # Examples
///
/// ```
/// use bb_experiment::parse_integer;
///
/// assert_eq!(parse_integer("1e6"), Ok(1_000_000_u64));
/// assert_eq!(parse_integer("2^63"), Ok(1_u64 << 63));
/// assert_eq!(parse_integer("1.25e2"), Ok(125_u32));
/// assert!(parse_integer::<u64>("1.5").is_err());
/// assert!(parse_integer::<u32>("2^32").is_err());
/// ```
pub fn parse_integer<T: TryFrom<u64>>(text: &str) -> Result<T, NumberError> {
    exact_integer(text)
        .and_then(|value| T::try_from(value).ok())
        .ok_or_else(|| NumberError::new(text, format!("the integers 0..2^{}", 8 * size_of::<T>())))
}

/// Reads a finite real number: `0.5`, `1e-3` or `2^20`.
///
/// # Errors
///
/// If the text is no number, or infinite, or `NaN`.
///
/// # Examples
///
/// ```
/// use bb_experiment::parse_real;
///
/// assert_eq!(parse_real("0.5"), Ok(0.5));
/// assert_eq!(parse_real("2^10"), Ok(1024.0));
/// assert!(parse_real("nan").is_err());
/// ```
pub fn parse_real(text: &str) -> Result<f64, NumberError> {
    let value = if text.contains('^') { exact_integer(text).map(|value| value as f64) } else { text.parse().ok() };
    value.filter(|value| value.is_finite()).ok_or_else(|| NumberError::new(text, "the finite numbers"))
}

/// Reads a list whose items are separated by `/`, each with `item`.
///
/// # Errors
///
/// What `item` finds in the first item that it refuses.
///
/// # Examples
///
/// ```
/// use bb_experiment::{parse_integer, parse_list};
///
/// assert_eq!(parse_list("1/2/1e3", parse_integer::<u64>), Ok(vec![1, 2, 1000]));
/// assert!(parse_list("1//3", parse_integer::<u64>).is_err());
/// ```
pub fn parse_list<T>(text: &str, item: impl Fn(&str) -> Result<T, NumberError>) -> Result<Vec<T>, NumberError> {
    text.split('/').map(item).collect()
}

/// The integer that the text stands for; `None` if it is none or is `2^64` or more. Nothing passes through
/// floating point.
fn exact_integer(text: &str) -> Option<u64> {
    if let Some((base, exponent)) = text.split_once('^') {
        return digits(base)?.checked_pow(u32::try_from(digits(exponent)?).ok()?);
    }
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent = digits(exponent.strip_prefix('+').unwrap_or(exponent))?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let fraction = fraction.trim_end_matches('0');
    let zeros = exponent.checked_sub(fraction.len() as u64)?; // Else a fraction would remain.
    let power = 10_u64.checked_pow(u32::try_from(zeros).ok()?)?;
    digits(&format!("{whole}{fraction}"))?.checked_mul(power)
}

fn digits(text: &str) -> Option<u64> {
    // `parse` alone would take a sign.
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}

/// Writes how many there are of a thing: one of it stands in the singular.
pub(crate) fn number_of(count: u64, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}
