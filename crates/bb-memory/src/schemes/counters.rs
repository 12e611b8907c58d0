use bb_core::ParameterError;

use crate::error::{MemoryError, StateError, refuse};
use crate::model::{
    Ball, BallStream, Budget, Choice, Computed, Decider, Machine, Samples, State, StateEditor, TieRule, checked_bins,
};

/// Saturating counters: `b` bits for each bin count its balls up to `2^b − 1`, and the lesser counter takes
/// the ball.
///
/// *State:* `min(load, 2^b − 1)` of each bin; `n b` bits. *Decision:* the least counter among `d ≥ 1`
/// samples. *Update:* the counter of the bin goes up, unless it is full. *Class:* computational. *Cost:*
/// `O(d)` a ball. A ball that leaves takes one off a counter that is not full; what a full one stands for is
/// not known.
///
/// # Guarantees
///
/// On every path and for the same samples and ties as Greedy\[d\], `min(load, 2^b − 1)` is that of
/// Greedy\[d\] for all bins at all times: as long as the lesser counter is not full both choose alike, and
/// else the truncated loads do not move. So it *is* Greedy\[d\] while that has a maximum below the cap. About
/// `log log log n` bits a bin do for `m = n` (Benjamini and Makarychev, Ann. Appl. Probab. 22(4), 2012).
///
/// Measured at `m = n`, two samples, for `n = 2^16` and `2^20`: mean maximum 6.0 and 6.8 for `b = 1`, 3.45
/// and 4.0 for `b = 2`, where Greedy\[2\] has 3.4 and 4.0. With many balls a bin all counters are full, and
/// it is One-Choice; [`RelativeCounters`](crate::RelativeCounters) are for that.
///
/// # Examples
///
/// ```
/// use bb_memory::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
/// use bb_memory::{Bounded, ModelClass, SaturatingCounters, TieRule};
///
/// let mut loads = LoadVector::new(10_000)?;
/// let mut rule = Bounded::new(SaturatingCounters::new(10_000, 2)?);
/// rule.start_and_run(&mut loads, 10_000, &mut rng_for_trial(1, 0))?;
/// assert!(loads.max_load() <= 4);
/// assert_eq!((rule.report().budget().get(), rule.report().class()), (20_000, ModelClass::Computational));
///
/// let error = SaturatingCounters::new(10, 33).unwrap_err();
/// assert_eq!(error.to_string(), "b = 33 is outside 1..=32");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SaturatingCounters {
    bins: u64,
    width: u32,
    most: u64,
    samples: u32,
    ties: TieRule,
    budget: Budget,
}

impl SaturatingCounters {
    /// Returns counters of `b` bits for two samples, ties to the first.
    ///
    /// # Errors
    ///
    /// If `b` is outside `1..=32`, or `bins` outside `1..=2^40`, or there are more than `2^36` bits.
    pub fn new(bins: u64, bits: u32) -> Result<Computed<Self>, MemoryError> {
        Self::with_choices(bins, bits, 2, TieRule::First)
    }

    /// Returns counters of `b` bits for `d` samples.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new), and if `d` is outside `1..=2^16`.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_memory::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
    /// use bb_memory::{Bounded, SaturatingCounters, TieRule};
    ///
    /// let mut loads = LoadVector::new(10_000)?;
    /// let mut rule = Bounded::new(SaturatingCounters::with_choices(10_000, 2, 4, TieRule::Coin)?);
    /// rule.start_and_run(&mut loads, 10_000, &mut rng_for_trial(1, 0))?;
    /// assert!(loads.max_load() <= 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_choices(bins: u64, bits: u32, choices: u32, ties: TieRule) -> Result<Computed<Self>, MemoryError> {
        Computed::new(Self::of_bits(bins, bits)?.with_samples(choices)?.with_ties(ties))
    }

    /// Returns the machine whose counters take all numbers of `b` bits.
    pub(crate) fn of_bits(bins: u64, bits: u32) -> Result<Self, MemoryError> {
        Self::up_to(bins, bits, if (1..=32).contains(&bits) { (1 << bits) - 1 } else { 0 })
    }

    /// Returns the machine whose counters have `width` bits and stop at `most`, for two samples, ties to the
    /// first.
    ///
    /// As a decider it compares any small number of each bin: the thresholds that its load has reached, say.
    ///
    /// # Errors
    ///
    /// If `bins` is outside `1..=2^40`, `width` outside `1..=32`, `most` does not fit, or the budget exceeds
    /// `2^36` bits.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_memory::{Decider, Machine, SaturatingCounters, TieRule};
    ///
    /// let counters = SaturatingCounters::up_to(10, 2, 3)?.with_ties(TieRule::Coin).with_samples(3)?;
    /// assert_eq!((counters.budget().get(), counters.most(), Machine::bins(&counters)), (20, 3, Some(10)));
    /// assert_eq!(SaturatingCounters::from_words(&counters.to_words()), Some(counters));
    /// # Ok::<(), bb_memory::MemoryError>(())
    /// ```
    pub fn up_to(bins: u64, width: u32, most: u64) -> Result<Self, MemoryError> {
        let bins = checked_bins(bins)?;
        ParameterError::require((1..=32).contains(&width), "b", width, "1..=32")?;
        ParameterError::require(most > 0 && most >> width == 0, "most", most, format_args!("1..2^{width}"))?;
        let budget = Budget::bits(bins * u64::from(width))?;
        Ok(Self { bins, width, most, samples: 2, ties: TieRule::First, budget })
    }

    /// Sets the rule for ties.
    #[must_use]
    pub fn with_ties(self, ties: TieRule) -> Self {
        Self { ties, ..self }
    }

    /// Sets the number of samples.
    ///
    /// # Errors
    ///
    /// If it is outside `1..=2^16`.
    pub fn with_samples(self, samples: u32) -> Result<Self, MemoryError> {
        ParameterError::require((1..=1 << 16).contains(&samples), "d", samples, "1..=2^16")?;
        Ok(Self { samples, ..self })
    }

    /// Returns the number at which a counter stops.
    #[must_use]
    pub fn most(&self) -> u64 {
        self.most
    }

    /// The field of a bin: its first bit, and its width.
    #[inline]
    pub(crate) fn place(&self, bin: usize) -> (u64, u32) {
        (bin as u64 * u64::from(self.width), self.width)
    }

    /// The counter of a bin.
    #[inline]
    pub(crate) fn read(&self, state: &State, bin: usize) -> u64 {
        let (at, width) = self.place(bin);
        state.get(at, width).unwrap_or(0)
    }
}

