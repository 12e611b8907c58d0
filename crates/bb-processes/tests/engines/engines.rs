//! The engines against each other, in law: a load vector, a profile ball by ball, and a profile in bulk, for
//! every described rule.
//!
//! A false alarm has probability 1e-6 for each test, which may compare several engines and quantities; 2.6e-4
//! for all 258 of this file together at fresh seeds.

use std::collections::BTreeMap;

use bb_processes::bb_core::{Bins, LoadProfile, LoadVector, MaxLoadRecord, Metrics, TrialRng, rng_for_trial};
use bb_processes::{DChoice, KQuantile, MeanThinning, OnePlusBeta, Quantile, RelativeThreshold};
use bb_testkit::engines::Samples;
use bb_testkit::exact::{Law, chain, ratio};
use bb_testkit::ranks::{add_at, one_plus_beta, sorted_chain};
use bb_testkit::stats::Mean;

use crate::rules::{ByRanks, Engines, bulk_rules};

const SEED: u64 = 40;

/// Runs of each engine; with so many a neighbour is told apart.
const RUNS: u64 = 6_000;
const RUNS_OF_FEW_BINS: u64 = 25_000;
const RUNS_OF_MANY_BINS: u64 = 200;

/// What a run leaves.
struct Outcome {
    bins: u64,
    balls: u64,
    /// (load, bins), by load.
    counts: Vec<(u64, u64)>,
    all_time_gap: f64,
    record: MaxLoadRecord,
}

impl Outcome {
    fn count(&self, load: u64) -> u64 {
        self.counts.iter().find(|level| level.0 == load).map_or(0, |level| level.1)
    }

    fn max_empty_mean(&self) -> [u64; 3] {
        [self.counts.last().unwrap().0, self.count(0), self.count(self.balls / self.bins)]
    }

    /// The ball that last raised the maximum, and the all-time gap in units of `1/n`, where it is an integer.
    fn last_rise_and_all_time_gap(&self) -> [u64; 2] {
        let last = self.record.rises().last().map_or(0, |rise| rise.0);
        assert_eq!(self.record.all_time(0..=self.record.balls()), Ok(self.all_time_gap));
        [last, (self.all_time_gap * self.bins as f64).round() as u64]
    }
}

fn on_vector(rule: &dyn Engines, start: &LoadVector, balls: u64, rng: &mut TrialRng) -> Outcome {
    let mut loads = start.clone();
    loads.record_maximum();
    let loads = rule.on_vector(loads, balls, rng);
    Outcome {
        bins: loads.bins(),
        balls: loads.total(),
        counts: loads.level_counts(),
        all_time_gap: loads.all_time_gap(),
        record: loads.max_load_record().unwrap(),
    }
}

fn on_profile(start: &LoadVector, run: impl FnOnce(&mut LoadProfile)) -> Outcome {
    let mut loads = LoadProfile::from(start);
    loads.record_maximum();
    run(&mut loads);
    Outcome {
        bins: loads.bins(),
        balls: loads.total(),
        counts: loads.level_counts(),
        all_time_gap: loads.all_time_gap(),
        record: loads.max_load_record().unwrap(),
    }
}

fn by_ball(rule: &dyn Engines, start: &LoadVector, balls: u64, rng: &mut TrialRng) -> Outcome {
    on_profile(start, |loads| rule.by_ball(loads, balls, rng))
}

fn in_bulk(rule: &dyn Engines, start: &LoadVector, balls: u64, rng: &mut TrialRng) -> Outcome {
    on_profile(start, |loads| rule.in_bulk(loads, balls, rng))
}

fn empty(bins: u64) -> LoadVector {
    LoadVector::new(bins).unwrap()
}

/// Samples of all engines from empty bins, the vector first.
fn all_engines<const K: usize>(
    rule: &dyn Engines,
    bins: u64,
    balls: u64,
    runs: u64,
    look: impl Fn(&Outcome) -> [u64; K],
) -> Samples<u64, K> {
    let start = empty(bins);
    Samples::new(SEED, runs)
        .with("vector", |rng| look(&on_vector(rule, &start, balls, rng)))
        .with("profile", |rng| look(&by_ball(rule, &start, balls, rng)))
        .with("bulk", |rng| look(&in_bulk(rule, &start, balls, rng)))
}

