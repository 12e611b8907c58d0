use core::fmt::Debug;

use bb_core::rand::distr::Distribution;
use bb_core::{ParameterError, Rng};

/// A ball of several dimensions: those that it populates, and what it brings to each.
///
/// # Examples
///
/// ```
/// use bb_processes::MultiBall;
///
/// // A job that needs 2 processors and 8 units of memory, and no disk.
/// let job = MultiBall::new([(0, 2), (1, 8)])?;
/// assert_eq!(job.parts(), [(0, 2), (1, 8)]);
/// assert_eq!(job.populated().collect::<Vec<_>>(), [0, 1]);
/// assert!(!job.is_empty() && MultiBall::<u64>::default().is_empty());
/// assert_eq!(MultiBall::unit([2])?, MultiBall::new([(2, 1_u64)])?);
/// let refused = MultiBall::new([(0, 2), (0, 8)]).unwrap_err();
/// assert_eq!(refused.to_string(), "dimension = 0 is outside the dimensions that are not given yet");
/// # Ok::<(), bb_core::ParameterError>(())
/// ```
#[derive(Debug, PartialEq, Eq)]
pub struct MultiBall<W = u64> {
    parts: Vec<(usize, W)>,
}

/// The law of a weight that is always 1; it takes no word.
///
/// # Examples
///
/// ```
/// use bb_processes::UnitWeights;
/// use bb_processes::bb_core::{rand::distr::Distribution, rng_for_trial};
///
/// let weight: u64 = UnitWeights.sample(&mut rng_for_trial(1, 0));
/// assert_eq!(weight, 1);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct UnitWeights;

impl<W: Copy + PartialEq + From<u8>> Distribution<W> for UnitWeights {
    #[inline]
    fn sample<R: Rng + ?Sized>(&self, _: &mut R) -> W {
        W::from(1)
    }
}

impl<W> MultiBall<W> {
    /// Returns the ball with these dimensions, each with what it brings there.
    ///
    /// # Errors
    ///
    /// If a dimension is given twice.
    pub fn new(parts: impl IntoIterator<Item = (usize, W)>) -> Result<Self, ParameterError> {
        let mut ball = Self::default();
        for (dimension, amount) in parts {
            ParameterError::require(
                !ball.populated().any(|given| given == dimension),
                "dimension",
                dimension,
                "the dimensions that are not given yet",
            )?;
            ball.push(dimension, amount);
        }
        Ok(ball)
    }

    /// Returns the populated dimensions with what the ball brings to each.
    #[must_use]
    #[inline]
    pub fn parts(&self) -> &[(usize, W)] {
        &self.parts
    }

    /// Iterates over the populated dimensions.
    #[must_use]
    #[inline]
    pub fn populated(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.parts.iter().map(|&(dimension, _)| dimension)
    }

    /// Tells whether no dimension is populated.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    #[inline]
    pub(super) fn clear(&mut self) {
        self.parts.clear();
    }

    #[inline]
    pub(super) fn push(&mut self, dimension: usize, amount: W) {
        self.parts.push((dimension, amount));
    }

    /// Sets what the ball brings to each dimension.
    #[inline]
    pub(super) fn weigh(&mut self, mut amount: impl FnMut() -> W) {
        self.parts.iter_mut().for_each(|part| part.1 = amount());
    }
}

impl<W: Copy + PartialEq + From<u8>> MultiBall<W> {
    /// Returns the ball that brings one to each of these dimensions.
    ///
    /// # Errors
    ///
    /// If a dimension is given twice.
    pub fn unit(populated: impl IntoIterator<Item = usize>) -> Result<Self, ParameterError> {
        Self::new(populated.into_iter().map(|dimension| (dimension, W::from(1))))
    }

    /// Tells whether it is one unit, in the first dimension.
    pub(super) fn is_scalar_unit(&self) -> bool {
        self.parts[..] == [(0, W::from(1))]
    }
}

impl<W> Default for MultiBall<W> {
    fn default() -> Self {
        Self { parts: Vec::new() }
    }
}

impl<W: Clone> Clone for MultiBall<W> {
    fn clone(&self) -> Self {
        Self { parts: self.parts.clone() }
    }

    /// Without an allocation, once there is room.
    fn clone_from(&mut self, source: &Self) {
        self.parts.clone_from(&source.parts);
    }
}
