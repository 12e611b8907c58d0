//! Steps that place several balls: exactly on small systems, where runs stop, and on every kind of loads.

use std::fmt::Debug;

use bb_processes::bb_core::{Allocator, LoadProfile, LoadVector, Metrics, Place, SampleCount, rng_for_trial};
use bb_processes::{Batched, Packing, Twinning};
use bb_testkit::BigRational;
use bb_testkit::engines::Samples;
use bb_testkit::exact::{Law, chain, ratio};
use bb_testkit::twin::{self, ScriptedBins};

use crate::table::assert_rows;

const SEED: u64 = 90;

const STARTS: [&[u64]; 4] = [&[0, 0, 0], &[3, 0, 1], &[1, 4, 1, 0], &[0, 7]];

/// What a sampled bin holds afterwards.
type Fill = fn(u64, &[u64]) -> u64;

fn below_mean(load: u64, loads: &[u64]) -> bool {
    ratio(load, 1) < ratio(loads.iter().sum(), loads.len() as u64)
}

fn mean_rounded_up(loads: &[u64]) -> u64 {
    loads.iter().sum::<u64>().div_ceil(loads.len() as u64)
}

const TWINNING: Fill = |load, loads| load + if below_mean(load, loads) { 2 } else { 1 };
const PACKING: [Fill; 3] = [
    |load, loads| if below_mean(load, loads) { mean_rounded_up(loads) } else { load + 1 },
    |load, loads| if below_mean(load, loads) { mean_rounded_up(loads) + 1 } else { load + 1 },
    |load, loads| if below_mean(load, loads) { mean_rounded_up(loads) + 2 } else { load + 1 },
];

/// The loads after one more sample, for each bin that it can be.
fn after(loads: &[u64], fill: Fill) -> Vec<(BigRational, Vec<u64>)> {
    let with = |bin: usize| {
        let mut next = loads.to_vec();
        next[bin] = fill(loads[bin], loads);
        next
    };
    (0..loads.len()).map(|bin| (ratio(1, loads.len() as u64), with(bin))).collect()
}

fn packing(e: u64) -> Packing {
    Packing::new(e).unwrap()
}

#[test]
fn every_rule_on_all_its_outcomes_has_its_law() {
    fn check<A: Allocator<ScriptedBins> + Clone>(name: &str, rule: &A, right: Fill, wrong: Fill) {
        let mut differ = false;
        for start in STARTS {
            let law = twin::law(rule, start, 6, &[]);
            assert_eq!(law, chain(start.to_vec(), 6, |loads| after(loads, right)), "{name}, {start:?}");
            differ |= law != chain(start.to_vec(), 6, |loads| after(loads, wrong));
        }
        assert!(differ, "{name} is not told apart");
    }
    check("twinning", &Twinning::new(), TWINNING, PACKING[0]);
    // A bin at the mean is not below it.
    let at_most = |load, loads: &[u64]| load + if load * loads.len() as u64 <= loads.iter().sum() { 2 } else { 1 };
    check("twinning", &Twinning::new(), TWINNING, at_most);
    for e in 0..=2 {
        check("packing", &packing(e), PACKING[e as usize], PACKING[(e as usize + 1) % 3]);
    }
}

/// The table counts rounds, which are samples.
#[test]
fn the_table_of_small_systems() {
    let empty = |bins| vec![0; bins as usize];
    assert_rows("twinning rounds", |bins, rounds| twin::law(&Twinning::new(), &empty(bins), rounds, &[]));
    assert_rows("packing e=0 rounds", |bins, rounds| twin::law(&packing(0), &empty(bins), rounds, &[]));
    assert_rows("packing e=1 rounds", |bins, rounds| twin::law(&packing(1), &empty(bins), rounds, &[]));
}

/// The law of the sorted loads at the first total of at least `balls`.
fn stopped(start: &[u64], balls: u64, fill: Fill) -> Law<Vec<u64>> {
    let total = |loads: &[u64]| loads.iter().sum::<u64>();
    let enough = total(start) + balls;
    // A step places a ball at least, so after `balls` steps all have stopped.
    let law = chain(start.to_vec(), balls, |loads| {
        if total(loads) >= enough { vec![(ratio(1, 1), loads.clone())] } else { after(loads, fill) }
    });
    law.sorted()
}

fn sorted(loads: &impl Metrics<Load = u64>) -> [Vec<u64>; 1] {
    let counts = loads.level_counts();
    [counts.iter().rev().flat_map(|&(load, bins)| (0..bins).map(move |_| load)).collect()]
}

