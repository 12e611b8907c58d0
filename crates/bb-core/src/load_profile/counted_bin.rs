//! The name of a counted bin: [`CountedBin`].

/// A bin among counted bins, called by its rank: 0 is the fullest, and bins of equal load are numbered on.
///
/// A placement renames bins so that the loads stay sorted: the receiver and the first bin of the level it
/// left change places; where it rises by several levels, so on each. A removal does so with the last bin of
/// the level. [`Bins::follow`](crate::Bins::follow) does this for a remembered bin.
///
/// # Panics
///
/// A name that was kept over a placement or a removal without `follow` may be that of another bin. With debug
/// assertions the profile panics when it is asked about such a name; without, the answer is wrong.
///
/// # Examples
///
/// ```
/// use bb_core::{Bins, LoadProfile, Place, Put};
///
/// let mut loads = LoadProfile::new(3)?;
/// let (first, last) = (loads.nth(0), loads.nth(2));
/// let now = loads.place(last, &());
/// assert_eq!((now.rank(), loads.load(now)), (0, 1));
/// assert_eq!(loads.follow(first, last, now), last);
/// # Ok::<(), bb_core::LoadsError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct CountedBin {
    pub(super) rank: u64,
    /// The load if it was looked up already, else `UNKNOWN`. It stays right for as long as the bin receives
    /// and loses nothing.
    pub(super) load: u64,
    /// The total of all loads when the bin was named: any placement raises it, any removal lowers it.
    #[cfg(debug_assertions)]
    pub(super) named_at: u64,
}

pub(super) const UNKNOWN: u64 = u64::MAX;

impl CountedBin {
    /// Returns the rank, from 0 for the fullest.
    #[must_use]
    pub fn rank(self) -> u64 {
        self.rank
    }

    /// The name of the same bin under another rank, in the state of `now`.
    #[inline]
    pub(crate) fn renamed(self, rank: u64, mut now: Self) -> Self {
        now.rank = rank;
        now.load = self.load;
        now
    }

    /// Refuses a name of another state than that of `other`, in debug builds.
    #[inline]
    #[track_caller]
    pub(crate) fn check_state(self, other: Self) {
        #[cfg(debug_assertions)]
        assert_eq!(
            self.named_at, other.named_at,
            "rank {} is a name from another state: what is remembered goes through `Bins::follow` after each placement",
            self.rank
        );
        let _ = other;
    }
}

/// Equal if the ranks are.
impl PartialEq for CountedBin {
    fn eq(&self, other: &Self) -> bool {
        self.rank == other.rank
    }
}

impl Eq for CountedBin {}
