//! Bounds on the gap with weights, and gaps that do not grow with the number of balls.

use std::collections::BTreeMap;

use bb_processes::bb_core::{Allocator, LoadVector, Metrics, TrialRng, rng_for_trial};
use bb_processes::{DChoice, OneChoice, OnePlusBeta, WeightLaw, throw_weighted};
use bb_testkit::bounds::Bound;
use bb_testkit::stats::{same_law, tally};

/// Sizes (bins, balls): many balls a bin, and many bins.
const SIZES: [(u64, u64); 3] = [(1 << 6, 1000 << 6), (1 << 10, 1000 << 10), (1 << 16, 16 << 16)];

fn gap<A>(rule: &A, law: &WeightLaw, bins: u64, balls: u64, rng: &mut TrialRng) -> f64
where
    A: Allocator<LoadVector<f64>> + Clone,
{
    let mut loads = LoadVector::weighted(bins).unwrap();
    throw_weighted(&mut rule.clone(), &mut loads, law, balls, rng).unwrap();
    loads.gap()
}

fn beta(beta: f64) -> OnePlusBeta {
    OnePlusBeta::new(beta).unwrap()
}

fn ln(bins: u64) -> f64 {
    (bins as f64).ln()
}

const TWO_CHOICE: Bound = Bound {
    name: "Two-Choice with exponential weights: gap ≤ ln n + 18, whatever m",
    source: "no growth with m: Talwar and Wieder, STOC 2007; the largest of n exponential weights is about ln n",
    reason: "a bin far above the mean has a tail e^-x a little heavier than that of one weight: some n e^-(ln n + 18) = 1.5e-8 for each of the runs",
    lower: None,
    upper: Some(|bins, _| ln(bins) + 18.0),
    seeds: 2,
};

/// One-Choice has a gap of about `√(4(m/n) ln n)`.
#[test]
fn two_choice_with_exponential_weights() {
    let law = WeightLaw::exponential();
    let measure = |bound: &Bound, beta: f64| {
        bound.measure_by(&SIZES, |bins, balls, rng| gap(&self::beta(beta), &law, bins, balls, rng))
    };
    TWO_CHOICE.assert_all_within(measure(&TWO_CHOICE, 1.0));
    TWO_CHOICE.assert_some_outside(&measure(&TWO_CHOICE, 0.125));
}

const HALF_UPPER: Bound = Bound {
    name: "(1+½) with exponential weights: gap ≤ (ln n + 17)/β",
    source: "Θ(ln n/β): Peres, Talwar and Wieder, Random Structures & Algorithms 47, 2015",
    reason: "mean field: a bin far above the mean gains weight at the rate 1 − β, so its tail is e^(−λx) with (1 − β)(M(λ) − 1) = λ, M(λ) = 1/(1 − λ): λ = β. A gap above has probability of the order of e^-17 = 4e-8",
    lower: None,
    upper: Some(|bins, _| (ln(bins) + 17.0) / 0.5),
    seeds: 2,
};

const HALF_LOWER: Bound = Bound {
    name: "(1+½) with exponential weights: gap ≥ (ln n − 4)/β for m ≥ 100 n",
    source: "as above",
    reason: "the same tail: a gap below has probability of the order of exp(−e^4) = 2e-24 and a constant",
    lower: Some(|bins, balls| if balls < 100 * bins { 0.0 } else { (ln(bins) - 4.0) / 0.5 }),
    upper: None,
    seeds: 3,
};

/// The shape `ln n/β`: β = 1/10 is above, Three-Choice below.
#[test]
fn one_plus_half_with_exponential_weights() {
    let law = WeightLaw::exponential();
    let measure = |bound: &Bound, rule: OnePlusBeta| {
        bound.measure_by(&SIZES, |bins, balls, rng| gap(&rule, &law, bins, balls, rng))
    };
    HALF_UPPER.assert_all_within(measure(&HALF_UPPER, beta(0.5)));
    HALF_LOWER.assert_all_within(measure(&HALF_LOWER, beta(0.5)));
    HALF_UPPER.assert_some_outside(&measure(&HALF_UPPER, beta(0.1)));
    // With uniform weights of {1, 2} the gap is far smaller: the shape depends on the law.
    let light = WeightLaw::uniform12();
    let figures = HALF_LOWER.measure_by(&SIZES, |bins, balls, rng| gap(&beta(1.0), &light, bins, balls, rng));
    HALF_LOWER.assert_some_outside(&figures);
}

/// The law of the gap in steps of a quarter, at two numbers of balls a bin.
fn gaps<A>(rule: &A, law: &WeightLaw, balls_per_bin: u64, seed: u64) -> BTreeMap<u64, u64>
where
    A: Allocator<LoadVector<f64>> + Clone,
{
    const BINS: u64 = 50;
    tally((0..1500).map(|trial| {
        let mut rng = rng_for_trial(seed, trial);
        (4.0 * gap(rule, law, BINS, balls_per_bin * BINS, &mut rng)) as u64
    }))
}

/// Three times as many balls change nothing, for heavy tails neither; α = 1e-6 for each of 4 tests. Without a
/// choice, and with too little of it, they do.
#[test]
fn gaps_of_two_choice_do_not_grow_with_the_balls() {
    let laws = [
        ("exp", WeightLaw::exponential()),
        ("pareto a=2.5", WeightLaw::pareto(2.5).unwrap()),
        ("pareto a=3", WeightLaw::pareto(3.0).unwrap()),
        ("lognormal", WeightLaw::log_normal(1.0).unwrap()),
    ];
    for (seed, (name, law)) in (100..).step_by(2).zip(&laws) {
        let grown = |few: u64, many: u64| {
            same_law(&gaps(&DChoice::two(), law, few, seed), &gaps(&DChoice::two(), law, many, seed + 1))
        };
        grown(30, 90).assert_fits(name, seed);
        let without = same_law(&gaps(&OneChoice, law, 30, seed), &gaps(&OneChoice, law, 90, seed + 1));
        without.assert_rejects(name, seed);
    }
}
