use std::sync::Arc;

use bb_core::rand::distr::Distribution;
use bb_core::{ParameterError, Rng, Weight, draw_below};
use rand_distr::{Exp1, Geometric, StandardNormal};

use super::EmpiricalError;
use super::empirical::normalised;

/// The law of the weight of a ball, with mean 1; balls have independent weights.
///
/// | law | weight | variance | words |
/// | --- | --- | --- | --- |
/// | [`constant`](Self::constant) | 1 | 0 | none |
/// | [`uniform12`](Self::uniform12) | ⅔ or 4⁄3: {1, 2} over their mean | 1⁄9 | one |
/// | [`exponential`](Self::exponential) | Exp(1) | 1 | one, rarely more |
/// | [`geometric(p)`](Self::geometric) | `p·G`, `P(G = k) = p(1 − p)^(k−1)`, `k ≥ 1` | `1 − p` | as `rand_distr` |
/// | [`pareto(a)`](Self::pareto) | `((a − 1)/a)·U^(−1/a)` | `1/(a(a − 2))`; infinite for `a ≤ 2` | one |
/// | [`log_normal(σ)`](Self::log_normal) | `exp(σZ − σ²/2)` | `e^(σ²) − 1` | one, rarely more |
/// | [`empirical`](Self::empirical) | one of given numbers over their mean | theirs | one, rarely more |
///
/// The samplers of Exp(1), `G` and `Z` are those of `rand_distr`. A law gives `f64` and [`Weight`]s from the
/// same words. On another machine weights of the Pareto and the log-normal law may differ in the last bit, as
/// far as its `powf` and `exp` do.
///
/// # Guarantees
///
/// What theorems ask of a law is [`finite_moments`](Self::finite_moments) and
/// [`has_exponential_moment`](Self::has_exponential_moment). With a finite second moment and a mild condition
/// of smoothness the gap of Two-Choice does not grow with `m`, with a finite fourth moment its expectation is
/// bounded (Talwar and Wieder, STOC 2007); (1+β) has `Θ(ln n/β)` for a large class of laws (Peres, Talwar and
/// Wieder, Random Structures & Algorithms 47, 2015). No rule has a gap of `O(ln n)` for Pareto weights: among
/// the last `n` balls there is one of weight about `n^(1/a)`, and where it lies the gap is about that.
/// Measured, and by a mean-field argument (`n·E[(w − x)⁺] = ln 2` at the median gap `x`), it is of the order
/// of `n^(1/(a − 1))`: `n = 1000`, `m = 100 n`, Two-Choice, mean gaps: Exp(1) 7.4, geometric(½) 5.4,
/// Pareto(3) 20, Pareto(2.5) 60.
///
/// # Examples
///
/// ```
/// use bb_processes::bb_core::rand::distr::Distribution;
/// use bb_processes::bb_core::{Weight, rng_for_trial};
/// use bb_processes::WeightLaw;
///
/// let law = WeightLaw::uniform12();
/// let mut rng = rng_for_trial(1, 0);
/// let weights: Vec<f64> = law.sample_iter(&mut rng).take(1000).collect();
/// assert!(weights.iter().all(|&weight| weight == 2.0 / 3.0 || weight == 4.0 / 3.0));
///
/// let pareto = WeightLaw::pareto(3.0)?;
/// assert_eq!((pareto.variance(), pareto.finite_moments()), (1.0 / 3.0, 3.0));
/// let weight: Weight = pareto.sample(&mut rng);
/// assert!(weight.get() >= 2.0 / 3.0 && !pareto.has_exponential_moment());
/// # Ok::<(), bb_processes::bb_core::ParameterError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct WeightLaw(Kind);

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Constant,
    Uniform12,
    Exponential,
    Geometric {
        p: f64,
        failures: Geometric,
    },
    Pareto {
        a: f64,
    },
    LogNormal {
        sigma: f64,
    },
    /// A clone shares the weights.
    Empirical(Arc<[f64]>),
}

impl WeightLaw {
    /// Returns the law of unit weights. It takes no words.
    #[must_use]
    pub fn constant() -> Self {
        Self(Kind::Constant)
    }

    /// Returns the law of 1 or 2 with equal probability, over their mean.
    #[must_use]
    pub fn uniform12() -> Self {
        Self(Kind::Uniform12)
    }

    /// Returns the exponential law.
    #[must_use]
    pub fn exponential() -> Self {
        Self(Kind::Exponential)
    }

    /// Returns the geometric law on `p, 2p, 3p, …`, `0 < p ≤ 1`.
    ///
    /// # Errors
    ///
    /// If `p` is outside its range.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_processes::WeightLaw;
    ///
    /// assert_eq!(WeightLaw::geometric(0.5)?.variance(), 0.5);
    /// assert_eq!(WeightLaw::geometric(0.0).unwrap_err().to_string(), "p = 0.0 is outside (0, 1]");
    /// # Ok::<(), bb_processes::bb_core::ParameterError>(())
    /// ```
    pub fn geometric(p: f64) -> Result<Self, ParameterError> {
        let refused = || ParameterError::new("p", format!("{p:?}"), "(0, 1]");
        if !(p > 0.0 && p <= 1.0) {
            return Err(refused());
        }
        Ok(Self(Kind::Geometric { p, failures: Geometric::new(p).map_err(|_| refused())? }))
    }

