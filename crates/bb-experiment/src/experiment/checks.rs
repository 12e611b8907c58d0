//! What an experiment refuses, and which engine throws the balls.

use bb_core::{ParameterError, Put, RecordError};

use super::{Experiment, ExperimentError};
use crate::engine::{Engine, fastest};
use crate::memory as machine;
use crate::process::Process;
use crate::setting::{Delay, Reports, Setting};
use crate::trials::at_once;

impl Experiment {
    /// The setting; reports that are never late are fresh loads.
    pub(super) fn seen(&self) -> Setting {
        match self.setting {
            Setting::Delayed(Delay { reports: Reports::Fresh, .. }) => Setting::Fresh,
            setting => setting,
        }
    }

    /// The number of balls where a round places one.
    pub(super) fn one_ball_a_round(&self) -> u64 {
        self.rounds.unwrap_or(self.balls)
    }

    /// Checks the numbers and settles the engine for a process that is no system.
    pub(super) fn choose(&self, process: &Process) -> Result<Engine, ExperimentError> {
        let (setting, name) = (self.seen(), || process.name().to_owned());
        if setting != Setting::Fresh && process.late.is_none() {
            return Err(ExperimentError::OneSetting { process: name(), setting: self.setting });
        }
        self.check()?;
        if self.rounds.is_some() && self.balls > 0 {
            return Err(ExperimentError::BallsAndRounds { balls: self.balls });
        }
        if let Setting::Delayed(delay) = setting
            && delay.reports.compare()
            && process.least_of != Some(2)
        {
            return Err(ExperimentError::TwoSamplesAlone { process: name(), setting });
        }
        let (bytes_a_bin, kept) = match setting {
            // A byte a bin, see `LoadVector`; more only where the loads spread over hundreds of levels.
            Setting::Fresh => (1, 0),
            Setting::Batched(batch) => (2, batch.min(self.one_ball_a_round())),
            Setting::Delayed(delay) => (2, delay.tau),
        };
        let engines = process.engines(setting);
        let fits = self.fits(bytes_a_bin + u64::from(process.counters), kept, &engines[1..]);
        let engine = match self.engine {
            Engine::Auto => fastest(engines, self.bins, self.one_ball_a_round(), fits.is_ok()),
            engine if engines.contains(&engine) => engine,
            engine => return Err(process.refuses(engine, self.setting)),
        };
        if engine == Engine::Vector {
            fits?;
        }
        Ok(engine)
    }

    pub(super) fn check(&self) -> Result<(), ExperimentError> {
        if self.trials == 0 {
            return Err(ParameterError::new("trials", 0, "1..").into());
        }
        if let Some(epsilon) = self.epsilon
            && !(epsilon > 0.0 && epsilon <= 1.0)
        {
            return Err(RecordError::Epsilon { epsilon }.into());
        }
        Ok(())
    }

    /// Refuses labelled bins that do not fit in memory, before anything is allocated; `kept` balls are
    /// remembered besides.
    pub(super) fn fits(&self, bytes_a_bin: u64, kept: u64, instead: &'static [Engine]) -> Result<(), ExperimentError> {
        /// A bin and what was put there.
        const KEPT: u128 = size_of::<(usize, Put)>() as u128;
        let (bins, threads) = (self.bins, at_once(self.trials, self.threads));
        let bytes = (u128::from(bins) * u128::from(bytes_a_bin) + u128::from(kept) * KEPT) * threads as u128;
        match machine::available() {
            Some(available) if bytes > available => {
                Err(ExperimentError::DoesNotFit { bins, threads, bytes, available, instead })
            }
            _ => Ok(()),
        }
    }

    /// Checks the numbers of an experiment with a system, and returns its rounds.
    pub(super) fn rounds_of(&self, system: &Process) -> Result<u64, ExperimentError> {
        self.check()?;
        let rounds = self.rounds.ok_or_else(|| ExperimentError::NoRounds { process: system.name().to_owned() })?;
        let has_no = |what| Err(ExperimentError::NoSystem { process: system.name().to_owned(), what });
        if self.setting != Setting::Fresh {
            return has_no(self.setting.to_string());
        }
        match self.epsilon {
            Some(epsilon) => has_no(format!("epsilon {epsilon}")),
            None => Ok(rounds),
        }
    }
}
