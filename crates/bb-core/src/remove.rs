//! Loads from which balls can leave: [`Remove`].

use rand::Rng;

use crate::place::Place;

/// Loads from which balls can leave.
///
/// [`LoadProfile`](crate::LoadProfile) counts the bins of each load, [`DynamicLoads`](crate::DynamicLoads)
/// has labelled bins. Maximum, gap and number of bins with a ball stay `O(1)`. (A
/// [`LoadVector`](crate::LoadVector) has no such ball: it keeps no count of bins at the maximum, which is
/// what makes it fast.)
///
/// A removal may rename bins: [`Bins::follow`](crate::Bins::follow) tells the new name of a bin that was
/// kept, as after a placement, and a rule with memory learns of it by
/// [`Allocator::removed`](crate::Allocator::removed).
///
/// # Records
///
/// The largest gap at any time (`all_time_gap`) looks at every removal: a ball that leaves takes the mean
/// down. A [`MaxLoadRecord`](crate::MaxLoadRecord) tells times by the number of balls and needs a maximum
/// that never falls; a removal ends it, and `max_load_record` is `None` until another is begun.
///
/// # Examples
///
/// ```
/// use bb_core::{Bins, LoadProfile, Metrics, Remove, rng_for_trial};
///
/// let mut loads = LoadProfile::from_level_counts(&[(0, 2), (3, 1)])?;
/// let mut rng = rng_for_trial(1, 0);
/// let fullest = loads.draw_ball(&mut rng).unwrap();
/// let now = loads.remove(fullest).unwrap();
/// assert_eq!((loads.load(now), loads.total(), loads.max_load()), (2, 2, 2));
/// assert_eq!(loads.remove(loads.nth(2)), None, "this bin is empty");
///
/// assert_eq!((loads.remove_from_each(), loads.holding()), (1, 1));
/// assert_eq!((loads.remove_from_each(), loads.holding()), (1, 0));
/// assert!(loads.draw_ball(&mut rng).is_none() && loads.draw_holding(&mut rng).is_none());
/// # Ok::<(), bb_core::LoadsError>(())
/// ```
pub trait Remove: Place<Load = u64> {
    /// Takes one ball out of a bin and returns the name the bin has from now on; `None`, and nothing is
    /// changed, if the bin is empty.
    fn remove(&mut self, bin: Self::Bin) -> Option<Self::Bin>;

    /// Takes one ball out of every bin that holds one, all at the same time, and returns how many these are.
    ///
    /// Bins keep their names; that of a counted bin must not be used any more, for it may remember its load.
    fn remove_from_each(&mut self) -> u64;

    /// Draws the bin of a uniform ball: a bin with probability proportional to its load. `None`, and no word
    /// is taken, if there is no ball.
    fn draw_ball<R: Rng + ?Sized>(&self, rng: &mut R) -> Option<Self::Bin>;

    /// Draws a uniform bin among those that hold a ball. `None`, and no word is taken, if there is none.
    fn draw_holding<R: Rng + ?Sized>(&self, rng: &mut R) -> Option<Self::Bin>;

    /// Returns the number of bins that hold a ball. `O(1)`.
    fn holding(&self) -> u64;
}