/// By `run`, from empty and from uneven bins, on a vector and on counted bins. 3 rules, 2 starts: 6 tests.
#[test]
fn runs_follow_the_exact_law_and_stop_at_the_first_total() {
    fn check<A>(name: &str, rule: &A, right: Fill, wrong: Fill)
    where
        A: Allocator + Allocator<LoadProfile> + Clone,
    {
        for (start, balls) in [([0, 0, 0, 0], 11), ([5, 0, 2, 0], 9)] {
            let vector = LoadVector::from_loads(start.to_vec()).unwrap();
            let profile = LoadProfile::from(&vector);
            let samples = Samples::new(SEED, 50_000)
                .with("vector", |rng| {
                    let mut loads = vector.clone();
                    rule.clone().run(&mut loads, balls, rng);
                    sorted(&loads)
                })
                .with("profile", |rng| {
                    let mut loads = profile.clone();
                    rule.clone().run(&mut loads, balls, rng);
                    sorted(&loads)
                });
            samples.assert_follow(&format!("{name}, {start:?}"), &stopped(&start, balls, right).to_f64());
            samples.assert_rejects(&format!("{name}, {start:?}"), &stopped(&start, balls, wrong).to_f64());
        }
    }
    check("twinning", &Twinning::new(), TWINNING, PACKING[0]);
    check("packing, e = 0", &packing(0), PACKING[0], PACKING[1]);
    check("packing, e = 1", &packing(1), PACKING[1], PACKING[2]);
}

/// The same steps by `run` and by `step`, on a vector and on counted bins; `samples` counts them from the
/// start on.
#[test]
fn a_run_is_its_steps() {
    fn check<B, A>(name: &str, rule: &A, empty: &B)
    where
        B: Place<Load = u64> + Clone + PartialEq + Debug,
        A: Allocator<B> + Clone,
    {
        for balls in [0, 1, 2, 77, 3000] {
            let start = || (rule.clone(), empty.clone(), rng_for_trial(SEED, balls));
            let (mut run, mut whole, mut rng) = start();
            let placed = run.run(&mut whole, balls, &mut rng);
            let (mut step, mut stepped, mut words) = start();
            let mut steps = 0;
            while stepped.total() < balls {
                let before = stepped.clone();
                let bin = step.step(&mut stepped, &mut words);
                assert!(stepped.load(bin) >= 1 && stepped.total() > before.total(), "{name}");
                steps += 1;
            }
            assert_eq!((&whole, &rng, placed), (&stepped, &words, stepped.total()), "{name}, m = {balls}");
            assert_eq!(run.sample_count(), Some(SampleCount::Counted(steps)), "{name}, m = {balls}");
            assert_eq!(step.sample_count(), Some(SampleCount::Counted(steps)), "{name}, m = {balls}");
            run.start(&whole).unwrap();
            assert_eq!(run.sample_count(), Some(SampleCount::Counted(0)), "{name}");
        }
    }
    for bins in [1, 2, 30] {
        let (vector, profile) = (LoadVector::new(bins).unwrap(), LoadProfile::new(bins).unwrap());
        check("twinning", &Twinning::new(), &vector);
        check("twinning", &Twinning::new(), &profile);
        for e in [0, 1, 9] {
            check("packing", &packing(e), &vector);
            check("packing", &packing(e), &profile);
        }
    }
}

/// What is put follows from what is seen; batches of one ball are the sequential process.
#[test]
fn batched_loads_are_filled_by_what_is_seen() {
    let (mut loads, mut rng) = (Batched::new(LoadVector::new(10).unwrap(), 500).unwrap(), rng_for_trial(SEED, 1));
    // All bins are seen at the mean, 0, until the first batch ends.
    assert_eq!(Twinning::new().run(&mut loads, 500, &mut rng), 500);
    assert!(Packing::new(1).unwrap().run(&mut loads, 499, &mut rng) >= 499);
    let mut plain = (LoadVector::new(10).unwrap(), rng_for_trial(SEED, 2));
    let mut batched = (Batched::new(LoadVector::new(10).unwrap(), 1).unwrap(), rng_for_trial(SEED, 2));
    assert_eq!(packing(1).run(&mut plain.0, 999, &mut plain.1), packing(1).run(&mut batched.0, 999, &mut batched.1));
    assert_eq!(batched.0.loads(), &plain.0);
}

#[test]
fn a_height_beyond_all_levels_is_refused_and_the_largest_works() {
    let error = Packing::new((1 << 16) + 1).unwrap_err();
    assert_eq!((error.parameter(), error.value(), error.range()), ("e", "65537", "0..=2^16"));
    let mut rule = packing(1 << 16);
    let (mut counted, mut labelled, mut rng) =
        (LoadProfile::new(1000).unwrap(), LoadVector::new(1000).unwrap(), rng_for_trial(SEED, 3));
    assert_eq!(rule.run(&mut counted, 1 << 28, &mut rng), counted.total());
    assert_eq!(rule.run(&mut labelled, 1 << 28, &mut rng), labelled.iter().sum::<u64>());
}
