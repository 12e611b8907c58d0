//! How one trial is played, and all of them.

use std::time::Instant;

use bb_core::{Allocator, Bins, LoadProfile, LoadsError, Place, ProbeRule, Probes, TrialRng, rng_for_trial};
use bb_processes::{Batched, BatchedProfile, Delayed};

use super::{Experiment, ExperimentError};
use crate::tally::{Ran, Tally, TrialLoads};
use crate::trials::deal;
use crate::{AnySetting, Delay, Engine, Report, Reports, Setting};

impl Experiment {
    /// Empty loads, recorded if the typical gap is asked for.
    pub(super) fn empty<L: TrialLoads>(&self) -> Result<L, LoadsError> {
        let mut loads = L::empty(self.bins)?;
        if self.epsilon.is_some() {
            loads.record_maximum();
        }
        Ok(loads)
    }

    /// Runs all trials: `run` makes the loads, fills them, and gives them back.
    pub(super) fn all_trials<A, L, F>(
        &self,
        process: String,
        engine: Engine,
        rule: &A,
        run: F,
    ) -> Result<Report, ExperimentError>
    where
        A: Clone + Send + Sync,
        L: TrialLoads,
        F: Fn(&mut A, &mut TrialRng) -> Result<Ran<L>, ExperimentError> + Sync,
    {
        self.tallied(process, engine, &|tally, rng| {
            Ok(tally.add(&run(&mut rule.clone(), rng)?, self.epsilon, self.levels)?)
        })
    }

    /// Runs all trials: each adds what it finds. One call a trial is not worth a copy of all this for every rule.
    pub(super) fn tallied(
        &self,
        process: String,
        engine: Engine,
        run: &(dyn Fn(&mut Tally, &mut TrialRng) -> Result<(), ExperimentError> + Sync),
    ) -> Result<Report, ExperimentError> {
        let begin = Instant::now();
        let progress = self.progress();
        let shares = deal(self.trials, self.threads, |tally: &mut Tally, trial| {
            run(tally, &mut rng_for_trial(self.seed, trial))?;
            progress.advance();
            Ok(())
        })?;
        let mut tally = Tally::default();
        shares.iter().for_each(|share| tally.merge(share));
        Ok(Report {
            process,
            bins: self.bins,
            balls: self.rounds.is_none().then_some(self.balls),
            rounds: self.rounds,
            setting: self.setting,
            weights: None,
            dimensions: None,
            parallel: None,
            trials: self.trials,
            seed: self.seed,
            engine,
            epsilon: self.epsilon,
            levels: self.levels,
            tally,
            elapsed: begin.elapsed(),
        })
    }

    /// Starts the rule and throws all balls, or takes so many steps.
    pub(super) fn play<A, B>(
        &self,
        rule: &mut A,
        bins: &mut B,
        rng: &mut TrialRng,
    ) -> Result<Option<Probes>, ExperimentError>
    where
        A: Allocator<B>,
        B: Place,
    {
        rule.start(bins)?;
        match self.rounds {
            None => _ = rule.run(bins, self.balls, rng),
            Some(rounds) => (0..rounds).for_each(|_| _ = rule.step(bins, rng)),
        }
        Ok(rule.probes())
    }

    /// All trials on loads that are seen as they are.
    pub(super) fn on_fresh<A, L>(&self, process: String, engine: Engine, rule: &A) -> Result<Report, ExperimentError>
    where
        A: Allocator<L> + Clone + Send + Sync,
        L: TrialLoads + Place,
    {
        self.all_trials(process, engine, rule, |rule, rng| {
            let mut loads: L = self.empty()?;
            let probes = self.play(rule, &mut loads, rng)?;
            Ok(Ran::new(loads, probes))
        })
    }

    /// All trials on labelled bins that are looked at once a batch.
    pub(super) fn on_batched<A, L>(&self, process: String, batch: u64, rule: &A) -> Result<Report, ExperimentError>
    where
        A: Allocator<Batched<L>> + Clone + Send + Sync,
        L: TrialLoads + Place + Bins<Bin = usize> + Clone,
    {
        self.all_trials(process, Engine::Vector, rule, |rule, rng| {
            let mut seen = Batched::new(self.empty::<L>()?, batch)?;
            let probes = self.play(rule, &mut seen, rng)?;
            let gap = seen.batch_end_gap();
            Ok(Ran { batch_end_gap: Some(gap), ..Ran::new(seen.into_loads(), probes) })
        })
    }

    /// All trials on labelled bins whose reports are late.
    pub(super) fn on_delayed<A, L>(&self, process: String, tau: u64, rule: &A) -> Result<Report, ExperimentError>
    where
        A: Allocator<Delayed<L>> + Clone + Send + Sync,
        L: TrialLoads + Place + Bins<Bin = usize> + Clone,
    {
        self.all_trials(process, Engine::Vector, rule, |rule, rng| {
            let mut seen = Delayed::new(self.empty::<L>()?, tau)?;
            let probes = self.play(rule, &mut seen, rng)?;
            Ok(Ran::new(seen.into_loads(), probes))
        })
    }

    /// All trials on labelled bins, in whatever setting.
    pub(super) fn on_labelled<A, L>(&self, process: String, rule: &A) -> Result<Report, ExperimentError>
    where
        A: AnySetting<L> + Clone + Send + Sync,
        L: TrialLoads + Place + Bins<Bin = usize> + Clone,
    {
        match self.setting {
            Setting::Batched(batch) => self.on_batched::<A, L>(process, batch, rule),
            Setting::Delayed(Delay { tau, reports: Reports::Stale }) => self.on_delayed::<A, L>(process, tau, rule),
            _ => self.on_fresh::<A, L>(process, Engine::Vector, rule),
        }
    }

    /// All trials of a described rule on counted bins, a batch at once.
    pub(super) fn on_batched_profile<A>(&self, process: String, batch: u64, rule: &A) -> Result<Report, ExperimentError>
    where
        A: ProbeRule + Allocator<LoadProfile> + Clone + Send + Sync,
    {
        self.all_trials(process, Engine::Bulk, rule, |rule, rng| {
            let mut batched = BatchedProfile::new(self.empty()?, batch)?;
            Allocator::<LoadProfile>::start(rule, batched.loads())?;
            batched.run(rule, self.one_ball_a_round(), rng)?;
            let gap = batched.batch_end_gap();
            let ran = Ran::new(batched.into_loads(), Allocator::<LoadProfile>::probes(rule));
            // Between the ends of batches nobody looked.
            Ok(Ran { batch_end_gap: Some(gap), every_ball: false, ..ran })
        })
    }
}
