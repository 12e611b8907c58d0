//! Labelled bins: [`LoadVector`].

mod throw;

use crate::bins::Bins;
use crate::error::LoadsError;
use crate::load::Load;
use crate::metrics::Metrics;
use crate::record::MaxLoadRecord;
use crate::store::Store;
use crate::sums::Sum;
use bb_samplers::IndexSampler;
use core::fmt::Debug;

/// The load of every bin; bins are indices `0..n`.
///
/// `LoadVector` (that is `LoadVector<u64>`) counts balls, `LoadVector<f64>` adds up real weights or starts
/// from real, normalised loads. The bins start empty ([`new`](Self::new)), at given loads
/// ([`from_loads`](Self::from_loads)), or at given differences from the mean
/// ([`from_normalised`](Self::from_normalised)). It has no counters, so it ignores
/// [`Put::counting`](crate::Put::counting); [`WithCounters`](crate::WithCounters) loads have them.
///
/// # Complexity
///
/// Counts take one byte a bin, as offsets from a base that rises with them, and eight from the moment when
/// they spread over more than about 220 levels; real loads take sixteen: a sum, and what rounding took from
/// it, so that neither loads nor total drift however many balls there are. `place`, `load`, `total`,
/// `average`, `max_load`, `gap`, `all_time_gap` and the draws are `O(1)` (a rise of the base is a pass over
/// all bins, about once in `100 n` balls). The other metrics are as [`Metrics`] says.
///
/// Where the loads take 8 MiB or more, [`throw_to_least`](crate::Place::throw_to_least) for up to three bins
/// a ball draws the bins of 256 balls and reads all their loads before it decides, ball by ball: so the waits
/// for memory overlap.
///
/// # Randomness
///
/// Draws are those of [`IndexSampler`]: exactly uniform, and several indices from one word. Storage, blocks
/// and the choice between `run` and `step` never change a bin.
///
/// # Panics
///
/// A bin outside `0..n` panics like an index outside a slice. Loads and total must stay below `2^64`, or an
/// overflow panics. That cannot be reached ball by ball. Widening the loads allocates `8n` bytes; if the
/// allocator refuses, the program ends as with any vector.
///
/// # Examples
///
/// ```
/// use bb_core::{Bins, LoadVector, Metrics, Place, Put, rng_for_trial};
///
/// let mut loads = LoadVector::new(10)?;
/// loads.place(3, &());
/// assert_eq!((loads.load(3), loads.max_load(), loads.total()), (1, 1, 1));
/// assert_eq!(loads.gap(), 0.9);
///
/// // 1000 balls, each into the lesser loaded of two bins.
/// loads.throw_to_least(2, &(), 1000, &mut rng_for_trial(1, 0));
/// assert_eq!(loads.iter().sum::<u64>(), 1001);
/// assert!(loads.gap() < 4.0 && loads.all_time_gap() >= loads.gap());
/// # Ok::<(), bb_core::LoadsError>(())
/// ```
#[derive(Clone, Debug)]
pub struct LoadVector<T: Load = u64> {
    store: T::Store,
    draws: IndexSampler,
    total: T::Total,
    max: T,
    all_time_gap: f64,
    record: Option<MaxLoadRecord>,
}

impl<T: Load> LoadVector<T> {
    fn empty(bins: u64) -> Result<Self, LoadsError> {
        let does_not_fit = LoadsError::DoesNotFit { bins, bytes: T::Store::bytes(bins) };
        let draws = IndexSampler::new(bins).ok_or(LoadsError::NoBins)?;
        let length = usize::try_from(bins).map_err(|_| does_not_fit.clone())?;
        let store = T::Store::zeros(length).ok_or(does_not_fit)?;
        Ok(Self { store, draws, total: T::Total::default(), max: T::default(), all_time_gap: 0.0, record: None })
    }

