//! The rules under test, with their names in the library, and the limit of each for many bins.

use std::fmt;

use bb_core::{Bins, LoadProfile, LoadVector, TrialRng};
use bb_experiment::{Engine, Experiment, ExperimentError, Report, Size};
use bb_processes::theory::allocation::RankLaw;
use bb_processes::theory::fluid::{Comparison, Fluid};

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
    /// Thinning with a threshold so far above the mean.
    RelativeThreshold(f64),
    GBounded(u64),
    GMyopic(u64),
    SigmaNoisyLoad(f64),
    Caching,
    Twinning,
    Packing(u64),
    /// A second bin if the first is among the fullest.
    Quantile(f64),
    /// The better class of two bins, classes divided by these quantiles.
    KQuantile(&'static [f64]),
    /// A rule for labelled bins, by its name.
    Labelled(&'static str),
}

impl Process {
    /// Returns the rule that the tables call so, if the library has it.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let name = name.to_lowercase();
        if let Some(inside) = name.strip_prefix("quantile(") {
            return match inside {
                "1/2)" => Some(Self::Quantile(0.5)),
                "1/4;1/2)" => Some(Self::KQuantile(&[0.25, 0.5])),
                _ => None,
            };
        }
        let name = name.replace(';', "");
        if let Some(beta) = name.strip_prefix("(1+beta) beta=") {
            return beta.parse().ok().map(Self::Beta);
        }
        if let Some(d) = name.strip_suffix("-choice without replacement") {
            return d.parse().ok().map(Self::Distinct);
        }
        if let Some(g) = name.strip_prefix("g-bounded g=") {
            return g.parse().ok().map(Self::GBounded);
        }
        if let Some(g) = name.strip_prefix("g-myopic g=").or(name.strip_prefix("g-myopic-comp g=")) {
            return g.parse().ok().map(Self::GMyopic);
        }
        if let Some(sigma) = name.strip_prefix("sigma-noisy-load sigma=") {
            return sigma.parse().ok().map(Self::SigmaNoisyLoad);
        }
        match name.as_str() {
            "one-choice" => Some(Self::OneChoice),
            "two-choice" => Some(Self::Choice(2)),
            "three-choice" => Some(Self::Choice(3)),
            "four-choice" => Some(Self::Choice(4)),
            "mean-thinning" | "relative-threshold f=0 (mean-thinning)" => Some(Self::MeanThinning),
            "relative-threshold f=2" => Some(Self::RelativeThreshold(2.0)),
            "memory" => Some(Self::Caching),
            "twinning" => Some(Self::Twinning),
            "packing e=1" => Some(Self::Packing(1)),
            "always-go-left d=2" => Some(Self::Labelled("left:d=2")),
            "always-go-left d=3" => Some(Self::Labelled("left:d=3")),
            "always-go-left d=4" => Some(Self::Labelled("left:d=4")),
            "double hashing d=3" => Some(Self::Labelled("double-hashing:d=3")),
            "double hashing d=4" => Some(Self::Labelled("double-hashing:d=4")),
            "quantile thinning delta=0.25" => Some(Self::Quantile(0.25)),
            "k-quantile delta=0.5" => Some(Self::KQuantile(&[0.5])),
            "k-quantile delta=0.25/0.5" => Some(Self::KQuantile(&[0.25, 0.5])),
            "(kd)-choice k=1 d=2" => Some(Self::Labelled("kd-choice:k=1,d=2")),
            "(kd)-choice k=2 d=3" => Some(Self::Labelled("kd-choice:k=2,d=3")),
            "(kd)-choice k=4 d=8" => Some(Self::Labelled("kd-choice:k=4,d=8")),
            _ => None,
        }
    }

    /// The name in the library's list.
    fn name(self) -> String {
        match self {
            Self::OneChoice => "one-choice".to_owned(),
            Self::Choice(d) => format!("d-choice:d={d}"),
            Self::Distinct(d) => format!("d-choice:d={d},replacement=false"),
            Self::Beta(beta) => format!("one-plus-beta:beta={beta}"),
            Self::Threshold { level, d } => format!("load-threshold:l={level},d={d}"),
            Self::MeanThinning => "mean-thinning".to_owned(),
            Self::RelativeThreshold(f) => format!("relative-threshold:f={f}"),
            Self::GBounded(g) => format!("g-bounded:g={g}"),
            Self::GMyopic(g) => format!("g-myopic:g={g}"),
            Self::SigmaNoisyLoad(sigma) => format!("sigma-noisy-load:sigma={sigma}"),
            Self::Caching => "caching".to_owned(),
            Self::Twinning => "twinning".to_owned(),
            Self::Packing(e) => format!("packing:e={e}"),
            Self::Quantile(delta) => format!("quantile:delta={delta}"),
            Self::KQuantile(deltas) => {
                let deltas: Vec<String> = deltas.iter().map(f64::to_string).collect();
                format!("k-quantile:delta={}", deltas.join("/"))
            }
            Self::Labelled(name) => name.to_owned(),
        }
    }

    /// The process of the library.
    fn process(self, Sizes { bins, balls }: Sizes) -> bb_experiment::Process {
        let spec = self.name().parse().expect("a name");
        bb_experiment::process(&spec, Size { bins, balls }).expect("parameters in their ranges")
    }

    /// Throws balls one by one into labelled bins: every process.
    pub(crate) fn throw(self, loads: &mut LoadVector, balls: u64, rng: &mut TrialRng) {
        let process = self.process(Sizes { bins: loads.bins(), balls });
        process.throw(loads, balls, rng).expect("the rule starts on so many bins");
    }

    /// Throws balls into empty bins on an engine and hands over the loads.
    ///
    /// # Panics
    ///
    /// In bulk, for a rule that has no description by samples; on counted bins, for one that needs labels.
    pub(crate) fn on<T>(
        self,
        engine: Engine,
        sizes: Sizes,
        rng: &mut TrialRng,
        look: impl FnOnce(&dyn Loads) -> T,
    ) -> T {
        let Sizes { bins, balls } = sizes;
        if engine == Engine::Vector {
            let mut loads = LoadVector::new(bins).expect("a byte a bin");
            self.throw(&mut loads, balls, rng);
            return look(&loads);
        }
        let (process, mut loads) = (self.process(sizes), LoadProfile::new(bins).expect("at most 2^62 bins"));
        let thrown = match engine {
            Engine::Bulk => process.throw_bulk(&mut loads, balls, rng),
            _ => process.throw_counted(&mut loads, balls, rng),
        };
        thrown.expect("an engine that the process has");
        look(&loads)
    }

    /// Runs the trials of an experiment, on labelled bins.
    pub(crate) fn experiment(self, experiment: &Experiment) -> Result<Report, ExperimentError> {
        experiment.clone().with_engine(Engine::Vector).run_spec(&self.name().parse()?)
    }

    /// Tells whether each ball raises one tail at a rate that depends on the tails alone: not so for rules
    /// with memory, for several balls a step, and where bins are not alike.
    pub(crate) fn has_rates(self) -> bool {
        !matches!(self, Self::Caching | Self::Twinning | Self::Packing(_) | Self::Labelled(_))
    }

    /// Its limit for many bins.
    pub(crate) fn fluid(self) -> Fluid {
        let differences = |g: u64| u16::try_from(g).expect("a small difference");
        let fluid = match self {
            Self::OneChoice => Fluid::d_choice(1),
            Self::Choice(d) | Self::Distinct(d) => Fluid::d_choice(d),
            Self::Beta(beta) => Fluid::one_plus_beta(beta),
            Self::Threshold { level, d } => Fluid::load_threshold(level, d),
            Self::MeanThinning => Ok(Fluid::mean_thinning()),
            Self::RelativeThreshold(f) => Fluid::relative_threshold(f),
            Self::GBounded(g) => Ok(Fluid::comparison(Comparison::bounded(differences(g)))),
            Self::GMyopic(g) => Ok(Fluid::comparison(Comparison::myopic(differences(g)))),
            Self::SigmaNoisyLoad(sigma) => Comparison::noisy_load(sigma).map(Fluid::comparison),
            Self::Caching => Ok(Fluid::caching()),
            Self::Twinning => Ok(Fluid::twinning()),
            Self::Packing(extra) => Fluid::packing(u32::try_from(extra).expect("a few balls")),
            Self::Quantile(delta) => RankLaw::quantile(delta).map(Fluid::by_rank),
            Self::KQuantile(deltas) => RankLaw::quantiles(deltas).map(Fluid::by_rank),
            Self::Labelled(_) => unreachable!("its bins are not alike"),
        };
        fluid.expect("the parameters of the rule")
    }

    /// How far above the mean, rounded up, the level lies that the rule asks about. It moves at integer times
    /// only if this is an integer.
    pub(crate) fn offset(self) -> u64 {
        if let Self::RelativeThreshold(f) = self { f as u64 } else { 0 }
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
            Self::RelativeThreshold(above) => write!(f, "Relative-Threshold, f = {above}"),
            Self::GBounded(g) => write!(f, "g-Bounded, g = {g}"),
            Self::GMyopic(g) => write!(f, "g-Myopic, g = {g}"),
            Self::SigmaNoisyLoad(sigma) => write!(f, "σ-Noisy-Load, σ = {sigma}"),
            Self::Caching => write!(f, "Caching"),
            Self::Twinning => write!(f, "Twinning"),
            Self::Packing(e) => write!(f, "Packing, e = {e}"),
            Self::Quantile(delta) => write!(f, "Quantile({delta})"),
            Self::KQuantile(deltas) => {
                let deltas: Vec<String> = deltas.iter().map(f64::to_string).collect();
                write!(f, "k-Quantile({})", deltas.join(", "))
            }
            Self::Labelled(name) => write!(f, "`{name}`"),
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
