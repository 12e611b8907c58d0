//! What can be asked of loads: [`Metrics`].

use crate::bins::Bins;
use crate::load::Load;
use bb_samplers::ParameterError;

/// The quantities of the field, each under one name and with one definition.
///
/// With loads `x_i`, total `W = Σ x_i` ([`Bins::total`]) and mean `W/n`:
///
/// | name | definition |
/// | --- | --- |
/// | [`average`](Self::average) | `W/n` |
/// | [`gap`](Self::gap) | `max x_i − W/n` |
/// | [`min_gap`](Self::min_gap) | `W/n − min x_i` |
/// | [`range`](Self::range) | `max x_i − min x_i`, which some papers call the gap |
/// | [`normalised`](Self::normalised) | `y_i = x_i − W/n` |
/// | [`variance`](Self::variance) | `(1/n) Σ y_i²` |
///
/// # Complexity
///
/// `average`, `max_load` and `gap` are `O(1)` for every kind of loads. The others are computed when asked for
/// from [`level_counts`](Self::level_counts), at the cost stated there; to ask for several, take the counts
/// once.
///
/// # Examples
///
/// ```
/// use bb_core::{LoadVector, Metrics};
///
/// let loads = LoadVector::from_loads(vec![0, 3, 1, 1])?;
/// assert_eq!((loads.max_load(), loads.min_load(), loads.range()), (3, 0, 3.0));
/// assert_eq!((loads.total(), loads.average(), loads.gap(), loads.min_gap()), (5, 1.25, 1.75, 1.25));
/// assert_eq!(loads.normalised(1), 1.75);
/// assert_eq!(loads.level_counts(), [(0, 1), (1, 2), (3, 1)]);
/// assert_eq!((loads.bins_at_least(1), loads.empty_bins()), (3, 1));
/// assert_eq!((loads.quantile(0.5)?, loads.quantile(0.76)?), (1, 3));
/// assert_eq!(loads.variance(), 1.1875);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Metrics: Bins {
    /// Returns the maximum load. `O(1)`.
    fn max_load(&self) -> Self::Load;

    /// Returns how many bins hold each load: pairs (load, number of bins), by increasing load, occupied
    /// levels only.
    ///
    /// `O(n)` and one allocation for a vector of counts, `O(n log n)` for real loads.
    fn level_counts(&self) -> Vec<(Self::Load, u64)>;

    /// Returns the mean load `W/n`. `O(1)`.
    fn average(&self) -> f64 {
        0.0 - Self::Load::default().above_mean(self.total(), self.bins())
    }

    /// Returns the gap: maximum load minus mean. `O(1)`; for counts exact up to one rounding.
    fn gap(&self) -> f64 {
        self.max_load().above_mean(self.total(), self.bins())
    }

    /// Returns the minimum load.
    fn min_load(&self) -> Self::Load {
        self.level_counts().first().map_or_else(Self::Load::default, |&(load, _)| load)
    }

    /// Returns mean minus minimum load.
    fn min_gap(&self) -> f64 {
        0.0 - self.min_load().above_mean(self.total(), self.bins())
    }

    /// Returns maximum minus minimum load.
    fn range(&self) -> f64 {
        self.max_load().above_mean(self.min_load(), 1)
    }

    /// Returns the normalised load `y_i = x_i − W/n` of a bin. `O(1)`.
    fn normalised(&self, bin: Self::Bin) -> f64 {
        self.load(bin).above_mean(self.total(), self.bins())
    }

    /// Returns the number of bins whose load is at least `level`.
    fn bins_at_least(&self, level: Self::Load) -> u64 {
        self.level_counts().iter().filter(|(load, _)| *load >= level).map(|&(_, count)| count).sum()
    }

    /// Returns the number of bins without a ball: those of load exactly 0.
    fn empty_bins(&self) -> u64 {
        let zero = Self::Load::default();
        self.level_counts().iter().find(|(load, _)| *load == zero).map_or(0, |&(_, count)| count)
    }

    /// Returns the smallest load `x` such that at least `q·n` bins have load at most `x`; the minimum for
    /// `q = 0`.
    ///
    /// # Errors
    ///
    /// If `q` is not in `[0, 1]`.
    fn quantile(&self, q: f64) -> Result<Self::Load, ParameterError> {
        if !(0.0..=1.0).contains(&q) {
            return Err(ParameterError::new("q", q, "[0, 1]"));
        }
        let wanted = q * self.bins() as f64;
        let mut below = 0;
        for (load, count) in self.level_counts() {
            below += count;
            if below as f64 >= wanted {
                return Ok(load);
            }
        }
        Ok(self.max_load())
    }

    /// Returns the variance of the loads over the bins, `(1/n) Σ y_i²`.
    fn variance(&self) -> f64 {
        self.quadratic_potential() / self.bins() as f64
    }

    /// Returns the quadratic potential `Υ = Σ y_i²`.
    fn quadratic_potential(&self) -> f64 {
        sum_over_bins(self, |y| y * y)
    }

    /// Returns the absolute-value potential `Δ = Σ |y_i|`.
    fn absolute_potential(&self) -> f64 {
        sum_over_bins(self, f64::abs)
    }

    /// Returns the exponential potentials with parameter `alpha`.
    ///
    /// # Errors
    ///
    /// If `alpha` is not positive and finite.
    fn exponential_potentials(&self, alpha: f64) -> Result<ExponentialPotentials, ParameterError> {
        if !(alpha > 0.0 && alpha.is_finite()) {
            return Err(ParameterError::new("alpha", alpha, "the positive finite numbers"));
        }
        Ok(ExponentialPotentials {
            phi: sum_over_bins(self, |y| (alpha * y).exp()),
            psi: sum_over_bins(self, |y| (-alpha * y).exp()),
            lambda: sum_over_bins(self, |y| (alpha * y.abs()).exp()),
        })
    }
}

