//! The exact identity of the stationary state: `E|Y − Y'| = E[w²](1 − 1/n)/E[w]` for Two-Choice.

use bb_processes::bb_core::{Allocator, Bins, BinsExt, LoadVector, rng_for_trial};
use bb_processes::theory::identities::{Moments, two_choice_difference};
use bb_processes::{DChoice, OnePlusBeta, WeightLaw, throw_weighted};
use bb_testkit::stats::{Mean, Verdict};

const BINS: u64 = 50;

/// Time averages of many runs. The difference of two uniform bins is looked at once for every ball, by a
/// generator of its own.
fn average<A>(rule: &A, law: &WeightLaw, seed: u64) -> Mean
where
    A: Allocator<LoadVector<f64>> + Clone,
{
    Mean::of((0..40).map(|trial| {
        let (mut rule, mut loads) = (rule.clone(), LoadVector::weighted(BINS).unwrap());
        let (mut rng, mut looks) = (rng_for_trial(seed, trial), rng_for_trial(seed + 1, trial));
        throw_weighted(&mut rule, &mut loads, law, 50 * BINS, &mut rng).unwrap();
        let balls = 1000 * BINS;
        let mut sum = 0.0;
        for _ in 0..balls {
            let [first, second] = loads.draw_pair(&mut looks);
            sum += (loads.load(first) - loads.load(second)).abs();
            throw_weighted(&mut rule, &mut loads, law, 1, &mut rng).unwrap();
        }
        sum / balls as f64
    }))
}

/// α = 1e-6 each; (1+β) with β = 0.96 is told apart, 4 % away.
#[test]
fn two_choice_with_weights() {
    let laws = [
        ("exp", WeightLaw::exponential(), Moments::new(1.0, 2.0).unwrap()),
        ("uniform12", WeightLaw::uniform12(), Moments::new(1.0, 10.0 / 9.0).unwrap()),
    ];
    for (name, law, moments) in laws {
        assert!((law.variance() - (moments.square() - 1.0)).abs() < 1e-15);
        let identity = two_choice_difference(BINS, moments);
        let verdict = |mean: Mean| -> Verdict { mean.agrees(Mean::exact(identity)) };
        verdict(average(&DChoice::two(), &law, 1)).assert_fits(name, 1);
        verdict(average(&OnePlusBeta::new(0.96).unwrap(), &law, 1)).assert_rejects(name, 1);
    }
}
