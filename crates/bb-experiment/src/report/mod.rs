//! What an experiment gives: [`Report`].

mod csv;
#[cfg(feature = "serde")]
mod json;
mod table;

use core::fmt::Display;
use std::collections::BTreeMap;
use std::time::Duration;

use bb_core::Load;

use crate::engine::Engine;
use crate::experiment::Experiment;
use crate::metrics::{METRICS, Metric, When};
use crate::setting::Setting;
use crate::summary::Summary;
use crate::tally::{Tally, Values};
use crate::weights::Weights;

/// The metrics of all trials of an experiment, and how to repeat it.
///
/// It prints as a table for reading ([`Display`]), as JSON (`to_json`, feature `serde`) and as CSV
/// ([`to_csv`](Self::to_csv)).
///
/// # Examples
///
/// ```
/// use bb_experiment::Experiment;
///
/// let report = Experiment::new(10, 35).with_trials(100).with_levels().run_spec(&"two-choice".parse()?)?;
/// assert_eq!((report.process(), report.bins(), report.balls()), ("two-choice", 10, Some(35)));
/// assert_eq!((report.trials(), report.seed(), report.epsilon()), (100, 1, None));
/// assert_eq!(report.max_load().max().unwrap() as f64 - 3.5, report.gap().max().unwrap());
/// assert_eq!(3.5 - report.min_load().min().unwrap() as f64, report.min_gap().max().unwrap());
/// assert!(report.all_time_gap().mean() >= report.gap().mean());
/// assert_eq!(report.sample_count().unwrap().mean(), Some(2.0));
/// assert!(report.typical_gap().is_none(), "it was not asked for");
/// assert!(report.bits().is_none() && report.state_changes().is_none(), "it sees all loads");
/// let levels = report.levels().unwrap();
/// assert!((levels.values().sum::<f64>() - 1.0).abs() < 1e-12);
/// assert!(report.elapsed().as_secs() < 10);
/// assert!(report.to_string().contains("max_load"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Report {
    pub(crate) process: String,
    /// The experiment, with the dimensions that it had.
    pub(crate) asked: Experiment,
    pub(crate) balls: Option<u64>,
    pub(crate) engine: Engine,
    pub(crate) tally: Tally,
    pub(crate) elapsed: Duration,
}

/// The version that results name.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The quantiles that are printed.
const QUANTILES: [(&str, f64); 5] = [("0.05", 0.05), ("0.25", 0.25), ("0.5", 0.5), ("0.75", 0.75), ("0.95", 0.95)];

impl Report {
    /// Returns the name of the rule.
    #[must_use]
    pub fn process(&self) -> &str {
        &self.process
    }

    /// Returns the number of bins.
    #[must_use]
    pub fn bins(&self) -> u64 {
        self.asked.bins
    }

    /// Returns the number of balls of a trial: of a rule all that are thrown, of a system those at the start.
    /// `None` for a rule that is driven by rounds.
    #[must_use]
    pub fn balls(&self) -> Option<u64> {
        self.balls
    }

    /// Returns the number of rounds of a trial, if rounds drove it.
    #[must_use]
    pub fn rounds(&self) -> Option<u64> {
        self.asked.rounds
    }

    /// Returns what decisions saw of the loads.
    #[must_use]
    pub fn setting(&self) -> Setting {
        self.asked.setting
    }

    /// Returns the number of trials.
    #[must_use]
    pub fn trials(&self) -> u64 {
        self.asked.trials
    }

