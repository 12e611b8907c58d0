//! Double hashing.

use bb_processes::bb_core::{Allocator, LoadVector, rng_for_trial};
use bb_processes::{DChoice, DistinctChoice, DoubleHashing, OneChoice};
use bb_testkit::exact::Law;
use bb_testkit::stats::{goodness_of_fit, tally};
use bb_testkit::twin;

use super::{fair, first, labelled_chain, law_on_grid, one_of};

fn hashing(d: u32) -> DoubleHashing {
    DoubleHashing::new(d).unwrap()
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Candidates `f + kg` for every `f` and every `g` coprime to `n`.
fn candidates(n: usize, d: usize) -> Vec<Vec<usize>> {
    let steps = (1..=n).filter(|&g| gcd(g, n) == 1);
    steps.flat_map(|g| (0..n).map(move |f| (0..d).map(|k| (f + k * g) % n).collect())).collect()
}

fn hashing_chain(start: &[u64], balls: u64, d: usize) -> Law<Vec<u64>> {
    let lists = candidates(start.len(), d);
    labelled_chain(start, balls, |loads| one_of(loads, &lists, fair))
}

/// Primes and powers of two, where no step is rejected. `f` is a scripted bin; the grid serves steps below
/// `n − 1` or `n/2`, and ties of two and three.
#[test]
fn all_outcomes_give_the_chain() {
    for (start, d, grid, balls) in [
        (&[0][..], 1, 1, 5),
        (&[0, 0], 1, 1, 8),
        (&[0, 0], 2, 2, 8),
        (&[0, 0, 0], 2, 2, 8),
        (&[1, 4, 0], 2, 2, 8),
        (&[0, 0, 0], 3, 6, 5),
        (&[0, 0, 0, 0], 2, 2, 8),
        (&[1, 0, 3, 0], 2, 2, 8),
        (&[0, 0, 0, 0], 3, 6, 5),
        (&[0, 0, 0, 0, 0], 3, 12, 3),
    ] {
        let exact = hashing_chain(start, balls, d);
        assert_eq!(law_on_grid(&hashing(d as u32), start, balls, grid), exact, "{start:?}, d = {d}");
    }
}

/// One candidate is One-Choice; for a prime two candidates are a uniform pair, and all candidates are all
/// bins.
#[test]
fn few_and_many_candidates_are_known_rules() {
    assert_eq!(law_on_grid(&hashing(1), &[0; 3], 5, 2), twin::law(&OneChoice, &[0; 3], 5, &[]));
    let two = twin::law(&DistinctChoice::new(2).unwrap(), &[0; 5], 4, &[]);
    assert_eq!(law_on_grid(&hashing(2), &[0; 5], 4, 4), two);
    assert_ne!(twin::law(&DChoice::two(), &[0; 5], 4, &[]), two);
    let all = twin::law(&DistinctChoice::new(3).unwrap(), &[0; 3], 5, &[]);
    assert_eq!(law_on_grid(&hashing(3), &[0; 3], 5, 6), all);
    // Of the 35 triples of seven bins 21 have equal steps; and for three candidates the ties matter.
    let triple = twin::law(&DistinctChoice::new(3).unwrap(), &[0; 7], 4, &[]);
    let progressions = hashing_chain(&[0; 7], 4, 3);
    assert_ne!(progressions.sorted(), triple.sorted());
    let ties = labelled_chain(&[0; 7], 4, |loads| one_of(loads, &candidates(7, 3), first));
    assert_ne!(progressions, ties);
}

/// Numbers of bins where steps are rejected; the neighbour has one candidate less.
#[test]
fn simulated_loads_follow_the_law() {
    const SEED: u64 = 86;
    for (n, d) in [(6, 3), (9, 3), (10, 4), (15, 2)] {
        let start = vec![0; n];
        let loads = |d: u32| {
            let mut rng = rng_for_trial(SEED, n as u64);
            tally((0..100_000).map(|_| {
                let mut loads = LoadVector::new(n as u64).unwrap();
                hashing(d).start_and_run(&mut loads, 3, &mut rng).unwrap();
                loads.to_vec()
            }))
        };
        let name = format!("n = {n}, d = {d}");
        let law = hashing_chain(&start, 3, d).to_f64();
        goodness_of_fit(&loads(d as u32), &law).assert_fits(&name, SEED);
        goodness_of_fit(&loads(d as u32 - 1), &law).assert_rejects(&name, SEED);
    }
}
