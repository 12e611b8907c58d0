//! WithCounters balls in a draw without replacement.

use rand::Rng;
use rand::distr::Distribution;

use crate::error::{SamplerError, at_most};
use crate::inversion::{Zero, invert};
use crate::ln_ratio::{ln_factorial_ratio, sum_of_ln_factorial_ratios};
use crate::numbers::{MAX_POPULATION, real, real_wide};
use crate::rejection::Hat;

/// The number of marked balls among `draws` balls drawn without replacement from `total`, of which `marked`
/// are marked.
///
/// `P(X = x) = C(marked, x)·C(total - marked, draws - x) / C(total, draws)`.
///
/// With the two symmetries "marked against unmarked" and "drawn against left" and
/// the exchange of `marked` and `draws` the law is reduced to
/// `draws <= marked <= total/2`. A mean below 10 or a standard deviation below 3 is
/// served by inversion, the rest by transformed rejection; see the
/// [module page](super).
///
/// *Randomness:* no word if the answer is certain (nothing or all marked,
/// nothing or all drawn), one 64-bit word for inversion; for rejection two words
/// a try, three if the standard deviation is 4096 or more, 1.12 to 1.4 tries on average.
///
/// *Guarantees:* every value is in the support; the law is within 1e-11 of the
/// exact one in total variation ([derivation](crate#accuracy)). The rejection's
/// constants are scanned, not proved, for this law.
///
/// # Complexity
///
/// O(1) for [`new`](Self::new) and for a sample, whatever the numbers; no allocation.
///
/// # Examples
///
/// ```
/// use bb_samplers::Hypergeometric;
/// use rand::distr::Distribution;
/// use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};
///
/// let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
/// let hand = Hypergeometric::new(52, 13, 5)?;
/// let spades = hand.sample(&mut rng);
/// assert!(spades <= 5);
///
/// let huge = Hypergeometric::new(1 << 62, 1 << 61, 1 << 40)?.sample(&mut rng);
/// assert!(huge.abs_diff(1 << 39) < 10 << 19); // ten standard deviations
/// # Ok::<(), bb_samplers::SamplerError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hypergeometric {
    // The reduced law: draws <= marked <= total / 2.
    total: u64,
    marked: u64,
    draws: u64,
    /// The answer is `base - x` if this is set, else `base + x`, with x from the reduced law.
    mirrored: bool,
    base: u64,
    method: Method,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Method {
    Certain,
    Inversion { mean: f64 },
    Rejection { hat: Hat, mean_minus_mode: f64, mode: u64 },
}

impl Hypergeometric {
    /// Prepares the law for these three counts.
    ///
    /// # Errors
    ///
    /// [`SamplerError::Count`] if `total` exceeds [`MAX_POPULATION`], or `marked` or
    /// `draws` exceeds `total`.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_samplers::Hypergeometric;
    ///
    /// assert!(Hypergeometric::new(10_000_000, 9_999_000, 3_162).is_ok());
    /// assert!(Hypergeometric::new(10, 3, 11).is_err());
    /// ```
    #[inline]
    pub fn new(total: u64, marked: u64, draws: u64) -> Result<Self, SamplerError> {
        at_most("total", total, MAX_POPULATION)?;
        at_most("marked", marked, total)?;
        at_most("draws", draws, total)?;
        Ok(Self::unchecked(total, marked, draws))
    }

    /// Prepares the law without a check, for loops that know their counts to be in range.
    ///
    /// Counts out of range panic in debug builds; in release builds they give a meaningless law, which may
    /// never return an answer.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_samplers::Hypergeometric;
    ///
    /// assert_eq!(Hypergeometric::unchecked(52, 13, 5), Hypergeometric::new(52, 13, 5)?);
    /// # Ok::<(), bb_samplers::SamplerError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn unchecked(total: u64, marked: u64, draws: u64) -> Self {
        debug_assert!(total <= MAX_POPULATION && marked <= total && draws <= total);
        // Unmarked instead of marked: X = draws - X'. Then left instead of drawn:
        // X' = marked' - X''.
        let few_marked = marked.min(total - marked);
        let few_draws = draws.min(total - draws);
        let (mirrored, base) = match (few_marked != marked, few_draws != draws) {
            (false, false) => (false, 0),
            (true, false) => (true, draws),
            (false, true) => (true, marked),
            (true, true) => (false, draws - few_marked),
        };
        // The law is symmetric in `marked` and `draws`.
        let (marked, draws) = (few_marked.max(few_draws), few_marked.min(few_draws));
        let method = Method::choose(total, marked, draws);
        Self { total, marked, draws, mirrored, base, method }
    }

    /// `total - marked - draws` of the reduced law: the unmarked left behind when
    /// every draw is unmarked.
    #[inline]
    fn spare(&self) -> u64 {
        self.total - self.marked - self.draws
    }

    /// `P(X = 0)` of the reduced law.
    #[inline]
    fn zero(&self) -> Zero {
        let (total, marked) = (real(self.total), real(self.marked));
        if self.draws <= 8 {
            let mut zero = Zero { is: 1.0, is_not: 0.0 };
            for drawn in 0..self.draws {
                let hit = marked / real(self.total - drawn);
                zero.is_not += zero.is * hit;
                zero.is *= 1.0 - hit;
            }
            return zero;
        }
        // (total-marked)! (total-draws)! / (total! (total-marked-draws)!)
        let minus = -(self.draws.cast_signed());
        Zero::from_ln(
            ln_factorial_ratio(self.total, minus) - ln_factorial_ratio(self.total - self.marked, minus)
                + real(self.draws) * (-marked / total).ln_1p(),
        )
    }

    /// `P(x + 1)/P(x)` of the reduced law.
    #[inline]
    fn next_ratio(&self, x: f64) -> f64 {
        let (marked, draws) = (real(self.marked), real(self.draws));
        (marked - x) * (draws - x) / ((x + 1.0) * (real(self.spare()) + x + 1.0))
    }

    /// `ln(P(mode + d)/P(mode))` of the reduced law.
    ///
    /// Four ratios of factorials; their powers combine into
    /// `((marked-mode)(draws-mode) / (mode·(spare+mode)))^d`, whose base differs
    /// from 1 by `total·(mean - mode)` over the denominator.
    #[inline]
    fn ln_ratio(&self, mode: u64, mean_minus_mode: f64, d: i64) -> f64 {
        let unmarked_left = self.spare() + mode;
        let base = real(self.total) * mean_minus_mode / (real(mode) * real(unmarked_left));
        d as f64 * base.ln_1p()
            - sum_of_ln_factorial_ratios([
                (mode, d),
                (self.marked - mode, -d),
                (self.draws - mode, -d),
                (unmarked_left, d),
            ])
    }
}

