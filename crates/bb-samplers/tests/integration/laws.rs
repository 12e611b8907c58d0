//! Laws computed without the samplers' code, and the chi-square test against them.

use statrs::distribution::{ChiSquared, ContinuousCDF, Normal};

/// The false-alarm rate of one test.
pub(super) const FALSE_ALARM: f64 = 1e-6;

/// Probabilities of consecutive values; what is left out is lighter than 1e-15.
pub(super) struct Law {
    pub(super) first: u64,
    pub(super) probabilities: Vec<f64>,
}

impl Law {
    /// From the mode outward by the ratio of neighbours, until nothing is added; then normed.
    fn from_ratio(mode: u64, min: u64, max: u64, up: impl Fn(u64) -> f64) -> Self {
        const LIGHT: f64 = 1e-18;
        let mut below = Vec::new();
        let (mut x, mut p) = (mode, 1.0);
        while x > min {
            x -= 1;
            p /= up(x);
            if p < LIGHT {
                break;
            }
            below.push(p);
        }
        let first = mode - below.len() as u64;
        let mut probabilities: Vec<f64> = below.into_iter().rev().collect();
        (x, p) = (mode, 1.0);
        while p >= LIGHT {
            probabilities.push(p);
            if x == max {
                break;
            }
            p *= up(x);
            x += 1;
        }
        let sum: f64 = probabilities.iter().sum();
        probabilities.iter_mut().for_each(|p| *p /= sum);
        Self { first, probabilities }
    }

    pub(super) fn hypergeometric(total: u64, marked: u64, draws: u64) -> Self {
        let (n, k, s) = (i128::from(total), i128::from(marked), i128::from(draws));
        let mode = ((k + 1) * (s + 1) / (n + 2)) as u64;
        let min = (k + s - n).max(0) as u64;
        Self::from_ratio(mode.max(min), min, marked.min(draws), |x| {
            let x = i128::from(x);
            ((k - x) * (s - x)) as f64 / ((x + 1) * (n - k - s + x + 1)) as f64
        })
    }

    pub(super) fn binomial(trials: u64, p: f64) -> Self {
        let mode = (((trials + 1) as f64 * p) as u64).min(trials);
        Self::from_ratio(mode, 0, trials, |x| (trials - x) as f64 / (x + 1) as f64 * (p / (1.0 - p)))
    }

    /// Consecutive cells `(last value, probability)`, each with an expectation of at least
    /// 5 in `draws` draws and about 1/200 of the mass; the last one is open above.
    pub(super) fn cells(&self, draws: u64) -> Vec<(u64, f64)> {
        let least = (5.0 / draws as f64).max(if self.probabilities.len() > 400 { 0.005 } else { 0.0 });
        let mut cells: Vec<(u64, f64)> = Vec::new();
        let mut mass = 0.0;
        for (value, p) in (self.first..).zip(&self.probabilities) {
            mass += p;
            if mass >= least {
                cells.push((value, mass));
                mass = 0.0;
            }
        }
        if let Some(last) = cells.last_mut() {
            *last = (u64::MAX, last.1 + mass);
        }
        cells
    }
}

/// A hundred cells of equal mass of a normal law, `(last value, probability)`.
///
/// For laws too wide for a recursion: at a standard deviation of 10^8 and a skewness
/// below 1e-8 the normal law differs by less than 1e-8 in any cell.
pub(super) fn normal_cells(mean: f64, sd: f64) -> Vec<(u64, f64)> {
    let normal = Normal::new(0.0, 1.0).expect("valid parameters");
    (1..=100)
        .map(|i| match i {
            100 => (u64::MAX, 0.01),
            _ => ((mean + sd * normal.inverse_cdf(f64::from(i) / 100.0)) as u64, 0.01),
        })
        .collect()
}

/// The p-value of chi-square for `draws` draws over these cells.
pub(super) fn p_value(cells: &[(u64, f64)], draws: u64, mut draw: impl FnMut() -> u64) -> f64 {
    let mut counts = vec![0u64; cells.len()];
    for _ in 0..draws {
        let value = draw();
        counts[cells.partition_point(|&(last, _)| last < value)] += 1;
    }
    if cells.len() == 1 {
        return 1.0;
    }
    let statistic: f64 = cells
        .iter()
        .zip(counts)
        .map(|(&(_, p), count)| {
            let expected = p * draws as f64;
            (count as f64 - expected).powi(2) / expected
        })
        .sum();
    ChiSquared::new((cells.len() - 1) as f64).expect("at least two cells").sf(statistic)
}

/// Asserts that a p-value is no alarm when `sets` sets share the rate of one test.
pub(super) fn assert_fits(name: &str, p_value: f64, sets: usize) {
    let threshold = FALSE_ALARM / sets as f64;
    println!("{name}: p-value {p_value:.3e}, threshold {threshold:.1e}");
    assert!(p_value >= threshold, "{name}: p-value {p_value:e} below {threshold:e}");
}
