//! Two-Choice with noise: exactly on small systems, the normal law, stationary identities, and parameters at
//! which a rule is a simpler one.

use std::collections::BTreeMap;

use bb_processes::bb_core::{
    Allocator, Bins, Description, LoadProfile, LoadVector, Metrics, Mix, Rng, TrialRng, rng_for_trial,
};
use bb_processes::{DChoice, GAdvComp, GBounded, GMyopic, OneChoice, OnePlusBeta, RhoNoisy, SigmaNoisyLoad};
use bb_testkit::BigRational;
use bb_testkit::engines::Samples;
use bb_testkit::exact::{Law, chain, ratio};
use bb_testkit::ranks::{comparison, g_myopic};
use bb_testkit::stats::Mean;
use bb_testkit::twin::{self, ScriptedBins};
use statrs::distribution::{ContinuousCDF, Normal};

use crate::table::assert_rows;

const SEED: u64 = 70;

/// Loads without order.
const STARTS: [&[u64]; 4] = [&[0, 0, 0], &[3, 0, 1], &[1, 4, 1, 0], &[0, 7]];

fn g_bounded(loads: &[u64], g: u64) -> Vec<BigRational> {
    comparison(loads, |difference| ratio(u64::from(difference > g), 1))
}

/// The exact law of the loads of labelled bins.
pub(crate) fn labelled_chain(start: &[u64], balls: u64, vector: impl Fn(&[u64]) -> Vec<BigRational>) -> Law<Vec<u64>> {
    chain(start.to_vec(), balls, |loads| {
        let with_ball = |bin: usize| {
            let mut loads = loads.clone();
            loads[bin] += 1;
            loads
        };
        vector(loads).into_iter().enumerate().map(|(bin, probability)| (probability, with_ball(bin))).collect()
    })
}

/// The real rule on all its outcomes has the law of this allocation vector, and not that of a neighbour.
fn check<A>(
    name: &str,
    rule: A,
    coins: &[BigRational],
    right: impl Fn(&[u64]) -> Vec<BigRational>,
    wrong: impl Fn(&[u64]) -> Vec<BigRational>,
) where
    A: Allocator<ScriptedBins> + Clone,
{
    let mut differ = false;
    for start in STARTS {
        let law = twin::law(&rule, start, 5, coins);
        assert_eq!(law, labelled_chain(start, 5, &right), "{name}, {start:?}");
        differ |= law != labelled_chain(start, 5, &wrong);
    }
    assert!(differ, "{name} is not told apart");
}

#[test]
fn every_rule_on_all_its_outcomes_has_its_law() {
    let half = [ratio(1, 2)];
    for g in [0, 1, 2, 4] {
        check("g-bounded", GBounded::new(g), &[], |x| g_bounded(x, g), |x| g_bounded(x, g + 1));
        check("g-myopic", GMyopic::new(g), &half, |x| g_myopic(x, g), |x| g_myopic(x, g + 1));
    }
    let quarters = |level: u64| move |difference: u64| if difference < level { ratio(3, 4) } else { ratio(1, 1) };
    let rule = RhoNoisy::new(|difference| if difference < 3 { 0.75 } else { 1.0 }).unwrap();
    check("rho", rule, &[ratio(3, 4)], |x| comparison(x, quarters(3)), |x| comparison(x, quarters(4)));
    let never = RhoNoisy::new(|difference| f64::from(difference >= 2)).unwrap();
    check("rho of 0 and 1", never, &[], |x| g_bounded(x, 1), |x| g_bounded(x, 2));
    let greedy =
        |loads: &ScriptedBins, [first, second]: [usize; 2], _: &mut dyn Rng| loads.load(second) > loads.load(first);
    check("the greedy adversary", GAdvComp::new(2, greedy), &[], |x| g_bounded(x, 2), |x| g_bounded(x, 1));
    let oblivious = |_: &ScriptedBins, _: [usize; 2], rng: &mut dyn Rng| rng.next_u64() >> 63 == 0;
    check("the oblivious adversary", GAdvComp::new(2, oblivious), &half, |x| g_myopic(x, 2), |x| g_myopic(x, 1));
}

/// An adversary may look at anything, here at the names of the bins.
#[test]
fn an_adversary_decides_ties_and_sees_the_bins() {
    let least = |_: &ScriptedBins, [first, second]: [usize; 2], _: &mut dyn Rng| second < first;
    let law = twin::law(&GAdvComp::new(0, least), &[2, 2, 5], 1, &[]);
    // Of the nine pairs three of bins 0 and 1 go to bin 0, and each of the two wins against bin 2, which is
    // left with itself.
    assert_eq!(law.probability(&vec![3, 2, 5]), ratio(5, 9));
    assert_eq!(law.probability(&vec![2, 3, 5]), ratio(3, 9));
    assert_eq!(law.probability(&vec![2, 2, 6]), ratio(1, 9));
}

