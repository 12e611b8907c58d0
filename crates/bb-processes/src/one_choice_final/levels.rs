//! The number of bins at each level: thrown, of Poisson loads, and two of them matched.

use bb_core::rand::distr::Distribution;
use bb_core::samplers::{Binomial, multivariate_hypergeometric};
use bb_core::{IndexSampler, Rng};

use super::double::Double;

/// `counts[k]` bins hold `lowest + k` balls.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Levels {
    pub(super) lowest: u64,
    pub(super) counts: Vec<u64>,
}

impl Levels {
    /// The occupied levels and their numbers of bins.
    pub(super) fn occupied(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        (self.lowest..).zip(self.counts.iter().copied()).filter(|&(_, count)| count > 0)
    }

    /// The number of balls, or `None` if it exceeds `most`.
    fn balls(&self, most: u64) -> Option<u64> {
        let sum: u128 = self.occupied().map(|(load, count)| u128::from(load) * u128::from(count)).sum();
        u64::try_from(sum).ok().filter(|&balls| balls <= most)
    }

    /// Throws balls one by one.
    pub(super) fn thrown<R: Rng + ?Sized>(bins: u64, balls: u64, rng: &mut R) -> Self {
        let mut counts = vec![bins];
        let draws = IndexSampler::new(bins).expect("there are bins");
        for _ in 0..balls {
            // Bins are numbered by increasing load.
            let (mut place, mut level) = (draws.draw(rng), 0);
            while place >= counts[level] {
                place -= counts[level];
                level += 1;
            }
            counts[level] -= 1;
            match counts.get_mut(level + 1) {
                Some(above) => *above += 1,
                None => counts.push(1),
            }
        }
        Self { lowest: 0, counts }
    }

    /// Adds the loads of `other` bin by bin, all ways of matching the bins being equally likely.
    pub(super) fn matched<R: Rng + ?Sized>(mut self, other: &Self, rng: &mut R) -> Self {
        let Some(most) = other.counts.iter().max() else { return self };
        // The fullest level takes the bins that are left: no draw.
        let rest = other.counts.iter().position(|count| count == most).unwrap_or(0);
        let mut counts = vec![0; self.counts.len() + other.counts.len() - 1];
        let mut parts = Vec::new();
        for (above, &bins) in other.counts.iter().enumerate().rev() {
            if bins > 0 && above != rest {
                parts.clear();
                multivariate_hypergeometric(&self.counts, bins, rng, |level, part| parts.push((level, part)))
                    .expect("both have equally many bins");
                for &(level, part) in &parts {
                    self.counts[level] -= part;
                    counts[level + above] += part;
                }
            }
        }
        for (count, left) in counts[rest..].iter_mut().zip(&self.counts) {
            *count += left;
        }
        Self { lowest: self.lowest + other.lowest, counts }
    }
}

/// The law of a Poisson load, as far as it matters, for splitting bins over the levels.
#[derive(Clone, Debug)]
pub(super) struct PoissonLoads {
    lowest: u64,
    /// Probabilities of the levels from `lowest`, up to a common factor.
    weights: Vec<Double>,
    /// `tails[k] = weights[k] + weights[k + 1] + …`, summed from the end.
    tails: Vec<Double>,
}

impl PoissonLoads {
    /// The law of this mean, without levels which together have a probability below `negligible`.
    ///
    /// Weights are counted from that of the mode, 1, by `w(k + 1) = w(k)·mean/(k + 1)`, to either side until
    /// they are below `negligible`. All further levels together have at most that probability: the ratio of
    /// neighbours falls with the distance from the mode M, so that `Σ w(K + i) <= w(K)·Σ w(M + i)` over
    /// `i > 0`, that is `P(X > K) <= w(K)·P(X > M)`; and so below.
    pub(super) fn new(mean: f64, negligible: f64) -> Self {
        let mode = mean.floor();
        let mut weights = Vec::new();
        let (mut level, mut weight) = (mode, Double::ONE);
        while level > 0.0 && weight.rounded() >= negligible {
            weight = weight.times(level).over(mean);
            level -= 1.0;
            weights.push(weight);
        }
        let lowest = level as u64;
        weights.reverse();
        weights.push(Double::ONE);
        (level, weight) = (mode, Double::ONE);
        while weight.rounded() >= negligible {
            level += 1.0;
            weight = weight.times(mean).over(level);
            weights.push(weight);
        }
        let mut tail = Double::ZERO;
        let mut tails: Vec<Double> = weights
            .iter()
            .rev()
            .map(|&weight| {
                tail = tail.plus(weight);
                tail
            })
            .collect();
        tails.reverse();
        Self { lowest, weights, tails }
    }

