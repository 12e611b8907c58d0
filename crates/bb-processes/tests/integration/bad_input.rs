//! Bad input is refused with the parameter, its value and its range; everything else works.

use bb_processes::bb_core::{Allocator, LoadVector, Rng, StartError, rng_for_trial};
use bb_processes::{DChoice, DistinctChoice, LoadThreshold, OnePlusBeta};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

#[test]
fn no_choice_is_refused() {
    for error in [
        DChoice::new(0).unwrap_err(),
        DistinctChoice::new(0).unwrap_err(),
        OnePlusBeta::new(0.5).unwrap().with_d(0).unwrap_err(),
    ] {
        assert_eq!(error.to_string(), "d = 0 is outside 1..");
        assert_eq!((error.parameter(), error.value(), error.range()), ("d", "0", "1.."));
    }
}

/// Each sample of a ball takes memory until the ball is placed.
#[test]
fn no_suggestion_and_too_many_are_refused() {
    let rule = LoadThreshold::new(1).unwrap();
    for d in [0, (1 << 16) + 1, u32::MAX] {
        assert_eq!(rule.with_d(d).unwrap_err().to_string(), format!("d = {d} is outside 1..=2^16"));
    }
    assert_usable(rule.with_d(1 << 16).unwrap(), 3, 13);
}

#[test]
fn a_level_that_accepts_nothing_is_refused() {
    assert_eq!(LoadThreshold::new(0).unwrap_err().to_string(), "l = 0 is outside 1..");
}

#[test]
fn no_probability_is_refused() {
    let refused = [-1.0, -f64::MIN_POSITIVE, 1.0 + f64::EPSILON, 2.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    for beta in refused {
        let error = OnePlusBeta::new(beta).unwrap_err();
        assert_eq!(error.to_string(), format!("beta = {beta:?} is outside [0, 1]"));
    }
    for beta in [0.0, -0.0, f64::MIN_POSITIVE, 0.5, 1.0 - f64::EPSILON, 1.0] {
        assert_eq!(OnePlusBeta::new(beta).unwrap().prob_two_choice(), beta);
    }
}

#[test]
fn more_distinct_samples_than_bins_are_refused_before_a_ball() {
    let mut loads = LoadVector::new(3).unwrap();
    let mut rng = rng_for_trial(13, 0);
    let error = StartError::TooFewBins { parameter: "d", value: 4, bins: 3 };
    let mut four = DistinctChoice::new(4).unwrap();
    assert_eq!(four.start(&loads), Err(error.clone()));
    assert_eq!(four.start_and_run(&mut loads, 10, &mut rng), Err(error));
    assert_eq!(loads.to_vec(), [0, 0, 0]);
    assert_eq!(rng.next_u64(), rng_for_trial(13, 0).next_u64());

    assert_eq!(DistinctChoice::new(3).unwrap().start_and_run(&mut loads, 10, &mut rng), Ok(10));
    assert_eq!(DChoice::new(4).unwrap().start_and_run(&mut loads, 10, &mut rng), Ok(10));
}

/// Places 50 balls and checks that they arrived.
fn assert_usable<A: Allocator>(mut rule: A, bins: u64, seed: u64) {
    let mut loads = LoadVector::new(bins).unwrap();
    assert_eq!(rule.start_and_run(&mut loads, 50, &mut rng_for_trial(seed, 0)), Ok(50));
    assert_eq!(loads.iter().sum::<u64>(), 50);
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(14), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn constructors_err_or_give_a_usable_rule(beta: f64, unit in 0.0..=1.0, d in 0_u32..40, bins in 1_u64..50, seed: u64) {
        for beta in [beta, unit] {
            match OnePlusBeta::new(beta) {
                Err(_) => prop_assert!(!(0.0..=1.0).contains(&beta)),
                Ok(rule) => {
                    assert_usable(rule, bins, seed);
                    match rule.with_d(d) {
                        Err(_) => prop_assert_eq!(d, 0),
                        Ok(rule) => {
                            prop_assert_eq!((rule.d(), rule.prob_two_choice()), (d, beta));
                            assert_usable(rule, bins, seed);
                        }
                    }
                }
            }
        }
        match (DChoice::new(d), DistinctChoice::new(d)) {
            (Ok(with), Ok(without)) => {
                prop_assert_eq!((with.d(), without.d()), (d, d));
                assert_usable(with, bins, seed);
                let mut loads = LoadVector::new(bins).unwrap();
                match without.clone().start(&loads) {
                    Ok(()) => assert_usable(without, bins, seed),
                    Err(_) => {
                        prop_assert!(u64::from(d) > bins);
                        // Even then nothing breaks: all bins are samples.
                        prop_assert_eq!(without.clone().run(&mut loads, 50, &mut rng_for_trial(seed, 0)), 50);
                    }
                }
            }
            (Err(_), Err(_)) => prop_assert_eq!(d, 0),
            both => prop_assert!(false, "{both:?}"),
        }
    }
}
