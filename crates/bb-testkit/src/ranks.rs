//! Allocation vectors, and the chain of sorted load vectors that they drive.
//!
//! Rank 1 is the heaviest bin. A vector lists the probability of each rank, or of each bin on given loads,
//! and is a definition of its process that shares nothing with the code of the rule. All vectors are
//! elementary counts.

use num_rational::BigRational;

use crate::exact::{Law, chain, ratio};

/// Returns the allocation vector of One-Choice: `p_i = 1/n`.
///
/// # Examples
///
/// ```
/// use bb_testkit::{exact::ratio, ranks::one_choice};
///
/// assert_eq!(one_choice(2), [ratio(1, 2), ratio(1, 2)]);
/// ```
#[must_use]
pub fn one_choice(bins: u64) -> Vec<BigRational> {
    d_choice(bins, 1)
}

/// Returns the allocation vector of d-Choice with replacement: `p_i = (i^d − (i − 1)^d)/n^d`.
///
/// # Examples
///
/// ```
/// use bb_testkit::{exact::ratio, ranks::d_choice};
///
/// assert_eq!(d_choice(2, 2), [ratio(1, 4), ratio(3, 4)]);
/// ```
#[must_use]
pub fn d_choice(bins: u64, d: u32) -> Vec<BigRational> {
    (1..=bins).map(|rank| ratio(rank.pow(d) - (rank - 1).pow(d), bins.pow(d))).collect()
}

/// Returns the allocation vector of d-Choice without replacement: `p_i = C(i − 1, d − 1)/C(n, d)`.
///
/// # Examples
///
/// ```
/// use bb_testkit::{exact::ratio, ranks::d_choice_distinct};
///
/// assert_eq!(d_choice_distinct(3, 2), [ratio(0, 1), ratio(1, 3), ratio(2, 3)]);
/// ```
#[must_use]
pub fn d_choice_distinct(bins: u64, d: u32) -> Vec<BigRational> {
    let d = u64::from(d);
    (1..=bins).map(|rank| ratio(choose(rank - 1, d - 1), choose(bins, d))).collect()
}

/// The binomial coefficient.
fn choose(n: u64, k: u64) -> u64 {
    (0..k.min(n + 1)).fold(1, |product, taken| product * (n - taken) / (taken + 1))
}

/// Returns the allocation vector of (1+β) with `d` choices: that of d-Choice with probability `beta`, else
/// that of One-Choice.
///
/// # Examples
///
/// ```
/// use bb_testkit::{exact::ratio, ranks::one_plus_beta};
///
/// assert_eq!(one_plus_beta(2, &ratio(1, 2), 2), [ratio(3, 8), ratio(5, 8)]);
/// ```
#[must_use]
pub fn one_plus_beta(bins: u64, beta: &BigRational, d: u32) -> Vec<BigRational> {
    let tails = ratio(1, 1) - beta;
    d_choice(bins, d).iter().zip(one_choice(bins)).map(|(many, one)| beta * many + &tails * one).collect()
}

/// Returns the allocation vector of k-Quantile whose boundaries, increasing, are these numbers of bins:
/// `p_i = (a + b)/n²` for a rank between the boundaries `a` and `b`.
///
/// # Examples
///
/// ```
/// use bb_testkit::{exact::ratio, ranks::k_quantile};
///
/// assert_eq!(k_quantile(4, &[1]), [ratio(1, 16), ratio(5, 16), ratio(5, 16), ratio(5, 16)]);
/// ```
#[must_use]
pub fn k_quantile(bins: u64, boundaries: &[u64]) -> Vec<BigRational> {
    let probability = |rank: u64| {
        let above = boundaries.iter().rfind(|&&boundary| boundary <= rank).unwrap_or(&0);
        let below = boundaries.iter().find(|&&boundary| boundary > rank).unwrap_or(&bins);
        ratio(above + below, bins * bins)
    };
    (0..bins).map(probability).collect()
}

/// Returns the allocation vector of thinning on these loads, by bin: the first of `d` samples whose load is
/// accepted, else the last.
///
/// # Examples
///
/// ```
/// use bb_testkit::{exact::ratio, ranks::{below_mean, thinning}};
///
/// // Mean-Thinning: the heavier bin is taken only as the second sample after itself.
/// assert_eq!(thinning(&[2, 0], 2, below_mean(&[2, 0])), [ratio(1, 4), ratio(3, 4)]);
/// ```
#[must_use]
pub fn thinning(loads: &[u64], d: u32, accepts: impl Fn(u64) -> bool) -> Vec<BigRational> {
    let n = loads.len() as u64;
    let refused = loads.iter().filter(|&&load| !accepts(load)).count() as u64;
    // Bins are refused in a row until one is accepted, or until it is the last.
    let so_far = |refusals: u32| ratio(refused.pow(refusals), n.pow(refusals + 1));
    let accepted: BigRational = (0..d - 1).map(so_far).sum();
    loads.iter().map(|&load| so_far(d - 1) + if accepts(load) { accepted.clone() } else { ratio(0, 1) }).collect()
}

/// Whether a load is strictly below the mean of these; the example of [`thinning`] shows it.
pub fn below_mean(loads: &[u64]) -> impl Fn(u64) -> bool {
    let (n, total) = (loads.len() as u64, loads.iter().sum::<u64>());
    move |load| load * n < total
}

