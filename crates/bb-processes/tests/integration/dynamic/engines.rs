//! Labelled bins against counted ones, at sizes that no chain reaches.

use bb_processes::bb_core::{DynamicLoads, LoadProfile, Metrics, Remove, TrialRng};
use bb_processes::{LeakyBins, Lifetimes, RandomDeletion, RepeatedBallsIntoBins, Supermarket, System};
use bb_testkit::engines::Samples;

use super::{Both, SEED};

const BINS: u64 = 30;

/// Maximum, bins that hold a ball, and balls, after some rounds from two balls a bin.
fn look<S: System<L>, L: Remove + Metrics>(mut system: S, mut loads: L, rounds: u64, rng: &mut TrialRng) -> [u64; 3] {
    system.start(&loads).unwrap();
    system.run(&mut loads, rounds, rng);
    [loads.max_load(), loads.holding(), loads.total()]
}

/// Three tests with a false alarm of 1e-6 each, and a twin: a system one parameter away.
fn check<S: Both, W: Both>(name: &str, rounds: u64, system: &S, wrong: &W) {
    let start = || DynamicLoads::from_loads(vec![2; BINS as usize]).unwrap();
    let counted = || LoadProfile::from_level_counts(&[(2, BINS)]).unwrap();
    let labelled = || Samples::new(SEED, 8_000).with("labelled", |rng| look(system.clone(), start(), rounds, rng));
    labelled().with("counted", |rng| look(system.clone(), counted(), rounds, rng)).assert_same(name);
    labelled().with("counted", |rng| look(wrong.clone(), counted(), rounds, rng)).assert_told_apart(name);
}

#[test]
fn labelled_and_counted_bins_agree() {
    check("repeated", 9, &RepeatedBallsIntoBins, &RandomDeletion::new(2).unwrap());
    let leaky = |lambda, d| LeakyBins::new(lambda, d).unwrap();
    check("leaky", 8, &leaky(0.8, 1), &leaky(0.85, 1));
    check("leaky, d = 2", 8, &leaky(0.8, 2), &leaky(0.8, 3));
    check("deletion", 100, &RandomDeletion::new(2).unwrap(), &RandomDeletion::new(3).unwrap());
    let lifetimes = |lambda, d| Lifetimes::new(lambda, d).unwrap();
    check("lifetimes", 3, &lifetimes(2.0, 2), &lifetimes(2.1, 2));
    let supermarket = |lambda, d| Supermarket::new(lambda, d).unwrap();
    check("supermarket", 5, &supermarket(0.9, 2), &supermarket(0.9, 3));
}

/// Sizes beyond any vector, and rounds at once, keep their balls.
#[test]
fn a_thousand_billion_bins_take_a_round() {
    let n = 1 << 40;
    let mut loads = LoadProfile::from_level_counts(&[(1, n)]).unwrap();
    let mut rng = bb_processes::bb_core::rng_for_trial(SEED, 0);
    RepeatedBallsIntoBins.run(&mut loads, 20, &mut rng);
    assert_eq!(loads.total(), n);
    // 0.41421 in the limit, to five places at this size; after 20 rounds the start is forgotten to 1e-3.
    assert!((1.0 - loads.holding() as f64 / n as f64 - 0.41421).abs() < 1e-3);
    assert!(loads.all_time_gap() >= loads.gap());
}
