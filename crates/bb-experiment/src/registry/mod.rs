//! The rules and systems by name. A new one is one more entry in the file of its family, and nothing else.

mod at_start;
mod by_rule;
mod by_strategy;
mod by_system;
mod choice;
mod filling;
mod graphs;
mod groups;
mod info;
mod memory;
mod noise;
mod nonuniform;
mod queries;
mod systems;
mod thinning;
mod values;

use bb_core::ParameterError;

pub use self::by_rule::{RuleVisitor, with_rule};
pub use self::by_strategy::{Size, StrategyVisitor, with_strategy};
pub use self::by_system::{SystemVisitor, with_system};
pub use self::info::{Parameter, RuleInfo};
use self::values::Values;
use crate::{RuleError, RuleSpec};

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
