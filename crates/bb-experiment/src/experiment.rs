//! Many independent runs of one rule: [`Experiment`].

use std::time::Instant;

use bb_core::{
    Allocator, LoadProfile, LoadVector, LoadsError, ParameterError, ProbeRule, Probes, RankRule, RankedVector,
    RecordError, StartError, TrialRng, rng_for_trial,
};
use thiserror::Error;

use crate::engine::{Engine, Offers, fastest};
use crate::number::number_of;
use crate::progress::Progress;
use crate::tally::{Tally, TrialLoads};
use crate::trials::{at_once, deal};
use crate::{Report, RuleError, RuleForView, RuleSpec, RuleVisitor, memory, with_rule};

/// Many independent trials of a rule: each throws `balls` balls into `bins` empty bins, and the metrics of all are summed up.
///
/// A trial has its own loads, its own clone of the rule, and its own generator [`rng_for_trial`]`(seed, trial)`, so the result is fixed by
/// the seed and does not depend on the number of threads.
///
/// # Examples
///
/// A rule of one's own, and the same experiment with a rule by name:
///
/// ```
/// use bb_core::{Allocator, Bins, Rng};
/// use bb_experiment::Experiment;
///
/// /// Looks at a second bin only if the first is not below the mean.
/// #[derive(Clone)]
/// struct Lazy;
///
/// impl<B: Bins> Allocator<B> for Lazy {
///     fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> B::Bin {
///         let first = bins.draw(rng);
///         if bins.below_mean(first) { first } else { bins.lighter(first, bins.draw(rng)) }
///     }
/// }
///
/// let experiment =
///     Experiment::new(100, 10_000).with_trials(20).with_seed(1).with_threads(2).with_epsilon(0.1).with_levels();
/// let lazy = experiment.run("lazy", &Lazy)?;
/// let one = experiment.run_spec(&"one-choice".parse()?)?;
/// assert_eq!((lazy.trials(), lazy.gap().len()), (20, 20));
/// assert!(lazy.gap().mean() < one.gap().mean());
/// assert!(lazy.typical_gap().unwrap().max() <= lazy.all_time_gap().max());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Experiment {
    bins: u64,
    balls: u64,
    trials: u64,
    seed: u64,
    threads: usize,
    epsilon: Option<f64>,
    levels: bool,
    engine: Engine,
    #[cfg(feature = "progress")]
    progress: bool,
}

impl Experiment {
    /// Returns the experiment of one trial with seed 1 on all cores. What it is given is checked when it runs.
    #[must_use]
    pub fn new(bins: u64, balls: u64) -> Self {
        Self {
            bins,
            balls,
            trials: 1,
            seed: 1,
            threads: 0,
            epsilon: None,
            levels: false,
            engine: Engine::Auto,
            #[cfg(feature = "progress")]
            progress: false,
        }
    }

    /// Sets the number of trials, at least 1.
    #[must_use]
    pub fn with_trials(self, trials: u64) -> Self {
        Self { trials, ..self }
    }

    /// Sets the seed of all trials.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Sets the number of threads; 0 for all cores (rayon's current pool). It never changes a result.
    #[must_use]
    pub fn with_threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// Asks for the `epsilon`-typical gap, `epsilon` in `(0, 1]`: see [`MaxLoadRecord::typical`](bb_core::MaxLoadRecord::typical).
    #[must_use]
    pub fn with_epsilon(self, epsilon: f64) -> Self {
        Self { epsilon: Some(epsilon), ..self }
    }

    /// Asks for the fraction of bins at each load.
    #[must_use]
    pub fn with_levels(self) -> Self {
        Self { levels: true, ..self }
    }

    /// Sets how balls are thrown; the default is [`Engine::Auto`].
    #[must_use]
    pub fn with_engine(self, engine: Engine) -> Self {
        Self { engine, ..self }
    }

    /// Shows a progress bar on standard error, if that is a terminal.
    #[cfg(feature = "progress")]
    #[must_use]
    pub fn with_progress(self) -> Self {
        Self { progress: true, ..self }
    }

