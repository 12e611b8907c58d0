//! Fluid limits: the fractions of bins at each load for many bins, at a fixed number of balls a bin.
//!
//! After `tn` balls in `n` bins the fraction `s_k` of bins with load at least `k` converges to the solution
//! of a differential equation as `n → ∞` (Kurtz; for d-Choice see Mitzenmacher, *Studying balanced
//! allocations with differential equations*, 1999). [`Fluid`] names the equation, [`Fluid::tails`] solves it
//! from empty bins. A run with `n` bins lies within about `√(s_k/n)` of it.
//!
//! # Accuracy
//!
//! Steps are controlled to a relative error of `1e-11` for each fraction of bins above `1e-15`; the result
//! holds to `1e-9`, relative, in both tails. Where the mean passes an integer, the rates of rules that look
//! at it jump: there a step ends.
//!
//! # Examples
//!
//! ```
//! use bb_theory::fluid::Fluid;
//!
//! // What a run with a million bins will show, before it is run.
//! let two = Fluid::d_choice(2)?.tails(1.0)?;
//! let left = Fluid::always_go_left(2)?.tails(1.0)?;
//! assert!((two.tail(3) - 8.89526e-3).abs() < 1e-8);
//! assert!((left.tail(3) - 4.47505e-3).abs() < 1e-8);
//! # Ok::<(), bb_theory::ParameterError>(())
//! ```

mod closed;
mod comparison;
mod evolution;
mod extrapolation;
mod rates;
mod tails;

use bb_samplers::ParameterError;

use crate::allocation::RankLaw;
use rates::{Frame, Sums};

pub(super) use evolution::Evolution;
pub(super) use tails::trimmed;

pub use closed::{RepeatedBalls, d_choice_time, supermarket_tail};
pub use comparison::Comparison;
pub use tails::Tails;

/// The longest time that can be asked for.
const LONGEST: f64 = 1_048_576.0;

/// A process in the limit of many bins: the equation of its tails.
///
/// With `s_k` the fraction of bins with load at least `k` (`s_0 = 1`), `p_k = s_k − s_{k+1}`, and time in
/// balls a bin:
///
/// | process | equation |
/// | --- | --- |
/// | [`by_rank`](Self::by_rank) | `ds_k/dt = F(s_{k−1}) − F(s_k)`, `F` of the [`RankLaw`] |
/// | [`d_choice`](Self::d_choice) | `ds_k/dt = s_{k−1}^d − s_k^d` |
/// | [`always_go_left`](Self::always_go_left) | `dS_{j,k}/dt = d (S_{j,k−1} − S_{j,k}) Π_{l<j} S_{l,k} Π_{l>j} S_{l,k−1}` for group `j` |
/// | [`caching`](Self::caching) | `ds_k/dt = s_{k−1}q_{k−1} − s_k q_k`, `q_k = q_{k−1} s_k/(1 − s_{k−1} + s_k)`, `q_0 = 1` |
/// | [`comparison`](Self::comparison) | level `k` receives at `2p_k Σ_l p_l a(k, l)`: `a = ρ(l − k)` for `k < l`, `½`, `1 − ρ(k − l)` for `k > l` |
/// | [`relative_threshold`](Self::relative_threshold) | with `j = ⌈t + f⌉` and `h = s_j`: level `k` receives at `p_k (1 + h)` for `k < j`, else `p_k h` |
/// | [`load_threshold`](Self::load_threshold) | with `h = s_ℓ`: at `p_k (1 + h + … + h^{d−1})` for `k < ℓ`, else `p_k h^{d−1}` |
/// | [`twinning`](Self::twinning) | a round takes `k` to `k + 2` for `k < ⌈t⌉`, else to `k + 1`; `dt = 2 − h` a round, `h = s_⌈t⌉` |
/// | [`packing`](Self::packing) | a round takes `k` to `⌈t⌉ + e` for `k < ⌈t⌉`, else to `k + 1` |
/// | [`supermarket`](Self::supermarket) | `ds_k/dt = λ(s_{k−1}^d − s_k^d) − (s_k − s_{k+1})`, time in services |
///
/// Each is derived from the rule's definition in one line: the rate of a level is the chance that the next
/// ball goes to a bin of that level. The supermarket model's is that of Mitzenmacher (2001) and of
/// Vvedenskaya, Dobrushin and Karpelevich (1996). Without replacement the limit is the same, as it is for
/// double hashing (arXiv 1209.5360).
///
/// # Examples
///
/// ```
/// use bb_theory::allocation::RankLaw;
/// use bb_theory::fluid::{Comparison, Fluid};
///
/// let quantile = Fluid::by_rank(RankLaw::quantile(0.5)?).tails(1.0)?;
/// assert!((quantile.mean() - 1.0).abs() < 1e-12);
/// // g-Bounded with g = 0 is Two-Choice.
/// let (bounded, two) = (Fluid::comparison(Comparison::bounded(0)), Fluid::d_choice(2)?);
/// assert!((bounded.tails(4.0)?.tail(5) - two.tails(4.0)?.tail(5)).abs() < 1e-12);
/// // Twinning needs fewer samples than balls.
/// let twinning = Fluid::twinning().tails(4.0)?;
/// assert!(twinning.steps() < 0.75 * twinning.mean());
/// # Ok::<(), bb_theory::ParameterError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Fluid {
    model: Model,
}

