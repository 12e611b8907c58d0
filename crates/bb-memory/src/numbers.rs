//! Exact lengths and ranks of combinations.

use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};

/// Bits of a field for `0..=most`.
pub(crate) fn width(most: u64) -> u32 {
    64 - most.leading_zeros()
}

/// `ceil(lg count)`: bits of a field for so many values.
pub(crate) fn field(count: &BigUint) -> u64 {
    if count.is_zero() { 0 } else { (count - 1_u8).bits() }
}

/// `lg(n!)`, up to a relative error of about `1e-15`.
pub(crate) fn lg_factorial(n: f64) -> f64 {
    libm::lgamma(n + 1.0) * core::f64::consts::LOG2_E
}

/// `lg C(n, k)`; also for real arguments.
pub(crate) fn lg_binomial(n: f64, k: f64) -> f64 {
    lg_factorial(n) - lg_factorial(k) - lg_factorial(n - k)
}

/// `lg C(n, k)`, up to a relative error of about `1e-15`: without large terms that cancel.
pub(crate) fn lg_choose(n: u64, k: u64) -> f64 {
    let k = k.min(n - k);
    if k < 64 {
        return (0..k).map(|i| libm::log2((n - i) as f64 / (i + 1) as f64)).sum();
    }
    // Stirling's formula, with its correction up to x^-7.
    let rest = |x: f64| (1.0 / 12.0 - (1.0 / 360.0 - 1.0 / (1260.0 * x * x)) / (x * x)) / x;
    let (n, k, r) = (n as f64, k as f64, (n - k) as f64);
    let entropy = k * libm::log(n / k) + r * libm::log1p(k / r);
    let ln = entropy + 0.5 * libm::log(n / (core::f64::consts::TAU * k * r)) + rest(n) - rest(k) - rest(r);
    ln * core::f64::consts::LOG2_E
}

/// `ceil(lg)` of a count whose logarithm is known up to rounding; where that does not settle it, the count
/// itself does.
pub(crate) fn ceil_lg(lg: f64, count: impl FnOnce() -> BigUint) -> u64 {
    let error = 1e-9 + 1e-14 * lg;
    let (low, high) = ((lg - error).ceil(), (lg + error).ceil());
    if low == high && lg > 1.0 { high as u64 } else { field(&count()) }
}

/// `C(n, k)`.
pub(crate) fn binomial(n: u64, k: u64) -> BigUint {
    if k > n {
        return BigUint::zero();
    }
    (0..k.min(n - k)).fold(BigUint::one(), |product, i| product * (n - i) / (i + 1))
}

/// The rank of a set of numbers, given in increasing order, among all sets of its size: `Σ C(c_i, i)`, the
/// `i`-th smallest counted from 1 (the combinatorial number system). `O(largest)` products.
pub(crate) fn rank(set: impl IntoIterator<Item = u64>) -> BigUint {
    let mut sum = BigUint::zero();
    // C(top, i), walked up; 0 where top < i.
    let (mut top, mut i, mut value) = (0, 0, BigUint::one());
    for number in set {
        // C(top, i) to C(number, i), then to C(number, i + 1).
        while top < number {
            top += 1;
            if top == i {
                value = BigUint::one();
            } else if top > i {
                value = value * top / (top - i);
            }
        }
        i += 1;
        value = if number < i { BigUint::zero() } else { value * (number - i + 1) / i };
        sum += &value;
    }
    sum
}

/// The set of `k` numbers below `n` with this rank, in increasing order; the rank is below `C(n, k)`. `O(n)`
/// products.
pub(crate) fn unrank(mut rank: BigUint, n: u64, k: u64) -> Vec<u64> {
    let mut set = Vec::new();
    let mut i = k;
    if n == 0 || k == 0 {
        return set;
    }
    let mut top = n - 1;
    let mut value = binomial(top, i);
    loop {
        if rank >= value {
            rank -= &value;
            set.push(top);
            if i == 1 || top == 0 {
                break;
            }
            // C(top, i) to C(top − 1, i − 1).
            value = if value.is_zero() { binomial(top - 1, i - 1) } else { value * i / top };
            i -= 1;
        } else {
            value = value * (top - i) / top;
        }
        top -= 1;
    }
    set.reverse();
    set
}

