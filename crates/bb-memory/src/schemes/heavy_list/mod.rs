//! The upper bound: a list of the heavy bins.

mod decider;
mod policy;
mod tracker;

use core::convert::Infallible;
use core::marker::PhantomData;

use bb_core::{ParameterError, StartError};

pub use self::decider::{ListDecider, Listed};
pub use self::policy::{Overflow, Policy};
use self::tracker::Tracker;
use crate::error::{MemoryError, StateError};
use crate::format::{Format, Layout};
use crate::model::{
    Advice, AdviceFailure, Advisor, Ball, BallStream, Budget, Loads, Notes, StateWriter, TieRule, Token,
};

/// The heavy list: the advisor lists the bins of load `T` or more, with the excess of each, and the ball goes
/// to a sample that is not listed.
///
/// *State:* the list, in a [`Format`]. *Decision:* exactly one sample listed: the other one; both: the one
/// with fewer balls; equal counts: by the tie rule; none: by the light rule. The threshold is a [`Policy`].
/// *Bits:* the budget; the format says how many entries fit.
///
/// *Randomness:* one word a ball ([`Bounded`](crate::Bounded)). *Ties:* both rules take the first sample by
/// default. *Cost:* `O(1)` a ball that leaves the list as it is. A change of the list takes `O(1)` too with
/// `Naive` and `EliasFano` (the bits are written when asked for), a few logarithms with the other formats; a
/// rise of the threshold `O(K)`.
///
/// # Guarantees
///
/// - With `n^(1 − δ)` bits, `δ ≥ (log n)^-(1 − c)`, the maximum load is `O(δ log n/log log n)` for `m = n`
///   with high probability, and no scheme with so many bits does better than `Ω` of that (Benjamini and
///   Makarychev, Ann. Appl. Probab. 22(4), 2012, arXiv 0901.1155).
/// - On every path, `load ≤ T_t + k_t` for all bins, with `k_t` the load that Greedy\[2\] gives the bin on
///   the same samples and the same order of ties; `T_t + 1` where the list is filled.
///   [`MemoryReport::is_certified`](crate::MemoryReport::is_certified) says whether it holds for a run. It
///   needs ties in the same order in both: with other ties it fails.
///
/// Measured at `n = m = 2^16`: mean maximum 4.5, 5.0 and 6.8 for `δ` of 0.1, 0.25 and 0.5 (filled, naive),
/// 3.4 for Two-Choice and 7.5 for One-Choice.
///
/// # There is no computational version
///
/// To notice that a bin reaches `T` one must remember it below `T`, so the same idea with `n^(1 − δ)` bits
/// and without advice does not work. Frequent-item sketches with `c` counters see bins with more than
/// `m/(c + 1)` balls only, which at loads near `T` means `c` near `n/T`; a count-min table of one row is
/// [`ClusterCount`](crate::ClusterCount) with hashed clusters.
///
/// # Examples
///
/// ```
/// use bb_memory::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
/// use bb_memory::{Bounded, Budget, HeavyList};
///
/// let n = 1 << 16;
/// let mut rule = Bounded::new(HeavyList::fill(n, Budget::from_delta(n, 0.25)?)?);
/// let mut loads = LoadVector::new(n)?;
/// rule.start_and_run(&mut loads, n, &mut rng_for_trial(1, 0))?;
/// assert_eq!(loads.max_load(), 5);
/// assert!(rule.report().is_certified() && rule.report().threshold() == Some(4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct HeavyList<F = Infallible> {
    decider: ListDecider,
    tracker: Tracker,
    failure: PhantomData<F>,
}

/// The counts that a list has room for, unless another number is asked for: excess stays below the
/// Greedy\[2\] maximum plus one, which is 5 for 2^24 bins.
const RANGE: u64 = 8;