#[test]
fn the_table_of_small_systems() {
    let empty = |bins| vec![0; bins as usize];
    let half = [ratio(1, 2)];
    assert_rows("g-bounded g=1 with replacement", |bins, balls| twin::law(&GBounded::new(1), &empty(bins), balls, &[]));
    assert_rows("g-myopic g=1 with replacement", |bins, balls| twin::law(&GMyopic::new(1), &empty(bins), balls, &half));
    let gap = |law: Law<Vec<u64>>| law.mean_gap();
    assert_eq!(gap(twin::law(&GBounded::new(1), &[0; 4], 8, &[])), ratio(181_137_429, 134_217_728));
    assert_eq!(gap(twin::law(&GMyopic::new(1), &[0; 4], 8, &half)), ratio(37_827_057, 33_554_432));
}

/// What the loads and the generator are after a run.
fn path<A: Allocator>(mut rule: A) -> (LoadVector, u64) {
    let (mut loads, mut rng) = (LoadVector::new(30).unwrap(), rng_for_trial(SEED, 0));
    rule.run(&mut loads, 5000, &mut rng);
    (loads, rng.next_u64())
}

#[test]
fn no_noise_is_two_choice_draw_for_draw() {
    let two = path(DChoice::two());
    assert_eq!(path(GBounded::new(0)), two);
    assert_eq!(path(GMyopic::new(0)), two);
    for sigma in [0.0, f64::from_bits(1), 0.05] {
        assert_eq!(path(SigmaNoisyLoad::new(sigma).unwrap()), two, "{sigma}");
    }
    assert_eq!(path(RhoNoisy::new(|_| 1.0).unwrap()), two);
    let nobody = |_: &LoadVector, _: [usize; 2], _: &mut dyn Rng| false;
    assert_eq!(path(GAdvComp::new(0, nobody)), two);
    assert_ne!(path(GBounded::new(1)), two);
    assert_ne!(path(SigmaNoisyLoad::new(0.5).unwrap()), two);
}

/// An adversary from outside takes the bins of the rules that stand for one, ball by ball.
#[test]
fn adversaries_are_the_rules_draw_for_draw() {
    let greedy =
        |loads: &LoadVector, [first, second]: [usize; 2], _: &mut dyn Rng| loads.load(second) > loads.load(first);
    assert_eq!(path(GAdvComp::new(3, greedy)), path(GBounded::new(3)));
    let coin = |loads: &LoadVector, [first, second]: [usize; 2], rng: &mut dyn Rng| {
        let (first, second) = (loads.load(first), loads.load(second));
        first != second && (rng.next_u64() >> 63 == 0) == (second > first)
    };
    assert_eq!(path(GAdvComp::new(3, coin)), path(GMyopic::new(3)));
}

#[test]
fn noise_without_end_is_a_simpler_rule() {
    let (start, half) = ([2, 0, 0], [ratio(1, 2)]);
    let one = twin::law(&OneChoice, &start, 6, &[]);
    assert_eq!(twin::law(&GMyopic::new(u64::MAX), &start, 6, &half), one);
    assert_eq!(twin::law(&RhoNoisy::new(|_| 0.5).unwrap(), &start, 6, &half), one);
    // ρ = (1 + β)/2 is (1+β).
    let beta = twin::law(&OnePlusBeta::new(0.5).unwrap(), &start, 6, &half);
    assert_eq!(twin::law(&RhoNoisy::new(|_| 0.75).unwrap(), &start, 6, &[ratio(3, 4)]), beta);
    // The heavier of two: F(u) = 2u − u² for the fraction u of the heaviest bins.
    let loads = [9, 5, 2, 0];
    let heavier = twin::law(&GBounded::new(u64::MAX), &loads, 1, &[]);
    for rank in 0..4 {
        let mut after = loads.to_vec();
        after[rank] += 1;
        assert_eq!(heavier.probability(&after), ratio(7 - 2 * rank as u64, 16));
    }
    // Noise beyond all differences.
    let (mut loads, mut rng) = (LoadProfile::new(100).unwrap(), rng_for_trial(SEED, 1));
    loads.run_bulk(&SigmaNoisyLoad::new(f64::MAX).unwrap(), 100_000, &mut rng);
    assert!(loads.gap() > 40.0, "One-Choice has 80 on average: {}", loads.gap());
}

