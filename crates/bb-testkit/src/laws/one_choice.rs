//! The maximum load of One-Choice.

use std::collections::BTreeMap;

use statrs::distribution::{Binomial, DiscreteCDF, Poisson};

/// Returns the exact law of the maximum load of `balls` balls in `bins` bins, without what is below `1e-13`.
///
/// The loads are independent Poisson variables of mean `λ = m/n`, given that they sum to `m`. So `P(max ≤ k)`
/// is the coefficient of `z^m` in `(Σ_{j ≤ k} q_j z^j)^n`, `q_j = e^{−λ}λ^j/j!`, over that without the bound
/// `k`. The power is taken by repeated squaring, without the coefficients that are negligible. The result is
/// off by less than `1e-10`. It takes a second for `n = 1000, m = 100 000`; the cost grows as `m` times the
/// number of levels.
///
/// # Examples
///
/// ```
/// let law = bb_testkit::laws::one_choice::max_law(2, 2);
/// assert!((law[&1] - 0.5).abs() < 1e-12 && (law[&2] - 0.5).abs() < 1e-12);
/// ```
#[must_use]
pub fn max_law(bins: u64, balls: u64) -> BTreeMap<u64, f64> {
    let mean = balls as f64 / bins as f64;
    let weights = poisson_weights(mean);
    let all = coefficient_of_power(&weights, bins, balls as usize);
    let mut law = BTreeMap::new();
    let mut below = 0.0;
    for max in balls.div_ceil(bins)..=balls {
        // P(max ≤ k) ≤ 2 exp(…): levels that cannot matter are passed over.
        if poisson_max_at_most(bins, mean, max) < 1e-14 {
            continue;
        }
        let cut = &weights[..weights.len().min(max as usize + 1)];
        let at_most = coefficient_of_power(cut, bins, balls as usize) / all;
        if at_most - below > 1e-13 {
            law.insert(max, at_most - below);
        }
        below = at_most;
        if below > 1.0 - 1e-12 || cut.len() == weights.len() {
            break;
        }
    }
    law
}

/// `q_0, q_1, …` until they are negligible.
fn poisson_weights(mean: f64) -> Vec<f64> {
    let mut log_weight = -mean;
    let mut weights = vec![log_weight.exp()];
    let mut load = 0.0;
    while load < mean || weights[weights.len() - 1] > 1e-25 {
        load += 1.0;
        log_weight += (mean / load).ln();
        weights.push(log_weight.exp());
    }
    weights
}

/// A polynomial whose lowest term is `z^low`.
#[derive(Clone)]
struct Polynomial {
    low: usize,
    coefficients: Vec<f64>,
}

impl Polynomial {
    fn times(&self, other: &Self) -> Self {
        let mut coefficients = vec![0.0; self.coefficients.len() + other.coefficients.len() - 1];
        for (place, a) in self.coefficients.iter().enumerate() {
            for (sum, b) in coefficients[place..].iter_mut().zip(&other.coefficients) {
                *sum += a * b;
            }
        }
        Self { low: self.low + other.low, coefficients }.trimmed()
    }

    /// Drops both ends where they are below `1e-17` of the largest coefficient.
    fn trimmed(self) -> Self {
        let least = 1e-17 * self.coefficients.iter().copied().fold(0.0, f64::max);
        let matters = |coefficient: &f64| *coefficient > least;
        let first = self.coefficients.iter().position(matters).unwrap_or(0);
        let last = self.coefficients.iter().rposition(matters).unwrap_or(0);
        Self { low: self.low + first, coefficients: self.coefficients[first..=last].to_vec() }
    }

    fn coefficient(&self, degree: usize) -> f64 {
        degree.checked_sub(self.low).and_then(|place| self.coefficients.get(place)).copied().unwrap_or(0.0)
    }

    /// The coefficient of `z^degree` in the product, without the others.
    fn coefficient_of_product(&self, other: &Self, degree: usize) -> f64 {
        let terms = self.coefficients.iter().enumerate().filter(|(place, _)| self.low + place <= degree);
        terms.map(|(place, a)| a * other.coefficient(degree - self.low - place)).sum()
    }
}

