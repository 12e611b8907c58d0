//! What an experiment refuses.

use bb_core::{ParameterError, Put, RecordError};

use crate::engine::Engine;
use crate::error::ExperimentError;
use crate::experiment::Experiment;
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
    pub(super) fn fits(&self, bytes_a_bin: u64, kept: u64, instead: &[Engine]) -> Result<(), ExperimentError> {
        /// A bin and what was put there.
        const KEPT: u128 = size_of::<(usize, Put)>() as u128;
        let (bins, threads) = (self.bins, at_once(self.trials, self.threads));
        let bytes = (u128::from(bins) * u128::from(bytes_a_bin) + u128::from(kept) * KEPT) * threads as u128;
        match machine::available() {
            Some(available) if bytes > available => {
                let instead = instead.to_vec();
                Err(ExperimentError::DoesNotFit { bins, threads, bytes, available, instead })
            }
            _ => Ok(()),
        }
    }

    /// Checks the numbers of an experiment with a system.
    pub(super) fn check_system(&self, system: &Process) -> Result<(), ExperimentError> {
        self.check()?;
        let process = system.name().to_owned();
        let what = match (self.rounds, self.setting, self.epsilon) {
            (None, ..) => return Err(ExperimentError::NoRounds { process }),
            (_, Setting::Fresh, None) => return Ok(()),
            (_, Setting::Fresh, Some(epsilon)) => format!("epsilon {epsilon}"),
            (_, setting, _) => setting.to_string(),
        };
        Err(ExperimentError::NoSystem { process, what })
    }
}
