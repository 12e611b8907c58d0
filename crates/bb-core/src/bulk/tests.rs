//! Batches of given lengths, far longer than `run_bulk` would take, against exact laws of small systems.
//!
//! Statistical tests have fixed seeds and a false-alarm rate of 1e-6 each, 2.3e-4 in all. Wrong treatments of
//! repeated bins must fail the same tests.

use std::collections::BTreeMap;

use bb_testkit::BigRational;
use bb_testkit::batches::{self, by_judgement, chain_with_rises, number_of_repeats, repeats};
use bb_testkit::ranks::sorted_chain;
use bb_testkit::stats::{Verdict, goodness_of_fit, same_law, tally};
use rand::RngExt;

use super::{Bulk, least_of_subset};
use crate::bins::Bins;
use crate::description::{Description, Judgement};
use crate::load_profile::LoadProfile;
use crate::load_vector::LoadVector;
use crate::metrics::Metrics;
use crate::mix::Mix;
use crate::place::Place;
use crate::seeds::{TrialRng, rng_for_trial};
use bb_samplers::{Coin, DistinctSampler};

const SEED: u64 = 30;
const RUNS: u64 = 40_000;

/// Every way in which a description can use samples, kept ones, coins and phases.
#[derive(Clone, Copy, Debug)]
enum Rule {
    /// The least loaded of `d`, or the first if the coin says so. Without a coin it can take the `short` way.
    LeastOf { d: u32, coin: Option<Coin>, short: bool },
    /// The first of `d` below a level, which bins at the level pass if the coin says so. Without `keep` no
    /// bin is ever kept.
    Below { level: u64, d: u32, coin: Option<Coin>, keep: bool },
    /// The first of `d` below the mean.
    BelowMean { d: u32 },
}

/// A coin whose probability is a whole number of eighths.
fn eighths(eighths: u8) -> Option<Coin> {
    Some(Coin::new("p", f64::from(eighths) / 8.0).unwrap())
}

fn rules() -> [Rule; 9] {
    [
        Rule::LeastOf { d: 1, coin: None, short: true },
        Rule::LeastOf { d: 2, coin: None, short: true },
        Rule::LeastOf { d: 2, coin: None, short: false },
        Rule::LeastOf { d: 6, coin: None, short: true },
        Rule::LeastOf { d: 3, coin: eighths(3), short: false },
        Rule::Below { level: 1, d: 2, coin: None, keep: true },
        Rule::Below { level: 1, d: 4, coin: eighths(5), keep: true },
        Rule::Below { level: 2, d: 3, coin: eighths(2), keep: false },
        Rule::BelowMean { d: 2 },
    ]
}

impl Description for Rule {
    /// Bins after this one.
    type State = u32;
    /// The level, if there is one.
    type Phase = u64;

    fn most_samples(&self) -> u32 {
        match *self {
            Self::LeastOf { d, .. } | Self::Below { d, .. } | Self::BelowMean { d } => d,
        }
    }

    fn phase(&self, total: u64, bins: u64) -> (u64, u64) {
        match *self {
            Self::LeastOf { .. } => (0, u64::MAX),
            Self::Below { level, .. } => (level, u64::MAX),
            Self::BelowMean { .. } => (total.div_ceil(bins), total.div_ceil(bins) * bins + 1),
        }
    }

    fn first(&self, _: &u64) -> Mix<u32> {
        match *self {
            Self::LeastOf { d, coin: Some(coin), .. } => Mix::Coin { coin, heads: d - 1, tails: 0 },
            _ => Mix::Sure(self.most_samples() - 1),
        }
    }

    fn judge(&self, level: &u64, left: u32, kept: u64, load: u64) -> Mix<Judgement<u32>> {
        let go = left.checked_sub(1);
        let (keep, coin) = match *self {
            Self::LeastOf { .. } => return Mix::Sure(Judgement { keep: load < kept, go }),
            Self::Below { coin, keep, .. } => (keep, coin),
            Self::BelowMean { .. } => (true, None),
        };
        let (accept, refuse) = (Judgement { keep, go: None }, Judgement { keep, go });
        match coin {
            Some(coin) if load == *level => Mix::Coin { coin, heads: accept, tails: refuse },
            _ => Mix::Sure(if load < *level { accept } else { refuse }),
        }
    }

    fn least_of(&self) -> Option<u32> {
        matches!(self, Self::LeastOf { short: true, .. }).then(|| self.most_samples())
    }
}

