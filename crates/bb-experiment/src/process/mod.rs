//! Whatever a name can stand for, as a value: [`Process`].

mod kinds;
pub(crate) mod play;

use core::fmt;

use bb_core::{DynamicLoads, LoadProfile, LoadVector, SampleCount, TrialRng};
use bb_memory::MemoryReport;

use self::play::{Length, On, Play, PlaySet, PlayVectors, PlayWeights};
use crate::engine::Engine;
use crate::error::ExperimentError;
use crate::setting::Setting;

/// A process that an [`Experiment`](crate::Experiment) can run: a rule, a thinning strategy, a rule with a
/// bounded memory, or a system.
///
/// It is a value, whatever the type of the rule inside: a name, and what the rule does on each kind of loads
/// that it can run on. A constructor asks for what the kind of rule has, and `with_…` adds what one rule has
/// besides. What a process has no answer for, an experiment refuses by name.
///
/// | constructor | for | runs on |
/// | --- | --- | --- |
/// | [`new`](Self::new) | a rule for [`LoadVector`] | labelled bins |
/// | [`in_settings`](Self::in_settings) | a rule for all views with labelled bins | these in batches, with delays and in dimensions besides |
/// | [`described`](Self::described) | a rule that is its description | everything, in bulk too |
/// | [`ranked`](Self::ranked) | a rule of ranks | labelled bins in every setting, counted bins, in bulk |
/// | [`thinning`](Self::thinning), [`ranked_thinning`](Self::ranked_thinning) | a thinning strategy | labelled bins in every setting, counted bins |
/// | [`memory`](Self::memory) | a rule with a bounded memory | labelled bins |
/// | [`system`](Self::system), [`memory_system`](Self::memory_system) | a system in which balls also leave | both kinds of bins; labelled ones |
///
/// # Examples
///
/// A rule of one's own, written for all views:
///
/// ```
/// use bb_core::{Allocator, Bins, BinsExt, Rng};
/// use bb_experiment::{Engine, Experiment, Process, Setting};
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
/// let lazy = Process::in_settings("lazy", Lazy).with_counted(Lazy).with_weights(Lazy);
/// let experiment = Experiment::new(100, 1000).with_trials(5);
/// let plain = experiment.run(&lazy)?;
/// let batched = experiment.clone().with_setting(Setting::Batched(100)).run(&lazy)?;
/// assert!(batched.gap().mean() > plain.gap().mean());
/// let many = Experiment::new(1 << 50, 1000).run(&lazy)?;
/// assert_eq!(many.engine(), Engine::Profile);
/// let weighted = experiment.with_weights("exp".parse()?).run(&lazy)?;
/// assert!(weighted.max_weight().is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A process by name, on one's own loads:
///
/// ```
/// use bb_core::{LoadVector, Metrics, rng_for_trial};
/// use bb_experiment::{Size, process};
///
/// let two = process(&"two-choice".parse()?, Size { bins: 100, balls: 1000 })?;
/// let mut loads = LoadVector::new(100)?;
/// two.throw(&mut loads, 1000, &mut rng_for_trial(1, 0))?;
/// assert!((11..=13).contains(&loads.max_load()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Process {
    name: String,
    /// How many counters of each bin it keeps, a byte each.
    pub(crate) counters: u8,
    pub(crate) labelled: Option<Play<LoadVector>>,
    pub(crate) late: Option<PlaySet<LoadVector>>,
    pub(crate) counted: Option<Play<LoadProfile>>,
    pub(crate) bulk: Option<Play<LoadProfile>>,
    pub(crate) batches: Option<PlaySet<LoadProfile>>,
    pub(crate) weights: Option<PlayWeights>,
    pub(crate) vectors: Option<PlayVectors>,
    /// `d`, if the rule takes the least of `d` independent samples and is nothing else.
    pub(crate) least_of: Option<u32>,
    /// Why there is no `vectors`.
    pub(crate) no_vectors: &'static str,
    /// A system's rounds.
    pub(crate) system: Option<Play<DynamicLoads>>,
    pub(crate) counted_system: Option<Play<LoadProfile>>,
}

/// What only a process knows of the balls that it threw.
///
/// # Examples
///
/// ```
/// use bb_core::{LoadProfile, rng_for_trial};
/// use bb_experiment::{Size, process};
///
/// let size = Size { bins: 10_000, balls: 10_000 };
/// let threshold = process(&"thinning-threshold:l=1".parse()?, size)?;
/// let mut loads = LoadProfile::new(10_000)?;
/// let thrown = threshold.throw_counted(&mut loads, 10_000, &mut rng_for_trial(1, 0))?;
/// assert!((thrown.rejections.unwrap() - (-1_f64).exp()).abs() < 0.03);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Thrown {
    /// How many bins were sampled, if the rule knows it.
    pub samples: Option<SampleCount>,
    /// The number of samples rejected for a ball, if it is a thinning strategy and there was a ball.
    pub rejections: Option<f64>,
    /// The first ball whose target distribution two-thinning cannot realise, if there was one.
    pub unrealizable_at: Option<u64>,
    /// What was done with a bounded memory.
    pub memory: Option<MemoryReport>,
    pub(crate) batch_end_gap: Option<f64>,
    /// Whether the maximum was looked at only at the ends of batches.
    pub(crate) ends_only: bool,
}

impl Thrown {
    pub(crate) fn with_batch_end_gap(self, gap: f64) -> Self {
        Self { batch_end_gap: Some(gap), ..self }
    }
}

impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Process").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Process {
    /// Returns the name, as reports give it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Throws balls one by one into labelled bins, which may hold balls: the rule starts on them. The type
    /// has an example.
    ///
    /// # Errors
    ///
    /// If the process is a system, or the rule cannot start on these bins; no ball is placed then.
    pub fn throw(&self, loads: &mut LoadVector, balls: u64, rng: &mut TrialRng) -> Result<Thrown, ExperimentError> {
        let play = self.labelled.as_ref().ok_or_else(|| self.has_no(Engine::Vector))?;
        play(loads, Length::Balls(balls), rng)
    }

    /// Throws balls one by one into counted bins; [`Thrown`] has an example.
    ///
    /// # Errors
    ///
    /// As for [`throw`](Self::throw), and if the process needs labelled bins.
    pub fn throw_counted(
        &self,
        loads: &mut LoadProfile,
        balls: u64,
        rng: &mut TrialRng,
    ) -> Result<Thrown, ExperimentError> {
        let play = self.counted.as_ref().ok_or_else(|| self.has_no(Engine::Profile))?;
        play(loads, Length::Balls(balls), rng)
    }

    /// Throws many balls at once into counted bins.
    ///
    /// # Errors
    ///
    /// As for [`throw`](Self::throw), and if the process is not described by its samples.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_core::{LoadProfile, Metrics, rng_for_trial};
    /// use bb_experiment::Process;
    /// use bb_experiment::bb_processes::DChoice;
    ///
    /// let mut loads = LoadProfile::new(1 << 40)?;
    /// Process::described("two", DChoice::two()).throw_bulk(&mut loads, 1 << 30, &mut rng_for_trial(1, 0))?;
    /// assert_eq!(loads.max_load(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn throw_bulk(
        &self,
        loads: &mut LoadProfile,
        balls: u64,
        rng: &mut TrialRng,
    ) -> Result<Thrown, ExperimentError> {
        let play = self.bulk.as_ref().ok_or_else(|| self.has_no(Engine::Bulk))?;
        play(loads, Length::Balls(balls), rng)
    }

    /// Drives a system on counted bins for so many rounds. A system remembers nothing of them, so rounds in
    /// pieces are the uncut ones.
    ///
    /// # Errors
    ///
    /// If the process is no system, or needs labelled bins, or cannot start on these.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_core::{LoadProfile, Metrics, rng_for_trial};
    /// use bb_experiment::{Size, process};
    ///
    /// let leaky = process(&"leaky:lambda=0.9".parse()?, Size { bins: 10_000, balls: 0 })?;
    /// let (mut loads, mut rng) = (LoadProfile::new(10_000)?, rng_for_trial(1, 0));
    /// let mut most = 0;
    /// for _ in 0..100 {
    ///     leaky.drive(&mut loads, 1, &mut rng)?;
    ///     most = most.max(loads.max_load());
    /// }
    /// assert!((4..12).contains(&most));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn drive(&self, loads: &mut LoadProfile, rounds: u64, rng: &mut TrialRng) -> Result<Thrown, ExperimentError> {
        let play = self.counted_system.as_ref().ok_or_else(|| self.has_no(Engine::Profile))?;
        play(loads, Length::Steps(rounds), rng)
    }

    /// Tells whether balls also leave.
    pub(crate) fn is_system(&self) -> bool {
        self.system.is_some()
    }

    /// The engines that run the process in a setting, each with what plays a trial; the labelled one comes
    /// first.
    ///
    /// # Errors
    ///
    /// If there are none, which says why.
    pub(crate) fn ways(&self, setting: Setting) -> Result<Vec<(Engine, On)>, ExperimentError> {
        let process = || self.name.clone();
        let late = || self.late.as_ref().map(|play| On::Labelled(play::set(play, setting)));
        let (labelled, counted, bulk) = match setting {
            _ if self.is_system() => {
                (self.system.clone().map(On::System), self.counted_system.clone().map(On::CountedSystem), None)
            }
            Setting::Fresh => (
                self.labelled.clone().map(On::Labelled),
                self.counted.clone().map(On::Counted),
                self.bulk.clone().map(On::Counted),
            ),
            Setting::Batched(_) => {
                (late(), None, self.batches.as_ref().map(|play| On::Counted(play::set(play, setting))))
            }
            Setting::Delayed(delay) if delay.reports.compare() && self.late.is_some() => {
                if self.least_of != Some(2) {
                    return Err(ExperimentError::TwoSamplesAlone { process: process(), setting });
                }
                (Some(On::Labelled(play::comparing_reports(delay))), None, None)
            }
            Setting::Delayed(_) => (late(), None, None),
        };
        if labelled.is_none() {
            return Err(ExperimentError::OneSetting { process: process(), setting });
        }
        let ways = [(Engine::Vector, labelled), (Engine::Profile, counted), (Engine::Bulk, bulk)];
        Ok(ways.into_iter().filter_map(|(engine, on)| Some((engine, on?))).collect())
    }

    /// The refusal of an engine.
    pub(crate) fn refuses(&self, engine: Engine, setting: Setting) -> ExperimentError {
        match self.ways(setting) {
            Ok(ways) => {
                let engines = ways.iter().map(|way| way.0).collect();
                ExperimentError::Engine { process: self.name.clone(), engine, setting, engines }
            }
            Err(refused) => refused,
        }
    }

    fn has_no(&self, engine: Engine) -> ExperimentError {
        self.refuses(engine, Setting::Fresh)
    }
}
