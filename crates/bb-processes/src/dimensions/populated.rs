//! Which dimensions a ball populates.

use bb_core::{Coin, ParameterError, Rng, draw_below};

/// Up to so many dimensions all subsets are gone through, for a probability.
const MOST_ENUMERATED: usize = 16;

/// The law of the set of populated dimensions.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Populated {
    /// A uniform subset of `f` dimensions.
    Uniform {
        /// Shuffled a little for each ball: a partial shuffle of any order is uniform.
        order: Vec<usize>,
        f: usize,
    },
    /// `f` dimensions, one after another among those that are left, in proportion to their weights.
    Weighted { weights: Vec<u64>, left: Sums, f: usize },
    /// Each dimension by itself.
    Coins {
        coins: Vec<Chance>,
        /// The chance of each dimension where none before it is populated.
        first: Vec<Chance>,
    },
}

/// A coin that takes no word where there is nothing to decide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Chance {
    Sure(bool),
    Coin(Coin),
}

impl Chance {
    fn new(p: f64) -> Result<Self, ParameterError> {
        let coin = Coin::new("p", p)?;
        Ok(if p == 0.0 || p == 1.0 { Self::Sure(p == 1.0) } else { Self::Coin(coin) })
    }

    #[inline]
    fn flip<R: Rng + ?Sized>(&self, rng: &mut R) -> bool {
        match self {
            Self::Sure(heads) => *heads,
            Self::Coin(coin) => coin.flip(rng),
        }
    }

    fn probability(&self) -> f64 {
        match self {
            Self::Sure(heads) => f64::from(u8::from(*heads)),
            Self::Coin(coin) => coin.probability(),
        }
    }
}

impl Populated {
    pub(super) fn uniform(dimensions: usize, f: u64) -> Result<Self, ParameterError> {
        let f = subset_size(dimensions, f, dimensions, "the number of dimensions")?;
        Ok(Self::Uniform { order: (0..dimensions).collect(), f })
    }

    pub(super) fn weighted(dimensions: usize, f: u64, q: &[f64]) -> Result<Self, ParameterError> {
        let given = format_args!("a list of {}", q.len());
        let range = format_args!("the lists of {dimensions}, one for each dimension");
        ParameterError::require(q.len() == dimensions, "q", given, range)?;
        if let Some(wrong) = q.iter().find(|weight| !(**weight >= 0.0 && weight.is_finite())) {
            return Err(ParameterError::new("q", format!("{wrong:?}"), "the finite numbers from 0"));
        }
        let positive = q.iter().filter(|&&weight| weight > 0.0).count();
        let f = subset_size(dimensions, f, positive, "the number of dimensions with positive q")?;
        // Integers in proportion, by a power of two, whose sum is at most 2^62: sums of them are exact.
        let largest = q.iter().copied().fold(0.0, f64::max);
        let bits = 62 - dimensions.next_power_of_two().trailing_zeros() as i32;
        let scale = bits - libm::frexp(largest).1;
        let unit = |weight: f64| if weight > 0.0 { (libm::ldexp(weight, scale).round() as u64).max(1) } else { 0 };
        let weights: Vec<u64> = q.iter().map(|&weight| unit(weight)).collect();
        Ok(Self::Weighted { left: Sums::new(&weights), weights, f })
    }

    pub(super) fn coins(probabilities: &[f64]) -> Result<Self, ParameterError> {
        let coins = probabilities.iter().map(|&p| Chance::new(p)).collect::<Result<Vec<_>, _>>()?;
        Ok(Self::Coins { first: coins.clone(), coins })
    }

    /// Makes it the law under the condition that a dimension is populated, which `p` has to allow.
    ///
    /// Nothing is drawn again: if no dimension before `k` is populated, and one from `k` on must be, then `k`
    /// is with probability `p_k/(1 − Π_{j≥k}(1 − p_j))`.
    pub(super) fn never_empty(&mut self) -> Result<(), ParameterError> {
        let Self::Coins { coins, first } = self else { return Ok(()) };
        let mut log_none = 0.0_f64;
        for (chance, first) in coins.iter().zip(first).rev() {
            let p = chance.probability();
            // The last one possible has to be, without rounding.
            let is_last = log_none == 0.0 && p > 0.0;
            log_none += (-p).ln_1p();
            let some = -log_none.exp_m1();
            *first = if is_last {
                Chance::Sure(true)
            } else {
                Chance::new(if p > 0.0 { (p / some).min(1.0) } else { 0.0 })?
            };
        }
        ParameterError::require(
            log_none != 0.0,
            "p",
            0,
            "(0, 1] for some dimension, where empty balls are drawn again",
        )?;
        Ok(())
    }

