//! How a [`Process`] is made from a rule, a strategy or a system.

use std::sync::Arc;

use bb_core::{
    Allocator, Description, DynamicLoads, LoadProfile, LoadVector, ProfileWithCounters, RankDescription, RankedVector,
    WithCounters,
};
use bb_memory::MemoryReport;
use bb_processes::{Batched, BatchedProfile, Delayed, KeyView, System};
use bb_thinning::ThinningStrategy;

use super::play::{self, Labelled, Play};
use super::{Process, Thrown};
use crate::seen::{SeenVectors, SeenWeights};

impl Process {
    /// A process that runs on nothing yet.
    fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            counters: 0,
            labelled: None,
            late: None,
            counted: None,
            bulk: None,
            batches: None,
            weights: None,
            vectors: None,
            least_of: None,
            no_vectors: "is defined for one load a bin, and dimensions or parallel are given",
            system: None,
            counted_system: None,
        }
    }

    /// Returns the process of a rule for labelled bins that are seen as they are.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_core::{Allocator, Bins, LoadVector, Rng};
    /// use bb_experiment::{Experiment, Process};
    ///
    /// /// Round robin.
    /// #[derive(Clone)]
    /// struct Next(usize);
    ///
    /// impl Allocator<LoadVector> for Next {
    ///     fn choose<R: Rng + ?Sized>(&mut self, bins: &LoadVector, _: &mut R) -> usize {
    ///         self.0 += 1;
    ///         self.0 % bins.bins() as usize
    ///     }
    /// }
    ///
    /// let report = Experiment::new(10, 100).run(&Process::new("round robin", Next(0)))?;
    /// assert_eq!(report.gap().max(), Some(0.0));
    /// # Ok::<(), bb_experiment::ExperimentError>(())
    /// ```
    #[must_use]
    pub fn new<A>(name: impl Into<String>, rule: A) -> Self
    where
        A: Allocator<LoadVector> + Clone + Send + Sync + 'static,
    {
        Self { labelled: Some(play::rule(rule)), ..Self::named(name) }
    }

    /// Returns the process of a rule that is written for all views with labelled bins: it runs on loads as
    /// they are, in batches, with delays, and on a key of several dimensions.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_core::{Allocator, Bins, BinsExt, Rng};
    /// use bb_experiment::bb_processes::Key;
    /// use bb_experiment::{Dimensions, Experiment, Process, Setting};
    ///
    /// /// Bins in pairs: the lesser loaded of a uniform bin and its neighbour.
    /// #[derive(Clone)]
    /// struct Neighbours;
    ///
    /// impl<B: Bins<Bin = usize>> Allocator<B> for Neighbours {
    ///     fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> usize {
    ///         let bin = bins.draw(rng);
    ///         bins.lighter(bin, bin ^ 1)
    ///     }
    /// }
    ///
    /// let neighbours = Process::in_settings("neighbours", Neighbours);
    /// let experiment = Experiment::new(100, 1000).with_setting(Setting::Batched(100));
    /// assert!(experiment.run(&neighbours)?.batch_end_gap().is_some());
    /// let dimensions = Dimensions::new(3, &"binomial:p=0.5".parse()?, Key::SumPopulated)?;
    /// assert_eq!(experiment.with_dimensions(dimensions).run(&neighbours)?.gap_dim().len(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn in_settings<A>(name: impl Into<String>, rule: A) -> Self
    where
        A: Allocator<LoadVector> + Allocator<Batched<LoadVector>> + Allocator<Delayed<LoadVector>>,
        A: Allocator<KeyView<SeenVectors>> + Clone + Send + Sync + 'static,
    {
        Self {
            late: Some(play::late::<LoadVector>(play::rule(rule.clone()), play::rule(rule.clone()))),
            vectors: Some(play::vectors(rule.clone())),
            ..Self::new(name, rule)
        }
    }

    /// Adds what the rule does on counted bins. A rule that remembers bins is of another type there.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_core::CountedBin;
    /// use bb_experiment::bb_processes::Caching;
    /// use bb_experiment::{Experiment, Process};
    ///
    /// let caching = Process::in_settings("caching", Caching::<usize>::new());
    /// let caching = caching.with_counted(Caching::<CountedBin>::new());
    /// let report = Experiment::new(1 << 50, 1000).run(&caching)?;
    /// assert!(report.max_load().max() <= Some(2));
    /// # Ok::<(), bb_experiment::ExperimentError>(())
    /// ```
    #[must_use]
    pub fn with_counted<A>(self, rule: A) -> Self
    where
        A: Allocator<LoadProfile> + Clone + Send + Sync + 'static,
    {
        Self { counted: Some(play::rule(rule)), ..self }
    }

    /// Adds what the rule does on balls with weights, which are placed as it says and not shown to it.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_experiment::bb_processes::DChoice;
    /// use bb_experiment::{Experiment, Process, Setting};
    ///
    /// let two = Process::new("two-choice", DChoice::two()).with_weights(DChoice::two());
    /// let experiment = Experiment::new(100, 10_000).with_weights("uniform12".parse()?);
    /// let report = experiment.with_setting(Setting::Batched(100)).run(&two)?;
    /// assert!(report.batch_end_gap().unwrap().max() >= report.gap().max());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_weights<A>(self, rule: A) -> Self
    where
        A: Allocator<SeenWeights> + Clone + Send + Sync + 'static,
    {
        Self { weights: Some(play::weights(rule)), ..self }
    }

    /// Returns the process of a rule that is its description: it runs on everything, and in bulk. Weights are
    /// [added](Self::with_weights) where loads are only compared.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_experiment::bb_processes::MeanThinning;
    /// use bb_experiment::{Engine, Experiment, Process};
    ///
    /// let report = Experiment::new(1 << 40, 1 << 30).run(&Process::described("thinning", MeanThinning))?;
    /// assert_eq!((report.engine(), report.max_load().max()), (Engine::Bulk, Some(2)));
    /// # Ok::<(), bb_experiment::ExperimentError>(())
    /// ```
    #[must_use]
    pub fn described<A>(name: impl Into<String>, rule: A) -> Self
    where
        A: Description + Allocator<LoadVector> + Allocator<Batched<LoadVector>> + Allocator<Delayed<LoadVector>>,
        A: Allocator<KeyView<SeenVectors>> + Allocator<LoadProfile> + Clone + Send + Sync + 'static,
    {
        let (bulk, batched) = (rule.clone(), rule.clone());
        Self {
            bulk: Some(Arc::new(move |loads, length, rng| {
                let mut rule = bulk.clone();
                Allocator::<LoadProfile>::start(&mut rule, loads)?;
                loads.run_bulk(&rule, length.one_ball_a_step(), rng);
                Ok(Thrown { samples: Allocator::<LoadProfile>::sample_count(&rule), ..Thrown::default() })
            })),
            batches: Some(Arc::new(move |loads, setting, length, rng| {
                let mut rule = batched.clone();
                Allocator::<LoadProfile>::start(&mut rule, loads)?;
                let mut seen = BatchedProfile::new(loads.clone(), play::number(setting))?;
                seen.run(&rule, length.one_ball_a_step(), rng)?;
                let samples = Allocator::<LoadProfile>::sample_count(&rule);
                // Between the ends of batches nobody looks.
                let thrown = Thrown { samples, ends_only: true, ..Thrown::default() };
                let thrown = thrown.with_batch_end_gap(seen.batch_end_gap());
                *loads = seen.into_loads();
                Ok(thrown)
            })),
            // One sample is the least of one.
            least_of: rule.least_of().or_else(|| (rule.most_samples() == 1).then_some(1)),
            ..Self::in_settings(name, rule.clone()).with_counted(rule)
        }
    }

    /// Returns the process of a rule that asks for ranks. On labelled bins these are a [`RankedVector`].
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_experiment::bb_processes::Quantile;
    /// use bb_experiment::{Experiment, Process};
    ///
    /// let median = Process::ranked("median", Quantile::new(0.5)?);
    /// assert_eq!(Experiment::new(1 << 40, 1 << 30).run(&median)?.max_load().max(), Some(3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn ranked<A>(name: impl Into<String>, rule: A) -> Self
    where
        A: RankDescription + Allocator<RankedVector> + Allocator<Batched<RankedVector>>,
        A: Allocator<Delayed<RankedVector>> + Allocator<LoadProfile> + Clone + Send + Sync + 'static,
    {
        let bulk = rule.clone();
        let process = Self {
            labelled: Some(play::with_ranks(play::rule(rule.clone()))),
            late: Some(play::late::<RankedVector>(play::rule(rule.clone()), play::rule(rule.clone()))),
            bulk: Some(Arc::new(move |loads, length, rng| {
                let mut rule = bulk.clone();
                Allocator::<LoadProfile>::start(&mut rule, loads)?;
                loads.run_bulk_by_ranks(&rule, length.one_ball_a_step(), rng);
                Ok(Thrown { samples: Allocator::<LoadProfile>::sample_count(&rule), ..Thrown::default() })
            })),
            no_vectors: "asks for ranks, and bins of several dimensions have none",
            ..Self::named(name)
        };
        process.with_counted(rule)
    }

    /// Returns the process of a thinning strategy that sees loads and counters, which are up to date in every
    /// setting. Reports tell its rejections, and the first ball whose target distribution two-thinning cannot
    /// realise.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_experiment::bb_thinning::Threshold;
    /// use bb_experiment::{Experiment, Process};
    ///
    /// let threshold = Process::thinning("threshold", Threshold::new(3)?);
    /// let report = Experiment::new(10_000, 10_000).run(&threshold)?;
    /// assert!(report.max_load().max() <= Some(5));
    /// let rejected = report.rejections().unwrap().mean().unwrap();
    /// assert!((rejected - 0.0233).abs() < 0.01, "the limit for many bins is 0.02334");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn thinning<S>(name: impl Into<String>, strategy: S) -> Self
    where
        S: ThinningStrategy<WithCounters<LoadVector>> + ThinningStrategy<WithCounters<Batched<LoadVector>>>,
        S: ThinningStrategy<WithCounters<Delayed<LoadVector>>> + ThinningStrategy<ProfileWithCounters>,
        S: Clone + Send + Sync + 'static,
    {
        Self::thin::<LoadVector, S>(name, strategy)
    }

    /// Returns the process of a thinning strategy that sees ranks besides, like a drift; on labelled bins
    /// these are a [`RankedVector`].
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_experiment::bb_thinning::ThetaDrift;
    /// use bb_experiment::{Experiment, Process};
    ///
    /// let drift = Process::ranked_thinning("drift", ThetaDrift::new(0.2)?);
    /// let report = Experiment::new(1000, 100_000).run(&drift)?;
    /// let rejected = report.rejections().unwrap().mean().unwrap();
    /// assert!((rejected - 0.2).abs() < 0.02);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn ranked_thinning<S>(name: impl Into<String>, strategy: S) -> Self
    where
        S: ThinningStrategy<WithCounters<RankedVector>> + ThinningStrategy<WithCounters<Batched<RankedVector>>>,
        S: ThinningStrategy<WithCounters<Delayed<RankedVector>>> + ThinningStrategy<ProfileWithCounters>,
        S: Clone + Send + Sync + 'static,
    {
        Self::thin::<RankedVector, S>(name, strategy)
    }

    fn thin<L, S>(name: impl Into<String>, strategy: S) -> Self
    where
        L: Labelled,
        S: ThinningStrategy<WithCounters<L>> + ThinningStrategy<WithCounters<Batched<L>>>,
        S: ThinningStrategy<WithCounters<Delayed<L>>> + ThinningStrategy<ProfileWithCounters>,
        S: Clone + Send + Sync + 'static,
    {
        let counters = strategy.counters();
        let one = || strategy.clone();
        Self {
            counters,
            labelled: Some(play::with_counters::<L>(counters, play::strategy(one()))),
            late: Some(play::late_with_counters::<L>(counters, play::strategy(one()), play::strategy(one()))),
            counted: Some(play::counted_with_counters(counters, play::strategy(one()))),
            ..Self::named(name)
        }
    }

    /// Adds what a thinning strategy does on balls with weights, as [`with_weights`](Self::with_weights) for
    /// a rule: one that counts what it accepted.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_experiment::bb_thinning::Threshold;
    /// use bb_experiment::{Experiment, Process};
    ///
    /// let threshold = Threshold::new(1)?;
    /// let process = Process::thinning("threshold", threshold.clone()).with_weighted_thinning(threshold);
    /// let report = Experiment::new(1000, 1000).with_weights("exp".parse()?).run(&process)?;
    /// let rejected = report.rejections().unwrap().mean().unwrap();
    /// assert!((rejected - 0.368).abs() < 0.05, "1/e of the first samples find their bin taken: {rejected}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_weighted_thinning<S>(self, strategy: S) -> Self
    where
        S: ThinningStrategy<WithCounters<SeenWeights>> + Clone + Send + Sync + 'static,
    {
        Self { weights: Some(play::strategy_weights(strategy)), ..self }
    }

    /// Returns the process of a rule with a bounded memory, on labelled bins that are seen as they are;
    /// `report` tells what the rule did with its memory, for reports to give its bits besides.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_experiment::bb_memory::{Bounded, SaturatingCounters};
    /// use bb_experiment::{Experiment, Process};
    ///
    /// let counters = Bounded::new(SaturatingCounters::new(1000, 2)?);
    /// let counters = Process::memory("two bits a bin", counters, Bounded::report);
    /// let report = Experiment::new(1000, 1000).run(&counters)?;
    /// assert_eq!((report.bits(), report.max_load().max()), (Some(2000), Some(3)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn memory<A>(name: impl Into<String>, rule: A, report: fn(&A) -> MemoryReport) -> Self
    where
        A: Allocator<LoadVector> + Clone + Send + Sync + 'static,
    {
        Self { labelled: Some(play::with_memory(rule, report)), ..Self::named(name) }
    }

    /// Returns the process of a system: One-Choice throws the balls, and then come the
    /// [rounds](crate::Experiment::with_rounds). Reports are of the loads after the last round.
    ///
    /// Unless another engine is asked for, bins are counted, whatever their number. Measured with as many
    /// balls as bins: systems whose rounds move all balls at once run 4 to 13 times faster so with 10⁴ bins,
    /// and 2 to 3.5 times slower with 100; the others take the same time on both.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_experiment::bb_processes::RepeatedBallsIntoBins;
    /// use bb_experiment::{Experiment, Process};
    ///
    /// let experiment = Experiment::new(10_000, 10_000).with_rounds(1000).with_levels();
    /// let report = experiment.run(&Process::system("repeated", RepeatedBallsIntoBins))?;
    /// // √2 − 1 of the bins are empty.
    /// assert!((report.levels().unwrap()[&0] - 0.414).abs() < 0.03);
    /// # Ok::<(), bb_experiment::ExperimentError>(())
    /// ```
    #[must_use]
    pub fn system<S>(name: impl Into<String>, system: S) -> Self
    where
        S: System<DynamicLoads> + System<LoadProfile> + Clone + Send + Sync + 'static,
    {
        Self {
            system: Some(rounds(system.clone(), |_| None)),
            counted_system: Some(rounds(system, |_| None)),
            ..Self::named(name)
        }
    }

    /// Returns the process of a system whose rule has a bounded memory; its bins are labelled.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_experiment::bb_memory::{JoinIdleQueue, QueueOrder};
    /// use bb_experiment::bb_processes::Supermarket;
    /// use bb_experiment::{Experiment, Process};
    ///
    /// let queue = JoinIdleQueue::new(1000, 100, QueueOrder::Fifo)?;
    /// let system = Supermarket::new(0.5, 1)?.with_rule(queue);
    /// let process = Process::memory_system("queue", system, |system| system.rule().report());
    /// let report = Experiment::new(1000, 0).with_rounds(20).run(&process)?;
    /// assert!(report.bits().unwrap() < 1000 && report.max_load().max() <= Some(3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn memory_system<S>(name: impl Into<String>, system: S, report: fn(&S) -> MemoryReport) -> Self
    where
        S: System<DynamicLoads> + Clone + Send + Sync + 'static,
    {
        Self { system: Some(rounds(system, move |system| Some(report(system)))), ..Self::named(name) }
    }
}

/// Rounds of a system.
fn rounds<S, L>(system: S, memory: impl Fn(&S) -> Option<MemoryReport> + Send + Sync + 'static) -> Play<L>
where
    S: System<L> + Clone + Send + Sync + 'static,
    L: bb_core::Remove,
{
    Arc::new(move |loads, length, rng| {
        let mut system = system.clone();
        system.start(loads)?;
        system.run(loads, length.one_ball_a_step(), rng);
        Ok(Thrown { memory: memory(&system), ..Thrown::default() })
    })
}
