//! Loads of fixed seeds: a change of these numbers is a breaking change, listed in the changelog.

use std::convert::Infallible;

use bb_memory::bb_core::{Allocator, LoadVector, Rng, rng_for_trial};
use bb_memory::{
    Advisor, ApproximateCounters, BallStream, Bounded, Budget, ClusterCount, HeavyList, IdleHint, NoMemory, Purpose,
    RelativeCounters, ResetMemory, SaturatingCounters, TieRule, Window,
};

fn loads<A: Advisor<Failure = Infallible>>(advisor: A) -> Vec<u64> {
    let mut loads = LoadVector::new(8).unwrap();
    Bounded::new(advisor).start_and_run(&mut loads, 40, &mut rng_for_trial(290, 0)).unwrap();
    loads.to_vec()
}

#[test]
fn streams() {
    let word = |purpose| BallStream::new(7, purpose).next_u64();
    let words = [Purpose::Samples, Purpose::Coin, Purpose::Advice, Purpose::Transition].map(word);
    assert_eq!(words, STREAMS);
}

#[test]
fn schemes() {
    let budget = Budget::bits(40).unwrap();
    let found = [
        loads(NoMemory::new(8, TieRule::First).unwrap()),
        loads(NoMemory::new(8, TieRule::Coin).unwrap()),
        loads(HeavyList::fill(8, budget).unwrap()),
        loads(HeavyList::raise(8, budget).unwrap().with_ties(TieRule::Coin)),
        loads(SaturatingCounters::with_choices(8, 2, 3, TieRule::Coin).unwrap()),
        loads(RelativeCounters::new(8, 2, 40).unwrap()),
        loads(ApproximateCounters::new(8, 3, 1.5).unwrap()),
        loads(ClusterCount::asymmetric(8, 4, 100).unwrap()),
        loads(Window::new(8, 3, 3, 0.0).unwrap()),
        loads(IdleHint::new(8, budget, 3).unwrap()),
    ];
    assert_eq!(found.map(|loads| <[u64; 8]>::try_from(loads).unwrap()), SCHEMES);
    let mut reset = LoadVector::new(8).unwrap();
    ResetMemory::new(3).unwrap().run(&mut reset, 40, &mut rng_for_trial(290, 0));
    assert_eq!(reset.to_vec(), RESET);
}

const STREAMS: [u64; 4] = [1802311047255383899, 15776634204063267056, 4659557351864260796, 8285207339634750784];

const SCHEMES: [[u64; 8]; 10] = [
    [9, 3, 5, 7, 3, 6, 4, 3],
    [7, 5, 4, 5, 4, 4, 7, 4],
    [6, 4, 5, 6, 4, 5, 6, 4],
    [6, 4, 4, 6, 4, 5, 6, 5],
    [5, 5, 4, 5, 5, 5, 7, 4],
    [6, 4, 5, 6, 4, 5, 6, 4],
    [7, 7, 4, 6, 3, 3, 6, 4],
    [5, 6, 8, 2, 4, 6, 5, 4],
    [6, 2, 5, 7, 5, 5, 6, 4],
    [10, 3, 5, 5, 4, 5, 4, 4],
];

const RESET: [u64; 8] = [8, 5, 3, 4, 7, 7, 0, 6];
