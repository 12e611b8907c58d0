//! Rules, strategies and systems by name. A new one is one more entry in the file of its family, and nothing else.

mod at_start;
mod bounded;
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
mod visitor;

pub use self::info::{Kind, Parameter, RuleInfo};
use self::values::Values;
pub use self::visitor::{RuleVisitor, Size, with_rule};
use crate::RuleError;

/// Hands every entry to `to`. Together with the lists of the families this is the only list of names; what is listed and what is built come from the same entry.
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
    bounded::register(to);
    systems::register(to);
}

/// What has a name: its description, and how it is built from its parameters.
trait Entry {
    const INFO: RuleInfo;

    /// Builds it and hands it to that method of the visitor that asks for what it has.
    fn build<V: RuleVisitor>(values: &Values<'_>, visitor: V) -> Result<V::Output, RuleError>;
}

/// What the entries are handed to.
trait Registrar {
    fn enter<E: Entry>(&mut self);
}

/// Returns the description of everything that has a name.
///
/// # Examples
///
/// ```
/// use bb_experiment::{Kind, rules};
///
/// let rules = rules();
/// assert!(rules.iter().any(|info| info.name == "two-choice" && info.kind == Kind::Rule));
/// let systems: Vec<_> = rules.iter().filter(|info| info.kind == Kind::System).map(|info| info.name).collect();
/// assert_eq!(systems, ["repeated", "leaky", "deletion", "lifetimes", "supermarket", "join-idle-queue"]);
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
