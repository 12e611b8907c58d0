//! Small systems against chains on unsorted loads, written from the definitions.

use std::collections::BTreeMap;

use bb_processes::bb_core::{DynamicLoads, LoadProfile, LoadVector, Metrics, Remove};
use bb_processes::{LeakyBins, Lifetimes, RandomDeletion, RepeatedBallsIntoBins, Supermarket, System};
use bb_testkit::BigRational;
use bb_testkit::engines::Samples;
use bb_testkit::exact::{Law, chain, ratio};

use super::{Both, SEED};

type Loads = Vec<u64>;
type Counts = Vec<(u64, u64)>;

const RUNS: u64 = 50_000;

/// The receivers of one ball by Greedy\[d\] on these loads, the first of the least loaded samples, with their
/// probabilities.
fn greedy(loads: &[u64], d: u32) -> Vec<(BigRational, usize)> {
    let n = loads.len();
    let samples = (0..n.pow(d)).map(|code| (0..d).map(move |place| code / n.pow(place) % n));
    let least = samples.map(|samples| samples.min_by_key(|&bin| loads[bin]).unwrap());
    least.map(|bin| (ratio(1, n.pow(d) as u64), bin)).collect()
}

fn with_ball(loads: &[u64], bin: usize) -> Loads {
    let mut loads = loads.to_vec();
    loads[bin] += 1;
    loads
}

fn without_ball(loads: &[u64], bin: usize) -> Loads {
    let mut loads = loads.to_vec();
    loads[bin] -= 1;
    loads
}

fn one_less_each(loads: &[u64]) -> Loads {
    loads.iter().map(|load| load.saturating_sub(1)).collect()
}

/// Places so many balls by Greedy\[d\]: each sees the loads at the start, or those before it.
fn place(start: &[u64], balls: u64, d: u32, fresh: bool) -> Law<Loads> {
    chain(start.to_vec(), balls, |now| {
        let receivers = greedy(if fresh { now } else { start }, d);
        receivers.into_iter().map(|(probability, bin)| (probability, with_ball(now, bin))).collect()
    })
}

fn listed<S: Ord + Clone>(law: &Law<S>) -> Vec<(BigRational, S)> {
    law.iter().map(|(state, probability)| (probability.clone(), state.clone())).collect()
}

fn repeated(start: &[u64], rounds: u64) -> Law<Loads> {
    chain(start.to_vec(), rounds, |loads| {
        let left = one_less_each(loads);
        let balls = loads.iter().sum::<u64>() - left.iter().sum::<u64>();
        listed(&place(&left, balls, 1, true))
    })
}

/// New balls see the loads at the start of the round, or each other.
fn leaky(start: &[u64], rounds: u64, lambda: &BigRational, d: u32, fresh: bool) -> Law<Loads> {
    let n = start.len() as u64;
    let arrivals = chain(0_u64, n, |&balls| vec![(lambda.clone(), balls + 1), (ratio(1, 1) - lambda, balls)]);
    chain(start.to_vec(), rounds, |loads| {
        let of_arrivals = arrivals.then(|&balls| listed(&place(loads, balls, d, fresh)));
        listed(&of_arrivals.map(|loads| one_less_each(loads)))
    })
}

/// A uniform ball leaves, or one from a uniform bin that holds one.
fn deletion(start: &[u64], rounds: u64, d: u32, by_ball: bool) -> Law<Loads> {
    chain(start.to_vec(), rounds, |loads| {
        let weight = |load: u64| if by_ball { load } else { u64::from(load > 0) };
        let all = loads.iter().map(|&load| weight(load)).sum();
        let leave =
            (0..loads.len()).map(|bin| (ratio(weight(loads[bin]), all), bin)).filter(|(_, bin)| loads[*bin] > 0);
        let next = leave.flat_map(|(probability, bin)| {
            let left = without_ball(loads, bin);
            let insert = greedy(&left, d).into_iter();
            insert.map(|(now, bin)| (&probability * now, with_ball(&left, bin))).collect::<Vec<_>>()
        });
        next.collect()
    })
}

/// The law at a time of a chain in continuous time, by uniformisation in floating point: `jumps` lists (rate,
/// next state), whose rates sum to at most `most`.
fn at_time(start: &[u64], time: f64, most: f64, jumps: impl Fn(&[u64]) -> Vec<(f64, Loads)>) -> BTreeMap<Loads, f64> {
    let mut law = BTreeMap::from([(start.to_vec(), 1.0)]);
    let mut at_time = BTreeMap::new();
    let mut weight = (-most * time).exp();
    let (mut jump, mut seen) = (0.0, 0.0);
    while seen < 1.0 - 1e-12 {
        for (state, probability) in &law {
            *at_time.entry(state.clone()).or_insert(0.0) += weight * probability;
        }
        seen += weight;
        jump += 1.0;
        weight *= most * time / jump;
        let mut next = BTreeMap::new();
        for (state, probability) in law {
            let mut stay = 1.0;
            for (rate, to) in jumps(&state).into_iter().filter(|(rate, _)| *rate > 0.0) {
                stay -= rate / most;
                *next.entry(to).or_insert(0.0) += probability * rate / most;
            }
            assert!(stay >= -1e-12, "the rates exceed {most}");
            *next.entry(state).or_insert(0.0) += probability * stay;
        }
        law = next;
    }
    at_time
}

fn arrivals(loads: &[u64], rate: f64, d: u32) -> impl Iterator<Item = (f64, Loads)> + '_ {
    let receivers = Law::from_iter(greedy(loads, d)).to_f64();
    receivers.into_iter().map(move |(bin, probability)| (rate * probability, with_ball(loads, bin)))
}

