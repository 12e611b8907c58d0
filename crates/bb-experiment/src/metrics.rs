//! Every metric, in one list: [`METRICS`]. Tally, table, CSV and JSON go through it, so that a new metric is
//! one more entry.

use bb_core::{Bins, DynamicLoads, Load, LoadProfile, LoadVector, MaxLoadRecord, Metrics, RecordError};
use bb_memory::MemoryReport;
use bb_processes::{BallModel, MultiBins, MultiLoads, RoundsReport};

use crate::process::Thrown;

/// What is measured, in the order of the keys of JSON.
pub(crate) struct Metric {
    /// The key of JSON, and the first column of table and CSV.
    pub(crate) name: &'static str,
    /// Its place among the rows of table and CSV, where the figures of the trials come first; without one it
    /// is in JSON alone.
    pub(crate) row: Option<u8>,
    pub(crate) when: When,
    /// What the table says below the rows: whole lines, with the unit.
    pub(crate) legend: &'static str,
    #[cfg_attr(not(feature = "serde"), expect(dead_code, reason = "JSON comes with serde"))]
    pub(crate) json: Json,
    /// The value at the end of a trial, if it has one. Of one experiment all have the same kind.
    pub(crate) measure: fn(&End<'_>) -> Measured,
}

/// A metric that is in JSON alone.
const fn metric(name: &'static str, json: Json, measure: fn(&End<'_>) -> Measured) -> Metric {
    Metric { name, row: None, when: When::Known, legend: "", json, measure }
}

impl Metric {
    const fn row(self, row: u8, when: When) -> Self {
        Self { row: Some(row), when, ..self }
    }

    const fn legend(self, legend: &'static str) -> Self {
        Self { legend, ..self }
    }
}

/// When a metric has a row and a legend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    Always,
    /// Where there is a value.
    Known,
    /// The same, and a legend wherever there are dimensions.
    Dimensions,
    /// The same, and a legend wherever there are parallel rounds.
    Parallel,
}

/// How a metric is written in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Json {
    /// An object of figures, or `null`.
    Figures,
    /// The same with the number of trials for each value, where these are integers.
    Counts,
    /// Figures after `epsilon`, or `null`.
    Typical,
    /// The largest value, or `null`.
    Largest,
    /// Whether all values are 1, or `null`.
    AllOnes,
    /// Figures where there are some, else no key at all.
    FiguresIfKnown,
    /// The same with counts.
    CountsIfKnown,
}

/// A value of a metric.
pub(crate) enum Value {
    Real(f64),
    Integer(u64),
    /// One for each dimension.
    List(Vec<f64>),
}

type Measured = Result<Option<Value>, RecordError>;

/// Loads that are counts.
pub(crate) trait Counts {
    fn balls(&self) -> u64;
    fn bins(&self) -> u64;
    fn gap(&self) -> f64;
    fn max_load(&self) -> u64;
    fn level_counts(&self) -> Vec<(u64, u64)>;
    fn all_time_gap(&self) -> f64;
    /// The record of the maximum; where balls leave there is none, since it is of a maximum that never falls.
    fn record(&self) -> Option<MaxLoadRecord>;
}

macro_rules! counts {
    ($($loads:ty, $record:expr;)*) => {$(
        impl Counts for $loads {
            fn balls(&self) -> u64 {
                Bins::total(self)
            }
            fn bins(&self) -> u64 {
                Bins::bins(self)
            }
            fn gap(&self) -> f64 {
                Metrics::gap(self)
            }
            fn max_load(&self) -> u64 {
                Metrics::max_load(self)
            }
            fn level_counts(&self) -> Vec<(u64, u64)> {
                Metrics::level_counts(self)
            }
            fn all_time_gap(&self) -> f64 {
                self.all_time_gap()
            }
            fn record(&self) -> Option<MaxLoadRecord> {
                let record: fn(&Self) -> Option<MaxLoadRecord> = $record;
                record(self)
            }
        }
    )*};
}

counts! {
    LoadVector, Self::max_load_record;
    LoadProfile, Self::max_load_record;
    DynamicLoads, |_| None;
}

/// What a trial leaves behind.
pub(crate) struct End<'a> {
    loads: Loads<'a>,
    /// Those of counts, by increasing load.
    levels: Vec<(u64, u64)>,
    balls: u64,
    batch_end_gap: Option<f64>,
    epsilon: Option<f64>,
    thrown: &'a Thrown,
}

