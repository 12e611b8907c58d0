//! Statistics at real sizes, against independent runs and expectations.

use std::convert::Infallible;

use bb_memory::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
use bb_memory::theory::{heavy_bins_expected, heavy_bins_expected_on_the_left};
use bb_memory::{
    Advisor, ApproximateCounters, Bounded, Budget, ClusterCount, Format, HeavyList, Layout, NoMemory, Policy,
    RelativeCounters, ResetMemory, SaturatingCounters, ThresholdBit, TieRule,
};
use bb_testkit::stats::Mean;

const N: u64 = 1 << 16;

pub(crate) fn run<A: Advisor<Failure = Infallible>>(
    advisor: A,
    n: u64,
    m: u64,
    seed: u64,
    trial: u64,
) -> (LoadVector, Bounded<A>) {
    let (mut loads, mut rule) = (LoadVector::new(n).unwrap(), Bounded::new(advisor));
    rule.start_and_run(&mut loads, m, &mut rng_for_trial(seed, trial)).unwrap();
    (loads, rule)
}

/// Maximum loads of so many trials at `n = m = 2^16`.
fn maxima<A: Advisor<Failure = Infallible> + Clone>(advisor: &A, trials: u64, seed: u64) -> Vec<f64> {
    (0..trials).map(|trial| run(advisor.clone(), N, N, seed, trial).0.max_load() as f64).collect()
}

/// Two means of so many values each, with a standard deviation of 0.25 at least, agree within 4.9 combined
/// standard errors (a false alarm of 1e-6).
fn agrees(found: &[f64], reference: f64, runs: u64) -> bool {
    let mean = Mean::of(found.iter().copied());
    let deviation = (mean.error * (found.len() as f64).sqrt()).max(0.25);
    let error = |count: f64| deviation / count.sqrt();
    let found = Mean { mean: mean.mean, error: error(found.len() as f64) };
    found.agrees(Mean { mean: reference, error: error(runs as f64) }).fits()
}

fn in_layout(bits: u64, format: Format, policy: Policy) -> HeavyList {
    HeavyList::new(Layout::new(N, Budget::bits(bits).unwrap(), format, 8).unwrap(), policy).unwrap()
}

/// Means and ranges of 20 independent runs of another program; single loads are within one of its range. The
/// nearest other row fails.
#[test]
fn measured_maxima_of_lists() {
    let rows = [
        ("fixed 6, 4096 bits", in_layout(4096, Format::Naive, Policy::Fixed(6.0)), 6.00, [6, 6]),
        ("fixed 7, 256 bits", in_layout(256, Format::Naive, Policy::Fixed(7.0)), 6.95, [6, 7]),
        ("raise, naive, 4096", in_layout(4096, Format::Naive, Policy::Raise), 5.45, [5, 6]),
        ("raise, elias-fano, 21618", in_layout(21618, Format::EliasFano, Policy::Raise), 4.50, [4, 5]),
        ("fill, naive, 21618", in_layout(21618, Format::Naive, Policy::Fill), 4.50, [4, 5]),
        ("fill, naive, 4096", in_layout(4096, Format::Naive, Policy::Fill), 5.00, [5, 5]),
        ("fill, naive, 256", in_layout(256, Format::Naive, Policy::Fill), 6.80, [6, 7]),
    ];
    let mut found = Vec::new();
    for (name, list, mean, [least, most]) in &rows {
        let loads = maxima(list, 20, 270);
        assert!(agrees(&loads, *mean, 20), "{name}: {loads:?}");
        assert!(
            loads.iter().all(|&load| load >= f64::from(least - 1) && load <= f64::from(most + 1)),
            "{name}: {loads:?}"
        );
        found.push(loads);
    }
    // Twins: a threshold of 6 for one of 7, a budget of 256 bits for one of 4096, no list at all.
    assert!(
        !agrees(&found[0], rows[1].2, 20) && !agrees(&found[6], rows[5].2, 20) && !agrees(&found[5], rows[4].2, 20)
    );
    assert!(!agrees(&maxima(&NoMemory::new(N, TieRule::First).unwrap(), 20, 271), rows[5].2, 20));
}

