//! The shape of the Two-Choice proofs: layered induction, and recovery from a gap.
//!
//! **Layered induction** (Azar, Broder, Karlin and Upfal, SIAM J. Comput. 29, 1999). If at most a fraction
//! `β` of the bins ever has load `h` or more, a ball reaches height `h + 1` with probability at most `β^d`,
//! since all its `d` samples must be that high. So of `Ln` balls about `Lβ^d n` at most reach it, and no more
//! bins do: `β_{i+1} = L β_i^d`. Each layer takes the fraction to the power `d`, and `log_d log n` layers are
//! enough. [`LayeredInduction`] gives the layers.
//!
//! **Recovery** (Talwar and Wieder, *Balanced allocations: a simple proof for the heavily loaded case*, arXiv
//! 1310.5367). If the gap is `G`, then after `Gn` more balls the average has passed the old maximum: all
//! balls above it are new, and layered induction on these `Gn` balls bounds the gap. The base is that an
//! exponential potential has expectation `O(n)` at all times, so that a fraction of at most `C e^{−αh}` of
//! the bins is `h` above the average. The new gap is `log_d log n + O(log G)`; started from `G = O(log n)`
//! and repeated, this ends at `log_d log n + O(log log log n)`. [`Recovery`] gives the rounds.
//!
//! # What is proved
//!
//! The proofs have to show that the fractions stay below these numbers with high probability, which costs a
//! constant factor in each layer (`e` in the first paper; recalled), and a last few layers where the fraction
//! is too small for the law of large numbers. The constants `α` and `C` of the potential exist for all `n`
//! and all times; the papers do not give values. So these functions are no bounds: they are the recurrences
//! of the proofs with constants that you choose or measure, to be drawn beside a run.
//!
//! The base is a statement about the potential at all times from an empty start. From a start far from that,
//! with many bins far above the average, it holds only after the potential has fallen, which it does by a
//! factor `1 − Θ(1/n)` a ball.

use bb_samplers::ParameterError;

/// The layers of the induction: `β_{i+1} = factor · L · β_i^d`.
///
/// An iterator over (height, fraction of bins), from the start on; it ends when the fraction has fallen below
/// the smallest positive number, or no longer falls.
///
/// # Examples
///
/// Two-Choice with `m = n`: at most half of the bins have two balls or more.
///
/// ```
/// use bb_theory::fluid::Fluid;
/// use bb_theory::recurrence::LayeredInduction;
///
/// let layers = LayeredInduction::new(2, 1.0, 2, 0.5)?;
/// let heights: Vec<(u64, f64)> = layers.clone().take(4).collect();
/// assert_eq!(heights, [(2, 0.5), (3, 0.25), (4, 0.0625), (5, 0.00390625)]);
/// // A fraction below 1/n, for a million bins, from height 7 on; the fluid limit says 4.
/// assert_eq!(layers.height(1_000_000), Some(7));
/// // The fluid limit lies below at every height.
/// let tails = Fluid::d_choice(2)?.tails(1.0)?;
/// assert!(layers.take(8).all(|(height, fraction)| tails.tail(height) < fraction));
/// # Ok::<(), bb_theory::ParameterError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LayeredInduction {
    d: u32,
    factor: f64,
    balls_per_bin: f64,
    next: Option<(u64, f64)>,
}

impl LayeredInduction {
    /// Returns the layers for `d ≥ 2` choices and `balls_per_bin = L > 0` balls, from `fraction` of the bins
    /// at `height`.
    ///
    /// # Errors
    ///
    /// If `d < 2`, `L` is not positive and finite, or `fraction` is not in `[0, 1]`.
    pub fn new(d: u32, balls_per_bin: f64, height: u64, fraction: f64) -> Result<Self, ParameterError> {
        ParameterError::require(d >= 2, "d", d, "2..")?;
        ParameterError::require(
            balls_per_bin > 0.0 && balls_per_bin.is_finite(),
            "balls_per_bin",
            balls_per_bin,
            "(0, ∞)",
        )?;
        ParameterError::require((0.0..=1.0).contains(&fraction), "fraction", fraction, "[0, 1]")?;
        Ok(Self { d, factor: 1.0, balls_per_bin, next: Some((height, fraction)) })
    }

    /// Multiplies each layer by a factor, as the proofs must, to hold with high probability.
    ///
    /// # Errors
    ///
    /// If `factor` is not positive and finite.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_theory::recurrence::LayeredInduction;
    ///
    /// // With the factor e, half the bins are too many to start with: the fraction does not fall.
    /// let layers = LayeredInduction::new(2, 1.0, 2, 0.5)?.with_factor(std::f64::consts::E)?;
    /// assert_eq!(layers.height(1000), None);
    /// # Ok::<(), bb_theory::ParameterError>(())
    /// ```
    pub fn with_factor(self, factor: f64) -> Result<Self, ParameterError> {
        ParameterError::require(factor > 0.0 && factor.is_finite(), "factor", factor, "(0, ∞)")?;
        Ok(Self { factor, ..self })
    }

