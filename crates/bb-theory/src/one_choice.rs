//! One-Choice: the law of the maximum load for any number of bins and balls, and its asymptotic forms.

use core::f64::consts::PI;

use bb_samplers::ParameterError;

use crate::law::IntegerLaw;

/// Levels of probability below this are left out.
const NEGLIGIBLE: f64 = 1e-15;

/// Returns the law of the maximum load of `balls` balls in `bins` bins, `bins ≥ 1`, without values of
/// probability below `1e-15` at either end.
///
/// The loads are independent Poisson variables of mean `λ = m/n`, given that they sum to `m`. So `P(max ≤ k)`
/// is the coefficient of `z^m` in `(Σ_{j≤k} q_j z^j)^n`, `q_j = e^{−λ}λ^j/j!`, over that without the bound.
/// The coefficient is an integral over the circle `z = e^{iθ}`, and there the `n`-th power is taken of
/// `e^{λ(z − 1)} (1 − T_k(z) e^{−λ(z − 1)})` with the small `T_k = Σ_{j>k} q_j z^j`: the first factor gives
/// `e^{m(z − 1)}` in closed form, so nothing is lost by raising to the power `n`.
///
/// *Accuracy:* each `P(max ≤ k)` is off by less than `1e-12`, as tests against rational laws and against the
/// convolution of the same series show. *Cost:* with `L` the levels that matter (about `10 √(m/n)`, at least
/// a few), `O(L)` times 500 for `n ≥ 10`; for fewer bins times `16 √m`. A millisecond for a million balls in
/// a million bins.
///
/// # Errors
///
/// If there are no bins, if `n ≥ 2^53` or `m ≥ 2^53`, if `m/n` exceeds `2^30`, or if `m` exceeds `2^20` with
/// fewer than 10 bins, where it would take minutes.
///
/// # Examples
///
/// ```
/// use bb_theory::one_choice::max_law;
///
/// assert!((max_law(1000, 1000)?.mean() - 5.5142).abs() < 1e-4);
/// assert!((max_law(1000, 100_000)?.mean() - 133.966).abs() < 1e-3);
/// assert!(max_law(1 << 40, 1 << 40)?.probability(14) > 0.7);
/// # Ok::<(), bb_theory::ParameterError>(())
/// ```
pub fn max_law(bins: u64, balls: u64) -> Result<IntegerLaw, ParameterError> {
    const MOST: u64 = 1 << 53;
    ParameterError::require((1..MOST).contains(&bins), "bins", bins, "1..2^53")?;
    ParameterError::require(balls < MOST && balls / bins <= 1 << 30, "balls", balls, "0..2^53, at most 2^30 a bin")?;
    ParameterError::require(
        !(2..10).contains(&bins) || balls <= 1 << 20,
        "balls",
        balls,
        "0..=2^20 with fewer than 10 bins",
    )?;
    if bins == 1 || balls == 0 {
        return Ok(IntegerLaw::from_at_most(balls / bins, vec![1.0]));
    }
    let mut circle = Circle::new(bins, balls);
    let weights = PoissonWeights::new(balls as f64 / bins as f64);
    // Downwards from the level above which there is nothing: P(max > k) ≤ n P(load > k).
    let mut level = weights.last_above(NEGLIGIBLE * 1e-3 / bins as f64).min(balls);
    let all = circle.integral();
    let mut at_most = Vec::new();
    loop {
        let probability = circle.integral() / all;
        at_most.push(if probability < NEGLIGIBLE { 0.0 } else { probability.min(1.0) });
        if probability < NEGLIGIBLE || level <= balls.div_ceil(bins) {
            break;
        }
        // The maximum is to be at most level − 1: level joins the tail.
        circle.add_to_tails(weights.weight(level), level);
        level -= 1;
    }
    at_most.reverse();
    // At the far end rounding may let probabilities fall.
    for k in (1..at_most.len()).rev() {
        at_most[k - 1] = f64::min(at_most[k - 1], at_most[k]);
    }
    let surely = at_most.iter().position(|&below| below >= 1.0 - NEGLIGIBLE).unwrap_or(at_most.len() - 1);
    at_most.truncate(surely + 1);
    Ok(IntegerLaw::from_at_most(level, at_most))
}

