use bb_processes::bb_core::{Allocator, Bins, LoadProfile, Metrics, majorizes, rng_for_trial};
use bb_processes::theory::allocation::{ByRank, RankLaw};
use bb_processes::theory::exact::{ratio, vectors};
use bb_processes::{DChoice, DistinctChoice, OneChoice, OnePlusBeta};
use bb_testkit::BigRational;
use bb_testkit::ranks;
use bb_testkit::stats::{goodness_of_fit, tally};
use num_traits::ToPrimitive;

const SEED: u64 = 30;

/// Pairs (law, its exact vector by the test kit or by the exact module, which share no code with it).
fn laws(n: u64) -> Vec<(RankLaw, Vec<BigRational>)> {
    let end = |delta: f64| (delta * n as f64) as u64;
    let mut laws = vec![
        (RankLaw::one_choice(), ranks::one_choice(n)),
        (RankLaw::d_choice(2).unwrap(), ranks::d_choice(n, 2)),
        (RankLaw::d_choice(5).unwrap(), ranks::d_choice(n, 5)),
        (RankLaw::one_plus_beta(0.5, 2).unwrap(), ranks::one_plus_beta(n, &ratio(1, 2), 2)),
        (RankLaw::one_plus_beta(0.25, 3).unwrap(), ranks::one_plus_beta(n, &ratio(1, 4), 3)),
        (RankLaw::quantile(0.5).unwrap(), vectors::quantiles(n, &[end(0.5)])),
        (RankLaw::quantile(1.0).unwrap(), ranks::one_choice(n)),
        (RankLaw::quantile(0.0).unwrap(), ranks::one_choice(n)),
        (RankLaw::quantiles(&[0.25, 0.5, 0.8]).unwrap(), vectors::quantiles(n, &[0.25, 0.5, 0.8].map(end))),
    ];
    for d in 1..=n.min(4) as u32 {
        laws.push((RankLaw::distinct_choice(d).unwrap(), ranks::d_choice_distinct(n, d)));
    }
    laws
}

#[test]
fn vectors_are_the_exact_ones() {
    for n in 1..=9 {
        for (law, exact) in laws(n) {
            let mut prefix = ratio(0, 1);
            for (rank, probability) in (1..).zip(&exact) {
                let near = |found: f64, exact: &BigRational| (found - exact.to_f64().unwrap()).abs() < 1e-15;
                assert!(near(law.probability(rank, n), probability), "{law:?}, rank {rank} of {n}");
                prefix += probability;
                assert!(near(law.prefix(rank, n), &prefix), "{law:?}, prefix {rank} of {n}");
            }
            assert_eq!((law.prefix(0, n), law.prefix(n, n), law.probability(0, n)), (0.0, 1.0, 0.0), "{law:?}");
        }
    }
}

/// Small differences keep their digits: the heaviest of 2^40 bins.
#[test]
fn nothing_cancels_for_many_bins() {
    let n = 1 << 40;
    let relative = |found: f64, exact: f64| (found / exact - 1.0).abs() < 1e-14;
    let two = RankLaw::d_choice(2).unwrap();
    assert!(relative(two.probability(1, n), (n as f64).powi(-2)));
    assert!(relative(two.probability(1 << 39, n), (n as f64 - 1.0) / (n as f64).powi(2)));
    let distinct = RankLaw::distinct_choice(2).unwrap();
    assert!(relative(distinct.probability(2, n), 2.0 / (n as f64) / (n as f64 - 1.0)));
    // The limit, and its ends.
    for (law, _) in laws(8) {
        for u in [0.0, 0.1, 0.25, 0.3, 0.5, 0.77, 1.0] {
            let prefix = law.prefix((u * n as f64) as u64, n);
            assert!((law.limit(u) - prefix).abs() < 1e-10, "{law:?} at {u}");
        }
        assert!((n as f64 * law.probability(1, n) - law.slope_at_heaviest()).abs() < 1e-10, "{law:?}");
        assert!((n as f64 * law.probability(n, n) - law.slope_at_lightest()).abs() < 1e-10, "{law:?}");
    }
}

#[test]
fn bad_parameters_are_refused() {
    let message = |law: Result<RankLaw, bb_processes::bb_core::ParameterError>| law.unwrap_err().to_string();
    assert_eq!(message(RankLaw::d_choice(0)), "d = 0 is outside 1..");
    assert_eq!(message(RankLaw::distinct_choice(0)), "d = 0 is outside 1..");
    assert_eq!(message(RankLaw::one_plus_beta(-0.5, 2)), "beta = -0.5 is outside [0, 1]");
    assert_eq!(message(RankLaw::quantiles(&[0.5, 0.5])), "delta = 0.5 is outside [0, 1], increasing");
    assert!(RankLaw::quantile(f64::NAN).is_err() && RankLaw::quantiles(&[0.5, 1.5]).is_err());
}

/// The sorted loads, heaviest first.
fn sorted(loads: &LoadProfile) -> Vec<u64> {
    (0..loads.bins()).map(|rank| loads.load(loads.nth(rank))).collect()
}

