//! Trials with balls that have weights.

use bb_core::{LoadVector, Metrics};

use super::Trial;
use crate::engine::Engine;
use crate::error::ExperimentError;
use crate::experiment::Experiment;
use crate::metrics::End;
use crate::process::Process;
use crate::seen::Seen;
use crate::setting::Setting;
use crate::weights::Weights;

fn no_weights(what: impl Into<String>, why: &'static str) -> ExperimentError {
    ExperimentError::NoWeights { what: what.into(), why }
}

impl Experiment {
    /// A trial on balls whose weights are drawn before the choice: their words come first.
    pub(super) fn on_weights<'a>(
        &'a self,
        process: &'a Process,
        weights: &'a Weights,
    ) -> Result<Trial<'a>, ExperimentError> {
        let Some(play) = &process.weights else {
            return Err(no_weights(process.name(), "is defined for unit balls, and weights are given"));
        };
        self.check_with_weights(process.counters)?;
        let balls = self.one_ball_a_round();
        Ok(Box::new(move |tally, _, rng| {
            let seen = Seen::new(LoadVector::weighted(self.bins)?, self.seen(), LoadVector::gap)?;
            let (seen, thrown) = play(seen, weights.law(), balls, rng)?;
            let batch_end_gap = seen.batch_end_gap();
            self.add(tally, &End::of_weights(&seen.into_loads(), balls, batch_end_gap, &thrown))
        }))
    }

    /// Refuses what has no meaning for real loads, and loads that do not fit in memory. A ball takes
    /// `counters` bytes a bin besides its weight.
    fn check_with_weights(&self, counters: u8) -> Result<(), ExperimentError> {
        self.check()?;
        let given = [
            (self.epsilon.is_some(), "epsilon", "is given, and real loads keep no record of their maximum"),
            (self.levels, "levels", "are asked for, and real loads have none"),
            (self.dimensions().is_some(), "dims or parallel", "is given with weights, and this takes one of them"),
        ];
        if let Some((_, what, why)) = given.into_iter().find(|(given, ..)| *given) {
            return Err(no_weights(what, why));
        }
        if !matches!(self.engine, Engine::Auto | Engine::Vector) {
            let engine = format!("engine = {}", self.engine);
            return Err(no_weights(engine, "is given, and bins with real loads are labelled: engine = vector"));
        }
        if self.rounds.is_some() && self.balls > 0 {
            return Err(ExperimentError::BallsAndRounds { balls: self.balls });
        }
        // A sum and its compensation.
        let (copies, kept) = match self.seen() {
            Setting::Fresh => (1, 0),
            Setting::Batched(batch) => (2, batch.min(self.one_ball_a_round())),
            Setting::Delayed(delay) if !delay.reports.compare() => (2, delay.tau),
            setting => return Err(no_weights(setting.to_string(), "is defined for unit balls, and weights are given")),
        };
        self.fits(16 * copies + u64::from(counters), kept, &[])
    }
}
