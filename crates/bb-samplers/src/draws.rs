//! Exact draws: uniform indices, distinct indices, coins.

use core::hint::select_unpredictable;

use rand::Rng;

use crate::parameter::ParameterError;

/// Most indices that are taken from one word.
const MOST_PER_WORD: usize = 8;

/// Draws uniform indices below `n`, several from one word, without bias.
///
/// A word `x` is read as a fraction of 1: the integer part of `x·n` is the first index, its fraction times
/// `n` gives the second, and so on. After `k` indices the word is redrawn iff the last fraction is below
/// `2^64 mod n^k` (one test for all of them), which leaves each of the `n^k` outcomes equally many words.
/// This is Lemire's bounded draw (ACM TOMACS 29(1), 2019, arXiv 1805.10941) in the batched form of
/// Brackett-Rozinsky and Lemire (arXiv 2408.06213).
///
/// *Randomness:* one word for up to `k` indices, where `k ≤ 8` is the largest with `n^k < 2^64`. A word is
/// redrawn with probability `(2^64 mod n^k)/2^64`: below `n^k/2^64`.
///
/// # Examples
///
/// ```
/// use bb_samplers::IndexSampler;
/// use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};
///
/// let sampler = IndexSampler::new(1_000).unwrap();
/// let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
/// assert!(sampler.draw(&mut rng) < 1_000);
///
/// // A pair is the first two of `draw_each`.
/// let pair = sampler.draw_pair(&mut rng.clone());
/// let mut each = Vec::new();
/// sampler.draw_each(2, &mut rng, |index| each.push(index));
/// assert_eq!(each, pair);
/// assert_eq!(sampler.bound(), 1_000);
/// assert!(IndexSampler::new(0).is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexSampler {
    n: u64,
    /// `redraw_below[k - 1] = 2^64 mod n^k`, as long as `n^k < 2^64`.
    redraw_below: [u64; MOST_PER_WORD],
    per_word: usize,
}

impl IndexSampler {
    /// Returns the sampler of `0..n`, or `None` for `n = 0`.
    #[must_use]
    pub fn new(n: u64) -> Option<Self> {
        if n == 0 {
            return None;
        }
        let mut sampler = Self { n, redraw_below: [0; MOST_PER_WORD], per_word: 0 };
        let mut outcomes = 1_u64;
        while sampler.per_word < MOST_PER_WORD {
            let Some(more) = outcomes.checked_mul(n) else { break };
            outcomes = more;
            sampler.redraw_below[sampler.per_word] = outcomes.wrapping_neg() % outcomes;
            sampler.per_word += 1;
        }
        Some(sampler)
    }

    /// Returns `n`.
    #[inline]
    #[must_use]
    pub fn bound(&self) -> u64 {
        self.n
    }

    /// Draws one index; one word an attempt.
    #[inline]
    pub fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> u64 {
        loop {
            let (index, rest) = split(rng.next_u64(), self.n);
            if rest >= self.redraw_below[0] {
                return index;
            }
        }
    }

    /// Draws two independent indices; one word an attempt where `n < 2^32`, else two words.
    #[inline]
    pub fn draw_pair<R: Rng + ?Sized>(&self, rng: &mut R) -> [u64; 2] {
        self.draw_array(rng)
    }

    /// Draws `D` independent indices: those of `draw_each(D)`.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_samplers::IndexSampler;
    /// use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};
    ///
    /// let sampler = IndexSampler::new(6).unwrap();
    /// let dice: [u64; 3] = sampler.draw_array(&mut Xoshiro256PlusPlus::seed_from_u64(1));
    /// assert!(dice.iter().all(|&eyes| eyes < 6));
    /// ```
    #[inline]
    pub fn draw_array<const D: usize, R: Rng + ?Sized>(&self, rng: &mut R) -> [u64; D] {
        if self.per_word == 1 {
            return core::array::from_fn(|_| self.draw(rng));
        }
        // With two indices a word or more, two are from one word: the compiler is to know it.
        if D > 2 && D > self.per_word {
            return self.draw_words(rng);
        }
        let mut indices = [0; D];
        self.draw_word(&mut indices, rng);
        indices
    }

    /// Draws more indices than one word gives. Not inlined: it would keep the usual case from being so.
    #[inline(never)]
    fn draw_words<const D: usize, R: Rng + ?Sized>(&self, rng: &mut R) -> [u64; D] {
        let mut indices = [0; D];
        if self.per_word == 2 {
            let (pairs, last) = indices.as_chunks_mut();
            pairs.iter_mut().for_each(|pair| *pair = self.draw_pair(rng));
            last.iter_mut().for_each(|one| *one = self.draw(rng));
        } else {
            indices.chunks_mut(self.per_word).for_each(|some| self.draw_word(some, rng));
        }
        indices
    }

