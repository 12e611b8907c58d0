//! Heads among independent tosses.

use rand::Rng;
use rand::distr::Distribution;

use crate::error::{SamplerError, at_most};
use crate::inversion::{Zero, invert};
use crate::ln_ratio::sum_of_ln_factorial_ratios;
use crate::numbers::{MAX_POPULATION, real, real_wide};
use crate::rejection::Hat;

/// The number of successes among `trials` independent trials of success probability `p`.
///
/// `P(X = x) = C(trials, x)·p^x·(1-p)^(trials-x)`.
///
/// A probability above 1/2 is exchanged for its complement (exact in `f64`). A
/// mean below 10 is served by inversion, the rest by transformed rejection; see
/// the [module page](super).
///
/// *Randomness:* no word if the answer is certain (no trials, `p` 0 or 1), one
/// 64-bit word for inversion; for rejection two words a try, three if the standard
/// deviation is 4096 or more, 1.12 to 1.4 tries on average.
///
/// *Guarantees:* every value is at most `trials`; the law is within 1e-11 of the
/// exact one in total variation ([derivation](crate#accuracy)), where `p` means
/// the exact value of the `f64` or of the quotient of integers. This holds up to
/// `2^62` trials, with the low bits of the answer random; Hörmann proved the
/// rejection's constants for this law.
///
/// # Complexity
///
/// O(1) for construction and for a sample, whatever the numbers; no allocation.
///
/// # Examples
///
/// ```
/// use bb_samplers::Binomial;
/// use rand::distr::Distribution;
/// use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};
///
/// let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
/// let heads = Binomial::new(1 << 40, 0.5)?.sample(&mut rng);
/// assert!(heads.abs_diff(1 << 39) < 10 << 19); // ten standard deviations
/// # Ok::<(), bb_samplers::SamplerError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Binomial {
    trials: u64,
    /// The smaller of the two probabilities.
    p: f64,
    /// Set if x counts the failures.
    mirrored: bool,
    method: Method,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Method {
    Certain,
    Inversion { mean: f64 },
    Rejection { hat: Hat, mean_minus_mode: f64, mode: u64 },
}

impl Binomial {
    /// Prepares the law for a probability given as `f64`.
    ///
    /// # Errors
    ///
    /// [`SamplerError::Count`] if `trials` exceeds [`MAX_POPULATION`],
    /// [`SamplerError::Probability`] if `p` is not within `0..=1`.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_samplers::Binomial;
    ///
    /// assert!(Binomial::new(10, 1.5).is_err());
    /// assert!(Binomial::new(10, f64::NAN).is_err());
    /// ```
    #[inline]
    pub fn new(trials: u64, p: f64) -> Result<Self, SamplerError> {
        at_most("trials", trials, MAX_POPULATION)?;
        if !(0.0..=1.0).contains(&p) {
            return Err(SamplerError::Probability { parameter: "p", value: p });
        }
        Ok(Self::unchecked(trials, p))
    }

    /// Prepares the law without a check, for loops that know their parameters to be in range.
    ///
    /// Parameters out of range panic in debug builds; in release builds they give a meaningless law, which
    /// may never return an answer.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_samplers::Binomial;
    ///
    /// assert_eq!(Binomial::unchecked(10, 0.5), Binomial::new(10, 0.5)?);
    /// # Ok::<(), bb_samplers::SamplerError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn unchecked(trials: u64, p: f64) -> Self {
        debug_assert!(trials <= MAX_POPULATION && (0.0..=1.0).contains(&p));
        let mirrored = p > 0.5;
        // Exact for p in [1/2, 1].
        let p = if mirrored { 1.0 - p } else { p };
        Self::prepare(trials, p, mirrored, |mode| mean_minus_float(trials, p, mode))
    }

    /// Prepares the law for the probability `numerator / denominator`, taken exactly.
    ///
    /// # Errors
    ///
    /// [`SamplerError::Count`] if `trials` or `denominator` exceeds
    /// [`MAX_POPULATION`] or `numerator` exceeds `denominator`;
    /// [`SamplerError::WeightSum`] if `denominator` is 0.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_samplers::Binomial;
    /// use rand::distr::Distribution;
    /// use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};
    ///
    /// let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    /// let thirds = Binomial::from_ratio(300, 1, 3)?.sample(&mut rng);
    /// assert!(thirds <= 300);
    /// # Ok::<(), bb_samplers::SamplerError>(())
    /// ```
    #[inline]
    pub fn from_ratio(trials: u64, numerator: u64, denominator: u64) -> Result<Self, SamplerError> {
        at_most("trials", trials, MAX_POPULATION)?;
        at_most("denominator", denominator, MAX_POPULATION)?;
        at_most("numerator", numerator, denominator)?;
        if denominator == 0 {
            return Err(SamplerError::WeightSum { sum: 0.0 });
        }
        Ok(Self::unchecked_ratio(trials, numerator, denominator))
    }

    /// The same for integers known to be in range.
    #[inline]
    pub(crate) fn unchecked_ratio(trials: u64, numerator: u64, denominator: u64) -> Self {
        debug_assert!(numerator <= denominator && denominator >= 1);
        let few = numerator.min(denominator - numerator);
        let p = real(few) / real(denominator);
        Self::prepare(trials, p, few != numerator, |mode| {
            let above = i128::from(trials) * i128::from(few) - i128::from(mode) * i128::from(denominator);
            real_wide(above) / real(denominator)
        })
    }

    #[inline]
    fn prepare(trials: u64, p: f64, mirrored: bool, mean_minus_mode: impl FnOnce(u64) -> f64) -> Self {
        let n = real(trials);
        let mean = n * p;
        let method = if mean == 0.0 {
            Method::Certain
        } else if mean < 10.0 {
            Method::Inversion { mean }
        } else {
            // Rounding may miss the mode by one, or by 2^-52 of itself, which is
            // harmless: see the same place in `hypergeometric`.
            let mode = (mean + p) as i64 as u64;
            let mean_minus_mode = mean_minus_mode(mode);
            let hat = Hat::new((mean * (1.0 - p)).sqrt(), mode, mean_minus_mode, p);
            Method::Rejection { hat, mean_minus_mode, mode }
        };
        Self { trials, p, mirrored, method }
    }

    /// `ln(P(mode + d)/P(mode))`.
    ///
    /// Two ratios of factorials; their powers combine with those of p and 1-p into
    /// `(p(trials-mode) / ((1-p)·mode))^d`, whose base differs from 1 by
    /// `(mean - mode)` over the denominator.
    #[inline]
    fn ln_ratio(&self, mode: u64, mean_minus_mode: f64, d: i64) -> f64 {
        let base = mean_minus_mode / ((1.0 - self.p) * real(mode));
        d as f64 * base.ln_1p() - sum_of_ln_factorial_ratios([(mode, d), (self.trials - mode, -d)])
    }
}

