//! Labelled bins: [`LoadVector`].

use core::fmt::Debug;
use core::hint::select_unpredictable;
use core::num::NonZeroU64;

use rand::Rng;

use crate::bins::Bins;
use crate::draws::IndexSampler;
use crate::error::LoadsError;
use crate::load::Load;
use crate::load::Weight;
use crate::metrics::Metrics;
use crate::mix::Mix;
use crate::place::{Place, Put};
use crate::probe::{ProbeRule, in_phases};
use crate::record::MaxLoadRecord;
use crate::store::{Store, Stored};
use crate::sums::Sum;

/// The load of every bin; bins are indices `0..n`.
///
/// `LoadVector` (that is `LoadVector<u64>`) counts balls, `LoadVector<f64>` adds up real weights or starts from real,
/// normalised loads. The bins start empty ([`new`](Self::new)), at given loads ([`from_loads`](Self::from_loads)), or at given differences
/// from the mean ([`from_normalised`](Self::from_normalised)). It has no counters, so it ignores [`Put::with_mark`]; [`Marked`](crate::Marked) loads have them.
///
/// # Complexity
///
/// Counts take one byte a bin, as offsets from a base that rises with them, and eight from the moment when they spread over more than
/// about 220 levels; real loads take sixteen: a sum, and what rounding took from it, so that neither loads nor total drift however many balls there are. `place`, `load`, `total`, `average`, `max_load`, `gap`, `all_time_gap` and the draws are
/// `O(1)` (a rise of the base is a pass over all bins, about once in `100 n` balls). The other metrics are as [`Metrics`] says.
///
/// Where the loads take 8 MiB or more, [`throw_to_least`](Place::throw_to_least) for up to three bins a ball draws the bins of 256 balls and reads all their
/// loads before it decides, ball by ball: so the waits for memory overlap.
///
/// # Randomness
///
/// Draws are those of [`IndexSampler`]: exactly uniform, and several indices from one word. Storage, blocks and the choice
/// between `run` and `step` never change a bin.
///
/// # Panics
///
/// A bin outside `0..n` panics like an index outside a slice. Loads and total must stay below `2^64`, or an overflow panics.
/// That cannot be reached ball by ball. Widening the loads allocates `8n` bytes; if the allocator refuses, the program ends as with any vector.
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

    /// Returns the total of all loads: the number of balls, where the bins started empty. `O(1)`; the type's example shows it.
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

    /// Returns the loads as a vector. `O(n)`; the example of [`iter`](Self::iter) shows it.
    #[must_use]
    pub fn to_vec(&self) -> Vec<T> {
        self.iter().collect()
    }

    /// Returns the largest gap at any time so far, the start included. `O(1)`.
    ///
    /// Between two rises of the maximum the gap only falls, so it is looked at when the maximum rises and never else.
    /// The type's example shows it.
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

    /// Returns the record begun by [`record_maximum`](Self::record_maximum), up to the present ball. `O(length)`.
    #[must_use]
    pub fn max_load_record(&self) -> Option<MaxLoadRecord> {
        self.record.clone().map(|mut record| {
            record.advance_to(self.total);
            record
        })
    }
}

impl LoadVector<f64> {
    /// Returns `bins` empty bins that add up real weights.
    ///
    /// *Accuracy:* each load and the total are within `2^-52` of the exact sum of the weights, relatively, for up to `2^50` balls; weights times a power of two make loads times that power, bit for bit.
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
    /// The total then counts only what is placed from here on, so that `load − total/n` stays the normalised load.
    ///
    /// # Errors
    ///
    /// If there are none, one is not finite, or they do not sum to 0 within `n·2^-52` times the largest of their absolute values.
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

impl Place for LoadVector<u64> {
    // Always: a few instructions a ball, and half as many again for a call that hands over the put.
    #[inline(always)]
    fn put(&mut self, bin: usize, (): &(), put: Put) -> usize {
        let load = self.store.add(bin, put.count());
        u64::accumulate(&mut self.total, put.count());
        if load > self.max {
            self.write_rise(load, put.count());
        }
        bin
    }

