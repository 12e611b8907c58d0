//! Experiments with a rule or a system by name.

use bb_core::{Allocator, DynamicLoads, LoadProfile, LoadVector, ProbeRule, RankRule, RankedVector};
use bb_processes::{DelayedTwoChoice, System};

use super::in_dimensions::InDimensions;
use super::with_weights::WithWeights;
use super::{Experiment, ExperimentError};
use crate::engine::Offers;
use crate::{
    AnySetting, AnyThinning, AnyView, Delay, Kind, Report, Reports, RuleForView, RuleSpec, RuleVisitor, Setting, Size,
    WithMemory, with_rule,
};

/// Runs an experiment with whatever the name stands for.
struct Run<'a>(&'a Experiment, &'a RuleSpec);

impl Experiment {
    /// Runs the trials with the rule, the strategy or the system that `spec` names; the type's example shows it.
    ///
    /// # Errors
    ///
    /// As for [`run_in_setting`](Self::run_in_setting) and [`run_system`](Self::run_system), and what [`with_rule`] finds.
    pub fn run_spec(&self, spec: &RuleSpec) -> Result<Report, ExperimentError> {
        let size = Size { bins: self.bins, balls: self.one_ball_a_round() };
        if let Some(weights) = &self.weights {
            return with_rule(spec, size, WithWeights { experiment: self, spec, weights })?;
        }
        if let Some(dimensions) = self.dimensions() {
            return with_rule(spec, size, InDimensions { experiment: self, spec, dimensions })?;
        }
        if let Setting::Delayed(delay) = self.setting
            && delay.reports.compare()
            && spec.to_string() == "two-choice"
        {
            return self.run_two_choice_on(delay);
        }
        with_rule(spec, size, Run(self, spec))?
    }

    /// Reports that need to know what is compared.
    fn run_two_choice_on(&self, Delay { tau, reports }: Delay) -> Result<Report, ExperimentError> {
        let stale = Delay { tau, reports: Reports::Stale };
        self.clone().with_setting(Setting::Delayed(stale)).choose(Offers::Vector)?;
        let rule =
            if reports == Reports::Uniform { DelayedTwoChoice::uniform() } else { DelayedTwoChoice::adversarial() };
        self.on_delayed::<_, LoadVector>("two-choice".to_owned(), tau, &rule)
    }
}

impl RuleVisitor for Run<'_> {
    type Output = Result<Report, ExperimentError>;

    fn refuse(self, kind: Kind) -> Self::Output {
        unreachable!("{kind}: there is a method for each")
    }

    fn visit<A>(self, rule: A) -> Self::Output
    where
        A: AnyView + Clone + Send + Sync,
    {
        self.0.run_in_setting(self.1.to_string(), &rule)
    }

    fn visit_any_view<A>(self, rule: A) -> Self::Output
    where
        A: AnyView + Allocator<LoadProfile> + Clone + Send + Sync,
    {
        self.0.run_any_view(self.1.to_string(), &rule)
    }

    fn visit_described<A>(self, rule: A) -> Self::Output
    where
        A: ProbeRule + AnyView + Allocator<LoadProfile> + Clone + Send + Sync,
    {
        self.0.run_described(self.1.to_string(), &rule)
    }

    fn visit_ranked<A>(self, rule: A) -> Self::Output
    where
        A: RankRule + AnySetting<RankedVector> + Allocator<LoadProfile> + Clone + Send + Sync,
    {
        self.0.run_ranked(self.1.to_string(), &rule)
    }

    fn visit_for_view<F: RuleForView>(self, rule: F) -> Self::Output {
        self.0.run_for_view(self.1.to_string(), &rule)
    }

    fn visit_strategy<S: AnyThinning>(self, strategy: S) -> Self::Output {
        self.0.run_thinning(self.1.to_string(), &strategy)
    }

    fn visit_ranked_strategy<S: AnyThinning<RankedVector>>(self, strategy: S) -> Self::Output {
        self.0.run_ranked_thinning(self.1.to_string(), &strategy)
    }

    fn visit_memory<A>(self, rule: A) -> Self::Output
    where
        A: WithMemory + Allocator<LoadVector> + Clone + Send + Sync,
    {
        self.0.run_memory(self.1.to_string(), &rule)
    }

    fn visit_system<S>(self, system: S) -> Self::Output
    where
        S: System<DynamicLoads> + System<LoadProfile> + Clone + Send + Sync,
    {
        self.0.run_system(self.1.to_string(), &system)
    }

    fn visit_memory_system<S>(self, system: S) -> Self::Output
    where
        S: WithMemory + System<DynamicLoads> + Clone + Send + Sync,
    {
        self.0.run_memory_system(self.1.to_string(), &system)
    }
}