/// `trials·p - mode` for p in (0, 1/2] and `trials·p >= 10`, to 52 binary places.
///
/// An `f64` is an integer over a power of two, so the product is exact in 128 bits. The
/// difference is below 2^10, so its low 64 bits in fixed point are all of it.
#[inline]
fn mean_minus_float(trials: u64, p: f64, mode: u64) -> f64 {
    const PLACES: u32 = f64::MANTISSA_DIGITS - 1;
    const BIAS: u64 = f64::MAX_EXP as u64 - 1;
    // p >= 10/2^62 is a normal number: p = (2^52 + fraction)/2^52 · 2^(exponent - BIAS).
    let exponent = p.to_bits() >> PLACES;
    let integer = (1 << PLACES) | (p.to_bits() & ((1 << PLACES) - 1));
    let product = (u128::from(trials) * u128::from(integer)) >> (BIAS - exponent);
    let above = (product as u64).wrapping_sub(mode << PLACES).cast_signed();
    above as f64 / (1u64 << PLACES) as f64
}

impl Distribution<u64> for Binomial {
    #[inline]
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> u64 {
        let x = match self.method {
            Method::Certain => 0,
            Method::Inversion { mean } => {
                let (n, odds) = (real(self.trials), self.p / (1.0 - self.p));
                invert(rng, mean, || Zero::from_ln(n * (-self.p).ln_1p()), |x| (n - x) / (x + 1.0) * odds)
            }
            Method::Rejection { hat, mean_minus_mode, mode } => {
                hat.sample(rng, self.trials, |d| self.ln_ratio(mode, mean_minus_mode, d))
            }
        };
        if self.mirrored { self.trials - x } else { x }
    }
}

#[cfg(test)]
impl Binomial {
    /// The hat, if the law is served by rejection.
    pub(crate) fn hat(&self) -> Option<Hat> {
        match self.method {
            Method::Rejection { hat, .. } => Some(hat),
            _ => None,
        }
    }

    /// `ln(P(mode + d)/P(mode))` of the law of the rarer outcome.
    pub(crate) fn ln_ratio_at(&self, d: i64) -> f64 {
        match self.method {
            Method::Rejection { mode, mean_minus_mode, .. } => self.ln_ratio(mode, mean_minus_mode, d),
            _ => unreachable!("asked for laws served by rejection only"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `trials·p - mode` by 256-bit-free means: p as a small integer over a power of two.
    #[test]
    fn mean_minus_mode_is_exact() {
        for (trials, numerator, scale) in
            [(1 << 62, 3, 4), ((1 << 62) - 1, 1, 1), (1_000_003, 5, 16), (1 << 61, 1, 40), (99, 7, 5)]
        {
            let p = numerator as f64 / (1u64 << scale) as f64;
            let product = u128::from(trials) * numerator as u128;
            let mode = (product >> scale) as u64;
            for shift in [-200, -1, 0, 1, 200] {
                let Some(mode) = mode.checked_add_signed(shift) else { continue };
                let fraction = (product & ((1 << scale) - 1)) as f64 / (1u64 << scale) as f64;
                assert_eq!(mean_minus_float(trials, p, mode), fraction - shift as f64);
            }
        }
    }

    #[test]
    fn both_constructors_give_the_same_law() {
        for (trials, numerator, scale) in [(1 << 62, 3, 4), (1000, 5, 4), (12_345_678, 9, 20)] {
            let denominator = 1u64 << scale;
            let float = Binomial::new(trials, numerator as f64 / denominator as f64);
            assert_eq!(float, Binomial::from_ratio(trials, numerator, denominator));
        }
    }
}
