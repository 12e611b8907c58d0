//! Allocation vectors in rational numbers: the probability of each bin, in loads sorted from the heaviest.
//!
//! Those of rules by rank depend on the number of bins alone; the others look at the sorted loads.

use num_traits::{One, Zero};

use super::{BigRational, ratio};

/// Returns the vector of d-Choice with replacement: `(i^d − (i − 1)^d)/n^d`.
///
/// # Examples
///
/// ```
/// use bb_theory::exact::{ratio, vectors};
///
/// assert_eq!(vectors::d_choice(2, 2), [ratio(1, 4), ratio(3, 4)]);
/// ```
#[must_use]
pub fn d_choice(n: u64, d: u16) -> Vec<BigRational> {
    let power = |rank: u64| ratio(rank, n.max(1)).pow(i32::from(d));
    (1..=n).map(|rank| power(rank) - power(rank - 1)).collect()
}

/// Returns the vector of d-Choice without replacement: `C(i − 1, d − 1)/C(n, d)`, `1 ≤ d ≤ n`; all 0 for
/// other `d`.
///
/// # Examples
///
/// ```
/// use bb_theory::exact::{ratio, vectors};
///
/// assert_eq!(vectors::distinct_choice(3, 2), [ratio(0, 1), ratio(1, 3), ratio(2, 3)]);
/// ```
#[must_use]
pub fn distinct_choice(n: u64, d: u16) -> Vec<BigRational> {
    let d = u64::from(d);
    // All d of n among the first k.
    let within = |k: u64| -> BigRational {
        if d == 0 || d > k { BigRational::zero() } else { (0..d).map(|taken| ratio(k - taken, n - taken)).product() }
    };
    (1..=n).map(|rank| within(rank) - within(rank - 1)).collect()
}

/// Returns the vector of (1+β) with `d` choices: that of d-Choice with probability `beta`, else that of
/// One-Choice.
///
/// # Examples
///
/// ```
/// use bb_theory::exact::{ratio, vectors};
///
/// assert_eq!(vectors::one_plus_beta(2, &ratio(1, 2), 2), [ratio(3, 8), ratio(5, 8)]);
/// ```
#[must_use]
pub fn one_plus_beta(n: u64, beta: &BigRational, d: u16) -> Vec<BigRational> {
    let one = (BigRational::one() - beta) / ratio(n.max(1), 1);
    d_choice(n, d).into_iter().map(|many| beta * many + &one).collect()
}

/// Returns the vector of k-Quantile, where class `j` are the ranks from `ends[j − 1] + 1` to `ends[j]`: the
/// lighter class of two samples takes the ball.
///
/// `ends` are the numbers `⌊δ_j n⌋`; they must increase, and larger ones than `n` are read as `n`.
///
/// # Examples
///
/// ```
/// use bb_theory::exact::{ratio, vectors};
///
/// // Quantile(1/2) on four bins.
/// assert_eq!(vectors::quantiles(4, &[2]), [ratio(1, 8), ratio(1, 8), ratio(3, 8), ratio(3, 8)]);
/// ```
#[must_use]
pub fn quantiles(n: u64, ends: &[u64]) -> Vec<BigRational> {
    (1..=n)
        .map(|rank| {
            let lower = ends.iter().copied().filter(|&end| end < rank).max().unwrap_or(0);
            let upper = ends.iter().copied().filter(|&end| end >= rank).min().unwrap_or(n).min(n);
            ratio(lower + upper, n) / ratio(n, 1)
        })
        .collect()
}

/// Returns the vector of thinning: of up to `d` samples the first one whose load is accepted takes the ball,
/// else the last.
///
/// # Examples
///
/// ```
/// use bb_theory::exact::{ratio, vectors};
///
/// assert_eq!(vectors::thinning(&[1, 0], 2, |load| load < 1), [ratio(1, 4), ratio(3, 4)]);
/// ```
#[must_use]
pub fn thinning(loads: &[u64], d: u16, accepts: impl Fn(u64) -> bool) -> Vec<BigRational> {
    let n = loads.len() as u64;
    let refused = ratio(loads.iter().filter(|&&load| !accepts(load)).count() as u64, n.max(1));
    // Before a try is made, all earlier ones were refused.
    let tries: Vec<BigRational> = (0..i32::from(d)).map(|try_| refused.pow(try_) / ratio(n, 1)).collect();
    let any: BigRational = tries.iter().sum();
    let last = tries.last().cloned().unwrap_or_else(BigRational::zero);
    loads.iter().map(|&load| if accepts(load) { any.clone() } else { last.clone() }).collect()
}

/// Returns the vector of Mean-Thinning: [`thinning`] with two samples, accepting loads strictly below the
/// mean.
///
/// # Examples
///
/// ```
/// use bb_theory::exact::{ratio, vectors};
///
/// // A bin at the mean is not below it.
/// assert_eq!(vectors::mean_thinning(&[2, 1, 0]), [ratio(2, 9), ratio(2, 9), ratio(5, 9)]);
/// ```
#[must_use]
pub fn mean_thinning(loads: &[u64]) -> Vec<BigRational> {
    let (n, total) = (loads.len() as u64, loads.iter().sum::<u64>());
    thinning(loads, 2, |load| load * n < total)
}

/// Returns the vector of Two-Choice with a comparison that is right with probability `rho(δ)` at a difference
/// `δ ≥ 1` of the loads.
///
/// g-Bounded has `rho = 0` and g-Myopic-Comp `1/2` for `δ ≤ g`, and both 1 beyond.
///
/// # Examples
///
/// ```
/// use bb_theory::exact::{ratio, vectors};
///
/// let bounded = |g: u64| move |difference: u64| ratio(u64::from(difference > g), 1);
/// assert_eq!(vectors::comparison(&[1, 0], bounded(1)), [ratio(3, 4), ratio(1, 4)]);
/// assert_eq!(vectors::comparison(&[1, 0], bounded(0)), vectors::d_choice(2, 2));
/// ```
#[must_use]
pub fn comparison(loads: &[u64], rho: impl Fn(u64) -> BigRational) -> Vec<BigRational> {
    let pairs = ratio(1, (loads.len() as u64).max(1).pow(2));
    let wins = |load: u64, other: u64| match load.abs_diff(other) {
        0 => ratio(1, 2),
        difference if load < other => rho(difference),
        difference => BigRational::one() - rho(difference),
    };
    // Either sample may be the first; a bin drawn twice wins against itself.
    let wins_of = |&load: &u64| loads.iter().map(|&other| wins(load, other)).sum::<BigRational>();
    loads.iter().map(|load| wins_of(load) * ratio(2, 1) * &pairs).collect()
}
