//! An exponential variate of one word.

use bb_core::Rng;

/// Returns an exponential variate with mean 1 from the upper 53 bits of one word, by inversion: `−ln u` for
/// `u` from `2^-53` to 1.
///
/// The logarithm is looked up and corrected (P. T. P. Tang, ACM TOMS 16(4), 1990): `u` is a power of two
/// times `c·(1 + r)` with `c` one of 128 numbers about 1 and `|r| ≤ 2^-8` (`2^-9` next to `u = 1`), and
/// `ln(1 + r)` is its series. The same on every machine, and shorter than `libm::log`. *Accuracy:* a relative
/// error below `2^-51`, also next to `u = 1`.
#[inline]
pub(super) fn exponential<R: Rng + ?Sized>(rng: &mut R) -> f64 {
    // From a signed number the conversion is one instruction; it is exact.
    let bits = ((rng.next_u64() >> 11) as i64 + 1) as f64;
    let bits = bits.to_bits();
    let above = bits - FIRST;
    let exponent = above >> 52;
    let place = (above >> PLACE_SHIFT) as usize % PLACES;
    let (inverse, logarithm) = TABLE[place];
    let scaled = f64::from_bits(bits - (exponent << 52));
    // Exact: both are within a factor of two.
    let off = scaled - center(place as u64);
    let r = off * inverse;
    let square = r * r;
    // The next term is below 2^-56 of the result.
    let series = (1.0 / 2.0 - r * (1.0 / 3.0)) + square * ((1.0 / 4.0 - r * (1.0 / 5.0)) + square * (1.0 / 6.0));
    (53 - exponent as i64) as f64 * core::f64::consts::LN_2 - logarithm - (r - square * series)
}

const PLACES: usize = 128;

/// Where the last seven bits of a place begin in an `f64`.
const PLACE_SHIFT: u32 = 45;

/// The bits of the smallest scaled number, about 0.69: so that 1 is the center of its place, and what is next
/// to 1 has a small logarithm with a small error.
const FIRST: u64 = 0x3fe6_1000_0000_0000;

/// The center of a place.
#[inline]
const fn center(place: u64) -> f64 {
    f64::from_bits(FIRST + (place << PLACE_SHIFT) + (1 << (PLACE_SHIFT - 1)))
}

/// `1/c` and `ln c` for the centers `c`.
const TABLE: [(f64, f64); PLACES] = {
    let mut table = [(0.0, 0.0); PLACES];
    let mut place = 0;
    while place < PLACES {
        let c = center(place as u64);
        table[place] = (1.0 / c, logarithm(c));
        place += 1;
    }
    table
};

/// `ln c = 2 artanh((c − 1)/(c + 1))`, for `c` from 0.69 to 1.38, by its series.
const fn logarithm(c: f64) -> f64 {
    let s = (c - 1.0) / (c + 1.0);
    let mut sum = 0.0;
    let mut power = 25; // 0.19^26 is below 2^-60.
    while power > 0 {
        sum = sum * (s * s) + 1.0 / power as f64;
        power -= 2;
    }
    2.0 * s * sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One word, again and again.
    struct Words(u64);

    impl bb_core::rand::TryRng for Words {
        type Error = core::convert::Infallible;
        fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
            Ok(self.0 as u32)
        }
        fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
            Ok(self.0)
        }
        fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Self::Error> {
            Ok(())
        }
    }

    #[test]
    fn the_variate_is_finite() {
        assert_eq!(exponential(&mut Words(u64::MAX)), 0.0);
        assert!((exponential(&mut Words(0)) - 53.0 * 2.0_f64.ln()).abs() < 1e-14);
        assert!((exponential(&mut Words(1 << 63)) - 2.0_f64.ln()).abs() < 1e-15);
    }

    /// Against the logarithm of `libm`, which is within `2^-53` or so: at both ends of every place for every
    /// exponent, next to 0 and 1, and at random.
    #[test]
    fn the_variate_is_the_logarithm() {
        let mut words = Vec::new();
        for place in 0..PLACES as u64 {
            for exponent in 0..=53 {
                let first = f64::from_bits(FIRST + (place << PLACE_SHIFT)) * 2.0_f64.powi(exponent);
                for number in [first - 1.0, first, first + 1.0] {
                    if (1.0..=2.0_f64.powi(53)).contains(&number) {
                        words.push((number as u64 - 1) << 11);
                    }
                }
            }
        }
        words.extend((0..1000).flat_map(|step| [step << 11, u64::MAX - (step << 11)]));
        let mut rng = bb_core::rng_for_trial(1, 0);
        words.extend((0..100_000).map(|_| rng.next_u64()));
        for word in words {
            let exact = -libm::log(((word >> 11) + 1) as f64 / 2.0_f64.powi(53));
            let found = exponential(&mut Words(word));
            assert!(
                found >= 0.0 && (found - exact).abs() <= exact * 2.0_f64.powi(-51),
                "{word:#x}: {found} and {exact}"
            );
        }
    }
}
