//! What decisions see of the loads: [`Setting`].

use core::fmt;
use core::str::FromStr;

use bb_core::{Allocator, Bins, LoadVector, Marked, MarkedProfile, ParameterError};
use bb_processes::{Batched, Delayed, KeyView};
use bb_thinning::ThinningStrategy;

use crate::{SeenVectors, SeenWeights, parse_integer};

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
    /// The loads as they were when the present batch of so many balls began, at least 1: [`Batched`].
    Batched(u64),
    /// Reports that may be late: [`Delayed`].
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
/// assert_eq!(error.to_string(), "delay = 5:late is outside TAU or TAU:REPORTS, where TAU is an integer and REPORTS is stale, fresh, uniform, adversarial");
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
    /// A uniform integer between the two, for every report anew; for Two-Choice alone.
    Uniform,
    /// What sends the ball to the heavier of two bins, if any report does; for Two-Choice alone.
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

/// A rule that runs on loads of the kind `L`, whatever decisions see of them: every rule that is written for all views with labelled bins is one.
///
/// # Examples
///
/// ```
/// use bb_core::{Allocator, Bins, BinsExt, Rng};
/// use bb_experiment::{Experiment, Setting};
///
/// /// Bins in pairs: the lesser loaded of a uniform bin and its neighbour.
/// #[derive(Clone)]
/// struct Neighbours;
///
/// impl<B: Bins<Bin = usize>> Allocator<B> for Neighbours {
///     fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> usize {
///         let bin = bins.draw(rng);
///         bins.lighter(bin, bin ^ 1)
///     }
/// }
///
/// let experiment = Experiment::new(100, 1000).with_setting(Setting::Batched(100));
/// let report = experiment.run_in_setting("neighbours", &Neighbours)?;
/// assert!(report.batch_end_gap().is_some());
/// # Ok::<(), bb_experiment::ExperimentError>(())
/// ```
pub trait AnySetting<L = LoadVector>: Allocator<L> + Allocator<Batched<L>> + Allocator<Delayed<L>>
where
    L: Bins<Bin = usize>,
{
}

impl<L, A> AnySetting<L> for A
where
    L: Bins<Bin = usize>,
    A: Allocator<L> + Allocator<Batched<L>> + Allocator<Delayed<L>>,
{
}

/// A rule that runs in every setting, and there also on a key of loads of several dimensions: every rule that is written for all views with labelled bins is one.
///
/// # Examples
///
/// [`Experiment::run_in_dimensions`](crate::Experiment::run_in_dimensions) has one.
pub trait AnyView: AnySetting + Allocator<KeyView<SeenVectors>> {}

impl<A> AnyView for A where A: AnySetting + Allocator<KeyView<SeenVectors>> {}

/// A rule that runs on real loads, seen as they are, in batches or late: every rule that compares loads of whatever kind is one.
///
/// # Examples
///
/// [`Experiment::run_with_weights`](crate::Experiment::run_with_weights) has one.
pub trait AnyWeights: Allocator<SeenWeights> {}

impl<A> AnyWeights for A where A: Allocator<SeenWeights> {}

/// A thinning strategy that runs on marked real loads, seen as they are, in batches or late: one that counts what it accepted, or compares loads with their mean.
///
/// # Examples
///
/// [`Experiment::run_thinning_with_weights`](crate::Experiment::run_thinning_with_weights) has one.
pub trait AnyWeightedThinning: ThinningStrategy<Marked<SeenWeights>> + Clone + Send + Sync {}

impl<S> AnyWeightedThinning for S where S: ThinningStrategy<Marked<SeenWeights>> + Clone + Send + Sync {}

/// A thinning strategy that runs on marked loads of the kind `L`, whatever decisions see of them, and on counted bins. Its counters are up to date in every setting.
///
/// # Examples
///
/// [`RuleVisitor`](crate::RuleVisitor) has one.
pub trait AnyThinning<L = LoadVector>:
    ThinningStrategy<Marked<L>>
    + ThinningStrategy<Marked<Batched<L>>>
    + ThinningStrategy<Marked<Delayed<L>>>
    + ThinningStrategy<MarkedProfile>
    + Clone
    + Send
    + Sync
where
    L: Bins<Bin = usize>,
{
}

impl<L, S> AnyThinning<L> for S
where
    L: Bins<Bin = usize>,
    S: ThinningStrategy<Marked<L>>
        + ThinningStrategy<Marked<Batched<L>>>
        + ThinningStrategy<Marked<Delayed<L>>>
        + ThinningStrategy<MarkedProfile>
        + Clone
        + Send
        + Sync,
{
}
