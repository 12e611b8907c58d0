//! Thresholds that rise with the mean: exact comparisons, exact laws on small systems, and parameters at
//! which a rule is a simpler one.

use bb_processes::bb_core::{Allocator, BinsExt, Description, LoadProfile, LoadVector, Metrics, Rng, rng_for_trial};
use bb_processes::{DChoice, KThreshold, MeanThinning, OneChoice, RelativeThreshold};
use bb_testkit::BigRational;
use bb_testkit::engines::Samples;
use bb_testkit::exact::{Law, ratio};
use bb_testkit::ranks::{k_threshold, reaches_mean_plus, thinning};
use bb_testkit::twin;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::noise::labelled_chain;

const SEED: u64 = 80;

const STARTS: [&[u64]; 4] = [&[0, 0, 0], &[3, 0, 1], &[1, 4, 1, 0], &[0, 7]];

fn rational(number: f64) -> BigRational {
    BigRational::from_float(number).expect("a finite number")
}

/// The allocation vector of Relative-Threshold.
fn relative(loads: &[u64], f: f64) -> Vec<BigRational> {
    thinning(loads, 2, |load| !reaches_mean_plus(load, loads, f))
}

#[test]
fn every_rule_on_all_its_outcomes_has_its_law() {
    let law = |rule: RelativeThreshold, start: &[u64]| twin::law(&rule, start, 5, &[]);
    for f in [0.0, 0.1, 0.5, 1.0, 1.25, 2.0, 1.0 / 3.0] {
        let rule = RelativeThreshold::new(f).unwrap();
        for start in STARTS {
            assert_eq!(law(rule, start), labelled_chain(start, 5, |x| relative(x, f)), "f = {f}, {start:?}");
        }
    }
    let sets: [&[f64]; 6] = [&[0.0], &[0.0, 2.0], &[-1.0, 0.5, 2.0], &[-0.25, 0.0, 0.25], &[-3.0, -1.5], &[0.0, 1.5]];
    for offsets in sets {
        let rule = KThreshold::new(offsets).unwrap();
        for start in STARTS {
            let exact = labelled_chain(start, 5, |x| k_threshold(x, offsets));
            assert_eq!(twin::law(&rule, start, 5, &[]), exact, "{offsets:?}, {start:?}");
        }
    }
    // A neighbour has another law, and so has the rule for which a bin at the threshold is below it.
    let start = [3, 0, 1];
    let one = law(RelativeThreshold::new(1.0).unwrap(), &start);
    assert_ne!(one, labelled_chain(&start, 5, |x| relative(x, 1.25)));
    assert_ne!(one, labelled_chain(&start, 5, |x| relative(x, 1.0 + f64::EPSILON)));
    let two = twin::law(&KThreshold::new(&[0.0, 2.0]).unwrap(), &start, 5, &[]);
    assert_ne!(two, labelled_chain(&start, 5, |x| k_threshold(x, &[0.0, 1.5])));
    assert_ne!(two, labelled_chain(&start, 5, |x| k_threshold(x, &[f64::MIN_POSITIVE, 2.0])));
}

/// What the loads and the generator are after a run, on every engine.
fn path<P: Description + Allocator + Allocator<LoadProfile> + Copy>(
    mut rule: P,
) -> (LoadVector, [LoadProfile; 2], u64) {
    let mut rng = rng_for_trial(SEED, 0);
    let mut vector = LoadVector::new(30).unwrap();
    rule.run(&mut vector, 5000, &mut rng);
    let mut counted = [LoadProfile::new(30).unwrap(), LoadProfile::new(1 << 16).unwrap()];
    rule.run(&mut counted[0], 5000, &mut rng);
    counted[1].run_bulk(&rule, 1 << 18, &mut rng);
    (vector, counted, rng.next_u64())
}

#[test]
fn a_threshold_at_the_mean_is_mean_thinning_draw_for_draw() {
    let relative = |f| path(RelativeThreshold::new(f).unwrap());
    assert_eq!(relative(0.0), path(MeanThinning));
    assert_eq!(relative(-0.0), path(MeanThinning));
    assert_ne!(relative(0.5), path(MeanThinning));
}

#[test]
fn extreme_thresholds_are_simpler_rules() {
    for start in STARTS {
        let law = |rule: KThreshold| twin::law(&rule, start, 5, &[]);
        let one = twin::law(&OneChoice, start, 5, &[]);
        for f in [100.0, 1e18, 1e300, f64::MAX] {
            assert_eq!(twin::law(&RelativeThreshold::new(f).unwrap(), start, 5, &[]), one);
            assert_eq!(law(KThreshold::new(&[-f, f]).unwrap()), one);
        }
        // One question to each of two bins is one question to the first of them, in law.
        for f in [0.0, 0.5, 1.0] {
            let thinning = twin::law(&RelativeThreshold::new(f).unwrap(), start, 5, &[]);
            assert_eq!(law(KThreshold::new(&[f]).unwrap()), thinning);
        }
        // A threshold between any two loads is Two-Choice.
        let all: Vec<f64> = (-8..8).map(f64::from).collect();
        assert_eq!(law(KThreshold::new(&all).unwrap()), twin::law(&DChoice::two(), start, 5, &[]));
    }
}

