//! Experiments with a rule, by what the rule can run on.

use bb_core::{Allocator, LoadProfile, LoadVector, ProbeRule, RankRule, RankedVector};
use bb_processes::{Batched, Delayed};

use super::{Experiment, ExperimentError};
use crate::engine::{Engine, Offers};
use crate::tally::Ran;
use crate::{AnySetting, Delay, Report, Reports, RuleForView, Setting};

impl Experiment {
    /// Runs the trials with clones of `rule`, on labelled bins. The name is for the report.
    ///
    /// # Errors
    ///
    /// If a number of the experiment is outside its range, the bins do not fit in memory, the rule cannot start on so many bins, or another engine or another setting than fresh loads is asked for.
    /// No ball is placed then.
    pub fn run<A>(&self, process: impl Into<String>, rule: &A) -> Result<Report, ExperimentError>
    where
        A: Allocator<LoadVector> + Clone + Send + Sync,
    {
        if self.seen() != Setting::Fresh {
            return Err(ExperimentError::OneSetting { setting: self.setting });
        }
        let engine = self.choose(Offers::Vector)?;
        self.on_fresh::<A, LoadVector>(process.into(), engine, rule)
    }

    /// Runs the trials with clones of a rule for labelled bins, whatever decisions see of them. [`AnySetting`] has an example.
    ///
    /// # Errors
    ///
    /// As for [`run`](Self::run), but no setting is refused, save the reports that are for Two-Choice alone.
    pub fn run_in_setting<A>(&self, process: impl Into<String>, rule: &A) -> Result<Report, ExperimentError>
    where
        A: AnySetting + Clone + Send + Sync,
    {
        self.choose(Offers::Vector)?;
        self.on_labelled::<A, LoadVector>(process.into(), rule)
    }

    /// Runs the trials with clones of a rule that sees bins only through their loads: on labelled bins, or on counted bins where these do
    /// not fit in memory or are asked for.
    ///
    /// # Errors
    ///
    /// As for [`run_in_setting`](Self::run_in_setting).
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_experiment::Experiment;
    /// use bb_experiment::bb_processes::DistinctChoice;
    ///
    /// let report = Experiment::new(1 << 50, 1000).run_any_view("2 distinct", &DistinctChoice::new(2)?)?;
    /// assert_eq!(report.max_load().max(), Some(1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run_any_view<A>(&self, process: impl Into<String>, rule: &A) -> Result<Report, ExperimentError>
    where
        A: AnySetting + Allocator<LoadProfile> + Clone + Send + Sync,
    {
        match self.choose(Offers::Profile)? {
            Engine::Vector => self.on_labelled::<A, LoadVector>(process.into(), rule),
            engine => self.on_fresh::<A, LoadProfile>(process.into(), engine, rule),
        }
    }

    /// Runs the trials with a rule that is of another type for each kind of loads: on labelled bins, or on counted bins where these do not fit in memory or
    /// are asked for.
    ///
    /// # Errors
    ///
    /// As for [`run_in_setting`](Self::run_in_setting).
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_experiment::Experiment;
    /// use bb_experiment::bb_processes::Caching;
    ///
    /// let report = Experiment::new(1 << 50, 1000).run_for_view("caching", &Caching::new())?;
    /// assert!(report.max_load().max() <= Some(2));
    /// # Ok::<(), bb_experiment::ExperimentError>(())
    /// ```
    pub fn run_for_view<F>(&self, process: impl Into<String>, rule: &F) -> Result<Report, ExperimentError>
    where
        F: RuleForView,
    {
        let process = process.into();
        let engine = self.choose(Offers::Profile)?;
        match (engine, self.seen()) {
            (Engine::Vector, Setting::Batched(batch)) => {
                self.on_batched::<_, LoadVector>(process, batch, &rule.rule::<Batched<LoadVector>>())
            }
            (Engine::Vector, Setting::Delayed(delay)) => {
                self.on_delayed::<_, LoadVector>(process, delay.tau, &rule.rule::<Delayed<LoadVector>>())
            }
            (Engine::Vector, _) => self.on_fresh(process, engine, &rule.rule::<LoadVector>()),
            _ => self.on_fresh(process, engine, &rule.rule::<LoadProfile>()),
        }
    }

    /// Runs the trials with clones of a rule that is described by its probes, by any engine.
    ///
    /// # Errors
    ///
    /// As for [`run_in_setting`](Self::run_in_setting).
    ///
    /// # Examples
    ///
    /// [`Engine`] has one, by name.
    pub fn run_described<A>(&self, process: impl Into<String>, rule: &A) -> Result<Report, ExperimentError>
    where
        A: ProbeRule + AnySetting + Allocator<LoadProfile> + Clone + Send + Sync,
    {
        let process = process.into();
        match (self.choose(Offers::Bulk)?, self.setting) {
            (Engine::Bulk, Setting::Batched(batch)) => self.on_batched_profile(process, batch, rule),
            (Engine::Bulk, _) => self.all_trials(process, Engine::Bulk, rule, |rule, rng| {
                let mut loads: LoadProfile = self.empty()?;
                Allocator::<LoadProfile>::start(rule, &loads)?;
                loads.run_bulk(rule, self.one_ball_a_round(), rng);
                Ok(Ran::new(loads, Allocator::<LoadProfile>::probes(rule)))
            }),
            (Engine::Vector, _) => self.on_labelled::<A, LoadVector>(process, rule),
            (engine, _) => self.on_fresh::<A, LoadProfile>(process, engine, rule),
        }
    }

    /// Runs the trials with clones of a rule that asks for ranks, by any engine; on labelled bins these are a [`RankedVector`].
    ///
    /// # Errors
    ///
    /// As for [`run_in_setting`](Self::run_in_setting).
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_experiment::Experiment;
    /// use bb_experiment::bb_processes::Quantile;
    ///
    /// let report = Experiment::new(1 << 40, 1 << 30).run_ranked("median", &Quantile::new(0.5)?)?;
    /// assert_eq!(report.max_load().max(), Some(3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run_ranked<A>(&self, process: impl Into<String>, rule: &A) -> Result<Report, ExperimentError>
    where
        A: RankRule + AnySetting<RankedVector> + Allocator<LoadProfile> + Clone + Send + Sync,
    {
        let process = process.into();
        // Batches of counted bins take a rule's probes, not its ranks.
        let offers = if self.seen() == Setting::Fresh { Offers::Bulk } else { Offers::Vector };
        match self.choose(offers)? {
            Engine::Vector => self.on_labelled::<A, RankedVector>(process, rule),
            Engine::Bulk => self.all_trials(process, Engine::Bulk, rule, |rule, rng| {
                let mut loads: LoadProfile = self.empty()?;
                Allocator::<LoadProfile>::start(rule, &loads)?;
                loads.run_bulk_by_ranks(rule, self.one_ball_a_round(), rng);
                Ok(Ran::new(loads, Allocator::<LoadProfile>::probes(rule)))
            }),
            engine => self.on_fresh::<A, LoadProfile>(process, engine, rule),
        }
    }

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
}
