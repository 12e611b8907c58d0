//! One-step expectations of potentials, and the exact identities of the stationary state that follow. They
//! hold for every number of bins.
//!
//! Let the next ball, of weight `w`, go to bin `i` with probability `p_i` given the past, independently of
//! `w`. With `y_i = x_i − W/n` the loads above the mean:
//!
//! - `E[ΔΥ] = 2 E[w] Σ p_i y_i + E[w²](1 − 1/n)` for the quadratic potential `Υ = Σ y_i²`:
//!   [`quadratic_drift`].
//! - `E[Φ'] = Σ e^{αy_i} (M(−α/n)(1 − p_i) + p_i M(α(1 − 1/n)))` for `Φ = Σ e^{αy_i}`, `M` the moment
//!   generating function of `w`, and likewise for `Ψ = Σ e^{−αy_i}`: [`exponential_step`].
//!
//! Where the loads above the mean are stationary with a finite second moment, the first is 0:
//! `E[y_chosen] = −E[w²](1 − 1/n)/(2E[w])`, and each rule makes a statement about differences of loads of it.
//! A time average obeys it up to `(Υ(T) − Υ(0))/T`, as the sum of the steps telescopes: a strong test for any
//! `n`.
//!
//! | process | identity | right-hand side |
//! | --- | --- | --- |
//! | Two-Choice, samples `Y, Y'` with replacement | `E|Y − Y'|` | [`two_choice_difference`] |
//! | (1+β) | `E|Y − Y'|` | [`one_plus_beta_difference`] |
//! | wrong comparisons, right with probability `ρ(δ)` | `E[(2ρ(δ) − 1)δ]`, `δ = |Y − Y'|` | [`two_choice_difference`] |
//! | g-Myopic-Comp, g-Bounded | `E[δ; δ > g]`, `E[δ; δ > g] − E[δ; δ ≤ g]` | [`two_choice_difference`] |
//! | Mean-Thinning | `E[Σ |y_i|]` | [`mean_thinning_deviation`] |
//!
//! The left-hand sides for given loads are [`mean_difference`] and `Metrics::absolute_potential` of
//! `bb-core`.

use bb_samplers::ParameterError;

/// The first two moments of the weight of a ball.
///
/// # Examples
///
/// ```
/// use bb_theory::identities::Moments;
///
/// assert_eq!((Moments::UNIT.mean(), Moments::UNIT.square()), (1.0, 1.0));
/// // An exponential weight.
/// assert_eq!(Moments::new(1.0, 2.0)?.square(), 2.0);
/// assert!(Moments::new(1.0, 0.5).is_err());
/// # Ok::<(), bb_theory::ParameterError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    mean: f64,
    square: f64,
}

impl Moments {
    /// Those of unit balls.
    pub const UNIT: Self = Self { mean: 1.0, square: 1.0 };

    /// Returns the moments `E[w] > 0` and `E[w²] ≥ E[w]²`.
    ///
    /// # Errors
    ///
    /// If they are not those of any weight.
    pub fn new(mean: f64, square: f64) -> Result<Self, ParameterError> {
        ParameterError::require(mean > 0.0 && mean.is_finite(), "mean", mean, "(0, ∞)")?;
        ParameterError::require(square >= mean * mean && square.is_finite(), "square", square, "[mean², ∞)")?;
        Ok(Self { mean, square })
    }

    /// Returns `E[w]`.
    #[must_use]
    pub fn mean(self) -> f64 {
        self.mean
    }

    /// Returns `E[w²]`.
    #[must_use]
    pub fn square(self) -> f64 {
        self.square
    }
}

/// Checks that there is one probability a bin, and that they are probabilities that sum to 1 up to `1e-9`.
fn check(loads: &[f64], probabilities: &[f64]) -> Result<(), ParameterError> {
    ParameterError::require(
        !loads.is_empty() && loads.len() == probabilities.len(),
        "probabilities",
        probabilities.len(),
        format_args!("one each for {} bins", loads.len()),
    )?;
    if let Some(wrong) = probabilities.iter().find(|probability| !(0.0..=1.0).contains(*probability)) {
        return Err(ParameterError::new("probability", format!("{wrong:?}"), "[0, 1]"));
    }
    let sum: f64 = probabilities.iter().sum();
    ParameterError::require((sum - 1.0).abs() <= 1e-9, "sum of probabilities", sum, "1")?;
    Ok(())
}

