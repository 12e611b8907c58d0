use bb_core::{Coin, Mix};

use super::noisy_two_choice;

/// g-Myopic: of two samples whose loads differ by at most `g` a fair coin decides, else the lighter takes the
/// ball.
///
/// `g = 0` is Two-Choice, draw for draw; with a `g` that no difference exceeds it is One-Choice, in law.
///
/// *Randomness:* the two draws of [`BinsExt::draw_pair`](bb_core::BinsExt::draw_pair); then a coin (one
/// word), if the loads differ, by at most `g`. *Ties:* the first sample, a fair choice. *Cost:* `O(1)` a
/// ball.
///
/// # Guarantees
///
/// For all `m`, gap `O(g + ln n)`, and `O((g/ln g)·ln ln n)` for `1 < g ≤ ln n`, as for every adversary (Los
/// and Sauerwald, arXiv 2206.07503). In the stationary state `E[δ; δ > g] = 1 − 1/n` exactly, for the
/// difference `δ` of the samples.
///
/// # Examples
///
/// ```
/// use bb_processes::GMyopic;
/// use bb_processes::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
///
/// let mut rule = GMyopic::new(2);
/// assert_eq!(rule.g(), 2);
/// let mut loads = LoadVector::new(1000)?;
/// rule.run(&mut loads, 100_000, &mut rng_for_trial(1, 0));
/// assert!((3.0..7.0).contains(&loads.gap()), "the mean is 4.25: {}", loads.gap());
/// # Ok::<(), bb_core::LoadsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GMyopic {
    g: u64,
}

impl GMyopic {
    /// Returns the rule that does not see differences up to `g`, any number.
    #[must_use]
    pub const fn new(g: u64) -> Self {
        Self { g }
    }

    /// Returns the largest difference that is not seen.
    #[must_use]
    pub const fn g(&self) -> u64 {
        self.g
    }

    #[inline]
    fn errs(&self, difference: u64) -> Mix<bool> {
        if difference <= self.g { Mix::Coin { coin: Coin::FAIR, heads: true, tails: false } } else { Mix::Sure(false) }
    }
}

noisy_two_choice!(GMyopic);
