//! A rule and its parameters as text.

use core::fmt;
use core::str::FromStr;

use bb_core::ParameterError;
use bb_memory::MemoryError;
use thiserror::Error;

/// A rule as it is written on a command line: `name` or `name:key=value,key=value`. A key alone stands for
/// `key=true`.
///
/// The form alone is checked here. Which names and keys there are, and what values they take, is known to
/// [`process`](crate::process).
///
/// # Examples
///
/// ```
/// use bb_experiment::{RuleError, RuleSpec};
///
/// let spec: RuleSpec = "d-choice:d=3,replacement=false".parse()?;
/// assert_eq!((spec.name(), spec.get("d"), spec.get("beta")), ("d-choice", Some("3"), None));
/// assert_eq!(spec.keys().collect::<Vec<_>>(), ["d", "replacement"]);
/// assert_eq!(spec.to_string(), "d-choice:d=3,replacement=false");
///
/// let practical: RuleSpec = "thinning-threshold:practical".parse()?;
/// assert_eq!(practical.get("practical"), Some("true"));
/// assert_eq!(practical.to_string(), "thinning-threshold:practical");
/// assert!(matches!("d-choice:=3".parse::<RuleSpec>(), Err(RuleError::Malformed { .. })));
/// # Ok::<(), RuleError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleSpec {
    name: String,
    /// Without a value where the key stands alone.
    parameters: Vec<(String, Option<String>)>,
}

impl RuleSpec {
    /// Returns the name of the rule; the type's example shows it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the value of a parameter, if it was given; the type's example shows it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        let given = self.parameters.iter().find(|(given, _)| given == key);
        given.map(|(_, value)| value.as_deref().unwrap_or("true"))
    }

    /// Tells whether a key was given alone.
    pub(crate) fn is_bare(&self, key: &str) -> bool {
        self.parameters.iter().any(|(given, value)| given == key && value.is_none())
    }

    /// Iterates over the parameters that were given, in their order; the type's example shows it.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.parameters.iter().map(|(key, _)| key.as_str())
    }
}

impl FromStr for RuleSpec {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let malformed = || RuleError::Malformed { text: text.to_owned() };
        let (name, rest) = text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
        if name.is_empty() {
            return Err(malformed());
        }
        let mut spec = Self { name: name.to_owned(), parameters: Vec::new() };
        for pair in rest.into_iter().flat_map(|rest| rest.split(',')) {
            let (key, value) = pair.split_once('=').map_or((pair, None), |(key, value)| (key, Some(value)));
            if key.is_empty() || value.is_some_and(str::is_empty) {
                return Err(malformed());
            }
            if spec.get(key).is_some() {
                return Err(RuleError::Repeated { rule: spec.name, parameter: key.to_owned() });
            }
            spec.parameters.push((key.to_owned(), value.map(str::to_owned)));
        }
        Ok(spec)
    }
}

impl fmt::Display for RuleSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for (place, (key, value)) in self.parameters.iter().enumerate() {
            write!(f, "{}{key}", if place == 0 { ':' } else { ',' })?;
            value.iter().try_for_each(|value| write!(f, "={value}"))?;
        }
        Ok(())
    }
}

/// Why no rule can be made from a [`RuleSpec`] or its text.
///
/// # Examples
///
/// ```
/// use bb_experiment::{Experiment, RuleSpec};
///
/// let message = |rule: &str| -> String {
///     let spec: RuleSpec = rule.parse().unwrap();
///     Experiment::new(10, 10).run_spec(&spec).unwrap_err().to_string()
/// };
/// assert_eq!(message("d-choice:d=0"), "d = 0 is outside 1..");
/// let known = "d, replacement, the parameters of d-choice";
/// assert_eq!(message("d-choice:k=2"), format!("parameter = k is outside {known}"));
/// assert_eq!(message("two-choice:d=2"), "parameter = d is given, and two-choice has no parameters");
/// assert!(message("three-choice").starts_with("rule = three-choice is outside one-choice, two-choice, "));
/// assert!(message("tow-choice").ends_with("; did you mean two-choice?"));
/// ```
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum RuleError {
    /// The text has not the form of a rule.
    #[error("rule = {text} is outside the form name:key=value,key=value")]
    Malformed {
        /// The text.
        text: String,
    },
    /// A parameter is given twice.
    #[error("parameter = {parameter} is given more than once for {rule}")]
    Repeated {
        /// The rule.
        rule: String,
        /// The parameter.
        parameter: String,
    },
    /// There is no rule of this name.
    #[error("rule = {rule} is outside {}{}", known.join(", "), did_you_mean(rule, known))]
    UnknownRule {
        /// The name.
        rule: String,
        /// The names that there are.
        known: Vec<&'static str>,
    },
    /// The rule has no such parameter.
    #[error("parameter = {parameter} is {}", no_such(rule, known))]
    UnknownParameter {
        /// The rule.
        rule: &'static str,
        /// The parameter.
        parameter: String,
        /// The parameters that the rule has.
        known: Vec<&'static str>,
    },
    /// A value is outside its range.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// A memory cannot be made: its bits do not hold what they must.
    #[error(transparent)]
    Memory(MemoryError),
}

impl From<MemoryError> for RuleError {
    fn from(error: MemoryError) -> Self {
        match error {
            MemoryError::Parameter(error) => Self::Parameter(error),
            error => Self::Memory(error),
        }
    }
}

/// The known name that is written most like this one, if a quarter of the letters is the most that is wrong.
fn did_you_mean(name: &str, known: &[&str]) -> String {
    let nearest = known.iter().min_by_key(|known| strsim::osa_distance(name, known));
    match nearest.filter(|known| strsim::osa_distance(name, known) <= name.len() / 4) {
        Some(known) => format!("; did you mean {known}?"),
        None => String::new(),
    }
}

fn no_such(rule: &str, known: &[&str]) -> String {
    if known.is_empty() {
        format!("given, and {rule} has no parameters")
    } else {
        format!("outside {}, the parameters of {rule}", known.join(", "))
    }
}
