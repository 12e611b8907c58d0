//! The rules under test, each on every engine that runs it, with its limit for many bins.

use std::fmt;

use bb_core::{Allocator, LoadProfile, LoadVector, Place, TrialRng};
use bb_experiment::{Experiment, ExperimentError, Report};
use bb_processes::{DChoice, LoadThreshold, MeanThinning, OneChoice, OnePlusBeta};

/// A rule with its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Process {
    OneChoice,
    /// d-Choice with replacement.
    Choice(u32),
    /// d-Choice without replacement.
    Distinct(u32),
    /// (1+β).
    Beta(f64),
    /// Thinning by load.
    Threshold {
        level: u64,
        d: u32,
    },
    MeanThinning,
}

/// How the loads are kept and the balls thrown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Engine {
    /// One load for each bin.
    Vector,
    /// A count for each level, ball by ball.
    Profile,
    /// A count for each level, many balls at once.
    Bulk,
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Vector => "vector",
            Self::Profile => "profile",
            Self::Bulk => "bulk",
        })
    }
}

/// Evaluates `$body` with `$rule` bound to the rule of the library.
macro_rules! with_rule {
    ($process:expr, $rule:ident => $body:expr) => {
        match $process {
            Process::OneChoice => {
                let $rule = OneChoice;
                $body
            }
            Process::Choice(d) => {
                let $rule = DChoice::new(d).expect("d ≥ 1");
                $body
            }
            Process::Distinct(d) => {
                let $rule = DChoice::without_replacement(d).expect("d ≥ 1");
                $body
            }
            Process::Beta(beta) => {
                let $rule = OnePlusBeta::new(beta).expect("a probability");
                $body
            }
            Process::Threshold { level, d } => {
                let $rule = threshold(level, d);
                $body
            }
            Process::MeanThinning => {
                let $rule = MeanThinning;
                $body
            }
        }
    };
}

impl Process {
    /// Returns the rule that the tables call so, if the library has it.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let name = name.to_lowercase().replace(';', "");
        if let Some(beta) = name.strip_prefix("(1+beta) beta=") {
            return beta.parse().ok().map(Self::Beta);
        }
        if let Some(d) = name.strip_suffix("-choice without replacement") {
            return d.parse().ok().map(Self::Distinct);
        }
        match name.as_str() {
            "one-choice" => Some(Self::OneChoice),
            // Of two slots the better one: Two-Choice.
            "two-choice" | "(kd)-choice k=1 d=2" => Some(Self::Choice(2)),
            "three-choice" => Some(Self::Choice(3)),
            "four-choice" => Some(Self::Choice(4)),
            "mean-thinning" | "relative-threshold f=0 (mean-thinning)" => Some(Self::MeanThinning),
            _ => None,
        }
    }

    /// Throws balls one by one.
    pub(crate) fn throw<B: Place<Load = u64>>(self, bins: &mut B, balls: u64, rng: &mut TrialRng) {
        with_rule!(self, rule => {
            let mut rule = rule;
            rule.start_and_run(bins, balls, rng).expect("the rule starts on so many bins");
        });
    }

    /// Throws balls into empty bins on an engine and hands over the loads.
    ///
    /// # Panics
    ///
    /// For d-Choice without replacement in bulk, which has no description.
    pub(crate) fn on<T>(
        self,
        engine: Engine,
        sizes: Sizes,
        rng: &mut TrialRng,
        look: impl FnOnce(&dyn Loads) -> T,
    ) -> T {
        let Sizes { bins, balls } = sizes;
        match engine {
            Engine::Vector => {
                let mut loads = LoadVector::new(bins).expect("a byte a bin");
                self.throw(&mut loads, balls, rng);
                look(&loads)
            }
            Engine::Profile => {
                let mut loads = LoadProfile::new(bins).expect("at most 2^62 bins");
                self.throw(&mut loads, balls, rng);
                look(&loads)
            }
            Engine::Bulk => {
                let mut loads = LoadProfile::new(bins).expect("at most 2^62 bins");
                self.throw_in_bulk(&mut loads, balls, rng);
                look(&loads)
            }
        }
    }

    fn throw_in_bulk(self, loads: &mut LoadProfile, balls: u64, rng: &mut TrialRng) {
        match self {
            Self::OneChoice => loads.run_bulk(&OneChoice, balls, rng),
            Self::Choice(d) => loads.run_bulk(&DChoice::new(d).expect("d ≥ 1"), balls, rng),
            Self::Distinct(_) => unreachable!("it has no description by probes"),
            Self::Beta(beta) => loads.run_bulk(&OnePlusBeta::new(beta).expect("a probability"), balls, rng),
            Self::Threshold { level, d } => loads.run_bulk(&threshold(level, d), balls, rng),
            Self::MeanThinning => loads.run_bulk(&MeanThinning, balls, rng),
        }
    }

    /// Runs the trials of an experiment.
    pub(crate) fn experiment(self, experiment: &Experiment) -> Result<Report, ExperimentError> {
        with_rule!(self, rule => experiment.run(self.to_string(), &rule))
    }

    /// The limit, for many bins, of the rates at which bins rise to levels 1, 2, …: into `rates`, where `tails[k]` is the fraction of bins
    /// with load at least `k` and the mean, rounded up, is `mean`. The rates sum to 1 if nothing is cut off.
    pub(crate) fn rates(self, mean: u64, tails: &[f64], rates: &mut [f64]) {
        let flow = |flow: &dyn Fn(f64) -> f64, rates: &mut [f64]| {
            rates[0] = 0.0;
            for k in 1..tails.len() {
                rates[k] = flow(tails[k - 1]) - flow(tails[k]);
            }
        };
        match self {
            Self::OneChoice => flow(&|u| u, rates),
            Self::Choice(d) | Self::Distinct(d) => flow(&|u| u.powi(d as i32), rates),
            Self::Beta(beta) => flow(&|u| u * (1.0 - beta + beta * u), rates),
            Self::Threshold { level, d } => thinning(level, d, tails, rates),
            Self::MeanThinning => thinning(mean, 2, tails, rates),
        }
    }
}

