use bb_core::Mix;

use super::noisy_two_choice;

/// g-Bounded: of two samples whose loads differ by at most `g` the *heavier* takes the ball, else the
/// lighter.
///
/// The worst that can become of Two-Choice if loads within `g` cannot be told apart: the greedy adversary of
/// [`GAdvComp`](crate::GAdvComp). `g = 0` is Two-Choice, draw for draw; a `g` that no difference exceeds
/// gives the heavier of two, always.
///
/// *Randomness:* the two draws of [`BinsExt::draw_pair`](bb_core::BinsExt::draw_pair). *Ties:* the first
/// sample. *Cost:* `O(1)` a ball.
///
/// # Guarantees
///
/// For all `m`, gap `O(g + ln n)`, and `O((g/ln g)·ln ln n)` for `1 < g ≤ ln n`; both are tight (Los and
/// Sauerwald, arXiv 2206.07503). In the stationary state `E[δ; δ > g] − E[δ; δ ≤ g] = 1 − 1/n` exactly, for
/// the difference `δ` of the samples.
///
/// # Examples
///
/// ```
/// use bb_processes::GBounded;
/// use bb_processes::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
///
/// let mut rule = GBounded::new(4);
/// assert_eq!(rule.g(), 4);
/// let mut loads = LoadVector::new(1000)?;
/// rule.run(&mut loads, 100_000, &mut rng_for_trial(1, 0));
/// assert!((6.0..12.0).contains(&loads.gap()), "{}", loads.gap());
/// # Ok::<(), bb_core::LoadsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GBounded {
    g: u64,
}

impl GBounded {
    /// Returns the rule that errs at differences up to `g`, any number.
    #[must_use]
    pub const fn new(g: u64) -> Self {
        Self { g }
    }

    /// Returns the largest difference at which the comparison errs.
    #[must_use]
    pub const fn g(&self) -> u64 {
        self.g
    }

    #[inline]
    fn errs(&self, difference: u64) -> Mix<bool> {
        Mix::Sure(difference <= self.g)
    }
}

noisy_two_choice!(GBounded);
