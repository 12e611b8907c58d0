//! Small systems: the table, the sorted-vector chain, the real rule on all its outcomes, and simulation, all
//! against each other.

use std::collections::{BTreeMap, BTreeSet};

use bb_processes::bb_core::{Allocator, Bins, Decision, LoadVector, Rng, StartError, rng_for_trial};
use bb_processes::{DChoice, DistinctChoice, LoadThreshold, MeanThinning, OneChoice, OnePlusBeta};
use bb_testkit::BigRational;
use bb_testkit::data::{Quantity, exact_small};
use bb_testkit::exact::{Law, ratio};
use bb_testkit::ranks::{below_mean, thinning};
use bb_testkit::stats::{goodness_of_fit, tally};
use bb_testkit::{ranks, twin};

const SEED: u64 = 1;
const RUNS: u64 = 100_000;

/// Calls a check with each process of the table: its name there, allocation vector, rule, and the coins of a
/// ball.
macro_rules! for_each_process {
    ($check:ident) => {
        $check("one-choice", |x| ranks::one_choice(n(x)), OneChoice, &[]);
        $check("two-choice with replacement", |x| ranks::d_choice(n(x), 2), DChoice::two(), &[]);
        $check("three-choice with replacement", |x| ranks::d_choice(n(x), 3), DChoice::new(3).unwrap(), &[]);
        $check(
            "two-choice without replacement",
            |x| ranks::d_choice_distinct(n(x), 2),
            DistinctChoice::new(2).unwrap(),
            &[],
        );
        $check(
            "three-choice without replacement",
            |x| ranks::d_choice_distinct(n(x), 3),
            DistinctChoice::new(3).unwrap(),
            &[],
        );
        $check(
            "one-plus-beta beta=1/2 with replacement",
            |x| ranks::one_plus_beta(n(x), &ratio(1, 2), 2),
            OnePlusBeta::new(0.5).unwrap(),
            &[ratio(1, 2)],
        );
        $check("mean-thinning", |x| thinning(x, 2, below_mean(x)), MeanThinning, &[]);
    };
}

/// An allocation vector that may depend on the loads.
type Vector = fn(&[u64]) -> Vec<BigRational>;

fn n(loads: &[u64]) -> u64 {
    loads.len() as u64
}

/// The pairs (bins, balls) for which the table has rows of this process.
fn sizes(process: &str) -> BTreeSet<(u64, u64)> {
    exact_small().iter().filter(|row| row.process == process).map(|row| (row.bins, row.steps)).collect()
}

fn chain(bins: u64, balls: u64, vector: Vector) -> Law<Vec<u64>> {
    ranks::sorted_chain(bins, balls, vector)
}

#[test]
fn the_chain_gives_every_row_of_the_table() {
    fn check(process: &str, vector: Vector, _: impl Sized, _: &[BigRational]) {
        let laws: BTreeMap<(u64, u64), Law<Vec<u64>>> =
            sizes(process).into_iter().map(|(bins, balls)| ((bins, balls), chain(bins, balls, vector))).collect();
        let mut max_probabilities = BigRational::from_integer(0.into());
        for row in exact_small().iter().filter(|row| row.process == process) {
            let law = &laws[&(row.bins, row.steps)];
            let value = match row.quantity {
                Quantity::MeanMax => law.mean_max(),
                Quantity::MeanGap => law.mean_gap(),
                Quantity::MeanMin => law.mean_min(),
                Quantity::MeanSumSqDev => law.mean_sum_sq_dev(),
                Quantity::MaxIs(max) => law.max_load().probability(&max),
                Quantity::GapIs(_) | Quantity::Gonnet => panic!("not in this table: {row:?}"),
            };
            assert_eq!(value, row.value, "{row:?}");
            if matches!(row.quantity, Quantity::MaxIs(_)) {
                max_probabilities += value;
            }
        }
        // No row is missing: the probabilities of each size sum to 1.
        assert_eq!(max_probabilities, ratio(laws.len() as u64, 1), "{process}");
        assert!(laws.len() >= 5, "{process}: {} sizes", laws.len());
    }
    for_each_process!(check);
}

/// A rule that chooses by [`Allocator::decide`].
#[derive(Clone)]
struct ByDecide<A>(A);