/// The probability that the heavier wins is that of the normal law, by another implementation of it.
#[test]
fn the_coin_of_the_noise_is_normal() {
    let mut coins = 0;
    for sigma in [0.3, 1.0, 2.5, 16.0, 300.0] {
        let rule = SigmaNoisyLoad::new(sigma).unwrap();
        let reports = Normal::new(0.0, sigma * 2_f64.sqrt()).unwrap();
        for difference in (1..40).chain([100, 511, 512, 513, 5000]) {
            let wrong = reports.sf(difference as f64);
            for (first, second) in [(7, 7 + difference), (7 + difference, 7)] {
                match rule.judge(&(), true, first, second) {
                    Mix::Sure(look) => {
                        assert!(wrong < 1.1e-19, "{sigma} {difference}");
                        assert_eq!((look.keep, look.go), (second < first, None));
                    }
                    Mix::Coin { coin, heads, tails } => {
                        coins += 1;
                        assert!(
                            (coin.probability() / wrong - 1.0).abs() < 1e-9,
                            "{sigma} {difference}: {coin:?} {wrong}"
                        );
                        assert_eq!((heads.keep, heads.go), (second > first, None));
                        assert_eq!((tails.keep, tails.go), (second < first, None));
                    }
                }
            }
        }
        assert!(matches!(rule.judge(&(), true, 5, 5), Mix::Sure(look) if !look.keep));
    }
    assert!(coins > 200);
}

/// The law of the sorted loads in floating point, by the definition.
fn sorted_law(bins: usize, balls: u64, rho: impl Fn(u64) -> f64) -> BTreeMap<Vec<u64>, f64> {
    let mut law = BTreeMap::from([(vec![0_u64; bins], 1.0)]);
    for _ in 0..balls {
        let mut next = BTreeMap::new();
        for (loads, probability) in law {
            for (i, j) in (0..bins).flat_map(|i| (0..bins).map(move |j| (i, j))) {
                let (light, heavy) = if loads[i] < loads[j] { (i, j) } else { (j, i) };
                let right = rho(loads[i].abs_diff(loads[j]));
                for (bin, share) in [(light, right), (heavy, 1.0 - right)] {
                    let mut loads = loads.clone();
                    loads[bin] += 1;
                    loads.sort_unstable_by(|a, b| b.cmp(a));
                    *next.entry(loads).or_insert(0.0) += probability * share / (bins * bins) as f64;
                }
            }
        }
        law = next;
    }
    law
}

/// All engines in one test.
#[test]
fn normal_noise_follows_the_exact_law_on_every_engine() {
    let (bins, balls) = (4, 9);
    let samples = |sigma: f64| {
        let rule = SigmaNoisyLoad::new(sigma).unwrap();
        let sorted = |counts: Vec<(u64, u64)>| -> [Vec<u64>; 1] {
            [counts.iter().rev().flat_map(|&(load, bins)| (0..bins).map(move |_| load)).collect()]
        };
        Samples::new(SEED, 100_000)
            .with("vector", |rng| {
                let mut loads = LoadVector::new(bins).unwrap();
                rule.clone().run(&mut loads, balls, rng);
                sorted(loads.level_counts())
            })
            .with("profile", |rng| {
                let mut loads = LoadProfile::new(bins).unwrap();
                rule.clone().run(&mut loads, balls, rng);
                sorted(loads.level_counts())
            })
            .with("bulk", |rng| {
                let mut loads = LoadProfile::new(bins).unwrap();
                loads.run_bulk(&rule, balls, rng);
                sorted(loads.level_counts())
            })
    };
    let reports = Normal::new(0.0, 1.5 * 2_f64.sqrt()).unwrap();
    let law = sorted_law(bins as usize, balls, |difference| reports.cdf(difference as f64));
    samples(1.5).assert_follow("sigma = 1.5", &law);
    samples(1.65).assert_rejects("sigma = 1.65 as 1.5", &law);
}

/// `E f(δ)` for the difference `δ` of the loads of two independent uniform bins.
fn mean_of_difference(loads: &LoadProfile, f: impl Fn(u64) -> f64) -> f64 {
    let counts = loads.level_counts();
    let pairs = counts.iter().flat_map(|a| counts.iter().map(move |b| (a.0.abs_diff(b.0), (a.1 * b.1) as f64)));
    pairs.map(|(difference, pairs)| pairs * f(difference)).sum::<f64>() / (loads.bins() as f64).powi(2)
}