/// Answers by loads inside what [`Metrics`] asks for: `metrics_of!(loads)` names the field.
macro_rules! metrics_of {
    ($field:ident) => {
        #[inline]
        fn max_load(&self) -> Self::Load {
            self.$field.max_load()
        }
        fn min_load(&self) -> Self::Load {
            self.$field.min_load()
        }
        fn level_counts(&self) -> Vec<(Self::Load, u64)> {
            self.$field.level_counts()
        }
    };
}
pub(crate) use metrics_of;

fn sum_over_bins<L: Metrics + ?Sized>(loads: &L, term: impl Fn(f64) -> f64) -> f64 {
    let (total, bins) = (loads.total(), loads.bins());
    loads.level_counts().iter().map(|&(load, count)| count as f64 * term(load.above_mean(total, bins))).sum()
}

/// The exponential potentials of a load vector, for one parameter `α`.
///
/// With `y_i` the normalised loads (Peres, Talwar and Wieder, Random Structures & Algorithms 47, 2015; Los,
/// Sauerwald and Sylvester, arXiv 2308.05087, for `Λ`). Pathwise `max y_i ≤ ln Φ/α`, `−min y_i ≤ ln Ψ/α` and
/// `Γ ≥ 2n`. A value beyond `f64` is infinite.
///
/// # Examples
///
/// ```
/// use bb_core::{LoadVector, Metrics};
///
/// let loads = LoadVector::from_loads(vec![2, 0])?;
/// let potentials = loads.exponential_potentials(1.0)?;
/// let e = std::f64::consts::E;
/// assert!((potentials.phi() - (e + 1.0 / e)).abs() < 1e-12);
/// assert!((potentials.psi() - potentials.phi()).abs() < 1e-12);
/// assert!((potentials.gamma() - 2.0 * (e + 1.0 / e)).abs() < 1e-12);
/// assert!((potentials.lambda() - 2.0 * e).abs() < 1e-12);
/// assert_eq!((loads.quadratic_potential(), loads.absolute_potential()), (2.0, 2.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExponentialPotentials {
    phi: f64,
    psi: f64,
    lambda: f64,
}

impl ExponentialPotentials {
    /// Returns `Φ = Σ exp(α y_i)`, which watches the upper tail.
    #[must_use]
    pub fn phi(&self) -> f64 {
        self.phi
    }

    /// Returns `Ψ = Σ exp(−α y_i)`, which watches the lower tail.
    #[must_use]
    pub fn psi(&self) -> f64 {
        self.psi
    }

    /// Returns the hyperbolic cosine potential `Γ = Φ + Ψ`.
    #[must_use]
    pub fn gamma(&self) -> f64 {
        self.phi + self.psi
    }

    /// Returns `Λ = Σ exp(α |y_i|)`.
    #[must_use]
    pub fn lambda(&self) -> f64 {
        self.lambda
    }
}

/// Tells whether the loads `upper` majorize the loads `lower`.
///
/// Both are sorted by decreasing load; then every prefix sum of `lower` must be at most that of `upper`. The
/// vectors must be equally long and have equal sums, else neither majorizes the other and the answer is
/// `false`. Exact for counts. `O(n log n)`.
///
/// # Examples
///
/// ```
/// use bb_core::majorizes;
///
/// assert!(majorizes(&[3, 0, 0], &[1, 1, 1]));
/// assert!(!majorizes(&[1, 1, 1], &[3, 0, 0]));
/// assert!(!majorizes(&[3, 3, 0], &[4, 1, 1]));
/// assert!(!majorizes(&[2, 0], &[1, 0]));
/// ```
#[must_use]
pub fn majorizes(upper: &[u64], lower: &[u64]) -> bool {
    let descending = |loads: &[u64]| {
        let mut sorted = loads.to_vec();
        sorted.sort_unstable_by(|a, b| b.cmp(a));
        sorted
    };
    let mut sums = (0_u128, 0_u128);
    upper.len() == lower.len()
        && descending(upper).into_iter().zip(descending(lower)).all(|(up, low)| {
            sums = (sums.0 + u128::from(up), sums.1 + u128::from(low));
            sums.1 <= sums.0
        })
        && sums.0 == sums.1
}
