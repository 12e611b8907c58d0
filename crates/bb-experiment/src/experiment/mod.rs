//! Many independent runs of one rule: [`Experiment`].

mod checks;
mod error;
mod in_dimensions;
mod trial;
mod with_weights;

pub use self::error::ExperimentError;
use crate::dimensions::{Dimensions, Parallel};
use crate::engine::Engine;
use crate::process::Process;
use crate::progress::Progress;
use crate::registry::{Size, process};
use crate::report::Report;
use crate::setting::Setting;
use crate::spec::RuleSpec;
use crate::weights::Weights;

/// Many independent trials of a process: each throws `balls` balls into `bins` empty bins, and the metrics of
/// all are summed up.
///
/// A trial has its own loads, its own clone of the rule, and its own generator
/// [`rng_for_trial`](bb_core::rng_for_trial)`(seed, trial)`, so the result is fixed by the seed and does not
/// depend on the number of threads.
///
/// # Examples
///
/// A rule of one's own, and the same experiment with a rule by name:
///
/// ```
/// use bb_core::{Allocator, Bins, BinsExt, Rng};
/// use bb_experiment::{Experiment, Process};
///
/// /// Judgements at a second bin only if the first is not below the mean.
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
/// let experiment = Experiment::new(100, 10_000).with_trials(20).with_seed(1).with_threads(2);
/// let experiment = experiment.with_epsilon(0.1).with_levels();
/// let lazy = experiment.run(&Process::new("lazy", Lazy))?;
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
    rounds: Option<u64>,
    setting: Setting,
    weights: Option<Weights>,
    dimensions: Option<Dimensions>,
    parallel: Option<Parallel>,
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
    /// Returns the experiment of one trial with seed 1 on all cores. What it is given is checked when it
    /// runs.
    #[must_use]
    pub fn new(bins: u64, balls: u64) -> Self {
        Self {
            bins,
            balls,
            rounds: None,
            setting: Setting::Fresh,
            weights: None,
            dimensions: None,
            parallel: None,
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

    /// Drives the trials by rounds. For a rule a round is a step, whatever number of balls it places
    /// (twinning and packing: a sample), and the number of balls must be 0. For a system it is what the
    /// system calls a round, and the number of balls is that at the start.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_experiment::Experiment;
    ///
    /// let report = Experiment::new(100, 0).with_rounds(1000).run_spec(&"twinning".parse()?)?;
    /// // An underloaded sample takes two balls.
    /// assert!(report.max_load().mean().unwrap() > 10.0);
    /// assert_eq!((report.balls(), report.rounds()), (None, Some(1000)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_rounds(self, rounds: u64) -> Self {
        Self { rounds: Some(rounds), ..self }
    }

    /// Sets what decisions see of the loads; the default is [`Setting::Fresh`].
    #[must_use]
    pub fn with_setting(self, setting: Setting) -> Self {
        Self { setting, ..self }
    }

    /// Throws balls of several dimensions; [`Dimensions`] shows it.
    #[must_use]
    pub fn with_dimensions(self, dimensions: Dimensions) -> Self {
        Self { dimensions: Some(dimensions), ..self }
    }

    /// Gives balls weights; [`Weights`] shows it.
    #[must_use]
    pub fn with_weights(self, weights: Weights) -> Self {
        Self { weights: Some(weights), ..self }
    }

    /// Throws the balls in parallel rounds, for choices; [`Parallel`] shows it.
    #[must_use]
    pub fn with_parallel(self, parallel: Parallel) -> Self {
        Self { parallel: Some(parallel), ..self }
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

    /// Asks for the `epsilon`-typical gap, `epsilon` in `(0, 1]`: see
    /// [`MaxLoadRecord::typical`](bb_core::MaxLoadRecord::typical).
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

    /// Runs the trials with a process: each starts a clone of its rule on empty bins and throws all balls, or
    /// takes so many steps or rounds.
    ///
    /// # Errors
    ///
    /// If a number is outside its range, the bins do not fit in memory, the rule cannot start on so many
    /// bins, or the process has no answer for what the experiment asks: an engine, a setting, weights,
    /// dimensions. No ball is placed then.
    pub fn run(&self, process: &Process) -> Result<Report, ExperimentError> {
        if let Some(weights) = &self.weights {
            self.on_weights(process, weights)
        } else if let Some(dimensions) = self.dimensions() {
            self.on_vectors(process, &dimensions)
        } else if process.is_system() {
            self.on_system(process)
        } else {
            self.on_loads(process)
        }
    }

    /// Runs the trials with the process that `spec` names; the type has an example.
    ///
    /// # Errors
    ///
    /// As for [`run`](Self::run), and what [`process`] finds.
    pub fn run_spec(&self, spec: &RuleSpec) -> Result<Report, ExperimentError> {
        self.run(&process(spec, Size { bins: self.bins, balls: self.one_ball_a_round() })?)
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
