//! Processes by name. A new one is one more entry in the file of its family, and nothing else.

mod at_start;
mod bounded;
mod choice;
mod filling;
mod graphs;
mod groups;
mod info;
mod kinds;
mod memory;
mod noise;
mod nonuniform;
mod queries;
mod systems;
mod thinning;
mod values;

pub use self::info::{Kind, Parameter, RuleInfo};
use self::info::{memory, parameter, rule, strategy, system};
use self::values::Values;
use crate::process::Process;
use crate::spec::{RuleError, RuleSpec};

/// How a process is made from the values of its parameters.
type Make = fn(&Values<'_>) -> Result<Process, RuleError>;

/// What has a name. It is written as `rule(name, paper).text(…).parameters(…).make(…)`.
struct Entry {
    info: RuleInfo,
    make: Make,
}

/// Everything that has a name, by families: the only list of names.
static FAMILIES: [&[Entry]; 13] = [
    choice::ENTRIES,
    queries::ENTRIES,
    noise::ENTRIES,
    filling::ENTRIES,
    memory::ENTRIES,
    groups::ENTRIES,
    nonuniform::ENTRIES,
    graphs::ENTRIES,
    thinning::ENTRIES,
    bounded::others::ENTRIES,
    bounded::lists::ENTRIES,
    bounded::counters::ENTRIES,
    systems::ENTRIES,
];

fn entries() -> impl Iterator<Item = &'static Entry> {
    FAMILIES.iter().copied().flatten()
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
/// let systems = rules.iter().filter(|info| info.kind == Kind::System);
/// let systems: Vec<_> = systems.map(|info| info.name).collect();
/// assert_eq!(systems, ["repeated", "leaky", "deletion", "lifetimes", "supermarket", "join-idle-queue"]);
/// ```
#[must_use]
pub fn rules() -> Vec<RuleInfo> {
    entries().map(|entry| entry.info.clone()).collect()
}

/// How many bins and balls there are, for strategies and memories that are made for them; [`process`] has an
/// example.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Size {
    /// The number of bins.
    pub bins: u64,
    /// The number of balls.
    pub balls: u64,
}

/// Makes the process that `spec` names, for this size.
///
/// # Errors
///
/// If there is no such name or parameter, or a value is outside its range.
///
/// # Examples
///
/// ```
/// use bb_experiment::{Experiment, Size, process};
///
/// let list = process(&"heavy-list:bits=300".parse()?, Size { bins: 500, balls: 1500 })?;
/// let report = Experiment::new(500, 1500).run(&list)?;
/// assert_eq!((report.process(), report.bits()), ("heavy-list:bits=300", Some(300)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn process(spec: &RuleSpec, size: Size) -> Result<Process, RuleError> {
    match entries().find(|entry| entry.info.name == spec.name()) {
        Some(entry) => (entry.make)(&Values::new(&entry.info, spec, size)?),
        None => {
            let known = entries().map(|entry| entry.info.name).collect();
            Err(RuleError::UnknownRule { rule: spec.name().to_owned(), known })
        }
    }
}
