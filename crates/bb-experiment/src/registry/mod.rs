//! The rules and systems by name. A new one is one more entry in the file of its family, and nothing else.

mod at_start;
mod choice;
mod filling;
mod graphs;
mod groups;
mod memory;
mod noise;
mod nonuniform;
mod queries;
mod systems;
mod thinning;

use core::fmt;

use bb_core::{Allocator, DynamicLoads, LoadProfile, ParameterError, ProbeRule, RankRule, RankedVector};
use bb_processes::System;
use bb_processes::theory::bounds;

use crate::rule_for_view::OnLabels;
use crate::{AnySetting, AnyThinning, NumberError, RuleError, RuleForView, RuleSpec, parse_integer, parse_real};

/// Hands every entry to `to`. Together with the lists of the families this is the only list of rules and systems; what is listed and what is built come from the same entry.
fn register(to: &mut impl Registrar) {
    choice::register(to);
    queries::register(to);
    noise::register(to);
    filling::register(to);
    memory::register(to);
    groups::register(to);
    nonuniform::register(to);
    graphs::register(to);
    thinning::register(to);
    systems::register(to);
}

/// A rule with a name: its description, and how it is built from its parameters.
trait Entry {
    const INFO: RuleInfo;

    /// Builds the rule and hands it to that method of the visitor that asks for what the rule has.
    fn build<V: RuleVisitor>(values: &Values<'_>, visitor: V) -> Result<V::Output, ParameterError>;
}

/// A system with a name, in the same way.
trait SystemEntry {
    const INFO: RuleInfo;

    fn build<V: SystemVisitor>(values: &Values<'_>, visitor: V) -> Result<V::Output, ParameterError>;
}

/// A thinning strategy with a name; it may be made for a number of bins and balls.
trait StrategyEntry {
    const INFO: RuleInfo;

    fn build<V: StrategyVisitor>(values: &Values<'_>, size: Size, visitor: V) -> Result<V::Output, ParameterError>;
}

/// What the entries are handed to.
trait Registrar {
    fn enter<E: Entry>(&mut self) {}
    fn enter_strategy<E: StrategyEntry>(&mut self) {}
    fn enter_system<E: SystemEntry>(&mut self) {}
}

/// What is to be done with a rule whose type depends on its name.
///
/// # Examples
///
/// ```
/// use bb_core::{Allocator, LoadProfile, LoadVector, Metrics, RankRule, RankedVector, rng_for_trial};
/// use bb_experiment::{RuleVisitor, with_rule};
///
/// /// Throws this many balls into a hundred bins and tells the maximum load.
/// struct Throw(u64);
///
/// impl RuleVisitor for Throw {
///     type Output = u64;
///     fn visit<A: Allocator<LoadVector> + Clone + Send + Sync>(self, mut rule: A) -> u64 {
///         let mut loads = LoadVector::new(100).unwrap();
///         rule.run(&mut loads, self.0, &mut rng_for_trial(1, 0));
///         loads.max_load()
///     }
///     fn visit_ranked<A>(self, mut rule: A) -> u64
///     where
///         A: RankRule + Allocator<RankedVector> + Allocator<LoadProfile> + Clone + Send + Sync,
///     {
///         let mut loads = RankedVector::from(LoadVector::new(100).unwrap());
///         rule.run(&mut loads, self.0, &mut rng_for_trial(1, 0));
///         loads.max_load()
///     }
/// }
///
/// let max_load = with_rule(&"two-choice".parse()?, Throw(1000))?;
/// assert!((11..=13).contains(&max_load));
/// # Ok::<(), bb_experiment::RuleError>(())
/// ```
pub trait RuleVisitor {
    /// What comes out.
    type Output;

    /// Takes a rule for labelled bins, seen as they are or not. A visitor that asks for less than [`AnySetting`] may say so.
    fn visit<A>(self, rule: A) -> Self::Output
    where
        A: AnySetting + Clone + Send + Sync;

    /// Takes a rule that sees bins only through their loads, and so runs on counted bins too. Default: as any other.
    fn visit_any_view<A>(self, rule: A) -> Self::Output
    where
        A: AnySetting + Allocator<LoadProfile> + Clone + Send + Sync,
        Self: Sized,
    {
        self.visit(rule)
    }

    /// Takes a rule that is of another type for each kind of loads. Default: as any other, for labelled bins.
    fn visit_for_view<F>(self, rule: F) -> Self::Output
    where
        F: RuleForView,
        Self: Sized,
    {
        self.visit(OnLabels::new(&rule))
    }

    /// Takes a rule that is described by its probes, and so can be run in bulk. Default: as any other on any view.
    fn visit_described<A>(self, rule: A) -> Self::Output
    where
        A: ProbeRule + AnySetting + Allocator<LoadProfile> + Clone + Send + Sync,
        Self: Sized,
    {
        self.visit_any_view(rule)
    }

