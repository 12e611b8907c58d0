//! The rules under test, each on every engine that runs it, with its limit for many bins.

use std::fmt;

use bb_core::{Allocator, Bins, LoadProfile, LoadVector, Place, RankRule, RankedVector, TrialRng};
use bb_experiment::{Experiment, ExperimentError, Kind, Report, RuleVisitor, Size};
use bb_processes::theory::allocation::RankLaw;
use bb_processes::theory::fluid::{Comparison, Fluid};
use bb_processes::{
    Caching, DChoice, GBounded, GMyopic, KQuantile, LoadThreshold, MeanThinning, OneChoice, OnePlusBeta, Packing,
    Quantile, RelativeThreshold, SigmaNoisyLoad, Twinning,
};

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

/// Evaluates `$body` with `$rule` bound to the rule of ranks, if it is one, else `$other`.
macro_rules! with_ranked_rule {
    ($process:expr, $rule:ident => $body:expr, else $other:expr) => {
        match $process {
            Process::Quantile(delta) => {
                let $rule = Quantile::new(delta).expect("a quantile");
                $body
            }
            Process::KQuantile(deltas) => {
                let $rule = KQuantile::new(deltas).expect("quantiles");
                $body
            }
            _ => $other,
        }
    };
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
            Process::RelativeThreshold(f) => {
                let $rule = RelativeThreshold::new(f).expect("f ≥ 0");
                $body
            }
            Process::GBounded(g) => {
                let $rule = GBounded::new(g);
                $body
            }
            Process::GMyopic(g) => {
                let $rule = GMyopic::new(g);
                $body
            }
            Process::SigmaNoisyLoad(sigma) => {
                let $rule = noisy(sigma);
                $body
            }
            Process::Caching => {
                let $rule = Caching::new();
                $body
            }
            Process::Twinning => {
                let $rule = Twinning::new();
                $body
            }
            Process::Packing(e) => {
                let $rule = Packing::new(e).expect("e is small");
                $body
            }
            Process::Quantile(_) | Process::KQuantile(_) => unreachable!("it needs bins that know ranks"),
            Process::Labelled(name) => unreachable!("{name} needs labelled bins"),
        }
    };
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

    /// Throws balls one by one into labelled bins: every process.
    pub(crate) fn throw_labelled(self, loads: &mut LoadVector, balls: u64, rng: &mut TrialRng) {
        struct Throw<'a>(&'a mut LoadVector, u64, &'a mut TrialRng);

        impl RuleVisitor for Throw<'_> {
            type Output = ();

            fn refuse(self, kind: Kind) {
                unreachable!("{kind} is no process of a table")
            }

            fn visit<A>(self, mut rule: A)
            where
                A: Allocator<LoadVector> + Clone + Send + Sync,
            {
                rule.start_and_run(self.0, self.1, self.2).expect("the rule starts on so many bins");
            }

            fn visit_ranked<A>(self, rule: A)
            where
                A: RankRule + Allocator<RankedVector> + Allocator<LoadProfile> + Clone + Send + Sync,
            {
                throw_by_ranks(rule, self.0, self.1, self.2);
            }
        }

        if let Self::Labelled(name) = self {
            let spec = name.parse().expect("a rule");
            let size = Size { bins: loads.bins(), balls };
            bb_experiment::with_rule(&spec, size, Throw(loads, balls, rng)).expect("a rule with a name");
        } else {
            with_ranked_rule!(self, rule => throw_by_ranks(rule, loads, balls, rng), else self.throw(loads, balls, rng));
        }
    }

    /// Throws balls one by one.
    ///
    /// # Panics
    ///
    /// For a rule that needs labelled bins, or such that know ranks.
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
    /// In bulk, for a rule that has no description by probes; on counted bins, for one that needs labels.
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
                self.throw_labelled(&mut loads, balls, rng);
                look(&loads)
            }
            Engine::Profile => {
                let mut loads = LoadProfile::new(bins).expect("at most 2^62 bins");
                with_ranked_rule!(self, rule => {
                    let mut rule = rule;
                    rule.run(&mut loads, balls, rng);
                }, else self.throw(&mut loads, balls, rng));
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
            Self::Distinct(_) | Self::Caching | Self::Twinning | Self::Packing(_) | Self::Labelled(_) => {
                unreachable!("it has no description by probes")
            }
            Self::Beta(beta) => loads.run_bulk(&OnePlusBeta::new(beta).expect("a probability"), balls, rng),
            Self::Threshold { level, d } => loads.run_bulk(&threshold(level, d), balls, rng),
            Self::MeanThinning => loads.run_bulk(&MeanThinning, balls, rng),
            Self::RelativeThreshold(f) => loads.run_bulk(&RelativeThreshold::new(f).expect("f ≥ 0"), balls, rng),
            Self::GBounded(g) => loads.run_bulk(&GBounded::new(g), balls, rng),
            Self::GMyopic(g) => loads.run_bulk(&GMyopic::new(g), balls, rng),
            Self::SigmaNoisyLoad(sigma) => loads.run_bulk(&noisy(sigma), balls, rng),
            Self::Quantile(_) | Self::KQuantile(_) => {
                with_ranked_rule!(self, rule => loads.run_bulk_by_ranks(&rule, balls, rng), else unreachable!());
            }
        }
    }

    /// Runs the trials of an experiment.
    pub(crate) fn experiment(self, experiment: &Experiment) -> Result<Report, ExperimentError> {
        if let Self::Labelled(name) = self {
            return experiment.run_spec(&name.parse()?);
        }
        with_ranked_rule!(
            self,
            rule => experiment.run_ranked(self.to_string(), &rule),
            else with_rule!(self, rule => experiment.run(self.to_string(), &rule))
        )
    }

    /// Tells whether each ball raises one tail at a rate that depends on the tails alone: not so for rules with memory, for several balls a step, and where bins are not alike.
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

    /// How far above the mean, rounded up, the level lies that the rule asks about. It moves at integer times only if this is an integer.
    pub(crate) fn offset(self) -> u64 {
        if let Self::RelativeThreshold(f) = self { f as u64 } else { 0 }
    }
}

/// Throws balls into labelled bins that know their ranks meanwhile.
fn throw_by_ranks<A: Allocator<RankedVector>>(mut rule: A, loads: &mut LoadVector, balls: u64, rng: &mut TrialRng) {
    let mut ranked = RankedVector::from(loads.clone());
    rule.start_and_run(&mut ranked, balls, rng).expect("the rule starts on any number of bins");
    *loads = ranked.into_loads();
}

fn threshold(level: u64, d: u32) -> LoadThreshold {
    LoadThreshold::new(level).and_then(|rule| rule.with_d(d)).expect("level ≥ 1 and d ≥ 1")
}

fn noisy(sigma: f64) -> SigmaNoisyLoad {
    SigmaNoisyLoad::new(sigma).expect("sigma ≥ 0")
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
