//! A rule by rank, run from its allocation vector.

use bb_core::{Allocator, Bins, CountedBin, LoadProfile, Rng};
use bb_theory::allocation::RankLaw;

/// A process run from its allocation vector: a ball of uniform number `U` goes to the rank `i` with
/// `P_{i−1} ≤ U < P_i`.
///
/// Two of these on equal generators read the same `U` for each ball. If `P_k ≤ Q_k` for all `k`, the loads of
/// the first are then majorized by those of the second after every ball (Azar, Broder, Karlin and Upfal, SIAM
/// J. Comput. 29, 1999; Peres, Talwar and Wieder, Random Structures & Algorithms 47, 2015), because `x ≼ x'`
/// and `i ≥ j` give `x + e_(i) ≼ x' + e_(j)`. This holds for unit balls, not for weights.
///
/// It runs on counted bins, which know ranks. It is slower than the rules themselves and meant for this
/// comparison.
///
/// *Randomness:* one word a ball, of which the upper 53 bits are `U`. *Ties:* bins of equal load are ranked
/// as the profile numbers them. *Cost:* `O(log n)` prefix sums a ball. *Accuracy:* the probability of ranks
/// `1..=k` is `P_k` up to `2^-52`; at exact ties `P_k = Q_k` rounding may break the order with that
/// probability.
///
/// # Examples
///
/// ```
/// use bb_processes::ByRank;
/// use bb_processes::bb_core::{Allocator, LoadProfile, Metrics, rng_for_trial};
/// use bb_processes::theory::allocation::RankLaw;
///
/// let (mut two, mut one) = (LoadProfile::new(100)?, LoadProfile::new(100)?);
/// let mut rule = ByRank::new(RankLaw::d_choice(2)?);
/// assert_eq!(rule.law(), &RankLaw::d_choice(2)?);
/// rule.run(&mut two, 5000, &mut rng_for_trial(1, 0));
/// ByRank::new(RankLaw::one_choice()).run(&mut one, 5000, &mut rng_for_trial(1, 0));
/// assert!(two.max_load() <= one.max_load() && two.min_load() >= one.min_load());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ByRank {
    law: RankLaw,
}

impl ByRank {
    /// Returns the rule with this law of the rank.
    #[must_use]
    pub const fn new(law: RankLaw) -> Self {
        Self { law }
    }

    /// Returns the law of the rank.
    #[must_use]
    pub const fn law(&self) -> &RankLaw {
        &self.law
    }
}

impl Allocator<LoadProfile> for ByRank {
    fn choose<R: Rng + ?Sized>(&mut self, bins: &LoadProfile, rng: &mut R) -> CountedBin {
        let u = (rng.next_u64() >> 11) as f64 * 2_f64.powi(-53);
        bins.nth(self.law.rank(u, bins.bins()) - 1)
    }
}