#[derive(Clone, Debug, PartialEq)]
enum Model {
    Rank(RankLaw),
    Left { d: u32 },
    Caching,
    Comparison(Comparison),
    Thinning { level: Level, d: u32 },
    Twinning,
    Packing { extra: u32 },
    Supermarket { lambda: f64, d: u32 },
}

/// The level below which a sampled bin is accepted.
#[derive(Clone, Debug, PartialEq)]
enum Level {
    Fixed(u64),
    /// The mean plus this.
    Mean {
        above: f64,
    },
}

impl Fluid {
    const fn new(model: Model) -> Self {
        Self { model }
    }

    /// Returns the limit of a rule by rank: One-Choice, d-Choice, (1+β), Quantile, k-Quantile.
    #[must_use]
    pub const fn by_rank(law: RankLaw) -> Self {
        Self::new(Model::Rank(law))
    }

    /// Returns the limit of d-Choice, `d ≥ 1`, with or without replacement.
    ///
    /// # Errors
    ///
    /// If `d` is 0.
    pub fn d_choice(d: u32) -> Result<Self, ParameterError> {
        Ok(Self::by_rank(RankLaw::d_choice(d)?))
    }

    /// Returns the limit of (1+β).
    ///
    /// # Errors
    ///
    /// If `beta` is not in `[0, 1]`.
    pub fn one_plus_beta(beta: f64) -> Result<Self, ParameterError> {
        Ok(Self::by_rank(RankLaw::one_plus_beta(beta, 2)?))
    }

    /// Returns the limit of always-go-left with `d` groups, `1 ≤ d ≤ 64`.
    ///
    /// # Errors
    ///
    /// If `d` is outside this range.
    pub fn always_go_left(d: u32) -> Result<Self, ParameterError> {
        ParameterError::require((1..=64).contains(&d), "d", d, "1..=64")?;
        Ok(Self::new(Model::Left { d }))
    }

    /// Returns the limit of caching: Two-Choice between one sample and one remembered bin (Mitzenmacher,
    /// Prabhakar and Shah, FOCS 2002).
    #[must_use]
    pub const fn caching() -> Self {
        Self::new(Model::Caching)
    }

    /// Returns the limit of Two-Choice with a comparison that may be wrong.
    #[must_use]
    pub const fn comparison(comparison: Comparison) -> Self {
        Self::new(Model::Comparison(comparison))
    }

    /// Returns the limit of Mean-Thinning: [`relative_threshold`](Self::relative_threshold) with `f = 0`.
    #[must_use]
    pub const fn mean_thinning() -> Self {
        Self::new(Model::Thinning { level: Level::Mean { above: 0.0 }, d: 2 })
    }

    /// Returns the limit of Relative-Threshold(f): a first sample is accepted if its load is below the mean
    /// plus `f`, else a second takes the ball; `0 ≤ f ≤ 2^20`.
    ///
    /// # Errors
    ///
    /// If `f` is outside this range.
    pub fn relative_threshold(f: f64) -> Result<Self, ParameterError> {
        ParameterError::require((0.0..=LONGEST).contains(&f), "f", f, "[0, 2^20]")?;
        Ok(Self::new(Model::Thinning { level: Level::Mean { above: f }, d: 2 }))
    }

    /// Returns the limit of thinning by load: up to `d ≥ 1` samples, of which the first with load below
    /// `level ≥ 1` takes the ball, else the last.
    ///
    /// # Errors
    ///
    /// If `level` or `d` is 0.
    pub fn load_threshold(level: u64, d: u32) -> Result<Self, ParameterError> {
        ParameterError::require(level != 0, "l", level, "1..")?;
        ParameterError::require(d != 0, "d", d, "1..")?;
        Ok(Self::new(Model::Thinning { level: Level::Fixed(level), d }))
    }

    /// Returns the limit of Twinning: a sample below the mean takes two balls, any other one.
    #[must_use]
    pub const fn twinning() -> Self {
        Self::new(Model::Twinning)
    }

    /// Returns the limit of Packing: a sample below the mean is filled to the mean, rounded up, plus
    /// `extra ≤ 64`; any other takes one ball.
    ///
    /// `extra = 1` and `extra = 0` are the two readings of *The power of filling in balanced allocations*
    /// (arXiv 2204.04057).
    ///
    /// # Errors
    ///
    /// If `extra` is larger.
    pub fn packing(extra: u32) -> Result<Self, ParameterError> {
        ParameterError::require(extra <= 64, "extra", extra, "0..=64")?;
        Ok(Self::new(Model::Packing { extra }))
    }

