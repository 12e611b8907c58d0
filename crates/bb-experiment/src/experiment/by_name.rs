//! Experiments with a rule or a system by name.

use bb_core::{Allocator, DynamicLoads, LoadProfile, LoadVector, ProbeRule, RankRule, RankedVector};
use bb_processes::{DelayedTwoChoice, System};

use super::{Experiment, ExperimentError};
use crate::registry::{Kind, kind_of};
use crate::{
    AnySetting, AnyThinning, Delay, Report, Reports, RuleForView, RuleSpec, RuleVisitor, Setting, Size,
    StrategyVisitor, SystemVisitor, with_rule, with_strategy, with_system,
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
        match (kind_of(spec), self.setting) {
            (Kind::System, _) => with_system(spec, Run(self, spec))?,
            (_, Setting::Delayed(delay)) if matches!(delay.reports, Reports::Uniform | Reports::Adversarial) => {
                self.run_two_choice_on(delay, spec)
            }
            (Kind::Strategy, _) => with_strategy(spec, size, Run(self, spec))?,
            (Kind::Rule, _) => with_rule(spec, Run(self, spec))?,
        }
    }

    /// Reports that need to know what is compared.
    fn run_two_choice_on(&self, Delay { tau, reports }: Delay, spec: &RuleSpec) -> Result<Report, ExperimentError> {
        if spec.to_string() != "two-choice" {
            return Err(ExperimentError::TwoChoiceAlone { rule: spec.to_string(), setting: self.setting });
        }
        self.choose(crate::engine::Offers::Vector)?;
        let rule =
            if reports == Reports::Uniform { DelayedTwoChoice::uniform() } else { DelayedTwoChoice::adversarial() };
        self.on_delayed::<_, LoadVector>(spec.to_string(), tau, &rule)
    }
}

impl RuleVisitor for Run<'_> {
    type Output = Result<Report, ExperimentError>;

    fn visit<A>(self, rule: A) -> Self::Output
    where
        A: AnySetting + Clone + Send + Sync,
    {
        self.0.run_in_setting(self.1.to_string(), &rule)
    }

    fn visit_any_view<A>(self, rule: A) -> Self::Output
    where
        A: AnySetting + Allocator<LoadProfile> + Clone + Send + Sync,
    {
        self.0.run_any_view(self.1.to_string(), &rule)
    }

    fn visit_described<A>(self, rule: A) -> Self::Output
    where
        A: ProbeRule + AnySetting + Allocator<LoadProfile> + Clone + Send + Sync,
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
}

impl SystemVisitor for Run<'_> {
    type Output = Result<Report, ExperimentError>;

    fn visit<S>(self, system: S) -> Self::Output
    where
        S: System<DynamicLoads> + System<LoadProfile> + Clone + Send + Sync,
    {
        self.0.run_system(self.1.to_string(), &system)
    }
}

impl StrategyVisitor for Run<'_> {
    type Output = Result<Report, ExperimentError>;

    fn visit<S: AnyThinning>(self, strategy: S) -> Self::Output {
        self.0.run_thinning(self.1.to_string(), &strategy)
    }

    fn visit_ranked<S: AnyThinning<RankedVector>>(self, strategy: S) -> Self::Output {
        self.0.run_ranked_thinning(self.1.to_string(), &strategy)
    }
}
