//! Experiments with a bounded memory.

use bb_core::{Allocator, DynamicLoads, LoadVector};
use bb_processes::System;

use super::{Experiment, ExperimentError};
use crate::engine::{Engine, Offers};
use crate::tally::Ran;
use crate::{Report, Setting, WithMemory};

impl Experiment {
    /// Runs the trials with clones of a rule with a bounded memory, on labelled bins. The report tells of its bits besides.
    ///
    /// # Errors
    ///
    /// As for [`run`](Self::run): memory is written from the loads as they are, so another setting is refused.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_experiment::Experiment;
    /// use bb_experiment::bb_memory::{Bounded, SaturatingCounters};
    ///
    /// let counters = Bounded::new(SaturatingCounters::new(1000, 2)?);
    /// let report = Experiment::new(1000, 1000).run_memory("two bits a bin", &counters)?;
    /// assert_eq!((report.bits(), report.max_load().max()), (Some(2000), Some(3)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run_memory<A>(&self, process: impl Into<String>, rule: &A) -> Result<Report, ExperimentError>
    where
        A: WithMemory + Allocator<LoadVector> + Clone + Send + Sync,
    {
        if self.seen() != Setting::Fresh {
            return Err(ExperimentError::OneSetting { setting: self.setting });
        }
        let engine = self.choose(Offers::Vector)?;
        self.all_trials(process.into(), engine, rule, |rule, rng| {
            let mut loads: LoadVector = self.empty()?;
            let probes = self.play(rule, &mut loads, rng)?;
            Ok(Ran { memory: Some(rule.memory()), ..Ran::new(loads, probes) })
        })
    }

    /// Runs the trials with clones of a system whose rule has a bounded memory, on labelled bins.
    ///
    /// # Errors
    ///
    /// As for [`run_system`](Self::run_system), and if another engine than labelled bins is asked for.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_experiment::Experiment;
    /// use bb_experiment::bb_memory::{JoinIdleQueue, QueueOrder};
    /// use bb_experiment::bb_processes::Supermarket;
    ///
    /// let queue = JoinIdleQueue::new(1000, 100, QueueOrder::Fifo)?;
    /// let system = Supermarket::new(0.5, 1)?.with_rule(queue);
    /// let report = Experiment::new(1000, 0).with_rounds(20).run_memory_system("queue", &system)?;
    /// assert!(report.bits().unwrap() < 1000 && report.max_load().max() <= Some(3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run_memory_system<S>(&self, process: impl Into<String>, system: &S) -> Result<Report, ExperimentError>
    where
        S: WithMemory + System<DynamicLoads> + Clone + Send + Sync,
    {
        let rounds = self.rounds_of_system()?;
        match self.engine {
            Engine::Vector | Engine::Auto => {
                self.on_dynamic(process.into(), rounds, system, |system| Some(system.memory()))
            }
            Engine::Profile => Err(ExperimentError::NeedsLabels),
            Engine::Bulk => Err(ExperimentError::NotDescribed),
        }
    }
}
