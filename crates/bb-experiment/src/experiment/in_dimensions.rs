//! Experiments with balls of several dimensions, one by one or in parallel rounds.

use bb_core::{Allocator, LoadProfile, ProbeRule, RankRule, RankedVector};
use bb_processes::{KeyView, MultiBins, MultiLoads, ParallelRounds};

use super::{Experiment, ExperimentError};
use crate::tally::RanInDimensions;
use crate::{
    AnySetting, AnyView, Dimensions, Engine, Kind, Parallel, Report, RuleSpec, RuleVisitor, SeenVectors, Setting,
};

/// Runs an experiment with the rule of this name on a key of its loads.
pub(super) struct InDimensions<'a> {
    pub(super) experiment: &'a Experiment,
    pub(super) spec: &'a RuleSpec,
    pub(super) dimensions: Dimensions,
}

impl InDimensions<'_> {
    fn parallel_is_for_choices(&self) -> Result<(), ExperimentError> {
        match self.experiment.parallel {
            Some(_) => Err(self.experiment.not_in_dimensions(
                format!("parallel is given for {}", self.spec),
                "and is defined for one-choice, two-choice and d-choice",
            )),
            None => Ok(()),
        }
    }
}

impl RuleVisitor for InDimensions<'_> {
    type Output = Result<Report, ExperimentError>;

    fn refuse(self, _: Kind) -> Self::Output {
        Err(self.experiment.not_in_dimensions(
            self.spec.to_string(),
            "is defined for one load a bin, and dimensions or parallel are given",
        ))
    }

    fn visit<A: AnyView + Clone + Send + Sync>(self, rule: A) -> Self::Output {
        self.parallel_is_for_choices()?;
        self.experiment.run_in_dimensions(self.spec.to_string(), &rule, &self.dimensions)
    }

    fn visit_described<A>(self, rule: A) -> Self::Output
    where
        A: ProbeRule + AnyView + Allocator<LoadProfile> + Clone + Send + Sync,
    {
        // One sample is the least of one.
        let d = rule.least_of().or_else(|| (rule.most_probes() == 1).then_some(1));
        match (self.experiment.parallel, d) {
            (Some(parallel), Some(d)) => {
                self.experiment.run_in_rounds(self.spec.to_string(), d, parallel, &self.dimensions)
            }
            _ => self.visit(rule),
        }
    }

    fn visit_ranked<A>(self, _: A) -> Self::Output
    where
        A: RankRule + AnySetting<RankedVector> + Allocator<LoadProfile> + Clone + Send + Sync,
    {
        Err(self
            .experiment
            .not_in_dimensions(self.spec.to_string(), "asks for ranks, and bins of several dimensions have none"))
    }
}

impl Experiment {
    pub(super) fn not_in_dimensions(&self, what: String, why: &'static str) -> ExperimentError {
        ExperimentError::NotInDimensions { what, why }
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
            return Err(self.not_in_dimensions(what.to_owned(), why));
        }
        if !matches!(self.engine, Engine::Auto | Engine::Vector) {
            let engine = format!("engine = {}", self.engine);
            return Err(self
                .not_in_dimensions(engine, "is given, and bins of several dimensions are labelled: engine = vector"));
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

    /// Runs the trials with clones of a rule that is written for all views, on a key of bins of several dimensions; fresh, in batches or with a delay.
    ///
    /// # Errors
    ///
    /// If a number is outside its range, the bins do not fit in memory, the rule cannot start on so many bins, or something is asked for that vectors have not. No ball is placed then.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_experiment::bb_processes::{Key, MeanThinning};
    /// use bb_experiment::{Dimensions, Experiment, Setting};
    ///
    /// let dimensions = Dimensions::new(3, &"binomial:p=0.5".parse()?, Key::SumPopulated)?;
    /// let experiment = Experiment::new(100, 10_000).with_setting(Setting::Batched(100));
    /// let report = experiment.run_in_dimensions("thinning", &MeanThinning, &dimensions)?;
    /// assert!(report.batch_end_gap().unwrap().max() >= report.gap().max());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run_in_dimensions<A>(
        &self,
        process: impl Into<String>,
        rule: &A,
        dimensions: &Dimensions,
    ) -> Result<Report, ExperimentError>
    where
        A: AnyView + Clone + Send + Sync,
    {
        self.check_in_dimensions(dimensions)?;
        if let Setting::Delayed(delay) = self.seen()
            && delay.reports.compare()
        {
            return Err(self.not_in_dimensions(self.setting.to_string(), "is defined for two loads that are compared"));
        }
        self.in_dimensions(process.into(), dimensions, &|rng| {
            let (mut rule, mut model) = (rule.clone(), dimensions.model.clone());
            let seen = SeenVectors::new(self.vectors(dimensions)?, self.seen(), MultiLoads::gap)?;
            let mut view = KeyView::new(seen, dimensions.key);
            view.start(&mut rule, &model)?;
            view.run(&mut rule, &mut model, self.balls, rng);
            let balls = view.balls();
            let seen = view.into_loads();
            let batch_end_gap = seen.batch_end_gap();
            Ok(RanInDimensions {
                batch_end_gap,
                probes: Allocator::<KeyView<SeenVectors>>::probes(&rule),
                ..self.ran(seen.into_loads(), balls, dimensions)
            })
        })
    }

    /// All trials of d-choice in parallel rounds.
    fn run_in_rounds(
        &self,
        process: String,
        d: u32,
        parallel: Parallel,
        dimensions: &Dimensions,
    ) -> Result<Report, ExperimentError> {
        self.check_in_dimensions(dimensions)?;
        if self.seen() != Setting::Fresh {
            return Err(ExperimentError::OneSetting { setting: self.setting });
        }
        let protocol = ParallelRounds::new(d, parallel.threshold, parallel.rounds)?;
        self.in_dimensions(process, dimensions, &|rng| {
            let mut model = dimensions.model.clone();
            let mut view = KeyView::new(self.vectors(dimensions)?, dimensions.key);
            let rounds = protocol.run(&mut view, &mut model, self.balls, rng);
            Ok(RanInDimensions { rounds: Some(rounds), ..self.ran(view.into_loads(), self.balls, dimensions) })
        })
    }

    fn in_dimensions(
        &self,
        process: String,
        dimensions: &Dimensions,
        run: &(dyn Fn(&mut bb_core::TrialRng) -> Result<RanInDimensions, ExperimentError> + Sync),
    ) -> Result<Report, ExperimentError> {
        let report = self.tallied(process, Engine::Vector, &|tally, rng| {
            tally.add_in_dimensions(&run(rng)?);
            Ok(())
        });
        Ok(Report { dimensions: Some(dimensions.clone()), parallel: self.parallel, ..report? })
    }

    fn vectors(&self, dimensions: &Dimensions) -> Result<MultiLoads, ExperimentError> {
        Ok(MultiLoads::new(self.bins, dimensions.dimensions())?)
    }

    /// What is measured of the loads.
    fn ran(&self, loads: MultiLoads, balls: u64, dimensions: &Dimensions) -> RanInDimensions {
        let chances = (0..loads.dimensions()).map(|dimension| dimensions.model.probability(dimension));
        let expected: Option<Vec<f64>> = chances.map(|chance| Some(chance? * balls as f64)).collect();
        RanInDimensions { loads, balls, expected, probes: None, batch_end_gap: None, rounds: None }
    }

    /// The dimensions that the experiment has, one for parallel rounds of plain balls.
    pub(super) fn dimensions(&self) -> Option<Dimensions> {
        self.dimensions.clone().or_else(|| self.parallel.map(|_| Dimensions::scalar()))
    }
}
