use bb_core::{ParameterError, RankDescription};

use bb_theory::allocation::ranks_above;

use super::allocator_by_ranks;
use crate::d_choice::DChoice;

/// k-Quantile: two bins are asked in which of `k + 1` classes of ranks they lie, and the ball goes to the
/// lighter class, the first bin if both are in the same.
///
/// The classes are divided by quantiles `δ_1 < … < δ_k`: the `δ_1 n` fullest bins, those up to `δ_2 n`, and
/// so on, each product rounded down and computed as a double. It is Two-Choice on classes. Bins of equal load
/// are ranked at random, anew for every ball. With one quantile it is [`Quantile`](crate::Quantile) in law.
///
/// *Randomness:* that of [`decide_by_ranks`](bb_core::decide_by_ranks) with two bins. *Ties:* the first bin,
/// a fair choice among exchangeable samples. *Cost:* `O(k)` a ball, on a
/// [`RankedVector`](bb_core::RankedVector) or a [`LoadProfile`](bb_core::LoadProfile); in bulk by
/// [`run_bulk_by_ranks`](bb_core::LoadProfile::run_bulk_by_ranks).
///
/// # Guarantees
///
/// For suitable quantiles and `k = O(ln ln n)`, gap `O(k (ln n)^{1/k})` for all `m` with high probability
/// (Los and Sauerwald, arXiv 2107.03916). The rank `i` of `n` in the class from `a` to `b` has probability
/// `(a + b)/n²`. More quantiles are better: the process with a subset of them majorizes the other.
///
/// # Examples
///
/// ```
/// use bb_processes::KQuantile;
/// use bb_processes::bb_core::{Allocator, LoadVector, Metrics, RankedVector, rng_for_trial};
///
/// let mut rule = KQuantile::new(&[0.25, 0.5])?;
/// let mut loads = RankedVector::from(LoadVector::new(1000)?);
/// rule.run(&mut loads, 100_000, &mut rng_for_trial(1, 0));
/// assert!((2.0..7.0).contains(&loads.gap()), "{}", loads.gap());
/// assert_eq!(rule.deltas(), [0.25, 0.5]);
/// let refused = KQuantile::new(&[0.5, 0.5]).unwrap_err();
/// assert_eq!(refused.to_string(), "delta = 0.5/0.5 is outside increasing numbers in [0, 1]");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct KQuantile {
    deltas: Vec<f64>,
    lower: DChoice,
}

impl KQuantile {
    /// Returns the rule with these quantiles.
    ///
    /// # Errors
    ///
    /// If there are none, they do not increase, or one is outside `[0, 1]`.
    pub fn new(deltas: &[f64]) -> Result<Self, ParameterError> {
        let inside = deltas.iter().all(|delta| (0.0..=1.0).contains(delta));
        if deltas.is_empty() || !inside || !deltas.is_sorted_by(|a, b| a < b) {
            let value = deltas.iter().map(|delta| format!("{delta:?}")).collect::<Vec<_>>().join("/");
            return Err(ParameterError::new("delta", value, "increasing numbers in [0, 1]"));
        }
        Ok(Self { deltas: deltas.to_vec(), lower: DChoice::two() })
    }

    /// Returns the quantiles.
    #[must_use]
    pub fn deltas(&self) -> &[f64] {
        &self.deltas
    }
}

/// The lesser of two classes, the first on a tie.
impl RankDescription for KQuantile {
    type OnClasses = DChoice;

    #[inline]
    fn on_classes(&self) -> &DChoice {
        &self.lower
    }
    #[inline]
    fn boundaries(&self) -> usize {
        self.deltas.len()
    }
    #[inline]
    fn boundary(&self, which: usize, bins: u64) -> u64 {
        ranks_above(self.deltas[which], bins)
    }
}

allocator_by_ranks!(KQuantile);
