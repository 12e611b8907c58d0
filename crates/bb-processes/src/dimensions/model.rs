use bb_core::rand::distr::Distribution;
use bb_core::{ParameterError, Rng};

use super::populated::Populated;
use super::{MultiBall, UnitWeights};

/// What the balls of a run are: which dimensions each populates, and with what weights.
///
/// | model | dimensions that a ball populates |
/// | --- | --- |
/// | [`fixed_uniform`](Self::fixed_uniform) | a uniform set of `f` |
/// | [`fixed_weighted`](Self::fixed_weighted) | `f`, drawn one after another without replacement, in proportion to `q` |
/// | [`binomial`](Self::binomial) | each with probability `p`, independently: their number is `Bin(D, p)`, and given that the set is uniform |
/// | [`independent`](Self::independent) | dimension `k` with probability `p_k`, independently |
///
/// A ball brings 1 to each, or [weights](Self::with_weights) of any law. A ball that populates no dimension
/// is a step that places nothing, unless such balls are [drawn again](Self::never_empty).
///
/// *Randomness:* the dimensions, then the weights. A uniform set takes `f` bounded draws, a weighted one `f`
/// of them; the others a coin for each dimension with `0 < p < 1`. Where only one set is possible no word is
/// taken. Weights: what their law takes. *Cost:* `O(f)` a ball, `O(f log D)` if weighted, `O(D)` by coins; no
/// allocation after the first ball. *Accuracy:* sets are exactly uniform. The weights `q` are rounded to
/// multiples of `2^-62 D` of their largest power of two, which changes none that is not by so much smaller
/// than the others; coins as [`Coin`](bb_core::Coin).
///
/// # Guarantees
///
/// Sources: uniform sets of fixed size go back to Broder and Mitzenmacher (SODA 2005); fixed size with
/// non-uniform dimensions and binomial size are in Narang, Dutta and Bhattacherjee (arXiv 1111.0762), who
/// leave open how a non-uniform set is drawn. Drawing one after another is a choice of this library, and so
/// are independent dimensions.
///
/// # Examples
///
/// ```
/// use bb_processes::bb_core::rng_for_trial;
/// use bb_processes::{BallModel, MultiBall};
///
/// let mut rng = rng_for_trial(1, 0);
/// let mut ball = MultiBall::<u64>::default();
/// let mut model = BallModel::fixed_uniform(4, 2)?;
/// model.draw_into(&mut ball, &mut rng);
/// assert_eq!((ball.parts().len(), model.dimensions(), model.probability(3)), (2, 4, Some(0.5)));
///
/// let mut whole = BallModel::binomial(3, 1.0)?;
/// whole.draw_into(&mut ball, &mut rng);
/// assert_eq!(ball, MultiBall::unit([0, 1, 2])?);
///
/// let skewed = BallModel::fixed_weighted(3, 2, &[2.0, 1.0, 1.0])?;
/// assert!((skewed.probability(0).unwrap() - 5.0 / 6.0).abs() < 1e-12);
/// let some = BallModel::independent(&[0.5, 0.5])?.never_empty()?;
/// assert!((some.probability(1).unwrap() - 2.0 / 3.0).abs() < 1e-12);
/// let refused = BallModel::fixed_uniform(4, 5).unwrap_err();
/// assert_eq!(refused.to_string(), "f = 5 is outside 1..=4, the number of dimensions");
/// # Ok::<(), bb_processes::bb_core::ParameterError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BallModel<D = UnitWeights> {
    populated: Populated,
    /// `None` for unit weights.
    per: Option<WeightPer>,
    weights: D,
}

/// Whether the dimensions of a ball share its weight; the example of [`BallModel::with_weights`] shows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WeightPer {
    /// One weight a ball, which it brings to each dimension that it populates.
    #[default]
    Ball,
    /// A weight of its own for each dimension that the ball populates.
    Dimension,
}

/// At least one.
fn checked(dimensions: u64) -> Result<usize, ParameterError> {
    let range = || ParameterError::new("dimensions", dimensions, "1..2^24");
    usize::try_from(dimensions).ok().filter(|dimensions| (1..1 << 24).contains(dimensions)).ok_or_else(range)
}

impl BallModel {
    fn unit(populated: Populated) -> Self {
        Self { populated, per: None, weights: UnitWeights }
    }

