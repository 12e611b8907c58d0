//! Rules by rank: the probability that a ball goes to the bin of rank `i`, and its limit for many bins.
//!
//! Rank 1 is the heaviest bin. A rule by rank has fixed probabilities `p_1, …, p_n`; its prefix sums
//! `P_k = p_1 + … + p_k` say all about it, and for many bins `P_⌊un⌋ → F(u)`. The smaller the prefix sums,
//! the better the balance: if `P_k ≤ Q_k` for all `k`, the two processes can be run on the same uniform
//! numbers such that the loads of the first stay majorized by those of the second, ball by ball. `ByRank` of
//! `bb-processes` is that coupling.

use bb_samplers::ParameterError;

/// The allocation vector of a rule by rank, for every number of bins, and its limit `F`.
///
/// | rule | `p_i` | `F(u)` |
/// | --- | --- | --- |
/// | [`one_choice`](Self::one_choice) | `1/n` | `u` |
/// | [`d_choice`](Self::d_choice) | `(i^d − (i − 1)^d)/n^d` | `u^d` |
/// | [`distinct_choice`](Self::distinct_choice) | `C(i − 1, d − 1)/C(n, d)` | `u^d` |
/// | [`one_plus_beta`](Self::one_plus_beta) | `(1 − β)/n + β (i^d − (i − 1)^d)/n^d` | `(1 − β)u + βu^d` |
/// | [`quantiles`](Self::quantiles) | `(δ_{j−1} + δ_j)/n` for `δ_{j−1}n < i ≤ δ_j n` | `u²` at the `δ_j`, linear in between |
///
/// All rows are elementary counting; those of d-Choice and (1+β) are the ones of Peres, Talwar and Wieder
/// (Random Structures & Algorithms 47, 2015).
///
/// *Accuracy:* probabilities have a relative error of a few `2^-53`, without cancellation also where `n` is
/// large; prefix sums of distinct choices one of `d` such. *Cost:* `O(1)`; `O(min(d, n − k))` for distinct
/// choices and `O(number of quantiles)` for quantiles.
///
/// # Examples
///
/// ```
/// use bb_theory::allocation::RankLaw;
///
/// let two = RankLaw::d_choice(2)?;
/// assert_eq!((two.probability(1, 4), two.probability(4, 4)), (1.0 / 16.0, 7.0 / 16.0));
/// assert_eq!((two.prefix(2, 4), two.limit(0.5)), (0.25, 0.25));
/// // Without replacement the heaviest bin is never taken.
/// assert_eq!(RankLaw::distinct_choice(2)?.probability(1, 4), 0.0);
/// // One question, "are you among the heavier half?", gives the two classes 1/2 and 3/2 of a fair share.
/// let half = RankLaw::quantile(0.5)?;
/// assert_eq!((half.probability(1, 4), half.probability(4, 4)), (0.125, 0.375));
/// assert_eq!((half.slope_at_heaviest(), half.slope_at_lightest()), (0.5, 1.5));
/// # Ok::<(), bb_theory::ParameterError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RankLaw(Kind);

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    /// With probability `beta` the lightest of `d`, else one choice.
    Choice { beta: f64, d: u32 },
    /// The lightest of `d` distinct bins.
    Distinct { d: u32 },
    /// Increasing quantiles, each in `(0, 1)`.
    Quantiles(Vec<f64>),
}

impl RankLaw {
    /// Returns the law of One-Choice; the type's page has the formula.
    #[must_use]
    pub const fn one_choice() -> Self {
        Self(Kind::Choice { beta: 0.0, d: 1 })
    }

    /// Returns the law of d-Choice with replacement, `d ≥ 1`; the type's page has the formula.
    ///
    /// # Errors
    ///
    /// If `d` is 0.
    pub fn d_choice(d: u32) -> Result<Self, ParameterError> {
        Self::one_plus_beta(1.0, d)
    }

    /// Returns the law of d-Choice without replacement, `d ≥ 1`; with fewer than `d` bins, all of them are
    /// samples.
    ///
    /// # Errors
    ///
    /// If `d` is 0.
    pub fn distinct_choice(d: u32) -> Result<Self, ParameterError> {
        at_least_one("d", d)?;
        Ok(Self(Kind::Distinct { d }))
    }