    pub(super) fn dimensions(&self) -> usize {
        match self {
            Self::Uniform { order, .. } => order.len(),
            Self::Weighted { weights, .. } => weights.len(),
            Self::Coins { coins, .. } => coins.len(),
        }
    }

    /// Tells whether all balls populate the same dimensions; then no word is taken.
    pub(super) fn is_constant(&self) -> bool {
        match self {
            Self::Uniform { order, f } => *f == order.len(),
            Self::Weighted { weights, f, .. } => *f == weights.iter().filter(|&&weight| weight > 0).count(),
            Self::Coins { coins, first } => coins.iter().chain(first).all(|chance| matches!(chance, Chance::Sure(_))),
        }
    }

    /// Draws a set and hands its members over one by one.
    #[inline]
    pub(super) fn draw<R: Rng + ?Sized>(&mut self, rng: &mut R, mut each: impl FnMut(usize)) {
        match self {
            Self::Uniform { order, f } => {
                if *f < order.len() {
                    for place in 0..*f {
                        let other = place + draw_below((order.len() - place) as u64, rng) as usize;
                        order.swap(place, other);
                    }
                }
                order[..*f].iter().copied().for_each(each);
            }
            Self::Weighted { weights, left, f } => {
                if *f == left.positive {
                    let positive = |&dimension: &usize| weights[dimension] > 0;
                    (0..weights.len()).filter(positive).for_each(each);
                    return;
                }
                let mut drawn = core::mem::take(&mut left.drawn);
                for _ in 0..*f {
                    let dimension = left.find(draw_below(left.total(), rng));
                    left.set(dimension, 0);
                    drawn.push(dimension);
                    each(dimension);
                }
                drawn.drain(..).for_each(|dimension| left.set(dimension, weights[dimension]));
                left.drawn = drawn;
            }
            Self::Coins { coins, first } => {
                let mut some = false;
                for (dimension, (coin, first)) in coins.iter().zip(first).enumerate() {
                    if (if some { coin } else { first }).flip(rng) {
                        some = true;
                        each(dimension);
                    }
                }
            }
        }
    }

    /// The probability that a dimension is populated, where it is known.
    pub(super) fn probability(&self, dimension: usize) -> Option<f64> {
        match self {
            Self::Uniform { order, f } => Some(*f as f64 / order.len() as f64),
            Self::Weighted { weights, f, .. } => inclusion(weights, *f, dimension),
            Self::Coins { coins, first } => {
                // Under the condition that there is one: p_k over the chance of that, which first and plain
                // chance of dimension 0 tell.
                let some = if coins == first {
                    1.0
                } else {
                    -coins.iter().map(|chance| (-chance.probability()).ln_1p()).sum::<f64>().exp_m1()
                };
                Some(coins[dimension].probability() / some)
            }
        }
    }
}

fn subset_size(dimensions: usize, f: u64, most: usize, what: &str) -> Result<usize, ParameterError> {
    let size = usize::try_from(f).ok().filter(|f| (1..=most.min(dimensions)).contains(f));
    size.ok_or_else(|| ParameterError::new("f", f, format!("1..={most}, {what}")))
}

