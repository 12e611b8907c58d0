use core::convert::Infallible;

use bb_core::{ParameterError, StartError};

use crate::error::{MemoryError, StateError};
use crate::format::{Format, Layout, Shape};
use crate::model::{
    Advice, Advisor, Ball, BallStream, Budget, Choice, Decider, Loads, Notes, Samples, State, StateWriter, Token,
};
use crate::schemes::heavy_list::Listed;

/// Idle hint: the advisor lists up to `c` empty bins, and a sample that is listed takes the ball.
///
/// *State:* the set, Elias–Fano coded. *Decision:* the first sample that is listed, else the first sample.
/// *Class:* communication. *Cost:* `O(1)` a ball.
///
/// At most a share `2c/n` of the balls have a listed bin among their samples, so with `c = n^(1 − δ)` the
/// leading term `ln n/ln ln n` of One-Choice stays: bits are worth spending on heavy bins, not on empty ones.
///
/// # Examples
///
/// ```
/// use bb_memory::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
/// use bb_memory::{Bounded, Budget, IdleHint};
///
/// let mut loads = LoadVector::new(1000)?;
/// let hint = IdleHint::new(1000, Budget::bits(500)?, 2000)?;
/// // All that fit, and no more than there are.
/// assert_eq!(hint.capacity(), 92);
/// let mut rule = Bounded::new(hint);
/// rule.start_and_run(&mut loads, 500, &mut rng_for_trial(1, 0))?;
/// let [none, one, two] = rule.report().listed();
/// assert!(none > one && one > 5 * two && one > 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct IdleHint {
    layout: Layout,
    capacity: u64,
    listed: Listed,
    /// All empty bins, the listed ones first, and the place of each bin in it.
    empty: Vec<usize>,
    places: Vec<usize>,
    longest: u64,
    changed: bool,
}

/// The decision of [`IdleHint`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HintDecider(Layout);

/// The place of a bin that is not empty.
const NOWHERE: usize = usize::MAX;

impl IdleHint {
    /// Returns the scheme with a list of up to `most` bins, as far as they fit and there are any.
    ///
    /// # Errors
    ///
    /// If the budget does not hold one entry, `most` is 0, or `bins` is outside `1..=2^40`.
    pub fn new(bins: u64, budget: Budget, most: u64) -> Result<Self, MemoryError> {
        ParameterError::require(most > 0, "c", most, "1..")?;
        let layout = Layout::new(bins, budget, Format::EliasFano, 1)?;
        let capacity = layout.capacity().min(most);
        let (empty, places) = (Vec::new(), Vec::new());
        Ok(Self { layout, capacity, listed: Listed::default(), empty, places, longest: 0, changed: true })
    }

    /// Returns the most bins that are listed: `c`, clamped to what fits and to `n`.
    #[must_use]
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    fn put(&mut self, bin: usize, place: usize) {
        self.places[bin] = place;
        self.empty[place] = bin;
        if (place as u64) < self.capacity {
            self.listed.insert(bin);
            self.longest = self.longest.max(place as u64 + 1);
            self.changed = true;
        }
    }

    fn take(&mut self, bin: usize) {
        let place = self.places[bin];
        if place == NOWHERE {
            return;
        }
        self.changed |= self.listed.remove(bin);
        self.places[bin] = NOWHERE;
        // The last one moves to its place; listed ones stay in front.
        if let Some(last) = self.empty.pop()
            && last != bin
        {
            self.put(last, place);
        }
    }
}

impl Advisor for IdleHint {
    type Decider = HintDecider;
    type Failure = Infallible;

    fn decider(&self) -> HintDecider {
        HintDecider(self.layout)
    }

    fn begin(&mut self, loads: Loads<'_>) -> Result<(), StartError> {
        loads.expect_bins(self.layout.bins())?;
        self.listed = Listed::default();
        (self.empty, self.longest) = (Vec::new(), 0);
        self.places = vec![NOWHERE; loads.bins() as usize];
        for (bin, _) in loads.iter().enumerate().filter(|&(_, load)| load == 0) {
            self.empty.push(bin);
            self.put(bin, self.empty.len() - 1);
        }
        self.changed = true;
        Ok(())
    }

    #[inline]
    fn advise(&mut self, _: Loads<'_>, _: &mut BallStream) -> Result<Advice, Infallible> {
        Ok(Advice::take(&mut self.changed))
    }

    fn write(&self, _: Loads<'_>, writer: &mut StateWriter) -> Result<(), StateError> {
        self.layout.encode(&self.listed.to_list(), writer)
    }

    #[inline]
    fn placed(&mut self, loads: Loads<'_>, ball: Ball<'_>) {
        if loads.load(ball.bin) == 1 {
            self.take(ball.bin);
        }
    }

    fn follows_removals(&self) -> bool {
        true
    }
    fn removed(&mut self, loads: Loads<'_>, bin: usize) -> Result<(), StateError> {
        if loads.load(bin) == 0 && self.places[bin] == NOWHERE {
            self.empty.push(bin);
            self.put(bin, self.empty.len() - 1);
        }
        Ok(())
    }

    #[inline]
    fn lend(&self, _: Token) -> Option<&Listed> {
        Some(&self.listed)
    }
    fn notes(&self, _: Token) -> Notes {
        let listed = (self.empty.len() as u64).min(self.capacity);
        let (bits, longest) = (self.layout.length(&Shape::flat(listed)), Some(self.longest));
        let helper_bytes = 8 * (self.empty.capacity() + self.places.capacity()) as u64;
        Notes { bits, longest, helper_bytes, ..Notes::default() }
    }
}

impl Decider for HintDecider {
    type View = Listed;

    fn to_words(&self) -> Vec<u64> {
        self.0.to_words()
    }
    fn from_words(words: &[u64]) -> Option<Self> {
        Layout::from_words(words).map(Self)
    }
    fn budget(&self) -> Budget {
        self.0.budget()
    }
    fn view(&self, state: &State) -> Result<Listed, StateError> {
        self.0.decode(state).map(Listed::of_list)
    }

    #[inline]
    fn decide(&self, view: &Listed, samples: Samples<'_>) -> Choice {
        let [first, second] = [samples.first(), samples.second()].map(|bin| view.excess(bin).is_some());
        Choice::sure(u32::from(!first && second)).listing(u8::from(first) + u8::from(second))
    }
}