/// In the stationary state `E[(2ρ(δ) − 1)·δ] = 1 − 1/n` exactly, for every `n`: the drift of `Σ y_i²`
/// vanishes. Means of independent runs, each over 100 times at all remainders of the ball number by `n`. 3
/// rules, 2 numbers of bins, by ball and in bulk: 12 tests, each with the identity of a rule one parameter
/// away, which must be rejected.
#[test]
fn stationary_identities_hold() {
    fn check<P>(name: &str, rule: &P, rho: impl Fn(u64) -> f64, other: impl Fn(u64) -> f64)
    where
        P: Description + Allocator<LoadProfile> + Clone,
    {
        for (bins, runs, between) in [(5, 2000, 3), (50, 300, 37)] {
            for in_bulk in [false, true] {
                let run = |loads: &mut LoadProfile, balls, rng: &mut TrialRng| {
                    if in_bulk {
                        loads.run_bulk(rule, balls, rng);
                    } else {
                        rule.clone().run(loads, balls, rng);
                    }
                };
                let identity = |rho: &dyn Fn(u64) -> f64, loads: &LoadProfile| {
                    mean_of_difference(loads, |difference| (2.0 * rho(difference) - 1.0) * difference as f64)
                };
                let mut means = [Vec::new(), Vec::new()];
                for trial in 0..runs {
                    let (mut loads, mut rng) = (LoadProfile::new(bins).unwrap(), rng_for_trial(SEED, trial));
                    run(&mut loads, 200 * bins, &mut rng);
                    let mut sums = [0.0; 2];
                    for _ in 0..100 {
                        run(&mut loads, between, &mut rng);
                        sums[0] += identity(&rho, &loads);
                        sums[1] += identity(&other, &loads);
                    }
                    means.iter_mut().zip(sums).for_each(|(means, sum)| means.push(sum / 100.0));
                }
                let exact = Mean::exact(1.0 - 1.0 / bins as f64);
                let [right, wrong] = means.map(Mean::of);
                let name = format!("{name}, n = {bins}, in bulk: {in_bulk}, {right:?} {wrong:?}");
                right.agrees(exact).assert_fits(&name, SEED);
                wrong.agrees(exact).assert_rejects(&name, SEED);
            }
        }
    }
    let bounded = |g: u64| move |difference: u64| f64::from(difference > g);
    let myopic = |g: u64| move |difference: u64| if difference > g { 1.0 } else { 0.5 };
    let normal = |sigma: f64| {
        let reports = Normal::new(0.0, sigma * 2_f64.sqrt()).unwrap();
        move |difference: u64| reports.cdf(difference as f64)
    };
    check("g-bounded 1", &GBounded::new(1), bounded(1), bounded(2));
    check("g-myopic 2", &GMyopic::new(2), myopic(2), myopic(1));
    check("sigma 2", &SigmaNoisyLoad::new(2.0).unwrap(), normal(2.0), normal(2.1));
}

#[test]
fn bad_parameters_are_refused() {
    for sigma in [-1.0, -f64::MIN_POSITIVE, f64::INFINITY, f64::NAN] {
        let error = SigmaNoisyLoad::new(sigma).unwrap_err();
        assert_eq!(error.to_string(), format!("sigma = {sigma:?} is outside the finite numbers from 0"));
    }
    assert!(SigmaNoisyLoad::new(-0.0).is_ok());
    let refused = |rho: fn(u64) -> f64| RhoNoisy::new(rho).unwrap_err().to_string();
    assert_eq!(refused(|_| 1.5), "rho = 1.5 at 1 is outside [0, 1]");
    assert_eq!(refused(|_| -0.5), "rho = -0.5 at 1 is outside [0, 1]");
    assert_eq!(refused(|_| f64::NAN), "rho = NaN at 1 is outside [0, 1]");
    assert_eq!(refused(|d| if d < 1024 { 0.5 } else { 0.25 }), "rho = 0.25 at 1024 is outside [0.5, 1]");
    assert_eq!(
        refused(|d| if d < 1 << 63 { 0.5 } else { 2.0 }),
        "rho = 2.0 at 9223372036854775808 is outside [0.5, 1]"
    );
}

/// What cannot be checked beforehand is read as the documentation says, and never panics.
#[test]
fn unchecked_values_of_rho_are_clamped() {
    let with = |value: f64| {
        let rule = RhoNoisy::new(move |difference| if difference == 1500 { value } else { 1.0 }).unwrap();
        let Mix::Sure(look) = rule.judge(&(), true, 0, 1500) else { panic!("{value} takes a coin") };
        look.keep
    };
    assert!(!with(1.0) && !with(7.0));
    assert!(with(0.0) && with(-3.0) && with(f64::NAN));
}
