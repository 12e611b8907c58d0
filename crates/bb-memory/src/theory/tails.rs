use bb_core::ParameterError;

/// Returns `Pr[Bin(balls, p) ≥ at_least]`, to a relative error of about `1e-10`. Sums terms: some multiple of
/// the standard deviation of them.
///
/// # Errors
///
/// If `p` is outside `[0, 1]`, or `balls` exceeds `2^48`.
///
/// # Examples
///
/// ```
/// use bb_memory::theory::binomial_tail;
///
/// assert_eq!(binomial_tail(4, 0.5, 0)?, 1.0);
/// assert!((binomial_tail(4, 0.5, 3)? - 5.0 / 16.0).abs() < 1e-14);
/// assert_eq!(binomial_tail(4, 0.5, 5)?, 0.0);
/// # Ok::<(), bb_memory::bb_core::ParameterError>(())
/// ```
pub fn binomial_tail(balls: u64, p: f64, at_least: u64) -> Result<f64, ParameterError> {
    ParameterError::require((0.0..=1.0).contains(&p), "p", p, "[0, 1]")?;
    ParameterError::require(balls <= 1 << 48, "balls", balls, "0..=2^48")?;
    if at_least == 0 {
        return Ok(1.0);
    }
    if at_least > balls || p == 0.0 {
        return Ok(0.0);
    }
    if p == 1.0 {
        return Ok(1.0);
    }
    // The smaller tail is summed, from its largest term outwards.
    let odds = p / (1.0 - p);
    Ok(if at_least as f64 > balls as f64 * p {
        let up = (at_least..balls).map(|k| (balls - k) as f64 / (k + 1) as f64 * odds);
        sum_from(mass(balls, p, at_least), up)
    } else {
        let below = at_least - 1;
        let down = (1..=below).rev().map(|k| k as f64 / ((balls - k + 1) as f64 * odds));
        1.0 - sum_from(mass(balls, p, below), down)
    })
}

/// Sums terms from the first one on, each a multiple of the one before, as long as they count.
fn sum_from(first: f64, ratios: impl Iterator<Item = f64>) -> f64 {
    let (mut term, mut sum) = (first, first);
    for ratio in ratios {
        let counts = term > 1e-18 * sum;
        if !counts {
            break;
        }
        term *= ratio;
        sum += term;
    }
    sum
}

/// `Pr[Bin(balls, p) = k]`, for `0 < p < 1`.
fn mass(balls: u64, p: f64, k: u64) -> f64 {
    let ln_binomial = if k <= 10_000 {
        // No large terms that cancel.
        (0..k).map(|i| libm::log((balls - i) as f64 / (i + 1) as f64)).sum()
    } else {
        let ln_factorial = |n: u64| libm::lgamma(n as f64 + 1.0);
        ln_factorial(balls) - ln_factorial(k) - ln_factorial(balls - k)
    };
    libm::exp(ln_binomial + k as f64 * libm::log(p) + (balls - k) as f64 * libm::log1p(-p))
}

fn checked(bins: u64, rate: f64) -> Result<(), ParameterError> {
    ParameterError::require(bins > 0, "n", bins, "1..")?;
    ParameterError::require(
        rate > 0.0 && rate <= bins as f64,
        "rate",
        rate,
        format_args!("(0, {bins}], the number of bins"),
    )?;
    Ok(())
}

/// Returns `n·Pr[Bin(m, ρ/n) ≥ T]`: at most so many bins are heavy in expectation, if none takes a ball at a
/// rate above `ρ/n`.
///
/// A light bin has rate `(1 + κ)/n` under the light rules `First` and `Coin`, with `κ n` the length of the
/// list, and `2/n` at worst.
///
/// # Errors
///
/// If `rate` is not in `(0, n]`, `bins` is 0, or `balls` exceeds `2^48`.
///
/// # Examples
///
/// ```
/// use bb_memory::theory::heavy_bins_expected;
///
/// let n = 1 << 16;
/// assert_eq!(heavy_bins_expected(n, n, 1.0, 6)?.round(), 39.0);
/// assert_eq!(heavy_bins_expected(n, n, 2.0, 6)?.round(), 1085.0);
/// # Ok::<(), bb_memory::bb_core::ParameterError>(())
/// ```
pub fn heavy_bins_expected(bins: u64, balls: u64, rate: f64, threshold: u64) -> Result<f64, ParameterError> {
    checked(bins, rate)?;
    Ok(bins as f64 * binomial_tail(balls, rate / bins as f64, threshold)?)
}

