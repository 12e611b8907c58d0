use core::fmt;

use crate::model::budget::Budget;

/// What a decision may read, and what the next state may depend on.
///
/// | class | a decision reads | the next state depends on | the lower bound of Benjamini and Makarychev |
/// | --- | --- | --- | --- |
/// | communication | state, samples, coins | everything so far | holds |
/// | computational | state, samples, coins | state, samples, pick, coins | holds |
/// | probing | state *and the loads of the visible bins* | state, visible bins and their loads, coins | does not hold |
///
/// # Examples
///
/// ```
/// assert_eq!(bb_memory::ModelClass::Communication.to_string(), "communication");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ModelClass {
    /// [`Advisor`](crate::Advisor) and [`Decider`](crate::Decider).
    Communication,
    /// [`Machine`](crate::Machine).
    Computational,
    /// [`Probing`](crate::Probing).
    Probing,
}

impl fmt::Display for ModelClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Communication => "communication",
            Self::Computational => "computational",
            Self::Probing => "probing",
        })
    }
}

/// What a run did with its memory. [`Bounded::report`](crate::Bounded::report) returns it.
///
/// # Examples
///
/// ```
/// use bb_memory::bb_core::{Allocator, LoadVector, rng_for_trial};
/// use bb_memory::{Bounded, Budget, ModelClass, HeavyList};
///
/// let mut rule = Bounded::new(HeavyList::fill(1000, Budget::bits(200)?)?);
/// rule.start_and_run(&mut LoadVector::new(1000)?, 1000, &mut rng_for_trial(1, 0))?;
/// let report = rule.report();
/// assert_eq!((report.class(), report.budget().get()), (ModelClass::Communication, 200));
/// assert!(report.greatest_bits() <= 200 && report.state_changes() < 1000);
/// // Each ball had none, one or two of its samples on the list.
/// assert_eq!(report.listed().iter().sum::<u64>(), 1000);
/// // All bins of load T + 1 or more were on it, always.
/// assert!(report.is_certified() && report.overflows() == 0);
/// assert_eq!(report.threshold(), report.thresholds().last().map(|&(_, threshold)| threshold));
/// assert!(report.longest_list().unwrap() > 5 && report.helper_bytes() > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryReport {
    pub(crate) class: ModelClass,
    pub(crate) budget: Budget,
    pub(crate) greatest_bits: u64,
    pub(crate) state_changes: u64,
    pub(crate) thresholds: Vec<(u64, u64)>,
    pub(crate) listed: [u64; 3],
    pub(crate) longest_list: Option<u64>,
    pub(crate) overflows: u64,
    pub(crate) samples: Option<u64>,
    pub(crate) messages: Option<u64>,
    pub(crate) certified: bool,
    pub(crate) ignored_removals: u64,
    pub(crate) helper_bytes: u64,
}

impl MemoryReport {
    /// The report of a scheme whose every state takes all its bits, outside the two models of bounded memory.
    pub(crate) fn probing(budget: Budget, state_changes: u64, samples: u64) -> Self {
        Self {
            class: ModelClass::Probing,
            budget,
            greatest_bits: budget.get(),
            state_changes,
            thresholds: Vec::new(),
            listed: [0; 3],
            longest_list: None,
            overflows: 0,
            samples: Some(samples),
            messages: None,
            certified: false,
            ignored_removals: 0,
            helper_bytes: 0,
        }
    }

    /// Returns the class of the scheme.
    #[must_use]
    pub fn class(&self) -> ModelClass {
        self.class
    }
    /// Returns the budget: the bits of every state.
    #[must_use]
    pub fn budget(&self) -> Budget {
        self.budget
    }
    /// Returns the most bits of a state without its padding.
    #[must_use]
    pub fn greatest_bits(&self) -> u64 {
        self.greatest_bits
    }
    /// Returns how many balls had another state than the ball before; the first ball is one.
    #[must_use]
    pub fn state_changes(&self) -> u64 {
        self.state_changes
    }
    /// Returns the thresholds `T` of a list: pairs (balls placed before, `T`), where it changed.
    #[must_use]
    pub fn thresholds(&self) -> &[(u64, u64)] {
        &self.thresholds
    }
    /// Returns the last threshold, if the scheme has one.
    #[must_use]
    pub fn threshold(&self) -> Option<u64> {
        self.thresholds.last().map(|&(_, threshold)| threshold)
    }
    /// Returns how many balls had none, one, or two or more of their samples listed. A bin that is drawn
    /// twice counts twice.
    #[must_use]
    pub fn listed(&self) -> [u64; 3] {
        self.listed
    }
    /// Returns the most entries of a list, if the scheme has one.
    #[must_use]
    pub fn longest_list(&self) -> Option<u64> {
        self.longest_list
    }
    /// Returns how many balls found a state that did not hold what it should: the list had outgrown its
    /// budget, or a state could not be written.
    #[must_use]
    pub fn overflows(&self) -> u64 {
        self.overflows
    }
    /// Returns how many loads of visible bins were asked, for probing schemes.
    #[must_use]
    pub fn sample_count(&self) -> Option<u64> {
        self.samples
    }
    /// Returns how many messages bins sent, for schemes where they do.
    #[must_use]
    pub fn messages(&self) -> Option<u64> {
        self.messages
    }
    /// Tells whether the domination `load ≤ T + Greedy[2]` (with `T + 1` where the list is filled) holds on
    /// this path by proof. It goes down when a heavy bin is left out or a ball leaves, and stays down.
    #[must_use]
    pub fn is_certified(&self) -> bool {
        self.certified
    }
    /// Returns how many balls left without the scheme having a rule for that.
    #[must_use]
    pub fn ignored_removals(&self) -> u64 {
        self.ignored_removals
    }
    /// Returns about how many bytes the simulation keeps beside the loads. No decision sees them.
    #[must_use]
    pub fn helper_bytes(&self) -> u64 {
        self.helper_bytes
    }
}
