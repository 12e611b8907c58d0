//! How the balls of a trial are thrown: [`Engine`].

use core::fmt;
use core::str::FromStr;

use bb_core::ParameterError;

/// How the balls of a trial are thrown. All engines agree in law; for a fixed seed they give different
/// trials.
///
/// | engine | loads | balls | rules |
/// | --- | --- | --- | --- |
/// | `vector` | the load of every bin, a byte each | one by one | all |
/// | `profile` | the number of bins of each load, up to `2^62` bins | one by one | that see bins only through their loads |
/// | `bulk` | the same | `Θ(√n)` at once, exactly in law | that are described by a [`Description`](bb_core::Description) |
/// | `auto` | | the fastest of these, as measured | |
///
/// # Examples
///
/// ```
/// use bb_experiment::{Engine, Experiment};
///
/// assert_eq!("bulk".parse(), Ok(Engine::Bulk));
/// let refused = "fast".parse::<Engine>().unwrap_err().to_string();
/// assert!(refused.ends_with("is outside vector, profile, bulk, auto"));
///
/// let experiment = Experiment::new(1 << 40, 1 << 30).with_engine(Engine::Auto);
/// let report = experiment.run_spec(&"two-choice".parse()?)?;
/// assert_eq!(report.engine(), Engine::Bulk);
/// assert_eq!(report.max_load().max(), Some(2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Engine {
    /// Labelled bins.
    Vector,
    /// Counted bins, ball by ball.
    Profile,
    /// Counted bins, many balls at once.
    Bulk,
    /// The fastest that the rule allows.
    #[default]
    Auto,
}

impl Engine {
    const ALL: [Self; 4] = [Self::Vector, Self::Profile, Self::Bulk, Self::Auto];

    /// Returns the name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Vector => "vector",
            Self::Profile => "profile",
            Self::Bulk => "bulk",
            Self::Auto => "auto",
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Engine {
    type Err = ParameterError;

    fn from_str(text: &str) -> Result<Self, ParameterError> {
        let known = || Self::ALL.map(Self::name).join(", ");
        Self::ALL
            .into_iter()
            .find(|engine| engine.name() == text)
            .ok_or_else(|| ParameterError::new("engine", text, known()))
    }
}

/// From about so many bins on, throwing in bulk is faster than ball by ball: from a stationary start it loses
/// at 2^18 and wins at 2^20 (docs/performance.md).
const BULK_FROM: u64 = 1 << 19;

/// Chooses the fastest of these engines; fewer than `√n` balls are not worth the work of a batch. `fits`
/// tells whether the vector fits in memory.
pub(crate) fn fastest(engines: &[Engine], bins: u64, balls: u64, fits: bool) -> Engine {
    let has = |engine| engines.contains(&engine);
    if has(Engine::Bulk) && bins >= BULK_FROM && balls >= bins.isqrt() {
        Engine::Bulk
    } else if fits {
        Engine::Vector
    } else {
        *[Engine::Profile, Engine::Bulk].iter().find(|engine| has(**engine)).unwrap_or(&Engine::Vector)
    }
}
