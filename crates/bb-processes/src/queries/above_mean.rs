//! A threshold that rises with the mean.

/// The threshold `W/n + offset` on integer loads, for a finite offset, without rounding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct AboveMean(pub(super) f64);

/// Offsets are cut there: no load is so far from the mean, and products with `n` fit.
const FARTHEST: u64 = 1 << 63;

impl AboveMean {
    /// Returns the smallest load that is not below the threshold when `total` balls are in `bins` bins, and
    /// the first larger total at which it is larger.
    ///
    /// `x ≥ W/n + offset` iff `x·n − W ≥ offset·n`, and the left side is an integer, so iff it is at least
    /// `⌈offset·n⌉`.
    pub(super) fn level(self, total: u64, bins: u64) -> (u64, u64) {
        let whole = self.0.abs().floor();
        let (below, rest) = product(self.0.abs() - whole, bins);
        let (total, bins) = (u128::from(total), u128::from(bins));
        let below = below + u128::from((whole as u64).min(FARTHEST)) * bins;
        // ⌈offset·n⌉ = up − down.
        let (up, down) = if self.0 < 0.0 { (0, below) } else { (below + u128::from(rest), 0) };
        let level = (total + up).saturating_sub(down).div_ceil(bins);
        let until = level * bins + down - up + 1;
        (u64::try_from(level).unwrap_or(u64::MAX), u64::try_from(until).unwrap_or(u64::MAX))
    }
}

/// `⌊fraction·n⌋` for `0 ≤ fraction < 1`, exactly, and whether that leaves a rest.
fn product(fraction: f64, n: u64) -> (u128, bool) {
    const DIGITS: u32 = f64::MANTISSA_DIGITS - 1;
    let (digits, exponent) = (fraction.to_bits() & ((1 << DIGITS) - 1), (fraction.to_bits() >> DIGITS) as u32);
    // fraction = mantissa/2^shift; the shift is at least 53, and the product below 2^117.
    let (mantissa, shift) = if exponent == 0 { (digits, 1074) } else { (digits | 1 << DIGITS, 1075 - exponent) };
    let product = u128::from(mantissa) * u128::from(n);
    let floor = product.checked_shr(shift).unwrap_or(0);
    (floor, product.trailing_zeros() < shift && product > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_exact() {
        let n = u64::MAX;
        assert_eq!(product(0.0, n), (0, false));
        assert_eq!(product(0.5, 6), (3, false));
        assert_eq!(product(0.5, 7), (3, true));
        // 0.1 as an f64 is a little more than 1/10: 3602879701896397/2^55.
        assert_eq!(product(0.1, 10), (1, true));
        assert_eq!(product(3_602_879_701_896_397.0 / 2_f64.powi(55), 1 << 55), (3_602_879_701_896_397, false));
        assert_eq!(product(1.0 - f64::EPSILON / 2.0, 1 << 53), ((1 << 53) - 1, false));
        assert_eq!(product(1.0 - f64::EPSILON / 2.0, n), (u128::from(n) - 2048, true));
        for tiny in [f64::MIN_POSITIVE, f64::from_bits(1), 2_f64.powi(-70)] {
            assert_eq!(product(tiny, n), (0, true));
        }
        assert_eq!(product(2_f64.powi(-63), n), (1, true));
    }

    #[test]
    fn extreme_offsets_do_not_overflow() {
        for bins in [1, 3, u64::MAX] {
            for total in [0, 1, u64::MAX / 2] {
                for offset in [1e18, 1e30, f64::MAX] {
                    let (high, until) = AboveMean(offset).level(total, bins);
                    assert!(high >= 1_000_000_000_000_000_000 && until > total || until == u64::MAX);
                    assert_eq!(AboveMean(-f64::MAX).level(total, bins).0, 0);
                }
            }
        }
    }
}
