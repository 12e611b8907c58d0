//! Ratios of factorials, without large terms that cancel.

use crate::numbers::real;

/// Returns the sum of [`ln_factorial_ratio`] over these pairs of start and step.
///
/// Far from 0 and for short steps, the common case, it needs no test between the
/// parts, so that the processor works on all of them at once.
#[inline]
pub(crate) fn sum_of_ln_factorial_ratios<const N: usize>(pairs: [(u64, i64); N]) -> f64 {
    let mut sum = 0.0;
    if pairs.iter().all(|&(a, d)| is_series_enough(a, d)) {
        for (a, d) in pairs {
            sum += by_series(a, d);
        }
    } else {
        for (a, d) in pairs {
            sum += ln_factorial_ratio(a, d);
        }
    }
    sum
}

/// Returns `ln((a + d)! / a!) - d·ln a`, for `a >= 1` and `a + d >= 0`.
///
/// This is what remains of a ratio of factorials once the power `a^d` is taken
/// out; it is of order `d²/a`. With `x = a + d`, Stirling's formula
/// `ln n! = (n + 1/2) ln n - n + ln(2π)/2 + δ(n)` gives
///
/// ```text
/// x ln(x/a) + a - x  +  ln(x/a)/2  +  δ(x) - δ(a)
/// ```
///
/// The first part is the deviance of C. Loader ("Fast and accurate computation
/// of binomial probabilities", 2000). With `v = d/(x + a)` and
/// `S = v²/3 + v⁴/5 + …` it is `d·v + 2·x·v·S`, and `ln(x/a) = 2v(1 + S)`, so
/// near `a` a single short series gives both.
pub(crate) fn ln_factorial_ratio(a: u64, d: i64) -> f64 {
    debug_assert!(a >= 1 && a.checked_add_signed(d).is_some());
    if is_series_enough(a, d) {
        return by_series(a, d);
    }
    let x = a.wrapping_add_signed(d);
    let (start, end, step) = (real(a), real(x), d as f64);
    if x == 0 {
        // ln(0!) is 0, and Stirling's formula does not hold there.
        return start - 0.5 * (std::f64::consts::TAU * start).ln() - stirling_rest(a);
    }
    let corrections = stirling_rest(x) - stirling_rest(a);
    let v = step / (start + end);
    if v.abs() <= SERIES_REACH {
        v * (step + 1.0 + (2.0 * end + 1.0) * atanh_series(v * v)) + corrections
    } else {
        (end + 0.5) * (end / start).ln() - step + corrections
    }
}

/// The largest `|v|` for which the series for the logarithm serves.
const SERIES_REACH: f64 = 0.1;

/// The least n for which Stirling's series serves.
const STIRLING_FROM: u64 = 16;

/// Whether [`by_series`] holds: `|v| <= 0.1`, and neither end is small.
#[inline]
fn is_series_enough(a: u64, d: i64) -> bool {
    // |d| <= a/6 implies |d| <= (2a + d)/10.
    a >= STIRLING_FROM * 2 && d.unsigned_abs() <= a / 6
}

/// [`ln_factorial_ratio`] where both series hold.
#[inline]
fn by_series(a: u64, d: i64) -> f64 {
    let (start, end, step) = (real(a), real(a.wrapping_add_signed(d)), d as f64);
    // One division gives the reciprocals of x, a and x + a: all are below 2^63, so
    // the product is far from overflow.
    let (product, sum) = (start * end, start + end);
    let inverse = 1.0 / (product * sum);
    let v = step * product * inverse;
    v * (step + 1.0 + (2.0 * end + 1.0) * atanh_series(v * v)) + stirling_series(start * sum * inverse)
        - stirling_series(end * sum * inverse)
}

/// Returns `v²/3 + v⁴/5 + … + v¹⁶/17` from `w = v²`; for `v <= 0.1` the rest is below 1e-19.
#[inline]
fn atanh_series(w: f64) -> f64 {
    // Pairs of terms (Estrin's scheme): short chains of operations.
    let w2 = w * w;
    let first = (1.0 / 3.0 + w * (1.0 / 5.0)) + w2 * (1.0 / 7.0 + w * (1.0 / 9.0));
    let last = (1.0 / 11.0 + w * (1.0 / 13.0)) + w2 * (1.0 / 15.0 + w * (1.0 / 17.0));
    w * (first + w2 * w2 * last)
}

