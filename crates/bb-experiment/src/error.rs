//! Why an experiment cannot be run: [`ExperimentError`].

use bb_core::{LoadsError, ParameterError, RecordError, StartError};
use bb_processes::{DimensionsError, FinalLoadsError, WeightError};
use thiserror::Error;

use crate::engine::Engine;
use crate::number::number_of;
use crate::setting::Setting;
use crate::spec::RuleError;

/// Why an experiment cannot be run.
///
/// # Examples
///
/// ```
/// use bb_experiment::bb_processes::DChoice;
/// use bb_experiment::{Experiment, Process};
///
/// let two = Process::new("two-choice", DChoice::two());
/// let message = |experiment: Experiment| experiment.run(&two).unwrap_err().to_string();
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
    /// The engine cannot run the process.
    #[error(
        "engine = {engine} is outside {}, which run {process} on {setting}",
        engines.iter().chain(&[Engine::Auto]).map(|engine| engine.name()).collect::<Vec<_>>().join(", ")
    )]
    Engine {
        /// The process.
        process: String,
        /// The engine.
        engine: Engine,
        /// The setting.
        setting: Setting,
        /// The engines that can.
        engines: Vec<Engine>,
    },
    /// The process is for the loads as they are.
    #[error("{setting} is given, and {process} is for fresh loads alone")]
    OneSetting {
        /// The process.
        process: String,
        /// The setting.
        setting: Setting,
    },
    /// Such reports are defined where two loads are compared.
    #[error(
        "{setting} is given, and {process} does not compare two independent samples, as two-choice does; stale reports would do"
    )]
    TwoSamplesAlone {
        /// The process.
        process: String,
        /// The setting.
        setting: Setting,
    },
    /// A rule is stopped by a number of balls or by one of rounds.
    #[error("balls = {balls} is given with rounds, and a rule is stopped by one of them")]
    BallsAndRounds {
        /// The number of balls.
        balls: u64,
    },
    /// A system is driven by rounds.
    #[error("rounds are not given, and {process} is a system, driven by them")]
    NoRounds {
        /// The system.
        process: String,
    },
    /// A system does not do that.
    #[error("{what} is given, and {process} is a system in which balls leave, which has no such thing")]
    NoSystem {
        /// The system.
        process: String,
        /// What it does not do.
        what: String,
    },
    /// What is asked for is not there where balls have weights.
    #[error("{what} {why}")]
    NoWeights {
        /// What is asked for.
        what: String,
        /// Why it is not there.
        why: &'static str,
    },
    /// A law gave what is not a weight.
    #[error(transparent)]
    Weight(#[from] WeightError),
    /// What is asked for is not there in several dimensions, or not in parallel rounds.
    #[error("{what} {why}")]
    NotInDimensions {
        /// What is asked for.
        what: String,
        /// Why it is not there.
        why: &'static str,
    },
    /// The bins of several dimensions cannot be made.
    #[error(transparent)]
    Dimensions(#[from] DimensionsError),
    /// The balls at the start cannot be thrown, or a batch cannot be placed.
    #[error(transparent)]
    FinalLoads(#[from] FinalLoadsError),
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
        instead: Vec<Engine>,
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
