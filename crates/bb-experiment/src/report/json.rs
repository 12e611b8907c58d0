use std::collections::BTreeMap;

use bb_core::{Load, TRIAL_RNG_NAME};
use serde::{Serialize, Serializer};

use super::{QUANTILES, Report, VERSION, known};
use crate::Summary;

/// The object that stands for a report, in the order of its keys.
#[derive(Serialize)]
struct Object<'a> {
    process: &'a str,
    bins: u64,
    balls: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rounds: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    batch: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delay: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    weights: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dims: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ball: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parallel: Option<String>,
    trials: u64,
    seed: u64,
    engine: &'static str,
    generator: &'static str,
    version: &'static str,
    gap: Option<Metric<f64>>,
    min_gap: Option<Metric<f64>>,
    max_load: Option<Loads>,
    min_load: Option<Loads>,
    all_time_gap: Option<Metric<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    batch_end_gap: Option<Metric<f64>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gap_dim: Vec<Option<Metric<f64>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gap_dim_max: Option<Metric<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gap_total: Option<Metric<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gap_cell: Option<Metric<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rounds_used: Option<Counted>,
    #[serde(skip_serializing_if = "Option::is_none")]
    messages: Option<Metric<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    one_by_one: Option<Metric<f64>>,
    typical_gap: Option<Typical>,
    rejections: Option<Metric<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unrealizable_at: Option<Counted>,
    probes: Option<Metric<f64>>,
    bits: Option<u64>,
    state_changes: Option<Metric<u64>>,
    certified: Option<bool>,
    overflow: Option<Metric<u64>>,
    levels: Option<BTreeMap<u64, f64>>,
    elapsed_s: f64,
}

#[derive(Serialize)]
struct Metric<T> {
    mean: Option<f64>,
    sd: Option<f64>,
    se: Option<f64>,
    min: Option<T>,
    max: Option<T>,
    quantiles: BTreeMap<&'static str, Option<T>>,
}

#[derive(Serialize)]
struct Counted {
    #[serde(flatten)]
    metric: Metric<u64>,
    counts: BTreeMap<u64, u64>,
}

/// Counts, or real loads where balls have weights.
#[derive(Serialize)]
#[serde(untagged)]
enum Loads {
    Counts(Counted),
    Weights(Metric<f64>),
}

impl Loads {
    fn of(counts: &Summary<u64>, weights: &Summary) -> Option<Self> {
        Counted::of(counts).map(Self::Counts).or_else(|| Metric::of(weights).map(Self::Weights))
    }
}

#[derive(Serialize)]
struct Typical {
    epsilon: Option<f64>,
    #[serde(flatten)]
    metric: Metric<f64>,
}

impl<T: Load> Metric<T> {
    fn of(summary: &Summary<T>) -> Option<Self> {
        known(summary).map(|summary| Self {
            mean: summary.mean(),
            sd: summary.sd(),
            se: summary.se(),
            min: summary.min(),
            max: summary.max(),
            quantiles: QUANTILES.iter().map(|&(name, q)| (name, summary.quantile(q))).collect(),
        })
    }
}

impl Counted {
    fn of(summary: &Summary<u64>) -> Option<Self> {
        Some(Self { metric: Metric::of(summary)?, counts: summary.counts().collect() })
    }
}

/// One object, as [`to_json`](Report::to_json) describes it.
impl Serialize for Report {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let tally = &self.tally;
        let (batch, delay) = self.batch_and_delay();
        let dimensions = self.dimensions.as_ref();
        let object = Object {
            process: &self.process,
            bins: self.bins,
            balls: self.balls,
            rounds: self.rounds,
            batch,
            delay,
            weights: self.weights.as_ref().map(ToString::to_string),
            dims: dimensions.map(|_| tally.gap_dim.len()),
            ball: dimensions.map(|given| given.ball.to_string()),
            key: dimensions.map(|given| given.key.name()),
            parallel: self.parallel.map(|parallel| parallel.to_string()),
            trials: self.trials,
            seed: self.seed,
            engine: self.engine.name(),
            generator: TRIAL_RNG_NAME,
            version: VERSION,
            gap: Metric::of(&tally.gap),
            min_gap: Metric::of(&tally.min_gap),
            max_load: Loads::of(&tally.max_load, &tally.max_weight),
            min_load: Loads::of(&tally.min_load, &tally.min_weight),
            all_time_gap: Metric::of(&tally.all_time_gap),
            batch_end_gap: Metric::of(&tally.batch_end_gap),
            gap_dim: tally.gap_dim.iter().map(Metric::of).collect(),
            gap_dim_max: dimensions.and_then(|_| Metric::of(&tally.gap)),
            gap_total: Metric::of(&tally.gap_total),
            gap_cell: Metric::of(&tally.gap_cell),
            rounds_used: Counted::of(&tally.rounds_used),
            messages: Metric::of(&tally.messages),
            one_by_one: Metric::of(&tally.one_by_one),
            typical_gap: Metric::of(&tally.typical_gap).map(|metric| Typical { epsilon: self.epsilon, metric }),
            rejections: Metric::of(&tally.rejections),
            unrealizable_at: Counted::of(&tally.unrealizable_at),
            probes: Metric::of(&tally.probes),
            bits: self.bits(),
            state_changes: Metric::of(&tally.state_changes),
            certified: self.is_certified(),
            overflow: Metric::of(&tally.overflow),
            levels: self.levels(),
            elapsed_s: self.elapsed.as_secs_f64(),
        };
        object.serialize(serializer)
    }
}

impl Report {
    /// Returns the report as one JSON object on one line.
    ///
    /// Keys: `process`, `bins`, `balls`, `trials`, `seed`, `engine`, `generator`, `version`; for each of `gap`, `min_gap`, `max_load`, `min_load`, `all_time_gap`,
    /// `typical_gap`, `rejections`, `probes` an object of `mean`, `sd`, `se`, `min`, `max`, `quantiles` (from `q` to value), with `counts` (from value to number of
    /// trials) for the loads and `epsilon` for the typical gap; of a bounded memory `bits`, `certified` (in all trials) and such objects `state_changes` and `overflow`; `levels` (from load to mean fraction of bins at that load); `elapsed_s`. What cannot be given, or
    /// was not asked for, is `null`. `rounds`, `batch` with `batch_end_gap`, `delay` and `unrealizable_at` (of the trials where
    /// there was such a ball) are there only where rounds drive the trials, the setting has them, or it happened.
    /// Where balls have weights there is `weights`, and the loads are real, without `counts`. Where balls have dimensions there are `dims`, `ball`, `key`, `gap_dim` (a list of such objects, one for each dimension), `gap_dim_max` (the same as `gap`: the largest of a trial), `gap_total` and, if the expected averages are known, `gap_cell`; in parallel rounds `parallel`,
    /// `rounds_used` (of the wave that took most), `messages` (for a ball) and `one_by_one` (the share of balls that no round placed).
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_experiment::Experiment;
    ///
    /// let json = Experiment::new(1, 2).run_spec(&"one-choice".parse()?)?.to_json();
    /// assert!(json.starts_with(r#"{"process":"one-choice","bins":1,"balls":2,"trials":1,"seed":1,"engine":"vector","#));
    /// assert!(json.contains(r#""counts":{"2":1}"#));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// Never: every key is a text or an integer.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("every key is a text or an integer")
    }
}
