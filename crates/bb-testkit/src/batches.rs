//! What a batch of balls is tested against: laws by trying everything, in plain numbers.

use std::collections::BTreeMap;

use num_rational::BigRational;

use crate::exact::{Law, chain, ratio};
use crate::ranks::add_at;
use crate::stats::tally;

/// Returns the law of the loads, by decreasing load, after `balls` more balls, and of the balls, counted from
/// 1, that raised the maximum. `ranks` gives the allocation vector on sorted loads.
#[must_use]
pub fn chain_with_rises(
    start: &[u64],
    balls: u64,
    ranks: impl Fn(&[u64]) -> Vec<BigRational>,
) -> Law<(Vec<u64>, Vec<u64>)> {
    let before: u64 = start.iter().sum();
    chain((start.to_vec(), vec![]), balls, |(loads, rises)| {
        let all = ranks(loads).into_iter().enumerate().map(|(place, probability)| {
            let next = add_at(loads, place);
            let mut rises = rises.clone();
            if next[0] > loads[0] {
                rises.push(next.iter().sum::<u64>() - before);
            }
            (probability, (next, rises))
        });
        all.collect()
    })
}

/// Returns which of some slots share a bin, as (slot, first slot of the same bin), by trying all sequences of
/// bins.
#[must_use]
pub fn repeats(bins: u64, slots: u32) -> BTreeMap<Vec<(u64, u64)>, f64> {
    let sequences = bins.pow(slots);
    let repeats = tally((0..sequences).map(|number| {
        let sequence: Vec<u64> = (0..slots).map(|slot| number / bins.pow(slot) % bins).collect();
        let first = |slot: usize| (0..slot).find(|&other| sequence[other] == sequence[slot]).unwrap_or(slot);
        let all = (0..sequence.len()).map(|slot| (slot as u64, first(slot) as u64));
        all.filter(|(slot, first)| first < slot).collect::<Vec<_>>()
    }));
    repeats.into_iter().map(|(repeats, count)| (repeats, count as f64 / sequences as f64)).collect()
}

/// Returns the law of the number of slots that repeat a bin, from the chain of the number of distinct bins,
/// without what is below `1e-12`.
#[must_use]
pub fn number_of_repeats(bins: u64, slots: u64) -> BTreeMap<usize, f64> {
    let mut law = vec![1.0];
    for slot in 0..slots {
        // The probability of one more.
        let repeats = |repeats: usize| (slot - repeats as u64) as f64 / bins as f64;
        let mut next = vec![0.0; law.len() + 1];
        for (number, probability) in law.iter().enumerate().take(slot as usize + 1) {
            next[number] += probability * (1.0 - repeats(number));
            next[number + 1] += probability * repeats(number);
        }
        law = next;
    }
    (0..).zip(law).filter(|&(_, probability)| probability > 1e-12).collect()
}

/// Returns the law of the least element of a uniform subset of `size` of the numbers below `n`:
/// `P(least ≥ k) = C(n − k, size)/C(n, size)`.
#[must_use]
pub fn least_of_subset(n: u64, size: u64) -> BTreeMap<u64, f64> {
    let mut at_least = 1.0;
    let all = (0..=n - size).map(|least| {
        let is = at_least * size as f64 / (n - least) as f64;
        at_least -= is;
        (least, is)
    });
    all.collect()
}

/// What a rule says of a sample, one side of its coin each: how many eighths, whether the bin is kept, and
/// the state in which the next sample is judged, if the ball is not placed.
pub type Sides<S> = Vec<(u64, bool, Option<S>)>;

/// Returns the probability of each bin for a rule that judges up to `samples` samples one after another, by
/// trying all of them and all sides of the coins. `first` has the states to begin in, in eighths;
/// `judge(state, kept, load)` is told the load that was kept, or `u64::MAX`.
#[must_use]
pub fn by_judgement<S: Copy>(
    loads: &[u64],
    samples: u32,
    first: &[(u64, S)],
    judge: impl Fn(S, u64, u64) -> Sides<S>,
) -> Vec<BigRational> {
    struct Enumeration<'a, J> {
        judge: J,
        loads: &'a [u64],
        weights: Vec<u64>,
    }
    impl<J> Enumeration<'_, J> {
        fn sample<S: Copy>(&mut self, state: S, kept: Option<usize>, samples: u32, weight: u64)
        where
            J: Fn(S, u64, u64) -> Sides<S>,
        {
            let weight = weight / (8 * self.loads.len() as u64);
            for (bin, &load) in self.loads.iter().enumerate() {
                let kept_load = kept.map_or(u64::MAX, |bin| self.loads[bin]);
                for (side, keep, go) in (self.judge)(state, kept_load, load) {
                    let kept = if keep { Some(bin) } else { kept };
                    match go {
                        Some(next) if samples > 1 => self.sample(next, kept, samples - 1, weight * side),
                        _ => self.weights[kept.unwrap_or(bin)] += weight * side,
                    }
                }
            }
        }
    }
    let each = (8 * loads.len() as u64).pow(samples);
    let mut all = Enumeration { judge, loads, weights: vec![0; loads.len()] };
    for &(side, state) in first {
        all.sample(state, None, samples, each * side);
    }
    all.weights.into_iter().map(|weight| ratio(weight, 8 * each)).collect()
}
