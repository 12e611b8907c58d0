use core::fmt;

use bb_core::{Coin, Mix, ParameterError};

use super::noisy_two_choice;

/// Two-Choice with a comparison of one's own: the lighter of two samples takes the ball with probability
/// `ρ(δ)`, where `δ ≥ 1` is the difference of their loads.
///
/// The general form of [`GBounded`](crate::GBounded) (0 up to `g`, else 1), [`GMyopic`](crate::GMyopic) (½ up
/// to `g`, else 1), [`SigmaNoisyLoad`](crate::SigmaNoisyLoad) and, with `ρ = (1 + β)/2`, of (1+β).
///
/// *Randomness:* the two draws of [`BinsExt::draw_pair`](bb_core::BinsExt::draw_pair); then a coin (one
/// word), if the loads differ and `ρ(δ)` is neither 0 nor 1. *Ties:* of equal loads the first sample, a fair
/// choice. *Cost:* that of `ρ` for each ball.
///
/// # Guarantees
///
/// In the stationary state `E[(2ρ(δ) − 1)·δ] = 1 − 1/n` exactly, for the difference `δ` of the samples. The
/// setting is that of Los and Sauerwald, arXiv 2206.07503.
///
/// # Examples
///
/// A comparison that is a little better the more there is to see:
///
/// ```
/// use bb_processes::RhoNoisy;
/// use bb_processes::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
///
/// let mut rule = RhoNoisy::new(|difference| 1.0 - 0.5 / difference as f64)?;
/// assert_eq!(rule.rho(2), 0.75);
/// let mut loads = LoadVector::new(1000)?;
/// rule.run(&mut loads, 100_000, &mut rng_for_trial(1, 0));
/// assert!(loads.gap() < 6.0, "{}", loads.gap());
///
/// let falling = RhoNoisy::new(|difference| 1.0 / difference as f64);
/// assert_eq!(falling.unwrap_err().to_string(), "rho = 0.5 at 2 is outside [1, 1]");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct RhoNoisy<F> {
    rho: F,
}

/// Differences up to this are checked one by one.
const CHECKED: u64 = 1024;

impl<F: Fn(u64) -> f64> RhoNoisy<F> {
    /// Returns the rule with this `ρ`, non-decreasing from 1 on with values in `[0, 1]`.
    ///
    /// It is checked at the differences up to 1024 and at the powers of two. Elsewhere a value outside
    /// `[0, 1]` is read as the nearer end, and one that is not a number as 0.
    ///
    /// # Errors
    ///
    /// If a value that is checked is outside `[0, 1]` or smaller than one before it.
    pub fn new(rho: F) -> Result<Self, ParameterError> {
        let mut least = 0.0;
        for difference in (1..=CHECKED).chain((CHECKED.ilog2() + 1..u64::BITS).map(|power| 1 << power)) {
            let value = rho(difference);
            let (found, range) = (format_args!("{value:?} at {difference}"), format_args!("[{least}, 1]"));
            ParameterError::require((least..=1.0).contains(&value), "rho", found, range)?;
            least = value;
        }
        Ok(Self { rho })
    }

    /// Returns the probability that the comparison is right at this difference.
    #[must_use]
    pub fn rho(&self, difference: u64) -> f64 {
        (self.rho)(difference)
    }

    #[inline]
    fn errs(&self, difference: u64) -> Mix<bool> {
        let rho = if difference == 0 { 1.0 } else { self.rho(difference) };
        if rho >= 1.0 {
            return Mix::Sure(false);
        }
        match Coin::new("rho", rho) {
            Ok(coin) if rho > 0.0 => Mix::Coin { coin, heads: false, tails: true },
            _ => Mix::Sure(true),
        }
    }
}

impl<F> fmt::Debug for RhoNoisy<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RhoNoisy").finish_non_exhaustive()
    }
}

noisy_two_choice!(RhoNoisy<F>, F: Fn(u64) -> f64);