    /// Returns the law of (1+β) with `d ≥ 1` choices; the type's page has the formula.
    ///
    /// # Errors
    ///
    /// If `beta` is not in `[0, 1]` or `d` is 0.
    pub fn one_plus_beta(beta: f64, d: u32) -> Result<Self, ParameterError> {
        at_least_one("d", d)?;
        ParameterError::require((0.0..=1.0).contains(&beta), "beta", beta, "[0, 1]")?;
        Ok(Self(Kind::Choice { beta, d }))
    }

    /// Returns the law of Quantile(δ): a first sample among the `⌊δn⌋` heaviest bins is refused, and a second
    /// takes the ball.
    ///
    /// `δ = 0` and `δ = 1` are One-Choice.
    ///
    /// # Errors
    ///
    /// If `delta` is not in `[0, 1]`.
    pub fn quantile(delta: f64) -> Result<Self, ParameterError> {
        Self::quantiles(&[delta])
    }

    /// Returns the law of k-Quantile(δ_1 < … < δ_k): two samples, of which the one in the lighter class takes
    /// the ball, where class `j` are the bins of rank `⌊δ_{j−1}n⌋ + 1` to `⌊δ_j n⌋` (Los and Sauerwald, arXiv
    /// 2107.03916).
    ///
    /// # Errors
    ///
    /// If the quantiles do not increase or one is not in `[0, 1]`.
    pub fn quantiles(deltas: &[f64]) -> Result<Self, ParameterError> {
        let mut last = -1.0;
        for &delta in deltas {
            ParameterError::require(
                (0.0..=1.0).contains(&delta) && delta > last,
                "delta",
                delta,
                "[0, 1], increasing",
            )?;
            last = delta;
        }
        Ok(Self(Kind::Quantiles(deltas.iter().copied().filter(|&delta| 0.0 < delta && delta < 1.0).collect())))
    }

    /// Returns `p_i`, the probability of rank `rank` among `n` bins; 0 for ranks outside `1..=n`.
    #[must_use]
    pub fn probability(&self, rank: u64, n: u64) -> f64 {
        if rank == 0 || rank > n {
            return 0.0;
        }
        let (i, bins) = (rank as f64, n as f64);
        match &self.0 {
            Kind::Choice { beta, d } => {
                // 1 − (1 − 1/i)^d without cancellation.
                let top_of_d = -(f64::from(*d) * (-1.0 / i).ln_1p()).exp_m1();
                (1.0 - beta) / bins + beta * (i / bins).powf(f64::from(*d)) * top_of_d
            }
            Kind::Distinct { d } => {
                let d = u64::from(*d).min(n);
                all_below(rank, d, n) * (d as f64 / i)
            }
            Kind::Quantiles(deltas) => {
                let (lower, upper) = class(deltas, rank, n);
                (lower + upper) as f64 / bins / bins
            }
        }
    }

    /// Returns `P_k`, the probability of the ranks `1..=k` among `n` bins; 1 for `k ≥ n`.
    #[must_use]
    pub fn prefix(&self, k: u64, n: u64) -> f64 {
        if k >= n {
            return 1.0;
        }
        let u = k as f64 / n as f64;
        match &self.0 {
            Kind::Choice { .. } => self.limit(u),
            Kind::Distinct { d } => all_below(k, u64::from(*d).min(n), n),
            Kind::Quantiles(deltas) => {
                let (lower, _) = class(deltas, k + 1, n);
                let below = lower as f64 / n as f64;
                below * below + (k - lower) as f64 * self.probability(k + 1, n)
            }
        }
    }

    /// Returns the rank `i` with `P_{i−1} ≤ u < P_i` among `n` bins, the rank to which the uniform number `u`
    /// in `[0, 1)` leads. `O(log n)` prefix sums.
    #[must_use]
    pub fn rank(&self, u: f64, n: u64) -> u64 {
        let (mut below, mut rank) = (0, n);
        while below + 1 < rank {
            let middle = below + (rank - below) / 2;
            if self.prefix(middle, n) <= u { below = middle } else { rank = middle }
        }
        rank
    }

    /// Returns the limit `F(u)` of the prefix sums for many bins, `0 ≤ u ≤ 1`.
    #[must_use]
    pub fn limit(&self, u: f64) -> f64 {
        match &self.0 {
            Kind::Choice { beta, d } => (1.0 - beta) * u + beta * u.powf(f64::from(*d)),
            Kind::Distinct { d } => u.powf(f64::from(*d)),
            Kind::Quantiles(deltas) => {
                let (lower, upper) = piece(deltas, deltas.partition_point(|&delta| delta <= u));
                lower * lower + (lower + upper) * (u - lower)
            }
        }
    }