/// A point of the circle at which the integrand matters; it stands for its conjugate too.
struct Point {
    angle: f64,
    weight: f64,
    /// `ln e^{λ(z − 1)} − icθ`: modulus and phase of a load without a bound, turned back by the mean load
    /// `c`, rounded.
    log: f64,
    phase: f64,
    /// The tail `T_k`, turned back likewise.
    tail: (f64, f64),
}

/// The integral over the circle.
struct Circle {
    n: f64,
    /// `c`.
    center: u64,
    /// `m − nc`.
    left_over: f64,
    points: Vec<Point>,
}

impl Circle {
    fn new(bins: u64, balls: u64) -> Self {
        let (n, m) = (bins as f64, balls as f64);
        let center = balls / bins;
        let left_over = (balls % bins) as f64;
        // The sum of the loads is spread by √m, so that other coefficients do not fold into that of z^m.
        let points = (16.0 * m.sqrt()).ceil() + 64.0;
        // In units of 1/√m, how far the integrand matters. Without a bound it is a normal density. The bound
        // k cuts the law of a load, which leaves a part of modulus 0.4/(θ√λ) at most for each load, to the
        // power n; and for many bins the cut is so far out that all at 200 is below e^(−10000).
        let reach = if bins < 1000 { (12.0 + 0.5 * (57.0 / n).exp()) * n.sqrt() } else { 200.0 };
        let last = f64::min(0.5 * points, reach / m.sqrt() / (2.0 * PI) * points).floor() as u64;
        let point = |j: u64| {
            let angle = 2.0 * PI * j as f64 / points;
            let half = (0.5 * angle).sin();
            Point {
                angle,
                weight: if j == 0 || 2.0 * j as f64 == points { 1.0 } else { 2.0 },
                log: -2.0 * m / n * half * half,
                phase: m / n * sine_minus(angle) + left_over / n * angle,
                tail: (0.0, 0.0),
            }
        };
        Self { n, center, left_over, points: (0..=last).map(point).collect() }
    }

    /// Adds `weight·z^level` to the tails.
    fn add_to_tails(&mut self, weight: f64, level: u64) {
        let above = level as f64 - self.center as f64;
        for Point { angle, tail, .. } in &mut self.points {
            let (sin, cos) = (above * *angle).sin_cos();
            *tail = (tail.0 + weight * cos, tail.1 + weight * sin);
        }
    }

    /// The integral of `(e^{λ(z − 1)} − T_k)^n z^{−m}`.
    fn integral(&self) -> f64 {
        let term = |point: &Point| {
            let (log, phase) = if point.log > -1.0 {
                // ln(1 − T e^{−λ(z − 1)}), which is small.
                let (sin, cos) = (-point.phase).sin_cos();
                let scale = (-point.log).exp();
                let real = scale * (point.tail.0 * cos - point.tail.1 * sin);
                let imaginary = scale * (point.tail.0 * sin + point.tail.1 * cos);
                let log = 0.5 * (real * real + imaginary * imaginary - 2.0 * real).ln_1p();
                (point.log + log, point.phase + (-imaginary).atan2(1.0 - real))
            } else {
                let (sin, cos) = point.phase.sin_cos();
                let scale = point.log.exp();
                let (real, imaginary) = (scale * cos - point.tail.0, scale * sin - point.tail.1);
                (0.5 * (real * real + imaginary * imaginary).ln(), imaginary.atan2(real))
            };
            point.weight * (self.n * log).exp() * (self.n * phase - self.left_over * point.angle).cos()
        };
        self.points.iter().map(term).sum()
    }
}

/// `sin θ − θ`, without cancellation for small `θ`.
fn sine_minus(angle: f64) -> f64 {
    if angle.abs() > 0.5 {
        return angle.sin() - angle;
    }
    let square = angle * angle;
    let (mut term, mut sum) = (angle, 0.0);
    for k in 1..12 {
        term *= -square / f64::from((2 * k) * (2 * k + 1));
        sum += term;
    }
    sum
}

