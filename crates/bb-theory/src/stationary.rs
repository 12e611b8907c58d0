//! Heavily loaded bins: the profile around the mean that a process keeps for ever, and the laws of the gap it
//! predicts.
//!
//! For many processes the profile `s_{t+k}(t)` converges as the integer `t` grows: the fraction of bins at
//! least `k` above the mean. [`Profile`] computes it from the fluid limit. From it follow approximate laws at
//! large integer `m/n`, which take bins as independent: `P(gap < k) ≈ exp(−n s_k)`.
//!
//! The tails of the profile are exponential, at rates that are roots: [`upper_rate`] and [`lower_rate`]. So
//! the gap is about `ln n/λ`, and mean minus minimum about `ln n/μ`; d-Choice has no `λ`, as its upper tail
//! falls doubly exponentially, `s_{k+1} ≈ c s_k^d`.
//!
//! All this is mean-field prediction, not a theorem. Laws of the gap agree with simulations of a thousand
//! bins to a few per cent of probability.

use bb_samplers::ParameterError;
use thiserror::Error;

use crate::fluid::{Evolution, Fluid, Tails, trimmed};
use crate::law::IntegerLaw;

/// Largest time at which a profile is looked for.
const LAST: f64 = 32_768.0;

/// Why there is no stationary profile.
///
/// # Examples
///
/// ```
/// use bb_theory::fluid::Fluid;
/// use bb_theory::stationary::{Profile, StationaryError};
///
/// assert_eq!(Profile::new(&Fluid::d_choice(1)?).unwrap_err(), StationaryError::Spreads);
/// # Ok::<(), bb_theory::ParameterError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum StationaryError {
    /// The loads spread for ever, as for One-Choice, or do not grow, as for the supermarket.
    #[error("the process keeps no profile around the mean")]
    Spreads,
    /// The profile had not settled at the latest time looked at.
    #[error("the profile has not settled after {0} balls a bin")]
    NotSettled(f64),
}

/// The fractions of bins at each height around the mean, in the limit of many bins and many balls a bin, at
/// an integer mean.
///
/// *Accuracy:* the equations are run until the profile at twice the time differs by less than `1e-5`,
/// relative, where it is above `1e-15`; as the distance falls exponentially, about its square is left.
/// *Cost:* milliseconds for d-Choice, seconds for processes whose profile is wide, as (1+β) with `β` below
/// 0.1.
///
/// # Examples
///
/// ```
/// use bb_theory::fluid::Fluid;
/// use bb_theory::stationary::Profile;
///
/// let two = Profile::new(&Fluid::d_choice(2)?)?;
/// assert!((two.tail(2) - 0.0246680).abs() < 1e-7 && (two.tail(-1) - 0.938726).abs() < 1e-6);
/// assert!((two.complement(-2) - 0.0129283).abs() < 1e-7 && (two.share(0) - 0.438033).abs() < 1e-6);
/// let gap = two.gap_law(10_000);
/// assert!((gap.probability(2) - 0.48312).abs() < 1e-5);
/// assert!((gap.mean() - 2.5169).abs() < 1e-4 && (gap.sd() - 0.4997).abs() < 1e-3);
/// // The emptiest bin is further from the mean than the fullest.
/// assert!(two.min_gap_law(10_000).mean() > gap.mean());
/// assert!(two.heights().next().unwrap() < -10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    tails: Tails,
    mean: i64,
    overloaded: f64,
}

impl Profile {
    /// Returns the stationary profile of a process.
    ///
    /// # Errors
    ///
    /// If the process keeps no profile, or needs more than 32768 balls a bin to settle.
    pub fn new(fluid: &Fluid) -> Result<Self, StationaryError> {
        if !fluid.settles() {
            return Err(StationaryError::Spreads);
        }
        let mut evolution = Evolution::new(fluid);
        let mut last: Option<Self> = None;
        let mut time = 16.0;
        loop {
            evolution.advance(time);
            let now = Self { tails: evolution.tails(), mean: time as i64, overloaded: 0.0 };
            if last.is_some_and(|last| last.is_near(&now)) {
                let overloaded = overloaded(&mut evolution);
                return Ok(Self { overloaded, ..now });
            }
            if time >= LAST {
                return Err(StationaryError::NotSettled(time));
            }
            (last, time) = (Some(now), 2.0 * time);
        }
    }

    /// Whether both tails differ by less than `1e-5`, relative.
    fn is_near(&self, other: &Self) -> bool {
        let near = |a: f64, b: f64| a.max(b) < 1e-15 || (a - b).abs() < 1e-5 * a.max(b);
        self.heights()
            .chain(other.heights())
            .all(|k| near(self.tail(k), other.tail(k)) && near(self.complement(k), other.complement(k)))
    }

    fn at<T>(&self, k: i64, below: T, read: impl Fn(u64) -> T) -> T {
        u64::try_from(self.mean.saturating_add(k)).map_or(below, read)
    }

    /// Returns the fraction of bins at least `k` above the mean.
    #[must_use]
    pub fn tail(&self, k: i64) -> f64 {
        self.at(k, 1.0, |level| self.tails.tail(level))
    }

    /// Returns `1 − tail(k)`, the fraction of bins less than `k` above the mean, without cancellation.
    #[must_use]
    pub fn complement(&self, k: i64) -> f64 {
        self.at(k, 0.0, |level| self.tails.complement(level))
    }

    /// Returns the fraction of bins exactly `k` above the mean.
    #[must_use]
    pub fn share(&self, k: i64) -> f64 {
        self.at(k, 0.0, |level| self.tails.share(level))
    }