fn supermarket(start: &[u64], time: f64, lambda: f64, d: u32) -> BTreeMap<Loads, f64> {
    let n = start.len() as f64;
    at_time(start, time, (1.0 + lambda) * n, |loads| {
        let served = (0..loads.len()).filter(|&bin| loads[bin] > 0).map(|bin| (1.0, without_ball(loads, bin)));
        arrivals(loads, lambda * n, d).chain(served).collect()
    })
}

/// With at most 20 balls: more have a probability below 1e-8 here.
fn lifetimes(start: &[u64], time: f64, lambda: f64, d: u32) -> BTreeMap<Loads, f64> {
    let n = start.len() as f64;
    at_time(start, time, lambda * n + 20.0, |loads| {
        let full = loads.iter().sum::<u64>() >= 20;
        let left =
            (0..loads.len()).filter(|&bin| loads[bin] > 0).map(|bin| (loads[bin] as f64, without_ball(loads, bin)));
        arrivals(loads, if full { 0.0 } else { lambda * n }, d).chain(left).collect()
    })
}

fn count(loads: &[u64]) -> Counts {
    let mut counts = BTreeMap::new();
    loads.iter().for_each(|&load| *counts.entry(load).or_insert(0) += 1);
    counts.into_iter().collect()
}

fn counted(law: &BTreeMap<Loads, f64>) -> BTreeMap<Counts, f64> {
    let mut counted = BTreeMap::new();
    law.iter().for_each(|(loads, probability)| *counted.entry(count(loads)).or_insert(0.0) += probability);
    counted
}

/// Level counts after so many rounds, on labelled and on counted bins. Two tests with a false alarm of 1e-6
/// each.
fn samples<S: Both>(system: &S, start: &[u64], rounds: u64) -> Samples<Counts, 1> {
    fn after<S: System<L> + Clone, L: Remove + Metrics + Clone>(
        system: &S,
        start: &L,
        rounds: u64,
        rng: &mut bb_processes::bb_core::TrialRng,
    ) -> [Counts; 1] {
        let mut loads = start.clone();
        system.clone().run(&mut loads, rounds, rng);
        [loads.level_counts()]
    }
    let labelled = DynamicLoads::from_loads(start.to_vec()).unwrap();
    let counted = LoadProfile::from(&LoadVector::from_loads(start.to_vec()).unwrap());
    Samples::new(SEED, RUNS)
        .with("labelled", |rng| after(system, &labelled, rounds, rng))
        .with("counted", |rng| after(system, &counted, rounds, rng))
}

/// The samples follow the law, and a law one parameter away is told apart from both.
fn check<S: Both>(
    name: &str,
    system: &S,
    start: &[u64],
    rounds: u64,
    law: &BTreeMap<Loads, f64>,
    wrong: &BTreeMap<Loads, f64>,
) {
    assert!((law.values().sum::<f64>() - 1.0).abs() < 1e-9 && (wrong.values().sum::<f64>() - 1.0).abs() < 1e-9);
    let name = format!("{name} from {start:?}, {rounds} rounds");
    let samples = samples(system, start, rounds);
    samples.assert_follow(&name, &counted(law));
    samples.assert_rejects(&name, &counted(wrong));
}

#[test]
fn repeated_balls_into_bins() {
    for (start, rounds) in [(vec![3, 0], 2), (vec![0, 4, 0], 3), (vec![2, 2, 2], 1), (vec![5, 1, 0], 4)] {
        let law = repeated(&start, rounds).to_f64();
        check("repeated", &RepeatedBallsIntoBins, &start, rounds, &law, &repeated(&start, rounds + 1).to_f64());
    }
}

#[test]
fn leaky_bins() {
    for (start, rounds, d) in [(vec![3, 0], 3, 1), (vec![3, 0], 3, 2), (vec![0, 1, 2], 2, 2), (vec![0, 0, 0], 3, 3)] {
        let system = LeakyBins::new(0.5, d).unwrap();
        let law = leaky(&start, rounds, &ratio(1, 2), d, false).to_f64();
        let more = leaky(&start, rounds, &ratio(11, 20), d, false).to_f64();
        check("leaky", &system, &start, rounds, &law, &more);
        if d > 1 {
            // Balls that see each other.
            let fresh = leaky(&start, rounds, &ratio(1, 2), d, true).to_f64();
            samples(&system, &start, rounds).assert_rejects("fresh", &counted(&fresh));
        }
    }
}

#[test]
fn random_deletion() {
    for (start, rounds, d) in [(vec![3, 0], 3, 1), (vec![4, 0, 0], 4, 2), (vec![1, 1, 2], 6, 2), (vec![0, 5, 0], 3, 3)]
    {
        let law = deletion(&start, rounds, d, true).to_f64();
        let by_bin = deletion(&start, rounds, d, false).to_f64();
        check("deletion", &RandomDeletion::new(d).unwrap(), &start, rounds, &law, &by_bin);
    }
}

#[test]
fn supermarket_model() {
    for (start, time, d) in [(vec![2, 0], 2, 1), (vec![2, 0], 2, 2), (vec![0, 0, 1], 1, 2)] {
        let law = supermarket(&start, time as f64, 0.8, d);
        let more = supermarket(&start, time as f64, 0.85, d);
        check("supermarket", &Supermarket::new(0.8, d).unwrap(), &start, time, &law, &more);
    }
}

#[test]
fn exponential_lifetimes() {
    for (start, time, d) in [(vec![3, 0], 1, 1), (vec![3, 0], 2, 2), (vec![0, 0, 1], 1, 2)] {
        let law = lifetimes(&start, time as f64, 1.5, d);
        let more = lifetimes(&start, time as f64, 1.6, d);
        check("lifetimes", &Lifetimes::new(1.5, d).unwrap(), &start, time, &law, &more);
    }
}
