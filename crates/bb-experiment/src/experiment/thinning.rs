//! Experiments with a thinning strategy.

use bb_core::{Bins, LoadProfile, LoadVector, Marked, MarkedProfile, Place, RankedVector, TrialRng};
use bb_processes::{Batched, Delayed};
use bb_thinning::{Thinning, ThinningStrategy};

use super::{Experiment, ExperimentError};
use crate::engine::{Engine, Offers};
use crate::tally::{Ran, TrialLoads};
use crate::{AnyThinning, Report, Setting};

impl Experiment {
    /// Runs the trials with clones of a thinning strategy that sees loads and counters: on labelled bins, or on counted bins where these do not fit in memory or are asked for. The report tells the
    /// share of rejections, and the first ball whose law could not be had.
    ///
    /// # Errors
    ///
    /// As for [`run_in_setting`](Self::run_in_setting).
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_experiment::Experiment;
    /// use bb_experiment::bb_thinning::Threshold;
    ///
    /// let report = Experiment::new(10_000, 10_000).run_thinning("threshold", &Threshold::new(3)?)?;
    /// assert!(report.max_load().max() <= Some(5));
    /// let rejected = report.rejections().unwrap().mean().unwrap();
    /// assert!((rejected - 0.0233).abs() < 0.01, "the limit for many bins is 0.02334");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run_thinning<S: AnyThinning>(
        &self,
        process: impl Into<String>,
        strategy: &S,
    ) -> Result<Report, ExperimentError> {
        self.thin::<LoadVector, S>(process.into(), strategy)
    }

    /// Runs the trials with clones of a thinning strategy that sees ranks besides, like a drift; on labelled bins these are a [`RankedVector`].
    ///
    /// # Errors
    ///
    /// As for [`run_in_setting`](Self::run_in_setting).
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_experiment::Experiment;
    /// use bb_experiment::bb_thinning::ThetaDrift;
    ///
    /// let report = Experiment::new(1000, 100_000).run_ranked_thinning("drift", &ThetaDrift::new(0.2)?)?;
    /// let rejected = report.rejections().unwrap().mean().unwrap();
    /// assert!((rejected - 0.2).abs() < 0.02);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run_ranked_thinning<S: AnyThinning<RankedVector>>(
        &self,
        process: impl Into<String>,
        strategy: &S,
    ) -> Result<Report, ExperimentError> {
        self.thin::<RankedVector, S>(process.into(), strategy)
    }

    fn thin<L, S>(&self, process: String, strategy: &S) -> Result<Report, ExperimentError>
    where
        L: TrialLoads + Place<Load = u64> + Bins<Bin = usize> + Clone,
        S: AnyThinning<L>,
    {
        let counters = strategy.counters();
        let engine = self.choose_with(Offers::Profile, counters)?;
        match (engine, self.seen()) {
            (Engine::Vector, Setting::Batched(batch)) => self.all_trials(process, engine, strategy, |strategy, rng| {
                let batched = Batched::new(self.empty::<L>()?, batch)?;
                let ran = self.play_thinning(strategy, Marked::new(batched, counters)?, rng)?.map(Marked::into_loads);
                let gap = ran.loads.batch_end_gap();
                Ok(Ran { batch_end_gap: Some(gap), ..ran.map(Batched::into_loads) })
            }),
            (Engine::Vector, Setting::Delayed(delay)) => self.all_trials(process, engine, strategy, |strategy, rng| {
                let delayed = Delayed::new(self.empty::<L>()?, delay.tau)?;
                let ran = self.play_thinning(strategy, Marked::new(delayed, counters)?, rng)?;
                Ok(ran.map(|marked| marked.into_loads().into_loads()))
            }),
            (Engine::Vector, _) => self.all_trials(process, engine, strategy, |strategy, rng| {
                let ran = self.play_thinning(strategy, Marked::new(self.empty::<L>()?, counters)?, rng)?;
                Ok(ran.map(Marked::into_loads))
            }),
            _ => self.all_trials(process, engine, strategy, |strategy, rng| {
                let loads = MarkedProfile::new(self.empty::<LoadProfile>()?, counters);
                Ok(self.play_thinning(strategy, loads, rng)?.map(MarkedProfile::into_loads))
            }),
        }
    }

    /// Throws all balls, and tells how the strategy fared.
    fn play_thinning<B, S>(&self, strategy: &S, mut bins: B, rng: &mut TrialRng) -> Result<Ran<B>, ExperimentError>
    where
        B: Place,
        S: ThinningStrategy<B> + Clone,
    {
        let mut rule = Thinning::new(strategy.clone());
        let probes = self.play(&mut rule, &mut bins, rng)?;
        let rejected = rule.rejections() as f64 / rule.balls() as f64;
        Ok(Ran {
            // Of no ball there is no share.
            rejected: (rule.balls() > 0).then_some(rejected),
            unrealizable_at: rule.strategy().unrealizable_at(),
            ..Ran::new(bins, probes)
        })
    }
}
