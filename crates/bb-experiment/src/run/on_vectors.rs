//! Trials with balls of several dimensions, one by one or in parallel rounds.

use bb_processes::{KeyView, MultiLoads, ParallelRounds};

use super::Trial;
use crate::dimensions::{Dimensions, Parallel};
use crate::engine::Engine;
use crate::error::ExperimentError;
use crate::experiment::Experiment;
use crate::metrics::{End, Vectors};
use crate::process::{Process, Thrown};
use crate::seen::SeenVectors;
use crate::setting::Setting;

fn refused(what: impl Into<String>, why: &'static str) -> ExperimentError {
    ExperimentError::NotInDimensions { what: what.into(), why }
}

impl Experiment {
    /// A trial on a key of bins of several dimensions.
    pub(super) fn on_vectors<'a>(
        &'a self,
        process: &'a Process,
        dimensions: &'a Dimensions,
    ) -> Result<Trial<'a>, ExperimentError> {
        let Some(play) = &process.vectors else { return Err(refused(process.name(), process.no_vectors)) };
        if let Some(parallel) = self.parallel {
            return self.in_parallel_rounds(process, parallel, dimensions);
        }
        self.check_in_dimensions(dimensions)?;
        if let Setting::Delayed(delay) = self.seen()
            && delay.reports.compare()
        {
            return Err(refused(self.setting.to_string(), "is defined for two loads that are compared"));
        }
        Ok(Box::new(|tally, _, rng| {
            let loads = MultiLoads::new(self.bins, dimensions.dimensions())?;
            let seen = SeenVectors::new(loads, self.seen(), MultiLoads::gap)?;
            let mut view = KeyView::new(seen, dimensions.key);
            let thrown = play(&mut view, &dimensions.model, self.balls, rng)?;
            let balls = view.balls();
            let seen = view.into_loads();
            let batch_end_gap = seen.batch_end_gap();
            let vectors = Vectors::new(seen.into_loads(), balls, &dimensions.model);
            self.add(tally, &End::of_vectors(&vectors, batch_end_gap, &thrown))
        }))
    }

    /// A trial of d-choice in parallel rounds.
    fn in_parallel_rounds<'a>(
        &'a self,
        process: &Process,
        parallel: Parallel,
        dimensions: &'a Dimensions,
    ) -> Result<Trial<'a>, ExperimentError> {
        let Some(d) = process.least_of else {
            let what = format!("parallel is given for {}", process.name());
            return Err(refused(what, "and is defined for one-choice, two-choice and d-choice"));
        };
        self.check_in_dimensions(dimensions)?;
        if self.seen() != Setting::Fresh {
            let process = format!("{} with parallel {parallel}", process.name());
            return Err(ExperimentError::OneSetting { process, setting: self.setting });
        }
        let protocol = ParallelRounds::new(d, parallel.threshold, parallel.rounds)?;
        Ok(Box::new(move |tally, _, rng| {
            let mut view = KeyView::new(MultiLoads::new(self.bins, dimensions.dimensions())?, dimensions.key);
            let rounds = protocol.run(&mut view, &mut dimensions.model.clone(), self.balls, rng);
            let vectors = Vectors::new(view.into_loads(), self.balls, &dimensions.model);
            self.add(tally, &End::of_vectors(&vectors.with_rounds(rounds), None, &Thrown::default()))
        }))
    }

    /// Refuses what has no meaning for vectors, and vectors that do not fit in memory.
    fn check_in_dimensions(&self, dimensions: &Dimensions) -> Result<(), ExperimentError> {
        self.check()?;
        let given = [
            (self.epsilon.is_some(), "epsilon", "is defined for one maximum load"),
            (self.levels, "levels", "are defined for one load a bin"),
            (self.rounds.is_some(), "rounds", "are given, and balls of several dimensions are stopped by their number"),
        ];
        if let Some((_, what, why)) = given.into_iter().find(|(given, ..)| *given) {
            return Err(refused(what, why));
        }
        if !matches!(self.engine, Engine::Auto | Engine::Vector) {
            let engine = format!("engine = {}", self.engine);
            return Err(refused(engine, "is given, and bins of several dimensions are labelled: engine = vector"));
        }
        let (copies, kept) = match self.setting {
            Setting::Fresh => (1, 0),
            Setting::Batched(batch) => (2, batch.min(self.balls)),
            Setting::Delayed(delay) => (2, delay.tau),
        };
        // A ball that is kept has a list of its dimensions, which is as large as a few unit balls.
        let size = dimensions.dimensions();
        self.fits(copies * size, kept.saturating_mul(2 + size), &[])
    }

    /// The dimensions that the experiment has, one for parallel rounds of plain balls.
    pub(super) fn dimensions(&self) -> Option<Dimensions> {
        self.dimensions.clone().or_else(|| self.parallel.map(|_| Dimensions::scalar()))
    }
}