    /// Returns the seed.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.asked.seed
    }

    /// Returns the engine that threw the balls; never [`Engine::Auto`].
    #[must_use]
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// Returns the share of the time that the typical gap is about, if it was asked for.
    #[must_use]
    pub fn epsilon(&self) -> Option<f64> {
        self.asked.epsilon
    }

    /// Returns the gap: maximum load minus average.
    #[must_use]
    pub fn gap(&self) -> &Summary {
        self.tally.real("gap").unwrap_or(&NO_REALS)
    }

    /// Returns the average minus the minimum load.
    #[must_use]
    pub fn min_gap(&self) -> &Summary {
        self.tally.real("min_gap").unwrap_or(&NO_REALS)
    }

    /// Returns the maximum load.
    #[must_use]
    pub fn max_load(&self) -> &Summary<u64> {
        self.tally.integer("max_load").unwrap_or(&NO_INTEGERS)
    }

    /// Returns the minimum load.
    #[must_use]
    pub fn min_load(&self) -> &Summary<u64> {
        self.tally.integer("min_load").unwrap_or(&NO_INTEGERS)
    }

    /// Returns the largest gap at any time of a trial; empty where whole batches were thrown.
    #[must_use]
    pub fn all_time_gap(&self) -> &Summary {
        self.tally.real("all_time_gap").unwrap_or(&NO_REALS)
    }

    /// Returns the largest gap at the ends of complete batches of a trial, if there are batches.
    #[must_use]
    pub fn batch_end_gap(&self) -> Option<&Summary> {
        self.tally.real("batch_end_gap")
    }

    /// Returns the typical gap, if it was asked for and there was a ball.
    #[must_use]
    pub fn typical_gap(&self) -> Option<&Summary> {
        self.tally.real("typical_gap")
    }

    /// Returns the number of samples rejected for a ball, if the process is a thinning strategy and there was
    /// a ball.
    #[must_use]
    pub fn rejections(&self) -> Option<&Summary> {
        self.tally.real("rejections")
    }

    /// Returns the first ball whose law no two-thinning has, of those trials where there was one; from it on
    /// the strategy accepted every first sample.
    #[must_use]
    pub fn unrealizable_at(&self) -> Option<&Summary<u64>> {
        self.tally.integer("unrealizable_at")
    }

    /// Returns the number of bins sampled for a ball, if the rule knows it and there was a ball.
    #[must_use]
    pub fn sample_count(&self) -> Option<&Summary> {
        self.tally.real("probes")
    }

    /// Returns the bits of memory that decisions read, if it is bounded.
    #[must_use]
    pub fn bits(&self) -> Option<u64> {
        self.tally.integer("bits")?.max()
    }

    /// Returns for how many balls the memory was another one than for the ball before, if it is bounded; the
    /// first ball is one.
    #[must_use]
    pub fn state_changes(&self) -> Option<&Summary<u64>> {
        self.tally.integer("state_changes")
    }

    /// Tells whether `load ≤ T + 1 + Greedy[2]` holds by proof in all trials, `T` the threshold of a list, if
    /// memory is bounded; of a memory that is no list it does not. See
    /// [`bb_memory::MemoryReport::is_certified`].
    #[must_use]
    pub fn is_certified(&self) -> Option<bool> {
        self.tally.integer("certified")?.min().map(|least| least == 1)
    }

    /// Returns for how many balls the memory did not hold what it should, if it is bounded: see
    /// [`bb_memory::MemoryReport::overflows`].
    #[must_use]
    pub fn overflow(&self) -> Option<&Summary<u64>> {
        self.tally.integer("overflow")
    }

    /// Returns the law of the weights, if balls have weights.
    #[must_use]
    pub fn weights(&self) -> Option<&Weights> {
        self.asked.weights.as_ref()
    }

    /// Returns the maximum load, if balls have weights; [`Weights`] shows it. [`max_load`](Self::max_load) is
    /// empty then.
    #[must_use]
    pub fn max_weight(&self) -> Option<&Summary> {
        self.tally.real("max_load")
    }

    /// Returns the minimum load, if balls have weights. [`min_load`](Self::min_load) is empty then.
    #[must_use]
    pub fn min_weight(&self) -> Option<&Summary> {
        self.tally.real("min_load")
    }

    /// Returns the gap in each dimension; nothing, if balls have no dimensions.
    /// [`Dimensions`](crate::Dimensions) shows it. [`gap`](Self::gap) is the largest of a trial.
    #[must_use]
    pub fn gap_dim(&self) -> &[Summary] {
        self.tally.list("gap_dim")
    }

    /// Returns the gap of the sums over all dimensions, if there are dimensions;
    /// [`Dimensions`](crate::Dimensions) shows it.
    #[must_use]
    pub fn gap_total(&self) -> Option<&Summary> {
        self.tally.real("gap_total")
    }

    /// Returns the largest excess of a load over the average that is expected in its dimension, if there are
    /// dimensions and their averages are known.
    #[must_use]
    pub fn gap_cell(&self) -> Option<&Summary> {
        self.tally.real("gap_cell")
    }

    /// Returns the most rounds that a wave took, in parallel rounds; [`Parallel`](crate::Parallel) shows it.
    #[must_use]
    pub fn rounds_used(&self) -> Option<&Summary<u64>> {
        self.tally.integer("rounds_used")
    }

    /// Returns the number of messages for a ball, in parallel rounds, as
    /// [`ParallelRounds`](bb_processes::ParallelRounds) counts them; [`Parallel`](crate::Parallel) shows it.
    #[must_use]
    pub fn messages(&self) -> Option<&Summary> {
        self.tally.real("messages")
    }

    /// Returns the share of balls that were placed one by one after the last of the parallel rounds.
    #[must_use]
    pub fn one_by_one(&self) -> Option<&Summary> {
        self.tally.real("one_by_one")
    }

    /// Returns the fraction of bins at each load, over all trials, if it was asked for.
    #[must_use]
    pub fn levels(&self) -> Option<BTreeMap<u64, f64>> {
        let all = self.asked.bins as f64 * self.asked.trials as f64;
        self.asked.levels.then(|| self.tally.levels.iter().map(|(&load, &count)| (load, count as f64 / all)).collect())
    }

    /// Returns how long all trials took together.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.elapsed
    }

    /// The metrics as text, for people and for spreadsheets: see [`COLUMNS`].
    fn rows(&self, show: &Show) -> Vec<Vec<String>> {
        let mut rows = Vec::new();
        for metric in in_rows() {
            match self.tally.values(metric.name) {
                Values::None if metric.when == When::Always => rows.push(row(metric.name, &NO_REALS, show)),
                Values::None => {}
                Values::Real(summary) => rows.push(row(metric.name, summary, show)),
                Values::Integer(summary) => rows.push(row(metric.name, summary, show)),
                Values::List(list) => {
                    let name = |dimension| format!("{}_{dimension}", metric.name);
                    rows.extend(list.iter().enumerate().map(|(k, summary)| row(&name(k), summary, show)));
                }
            }
        }
        rows
    }

    /// The batch size and the delay, if there is one.
    fn batch_and_delay(&self) -> (Option<u64>, Option<String>) {
        match self.asked.setting {
            Setting::Fresh => (None, None),
            Setting::Batched(batch) => (Some(batch), None),
            Setting::Delayed(delay) => (None, Some(delay.to_string())),
        }
    }
}

