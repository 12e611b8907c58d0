use bb_core::{DynamicLoads, LoadProfile, Place, Remove, Rng};

use super::System;
use crate::one_choice::OneChoice;
use crate::settings::throw_batch;

/// Repeated balls-into-bins: in each round one ball is taken from every bin that holds one, and these balls
/// are thrown again, each to a uniform bin.
///
/// The number of balls stays. Round by round the system finds back from any start; it is a closed network of
/// `n` queues in discrete time.
///
/// *Randomness:* on labelled bins one draw for each ball thrown, as [`OneChoice`]; on counted bins the words
/// of [`BatchedProfile`](crate::BatchedProfile) for a batch of One-Choice. *Cost:* a round is `O(n)` on
/// labelled bins; on counted bins a few draws for each pair of occupied levels, whatever `n` is. *Accuracy:*
/// on counted bins each binomial draw is within 1e-11 in total variation.
///
/// # Guarantees
///
/// - Maximum load `O(ln n)` in every round of polynomially many for `m = n`, from a start with such a maximum
///   load, which is reached within `O(n)` rounds from any start, with high probability (Becchetti, Clementi,
///   Natale, Pasquale and Posta, arXiv 1501.04822).
/// - `n ≤ m ≤ poly(n)`: maximum load `Θ((m/n) ln n)` over polynomially many rounds (Los and Sauerwald, arXiv
///   2203.12400).
/// - The fraction of empty bins tends to [`limit_empty_fraction`](Self::limit_empty_fraction) for many bins.
///
/// # Panics
///
/// On counted bins, if the loads come to spread over more than `2^24` levels.
///
/// # Examples
///
/// ```
/// use bb_processes::bb_core::{LoadProfile, Metrics, Remove, rng_for_trial};
/// use bb_processes::{RepeatedBallsIntoBins, System};
///
/// // A billion bins with two balls each.
/// let n = 1 << 30;
/// let mut loads = LoadProfile::from_level_counts(&[(2, n)])?;
/// RepeatedBallsIntoBins.run(&mut loads, 100, &mut rng_for_trial(1, 0));
/// assert_eq!(loads.total(), 2 * n);
/// let empty = 1.0 - loads.holding() as f64 / n as f64;
/// assert!((empty - RepeatedBallsIntoBins::limit_empty_fraction(2.0)).abs() < 1e-4);
/// # Ok::<(), bb_core::LoadsError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RepeatedBallsIntoBins;

impl RepeatedBallsIntoBins {
    /// Returns the limit of the stationary fraction of empty bins at the end of a round, for many bins and
    /// `mu ≥ 0` balls a bin: `√(1 + μ²) − μ`.
    ///
    /// In the limit a bin is a queue that serves one ball a round and receives `Poisson(ρ)` balls, where `ρ`
    /// is the fraction of bins that hold one; its mean load is `ρ + ρ²/(2(1 − ρ)) = μ`.
    #[must_use]
    pub fn limit_empty_fraction(mu: f64) -> f64 {
        1.0 / (mu.hypot(1.0) + mu)
    }
}

impl System<DynamicLoads> for RepeatedBallsIntoBins {
    fn round<R: Rng + ?Sized>(&mut self, bins: &mut DynamicLoads, rng: &mut R) {
        let balls = bins.remove_from_each();
        bins.throw_to_least(1, &(), balls, rng);
    }
}

impl System<LoadProfile> for RepeatedBallsIntoBins {
    fn round<R: Rng + ?Sized>(&mut self, bins: &mut LoadProfile, rng: &mut R) {
        let balls = bins.remove_from_each();
        throw_batch(bins, &OneChoice, balls, rng).expect("the loads spread over at most 2^24 levels");
    }
}
