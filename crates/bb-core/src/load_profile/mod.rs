//! Counted bins: [`LoadProfile`].

mod blocks;
mod counted_bin;
mod removal;

pub use self::counted_bin::CountedBin;
use self::counted_bin::UNKNOWN;
use rand::Rng;

use crate::bins::Bins;
use crate::error::LoadsError;
use crate::load::Load;
use crate::load_vector::LoadVector;
use crate::metrics::Metrics;
use crate::place::Put;
use crate::ranked::Ranked;
use crate::record::MaxLoadRecord;
use bb_samplers::IndexSampler;

/// How many bins there are of each load; no bin has an index.
///
/// Exact in law for every rule that sees bins only through their loads, since bins of equal load are
/// exchangeable. Memory is one number per occupied level, so a trillion bins fit in a kilobyte. Bins are
/// called by a [`CountedBin`].
///
/// # Randomness
///
/// A draw takes one uniform place below `n`, a pair two ([`IndexSampler`]): the words of a [`LoadVector`],
/// but bins of other loads for them, because place 0 is the fullest bin here. The two agree in law, not in
/// bits. `run` and `step` agree in bits.
///
/// # Complexity
///
/// With `L` occupied levels: a draw scans from a level near the median, `O(1)` for narrow profiles and `O(L)`
/// at worst; placing is `O(1)`, plus `O(L)` when the lowest level empties. `total`, `max_load`, `gap` and
/// `all_time_gap` are `O(1)`, other metrics `O(L)`. `throw_to_least(2, …)` decides a block of balls at once
/// where no level can have changed in between: about half the time of `step`.
///
/// # Panics
///
/// The total must stay below `2^64` and the occupied levels within a range of `2^24`; else placing a ball
/// panics. Ball by ball neither is reached.
///
/// # Examples
///
/// ```
/// use bb_core::{Bins, LoadProfile, Metrics, Place, rng_for_trial};
///
/// let mut loads = LoadProfile::new(1 << 40)?;
/// loads.throw_to_least(2, &(), 100_000, &mut rng_for_trial(1, 0));
/// // Among 2^40 bins, 10^5 balls meet no bin twice (but with probability 0.005).
/// assert_eq!(loads.level_counts(), [(0, (1 << 40) - 100_000), (1, 100_000)]);
/// assert_eq!((loads.bins(), loads.total(), loads.max_load()), (1 << 40, 100_000, 1));
/// # Ok::<(), bb_core::LoadsError>(())
/// ```
#[derive(Clone, Debug)]
pub struct LoadProfile {
    draws: IndexSampler,
    /// The load of the emptiest bin.
    lowest: u64,
    /// `tails[k]` bins have load at least `lowest + k`: `n = tails[0] > tails[1] ≥ … > 0`.
    tails: Vec<u64>,
    /// A level near the median, where scans begin.
    middle: usize,
    total: u64,
    /// The balls of the last placement, 0 for a removal: what `follow` needs besides the names.
    last_put: u64,
    all_time_gap: f64,
    record: Option<MaxLoadRecord>,
}

/// What ranked views and the bulk engine need.
impl LoadProfile {
    /// Some bin of a load that occurs.
    #[inline]
    pub(crate) fn any_with(&self, load: u64) -> CountedBin {
        self.name(self.tails[(load - self.lowest) as usize] - 1, load)
    }

    /// Puts balls into one of the bins with this load; there is one.
    #[inline]
    pub(crate) fn raise(&mut self, load: u64, put: Put) {
        let level = (load - self.lowest) as usize;
        self.last_put = put.count();
        if put.count() == 1 {
            self.lift(level);
        } else {
            self.lift_far(level, put.count());
        }
    }

    pub(crate) fn lowest(&self) -> u64 {
        self.lowest
    }

    /// The number of bins at each level from the lowest.
    pub(crate) fn counts(&self) -> Vec<u64> {
        (0..self.tails.len()).map(|level| self.count(level)).collect()
    }

    /// Notes a batch of balls and the rises of the maximum in it: (ball of the batch from 0, new maximum).
    pub(crate) fn note_batch(&mut self, balls: u64, rises: &[(u64, u64)]) {
        for &(ball, max) in rises {
            let total = self.total + ball + 1;
            self.all_time_gap = self.all_time_gap.max(max.above_mean(total, self.bins()));
            if let Some(record) = &mut self.record {
                record.rise(total, max);
            }
        }
        self.total = self.total.checked_add(balls).expect("the total of all loads stays below 2^64");
    }