    /// Returns the limit of the supermarket model from empty queues: arrivals at `λn`, to the shortest of
    /// `d ≥ 1` queues, services of mean 1; `0 < λ < 1`.
    ///
    /// # Errors
    ///
    /// If a parameter is outside its range.
    pub fn supermarket(lambda: f64, d: u32) -> Result<Self, ParameterError> {
        ParameterError::require(0.0 < lambda && lambda < 1.0, "lambda", lambda, "(0, 1)")?;
        ParameterError::require(d != 0, "d", d, "1..")?;
        Ok(Self::new(Model::Supermarket { lambda, d }))
    }

    /// Returns the solution from empty bins at time `t`, `0 ≤ t ≤ 2^20`.
    ///
    /// *Cost:* `O(t·w)` with `w` the number of levels that hold bins, some microseconds for each level and
    /// unit of time; for a comparison `O(t·w·min(w, g))`. A step is at most about `1/d`, so the cost grows
    /// with large `d`.
    ///
    /// # Errors
    ///
    /// If `t` is outside this range.
    pub fn tails(&self, t: f64) -> Result<Tails, ParameterError> {
        ParameterError::require((0.0..=LONGEST).contains(&t), "t", t, "[0, 2^20]")?;
        let mut evolution = Evolution::new(self);
        evolution.advance(t);
        Ok(evolution.tails())
    }

    /// Returns the right-hand side of the equation, `ds_k/dt` for tails `s_0 = 1, s_1, …` and a mean whose
    /// value rounded up is `mean`.
    ///
    /// For always-go-left the tails of the groups are given, and the rates returned, one group after the
    /// other. No level above the last receives anything. For a rule relative to the mean plus `f`, `mean` is
    /// `⌈t + f⌉`.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_theory::fluid::Fluid;
    ///
    /// let rates = Fluid::d_choice(2)?.rates(1, &[1.0, 0.5, 0.25, 0.0]);
    /// assert_eq!(rates, [0.0, 0.75, 0.1875, 0.0625]);
    /// # Ok::<(), bb_theory::ParameterError>(())
    /// ```
    #[must_use]
    pub fn rates(&self, mean: u64, tails: &[f64]) -> Vec<f64> {
        let levels = tails.len() / self.groups();
        if levels == 0 {
            return vec![0.0; tails.len()];
        }
        let groups = tails.chunks_exact(levels);
        let shares = |tails: &[f64]| -> Vec<f64> {
            let next = tails[1..].iter().chain(core::iter::once(&0.0));
            tails.iter().zip(next).map(|(tail, next)| tail - next).collect()
        };
        let mut state: Vec<f64> = groups.flat_map(shares).collect();
        state.push(0.0);
        let mut rates = vec![0.0; state.len()];
        let mut sums = Sums::default();
        sums.look_up(self.kinks(), &state[..levels]);
        self.model.rates(Frame { base: 0, mean_up: mean, levels }, &state, &mut rates, &mut sums);
        rates.pop();
        for group in rates.chunks_exact_mut(levels) {
            for k in (0..levels - 1).rev() {
                group[k] += group[k + 1];
            }
            // All bins have load 0 or more.
            group[0] = 0.0;
        }
        rates.resize(tails.len(), 0.0);
        rates
    }

    /// The groups of bins that the equation keeps apart.
    fn groups(&self) -> usize {
        if let Model::Left { d } = self.model { d as usize } else { 1 }
    }

    /// The offset from the mean of the level that the rule asks about, if it does.
    fn mean_offset(&self) -> Option<f64> {
        match self.model {
            Model::Thinning { level: Level::Mean { above }, .. } => Some(above),
            Model::Twinning | Model::Packing { .. } => Some(0.0),
            _ => None,
        }
    }

    /// The tails at which the rates have a kink.
    fn kinks(&self) -> &[f64] {
        if let Model::Rank(law) = &self.model { law.kinks() } else { &[] }
    }

    /// How far above the mean, rounded up, bins can be lifted at once.
    fn fills_above(&self) -> u64 {
        if let Model::Packing { extra } = self.model { u64::from(extra) + 1 } else { 0 }
    }

    /// Whether levels below the mean become empty for good.
    fn leaves_levels(&self) -> bool {
        !matches!(self.model, Model::Supermarket { .. })
    }

    /// Whether the profile around the mean settles.
    pub(super) fn settles(&self) -> bool {
        match &self.model {
            Model::Rank(law) => law.slope_at_heaviest() < 1.0,
            Model::Comparison(comparison) => comparison.last() > 0.5,
            Model::Left { d } => *d > 1,
            Model::Thinning { level: Level::Fixed(_), .. } | Model::Supermarket { .. } => false,
            Model::Thinning { .. } | Model::Caching | Model::Twinning | Model::Packing { .. } => true,
        }
    }
}