impl<B: Bins, A: Allocator<B>> Allocator<B> for ByDecide<A> {
    fn start(&mut self, bins: &B) -> Result<(), StartError> {
        self.0.start(bins)
    }

    fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> B::Bin {
        let Decision { bin, primary, sample } = self.0.decide(bins, rng);
        assert!(sample > 1 || bin == primary);
        bin
    }
}

#[test]
fn the_real_rule_on_all_its_outcomes_gives_the_chain() {
    fn check<A>(process: &str, vector: Vector, rule: A, coins: &[BigRational])
    where
        A: Allocator<twin::ScriptedBins> + Clone,
    {
        for (bins, balls) in sizes(process).into_iter().filter(|&(_, balls)| balls <= 10) {
            let exact = chain(bins, balls, vector);
            let empty = vec![0; bins as usize];
            assert_eq!(twin::law(&rule, &empty, balls, coins).sorted(), exact, "{process}, n = {bins}, m = {balls}");
            let by_decide = twin::law(&ByDecide(rule.clone()), &empty, balls, coins);
            assert_eq!(by_decide.sorted(), exact, "{process} by decide, n = {bins}, m = {balls}");
        }
    }
    for_each_process!(check);

    // Beyond the table: more choices, and uneven coins.
    let four = twin::law(&DChoice::new(4).unwrap(), &[0; 4], 5, &[]);
    assert_eq!(four.sorted(), chain(4, 5, |x| ranks::d_choice(n(x), 4)));
    let beta = OnePlusBeta::new(2.0 / 7.0).unwrap().with_d(3).unwrap();
    let sevenths = twin::law(&beta, &[0; 4], 5, &[ratio(2, 7)]);
    assert_eq!(sevenths.sorted(), chain(4, 5, |x| ranks::one_plus_beta(n(x), &ratio(2, 7), 3)));
}

/// The table has no row for it: the real rule on all its outcomes, by step and by decide, against the chain.
#[test]
fn load_threshold_on_all_its_outcomes_gives_the_chain() {
    fn check(level: u64, d: u32, vector: Vector) {
        let rule = LoadThreshold::new(level).unwrap().with_d(d).unwrap();
        for (bins, balls) in [(1, 4), (2, 8), (3, 7), (4, 6)] {
            let exact = chain(bins, balls, vector);
            let empty = vec![0; bins as usize];
            let name = format!("level {level}, d = {d}, n = {bins}");
            assert_eq!(twin::law(&rule, &empty, balls, &[]).sorted(), exact, "{name}");
            assert_eq!(twin::law(&ByDecide(rule), &empty, balls, &[]).sorted(), exact, "{name} by decide");
        }
    }
    check(1, 1, |x| thinning(x, 1, |load| load < 1));
    check(1, 2, |x| thinning(x, 2, |load| load < 1));
    check(2, 2, |x| thinning(x, 2, |load| load < 2));
    check(1, 3, |x| thinning(x, 3, |load| load < 1));
    check(2, 4, |x| thinning(x, 4, |load| load < 2));
}

/// The same equality fails for a process one parameter away.
#[test]
fn the_chain_is_not_that_of_the_neighbour() {
    let start = [0, 0, 0];
    let two = chain(3, 3, |x| ranks::d_choice(n(x), 2));
    assert_ne!(twin::law(&DChoice::new(3).unwrap(), &start, 3, &[]).sorted(), two);
    assert_ne!(twin::law(&DistinctChoice::new(2).unwrap(), &start, 3, &[]).sorted(), two);
    let quarter = twin::law(&OnePlusBeta::new(0.25).unwrap(), &start, 3, &[ratio(1, 4)]).sorted();
    assert_ne!(quarter, chain(3, 3, |x| ranks::one_plus_beta(n(x), &ratio(1, 2), 2)));

    let one = chain(3, 5, |x| thinning(x, 2, |load| load < 1));
    let threshold = |level, d| LoadThreshold::new(level).unwrap().with_d(d).unwrap();
    assert_eq!(twin::law(&threshold(1, 2), &start, 5, &[]).sorted(), one);
    assert_ne!(twin::law(&threshold(2, 2), &start, 5, &[]).sorted(), one);
    assert_ne!(twin::law(&threshold(1, 3), &start, 5, &[]).sorted(), one);
    // A bin at the mean is not below it.
    let at_most_mean = |x: &[u64]| thinning(x, 2, |load| load * n(x) <= x.iter().sum());
    assert_ne!(twin::law(&MeanThinning, &start, 5, &[]).sorted(), ranks::sorted_chain(3, 5, at_most_mean));
}