impl HeavyList {
    /// Returns the list in this layout with this policy; counts are left out where the layout has a range
    /// of 1.
    ///
    /// # Errors
    ///
    /// If a parameter of the policy is out of range, or its formula is not defined.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_memory::{Budget, Format, HeavyList, Layout, Policy};
    ///
    /// let layout = Layout::new(1000, Budget::bits(100)?, Format::Naive, 8)?;
    /// let list = HeavyList::new(layout, Policy::Tail { balls: 1000, rate: 1.0, safety: 1.0 })?;
    /// assert_eq!((list.layout(), list.first_threshold()), (layout, 5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(layout: Layout, policy: Policy) -> Result<Self, MemoryError> {
        let (threshold, overflow) = policy.resolve(&layout)?;
        let decider = ListDecider { layout, light: TieRule::First, ties: TieRule::First };
        Ok(Self { decider, tracker: Tracker::new(layout, threshold, overflow), failure: PhantomData })
    }

    fn in_elias_fano(bins: u64, budget: Budget, policy: Policy) -> Result<Self, MemoryError> {
        Self::new(Layout::new(bins, budget, Format::EliasFano, RANGE)?, policy)
    }

    /// Returns the list that is always full, the one to take: [`Policy::Fill`], Elias–Fano coded.
    ///
    /// # Errors
    ///
    /// If the budget does not hold one entry, or `bins` is outside `1..=2^40`.
    pub fn fill(bins: u64, budget: Budget) -> Result<Self, MemoryError> {
        Self::in_elias_fano(bins, budget, Policy::Fill)
    }

    /// Returns the list with the least threshold that fits: [`Policy::Raise`], Elias–Fano coded.
    ///
    /// # Errors
    ///
    /// As for [`fill`](Self::fill).
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_memory::bb_core::{Allocator, LoadVector, rng_for_trial};
    /// use bb_memory::{Bounded, Budget, HeavyList};
    ///
    /// let mut rule = Bounded::new(HeavyList::raise(1000, Budget::bits(100)?)?);
    /// rule.start_and_run(&mut LoadVector::new(1000)?, 1000, &mut rng_for_trial(1, 0))?;
    /// // It began at 1: all bins do not fit.
    /// assert_eq!((rule.report().thresholds()[0], rule.report().threshold()), ((0, 1), Some(5)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn raise(bins: u64, budget: Budget) -> Result<Self, MemoryError> {
        Self::in_elias_fano(bins, budget, Policy::Raise)
    }

    /// Returns the list with this threshold, rounded up, Elias–Fano coded. Where the list outgrows its budget
    /// the threshold rises, unless [another rule](Self::with_overflow) is set.
    ///
    /// # Errors
    ///
    /// As for [`fill`](Self::fill), and if the threshold is negative or not finite.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_memory::{Budget, HeavyList};
    ///
    /// assert_eq!(HeavyList::fixed(1000, Budget::bits(100)?, 3.2)?.first_threshold(), 4);
    /// let error = HeavyList::fixed(1000, Budget::bits(100)?, -1.0).unwrap_err();
    /// assert_eq!(error.to_string(), "T = -1.0 is outside 0.0..=2^32");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fixed(bins: u64, budget: Budget, threshold: f64) -> Result<Self, MemoryError> {
        Self::in_elias_fano(bins, budget, Policy::Fixed(threshold))
    }

    /// Returns the set of the bins of load `T` or more, without counts: the sparse form of
    /// [`ThresholdBit`](crate::ThresholdBit).
    ///
    /// Both or neither listed is a tie. Without counts a bin takes at most `ceil((1 − δ)/δ) − 1` balls above
    /// `T` with high probability, if the list has `n^(1 − δ)/(2 log n)` entries, so for constant `δ` counts
    /// are worth little.
    ///
    /// # Errors
    ///
    /// As for [`fixed`](Self::fixed).
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_memory::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
    /// use bb_memory::{Bounded, Budget, HeavyList};
    ///
    /// let mut loads = LoadVector::new(1000)?;
    /// let mut rule = Bounded::new(HeavyList::set(1000, Budget::bits(1000)?, 3.0)?);
    /// rule.start_and_run(&mut loads, 1000, &mut rng_for_trial(1, 0))?;
    /// assert!(loads.max_load() <= 5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set(bins: u64, budget: Budget, threshold: f64) -> Result<Self, MemoryError> {
        Self::new(Layout::new(bins, budget, Format::EliasFano, 1)?, Policy::Fixed(threshold))
    }

    /// Sets what happens where the list outgrows its budget.
    #[must_use]
    pub fn with_overflow(mut self, overflow: Overflow) -> Self {
        self.tracker.set_overflow(overflow);
        self
    }

    /// Lets the run stop where the list outgrows its budget, with an error from
    /// [`Bounded::try_step`](crate::Bounded::try_step). Such a list is no allocator:
    ///
    /// ```compile_fail
    /// use bb_memory::bb_core::{Allocator, LoadVector, rng_for_trial};
    /// use bb_memory::{Bounded, Budget, HeavyList};
    ///
    /// let mut rule = Bounded::new(HeavyList::fixed(100, Budget::bits(30)?, 1.0)?.stopping());
    /// rule.step(&mut LoadVector::new(100)?, &mut rng_for_trial(1, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn stopping(mut self) -> HeavyList<AdviceFailure> {
        self.tracker.set_stopping();
        HeavyList { decider: self.decider, tracker: self.tracker, failure: PhantomData }
    }
}

