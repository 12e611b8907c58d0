use bb_samplers::ParameterError;

/// How often two loads are compared rightly: `ρ(δ)`, the probability that the ball goes to the lighter of two
/// samples whose loads differ by `δ ≥ 1`.
///
/// | setting | `ρ(δ)` |
/// | --- | --- |
/// | [`bounded`](Self::bounded), g-Bounded | 0 for `δ ≤ g`, else 1 |
/// | [`myopic`](Self::myopic), g-Myopic-Comp | ½ for `δ ≤ g`, else 1 |
/// | [`noisy_load`](Self::noisy_load), σ-Noisy-Load | `Φ(δ/(√2 σ))` |
///
/// Definitions of Los and Sauerwald, *Balanced allocations with the choice of noise* (arXiv 2206.07503). The
/// formula of σ-Noisy-Load follows from its setting, in which each sample reports its load plus an
/// independent normal error of standard deviation `σ`, and the smaller report wins. Two-Choice has `ρ = 1`,
/// One-Choice `½`, (1+β) `(1 + β)/2`.
///
/// # Examples
///
/// ```
/// use bb_theory::fluid::Comparison;
///
/// let myopic = Comparison::myopic(3);
/// assert_eq!((myopic.probability(3), myopic.probability(4)), (0.5, 1.0));
/// assert_eq!(Comparison::bounded(1).probability(1), 0.0);
/// let noisy = Comparison::noisy_load(1.0)?;
/// assert!((noisy.probability(1) - 0.760_250).abs() < 1e-6);
/// let half_blind = Comparison::new(vec![0.5, 0.75])?;
/// assert_eq!((half_blind.probability(1), half_blind.probability(9)), (0.5, 0.75));
/// # Ok::<(), bb_theory::ParameterError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// `ρ(1), ρ(2), …`; the last one holds for all larger differences.
    rho: Vec<f64>,
}

/// Differences beyond this count as this one.
const MOST_DIFFERENCES: f64 = 65_536.0;

impl Comparison {
    /// Returns the comparison with `ρ(1), ρ(2), …` as listed, the last of which holds for all larger
    /// differences.
    ///
    /// # Errors
    ///
    /// If the list is empty or a value is not in `[0, 1]`.
    pub fn new(rho: Vec<f64>) -> Result<Self, ParameterError> {
        ParameterError::require(!rho.is_empty(), "rho", format_args!("[]"), "one probability or more")?;
        if let Some(wrong) = rho.iter().find(|value| !(0.0..=1.0).contains(*value)) {
            return Err(ParameterError::new("rho", format!("{wrong:?}"), "[0, 1]"));
        }
        Ok(Self { rho })
    }

    /// Returns g-Bounded: the heavier one within a difference of `g`, the lighter one beyond.
    #[must_use]
    pub fn bounded(g: u16) -> Self {
        Self::up_to(g, 0.0)
    }

    /// Returns g-Myopic-Comp: a fair coin within a difference of `g`, the lighter one beyond.
    #[must_use]
    pub fn myopic(g: u16) -> Self {
        Self::up_to(g, 0.5)
    }

    fn up_to(g: u16, within: f64) -> Self {
        let mut rho = vec![within; usize::from(g)];
        rho.push(1.0);
        Self { rho }
    }

    /// Returns σ-Noisy-Load; `σ = 0` is Two-Choice.
    ///
    /// *Accuracy:* differences from `12σ` on, where `ρ` is 1 up to `2^-53`, count as certain; so do those
    /// from 65536 on.
    ///
    /// # Errors
    ///
    /// If `sigma` is negative or not finite.
    pub fn noisy_load(sigma: f64) -> Result<Self, ParameterError> {
        ParameterError::require(sigma >= 0.0 && sigma.is_finite(), "sigma", sigma, "[0, ∞)")?;
        let certain = (12.0 * sigma).min(MOST_DIFFERENCES).ceil() as u32;
        let mut rho: Vec<f64> = (1..certain).map(|delta| 0.5 * libm::erfc(-f64::from(delta) / (2.0 * sigma))).collect();
        rho.push(1.0);
        Ok(Self { rho })
    }

    /// Returns `ρ(δ)`, and ½ for `δ = 0`, where both samples are as good.
    #[must_use]
    pub fn probability(&self, difference: u64) -> f64 {
        match usize::try_from(difference) {
            Ok(0) => 0.5,
            Ok(difference) if difference < self.rho.len() => self.rho[difference - 1],
            _ => self.last(),
        }
    }

    /// `ρ` for all differences from the length of [`listed`](Self::listed) on.
    pub(super) fn last(&self) -> f64 {
        self.rho.last().copied().unwrap_or(1.0)
    }

    /// `ρ(1), ρ(2), …`, without the last, which repeats.
    pub(super) fn listed(&self) -> &[f64] {
        &self.rho[..self.rho.len().saturating_sub(1)]
    }
}
