//! What the benchmarks measure against, and how a ratio is taken.
//!
//! These machines share caches and clocks with others, so a time says little and a ratio taken in turns says
//! much:
//! [`Work::times`] runs the two sides alternately and returns the median of the ratios of neighbours.

use std::time::Instant;

use bb_core::{LoadVector, rng_for_trial};
use bb_experiment::{RuleError, RuleSpec, Size, process};
use rand::rngs::StdRng;
use rand::{Rng, RngExt};

/// Two-Choice as it is usually written: `Vec<u64>`, `StdRng`, `random_range`, a coin for ties.
pub fn straight_two_choice(loads: &mut [u64], balls: u64, rng: &mut StdRng) {
    let n = loads.len();
    for _ in 0..balls {
        let (first, second) = (rng.random_range(0..n), rng.random_range(0..n));
        let bin = match loads[first].cmp(&loads[second]) {
            std::cmp::Ordering::Less => first,
            std::cmp::Ordering::Greater => second,
            std::cmp::Ordering::Equal if rng.random_bool(0.5) => first,
            std::cmp::Ordering::Equal => second,
        };
        loads[bin] += 1;
    }
}

/// The memory accesses of Two-Choice and little else: indices from halves of a word without rejection (so
/// slightly biased), no maximum, no record.
pub fn bare_two_choice<R: Rng>(loads: &mut [u32], balls: u64, rng: &mut R) {
    let n = loads.len() as u64;
    for _ in 0..balls {
        let word = rng.next_u64();
        let first = (((word >> 32) * n) >> 32) as usize;
        let second = (((word & 0xffff_ffff) * n) >> 32) as usize;
        let (a, b) = (loads[first], loads[second]);
        let bin = std::hint::select_unpredictable(b < a, second, first);
        loads[bin] = a.min(b) + 1;
    }
}

/// A piece of work that can be repeated, and how many units (balls, draws) a repetition does.
#[expect(missing_debug_implementations, reason = "it holds a closure")]
pub struct Work<'a> {
    units: f64,
    run: Box<dyn FnMut() + 'a>,
}

impl<'a> Work<'a> {
    /// Work that does so many units each time.
    pub fn new(units: u64, run: impl FnMut() + 'a) -> Self {
        Self { units: units as f64, run: Box::new(run) }
    }

    /// Nanoseconds a unit, in one repetition.
    fn nanoseconds(&mut self) -> f64 {
        let start = Instant::now();
        (self.run)();
        start.elapsed().as_secs_f64() * 1e9 / self.units
    }

    /// How many times as long as `other` a unit takes: the median over `rounds` neighbouring repetitions; and
    /// the median times of both.
    pub fn times(&mut self, other: &mut Work<'_>, rounds: usize) -> Measured {
        let mut pairs: Vec<(f64, f64)> = (0..rounds).map(|_| (self.nanoseconds(), other.nanoseconds())).collect();
        let mut median = |value: fn(&(f64, f64)) -> f64| {
            pairs.sort_by(|a, b| value(a).total_cmp(&value(b)));
            value(&pairs[rounds / 2])
        };
        Measured { ratio: median(|pair| pair.0 / pair.1), this: median(|pair| pair.0), other: median(|pair| pair.1) }
    }
}

/// A ratio of two times, and the times in nanoseconds a unit.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    /// This over the other.
    pub ratio: f64,
    /// Nanoseconds a unit of this.
    pub this: f64,
    /// Nanoseconds a unit of the other.
    pub other: f64,
}

/// How many times as long as a unit of `other` a ball of a named rule takes on labelled bins; the loads go on
/// from one repetition to the next, and the rule starts anew on them.
///
/// # Errors
///
/// If there is no such rule.
///
/// # Panics
///
/// If the rule cannot start on so many bins, or the name is that of a system.
pub fn cost_of(
    spec: &RuleSpec,
    bins: u64,
    balls: u64,
    other: &mut Work<'_>,
    rounds: usize,
) -> Result<Measured, RuleError> {
    let process = process(spec, Size { bins, balls })?;
    let (mut loads, mut rng) = (LoadVector::new(bins).expect("a byte a bin"), rng_for_trial(1, 0));
    let mut work = Work::new(balls, || {
        process.throw(&mut loads, balls, &mut rng).expect("the rule starts on so many bins");
    });
    Ok(work.times(other, rounds))
}
