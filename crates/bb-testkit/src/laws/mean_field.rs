//! Mean-field limits of rules by rank: `n → ∞` at a fixed number of balls a bin.
//!
//! A rule by rank is given by its *flow* `F(u)`, the limit probability that a ball goes to one of the `u·n`
//! heaviest bins: `u` for One-Choice, `u^d` for d-Choice, `(1 − β)u + βu^d` for (1+β). The fraction `s_k` of
//! bins with at least `k` balls follows `ds_k/dt = F(s_{k−1}) − F(s_k)`, with one unit of time for a ball a
//! bin.
//!
//! # Accuracy
//!
//! The equations are solved to about `1e-8`. As a law of the gap of `n` bins, `P(gap < k) ≈ exp(−n s_k)` is
//! an approximation, asymptotic in `n`, which takes bins as independent: its probabilities are off by a few
//! per cent at most from `n = 1000` on.

use std::collections::BTreeMap;

/// The largest time step: small against 1, and against the fastest rate of any flow used here (about 4).
const STEP: f64 = 1.0 / 64.0;

/// Levels kept above the mean: every flow used here has less than `1e-12` there.
const LEVELS_ABOVE: usize = 100;

/// Returns the flow of d-Choice.
///
/// # Examples
///
/// ```
/// assert_eq!(bb_testkit::laws::mean_field::d_choice(2)(0.5), 0.25);
/// ```
pub fn d_choice(d: i32) -> impl Fn(f64) -> f64 {
    move |u| u.powi(d)
}

/// Returns the flow of (1+β).
///
/// # Examples
///
/// ```
/// assert_eq!(bb_testkit::laws::mean_field::one_plus_beta(0.5)(0.5), 0.375);
/// ```
pub fn one_plus_beta(beta: f64) -> impl Fn(f64) -> f64 {
    move |u| u * (1.0 - beta + beta * u)
}

/// Returns the fractions of bins with at least 0, 1, 2, … balls after `t` balls a bin, from empty.
///
/// # Examples
///
/// Two-Choice fills `tanh t` of the bins:
///
/// ```
/// use bb_testkit::laws::mean_field::{d_choice, tails};
///
/// let tails = tails(&d_choice(2), 1.0);
/// assert!((tails[1] - 1_f64.tanh()).abs() < 1e-8);
/// ```
#[must_use]
pub fn tails(flow: &impl Fn(f64) -> f64, t: f64) -> Vec<f64> {
    let mut tails = vec![0.0; t.ceil() as usize + LEVELS_ABOVE];
    tails[0] = 1.0;
    run(flow, &mut tails, t);
    tails
}

/// Classical Runge–Kutta.
fn run(flow: &impl Fn(f64) -> f64, tails: &mut [f64], t: f64) {
    let steps = (t / STEP).ceil();
    let h = t / steps;
    let rates = |tails: &[f64]| -> Vec<f64> {
        let flows: Vec<f64> = tails.iter().map(|&tail| flow(tail)).collect();
        core::iter::once(0.0).chain(flows.windows(2).map(|pair| pair[0] - pair[1])).collect()
    };
    let moved = |tails: &[f64], rates: &[f64], h: f64| -> Vec<f64> {
        tails.iter().zip(rates).map(|(tail, rate)| tail + h * rate).collect()
    };
    for _ in 0..steps as u64 {
        let first = rates(tails);
        let second = rates(&moved(tails, &first, h / 2.0));
        let third = rates(&moved(tails, &second, h / 2.0));
        let fourth = rates(&moved(tails, &third, h));
        for (k, tail) in tails.iter_mut().enumerate() {
            *tail += h / 6.0 * (first[k] + 2.0 * (second[k] + third[k]) + fourth[k]);
        }
    }
}

/// The profile around the mean which a rule keeps at many balls a bin.
///
/// # Examples
///
/// ```
/// use bb_testkit::laws::mean_field::{Profile, d_choice};
///
/// let two = Profile::stationary(&d_choice(2));
/// assert!((two.tail(2) / 0.0246680 - 1.0).abs() < 1e-5);
/// let law = two.gap_law(10_000);
/// assert!((law[&2] - 0.48312).abs() < 1e-5 && (law[&3] - 0.51688).abs() < 1e-5);
/// ```
#[derive(Clone, Debug)]
pub struct Profile {
    /// The fractions of bins with at least 0, 1, … balls, at `mean` balls a bin.
    tails: Vec<f64>,
    mean: usize,
}