    /// Takes over the counts after the batches noted.
    pub(crate) fn set_counts(&mut self, lowest: u64, counts: &[u64]) {
        self.lowest = lowest;
        self.tails.clear();
        self.tails.extend_from_slice(counts);
        sum_from_above(&mut self.tails);
        self.find_middle();
    }
}

/// Most bins of a profile: leaves room for sums of two counts in `i64` and `u64`.
const MOST_BINS: u64 = 1 << 62;

/// Levels that are compared with a rank at once.
const WINDOW: usize = 5;

/// Widest range of levels.
const MOST_LEVELS: u64 = 1 << 24;

impl LoadProfile {
    /// Returns `bins` empty bins, at most `2^62`.
    ///
    /// # Errors
    ///
    /// If `bins` is 0 or exceeds `2^62`.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_core::{LoadProfile, LoadsError};
    ///
    /// assert!(LoadProfile::new(1 << 62).is_ok());
    /// assert_eq!(LoadProfile::new(0).unwrap_err(), LoadsError::NoBins);
    /// let error = LoadProfile::new(u64::MAX).unwrap_err();
    /// assert_eq!(error.to_string(), "bins = 18446744073709551615 is outside 1..=2^62");
    /// ```
    pub fn new(bins: u64) -> Result<Self, LoadsError> {
        Self::from_level_counts(&[(0, bins)])
    }

    /// Returns bins of which `count` hold `load`, for each pair (load, count).
    ///
    /// # Errors
    ///
    /// If there are no bins or more than `2^62`, if the total exceeds `2^63 − 1`, or if the loads spread over
    /// more than `2^24` levels.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_core::{LoadProfile, Metrics};
    ///
    /// let loads = LoadProfile::from_level_counts(&[(3, 1), (0, 2), (1, 1)])?;
    /// assert_eq!((loads.gap(), loads.empty_bins()), (2.0, 2));
    /// # Ok::<(), bb_core::LoadsError>(())
    /// ```
    pub fn from_level_counts(counts: &[(u64, u64)]) -> Result<Self, LoadsError> {
        let occupied = || counts.iter().filter(|(_, count)| *count > 0);
        let bins = occupied().map(|&(_, count)| u128::from(count)).sum::<u128>();
        let sum = occupied().map(|&(load, count)| u128::from(load) * u128::from(count)).fold(0, u128::saturating_add);
        let (Some(lowest), Some(highest)) = (occupied().map(|c| c.0).min(), occupied().map(|c| c.0).max()) else {
            return Err(LoadsError::NoBins);
        };
        if bins > u128::from(MOST_BINS) {
            return Err(LoadsError::TooManyBins { bins });
        }
        if sum > u128::from(u64::MAX / 2) {
            return Err(LoadsError::TotalTooLarge { sum });
        }
        if highest - lowest >= MOST_LEVELS {
            return Err(LoadsError::TooManyLevels { lowest, highest });
        }
        let bins = bins as u64;
        let mut tails = vec![0; (highest - lowest) as usize + 1];
        for &(load, count) in occupied() {
            tails[(load - lowest) as usize] += count;
        }
        sum_from_above(&mut tails);
        let draws = IndexSampler::new(bins).ok_or(LoadsError::NoBins)?;
        let mut made =
            Self { draws, lowest, tails, middle: 0, total: sum as u64, last_put: 1, all_time_gap: 0.0, record: None };
        made.find_middle();
        made.all_time_gap = made.gap();
        Ok(made)
    }

    /// Returns the total of all loads: the number of balls, where the bins started empty. `O(1)`.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Returns the largest gap at any time so far, the start included, as [`LoadVector::all_time_gap`].
    /// `O(1)`.
    #[must_use]
    pub fn all_time_gap(&self) -> f64 {
        self.all_time_gap
    }

    /// Begins a [`MaxLoadRecord`] at the present loads, as [`LoadVector::record_maximum`], which has an
    /// example.
    pub fn record_maximum(&mut self) {
        self.record = Some(MaxLoadRecord::new(self.bins(), self.total, self.max_load()));
    }

    /// Returns the record begun by [`record_maximum`](Self::record_maximum), up to the present ball.
    #[must_use]
    pub fn max_load_record(&self) -> Option<MaxLoadRecord> {
        self.record.clone().map(|record| record.up_to(self.total))
    }