impl Method {
    #[inline]
    fn choose(total: u64, marked: u64, draws: u64) -> Self {
        if draws == 0 {
            return Self::Certain;
        }
        let n = real(total);
        let p = real(marked) / n;
        let mean = real(draws) * p;
        // `total` is at least 2 here.
        let variance = mean * (1.0 - p) * (real(total - draws) / real(total - 1));
        if mean < 10.0 || variance < 9.0 {
            return Self::Inversion { mean };
        }
        // Rounding may miss the mode by one, or by 2^-52 of itself: the law is then
        // within a factor 1 - 2^-43 of its maximum, and the ratios are taken to this
        // value in any case.
        let mode = ((real(draws) + 1.0) * (real(marked) + 1.0) / (n + 2.0)) as i64 as u64;
        let mean_minus_mode = mean_minus(total, marked, draws, mode);
        let hat = Hat::new(variance.sqrt(), mode, mean_minus_mode, p);
        Self::Rejection { hat, mean_minus_mode, mode }
    }
}

/// `marked·draws/total - mode`, formed in integers so that nothing cancels.
#[inline]
fn mean_minus(total: u64, marked: u64, draws: u64, mode: u64) -> f64 {
    let product = i128::from(marked) * i128::from(draws);
    real_wide(product - i128::from(mode) * i128::from(total)) / real(total)
}

impl Distribution<u64> for Hypergeometric {
    #[inline]
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> u64 {
        let x = match self.method {
            Method::Certain => 0,
            Method::Inversion { mean } => invert(rng, mean, || self.zero(), |x| self.next_ratio(x)),
            Method::Rejection { hat, mean_minus_mode, mode } => {
                hat.sample(rng, self.draws, |d| self.ln_ratio(mode, mean_minus_mode, d))
            }
        };
        if self.mirrored { self.base - x } else { self.base + x }
    }
}

#[cfg(test)]
impl Hypergeometric {
    /// The hat and the largest value of the reduced law, if it is served by rejection.
    pub(crate) fn hat(&self) -> Option<(Hat, u64)> {
        match self.method {
            Method::Rejection { hat, .. } => Some((hat, self.draws)),
            _ => None,
        }
    }

    /// `ln(P(mode + d)/P(mode))` of the reduced law.
    pub(crate) fn ln_ratio_at(&self, d: i64) -> f64 {
        match self.method {
            Method::Rejection { mode, mean_minus_mode, .. } => self.ln_ratio(mode, mean_minus_mode, d),
            _ => unreachable!("asked for laws served by rejection only"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ln_ratio::tests::rows;

    /// `total`, `marked`, `draws`, `mode`, `d`, and `ln(P(mode + d)/P(mode))`.
    const TABLE: &str = include_str!("../tests/data/hypergeometric.csv");

    #[test]
    fn law_agrees_with_high_precision() {
        let mut worst = 0.0_f64;
        for ([total, marked, draws, mode], d, expected) in rows(TABLE) {
            let law = Hypergeometric::unchecked(total, marked, draws);
            let value = law.ln_ratio(mode, mean_minus(total, marked.max(draws), marked.min(draws), mode), d);
            let error = (value - expected).abs();
            worst = worst.max(error);
            assert!(error < 1e-12, "{total}, {marked}, {draws}: d = {d}: {value}, not {expected}");
        }
        println!("largest error {worst:e}");
    }

    #[test]
    fn no_neighbour_is_likelier_than_the_mode() {
        for total in [400, 10_007, 1 << 30, (1 << 40) + 5, (1 << 62) - 1, 1 << 62] {
            for marked_share in [2, 3, 10, 1000] {
                for draws_share in [2, 5, 999] {
                    let (marked, draws) = (total / marked_share, total / draws_share);
                    let law = Hypergeometric::unchecked(total, marked, draws);
                    if law.hat().is_none() {
                        continue;
                    }
                    for d in [-1, 1] {
                        assert!(law.ln_ratio_at(d) < 1e-12, "{total}, {marked}, {draws}, {d}");
                    }
                }
            }
        }
    }
}
