//! Labelled bins that balls can leave: [`DynamicLoads`].

use core::hint::select_unpredictable;

use rand::Rng;

use crate::bins::Bins;
use crate::error::LoadsError;
use crate::load_profile::LoadProfile;
use crate::metrics::{Metrics, metrics_of};
use crate::place::{Place, Put};
use crate::remove::Remove;
use crate::store::zeroed;
use bb_samplers::IndexSampler;

/// The load of every bin, where balls can leave too; bins are indices `0..n`.
///
/// A [`LoadProfile`] whose ranks have labels: the bins in the order of their loads. So all that the profile
/// knows in `O(1)` is known here, and a uniform ball is a uniform ball of the profile.
///
/// *Randomness:* draws of bins are those of a [`LoadVector`](crate::LoadVector), bit for bit; draws of balls
/// those of the profile.
///
/// # Complexity
///
/// 24 bytes a bin. Placing and removing are `O(1)` and touch a few random places in memory, about three times
/// the work of a `LoadVector`; metrics are those of [`LoadProfile`].
///
/// # Panics
///
/// A bin outside `0..n` panics like an index outside a slice; the rest as [`LoadProfile`].
///
/// # Examples
///
/// ```
/// use bb_core::{DynamicLoads, Metrics, Place, Put, Remove};
///
/// let mut loads = DynamicLoads::new(4)?;
/// loads.place(3, &());
/// loads.place(3, &());
/// loads.place(0, &());
/// assert_eq!((loads.max_load(), loads.gap(), loads.all_time_gap()), (2, 1.25, 1.5));
/// assert_eq!((loads.remove(0), loads.remove(0)), (Some(0), None));
/// assert_eq!((loads.as_slice(), loads.total()), (&[0, 0, 0, 2][..], 2));
/// assert_eq!(loads.profile().level_counts(), [(0, 3), (2, 1)]);
/// # Ok::<(), bb_core::LoadsError>(())
/// ```
#[derive(Clone, Debug)]
pub struct DynamicLoads {
    loads: Vec<u64>,
    /// The rank of each bin, 0 for the fullest.
    ranks: Vec<usize>,
    /// The bin of each rank.
    order: Vec<usize>,
    draws: IndexSampler,
    profile: LoadProfile,
}

impl DynamicLoads {
    /// Returns `bins` empty bins.
    ///
    /// # Errors
    ///
    /// If `bins` is 0, or the memory cannot be had.
    pub fn new(bins: u64) -> Result<Self, LoadsError> {
        let profile = LoadProfile::new(bins)?;
        let does_not_fit = LoadsError::DoesNotFit { bins, bytes: 24 * u128::from(bins) };
        let length = usize::try_from(bins).map_err(|_| does_not_fit.clone())?;
        let all = || Some((zeroed(length)?, zeroed(length)?, zeroed(length)?));
        let (loads, mut ranks, mut order) = all().ok_or(does_not_fit)?;
        for bin in 0..length {
            (ranks[bin], order[bin]) = (bin, bin);
        }
        let draws = IndexSampler::new(bins).ok_or(LoadsError::NoBins)?;
        Ok(Self { loads, ranks, order, draws, profile })
    }

    /// Returns bins with these loads in them.
    ///
    /// # Errors
    ///
    /// If there are none, their sum exceeds `2^63 − 1`, they spread over more than `2^24` levels, or the
    /// memory cannot be had.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_core::{DynamicLoads, LoadsError, Metrics};
    ///
    /// assert_eq!(DynamicLoads::from_loads(vec![4, 0])?.gap(), 2.0);
    /// assert_eq!(DynamicLoads::from_loads(vec![]), Err(LoadsError::NoBins));
    /// # Ok::<(), LoadsError>(())
    /// ```
    pub fn from_loads(loads: Vec<u64>) -> Result<Self, LoadsError> {
        let mut made = Self::new(loads.len() as u64)?;
        made.order.sort_by(|&a, &b| loads[b].cmp(&loads[a]));
        for (rank, &bin) in made.order.iter().enumerate() {
            made.ranks[bin] = rank;
        }
        let sorted = made.order.chunk_by(|&a, &b| loads[a] == loads[b]);
        let counts: Vec<_> = sorted.map(|equal| (loads[equal[0]], equal.len() as u64)).collect();
        made.profile = LoadProfile::from_level_counts(&counts)?;
        made.loads = loads;
        Ok(made)
    }