/// Which of two bins of one class takes the ball is no matter of the law: it is the first.
#[test]
fn of_two_bins_of_a_class_the_first_takes_the_ball() {
    let loads = LoadVector::from_loads(vec![0_u64, 4, 5, 7, 9]).unwrap();
    let (mut rule, mut rng) = (KThreshold::new(&[-2.0, 3.0]).unwrap(), rng_for_trial(SEED, 1));
    for _ in 0..1000 {
        let [first, second] = loads.draw_pair(&mut rng.clone());
        // The mean is 5: bin 0 is below both thresholds, bins 1 to 3 between them, bin 4 above.
        let class = |bin: usize| bin.div_ceil(3);
        let expected = if class(second) < class(first) { second } else { first };
        assert_eq!(rule.choose(&loads, &mut rng), expected, "{first} {second}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, rng_seed: RngSeed::Fixed(81), failure_persistence: None, ..ProptestConfig::default() })]

    /// The level is the smallest load not below the threshold, up to the total that the phase ends with, and
    /// no longer.
    #[test]
    fn the_level_is_exact(
        total in prop_oneof![0_u64..200, any::<u64>().prop_map(|total| total >> 2)],
        bins in prop_oneof![1_u64..20, (0_u32..62).prop_map(|power| 1 << power), any::<u64>().prop_map(|bins| (bins >> 2) + 1)],
        f in prop_oneof![0.0..4.0, (0_u64..40).prop_map(|eighths| eighths as f64 / 8.0), 0.0..1e-15, 0.0..1e18, Just(f64::MIN_POSITIVE)],
        negative: bool,
    ) {
        let offset = f64::copysign(f, if negative { -1.0 } else { 1.0 });
        let threshold = |total: u64| ratio(total, bins) + rational(offset);
        let rule = KThreshold::new(&[offset]).unwrap();
        let (levels, until) = rule.phase(total, bins);
        let level = |total: u64| threshold(total).ceil().max(ratio(0, 1));
        prop_assert_eq!(ratio(levels[0], 1), level(total));
        prop_assert_eq!(levels[1], u64::MAX);
        prop_assert!(until > total);
        if until < u64::MAX {
            prop_assert_eq!(level(until - 1), level(total));
            prop_assert!(level(until) > level(total));
        }
        if !negative {
            prop_assert_eq!(RelativeThreshold::new(f).unwrap().phase(total, bins), (levels[0], until));
        }
    }
}

/// With a fraction the threshold moves in between the totals at which the mean does. All engines in one test.
#[test]
fn a_threshold_between_two_loads_follows_the_exact_law_on_every_engine() {
    let (start, balls, f) = (vec![4_u64, 0, 1, 1], 9, 0.75);
    let samples = |f: f64| {
        let rule = RelativeThreshold::new(f).unwrap();
        let vector = LoadVector::from_loads(start.clone()).unwrap();
        let profile = LoadProfile::from(&vector);
        Samples::new(SEED, 50_000)
            .with("vector", move |rng| {
                let (mut rule, mut loads) = (rule, vector.clone());
                rule.run(&mut loads, balls, rng);
                [loads.level_counts()]
            })
            .with("profile", {
                let profile = profile.clone();
                move |rng| {
                    let (mut rule, mut loads) = (rule, profile.clone());
                    rule.run(&mut loads, balls, rng);
                    [loads.level_counts()]
                }
            })
            .with("bulk", move |rng| {
                let mut loads = profile.clone();
                loads.run_bulk(&rule, balls, rng);
                [loads.level_counts()]
            })
    };
    let law = |f: f64| -> Law<Vec<(u64, u64)>> {
        labelled_chain(&start, balls, |x| relative(x, f))
            .map(|loads| LoadVector::from_loads(loads.clone()).unwrap().level_counts())
    };
    samples(f).assert_follow("f = 0.75", &law(f).to_f64());
    samples(f).assert_rejects("f = 0.75 as 0.5", &law(0.5).to_f64());
}

#[test]
fn bad_parameters_are_refused() {
    for f in [-1.0, -f64::MIN_POSITIVE, f64::INFINITY, f64::NAN] {
        let error = RelativeThreshold::new(f).unwrap_err();
        assert_eq!(error.to_string(), format!("f = {f:?} is outside the finite numbers from 0"));
    }
    let range = "1 to 16 finite numbers, increasing";
    for (offsets, shown) in [
        (vec![], ""),
        (vec![1.0, 1.0], "1.0/1.0"),
        (vec![2.0, 1.0], "2.0/1.0"),
        (vec![f64::NAN], "NaN"),
        (vec![0.0, f64::INFINITY], "0.0/inf"),
    ] {
        let error = KThreshold::new(&offsets).unwrap_err();
        assert_eq!((error.parameter(), error.value(), error.range()), ("offsets", shown, range));
    }
    let many = |count: u32| KThreshold::new(&(0..count).map(f64::from).collect::<Vec<_>>());
    assert_eq!(many(16).unwrap().offsets().len(), 16);
    assert_eq!(many(17).unwrap_err().range(), range);
}