/// The probability of each bin, by trying all samples and all sides of the coins.
fn vector(rule: &Rule, loads: &[u64]) -> Vec<BigRational> {
    /// The outcomes, in eighths.
    fn sides<T>(mix: Mix<T>) -> Vec<(u64, T)> {
        match mix {
            Mix::Sure(outcome) => vec![(8, outcome)],
            Mix::Coin { coin, heads, tails } => {
                let on_heads = (8.0 * coin.probability()) as u64;
                vec![(on_heads, heads), (8 - on_heads, tails)]
            }
        }
    }
    let (level, _) = rule.phase(loads.iter().sum(), loads.len() as u64);
    let judge = |state, kept, load| {
        let all = sides(rule.judge(&level, state, kept, load)).into_iter();
        all.map(|(side, Judgement { keep, go })| (side, keep, go)).collect()
    };
    by_judgement(loads, rule.most_samples(), &sides(rule.first(&level)), judge)
}

/// What may be done to a batch between finding the repeats and playing it.
type Spoil = fn(&mut Bulk<u32>);

fn as_it_is(_: &mut Bulk<u32>) {}

/// Balls thrown into empty bins, in batches of given lengths.
struct Play {
    bulk: Bulk<u32>,
    total: u64,
    /// (ball, new maximum)
    rises: Vec<(u64, u64)>,
}

impl Play {
    fn new(bins: u64) -> Self {
        Self { bulk: Bulk::new(bins, 0, vec![bins]), total: 0, rises: Vec::new() }
    }

    /// One batch, shorter where a phase ends.
    fn batch(&mut self, rule: &Rule, longest: u64, spoil: Spoil, rng: &mut TrialRng) {
        let (phase, until) = rule.phase(self.total, self.bulk.bins);
        let balls = longest.min(until - self.total);
        self.bulk.find_repeats(u64::from(rule.most_samples()) * balls, rng);
        spoil(&mut self.bulk);
        self.bulk.play(rule, &phase, balls, rng);
        self.rises.extend(self.bulk.rises.iter().map(|&(ball, max)| (self.total + ball + 1, max)));
        self.total += balls;
    }

    fn run(rule: &Rule, bins: u64, balls: u64, batch: u64, spoil: Spoil, rng: &mut TrialRng) -> Self {
        let mut play = Self::new(bins);
        while play.total < balls {
            play.batch(rule, batch.min(balls - play.total), spoil, rng);
        }
        play
    }

    fn levels(&self) -> impl DoubleEndedIterator<Item = (u64, u64)> {
        (self.bulk.lowest..).zip(self.bulk.counts.clone()).collect::<Vec<_>>().into_iter()
    }

    /// The loads, by decreasing load.
    fn sorted(&self) -> Vec<u64> {
        self.levels().rev().flat_map(|(load, count)| (0..count).map(move |_| load)).collect()
    }
}

/// After every batch: `n` bins, `m` balls, no empty level at either end, and rises of the maximum that lead
/// from one maximum to the next.
#[test]
fn bins_balls_and_rises_are_conserved() {
    let mut rng = rng_for_trial(SEED, 0);
    for bins in [1, 2, 3, 4, 7, 50, 1000, 1 << 20, 1 << 45] {
        for rule in rules() {
            for longest in [1, 2, 10, 300] {
                let mut play = Play::new(bins);
                for _ in 0..30 {
                    let (before, max) = (play.total, play.bulk.top());
                    let known = play.rises.len();
                    play.batch(&rule, rng.random_range(1..=longest), as_it_is, &mut rng);
                    let context = format!("{rule:?}, n = {bins}, after ball {}", play.total);
                    assert_eq!(play.levels().map(|(_, count)| count).sum::<u64>(), bins, "{context}");
                    assert_eq!(play.levels().map(|(load, count)| load * count).sum::<u64>(), play.total, "{context}");
                    assert!(play.bulk.counts[0] > 0 && *play.bulk.counts.last().unwrap() > 0, "{context}");
                    let rises = &play.rises[known..];
                    assert!(rises.iter().map(|rise| rise.1).eq(max + 1..=play.bulk.top()), "{context}: {rises:?}");
                    assert!(rises.is_sorted_by(|a, b| a.0 < b.0), "{context}: {rises:?}");
                    assert!(rises.iter().all(|rise| (before + 1..=play.total).contains(&rise.0)), "{context}");
                }
            }
        }
    }
}

/// Which slots share a bin, against all sequences of bins: 7 tests, and 2 wrong laws.
#[test]
fn repeats_are_those_of_independent_slots() {
    fn test(bins: u64, slots: u32, law: &BTreeMap<Vec<(u64, u64)>, f64>) -> Verdict {
        let mut rng = rng_for_trial(SEED, bins);
        let mut bulk = Bulk::<()>::new(bins, 0, vec![bins]);
        let found = (0..4 * RUNS).map(|_| {
            bulk.find_repeats(u64::from(slots), &mut rng);
            bulk.repeats.clone()
        });
        goodness_of_fit(&tally(found), law)
    }
    for (bins, slots) in [(1, 3), (2, 2), (2, 7), (3, 6), (4, 5), (6, 6), (20, 4)] {
        test(bins, slots, &repeats(bins, slots)).assert_fits(&format!("{slots} slots of {bins} bins"), SEED);
    }
    test(20, 4, &repeats(19, 4)).assert_rejects("4 slots of 20 bins as of 19", SEED);
    test(6, 6, &repeats(7, 6)).assert_rejects("6 slots of 6 bins as of 7", SEED);
}

