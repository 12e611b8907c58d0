use bb_core::ParameterError;

use crate::error::{MemoryError, StateError, refuse};
use crate::model::{
    Ball, BallStream, Budget, Choice, Computed, Decider, Machine, Samples, State, StateEditor, checked_bins,
    checked_share,
};
use crate::numbers;

/// A window that moves over the bins, with one bit for each of its bins: a ball takes the first of `k`
/// samples that lies in the window and is not marked.
///
/// *State:* the number of the window, `ceil(lg ceil(n/s))` bits, and `s` bits that counter its bins.
/// *Decision:* the first sample in the window that is not marked, else the first sample beyond the window,
/// else the first sample. *Update:* a bin of the window that takes a ball is marked; when a share `1 − γ` of
/// the window is, the next window begins with no bin marked, and after the last one the first. *Class:*
/// computational. *Cost:* `O(k)` a ball, and `O(s/64)` where a bin is marked.
///
/// It does not reach what Alon, Gurel-Gurevich and Lubetzky (Ann. Appl. Probab. 20(4), 2010) show to be
/// possible with `k s = Ω(n)`, constant load: a ball misses the window with probability `(1 − s/n)^k`. Their
/// algorithm was not recovered.
///
/// # Examples
///
/// ```
/// use bb_memory::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
/// use bb_memory::{Bounded, Window};
///
/// let mut loads = LoadVector::new(1000)?;
/// let mut rule = Bounded::new(Window::new(1000, 20, 100, 0.2)?);
/// rule.start_and_run(&mut loads, 1000, &mut rng_for_trial(1, 0))?;
/// assert!(loads.max_load() <= 5 && rule.report().budget().get() == 104);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Window {
    bins: u64,
    samples: u32,
    size: u64,
    /// Marked bins after which the window moves on.
    full: u64,
    budget: Budget,
}

impl Window {
    /// Returns the scheme for `k` samples and a window of `s` bins that moves on when at most a share `γ` of
    /// it is left.
    ///
    /// # Errors
    ///
    /// If `k` is outside `1..=2^16`, `s` outside `1..=n`, `γ` outside `[0, 1)`, or `bins` outside `1..=2^40`.
    pub fn new(bins: u64, samples: u32, size: u64, gamma: f64) -> Result<Computed<Self>, MemoryError> {
        ParameterError::require((0.0..1.0).contains(&gamma), "gamma", gamma, "[0, 1)")?;
        let full = ((1.0 - gamma) * size as f64).ceil() as u64;
        Computed::new(Self::until(bins, samples, size, full)?)
    }

    fn until(bins: u64, samples: u32, size: u64, full: u64) -> Result<Self, MemoryError> {
        let bins = checked_bins(bins)?;
        ParameterError::require((1..=1 << 16).contains(&samples), "k", samples, "1..=2^16")?;
        checked_share("s", size, bins)?;
        let made = Self { bins, samples, size, full: full.clamp(1, size), budget: Budget::NONE };
        Ok(Self { budget: Budget::bits(u64::from(made.width()) + size)?, ..made })
    }

    fn windows(&self) -> u64 {
        self.bins.div_ceil(self.size)
    }
    /// The bits of the number of the window.
    #[inline]
    fn width(&self) -> u32 {
        numbers::width(self.windows() - 1)
    }
    /// The bins of a window; the last may be shorter.
    fn range(&self, window: u64) -> core::ops::Range<u64> {
        let begin = window * self.size;
        begin..(begin + self.size).min(self.bins)
    }
}

impl Decider for Window {
    type View = State;

    fn to_words(&self) -> Vec<u64> {
        vec![self.bins, u64::from(self.samples), self.size, self.full]
    }
    fn from_words(words: &[u64]) -> Option<Self> {
        let &[bins, samples, size, full] = words else { return None };
        Self::until(bins, u32::try_from(samples).ok()?, size, full).ok()
    }
    fn budget(&self) -> Budget {
        self.budget
    }
    fn samples(&self) -> u32 {
        self.samples
    }

    fn view(&self, state: &State) -> Result<State, StateError> {
        let window = state.get(0, self.width())?;
        if window >= self.windows() {
            return refuse("there is no such window");
        }
        let range = self.range(window);
        for beyond in range.end - range.start..self.size {
            if state.get(u64::from(self.width()) + beyond, 1)? == 1 {
                return refuse("a bin beyond the last one is marked");
            }
        }
        Ok(state.clone())
    }

    #[inline]
    fn decide(&self, state: &State, samples: Samples<'_>) -> Choice {
        let width = self.width();
        let range = self.range(state.get(0, width).unwrap_or(0));
        let unmarked = |&bin: &usize| {
            let bin = bin as u64;
            range.contains(&bin) && state.get(u64::from(width) + bin - range.start, 1) == Ok(0)
        };
        let bins = samples.bins();
        let place = bins.iter().position(unmarked).or_else(|| bins.iter().position(|&bin| bin as u64 >= range.end));
        Choice::sure(place.unwrap_or(0) as u32)
    }
}

impl Machine for Window {
    fn bins(&self) -> Option<u64> {
        Some(self.bins)
    }
    #[inline]
    fn next(&self, state: &mut StateEditor<'_>, ball: Ball<'_>, _: &mut BallStream) -> Result<(), StateError> {
        let (width, bin) = (self.width(), ball.bin as u64);
        let window = state.state().get(0, width)?;
        let range = self.range(window);
        if !range.contains(&bin) {
            return Ok(());
        }
        let at = u64::from(width) + bin - range.start;
        if state.state().get(at, 1)? == 1 {
            return Ok(());
        }
        state.set(at, 1, 1)?;
        let (begin, end) = (u64::from(width), self.budget.get());
        let pieces = (begin..end).step_by(64).map(|at| (at, (end - at).min(64) as u32));
        let mut marked = 0;
        for (at, piece) in pieces.clone() {
            marked += u64::from(state.state().get(at, piece)?.count_ones());
        }
        // The last window may be shorter: the same share of it.
        let length = range.end - range.start;
        if u128::from(marked) * u128::from(self.size) >= u128::from(self.full) * u128::from(length) {
            state.set(0, width, (window + 1) % self.windows())?;
            for (at, piece) in pieces {
                state.set(at, piece, 0)?;
            }
        }
        Ok(())
    }
}