    /// Returns the number of balls. `O(1)`.
    #[must_use]
    #[inline]
    pub fn total(&self) -> u64 {
        self.profile.total()
    }

    /// Returns the loads in the order of the bins.
    #[must_use]
    pub fn as_slice(&self) -> &[u64] {
        &self.loads
    }

    /// Returns the number of bins of each load.
    #[must_use]
    pub fn profile(&self) -> &LoadProfile {
        &self.profile
    }

    /// Returns the largest gap at any time so far, the start included. `O(1)`.
    #[must_use]
    pub fn all_time_gap(&self) -> f64 {
        self.profile.all_time_gap()
    }

    /// A bin changes places with the one whose rank it takes.
    #[inline]
    fn take_rank(&mut self, bin: usize, rank: u64) {
        let (was, now) = (self.ranks[bin], rank as usize);
        let other = self.order[now];
        (self.ranks[bin], self.ranks[other]) = (now, was);
        (self.order[now], self.order[was]) = (bin, other);
    }
}

impl Bins for DynamicLoads {
    type Bin = usize;
    type Load = u64;
    type Places = IndexSampler;

    #[inline]
    fn places(&self) -> &IndexSampler {
        &self.draws
    }

    #[inline]
    fn nth(&self, place: u64) -> usize {
        place as usize
    }

    #[inline]
    fn load(&self, bin: usize) -> u64 {
        self.loads[bin]
    }

    #[inline]
    fn total(&self) -> u64 {
        self.total()
    }

    #[inline]
    fn lighter(&self, first: usize, second: usize) -> usize {
        select_unpredictable(self.loads[second] < self.loads[first], second, first)
    }
}

impl Place for DynamicLoads {
    #[inline]
    fn put(&mut self, bin: usize, (): &(), put: Put) -> usize {
        // One ball after another, since each changes places on a level of its own.
        for _ in 0..put.count() {
            let place = self.profile.nth_with_load(self.ranks[bin] as u64, self.loads[bin]);
            let now = self.profile.place(place, &());
            self.take_rank(bin, now.rank());
            self.loads[bin] += 1;
        }
        bin
    }
}

impl Remove for DynamicLoads {
    #[inline]
    fn remove(&mut self, bin: usize) -> Option<usize> {
        let place = self.profile.nth_with_load(self.ranks[bin] as u64, self.loads[bin]);
        let now = self.profile.remove(place)?;
        self.take_rank(bin, now.rank());
        self.loads[bin] -= 1;
        Some(bin)
    }

    /// `O(n)`.
    fn remove_from_each(&mut self) -> u64 {
        // The order of the loads stays.
        self.loads.iter_mut().for_each(|load| *load = load.saturating_sub(1));
        self.profile.remove_from_each()
    }

    #[inline]
    fn draw_ball<R: Rng + ?Sized>(&self, rng: &mut R) -> Option<usize> {
        self.profile.draw_ball(rng).map(|ball| self.order[ball.rank() as usize])
    }

    #[inline]
    fn draw_holding<R: Rng + ?Sized>(&self, rng: &mut R) -> Option<usize> {
        self.profile.draw_holding(rng).map(|bin| self.order[bin.rank() as usize])
    }

    #[inline]
    fn holding(&self) -> u64 {
        self.profile.holding()
    }
}

impl Metrics for DynamicLoads {
    metrics_of!(profile);
}

/// Equal if every bin has an equal load; the order of equal bins and what was recorded do not count.
impl PartialEq for DynamicLoads {
    fn eq(&self, other: &Self) -> bool {
        self.loads == other.loads
    }
}
