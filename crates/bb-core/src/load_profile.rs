//! Counted bins: [`LoadProfile`].

use rand::Rng;

use crate::bins::Bins;
use crate::draws::{IndexSampler, draw_below};
use crate::error::LoadsError;
use crate::load::Load;
use crate::load_vector::LoadVector;
use crate::metrics::Metrics;
use crate::mix::Mix;
use crate::place::{Place, Put};
use crate::ranked::Ranked;
use crate::record::MaxLoadRecord;
use crate::remove::Remove;

/// How many bins there are of each load; no bin has an index.
///
/// Exact in law for every rule that sees bins only through their loads, since bins of equal load are exchangeable. Memory is one number per occupied level, so
/// a trillion bins fit in a kilobyte. Bins are called by a [`CountedBin`].
///
/// # Randomness
///
/// A draw takes one uniform place below `n`, a pair two ([`IndexSampler`]): the words of a [`LoadVector`], but bins of other
/// loads for them, because place 0 is the fullest bin here. The two agree in law, not in bits. `run` and `step` agree in bits.
///
/// # Complexity
///
/// With `L` occupied levels: a draw scans from a level near the median, `O(1)` for narrow profiles and `O(L)` at worst; placing is
/// `O(1)`, plus `O(L)` when the lowest level empties. `total`, `max_load`, `gap` and `all_time_gap` are `O(1)`, other metrics `O(L)`.
/// `throw_to_least(2, …)` decides a block of balls at once where no level can have changed in between: about half the time of `step`.
///
/// # Panics
///
/// The total must stay below `2^64` and the occupied levels within a range of `2^24`; else placing a ball panics. Ball by ball neither is reached.
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

/// A bin among counted bins, called by its rank: 0 is the fullest, and bins of equal load are numbered on.
///
/// A placement renames bins so that the loads stay sorted: the receiver and the first bin of the level it left change places; where it rises by several levels, so on each.
/// A removal does so with the last bin of the level.
/// [`Bins::follow`] does this for a remembered bin.
///
/// # Panics
///
/// A name that was kept over a placement or a removal without `follow` may be that of another bin. With debug assertions the profile panics when it is asked about
/// such a name; without, the answer is wrong.
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
    rank: u64,
    /// The load if it was looked up already, else `UNKNOWN`. It stays right for as long as the bin receives and loses nothing.
    load: u64,
    /// The total of all loads when the bin was named: any placement raises it, any removal lowers it.
    #[cfg(debug_assertions)]
    named_at: u64,
}

const UNKNOWN: u64 = u64::MAX;

impl CountedBin {
    /// Returns the rank, from 0 for the fullest; the type's example shows it.
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
    /// assert_eq!(LoadProfile::new(u64::MAX).unwrap_err().to_string(), "bins = 18446744073709551615 is outside 1..=2^62");
    /// ```
    pub fn new(bins: u64) -> Result<Self, LoadsError> {
        Self::from_level_counts(&[(0, bins)])
    }

    /// Returns bins of which `count` hold `load`, for each pair (load, count).
    ///
    /// # Errors
    ///
    /// If there are no bins or more than `2^62`, if the total exceeds `2^63 − 1`, or if the loads spread over more than `2^24` levels.
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
        for level in (1..tails.len()).rev() {
            tails[level - 1] += tails[level];
        }
        let draws = IndexSampler::new(bins).ok_or(LoadsError::NoBins)?;
        let mut made =
            Self { draws, lowest, tails, middle: 0, total: sum as u64, last_put: 1, all_time_gap: 0.0, record: None };
        made.find_middle();
        made.all_time_gap = made.gap();
        Ok(made)
    }

    /// Returns the total of all loads: the number of balls, where the bins started empty. `O(1)`; the type's example shows it.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Returns the largest gap at any time so far, the start included, as [`LoadVector::all_time_gap`]. `O(1)`.
    #[must_use]
    pub fn all_time_gap(&self) -> f64 {
        self.all_time_gap
    }

    /// Begins a [`MaxLoadRecord`] at the present loads, as [`LoadVector::record_maximum`], which has an example.
    pub fn record_maximum(&mut self) {
        self.record = Some(MaxLoadRecord::new(self.bins(), self.total, self.max_load()));
    }

    /// Returns the record begun by [`record_maximum`](Self::record_maximum), up to the present ball.
    #[must_use]
    pub fn max_load_record(&self) -> Option<MaxLoadRecord> {
        self.record.clone().map(|mut record| {
            record.advance_to(self.total);
            record
        })
    }

    /// Puts other loads in place of these, as [`from_level_counts`](Self::from_level_counts) makes them. The largest gap so far stays, and is compared with the
    /// new one; a record of the maximum ends.
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

    /// The level (above the lowest) of the bin of a rank: the last one with more than `rank` bins at or above it.
    ///
    /// Nearly every rank lies on one of a few levels near the median. Which one is a coin flip to the processor, so these are counted without a
    /// branch.
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