fn threshold(level: u64, d: u32) -> LoadThreshold {
    LoadThreshold::new(level).and_then(|rule| rule.with_d(d)).expect("level ≥ 1 and d ≥ 1")
}

/// Thinning at a level with `d` suggestions: a level below receives at the rate `p (1 + h + … + h^(d−1))`, others at `p h^(d−1)`, where `h` is
/// the fraction refused.
fn thinning(level: u64, d: u32, tails: &[f64], rates: &mut [f64]) {
    let refused = tails.get(level as usize).copied().unwrap_or(0.0);
    let last = refused.powi(d as i32 - 1);
    let any: f64 = (0..d as i32).map(|tries| refused.powi(tries)).sum();
    rates[0] = 0.0;
    for k in 1..tails.len() {
        rates[k] = (tails[k - 1] - tails[k]) * if (k as u64) <= level { any } else { last };
    }
}

impl fmt::Display for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OneChoice => write!(f, "One-Choice"),
            Self::Choice(2) => write!(f, "Two-Choice"),
            Self::Choice(d) => write!(f, "{d}-Choice"),
            Self::Distinct(d) => write!(f, "{d}-Choice, distinct bins"),
            Self::Beta(beta) => write!(f, "(1+β), β = {beta}"),
            Self::Threshold { level, d } => write!(f, "load threshold {level}, d = {d}"),
            Self::MeanThinning => write!(f, "Mean-Thinning"),
        }
    }
}

/// How many balls go into how many bins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub(crate) bins: u64,
    pub(crate) balls: u64,
}

/// What the checks ask of loads of either kind.
pub(crate) trait Loads {
    fn max_load(&self) -> u64;
    fn level_counts(&self) -> Vec<(u64, u64)>;
    fn all_time_gap(&self) -> f64;
}

impl Loads for LoadVector {
    fn max_load(&self) -> u64 {
        bb_core::Metrics::max_load(self)
    }
    fn level_counts(&self) -> Vec<(u64, u64)> {
        bb_core::Metrics::level_counts(self)
    }
    fn all_time_gap(&self) -> f64 {
        self.all_time_gap()
    }
}

impl Loads for LoadProfile {
    fn max_load(&self) -> u64 {
        bb_core::Metrics::max_load(self)
    }
    fn level_counts(&self) -> Vec<(u64, u64)> {
        bb_core::Metrics::level_counts(self)
    }
    fn all_time_gap(&self) -> f64 {
        self.all_time_gap()
    }
}
