use bb_core::{ParameterError, Rng};

use crate::model::checked_bins;
use crate::{
    Budget, Choice, Computed, Decider, Machine, MemoryError, Parameters, Samples, State, StateEditor, StateError,
    StateWriter,
};

/// A window that moves over the bins, with one bit for each of its bins: a ball takes the first of `k` samples that lies in the window and is not marked.
///
/// *State:* the number of the window, `ceil(lg ceil(n/s))` bits, and `s` bits that counter its bins. *Decision:* the first sample in the window that is not marked, else the first sample beyond the window, else the first sample. *Update:* a bin of the window that takes a ball is marked; when a share `1 − γ` of the window is, the next
/// window begins with no bin marked, and after the last one the first. *ModelClass:* computational. *Cost:* `O(k)` a ball, and `O(s/64)` where a bin is marked.
///
/// It does not reach what Alon, Gurel-Gurevich and Lubetzky (Ann. Appl. Probab. 20(4), 2010) show to be possible with `k s = Ω(n)`, constant load: a ball misses the window with probability `(1 − s/n)^k`. Their algorithm was not recovered.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {}

/// The parameters of [`Window`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WindowParameters {
    bins: u64,
    samples: u32,
    size: u64,
    /// WithCounters bins after which the window moves on.
    full: u64,
}

impl Window {
    /// Returns the scheme for `k` samples and a window of `s` bins that moves on when at most a share `γ` of it is left; the type's example shows it.
    ///
    /// # Errors
    ///
    /// If `k` is outside `1..=2^16`, `s` outside `1..=n`, `γ` outside `[0, 1)`, or `bins` outside `1..=2^40`.
    pub fn new(bins: u64, samples: u32, size: u64, gamma: f64) -> Result<Computed<Self>, MemoryError> {
        if !(0.0..1.0).contains(&gamma) {
            return Err(ParameterError::new("gamma", format!("{gamma:?}"), "[0, 1)").into());
        }
        let full = ((1.0 - gamma) * size as f64).ceil() as u64;
        Computed::new(WindowParameters::new(bins, samples, size, full)?)
    }
}

impl WindowParameters {
    fn new(bins: u64, samples: u32, size: u64, full: u64) -> Result<Self, MemoryError> {
        let bins = checked_bins(bins)?;
        if samples == 0 || samples > 1 << 16 {
            return Err(ParameterError::new("k", samples, "1..=2^16").into());
        }
        if size == 0 || size > bins {
            return Err(ParameterError::new("s", size, format!("1..={bins}, the number of bins")).into());
        }
        let made = Self { bins, samples, size, full: full.clamp(1, size) };
        Budget::bits(made.bits())?;
        Ok(made)
    }

    fn windows(&self) -> u64 {
        self.bins.div_ceil(self.size)
    }
    #[inline]
    fn width(&self) -> u32 {
        64 - (self.windows() - 1).leading_zeros()
    }
    fn bits(&self) -> u64 {
        u64::from(self.width()) + self.size
    }
    /// The bins of a window; the last may be shorter.
    fn range(&self, window: u64) -> core::ops::Range<u64> {
        let begin = window * self.size;
        begin..(begin + self.size).min(self.bins)
    }
}

impl Parameters for WindowParameters {
    fn to_words(&self) -> Vec<u64> {
        vec![self.bins, u64::from(self.samples), self.size, self.full]
    }
    fn from_words(words: &[u64]) -> Option<Self> {
        let &[bins, samples, size, full] = words else { return None };
        Self::new(bins, u32::try_from(samples).ok()?, size, full).ok()
    }
}

impl Decider for Window {
    type Parameters = WindowParameters;
    type View = State;

    fn samples(parameters: &WindowParameters) -> u32 {
        parameters.samples
    }

    fn view(parameters: &WindowParameters, state: &State) -> Result<State, StateError> {
        let window = state.get(0, parameters.width())?;
        if window >= parameters.windows() {
            return Err(StateError::NonCanonical { reason: "there is no such window" });
        }
        let range = parameters.range(window);
        for beyond in range.end - range.start..parameters.size {
            if state.get(u64::from(parameters.width()) + beyond, 1)? == 1 {
                return Err(StateError::NonCanonical { reason: "a bin beyond the last one is marked" });
            }
        }
        Ok(state.clone())
    }

    fn decide(parameters: &WindowParameters, state: &State, sample: Samples<'_>) -> Choice {
        let width = parameters.width();
        let range = parameters.range(state.get(0, width).unwrap_or(0));
        let unmarked = |&bin: &usize| {
            let bin = bin as u64;
            range.contains(&bin) && state.get(u64::from(width) + bin - range.start, 1) == Ok(0)
        };
        let bins = sample.bins();
        let place = bins.iter().position(unmarked).or_else(|| bins.iter().position(|&bin| bin as u64 >= range.end));
        Choice::sure(place.unwrap_or(0) as u32)
    }
}

impl Machine for Window {
    fn budget(parameters: &WindowParameters) -> Budget {
        Budget::bits(parameters.bits()).unwrap_or(Budget::NONE)
    }
    fn bins(parameters: &WindowParameters) -> Option<u64> {
        Some(parameters.bins)
    }
    fn initial(_: &WindowParameters, _: &mut StateWriter) -> Result<(), StateError> {
        Ok(())
    }
    fn next<R: Rng>(
        parameters: &WindowParameters,
        state: &mut StateEditor<'_>,
        sample: Samples<'_>,
        place: u32,
        _: &mut R,
    ) -> Result<(), StateError> {
        let width = parameters.width();
        let window = state.state().get(0, width)?;
        let (range, bin) = (parameters.range(window), sample.bins()[place as usize] as u64);
        if !range.contains(&bin) {
            return Ok(());
        }
        let at = u64::from(width) + bin - range.start;
        if state.state().get(at, 1)? == 1 {
            return Ok(());
        }
        state.set(at, 1, 1)?;
        let (begin, end) = (u64::from(width), parameters.bits());
        let pieces = (begin..end).step_by(64).map(|at| (at, (end - at).min(64) as u32));
        let mut marked = 0;
        for (at, piece) in pieces.clone() {
            marked += u64::from(state.state().get(at, piece)?.count_ones());
        }
        // The last window may be shorter: the same share of it.
        let length = range.end - range.start;
        if u128::from(marked) * u128::from(parameters.size) >= u128::from(parameters.full) * u128::from(length) {
            state.set(0, width, (window + 1) % parameters.windows())?;
            for (at, piece) in pieces {
                state.set(at, piece, 0)?;
            }
        }
        Ok(())
    }
}
