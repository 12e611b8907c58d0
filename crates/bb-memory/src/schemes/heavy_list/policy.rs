use bb_core::ParameterError;

use crate::error::MemoryError;
use crate::format::Layout;
use crate::theory::{LogBase, heavy_bins_expected, paper_threshold};

/// How the threshold of a [`HeavyList`](crate::HeavyList) is chosen.
///
/// # Examples
///
/// ```
/// use bb_memory::{Budget, Format, HeavyList, Layout, LogBase, MemoryError, Policy};
///
/// let n = 1 << 16;
/// let layout = Layout::new(n, Budget::from_delta(n, 0.25)?, Format::Naive, 8)?;
/// let threshold = |policy| HeavyList::new(layout, policy).map(|list| list.first_threshold());
/// // The formula of the theorem is above all loads that One-Choice reaches at this size.
/// assert_eq!(threshold(Policy::PaperFormula { delta: 0.25, base: LogBase::Natural })?, 9);
/// assert_eq!(threshold(Policy::PaperFormula { delta: 0.25, base: LogBase::Two })?, 6);
/// assert_eq!(threshold(Policy::Tail { balls: n, rate: 1.0, safety: 1.0 })?, 6);
/// let error = threshold(Policy::PaperFormula { delta: 0.09, base: LogBase::Natural }).unwrap_err();
/// assert!(matches!(error, MemoryError::Undefined { .. }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Policy {
    /// This threshold, rounded up. 0 lists all bins and is Greedy\[2\].
    Fixed(f64),
    /// The formula of the theorem, rounded up: [`paper_threshold`]. Asymptotic: at all sizes that fit a
    /// computer the list stays nearly empty.
    PaperFormula {
        /// The parameter δ.
        delta: f64,
        /// The base of the logarithms, on which much depends.
        base: LogBase,
    },
    /// The least `T` with `n·Pr[Bin(m, ρ/n) ≥ T] ≤ K/safety`, `K` the capacity: then the list overflows with
    /// probability at most `1/safety`.
    Tail {
        /// The number of balls `m`.
        balls: u64,
        /// The rate `ρ` of a light bin: about 1 for the light rules `First` and `Coin`, 2 at worst.
        rate: f64,
        /// At least 1.
        safety: f64,
    },
    /// At each step the least `T`, not below that of the step before, whose list fits.
    Raise,
    /// Like `Raise`, but with as many bins of load `T` as fit, and all of load `T + 1` or more. It does not
    /// collapse where the threshold rises. Bins of load `T` are kept in the order in which they came to it;
    /// the last to come is the first to go.
    Fill,
}

/// What happens where a list outgrows its budget. To stop is a matter of its own:
/// [`HeavyList::stopping`](crate::HeavyList::stopping).
///
/// # Examples
///
/// ```
/// use bb_memory::bb_core::{Allocator, LoadVector, rng_for_trial};
/// use bb_memory::{Bounded, Budget, HeavyList, Overflow, MemoryReport};
///
/// let report = |overflow| -> Result<MemoryReport, Box<dyn std::error::Error>> {
///     let list = HeavyList::fixed(1000, Budget::bits(100)?, 2.0)?.with_overflow(overflow);
///     let mut rule = Bounded::new(list);
///     rule.start_and_run(&mut LoadVector::new(1000)?, 1000, &mut rng_for_trial(1, 0))?;
///     Ok(rule.report())
/// };
/// assert!(report(Overflow::RaiseThreshold)?.is_certified() && report(Overflow::Fill)?.is_certified());
/// // A fixed threshold without room for all heavy bins proves nothing.
/// assert!(!report(Overflow::KeepHeaviest)?.is_certified() && !report(Overflow::Empty)?.is_certified());
/// assert!(report(Overflow::Empty)?.overflows() > 100);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Overflow {
    /// The threshold rises by one. Keeps `load ≤ T + Greedy[2]`.
    RaiseThreshold,
    /// Bins of load `T` leave, the last to come first; where there are none the threshold rises by one. Keeps
    /// `load ≤ T + 1 + Greedy[2]`.
    Fill,
    /// The lightest bins leave, the last to come first, and the threshold stays. Nothing is certified from
    /// here on.
    KeepHeaviest,
    /// The list is empty as long as it does not fit. Nothing is certified from here on.
    Empty,
}

/// The largest threshold: loads of bins stay below.
const LARGEST: f64 = 4_294_967_296.0;

impl Policy {
    /// The first threshold, and what happens on overflow; `None` says that the policy is to adapt, and an
    /// overflow nothing to report.
    pub(super) fn resolve(self, layout: &Layout) -> Result<(u64, Option<Overflow>), MemoryError> {
        let fixed = |threshold: u64| (threshold, Some(Overflow::RaiseThreshold));
        Ok(match self {
            Self::Fixed(threshold) => {
                ParameterError::require((0.0..=LARGEST).contains(&threshold), "T", threshold, "0.0..=2^32")?;
                fixed(threshold.ceil() as u64)
            }
            Self::PaperFormula { delta, base } => fixed(paper_threshold(layout.bins(), delta, base)?.ceil() as u64),
            Self::Tail { balls, rate, safety } => fixed(tail_threshold(layout, balls, rate, safety)?),
            Self::Raise => (0, None),
            Self::Fill => (0, Some(Overflow::Fill)),
        })
    }
}

fn tail_threshold(layout: &Layout, balls: u64, rate: f64, safety: f64) -> Result<u64, MemoryError> {
    ParameterError::require(safety >= 1.0 && safety.is_finite(), "safety", safety, "1.0.., finite")?;
    let room = layout.capacity() as f64 / safety;
    // The tail falls from n at 0 to 0 at m + 1.
    let (mut least, mut most) = (0, balls.saturating_add(1));
    while least < most {
        let middle = least + (most - least) / 2;
        if heavy_bins_expected(layout.bins(), balls, rate, middle)? > room {
            least = middle + 1;
        } else {
            most = middle;
        }
    }
    Ok(least)
}