    /// Runs the trials with clones of `rule`, on labelled bins. The name is for the report.
    ///
    /// # Errors
    ///
    /// If a number of the experiment is outside its range, the bins do not fit in memory, the rule cannot start on so many bins, or another engine is asked for.
    /// No ball is placed then.
    pub fn run<A>(&self, process: impl Into<String>, rule: &A) -> Result<Report, ExperimentError>
    where
        A: Allocator<LoadVector> + Clone + Send + Sync,
    {
        let engine = self.choose(Offers::Vector)?;
        self.all_trials(process.into(), engine, rule, |rule, loads: &mut LoadVector, rng| {
            rule.start_and_run(loads, self.balls, rng)?;
            Ok(rule.probes())
        })
    }

    /// Runs the trials with clones of a rule that sees bins only through their loads: on labelled bins, or on counted bins where these do
    /// not fit in memory or are asked for.
    ///
    /// # Errors
    ///
    /// As for [`run`](Self::run).
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
        A: Allocator<LoadVector> + Allocator<LoadProfile> + Clone + Send + Sync,
    {
        match self.choose(Offers::Profile)? {
            Engine::Vector => self.run(process, rule),
            engine => self.on_counted_bins(process.into(), engine, rule),
        }
    }

    /// Runs the trials with a rule that is of another type for each kind of loads: on labelled bins, or on counted bins where these do not fit in memory or
    /// are asked for.
    ///
    /// # Errors
    ///
    /// As for [`run`](Self::run).
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
        match self.choose(Offers::Profile)? {
            Engine::Vector => self.run(process, &rule.rule::<LoadVector>()),
            engine => self.on_counted_bins(process.into(), engine, &rule.rule::<LoadProfile>()),
        }
    }

    fn on_counted_bins<A>(&self, process: String, engine: Engine, rule: &A) -> Result<Report, ExperimentError>
    where
        A: Allocator<LoadProfile> + Clone + Send + Sync,
    {
        self.all_trials(process, engine, rule, |rule, loads: &mut LoadProfile, rng| {
            rule.start_and_run(loads, self.balls, rng)?;
            Ok(rule.probes())
        })
    }

    /// Runs the trials with clones of a rule that is described by its probes, by any engine.
    ///
    /// # Errors
    ///
    /// As for [`run`](Self::run).
    ///
    /// # Examples
    ///
    /// [`Engine`] has one, by name.
    pub fn run_described<A>(&self, process: impl Into<String>, rule: &A) -> Result<Report, ExperimentError>
    where
        A: ProbeRule + Allocator<LoadVector> + Allocator<LoadProfile> + Clone + Send + Sync,
    {
        match self.choose(Offers::Bulk)? {
            Engine::Bulk => {
                self.all_trials(process.into(), Engine::Bulk, rule, |rule, loads: &mut LoadProfile, rng| {
                    Allocator::<LoadProfile>::start(rule, loads)?;
                    loads.run_bulk(rule, self.balls, rng);
                    Ok(Allocator::<LoadProfile>::probes(rule))
                })
            }
            engine => self.clone().with_engine(engine).run_any_view(process, rule),
        }
    }

    /// Runs the trials with clones of a rule that asks for ranks, by any engine; on labelled bins these are a [`RankedVector`].
    ///
    /// # Errors
    ///
    /// As for [`run`](Self::run).
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
        A: RankRule + Allocator<RankedVector> + Allocator<LoadProfile> + Clone + Send + Sync,
    {
        let engine = self.choose(Offers::Bulk)?;
        match engine {
            Engine::Vector => self.all_trials(process.into(), engine, rule, |rule, loads: &mut RankedVector, rng| {
                rule.start_and_run(loads, self.balls, rng)?;
                Ok(Allocator::<RankedVector>::probes(rule))
            }),
            _ => self.all_trials(process.into(), engine, rule, |rule, loads: &mut LoadProfile, rng| {
                if engine == Engine::Bulk {
                    Allocator::<LoadProfile>::start(rule, loads)?;
                    loads.run_bulk_by_ranks(rule, self.balls, rng);
                } else {
                    rule.start_and_run(loads, self.balls, rng)?;
                }
                Ok(Allocator::<LoadProfile>::probes(rule))
            }),
        }
    }

    /// Runs the trials with the rule that `spec` names; the type's example shows it.
    ///
    /// # Errors
    ///
    /// As for [`run`](Self::run), and what [`with_rule`] finds.
    pub fn run_spec(&self, spec: &RuleSpec) -> Result<Report, ExperimentError> {
        struct Run<'a>(&'a Experiment, &'a RuleSpec);

        impl RuleVisitor for Run<'_> {
            type Output = Result<Report, ExperimentError>;

            fn visit<A>(self, rule: A) -> Self::Output
            where
                A: Allocator<LoadVector> + Clone + Send + Sync,
            {
                self.0.run(self.1.to_string(), &rule)
            }

            fn visit_any_view<A>(self, rule: A) -> Self::Output
            where
                A: Allocator<LoadVector> + Allocator<LoadProfile> + Clone + Send + Sync,
            {
                self.0.run_any_view(self.1.to_string(), &rule)
            }

            fn visit_described<A>(self, rule: A) -> Self::Output
            where
                A: ProbeRule + Allocator<LoadVector> + Allocator<LoadProfile> + Clone + Send + Sync,
            {
                self.0.run_described(self.1.to_string(), &rule)
            }

            fn visit_ranked<A>(self, rule: A) -> Self::Output
            where
                A: RankRule + Allocator<RankedVector> + Allocator<LoadProfile> + Clone + Send + Sync,
            {
                self.0.run_ranked(self.1.to_string(), &rule)
            }

            fn visit_for_view<F: RuleForView>(self, rule: F) -> Self::Output {
                self.0.run_for_view(self.1.to_string(), &rule)
            }
        }

        with_rule(spec, Run(self, spec))?
    }

    /// Checks the numbers and settles the engine.
    fn choose(&self, offers: Offers) -> Result<Engine, ExperimentError> {
        self.check()?;
        let fits = self.vector_fits(offers);
        let engine = match (self.engine, offers) {
            (Engine::Auto, _) => fastest(offers, self.bins, self.balls, fits.is_ok()),
            (Engine::Bulk, Offers::Vector | Offers::Profile) => return Err(ExperimentError::NotDescribed),
            (Engine::Profile, Offers::Vector) => return Err(ExperimentError::NeedsLabels),
            (engine, _) => engine,
        };
        if engine == Engine::Vector {
            fits?;
        }
        Ok(engine)
    }

    fn all_trials<A, L, F>(&self, process: String, engine: Engine, rule: &A, run: F) -> Result<Report, ExperimentError>
    where
        A: Clone + Send + Sync,
        L: TrialLoads,
        F: Fn(&mut A, &mut L, &mut TrialRng) -> Result<Option<Probes>, StartError> + Sync,
    {
        let begin = Instant::now();
        let progress = self.progress();
        let shares = deal(self.trials, self.threads, |tally: &mut Tally, trial| {
            let mut loads = L::empty(self.bins)?;
            if self.epsilon.is_some() {
                loads.record_maximum();
            }
            let mut rule = rule.clone();
            let probes = run(&mut rule, &mut loads, &mut rng_for_trial(self.seed, trial))?;
            tally.add(&loads, probes, self.epsilon, self.levels)?;
            progress.advance();
            Ok(())
        })?;
        let mut tally = Tally::default();
        shares.iter().for_each(|share| tally.merge(share));
        Ok(Report {
            process,
            bins: self.bins,
            balls: self.balls,
            trials: self.trials,
            seed: self.seed,
            engine,
            epsilon: self.epsilon,
            levels: self.levels,
            tally,
            elapsed: begin.elapsed(),
        })
    }

    fn check(&self) -> Result<(), ExperimentError> {
        if self.trials == 0 {
            return Err(ParameterError::new("trials", 0, "1..").into());
        }
        if let Some(epsilon) = self.epsilon
            && !(epsilon > 0.0 && epsilon <= 1.0)
        {
            return Err(RecordError::Epsilon { epsilon }.into());
        }
        Ok(())
    }

    /// Refuses labelled bins that do not fit in memory, before anything is allocated.
    fn vector_fits(&self, offers: Offers) -> Result<(), ExperimentError> {
        let (bins, threads) = (self.bins, at_once(self.trials, self.threads));
        // A byte a bin, see `LoadVector`; more only where the loads spread over hundreds of levels.
        let bytes = u128::from(bins) * threads as u128;
        match memory::available() {
            Some(available) if bytes > available => {
                Err(ExperimentError::DoesNotFit { bins, threads, bytes, available, instead: offers.counted() })
            }
            _ => Ok(()),
        }
    }

    #[cfg(feature = "progress")]
    fn progress(&self) -> Progress {
        if self.progress { Progress::shown(self.trials) } else { Progress::hidden() }
    }

    #[cfg(not(feature = "progress"))]
    fn progress(&self) -> Progress {
        Progress::hidden()
    }
}