    /// Draws the loads of so many independent bins.
    pub(super) fn draw<R: Rng + ?Sized>(&self, bins: u64, rng: &mut R) -> Levels {
        let mut levels = Levels { lowest: self.lowest, counts: Vec::new() };
        let mut left = bins;
        for (level, (&here, &tail)) in self.weights.iter().zip(&self.tails).enumerate() {
            let count = match self.tails.get(level + 1) {
                None => left,
                // Of "here" and "higher" the less likely is drawn: both keep their relative precision.
                Some(&higher) if higher.rounded() < here.rounded() => left - heads(left, higher.over_double(tail), rng),
                Some(_) => heads(left, here.over_double(tail), rng),
            };
            left -= count;
            if count == 0 && levels.counts.is_empty() {
                levels.lowest += 1;
            } else {
                levels.counts.push(count);
            }
            if left == 0 {
                break;
            }
        }
        levels
    }
}

/// The number of successes among trials, for a probability (at most about 1/2) of twice the precision of an
/// `f64`.
///
/// Each trial succeeds with probability `floor`, and if it fails, once more with `rest/(1 - floor)`: together
/// `floor + rest`.
#[inline]
fn heads<R: Rng + ?Sized>(trials: u64, probability: Double, rng: &mut R) -> u64 {
    let (floor, rest) = probability.floor_and_rest();
    let mut toss = |trials, p: f64| Binomial::new(trials, p).expect("both are in range").sample(rng);
    let first = toss(trials, floor);
    first + toss(trials - first, rest / (1.0 - floor))
}

/// The balls aimed at are so many standard deviations below those asked for: about one profile in 40 has too
/// many and is drawn again.
const MARGIN: f64 = 2.0;

/// Draws the levels of `balls` balls in `bins` bins; up to `few >= 4` balls are thrown.
pub(super) fn draw<R: Rng + ?Sized>(bins: u64, balls: u64, few: u64, rng: &mut R) -> Levels {
    debug_assert!(few >= 4, "the mean must be positive");
    if balls <= few {
        return Levels::thrown(bins, balls, rng);
    }
    let most = balls as f64;
    let mean = (most - MARGIN * most.sqrt()) / bins as f64;
    let loads = PoissonLoads::new(mean, NEGLIGIBLE / bins as f64);
    let (levels, placed) = loop {
        let levels = loads.draw(bins, rng);
        if let Some(placed) = levels.balls(balls) {
            break (levels, placed);
        }
    };
    levels.matched(&draw(bins, balls - placed, few, rng), rng)
}

