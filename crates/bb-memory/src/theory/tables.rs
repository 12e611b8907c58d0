use bb_core::ParameterError;

use crate::error::MemoryError;
use crate::format::{Format, Layout};
use crate::model::Budget;
use crate::numbers::{lg_binomial, lg_factorial, width};
use crate::theory::certificate::certificate;
use crate::theory::lower::{choice_memory_bound, lower_bound};
use crate::theory::tails::heavy_bins_in_the_limit;
use crate::theory::upper::{LogBase, paper_list_length, paper_threshold};

/// The quantities of the theorems at one size, with `M = floor(n^(1 − δ))` and `m = n`.
///
/// # Examples
///
/// ```
/// use bb_memory::theory::Tradeoff;
///
/// let at = Tradeoff::new(1 << 16, 0.5)?;
/// assert_eq!((at.budget.get(), at.certificate, at.list_length), (256, 2, 8.0));
/// assert!((at.lower_bound - 1.15).abs() < 0.005 && (at.choice_memory_bound.unwrap() - 2.30).abs() < 0.005);
/// let natural = at.natural.unwrap();
/// assert_eq!((natural.rounded, natural.at_rate_2.round()), (9, 16.0));
/// # Ok::<(), bb_memory::MemoryError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Tradeoff {
    /// `M`.
    pub budget: Budget,
    /// [`lower_bound`], not rounded.
    pub lower_bound: f64,
    /// [`choice_memory_bound`] with two samples; `None` where it is not defined.
    pub choice_memory_bound: Option<f64>,
    /// The load of the [`certificate`] with failure 0.01; 0 if there is none.
    pub certificate: u64,
    /// The threshold by natural logarithms; `None` where it is not defined.
    pub natural: Option<PaperThreshold>,
    /// The threshold by logarithms of base 2; `None` where it is not defined.
    pub two: Option<PaperThreshold>,
    /// [`paper_list_length`].
    pub list_length: f64,
}

/// A threshold of the paper and what it leads to, in a [`Tradeoff`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PaperThreshold {
    /// [`paper_threshold`].
    pub threshold: f64,
    /// The threshold, rounded up.
    pub rounded: u64,
    /// Bins of so many balls or more, expected at rate 1.
    pub at_rate_1: f64,
    /// The same at rate 2, the worst.
    pub at_rate_2: f64,
}

impl Tradeoff {
    /// Returns the quantities at one size. Takes about a millisecond, for the certificate.
    ///
    /// # Errors
    ///
    /// If `bins` is below 3, or `delta` is outside `[0, 1]`.
    pub fn new(bins: u64, delta: f64) -> Result<Self, MemoryError> {
        let budget = Budget::from_delta(bins, delta)?;
        let threshold = |base| -> Result<Option<PaperThreshold>, MemoryError> {
            let threshold = match paper_threshold(bins, delta, base) {
                Ok(threshold) => threshold,
                Err(MemoryError::Undefined { .. }) => return Ok(None),
                Err(error) => return Err(error),
            };
            let rounded = threshold.ceil() as u64;
            let at_rate = |rate| heavy_bins_in_the_limit(bins, bins, rate, rounded);
            Ok(Some(PaperThreshold { threshold, rounded, at_rate_1: at_rate(1.0)?, at_rate_2: at_rate(2.0)? }))
        };
        Ok(Self {
            budget,
            lower_bound: lower_bound(bins, delta)?,
            choice_memory_bound: choice_memory_bound(bins, 2, delta).ok(),
            certificate: certificate(bins, budget.get(), 0.01)?.map_or(0, |proof| proof.load()),
            natural: threshold(LogBase::Natural)?,
            two: threshold(LogBase::Two)?,
            list_length: paper_list_length(bins, delta)?,
        })
    }
}

/// What fits into `M` bits at `m = n`: capacities, and the threshold fitted to them.
///
/// # Examples
///
/// ```
/// use bb_memory::Budget;
/// use bb_memory::theory::Fitting;
///
/// let fit = Fitting::new(1 << 16, Budget::bits(4096)?)?;
/// assert_eq!((fit.naive_capacity, fit.flat_capacity), (215, 340));
/// let (naive, flat) = (fit.naive.unwrap(), fit.flat.unwrap());
/// assert_eq!((naive.threshold, flat.threshold), (6, 5));
/// assert_eq!((naive.bits.round(), flat.bits.round(), flat.entropy.round()), (748.0, 3010.0, 2453.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Fitting {
    /// The capacity of `Naive` with eight counts.
    pub naive_capacity: u64,
    /// The capacity of `Flat` with eight counts.
    pub flat_capacity: u64,
    /// What the capacity of `Naive` leads to; `None` if that is 0.
    pub naive: Option<Fitted>,
    /// What the capacity of `Flat` leads to; `None` if that is 0.
    pub flat: Option<Fitted>,
}

/// A threshold fitted to a capacity, in a [`Fitting`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Fitted {
    /// The least threshold whose expected number of heavy bins, at rate 1, is within the capacity.
    pub threshold: u64,
    /// That number.
    pub heavy: f64,
    /// The bits of a list of so many entries; the formula of the format at a real number.
    pub bits: f64,
    /// The entropy of such a list, given how many entries have each count.
    pub entropy: f64,
}

impl Fitting {
    /// Returns what fits.
    ///
    /// # Errors
    ///
    /// If `bins` is outside `2..=2^40`.
    pub fn new(bins: u64, budget: Budget) -> Result<Self, MemoryError> {
        ParameterError::require(bins >= 2, "n", bins, "2..=2^40")?;
        let capacity = |format| Ok::<_, MemoryError>(Layout::new_or_empty(bins, budget, format, 8)?.capacity());
        let (naive_capacity, flat_capacity) = (capacity(Format::Naive)?, capacity(Format::Flat)?);
        let n = bins as f64;
        let width = |most: u64| f64::from(width(most));
        let naive_bits = |heavy: f64| width(naive_capacity) + heavy * (width(bins - 1) + 3.0);
        let flat_bits = |heavy: f64| width(flat_capacity) + lg_binomial(n, heavy) + 3.0 * heavy;
        Ok(Self {
            naive_capacity,
            flat_capacity,
            naive: fitted(bins, naive_capacity, naive_bits)?,
            flat: fitted(bins, flat_capacity, flat_bits)?,
        })
    }
}

fn fitted(bins: u64, capacity: u64, bits: impl Fn(f64) -> f64) -> Result<Option<Fitted>, MemoryError> {
    if capacity == 0 {
        return Ok(None);
    }
    let expected = |threshold| heavy_bins_in_the_limit(bins, bins, 1.0, threshold);
    let mut threshold = 0;
    while expected(threshold)? > capacity as f64 {
        threshold += 1;
    }
    let heavy = expected(threshold)?;
    // n!/((n − k)! Π h_l!) with h_l the expected number of bins of load exactly l.
    let (mut entropy, mut load, mut left) =
        (lg_factorial(bins as f64) - lg_factorial(bins as f64 - heavy), threshold, heavy);
    while left > 1e-12 {
        let next = expected(load + 1)?;
        entropy -= lg_factorial(left - next);
        (load, left) = (load + 1, next);
    }
    Ok(Some(Fitted { threshold, heavy, bits: bits(heavy), entropy }))
}
