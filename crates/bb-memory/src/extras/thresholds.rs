use core::convert::Infallible;

use bb_core::{ParameterError, StartError};

use crate::error::{MemoryError, StateError};
use crate::model::{
    Advice, Advisor, Ball, BallStream, Decider, Loads, Machine, Notes, State, StateEditor, StateWriter, TieRule, Token,
};
use crate::numbers::width;
use crate::schemes::counters::SaturatingCounters;

/// Thresholds: the state has the level of each bin, the number of thresholds `θ_1 < … < θ_r` that its load
/// has reached, and the lower level takes the ball.
///
/// *State:* `n ceil(lg(r + 1))` bits. *Decision:* the lower level; equal levels are a tie. *Class:*
/// communication: for thresholds other than 1, 2, … the levels cannot be kept up from the levels. *Cost:*
/// `O(1)` a ball, `O(log r)` where a level may change.
///
/// # Guarantees
///
/// One binary question a bin allows `O(√(log n/log log n))` at `m = O(n)` (Feldheim and Gurel-Gurevich, arXiv
/// 1807.01132), and `r = O(log log n)` of them allow `m/n + O(r (log n)^(1/r))` for every `m` (Los and
/// Sauerwald, arXiv 2107.03916).
///
/// # Examples
///
/// ```
/// use bb_memory::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
/// use bb_memory::{Bounded, Thresholds};
///
/// let mut loads = LoadVector::new(10_000)?;
/// let mut rule = Bounded::new(Thresholds::new(10_000, &[1, 2, 3])?);
/// rule.start_and_run(&mut loads, 10_000, &mut rng_for_trial(1, 0))?;
/// assert!(loads.max_load() <= 4 && rule.report().budget().get() == 20_000);
/// let error = Thresholds::new(10, &[2, 2]).unwrap_err();
/// assert!(error.to_string().starts_with("thetas = [2, 2] is outside the strictly increasing lists"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Thresholds {
    /// Compares levels as if they were counters.
    decider: SaturatingCounters,
    thetas: Vec<u64>,
    initial: State,
    state: State,
    changed: bool,
}

/// One bit for each bin that says whether its load has reached `θ`; see [`Thresholds`].
///
/// At `n = m = 2^16` the best is `θ = 3`, with a mean maximum of 4.45;
/// [`best_threshold_bit`](crate::theory::best_threshold_bit) is a formula. `θ = 1` is
/// [`SaturatingCounters`](crate::SaturatingCounters) of one bit, pick by pick, and
/// [`HeavyList::set`](crate::HeavyList::set) the sparse form.
///
/// # Examples
///
/// ```
/// use bb_memory::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
/// use bb_memory::{Bounded, ThresholdBit};
///
/// let mut loads = LoadVector::new(10_000)?;
/// Bounded::new(ThresholdBit::new(10_000, 3)?).start_and_run(&mut loads, 10_000, &mut rng_for_trial(1, 0))?;
/// assert!(loads.max_load() <= 5);
/// assert!(ThresholdBit::new(10, 0).is_err(), "all bits set say nothing");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThresholdBit {}

impl ThresholdBit {
    /// Returns the scheme with one threshold.
    ///
    /// # Errors
    ///
    /// As for [`Thresholds::new`].
    #[expect(clippy::new_ret_no_self, reason = "one threshold is a case of several")]
    pub fn new(bins: u64, theta: u64) -> Result<Thresholds, MemoryError> {
        Thresholds::new(bins, &[theta])
    }
}

impl Thresholds {
    /// Returns the scheme for two samples, ties to the first.
    ///
    /// # Errors
    ///
    /// If there are no thresholds, they do not increase, the first is 0, `bins` is outside `1..=2^40`, or
    /// there are more than `2^36` bits.
    pub fn new(bins: u64, thetas: &[u64]) -> Result<Self, MemoryError> {
        let increase = thetas.windows(2).all(|pair| pair[0] < pair[1]);
        if thetas.first().is_none_or(|&theta| theta == 0) || !increase {
            let range = "the strictly increasing lists of numbers above 0, not empty";
            return Err(ParameterError::new("thetas", format!("{thetas:?}"), range).into());
        }
        let most = thetas.len() as u64;
        let decider = SaturatingCounters::up_to(bins, width(most), most)?;
        let initial = StateWriter::new(decider.budget())?.finish()?;
        Ok(Self { decider, thetas: thetas.to_vec(), state: initial.clone(), initial, changed: true })
    }

    /// Sets the rule for equal levels.
    #[must_use]
    pub fn with_ties(mut self, ties: TieRule) -> Self {
        self.decider = self.decider.with_ties(ties);
        self
    }

    /// Sets the number of samples.
    ///
    /// # Errors
    ///
    /// If it is outside `1..=2^16`.
    pub fn with_samples(mut self, samples: u32) -> Result<Self, MemoryError> {
        self.decider = self.decider.with_samples(samples)?;
        Ok(self)
    }

    #[inline]
    fn set(&mut self, bin: usize, load: u64) -> Result<(), StateError> {
        let level = self.thetas.partition_point(|&theta| theta <= load) as u64;
        let (at, width) = self.decider.place(bin);
        StateEditor::new(&mut self.state, &mut self.changed).set(at, width, level)
    }
}

impl Advisor for Thresholds {
    type Decider = SaturatingCounters;
    type Failure = Infallible;

    fn decider(&self) -> SaturatingCounters {
        self.decider
    }

    fn begin(&mut self, loads: Loads<'_>) -> Result<(), StartError> {
        self.decider.bins().map_or(Ok(()), |bins| loads.expect_bins(bins))?;
        self.state.clone_from(&self.initial);
        for (bin, load) in loads.iter().enumerate() {
            self.set(bin, load).map_err(|error| StartError::Unsuitable(error.to_string()))?;
        }
        self.changed = true;
        Ok(())
    }

    #[inline]
    fn advise(&mut self, _: Loads<'_>, _: &mut BallStream) -> Result<Advice, Infallible> {
        Ok(Advice::take(&mut self.changed))
    }

    fn write(&self, _: Loads<'_>, writer: &mut StateWriter) -> Result<(), StateError> {
        writer.write_state(&self.state)
    }

    #[inline]
    fn placed(&mut self, loads: Loads<'_>, ball: Ball<'_>) {
        let load = loads.load(ball.bin);
        if load >= self.thetas[0] {
            // The field exists for every bin of the loads that it began on, and holds every level.
            let _ = self.set(ball.bin, load);
        }
    }

    fn follows_removals(&self) -> bool {
        true
    }
    fn removed(&mut self, loads: Loads<'_>, bin: usize) -> Result<(), StateError> {
        self.set(bin, loads.load(bin))
    }
    fn is_function_of_loads(&self) -> bool {
        true
    }
    #[inline]
    fn lend(&self, _: Token) -> Option<&State> {
        Some(&self.state)
    }
    fn notes(&self, _: Token) -> Notes {
        Notes::of_state(&self.state)
    }
}