/// `lg Σ_{j ≤ k} C(n, j) r^j`.
pub(crate) fn lg_sum(n: u64, k: u64, r: u64) -> f64 {
    let lg_r = (r as f64).log2();
    let lg_term = |j: u64| lg_choose(n, j) + j as f64 * lg_r;
    // Terms rise up to about n·r/(r + 1).
    let peak = (u128::from(n) * u128::from(r) / (u128::from(r) + 1)) as u64;
    let from = k.min(peak);
    let ratio_down = |j: u64| j as f64 / ((n - j + 1) as f64 * r as f64);
    let (mut sum, mut term, mut j) = (1.0_f64, 1.0, from);
    while j > 0 && term > 1e-18 * sum {
        term *= ratio_down(j);
        sum += term;
        j -= 1;
    }
    (term, j) = (1.0, from);
    while j < k && term > 1e-18 * sum {
        j += 1;
        term /= ratio_down(j);
        sum += term;
    }
    lg_term(from) + sum.log2()
}

/// `Σ_{j ≤ k} C(n, j) r^j`.
pub(crate) fn sum(n: u64, k: u64, r: u64) -> BigUint {
    let (mut total, mut term) = (BigUint::one(), BigUint::one());
    for j in 0..k {
        term = term * (n - j) * r / (j + 1);
        total += &term;
    }
    total
}

/// `Σ_{q ≤ most} n!/(n − q)!`: the number of lists of up to so many different bins.
pub(crate) fn lists(bins: u64, most: u64) -> BigUint {
    let (mut sum, mut term) = (BigUint::one(), BigUint::one());
    for taken in 0..bins.min(most) {
        term *= bins - taken;
        sum += &term;
    }
    sum
}

/// The rank of a list of different bins: shorter lists first, then by the places of its bins among those
/// left. `None` if a bin does not exist or comes twice.
pub(crate) fn rank_of_list(bins: u64, list: &[u64]) -> Option<BigUint> {
    let mut rank = BigUint::zero();
    for (taken, &bin) in list.iter().enumerate() {
        let earlier = &list[..taken];
        if bin >= bins || earlier.contains(&bin) {
            return None;
        }
        let place = bin - earlier.iter().filter(|&&other| other < bin).count() as u64;
        rank = rank * (bins - taken as u64) + place;
    }
    let shorter = (list.len() as u64).checked_sub(1).map_or(BigUint::zero(), |most| lists(bins, most));
    Some(shorter + rank)
}

/// Digits in base `r`, lowest first.
pub(crate) fn digits(mut value: BigUint, r: u64, k: usize) -> Vec<u64> {
    (0..k)
        .map(|_| {
            let digit = (&value % r).to_u64().unwrap_or(0);
            value /= r;
            digit
        })
        .collect()
}

/// The largest number up to `most` for which it holds; it holds for 0, and for all below one for which it
/// holds.
pub(crate) fn largest(most: u64, holds: impl Fn(u64) -> bool) -> u64 {
    // Doubling first, since trying a large number costs more.
    let mut high = 1;
    while high <= most && holds(high) {
        high = high.saturating_mul(2);
    }
    let (mut low, mut high) = (high / 2, high.min(most.saturating_add(1)));
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if holds(middle) { low = middle } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_agree_with_the_numbers() {
        for (n, k, r) in [(10, 3, 8), (100, 100, 1), (100, 60, 1), (1000, 17, 8), (50, 50, 3), (7, 0, 2)] {
            let exact = sum(n, k, r);
            let lg = exact.to_f64().map_or_else(
                || (&exact >> (exact.bits() - 60)).to_f64().unwrap().log2() + exact.bits() as f64 - 60.0,
                f64::log2,
            );
            assert!((lg_sum(n, k, r) - lg).abs() < 1e-9, "{n} {k} {r}: {} {lg}", lg_sum(n, k, r));
        }
        assert_eq!((field(&BigUint::from(1_u8)), field(&8_u8.into()), field(&9_u8.into())), (0, 3, 4));
        assert_eq!((width(0), width(1), width(38), width(64)), (0, 1, 6, 7));
        assert_eq!((largest(10, |k| k <= 7), largest(10, |_| true), largest(10, |k| k < 1)), (7, 10, 0));
    }
}
