//! The probability of each rank, from the real rules: exactly by all outcomes, and by frequencies.

use bb_processes::bb_core::{Allocator, LoadVector, rng_for_trial};
use bb_processes::{DChoice, DistinctChoice, OneChoice, OnePlusBeta};
use bb_testkit::BigRational;
use bb_testkit::exact::ratio;
use bb_testkit::ranks;
use bb_testkit::stats::{Verdict, goodness_of_fit, tally};
use bb_testkit::twin::{self, ScriptedBins};

const SEED: u64 = 2;

/// Loads without ties, heaviest first, so that bin = rank − 1.
const LOADS: [u64; 5] = [900, 7, 5, 2, 0];

fn exact_vector<A: Allocator<ScriptedBins> + Clone>(rule: &A, coins: &[BigRational]) -> Vec<BigRational> {
    let after = twin::law(rule, &LOADS, 1, coins);
    (0..LOADS.len())
        .map(|bin| {
            let mut loads = LOADS.to_vec();
            loads[bin] += 1;
            after.probability(&loads)
        })
        .collect()
}

fn frequencies<A: Allocator + Clone>(rule: &A, vector: &[BigRational]) -> Verdict {
    let loads = LoadVector::from_loads(LOADS.to_vec()).unwrap();
    let mut rng = rng_for_trial(SEED, 0);
    let mut rule = rule.clone();
    let law = vector.iter().cloned().enumerate().map(|(bin, probability)| (probability, bin));
    let law = law.collect::<bb_testkit::exact::Law<usize>>().to_f64();
    goodness_of_fit(&tally((0..300_000).map(|_| rule.choose(&loads, &mut rng))), &law)
}

/// The rule has this vector, and not that of its neighbour.
fn check<A>(name: &str, rule: A, coins: &[BigRational], right: &[BigRational], wrong: &[BigRational])
where
    A: Allocator + Allocator<ScriptedBins> + Clone,
{
    assert_eq!(exact_vector(&rule, coins), right, "{name}");
    frequencies(&rule, right).assert_fits(name, SEED);
    frequencies(&rule, wrong).assert_rejects(name, SEED);
}

#[test]
fn every_rank_has_its_probability() {
    let n = LOADS.len() as u64;
    let half = ratio(1, 2);
    check("one-choice", OneChoice, &[], &ranks::one_choice(n), &ranks::one_plus_beta(n, &ratio(1, 32), 2));
    check("two-choice", DChoice::two(), &[], &ranks::d_choice(n, 2), &ranks::one_plus_beta(n, &ratio(31, 32), 2));
    check("three-choice", DChoice::new(3).unwrap(), &[], &ranks::d_choice(n, 3), &ranks::d_choice_distinct(n, 3));
    for d in [2, 3, 5] {
        let rule = DistinctChoice::new(d).unwrap();
        check("distinct", rule, &[], &ranks::d_choice_distinct(n, d), &ranks::d_choice(n, d));
    }
    let rule = OnePlusBeta::new(0.5).unwrap();
    let (right, wrong) = (ranks::one_plus_beta(n, &half, 2), ranks::one_plus_beta(n, &ratio(15, 32), 2));
    let (three, right_of_three) = (rule.with_d(3).unwrap(), ranks::one_plus_beta(n, &half, 3));
    let coins = [half];
    check("(1+1/2)", rule, &coins, &right, &wrong);
    check("(1+1/2) with d = 3", three, &coins, &right_of_three, &right);
}
