//! Bins that are not alike: groups, hashed candidates, unequal probabilities, graphs; and (k,d)-choice, which
//! remembers bins.

mod bad_input;
mod graphs;
mod groups;
mod hashing;
mod kd_choice;
mod nonuniform;
mod regular;
mod tables;

use bb_processes::bb_core::{Allocator, Bins};
use bb_testkit::BigRational;
use bb_testkit::exact::{Law, chain, ratio};
use bb_testkit::twin::{ScriptedBins, Word, law_by_words};

/// The law of the unsorted loads under the real rule, where each word that it takes is the middle of one of
/// `cells` equal parts of all words.
///
/// A draw below `k`, a coin of probability `j/k` and a uniform real number compared with `j/k` have their
/// exact law if `k` divides `cells`.
fn law_on_grid<A>(rule: &A, start: &[u64], steps: u64, cells: u64) -> Law<Vec<u64>>
where
    A: Allocator<ScriptedBins> + Clone,
{
    let words = vec![Word::Die(cells); 16];
    let loads = |_: &A, bins: &ScriptedBins| (0..start.len()).map(|bin| bins.load(bin)).collect();
    law_by_words(rule, start, steps, &words, |bins| bins, loads)
}

/// The law of the unsorted loads, from the probability with which each bin gets the next ball: (probability,
/// bin), where a bin may be listed more than once.
fn labelled_chain(start: &[u64], balls: u64, choices: impl Fn(&[u64]) -> Vec<(BigRational, usize)>) -> Law<Vec<u64>> {
    chain(start.to_vec(), balls, |loads| {
        let placed = |bin| {
            let mut next = loads.clone();
            next[bin] += 1;
            next
        };
        choices(loads).into_iter().map(|(probability, bin)| (probability, placed(bin))).collect()
    })
}

/// What happens to a ball with these candidates, distinct bins: each of the least loaded is equally likely.
fn fair(loads: &[u64], candidates: &[usize]) -> Vec<(BigRational, usize)> {
    let least = candidates.iter().map(|&bin| loads[bin]).min().unwrap();
    let tied: Vec<usize> = candidates.iter().copied().filter(|&bin| loads[bin] == least).collect();
    tied.iter().map(|&bin| (ratio(1, tied.len() as u64), bin)).collect()
}

/// The first of the least loaded candidates.
fn first(loads: &[u64], candidates: &[usize]) -> Vec<(BigRational, usize)> {
    vec![(ratio(1, 1), candidates.iter().copied().min_by_key(|&bin| loads[bin]).unwrap())]
}

/// A tie rule of the tests' own.
type Settle = fn(&[u64], &[usize]) -> Vec<(BigRational, usize)>;

/// A choice with equal probabilities among lists of candidates.
fn one_of(loads: &[u64], lists: &[Vec<usize>], settle: Settle) -> Vec<(BigRational, usize)> {
    let each = ratio(1, lists.len() as u64);
    let settled = lists.iter().flat_map(|candidates| settle(loads, candidates));
    settled.map(|(probability, bin)| (probability * &each, bin)).collect()
}

/// All ways to take one item of each list, in order.
fn product(lists: &[Vec<usize>]) -> Vec<Vec<usize>> {
    lists.iter().fold(vec![vec![]], |all, list| {
        let longer = |taken: &Vec<usize>| {
            let taken = taken.clone();
            list.iter().map(move |&item| [taken.clone(), vec![item]].concat())
        };
        all.iter().flat_map(longer).collect()
    })
}

/// With probability `beta` the choices given, else a uniform bin.
fn one_plus(beta: &BigRational, bins: usize, choices: Vec<(BigRational, usize)>) -> Vec<(BigRational, usize)> {
    let uniform = (ratio(1, 1) - beta) * ratio(1, bins as u64);
    let chosen = choices.into_iter().map(|(probability, bin)| (probability * beta, bin));
    chosen.chain((0..bins).map(|bin| (uniform.clone(), bin))).collect()
}
