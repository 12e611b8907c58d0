use std::sync::Arc;

use bb_core::rand::distr::Distribution;
use bb_core::{ParameterError, Rng};
use rand_distr::weighted::WeightedAliasIndex;
use thiserror::Error;

use crate::room::can_be_had;

/// The probabilities with which bins are sampled, and a table to sample them in constant time (alias method:
/// Walker, ACM Trans. Math. Softw. 3, 1977).
///
/// A clone shares the table.
///
/// *Randomness:* a sample takes 32 bits for a column of the table (more if rejected), then a word for the two
/// bins of the column. *Accuracy:* the column is exactly uniform. The place where it is divided is a 64-bit
/// floating-point number, compared with a uniform number of 52 bits, so that each probability is off by about
/// `2^-52/n` for each column that the bin has a part in. *Cost:* 20 bytes a bin; `O(n)` to make, and
/// `O(n log n)` for the circle.
///
/// # Examples
///
/// ```
/// use bb_processes::bb_core::rng_for_trial;
/// use bb_processes::{BinProbabilities, WeightsError};
///
/// let skewed = BinProbabilities::from_weights([3.0, 0.0, 1.0])?;
/// assert_eq!((skewed.bins(), skewed.probabilities()), (3, &[0.75, 0.0, 0.25][..]));
/// let mut rng = rng_for_trial(1, 0);
/// assert!((0..100).all(|_| skewed.sample(&mut rng) != 1));
///
/// let refused = BinProbabilities::from_weights([1.0, -1.0]).unwrap_err();
/// assert_eq!(refused, WeightsError::Weight { bin: 1, weight: -1.0 });
/// # Ok::<(), WeightsError>(())
/// ```
#[derive(Clone, Debug)]
pub struct BinProbabilities {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    probabilities: Box<[f64]>,
    table: WeightedAliasIndex<f64>,
}

/// Equal if all probabilities are.
impl PartialEq for BinProbabilities {
    fn eq(&self, other: &Self) -> bool {
        self.shared.probabilities == other.shared.probabilities
    }
}

impl BinProbabilities {
    /// Returns probabilities in proportion to these weights, one for each bin: finite, not below 0, and not
    /// all 0.
    ///
    /// # Errors
    ///
    /// If a weight is outside its range, or there are none, or `2^32` or more.
    pub fn from_weights(weights: impl IntoIterator<Item = f64>) -> Result<Self, WeightsError> {
        let mut weights: Vec<f64> = weights.into_iter().collect();
        let bins = weights.len() as u64;
        check_bins(bins)?;
        if let Some(bin) = weights.iter().position(|&weight| !(weight >= 0.0 && weight.is_finite())) {
            return Err(WeightsError::Weight { bin: bin as u64, weight: weights[bin] });
        }
        let largest = weights.iter().copied().fold(0.0, f64::max);
        if largest == 0.0 {
            return Err(WeightsError::AllZero);
        }
        // To the order of 1, so that no sum overflows; by a power of two, so that nothing is rounded.
        let scale = 2_f64.powi((-largest.log2().floor()).clamp(-1022.0, 1022.0) as i32);
        weights.iter_mut().for_each(|weight| *weight *= scale);
        let sum: f64 = weights.iter().sum();
        let probabilities = weights.iter().map(|weight| weight / sum).collect();
        // What the table refuses is excluded above: weights are below 4, and their number below 2^32.
        let table = WeightedAliasIndex::new(weights).map_err(|_| WeightsError::AllZero)?;
        Ok(Self { shared: Arc::new(Shared { probabilities, table }) })
    }