/// The probabilities of a Poisson law around its mean, from their ratios, made to sum to 1: no logarithm of a
/// factorial is needed.
struct PoissonWeights {
    first: u64,
    weights: Vec<f64>,
}

impl PoissonWeights {
    fn new(mean: f64) -> Self {
        let mode = mean as u64;
        let mut down = Vec::new();
        let (mut weight, mut level) = (1.0, mode);
        while level > 0 && weight > 1e-40 {
            weight *= level as f64 / mean;
            level -= 1;
            down.push(weight);
        }
        let first = level;
        down.reverse();
        let mut weights = down;
        weights.push(1.0);
        let (mut weight, mut level) = (1.0, mode);
        while weight > 1e-40 {
            level += 1;
            weight *= mean / level as f64;
            weights.push(weight);
        }
        let sum: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|weight| *weight /= sum);
        Self { first, weights }
    }

    fn weight(&self, level: u64) -> f64 {
        let place = level.checked_sub(self.first).and_then(|place| usize::try_from(place).ok());
        place.and_then(|place| self.weights.get(place)).copied().unwrap_or(0.0)
    }

    /// The sum of the weights above a level.
    fn above(&self, level: u64) -> f64 {
        let place = (level + 1).saturating_sub(self.first).min(self.weights.len() as u64) as usize;
        self.weights[place..].iter().rev().sum()
    }

    /// The last level with at least this much from it on.
    fn last_above(&self, least: f64) -> u64 {
        let mut sum = 0.0;
        let place = self.weights.iter().rposition(|weight| {
            sum += weight;
            sum >= least
        });
        self.first + place.unwrap_or(0) as u64
    }
}

/// Returns `P(Poisson(λ) ≤ k)^n`, the law of the maximum of independent Poisson loads, `0 < λ ≤ 2^30`.
///
/// For One-Choice with `m = λn` balls and large `n` it approximates `P(max ≤ k)`, and twice it is an upper
/// bound: more balls only raise the maximum, and a Poisson variable of integer mean is at most its mean with
/// probability ½ or more. *Accuracy:* relative `1e-12`. *Cost:* `O(√λ)`.
///
/// # Errors
///
/// If `λ` is outside this range.
///
/// # Examples
///
/// ```
/// use bb_theory::one_choice::{max_law, poisson_max_at_most};
///
/// let exact = max_law(10_000, 10_000)?.at_most(6);
/// assert!((poisson_max_at_most(10_000, 1.0, 6)? - exact).abs() < 1e-3);
/// # Ok::<(), bb_theory::ParameterError>(())
/// ```
pub fn poisson_max_at_most(bins: u64, mean: f64, max: u64) -> Result<f64, ParameterError> {
    ParameterError::require(0.0 < mean && mean <= 1_073_741_824.0, "mean", mean, "(0, 2^30]")?;
    Ok((bins as f64 * (-PoissonWeights::new(mean).above(max).min(1.0)).ln_1p()).exp())
}

/// Returns `Γ⁻¹(n) − 3/2`, the leading form of the expected maximum load for `m = n` (Gonnet, J. ACM 28,
/// 1981, quoted by Azar et al., SIAM J. Comput. 29, 1999): `E[max] = Γ⁻¹(n) − 3/2 + o(1)`.
///
/// It is above the mean by 0.168 at `n = 256` and by 0.164 at `n = 10⁴`.
///
/// # Errors
///
/// If `n` is less than 2.
///
/// # Examples
///
/// ```
/// use bb_theory::one_choice::gonnet;
///
/// assert!((gonnet(100)? - 4.392519).abs() < 1e-6);
/// # Ok::<(), bb_theory::ParameterError>(())
/// ```
pub fn gonnet(n: u64) -> Result<f64, ParameterError> {
    ParameterError::require(n >= 2, "n", n, "2..")?;
    // Γ increases from Γ(2) = 1 on, and Γ(30) exceeds every n.
    let (mut low, mut high, target) = (2.0, 30.0, (n as f64).ln());
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if libm::lgamma(middle) < target { low = middle } else { high = middle }
    }
    Ok(low - 1.5)
}