    /// Returns the first height with less than one of `n` bins, from where the layers are now; `None` if the
    /// fraction never falls so low.
    #[must_use]
    pub fn height(&self, n: u64) -> Option<u64> {
        self.clone().find(|&(_, fraction)| fraction * (n as f64) < 1.0).map(|(height, _)| height)
    }
}

impl Iterator for LayeredInduction {
    type Item = (u64, f64);

    fn next(&mut self) -> Option<(u64, f64)> {
        let (height, fraction) = self.next?;
        let above = self.factor * self.balls_per_bin * fraction.powf(f64::from(self.d));
        self.next = (0.0 < above && above < fraction).then_some((height.saturating_add(1), above));
        Some((height, fraction))
    }
}

/// A round of [`Recovery`]: after so many balls a bin in all, the gap is at most this.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Round {
    /// Balls a bin since the start.
    pub balls_per_bin: f64,
    /// The gap that layered induction allows for.
    pub gap: f64,
}

/// Recovery from a gap by Two-Choice or d-Choice: the rounds of the proof for the heavily loaded case.
///
/// From a gap `G`, after `L = max(G, 1)` balls a bin, a round finds the first whole height `h` at which the
/// base `C e^{−αh}` is so small that layers with `L` balls a bin halve at least, `β_0 = (2L)^{−1/(d−1)}`, and
/// adds the layers from there until less than one bin is left. An iterator over [`Round`]s, the start first;
/// it ends when the gap no longer falls.
///
/// # Examples
///
/// Two-Choice, from a gap of 100 at a million bins, with a base as one may measure it (here `e^{−h}`):
///
/// ```
/// use bb_theory::recurrence::Recovery;
///
/// let rounds: Vec<_> = Recovery::new(1_000_000, 2, 100.0, 1.0, 1.0)?.collect();
/// assert_eq!((rounds[0].balls_per_bin, rounds[0].gap), (0.0, 100.0));
/// // 100 balls a bin later the gap is log₂ log n + O(log 100), then with its logarithm.
/// assert!(rounds[1].balls_per_bin == 100.0 && rounds[1].gap < 15.0);
/// assert!(rounds.last().unwrap().gap < rounds[1].gap);
/// assert!(rounds.len() < 6);
/// # Ok::<(), bb_theory::ParameterError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Recovery {
    n: u64,
    d: u32,
    alpha: f64,
    scale: f64,
    next: Option<Round>,
}

impl Recovery {
    /// Returns the rounds for `n ≥ 2` bins, `d ≥ 2` choices, a gap at the start, and a base
    /// `scale·e^{−alpha·h}` for the fraction of bins `h` above the average.
    ///
    /// The proofs say that such `alpha` and `scale` exist, not which.
    ///
    /// # Errors
    ///
    /// If `n < 2`, `d < 2`, `gap` is negative or not finite, or `alpha` or `scale` is not positive and
    /// finite.
    pub fn new(n: u64, d: u32, gap: f64, alpha: f64, scale: f64) -> Result<Self, ParameterError> {
        ParameterError::require(n >= 2, "n", n, "2..")?;
        ParameterError::require(d >= 2, "d", d, "2..")?;
        ParameterError::require(gap >= 0.0 && gap.is_finite(), "gap", gap, "[0, ∞)")?;
        for (name, value) in [("alpha", alpha), ("scale", scale)] {
            ParameterError::require(value > 0.0 && value.is_finite(), name, value, "(0, ∞)")?;
        }
        Ok(Self { n, d, alpha, scale, next: Some(Round { balls_per_bin: 0.0, gap }) })
    }

    /// The gap after `balls` balls a bin from a time at which the base held.
    fn gap_after(&self, balls: f64) -> f64 {
        let start = (2.0 * balls).powf(-1.0 / f64::from(self.d - 1));
        let height = ((self.scale / start).ln() / self.alpha).ceil().max(0.0);
        let (mut fraction, mut layers) = (start, 0.0);
        while fraction * self.n as f64 >= 1.0 {
            fraction = balls * fraction.powf(f64::from(self.d));
            layers += 1.0;
        }
        height + layers
    }
}

impl Iterator for Recovery {
    type Item = Round;

    fn next(&mut self) -> Option<Round> {
        let now = self.next?;
        let balls = now.gap.max(1.0);
        let gap = self.gap_after(balls);
        self.next = (gap < now.gap).then_some(Round { balls_per_bin: now.balls_per_bin + balls, gap });
        Some(now)
    }
}
