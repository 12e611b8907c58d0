//! Comparisons that err, on counts and on weights.

use bb_processes::bb_core::{Allocator, Bins, BinsExt, LoadVector, rng_for_trial};
use bb_processes::theory::identities::{Moments, two_choice_difference};
use bb_processes::{GBounded, NoisyComparison, RhoNoisy, SigmaNoisyLoad, WeightLaw, throw_weighted};
use bb_testkit::stats::Mean;

/// On counts, and on unit weights, each is its relative for counts: the same bins from the same words.
#[test]
fn on_unit_balls_they_are_the_rules_for_counts() {
    fn check(
        name: &str,
        mut counts: impl Allocator,
        mut real: impl Allocator<LoadVector> + Allocator<LoadVector<f64>>,
    ) {
        let mut expected = LoadVector::new(40).unwrap();
        let mut rng = rng_for_trial(1, 0);
        counts.run(&mut expected, 20_000, &mut rng);
        let mut loads = LoadVector::new(40).unwrap();
        let mut same = rng_for_trial(1, 0);
        real.run(&mut loads, 20_000, &mut same);
        assert_eq!((&loads, &same), (&expected, &rng), "{name}");
        let mut weights = LoadVector::weighted(40).unwrap();
        let mut same = rng_for_trial(1, 0);
        throw_weighted(&mut real, &mut weights, &WeightLaw::constant(), 20_000, &mut same).unwrap();
        assert!(expected.iter().map(|load| load as f64).eq(weights.iter()), "{name}");
        assert_eq!(same, rng, "{name}");
    }
    for g in [0, 1, 4] {
        check("g-bounded", GBounded::new(g), NoisyComparison::g_bounded(g as f64).unwrap());
        let myopic = RhoNoisy::new(move |difference| if difference > g { 1.0 } else { 0.5 }).unwrap();
        check("g-myopic", myopic, NoisyComparison::g_myopic(g as f64).unwrap());
    }
    check("two-choice", SigmaNoisyLoad::new(0.0).unwrap(), NoisyComparison::sigma_noisy_load(0.0).unwrap());
    let rho = |difference: f64| 1.0 - 0.5 / difference.max(1.0);
    let counted = RhoNoisy::new(move |difference| rho(difference as f64)).unwrap();
    check("ρ", counted, NoisyComparison::new(rho));
}

#[test]
fn parameters_are_checked_and_strange_probabilities_read_as_ends() {
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(NoisyComparison::g_bounded(bad).unwrap_err().parameter(), "g");
        assert_eq!(NoisyComparison::g_myopic(bad).unwrap_err().parameter(), "g");
        assert_eq!(NoisyComparison::sigma_noisy_load(bad).unwrap_err().parameter(), "sigma");
    }
    let throw = |rho: fn(f64) -> f64| {
        let mut loads = LoadVector::weighted(10).unwrap();
        let law = WeightLaw::exponential();
        throw_weighted(&mut NoisyComparison::new(rho), &mut loads, &law, 500, &mut rng_for_trial(2, 0)).unwrap();
        loads
    };
    assert_eq!(throw(|_| 7.0), throw(|_| 1.0));
    assert_eq!(throw(|_| -7.0), throw(|_| 0.0));
    assert_eq!(throw(|_| f64::NAN), throw(|_| 0.0));
    assert_ne!(throw(|_| 1.0), throw(|_| 0.0));
}

/// `E[(2ρ(δ) − 1)δ] = E[w²](1 − 1/n)/E[w]` with normal noise on exponential weights; α = 1e-6, and σ a fifth
/// off is told apart.
#[test]
fn noisy_weights_obey_their_identity() {
    const BINS: u64 = 50;
    let expected = two_choice_difference(BINS, Moments::new(1.0, 2.0).unwrap());
    let average = |of: f64, by: f64| {
        let (rule, rho) =
            (NoisyComparison::sigma_noisy_load(of).unwrap(), NoisyComparison::sigma_noisy_load(by).unwrap());
        Mean::of((0..30).map(|trial| {
            let (mut rule, mut loads) = (rule.clone(), LoadVector::weighted(BINS).unwrap());
            let (mut rng, mut looks) = (rng_for_trial(3, trial), rng_for_trial(4, trial));
            let law = WeightLaw::exponential();
            throw_weighted(&mut rule, &mut loads, &law, 50 * BINS, &mut rng).unwrap();
            let balls = 600 * BINS;
            let mut sum = 0.0;
            for _ in 0..balls {
                let [first, second] = loads.draw_pair(&mut looks);
                let difference = (loads.load(first) - loads.load(second)).abs();
                sum += (2.0 * rho.rho(difference) - 1.0) * difference;
                throw_weighted(&mut rule, &mut loads, &law, 1, &mut rng).unwrap();
            }
            sum / balls as f64
        }))
    };
    average(2.0, 2.0).agrees(Mean::exact(expected)).assert_fits("σ = 2", 3);
    average(2.4, 2.0).agrees(Mean::exact(expected)).assert_rejects("σ = 2.4", 3);
}
