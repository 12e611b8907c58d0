use bb_core::{Allocator, BinsExt, Coin, ParameterError, Remove, Rng, StartError};

use super::{System, checked, depart, exponential};
use crate::d_choice::DChoice;

/// The supermarket model: balls arrive at the times of a Poisson process of rate `λn` and join the shortest
/// of `d` uniform queues; each bin that holds a ball serves one at rate 1.
///
/// A round is one unit of time, the mean time of a service. Events come at the constant rate `(1 + λ)n`: an
/// arrival with probability `λ/(1 + λ)`, else a uniform bin loses a ball, if it holds one. So a uniform bin
/// among those that hold one loses a ball at the rate of their number.
///
/// *Randomness:* for each event an exponential time and a coin, one word each, then the words of the rule for
/// an arrival, or one draw of a bin; the time that passes the end of the round is forgotten, which an
/// exponential time allows. *Ties:* those of the rule. *Cost:* `O(1)` an event, `(1 + λ)n` events a round.
/// *Accuracy:* times and the coin are exact up to the rounding of an `f64`.
///
/// # Guarantees
///
/// The stationary fraction of bins with load at least `k` tends to [`limit_tail`](Self::limit_tail) for many
/// bins (Vvedenskaya, Dobrushin and Karpelevich, Probl. Inf. Transm. 32, 1996; Mitzenmacher, IEEE Trans.
/// Parallel Distrib. Syst. 12, 2001). For `d = 1` it is that for every `n`.
///
/// # Examples
///
/// ```
/// use bb_processes::bb_core::{LoadProfile, Metrics, rng_for_trial};
/// use bb_processes::{Supermarket, System};
///
/// let n = 10_000;
/// let mut loads = LoadProfile::new(n)?;
/// let mut system = Supermarket::new(0.9, 2)?;
/// system.run(&mut loads, 50, &mut rng_for_trial(1, 0));
/// let waiting = loads.bins_at_least(3) as f64 / n as f64;
/// assert!((waiting - system.limit_tail(3)).abs() < 0.05 && system.lambda() == 0.9);
/// assert_eq!(Supermarket::new(1.5, 2).unwrap_err().to_string(), "lambda = 1.5 is outside (0, 1)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Supermarket<A = DChoice> {
    lambda: f64,
    /// Whether an event is an arrival.
    arrival: Coin,
    rule: A,
}

impl Supermarket {
    /// Returns the model with `λ` arrivals a bin and unit of time, `0 < λ < 1`, and `d ≥ 1` choices.
    ///
    /// # Errors
    ///
    /// If `lambda` is outside `(0, 1)` or `d` is 0.
    pub fn new(lambda: f64, d: u32) -> Result<Self, ParameterError> {
        let (lambda, rule) = checked(lambda, 1.0, "(0, 1)", d)?;
        Ok(Self { lambda, arrival: Coin::new("lambda", lambda / (1.0 + lambda))?, rule })
    }

    /// Returns the limit of the stationary fraction of bins with load at least `level`, for many bins:
    /// `λ^((d^k − 1)/(d − 1))`, and `λ^k` for `d = 1`.
    #[must_use]
    pub fn limit_tail(&self, level: u32) -> f64 {
        // 1 + d + … + d^(k − 1); what overflows is a tail of 0.
        let exponent = (0..level).fold(0.0, |sum, _| sum * f64::from(self.rule.d()) + 1.0);
        self.lambda.powf(exponent)
    }
}

impl<A> Supermarket<A> {
    /// Lets another rule place the new balls: a step of it each.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_processes::bb_core::{DynamicLoads, Metrics, rng_for_trial};
    /// use bb_processes::{OnePlusBeta, Supermarket, System};
    ///
    /// let mut loads = DynamicLoads::new(1000)?;
    /// let mut system = Supermarket::new(0.9, 1)?.with_rule(OnePlusBeta::new(0.5)?);
    /// system.run(&mut loads, 100, &mut rng_for_trial(1, 0));
    /// assert!(loads.max_load() < 40 && system.rule() == &OnePlusBeta::new(0.5)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_rule<C>(self, rule: C) -> Supermarket<C> {
        Supermarket { lambda: self.lambda, arrival: self.arrival, rule }
    }

    /// Returns the rule for new balls; the example of [`with_rule`](Self::with_rule) shows it.
    #[must_use]
    pub fn rule(&self) -> &A {
        &self.rule
    }

    /// Returns the mean number of arrivals a bin and unit of time.
    #[must_use]
    pub fn lambda(&self) -> f64 {
        self.lambda
    }
}

impl<A: Allocator<B>, B: Remove> System<B> for Supermarket<A> {
    fn start(&mut self, bins: &B) -> Result<(), StartError> {
        self.rule.start(bins)
    }

    fn round<R: Rng + ?Sized>(&mut self, bins: &mut B, rng: &mut R) {
        let rate = (1.0 + self.lambda) * bins.bins() as f64;
        let mut left = 1.0;
        loop {
            left -= exponential(rng) / rate;
            if left <= 0.0 {
                return;
            }
            if self.arrival.flip(rng) {
                self.rule.step(bins, rng);
            } else {
                let bin = bins.draw(rng);
                depart(&mut self.rule, bins, bin);
            }
        }
    }
}