/// Many bins: the number of repeats, from the chain of the number of distinct bins. 1 test, and a wrong
/// number of slots.
#[test]
fn the_number_of_repeats_is_right() {
    let bins = 10_000;
    let mut rng = rng_for_trial(SEED, 0);
    let mut bulk = Bulk::<()>::new(bins, 0, vec![bins]);
    let counts = tally((0..RUNS).map(|_| {
        bulk.find_repeats(400, &mut rng);
        bulk.repeats.len()
    }));
    goodness_of_fit(&counts, &number_of_repeats(bins, 400)).assert_fits("400 slots", SEED);
    goodness_of_fit(&counts, &number_of_repeats(bins, 396)).assert_rejects("400 slots as 396", SEED);
}

/// The law of the sorted loads after `2n + 1` balls.
fn law_of_loads(rule: &Rule, bins: u64) -> BTreeMap<Vec<u64>, f64> {
    sorted_chain(bins, 2 * bins + 1, |loads| vector(rule, loads)).to_f64()
}

/// Many runs in batches of this length against it.
fn loads(rule: &Rule, bins: u64, batch: u64, spoil: Spoil, law: &BTreeMap<Vec<u64>, f64>) -> Verdict {
    let mut rng = rng_for_trial(SEED, bins);
    let sorted = (0..RUNS).map(|_| Play::run(rule, bins, 2 * bins + 1, batch, spoil, &mut rng).sorted());
    goodness_of_fit(&tally(sorted), law)
}

/// 9 rules, 3 numbers of bins, 3 lengths, also with far more slots than bins: 81 tests.
#[test]
fn batches_of_any_length_follow_the_exact_law() {
    for rule in rules() {
        for bins in [2, 4, 5] {
            let law = law_of_loads(&rule, bins);
            for batch in [2, bins + 1, 2 * bins + 1] {
                let name = format!("{rule:?}, n = {bins}, b = {batch}");
                loads(&rule, bins, batch, as_it_is, &law).assert_fits(&name, SEED);
            }
        }
    }
}

/// Wrong treatments of the repeats: each fails the test above, for every rule with so few slots that `b ≥ 2`
/// balls find enough bins.
#[test]
fn wrongly_treated_repeats_are_noticed() {
    let ignored: Spoil = |bulk| bulk.repeats.clear();
    let level_forgotten: Spoil = |bulk| bulk.repeats.iter_mut().for_each(|repeat| repeat.1 = repeat.0);
    let always_the_first_bin: Spoil = |bulk| bulk.repeats.iter_mut().for_each(|repeat| repeat.1 = 0);
    let mut noticed = 0;
    for rule in rules() {
        for bins in [4, 5] {
            let batch = bins / u64::from(rule.most_samples());
            if batch < 2 {
                continue;
            }
            let law = law_of_loads(&rule, bins);
            for (name, wrong) in [("ignored", ignored), ("forgotten", level_forgotten), ("first", always_the_first_bin)]
            {
                loads(&rule, bins, batch, wrong, &law).assert_rejects(&format!("{rule:?}, n = {bins}, {name}"), SEED);
                noticed += 1;
            }
        }
    }
    assert_eq!(noticed, 30);
}

/// The law of the balls that raise the maximum among `2n`, from the chain of loads and rises.
fn law_of_rises(rule: &Rule, bins: u64) -> BTreeMap<Vec<u64>, f64> {
    let law = chain_with_rises(&vec![0; bins as usize], 2 * bins, |loads| vector(rule, loads));
    law.map(|(_, rises)| rises.clone()).to_f64()
}

/// Many runs in batches of this length against it, with the balls as `time` tells them.
fn rises(rule: &Rule, bins: u64, batch: u64, time: fn(u64, u64) -> u64, law: &BTreeMap<Vec<u64>, f64>) -> Verdict {
    let mut rng = rng_for_trial(SEED, bins);
    let times = (0..RUNS).map(|_| {
        let play = Play::run(rule, bins, 2 * bins, batch, as_it_is, &mut rng);
        let mut times: Vec<u64> = play.rises.iter().map(|&(ball, _)| time(ball, batch)).collect();
        times.sort_unstable();
        times
    });
    goodness_of_fit(&tally(times), law)
}