/// Departures.
impl LoadProfile {
    /// The bin of a rank whose load is known.
    #[inline]
    pub(crate) fn nth_with_load(&self, rank: u64, load: u64) -> CountedBin {
        debug_assert_eq!(self.load(self.nth(rank)), load);
        self.name(rank, load)
    }

    /// Moves a bin of this level down by one, to the rank returned: it changes places with the last bin of the level.
    #[inline]
    fn lower(&mut self, level: usize) -> u64 {
        if level == 0 {
            return self.open_level_below();
        }
        self.tails[level] -= 1;
        let rank = self.tails[level];
        if rank == 0 {
            self.tails.pop(); // It was alone at the top.
        }
        self.middle_falls();
        rank
    }

    /// Moves the last bin of the lowest level down, to a level of its own.
    #[cold]
    #[inline(never)]
    fn open_level_below(&mut self) -> u64 {
        let rank = self.tails[0] - 1;
        if rank == 0 {
            self.lowest -= 1; // There is no other bin.
            return rank;
        }
        assert!((self.tails.len() as u64) < MOST_LEVELS, "the loads spread over more than 2^24 levels");
        self.tails.insert(1, rank);
        self.lowest -= 1;
        self.middle += 1;
        self.middle_falls();
        rank
    }

    /// The median falls by a level in `n` balls at most: to look at one level a ball is enough.
    #[inline]
    fn middle_falls(&mut self) {
        self.middle = self.middle.min(self.tails.len() - 1);
        if self.middle > 0 && self.tails[self.middle] <= self.draws.bound() / 2 {
            self.middle -= 1;
        }
    }

    /// Balls that left a bin below the maximum took the mean down, and so the gap up.
    #[inline]
    fn mean_fell(&mut self) {
        self.all_time_gap = self.all_time_gap.max(self.gap());
        self.record = None;
    }
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
        for level in (1..counts.len()).rev() {
            self.tails[level - 1] += self.tails[level];
        }
        self.find_middle();
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

    /// Looks up one load: the bin further down is the lighter one, unless both are on the same level.
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
        // On each level that the receiver passed, the first bin gave its rank to the one before: the receiver at last.
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

impl Place for LoadProfile {
    #[inline]
    fn put(&mut self, bin: CountedBin, (): &(), put: Put) -> CountedBin {
        let load = self.lowest + self.level_of(bin) as u64;
        self.raise(load, put);
        self.any_with(load + put.count())
    }

    fn throw_to_least<R: Rng + ?Sized>(&mut self, d: impl Into<Mix<u32>>, (): &(), balls: u64, rng: &mut R) {
        let d = d.into();
        let mut left = balls;
        if matches!(d, Mix::Sure(2)) && self.bins() >= SMALLEST_FOR_BLOCKS {
            while left >= BLOCK as u64 {
                self.place_block(rng);
                left -= BLOCK as u64;
            }
        }
        for _ in 0..left {
            let (drawn, used) = d.drawn_and_used(rng);
            let (mut offer, mut down) = (0, 0);
            self.draws.draw_each(drawn.max(1), rng, |rank| {
                offer += 1;
                down = if offer <= used.max(1) { down.max(rank) } else { down };
            });
            self.lift(self.level(down));
        }
    }
}

impl Remove for LoadProfile {
    #[inline]
    fn remove(&mut self, bin: CountedBin) -> Option<CountedBin> {
        let level = self.level_of(bin);
        let left = (self.lowest + level as u64).checked_sub(1)?;
        self.total -= 1;
        self.last_put = 0;
        let rank = self.lower(level);
        self.mean_fell();
        Some(self.name(rank, left))
    }

    fn remove_from_each(&mut self) -> u64 {
        let holding = self.holding();
        if holding == 0 {
            return 0;
        }
        self.total -= holding;
        if self.lowest > 0 {
            self.lowest -= 1;
        } else {
            self.tails.remove(1);
        }
        self.find_middle();
        self.mean_fell();
        holding
    }

