use bb_core::{Allocator, ParameterError, Remove, Rng, StartError};

use super::{System, depart};
use crate::d_choice::DChoice;

/// The infinite process with random deletions: in each round a uniform ball is taken out, and a ball is
/// placed by Greedy\[d\].
///
/// The number of balls stays, where the rule places one ball a step; without a ball, nothing happens.
///
/// *Randomness:* a [`draw_ball`](Remove::draw_ball), then the words of the rule. *Ties:* those of the rule.
/// *Cost:* `O(1)` a round, and a walk over the occupied levels for the ball.
///
/// # Guarantees
///
/// `n` balls: at any time that is late enough, from any start, the maximum load is `ln ln n/ln d + O(1)` with
/// high probability, `d ≥ 2` (Azar, Broder, Karlin and Upfal, SIAM J. Comput. 29, 1999). Greedy\[1\],
/// stationary: the loads are those of One-Choice.
///
/// # Examples
///
/// ```
/// use bb_processes::bb_core::{DynamicLoads, Metrics, rng_for_trial};
/// use bb_processes::{RandomDeletion, System};
///
/// let mut loads = DynamicLoads::from_loads(vec![1; 1000])?;
/// RandomDeletion::new(2)?.run(&mut loads, 10_000, &mut rng_for_trial(1, 0));
/// assert_eq!(loads.total(), 1000);
/// assert!((3..=5).contains(&loads.max_load()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RandomDeletion<A = DChoice> {
    rule: A,
}

impl RandomDeletion {
    /// Returns the process with insertion by Greedy\[`d`\], `d ≥ 1`.
    ///
    /// # Errors
    ///
    /// If `d` is 0.
    pub fn new(d: u32) -> Result<Self, ParameterError> {
        Ok(Self { rule: DChoice::new(d)? })
    }
}

impl<A> RandomDeletion<A> {
    /// Lets another rule place the new balls: a step of it each.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_processes::bb_core::{LoadProfile, Metrics, rng_for_trial};
    /// use bb_processes::{MeanThinning, RandomDeletion, System};
    ///
    /// let mut loads = LoadProfile::from_level_counts(&[(5, 1000)])?;
    /// RandomDeletion::new(1)?.with_rule(MeanThinning).run(&mut loads, 20_000, &mut rng_for_trial(1, 0));
    /// assert_eq!(loads.total(), 5000);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_rule<C>(self, rule: C) -> RandomDeletion<C> {
        RandomDeletion { rule }
    }
}

impl<A: Allocator<B>, B: Remove> System<B> for RandomDeletion<A> {
    fn start(&mut self, bins: &B) -> Result<(), StartError> {
        self.rule.start(bins)
    }

    #[inline]
    fn round<R: Rng + ?Sized>(&mut self, bins: &mut B, rng: &mut R) {
        if let Some(bin) = bins.draw_ball(rng) {
            depart(&mut self.rule, bins, bin);
            self.rule.step(bins, rng);
        }
    }
}