/// Runs by rank and the rule itself have one law: 4 bins, 8 balls, against the exact chain of the vector. False alarm 1e-6 each.
#[test]
fn runs_by_rank_follow_the_law_of_the_vector() {
    for (law, exact) in laws(4) {
        let chain = ranks::sorted_chain(4, 8, |_| exact.clone()).to_f64();
        let run = |law: &RankLaw| {
            let mut rng = rng_for_trial(SEED, 0);
            tally((0..30_000).map(|_| {
                let mut loads = LoadProfile::new(4).unwrap();
                ByRank::new(law.clone()).run(&mut loads, 8, &mut rng);
                sorted(&loads)
            }))
        };
        goodness_of_fit(&run(&law), &chain).assert_fits(&format!("{law:?}"), SEED);
        // On four bins, three quantiles tell all ranks apart: Two-Choice.
        let wrong = if exact == ranks::d_choice(4, 2) { 3 } else { 2 };
        let wrong = RankLaw::d_choice(wrong).unwrap();
        goodness_of_fit(&run(&wrong), &chain).assert_rejects(&format!("{wrong:?} as {law:?}"), SEED);
    }
}

/// Pairs (better, worse) with ordered prefix sums.
fn chains() -> Vec<(RankLaw, RankLaw)> {
    let choice = |d| RankLaw::d_choice(d).unwrap();
    let distinct = |d| RankLaw::distinct_choice(d).unwrap();
    let beta = |beta| RankLaw::one_plus_beta(beta, 2).unwrap();
    let quantiles = |deltas: &[f64]| RankLaw::quantiles(deltas).unwrap();
    vec![
        (choice(2), RankLaw::one_choice()),
        (choice(3), choice(2)),
        (choice(7), choice(6)),
        (distinct(2), choice(2)),
        (distinct(3), distinct(2)),
        (beta(0.6), beta(0.5)),
        (choice(2), beta(0.9)),
        (choice(2), quantiles(&[0.5])),
        (quantiles(&[0.25, 0.5]), quantiles(&[0.5])),
        (choice(2), quantiles(&[0.25, 0.5, 0.75])),
        // β ≤ min(δ, 1 − δ).
        (quantiles(&[0.5]), beta(0.5)),
        (quantiles(&[0.25]), beta(0.25)),
    ]
}

#[test]
fn the_better_process_stays_majorized_ball_by_ball() {
    let mut broken = 0;
    for (better, worse) in chains() {
        let run = |better: &RankLaw, worse: &RankLaw, n: u64, seed: u64| {
            let (mut low, mut up) = (LoadProfile::new(n).unwrap(), LoadProfile::new(n).unwrap());
            let (mut first, mut second) = (ByRank::new(better.clone()), ByRank::new(worse.clone()));
            let (mut rng, mut same) = (rng_for_trial(SEED, seed), rng_for_trial(SEED, seed));
            (0..40 * n).all(|_| {
                first.step(&mut low, &mut rng);
                second.step(&mut up, &mut same);
                majorizes(&sorted(&up), &sorted(&low))
            })
        };
        // Quantiles are those of their numbers only where these are whole.
        for n in [1, 4, 8, 20] {
            assert!(run(&better, &worse, n, n), "{better:?} {worse:?}, n = {n}");
            broken += u32::from(!run(&worse, &better, n, n));
        }
    }
    // The other way round it fails wherever the two differ.
    assert!(broken > 30, "{broken}");
}

/// At many bins the gap of a run by rank is that of the rule: means over 60 runs, 5 standard errors of each.
#[test]
fn runs_by_rank_are_the_rules() {
    fn check<A: Allocator<LoadProfile> + Clone>(law: RankLaw, rule: &A) {
        let by_rank = gaps(&ByRank::new(law.clone()), 0);
        let by_rule = gaps(rule, 1);
        let spread = ((by_rank.1 + by_rule.1) / 60.0).sqrt();
        assert!((by_rank.0 - by_rule.0).abs() < 5.0 * spread, "{law:?}: {by_rank:?} {by_rule:?}");
    }
    fn gaps<A: Allocator<LoadProfile> + Clone>(rule: &A, seed: u64) -> (f64, f64) {
        let variances: Vec<f64> = (0..60)
            .map(|trial| {
                let mut loads = LoadProfile::new(500).unwrap();
                rule.clone().start_and_run(&mut loads, 5000, &mut rng_for_trial(seed, trial)).unwrap();
                loads.variance()
            })
            .collect();
        let mean = variances.iter().sum::<f64>() / 60.0;
        (mean, variances.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 59.0)
    }
    check(RankLaw::one_choice(), &OneChoice);
    check(RankLaw::d_choice(2).unwrap(), &DChoice::two());
    check(RankLaw::distinct_choice(3).unwrap(), &DistinctChoice::new(3).unwrap());
    check(RankLaw::one_plus_beta(0.3, 2).unwrap(), &OnePlusBeta::new(0.3).unwrap());
}
