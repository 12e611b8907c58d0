use bb_core::{Bins, Coin, Mix, ParameterError};

use crate::strategy::{Strategy, ThinningStrategy};

/// Accepts each primary with a fixed probability, whatever its bin: One-Choice in law, for a coin knows
/// nothing.
///
/// It is the null model of thinning: what a strategy gains beyond it, it gains by looking.
///
/// *Randomness:* as [`Thinning`](crate::Thinning), and one coin per ball. *Cost:* `O(1)` per ball.
///
/// # Examples
///
/// ```
/// use bb_thinning::bb_core::{Allocator, LoadVector, rng_for_trial};
/// use bb_thinning::{RandomAccept, Thinning};
///
/// let mut rule = Thinning::new(RandomAccept::new(0.75)?);
/// rule.run(&mut LoadVector::new(100)?, 10_000, &mut rng_for_trial(1, 0));
/// assert!((2_200..2_800).contains(&rule.rejections()));
/// assert_eq!(RandomAccept::new(1.5).unwrap_err().to_string(), "p = 1.5 is outside [0, 1]");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RandomAccept {
    coin: Coin,
}

impl RandomAccept {
    /// Returns the strategy that accepts with probability `p`.
    ///
    /// # Errors
    ///
    /// If `p` is not in `[0, 1]`.
    pub fn new(p: f64) -> Result<Self, ParameterError> {
        Ok(Self { coin: Coin::new("p", p)? })
    }
}

impl Strategy for RandomAccept {
    fn is_randomised(&self) -> bool {
        true
    }
}

impl<B: Bins> ThinningStrategy<B> for RandomAccept {
    #[inline]
    fn accept(&self, _: &B, _: B::Bin, _: u32) -> Mix<bool> {
        Mix::Coin { coin: self.coin, heads: true, tails: false }
    }
}
