//! Every decision of a run: [`History`], and checkpoints while it runs: [`run_with_checkpoints`].

use rand::Rng;

use crate::allocator::Allocator;
use crate::decision::Decision;
use crate::place::{Place, Put};

/// The full history of a run: for each step the primary sample, the bin that received, which sample it was,
/// and what was put.
///
/// For a rule that does not override [`Allocator::decide`] the receiving bin counts as the primary: such a
/// rule does not say which bins it sampled.
///
/// # Complexity
///
/// One entry a step, 48 bytes for labelled bins.
///
/// # Examples
///
/// ```
/// use bb_core::{Allocator, Bins, BinsExt, History, LoadVector, Rng, rng_for_trial};
///
/// struct First;
/// impl<B: Bins> Allocator<B> for First {
///     fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> B::Bin { bins.draw(rng) }
/// }
///
/// let mut loads = LoadVector::new(8)?;
/// let mut history = History::new();
/// history.record(&mut First, &mut loads, 100, &mut rng_for_trial(1, 0));
/// assert_eq!((history.len(), history.is_empty(), history.balls()), (100, false, 100));
/// assert!(history.iter().all(|step| step.decision.is_primary()));
///
/// let mut again = LoadVector::new(8)?;
/// history.replay(&mut again);
/// assert_eq!(again, loads);
/// # Ok::<(), bb_core::LoadsError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History<Bin = usize> {
    steps: Vec<HistoryStep<Bin>>,
}

/// One step of a [`History`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HistoryStep<Bin> {
    /// What was decided: primary, receiving bin, and which sample it was.
    pub decision: Decision<Bin>,
    /// What was put into the bin.
    pub put: Put,
}

impl<Bin: Copy + Eq> History<Bin> {
    /// Returns an empty history.
    #[must_use]
    pub const fn new() -> Self {
        Self { steps: Vec::new() }
    }

    /// Steps until `balls` more balls are placed, and keeps every decision. Same bins and words as
    /// [`Allocator::run`].
    pub fn record<B, A, R>(&mut self, rule: &mut A, bins: &mut B, balls: u64, rng: &mut R)
    where
        B: Place<Bin = Bin>,
        A: Allocator<B> + ?Sized,
        R: Rng + ?Sized,
    {
        let mut left = balls;
        while left > 0 {
            let decision = rule.decide(bins, rng);
            let put = rule.put(bins, decision.bin);
            let now = bins.put(decision.bin, &(), put);
            rule.placed(bins, decision.bin, now);
            self.steps.push(HistoryStep { decision, put });
            left = left.saturating_sub(put.count());
        }
    }

    /// Places the same balls into the same bins, on loads equal to those at the start.
    pub fn replay<B: Place<Bin = Bin>>(&self, bins: &mut B) {
        for step in &self.steps {
            bins.put(step.decision.bin, &(), step.put);
        }
    }

    /// Returns the number of steps.
    #[must_use]
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Tells whether there is no step.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Returns the number of balls placed.
    #[must_use]
    pub fn balls(&self) -> u64 {
        self.steps.iter().map(|step| step.put.count()).sum()
    }

    /// Iterates over the steps in their order.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &HistoryStep<Bin>> {
        self.steps.iter()
    }
}

impl<Bin: Copy + Eq> Default for History<Bin> {
    fn default() -> Self {
        Self::new()
    }
}

/// Runs a rule for `balls` balls, and calls `see(ball, loads)` each time when a number of balls listed in
/// `at` has been placed.
///
/// `at` gives numbers of balls, increasing, counted from 0 at the call (`0` is before the first ball);
/// those beyond `balls` are not reached, and one that is not larger than the number before it is passed over.
/// A step that places several balls may pass a checkpoint; `see` then gets the number of balls asked for.
/// For every `k` balls say `(0..=balls).step_by(k)`. Bins and words are those of [`Allocator::run`].
///
/// # Examples
///
/// ```
/// use bb_core::{Allocator, Bins, BinsExt, LoadVector, Metrics, Rng, rng_for_trial, run_with_checkpoints};
///
/// struct First;
/// impl<B: Bins> Allocator<B> for First {
///     fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> B::Bin { bins.draw(rng) }
/// }
///
/// let mut loads = LoadVector::new(100)?;
/// let mut seen = Vec::new();
/// let mut rng = rng_for_trial(1, 0);
/// run_with_checkpoints(&mut First, &mut loads, 1000, (0..=1000).step_by(250), &mut rng, |ball, loads| {
///     assert_eq!(loads.total(), ball);
///     seen.push(ball);
/// });
/// assert_eq!(seen, [0, 250, 500, 750, 1000]);
/// # Ok::<(), bb_core::LoadsError>(())
/// ```
pub fn run_with_checkpoints<B, A, R>(
    rule: &mut A,
    bins: &mut B,
    balls: u64,
    at: impl IntoIterator<Item = u64>,
    rng: &mut R,
    mut see: impl FnMut(u64, &B),
) where
    B: Place,
    A: Allocator<B> + ?Sized,
    R: Rng + ?Sized,
{
    let mut placed = 0;
    let mut looked = None;
    for next in at.into_iter().take_while(|&next| next <= balls) {
        if looked.is_some_and(|last| next <= last) {
            continue;
        }
        if next > placed {
            placed += rule.run(bins, next - placed, rng);
        }
        see(next, bins);
        looked = Some(next);
    }
    if balls > placed {
        rule.run(bins, balls - placed, rng);
    }
}
