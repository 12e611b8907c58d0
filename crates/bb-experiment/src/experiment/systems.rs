//! Experiments with a system in which balls also leave.

use bb_core::{DynamicLoads, LoadProfile};
use bb_processes::{OneChoice, System};

use super::{Experiment, ExperimentError};
use crate::engine::Engine;
use crate::tally::Ran;
use crate::{Report, Setting};

impl Experiment {
    /// Runs the trials with clones of a system: the balls are thrown by One-Choice, and then come the [rounds](Self::with_rounds). The report is of the loads after the last round.
    ///
    /// Unless another engine is asked for, bins are counted, whatever their number. Measured with as many balls as bins: systems whose rounds move all balls at once run 4 to 13 times faster so with 10⁴ bins, and 2 to 3.5 times slower with 100;
    /// the others take the same time on both.
    ///
    /// # Errors
    ///
    /// If there are no rounds, the typical gap or another setting than fresh loads is asked for, the bins do not fit in memory, or a number is outside its range. No ball is placed then.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_experiment::Experiment;
    /// use bb_experiment::bb_processes::RepeatedBallsIntoBins;
    ///
    /// let experiment = Experiment::new(10_000, 10_000).with_rounds(1000).with_levels();
    /// let report = experiment.run_system("repeated", &RepeatedBallsIntoBins)?;
    /// // √2 − 1 of the bins are empty.
    /// assert!((report.levels().unwrap()[&0] - 0.414).abs() < 0.03);
    /// # Ok::<(), bb_experiment::ExperimentError>(())
    /// ```
    pub fn run_system<S>(&self, process: impl Into<String>, system: &S) -> Result<Report, ExperimentError>
    where
        S: System<DynamicLoads> + System<LoadProfile> + Clone + Send + Sync,
    {
        let rounds = self.rounds_of_system()?;
        let (process, balls) = (process.into(), self.balls);
        match self.engine {
            Engine::Vector => self.on_dynamic(process, rounds, system, |_| None),
            Engine::Profile | Engine::Auto => {
                let report = self.all_trials(process, Engine::Profile, system, |system, rng| {
                    let mut loads = OneChoice::final_profile(self.bins, balls, rng)?;
                    system.start(&loads)?;
                    system.run(&mut loads, rounds, rng);
                    Ok(Ran::new(loads, None))
                })?;
                Ok(Report { balls: Some(balls), ..report })
            }
            Engine::Bulk => Err(ExperimentError::NotDescribed),
        }
    }

    /// Checks the numbers of an experiment with a system, and returns its rounds.
    pub(super) fn rounds_of_system(&self) -> Result<u64, ExperimentError> {
        self.check()?;
        let rounds = self.rounds.ok_or(ExperimentError::NoRounds)?;
        if self.setting != Setting::Fresh {
            return Err(ExperimentError::NoSystem { what: self.setting.to_string() });
        }
        if let Some(epsilon) = self.epsilon {
            return Err(ExperimentError::NoSystem { what: format!("epsilon {epsilon}") });
        }
        Ok(rounds)
    }

    /// All trials of a system on labelled bins.
    pub(super) fn on_dynamic<S>(
        &self,
        process: String,
        rounds: u64,
        system: &S,
        memory: impl Fn(&S) -> Option<bb_memory::Report> + Sync,
    ) -> Result<Report, ExperimentError>
    where
        S: System<DynamicLoads> + Clone + Send + Sync,
    {
        // Three words a bin.
        self.fits(24, 0, &[Engine::Profile])?;
        let report = self.all_trials(process, Engine::Vector, system, |system, rng| {
            let mut loads = DynamicLoads::from_loads(OneChoice::final_loads(self.bins, self.balls, rng)?.to_vec())?;
            system.start(&loads)?;
            system.run(&mut loads, rounds, rng);
            Ok(Ran { memory: memory(system), ..Ran::new(loads, None) })
        })?;
        Ok(Report { balls: Some(self.balls), ..report })
    }
}