    /// Returns two classes of bins: each of the first `heavy` of them is `ratio` times as likely as each of
    /// the others, `heavy ≤ bins`, `ratio > 0`.
    ///
    /// # Errors
    ///
    /// If a number is outside its range, or the memory cannot be had.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_processes::{BinProbabilities, WeightsError};
    ///
    /// let classes = BinProbabilities::two_class(4, 1, 5.0)?;
    /// assert_eq!(classes.probabilities(), [0.625, 0.125, 0.125, 0.125]);
    /// assert!(matches!(BinProbabilities::two_class(4, 5, 2.0), Err(WeightsError::Parameter(_))));
    /// # Ok::<(), WeightsError>(())
    /// ```
    pub fn two_class(bins: u64, heavy: u64, ratio: f64) -> Result<Self, WeightsError> {
        check_bins(bins)?;
        ParameterError::require(heavy <= bins, "heavy", heavy, format_args!("0..={bins}, the number of bins"))?;
        ParameterError::require(ratio > 0.0 && ratio.is_finite(), "ratio", ratio, "the finite numbers above 0")?;
        Self::from_weights((0..bins).map(|bin| if bin < heavy { ratio } else { 1.0 }))
    }

    /// Returns the hardest `(a, b)`-biased probabilities, `a, b ≥ 1`: of all with `1/(an) ≤ s_i ≤ b/n` those
    /// that put as many bins as can be at the upper end.
    ///
    /// The first `⌊rn⌋` bins with `r = (a − 1)/(ab − 1)` have probability `b/n`, the others share the rest.
    /// [`biased_threshold`] tells how many choices balance them.
    ///
    /// # Errors
    ///
    /// If a number is outside its range, or the memory cannot be had.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_processes::{BinProbabilities, WeightsError};
    ///
    /// let biased = BinProbabilities::hardest_biased(8, 2.0, 1.5)?;
    /// assert_eq!(biased.probabilities(), [0.1875, 0.1875, 0.1875, 0.1875, 0.0625, 0.0625, 0.0625, 0.0625]);
    /// # Ok::<(), WeightsError>(())
    /// ```
    pub fn hardest_biased(bins: u64, a: f64, b: f64) -> Result<Self, WeightsError> {
        check_bins(bins)?;
        check_bias(a, b)?;
        let n = bins as f64;
        let share = if a * b > 1.0 { (a - 1.0) / (a * b - 1.0) } else { 0.0 };
        // Rounded products may miss an integer from below; a 10^-9 of a bin does not count.
        let heavy = (share * n + 1e-9).floor().min(n - 1.0);
        let light = (n - heavy * b) / (n - heavy);
        Self::from_weights((0..bins).map(|bin| if (bin as f64) < heavy { b } else { light }))
    }

    /// Returns the circle model: `bins` uniform points on a circle of length 1; each bin is the arc that ends
    /// at its point, and its probability is the arc's length.
    ///
    /// Bins are numbered along the circle. Consistent hashing draws bins like this (Byers, Considine and
    /// Mitzenmacher, SPAA 2004).
    ///
    /// *Randomness:* one word for each bin, of which 53 bits are used; the arcs are exact.
    ///
    /// # Errors
    ///
    /// If `bins` is 0, or `2^32` or more, or the memory cannot be had.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_processes::BinProbabilities;
    /// use bb_processes::bb_core::rng_for_trial;
    ///
    /// let circle = BinProbabilities::circle(1000, &mut rng_for_trial(1, 0))?;
    /// // The longest of n arcs has length about ln n/n.
    /// let longest = circle.probabilities().iter().copied().fold(0.0, f64::max);
    /// assert!((0.004..0.02).contains(&longest));
    /// # Ok::<(), bb_processes::WeightsError>(())
    /// ```
    pub fn circle<R: Rng + ?Sized>(bins: u64, rng: &mut R) -> Result<Self, WeightsError> {
        check_bins(bins)?;
        // Multiples of 2^-53 below 1, and so are their differences: nothing is rounded.
        let mut points: Vec<f64> = (0..bins).map(|_| (rng.next_u64() >> 11) as f64 * 2_f64.powi(-53)).collect();
        points.sort_unstable_by(f64::total_cmp);
        let around = points[0] + (1.0 - points[points.len() - 1]);
        Self::from_weights([around].into_iter().chain(points.windows(2).map(|pair| pair[1] - pair[0])))
    }

    /// Returns the number of bins.
    #[must_use]
    pub fn bins(&self) -> u64 {
        self.shared.probabilities.len() as u64
    }

