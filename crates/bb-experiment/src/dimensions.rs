//! Balls of several dimensions, as a command line names them: [`Dimensions`] and [`Parallel`].

use core::fmt;
use core::str::FromStr;

use bb_core::ParameterError;
use bb_processes::{BallModel, Key};

use crate::number::{parse_integer, parse_list, parse_real};
use crate::spec::RuleSpec;

/// Balls and bins of several dimensions: how many, what a ball populates, and by which key it compares bins.
///
/// | ball | [`BallModel`] |
/// | --- | --- |
/// | `fixed:f=2` | [`fixed_uniform`](BallModel::fixed_uniform) |
/// | `fixed-weighted:f=2,q=3/1/1` | [`fixed_weighted`](BallModel::fixed_weighted) |
/// | `binomial:p=0.3` | [`binomial`](BallModel::binomial) |
/// | `independent:p=0.1/0.5/0.9` | [`independent`](BallModel::independent) |
///
/// The last two take `empty=count` or `empty=redraw`, what becomes of balls that populate no dimension.
///
/// # Examples
///
/// ```
/// use bb_experiment::bb_processes::Key;
/// use bb_experiment::{Dimensions, Experiment};
///
/// let dimensions = Dimensions::new(4, &"fixed:f=2".parse()?, Key::MaxPopulated)?;
/// let experiment = Experiment::new(1000, 100_000).with_dimensions(dimensions);
/// let report = experiment.run_spec(&"two-choice".parse()?)?;
/// assert_eq!(report.gap_dim().len(), 4);
/// assert!(report.gap().max() < Some(6.0) && report.gap_total().unwrap().max() < Some(15.0));
///
/// let refused = Dimensions::new(4, &"fixed:f=5".parse()?, Key::Total).unwrap_err();
/// assert_eq!(refused.to_string(), "f = 5 is outside 1..=4, the number of dimensions");
/// let refused = Dimensions::new(4, &"cube".parse()?, Key::Total).unwrap_err();
/// assert_eq!(refused.to_string(), "ball = cube is outside fixed, fixed-weighted, binomial, independent");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Dimensions {
    pub(crate) model: BallModel,
    pub(crate) ball: RuleSpec,
    pub(crate) key: Key,
}

/// The names of the balls, and the parameters that they have.
const BALLS: [(&str, &[&str]); 4] = [
    ("fixed", &["f"]),
    ("fixed-weighted", &["f", "q"]),
    ("binomial", &["p", "empty"]),
    ("independent", &["p", "empty"]),
];

impl Dimensions {
    /// Returns `dimensions ≥ 1` dimensions with balls of this name; the type's example shows it.
    ///
    /// # Errors
    ///
    /// If there is no such ball or parameter, or a value is outside its range.
    pub fn new(dimensions: u64, ball: &RuleSpec, key: Key) -> Result<Self, ParameterError> {
        let Some((_, known)) = BALLS.iter().find(|(name, _)| *name == ball.name()) else {
            return Err(ParameterError::new("ball", ball.name(), BALLS.map(|(name, _)| name).join(", ")));
        };
        if let Some(key) = ball.keys().find(|key| !known.contains(key)) {
            let range = format!("{}, the parameters of {}", known.join(", "), ball.name());
            return Err(ParameterError::new("parameter", key, range));
        }
        let given = |key: &'static str, range: &str| {
            ball.get(key)
                .ok_or_else(|| ParameterError::new(key, "nothing", format!("{range}: {} needs it", ball.name())))
        };
        let f = || {
            let text = given("f", "1..")?;
            parse_integer(text).map_err(|_| ParameterError::new("f", text, "1.."))
        };
        let list = |key, range: &str| {
            let text = given(key, range)?;
            parse_list(text, parse_real).map_err(|_| ParameterError::new(key, text, range))
        };
        let model = match ball.name() {
            "fixed" => BallModel::fixed_uniform(dimensions, f()?)?,
            "fixed-weighted" => {
                BallModel::fixed_weighted(dimensions, f()?, &list("q", "lists of numbers from 0, as 3/1/1")?)?
            }
            "binomial" => {
                let text = given("p", "[0, 1]")?;
                let p = parse_real(text).map_err(|_| ParameterError::new("p", text, "[0, 1]"))?;
                BallModel::binomial(dimensions, p)?
            }
            _ => {
                let p = list("p", "lists of numbers in [0, 1], as 0.1/0.5")?;
                if p.len() as u64 != dimensions {
                    let range = format!("the lists of {dimensions}, one for each dimension");
                    return Err(ParameterError::new("p", format!("a list of {}", p.len()), range));
                }
                BallModel::independent(&p)?
            }
        };
        let model = match ball.get("empty") {
            None | Some("count") => model,
            Some("redraw") => model.never_empty()?,
            Some(other) => return Err(ParameterError::new("empty", other, "count, redraw")),
        };
        Ok(Self { model, ball: ball.clone(), key })
    }

    /// One dimension, of which each ball takes one.
    pub(crate) fn scalar() -> Self {
        let known = "a ball populates the only dimension";
        let ball = "fixed:f=1".parse().expect(known);
        Self { model: BallModel::fixed_uniform(1, 1).expect(known), ball, key: Key::default() }
    }

    /// Returns the number of dimensions.
    #[must_use]
    pub fn dimensions(&self) -> u64 {
        self.model.dimensions() as u64
    }
}

/// Parallel rounds, [`ParallelRounds`](bb_processes::ParallelRounds): a threshold, and how many rounds there
/// are at most. It is written `T:r`.
///
/// # Examples
///
/// ```
/// use bb_experiment::{Experiment, Parallel};
///
/// let parallel: Parallel = "1:3".parse()?;
/// assert_eq!((parallel, parallel.to_string()), (Parallel { threshold: 1, rounds: 3 }, "1:3".to_owned()));
/// let report = Experiment::new(1000, 1000).with_parallel(parallel).run_spec(&"two-choice".parse()?)?;
/// assert!(report.rounds_used().unwrap().max() <= Some(3) && report.messages().unwrap().min() >= Some(4.0));
/// let refused = "1".parse::<Parallel>().unwrap_err();
/// assert_eq!(refused.to_string(), "parallel = 1 is outside T:r, a threshold from 1 and a number of rounds");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parallel {
    /// How many balls a bin accepts in each dimension and round, at most; at least 1.
    pub threshold: u64,
    /// How many rounds there are at most.
    pub rounds: u64,
}

impl fmt::Display for Parallel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.threshold, self.rounds)
    }
}

impl FromStr for Parallel {
    type Err = ParameterError;

    fn from_str(text: &str) -> Result<Self, ParameterError> {
        let numbers = text.split_once(':').map(|(one, other)| (parse_integer(one), parse_integer(other)));
        match numbers {
            Some((Ok(threshold), Ok(rounds))) => Ok(Self { threshold, rounds }),
            _ => Err(ParameterError::new("parallel", text, "T:r, a threshold from 1 and a number of rounds")),
        }
    }
}
