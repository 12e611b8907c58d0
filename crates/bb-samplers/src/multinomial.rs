//! Trials with many outcomes.

use rand::Rng;
use rand::distr::Distribution;

use crate::binomial::Binomial;
use crate::error::{SamplerError, at_most, checked_total};
use crate::numbers::MAX_POPULATION;

/// Splits `trials` independent trials over categories of integer weights, and reports how many fall in each.
///
/// Category i has probability `weights[i] / Σ weights`. The categories are taken
/// in order, each a [`Binomial::from_ratio`] draw with its weight over the weights
/// that remain, all in integers; the last category of positive weight takes the
/// trials that remain. `take(i, x)` is called in order of i, for `x > 0` only.
///
/// *Randomness:* that of one [`Binomial`] for each category until the trials are
/// used up; none for weight 0 and for the last positive weight.
///
/// *Guarantees:* the parts sum to `trials`; a category of weight 0 gets none. Total
/// variation error at most 1e-11 for each category drawn
/// ([derivation](crate#accuracy)); the probabilities are not rounded.
///
/// # Complexity
///
/// One pass to sum the weights, then O(1) a category until the trials are used up;
/// no allocation.
///
/// # Errors
///
/// [`SamplerError::Count`] if `trials` or the sum of the weights exceeds
/// [`MAX_POPULATION`]; [`SamplerError::WeightSum`] if all weights are 0. Nothing is
/// drawn then.
///
/// # Examples
///
/// ```
/// use bb_samplers::multinomial;
/// use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};
///
/// let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
/// let mut parts = [0; 3];
/// multinomial(&[2, 0, 1], 1 << 50, &mut rng, |category, part| parts[category] = part)?;
/// assert_eq!((parts[1], parts[0] + parts[2]), (0, 1 << 50));
/// # Ok::<(), bb_samplers::SamplerError>(())
/// ```
#[inline]
pub fn multinomial<R: Rng + ?Sized>(
    weights: &[u64],
    trials: u64,
    rng: &mut R,
    mut take: impl FnMut(usize, u64),
) -> Result<(), SamplerError> {
    at_most("trials", trials, MAX_POPULATION)?;
    let mut remaining = checked_total("sum of weights", weights)?;
    if remaining == 0 {
        return Err(SamplerError::WeightSum { sum: 0.0 });
    }
    let mut left = trials;
    for (category, &weight) in weights.iter().enumerate() {
        if left == 0 {
            break;
        }
        // While trials are left, weight is left: weight = remaining takes them all.
        let part = Binomial::unchecked_ratio(left, weight, remaining).sample(rng);
        remaining -= weight;
        left -= part;
        if part > 0 {
            take(category, part);
        }
    }
    Ok(())
}

/// Probabilities given as `f64` weights, over which trials are split again and again.
///
/// Category i has probability `weights[i] / Σ weights`; the weights need not sum
/// to 1. The categories are taken in order, each a [`Binomial`] draw among the trials
/// that remain; the last category of positive weight takes what remains. The weight
/// that remains is a sum formed *from the end*, never a difference, and of
/// "this category" and "a later one" the less likely is drawn: small probabilities
/// keep their relative precision wherever they stand.
///
/// *Randomness:* that of one [`Binomial`] for each category until the trials are
/// used up; none for weight 0 and for the last positive weight.
///
/// *Guarantees:* the parts sum to `trials`; a category of weight 0 gets none. With k
/// categories the total variation error is at most `2k·2^-53·√trials + k·1e-11`:
/// each probability drawn has a relative error of at most `ε = 2k·2^-53` (k - 1
/// additions of positive numbers and a quotient), so each binomial is within
/// relative entropy `2·ε²·(its mean)` of its own, the means sum to `trials` at most,
/// and Pinsker's inequality gives `ε·√trials`. That is 4e-11 for ten categories and
/// 2^28 trials, 5e-6 for 2^62. Use integer weights and [`multinomial`] to avoid it.
///
/// # Complexity
///
/// Construction O(k) time and memory; a split O(1) a category until the trials are
/// used up, without allocation.
///
/// # Examples
///
/// ```
/// use bb_samplers::Multinomial;
/// use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};
///
/// let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
/// let dice = Multinomial::new(&[1.0 / 6.0; 6])?;
/// let mut faces = [0; 6];
/// dice.split_into(1000, &mut rng, &mut faces)?;
/// assert_eq!(faces.iter().sum::<u64>(), 1000);
/// # Ok::<(), bb_samplers::SamplerError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Multinomial {
    steps: Vec<Step>,
}

