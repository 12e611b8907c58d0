use bb_core::{Coin, Mix, ParameterError};

use super::noisy_two_choice;

/// σ-Noisy-Load: each of two samples reports its load plus independent normal noise of standard deviation
/// `σ`; the smaller report takes the ball.
///
/// So the lighter of two bins whose loads differ by `δ` wins with probability `Φ(δ/(√2·σ))`, and a coin of
/// this probability is all the noise that is drawn. The reports are real numbers, not rounded; rounding them
/// to integers is another rule, with larger gaps. `σ = 0` is Two-Choice, draw for draw.
///
/// *Randomness:* the two draws of [`BinsExt::draw_pair`](bb_core::BinsExt::draw_pair); then a coin (one
/// word), if the loads differ, and if the heavier can win with probability `2^-63` at least (`δ` up to about
/// `13σ`). *Ties:* of equal loads the first sample, a fair choice. *Accuracy:* the probability is that of
/// `erfc` in floating point, within a few units in the last place, and the same on every machine. *Cost:*
/// `O(1)` a ball.
///
/// # Guarantees
///
/// Los and Sauerwald, arXiv 2206.07503, define it; their runs with `m = 1000 n`, `n = 10⁴` have gaps of 3 and
/// 4 for `σ = 1`, 6 to 8 for `σ = 4`, 12 to 18 for `σ = 16`. In the stationary state
/// `E[(2Φ(δ/(√2·σ)) − 1)·δ] = 1 − 1/n` exactly, for the difference `δ` of the samples.
///
/// # Examples
///
/// ```
/// use bb_processes::SigmaNoisyLoad;
/// use bb_processes::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
///
/// let mut rule = SigmaNoisyLoad::new(2.0)?;
/// assert_eq!(rule.sigma(), 2.0);
/// let mut loads = LoadVector::new(1000)?;
/// rule.run(&mut loads, 100_000, &mut rng_for_trial(1, 0));
/// assert!((3.0..8.0).contains(&loads.gap()), "the mean is 4.23: {}", loads.gap());
/// let refused = SigmaNoisyLoad::new(-1.0).unwrap_err();
/// assert_eq!(refused.to_string(), "sigma = -1.0 is outside the finite numbers from 0");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SigmaNoisyLoad {
    sigma: f64,
    /// How the comparison errs at the differences 0, 1, …; `erfc` costs more than all the rest of a ball.
    table: Vec<Mix<bool>>,
}

/// Differences kept in the table: all that are common unless `σ` is in the hundreds.
const KNOWN: u64 = 512;

impl SigmaNoisyLoad {
    /// Returns the rule with noise of standard deviation `sigma`, finite and not below 0.
    ///
    /// # Errors
    ///
    /// If `sigma` is negative, infinite or not a number.
    pub fn new(sigma: f64) -> Result<Self, ParameterError> {
        ParameterError::require(sigma >= 0.0 && sigma.is_finite(), "sigma", sigma, "the finite numbers from 0")?;
        let mut table = vec![Mix::Sure(false)];
        table.extend((1..KNOWN).map(|difference| errs(sigma, difference)));
        Ok(Self { sigma, table })
    }

    /// Returns the standard deviation of the noise of one report.
    #[must_use]
    pub fn sigma(&self) -> f64 {
        self.sigma
    }

    #[inline]
    fn errs(&self, difference: u64) -> Mix<bool> {
        let known = usize::try_from(difference).ok().and_then(|place| self.table.get(place));
        known.copied().unwrap_or_else(|| errs(self.sigma, difference))
    }
}

/// The difference of the reports is normal with variance `2σ²`, so it has the wrong sign with probability
/// `Φ(−δ/(√2·σ)) = erfc(δ/2σ)/2`, for `δ ≥ 1`.
fn errs(sigma: f64, difference: u64) -> Mix<bool> {
    let wrong = libm::erfc(difference as f64 / (2.0 * sigma)) / 2.0;
    match Coin::new("sigma", wrong) {
        // A coin knows no smaller probabilities.
        Ok(coin) if wrong >= 2_f64.powi(-63) => Mix::Coin { coin, heads: true, tails: false },
        _ => Mix::Sure(false),
    }
}

noisy_two_choice!(SigmaNoisyLoad);