/// The law of the level counts, from that of the sorted loads.
fn level_counts(law: &Law<Vec<u64>>) -> BTreeMap<Vec<(u64, u64)>, f64> {
    let counts = |loads: &Vec<u64>| {
        let mut counts = BTreeMap::new();
        loads.iter().for_each(|&load| *counts.entry(load).or_insert(0) += 1);
        counts.into_iter().collect()
    };
    law.map(counts).to_f64()
}

fn counted(rule: &dyn Engines, start: &LoadVector, balls: u64) -> Samples<Vec<(u64, u64)>, 1> {
    Samples::new(SEED, RUNS_OF_FEW_BINS)
        .with("profile", |rng| [by_ball(rule, start, balls, rng).counts])
        .with("bulk", |rng| [in_bulk(rule, start, balls, rng).counts])
}

/// 12 rules, 4 numbers of bins, 2 of balls: 96 tests. The vector has the same law by `exact`.
#[test]
fn few_bins_follow_the_exact_law() {
    for (name, rule, vector) in bulk_rules() {
        for bins in 2..=5 {
            for balls in [bins, 3 * bins + 1] {
                let law = level_counts(&sorted_chain(bins, balls, vector));
                counted(&*rule, &empty(bins), balls).assert_follow(&format!("{name}, n = {bins}, m = {balls}"), &law);
            }
        }
    }
}

/// From loads far apart, with a total that is no multiple of `n`. 12 tests.
#[test]
fn an_uneven_start_follows_the_exact_law() {
    for (name, rule, vector) in bulk_rules() {
        let start = vec![9_u64, 5, 4, 1, 0];
        let law = chain(start.clone(), 8, |sorted| {
            let each = vector(sorted).into_iter().enumerate();
            each.map(|(place, probability)| (probability, add_at(sorted, place))).collect()
        });
        let samples = counted(&*rule, &LoadVector::from_loads(start).unwrap(), 8);
        samples.assert_follow(&format!("{name}, uneven start"), &level_counts(&law));
    }
}

/// Maximum, empty bins and bins at the mean. 12 rules, 3 numbers of bins, 2 of balls: 72 tests.
#[test]
fn maximum_empty_bins_and_bins_at_the_mean_agree() {
    for (name, rule, _) in bulk_rules() {
        for bins in [8, 16, 64] {
            for balls in [bins, 3 * bins + 1] {
                let samples = all_engines(&*rule, bins, balls, RUNS, Outcome::max_empty_mean);
                samples.assert_same(&format!("{name}, n = {bins}, m = {balls}"));
            }
        }
    }
}

/// Bins of one load, just below, at and just above the mean, in cells of `√n/8`. 12 rules, 2 numbers of
/// balls: 24 tests.
#[test]
fn single_levels_of_many_bins_agree() {
    for (name, rule, _) in bulk_rules() {
        let bins = 1 << 14;
        for balls in [bins, 3 * bins + 1] {
            let mean = balls / bins;
            let look = |outcome: &Outcome| [mean - 1, mean, mean + 1].map(|load| outcome.count(load) / 16);
            all_engines(&*rule, bins, balls, RUNS_OF_MANY_BINS, look).assert_same(&format!("{name}, m = {balls}"));
        }
    }
}

/// When the maximum last rose, and the all-time gap. 12 rules, 3 numbers of bins: 36 tests.
#[test]
fn records_agree() {
    for (name, rule, _) in bulk_rules() {
        for bins in [4, 16, 64] {
            let samples = all_engines(&*rule, bins, 3 * bins + 1, RUNS, Outcome::last_rise_and_all_time_gap);
            samples.assert_same(&format!("{name}, n = {bins}"));
        }
    }
}

