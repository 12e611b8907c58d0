use bb_core::{Allocator, ParameterError, Remove, Rng, StartError};

use super::{System, checked, depart, exponential, unit};
use crate::d_choice::DChoice;

/// Balls with exponential lifetimes: they arrive at the times of a Poisson process of rate `λn`, are placed
/// by Greedy\[d\], and each leaves after an exponential time of mean 1.
///
/// A round is one unit of time. The stationary number of balls is `Poisson(λn)`.
///
/// *Randomness:* for each event an exponential time and a coin, one word each, then the words of the rule for
/// an arrival, or a [`draw_ball`](Remove::draw_ball) for a departure; the time that passes the end of the
/// round is forgotten, which an exponential time allows. *Ties:* those of the rule. *Cost:* `O(1)` an event,
/// and a walk over the occupied levels for a departure. In the stationary state a round has `2λn` events.
/// *Accuracy:* times and the coin, of probability `λn/(λn + balls)`, are exact up to the rounding of an
/// `f64`.
///
/// # Guarantees
///
/// `d ≥ 2`, stationary: the maximum load is one of two values around `ln ln n/ln d + O(1)` with probability
/// tending to 1 (Luczak and McDiarmid, Ann. Appl. Probab. 15, 2005, arXiv math/0508451). Greedy\[1\]: the
/// loads are independent and `Poisson(λ)`.
///
/// # Examples
///
/// ```
/// use bb_processes::bb_core::{LoadProfile, Metrics, rng_for_trial};
/// use bb_processes::{Lifetimes, System};
///
/// let mut loads = LoadProfile::new(10_000)?;
/// let mut system = Lifetimes::new(1.0, 2)?;
/// system.run(&mut loads, 20, &mut rng_for_trial(1, 0));
/// assert!(loads.total().abs_diff(10_000) < 600, "five standard deviations are 500");
/// assert!((3..=5).contains(&loads.max_load()) && system.lambda() == 1.0);
/// assert_eq!(Lifetimes::new(0.0, 2).unwrap_err().to_string(), "lambda = 0.0 is outside (0, 2^20)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Lifetimes<A = DChoice> {
    lambda: f64,
    rule: A,
}

impl Lifetimes {
    /// Returns the system with a mean of `λ` balls a bin, `0 < λ < 2^20`, placed by Greedy\[`d`\], `d ≥ 1`.
    ///
    /// # Errors
    ///
    /// If `lambda` is outside `(0, 2^20)` or `d` is 0.
    pub fn new(lambda: f64, d: u32) -> Result<Self, ParameterError> {
        let (lambda, rule) = checked(lambda, 2_f64.powi(20), "(0, 2^20)", d)?;
        Ok(Self { lambda, rule })
    }
}

impl<A> Lifetimes<A> {
    /// Lets another rule place the new balls: a step of it each. The example of
    /// [`RandomDeletion::with_rule`](crate::RandomDeletion::with_rule) shows it.
    #[must_use]
    pub fn with_rule<C>(self, rule: C) -> Lifetimes<C> {
        Lifetimes { lambda: self.lambda, rule }
    }

    /// Returns the mean number of arrivals a bin and unit of time.
    #[must_use]
    pub fn lambda(&self) -> f64 {
        self.lambda
    }
}

impl<A: Allocator<B>, B: Remove> System<B> for Lifetimes<A> {
    fn start(&mut self, bins: &B) -> Result<(), StartError> {
        self.rule.start(bins)
    }

    fn round<R: Rng + ?Sized>(&mut self, bins: &mut B, rng: &mut R) {
        let arrivals = self.lambda * bins.bins() as f64;
        let mut left = 1.0;
        loop {
            let rate = arrivals + bins.total() as f64;
            left -= exponential(rng) / rate;
            if left <= 0.0 {
                return;
            }
            if unit(rng) * rate < arrivals {
                self.rule.step(bins, rng);
            } else if let Some(bin) = bins.draw_ball(rng) {
                depart(&mut self.rule, bins, bin);
            }
        }
    }
}
