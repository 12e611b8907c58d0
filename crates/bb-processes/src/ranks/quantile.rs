use bb_core::{ParameterError, RankDescription};

use bb_theory::allocation::ranks_above;

use super::allocator_by_ranks;
use crate::load_threshold::LoadThreshold;

/// Quantile(δ): the first bin sampled takes the ball unless it is among the `δn` fullest, else a second one
/// takes it, whatever its rank.
///
/// `δn` is rounded down, and computed as a double. Bins of equal load are ranked at random, anew for every
/// ball. `δ = 0` and `δ = 1` are One-Choice in law.
///
/// *Randomness:* that of [`decide_by_ranks`](bb_core::decide_by_ranks) with two bins. *Ties:* random ranks.
/// *Cost:* `O(1)` a ball, on a [`RankedVector`](bb_core::RankedVector) or a
/// [`LoadProfile`](bb_core::LoadProfile); in bulk by
/// [`run_bulk_by_ranks`](bb_core::LoadProfile::run_bulk_by_ranks).
///
/// # Guarantees
///
/// One question about one bin: no such strategy keeps the maximum below `m/n + Ω(√ln n)` at some
/// `m = Θ(n√ln n)` (Los and Sauerwald, arXiv 2107.03916). The rank `i` of `n` (1 is the fullest) has
/// probability `⌊δn⌋/n²` up to `⌊δn⌋` and `(n + ⌊δn⌋)/n²` beyond. At large `m` the tail of the loads above
/// the mean falls by `e^{−λ}` a level, `λ = δ(e^λ − 1)`, in the limit of many bins.
///
/// # Examples
///
/// ```
/// use bb_processes::Quantile;
/// use bb_processes::bb_core::{Allocator, LoadVector, Metrics, RankedVector, rng_for_trial};
///
/// let mut loads = RankedVector::from(LoadVector::new(1000)?);
/// let mut rule = Quantile::new(0.5)?;
/// rule.run(&mut loads, 1_000_000, &mut rng_for_trial(1, 0));
/// assert!((3.0..15.0).contains(&loads.gap()), "the mean is 5.6: {}", loads.gap());
/// assert_eq!(rule.delta(), 0.5);
/// assert_eq!(Quantile::new(1.5).unwrap_err().to_string(), "delta = 1.5 is outside [0, 1]");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantile {
    delta: f64,
    lightest: LoadThreshold,
}

impl Quantile {
    /// Returns the rule that refuses the `δn` fullest bins, `δ` in `[0, 1]`.
    ///
    /// # Errors
    ///
    /// If `delta` is outside `[0, 1]`.
    pub fn new(delta: f64) -> Result<Self, ParameterError> {
        ParameterError::require((0.0..=1.0).contains(&delta), "delta", delta, "[0, 1]")?;
        Ok(Self { delta, lightest: LoadThreshold::new(1)? })
    }

    /// Returns `δ`.
    #[must_use]
    pub fn delta(&self) -> f64 {
        self.delta
    }
}

/// Class 0 is accepted.
impl RankDescription for Quantile {
    type OnClasses = LoadThreshold;

    #[inline]
    fn on_classes(&self) -> &LoadThreshold {
        &self.lightest
    }
    #[inline]
    fn boundaries(&self) -> usize {
        1
    }
    #[inline]
    fn boundary(&self, _: usize, bins: u64) -> u64 {
        ranks_above(self.delta, bins)
    }
}

allocator_by_ranks!(Quantile);