/// The loads above their mean.
fn above_mean(loads: &[f64]) -> impl Iterator<Item = f64> + '_ {
    let mean = loads.iter().sum::<f64>() / loads.len() as f64;
    loads.iter().map(move |load| load - mean)
}

/// Returns `E[ΔΥ] = 2 E[w] Σ p_i y_i + E[w²](1 − 1/n)`, the expected change of the quadratic potential by the
/// next ball.
///
/// # Errors
///
/// If there is not one probability for each bin, or they do not sum to 1.
///
/// # Examples
///
/// ```
/// use bb_theory::identities::{Moments, quadratic_drift};
///
/// // Two bins, three balls in the first: the next one to the second makes Υ = 2 of 9/2.
/// assert_eq!(quadratic_drift(&[3.0, 0.0], &[0.0, 1.0], Moments::UNIT)?, 2.0 - 4.5);
/// # Ok::<(), bb_theory::ParameterError>(())
/// ```
pub fn quadratic_drift(loads: &[f64], probabilities: &[f64], weight: Moments) -> Result<f64, ParameterError> {
    check(loads, probabilities)?;
    let chosen: f64 = above_mean(loads).zip(probabilities).map(|(y, probability)| probability * y).sum();
    Ok(2.0 * weight.mean * chosen + weight.square * (1.0 - 1.0 / loads.len() as f64))
}

/// Returns `E[Φ']` and `E[Ψ']`, the expectations of the exponential potentials with parameter `alpha` after
/// the next ball, whose weight has the moment generating function `mgf`.
///
/// Unit balls have `mgf(z) = e^z`.
///
/// # Errors
///
/// If there is not one probability for each bin, they do not sum to 1, or `alpha` is not positive and finite.
///
/// # Examples
///
/// ```
/// use bb_theory::identities::exponential_step;
///
/// let [phi, psi] = exponential_step(&[1.0, 1.0], &[0.5, 0.5], 0.1, f64::exp)?;
/// // Afterwards one bin is 1/2 above the mean and one below.
/// assert!((phi - 2.0 * 0.05_f64.cosh()).abs() < 1e-14 && (psi - phi).abs() < 1e-14);
/// # Ok::<(), bb_theory::ParameterError>(())
/// ```
pub fn exponential_step(
    loads: &[f64],
    probabilities: &[f64],
    alpha: f64,
    mgf: impl Fn(f64) -> f64,
) -> Result<[f64; 2], ParameterError> {
    check(loads, probabilities)?;
    ParameterError::require(alpha > 0.0 && alpha.is_finite(), "alpha", alpha, "(0, ∞)")?;
    let share = 1.0 / loads.len() as f64;
    Ok([alpha, -alpha].map(|alpha| {
        let (others, receiver) = (mgf(-alpha * share), mgf(alpha * (1.0 - share)));
        let after = |(y, p): (f64, &f64)| (alpha * y).exp() * (others * (1.0 - p) + receiver * p);
        above_mean(loads).zip(probabilities).map(after).sum()
    }))
}

/// Returns `E[Υ(m)] = m(1 − 1/n)`, the expected quadratic potential after `balls` balls of One-Choice into
/// empty bins; `n` times the variance `(m/n)(1 − 1/n)` of a load.
///
/// # Examples
///
/// ```
/// assert_eq!(bb_theory::identities::one_choice_quadratic(4, 100), 75.0);
/// ```
#[must_use]
pub fn one_choice_quadratic(bins: u64, balls: u64) -> f64 {
    balls as f64 * others(bins)
}

/// `1 − 1/n`, and 0 for no bins.
fn others(bins: u64) -> f64 {
    1.0 - 1.0 / bins.max(1) as f64
}

