use core::fmt;

use bb_core::{Allocator, Bins, BinsExt, Coin, Load, Mix, ParameterError, Rng, SampleCount};

/// Two-Choice with a comparison that errs, on loads of whatever kind, weights above all: the lighter of two
/// samples takes the ball with probability `ρ(δ)`, where `δ > 0` is the difference of their loads, a real
/// number.
///
/// On counts it is [`RhoNoisy`](crate::RhoNoisy) and [`GBounded`](crate::GBounded), draw for draw, and
/// [`GMyopic`](crate::GMyopic) and [`SigmaNoisyLoad`](crate::SigmaNoisyLoad) in law; these run in bulk and
/// faster.
///
/// *Randomness:* the two draws of [`BinsExt::draw_pair`]; then a coin (one word), if the loads differ and
/// `ρ(δ)` is neither 0 nor 1. *Ties:* of equal loads the first sample, a fair choice. *Cost:* that of `ρ` for
/// each ball.
///
/// # Guarantees
///
/// In the stationary state `E[(2ρ(δ) − 1)·δ] = E[w²](1 − 1/n)/E[w]` exactly, for the difference `δ` of the
/// samples and weights `w`. The setting is that of Los and Sauerwald, arXiv 2206.07503, whose theorems are
/// about unit balls.
///
/// # Examples
///
/// ```
/// use bb_processes::bb_core::{LoadVector, Metrics, rng_for_trial};
/// use bb_processes::{NoisyComparison, WeightLaw, throw_weighted};
///
/// let mut gap = |g| {
///     let mut loads = LoadVector::weighted(1000)?;
///     let mut rule = NoisyComparison::g_bounded(g)?;
///     throw_weighted(&mut rule, &mut loads, &WeightLaw::uniform12(), 100_000, &mut rng_for_trial(1, 0))?;
///     Ok::<_, Box<dyn std::error::Error>>(loads.gap())
/// };
/// assert!(gap(0.0)? < 4.0 && gap(6.0)? > 6.0);
/// assert!(NoisyComparison::g_bounded(-1.0).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct NoisyComparison<F> {
    rho: F,
}

impl<F: Fn(f64) -> f64> NoisyComparison<F> {
    /// Returns the rule with this `ρ`, non-decreasing, with values in `[0, 1]`. What is outside is read as
    /// the nearer end, and what is not a number as 0.
    #[must_use]
    pub fn new(rho: F) -> Self {
        Self { rho }
    }

    /// Returns the probability that the comparison is right at this difference.
    #[must_use]
    pub fn rho(&self, difference: f64) -> f64 {
        (self.rho)(difference)
    }

    fn errs(&self, difference: f64) -> Mix<bool> {
        let rho = self.rho(difference);
        match Coin::new("rho", rho) {
            Ok(coin) if rho > 0.0 && rho < 1.0 => Mix::Coin { coin, heads: false, tails: true },
            _ => Mix::Sure(rho.is_nan() || rho <= 0.0),
        }
    }
}

fn check(parameter: &'static str, value: f64) -> Result<f64, ParameterError> {
    let valid = value >= 0.0 && value.is_finite();
    ParameterError::require(valid, parameter, value, "the finite numbers from 0")?;
    Ok(value)
}

impl NoisyComparison<fn(f64) -> f64> {
    /// Returns g-Bounded: of samples whose loads differ by at most `g` the heavier takes the ball.
    ///
    /// # Errors
    ///
    /// If `g` is negative or not finite.
    pub fn g_bounded(g: f64) -> Result<NoisyComparison<impl Fn(f64) -> f64 + Clone + Send + Sync>, ParameterError> {
        let g = check("g", g)?;
        Ok(NoisyComparison::new(move |difference| f64::from(u8::from(difference > g))))
    }

    /// Returns g-Myopic-Comp: of samples whose loads differ by at most `g` either takes the ball with
    /// probability ½.
    ///
    /// # Errors
    ///
    /// If `g` is negative or not finite.
    pub fn g_myopic(g: f64) -> Result<NoisyComparison<impl Fn(f64) -> f64 + Clone + Send + Sync>, ParameterError> {
        let g = check("g", g)?;
        Ok(NoisyComparison::new(move |difference| if difference > g { 1.0 } else { 0.5 }))
    }

    /// Returns σ-Noisy-Load: each sample reports its load plus normal noise of standard deviation `σ`, and
    /// the smaller report takes the ball.
    ///
    /// # Errors
    ///
    /// If `sigma` is negative or not finite.
    pub fn sigma_noisy_load(
        sigma: f64,
    ) -> Result<NoisyComparison<impl Fn(f64) -> f64 + Clone + Send + Sync>, ParameterError> {
        let sigma = check("sigma", sigma)?;
        // The difference of the reports is normal with variance 2σ².
        let right = move |difference: f64| 1.0 - libm::erfc(difference / (2.0 * sigma)) / 2.0;
        Ok(NoisyComparison::new(move |difference| if sigma == 0.0 { 1.0 } else { right(difference) }))
    }
}

impl<F> fmt::Debug for NoisyComparison<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NoisyComparison").finish_non_exhaustive()
    }
}

impl<B: Bins, F: Fn(f64) -> f64> Allocator<B> for NoisyComparison<F> {
    fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> B::Bin {
        let [first, second] = bins.draw_pair(rng);
        let (one, other) = (bins.load(first), bins.load(second));
        let difference = if one < other { other.above_mean(one, 1) } else { one.above_mean(other, 1) };
        // Equal loads, and only these, have no difference.
        if difference == 0.0 {
            return first;
        }
        let errs = self.errs(difference).resolve(rng);
        if (other < one) == errs { first } else { second }
    }

    fn sample_count(&self) -> Option<SampleCount> {
        Some(SampleCount::PerBall(2.0))
    }
}