/// What [`Report::rows`] gives.
const COLUMNS: [&str; 11] = ["metric", "mean", "sd", "se", "min", "q0.05", "q0.25", "q0.5", "q0.75", "q0.95", "max"];

/// How a number is written, `None` being one that cannot be given.
type Show = dyn Fn(Option<&dyn Display>) -> String;

fn row<T: Load + Display>(name: &str, summary: &Summary<T>, show: &Show) -> Vec<String> {
    let real = |value: Option<f64>| show(value.as_ref().map(|value| value as &dyn Display));
    let value = |value: Option<T>| show(value.as_ref().map(|value| value as &dyn Display));
    let mut row = vec![name.to_owned(), real(summary.mean()), real(summary.sd()), real(summary.se())];
    row.push(value(summary.min()));
    row.extend(QUANTILES.map(|(_, q)| value(summary.quantile(q))));
    row.push(value(summary.max()));
    row
}

/// The metrics that have a row, in the order of the rows.
fn in_rows() -> Vec<&'static Metric> {
    let mut metrics: Vec<_> = METRICS.iter().filter(|metric| metric.row.is_some()).collect();
    metrics.sort_by_key(|metric| metric.row);
    metrics
}

/// What stands for figures that there are not.
static NO_REALS: Summary = Summary::new();
static NO_INTEGERS: Summary<u64> = Summary::new();