/// The other schemes, against independent runs; 20 each.
#[test]
fn measured_maxima_of_other_schemes() {
    assert!(agrees(&maxima(&NoMemory::new(N, TieRule::First).unwrap(), 20, 272), 7.45, 20));
    let counters = |b| maxima(&SaturatingCounters::new(N, b).unwrap(), 20, 272);
    assert!(agrees(&counters(1), 6.0, 20) && agrees(&counters(2), 3.45, 20) && !agrees(&counters(1), 3.45, 20));
    for (theta, mean) in [(1, 6.25), (2, 4.9), (3, 4.45), (4, 5.0), (5, 5.1)] {
        let found = maxima(&ThresholdBit::new(N, theta).unwrap(), 20, 273);
        assert!(agrees(&found, mean, 20), "θ = {theta}: {found:?}");
        assert!(theta != 1 || !agrees(&found, 4.45, 20), "one bit of 'not empty' is far from the best");
    }
    for (size, mean) in [(2, 4.0), (4, 5.35), (8, 6.3), (16, 7.05)] {
        let found = maxima(&ClusterCount::new(N, N / size, 255).unwrap(), 20, 274);
        assert!(agrees(&found, mean, 20), "{size} bins: {found:?}");
        assert!(size == 4 || !agrees(&found, 5.35, 20), "{size} bins");
    }
    for (a, mean) in [(2.0, 5.1), (1.5, 4.9), (1.2, 4.5)] {
        let found = maxima(&ApproximateCounters::new(N, 4, a).unwrap(), 20, 275);
        assert!(agrees(&found, mean, 20), "a = {a}: {found:?}");
    }
    for (q, mean) in [(2, 5.4), (4, 4.45), (16, 3.3)] {
        let gap = |trial| {
            let mut loads = LoadVector::new(N).unwrap();
            ResetMemory::new(q).unwrap().run(&mut loads, N, &mut rng_for_trial(276, trial));
            loads.gap()
        };
        let found: Vec<f64> = (0..20).map(gap).collect();
        assert!(agrees(&found, mean, 20), "q = {q}: {found:?}");
    }
    // Relative counters do not run full: with 16 balls a bin they have the gap of Two-Choice, absolute ones
    // of 3 bits one near that of One-Choice.
    let gap = |loads: LoadVector| loads.gap();
    assert!(gap(run(RelativeCounters::new(1 << 12, 3, 16 << 12).unwrap(), 1 << 12, 16 << 12, 277, 0).0) <= 4.0);
    assert!(gap(run(SaturatingCounters::new(1 << 12, 3).unwrap(), 1 << 12, 16 << 12, 277, 0).0) > 8.0);
}

/// Heavy bins under the three light rules: independent counts of 20 runs, within 4.9 standard errors of
/// Poisson counts; and below their expectations.
#[test]
fn heavy_bins_by_light_rule() {
    let heavy = |rule: TieRule, threshold: u64| -> (f64, u64) {
        let mut longest = 0;
        let counts = (0..10).map(|trial| {
            let list = in_layout(1 << 20, Format::EliasFano, Policy::Fixed(threshold as f64)).with_light_rule(rule);
            let (loads, rule) = run(list, N, N, 278, trial);
            longest = longest.max(rule.report().longest_list().unwrap());
            loads.bins_at_least(threshold) as f64
        });
        (counts.sum::<f64>() / 10.0, longest)
    };
    let fits = |found: f64, reference: f64| {
        let error = |runs: f64| (reference / runs).sqrt();
        Mean { mean: found, error: error(10.0) }.agrees(Mean { mean: reference, error: error(20.0) }).fits()
    };
    for (threshold, [first, left, coin]) in
        [(4, [1269.0, 2504.0, 1247.0]), (5, [241.0, 752.0, 234.0]), (6, [38.0, 199.0, 40.0])]
    {
        let found = [TieRule::First, TieRule::Left, TieRule::Coin].map(|rule| heavy(rule, threshold));
        for ((mean, _), reference) in found.iter().zip([first, left, coin]) {
            assert!(fits(*mean, reference), "T = {threshold}: {mean} against {reference}");
        }
        // The wrong light rule is told apart.
        assert!(!fits(found[0].0, left) && !fits(found[1].0, first));
        // Expectations bound the means, up to their errors.
        let kappa = found[0].1 as f64 / N as f64;
        let bound = heavy_bins_expected(N, N, 1.0 + kappa, threshold).unwrap();
        assert!(found[0].0 < bound + 4.9 * (bound / 10.0).sqrt());
        let kappa = found[1].1 as f64 / N as f64;
        let bound = heavy_bins_expected_on_the_left(N, N, threshold, kappa).unwrap();
        assert!(found[1].0 < bound + 4.9 * (bound / 10.0).sqrt());
        assert!(found[1].0 > heavy_bins_expected(N, N, 1.0 + kappa, threshold).unwrap());
    }
}

/// Clusters of four bins: counts within `n/K + lg ln K + 3`, the bound on which that on loads rests. Blind
/// clusters violate it.
#[test]
fn cluster_counts_are_bounded() {
    for lg in [10, 13, 16, 18] {
        let (n, size) = (1_u64 << lg, 4);
        let clusters = n / size;
        let bound = size as f64 + (clusters as f64).ln().log2() + 3.0;
        let most = |loads: &LoadVector| {
            let counts: Vec<u64> = loads.to_vec().chunks(size as usize).map(|loads| loads.iter().sum()).collect();
            counts.into_iter().max().unwrap() as f64
        };
        let (loads, _) = run(ClusterCount::new(n, clusters, 255).unwrap(), n, n, 281, 0);
        assert!(most(&loads) <= bound, "{}", most(&loads));
        let (blind, _) = run(NoMemory::new(n, TieRule::First).unwrap(), n, n, 281, 0);
        assert!(most(&blind) > bound);
    }
}
