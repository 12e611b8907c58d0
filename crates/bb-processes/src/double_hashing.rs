use bb_core::{Allocator, Bins, BinsExt, Decision, IndexSampler, ParameterError, Rng, SampleCount, StartError};

use crate::ties::Least;
use crate::ties::Ties;

/// Double hashing: the `d` candidates are `f, f + g, …, f + (d − 1)g` modulo `n`, and the least loaded takes
/// the ball.
///
/// `f` is a uniform bin and the step `g` is uniform among the residues coprime to `n`, so that the candidates
/// are distinct. Two hash values in place of `d`.
///
/// [`start`](Allocator::start) refuses loads with fewer than `d` bins. Without it, candidates repeat.
///
/// *Randomness:* one draw of [`BinsExt::draw`] for `f`; then the step, a word for each attempt: an odd number
/// if `n` is even, and redrawn while an odd prime factor of `n` divides it, so never for a prime or a power
/// of two; then one word for each candidate that ties with the least loaded so far. *Ties:* each of the tied
/// candidates is equally likely. *Cost:* `O(d)` a ball; `O(√n)` divisions for the first ball, to factor `n`.
/// Needs labelled bins.
///
/// # Guarantees
///
/// For `m = O(n)` its fluid limit is that of [`DChoice`](crate::DChoice), and the maximum load has the same
/// bound (Mitzenmacher, arXiv 1209.5360).
///
/// # Examples
///
/// ```
/// use bb_processes::DoubleHashing;
/// use bb_processes::bb_core::{Allocator, LoadVector, Metrics, StartError, rng_for_trial};
///
/// let mut rule = DoubleHashing::new(3)?;
/// assert_eq!(rule.d(), 3);
/// let mut loads = LoadVector::new(16_411)?; // a prime
/// rule.start_and_run(&mut loads, 16_411, &mut rng_for_trial(1, 0))?;
/// assert_eq!(loads.max_load(), 3);
///
/// let too_few = StartError::TooFewBins { parameter: "d", value: 3, bins: 2 };
/// assert_eq!(rule.start(&LoadVector::new(2)?), Err(too_few));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DoubleHashing {
    d: u32,
    /// For the number of bins that was met last.
    steps: Option<Steps>,
}

impl DoubleHashing {
    /// Returns the rule with `d ≥ 1` candidates.
    ///
    /// # Errors
    ///
    /// If `d` is 0.
    pub fn new(d: u32) -> Result<Self, ParameterError> {
        if d == 0 { Err(ParameterError::new("d", d, "1..")) } else { Ok(Self { d, steps: None }) }
    }

    /// Returns the number of candidates.
    #[must_use]
    pub fn d(&self) -> u32 {
        self.d
    }
}

impl<B: Bins<Bin = usize>> Allocator<B> for DoubleHashing {
    fn start(&mut self, bins: &B) -> Result<(), StartError> {
        let (d, n) = (u64::from(self.d), bins.bins());
        if d > n { Err(StartError::TooFewBins { parameter: "d", value: d, bins: n }) } else { Ok(()) }
    }

    #[inline]
    fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> usize {
        self.decide(bins, rng).bin
    }

    #[inline]
    fn decide<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> Decision<usize> {
        let n = bins.bins();
        let steps = match &mut self.steps {
            Some(steps) if steps.bins == n => steps,
            steps => steps.insert(Steps::new(n)),
        };
        let first = bins.draw(rng);
        let step = steps.draw(rng);
        let mut least = Least::new(Ties::Fair);
        least.sample(bins, first, rng);
        let mut place = first as u64;
        for _ in 1..self.d {
            // Both are below n, or n is 1: the sum is taken modulo n, without overflow.
            place = if place >= n - step { place - (n - step) } else { place + step };
            least.sample(bins, bins.nth(place), rng);
        }
        least.decision(bins)
    }

    fn sample_count(&self) -> Option<SampleCount> {
        Some(SampleCount::PerBall(f64::from(self.d)))
    }
}

/// The residues coprime to a number of bins.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Steps {
    bins: u64,
    /// Draws `i` for the step `i + 1`, or for the odd step `2i + 1` where the number of bins is even.
    draws: Option<IndexSampler>,
    /// The odd primes that may divide both a step and the number of bins.
    factors: Vec<u64>,
}

impl Steps {
    fn new(bins: u64) -> Self {
        let draws = IndexSampler::new(if bins.is_multiple_of(2) { bins / 2 } else { bins - 1 });
        let mut factors = Vec::new();
        let mut left = bins >> bins.trailing_zeros();
        let mut prime = 3;
        while prime <= left / prime {
            if left.is_multiple_of(prime) {
                factors.push(prime);
                while left.is_multiple_of(prime) {
                    left /= prime;
                }
            }
            prime += 2;
        }
        // What is left is a prime. If it is the number of bins itself, it divides no step.
        if left > 1 && left < bins {
            factors.push(left);
        }
        Self { bins, draws, factors }
    }

    #[inline]
    fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> u64 {
        let Some(draws) = &self.draws else { return 1 }; // One bin: any step leads back to it.
        loop {
            let index = draws.draw(rng);
            let step = if self.bins.is_multiple_of(2) { 2 * index + 1 } else { index + 1 };
            if !self.factors.iter().any(|&prime| step.is_multiple_of(prime)) {
                return step;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bb_core::rng_for_trial;
    use std::collections::BTreeMap;

    fn gcd(a: u64, b: u64) -> u64 {
        if b == 0 { a } else { gcd(b, a % b) }
    }

    /// All residues coprime to n and no others, in equal shares: each count is within 6 standard deviations,
    /// which fails with probability 2e-9 a count.
    #[test]
    fn steps_are_uniform_on_the_coprime_residues() {
        let mut rng = rng_for_trial(1, 0);
        for n in [1, 2, 3, 4, 5, 6, 9, 12, 15, 16, 25, 30, 49, 50, 77, 97, 105] {
            let steps = Steps::new(n);
            let coprime: Vec<u64> = (1..n.max(2)).filter(|&g| gcd(g, n) == 1).collect();
            let mut counts = BTreeMap::new();
            let draws = 1000 * coprime.len();
            (0..draws).for_each(|_| *counts.entry(steps.draw(&mut rng)).or_insert(0) += 1);
            assert_eq!(counts.keys().copied().collect::<Vec<_>>(), coprime, "n = {n}");
            assert!(counts.values().all(|&count: &i32| (count - 1000).abs() < 190), "n = {n}: {counts:?}");
        }
    }

    #[test]
    fn a_prime_and_a_power_of_two_reject_nothing() {
        assert!([2, 3, 64, 97, 16_411, 1 << 40].map(|n| Steps::new(n).factors).iter().all(Vec::is_empty));
        assert_eq!(Steps::new(2 * 3 * 3 * 49 * 11).factors, [3, 7, 11]);
        assert_eq!(Steps::new(2 * 16_411).factors, [16_411]);
    }
}
