use bb_core::{Description, Judgement, Mix};

use crate::described::allocator_by_description;

/// Mean-Thinning: the first bin sampled takes the ball if its load is below the mean, else a second one takes
/// it, whatever its load.
///
/// A bin at the mean is not below it. Only one question is asked, about one bin, and yet the gap does not
/// depend on `m`.
///
/// *Randomness:* the two draws of [`BinsExt::draw_pair`](bb_core::BinsExt::draw_pair), both whether used or
/// not. *Ties:* none. *Cost:* `O(1)` a ball.
///
/// # Guarantees
///
/// Maximum minus minimum `O(ln n)` with high probability for all `m`, and this is tight (Los, Sauerwald and
/// Sylvester, arXiv 2308.05087). In the stationary state `E[Σ|y_i|] = n − 1` exactly, with `y_i` the
/// normalised loads.
///
/// # Examples
///
/// ```
/// use bb_processes::MeanThinning;
/// use bb_processes::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
///
/// let mut loads = LoadVector::new(1000)?;
/// MeanThinning.run(&mut loads, 1_000_000, &mut rng_for_trial(1, 0));
/// assert!((3.0..15.0).contains(&loads.gap()), "the mean is 6.1: {}", loads.gap());
/// # Ok::<(), bb_core::LoadsError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MeanThinning;

impl Description for MeanThinning {
    /// Whether this is the last sample.
    type State = bool;
    /// The mean, rounded up: a load is below the mean iff it is below this.
    type Phase = u64;

    fn most_samples(&self) -> u32 {
        2
    }
    fn phase(&self, total: u64, bins: u64) -> (u64, u64) {
        let mean = total.div_ceil(bins);
        (mean, mean.saturating_mul(bins).saturating_add(1))
    }
    #[inline]
    fn first(&self, _: &u64) -> Mix<bool> {
        Mix::Sure(false)
    }
    #[inline]
    fn judge(&self, mean: &u64, last: bool, _: u64, load: u64) -> Mix<Judgement<bool>> {
        Mix::Sure(Judgement { keep: true, go: (load >= *mean && !last).then_some(true) })
    }
    fn is_thinning(&self) -> bool {
        true
    }
}

allocator_by_description!(MeanThinning);