    /// Returns the Pareto law with exponent `a > 1`, which a mean needs; what is known of gaps is for
    /// `a > 2`.
    ///
    /// # Errors
    ///
    /// If `a` is outside its range.
    pub fn pareto(a: f64) -> Result<Self, ParameterError> {
        ParameterError::require(a > 1.0 && a.is_finite(), "a", a, "the finite numbers above 1")?;
        Ok(Self(Kind::Pareto { a }))
    }

    /// Returns the log-normal law with `0 ≤ σ ≤ 20`. At large `σ` nearly all weights are nearly 0, and the
    /// mean is 1 by weights that no run sees.
    ///
    /// # Errors
    ///
    /// If `sigma` is outside its range.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_processes::WeightLaw;
    ///
    /// assert!((WeightLaw::log_normal(1.0)?.variance() - 1.718_281_8).abs() < 1e-7);
    /// assert!(WeightLaw::log_normal(-1.0).is_err());
    /// # Ok::<(), bb_processes::bb_core::ParameterError>(())
    /// ```
    pub fn log_normal(sigma: f64) -> Result<Self, ParameterError> {
        ParameterError::require((0.0..=20.0).contains(&sigma), "sigma", sigma, "[0, 20]")?;
        Ok(Self(Kind::LogNormal { sigma }))
    }

    /// Returns the law of one of these numbers, each as likely as the others, over their mean.
    ///
    /// # Errors
    ///
    /// If there are none, one is negative or not finite, or all are 0. [`EmpiricalError`] shows it.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_processes::WeightLaw;
    ///
    /// let law = WeightLaw::empirical(vec![1.0, 2.0, 6.0])?;
    /// assert!((law.variance() - 14.0 / 27.0).abs() < 1e-15);
    /// # Ok::<(), bb_processes::EmpiricalError>(())
    /// ```
    pub fn empirical(weights: Vec<f64>) -> Result<Self, EmpiricalError> {
        Ok(Self(Kind::Empirical(normalised(weights)?.into())))
    }

    /// Returns the variance; the mean is 1.
    #[must_use]
    pub fn variance(&self) -> f64 {
        match &self.0 {
            Kind::Constant => 0.0,
            Kind::Uniform12 => 1.0 / 9.0,
            Kind::Exponential => 1.0,
            Kind::Geometric { p, .. } => 1.0 - p,
            Kind::Pareto { a } if *a <= 2.0 => f64::INFINITY,
            Kind::Pareto { a } => 1.0 / (a * (a - 2.0)),
            Kind::LogNormal { sigma } => (sigma * sigma).exp_m1(),
            Kind::Empirical(weights) => {
                weights.iter().map(|weight| (weight - 1.0).powi(2)).sum::<f64>() / weights.len() as f64
            }
        }
    }

    /// Returns the least upper bound of the orders of finite moments: `a` for the Pareto law, infinity for
    /// the others.
    #[must_use]
    pub fn finite_moments(&self) -> f64 {
        if let Kind::Pareto { a } = self.0 { a } else { f64::INFINITY }
    }

    /// Tells whether `E[e^(λw)]` is finite for some `λ > 0`: what theorems by exponential potentials ask.
    #[must_use]
    pub fn has_exponential_moment(&self) -> bool {
        match self.0 {
            Kind::Pareto { .. } => false,
            Kind::LogNormal { sigma } => sigma == 0.0,
            _ => true,
        }
    }
}

impl Distribution<f64> for WeightLaw {
    #[inline]
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        match &self.0 {
            Kind::Constant => 1.0,
            Kind::Uniform12 => {
                if rng.next_u64() >> 63 == 0 {
                    2.0 / 3.0
                } else {
                    4.0 / 3.0
                }
            }
            Kind::Exponential => Exp1.sample(rng),
            Kind::Geometric { p, failures } => p * (failures.sample(rng) as f64 + 1.0),
            Kind::Pareto { a } => {
                // Of the numbers from 2^-53 to 1.
                let uniform = ((rng.next_u64() >> 11) + 1) as f64 / 2_f64.powi(53);
                (a - 1.0) / a * uniform.powf(-1.0 / a)
            }
            Kind::LogNormal { sigma } => {
                let normal: f64 = StandardNormal.sample(rng);
                (sigma * normal - sigma * sigma / 2.0).exp()
            }
            Kind::Empirical(weights) => weights[draw_below(weights.len() as u64, rng) as usize],
        }
    }
}

impl Distribution<Weight> for WeightLaw {
    #[inline]
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> Weight {
        // Each law gives finite numbers from 0.
        Weight::new(self.sample(rng)).unwrap_or_default()
    }
}
