use bb_core::{Allocator, Bins, Decision, ParameterError, Rng, SampleCount, StartError};

use super::Groups;
use crate::ties::Least;
use crate::ties::Ties;

/// Choice among groups with fair ties: one uniform bin from each of `d` groups; the least loaded takes the
/// ball.
///
/// The sampling of [`AlwaysGoLeft`](crate::AlwaysGoLeft), where the groups are described, without its unfair
/// ties: to see what the ties do.
///
/// [`start`](Allocator::start) refuses loads with fewer than `d` bins. Without it, empty groups sample no
/// bin.
///
/// *Randomness:* for each group from the left one draw (a word, unless rejected), then one word if the bin
/// ties with the least loaded so far. *Ties:* each of the tied bins is equally likely. *Cost:* `O(d)` a ball.
/// Needs labelled bins.
///
/// # Guarantees
///
/// If `d` divides `n` the groups are alike, and the fluid limit is that of d-Choice with the same flow `u^d`:
/// without the unfair ties the groups gain nothing.
///
/// # Examples
///
/// ```
/// use bb_processes::GroupChoice;
/// use bb_processes::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
///
/// let mut rule = GroupChoice::new(2)?;
/// assert_eq!(rule.d(), 2);
/// let mut loads = LoadVector::new(1000)?;
/// rule.start_and_run(&mut loads, 100_000, &mut rng_for_trial(1, 0))?;
/// assert!(loads.gap() <= 3.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupChoice {
    groups: Groups,
}

impl GroupChoice {
    /// Returns the rule with `d ≥ 1` groups.
    ///
    /// # Errors
    ///
    /// If `d` is 0.
    pub fn new(d: u32) -> Result<Self, ParameterError> {
        Ok(Self { groups: Groups::new(d)? })
    }

    /// Returns the number of groups.
    #[must_use]
    pub fn d(&self) -> u32 {
        self.groups.d
    }
}

impl<B: Bins<Bin = usize>> Allocator<B> for GroupChoice {
    fn start(&mut self, bins: &B) -> Result<(), StartError> {
        self.groups.start(bins.bins())
    }

    #[inline]
    fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> usize {
        self.decide(bins, rng).bin
    }

    #[inline]
    fn decide<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> Decision<usize> {
        let mut least = Least::new(Ties::Fair);
        self.groups.draw_each(bins.bins(), rng, |place, rng| least.sample(bins, bins.nth(place), rng));
        least.decision(bins)
    }

    fn sample_count(&self) -> Option<SampleCount> {
        Some(SampleCount::PerBall(f64::from(self.groups.d)))
    }
}
