//! Experiments with balls that have weights.

use bb_core::{
    Allocator, Bins, LoadProfile, LoadVector, Marked, Metrics, Place, ProbeRule, RankRule, RankedVector, TrialRng,
    Weight,
};
use bb_processes::throw_weighted;
use bb_thinning::Thinning;

use super::{Experiment, ExperimentError};
use crate::rule_for_view::OnLabels;
use crate::tally::RanWithWeights;
use crate::{
    AnySetting, AnyView, AnyWeightedThinning, AnyWeights, Engine, Kind, Report, RuleForView, RuleSpec, RuleVisitor,
    Seen, SeenWeights, Setting, Weights,
};

/// Runs an experiment with the rule of this name on real loads.
pub(super) struct WithWeights<'a> {
    pub(super) experiment: &'a Experiment,
    pub(super) spec: &'a RuleSpec,
    pub(super) weights: &'a Weights,
}

impl RuleVisitor for WithWeights<'_> {
    type Output = Result<Report, ExperimentError>;

    fn refuse(self, _: Kind) -> Self::Output {
        Err(no_weights(self.spec.to_string(), "is defined for unit balls, and weights are given"))
    }

    fn visit<A: AnyView + Clone + Send + Sync>(self, _: A) -> Self::Output {
        self.refuse(Kind::Rule)
    }

    fn visit_weighted<A: AnyView + AnyWeights + Clone + Send + Sync>(self, rule: A) -> Self::Output {
        self.experiment.run_with_weights(self.spec.to_string(), &rule, self.weights)
    }

    fn visit_any_view_weighted<A>(self, rule: A) -> Self::Output
    where
        A: AnyView + AnyWeights + Allocator<LoadProfile> + Clone + Send + Sync,
    {
        self.visit_weighted(rule)
    }

    fn visit_described_weighted<A>(self, rule: A) -> Self::Output
    where
        A: ProbeRule + AnyView + AnyWeights + Allocator<LoadProfile> + Clone + Send + Sync,
    {
        self.visit_weighted(rule)
    }

    fn visit_for_view<F: RuleForView>(self, rule: F) -> Self::Output {
        self.visit_weighted(OnLabels::new(&rule))
    }

    fn visit_ranked<A>(self, _: A) -> Self::Output
    where
        A: RankRule + AnySetting<RankedVector> + Allocator<LoadProfile> + Clone + Send + Sync,
    {
        self.refuse(Kind::Rule)
    }

    fn visit_strategy_weighted<S>(self, strategy: S) -> Self::Output
    where
        S: crate::AnyThinning + AnyWeightedThinning,
    {
        self.experiment.run_thinning_with_weights(self.spec.to_string(), &strategy, self.weights)
    }
}

fn no_weights(what: String, why: &'static str) -> ExperimentError {
    ExperimentError::NoWeights { what, why }
}

impl Experiment {
    /// Refuses what has no meaning for real loads, and loads that do not fit in memory. A ball takes `counters` bytes a bin besides its weight.
    fn check_with_weights(&self, counters: u8) -> Result<(), ExperimentError> {
        self.check()?;
        let given = [
            (self.epsilon.is_some(), "epsilon", "is given, and real loads keep no record of their maximum"),
            (self.levels, "levels", "are asked for, and real loads have none"),
            (self.dimensions().is_some(), "dims or parallel", "is given with weights, and this takes one of them"),
        ];
        if let Some((_, what, why)) = given.into_iter().find(|(given, ..)| *given) {
            return Err(no_weights(what.to_owned(), why));
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

    /// Runs the trials with clones of a rule that compares loads of whatever kind: each ball has a weight of the law; fresh, in batches or with a delay. The words of the weight come first.
    ///
    /// # Errors
    ///
    /// If a number is outside its range, the bins do not fit in memory, the rule cannot start on so many bins, or something is asked for that real loads have not. No ball is placed then.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_experiment::bb_processes::DChoice;
    /// use bb_experiment::{Experiment, Setting};
    ///
    /// let experiment = Experiment::new(100, 10_000).with_setting(Setting::Batched(100)).with_trials(20);
    /// let report = experiment.run_with_weights("two-choice", &DChoice::two(), &"uniform12".parse()?)?;
    /// assert!(report.batch_end_gap().unwrap().max() >= report.gap().max());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run_with_weights<A>(
        &self,
        process: impl Into<String>,
        rule: &A,
        weights: &Weights,
    ) -> Result<Report, ExperimentError>
    where
        A: AnyWeights + Clone + Send + Sync,
    {
        self.check_with_weights(0)?;
        self.with_weighted(process.into(), weights, &|rng| {
            let mut rule = rule.clone();
            let mut seen = self.empty_weights()?;
            self.throw(&mut rule, &mut seen, weights, rng)?;
            Ok(RanWithWeights { probes: rule.probes(), ..RanWithWeights::new(seen) })
        })
    }

    /// Runs the trials with clones of a thinning strategy that counts what it accepted, on balls with weights.
    ///
    /// # Errors
    ///
    /// As for [`run_with_weights`](Self::run_with_weights).
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_experiment::Experiment;
    /// use bb_experiment::bb_thinning::Threshold;
    ///
    /// let report = Experiment::new(1000, 1000).run_thinning_with_weights("threshold", &Threshold::new(1)?, &"exp".parse()?)?;
    /// let rejected = report.rejections().unwrap().mean().unwrap();
    /// assert!((rejected - 0.368).abs() < 0.05, "1/e of the suggestions find their bin taken: {rejected}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run_thinning_with_weights<S: AnyWeightedThinning>(
        &self,
        process: impl Into<String>,
        strategy: &S,
        weights: &Weights,
    ) -> Result<Report, ExperimentError> {
        let counters = strategy.counters();
        self.check_with_weights(counters)?;
        self.with_weighted(process.into(), weights, &|rng| {
            let mut rule = Thinning::new(strategy.clone());
            let mut seen = Marked::new(self.empty_weights()?, counters)?;
            self.throw(&mut rule, &mut seen, weights, rng)?;
            let balls = rule.balls();
            let probes = Allocator::<Marked<SeenWeights>>::probes(&rule);
            let rejected = (balls > 0).then(|| rule.rejections() as f64 / balls as f64);
            Ok(RanWithWeights { probes, rejected, ..RanWithWeights::new(seen.into_loads()) })
        })
    }

    fn empty_weights(&self) -> Result<SeenWeights, ExperimentError> {
        Ok(Seen::new(LoadVector::weighted(self.bins)?, self.seen(), LoadVector::gap)?)
    }

    /// Starts the rule and throws all balls.
    fn throw<A, B>(
        &self,
        rule: &mut A,
        bins: &mut B,
        weights: &Weights,
        rng: &mut TrialRng,
    ) -> Result<(), ExperimentError>
    where
        A: Allocator<B>,
        B: Bins + Place<Weight>,
    {
        rule.start(bins)?;
        Ok(throw_weighted(rule, bins, weights.law(), self.one_ball_a_round(), rng)?)
    }

    fn with_weighted(
        &self,
        process: String,
        weights: &Weights,
        run: &(dyn Fn(&mut TrialRng) -> Result<RanWithWeights, ExperimentError> + Sync),
    ) -> Result<Report, ExperimentError> {
        let report = self.tallied(process, Engine::Vector, &|tally, rng| {
            tally.add_with_weights(&run(rng)?, self.one_ball_a_round());
            Ok(())
        });
        Ok(Report { weights: Some(weights.clone()), ..report? })
    }
}
