//! Path by path: a rule whose prefix sums of rank probabilities are smaller stays majorized, if both read the
//! same uniform number.
//!
//! The vectors used here are those of the real rules, which `allocation_vector` checks exactly. The coupling
//! is that of Azar, Broder, Karlin and Upfal (SIAM J. Comput. 29, 1999), and Peres, Talwar and Wieder (Random
//! Structures & Algorithms 47, 2015): a ball of number `U` goes to the rank `i` with `P_{i−1} ≤ U < P_i`.

use bb_processes::bb_core::{Rng, majorizes, rng_for_trial};
use bb_testkit::BigRational;
use bb_testkit::exact::ratio;
use bb_testkit::ranks;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// `⌊P_i·2^64⌋` for each rank: rounding keeps the order of the prefix sums.
fn thresholds(vector: &[BigRational]) -> Vec<u128> {
    let scale = BigRational::from_integer((1_u128 << 64).into());
    let sums = vector.iter().scan(ratio(0, 1), |sum, probability| {
        *sum += probability;
        Some((sum.clone() * &scale).to_integer())
    });
    sums.map(|sum| sum.try_into().expect("at most 2^64")).collect()
}

/// Runs both on the same numbers; tells whether `worse` majorizes `better` after every ball.
fn stays_majorized(better: &[BigRational], worse: &[BigRational], uniforms: &[u64]) -> bool {
    let (thresholds_better, thresholds_worse) = (thresholds(better), thresholds(worse));
    let (mut low, mut up) = (vec![0; better.len()], vec![0; worse.len()]);
    uniforms.iter().all(|&uniform| {
        let rank = |thresholds: &[u128]| thresholds.partition_point(|&threshold| threshold <= u128::from(uniform));
        low = ranks::add_at(&low, rank(&thresholds_better));
        up = ranks::add_at(&up, rank(&thresholds_worse));
        majorizes(&up, &low)
    })
}

/// Pairs (better, worse) for these parameters.
fn ordered_pairs(bins: u64, d: u32, beta: u64, more: u64) -> Vec<(Vec<BigRational>, Vec<BigRational>)> {
    let one_plus = |sixteenths| ranks::one_plus_beta(bins, &ratio(sixteenths, 16), 2);
    let mut pairs = vec![
        (ranks::d_choice(bins, 2), ranks::one_choice(bins)),
        (ranks::d_choice(bins, d + 1), ranks::d_choice(bins, d)),
        (one_plus((beta + more).min(16)), one_plus(beta)),
        (ranks::d_choice(bins, 2), one_plus(beta)),
    ];
    if u64::from(d) <= bins {
        pairs.push((ranks::d_choice_distinct(bins, d), ranks::d_choice(bins, d)));
    }
    if u64::from(d) < bins {
        pairs.push((ranks::d_choice_distinct(bins, d + 1), ranks::d_choice_distinct(bins, d)));
    }
    pairs
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, rng_seed: RngSeed::Fixed(11), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn more_choice_is_majorized_after_every_ball(
        bins in 1_u64..7,
        d in 1_u32..6,
        beta in 0_u64..=16,
        more in 0_u64..=16,
        uniforms in prop::collection::vec(any::<u64>(), 0..60),
    ) {
        for (better, worse) in ordered_pairs(bins, d, beta, more) {
            prop_assert!(stays_majorized(&better, &worse, &uniforms), "{better:?} {worse:?}");
        }
    }
}

/// The other way round it fails, for every pair of different rules.
#[test]
fn less_choice_is_not_majorized() {
    let mut rng = rng_for_trial(12, 0);
    let uniforms: Vec<u64> = (0..200).map(|_| rng.next_u64()).collect();
    for (better, worse) in ordered_pairs(5, 2, 4, 4) {
        assert!(stays_majorized(&better, &worse, &uniforms));
        assert!(!stays_majorized(&worse, &better, &uniforms), "{better:?} {worse:?}");
    }
}
