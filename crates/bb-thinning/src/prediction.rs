//! The maximum count of strategies with a fixed limit, predicted by Poisson counts.

use bb_core::ParameterError;

/// Beyond it a prediction would take minutes, and a threshold is of little use.
const LONGEST: f64 = 1e4;

/// Returns the expected maximum count after `time·n` balls under thinning with `samples` samples that accepts
/// a bin in a round as long as it accepted fewer than `limit` in it, as Poisson counts predict it.
///
/// In the limit of many bins a bin is sampled `N_1 ~ Poisson(t)` times and keeps `min(N_1, ℓ)` of them; what
/// all bins reject is sampled anew, `N_2 ~ Poisson(E(N_1 − ℓ)⁺)`, and so on; the last samples are all kept.
/// These are independent, and with `T` their sum the maximum over `n` independent bins has the mean
/// `Σ_{x≥1} (1 − P(T < x)^n)`. A prediction, not a theorem: counts of finitely many bins are not independent.
/// Seen at `t = 1`, two samples: `n = 10^4`, `ℓ = 3` gives 4.20, simulated 4.19 ± 0.03.
///
/// *Accuracy:* Poisson probabilities below `1e-30` are left out. *Cost:* `O(d·√t·√r)` for each of the last
/// sums, `r` being the rejections per bin.
///
/// # Errors
///
/// If `bins`, `samples` or `limit` is 0, or `time` is not in `(0, 10^4]`.
///
/// # Examples
///
/// ```
/// use bb_thinning::predicted_maximum;
///
/// assert!((predicted_maximum(10_000, 1.0, 2, 3)? - 4.20).abs() < 0.005);
/// // No limit: One-Choice.
/// assert!(predicted_maximum(10_000, 1.0, 2, 100)? > 6.0);
/// # Ok::<(), bb_thinning::bb_core::ParameterError>(())
/// ```
pub fn predicted_maximum(bins: u64, time: f64, samples: u32, limit: u64) -> Result<f64, ParameterError> {
    for (parameter, value) in [("bins", bins), ("d", samples.into()), ("l", limit)] {
        ParameterError::require(value != 0, parameter, value, "1..")?;
    }
    ParameterError::require(time > 0.0 && time <= LONGEST, "t", time, "(0, 10^4]")?;
    let mut mean = time;
    let mut sum = Masses { first: 0, masses: vec![1.0] };
    for _ in 1..samples {
        let sampled = Masses::poisson(mean);
        mean = sampled.mean_above(limit);
        sum = sum.plus(&sampled.cut(limit));
        if mean < 1e-30 {
            break;
        }
    }
    if mean >= 1e-30 {
        sum = sum.plus(&Masses::poisson(mean));
    }
    Ok(sum.mean_maximum(bins))
}

/// Returns the limit with the smallest [`predicted_maximum`]. A scan around the mean, then a finer one around
/// the best.
///
/// # Errors
///
/// As [`predicted_maximum`].
///
/// # Examples
///
/// ```
/// use bb_thinning::best_limit;
///
/// assert_eq!((best_limit(1_000_000, 1.0, 2)?, best_limit(1_000_000, 16.0, 2)?), (3, 20));
/// assert_eq!(best_limit(1_000_000, 1.0, 3)?, 2);
/// # Ok::<(), bb_thinning::bb_core::ParameterError>(())
/// ```
pub fn best_limit(bins: u64, time: f64, samples: u32) -> Result<u64, ParameterError> {
    // Checks the parameters.
    predicted_maximum(bins, time, samples, 1)?;
    let log = libm::log(bins as f64);
    let spread = time.sqrt();
    // With d samples each round keeps its share, so the limit may be far below the mean.
    let low = if samples == 2 { (time - 2.0 * spread).max(1.0) } else { 1.0 };
    let high = time + 3.0 * libm::cbrt(time * log) + (2.0 * log).sqrt() + 3.0;
    let step = (((high - low) / 64.0) as u64).max(1);
    let best = |from: u64, to: u64, step: u64| -> Result<u64, ParameterError> {
        let mut best = (f64::INFINITY, from);
        for limit in (from..=to).step_by(step as usize) {
            let predicted = predicted_maximum(bins, time, samples, limit)?;
            if predicted < best.0 {
                best = (predicted, limit);
            }
        }
        Ok(best.1)
    };
    let mut step = step;
    let mut found = best(low as u64, high as u64, step)?;
    while step > 1 {
        let finer = (step / 16).max(1);
        found = best(found.saturating_sub(step).max(1), found + step, finer)?;
        step = finer;
    }
    Ok(found)
}

/// Probabilities of consecutive numbers from `first` on.
struct Masses {
    first: u64,
    masses: Vec<f64>,
}

impl Masses {
    /// The Poisson law, without what is less likely than `1e-30`.
    fn poisson(mean: f64) -> Self {
        let likeliest = mean.floor();
        let mass = |x: f64| libm::exp(x * libm::log(mean) - mean - libm::lgamma(x + 1.0));
        let top = mass(likeliest);
        let mut below = Vec::new();
        let (mut x, mut now) = (likeliest, top);
        while x > 0.0 && now > 1e-30 {
            now *= x / mean;
            x -= 1.0;
            below.push(now);
        }
        below.reverse();
        below.push(top);
        let (mut x, mut now) = (likeliest, top);
        while now > 1e-30 {
            x += 1.0;
            now *= mean / x;
            below.push(now);
        }
        Self { first: likeliest as u64 + 1 + ((x - likeliest) as u64) - below.len() as u64, masses: below }
    }

    /// `E(N − ℓ)⁺`.
    fn mean_above(&self, limit: u64) -> f64 {
        // From the smallest masses up.
        self.numbered().rev().filter(|&(x, _)| x > limit).map(|(x, mass)| (x - limit) as f64 * mass).sum()
    }

    fn numbered(&self) -> impl DoubleEndedIterator<Item = (u64, f64)> {
        (0..self.masses.len()).map(|place| (self.first + place as u64, self.masses[place]))
    }

    /// The law of `min(N, ℓ)`.
    fn cut(&self, limit: u64) -> Self {
        let first = self.first.min(limit);
        let mut masses = vec![0.0; (limit.min(self.first + self.masses.len() as u64 - 1) - first) as usize + 1];
        self.numbered().rev().for_each(|(x, mass)| masses[(x.min(limit) - first) as usize] += mass);
        Self { first, masses }
    }

    /// The law of the sum of two independent numbers.
    fn plus(&self, other: &Self) -> Self {
        let mut masses = vec![0.0; self.masses.len() + other.masses.len() - 1];
        for (place, mass) in self.masses.iter().enumerate() {
            for (more, other) in other.masses.iter().enumerate() {
                masses[place + more] += mass * other;
            }
        }
        Self { first: self.first + other.first, masses }
    }

    /// The mean of the largest of `bins` independent numbers.
    fn mean_maximum(&self, bins: u64) -> f64 {
        let mut tail: f64 = 0.0;
        let mut mean = self.first as f64;
        for (x, mass) in self.numbered().rev() {
            tail += mass;
            if x > self.first {
                mean -= libm::expm1(bins as f64 * libm::log1p(-tail.min(1.0)));
            }
        }
        mean
    }
}