    /// Puts other loads in place of these, as [`from_level_counts`](Self::from_level_counts) makes them. The
    /// largest gap so far stays, and is compared with the new one; a record of the maximum ends.
    ///
    /// For processes that move many balls at once.
    ///
    /// # Errors
    ///
    /// As there; then nothing is changed.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_core::{LoadProfile, Metrics};
    ///
    /// let mut loads = LoadProfile::from_level_counts(&[(0, 1), (4, 1)])?;
    /// loads.set_level_counts(&[(2, 2)])?;
    /// assert_eq!((loads.gap(), loads.all_time_gap()), (0.0, 2.0));
    /// # Ok::<(), bb_core::LoadsError>(())
    /// ```
    pub fn set_level_counts(&mut self, counts: &[(u64, u64)]) -> Result<(), LoadsError> {
        let before = self.all_time_gap;
        *self = Self::from_level_counts(counts)?;
        self.all_time_gap = self.all_time_gap.max(before);
        Ok(())
    }

    /// The level (above the lowest) of the bin of a rank: the last one with more than `rank` bins at or above
    /// it.
    ///
    /// Nearly every rank lies on one of a few levels near the median. Which one is a coin flip to the
    /// processor, so these are counted without a branch.
    #[inline]
    fn level(&self, rank: u64) -> usize {
        let begin = self.middle.saturating_sub(2);
        if let Some(window) = self.tails.get(begin..begin + WINDOW) {
            let above = window.iter().map(|&tail| usize::from(tail > rank)).sum::<usize>();
            if (1..WINDOW).contains(&above) {
                return begin + above - 1;
            }
        }
        self.scan(rank)
    }

    #[inline(never)]
    fn scan(&self, rank: u64) -> usize {
        let mut level = self.middle;
        if self.tails[level] > rank {
            while level + 1 < self.tails.len() && self.tails[level + 1] > rank {
                level += 1;
            }
        } else {
            while self.tails[level] <= rank {
                level -= 1; // tails[0] = n is above every rank.
            }
        }
        level
    }

    /// The present name of the bin of a rank.
    #[inline]
    fn name(&self, rank: u64, load: u64) -> CountedBin {
        CountedBin {
            rank,
            load,
            #[cfg(debug_assertions)]
            named_at: self.total,
        }
    }

    /// The level of a bin.
    #[inline]
    fn level_of(&self, bin: CountedBin) -> usize {
        bin.check_state(self.nth(0));
        if bin.load == UNKNOWN { self.level(bin.rank) } else { (bin.load - self.lowest) as usize }
    }

    fn find_middle(&mut self) {
        let half = self.draws.bound() / 2;
        self.middle = self.tails.partition_point(|&tail| tail > half).saturating_sub(1);
    }

    /// Bins with load exactly `lowest + level`.
    #[inline]
    fn count(&self, level: usize) -> u64 {
        self.tails[level] - self.tails.get(level + 1).copied().unwrap_or(0)
    }

    /// Moves a bin up by a level.
    #[inline]
    fn lift(&mut self, level: usize) {
        if level + 1 < self.tails.len() {
            self.total = self.total.checked_add(1).expect("the total of all loads stays below 2^64");
            self.tails[level + 1] += 1;
            // The median rises by a level in n balls: to look at one level a ball is enough.
            if self.tails[self.middle + 1..].first().is_some_and(|&tail| tail > self.draws.bound() / 2) {
                self.middle += 1;
            }
            if level == 0 && self.tails[1] == self.tails[0] {
                self.drop_full_levels();
            }
        } else {
            self.lift_far(level, 1);
        }
    }

    /// Moves a bin up by several levels, or to a new one.
    #[cold]
    #[inline(never)]
    fn lift_far(&mut self, level: usize, by: u64) {
        self.total = self.total.checked_add(by).expect("the total of all loads stays below 2^64");
        let before = self.max_load();
        assert!(by < MOST_LEVELS, "one put raises a bin by {by} levels, the range of a profile is 2^24");
        let to = level + by as usize;
        if to >= self.tails.len() {
            assert!((to as u64) < MOST_LEVELS, "the loads spread over more than 2^24 levels");
            self.tails.resize(to + 1, 0);
        }
        for tail in &mut self.tails[level + 1..=to] {
            *tail += 1;
        }
        self.drop_full_levels();
        self.find_middle();
        let max = self.max_load();
        if max > before {
            self.all_time_gap = self.all_time_gap.max(self.gap());
            if let Some(record) = &mut self.record {
                record.rises_in_a_row(self.total, max, (max - before).min(by));
            }
        }
    }