    /// Returns the heights from the lowest to the highest that are not negligible.
    #[must_use]
    pub fn heights(&self) -> impl DoubleEndedIterator<Item = i64> + '_ {
        self.tails.levels().map(|level| level as i64 - self.mean)
    }

    /// Returns the fraction of bins at or above the mean, averaged over a unit of time: for Mean-Thinning,
    /// the chance that a sample is refused.
    ///
    /// A bin at the mean counts; between integers the mean is rounded up. Accurate to about `1e-9`.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_theory::fluid::Fluid;
    /// use bb_theory::stationary::{Profile, upper_rate};
    ///
    /// let thinning = Profile::new(&Fluid::mean_thinning())?;
    /// // The rate of its upper tail.
    /// let rate = upper_rate(thinning.overloaded())?;
    /// assert!((rate - (thinning.tail(20) / thinning.tail(21)).ln()).abs() < 1e-3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn overloaded(&self) -> f64 {
        self.overloaded
    }

    /// Returns the approximate law of the gap of `n` bins at a large integer `m/n`:
    /// `P(gap < k) ≈ exp(−n s_k)`.
    ///
    /// Values of probability below `1e-15` at either end are left out.
    #[must_use]
    pub fn gap_law(&self, n: u64) -> IntegerLaw {
        trimmed(0, (1..).map(|k| (-(n as f64) * self.tail(k)).exp()))
    }

    /// Returns the approximate law of mean minus minimum of `n` bins at a large integer `m/n`, in the same
    /// way.
    #[must_use]
    pub fn min_gap_law(&self, n: u64) -> IntegerLaw {
        trimmed(0, (0..).map(|k: i64| (-(n as f64) * self.complement(-k)).exp()))
    }
}

/// The mean over a unit of time, by Simpson's rule; the fraction is smooth inside the unit.
fn overloaded(evolution: &mut Evolution<'_>) -> f64 {
    const PARTS: u32 = 64;
    let start = evolution.time();
    // At the start itself, the mean is the next integer already.
    let sum: f64 = (0..=PARTS)
        .map(|part| {
            evolution.advance(start + f64::from(part) / f64::from(PARTS));
            let fraction =
                if part == PARTS { evolution.tails().tail(start as u64 + 1) } else { evolution.overloaded() };
            let weight = match part {
                0 | PARTS => 1.0,
                _ if part % 2 == 1 => 4.0,
                _ => 2.0,
            };
            weight * fraction
        })
        .sum();
    sum / (3.0 * f64::from(PARTS))
}

/// Returns the rate `λ > 0` of an upper tail `s_k ≈ C e^{−λk}`: the root of `λ = a(e^λ − 1)`, `0 < a < 1`.
///
/// `a` is how many times its fraction of bins a high level receives: `1 − β` for (1+β), `δ` for Quantile(δ),
/// in general [`RankLaw::slope_at_heaviest`](crate::allocation::RankLaw::slope_at_heaviest); for
/// Mean-Thinning [`Profile::overloaded`]. Near 1, `λ ≈ 2(1 − a)`. Relative error about `1e-15`, but
/// `1e-16/(1 − a)` near 1.
///
/// # Errors
///
/// If `a` is not strictly between 0 and 1.
///
/// # Examples
///
/// ```
/// use bb_theory::stationary::upper_rate;
///
/// let rate = upper_rate(0.5)?;
/// assert!((rate - 0.5 * rate.exp_m1()).abs() < 1e-14 && (rate - 1.2564312).abs() < 1e-7);
/// # Ok::<(), bb_theory::ParameterError>(())
/// ```
pub fn upper_rate(a: f64) -> Result<f64, ParameterError> {
    ParameterError::require(0.0 < a && a < 1.0, "a", a, "(0, 1)")?;
    // Convex, and positive here: Newton's method decreases to the larger root.
    let start = 2.0 * (1.0 / a).ln() + 2.0;
    Ok(newton(start, |rate| (a * rate.exp_m1() - rate, a * rate.exp() - 1.0)))
}

/// Returns the rate `μ > 0` of a lower tail `1 − s_k ≈ C e^{μk}`, `k → −∞`: the root of `μ = b(1 − e^{−μ})`,
/// `b > 1`.
///
/// `b` is how many times its fraction of bins a low level receives: `d` for d-Choice, `1 + β` for (1+β),
/// `1 + δ` for Quantile(δ), in general
/// [`RankLaw::slope_at_lightest`](crate::allocation::RankLaw::slope_at_lightest); for Mean-Thinning one more
/// than [`Profile::overloaded`]. Relative error about `1e-15`, but `1e-16/(b − 1)` near 1.
///
/// # Errors
///
/// If `b` is not a finite number above 1.
///
/// # Examples
///
/// ```
/// use bb_theory::stationary::lower_rate;
///
/// assert!((lower_rate(2.0)? - 1.5936243).abs() < 1e-7);
/// # Ok::<(), bb_theory::ParameterError>(())
/// ```
pub fn lower_rate(b: f64) -> Result<f64, ParameterError> {
    ParameterError::require(b > 1.0 && b.is_finite(), "b", b, "(1, ∞)")?;
    // Convex, and positive at b: as above.
    Ok(newton(b, |rate| (rate + b * (-rate).exp_m1(), 1.0 - b * (-rate).exp())))
}

/// Newton's method from the right of a root, for a convex function; `function` gives value and slope.
fn newton(start: f64, function: impl Fn(f64) -> (f64, f64)) -> f64 {
    let mut root = start;
    for _ in 0..200 {
        let (value, slope) = function(root);
        let next = root - value / slope;
        // Rounding ends the descent.
        if next >= root || next.is_nan() {
            break;
        }
        root = next;
    }
    root
}