    /// Returns balls that populate a uniform set of `f` dimensions, `1 ≤ f ≤ D`.
    ///
    /// # Errors
    ///
    /// If there is no dimension, or `f` is out of range.
    pub fn fixed_uniform(dimensions: u64, f: u64) -> Result<Self, ParameterError> {
        Populated::uniform(checked(dimensions)?, f).map(Self::unit)
    }

    /// Returns balls that populate `f` dimensions drawn one after another, among those that are left in
    /// proportion to `q`.
    ///
    /// # Errors
    ///
    /// If there is no dimension, `q` has not one entry for each, an entry is negative, infinite or not a
    /// number, or fewer than `f` are positive.
    pub fn fixed_weighted(dimensions: u64, f: u64, q: &[f64]) -> Result<Self, ParameterError> {
        Populated::weighted(checked(dimensions)?, f, q).map(Self::unit)
    }

    /// Returns balls that populate each dimension with probability `p`.
    ///
    /// # Errors
    ///
    /// If there is no dimension, or `p` is not in `[0, 1]`.
    pub fn binomial(dimensions: u64, p: f64) -> Result<Self, ParameterError> {
        Populated::coins(&vec![p; checked(dimensions)?]).map(Self::unit)
    }

    /// Returns balls that populate dimension `k` with probability `p[k]`.
    ///
    /// # Errors
    ///
    /// If there is no dimension, or a probability is not in `[0, 1]`.
    pub fn independent(p: &[f64]) -> Result<Self, ParameterError> {
        checked(p.len() as u64)?;
        Populated::coins(p).map(Self::unit)
    }
}

impl<D> BallModel<D> {
    /// Returns balls with weights of this law, any distribution of what the loads take: `u64`, or
    /// [`Weight`](bb_core::Weight).
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_processes::bb_core::rand::distr::Uniform;
    /// use bb_processes::bb_core::rng_for_trial;
    /// use bb_processes::{BallModel, MultiBall, WeightPer};
    ///
    /// let law = Uniform::new_inclusive(1_u64, 1000)?;
    /// let mut ball = MultiBall::default();
    /// let mut shared = BallModel::fixed_uniform(3, 3)?.with_weights(law, WeightPer::Ball);
    /// shared.draw_into(&mut ball, &mut rng_for_trial(1, 0));
    /// assert!(ball.parts().iter().all(|part| part.1 == ball.parts()[0].1));
    /// let mut each = BallModel::fixed_uniform(3, 3)?.with_weights(law, WeightPer::Dimension);
    /// each.draw_into(&mut ball, &mut rng_for_trial(1, 0));
    /// assert!(ball.parts().iter().any(|part| part.1 != ball.parts()[0].1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_weights<Law>(self, weights: Law, per: WeightPer) -> BallModel<Law> {
        BallModel { populated: self.populated, per: Some(per), weights }
    }

    /// Draws balls that populate no dimension again, until they do: the law under the condition that a ball
    /// is not empty, drawn at once.
    ///
    /// # Errors
    ///
    /// If no dimension is ever populated.
    pub fn never_empty(mut self) -> Result<Self, ParameterError> {
        self.populated.never_empty()?;
        Ok(self)
    }

    /// Returns the number of dimensions.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.populated.dimensions()
    }

    /// Returns the probability that a ball populates a dimension. `None` for a
    /// weighted set of more than 16 dimensions, where it would take too long.
    ///
    /// # Panics
    ///
    /// If there is no such dimension.
    #[must_use]
    pub fn probability(&self, dimension: usize) -> Option<f64> {
        assert!(dimension < self.dimensions(), "dimension {dimension} of {}", self.dimensions());
        self.populated.probability(dimension)
    }

    /// Tells whether all balls are the same; then a ball takes no word.
    pub(super) fn is_constant(&self) -> bool {
        self.per.is_none() && self.populated.is_constant()
    }

    /// Draws a ball, into the room of another.
    #[inline]
    pub fn draw_into<W, R>(&mut self, ball: &mut MultiBall<W>, rng: &mut R)
    where
        D: Distribution<W>,
        W: Copy + PartialEq + From<u8>,
        R: Rng + ?Sized,
    {
        ball.clear();
        self.populated.draw(rng, |dimension| ball.push(dimension, W::from(1)));
        match self.per {
            None => {}
            Some(WeightPer::Ball) => {
                let weight = self.weights.sample(rng);
                ball.weigh(|| weight);
            }
            Some(WeightPer::Dimension) => ball.weigh(|| self.weights.sample(rng)),
        }
    }
}