    fn throw_to_least<R: Rng + ?Sized>(&mut self, d: impl Into<Mix<u32>>, (): &(), balls: u64, rng: &mut R) {
        self.throw_below(d.into(), balls, rng, BLOCKS_FROM);
    }

    fn throw<P, R>(&mut self, rule: &P, (): &(), balls: u64, rng: &mut R)
    where
        P: ProbeRule + ?Sized,
        R: Rng + ?Sized,
    {
        in_phases(self, rule, balls, |bins, phase, balls| {
            bins.alternate(balls, rng, |store, max, balls, draws, rng| {
                store.probes_below(max, rule, phase, balls, draws, rng)
            });
        });
    }
}

/// From so many bytes of loads on, the bins of a block of balls are drawn, and their loads read, before the first of the balls is placed.
///
/// Below that the caches hold the loads, and to read each twice costs more than it saves.
const BLOCKS_FROM: usize = 8 << 20;

/// Balls of one block: enough for many misses of the cache at once, and their bins stay in its first level.
const BLOCK: usize = 256;

impl LoadVector<u64> {
    /// [`Place::throw_to_least`], in blocks from so many bytes of loads on.
    fn throw_below<R: Rng + ?Sized>(&mut self, d: Mix<u32>, balls: u64, rng: &mut R, blocks_from: usize) {
        let blocks = self.store.size() >= blocks_from;
        match d {
            Mix::Sure(0 | 1) if blocks => self.throw_in_blocks::<1, R>(balls, rng, |_| 1),
            Mix::Sure(2) if blocks => self.throw_in_blocks::<2, R>(balls, rng, |_| 2),
            Mix::Sure(3) if blocks => self.throw_in_blocks::<3, R>(balls, rng, |_| 3),
            Mix::Coin { heads: 2, tails: 1, .. } if blocks => {
                self.throw_in_blocks::<2, R>(balls, rng, |rng| d.resolve(rng) as usize);
            }
            _ => {
                self.alternate(balls, rng, |store, max, balls, draws, rng| {
                    store.least_of_below(max, d, balls, draws, rng)
                });
            }
        }
    }

    /// Draws the bins of a block of balls, `D` for each, of which the first `used` count, and then places the balls in order: the same words and
    /// the same bins as ball by ball.
    #[inline]
    fn throw_in_blocks<const D: usize, R: Rng + ?Sized>(
        &mut self,
        balls: u64,
        rng: &mut R,
        used: impl Fn(&mut R) -> usize,
    ) {
        let mut block = [[0; D]; BLOCK];
        let mut left = balls;
        while left > 0 {
            let drawn = &mut block[..left.min(BLOCK as u64) as usize];
            for bins in &mut *drawn {
                let used = used(rng);
                *bins = self.draws.draw_array(rng);
                // A bin that does not count becomes the first again, which wins against itself.
                for place in 1..D {
                    bins[place] = select_unpredictable(place < used, bins[place], bins[0]);
                }
            }
            self.alternate(drawn.len() as u64, rng, |store, max, balls, _, _| {
                store.least_of_drawn_below(max, &drawn[drawn.len() - balls as usize..])
            });
            left -= drawn.len() as u64;
        }
    }

    /// The balls of a put are placed one after another: each that lands above the old maximum is a rise.
    #[cold]
    #[inline(never)]
    fn write_rise(&mut self, to: u64, balls: u64) {
        let rises = (to - self.max).min(balls);
        self.maximum_rises(to);
        if let Some(record) = &mut self.record {
            record.rises_in_a_row(self.total, self.max, rises);
        }
    }
}

impl Place for LoadVector<f64> {
    #[inline]
    fn put(&mut self, bin: usize, (): &(), put: Put) -> usize {
        self.add(bin, put.count() as f64);
        bin
    }