/// Whether a load is at least the mean of these plus `offset`: `load ≥ W/n + offset`, exactly.
///
/// # Panics
///
/// If `offset` is not finite.
///
/// # Examples
///
/// ```
/// use bb_testkit::ranks::reaches_mean_plus;
///
/// assert!(reaches_mean_plus(2, &[2, 1], 0.5) && !reaches_mean_plus(2, &[2, 1], 0.5 + f64::EPSILON));
/// ```
#[must_use]
pub fn reaches_mean_plus(load: u64, loads: &[u64], offset: f64) -> bool {
    let offset = BigRational::from_float(offset).expect("a finite number");
    ratio(load, 1) >= ratio(loads.iter().sum(), loads.len() as u64) + offset
}

/// Returns the allocation vector of k-Threshold on these loads, by bin: of two bins the one that reaches
/// fewer of the thresholds, offsets from the mean; either of two that reach as many.
///
/// # Examples
///
/// ```
/// use bb_testkit::{exact::ratio, ranks::k_threshold};
///
/// assert_eq!(k_threshold(&[2, 0, 0], &[0.0]), [ratio(1, 9), ratio(4, 9), ratio(4, 9)]);
/// ```
#[must_use]
pub fn k_threshold(loads: &[u64], offsets: &[f64]) -> Vec<BigRational> {
    let n = loads.len() as u64;
    let class = |load: u64| offsets.iter().filter(|&&offset| reaches_mean_plus(load, loads, offset)).count();
    let each = |load: u64| {
        let count = |keep: &dyn Fn(usize) -> bool| loads.iter().filter(|&&other| keep(class(other))).count() as u64;
        let (same, above) = (count(&|other| other == class(load)), count(&|other| other > class(load)));
        ratio(same + 2 * above, n * n)
    };
    loads.iter().map(|&load| each(load)).collect()
}

/// Returns the allocation vector of Two-Choice with a comparison that is right with probability `rho` of the
/// difference, by bin; of equal loads either is taken.
///
/// # Examples
///
/// ```
/// use bb_testkit::{exact::ratio, ranks::comparison};
///
/// assert_eq!(comparison(&[3, 0], |_| ratio(3, 4)), [ratio(3, 8), ratio(5, 8)]);
/// ```
#[must_use]
pub fn comparison(loads: &[u64], rho: impl Fn(u64) -> BigRational) -> Vec<BigRational> {
    let n = loads.len();
    let mut vector = vec![ratio(0, 1); n];
    for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
        let (light, heavy) = if loads[i] < loads[j] { (i, j) } else { (j, i) };
        let right = if loads[i] == loads[j] { ratio(1, 2) } else { rho(loads[i].abs_diff(loads[j])) };
        let pair = ratio(1, (n * n) as u64);
        vector[light] += &pair * &right;
        vector[heavy] += &pair * (ratio(1, 1) - right);
    }
    vector
}

/// Returns the allocation vector of g-Myopic-Comp on these loads, by bin: the comparison is a coin up to a
/// difference of `g`.
///
/// # Examples
///
/// ```
/// use bb_testkit::{exact::ratio, ranks::g_myopic};
///
/// assert_eq!(g_myopic(&[2, 1], 1), [ratio(1, 2), ratio(1, 2)]);
/// ```
#[must_use]
pub fn g_myopic(loads: &[u64], g: u64) -> Vec<BigRational> {
    comparison(loads, |difference| ratio(1, if difference <= g { 2 } else { 1 }))
}

/// Returns the loads with one more ball in the bin of this place, in loads sorted by decreasing load.
///
/// The ball is booked on the first bin of equal load, which keeps the order.
///
/// # Examples
///
/// ```
/// assert_eq!(bb_testkit::ranks::add_at(&[2, 1, 1, 0], 2), [2, 2, 1, 0]);
/// ```
#[must_use]
pub fn add_at(sorted: &[u64], place: usize) -> Vec<u64> {
    let mut next = sorted.to_vec();
    next[sorted.partition_point(|&load| load > sorted[place])] += 1;
    next
}

/// Returns the exact law of the sorted loads after `balls` balls into `bins` empty bins.
///
/// `ranks` gives the allocation vector, which may depend on the sorted loads. An example is at [`Law`]'s
/// methods for load vectors.
#[must_use]
pub fn sorted_chain(bins: u64, balls: u64, ranks: impl Fn(&[u64]) -> Vec<BigRational>) -> Law<Vec<u64>> {
    chain(vec![0; bins as usize], balls, |sorted| {
        ranks(sorted).into_iter().enumerate().map(|(place, probability)| (probability, add_at(sorted, place))).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_laws_that_favour_light_bins() {
        for n in 1..=7 {
            let quantiles = k_quantile(n, &[n / 3, n / 2]);
            let vectors = [one_choice(n), d_choice(n, 2), d_choice(n, 5), one_plus_beta(n, &ratio(1, 3), 3), quantiles];
            let distinct = (1..=n).map(|d| d_choice_distinct(n, d as u32));
            for vector in vectors.into_iter().chain(distinct) {
                assert_eq!(vector.len() as u64, n);
                assert_eq!(vector.iter().sum::<BigRational>(), ratio(1, 1));
                assert!(vector.is_sorted());
            }
        }
    }

    #[test]
    fn vectors_on_loads_are_laws() {
        for loads in [&[0][..], &[2, 0], &[5, 5, 1, 0], &[1, 9, 4]] {
            let vectors = [
                thinning(loads, 1, |_| true),
                thinning(loads, 2, below_mean(loads)),
                thinning(loads, 4, |load| load < 2),
                k_threshold(loads, &[-1.0, 0.5]),
                g_myopic(loads, 2),
            ];
            for vector in vectors {
                assert_eq!(vector.iter().sum::<BigRational>(), ratio(1, 1), "{loads:?}");
            }
        }
    }
}
