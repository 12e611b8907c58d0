use std::collections::BTreeMap;

use bb_core::{Load, TRIAL_RNG_NAME};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::{QUANTILES, Report, VERSION};
use crate::metrics::{Json, METRICS, Metric};
use crate::summary::Summary;
use crate::tally::Values;

/// The figures of a metric over all trials, in the order of their keys.
#[derive(Serialize)]
struct Figures<T> {
    #[serde(skip_serializing_if = "Option::is_none")]
    epsilon: Option<f64>,
    mean: Option<f64>,
    sd: Option<f64>,
    se: Option<f64>,
    min: Option<T>,
    max: Option<T>,
    quantiles: BTreeMap<&'static str, Option<T>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    counts: Option<BTreeMap<u64, u64>>,
}

impl<T: Load> Figures<T> {
    fn of(summary: &Summary<T>) -> Self {
        Self {
            epsilon: None,
            mean: summary.mean(),
            sd: summary.sd(),
            se: summary.se(),
            min: summary.min(),
            max: summary.max(),
            quantiles: QUANTILES.iter().map(|&(name, q)| (name, summary.quantile(q))).collect(),
            counts: None,
        }
    }
}

/// One object, as [`to_json`](Report::to_json) describes it.
impl Serialize for Report {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.serialize_experiment(&mut map)?;
        METRICS.iter().try_for_each(|metric| self.serialize_metric(metric, &mut map))?;
        map.serialize_entry("levels", &self.levels())?;
        map.serialize_entry("elapsed_s", &self.elapsed.as_secs_f64())?;
        map.end()
    }
}

/// Writes what there is, under its key.
fn entry_if<M: SerializeMap>(map: &mut M, key: &str, value: Option<impl Serialize>) -> Result<(), M::Error> {
    value.map_or(Ok(()), |value| map.serialize_entry(key, &value))
}

impl Report {
    /// What was done, so that it can be repeated.
    fn serialize_experiment<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let (batch, delay) = self.batch_and_delay();
        let dimensions = self.asked.dimensions.as_ref();
        map.serialize_entry("process", &self.process)?;
        map.serialize_entry("bins", &self.asked.bins)?;
        map.serialize_entry("balls", &self.balls)?;
        entry_if(map, "rounds", self.asked.rounds)?;
        entry_if(map, "batch", batch)?;
        entry_if(map, "delay", delay)?;
        entry_if(map, "weights", self.asked.weights.as_ref().map(ToString::to_string))?;
        entry_if(map, "dims", dimensions.map(|_| self.gap_dim().len()))?;
        entry_if(map, "ball", dimensions.map(|given| given.ball.to_string()))?;
        entry_if(map, "key", dimensions.map(|given| given.key.name()))?;
        entry_if(map, "parallel", self.asked.parallel.map(|parallel| parallel.to_string()))?;
        map.serialize_entry("trials", &self.asked.trials)?;
        map.serialize_entry("seed", &self.asked.seed)?;
        map.serialize_entry("engine", self.engine.name())?;
        map.serialize_entry("generator", TRIAL_RNG_NAME)?;
        map.serialize_entry("version", VERSION)
    }

    fn serialize_metric<M: SerializeMap>(&self, metric: &Metric, map: &mut M) -> Result<(), M::Error> {
        let (name, json) = (metric.name, metric.json);
        match self.tally.values(name) {
            Values::None if matches!(json, Json::FiguresIfKnown | Json::CountsIfKnown) => Ok(()),
            Values::None => map.serialize_entry(name, &()),
            Values::Real(summary) => {
                let epsilon = self.asked.epsilon.filter(|_| json == Json::Typical);
                map.serialize_entry(name, &Figures { epsilon, ..Figures::of(summary) })
            }
            Values::Integer(summary) => match json {
                Json::Largest => map.serialize_entry(name, &summary.max()),
                Json::AllOnes => map.serialize_entry(name, &summary.min().map(|least| least == 1)),
                _ => {
                    let counts = matches!(json, Json::Counts | Json::CountsIfKnown).then(|| summary.counts().collect());
                    map.serialize_entry(name, &Figures { counts, ..Figures::of(summary) })
                }
            },
            Values::List(list) => map.serialize_entry(name, &list.iter().map(Figures::of).collect::<Vec<_>>()),
        }
    }
}

impl Report {
    /// Returns the report as one JSON object on one line.
    ///
    /// Keys: `process`, `bins`, `balls`, `trials`, `seed`, `engine`, `generator`, `version`; for each of
    /// `gap`, `min_gap`, `max_load`, `min_load`, `all_time_gap`, `typical_gap`, `rejections`, `samples` an
    /// object of `mean`, `sd`, `se`, `min`, `max`, `quantiles` (from `q` to value), with `counts` (from value
    /// to number of trials) for the loads and `epsilon` for the typical gap; of a bounded memory `bits`,
    /// `certified` (in all trials) and such objects `state_changes` and `overflow`; `levels` (from load to
    /// mean fraction of bins at that load); `elapsed_s`. What cannot be given, or was not asked for, is
    /// `null`. `rounds`, `batch` with `batch_end_gap`, `delay` and `unrealizable_at` (of the trials where
    /// there was such a ball) are there only where rounds drive the trials, the setting has them, or it
    /// happened. Where balls have weights there is `weights`, and the loads are real, without `counts`. Where
    /// balls have dimensions there are `dims`, `ball`, `key`, `gap_dim` (a list of such objects, one for each
    /// dimension), `gap_dim_max` (the same as `gap`: the largest of a trial), `gap_total` and, if the
    /// expected averages are known, `gap_cell`; in parallel rounds `parallel`, `rounds_used` (of the wave
    /// that took most), `messages` (for a ball) and `one_by_one` (the share of balls that no round placed).
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_experiment::Experiment;
    ///
    /// let json = Experiment::new(1, 2).run_spec(&"one-choice".parse()?)?.to_json();
    /// assert!(json.starts_with(r#"{"process":"one-choice","bins":1,"balls":2,"trials":1,"seed":1,"#));
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