/// The coefficient of `z^degree` in the `power`-th power.
fn coefficient_of_power(coefficients: &[f64], power: u64, degree: usize) -> f64 {
    let mut square = Polynomial { low: 0, coefficients: coefficients.to_vec() }.trimmed();
    let mut product = Polynomial { low: 0, coefficients: vec![1.0] };
    let mut left = power;
    while left > 1 {
        if left % 2 == 1 {
            product = product.times(&square);
        }
        square = square.times(&square);
        left /= 2;
    }
    product.coefficient_of_product(&square, degree)
}

/// Returns `P(Poisson(λ) ≤ k)^n`, the law of the maximum of independent Poisson loads.
///
/// For One-Choice with `m = λn` balls it is an approximation, but *twice* it is a proved upper bound of
/// `P(max ≤ k)`: having more balls only raises the maximum, and a Poisson total is at most its integer mean
/// with probability ½ or more.
///
/// # Panics
///
/// If `mean` is not positive.
///
/// # Examples
///
/// ```
/// use bb_testkit::laws::one_choice::poisson_max_at_most;
///
/// assert!((poisson_max_at_most(2, 1.0, 0) - (-2_f64).exp()).abs() < 1e-12);
/// ```
#[must_use]
pub fn poisson_max_at_most(bins: u64, mean: f64, max: u64) -> f64 {
    let load = Poisson::new(mean).expect("a positive mean");
    (bins as f64 * (-load.sf(max)).ln_1p()).exp()
}

/// Returns `n·P(Bin(m, 1/n) > k)`, a proved upper bound of `P(max > k)`, and close to it where it is small.
///
/// # Panics
///
/// If there are no bins.
///
/// # Examples
///
/// ```
/// use bb_testkit::laws::one_choice::union_max_above;
///
/// assert!((union_max_above(2, 2, 1) - 0.5).abs() < 1e-12);
/// ```
#[must_use]
pub fn union_max_above(bins: u64, balls: u64, max: u64) -> f64 {
    let load = Binomial::new(1.0 / bins as f64, balls).expect("there are bins");
    bins as f64 * load.sf(max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Quantity, one_choice_max};
    use crate::exact::Law;
    use crate::ranks;

    #[test]
    fn the_law_is_that_of_the_table() {
        let mut laws = BTreeMap::new();
        let mut compared = 0;
        for row in one_choice_max() {
            let balls = row.balls.expect("a number of balls");
            let law = laws.entry((row.bins, balls)).or_insert_with(|| max_law(row.bins, balls));
            let mean: f64 = law.iter().map(|(&max, probability)| max as f64 * probability).sum();
            let (value, rounding) = match row.quantity {
                Quantity::MeanMax => (mean, 5e-7),
                Quantity::MeanGap => (mean - balls as f64 / row.bins as f64, 5e-7),
                Quantity::MaxIs(max) => (law[&max], 5e-8),
                _ => continue,
            };
            assert!((value - row.value).abs() < 1.01 * rounding, "{row:?}: {value}");
            compared += 1;
        }
        assert_eq!(compared, 185);
    }

    #[test]
    fn the_law_is_that_of_the_chain() {
        let chain: Law<u64> = ranks::sorted_chain(4, 12, |_| ranks::one_choice(4)).max_load();
        for (max, probability) in chain.to_f64() {
            assert!((max_law(4, 12)[&max] - probability).abs() < 1e-12, "maximum {max}");
        }
    }

    /// The two proved bounds hold, and the union bound is close in the upper tail.
    #[test]
    fn the_bounds_hold_against_the_exact_law() {
        let (bins, balls) = (100, 1000);
        let law = max_law(bins, balls);
        for max in 12..30 {
            let at_most: f64 = law.range(..=max).map(|(_, probability)| probability).sum();
            assert!(at_most <= 2.0 * poisson_max_at_most(bins, 10.0, max) + 1e-10, "maximum {max}");
            let above: f64 = law.range(max + 1..).map(|(_, probability)| probability).sum();
            let union = union_max_above(bins, balls, max);
            assert!(above <= union + 1e-10, "maximum {max}: {above} {union}");
            if (1e-8..0.01).contains(&above) {
                assert!(union < 1.1 * above, "maximum {max}: {above} {union}");
            }
        }
    }
}
