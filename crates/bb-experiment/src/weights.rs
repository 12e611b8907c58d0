//! Weights of balls, as a command line names them: [`Weights`].

use core::fmt;
use core::str::FromStr;
use std::fs;

use bb_core::ParameterError;
use bb_processes::{EmpiricalError, WeightLaw};

use crate::number::parse_real;
use crate::spec::RuleSpec;

/// The law of the weights of balls, with mean 1, and its name.
///
/// | name | [`WeightLaw`] |
/// | --- | --- |
/// | `constant`, `uniform12`, `exp` | [`constant`](WeightLaw::constant), [`uniform12`](WeightLaw::uniform12), [`exponential`](WeightLaw::exponential) |
/// | `geometric:p=0.5` | [`geometric`](WeightLaw::geometric) |
/// | `pareto:a=3` | [`pareto`](WeightLaw::pareto) |
/// | `lognormal:sigma=1` | [`log_normal`](WeightLaw::log_normal) |
/// | `file:PATH` | [`empirical`](WeightLaw::empirical): a number on each line; empty lines, and lines that begin with `#`, are passed over |
///
/// A parameter that is not given has the value above.
///
/// # Examples
///
/// ```
/// use bb_experiment::{Experiment, Weights};
///
/// let weights: Weights = "exp".parse()?;
/// assert_eq!((weights.to_string(), weights.law().variance()), ("exp".to_owned(), 1.0));
/// let experiment = Experiment::new(100, 10_000).with_weights(weights);
/// let report = experiment.run_spec(&"two-choice".parse()?)?;
/// assert!(report.gap().max() < Some(20.0));
/// assert!((report.max_weight().unwrap().max().unwrap() - 100.0).abs() < 30.0);
///
/// let message = |text: &str| text.parse::<Weights>().unwrap_err().to_string();
/// let laws = "constant, uniform12, exp, geometric, pareto, lognormal, file:PATH";
/// assert_eq!(message("gauss"), format!("weights = gauss is outside {laws}"));
/// assert_eq!(message("pareto:a=1"), "a = 1.0 is outside the finite numbers above 1");
/// assert_eq!(message("exp:p=1"), "parameter = p is outside none, the parameters of exp");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    name: String,
    law: WeightLaw,
}

/// The names of laws, and the parameter that they have, with its default.
const LAWS: [(&str, Option<(&str, f64)>); 6] = [
    ("constant", None),
    ("uniform12", None),
    ("exp", None),
    ("geometric", Some(("p", 0.5))),
    ("pareto", Some(("a", 3.0))),
    ("lognormal", Some(("sigma", 1.0))),
];

impl Weights {
    /// Returns a law of one's own, under a name for reports.
    #[must_use]
    pub fn new(name: impl Into<String>, law: WeightLaw) -> Self {
        Self { name: name.into(), law }
    }

    /// Returns the law; the type's example shows it.
    #[must_use]
    pub fn law(&self) -> &WeightLaw {
        &self.law
    }
}

impl fmt::Display for Weights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl FromStr for Weights {
    type Err = ParameterError;

    fn from_str(text: &str) -> Result<Self, ParameterError> {
        if let Some(path) = text.strip_prefix("file:") {
            return Ok(Self::new(text, read(path)?));
        }
        let names = || LAWS.iter().map(|(name, _)| format!("{name}, ")).collect::<String>() + "file:PATH";
        let refused = || ParameterError::new("weights", text, names());
        let spec: RuleSpec = text.parse().map_err(|_| refused())?;
        let (name, parameter) = LAWS.into_iter().find(|(name, _)| *name == spec.name()).ok_or_else(refused)?;
        if let Some(key) = spec.keys().find(|key| parameter.is_none_or(|(known, _)| known != *key)) {
            let known = parameter.map_or("none", |(known, _)| known);
            return Err(ParameterError::new("parameter", key, format!("{known}, the parameters of {name}")));
        }
        let value = match parameter {
            Some((key, default)) => match spec.get(key) {
                Some(given) => parse_real(given).map_err(|error| ParameterError::new(key, given, error.range()))?,
                None => default,
            },
            None => 0.0,
        };
        let law = match name {
            "uniform12" => WeightLaw::uniform12(),
            "exp" => WeightLaw::exponential(),
            "geometric" => WeightLaw::geometric(value)?,
            "pareto" => WeightLaw::pareto(value)?,
            "lognormal" => WeightLaw::log_normal(value)?,
            _ => WeightLaw::constant(),
        };
        Ok(Self::new(text, law))
    }
}

/// Reads weights from a file, a number on each line.
fn read(path: &str) -> Result<WeightLaw, ParameterError> {
    let refused = |reason: String| {
        ParameterError::new(
            "weights",
            format!("file:{path}"),
            format!("the files with a number from 0 on each line: {reason}"),
        )
    };
    let text = fs::read_to_string(path).map_err(|error| refused(error.to_string()))?;
    let mut lines = Vec::new();
    let mut weights = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        let text = text.trim();
        if !text.is_empty() && !text.starts_with('#') {
            let weight: f64 = text.parse().map_err(|_| refused(format!("line {line} is {text}")))?;
            weights.push(weight);
            lines.push(line);
        }
    }
    WeightLaw::empirical(weights).map_err(|error| match error {
        EmpiricalError::Weight { place, weight } => refused(format!("line {} is {weight}", lines[place])),
        error => refused(error.to_string()),
    })
}
