use core::num::NonZeroU8;

/// How counters begin afresh in the middle of a run: all of them at 0, but one may be a flag that says which
/// bins were full.
///
/// It comes with the first ball that is counted anew ([`Put::after`](crate::Put::after)), since only what is
/// put changes the loads.
///
/// *Cost:* `O(n)` for labelled bins, nothing where all counters are 0 already and no flag is set;
/// `O(classes)` for counted ones.
///
/// # Examples
///
/// ```
/// use bb_core::counters::{Afresh, Flag, Old};
/// use bb_core::{Counters, LoadVector, Place, Put, WithCounters};
///
/// let mut loads = WithCounters::new(LoadVector::from_loads(vec![4_u64, 0, 7])?, 2)?;
/// loads.put(1, &(), Put::BALL.counting(0));
/// // Counter 1 becomes 1 in the bins with load 4 or more, counter 0 begins at 0, and then the ball comes.
/// let full = Flag::new(1, 4, Old::Forget);
/// loads.put(1, &(), Put::BALL.after(Afresh::COUNT.with_flag(full)).counting(0));
/// assert_eq!([0, 1, 2].map(|bin| (loads.counter(bin, 0), loads.counter(bin, 1))), [(0, 1), (1, 0), (0, 1)]);
/// # Ok::<(), bb_core::LoadsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Afresh {
    flag: Option<Flag>,
}

/// A counter that becomes 1 in some bins and 0 in the others: in those with load at least a threshold,
/// together with what it was before. See [`Afresh`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Flag {
    at_least: u64,
    /// The counter plus 1: `Put` stays small.
    which: NonZeroU8,
    old: Old,
}

/// What a bin that was flagged before means for its new [`Flag`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Old {
    /// Nothing: the load decides.
    Forget,
    /// It stays flagged, whatever its load.
    Keep,
    /// It is not flagged, whatever its load.
    Exclude,
}

impl Afresh {
    /// All counters begin at 0.
    pub const COUNT: Self = Self { flag: None };

    /// Makes one of the counters a flag.
    #[must_use]
    pub const fn with_flag(self, flag: Flag) -> Self {
        Self { flag: Some(flag) }
    }

    /// Returns the flag, if there is one.
    #[must_use]
    pub const fn flag(self) -> Option<Flag> {
        self.flag
    }
}

impl Flag {
    /// Returns the flag of the bins with load at least `at_least`, kept in counter `which`, below 255; see
    /// [`Afresh`].
    ///
    /// # Panics
    ///
    /// If `which` is 255: loads have at most 255 counters.
    #[must_use]
    pub const fn new(which: u8, at_least: u64, old: Old) -> Self {
        match NonZeroU8::new(which.wrapping_add(1)) {
            Some(which) => Self { at_least, which, old },
            None => panic!("counter 255 is outside 0..255"),
        }
    }

    /// Returns the counter that it is kept in.
    #[must_use]
    pub const fn which(self) -> u8 {
        self.which.get() - 1
    }

    /// Returns the least load that is flagged.
    #[must_use]
    pub const fn at_least(self) -> u64 {
        self.at_least
    }

    /// Tells whether a bin is flagged from now on, by whether its load is at least
    /// [`at_least`](Self::at_least), and whether it was flagged before.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_core::counters::{Flag, Old};
    ///
    /// let all = [(false, false), (false, true), (true, false), (true, true)];
    /// let decide = |old| all.map(|(full, was)| Flag::new(0, 1, old).flags(full, was));
    /// assert_eq!(decide(Old::Forget), [false, false, true, true]);
    /// assert_eq!(decide(Old::Keep), [false, true, true, true]);
    /// assert_eq!(decide(Old::Exclude), [false, false, true, false]);
    /// ```
    #[must_use]
    #[inline]
    pub const fn flags(self, full: bool, was_flagged: bool) -> bool {
        match self.old {
            Old::Forget => full,
            Old::Keep => full || was_flagged,
            Old::Exclude => full && !was_flagged,
        }
    }
}
