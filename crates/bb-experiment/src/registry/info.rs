//! What a list says of a name: [`RuleInfo`].

use core::fmt;

use bb_processes::theory::bounds;

use super::{Entry, Make};

/// The description of what has a name. It prints as an entry of a list, with what is known about it: the rows
/// of [`theory::bounds`](bounds) under its name.
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
    /// What it stands for.
    pub kind: Kind,
    /// Where a ball goes.
    pub rule: &'static str,
    /// What can be set.
    pub parameters: &'static [Parameter],
    /// Where the rule comes from.
    pub paper: &'static str,
}

/// The beginning of an entry: a name, and where the rule comes from.
pub(super) const fn rule(name: &'static str, paper: &'static str) -> RuleInfo {
    RuleInfo { name, kind: Kind::Rule, rule: "", parameters: &[], paper }
}

/// The same for a thinning strategy.
pub(super) const fn strategy(name: &'static str, paper: &'static str) -> RuleInfo {
    RuleInfo { kind: Kind::Strategy, ..rule(name, paper) }
}

/// The same for a rule with a bounded memory.
pub(super) const fn memory(name: &'static str, paper: &'static str) -> RuleInfo {
    RuleInfo { kind: Kind::Memory, ..rule(name, paper) }
}

/// The same for a system.
pub(super) const fn system(name: &'static str, paper: &'static str) -> RuleInfo {
    RuleInfo { kind: Kind::System, ..rule(name, paper) }
}

impl RuleInfo {
    /// Says where a ball goes.
    pub(super) const fn text(self, rule: &'static str) -> Self {
        Self { rule, ..self }
    }

    pub(super) const fn parameters(self, parameters: &'static [Parameter]) -> Self {
        Self { parameters, ..self }
    }

    /// Ends the entry: how the process is made from the values of the parameters.
    pub(super) const fn make(self, make: Make) -> Entry {
        Entry { info: self, make }
    }
}

/// What a name stands for.
///
/// # Examples
///
/// ```
/// assert_eq!(bb_experiment::Kind::Strategy.to_string(), "a thinning strategy");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A rule that sees loads: an allocator.
    Rule,
    /// A thinning strategy.
    Strategy,
    /// A rule with a bounded memory.
    Memory,
    /// A system in which balls also leave.
    System,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Rule => "a rule",
            Self::Strategy => "a thinning strategy",
            Self::Memory => "a rule with a bounded memory",
            Self::System => "a system",
        })
    }
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

/// A parameter, as `parameter(key, default, range).means(meaning)`.
pub(super) const fn parameter(key: &'static str, default: &'static str, range: &'static str) -> Parameter {
    Parameter { key, default, range, meaning: "" }
}

impl Parameter {
    pub(super) const fn means(self, meaning: &'static str) -> Self {
        Self { meaning, ..self }
    }
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