/// Returns `n·Pr[Poi(ρ m/n) ≥ T]`: the limit of [`heavy_bins_expected`] for many bins, a little above it. The
/// tables ([`Tradeoff`](super::Tradeoff), [`Fitting`](super::Fitting)) have this one.
///
/// # Errors
///
/// If `rate` is not in `(0, n]`, or `bins` is 0.
///
/// # Examples
///
/// ```
/// use bb_memory::theory::{heavy_bins_expected, heavy_bins_in_the_limit};
///
/// assert!((heavy_bins_in_the_limit(1024, 1024, 1.0, 4)? - 19.44).abs() < 0.005);
/// assert!((heavy_bins_expected(1024, 1024, 1.0, 4)? - 19.38).abs() < 0.005);
/// # Ok::<(), bb_memory::bb_core::ParameterError>(())
/// ```
pub fn heavy_bins_in_the_limit(bins: u64, balls: u64, rate: f64, threshold: u64) -> Result<f64, ParameterError> {
    checked(bins, rate)?;
    Ok(bins as f64 * poisson_tail(rate * balls as f64 / bins as f64, threshold))
}

/// Returns about the expected number of heavy bins under the light rule `Left`:
/// `n ∫ Pr[Poi((2u + 2κ) m/n) ≥ T] du` over `u` from 0 to 1, with `κ n` the length of the list.
///
/// A bin at the share `u` of the bins counted from the right wins against that share of the others. By
/// Simpson's rule with 512 pieces.
///
/// # Errors
///
/// If `bins` is 0, or `kappa` is outside `[0, 1]`.
///
/// # Examples
///
/// ```
/// use bb_memory::theory::{heavy_bins_expected, heavy_bins_expected_on_the_left};
///
/// let n = 1 << 16;
/// assert_eq!(heavy_bins_expected_on_the_left(n, n, 6, 0.003)?.round(), 197.0);
/// assert_eq!(heavy_bins_expected(n, n, 1.003, 6)?.round(), 40.0);
/// # Ok::<(), bb_memory::bb_core::ParameterError>(())
/// ```
pub fn heavy_bins_expected_on_the_left(
    bins: u64,
    balls: u64,
    threshold: u64,
    kappa: f64,
) -> Result<f64, ParameterError> {
    ParameterError::require(bins > 0, "n", bins, "1..")?;
    ParameterError::require((0.0..=1.0).contains(&kappa), "kappa", kappa, "[0, 1]")?;
    const PIECES: u32 = 512;
    let mean = balls as f64 / bins as f64;
    let tail = |u: f64| poisson_tail((2.0 * u + 2.0 * kappa) * mean, threshold);
    let inner = (1..PIECES).map(|i| f64::from(2 + 2 * (i % 2)) * tail(f64::from(i) / f64::from(PIECES)));
    let integral = (tail(0.0) + tail(1.0) + inner.sum::<f64>()) / (3.0 * f64::from(PIECES));
    Ok(bins as f64 * integral)
}

/// `Pr[Poi(mean) ≥ at_least]`.
fn poisson_tail(mean: f64, at_least: u64) -> f64 {
    if at_least == 0 {
        return 1.0;
    }
    if mean == 0.0 {
        return 0.0;
    }
    let mass = |k: u64| libm::exp(k as f64 * libm::log(mean) - mean - libm::lgamma(k as f64 + 1.0));
    if at_least as f64 > mean {
        sum_from(mass(at_least), (at_least + 1..).map(|k| mean / k as f64))
    } else {
        let below = at_least - 1;
        1.0 - sum_from(mass(below), (1..=below).rev().map(|k| k as f64 / mean))
    }
}