impl Profile {
    /// Returns the stationary profile at integer times: the equations are run until it moves by less than
    /// `1e-11` in 10 units of time.
    ///
    /// # Panics
    ///
    /// If the profile never settles (One-Choice spreads for ever).
    #[must_use]
    pub fn stationary(flow: &impl Fn(f64) -> f64) -> Self {
        const LAP: usize = 10;
        let mut now = Self { tails: tails(flow, LAP as f64), mean: LAP };
        while now.mean < 2000 {
            let mut tails = now.tails.clone();
            tails.resize(tails.len() + LAP, 0.0);
            run(flow, &mut tails, LAP as f64);
            let next = Self { tails, mean: now.mean + LAP };
            let settled = (-(now.mean as i64)..LEVELS_ABOVE as i64).all(|k| (next.tail(k) - now.tail(k)).abs() < 1e-11);
            now = next;
            if settled {
                return now;
            }
        }
        panic!("the profile has not settled after {} balls a bin", now.mean);
    }

    /// Returns the fraction of bins with at least `k` balls above the mean.
    #[must_use]
    pub fn tail(&self, k: i64) -> f64 {
        match usize::try_from(self.mean as i64 + k) {
            Ok(level) => self.tails.get(level).copied().unwrap_or(0.0),
            Err(_) => 1.0,
        }
    }

    /// Returns the approximate law of the gap of `n` bins, `P(gap < k) ≈ exp(−n s_k)`, without what is below
    /// `1e-12`.
    #[must_use]
    pub fn gap_law(&self, bins: u64) -> BTreeMap<u64, f64> {
        let below = |k: i64| (-(bins as f64) * self.tail(k)).exp();
        (0..LEVELS_ABOVE as i64)
            .map(|k| (k as u64, below(k + 1) - below(k)))
            .filter(|&(_, probability)| probability > 1e-12)
            .collect()
    }
}

/// Returns the rate `λ > 0` of the upper tail `s_k ≈ C e^{−λk}` of (1+β): the root of `λ = (1 − β)(e^λ − 1)`.
///
/// So the gap is about `ln n/λ`.
///
/// # Panics
///
/// If `beta` is not strictly between 0 and 1.
///
/// # Examples
///
/// ```
/// let rate = bb_testkit::laws::mean_field::upper_rate(0.5);
/// assert!((rate - 1.2564312).abs() < 1e-7);
/// ```
#[must_use]
pub fn upper_rate(beta: f64) -> f64 {
    assert!(0.0 < beta && beta < 1.0, "beta = {beta} has no exponential tail");
    // The function is convex, negative below the root and positive beyond: Newton's method from the right
    // decreases to the root.
    let a = 1.0 - beta;
    let mut rate = 2.0 * (1.0 / a).ln() + 2.0;
    for _ in 0..100 {
        rate -= (a * rate.exp_m1() - rate) / (a * rate.exp() - 1.0);
    }
    rate
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Quantity, mean_field_gaps};

    #[test]
    fn profiles_give_the_gap_laws_of_the_table() {
        let profiles = [
            ("two-choice", Profile::stationary(&d_choice(2))),
            ("three-choice", Profile::stationary(&d_choice(3))),
            ("(1+beta); beta=0.25", Profile::stationary(&one_plus_beta(0.25))),
            ("(1+beta); beta=0.5", Profile::stationary(&one_plus_beta(0.5))),
            ("(1+beta); beta=0.75", Profile::stationary(&one_plus_beta(0.75))),
        ];
        let mut compared = 0;
        for row in mean_field_gaps() {
            let Some((_, profile)) = profiles.iter().find(|(name, _)| *name == row.process) else { continue };
            let law = profile.gap_law(row.bins);
            let (value, rounding) = match row.quantity {
                Quantity::GapIs(gap) => (law[&gap], 5e-6),
                // The means of the table leave out what was cut off as improbable.
                _ => (law.iter().map(|(&gap, probability)| gap as f64 * probability).sum(), 3e-3),
            };
            assert!((value - row.value).abs() < 1.01 * rounding, "{row:?}: {value}");
            compared += 1;
        }
        assert_eq!(compared, 94);
    }

    #[test]
    fn balls_are_conserved_and_one_choice_is_poisson() {
        let one = tails(&d_choice(1), 3.0);
        assert!((one[1..].iter().sum::<f64>() - 3.0).abs() < 1e-9);
        let poisson = [1.0, 1.0 - (-3.0_f64).exp(), 1.0 - 4.0 * (-3.0_f64).exp(), 1.0 - 8.5 * (-3.0_f64).exp()];
        assert!(one.iter().zip(poisson).all(|(tail, exact)| (tail - exact).abs() < 1e-7), "{:?}", &one[..4]);
    }

    #[test]
    fn the_upper_tail_falls_at_its_rate() {
        for (beta, level) in [(0.25, 30), (0.5, 12), (0.75, 8)] {
            let profile = Profile::stationary(&one_plus_beta(beta));
            let rate = (profile.tail(level) / profile.tail(level + 1)).ln();
            assert!((rate / upper_rate(beta) - 1.0).abs() < 1e-4, "beta = {beta}: {rate}");
        }
    }
}
