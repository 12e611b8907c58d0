use bb_core::rand::distr::Distribution;
use bb_core::samplers::Binomial;
use bb_core::{
    Allocator, Bins, Description, DynamicLoads, LoadProfile, ParameterError, Place, Remove, Rng, StartError,
};

use super::{System, checked};
use crate::d_choice::DChoice;
use crate::settings::throw_batch;

/// Leaky bins: in each round about `λn` new balls arrive in parallel, and then every bin that holds a ball
/// loses one.
///
/// The new balls are `Bin(n, λ)`: each of `n` sources makes one with probability `λ`. All of them see the
/// loads at the start of the round; so this is a batch of random size, and then a departure from each bin.
///
/// *Randomness:* a [`Binomial`] draw; then, on labelled bins, the words of the rule for each ball, and on
/// counted bins those of [`BatchedProfile`](crate::BatchedProfile) for the batch. *Ties:* those of the rule;
/// with d-Choice, equal loads go to the first sample, a fair choice. *Cost:* a round is `O(n)` on labelled
/// bins; on counted bins a few draws for each pair of occupied levels, whatever `n` is. *Accuracy:* each
/// binomial draw is within 1e-11 in total variation.
///
/// # Guarantees
///
/// - Greedy\[1\]: maximum load `O((1/(1 − λ)) ln(n/(1 − λ)))`, Greedy\[2\]: `O(ln(n/(1 − λ)))`, at any round,
///   with high probability (Berenbrink, Friedetzky, Kling, Mallmann-Trenn, Nagel and Wastell,
///   *Self-stabilizing balls and bins in batches*, PODC 2016, arXiv 1603.02188).
/// - Greedy\[1\], stationary, for every `n`: a bin is empty at the end of a round with probability
///   `(1 − λ)/(1 − λ/n)^n`, and its mean load is `λ²(1 − 1/n)/(2(1 − λ))`. For in a round it receives
///   `Bin(n, λ/n)` balls, whatever the loads are, and serves one.
///
/// # Panics
///
/// On counted bins, if the loads come to spread over more than `2^24` levels.
///
/// # Examples
///
/// ```
/// use bb_processes::bb_core::{LoadProfile, Metrics, rng_for_trial};
/// use bb_processes::{LeakyBins, System};
///
/// let mut maxima = Vec::new();
/// for d in [1, 2] {
///     let mut loads = LoadProfile::new(1 << 20)?;
///     LeakyBins::new(0.99, d)?.run(&mut loads, 2_000, &mut rng_for_trial(1, 0));
///     maxima.push(loads.max_load());
/// }
/// assert!(maxima[0] > 10 * maxima[1], "{maxima:?}");
/// assert_eq!(LeakyBins::new(1.0, 2).unwrap_err().to_string(), "lambda = 1.0 is outside (0, 1)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LeakyBins<A = DChoice> {
    lambda: f64,
    rule: A,
    /// The bins of the balls of a round.
    chosen: Vec<usize>,
}

impl LeakyBins {
    /// Returns the system with `λ` arrivals a bin and round on average, `0 < λ < 1`, placed by Greedy\[`d`\],
    /// `d ≥ 1`.
    ///
    /// # Errors
    ///
    /// If `lambda` is outside `(0, 1)` or `d` is 0.
    pub fn new(lambda: f64, d: u32) -> Result<Self, ParameterError> {
        let (lambda, rule) = checked(lambda, 1.0, "(0, 1)", d)?;
        Ok(Self { lambda, rule, chosen: Vec::new() })
    }
}

impl<A> LeakyBins<A> {
    /// Lets another rule place the new balls, one each: an [`Allocator`] on labelled bins, a [`Description`]
    /// on counted bins.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_processes::bb_core::{DynamicLoads, Metrics, rng_for_trial};
    /// use bb_processes::{DistinctChoice, LeakyBins, System};
    ///
    /// let mut loads = DynamicLoads::new(100)?;
    /// let mut system = LeakyBins::new(0.9, 1)?.with_rule(DistinctChoice::new(2)?);
    /// system.run(&mut loads, 1000, &mut rng_for_trial(1, 0));
    /// assert!(loads.max_load() < 10 && system.lambda() == 0.9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_rule<C>(self, rule: C) -> LeakyBins<C> {
        LeakyBins { lambda: self.lambda, rule, chosen: self.chosen }
    }

    /// Returns the mean number of arrivals a bin and round; the example of [`with_rule`](Self::with_rule)
    /// shows it.
    #[must_use]
    pub fn lambda(&self) -> f64 {
        self.lambda
    }

    fn arrivals<R: Rng + ?Sized>(&self, bins: u64, rng: &mut R) -> u64 {
        Binomial::new(bins, self.lambda).expect("at most 2^62 bins, and a probability").sample(rng)
    }
}

impl<A: Allocator<DynamicLoads>> System<DynamicLoads> for LeakyBins<A> {
    fn start(&mut self, bins: &DynamicLoads) -> Result<(), StartError> {
        self.rule.start(bins)
    }

    fn round<R: Rng + ?Sized>(&mut self, bins: &mut DynamicLoads, rng: &mut R) {
        self.chosen.clear();
        for _ in 0..self.arrivals(bins.bins(), rng) {
            let bin = self.rule.choose(bins, rng);
            self.chosen.push(bin);
            // As in batches, a rule with memory learns at once of its ball, and of the loads only at the end.
            self.rule.placed(bins, bin, bin);
        }
        for &bin in &self.chosen {
            bins.place(bin, &());
        }
        bins.remove_from_each();
    }
}

impl<P: Description> System<LoadProfile> for LeakyBins<P> {
    fn round<R: Rng + ?Sized>(&mut self, bins: &mut LoadProfile, rng: &mut R) {
        let balls = self.arrivals(bins.bins(), rng);
        throw_batch(bins, &self.rule, balls, rng).expect("the loads spread over at most 2^24 levels");
        bins.remove_from_each();
    }
}
