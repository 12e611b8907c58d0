//! The law of the gap at many balls a bin, against the mean-field prediction `P(gap < k) ≈ exp(−n s_k)`.
//!
//! The prediction is not exact: its probabilities are off by up to 3 % at 1000 bins. With 400 runs that adds
//! `400·Σ δ²/p < 2` to the expected statistic, which the threshold at a false alarm of 1e-6 (24 above 0 for
//! one degree of freedom, more for more) hardly notices. The nearest process that is rejected is therefore
//! not arbitrarily near: 10 % of `β`.

use std::collections::BTreeMap;

use bb_processes::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
use bb_processes::{Caching, DChoice, DistinctChoice, GBounded, GMyopic, OnePlusBeta, SigmaNoisyLoad};
use bb_testkit::data::{Quantity, mean_field_gaps};
use bb_testkit::stats::{goodness_of_fit, tally};

const SEED: u64 = 16;

/// The gaps of runs with 100 balls a bin; they are integers.
fn gaps<A: Allocator + Clone>(rule: &A, bins: u64, runs: u64) -> BTreeMap<u64, u64> {
    tally((0..runs).map(|trial| {
        let mut loads = LoadVector::new(bins).unwrap();
        rule.clone().start_and_run(&mut loads, 100 * bins, &mut rng_for_trial(SEED, trial)).unwrap();
        loads.gap() as u64
    }))
}

fn predicted(process: &str, bins: u64) -> BTreeMap<u64, f64> {
    let rows = mean_field_gaps().into_iter().filter(|row| row.process == process && row.bins == bins);
    rows.filter_map(|row| if let Quantity::GapIs(gap) = row.quantity { Some((gap, row.value)) } else { None }).collect()
}

/// The rule follows the law of this row of the table, its neighbour does not.
fn check<A: Allocator + Clone, W: Allocator + Clone>(process: &str, bins: u64, runs: u64, rule: &A, wrong: &W) {
    let law = predicted(process, bins);
    goodness_of_fit(&gaps(rule, bins, runs), &law).assert_fits(process, SEED);
    goodness_of_fit(&gaps(wrong, bins, runs), &law).assert_rejects(process, SEED);
}

fn beta(beta: f64) -> OnePlusBeta {
    OnePlusBeta::new(beta).unwrap()
}

#[test]
fn d_choice() {
    let three = DChoice::new(3).unwrap();
    check("two-choice", 1000, 400, &DChoice::two(), &three);
    check("two-choice", 1000, 400, &DChoice::two(), &beta(0.9));
    check("three-choice", 1000, 400, &three, &DChoice::two());
    check("three-choice", 1000, 400, &three, &DChoice::new(4).unwrap());
    check("two-choice", 10_000, 60, &DChoice::two(), &three);
}

/// At 1000 bins a sample is drawn twice for one ball in a thousand: in the gap, with and without replacement
/// cannot be told apart. `exact` does that, at 2 to 4 bins.
#[test]
fn d_choice_without_replacement() {
    let distinct = |d| DistinctChoice::new(d).unwrap();
    check("two-choice", 1000, 200, &distinct(2), &distinct(3));
    check("three-choice", 1000, 200, &distinct(3), &distinct(2));
}

#[test]
fn one_plus_beta() {
    check("(1+beta); beta=0.25", 1000, 400, &beta(0.25), &beta(0.275));
    check("(1+beta); beta=0.5", 1000, 400, &beta(0.5), &beta(0.45));
    check("(1+beta); beta=0.75", 1000, 400, &beta(0.75), &beta(0.7));
}

/// The nearest process is the next `g`, or 10 % of `σ`.
#[test]
fn noise() {
    let sigma = |sigma| SigmaNoisyLoad::new(sigma).unwrap();
    check("g-Bounded; g=2", 1000, 200, &GBounded::new(2), &GBounded::new(1));
    check("g-Myopic-Comp; g=2", 1000, 200, &GMyopic::new(2), &GMyopic::new(3));
    check("sigma-Noisy-Load; sigma=2", 1000, 400, &sigma(2.0), &sigma(2.2));
}

#[test]
fn caching() {
    check("memory", 1000, 400, &Caching::new(), &DChoice::two());
}