    /// `F(u + p) − F(u)`, without cancellation for small `p ≥ 0`, for a smooth `F`.
    pub(super) fn limit_between(&self, u: f64, p: f64) -> f64 {
        match &self.0 {
            Kind::Choice { beta, d } => (1.0 - beta) * p + beta * power_between(u, p, *d),
            Kind::Distinct { d } => power_between(u, p, *d),
            Kind::Quantiles(_) => self.limit(u + p) - self.limit(u),
        }
    }

    /// The arguments at which `F` has a kink, increasing.
    pub(super) fn kinks(&self) -> &[f64] {
        match &self.0 {
            Kind::Quantiles(deltas) => deltas,
            _ => &[],
        }
    }

    /// Returns `F'(0)`, the limit of `n p_1`: the share of a fair share that the heaviest bins get. The upper
    /// tail of the loads depends on it.
    #[must_use]
    pub fn slope_at_heaviest(&self) -> f64 {
        match &self.0 {
            Kind::Choice { beta, d } => 1.0 - beta + if *d == 1 { *beta } else { 0.0 },
            Kind::Distinct { d } => f64::from(u8::from(*d == 1)),
            Kind::Quantiles(deltas) => deltas.first().copied().unwrap_or(1.0),
        }
    }

    /// Returns `F'(1)`, the limit of `n p_n`: how many fair shares the lightest bins get. The lower tail of
    /// the loads depends on it.
    #[must_use]
    pub fn slope_at_lightest(&self) -> f64 {
        match &self.0 {
            Kind::Choice { beta, d } => 1.0 - beta + beta * f64::from(*d),
            Kind::Distinct { d } => f64::from(*d),
            Kind::Quantiles(deltas) => 1.0 + deltas.last().copied().unwrap_or(0.0),
        }
    }
}

/// Returns how many of the fullest of `bins` bins are above the quantile `delta`: `⌊δ n⌋`, from the product
/// as an `f64`.
///
/// # Examples
///
/// ```
/// assert_eq!(bb_theory::allocation::ranks_above(0.25, 10), 2);
/// ```
#[inline]
#[must_use]
pub fn ranks_above(delta: f64, bins: u64) -> u64 {
    (delta * bins as f64) as u64
}

fn at_least_one(parameter: &'static str, value: u32) -> Result<(), ParameterError> {
    if value == 0 { Err(ParameterError::new(parameter, value, "1..")) } else { Ok(()) }
}

/// `C(k, d)/C(n, d)`: the probability that `d` distinct bins are all among `k` of `n`, `d ≤ n`.
fn all_below(k: u64, d: u64, n: u64) -> f64 {
    if d > k {
        return 0.0;
    }
    // Equal to C(n − d, n − k)/C(n, n − k): the shorter product.
    let (terms, top) = if d <= n - k { (d, k) } else { (n - k, n - d) };
    (0..terms).map(|taken| (top - taken) as f64 / (n - taken) as f64).product()
}

/// `(u + p)^d − u^d`.
pub(super) fn power_between(u: f64, p: f64, d: u32) -> f64 {
    let v = u + p;
    if d <= 16 {
        // p Σ v^i u^(d−1−i), by Horner's rule.
        let (mut sum, mut power) = (0.0, 1.0);
        for _ in 0..d {
            sum = sum * v + power;
            power *= u;
        }
        p * sum
    } else if v > 0.0 {
        let d = f64::from(d);
        -v.powf(d) * (d * (-(p / v).min(1.0)).ln_1p()).exp_m1()
    } else {
        0.0
    }
}

/// The ends of a piece of the piecewise linear `F`, counted from 0.
pub(super) fn piece(deltas: &[f64], number: usize) -> (f64, f64) {
    let lower = number.checked_sub(1).map_or(0.0, |before| deltas[before]);
    (lower, deltas.get(number).copied().unwrap_or(1.0))
}

/// The last rank before the class of `rank`, and its own last rank.
fn class(deltas: &[f64], rank: u64, n: u64) -> (u64, u64) {
    let (mut lower, mut upper) = (0, n);
    for &delta in deltas {
        let bound = ranks_above(delta, n);
        if bound < rank {
            lower = bound;
        } else {
            upper = bound;
            break;
        }
    }
    (lower, upper)
}