impl<F> HeavyList<F> {
    /// Sets which of two samples takes the ball if none is listed.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_memory::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
    /// use bb_memory::{Bounded, Budget, HeavyList, TieRule};
    ///
    /// // The left bin fills the bins of small number first.
    /// let list = HeavyList::fixed(10_000, Budget::bits(20_000)?, 4.0)?;
    /// let heavy = |rule| {
    ///     let mut loads = LoadVector::new(10_000)?;
    ///     let mut rule = Bounded::new(list.clone().with_light_rule(rule));
    ///     rule.start_and_run(&mut loads, 10_000, &mut rng_for_trial(1, 0))?;
    ///     Ok::<_, Box<dyn std::error::Error>>(loads.bins_at_least(4))
    /// };
    /// assert!(heavy(TieRule::Left)? > heavy(TieRule::First)? * 3 / 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_light_rule(mut self, rule: TieRule) -> Self {
        self.decider.light = rule;
        self
    }

    /// Sets which of two listed samples with equal counts takes the ball.
    #[must_use]
    pub fn with_ties(mut self, rule: TieRule) -> Self {
        self.decider.ties = rule;
        self
    }

    /// Returns the layout of the list.
    #[must_use]
    pub fn layout(&self) -> Layout {
        self.decider.layout
    }

    /// Returns the threshold to begin with.
    #[must_use]
    pub fn first_threshold(&self) -> u64 {
        self.tracker.first_threshold()
    }

    /// Returns the threshold `T_t` now.
    #[must_use]
    pub fn threshold(&self) -> u64 {
        self.tracker.threshold()
    }

    /// Returns the list now, as the state has it: pairs (bin, load − T), by increasing bin; for a set the
    /// second is 0. `O(K log K)`.
    #[must_use]
    pub fn list(&self) -> Vec<(usize, u64)> {
        self.tracker.lent().to_list()
    }
}

/// What an overflow leads to, as the type of the list says.
trait Failing: Into<AdviceFailure> + Sized {
    fn check(stopped: Option<&AdviceFailure>) -> Result<(), Self>;
}

impl Failing for Infallible {
    #[inline]
    fn check(_: Option<&AdviceFailure>) -> Result<(), Self> {
        Ok(())
    }
}

impl Failing for AdviceFailure {
    #[inline]
    fn check(stopped: Option<&AdviceFailure>) -> Result<(), Self> {
        stopped.map_or(Ok(()), |failure| Err(failure.clone()))
    }
}

impl<F: Failing> Advisor for HeavyList<F> {
    type Decider = ListDecider;
    type Failure = F;

    fn decider(&self) -> ListDecider {
        self.decider
    }

    fn begin(&mut self, loads: Loads<'_>) -> Result<(), StartError> {
        loads.expect_bins(self.decider.layout.bins())?;
        if loads.total() >= 1 << 32
            && let Some((bin, load)) = (0..).zip(loads.iter()).find(|&(_, load)| load >= 1 << 32)
        {
            let error = ParameterError::new("load", load, "0..2^32");
            return Err(StartError::Unsuitable(format!("{error}, in bin {bin}")));
        }
        self.tracker.begin(loads);
        Ok(())
    }

    #[inline]
    fn advise(&mut self, _: Loads<'_>, _: &mut BallStream) -> Result<Advice, F> {
        F::check(self.tracker.stopped())?;
        Ok(self.tracker.take_advice())
    }

    fn write(&self, _: Loads<'_>, writer: &mut StateWriter) -> Result<(), StateError> {
        self.decider.layout.encode(&self.list(), writer)
    }

    #[inline]
    fn placed(&mut self, loads: Loads<'_>, ball: Ball<'_>) {
        let load = loads.load(ball.bin);
        if load >= self.tracker.threshold() {
            self.tracker.grown(ball.bin, load);
        }
    }

    fn follows_removals(&self) -> bool {
        true
    }

    fn removed(&mut self, loads: Loads<'_>, bin: usize) -> Result<(), StateError> {
        self.tracker.removed(bin, loads.load(bin));
        Ok(())
    }

    fn is_function_of_loads(&self) -> bool {
        self.tracker.is_function_of_loads()
    }

    #[inline]
    fn lend(&self, _: Token) -> Option<&Listed> {
        Some(self.tracker.lent())
    }

    fn notes(&self, _: Token) -> Notes {
        self.tracker.notes()
    }
}