/// The choice of the sample of least value.
#[inline]
pub(crate) fn least(samples: Samples<'_>, ties: TieRule, value: impl Fn(usize) -> u64) -> Choice {
    let bins = samples.bins();
    if let &[first, second] = bins {
        let (a, b) = (value(first), value(second));
        return if a == b { Choice::tie(ties, samples) } else { Choice::sure(u32::from(b < a)) };
    }
    let Some(smallest) = bins.iter().map(|&bin| value(bin)).min() else { return Choice::sure(0) };
    let tied = || (0_u32..).zip(bins).filter(|&(_, &bin)| value(bin) == smallest);
    match ties {
        TieRule::First => Choice::sure(tied().next().map_or(0, |(place, _)| place)),
        TieRule::Left => Choice::sure(tied().min_by_key(|&(_, &bin)| bin).map_or(0, |(place, _)| place)),
        TieRule::Coin => {
            let weights: Vec<u32> = bins.iter().map(|&bin| u32::from(value(bin) == smallest)).collect();
            Choice::weighted(&weights)
        }
    }
}

/// Reads a state of so many counters and nothing else, each in `0..=most`.
pub(crate) fn counters(state: &State, count: u64, width: u32, most: u64) -> Result<State, StateError> {
    let mut reader = state.reader();
    for _ in 0..count {
        if reader.read(width)? > most {
            return refuse("a counter is out of range");
        }
    }
    reader.finish()?;
    Ok(state.clone())
}

/// Adds one to a counter, unless it is full.
#[inline]
pub(crate) fn add_one(state: &mut StateEditor<'_>, (at, width): (u64, u32), full: u64) -> Result<(), StateError> {
    let counter = state.state().get(at, width)?;
    state.set(at, width, (counter + 1).min(full))
}

/// Takes one off a counter, if it says how many balls there are.
pub(crate) fn take_one(state: &mut StateEditor<'_>, (at, width): (u64, u32), full: u64) -> Result<(), StateError> {
    match state.state().get(at, width)? {
        0 => refuse("a ball leaves where none is counted"),
        counter if counter == full => refuse("the counter is full, so what it becomes is not known"),
        counter => state.set(at, width, counter - 1),
    }
}

impl Decider for SaturatingCounters {
    type View = State;

    fn to_words(&self) -> Vec<u64> {
        vec![self.bins, u64::from(self.width), self.most, u64::from(self.samples), self.ties.to_word()]
    }
    fn from_words(words: &[u64]) -> Option<Self> {
        let &[bins, width, most, samples, ties] = words else { return None };
        let made = Self::up_to(bins, u32::try_from(width).ok()?, most).ok()?;
        Some(made.with_samples(u32::try_from(samples).ok()?).ok()?.with_ties(TieRule::from_word(ties)?))
    }
    fn budget(&self) -> Budget {
        self.budget
    }
    fn samples(&self) -> u32 {
        self.samples
    }
    fn view(&self, state: &State) -> Result<State, StateError> {
        counters(state, self.bins, self.width, self.most)
    }
    #[inline]
    fn decide(&self, state: &State, samples: Samples<'_>) -> Choice {
        least(samples, self.ties, |bin| self.read(state, bin))
    }
}

impl Machine for SaturatingCounters {
    fn bins(&self) -> Option<u64> {
        Some(self.bins)
    }
    #[inline]
    fn next(&self, state: &mut StateEditor<'_>, ball: Ball<'_>, _: &mut BallStream) -> Result<(), StateError> {
        add_one(state, self.place(ball.bin), self.most)
    }
    fn follows_removals(&self) -> bool {
        true
    }
    fn removed(&self, state: &mut StateEditor<'_>, bin: usize) -> Result<(), StateError> {
        take_one(state, self.place(bin), self.most)
    }
}
