//! Products of a real number and a count, without rounding: times and thresholds in units of `1/n`.

/// Largest absolute value of a real parameter: products with `n` fit, and no run gets so far.
pub(crate) const FARTHEST: f64 = 9_007_199_254_740_992.0; // 2^53

/// `⌊x·n⌋` for `|x| ≤ 2^53`.
pub(crate) fn floor_times(x: f64, n: u64) -> i128 {
    // Below 2^117.
    let (below, rest) = magnitude(x.abs(), n.into()).unwrap_or((0, false));
    if x < 0.0 { -(below as i128) - i128::from(rest) } else { below as i128 }
}

/// `⌈x·n⌉` for `|x| ≤ 2^53`.
pub(crate) fn ceil_times(x: f64, n: u64) -> i128 {
    -floor_times(-x, n)
}

/// `⌊x·n⌋` as a number of balls, for `x ≥ 0`: the last ball of an interval that ends at time `x`. Beyond what
/// a `u64` holds, its maximum.
pub(crate) fn balls_until(x: f64, n: u128) -> u64 {
    magnitude(x, n).and_then(|(balls, _)| u64::try_from(balls).ok()).unwrap_or(u64::MAX)
}

/// `⌊x·n⌋` for `0 ≤ x ≤ 2^53`, and whether that leaves a rest; `None` if the product with the mantissa
/// overflows, never for `n < 2^64`.
fn magnitude(x: f64, n: u128) -> Option<(u128, bool)> {
    const DIGITS: u32 = f64::MANTISSA_DIGITS - 1;
    let x = x.min(FARTHEST);
    let (digits, exponent) = (x.to_bits() & ((1 << DIGITS) - 1), (x.to_bits() >> DIGITS) as i32);
    // x = mantissa/2^shift with an integer mantissa below 2^53; the shift is at least -1.
    let (mantissa, shift) = if exponent == 0 { (digits, 1074) } else { (digits | 1 << DIGITS, 1075 - exponent) };
    let product = u128::from(mantissa).checked_mul(n)?;
    if shift < 0 {
        return product.checked_mul(2).map(|doubled| (doubled, false));
    }
    let shift = shift as u32;
    Some((product.checked_shr(shift).unwrap_or(0), product.trailing_zeros() < shift && product > 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_exact() {
        for n in [1, 2, 7, 10, 1 << 40, (1 << 62) - 1, u64::MAX] {
            assert_eq!((floor_times(0.0, n), ceil_times(0.0, n)), (0, 0));
            for whole in [1_i128, 3, 1 << 30, 1 << 53] {
                let x = whole as f64;
                assert_eq!((floor_times(x, n), ceil_times(-x, n)), (whole * i128::from(n), -whole * i128::from(n)));
            }
            assert_eq!(floor_times(f64::from_bits(1), n), 0);
            assert_eq!((ceil_times(f64::from_bits(1), n), floor_times(-f64::MIN_POSITIVE, n)), (1, -1));
        }
        assert_eq!((floor_times(2.5, 3), ceil_times(2.5, 3)), (7, 8));
        assert_eq!((floor_times(-2.5, 3), ceil_times(-2.5, 3)), (-8, -7));
        // 0.1 as an f64 is a little more than 1/10.
        assert_eq!((floor_times(0.1, 10), ceil_times(0.1, 10)), (1, 2));
        assert_eq!((floor_times(0.3, 10), ceil_times(0.3, 10)), (2, 3));
        assert_eq!(balls_until(FARTHEST, u128::MAX), u64::MAX);
    }
}