/// Pieces of a run, some in bulk and some ball by ball, none a multiple of `n`, against an uncut run of the
/// vector: 12 tests.
#[test]
fn a_run_in_pieces_is_the_uncut_run_in_law() {
    for (name, rule, _) in bulk_rules() {
        let (bins, balls) = (64, 193);
        let start = empty(bins);
        let look = |outcome: &Outcome| {
            let [max, empty, mean] = outcome.max_empty_mean();
            let [last, gap] = outcome.last_rise_and_all_time_gap();
            [max, empty, mean, last, gap]
        };
        let samples = Samples::new(SEED, RUNS).with("vector", |rng| look(&on_vector(&*rule, &start, balls, rng))).with(
            "pieces",
            |rng| {
                look(&on_profile(&start, |loads| {
                    for (piece, balls) in [1, 30, 2, 67, 9, 40, 44].into_iter().enumerate() {
                        if piece % 3 == 2 {
                            rule.by_ball(loads, balls, rng);
                        } else {
                            rule.in_bulk(loads, balls, rng);
                        }
                    }
                }))
            },
        );
        samples.assert_same(name);
    }
}

/// Each test above fails for a rule that is one parameter away.
#[test]
fn a_neighbour_is_told_apart() {
    fn check(name: &str, rule: &dyn Engines, wrong: &dyn Engines) {
        fn samples<const K: usize>(
            (rule, wrong): (&dyn Engines, &dyn Engines),
            (bins, balls, runs): (u64, u64, u64),
            look: impl Fn(&Outcome) -> [u64; K],
        ) -> Samples<u64, K> {
            let start = empty(bins);
            Samples::new(SEED, runs)
                .with("vector", |rng| look(&on_vector(rule, &start, balls, rng)))
                .with("profile", |rng| look(&by_ball(wrong, &start, balls, rng)))
                .with("bulk", |rng| look(&in_bulk(wrong, &start, balls, rng)))
        }
        let both = (rule, wrong);
        samples(both, (64, 193, RUNS), Outcome::max_empty_mean).assert_told_apart(name);
        samples(both, (64, 193, RUNS), Outcome::last_rise_and_all_time_gap).assert_told_apart(name);
        let look = |outcome: &Outcome| [2, 3, 4].map(|load| outcome.count(load) / 16);
        samples(both, (1 << 14, 3 << 14, RUNS_OF_MANY_BINS), look).assert_told_apart(name);
    }
    let beta = |beta| OnePlusBeta::new(beta).unwrap();
    // Few bins, against the exact law.
    let law = level_counts(&sorted_chain(4, 13, |_| one_plus_beta(4, &ratio(1, 2), 2)));
    counted(&beta(0.5), &empty(4), 13).assert_follow("(1+1/2)", &law);
    counted(&beta(0.4), &empty(4), 13).assert_rejects("(1+0.4) as (1+1/2)", &law);
    check("two-choice and (1+0.9)", &DChoice::two(), &beta(0.9));
    check("(1+0.5) and (1+0.4)", &beta(0.5), &beta(0.4));
    check("mean-thinning and two-choice", &MeanThinning, &DChoice::two());
    let quantile = |delta| ByRanks(Quantile::new(delta).unwrap());
    check("quantile 1/2 and 7/16", &quantile(0.5), &quantile(0.4375));
    check("k-quantile and two-choice", &ByRanks(KQuantile::new(&[0.25, 0.5]).unwrap()), &DChoice::two());
}

/// A run in bulk ends at the ball asked for, whatever lengths its batches have.
#[test]
fn bulk_stops_at_the_ball_asked_for() {
    for (name, rule, _) in bulk_rules() {
        let mut rng = rng_for_trial(SEED, 0);
        for bins in [1, 2, 3, 10, 1000, 1 << 20] {
            let mut loads = LoadProfile::new(bins).unwrap();
            loads.record_maximum();
            let mut thrown = 0;
            for balls in (0..100).chain([997, 1000, 1001, 3007]) {
                rule.in_bulk(&mut loads, balls, &mut rng);
                thrown += balls;
                let counts = loads.level_counts();
                assert_eq!(counts.iter().map(|level| level.1).sum::<u64>(), bins, "{name}, n = {bins}");
                assert_eq!(counts.iter().map(|level| level.0 * level.1).sum::<u64>(), thrown, "{name}, n = {bins}");
                assert_eq!((loads.total(), loads.bins()), (thrown, bins), "{name}");
                let record = loads.max_load_record().unwrap();
                assert_eq!((record.balls(), record.max_count(thrown)), (thrown, Ok(loads.max_load())), "{name}");
            }
        }
    }
}