/// Returns the stationary mean of `y` of the bin that takes the next ball, `−E[w²](1 − 1/n)/(2 E[w])`, for
/// every rule with a stationary state.
///
/// # Examples
///
/// ```
/// use bb_theory::identities::{Moments, chosen_load};
///
/// assert_eq!(chosen_load(2, Moments::UNIT), -0.25);
/// ```
#[must_use]
pub fn chosen_load(bins: u64, weight: Moments) -> f64 {
    -weight.square * others(bins) / (2.0 * weight.mean)
}

/// Returns `E|Y − Y'| = E[w²](1 − 1/n)/E[w]` for Two-Choice, `Y, Y'` the loads of two uniform bins with
/// replacement.
///
/// With unit balls it is `1 − 1/n`, and then also `E[(2ρ(δ) − 1)δ]` for comparisons of the samples that are
/// right with probability `ρ(δ)`.
///
/// # Examples
///
/// ```
/// use bb_theory::identities::{Moments, two_choice_difference};
///
/// assert_eq!(two_choice_difference(4, Moments::UNIT), 0.75);
/// assert_eq!(two_choice_difference(4, Moments::new(1.0, 2.0)?), 1.5);
/// # Ok::<(), bb_theory::ParameterError>(())
/// ```
#[must_use]
pub fn two_choice_difference(bins: u64, weight: Moments) -> f64 {
    weight.square * others(bins) / weight.mean
}

/// Returns `E|Y − Y'| = (1 − 1/n)/β` for (1+β) with unit balls, `0 < β ≤ 1`.
///
/// # Errors
///
/// If `beta` is outside this range.
///
/// # Examples
///
/// ```
/// assert_eq!(bb_theory::identities::one_plus_beta_difference(4, 0.5)?, 1.5);
/// # Ok::<(), bb_theory::ParameterError>(())
/// ```
pub fn one_plus_beta_difference(bins: u64, beta: f64) -> Result<f64, ParameterError> {
    ParameterError::require(0.0 < beta && beta <= 1.0, "beta", beta, "(0, 1]")?;
    Ok(others(bins) / beta)
}

/// Returns `E[Σ |y_i|] = n − 1` for Mean-Thinning with unit balls.
///
/// # Examples
///
/// ```
/// assert_eq!(bb_theory::identities::mean_thinning_deviation(1000), 999.0);
/// ```
#[must_use]
pub fn mean_thinning_deviation(bins: u64) -> f64 {
    bins.saturating_sub(1) as f64
}

/// Returns the mean of `weight(δ)·δ` over two uniform bins with replacement, `δ` the difference of their
/// loads, from pairs (load, number of bins) as `Metrics::level_counts` of `bb-core` gives them.
///
/// With `weight = 1` it is `E|Y − Y'|`; with `weight(δ) = 2ρ(δ) − 1` the left-hand side for a comparison.
/// `O(levels²)`. Not a number for no bins.
///
/// # Examples
///
/// The time average of a run, which obeys the identity for any number of bins:
///
/// ```
/// use bb_processes::DChoice;
/// use bb_processes::bb_core::{Allocator, LoadProfile, Metrics, rng_for_trial};
/// use bb_theory::identities::{Moments, mean_difference, two_choice_difference};
///
/// let (mut loads, mut rng) = (LoadProfile::new(10)?, rng_for_trial(1, 0));
/// let (mut sum, balls) = (0.0, 100_000);
/// for _ in 0..balls {
///     sum += mean_difference(&loads.level_counts(), |_| 1.0);
///     DChoice::two().step(&mut loads, &mut rng);
/// }
/// assert!((sum / f64::from(balls) - two_choice_difference(10, Moments::UNIT)).abs() < 0.01);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn mean_difference(levels: &[(u64, u64)], weight: impl Fn(u64) -> f64) -> f64 {
    let bins: f64 = levels.iter().map(|&(_, count)| count as f64).sum();
    let mut sum = 0.0;
    for (place, &(load, count)) in levels.iter().enumerate() {
        for &(other, others) in &levels[..place] {
            let difference = load.abs_diff(other);
            sum += 2.0 * count as f64 * others as f64 * weight(difference) * difference as f64;
        }
    }
    sum / (bins * bins)
}
