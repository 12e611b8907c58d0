//! Parameters at which a rule is a simpler one, and the order of the rules.

use bb_processes::bb_core::{Allocator, LoadVector, Metrics, Rng, rng_for_trial};
use bb_processes::{DChoice, DistinctChoice, LoadThreshold, MeanThinning, OneChoice, OnePlusBeta};
use bb_testkit::exact::{Law, ratio};
use bb_testkit::stats::Mean;
use bb_testkit::twin;

use crate::rules::rules;

fn loads_and_word<A: Allocator>(mut rule: A, bins: u64, balls: u64) -> (LoadVector, u64) {
    let (mut loads, mut rng) = (LoadVector::new(bins).unwrap(), rng_for_trial(6, 0));
    rule.start_and_run(&mut loads, balls, &mut rng).unwrap();
    (loads, rng.next_u64())
}

#[test]
fn one_sample_is_one_choice_draw_for_draw() {
    for bins in [1, 3, 1000, 70_000] {
        let one = loads_and_word(OneChoice, bins, 10_000);
        assert_eq!(one, loads_and_word(DChoice::new(1).unwrap(), bins, 10_000));
        assert_eq!(one, loads_and_word(DistinctChoice::new(1).unwrap(), bins, 10_000));
        assert_eq!(one, loads_and_word(LoadThreshold::new(3).unwrap().with_d(1).unwrap(), bins, 10_000));
        assert!(bins == 1 || one != loads_and_word(DChoice::two(), bins, 10_000));
    }
}

fn exact(beta: u64, d: u32) -> Law<Vec<u64>> {
    let rule = OnePlusBeta::new(beta as f64).unwrap().with_d(d).unwrap();
    twin::law(&rule, &[0, 0, 0], 6, &[ratio(beta, 1)])
}

#[test]
fn the_ends_of_beta_are_one_and_two_choice_in_law() {
    let one = twin::law(&OneChoice, &[0, 0, 0], 6, &[]);
    for d in [1, 2, 3] {
        let many = twin::law(&DChoice::new(d).unwrap(), &[0, 0, 0], 6, &[]);
        assert_eq!(exact(0, d), one);
        assert_eq!(exact(1, d), many);
        assert!(d == 1 || one != many);
    }
}

/// A level that no load reaches accepts every first sample.
#[test]
fn thinning_that_accepts_all_is_one_choice_in_law() {
    let one = twin::law(&OneChoice, &[0, 0, 0], 6, &[]);
    for d in [2, 3] {
        let rule = |level| LoadThreshold::new(level).unwrap().with_d(d).unwrap();
        assert_eq!(twin::law(&rule(6), &[0, 0, 0], 6, &[]), one);
        assert_ne!(twin::law(&rule(5), &[0, 0, 0], 6, &[]), one);
    }
    // A level that all bins have reached accepts nothing, and the last sample is uniform.
    assert_eq!(
        twin::law(&LoadThreshold::new(1).unwrap(), &[1, 1, 1], 3, &[]),
        twin::law(&OneChoice, &[1, 1, 1], 3, &[])
    );
}

/// Up to `n + 1` balls the mean is at most 1: below it is a load of 0 alone.
#[test]
fn mean_thinning_begins_as_a_load_threshold_of_one() {
    let threshold = LoadThreshold::new(1).unwrap();
    for bins in 1..=4_u64 {
        let law = |balls| {
            let empty = vec![0; bins as usize];
            (twin::law(&MeanThinning, &empty, balls, &[]), twin::law(&threshold, &empty, balls, &[]))
        };
        let (mean, one) = law(bins + 1);
        assert_eq!(mean, one);
        let (mean, one) = law(bins + 3);
        assert!(bins == 1 || mean != one);
    }
}

#[test]
fn probes_are_the_expected_number_of_samples() {
    fn samples<A: Allocator>(rule: A) -> f64 {
        rule.sample_count().unwrap().per_ball(1000)
    }
    let beta = |beta| OnePlusBeta::new(beta).unwrap();
    assert_eq!(samples(OneChoice), 1.0);
    assert_eq!(samples(DChoice::new(3).unwrap()), 3.0);
    assert_eq!(samples(DistinctChoice::new(4).unwrap()), 4.0);
    assert_eq!([beta(0.0), beta(0.25), beta(1.0)].map(samples), [1.0, 1.25, 2.0]);
    assert_eq!(samples(beta(0.25).with_d(5).unwrap()), 2.0);
}

#[test]
fn one_bin_takes_all_and_no_ball_changes_nothing() {
    for (name, mut rule) in rules() {
        let mut loads = LoadVector::new(1).unwrap();
        rule.run(&mut loads, 1000, &mut rng_for_trial(8, 0));
        assert_eq!((loads.to_vec(), loads.gap(), loads.all_time_gap()), (vec![1000], 0.0, 0.0), "{name}");

        let mut loads = LoadVector::from_loads(vec![2, 5, 3]).unwrap();
        let mut rng = rng_for_trial(8, 1);
        assert_eq!(rule.run(&mut loads, 0, &mut rng), 0, "{name}");
        assert_eq!(loads.to_vec(), [2, 5, 3], "{name}");
        assert_eq!(rng.next_u64(), rng_for_trial(8, 1).next_u64(), "{name} takes a word for no ball");
    }
}

/// With all bins as samples the ball always goes to a least loaded bin.
#[test]
fn all_bins_as_distinct_samples_is_perfect_balance() {
    let mut rule = DistinctChoice::new(7).unwrap();
    let (mut loads, mut rng) = (LoadVector::new(7).unwrap(), rng_for_trial(9, 0));
    for ball in 1..=1000_u64 {
        rule.step(&mut loads, &mut rng);
        assert_eq!((loads.max_load(), loads.min_load()), (ball.div_ceil(7), ball / 7));
    }
}

/// More choice is better: exactly at 4 bins, and on averages of 20 runs at 1000 bins, beyond the 1e-6 band
/// each.
#[test]
fn more_choice_gives_a_smaller_gap() {
    let beta = OnePlusBeta::new(0.5).unwrap();
    let start = [0; 4];
    let exact = [
        twin::law(&DistinctChoice::new(3).unwrap(), &start, 8, &[]),
        twin::law(&DChoice::new(3).unwrap(), &start, 8, &[]),
        twin::law(&DChoice::two(), &start, 8, &[]),
        twin::law(&beta, &start, 8, &[ratio(1, 2)]),
        twin::law(&OneChoice, &start, 8, &[]),
    ];
    let gaps: Vec<_> = exact.iter().map(Law::mean_gap).collect();
    assert!(gaps.windows(2).all(|pair| pair[0] < pair[1]), "{gaps:?}");

    fn mean_gap<A: Allocator + Clone>(rule: A) -> Mean {
        Mean::of((0..20).map(|trial| {
            let mut loads = LoadVector::new(1000).unwrap();
            rule.clone().run(&mut loads, 100_000, &mut rng_for_trial(10, trial));
            loads.gap()
        }))
    }
    let gaps = [mean_gap(DChoice::two()), mean_gap(beta), mean_gap(OneChoice)];
    for pair in gaps.windows(2) {
        assert!(pair[0].mean < pair[1].mean, "{gaps:?}");
        pair[0].agrees(pair[1]).assert_rejects("equal gaps", 10);
    }
}