    /// Draws the indices of one word, at most `per_word`.
    #[inline]
    fn draw_word<R: Rng + ?Sized>(&self, indices: &mut [u64], rng: &mut R) {
        let Some(last) = indices.len().checked_sub(1) else { return };
        loop {
            let mut rest = rng.next_u64();
            for index in &mut *indices {
                (*index, rest) = split(rest, self.n);
            }
            if rest >= self.redraw_below[last] {
                return;
            }
        }
    }

    /// Draws `d` independent indices and hands them over one by one.
    #[inline]
    pub fn draw_each<R, F>(&self, d: u32, rng: &mut R, mut each: F)
    where
        R: Rng + ?Sized,
        F: FnMut(u64),
    {
        let mut left = d as usize;
        let mut indices = [0_u64; MOST_PER_WORD];
        while left > 0 {
            let some = &mut indices[..left.min(self.per_word)];
            self.draw_word(some, rng);
            left -= some.len();
            some.iter().for_each(|&index| each(index));
        }
    }
}

/// Returns the integer and the fractional part of `(fraction/2^64)·n`.
#[inline]
fn split(fraction: u64, n: u64) -> (u64, u64) {
    let product = u128::from(fraction) * u128::from(n);
    ((product >> 64) as u64, product as u64)
}

/// Draws distinct indices, in the order in which they would be drawn one after another.
///
/// The `k`-th draw is uniform over the `n − k` indices not drawn yet: a uniform number below `n − k`, moved
/// past the indices already drawn. No draw is repeated, so it never loops, not even for `d = n`.
///
/// *Randomness:* `d` bounded draws, by one word each unless rejected. *Cost:* `O(d²)` moves at worst, no
/// allocation after the first use.
///
/// # Examples
///
/// ```
/// use bb_samplers::DistinctSampler;
/// use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};
///
/// let mut sampler = DistinctSampler::default();
/// let mut all = Vec::new();
/// sampler.draw_each(5, 5, &mut Xoshiro256PlusPlus::seed_from_u64(1), |index| all.push(index));
/// all.sort();
/// assert_eq!(all, [0, 1, 2, 3, 4]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DistinctSampler {
    /// The indices drawn so far, increasing.
    drawn: Vec<u64>,
}

impl DistinctSampler {
    /// Draws `d` distinct indices below `n`, all `n` of them if `d > n`, and hands them over in random order.
    #[inline]
    pub fn draw_each<R, F>(&mut self, n: u64, d: u32, rng: &mut R, mut each: F)
    where
        R: Rng + ?Sized,
        F: FnMut(u64),
    {
        self.drawn.clear();
        for taken in 0..u64::from(d).min(n) {
            let mut index = draw_below(n - taken, rng);
            let mut place = 0;
            while place < self.drawn.len() && self.drawn[place] <= index {
                index += 1;
                place += 1;
            }
            self.drawn.insert(place, index);
            each(index);
        }
    }
}

/// Draws one uniform number below `bound`, for bounds that change from draw to draw; where one bound serves
/// many draws, prepare an [`IndexSampler`].
///
/// Lemire's draw (ACM TOMACS 29(1), 2019, arXiv 1805.10941), exactly uniform: a word is redrawn with
/// probability `(2^64 mod bound)/2^64`. A bound of 0 is read as 1.
///
/// *Randomness:* one word an attempt.
///
/// # Examples
///
/// ```
/// use bb_samplers::draw_below;
/// use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};
///
/// let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
/// assert!((1..100).all(|bound| draw_below(bound, &mut rng) < bound));
/// ```
#[inline]
pub fn draw_below<R: Rng + ?Sized>(bound: u64, rng: &mut R) -> u64 {
    let (mut number, mut rest) = split(rng.next_u64(), bound);
    if rest < bound {
        let redraw_below = bound.wrapping_neg() % bound;
        while rest < redraw_below {
            (number, rest) = split(rng.next_u64(), bound);
        }
    }
    number
}