/// Returns `δ(n) = ln n! - (n + 1/2) ln n + n - ln(2π)/2`, for `n >= 1`.
#[inline]
fn stirling_rest(n: u64) -> f64 {
    if n < STIRLING_FROM { SMALL_RESTS[(n - 1) as usize] } else { stirling_series(1.0 / real(n)) }
}

/// Five terms of Stirling's series from `1/n`; for `n >= 16` the sixth is below 1.1e-16.
#[inline]
fn stirling_series(inverse: f64) -> f64 {
    let w = inverse * inverse;
    let first = 1.0 / 12.0 - w * (1.0 / 360.0);
    let last = 1.0 / 1260.0 - w * (1.0 / 1680.0) + w * w * (1.0 / 1188.0);
    inverse * (first + w * w * last)
}

/// `δ(1), …, δ(15)`, where Stirling's series is too coarse.
///
/// Computed with mpmath 1.3.0 at 60 digits as
/// `loggamma(n + 1) - ((n + 0.5)*log(n) - n + log(2*pi)/2)`.
const SMALL_RESTS: [f64; STIRLING_FROM as usize - 1] = [
    0.08106146679532726,
    0.0413406959554093,
    0.02767792568499834,
    0.020790672103765093,
    0.016644691189821193,
    0.013876128823070748,
    0.01189670994589177,
    0.010411265261972096,
    0.009255462182712733,
    0.00833056343336287,
    0.00757367548795184,
    0.00694284010720953,
    0.006408994188004207,
    0.0059513701127588475,
    0.005554733551962801,
];

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The rows of a table: counts, a difference, and what belongs to them.
    pub(crate) fn rows<const N: usize>(table: &str) -> impl Iterator<Item = ([u64; N], i64, f64)> {
        table.lines().filter(|line| !line.starts_with('#')).map(|line| {
            let numbers: Vec<&str> = line.split(", ").collect();
            assert_eq!(numbers.len(), N + 2, "{line}");
            let counts = core::array::from_fn(|place| numbers[place].parse().unwrap());
            (counts, numbers[N].parse().unwrap(), numbers[N + 1].parse().unwrap())
        })
    }

    /// `a`, `d`, and `ln((a+d)!/a!) - d ln a`.
    const TABLE: &str = include_str!("../tests/data/ln_factorial_ratio.csv");

    #[test]
    fn agrees_with_high_precision() {
        for ([a], d, expected) in rows(TABLE) {
            let value = ln_factorial_ratio(a, d);
            // Relative to the larger of the value and the least step of what is summed.
            let tolerance = 1e-15 * (10.0 + 4.0 * expected.abs());
            let error = (value - expected).abs();
            assert!(error <= tolerance, "a = {a}, d = {d}: {value} against {expected}");
        }
    }

    #[test]
    fn agrees_with_sums_of_logarithms() {
        for a in 1..=120_u64 {
            for x in 0..=240_u64 {
                let between =
                    |low: u64, high: u64| -> f64 { (low + 1..=high).map(|k| (k as f64 / a as f64).ln()).sum() };
                let expected = if x >= a { between(a, x) } else { -between(x, a) };
                let d = x.cast_signed() - a.cast_signed();
                let error = (ln_factorial_ratio(a, d) - expected).abs();
                assert!(error <= 2e-14 * (1.0 + expected.abs()), "a = {a}, x = {x}: {error:e}");
            }
        }
    }

    #[test]
    fn both_forms_agree_where_they_meet() {
        for a in 32..2000_u64 {
            let reach = (a / 6).cast_signed();
            for d in [-reach, -1, 1, reach] {
                let x = a.wrapping_add_signed(d);
                let (start, end) = (a as f64, x as f64);
                let direct = (end + 0.5) * (end / start).ln() - d as f64 + stirling_rest(x) - stirling_rest(a);
                assert!((by_series(a, d) - direct).abs() < 1e-12, "a = {a}, d = {d}");
            }
        }
    }
}
