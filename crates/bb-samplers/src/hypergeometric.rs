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

    /// `(total, marked, draws, mode, d, ln(P(mode + d)/P(mode)))`, computed with mpmath
    /// 1.3.0 at 100 digits from `loggamma`, d at -6, -2, -1/2, 1, 3 and 6 standard deviations.
    #[rustfmt::skip]
    const TABLE: &[(u64, u64, u64, u64, i64, f64)] = &[
        (200, 100, 100, 50, -22, -19.825197590939588),
        (200, 100, 100, 50, -8, -2.545277827485557),
        (200, 100, 100, 50, -2, -0.15845209553396092),
        (200, 100, 100, 50, 3, -0.35663390082242274),
        (200, 100, 100, 50, 10, -3.986558469765845),
        (200, 100, 100, 50, 21, -18.006457012880425),
        (1000, 500, 300, 150, -44, -18.591690362510864),
        (1000, 500, 300, 150, -15, -2.139631854272562),
        (1000, 500, 300, 150, -4, -0.15197445360651315),
        (1000, 500, 300, 150, 7, -0.4655071720632964),
        (1000, 500, 300, 150, 21, -4.198760558445727),
        (1000, 500, 300, 150, 43, -17.747157876198706),
        (10000000, 40000, 3162, 12, -8, -3.504929502109365),
        (10000000, 40000, 3162, 12, -2, -0.19366753874315484),
        (10000000, 40000, 3162, 12, 3, -0.2999218315647765),
        (10000000, 40000, 3162, 12, 10, -3.122186849669773),
        (10000000, 40000, 3162, 12, 21, -11.84719674076032),
        (1048576, 524288, 1000, 500, -95, -18.159058914613663),
        (1048576, 524288, 1000, 500, -32, -2.0493045497350484),
        (1048576, 524288, 1000, 500, -8, -0.12799971758328704),
        (1048576, 524288, 1000, 500, 15, -0.4500471846558318),
        (1048576, 524288, 1000, 500, 47, -4.424312034657577),
        (1048576, 524288, 1000, 500, 94, -17.776489836001524),
        (1099511627776, 9800000000, 650000, 5793, -455, -18.513897609204093),
        (1099511627776, 9800000000, 650000, 5793, -152, -2.029300511967643),
        (1099511627776, 9800000000, 650000, 5793, -38, -0.12595145390037),
        (1099511627776, 9800000000, 650000, 5793, 75, -0.48787131624611096),
        (1099511627776, 9800000000, 650000, 5793, 227, -4.430559070952842),
        (1099511627776, 9800000000, 650000, 5793, 454, -17.502092595898894),
        (4611686018427387904, 2305843009213693952, 1073741824, 536870912, -98304, -18.000000088009983),
        (4611686018427387904, 2305843009213693952, 1073741824, 536870912, -32768, -1.9999999998447795),
        (4611686018427387904, 2305843009213693952, 1073741824, 536870912, -8192, -0.12499999991753916),
        (4611686018427387904, 2305843009213693952, 1073741824, 536870912, 16383, -0.4999389664347831),
        (4611686018427387904, 2305843009213693952, 1073741824, 536870912, 49151, -4.499816899536725),
        (4611686018427387904, 2305843009213693952, 1073741824, 536870912, 98303, -17.99963387893129),
        (4611686018427387904, 2305843009213693952, 2305843009213693952, 1152921504606846976, -3221225473, -18.00000001117587),
        (4611686018427387904, 2305843009213693952, 2305843009213693952, 1152921504606846976, -1073741825, -2.0000000037252903),
        (4611686018427387904, 2305843009213693952, 2305843009213693952, 1152921504606846976, -268435457, -0.12500000093132257),
        (4611686018427387904, 2305843009213693952, 2305843009213693952, 1152921504606846976, 536870912, -0.5),
        (4611686018427387904, 2305843009213693952, 2305843009213693952, 1152921504606846976, 1610612736, -4.5),
        (4611686018427387904, 2305843009213693952, 2305843009213693952, 1152921504606846976, 3221225472, -18.0),
        (4611686018427387904, 2305843009213693949, 1152921504606859321, 576460752303429660, -2789663091, -18.00000000878133),
        (4611686018427387904, 2305843009213693949, 1152921504606859321, 576460752303429660, -929887697, -2.0000000002587712),
        (4611686018427387904, 2305843009213693949, 1152921504606859321, 576460752303429660, -232471925, -0.12500000062108496),
        (4611686018427387904, 2305843009213693949, 1152921504606859321, 576460752303429660, 464943848, -0.49999999979584314),
        (4611686018427387904, 2305843009213693949, 1152921504606859321, 576460752303429660, 1394831545, -4.500000001388784),
        (4611686018427387904, 2305843009213693949, 1152921504606859321, 576460752303429660, 2789663090, -18.00000000232894),
        (4611686018427387904, 4294967296, 4294967296, 4, -4, -2.36712361878823),
        (4611686018427387904, 4294967296, 4294967296, 4, -1, -4.6566128768721e-10),
        (4611686018427387904, 4294967296, 4294967296, 4, 1, -0.22314355131420976),
        (4611686018427387904, 4294967296, 4294967296, 4, 5, -2.692301848790684),
        (4611686018427387904, 4294967296, 4294967296, 4, 11, -9.47197960678552),
    ];

    #[test]
    fn law_agrees_with_high_precision() {
        let mut worst = 0.0_f64;
        for &(total, marked, draws, mode, d, expected) in TABLE {
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