/// The probability with which any bin may have a load that is left out.
const NEGLIGIBLE: f64 = 1.0 / (1_u64 << 60) as f64;

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use bb_core::rng_for_trial;
    use bb_testkit::BigRational;
    use bb_testkit::exact::ratio;
    use bb_testkit::ranks::{one_choice, sorted_chain};
    use bb_testkit::stats::{Verdict, goodness_of_fit, tally};

    use super::super::double::tests::{exact, exact_sum, is_within};
    use super::*;

    /// The probability of each level among itself and the higher ones, against rational arithmetic; and what
    /// is left out.
    #[test]
    fn split_probabilities_have_100_bits() {
        // The last means have few bits, for the sake of the rational numbers.
        let cases = [(1e-17, 1e-36), (0.93, 1e-36), (1.0, 1e-20), (5.2, 1e-30), (48.0, 1e-30), (100.25, 1e-12)];
        for (mean, negligible) in cases {
            let loads = PoissonLoads::new(mean, negligible);
            let levels = loads.weights.len() as u64;
            // Weights from level 0 to far beyond the last one, over that of level 0.
            let mut weight = ratio(1, 1);
            let weights: Vec<BigRational> = (1..=loads.lowest + levels + 40)
                .map(|level| {
                    let next = &weight * exact(mean) / ratio(level, 1);
                    core::mem::replace(&mut weight, next)
                })
                .collect();
            let kept = loads.lowest as usize..(loads.lowest + levels) as usize;
            let left_out: BigRational = weights[..kept.start].iter().chain(&weights[kept.end..]).sum();
            assert!(left_out / weights.iter().sum::<BigRational>() < exact(negligible), "mean {mean}");
            let units = 15.0 * levels as f64 + 16.0;
            let mut tail = ratio(0, 1);
            for (level, weight) in weights[kept].iter().enumerate().rev() {
                tail += weight;
                let split = loads.weights[level].over_double(loads.tails[level]);
                assert!(is_within(&exact_sum(split), &(weight / &tail), units), "mean {mean}, level {level}");
            }
        }
    }

    fn sorted(levels: &Levels) -> Vec<u64> {
        let mut loads: Vec<u64> =
            levels.occupied().flat_map(|(load, count)| core::iter::repeat_n(load, count as usize)).collect();
        loads.reverse();
        loads
    }

    /// Chi-square of the sorted loads against the chain of One-Choice.
    fn against_the_chain(bins: u64, balls: u64, mut draw: impl FnMut() -> Levels) -> Verdict {
        let law = sorted_chain(bins, balls, |_| one_choice(bins)).to_f64();
        goodness_of_fit(&tally((0..40_000).map(|_| sorted(&draw()))), &law)
    }

    const SMALL: [(u64, u64); 7] = [(1, 30), (2, 5), (2, 40), (3, 9), (4, 12), (5, 7), (7, 6)];

    #[test]
    fn levels_have_the_exact_law() {
        for (seed, (bins, balls)) in SMALL.into_iter().enumerate() {
            let mut rng = rng_for_trial(50, seed as u64);
            let name = format!("{balls} balls in {bins} bins");
            against_the_chain(bins, balls, || draw(bins, balls, 4, &mut rng)).assert_fits(&name, 50);
            against_the_chain(bins, balls, || Levels::thrown(bins, balls, &mut rng)).assert_fits(&name, 50);
        }
    }

    /// The same repair with one thing wrong: each is told apart at some size.
    #[test]
    fn wrong_levels_are_told_apart() {
        /// The balls left over by Poisson loads which may be bent, and a matching which need not be fair.
        fn wrong(bins: u64, balls: u64, seed: u64, bend: f64, fair: bool) -> Verdict {
            let mut rng = rng_for_trial(51, seed);
            let mut loads = PoissonLoads::new((balls as f64 - 2.0 * (balls as f64).sqrt()) / bins as f64, 1e-20);
            loads.weights[1] = loads.weights[1].times(bend);
            let mut tail = Double::ZERO;
            for (weight, sum) in loads.weights.iter().zip(&mut loads.tails).rev() {
                tail = tail.plus(*weight);
                *sum = tail;
            }
            against_the_chain(bins, balls, || {
                let (levels, placed) = loop {
                    let levels = loads.draw(bins, &mut rng);
                    if let Some(placed) = levels.balls(balls) {
                        break (levels, placed);
                    }
                };
                let rest = draw(bins, balls - placed, 4, &mut rng);
                if fair {
                    return levels.matched(&rest, &mut rng);
                }
                // The fullest bin with the fullest.
                let mut counts = BTreeMap::new();
                sorted(&levels).iter().zip(sorted(&rest)).for_each(|(a, b)| *counts.entry(a + b).or_insert(0) += 1);
                let most = *counts.keys().next_back().expect("there are bins");
                Levels { lowest: 0, counts: (0..=most).map(|load| counts.get(&load).copied().unwrap_or(0)).collect() }
            })
        }
        for (seed, (bins, balls)) in [(3, 9), (4, 12), (5, 7)].into_iter().enumerate() {
            wrong(bins, balls, seed as u64, 1.0, true).assert_fits("nothing wrong", 51);
            wrong(bins, balls, seed as u64, 1.0, false).assert_rejects("matched by order", 51);
            wrong(bins, balls, seed as u64, 2.0, true).assert_rejects("one weight doubled", 51);
        }
    }
}
