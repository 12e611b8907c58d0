use bb_core::{Bins, Mix};

use crate::strategy::{Strategy, ThinningStrategy};

/// Accepts every primary: One-Choice.
///
/// *Randomness:* as [`Thinning`](crate::Thinning), no coin. *Cost:* `O(1)`.
///
/// # Examples
///
/// ```
/// use bb_thinning::bb_core::{Allocator, Bins, LoadVector, rng_for_trial};
/// use bb_thinning::{AlwaysAccept, Thinning};
///
/// let mut rule = Thinning::new(AlwaysAccept);
/// let mut loads = LoadVector::new(100)?;
/// rule.run(&mut loads, 1000, &mut rng_for_trial(1, 0));
/// assert_eq!((loads.total(), rule.rejections()), (1000, 0));
/// # Ok::<(), bb_thinning::bb_core::LoadsError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct AlwaysAccept;

impl Strategy for AlwaysAccept {}

impl<B: Bins> ThinningStrategy<B> for AlwaysAccept {
    #[inline]
    fn accept(&self, _: &B, _: B::Bin, _: u32) -> Mix<bool> {
        Mix::Sure(true)
    }
}

/// Accepts no primary: One-Choice on the second bins.
///
/// *Randomness:* as [`Thinning`](crate::Thinning), no coin. *Cost:* `O(1)`.
///
/// # Examples
///
/// ```
/// use bb_thinning::bb_core::{Allocator, LoadVector, rng_for_trial};
/// use bb_thinning::{NeverAccept, Thinning};
///
/// let mut rule = Thinning::new(NeverAccept);
/// rule.run(&mut LoadVector::new(100)?, 1000, &mut rng_for_trial(1, 0));
/// assert_eq!(rule.rejections(), 1000);
/// # Ok::<(), bb_thinning::bb_core::LoadsError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct NeverAccept;

impl Strategy for NeverAccept {}

impl<B: Bins> ThinningStrategy<B> for NeverAccept {
    #[inline]
    fn accept(&self, _: &B, _: B::Bin, _: u32) -> Mix<bool> {
        Mix::Sure(false)
    }
}