/// The choice between one category and all later ones.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Step {
    /// This category, with a probability of at most 1/2.
    This(f64),
    /// A later one, with a probability of at most 1/2.
    Later(f64),
}

impl Multinomial {
    /// Prepares the split for these weights.
    ///
    /// # Errors
    ///
    /// [`SamplerError::Weight`] if a weight is negative, infinite or not a number;
    /// [`SamplerError::WeightSum`] if all are 0, there are none, or the sum overflows.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_samplers::{Multinomial, SamplerError};
    ///
    /// let error = Multinomial::new(&[0.5, -0.5]).unwrap_err();
    /// assert_eq!(error, SamplerError::Weight { index: 1, value: -0.5 });
    /// ```
    pub fn new(weights: &[f64]) -> Result<Self, SamplerError> {
        for (index, &value) in weights.iter().enumerate() {
            if !(value.is_finite() && value >= 0.0) {
                return Err(SamplerError::Weight { index, value });
            }
        }
        let mut later = 0.0;
        let mut steps: Vec<Step> = weights
            .iter()
            .rev()
            .map(|&weight| {
                let sum = weight + later;
                // A sum of 0 comes after the last positive weight; it is never reached.
                let step = if weight <= later {
                    Step::This(if sum > 0.0 { weight / sum } else { 0.0 })
                } else {
                    Step::Later(later / sum)
                };
                later = sum;
                step
            })
            .collect();
        steps.reverse();
        if !(later > 0.0 && later.is_finite()) {
            return Err(SamplerError::WeightSum { sum: later });
        }
        Ok(Self { steps })
    }

    /// Returns the number of categories.
    ///
    /// # Examples
    ///
    /// ```
    /// # use bb_samplers::Multinomial;
    /// assert_eq!(Multinomial::new(&[0.2, 0.8])?.categories(), 2);
    /// # Ok::<(), bb_samplers::SamplerError>(())
    /// ```
    #[must_use]
    pub fn categories(&self) -> usize {
        self.steps.len()
    }

    /// Splits `trials` and writes every part, zeros included, to `out`.
    ///
    /// # Errors
    ///
    /// [`SamplerError::Count`] if `trials` exceeds [`MAX_POPULATION`],
    /// [`SamplerError::Length`] if `out` has not one place for each category; `out` is
    /// unchanged then.
    ///
    /// # Examples
    ///
    /// ```
    /// # use bb_samplers::Multinomial;
    /// # use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};
    /// let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    /// let mut out = [0; 3];
    /// Multinomial::new(&[0.0, 1.0, 0.0])?.split_into(7, &mut rng, &mut out)?;
    /// assert_eq!(out, [0, 7, 0]);
    /// # Ok::<(), bb_samplers::SamplerError>(())
    /// ```
    pub fn split_into<R: Rng + ?Sized>(&self, trials: u64, rng: &mut R, out: &mut [u64]) -> Result<(), SamplerError> {
        at_most("trials", trials, MAX_POPULATION)?;
        if out.len() != self.steps.len() {
            return Err(SamplerError::Length { len: out.len(), expected: self.steps.len() });
        }
        let mut left = trials;
        for (&step, part) in self.steps.iter().zip(out) {
            *part = match step {
                Step::This(p) => Binomial::new(left, p)?.sample(rng),
                Step::Later(p) => left - Binomial::new(left, p)?.sample(rng),
            };
            left -= *part;
        }
        Ok(())
    }
}