    fn throw_to_least<R: Rng + ?Sized>(&mut self, d: impl Into<Mix<u32>>, (): &(), balls: u64, rng: &mut R) {
        let d = d.into();
        self.alternate(balls, rng, |store, max, balls, draws, rng| store.least_of_below(max, d, balls, draws, rng));
    }
}

impl<T: Load> LoadVector<T>
where
    Self: Place<Bin = usize>,
{
    /// Alternates a loop that cannot raise the maximum with single balls that do. The loop gets the maximum and the number of balls, and returns how many
    /// it placed, and the bin of the next ball if that would raise the maximum.
    #[inline]
    fn alternate<R: Rng + ?Sized>(
        &mut self,
        balls: u64,
        rng: &mut R,
        mut below: impl FnMut(&mut T::Store, T, u64, &IndexSampler, &mut R) -> (u64, Option<usize>),
    ) {
        let mut left = balls;
        while left > 0 {
            let (placed, rising) = below(&mut self.store, self.max, left, &self.draws, rng);
            T::accumulate(&mut self.total, T::of_balls(placed));
            left -= placed;
            if let Some(bin) = rising {
                self.place(bin, &());
                left -= 1;
            }
        }
    }
}

/// A ball with an integer weight: so many balls in a row, none for 0. A [record](LoadVector::record_maximum) counts weight then.
///
/// # Panics
///
/// If the total reaches `2^64`: before, the weight can be checked against `u64::MAX − total`.
///
/// # Examples
///
/// ```
/// use bb_core::{Bins, LoadVector, Place};
///
/// let mut loads = LoadVector::new(4)?;
/// loads.place(2, &7);
/// loads.place(2, &0);
/// assert_eq!((loads.load(2), loads.total()), (7, 7));
/// # Ok::<(), bb_core::LoadsError>(())
/// ```
impl Place<u64> for LoadVector<u64> {
    #[inline]
    fn put(&mut self, bin: usize, weight: &u64, put: Put) -> usize {
        if let Some(weight) = NonZeroU64::new(*weight) {
            for _ in 0..put.count() {
                self.put(bin, &(), Put::balls(weight));
            }
        }
        bin
    }
}

/// A ball with a real weight.
impl Place<Weight> for LoadVector<f64> {
    #[inline]
    fn put(&mut self, bin: usize, weight: &Weight, put: Put) -> usize {
        for _ in 0..put.count() {
            self.add(bin, weight.get());
        }
        bin
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
mod tests {
    use super::*;
    use crate::draws::Coin;
    use crate::least::least_of;
    use crate::seeds::{TrialRng, rng_for_trial};
    use crate::store::Counts;

    impl<T: Load> LoadVector<T> {
        /// Recomputes what is kept, from scratch.
        fn check(&self) {
            let max = self.iter().fold(self.store.get(0), |max, load| if load > max { load } else { max });
            assert_eq!(self.max, max);
            let total = self.iter().fold(T::default(), |sum, load| sum + load);
            assert_eq!(self.total(), total);
            assert!(self.all_time_gap >= self.gap());
        }
    }

    /// One bin that takes nearly all balls: offsets leave a byte, and the loads widen.
    #[test]
    fn loads_widen_without_a_trace() {
        let mut loads = LoadVector::new(3).unwrap();
        let mut plain = [0_u64; 3];
        for ball in 0..2000 {
            let bin = if ball % 50 == 0 { 1 } else { 2 };
            loads.place(bin, &());
            plain[bin] += 1;
            loads.check();
            assert_eq!(loads.to_vec(), plain);
        }
        assert!(matches!(loads.store, Counts::Wide(_)));
    }

    #[test]
    fn the_base_rises_without_a_trace() {
        let mut loads = LoadVector::new(7).unwrap();
        let mut wide = LoadVector::from_loads(vec![0; 7]).unwrap();
        wide.store = Counts::Wide(vec![0; 7]);
        let mut rng = rng_for_trial(1, 0);
        for d in [1, 2, 3, 5] {
            loads.throw_to_least(d, &(), 3000, &mut rng.clone());
            wide.throw_to_least(d, &(), 3000, &mut rng);
            loads.check();
            assert_eq!(loads, wide);
            assert_eq!(loads.level_counts(), wide.level_counts());
        }
        assert!(matches!(loads.store, Counts::Narrow { base, .. } if base > 200));
    }

    /// What throwing leaves: the loads, what is kept of them, whether they are wide, and the generator.
    type Outcome = (LoadVector, u64, u64, f64, Option<MaxLoadRecord>, bool, TrialRng);

    fn thrown(start: &[u64], throw: impl FnOnce(&mut LoadVector, &mut TrialRng)) -> Outcome {
        let mut loads = LoadVector::from_loads(start.to_vec()).unwrap();
        loads.record_maximum();
        let mut rng = rng_for_trial(1, start.len() as u64);
        throw(&mut loads, &mut rng);
        let (total, max, gap) = (loads.total(), loads.max, loads.all_time_gap());
        (loads.clone(), total, max, gap, loads.max_load_record(), matches!(loads.store, Counts::Wide(_)), rng)
    }

    fn ball_by_ball(loads: &mut LoadVector, d: Mix<u32>, balls: u64, rng: &mut TrialRng) {
        for _ in 0..balls {
            let bin = least_of(loads, d, rng);
            loads.place(bin, &());
        }
    }

    /// A coin between two numbers of samples.
    fn mixed(heads: u32, tails: u32) -> Mix<u32> {
        Mix::Coin { coin: Coin::new("p", 0.5).unwrap(), heads, tails }
    }

    /// In few bins the maximum rises within nearly every block, bases rise and loads widen.
    #[test]
    fn blocks_take_the_bins_of_single_balls() {
        let far_apart = [vec![0, 250, 250], vec![1000, 0, 0, 1000, 3], (0..100).map(|bin| 3 * bin).collect()];
        let (mut became_wide, mut base_rose) = (false, false);
        for start in [vec![0; 1], vec![0; 2], vec![0; 7], vec![0; 1000]].into_iter().chain(far_apart) {
            for d in [0, 1, 2, 3, 4].map(Mix::Sure).into_iter().chain([mixed(2, 1), mixed(1, 2), mixed(2, 0)]) {
                for balls in [0, 1, 255, 256, 257, 1000, 3001] {
                    let single = thrown(&start, |loads, rng| ball_by_ball(loads, d, balls, rng));
                    for blocks_from in [0, usize::MAX] {
                        let many = thrown(&start, |loads, rng| {
                            let narrow = matches!(loads.store, Counts::Narrow { .. });
                            loads.throw_below(d, balls, rng, blocks_from);
                            loads.check();
                            became_wide |= narrow && matches!(loads.store, Counts::Wide(_));
                            base_rose |= matches!(loads.store, Counts::Narrow { base, .. } if base > 0);
                        });
                        assert_eq!(
                            single, many,
                            "{start:?}, d = {d:?}, {balls} balls, blocks from {blocks_from} bytes"
                        );
                    }
                }
            }
        }
        assert!(became_wide && base_rose);
    }

    /// At the true size from which blocks are used, a byte a bin and eight.
    #[test]
    fn large_vectors_take_the_bins_of_single_balls() {
        let mut wide = vec![0; BLOCKS_FROM / 8];
        wide[7] = 300;
        for start in [&vec![0; BLOCKS_FROM - 1], &vec![0; BLOCKS_FROM], &wide[1..], &wide] {
            let single = thrown(start, |loads, rng| ball_by_ball(loads, Mix::Sure(2), 1000, rng));
            let many = thrown(start, |loads, rng| loads.throw_to_least(2, &(), 1000, rng));
            assert!(single == many, "n = {}", start.len());
        }
    }

    #[test]
    fn a_large_put_is_added_whole() {
        for size in [1_u64, 200, 224, 255, 256, 1 << 40] {
            let mut loads = LoadVector::from_loads(vec![100, 120]).unwrap();
            loads.record_maximum();
            loads.put(0, &(), Put::balls(size.try_into().unwrap()));
            loads.check();
            assert_eq!(loads.to_vec(), [100 + size, 120]);
            let record = loads.max_load_record().unwrap();
            assert_eq!(record.max_count(size), Ok((100 + size).max(120)));
            assert_eq!(record.all_time(0..=size), Ok(loads.all_time_gap()));
        }
    }

    #[test]
    fn real_totals_do_not_drift() {
        let mut loads = LoadVector::weighted(10).unwrap();
        for _ in 0..1_000_000 {
            loads.place(3, &Weight::new(0.1).unwrap());
        }
        assert!((loads.total() - 100_000.0).abs() < 1e-9, "{}", loads.total());
    }
}