/// The probability that a dimension is among the first `f` drawn, by going through all sets.
fn inclusion(weights: &[u64], f: usize, dimension: usize) -> Option<f64> {
    if weights.iter().all(|&weight| weight == weights[0]) {
        return Some(f as f64 / weights.len() as f64);
    }
    if weights.len() > MOST_ENUMERATED {
        return None;
    }
    let all: u64 = weights.iter().sum();
    // The probability that the first dimensions drawn are this set, in whatever order.
    let mut sets = vec![0.0; 1 << weights.len()];
    sets[0] = 1.0;
    let mut included = 0.0;
    for set in 0..sets.len() {
        let members = |k: &usize| set >> k & 1 == 1;
        if set.count_ones() as usize == f {
            included += if members(&dimension) { sets[set] } else { 0.0 };
        } else if sets[set] > 0.0 {
            let left = all - (0..weights.len()).filter(members).map(|k| weights[k]).sum::<u64>();
            for k in (0..weights.len()).filter(|k| !members(k)) {
                sets[set | 1 << k] += sets[set] * weights[k] as f64 / left as f64;
            }
        }
    }
    Some(included)
}

/// Integers, with the sums of blocks of `2^j` of them, as a heap: the children of `i` are `2i` and `2i + 1`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sums {
    heap: Vec<u64>,
    leaves: usize,
    positive: usize,
    /// Room for the members of a set.
    drawn: Vec<usize>,
}

impl Sums {
    fn new(numbers: &[u64]) -> Self {
        let leaves = numbers.len().next_power_of_two();
        let mut heap = vec![0; 2 * leaves];
        heap[leaves..][..numbers.len()].copy_from_slice(numbers);
        for node in (1..leaves).rev() {
            heap[node] = heap[2 * node] + heap[2 * node + 1];
        }
        Self { heap, leaves, positive: numbers.iter().filter(|&&number| number > 0).count(), drawn: Vec::new() }
    }

    fn total(&self) -> u64 {
        self.heap[1]
    }

    /// The place that a number below the total falls on.
    fn find(&self, mut number: u64) -> usize {
        let mut node = 1;
        while node < self.leaves {
            node *= 2;
            if number >= self.heap[node] {
                number -= self.heap[node];
                node += 1;
            }
        }
        node - self.leaves
    }

    fn set(&mut self, place: usize, number: u64) {
        let mut node = place + self.leaves;
        self.heap[node] = number;
        while node > 1 {
            node /= 2;
            self.heap[node] = self.heap[2 * node] + self.heap[2 * node + 1];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bb_core::rng_for_trial;

    #[test]
    fn sums_find_every_place() {
        let numbers = [3, 0, 2, 0, 1];
        let mut sums = Sums::new(&numbers);
        assert_eq!((0..6).map(|number| sums.find(number)).collect::<Vec<_>>(), [0, 0, 0, 2, 2, 4]);
        sums.set(0, 0);
        assert_eq!((0..3).map(|number| sums.find(number)).collect::<Vec<_>>(), [2, 2, 4]);
        let one = Sums::new(&[7]);
        assert_eq!((one.total(), one.find(6)), (7, 0));
    }

    /// What is drawn is put back, ball after ball.
    #[test]
    fn a_ball_leaves_no_trace() {
        let mut weighted = Populated::weighted(5, 3, &[1.0, 2.0, 0.0, 1e-9, 5.0]).unwrap();
        let before = weighted.clone();
        for trial in 0..100 {
            let mut set = Vec::new();
            weighted.draw(&mut rng_for_trial(1, trial), |dimension| set.push(dimension));
            set.sort_unstable();
            set.dedup();
            assert!(set.len() == 3 && !set.contains(&2));
        }
        let (Populated::Weighted { left, .. }, Populated::Weighted { left: same, .. }) = (&weighted, &before) else {
            unreachable!()
        };
        assert_eq!(left.heap, same.heap);
    }

    /// Small and large numbers alike keep their proportions, and no positive one becomes 0.
    #[test]
    fn weights_become_integers() {
        for scale in [1e-300, 1.0, 1e300] {
            let q: Vec<f64> = [3.0, 1.0, 0.0].iter().map(|weight| weight * scale).collect();
            let Populated::Weighted { weights, .. } = Populated::weighted(3, 1, &q).unwrap() else { unreachable!() };
            assert!((weights[0] as f64 / weights[1] as f64 - 3.0).abs() < 1e-15 && weights[2] == 0, "{weights:?}");
        }
        let Populated::Weighted { weights, .. } = Populated::weighted(2, 2, &[1e300, 1e-300]).unwrap() else {
            unreachable!()
        };
        assert!(weights[1] == 1 && weights[0] >= 1 << 60);
    }
}