    /// Forgets levels below the emptiest bin.
    #[cold]
    #[inline(never)]
    fn drop_full_levels(&mut self) {
        let full = self.tails[1..].iter().take_while(|&&tail| tail == self.tails[0]).count();
        self.tails.drain(..full);
        self.lowest += full as u64;
        self.middle = self.middle.saturating_sub(full);
    }
}

/// Makes of the number of bins at each level the number at or above it.
pub(crate) fn sum_from_above(counts: &mut [u64]) {
    for level in (1..counts.len()).rev() {
        counts[level - 1] += counts[level];
    }
}

/// Counts the bins of a vector; what was recorded is not taken over.
impl From<&LoadVector> for LoadProfile {
    fn from(loads: &LoadVector) -> Self {
        let counts = loads.level_counts();
        Self::from_level_counts(&counts).unwrap_or_else(|error| panic!("the loads of a vector make a profile: {error}"))
    }
}

impl Bins for LoadProfile {
    type Bin = CountedBin;
    type Load = u64;
    type Places = IndexSampler;

    #[inline]
    fn places(&self) -> &IndexSampler {
        &self.draws
    }

    #[inline]
    fn nth(&self, place: u64) -> CountedBin {
        self.name(place, UNKNOWN)
    }

    #[inline]
    fn load(&self, bin: CountedBin) -> u64 {
        self.lowest + self.level_of(bin) as u64
    }

    #[inline]
    fn total(&self) -> u64 {
        self.total
    }

    /// Judgements up one load: the bin further down is the lighter one, unless both are on the same level.
    #[inline]
    fn lighter(&self, first: CountedBin, second: CountedBin) -> CountedBin {
        first.check_state(self.nth(0));
        second.check_state(self.nth(0));
        let down = first.rank.max(second.rank);
        let level = self.level(down);
        let above = self.tails.get(level + 1).copied().unwrap_or(0);
        let level_bins = above..=down;
        let rank = if level_bins.contains(&first.rank) { first.rank } else { second.rank };
        self.name(rank, self.lowest + level as u64)
    }

    #[inline]
    fn follow(&self, kept: CountedBin, was: CountedBin, now: CountedBin) -> CountedBin {
        kept.check_state(was);
        now.check_state(self.nth(0));
        if kept == was {
            return now;
        }
        if self.last_put == 0 {
            // The last bin of the level took the rank of the one that lost a ball.
            return if kept == now { self.name(was.rank, now.load + 1) } else { self.name(kept.rank, kept.load) };
        }
        // On each level that the receiver passed, the first bin gave its rank to the one before: the receiver
        // at last.
        let left = now.load - self.last_put;
        let before =
            |load: u64| if load <= self.lowest { self.tails[0] } else { self.tails[(load - self.lowest) as usize] } - 1;
        match (left + 1..=now.load).find(|&load| before(load) == kept.rank) {
            None => self.name(kept.rank, kept.load),
            Some(load) => {
                let rank = if load == left + 1 { was.rank } else { before(load - 1) };
                self.name(rank, load - 1)
            }
        }
    }
}

/// No word is drawn: a bin is called by its rank.
impl Ranked for LoadProfile {
    #[inline]
    fn at_least(&self, load: u64) -> u64 {
        match load.checked_sub(self.lowest) {
            None => self.bins(),
            Some(level) => usize::try_from(level).ok().and_then(|level| self.tails.get(level)).copied().unwrap_or(0),
        }
    }
    #[inline]
    fn rank<R: Rng + ?Sized>(&self, bin: CountedBin, _: &[u64], _: &mut R) -> u64 {
        bin.rank
    }
}

impl Metrics for LoadProfile {
    fn max_load(&self) -> u64 {
        self.lowest + self.tails.len() as u64 - 1
    }

    fn min_load(&self) -> u64 {
        self.lowest
    }

    fn level_counts(&self) -> Vec<(u64, u64)> {
        let counts = (0..self.tails.len()).map(|level| (self.lowest + level as u64, self.count(level)));
        counts.filter(|&(_, count)| count > 0).collect()
    }
}

/// Equal if there are equally many bins of each load; what was recorded does not count.
impl PartialEq for LoadProfile {
    fn eq(&self, other: &Self) -> bool {
        (self.lowest, &self.tails) == (other.lowest, &other.tails)
    }
}
