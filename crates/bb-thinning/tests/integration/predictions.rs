//! Predicted maxima: the table of limits at real sizes, and simulation.

use bb_core::{Allocator, LoadProfile, LoadVector, Metrics, ProfileWithCounters, WithCounters, rng_for_trial};
use bb_testkit::stats::Mean;
use bb_thinning::{DThinning, Thinning, Threshold, best_limit, predicted_maximum};

/// `t`, and for it the best `ℓ` and the predicted maximum load above the mean.
type Best = (f64, u64, f64);

/// (n, t) → best ℓ and predicted maximum load above the mean, computed apart from this code.
const TABLE: [(f64, [Best; 4]); 6] = [
    (1e3, [(1.0, 2, 2.80), (4.0, 6, 4.20), (16.0, 18, 6.46), (64.0, 64, 9.86)]),
    (1e4, [(1.0, 3, 3.20), (4.0, 6, 5.02), (16.0, 18, 7.59), (64.0, 65, 11.54)]),
    (1e5, [(1.0, 3, 3.91), (4.0, 7, 5.68), (16.0, 19, 8.54), (64.0, 67, 12.98)]),
    (1e6, [(1.0, 3, 4.16), (4.0, 7, 6.21), (16.0, 20, 9.41), (64.0, 67, 14.26)]),
    (1e7, [(1.0, 3, 4.83), (4.0, 7, 6.93), (16.0, 20, 10.22), (64.0, 68, 15.41)]),
    (1e8, [(1.0, 4, 5.03), (4.0, 8, 7.24), (16.0, 21, 11.01), (64.0, 69, 16.45)]),
];

#[test]
fn the_best_limits_are_those_of_the_table() {
    for (n, row) in TABLE {
        for (time, limit, load) in row {
            let n = n as u64;
            let found = predicted_maximum(n, time, 2, limit).unwrap() - time;
            assert!((found - load).abs() < 0.0051, "n = {n}, t = {time}: {found}");
            assert_eq!(best_limit(n, time, 2).unwrap(), limit, "n = {n}, t = {time}");
        }
    }
    assert_eq!(Threshold::practical(10_000, 160_000).unwrap().limit(), 18);
}

fn simulated<S>(strategy: &S, n: u64, balls: u64, runs: u64) -> (Mean, Mean)
where
    S: bb_thinning::ThinningStrategy<ProfileWithCounters> + Clone,
{
    let results: Vec<(f64, f64)> = (0..runs)
        .map(|trial| {
            let mut bins = ProfileWithCounters::new(LoadProfile::new(n).unwrap(), strategy.counters());
            let mut rule = Thinning::new(strategy.clone());
            rule.start_and_run(&mut bins, balls, &mut rng_for_trial(130, trial)).unwrap();
            (bins.max_load() as f64, rule.rejections() as f64 / balls as f64)
        })
        .collect();
    (Mean::of(results.iter().map(|run| run.0)), Mean::of(results.iter().map(|run| run.1)))
}

/// The prediction is exact only in the limit: within 5 standard errors and a twentieth of a ball.
#[test]
fn simulated_maxima_are_as_predicted() {
    let n = 10_000;
    for (d, limit, runs, other) in [(2, 3, 200, 5), (2, 2, 100, 1), (3, 1, 100, 3), (3, 2, 100, 3)] {
        let (max, share) = simulated(&DThinning::new(d, limit).unwrap(), n, n, runs);
        let predicted = predicted_maximum(n, 1.0, d, limit).unwrap();
        assert!((max.mean - predicted).abs() < 5.0 * max.error + 0.05, "{d}, {limit}: {max:?} and {predicted}");
        let other = predicted_maximum(n, 1.0, d, other).unwrap();
        assert!((max.mean - other).abs() > 5.0 * max.error + 0.05, "twin: {max:?} and {other}");
        if (d, limit) == (2, 3) {
            assert!((share.mean - 0.02334).abs() < 5.0 * share.error + 1e-4, "{share:?}");
        }
    }
}

/// At a million bins the limit of `practical` is within one of the best of simulations.
#[test]
fn the_practical_limit_is_near_the_best() {
    let n = 1_000_000;
    let means: Vec<f64> = (2..=5)
        .map(|limit| {
            let maxima = (0..5).map(|trial| {
                let mut bins = WithCounters::new(LoadVector::new(n).unwrap(), 1).unwrap();
                let mut rule = Thinning::new(Threshold::new(limit).unwrap());
                rule.start_and_run(&mut bins, n, &mut rng_for_trial(131, trial)).unwrap();
                bins.max_load() as f64
            });
            Mean::of(maxima).mean
        })
        .collect();
    let best = (0..4).min_by(|&a, &b| means[a].total_cmp(&means[b])).unwrap() as u64 + 2;
    assert!(Threshold::practical(n, n).unwrap().limit().abs_diff(best) <= 1, "{means:?}");
}

/// Large times stay cheap and sane: the predicted maximum rises, the best limit is near the mean.
#[test]
fn large_times_are_predicted_too() {
    let limit = best_limit(10_000, 10_000.0, 2).unwrap();
    assert!((9_900..10_400).contains(&limit), "{limit}");
    let predicted = predicted_maximum(10_000, 10_000.0, 2, limit).unwrap() - 10_000.0;
    // (3/2)(4 t ln n)^(1/3) = 107 is the heuristic order.
    assert!((50.0..160.0).contains(&predicted), "{predicted}");
    // Very small times: hardly two balls in a bin.
    assert!((predicted_maximum(10, 1e-9, 2, 1).unwrap() - 1e-8).abs() < 1e-12);
}