/// The four ranges of Raab and Steger, *Balls into bins – a simple and tight analysis* (RANDOM 1998), each
/// with a threshold `k_α`.
///
/// With probability `1 − o(1)` the maximum load exceeds `k_α` for `0 < α < 1`, and does not for `α > 1`. The
/// ranges are asymptotic, so it is for the caller to say which one is meant.
///
/// | range | `m` | `k_α` | read in |
/// | --- | --- | --- | --- |
/// | `Sparse` | `n/polylog(n) ≤ m ≪ n ln n` | `(L₁/L₂)(1 + α ln L₂/L₂)`, `L₁ = ln n`, `L₂ = ln(n ln n/m)` | a replication |
/// | `Proportional` | `m = c n ln n` | `(d_c − 1 + α) ln n`, `d_c > c` the root of `1 + z(ln c − ln z + 1) − c = 0` | recalled |
/// | `Dense` | `n ln n ≪ m ≤ n polylog(n)` | `m/n + α √(2 (m/n) ln n)` | recalled |
/// | `VeryDense` | `m ≫ n ln³ n` | `m/n + √(2 (m/n) ln n (1 − ln ln n/(2α ln n)))` | recalled |
///
/// What is *recalled* was not read again in the paper: use it to look at data, not as a test. [`max_law`] is
/// exact.
///
/// # Examples
///
/// ```
/// use bb_theory::one_choice::{RaabSteger, max_law};
///
/// let (n, m) = (1000, 100_000);
/// let threshold = RaabSteger::Dense.threshold(n, m, 1.0)?;
/// assert!((threshold - 137.17).abs() < 0.01);
/// assert!((max_law(n, m)?.mean() - threshold).abs() < 4.0);
/// assert!(RaabSteger::Dense.is_recalled());
/// # Ok::<(), bb_theory::ParameterError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RaabSteger {
    /// Fewer balls than `n ln n`.
    Sparse,
    /// About `n ln n` balls.
    Proportional,
    /// More balls than `n ln n`.
    Dense,
    /// Many more balls than `n ln³ n`.
    VeryDense,
}

impl RaabSteger {
    /// Returns `k_α`; the type's page has the formulas.
    ///
    /// # Errors
    ///
    /// If `n < 3`, if `m = 0`, if `α` is not positive, or if the formula has no value, as the range is far
    /// from the one meant.
    pub fn threshold(self, n: u64, m: u64, alpha: f64) -> Result<f64, ParameterError> {
        ParameterError::require(n >= 3, "n", n, "3..")?;
        ParameterError::require(m != 0, "m", m, "1..")?;
        ParameterError::require(alpha > 0.0 && alpha.is_finite(), "alpha", alpha, "(0, ∞)")?;
        let (ln_n, mean) = ((n as f64).ln(), m as f64 / n as f64);
        let threshold = match self {
            Self::Sparse => {
                let rarity = (ln_n / mean).ln();
                ParameterError::require(rarity > 0.0, "m", m, "below n ln n, in this range")?;
                ln_n / rarity * (1.0 + alpha * rarity.ln() / rarity)
            }
            Self::Proportional => (above(mean / ln_n) - 1.0 + alpha) * ln_n,
            Self::Dense => mean + alpha * (2.0 * mean * ln_n).sqrt(),
            Self::VeryDense => mean + (2.0 * mean * ln_n * (1.0 - ln_n.ln() / (2.0 * alpha * ln_n))).sqrt(),
        };
        let range = "larger, in this range";
        ParameterError::require(threshold.is_finite(), "alpha", alpha, range)?;
        Ok(threshold)
    }

    /// Tells whether the formula was recalled, not read again in the paper.
    #[must_use]
    pub fn is_recalled(self) -> bool {
        self != Self::Sparse
    }
}

/// The root `z > c` of `1 + z(ln c − ln z + 1) − c = 0`, whose left side is 1 at `c` and falls beyond.
fn above(c: f64) -> f64 {
    let (mut low, mut high) = (c, c + 2.0 * c.sqrt() + 8.0);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if 1.0 + middle * ((c / middle).ln() + 1.0) - c > 0.0 { low = middle } else { high = middle }
    }
    low
}
