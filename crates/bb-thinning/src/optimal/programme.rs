//! The dynamic programme.

use std::collections::HashMap;

use super::{Objective, Sampling};
use crate::realizability::Number;

/// A sorted load vector as one word: byte `i` is the load of the bin of rank `i`, 0 for the fullest. At most
/// 8 bins and 64 balls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Sorted(pub(super) u64);

impl Sorted {
    pub(super) const EMPTY: Self = Self(0);

    /// Loads in falling order.
    pub(super) fn of(loads: &[u8]) -> Self {
        Self(loads.iter().rev().fold(0, |word, &load| (word << 8) | u64::from(load)))
    }

    pub(super) fn load(self, rank: u32) -> u64 {
        (self.0 >> (8 * rank)) & 0xff
    }

    /// With one more ball in the first bin of its level, which stays sorted.
    fn with_ball(self, rank: u32) -> Self {
        Self(self.0 + (1 << (8 * rank)))
    }

    /// The first rank of each level, and the number of bins of the level.
    fn levels(self, bins: u32) -> impl Iterator<Item = (u32, u64)> {
        let mut next = 0;
        core::iter::from_fn(move || {
            let first = next;
            (first < bins).then(|| {
                next = (first + 1..bins).find(|&rank| self.load(rank) < self.load(first)).unwrap_or(bins);
                (first, u64::from(next - first))
            })
        })
    }
}

/// The values of all sorted vectors with the same number of balls.
///
/// A vector has a value for each record so far, from the present gap up: gaps in units of `1/n` are integers.
/// Records that no later gap exceeds are left out, as their value is the record. Objectives without a record
/// have one value.
struct Layer<T> {
    places: HashMap<Sorted, (usize, usize)>,
    values: Vec<T>,
}

/// What was decided in a state: the sorted loads, and for each record from the present gap up the levels that
/// are accepted, as bits by their first rank.
pub(super) type Decisions<'a> = (Sorted, &'a [u8]);

/// Solves the programme, and tells what two-thinning accepts in each state, from the last ball to the first.
pub(super) fn solve<T: Number>(
    bins: u32,
    balls: u32,
    sampling: Sampling,
    objective: Objective,
    mut tell: impl FnMut(u32, Decisions<'_>),
) -> T {
    let with_record = objective == Objective::AllTimeMaximum;
    let mut layer = last_layer(bins, balls, objective);
    let (mut outcomes, mut accepted) = (Vec::new(), Vec::new());
    for total in (0..balls).rev() {
        let mut before = Layer { places: HashMap::with_capacity(layer.places.len()), values: Vec::new() };
        for_each_vector(bins, total, |state| {
            let least = gap(state, bins, total);
            let after: Vec<_> = state
                .levels(bins)
                .map(|(rank, count)| {
                    let after = state.with_ball(rank);
                    let (start, length) = layer.places[&after];
                    (rank, count, gap(after, bins, total + 1), &layer.values[start..start + length])
                })
                .collect();
            // Beyond these records every outcome is the record.
            let beyond = after.iter().map(|&(.., now, values)| (now + values.len() as u64).saturating_sub(least));
            let records = if with_record { beyond.max().unwrap_or(0) } else { 1 };
            let start = before.values.len();
            accepted.clear();
            for record in least..least + records {
                outcomes.clear();
                outcomes.extend(after.iter().map(|&(rank, count, now, values)| {
                    let value = if with_record {
                        let record = record.max(now);
                        values.get((record - now) as usize).cloned().unwrap_or_else(|| T::from_count(record))
                    } else {
                        values[0].clone()
                    };
                    Outcome { rank, count, value }
                }));
                let (value, accepts) = decide(&outcomes, u64::from(bins), sampling);
                before.values.push(value);
                accepted.push(accepts);
            }
            while with_record
                && let Some(last) = before.values.last()
                && before.values.len() > start
                && *last == T::from_count(least + (before.values.len() - start) as u64 - 1)
            {
                before.values.pop();
            }
            tell(total, (state, &accepted[..before.values.len() - start]));
            before.places.insert(state, (start, before.values.len() - start));
        });
        layer = before;
    }
    let (start, length) = layer.places[&Sorted::EMPTY];
    let value = if length == 0 { T::zero() } else { layer.values[start].clone() };
    if with_record { value / T::from_count(bins.into()) } else { value }
}

/// The values after the last ball. The all-time maximum needs none: there it is the record itself, for every
/// record.
fn last_layer<T: Number>(bins: u32, balls: u32, objective: Objective) -> Layer<T> {
    let mut layer = Layer { places: HashMap::new(), values: Vec::new() };
    for_each_vector(bins, balls, |state| {
        let start = layer.values.len();
        match objective {
            Objective::Maximum => layer.values.push(T::from_count(state.load(0))),
            Objective::Tail(least) => layer.values.push(T::from_count(u64::from(state.load(0) >= least))),
            Objective::AllTimeMaximum => {}
        }
        layer.places.insert(state, (start, layer.values.len() - start));
    });
    layer
}

/// Maximum load minus average, in units of `1/n`.
pub(super) fn gap(state: Sorted, bins: u32, total: u32) -> u64 {
    state.load(0) * u64::from(bins) - u64::from(total)
}

/// What happens if the ball goes to a level.
struct Outcome<T> {
    rank: u32,
    count: u64,
    value: T,
}

/// The best value of a state, and the levels that two-thinning accepts.
fn decide<T: Number>(outcomes: &[Outcome<T>], bins: u64, sampling: Sampling) -> (T, u8) {
    let n = T::from_count(bins);
    let mean = |of: &dyn Fn(&T) -> T| {
        let sum = outcomes.iter().fold(T::zero(), |sum, one| sum + of(&one.value) * T::from_count(one.count));
        sum / n.clone()
    };
    let least = |one: &T, other: &T| if one <= other { one.clone() } else { other.clone() };
    let blind = mean(&T::clone);
    let accepts = outcomes.iter().filter(|one| one.value <= blind).fold(0, |bits, one| bits | (1 << one.rank));
    let value = match sampling {
        Sampling::Thinning(samples) => (1..samples).fold(blind, |rest, _| mean(&|value| least(value, &rest))),
        Sampling::Choice(d) => {
            let mut by_value: Vec<_> = outcomes.iter().collect();
            by_value.sort_by(|one, other| one.value.partial_cmp(&other.value).unwrap_or(core::cmp::Ordering::Equal));
            // All d bins are among those from here on, and not all beyond.
            let mut left = bins;
            let mut sum = T::zero();
            for one in by_value {
                let weight = left.pow(d) - (left - one.count).pow(d);
                sum = sum + one.value.clone() * T::from_count(weight);
                left -= one.count;
            }
            sum / T::from_count(bins.pow(d))
        }
    };
    (value, accepts)
}

/// Calls `each` with every falling load vector of so many bins and balls.
fn for_each_vector(bins: u32, balls: u32, mut each: impl FnMut(Sorted)) {
    fn fill(loads: &mut Vec<u8>, bins: usize, left: u32, most: u32, each: &mut dyn FnMut(Sorted)) {
        if loads.len() == bins || left == 0 {
            if left == 0 {
                each(Sorted::of(loads));
            }
            return;
        }
        let places = (bins - loads.len()) as u32;
        // The rest must fit below.
        for load in (left.div_ceil(places)..=left.min(most)).rev() {
            loads.push(load as u8);
            fill(loads, bins, left - load, load, each);
            loads.pop();
        }
    }
    fill(&mut Vec::new(), bins as usize, balls, balls, &mut each);
}