    /// Returns the probability of each bin, rounded.
    #[must_use]
    pub fn probabilities(&self) -> &[f64] {
        &self.shared.probabilities
    }

    /// Draws a bin.
    #[inline]
    pub fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> usize {
        self.shared.table.sample(rng)
    }
}

/// Returns the number of choices `d*` that the [hardest](BinProbabilities::hardest_biased) `(a, b)`-biased
/// probabilities need, `a, b ≥ 1`: with fewer the gap grows linearly in `m`.
///
/// A share `r = (a − 1)/(ab − 1)` of the bins has probability `b/n` each, `rb` together. All `d` samples fall
/// into it with probability `(rb)^d`, and it stays balanced only if that is at most its share `r`: if
/// `d ≥ d* = ln(1/r)/ln(1/(rb))`. Below, its overload grows by `((rb)^d/r − 1)/n` a ball. Uniform
/// probabilities need 1. The threshold is that of Wieder, SPAA 2007.
///
/// # Errors
///
/// If `a` or `b` is outside its range.
///
/// # Examples
///
/// ```
/// use bb_processes::biased_threshold;
///
/// // Half of the bins are four times as likely as the others: a = 2.5, b = 1.6, r = 1/2, rb = 4/5.
/// let needed = biased_threshold(2.5, 1.6)?;
/// assert!((needed - 2_f64.ln() / 1.25_f64.ln()).abs() < 1e-12); // 3.106
/// assert_eq!(biased_threshold(1.0, 1.0)?, 1.0);
/// let refused = biased_threshold(0.5, 1.0).unwrap_err();
/// assert_eq!(refused.to_string(), "a = 0.5 is outside the finite numbers from 1");
/// # Ok::<(), bb_processes::bb_core::ParameterError>(())
/// ```
pub fn biased_threshold(a: f64, b: f64) -> Result<f64, ParameterError> {
    check_bias(a, b)?;
    if a == 1.0 || b == 1.0 {
        return Ok(1.0);
    }
    Ok(((a * b - 1.0) / (a - 1.0)).ln() / ((a * b - 1.0) / (a * b - b)).ln())
}

fn check_bias(a: f64, b: f64) -> Result<(), ParameterError> {
    for (parameter, value) in [("a", a), ("b", b)] {
        ParameterError::require(value >= 1.0 && value.is_finite(), parameter, value, "the finite numbers from 1")?;
    }
    Ok(())
}

fn check_bins(bins: u64) -> Result<(), WeightsError> {
    ParameterError::require(bins != 0 && bins <= u64::from(u32::MAX), "bins", bins, "1..2^32")?;
    // Weights, probabilities, and the table.
    let bytes = u128::from(bins) * 32;
    if can_be_had(bytes) { Ok(()) } else { Err(WeightsError::DoesNotFit { bins, bytes }) }
}

/// Why there are no probabilities to these weights.
///
/// # Examples
///
/// ```
/// use bb_processes::BinProbabilities;
///
/// let refused = |weights: &[f64]| BinProbabilities::from_weights(weights.iter().copied()).unwrap_err();
/// let message = |weights| refused(weights).to_string();
/// assert_eq!(message(&[1.0, f64::NAN]), "weight NaN of bin 1 is outside the finite numbers from 0");
/// assert_eq!(message(&[0.0, 0.0]), "the weights are all 0, one must be above");
/// assert_eq!(message(&[]), "bins = 0 is outside 1..2^32");
/// ```
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum WeightsError {
    /// A number is outside its range.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// A weight is negative, infinite or not a number.
    #[error("weight {weight:?} of bin {bin} is outside the finite numbers from 0")]
    Weight {
        /// The bin.
        bin: u64,
        /// Its weight.
        weight: f64,
    },
    /// The memory for the table cannot be had.
    #[error("bins = {bins} needs {bytes} bytes, more than the memory that can be had")]
    DoesNotFit {
        /// The number of bins.
        bins: u64,
        /// The bytes that were asked for.
        bytes: u128,
    },
    /// No bin has a weight above 0.
    #[error("the weights are all 0, one must be above")]
    AllZero,
}
