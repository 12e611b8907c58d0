//! What is asked of many independent trials: [`Experiment`].

use crate::dimensions::{Dimensions, Parallel};
use crate::engine::Engine;
use crate::setting::Setting;
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
/// /// Samples a second bin only if the first is not below the mean.
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
    pub(crate) bins: u64,
    pub(crate) balls: u64,
    pub(crate) rounds: Option<u64>,
    pub(crate) setting: Setting,
    pub(crate) weights: Option<Weights>,
    pub(crate) dimensions: Option<Dimensions>,
    pub(crate) parallel: Option<Parallel>,
    pub(crate) trials: u64,
    pub(crate) seed: u64,
    pub(crate) threads: usize,
    pub(crate) epsilon: Option<f64>,
    pub(crate) levels: bool,
    pub(crate) engine: Engine,
    pub(crate) progress: bool,
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
}
