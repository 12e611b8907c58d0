//! Limits in closed form.

use bb_samplers::ParameterError;

/// Returns the time `t = ∫_0^{s} du/(1 − u^d)` at which d-Choice has filled the fraction `s` of the bins,
/// `0 ≤ s < 1`, `d ≥ 1`.
///
/// It inverts `s_1(t)`: for `d = 2`, `t = artanh s`; for `d = 1`, `t = −ln(1 − s)`. Summed as the series
/// `Σ_j s^{jd+1}/(jd + 1)`, to a relative error of about `1e-15`; its number of terms grows as
/// `1/(d(1 − s))`, so `s` must be at most `1 − 1e-6`.
///
/// # Errors
///
/// If `s` is outside `[0, 1 − 1e-6]` or `d` is 0.
///
/// # Examples
///
/// ```
/// use bb_theory::fluid::{Fluid, d_choice_time};
///
/// assert!((d_choice_time(2, 1_f64.tanh())? - 1.0).abs() < 1e-14);
/// let three = Fluid::d_choice(3)?.tails(1.0)?;
/// assert!((d_choice_time(3, three.tail(1))? - 1.0).abs() < 1e-11);
/// # Ok::<(), bb_theory::ParameterError>(())
/// ```
pub fn d_choice_time(d: u32, s: f64) -> Result<f64, ParameterError> {
    ParameterError::require(d != 0, "d", d, "1..")?;
    ParameterError::require((0.0..=1.0 - 1e-6).contains(&s), "s", s, "[0, 1 − 1e-6]")?;
    let d = f64::from(d);
    let factor = s.powf(d);
    let (mut sum, mut power, mut exponent) = (0.0, s, 1.0);
    while power > 1e-18 * s {
        sum += power / exponent;
        power *= factor;
        exponent += d;
    }
    Ok(sum)
}

/// Returns the fixed point of the supermarket model, `s_k = λ^{(d^k − 1)/(d − 1)}`: the fraction of queues
/// with at least `k` customers, `0 ≤ λ < 1`, `d ≥ 1`.
///
/// Vvedenskaya, Dobrushin and Karpelevich (1996), Mitzenmacher (2001). `d = 1` is `λ^k`, the law of a single
/// queue.
///
/// # Errors
///
/// If `λ` is not in `[0, 1)` or `d` is 0.
///
/// # Examples
///
/// ```
/// use bb_theory::fluid::supermarket_tail;
///
/// assert_eq!(supermarket_tail(0.5, 2, 3)?, 0.5_f64.powi(7));
/// assert_eq!(supermarket_tail(0.5, 1, 3)?, 0.125);
/// # Ok::<(), bb_theory::ParameterError>(())
/// ```
pub fn supermarket_tail(lambda: f64, d: u32, k: u32) -> Result<f64, ParameterError> {
    ParameterError::require((0.0..1.0).contains(&lambda), "lambda", lambda, "[0, 1)")?;
    ParameterError::require(d != 0, "d", d, "1..")?;
    // 1 + d + … + d^(k−1), as far as it matters; beyond 2^1000 the tail is 0.
    let exponent = (0..k).try_fold(0.0, |sum: f64, _| {
        let next = sum * f64::from(d) + 1.0;
        if next < 1e300 { Some(next) } else { None }
    });
    Ok(exponent.map_or(0.0, |exponent| lambda.powf(exponent)))
}

/// Repeated balls-into-bins with `μ` balls a bin, in the limit of many bins: each round a ball leaves every
/// bin that has one, and all these are thrown again.
///
/// A bin is then a queue with Poisson(ρ) arrivals a round, `ρ` the fraction of non-empty bins. From
/// `μ = ρ + ρ²/(2(1 − ρ))` follows `1 − ρ = √(1 + μ²) − μ`. The process is that of Becchetti et al. (arXiv
/// 1501.04822) and of Los and Sauerwald (arXiv 2203.12400), whose published curve for `n = 10⁴` agrees to its
/// resolution.
///
/// # Examples
///
/// ```
/// use bb_theory::fluid::RepeatedBalls;
///
/// let one = RepeatedBalls::new(1.0)?;
/// assert!((one.empty() - (2_f64.sqrt() - 1.0)).abs() < 1e-15);
/// assert!((one.nonempty() + one.empty() - 1.0).abs() < 1e-15);
/// let shares = one.shares(60);
/// let mean: f64 = shares.iter().enumerate().map(|(load, share)| load as f64 * share).sum();
/// assert!((shares[0] - one.empty()).abs() < 1e-15 && (mean - 1.0).abs() < 1e-12);
/// # Ok::<(), bb_theory::ParameterError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RepeatedBalls {
    empty: f64,
}

impl RepeatedBalls {
    /// Returns the limit with `mean` balls a bin.
    ///
    /// # Errors
    ///
    /// If `mean` is negative or not finite.
    pub fn new(mean: f64) -> Result<Self, ParameterError> {
        ParameterError::require(mean >= 0.0 && mean.is_finite(), "mean", mean, "[0, ∞)")?;
        // √(1 + μ²) − μ without cancellation.
        Ok(Self { empty: 1.0 / (1_f64.hypot(mean) + mean) })
    }

    /// Returns the fraction of empty bins, `√(1 + μ²) − μ`.
    #[must_use]
    pub fn empty(&self) -> f64 {
        self.empty
    }

    /// Returns `ρ`, the fraction of bins with a ball: the balls thrown in a round, a bin.
    #[must_use]
    pub fn nonempty(&self) -> f64 {
        1.0 - self.empty
    }

    /// Returns the fractions of bins with loads `0, 1, …`, so many of them: the stationary law of the queue.
    ///
    /// By Ramaswami's recursion, in which all terms are positive:
    /// `π_i (1 − A_1) = π_0 A_i + Σ_{0<j<i} π_j A_{i+1−j}` with `A_i = P(Poisson(ρ) ≥ i)`. `O(loads²)`.
    #[must_use]
    pub fn shares(&self, loads: usize) -> Vec<f64> {
        let rho = self.nonempty();
        let mut weights = vec![(-rho).exp()];
        for arrivals in 1..loads + 60 {
            weights.push(weights[arrivals - 1] * rho / arrivals as f64);
        }
        let mut at_least = weights;
        for arrivals in (0..at_least.len() - 1).rev() {
            at_least[arrivals] += at_least[arrivals + 1];
        }
        let none = (-rho).exp();
        let mut shares = Vec::with_capacity(loads);
        for load in 0..loads {
            shares.push(if load == 0 {
                self.empty
            } else {
                let from_others: f64 = (1..load).map(|j| shares[j] * at_least[load + 1 - j]).sum();
                (shares[0] * at_least[load] + from_others) / none
            });
        }
        shares
    }
}