/// `E|Y − Y'|` for the loads of two independent uniform bins.
fn mean_distance(loads: &LoadProfile) -> f64 {
    let counts = loads.level_counts();
    let pairs = counts.iter().flat_map(|a| counts.iter().map(move |b| a.0.abs_diff(b.0) * a.1 * b.1));
    pairs.sum::<u64>() as f64 / (loads.bins() as f64).powi(2)
}

/// `Σ|y_i|`.
fn sum_of_distances(loads: &LoadProfile) -> f64 {
    let average = loads.average();
    loads.level_counts().iter().map(|&(load, count)| count as f64 * (load as f64 - average).abs()).sum()
}

/// In the stationary state `E[ΔΥ] = 0`, with `Υ = Σ y_i²`, gives for every `n` exactly:
/// `E|Y − Y'| = (1 − 1/n)/β` for (1+β), Two-Choice being `β = 1`, and `E Σ|y_i| = n − 1` for Mean-Thinning.
/// Means of independent runs, each over 100 times, at all remainders of the ball number by `n`: 3 rules, 2
/// numbers of bins, by ball and in bulk, 12 tests, each with a rule one parameter away, which must be
/// rejected, as must be the identity without the `1/n`.
#[test]
fn stationary_identities_hold() {
    fn check(name: &str, [rule, wrong]: [&dyn Engines; 2], quantity: fn(&LoadProfile) -> f64, exact: fn(f64) -> f64) {
        // The steps between two looks have no common divisor with the number of bins.
        for (bins, runs, between) in [(5, 2000, 3), (50, 1000, 37)] {
            for in_bulk in [false, true] {
                let right = average(rule, (bins, runs, between), in_bulk, quantity);
                let name = format!("{name}, n = {bins}, in bulk: {in_bulk}, {right:?}");
                let identity = exact(bins as f64);
                right.agrees(Mean::exact(identity)).assert_fits(&name, SEED);
                let without = identity / (1.0 - 1.0 / bins as f64);
                right.agrees(Mean::exact(without)).assert_rejects(&name, SEED);
            }
            let near = average(wrong, (bins, runs, between), false, quantity);
            near.agrees(Mean::exact(exact(bins as f64))).assert_rejects(&format!("{name}, n = {bins}"), SEED);
        }
    }
    fn average(
        rule: &dyn Engines,
        (bins, runs, between): (u64, u64, u64),
        in_bulk: bool,
        quantity: fn(&LoadProfile) -> f64,
    ) -> Mean {
        let run = |loads: &mut LoadProfile, balls, rng: &mut TrialRng| {
            if in_bulk {
                rule.in_bulk(loads, balls, rng);
            } else {
                rule.by_ball(loads, balls, rng);
            }
        };
        Mean::of((0..runs).map(|trial| {
            let (mut loads, mut rng) = (LoadProfile::new(bins).unwrap(), rng_for_trial(SEED, trial));
            run(&mut loads, 100 * bins, &mut rng);
            let sum: f64 = (0..100)
                .map(|_| {
                    run(&mut loads, between, &mut rng);
                    quantity(&loads)
                })
                .sum();
            sum / 100.0
        }))
    }
    let beta = |beta| OnePlusBeta::new(beta).unwrap();
    let above = |f| RelativeThreshold::new(f).unwrap();
    check("two-choice", [&DChoice::two(), &beta(0.9)], mean_distance, |n| 1.0 - 1.0 / n);
    check("(1+1/2)", [&beta(0.5), &beta(0.55)], mean_distance, |n| 2.0 * (1.0 - 1.0 / n));
    check("mean-thinning", [&MeanThinning, &above(0.5)], sum_of_distances, |n| n - 1.0);
}