    /// Takes a rule that asks for ranks: it runs on labelled bins that know them, on counted bins, and in bulk.
    fn visit_ranked<A>(self, rule: A) -> Self::Output
    where
        A: RankRule + AnySetting<RankedVector> + Allocator<LoadProfile> + Clone + Send + Sync;
}

/// Builds the rule that `spec` names and hands it to `visitor`; [`RuleVisitor`] shows it.
///
/// # Errors
///
/// If there is no such rule or parameter, or a value is outside its range; the visitor is not called then.
pub fn with_rule<V: RuleVisitor>(spec: &RuleSpec, visitor: V) -> Result<V::Output, RuleError> {
    struct Build<'a, V: RuleVisitor> {
        spec: &'a RuleSpec,
        visitor: Option<V>,
        output: Option<Result<V::Output, RuleError>>,
    }

    impl<V: RuleVisitor> Registrar for Build<'_, V> {
        fn enter<E: Entry>(&mut self) {
            if E::INFO.name == self.spec.name()
                && let Some(visitor) = self.visitor.take()
            {
                self.output = Some(Values::new(E::INFO, self.spec).and_then(|values| Ok(E::build(&values, visitor)?)));
            }
        }
    }

    let mut build = Build { spec, visitor: Some(visitor), output: None };
    register(&mut build);
    build.output.unwrap_or_else(|| Err(unknown(spec)))
}

/// What is to be done with a system whose type depends on its name.
///
/// # Examples
///
/// ```
/// use bb_core::{DynamicLoads, LoadProfile, Metrics, rng_for_trial};
/// use bb_experiment::bb_processes::System;
/// use bb_experiment::{SystemVisitor, with_system};
///
/// /// Tells the maximum load of a thousand bins over a hundred rounds.
/// struct Watch;
///
/// impl SystemVisitor for Watch {
///     type Output = u64;
///     fn visit<S>(self, mut system: S) -> u64
///     where
///         S: System<DynamicLoads> + System<LoadProfile> + Clone + Send + Sync,
///     {
///         let mut loads = LoadProfile::new(1000).unwrap();
///         let mut most = 0;
///         let look = |_, loads: &LoadProfile| most = most.max(loads.max_load());
///         system.run_with_checkpoints(&mut loads, 100, 0..=100, &mut rng_for_trial(1, 0), look);
///         most
///     }
/// }
///
/// let most = with_system(&"leaky:lambda=0.9".parse()?, Watch)?;
/// assert!((4..12).contains(&most));
/// # Ok::<(), bb_experiment::RuleError>(())
/// ```
pub trait SystemVisitor {
    /// What comes out.
    type Output;

    /// Takes the system.
    fn visit<S>(self, system: S) -> Self::Output
    where
        S: System<DynamicLoads> + System<LoadProfile> + Clone + Send + Sync;
}

/// Builds the system that `spec` names and hands it to `visitor`; [`SystemVisitor`] shows it.
///
/// # Errors
///
/// If there is no such system or parameter, or a value is outside its range; the visitor is not called then.
pub fn with_system<V: SystemVisitor>(spec: &RuleSpec, visitor: V) -> Result<V::Output, RuleError> {
    struct Build<'a, V: SystemVisitor> {
        spec: &'a RuleSpec,
        visitor: Option<V>,
        output: Option<Result<V::Output, RuleError>>,
    }

    impl<V: SystemVisitor> Registrar for Build<'_, V> {
        fn enter_system<E: SystemEntry>(&mut self) {
            if E::INFO.name == self.spec.name()
                && let Some(visitor) = self.visitor.take()
            {
                self.output = Some(Values::new(E::INFO, self.spec).and_then(|values| Ok(E::build(&values, visitor)?)));
            }
        }
    }

    let mut build = Build { spec, visitor: Some(visitor), output: None };
    register(&mut build);
    build.output.unwrap_or_else(|| Err(unknown(spec)))
}

