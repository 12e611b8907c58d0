use core::fmt;

use bb_core::ParameterError;

/// A number of bits `M`, at most `2^36`.
///
/// # Examples
///
/// ```
/// use bb_memory::Budget;
///
/// assert_eq!(Budget::bits(7)?.get(), 7);
/// // floor(n^(1 − δ)).
/// assert_eq!(Budget::from_delta(1 << 16, 0.25)?.get(), 4096);
/// assert_eq!(Budget::from_delta(1 << 16, 1.0)?.get(), 1);
/// assert_eq!(Budget::from_delta(10, 1.5).unwrap_err().to_string(), "delta = 1.5 is outside [0, 1]");
/// # Ok::<(), bb_memory::bb_core::ParameterError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Budget(u64);

/// The most bits of a budget.
const MOST: u64 = 1 << 36;

impl Budget {
    /// No bits: a single state.
    pub const NONE: Self = Self(0);

    /// Returns a budget of so many bits.
    ///
    /// # Errors
    ///
    /// If there are more than `2^36`.
    pub fn bits(bits: u64) -> Result<Self, ParameterError> {
        ParameterError::require(bits <= MOST, "bits", bits, "0..=2^36")?;
        Ok(Self(bits))
    }

    /// Returns `floor(n^(1 − δ))` bits, exactly where `n` is a power of two; `δ = 0` gives `n` and `δ = 1`
    /// one bit.
    ///
    /// # Errors
    ///
    /// If `delta` is outside `[0, 1]`, `bins` is below 3 (where `log log n` is undefined, and so all that
    /// rests on δ), or there are more than `2^36` bits.
    pub fn from_delta(bins: u64, delta: f64) -> Result<Self, ParameterError> {
        checked_delta(bins, delta)?;
        if delta == 0.0 {
            return Self::bits(bins);
        }
        let power = if bins.is_power_of_two() {
            libm::exp2(f64::from(bins.ilog2()) * (1.0 - delta))
        } else {
            libm::pow(bins as f64, 1.0 - delta)
        };
        // Rounding must not take a bit away where the power is an integer: n = 10^4, δ = 1/4.
        let near = power.round();
        let bits = if (power - near).abs() <= 1e-12 * near { near } else { power.floor() };
        Self::bits(bits as u64)
    }

    /// Returns the number of bits.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}

/// Checks `δ` in `[0, 1]`, and that `log log n` is positive.
pub(crate) fn checked_delta(bins: u64, delta: f64) -> Result<(), ParameterError> {
    ParameterError::require((0.0..=1.0).contains(&delta), "delta", delta, "[0, 1]")?;
    ParameterError::require(bins >= 3, "n", bins, "3.., where log log n is defined and positive")
}

/// Checks the number of bins of a scheme. Names of bins are `usize`, and `2^40` of them are enough.
pub(crate) fn checked_bins(bins: u64) -> Result<u64, ParameterError> {
    ParameterError::require((1..=1 << 40).contains(&bins), "n", bins, "1..=2^40")?;
    Ok(bins)
}

/// Checks a parameter that counts from 1 to the number of bins.
pub(crate) fn checked_share(parameter: &'static str, value: u64, bins: u64) -> Result<(), ParameterError> {
    let valid = (1..=bins).contains(&value);
    ParameterError::require(valid, parameter, value, format_args!("1..={bins}, the number of bins"))
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bits", self.0)
    }
}