/// Why an experiment cannot be run.
///
/// # Examples
///
/// ```
/// use bb_experiment::Experiment;
/// use bb_experiment::bb_processes::DChoice;
///
/// let message = |experiment: Experiment| experiment.run("two-choice", &DChoice::two()).unwrap_err().to_string();
/// assert_eq!(message(Experiment::new(10, 10).with_trials(0)), "trials = 0 is outside 1..");
/// assert_eq!(message(Experiment::new(10, 10).with_epsilon(0.0)), "epsilon = 0 is outside (0, 1]");
/// assert_eq!(message(Experiment::new(0, 10)), "bins = 0 is outside 1.., there must be a bin");
/// assert!(message(Experiment::new(1 << 62, 10)).starts_with("bins = 4611686018427387904 "));
/// ```
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ExperimentError {
    /// A number is outside its range.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// There is no such rule, or not with these parameters.
    #[error(transparent)]
    Rule(#[from] RuleError),
    /// The rule is not described by its probes, so it cannot run in bulk.
    #[error("engine = bulk is outside what the rule offers: it is not described by its probes")]
    NotDescribed,
    /// The rule needs labelled bins.
    #[error("engine = profile is outside what the rule offers: it needs labelled bins")]
    NeedsLabels,
    /// The loads of all trials that run at the same time need more memory than is available.
    #[error(
        "bins = {bins} on {} needs {bytes} bytes, outside 0..={available}, the memory available{}",
        number_of(*threads as u64, "thread"),
        what_would_fit(*bins, *threads, *available, instead)
    )]
    DoesNotFit {
        /// The number of bins.
        bins: u64,
        /// The number of trials at the same time.
        threads: usize,
        /// The bytes needed.
        bytes: u128,
        /// The bytes available.
        available: u128,
        /// The engines of the rule that need no memory for each bin.
        instead: &'static [Engine],
    },
    /// The loads cannot be made.
    #[error(transparent)]
    Loads(#[from] LoadsError),
    /// The rule cannot begin on so many bins.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The typical gap cannot be given.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The system refuses so many threads.
    #[error("threads = {threads} is outside what the system allows: {reason}")]
    Threads {
        /// The number of threads.
        threads: usize,
        /// What the system says.
        reason: String,
    },
}

/// What to try where the bins do not fit.
fn what_would_fit(bins: u64, threads: usize, available: u128, instead: &[Engine]) -> String {
    let fewer = (threads > 1 && u128::from(bins) <= available).then(|| "fewer threads".to_owned());
    let ways: Vec<_> = fewer.into_iter().chain(instead.iter().map(|engine| format!("engine = {engine}"))).collect();
    if ways.is_empty() { String::new() } else { format!("; try {}", ways.join(" or ")) }
}
