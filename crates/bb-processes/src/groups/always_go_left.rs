use bb_core::{Allocator, Bins, Decision, ParameterError, Rng, SampleCount, StartError};

use super::Groups;
use crate::ties::Least;
use crate::ties::Ties;

/// Always-go-left, also called Left\[d\]: one uniform bin from each of `d` groups; the least loaded takes the
/// ball, the leftmost on a tie.
///
/// Group `j` consists of the bins `⌊jn/d⌋ … ⌊(j + 1)n/d⌋ − 1`. It is the unfair ties that make it better than
/// d-Choice. For fair ones see [`GroupChoice`](crate::GroupChoice).
///
/// [`start`](Allocator::start) refuses loads with fewer than `d` bins. Without it, empty groups sample no
/// bin.
///
/// *Randomness:* one draw for each group from the left, a word each unless rejected. *Ties:* the leftmost.
/// *Cost:* `O(d)` a ball. Needs labelled bins.
///
/// # Guarantees
///
/// With `φ_d` the root of `z^d = 1 + z + … + z^(d−1)` between 1 and 2 (`φ_2` = 1.618, `φ_3` = 1.839, `φ_4` =
/// 1.928), with high probability:
///
/// - `m = n`: maximum load `ln ln n/(d ln φ_d) + O(1)` (Vöcking, J. ACM 50, 2003).
/// - All `m`: gap `ln ln n/(d ln φ_d) + O(1)` (Berenbrink, Czumaj, Steger and Vöcking, SIAM J. Comput. 35,
///   2006).
///
/// # Examples
///
/// ```
/// use bb_processes::AlwaysGoLeft;
/// use bb_processes::bb_core::{Allocator, LoadVector, Metrics, StartError, rng_for_trial};
///
/// let mut rule = AlwaysGoLeft::new(2)?;
/// assert_eq!(rule.d(), 2);
/// // Of two equal bins the left one comes first.
/// let mut two = LoadVector::new(2)?;
/// let bins: Vec<usize> = (0..4).map(|_| rule.step(&mut two, &mut rng_for_trial(1, 0))).collect();
/// assert_eq!(bins, [0, 1, 0, 1]);
///
/// let mut loads = LoadVector::new(1000)?;
/// rule.start_and_run(&mut loads, 100_000, &mut rng_for_trial(1, 0))?;
/// assert_eq!(loads.gap(), 2.0);
///
/// let too_few = StartError::TooFewBins { parameter: "d", value: 2, bins: 1 };
/// assert_eq!(rule.start(&LoadVector::new(1)?), Err(too_few));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Counted bins have no left and right, and do not compile:
///
/// ```compile_fail,E0271
/// # use bb_processes::AlwaysGoLeft;
/// # use bb_processes::bb_core::{Allocator, LoadProfile, rng_for_trial};
/// let mut loads = LoadProfile::new(1000).unwrap(); // A LoadVector is meant.
/// AlwaysGoLeft::new(2).unwrap().run(&mut loads, 1000, &mut rng_for_trial(1, 0));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlwaysGoLeft {
    groups: Groups,
}

impl AlwaysGoLeft {
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

impl<B: Bins<Bin = usize>> Allocator<B> for AlwaysGoLeft {
    fn start(&mut self, bins: &B) -> Result<(), StartError> {
        self.groups.start(bins.bins())
    }

    #[inline]
    fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> usize {
        let mut least = None;
        self.groups.draw_each(bins.bins(), rng, |place, _| {
            let bin = bins.nth(place);
            least = Some(least.map_or(bin, |least| bins.lighter(least, bin)));
        });
        least.unwrap_or(0) // There is always a group that is not empty.
    }

    fn decide<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> Decision<usize> {
        let mut least = Least::new(Ties::First);
        self.groups.draw_each(bins.bins(), rng, |place, rng| least.sample(bins, bins.nth(place), rng));
        least.decision(bins)
    }

    fn sample_count(&self) -> Option<SampleCount> {
        Some(SampleCount::PerBall(f64::from(self.groups.d)))
    }
}