enum Loads<'a> {
    Counts(&'a dyn Counts),
    Weights(&'a LoadVector<f64>),
    Vectors(&'a Vectors),
}

/// Loads of several dimensions.
pub(crate) struct Vectors {
    loads: MultiLoads,
    balls: u64,
    /// The expected total of each dimension, if it is known.
    expected: Option<Vec<f64>>,
    rounds: Option<RoundsReport>,
}

impl Vectors {
    pub(crate) fn new(loads: MultiLoads, balls: u64, model: &BallModel) -> Self {
        let chances = (0..loads.dimensions()).map(|dimension| model.probability(dimension));
        let expected = chances.map(|chance| Some(chance? * balls as f64)).collect();
        Self { loads, balls, expected, rounds: None }
    }

    pub(crate) fn with_rounds(self, rounds: RoundsReport) -> Self {
        Self { rounds: Some(rounds), ..self }
    }
}

impl<'a> End<'a> {
    pub(crate) fn of_counts(loads: &'a dyn Counts, thrown: &'a Thrown, epsilon: Option<f64>) -> Self {
        let (levels, balls) = (loads.level_counts(), loads.balls());
        let batch_end_gap = thrown.batch_end_gap;
        Self { loads: Loads::Counts(loads), levels, balls, batch_end_gap, epsilon, thrown }
    }

    pub(crate) fn of_weights(
        loads: &'a LoadVector<f64>,
        balls: u64,
        batch_end_gap: Option<f64>,
        thrown: &'a Thrown,
    ) -> Self {
        Self { loads: Loads::Weights(loads), levels: Vec::new(), balls, batch_end_gap, epsilon: None, thrown }
    }

    pub(crate) fn of_vectors(vectors: &'a Vectors, batch_end_gap: Option<f64>, thrown: &'a Thrown) -> Self {
        let (loads, balls) = (Loads::Vectors(vectors), vectors.balls);
        Self { loads, levels: Vec::new(), balls, batch_end_gap, epsilon: None, thrown }
    }

    pub(crate) fn levels(&self) -> &[(u64, u64)] {
        &self.levels
    }

    fn min_level(&self) -> u64 {
        self.levels.first().map_or(0, |&(load, _)| load)
    }

    fn vectors(&self) -> Option<&Vectors> {
        if let Loads::Vectors(vectors) = self.loads { Some(vectors) } else { None }
    }

    /// What is measured of parallel rounds; of no ball there is no share.
    fn rounds(&self) -> Option<&RoundsReport> {
        self.vectors().filter(|_| self.balls > 0)?.rounds.as_ref()
    }

    /// Of no ball there is no share.
    fn a_ball(&self, count: u64) -> f64 {
        count as f64 / self.balls as f64
    }
}

fn real(value: Option<f64>) -> Measured {
    Ok(value.map(Value::Real))
}

fn integer(value: Option<u64>) -> Measured {
    Ok(value.map(Value::Integer))
}

fn gap(end: &End<'_>) -> f64 {
    match end.loads {
        Loads::Counts(loads) => loads.gap(),
        Loads::Weights(loads) => loads.gap(),
        Loads::Vectors(Vectors { loads, .. }) => loads.gap(),
    }
}

fn min_gap(end: &End<'_>) -> Measured {
    real(Some(match end.loads {
        Loads::Counts(loads) => 0.0 - end.min_level().above_mean(loads.balls(), loads.bins()),
        Loads::Weights(loads) => 0.0 - least_weight(loads).above_mean(loads.total(), loads.bins()),
        Loads::Vectors(Vectors { loads, .. }) => loads.min_gap(),
    }))
}

fn least_weight(loads: &LoadVector<f64>) -> f64 {
    loads.iter().fold(f64::INFINITY, f64::min)
}

fn max_load(end: &End<'_>) -> Measured {
    Ok(Some(match end.loads {
        Loads::Counts(loads) => Value::Integer(loads.max_load()),
        Loads::Weights(loads) => Value::Real(loads.max_load()),
        Loads::Vectors(Vectors { loads, .. }) => {
            Value::Integer((0..loads.dimensions()).map(|dimension| loads.max_of(dimension)).max().unwrap_or(0))
        }
    }))
}

fn min_load(end: &End<'_>) -> Measured {
    Ok(Some(match end.loads {
        Loads::Counts(_) => Value::Integer(end.min_level()),
        Loads::Weights(loads) => Value::Real(least_weight(loads)),
        Loads::Vectors(Vectors { loads, .. }) => {
            Value::Integer((0..loads.dimensions()).map(|dimension| loads.min_of(dimension)).min().unwrap_or(0))
        }
    }))
}

fn all_time_gap(end: &End<'_>) -> Measured {
    real(match end.loads {
        Loads::Counts(loads) => (!end.thrown.ends_only).then(|| loads.all_time_gap()),
        Loads::Weights(loads) => Some(loads.all_time_gap()),
        Loads::Vectors(Vectors { loads, .. }) => Some(loads.all_time_gap()),
    })
}

/// It means nothing before the first ball.
fn typical_gap(end: &End<'_>) -> Measured {
    match (&end.loads, end.epsilon) {
        (Loads::Counts(loads), Some(epsilon)) if end.balls > 0 && !end.thrown.ends_only => match loads.record() {
            Some(record) => real(Some(record.typical(epsilon, 1..=record.balls())?)),
            None => Ok(None),
        },
        _ => Ok(None),
    }
}

fn gap_dim(end: &End<'_>) -> Measured {
    let Some(Vectors { loads, .. }) = end.vectors() else { return Ok(None) };
    Ok(Some(Value::List((0..loads.dimensions()).map(|dimension| loads.gap_dim(dimension)).collect())))
}

fn gap_cell(end: &End<'_>) -> Measured {
    real(end.vectors().and_then(|vectors| Some(vectors.loads.gap_cell(vectors.expected.as_ref()?))))
}

/// The memory's report in one number.
fn memory(end: &End<'_>, number: fn(&MemoryReport) -> u64) -> Measured {
    integer(end.thrown.memory.as_ref().map(number))
}

/// The list. In table and CSV it is sorted by `row`.
pub(crate) static METRICS: [Metric; 21] = [
    metric("gap", Json::Figures, |end| real(Some(gap(end))))
        .row(0, When::Always)
        .legend("gap           maximum load - average load, in balls\n"),
    metric("min_gap", Json::Figures, min_gap)
        .row(1, When::Always)
        .legend("min_gap       average load - minimum load, in balls\n"),
    metric("max_load", Json::Counts, max_load).row(2, When::Always).legend("max_load      balls in the fullest bin\n"),
    metric("min_load", Json::Counts, min_load).row(3, When::Always).legend("min_load      balls in the emptiest bin\n"),
    metric("all_time_gap", Json::Figures, all_time_gap)
        .row(4, When::Always)
        .legend("all_time_gap  the largest gap at any time of a trial, in balls\n"),
    metric("batch_end_gap", Json::FiguresIfKnown, |end| real(end.batch_end_gap))
        .row(9, When::Known)
        .legend("batch_end_gap is the largest gap at the ends of complete batches\n"),
    metric("gap_dim", Json::FiguresIfKnown, gap_dim).row(14, When::Dimensions).legend(
        "gap           the largest of the dimensions' gaps; loads are those of single dimensions\n\
         gap_dim_k     maximum load - average load in dimension k\n",
    ),
    metric("gap_dim_max", Json::FiguresIfKnown, |end| real(end.vectors().map(|_| gap(end)))),
    metric("gap_total", Json::FiguresIfKnown, |end| real(end.vectors().map(|vectors| vectors.loads.gap_total())))
        .row(15, When::Dimensions)
        .legend("gap_total     maximum - average of the sums over all dimensions\n"),
    metric("gap_cell", Json::FiguresIfKnown, gap_cell)
        .row(16, When::Dimensions)
        .legend("gap_cell      maximum load - the average that is expected in its dimension\n"),
    metric("rounds_used", Json::CountsIfKnown, |end| integer(end.rounds().map(|rounds| rounds.rounds)))
        .row(17, When::Parallel)
        .legend("rounds_used   the most rounds that a wave took\n"),
    metric("messages", Json::FiguresIfKnown, |end| real(end.rounds().map(|rounds| end.a_ball(rounds.messages))))
        .row(18, When::Parallel)
        .legend("messages      requests, acceptances, and answers to these, for a ball\n"),
    metric("one_by_one", Json::FiguresIfKnown, |end| real(end.rounds().map(|rounds| end.a_ball(rounds.one_by_one))))
        .row(19, When::Parallel)
        .legend("one_by_one    the share of balls that no round placed\n"),
    metric("typical_gap", Json::Typical, typical_gap)
        .row(5, When::Always)
        .legend("typical_gap   the gap is at least this for a share epsilon of the time, in balls\n"),
    metric("rejections", Json::Figures, |end| real(end.thrown.rejections))
        .row(7, When::Known)
        .legend("rejections is the number of samples rejected for a ball\n"),
    metric("unrealizable_at", Json::CountsIfKnown, |end| integer(end.thrown.unrealizable_at))
        .row(8, When::Known)
        .legend("unrealizable_at is the first ball whose law no two-thinning has, in the trials where there is one\n"),
    metric("probes", Json::Figures, |end| {
        real(end.thrown.samples.filter(|_| end.balls > 0).map(|samples| samples.per_ball(end.balls)))
    })
    .row(6, When::Always)
    .legend("probes        bins sampled for a ball\n"),
    metric("bits", Json::Largest, |end| memory(end, |report| report.budget().get()))
        .row(10, When::Known)
        .legend("bits           of memory that decisions read\n"),
    metric("state_changes", Json::Figures, |end| memory(end, MemoryReport::state_changes))
        .row(11, When::Known)
        .legend("state_changes  balls for which the memory was another one than for the ball before\n"),
    metric("certified", Json::AllOnes, |end| memory(end, |report| u64::from(report.is_certified())))
        .row(12, When::Known)
        .legend("certified      1 where load <= T + 1 + Greedy[2] holds by proof, T the threshold of a list; else 0\n"),
    metric("overflow", Json::Figures, |end| memory(end, MemoryReport::overflows))
        .row(13, When::Known)
        .legend("overflow       balls for which the memory did not hold what it should\n"),
];