/// Sorted loads of many runs, by `run` or by `step`.
fn simulate<A>(rule: &A, bins: u64, balls: u64, by_step: bool) -> BTreeMap<Vec<u64>, u64>
where
    A: Allocator + Clone,
{
    let mut rng = rng_for_trial(SEED, 1000 * bins + balls);
    tally((0..RUNS).map(|_| {
        let mut loads = LoadVector::new(bins).unwrap();
        let mut rule = rule.clone();
        if by_step {
            (0..balls).for_each(|_| {
                rule.step(&mut loads, &mut rng);
            });
        } else {
            rule.start_and_run(&mut loads, balls, &mut rng).unwrap();
        }
        let mut sorted = loads.to_vec();
        sorted.sort_unstable_by(|a, b| b.cmp(a));
        sorted
    }))
}

/// 45 sizes, two ways each: at a false alarm of 1e-6 each, 9e-5 for the whole test.
#[test]
fn simulated_loads_follow_the_exact_law() {
    fn check<A>(process: &str, vector: Vector, rule: A, _: &[BigRational])
    where
        A: Allocator + Clone,
    {
        for (bins, balls) in sizes(process) {
            let law = chain(bins, balls, vector).to_f64();
            for by_step in [false, true] {
                let name = format!("{process}, n = {bins}, m = {balls}, by step: {by_step}");
                goodness_of_fit(&simulate(&rule, bins, balls, by_step), &law).assert_fits(&name, SEED);
            }
        }
    }
    for_each_process!(check);
}

/// Each pair is told apart in either direction at the largest size; the power at 100 000 runs is 1 for all
/// purposes.
#[test]
fn simulated_loads_do_not_follow_the_law_of_the_neighbour() {
    fn check<A: Allocator + Clone>(name: &str, vector: Vector, wrong: &A) {
        let law = chain(4, 16, vector).to_f64();
        goodness_of_fit(&simulate(wrong, 4, 16, false), &law).assert_rejects(name, SEED);
    }
    let beta = |beta| OnePlusBeta::new(beta).unwrap();
    let (three, distinct) = (DChoice::new(3).unwrap(), |d| DistinctChoice::new(d).unwrap());
    check("(1+1/4) as one-choice", |x| ranks::one_choice(n(x)), &beta(0.25));
    check("one-choice as two-choice", |x| ranks::d_choice(n(x), 2), &OneChoice);
    check("three-choice as two-choice", |x| ranks::d_choice(n(x), 2), &three);
    check("two distinct as two-choice", |x| ranks::d_choice(n(x), 2), &distinct(2));
    check("two-choice as three-choice", |x| ranks::d_choice(n(x), 3), &DChoice::two());
    check("three distinct as three-choice", |x| ranks::d_choice(n(x), 3), &distinct(3));
    check("two-choice as two distinct", |x| ranks::d_choice_distinct(n(x), 2), &DChoice::two());
    check("two distinct as three distinct", |x| ranks::d_choice_distinct(n(x), 3), &distinct(2));
    check("(1+1/4) as (1+1/2)", |x| ranks::one_plus_beta(n(x), &ratio(1, 2), 2), &beta(0.25));
    check("load threshold 4 as mean-thinning", |x| thinning(x, 2, below_mean(x)), &LoadThreshold::new(4).unwrap());
    check("mean-thinning as at most the mean", |x| thinning(x, 2, |load| load * n(x) <= x.iter().sum()), &MeanThinning);
    check("(1+0.55) as (1+1/2)", |x| ranks::one_plus_beta(n(x), &ratio(1, 2), 2), &beta(0.55));
}

/// Ranks come from the loads of the vector, whichever bins hold them: the law does not depend on a start that
/// is only relabelled.
#[test]
fn labels_do_not_matter() {
    let law = |start: &[u64]| twin::law(&DChoice::two(), start, 3, &[]).sorted();
    assert_eq!(law(&[3, 1, 0, 1]), law(&[1, 0, 1, 3]));
}
