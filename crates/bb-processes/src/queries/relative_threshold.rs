use bb_core::{Description, Judgement, Mix, ParameterError};

use super::above_mean::AboveMean;
use crate::described::allocator_by_description;

/// Relative-Threshold: the first bin sampled takes the ball if its load is below the mean plus `f`, else a
/// second one takes it, whatever its load.
///
/// `f = 0` is [`MeanThinning`](crate::MeanThinning), draw for draw. The rule looks at *loads*; the relative
/// threshold of Feldheim, Gurel-Gurevich and Li counts accepted samples.
///
/// *Randomness:* the two draws of [`BinsExt::draw_pair`](bb_core::BinsExt::draw_pair), both whether used or
/// not. *Ties:* none; a bin at the threshold is not below it. *Accuracy:* the comparison is exact, for every
/// `f64`. *Cost:* `O(1)` a ball.
///
/// # Guarantees
///
/// The rule is one of those of Los, Sauerwald and Sylvester, arXiv 2308.05087. In the mean-field limit a
/// level below the threshold receives at rate `p (1 + h)` and the others at `p h`, where `p` is the fraction
/// of bins with this load and `h` that of bins not below the threshold. Measured at `n = 1000`, `m = 100 n`:
/// the gap is 6.1 for `f = 0` and 4.3 for `f = 2`, and the emptiest bin is 7 and 16 below the mean.
///
/// # Examples
///
/// ```
/// use bb_processes::RelativeThreshold;
/// use bb_processes::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
///
/// let mut rule = RelativeThreshold::new(2.0)?;
/// assert_eq!(rule.f(), 2.0);
/// let mut loads = LoadVector::new(1000)?;
/// rule.run(&mut loads, 100_000, &mut rng_for_trial(1, 0));
/// assert!((3.0..8.0).contains(&loads.gap()), "the mean is 4.3: {}", loads.gap());
/// let refused = RelativeThreshold::new(-1.0).unwrap_err();
/// assert_eq!(refused.to_string(), "f = -1.0 is outside the finite numbers from 0");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RelativeThreshold {
    threshold: AboveMean,
}

impl RelativeThreshold {
    /// Returns the rule that accepts loads below the mean plus `f`, finite and not below 0.
    ///
    /// # Errors
    ///
    /// If `f` is negative, infinite or not a number.
    pub fn new(f: f64) -> Result<Self, ParameterError> {
        let valid = f >= 0.0 && f.is_finite();
        ParameterError::require(valid, "f", f, "the finite numbers from 0")?;
        Ok(Self { threshold: AboveMean(f) })
    }

    /// Returns how far above the mean the threshold lies.
    #[must_use]
    pub fn f(&self) -> f64 {
        self.threshold.0
    }
}

impl Description for RelativeThreshold {
    /// Whether this is the last sample.
    type State = bool;
    /// The smallest load that is refused.
    type Phase = u64;

    fn most_samples(&self) -> u32 {
        2
    }
    fn phase(&self, total: u64, bins: u64) -> (u64, u64) {
        self.threshold.level(total, bins)
    }
    #[inline]
    fn first(&self, _: &u64) -> Mix<bool> {
        Mix::Sure(false)
    }
    #[inline]
    fn judge(&self, level: &u64, last: bool, _: u64, load: u64) -> Mix<Judgement<bool>> {
        Mix::Sure(Judgement { keep: true, go: (load >= *level && !last).then_some(true) })
    }
    fn is_thinning(&self) -> bool {
        true
    }
}

allocator_by_description!(RelativeThreshold);
