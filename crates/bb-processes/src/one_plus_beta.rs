use bb_core::{Coin, Mix, ParameterError};

use crate::described::allocator_by_least_of;

/// (1+β)-choice: with probability `β` the ball goes to the lesser loaded of two uniform bins, else to the
/// first of them.
///
/// `β` is the probability of *two* choices: `β = 0` is One-Choice and `β = 1` Two-Choice, in law. With
/// [`with_d`](Self::with_d) the least loaded of `d` bins takes the place of the lesser of two.
///
/// *Randomness:* a coin (one word), then the `d` draws of
/// [`BinsExt::draw_each`](bb_core::BinsExt::draw_each), all of them whether used or not. *Ties:* the first
/// sample. *Cost:* `O(d)` a ball.
///
/// # Guarantees
///
/// Gap `O(ln n/β)` for all `m`, and this is tight for `β` away from 1 (Peres, Talwar and Wieder, Random
/// Structures & Algorithms 47, 2015); the rate in the mean-field limit is `ln n/λ` with `λ > 0` the root of
/// `λ = (1 − β)(e^λ − 1)`. Sharper bounds for `β` near 1: Los and Sauerwald, arXiv 2107.03916.
///
/// # Examples
///
/// ```
/// use bb_processes::OnePlusBeta;
/// use bb_processes::bb_core::{Allocator, LoadVector, Metrics, SampleCount, rng_for_trial};
///
/// let mut rule = OnePlusBeta::new(0.5)?;
/// let mut loads = LoadVector::new(1000)?;
/// rule.run(&mut loads, 100_000, &mut rng_for_trial(1, 0));
/// assert!((4.0..12.0).contains(&loads.gap()), "the mean is 6.4: {}", loads.gap());
///
/// let three = OnePlusBeta::new(0.5)?.with_d(3)?;
/// assert_eq!((three.prob_two_choice(), three.d()), (0.5, 3));
/// assert_eq!(OnePlusBeta::new(1.5).unwrap_err().to_string(), "beta = 1.5 is outside [0, 1]");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnePlusBeta {
    coin: Coin,
    d: u32,
}

impl OnePlusBeta {
    /// Returns the rule that uses two choices with probability `beta`.
    ///
    /// # Errors
    ///
    /// If `beta` is not in `[0, 1]`.
    pub fn new(beta: f64) -> Result<Self, ParameterError> {
        Ok(Self { coin: Coin::new("beta", beta)?, d: 2 })
    }

    /// Takes the least loaded of `d ≥ 1` samples instead of two.
    ///
    /// # Errors
    ///
    /// If `d` is 0.
    pub fn with_d(self, d: u32) -> Result<Self, ParameterError> {
        if d == 0 { Err(ParameterError::new("d", d, "1..")) } else { Ok(Self { d, ..self }) }
    }

    /// Returns `β`, the probability that a ball has more than one choice.
    #[must_use]
    pub fn prob_two_choice(&self) -> f64 {
        self.coin.probability()
    }

    fn samples(&self) -> Mix<u32> {
        Mix::Coin { coin: self.coin, heads: self.d, tails: 1 }
    }

    /// Returns the number of samples where it has.
    #[must_use]
    pub fn d(&self) -> u32 {
        self.d
    }
}

allocator_by_least_of!(OnePlusBeta, described, in_bulk: |_| None);
