//! Inversion for small means: one word, a walk upward from 0.

use rand::Rng;

/// The probability of 0 and of its opposite, each to full relative precision.
#[derive(Clone, Copy)]
pub(crate) struct Zero {
    /// `P(X = 0)`.
    pub(crate) is: f64,
    /// `P(X > 0)`.
    pub(crate) is_not: f64,
}

impl Zero {
    /// From `ln P(X = 0)`.
    #[inline]
    pub(crate) fn from_ln(ln: f64) -> Self {
        if ln > -0.5 {
            let is_not = -ln.exp_m1();
            Self { is: 1.0 - is_not, is_not }
        } else {
            let is = ln.exp();
            Self { is, is_not: 1.0 - is }
        }
    }
}

/// Once past the mean, terms below this end the walk: all later ones together
/// are lighter than the resolution of a word.
const NEGLIGIBLE: f64 = 1.0 / (1u128 << 66) as f64;

/// Draws X from the law with `P(0)` as given and `P(x+1)/P(x) = ratio(x)`.
///
/// The word is read as a place *in the upper tail*: X = x iff
/// `P(X > x) <= tail < P(X >= x)`. A tail at or above the mean means X = 0, by the
/// union bound `P(X > 0) <= mean`, and needs no evaluation of the law; reading
/// the tail from 0 gives rare events the full resolution of 63 bits.
#[inline]
pub(crate) fn invert<R: Rng + ?Sized>(
    rng: &mut R,
    mean: f64,
    zero: impl FnOnce() -> Zero,
    ratio: impl Fn(f64) -> f64,
) -> u64 {
    let tail = (rng.next_u64() >> 1).cast_signed() as f64 * 2f64.powi(-63);
    if tail >= mean {
        return 0;
    }
    let zero = zero();
    let mut left = zero.is_not - tail;
    if left <= 0.0 {
        return 0;
    }
    let mut x = 0.0;
    let mut p = zero.is;
    loop {
        p *= ratio(x);
        // Only rounding can leave a remainder beyond the last term that counts.
        if p < NEGLIGIBLE && x >= mean {
            return x as u64;
        }
        x += 1.0;
        if left <= p {
            return x as u64;
        }
        left -= p;
    }
}
