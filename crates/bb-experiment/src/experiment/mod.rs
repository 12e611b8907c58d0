//! Many independent runs of one rule: [`Experiment`].

mod by_name;
mod error;
mod in_dimensions;
mod memory;
mod rules;
mod systems;
mod thinning;
mod trial;
mod with_weights;

use bb_core::{ParameterError, Put, RecordError};

pub use self::error::ExperimentError;
use crate::engine::{Engine, Offers, fastest};
use crate::progress::Progress;
use crate::trials::at_once;
use crate::{Dimensions, Parallel, Setting, Weights, memory as machine};

/// Many independent trials of a rule: each throws `balls` balls into `bins` empty bins, and the metrics of all are summed up.
///
/// A trial has its own loads, its own clone of the rule, and its own generator [`rng_for_trial`](bb_core::rng_for_trial)`(seed, trial)`, so the result is fixed by
/// the seed and does not depend on the number of threads.
///
/// # Examples
///
/// A rule of one's own, and the same experiment with a rule by name:
///
/// ```
/// use bb_core::{Allocator, Bins, BinsExt, Rng};
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
    /// Returns the experiment of one trial with seed 1 on all cores. What it is given is checked when it runs.
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

    /// Drives the trials by rounds. For a rule a round is a step, whatever number of balls it places (twinning and packing: a sample), and the number of balls must be 0. For a system it is what
    /// the system calls a round, and the number of balls is that at the start.
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

    /// Throws balls of several dimensions, for rules by name; [`Dimensions`] shows it.
    #[must_use]
    pub fn with_dimensions(self, dimensions: Dimensions) -> Self {
        Self { dimensions: Some(dimensions), ..self }
    }

    /// Gives balls weights, for experiments by name; [`Weights`] shows it.
    #[must_use]
    pub fn with_weights(self, weights: Weights) -> Self {
        Self { weights: Some(weights), ..self }
    }

    /// Throws the balls in parallel rounds, for choices by name; [`Parallel`] shows it.
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

    /// Checks the numbers and settles the engine for a rule that offers these on fresh loads.
    fn choose(&self, offers: Offers) -> Result<Engine, ExperimentError> {
        self.choose_with(offers, 0)
    }

    /// The same for a rule with so many counters a bin, a byte each.
    fn choose_with(&self, offers: Offers, counters: u8) -> Result<Engine, ExperimentError> {
        self.check()?;
        if self.rounds.is_some() && self.balls > 0 {
            return Err(ExperimentError::BallsAndRounds { balls: self.balls });
        }
        if let Setting::Delayed(delay) = self.setting
            && delay.reports.compare()
        {
            return Err(ExperimentError::TwoChoiceAlone { setting: self.setting });
        }
        let (offers, bytes_a_bin, kept) = match (self.seen(), offers) {
            // A byte a bin, see `LoadVector`; more only where the loads spread over hundreds of levels.
            (Setting::Fresh, offers) => (offers, 1, 0),
            (Setting::Batched(batch), Offers::Bulk) => (Offers::Batches, 2, batch.min(self.one_ball_a_round())),
            (Setting::Batched(batch), _) => (Offers::Vector, 2, batch.min(self.one_ball_a_round())),
            (Setting::Delayed(delay), _) => (Offers::Vector, 2, delay.tau),
        };
        let fits = self.fits(bytes_a_bin + u64::from(counters), kept, offers.counted());
        let engine = match self.engine {
            Engine::Auto => fastest(offers, self.bins, self.one_ball_a_round(), fits.is_ok()),
            engine if offers.has(engine) => engine,
            engine if self.seen() != Setting::Fresh => {
                return Err(ExperimentError::EngineInSetting { engine, setting: self.setting });
            }
            Engine::Bulk => return Err(ExperimentError::NotDescribed),
            _ => return Err(ExperimentError::NeedsLabels),
        };
        if engine == Engine::Vector {
            fits?;
        }
        Ok(engine)
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

    /// Refuses labelled bins that do not fit in memory, before anything is allocated; `kept` balls are remembered besides.
    fn fits(&self, bytes_a_bin: u64, kept: u64, instead: &'static [Engine]) -> Result<(), ExperimentError> {
        /// A bin and what was put there.
        const KEPT: u128 = size_of::<(usize, Put)>() as u128;
        let (bins, threads) = (self.bins, at_once(self.trials, self.threads));
        let bytes = (u128::from(bins) * u128::from(bytes_a_bin) + u128::from(kept) * KEPT) * threads as u128;
        match machine::available() {
            Some(available) if bytes > available => {
                Err(ExperimentError::DoesNotFit { bins, threads, bytes, available, instead })
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