/// A coin that shows heads with a given probability and always takes exactly one word.
///
/// `rand`'s Bernoulli takes no word at probability 1; rules that promise a fixed number of words per ball
/// need one that does.
///
/// *Accuracy:* the probability used is `⌊p·2^63⌋/2^63`, which is `p` itself for every `f64` that is 0 or at
/// least `2^-10`; else it is off by less than `2^-63`.
///
/// # Examples
///
/// ```
/// use bb_samplers::Coin;
/// use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};
///
/// let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
/// assert!(Coin::new("beta", 1.0)?.flip(&mut rng));
/// assert!(!Coin::new("beta", 0.0)?.flip(&mut rng));
/// assert_eq!(Coin::new("beta", 1.0)?.pick("heads", "tails", &mut rng), "heads");
/// assert_eq!(Coin::new("beta", 0.25)?.probability(), 0.25);
/// assert_eq!(Coin::new("beta", 0.5)?, Coin::FAIR);
/// assert_eq!(Coin::new("beta", 1.5).unwrap_err().to_string(), "beta = 1.5 is outside [0, 1]");
/// # Ok::<(), bb_samplers::ParameterError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coin {
    probability: f64,
    /// Heads iff the upper 63 bits of the word are below this.
    heads_below: u64,
}

impl Coin {
    /// The fair coin.
    pub const FAIR: Self = Self { probability: 0.5, heads_below: 1 << 62 };

    /// Returns the coin with this probability of heads.
    ///
    /// # Errors
    ///
    /// If `probability` is not in `[0, 1]`; the error names `parameter`.
    #[inline]
    pub fn new(parameter: &'static str, probability: f64) -> Result<Self, ParameterError> {
        if !(0.0..=1.0).contains(&probability) {
            return Err(Self::refuse(parameter, probability));
        }
        // Exact: a product with a power of two. At most 2^63, so the cast does not saturate.
        let heads_below = (probability * 2_f64.powi(63)) as u64;
        Ok(Self { probability, heads_below })
    }

    #[cold]
    fn refuse(parameter: &'static str, probability: f64) -> ParameterError {
        ParameterError::new(parameter, format!("{probability:?}"), "[0, 1]")
    }

    /// Returns the probability of heads.
    #[inline]
    #[must_use]
    pub fn probability(&self) -> f64 {
        self.probability
    }

    /// Flips the coin; one word.
    #[inline]
    pub fn flip<R: Rng + ?Sized>(&self, rng: &mut R) -> bool {
        rng.next_u64() >> 1 < self.heads_below
    }

    /// Flips the coin and returns `heads` or `tails`, without a branch for the processor to mispredict.
    #[inline]
    pub fn pick<T, R: Rng + ?Sized>(&self, heads: T, tails: T, rng: &mut R) -> T {
        select_unpredictable(self.flip(rng), heads, tails)
    }
}

#[cfg(test)]
mod tests {
    use bb_core::rng_for_trial;

    use super::*;

    #[test]
    fn redraw_thresholds_are_those_of_wide_arithmetic() {
        for n in [1, 2, 3, 7, 1000, 65_536, 1 << 31, u64::from(u32::MAX), 1 << 32, u64::MAX] {
            let sampler = IndexSampler::new(n).unwrap();
            let mut outcomes = 1_u128;
            for k in 0..MOST_PER_WORD {
                outcomes *= u128::from(n);
                if outcomes >> 64 != 0 {
                    assert_eq!(sampler.per_word, k, "n = {n}");
                    break;
                }
                assert_eq!(u128::from(sampler.redraw_below[k]), (1_u128 << 64) % outcomes, "n = {n}, k = {k}");
            }
        }
    }

    /// From one to eight indices a word, and arrays of fewer and more.
    #[test]
    fn an_array_is_what_is_drawn_one_by_one() {
        fn check<const D: usize>(sampler: &IndexSampler) {
            let (mut rng, mut same) = (rng_for_trial(5, sampler.n), rng_for_trial(5, sampler.n));
            for _ in 0..10 {
                let mut each = Vec::new();
                sampler.draw_each(D as u32, &mut rng, |index| each.push(index));
                assert_eq!(sampler.draw_array::<D, _>(&mut same)[..], each, "n = {}", sampler.n);
            }
            assert_eq!(rng, same, "n = {}, D = {D}", sampler.n);
        }
        for (n, per_word) in [(2, 8), (1000, 6), (70_000, 3), (3 << 20, 2), (3_000_000_000, 2), (1 << 32, 1)] {
            let sampler = IndexSampler::new(n).unwrap();
            assert_eq!(sampler.per_word, per_word);
            check::<0>(&sampler);
            check::<1>(&sampler);
            check::<2>(&sampler);
            check::<3>(&sampler);
            check::<4>(&sampler);
            check::<9>(&sampler);
        }
    }
}
