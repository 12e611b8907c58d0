//! What decisions see of the loads: [`Setting`].

use core::fmt;
use core::str::FromStr;

use bb_core::ParameterError;

use crate::number::parse_integer;

/// What decisions see of the loads.
///
/// # Examples
///
/// ```
/// use bb_experiment::{Experiment, Setting};
///
/// let gap = |setting| {
///     let experiment = Experiment::new(1000, 100_000).with_setting(setting);
///     experiment.run_spec(&"two-choice".parse().unwrap()).unwrap().gap().mean().unwrap()
/// };
/// assert!(gap(Setting::Fresh) < 4.0);
/// assert!(gap(Setting::Batched(10_000)) > 8.0);
/// assert!(gap(Setting::Delayed("10000".parse()?)) > 8.0);
/// # Ok::<(), bb_core::ParameterError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Setting {
    /// The loads as they are.
    #[default]
    Fresh,
    /// The loads as they were when the present batch of so many balls began, at least 1:
    /// [`Batched`](bb_processes::Batched).
    Batched(u64),
    /// Reports that may be late: [`Delayed`](bb_processes::Delayed).
    Delayed(Delay),
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fresh => f.write_str("fresh loads"),
            Self::Batched(batch) => write!(f, "batch {batch}"),
            Self::Delayed(delay) => write!(f, "delay {delay}"),
        }
    }
}

/// How late reports of loads may be, and what they say. It is written as `TAU` or `TAU:REPORTS`.
///
/// # Examples
///
/// ```
/// use bb_experiment::{Delay, Reports};
///
/// let delay: Delay = "1e3:uniform".parse()?;
/// assert_eq!(delay, Delay { tau: 1000, reports: Reports::Uniform });
/// assert_eq!("5".parse::<Delay>()?.to_string(), "5:stale");
/// let error = "5:late".parse::<Delay>().unwrap_err();
/// let range = "TAU is an integer and REPORTS is stale, fresh, uniform, adversarial";
/// assert_eq!(error.to_string(), format!("delay = 5:late is outside TAU or TAU:REPORTS, where {range}"));
/// # Ok::<(), bb_core::ParameterError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Delay {
    /// How many placements a report is late at most.
    pub tau: u64,
    /// Which of the loads that the bin had in that time is reported.
    pub reports: Reports,
}

/// Which of the loads that a bin had in the last `τ` placements is reported; [`Delay`] has an example.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reports {
    /// The oldest.
    #[default]
    Stale,
    /// The present one: no delay at all.
    Fresh,
    /// A uniform integer between the two, for every report anew; where two independent samples are compared.
    Uniform,
    /// What sends the ball to the heavier of two bins, if any report does; where two independent samples are
    /// compared.
    Adversarial,
}

impl Reports {
    const ALL: [Self; 4] = [Self::Stale, Self::Fresh, Self::Uniform, Self::Adversarial];

    /// Returns the name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Stale => "stale",
            Self::Fresh => "fresh",
            Self::Uniform => "uniform",
            Self::Adversarial => "adversarial",
        }
    }

    /// Whether what is reported depends on the comparison that it is for.
    pub(crate) fn compare(self) -> bool {
        matches!(self, Self::Uniform | Self::Adversarial)
    }
}

impl fmt::Display for Delay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.tau, self.reports.name())
    }
}

impl FromStr for Delay {
    type Err = ParameterError;

    fn from_str(text: &str) -> Result<Self, ParameterError> {
        let refused = || {
            let names = Reports::ALL.map(Reports::name).join(", ");
            let range = format!("TAU or TAU:REPORTS, where TAU is an integer and REPORTS is {names}");
            ParameterError::new("delay", text, range)
        };
        let (tau, reports) = match text.split_once(':') {
            None => (text, Reports::default()),
            Some((tau, name)) => {
                let named = Reports::ALL.into_iter().find(|reports| reports.name() == name);
                (tau, named.ok_or_else(refused)?)
            }
        };
        Ok(Self { tau: parse_integer(tau).map_err(|_| refused())?, reports })
    }
}
