//! Rules and systems that tell what they did with their memory: [`WithMemory`].

use bb_memory::{Advisor, Bounded, JoinIdleQueue, Probing, Remembers, Report};
use bb_processes::Supermarket;

/// A rule or a system that tells what it did with its memory since its start: the budget in bits, changes of the state, overflows.
///
/// # Examples
///
/// ```
/// use bb_experiment::{Experiment, WithMemory};
/// use bb_experiment::bb_memory::{Bounded, Budget, HeavyList};
///
/// let list = Bounded::new(HeavyList::fill(1000, Budget::bits(200)?)?);
/// assert_eq!(list.memory().budget().get(), 200);
/// let report = Experiment::new(1000, 1000).with_trials(5).run_memory("list", &list)?;
/// assert_eq!((report.bits(), report.is_certified()), (Some(200), Some(true)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait WithMemory {
    /// Returns what was done with the memory.
    fn memory(&self) -> Report;
}

impl<A: Advisor> WithMemory for Bounded<A> {
    fn memory(&self) -> Report {
        self.report()
    }
}

impl<A: Remembers> WithMemory for Probing<A> {
    fn memory(&self) -> Report {
        self.report()
    }
}

impl WithMemory for JoinIdleQueue {
    fn memory(&self) -> Report {
        self.report()
    }
}

impl<A: WithMemory> WithMemory for Supermarket<A> {
    fn memory(&self) -> Report {
        self.rule().memory()
    }
}