    /// Returns bins with these loads in them.
    ///
    /// # Errors
    ///
    /// If there are none, a real load is not finite, or the sum of counts exceeds `2^63 − 1`.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_core::{LoadVector, LoadsError, Metrics};
    ///
    /// assert_eq!(LoadVector::from_loads(vec![4_u64, 0])?.gap(), 2.0);
    /// assert_eq!(LoadVector::from_loads(vec![0.5, 1.5])?.gap(), 0.5);
    /// assert_eq!(LoadVector::<u64>::from_loads(vec![]), Err(LoadsError::NoBins));
    /// assert!(matches!(LoadVector::from_loads(vec![f64::NAN]), Err(LoadsError::NotFinite { bin: 0, .. })));
    /// # Ok::<(), LoadsError>(())
    /// ```
    pub fn from_loads(loads: Vec<T>) -> Result<Self, LoadsError> {
        let draws = IndexSampler::new(loads.len() as u64).ok_or(LoadsError::NoBins)?;
        T::check(&loads)?;
        let mut max = loads[0];
        let mut total = T::Total::default();
        for &load in &loads {
            T::accumulate(&mut total, load);
            if load > max {
                max = load;
            }
        }
        let store = T::Store::from_loads(loads);
        let mut made = Self { store, draws, total, max, all_time_gap: 0.0, record: None };
        made.all_time_gap = made.gap();
        Ok(made)
    }

    /// Returns the total of all loads: the number of balls, where the bins started empty. `O(1)`.
    #[must_use]
    #[inline]
    pub fn total(&self) -> T {
        T::sum(self.total)
    }

    /// Iterates over the loads in the order of the bins.
    ///
    /// # Examples
    ///
    /// ```
    /// let loads = bb_core::LoadVector::from_loads(vec![2, 0, 7])?;
    /// assert_eq!(loads.to_vec(), [2, 0, 7]);
    /// assert_eq!(loads.iter().max(), Some(7));
    /// # Ok::<(), bb_core::LoadsError>(())
    /// ```
    pub fn iter(&self) -> impl ExactSizeIterator<Item = T> + '_ {
        (0..self.store.len()).map(|bin| self.store.get(bin))
    }

    /// Returns the loads as a vector. `O(n)`.
    #[must_use]
    pub fn to_vec(&self) -> Vec<T> {
        self.iter().collect()
    }

    /// Returns the largest gap at any time so far, the start included. `O(1)`.
    ///
    /// Between two rises of the maximum the gap only falls, so it is looked at when the maximum rises and
    /// never else.
    #[must_use]
    pub fn all_time_gap(&self) -> f64 {
        self.all_time_gap
    }

    #[cold]
    #[inline(never)]
    fn maximum_rises(&mut self, to: T) {
        self.max = to;
        self.all_time_gap = self.all_time_gap.max(self.gap());
    }
}

impl LoadVector<u64> {
    /// Returns `bins` empty bins that count balls.
    ///
    /// # Errors
    ///
    /// If `bins` is 0, or the memory cannot be had; nothing is allocated then.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_core::{LoadVector, LoadsError, Metrics};
    ///
    /// assert_eq!(LoadVector::new(5)?.empty_bins(), 5);
    /// assert_eq!(LoadVector::new(0), Err(LoadsError::NoBins));
    /// # Ok::<(), LoadsError>(())
    /// ```
    pub fn new(bins: u64) -> Result<Self, LoadsError> {
        Self::empty(bins)
    }

    /// Begins a [`MaxLoadRecord`] at the present loads; an earlier one is dropped.
    ///
    /// The record costs nothing per ball, and one entry for each rise of the maximum.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_core::{LoadVector, Place, Put};
    ///
    /// let mut loads = LoadVector::new(2)?;
    /// loads.record_maximum();
    /// for bin in [0, 1, 1] {
    ///     loads.place(bin, &());
    /// }
    /// let record = loads.max_load_record().unwrap();
    /// assert_eq!(record.rises(), [(1, 1), (3, 2)]);
    /// # Ok::<(), bb_core::LoadsError>(())
    /// ```
    pub fn record_maximum(&mut self) {
        self.record = Some(MaxLoadRecord::new(self.bins(), self.total, self.max));
    }

