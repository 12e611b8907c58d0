//! Views that know ranks: [`Ranked`].

use rand::{Rng, RngExt};

use crate::bins::Bins;

/// A view that knows how many bins are at or above a load, and so the rank of a bin.
///
/// Rank 0 is the fullest bin. Bins of equal load have no order of their own: among their ranks each is as
/// likely as another, every time one is asked for.
///
/// # Examples
///
/// ```
/// use bb_core::{Bins, LoadProfile, Ranked, rng_for_trial};
///
/// let loads = LoadProfile::from_level_counts(&[(0, 5), (1, 2), (7, 1)])?;
/// assert_eq!([0, 1, 2, 8].map(|load| loads.at_least(load)), [8, 3, 1, 0]);
/// assert_eq!(loads.rank(loads.nth(4), &[], &mut rng_for_trial(1, 0)), 4);
/// # Ok::<(), bb_core::LoadsError>(())
/// ```
pub trait Ranked: Bins<Load = u64> {
    /// Returns the number of bins with at least this load. `O(1)`.
    fn at_least(&self, load: u64) -> u64;

    /// Returns the rank of a bin, uniform among the ranks of its load that are not `taken` by other bins;
    /// these are given by increasing rank.
    ///
    /// *Randomness:* one uniform index among these ranks; none where bins are called by their rank.
    // Always: most callers take no rank or one, and then the search for those taken is gone.
    #[inline(always)]
    fn rank<R: Rng + ?Sized>(&self, bin: Self::Bin, taken: &[u64], rng: &mut R) -> u64 {
        let load = self.load(bin);
        let ranks = self.at_least(load + 1)..self.at_least(load);
        let within = || taken.iter().filter(|rank| ranks.contains(rank));
        let free = rng.random_range(ranks.start..ranks.end - within().count() as u64);
        within().fold(free, |rank, &other| rank + u64::from(other <= rank))
    }
}

impl<B: Ranked + ?Sized> Ranked for &B {
    fn at_least(&self, load: u64) -> u64 {
        (**self).at_least(load)
    }
    fn rank<R: Rng + ?Sized>(&self, bin: Self::Bin, taken: &[u64], rng: &mut R) -> u64 {
        (**self).rank(bin, taken, rng)
    }
}
