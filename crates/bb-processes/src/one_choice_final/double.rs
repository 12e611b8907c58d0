//! Positive numbers of twice the precision of `f64`.

/// The unevaluated sum of two `f64` that do not overlap: a positive number to about 106 binary places.
///
/// With `u = 2^-53`, the relative errors are at most `3u²` for a sum and for a product or quotient with an
/// `f64`, and below `10u²` for a quotient (M. Joldes, J.-M. Muller and V. Popescu, "Tight and rigorous error
/// bounds for basic building blocks of double-word arithmetic", ACM Trans. Math. Softw. 44, 2017, algorithms
/// 5, 9, 15 and 17; the first for terms of one sign). Products are split (Dekker), so that no fused
/// multiply-add is needed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Double {
    high: f64,
    low: f64,
}

impl Double {
    pub(super) const ZERO: Self = Self { high: 0.0, low: 0.0 };
    pub(super) const ONE: Self = Self { high: 1.0, low: 0.0 };

    /// The nearest `f64`.
    #[inline]
    pub(super) fn rounded(self) -> f64 {
        self.high
    }

    /// An `f64` that is not above the number, and what is missing, which is at most `2^-52` of it.
    #[inline]
    pub(super) fn floor_and_rest(self) -> (f64, f64) {
        if self.low >= 0.0 {
            return (self.high, self.low);
        }
        let floor = self.high.next_down();
        (floor, ((self.high - floor) + self.low).max(0.0))
    }

    #[inline]
    pub(super) fn plus(self, other: Self) -> Self {
        let (sum, lost) = two_sum(self.high, other.high);
        fast_two_sum(sum, lost + (self.low + other.low))
    }

    #[inline]
    pub(super) fn times(self, factor: f64) -> Self {
        let (product, lost) = two_product(self.high, factor);
        fast_two_sum(product, lost + self.low * factor)
    }

    #[inline]
    pub(super) fn over(self, divisor: f64) -> Self {
        let quotient = self.high / divisor;
        let (product, lost) = two_product(quotient, divisor);
        let left = ((self.high - product) - lost) + self.low;
        fast_two_sum(quotient, left / divisor)
    }

    #[inline]
    pub(super) fn over_double(self, divisor: Self) -> Self {
        let quotient = self.high / divisor.high;
        let product = divisor.times(quotient);
        let left = (self.high - product.high) + (self.low - product.low);
        fast_two_sum(quotient, left / divisor.high)
    }
}

/// `a + b` and its rounding error, for `|a| >= |b|`.
#[inline]
fn fast_two_sum(a: f64, b: f64) -> Double {
    let high = a + b;
    Double { high, low: b - (high - a) }
}

/// `a + b` and its rounding error.
#[inline]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}

/// `a·b` and its rounding error, for factors far from overflow and underflow.
#[inline]
fn two_product(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    let ((a1, a2), (b1, b2)) = (halves(a), halves(b));
    (product, a2 * b2 - (((product - a1 * b1) - a2 * b1) - a1 * b2))
}

/// Two halves of 26 bits each, whose sum is the number.
#[inline]
fn halves(a: f64) -> (f64, f64) {
    const SPLITTER: f64 = (1_u32 << 27) as f64 + 1.0;
    let scaled = SPLITTER * a;
    let upper = scaled - (scaled - a);
    (upper, a - upper)
}

#[cfg(test)]
pub(super) mod tests {
    use bb_testkit::BigRational;

    use super::*;

    pub(in crate::one_choice_final) fn exact(number: f64) -> BigRational {
        BigRational::from_float(number).expect("a finite number")
    }

    pub(in crate::one_choice_final) fn exact_sum(number: Double) -> BigRational {
        exact(number.high) + exact(number.low)
    }

    /// Whether a number is within `units·2^-106` of the exact one.
    pub(in crate::one_choice_final) fn is_within(number: &BigRational, right: &BigRational, units: f64) -> bool {
        let error = (number - right) / right;
        let bound = exact(units * 2_f64.powi(-106));
        error <= bound && -error <= bound
    }

    #[test]
    fn operations_keep_their_bounds() {
        let mut number = Double::ONE;
        for step in 1..2000_u32 {
            let (factor, divisor) = (f64::from(step).sqrt(), f64::from(step % 77 + 1) / 3.0);
            let other = number.over(divisor);
            let (a, b) = (exact_sum(number), exact_sum(other));
            assert!(is_within(&b, &(&a / exact(divisor)), 3.0));
            assert!(is_within(&exact_sum(number.times(factor)), &(&a * exact(factor)), 3.0));
            assert!(is_within(&exact_sum(number.plus(other)), &(&a + &b), 3.0));
            let ratio = number.times(factor).over_double(other);
            assert!(is_within(&exact_sum(ratio), &(exact_sum(number.times(factor)) / &b), 10.0));
            let (floor, rest) = ratio.floor_and_rest();
            assert!(exact(floor) <= exact_sum(ratio) && rest <= floor * f64::EPSILON);
            assert!(is_within(&(exact(floor) + exact(rest)), &exact_sum(ratio), 1.0));
            number = number.times(if number.high > 1.0 { 0.7 } else { 1.9 }).plus(Double::ONE.over(3.0));
        }
        assert_eq!(Double { high: 1.0, low: -f64::EPSILON / 8.0 }.floor_and_rest().0, 1.0 - f64::EPSILON / 2.0);
    }
}
