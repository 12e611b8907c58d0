//! How an experiment runs: what plays its trials is chosen, and then they are dealt out.

mod checks;
mod on_loads;
mod on_vectors;
mod on_weights;

use std::time::Instant;

use bb_core::TrialRng;

use crate::engine::Engine;
use crate::error::ExperimentError;
use crate::experiment::Experiment;
use crate::metrics::End;
use crate::process::Process;
use crate::progress::Progress;
use crate::registry::{Size, process};
use crate::report::Report;
use crate::spec::RuleSpec;
use crate::tally::Tally;
use crate::trials::deal;

/// Plays one trial and adds what it leaves behind.
type Trial<'a> = Box<dyn Fn(&mut Tally, u64, &mut TrialRng) -> Result<(), ExperimentError> + Sync + 'a>;

impl Experiment {
    /// Runs the trials with a process: each starts a clone of its rule on empty bins and throws all balls, or
    /// takes so many steps or rounds.
    ///
    /// # Errors
    ///
    /// If a number is outside its range, the bins do not fit in memory, the rule cannot start on so many
    /// bins, or the process has no answer for what the experiment asks: an engine, a setting, weights,
    /// dimensions. No ball is placed then.
    pub fn run(&self, process: &Process) -> Result<Report, ExperimentError> {
        let dimensions = self.dimensions();
        let (engine, trial) = if let Some(weights) = &self.weights {
            (Engine::Vector, self.on_weights(process, weights)?)
        } else if let Some(dimensions) = &dimensions {
            (Engine::Vector, self.on_vectors(process, dimensions)?)
        } else {
            self.on_loads(process)?
        };
        let begin = Instant::now();
        let progress = Progress::new(self.trials, self.progress);
        let mut tally = Tally::default();
        let shares = deal(self.seed, self.trials, self.threads, &progress, trial)?;
        shares.iter().for_each(|share| tally.merge(share));
        let balls = (self.rounds.is_none() || process.is_system()).then_some(self.balls);
        let (process, asked) = (process.name().to_owned(), Self { dimensions, ..self.clone() });
        Ok(Report { process, asked, balls, engine, tally, elapsed: begin.elapsed() })
    }

    /// Runs the trials with the process that `spec` names; the type has an example.
    ///
    /// # Errors
    ///
    /// As for [`run`](Self::run), and what [`process`] finds.
    pub fn run_spec(&self, spec: &RuleSpec) -> Result<Report, ExperimentError> {
        self.run(&process(spec, Size { bins: self.bins, balls: self.one_ball_a_round() })?)
    }

    /// Adds what is measured at the end of a trial.
    fn add(&self, tally: &mut Tally, end: &End<'_>) -> Result<(), ExperimentError> {
        tally.add(end)?;
        if self.levels {
            tally.add_levels(end);
        }
        Ok(())
    }
}
