//! Counts as `f64`, and the largest count.

/// The largest population, number of trials or sum of weights: `2^62`.
pub const MAX_POPULATION: u64 = 1 << 62;

/// Converts a count to `f64`; below `2^63` the signed conversion is the faster one.
#[inline]
pub(crate) fn real(count: u64) -> f64 {
    count.cast_signed() as f64
}

/// Converts a wide integer to `f64`; most fit 64 bits, where that is much faster.
#[inline]
pub(crate) fn real_wide(integer: i128) -> f64 {
    #[cold]
    #[inline(never)]
    fn full(integer: i128) -> f64 {
        integer as f64
    }
    match i64::try_from(integer) {
        Ok(narrow) => narrow as f64,
        Err(_) => full(integer),
    }
}
