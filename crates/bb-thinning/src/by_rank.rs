use bb_core::{Coin, Mix, RankDescription, Ranked};
use bb_processes::Quantile;

use crate::strategy::{Strategy, ThinningStrategy};

/// Quantile(δ) seen as a two-thinning strategy: a primary is accepted unless it is among the `δn` fullest
/// bins, equal loads ranked at random.
///
/// The boundary is that of [`Quantile`] in `bb-processes`. The random rank is an accept probability here: of
/// the bins with one load, the share whose rank is beyond the boundary. So the law of the bins is that of
/// `Quantile`, and the words are not.
///
/// *Randomness:* as [`Thinning`](crate::Thinning), with a coin. *Cost:* `O(1)` on a
/// [`RankedVector`](bb_core::RankedVector) or counted bins.
///
/// # Examples
///
/// ```
/// use bb_processes::Quantile;
/// use bb_thinning::bb_core::{Allocator, LoadProfile, Metrics, rng_for_trial};
/// use bb_thinning::{QuantileThinning, Thinning};
///
/// let mut rule = Thinning::new(QuantileThinning(Quantile::new(0.5)?));
/// let mut loads = LoadProfile::new(1000)?;
/// rule.start_and_run(&mut loads, 100_000, &mut rng_for_trial(1, 0))?;
/// assert!((3.0..15.0).contains(&loads.gap()));
/// assert!((49_000..51_000).contains(&rule.rejections()), "half of the primaries");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuantileThinning(pub Quantile);

impl Strategy for QuantileThinning {
    #[inline]
    fn is_randomised(&self) -> bool {
        true
    }
}

impl<B: Ranked> ThinningStrategy<B> for QuantileThinning {
    #[inline]
    fn accept(&self, bins: &B, bin: B::Bin, _: u32) -> Mix<bool> {
        let load = bins.load(bin);
        let (first, end) = (bins.at_least(load + 1), bins.at_least(load));
        let boundary = self.0.boundary(0, bins.bins());
        if boundary <= first {
            Mix::Sure(true)
        } else if boundary >= end {
            Mix::Sure(false)
        } else {
            accept_with((end - boundary) as f64 / (end - first) as f64)
        }
    }
}

/// Accepts with a probability; what rounding put outside `[0, 1]` is the nearest inside.
#[inline]
pub(crate) fn accept_with(probability: f64) -> Mix<bool> {
    match Coin::new("a", probability.clamp(0.0, 1.0)) {
        Ok(coin) => Mix::Coin { coin, heads: true, tails: false },
        // Not a number: no caller gives it.
        Err(_) => Mix::Sure(true),
    }
}