/// What is to be done with a thinning strategy whose type depends on its name.
///
/// # Examples
///
/// ```
/// use bb_core::{Allocator, LoadProfile, MarkedProfile, rng_for_trial};
/// use bb_experiment::bb_thinning::Thinning;
/// use bb_experiment::{AnyThinning, Size, StrategyVisitor, with_strategy};
///
/// /// Tells the share of primaries that is rejected.
/// struct Rejections(Size);
///
/// impl StrategyVisitor for Rejections {
///     type Output = f64;
///     fn visit<S: AnyThinning>(self, strategy: S) -> f64 {
///         let mut loads = MarkedProfile::new(LoadProfile::new(self.0.bins).unwrap(), strategy.counters());
///         let mut rule = Thinning::new(strategy);
///         rule.start_and_run(&mut loads, self.0.balls, &mut rng_for_trial(1, 0)).unwrap();
///         rule.rejections() as f64 / self.0.balls as f64
///     }
///     fn visit_ranked<S: AnyThinning<bb_core::RankedVector>>(self, _: S) -> f64 {
///         unreachable!("it asks for no ranks")
///     }
/// }
///
/// let size = Size { bins: 10_000, balls: 10_000 };
/// let share = with_strategy(&"thinning-threshold:l=1".parse()?, size, Rejections(size))?;
/// assert!((share - (-1_f64).exp()).abs() < 0.03);
/// # Ok::<(), bb_experiment::RuleError>(())
/// ```
pub trait StrategyVisitor {
    /// What comes out.
    type Output;

    /// Takes a strategy that sees loads and counters.
    fn visit<S: AnyThinning>(self, strategy: S) -> Self::Output;

    /// Takes a strategy that sees ranks besides.
    fn visit_ranked<S: AnyThinning<RankedVector>>(self, strategy: S) -> Self::Output;
}

/// How many bins and balls there are, for strategies that are made for them; [`StrategyVisitor`] has an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Size {
    /// The number of bins.
    pub bins: u64,
    /// The number of balls.
    pub balls: u64,
}

/// Builds the thinning strategy that `spec` names and hands it to `visitor`; [`StrategyVisitor`] shows it.
///
/// # Errors
///
/// If there is no such strategy or parameter, or a value is outside its range; the visitor is not called then.
pub fn with_strategy<V: StrategyVisitor>(spec: &RuleSpec, size: Size, visitor: V) -> Result<V::Output, RuleError> {
    struct Build<'a, V: StrategyVisitor> {
        spec: &'a RuleSpec,
        size: Size,
        visitor: Option<V>,
        output: Option<Result<V::Output, RuleError>>,
    }

    impl<V: StrategyVisitor> Registrar for Build<'_, V> {
        fn enter_strategy<E: StrategyEntry>(&mut self) {
            if E::INFO.name == self.spec.name()
                && let Some(visitor) = self.visitor.take()
            {
                let values = Values::new(E::INFO, self.spec);
                self.output = Some(values.and_then(|values| Ok(E::build(&values, self.size, visitor)?)));
            }
        }
    }

    let mut build = Build { spec, size, visitor: Some(visitor), output: None };
    register(&mut build);
    build.output.unwrap_or_else(|| Err(unknown(spec)))
}

/// The error for a name that stands for nothing that was asked for.
fn unknown(spec: &RuleSpec) -> RuleError {
    let known = [rules(), strategies(), systems()].concat().iter().map(|info| info.name).collect();
    RuleError::UnknownRule { rule: spec.name().to_owned(), known }
}

/// What a name may stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Rule,
    Strategy,
    System,
}

/// Tells what a name stands for; a rule, if nothing.
pub(crate) fn kind_of(spec: &RuleSpec) -> Kind {
    let is_one_of = |list: Vec<RuleInfo>| list.iter().any(|info| info.name == spec.name());
    if is_one_of(systems()) {
        Kind::System
    } else if is_one_of(strategies()) {
        Kind::Strategy
    } else {
        Kind::Rule
    }
}

/// Returns the description of every rule that has a name.
///
/// # Examples
///
/// ```
/// let rules = bb_experiment::rules();
/// assert!(rules.iter().any(|info| info.name == "two-choice"));
/// ```
#[must_use]
pub fn rules() -> Vec<RuleInfo> {
    struct List(Vec<RuleInfo>);

    impl Registrar for List {
        fn enter<E: Entry>(&mut self) {
            self.0.push(E::INFO);
        }
    }

    let mut list = List(Vec::new());
    register(&mut list);
    list.0
}

/// Returns the description of every system that has a name.
///
/// # Examples
///
/// ```
/// let names: Vec<_> = bb_experiment::systems().iter().map(|info| info.name).collect();
/// assert_eq!(names, ["repeated", "leaky", "deletion", "lifetimes", "supermarket"]);
/// ```
#[must_use]
pub fn systems() -> Vec<RuleInfo> {
    struct List(Vec<RuleInfo>);

    impl Registrar for List {
        fn enter_system<E: SystemEntry>(&mut self) {
            self.0.push(E::INFO);
        }
    }

    let mut list = List(Vec::new());
    register(&mut list);
    list.0
}