/// 9 rules, 2 numbers of bins, 3 lengths: 54 tests. Times reversed within a batch, which would leave the law
/// of the loads alone, fail.
#[test]
fn the_maximum_rises_at_the_right_balls() {
    let reversed = |ball: u64, batch: u64| (ball - 1) / batch * batch + (batch - (ball - 1) % batch);
    for rule in rules() {
        for bins in [2, 4] {
            let law = law_of_rises(&rule, bins);
            for batch in [2, bins + 1, 2 * bins] {
                let name = format!("{rule:?}, n = {bins}, b = {batch}");
                rises(&rule, bins, batch, |ball, _| ball, &law).assert_fits(&name, SEED);
            }
            if bins == 4 {
                rises(&rule, 4, 4, reversed, &law).assert_rejects(&format!("{rule:?}, reversed"), SEED);
            }
        }
    }
}

/// Bins enough for hypergeometric draws, batches with few and with many repeats, against ball by ball: 9
/// rules, 3 lengths, 3 quantities, 81 tests.
#[test]
fn long_batches_agree_with_single_balls() {
    let (bins, balls) = (64, 129);
    let runs = 3000;
    for rule in rules() {
        let mut rng = rng_for_trial(SEED, 0);
        let quantities = |max: u64, counts: &BTreeMap<u64, u64>| {
            let count = |load| counts.get(load).copied().unwrap_or(0);
            [count(&0), count(&2), max]
        };
        let vectors: Vec<_> = (0..runs)
            .map(|_| {
                let mut loads = LoadVector::new(bins).unwrap();
                loads.throw(&rule, &(), balls, &mut rng);
                quantities(loads.max_load(), &loads.level_counts().into_iter().collect())
            })
            .collect();
        for batch in [12, 40, balls] {
            let batches: Vec<_> = (0..runs)
                .map(|_| {
                    let play = Play::run(&rule, bins, balls, batch, as_it_is, &mut rng);
                    quantities(play.bulk.top(), &play.levels().collect())
                })
                .collect();
            for (place, quantity) in ["empty bins", "bins at the mean", "maximum"].iter().enumerate() {
                let pick = |all: &[[u64; 3]]| tally(all.iter().map(|each| each[place]));
                let name = format!("{rule:?}, b = {batch}, {quantity}");
                same_law(&pick(&vectors), &pick(&batches)).assert_fits(&name, SEED);
            }
        }
    }
}

/// Both ways to draw it, against `P(least ≥ k) = C(n − k, size)/C(n, size)`: 5 tests, and a wrong size.
#[test]
fn the_least_of_a_subset_follows_its_law() {
    let sample = |n, size| {
        let mut rng = rng_for_trial(SEED, n);
        let mut distinct = DistinctSampler::default();
        tally((0..RUNS).map(|_| least_of_subset(n, size, &mut distinct, &mut rng)))
    };
    for (n, size) in [(1, 1), (10, 3), (33, 32), (34, 33), (1000, 90)] {
        goodness_of_fit(&sample(n, size), &batches::least_of_subset(n, size))
            .assert_fits(&format!("{size} of {n}"), SEED);
    }
    goodness_of_fit(&sample(1000, 90), &batches::least_of_subset(1000, 85)).assert_rejects("90 of 1000 as 85", SEED);
}

/// The length of a batch follows from the draws of the one before; one that a phase cuts short must not make
/// all later ones short.
#[test]
fn a_short_batch_is_followed_by_long_ones() {
    for rule in rules() {
        let mut play = Play::new(1 << 20);
        let mut rng = rng_for_trial(SEED, 0);
        play.batch(&rule, 1, as_it_is, &mut rng);
        for _ in 0..3 {
            play.batch(&rule, play.bulk.batch_length(rule.most_samples(), super::LONGEST_BATCH), as_it_is, &mut rng);
        }
        // √n = 1024, and even one draw a batch pays for 0.86 √n slots.
        assert!(
            play.bulk.batch_length(rule.most_samples(), super::LONGEST_BATCH) >= 800 / u64::from(rule.most_samples()),
            "{rule:?}"
        );
    }
}

/// One bin, and more samples than bins.
#[test]
fn few_bins_are_enough() {
    for rule in rules() {
        let mut profile = LoadProfile::new(1).unwrap();
        profile.record_maximum();
        profile.run_bulk(&rule, 1000, &mut rng_for_trial(SEED, 0));
        assert_eq!((profile.level_counts(), Bins::total(&profile)), (vec![(1000, 1)], 1000), "{rule:?}");
        assert_eq!(profile.max_load_record().unwrap().rises().len(), 1000, "{rule:?}");
        assert_eq!(profile.all_time_gap(), 0.0, "{rule:?}");
    }
}
