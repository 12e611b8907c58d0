//! Unfair: exact laws, and what it does to the fullest bin.

use bb_processes::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
use bb_processes::{DChoice, OneChoice, Unfair};
use bb_testkit::BigRational;
use bb_testkit::stats::{goodness_of_fit, tally};
use bb_testkit::{ranks, twin};

/// The fullest of `d` is the least loaded of `d` with the order of ranks turned round.
fn fullest(bins: u64, d: u32) -> Vec<BigRational> {
    ranks::d_choice(bins, d).into_iter().rev().collect()
}

fn rule(d: u32) -> Unfair {
    Unfair::new(d).unwrap()
}

#[test]
fn the_real_rule_on_all_its_outcomes_gives_the_chain() {
    for (bins, d, balls) in [(2, 2, 6), (3, 2, 5), (3, 3, 4), (4, 2, 4)] {
        let law = twin::law(&rule(d), &vec![0; bins as usize], balls, &[]).sorted();
        assert_eq!(law, ranks::sorted_chain(bins, balls, |_| fullest(bins, d)), "n = {bins}, d = {d}");
        assert_ne!(law, ranks::sorted_chain(bins, balls, |_| ranks::d_choice(bins, d)), "the twin: the emptiest");
    }
}

/// 100 000 runs on labelled bins; the false-alarm rate is 1e-6. One sample more, and the same test rejects.
#[test]
fn simulated_loads_follow_the_exact_law() {
    let (bins, balls) = (3, 6);
    let law = ranks::sorted_chain(bins, balls, |_| fullest(bins, 2)).to_f64();
    let sorted = |trial| {
        let mut loads = LoadVector::new(bins).unwrap();
        rule(2).run(&mut loads, balls, &mut rng_for_trial(1, trial));
        let mut loads = loads.to_vec();
        loads.sort_unstable_by(|a, b| b.cmp(a));
        loads
    };
    let observed = tally((0..100_000).map(sorted));
    goodness_of_fit(&observed, &law).assert_fits("unfair, n = 3, m = 6", 1);
    let one_more = ranks::sorted_chain(bins, balls, |_| fullest(bins, 3)).to_f64();
    goodness_of_fit(&observed, &one_more).assert_rejects("the fullest of three", 1);
}

#[test]
fn one_sample_is_one_choice_draw_for_draw() {
    let run = |rule: &mut dyn FnMut(&mut LoadVector)| {
        let mut loads = LoadVector::new(50).unwrap();
        rule(&mut loads);
        loads
    };
    let unfair = run(&mut |loads| _ = rule(1).run(loads, 5_000, &mut rng_for_trial(1, 0)));
    assert_eq!(unfair, run(&mut |loads| _ = OneChoice.run(loads, 5_000, &mut rng_for_trial(1, 0))));
}

/// The gap over m is 1 − (1 − 1/n)^d − 1/n in the limit; two choices keep it at a few balls.
#[test]
fn the_fullest_bin_runs_away() {
    let (bins, balls) = (100_u64, 1_000_000_u64);
    for d in [2, 3] {
        let mut loads = LoadVector::new(bins).unwrap();
        rule(d).run(&mut loads, balls, &mut rng_for_trial(2, u64::from(d)));
        let share = 1.0 - 0.99_f64.powi(d as i32) - 0.01;
        assert!((loads.gap() / (share * balls as f64) - 1.0).abs() < 0.1, "d = {d}: {}", loads.gap());
    }
    let mut loads = LoadVector::new(bins).unwrap();
    DChoice::two().run(&mut loads, balls, &mut rng_for_trial(2, 0));
    assert!(loads.gap() < 5.0);
}

#[test]
fn bad_parameters_are_refused() {
    for d in [0, (1 << 16) + 1] {
        assert_eq!(Unfair::new(d).unwrap_err().to_string(), format!("d = {d} is outside 1..=2^16"));
    }
}