    /// The balls at each height are as many as the bins that reach it: a ball is a height and a rank.
    fn draw_ball<R: Rng + ?Sized>(&self, rng: &mut R) -> Option<CountedBin> {
        if self.total == 0 {
            return None;
        }
        let mut ball = draw_below(self.total, rng);
        let ground = self.lowest * self.bins();
        if ball < ground {
            return Some(self.nth(ball % self.bins()));
        }
        ball -= ground;
        for &tail in &self.tails[1..] {
            if ball < tail {
                break;
            }
            ball -= tail;
        }
        Some(self.nth(ball))
    }

    fn draw_holding<R: Rng + ?Sized>(&self, rng: &mut R) -> Option<CountedBin> {
        match self.holding() {
            0 => None,
            holding => Some(self.nth(draw_below(holding, rng))),
        }
    }

    fn holding(&self) -> u64 {
        if self.lowest > 0 { self.bins() } else { self.tails.get(1).copied().unwrap_or(0) }
    }
}

/// Balls of one block.
const BLOCK: usize = 128;

/// Below this many bins some level changes in nearly every block.
const SMALLEST_FOR_BLOCKS: u64 = 1 << 16;

impl LoadProfile {
    /// Places a block of Two-Choice balls: all at once if none can have seen a level that another ball of the block changed, else one by one.
    ///
    /// The lesser loaded of two bins is the one further down, so a ball is one place: the larger of two. In the block a tail rises by at most
    /// `BLOCK`. If no place lies between a tail and that tail plus `BLOCK`, every ball has the level that it had at the start of the block.
    fn place_block<R: Rng + ?Sized>(&mut self, rng: &mut R) {
        let mut places = [0_u64; BLOCK];
        for place in &mut places {
            let [first, second] = self.draws.draw_pair(rng);
            *place = first.max(second);
        }
        // The top 31 bits are enough to compare most places, and compare in vector lanes.
        let shift = (64 - self.bins().leading_zeros()).saturating_sub(31);
        let short = places.map(|place| (place >> shift) as i32);
        let mut received = [0_u64; 64];
        let mut below_next = BLOCK as u64; // tails[0] is above every place.
        let levels = self.tails.len();
        let settled = levels <= received.len() && {
            (1..levels).all(|level| {
                let tail = self.tails[level];
                let lane = |place: u64| i32::try_from(place >> shift).unwrap_or(i32::MAX);
                let (surely, possibly) = (lane(tail), lane(tail + BLOCK as u64 - 1));
                let below = short.iter().map(|&place| i32::from(place < surely)).sum::<i32>();
                let not_above = short.iter().map(|&place| i32::from(place <= possibly)).sum::<i32>();
                received[level] = below_next - below as u64; // Balls that lift a bin to this level.
                below_next = below as u64;
                below == not_above
            })
        };
        // A ball on the top level would raise the maximum, and the lowest level may empty: both have a path of their own.
        let lowest_stays = levels > 1 && self.tails[1] + received[1] < self.tails[0];
        if settled && below_next == 0 && lowest_stays {
            for (tail, more) in self.tails.iter_mut().zip(received) {
                *tail += more;
            }
            self.total = self.total.checked_add(BLOCK as u64).expect("the total of all loads stays below 2^64");
            self.find_middle();
        } else {
            for place in places {
                self.lift(self.level(place));
            }
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bins::BinsExt;
    use crate::least::least_of;
    use crate::seeds::rng_for_trial;

    impl LoadProfile {
        fn check(&self) {
            assert_eq!(self.tails[0], self.bins());
            assert!(self.tails.windows(2).all(|pair| pair[0] >= pair[1]) && *self.tails.last().unwrap() > 0);
            assert!(self.tails.len() == 1 || self.tails[1] < self.tails[0]);
            assert!(self.middle < self.tails.len());
            let total: u64 = self.level_counts().iter().map(|&(load, count)| load * count).sum();
            assert_eq!(self.total, total);
        }
    }

    #[test]
    fn blocks_are_their_balls_bit_for_bit() {
        for n in [1 << 16, 100_003, 1 << 22, (1 << 33) + 7, 1 << 50] {
            let (mut steps, mut blocks) = (rng_for_trial(1, n), rng_for_trial(1, n));
            // A stationary start, so that blocks meet many levels.
            let counts = [(0, n / 40), (1, n / 8), (2, n / 2), (3, n - n / 40 - n / 8 - n / 2 - n / 300), (4, n / 300)];
            let mut one = LoadProfile::from_level_counts(&counts).unwrap();
            let mut other = one.clone();
            for _ in 0..20 {
                for _ in 0..10_007 {
                    let bin = least_of(&one, 2, &mut steps);
                    one.place(bin, &());
                }
                other.throw_to_least(2, &(), 10_007, &mut blocks);
                assert_eq!(one, other);
                assert_eq!(steps, blocks);
                other.check();
            }
            assert_eq!((one.total, one.all_time_gap), (other.total, other.all_time_gap));
        }
    }

    /// Every bin of a vector is followed through the profile.
    #[test]
    fn it_is_a_load_vector_whose_bins_are_renamed() {
        let mut rng = rng_for_trial(2, 0);
        let mut vector = LoadVector::new(7).unwrap();
        let mut profile = LoadProfile::new(7).unwrap();
        profile.record_maximum();
        vector.record_maximum();
        let mut names: Vec<_> = (0..7).map(|place| profile.nth(place)).collect();
        for ball in 0..2000 {
            let bin = vector.draw(&mut rng);
            let put = if ball % 4 == 0 { Put::balls((1 + ball % 7).try_into().unwrap()) } else { Put::BALL };
            vector.put(bin, &(), put);
            let was = names[bin];
            let now = profile.put(was, &(), put);
            names = names.into_iter().map(|kept| profile.follow(kept, was, now)).collect();
            profile.check();
            assert_eq!(profile, LoadProfile::from(&vector));
            assert_eq!(profile.all_time_gap(), vector.all_time_gap());
            assert_eq!(profile.max_load_record(), vector.max_load_record());
            for (bin, &name) in names.iter().enumerate() {
                // Looked up afresh, and as the name remembers it.
                assert_eq!(profile.load(profile.nth(name.rank())), vector.load(bin));
                assert_eq!(profile.load(name), vector.load(bin));
            }
            let mut ranks: Vec<_> = names.iter().map(|name| name.rank()).collect();
            ranks.sort_unstable();
            assert_eq!(ranks, [0, 1, 2, 3, 4, 5, 6]);
        }
    }

    /// A stale name may be that of another bin by now; every question about it is refused.
    #[cfg(debug_assertions)]
    #[test]
    fn names_of_an_earlier_state_are_refused() {
        let mut profile = LoadProfile::new(3).unwrap();
        let (stale, was) = (profile.nth(0), profile.nth(2));
        let middle = profile.place(was, &());
        let now = profile.place(middle, &());
        let refuses = |question: &dyn Fn(LoadProfile)| {
            let asked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| question(profile.clone())));
            let message = *asked.unwrap_err().downcast::<String>().unwrap();
            assert!(message.contains("rank 0 is a name from another state"), "{message}");
        };
        refuses(&|profile| _ = profile.load(stale));
        refuses(&|profile| _ = profile.lighter(now, stale));
        refuses(&|profile| _ = profile.lighter(stale, now));
        refuses(&|mut profile| _ = profile.place(stale, &()));
        // It missed the first placement.
        refuses(&|profile| _ = profile.follow(stale, middle, now));
        assert_eq!(profile.load(profile.follow(middle, middle, now)), 2);
    }

    #[test]
    fn the_first_sample_wins_a_tie() {
        let profile = LoadProfile::from_level_counts(&[(1, 3), (2, 2)]).unwrap();
        for (first, second, lighter) in [(0, 1, 0), (1, 0, 1), (2, 4, 2), (4, 2, 4), (1, 3, 3), (3, 1, 3), (2, 2, 2)] {
            assert_eq!(profile.lighter(profile.nth(first), profile.nth(second)).rank(), lighter);
        }
    }

    #[test]
    fn bad_profiles_are_refused() {
        assert_eq!(LoadProfile::new(0), Err(LoadsError::NoBins));
        assert_eq!(LoadProfile::from_level_counts(&[]), Err(LoadsError::NoBins));
        assert_eq!(LoadProfile::new((1 << 62) + 1), Err(LoadsError::TooManyBins { bins: (1 << 62) + 1 }));
        assert!(matches!(LoadProfile::from_level_counts(&[(u64::MAX, 2)]), Err(LoadsError::TotalTooLarge { .. })));
        let wide = LoadProfile::from_level_counts(&[(0, 1), (1 << 24, 1)]);
        assert_eq!(wide, Err(LoadsError::TooManyLevels { lowest: 0, highest: 1 << 24 }));
    }
}
