//! What was decided for a ball: [`Decision`].

/// A choice, and which of the samples it was.
///
/// # Examples
///
/// ```
/// use bb_core::Decision;
///
/// let kept = Decision::first(3_usize);
/// assert_eq!((kept.bin, kept.primary, kept.sample), (3, 3, 1));
/// let second = Decision { bin: 5_usize, primary: 3, sample: 2 };
/// assert!(!second.is_primary());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Decision<Bin> {
    /// The bin that gets the ball.
    pub bin: Bin,
    /// The first bin sampled for this ball.
    pub primary: Bin,
    /// Which sample was taken, counted from 1: 1 means that the primary was accepted.
    pub sample: u32,
}

impl<Bin: Copy> Decision<Bin> {
    /// Returns the decision that takes the first sample.
    #[must_use]
    #[inline]
    pub fn first(bin: Bin) -> Self {
        Self { bin, primary: bin, sample: 1 }
    }

    /// Tells whether the first sample was taken.
    #[must_use]
    pub fn is_primary(&self) -> bool {
        self.sample == 1
    }
}