/// Returns the description of every thinning strategy that has a name.
///
/// # Examples
///
/// ```
/// assert!(bb_experiment::strategies().iter().any(|info| info.name == "thinning-drift"));
/// ```
#[must_use]
pub fn strategies() -> Vec<RuleInfo> {
    struct List(Vec<RuleInfo>);

    impl Registrar for List {
        fn enter_strategy<E: StrategyEntry>(&mut self) {
            self.0.push(E::INFO);
        }
    }

    let mut list = List(Vec::new());
    register(&mut list);
    list.0
}

/// The description of a rule, strategy or system that has a name. It prints as an entry of a list, with what is known about it: the rows of [`theory::bounds`](bounds) under its name.
///
/// # Examples
///
/// ```
/// let rules = bb_experiment::rules();
/// let info = rules.iter().find(|info| info.name == "one-plus-beta").unwrap();
/// assert_eq!((info.parameters[0].key, info.parameters[0].default), ("beta", "0.5"));
/// assert!(info.to_string().starts_with("one-plus-beta:beta=0.5,d=2\n"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RuleInfo {
    /// The name.
    pub name: &'static str,
    /// Where a ball goes.
    pub rule: &'static str,
    /// What can be set.
    pub parameters: &'static [Parameter],
    /// Where the rule comes from.
    pub paper: &'static str,
}

/// A parameter of a rule; [`RuleInfo`] shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Parameter {
    /// Its name.
    pub key: &'static str,
    /// Its value where none is given, as it would be written.
    pub default: &'static str,
    /// The values that it takes.
    pub range: &'static str,
    /// What it is.
    pub meaning: &'static str,
}

impl fmt::Display for RuleInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)?;
        for (place, parameter) in self.parameters.iter().enumerate() {
            write!(f, "{}{}={}", if place == 0 { ':' } else { ',' }, parameter.key, parameter.default)?;
        }
        writeln!(f, "\n    rule   {}", self.rule)?;
        for Parameter { key, default, range, meaning } in self.parameters {
            writeln!(f, "    {key} = {default}   {meaning}: {range}")?;
        }
        writeln!(f, "    paper  {}", self.paper)?;
        bounds::of(self.name).try_for_each(|bound| writeln!(f, "    bound  {bound}"))
    }
}

/// The parameters of one rule: as given, or else the default.
struct Values<'a> {
    parameters: &'static [Parameter],
    spec: &'a RuleSpec,
}

impl<'a> Values<'a> {
    /// Checks that the rule has every parameter that is given.
    fn new(info: RuleInfo, spec: &'a RuleSpec) -> Result<Self, RuleError> {
        let known = || info.parameters.iter().map(|parameter| parameter.key);
        match spec.keys().find(|&key| !known().any(|known| known == key)) {
            None => {
                // A key alone is true, where it can be.
                let bare = |parameter: &Parameter| spec.is_bare(parameter.key) && !parameter.range.contains("true");
                match info.parameters.iter().any(bare) {
                    true => Err(RuleError::Malformed { text: spec.to_string() }),
                    false => Ok(Self { parameters: info.parameters, spec }),
                }
            }
            Some(key) => Err(RuleError::UnknownParameter {
                rule: info.name,
                parameter: key.to_owned(),
                known: known().collect(),
            }),
        }
    }

    /// # Panics
    ///
    /// If the entry does not list the parameter; a test builds every entry.
    fn parameter(&self, key: &str) -> &'static Parameter {
        let parameter = self.parameters.iter().find(|parameter| parameter.key == key);
        parameter.expect("an entry lists the parameters that it reads")
    }

    fn text(&self, key: &str) -> &'a str {
        self.spec.get(key).unwrap_or(self.parameter(key).default)
    }

    fn read<T, E>(&self, key: &str, parse: impl Fn(&str) -> Result<T, E>) -> Result<T, ParameterError> {
        let (parameter, text) = (self.parameter(key), self.text(key));
        parse(text).map_err(|_| ParameterError::new(parameter.key, text, parameter.range))
    }

    /// The place of the text in a list of words.
    fn one_of(&self, key: &str, words: &[&str]) -> Result<usize, ParameterError> {
        self.read(key, |text| words.iter().position(|word| *word == text).ok_or(()))
    }

    fn integer<T: TryFrom<u64>>(&self, key: &str) -> Result<T, ParameterError> {
        self.read::<T, NumberError>(key, parse_integer)
    }

    /// Numbers with `/` between them.
    fn reals(&self, key: &str) -> Result<Vec<f64>, ParameterError> {
        self.read(key, |text| text.split('/').map(parse_real).collect::<Result<_, _>>())
    }

    fn real(&self, key: &str) -> Result<f64, ParameterError> {
        self.read(key, parse_real)
    }

    fn truth(&self, key: &str) -> Result<bool, ParameterError> {
        self.read(key, str::parse)
    }
}