    /// Returns the record begun by [`record_maximum`](Self::record_maximum), up to the present ball.
    /// `O(length)`.
    #[must_use]
    pub fn max_load_record(&self) -> Option<MaxLoadRecord> {
        self.record.clone().map(|record| record.up_to(self.total))
    }
}

impl LoadVector<f64> {
    /// Returns `bins` empty bins that add up real weights.
    ///
    /// *Accuracy:* each load and the total are within `2^-52` of the exact sum of the weights, relatively,
    /// for up to `2^50` balls; weights times a power of two make loads times that power, bit for bit.
    ///
    /// # Errors
    ///
    /// As for [`new`](LoadVector::new).
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_core::{LoadVector, Metrics, Place, Weight};
    ///
    /// let mut loads = LoadVector::weighted(4)?;
    /// loads.place(1, &Weight::new(0.25)?);
    /// assert_eq!((loads.max_load(), loads.average()), (0.25, 0.0625));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn weighted(bins: u64) -> Result<Self, LoadsError> {
        Self::empty(bins)
    }

    /// Returns bins with these normalised loads: differences from the mean, which sum to 0.
    ///
    /// The total then counts only what is placed from here on, so that `load − total/n` stays the normalised
    /// load.
    ///
    /// # Errors
    ///
    /// If there are none, one is not finite, or they do not sum to 0 within `n·2^-52` times the largest of
    /// their absolute values.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_core::{LoadVector, LoadsError, Metrics, Place, Put};
    ///
    /// let mut loads = LoadVector::from_normalised(vec![0.5, -0.5])?;
    /// loads.place(1, &());
    /// assert_eq!((loads.total(), loads.normalised(0), loads.normalised(1)), (1.0, 0.0, 0.0));
    /// assert!(matches!(LoadVector::from_normalised(vec![0.5, 0.5]), Err(LoadsError::NotNormalised { .. })));
    /// # Ok::<(), LoadsError>(())
    /// ```
    pub fn from_normalised(loads: Vec<f64>) -> Result<Self, LoadsError> {
        let largest = loads.iter().fold(0.0_f64, |largest, load| largest.max(load.abs()));
        let tolerance = largest * loads.len() as f64 * f64::EPSILON;
        let mut made = Self::from_loads(loads)?;
        let sum = made.total();
        if sum.abs() > tolerance || !sum.is_finite() {
            return Err(LoadsError::NotNormalised { sum, tolerance });
        }
        made.total = Sum::default();
        made.all_time_gap = made.max;
        Ok(made)
    }
}

/// Equal if every bin has an equal load; what was recorded does not count.
impl<T: Load> PartialEq for LoadVector<T> {
    fn eq(&self, other: &Self) -> bool {
        self.bins() == other.bins() && self.iter().eq(other.iter())
    }
}

impl<T: Load> Bins for LoadVector<T> {
    type Bin = usize;
    type Load = T;
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
    fn load(&self, bin: usize) -> T {
        self.store.get(bin)
    }

    #[inline]
    fn total(&self) -> T {
        self.total()
    }

    #[inline]
    fn lighter(&self, first: usize, second: usize) -> usize {
        self.store.lighter(first, second)
    }
}

impl LoadVector<f64> {
    #[inline]
    fn add(&mut self, bin: usize, amount: f64) {
        let load = self.store.add(bin, amount);
        self.total.add(amount);
        if load > self.max {
            self.maximum_rises(load);
        }
    }
}

impl<T: Load> Metrics for LoadVector<T> {
    #[inline]
    fn max_load(&self) -> T {
        self.max
    }

    fn level_counts(&self) -> Vec<(T, u64)> {
        self.store.level_counts()
    }
}

#[cfg(test)]
mod tests;
