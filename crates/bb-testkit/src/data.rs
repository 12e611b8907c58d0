//! Reference tables, computed by independent programs. The head of each file in `data/` states its status and
//! its definitions.

use csv::{ReaderBuilder, StringRecord};
use num_rational::BigRational;

/// A row of `exact_small.csv`: an exact number of a small system.
///
/// # Examples
///
/// ```
/// use bb_testkit::{data::{Quantity, exact_small}, exact::ratio};
///
/// let row = &exact_small()[0];
/// assert_eq!((row.process.as_str(), row.bins, row.steps), ("one-choice", 2, 2));
/// assert_eq!((row.quantity, &row.value), (Quantity::MeanMax, &ratio(3, 2)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExactRow {
    /// The process, as the table names it.
    pub process: String,
    /// The number of bins.
    pub bins: u64,
    /// The number of balls; of rounds for twinning and packing.
    pub steps: u64,
    /// What the value is.
    pub quantity: Quantity,
    /// The value.
    pub value: BigRational,
}

/// What a row of a table states.
///
/// # Examples
///
/// ```
/// use bb_testkit::data::{Quantity, one_choice_max};
///
/// assert_eq!(one_choice_max()[0].quantity, Quantity::MeanMax);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quantity {
    /// The expected maximum load.
    MeanMax,
    /// The expected gap.
    MeanGap,
    /// The expected minimum load.
    MeanMin,
    /// The expectation of `Σ (x_i − W/n)²`.
    MeanSumSqDev,
    /// The probability that the maximum load is this.
    MaxIs(u64),
    /// The probability that the gap is this.
    GapIs(u64),
    /// `Γ⁻¹(n) − 3/2`, the leading form of the expected One-Choice maximum for `m = n`.
    Gonnet,
}

/// A row of one of the other tables: a number in floating point, rounded as printed.
///
/// # Examples
///
/// ```
/// use bb_testkit::data::{Quantity, mean_field_gaps};
///
/// let row = &mean_field_gaps()[0];
/// assert_eq!((row.process.as_str(), row.bins, row.balls), ("two-choice", 1000, None));
/// assert_eq!((row.quantity, row.value), (Quantity::MeanGap, 2.0702));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FloatRow {
    /// The process, as the table names it.
    pub process: String,
    /// The number of bins.
    pub bins: u64,
    /// The number of balls; `None` for the limit of many balls a bin.
    pub balls: Option<u64>,
    /// What the value is.
    pub quantity: Quantity,
    /// The value.
    pub value: f64,
}

/// A row of `own_heavy_gap.csv`: means of an independent simulation at many balls a bin.
///
/// # Examples
///
/// ```
/// use bb_testkit::data::heavy_gaps;
///
/// let row = &heavy_gaps()[0];
/// let key = (row.process.as_str(), row.bins, row.balls, row.runs);
/// assert_eq!(key, ("(1+beta) beta=0.25", 1000, 100_000, 4000));
/// assert_eq!((row.gap, row.gap_error, row.min_gap, row.variance), (13.83975, 0.03575, 15.258, 12.964282));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct HeavyGap {
    /// The process, as the table names it.
    pub process: String,
    /// The number of bins.
    pub bins: u64,
    /// The number of balls.
    pub balls: u64,
    /// The number of runs.
    pub runs: u64,
    /// The mean gap.
    pub gap: f64,
    /// Its standard error.
    pub gap_error: f64,
    /// The mean of average minus minimum.
    pub min_gap: f64,
    /// The mean of the variance of the loads.
    pub variance: f64,
}

/// A row of `own_equal_max.csv`: how many of an independent simulation's runs had this maximum load.
///
/// # Examples
///
/// ```
/// use bb_testkit::data::equal_maxima;
///
/// let row = &equal_maxima()[1];
/// assert_eq!((row.process.as_str(), row.bins, row.balls), ("two-choice", 256, 256));
/// assert_eq!((row.max, row.count), (2, 2140));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EqualMax {
    /// The process, as the table names it.
    pub process: String,
    /// The number of bins.
    pub bins: u64,
    /// The number of balls.
    pub balls: u64,
    /// The maximum load.
    pub max: u64,
    /// The number of runs that had it.
    pub count: u64,
}

/// A row of a table of fluid limits: the fraction of bins with at least so many balls, in the limit of many
/// bins.
///
/// # Examples
///
/// ```
/// use bb_testkit::data::{fluid_tails, stationary_tails};
///
/// let row = &fluid_tails()[1];
/// assert_eq!((row.process.as_str(), row.time, row.level, row.tail), ("one-choice", 1, 1, 0.632120558829));
/// let row = &stationary_tails()[12];
/// assert_eq!((row.process.as_str(), row.time, row.level, row.tail), ("two-choice", 60, 0, 0.7454090225));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct TailRow {
    /// The process, as the table names it.
    pub process: String,
    /// The number of balls a bin.
    pub time: u64,
    /// The load; in the stationary table above the mean.
    pub level: i64,
    /// The fraction of bins with at least this load.
    pub tail: f64,
}

/// Returns fluid limits from empty bins.
#[must_use]
pub fn fluid_tails() -> Vec<TailRow> {
    tails(include_str!("../data/fluid_limit_tails.csv"))
}

/// Returns profiles around the mean, at so many balls a bin that they stand still.
#[must_use]
pub fn stationary_tails() -> Vec<TailRow> {
    tails(include_str!("../data/fluid_limit_stationary.csv"))
}

fn tails(table: &str) -> Vec<TailRow> {
    rows(table, |row| TailRow {
        process: row[0].to_owned(),
        time: number(&row[1]),
        level: row[2].parse().expect("a level"),
        tail: row[3].parse().expect("a number"),
    })
}

/// Returns the exact laws of 16 processes with up to 4 bins and 16 steps.
#[must_use]
pub fn exact_small() -> Vec<ExactRow> {
    rows(include_str!("../data/exact_small.csv"), |row| ExactRow {
        process: row[0].to_owned(),
        bins: number(&row[1]),
        steps: number(&row[2]),
        quantity: quantity(&row[3], &row[4]),
        value: row[5].parse().expect("a rational"),
    })
}

/// Returns the law of the One-Choice maximum load.
#[must_use]
pub fn one_choice_max() -> Vec<FloatRow> {
    rows(include_str!("../data/exact_onechoice_max.csv"), |row| FloatRow {
        process: "one-choice".to_owned(),
        bins: number(&row[0]),
        balls: Some(number(&row[1])),
        quantity: quantity(&row[2], &row[3]),
        value: row[4].parse().expect("a number"),
    })
}

/// Returns the mean-field gap laws of rules at many balls a bin.
#[must_use]
pub fn mean_field_gaps() -> Vec<FloatRow> {
    rows(include_str!("../data/meanfield_gap_law.csv"), |row| FloatRow {
        process: row[0].to_owned(),
        bins: number(&row[1]),
        balls: None,
        quantity: quantity(&row[2], &row[3]),
        value: row[4].parse().expect("a number"),
    })
}

/// A row of `rbb_los_sauerwald.csv`: published time averages of repeated balls-into-bins.
///
/// # Examples
///
/// ```
/// let row = bb_testkit::data::repeated()[0];
/// assert_eq!((row.bins, row.balls_per_bin, row.max_load, row.empty_fraction), (100, 1, Some(4.41), 0.4117));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RepeatedRow {
    /// The number of bins.
    pub bins: u64,
    /// The number of balls a bin.
    pub balls_per_bin: u64,
    /// The maximum load, where it was published: that of the loads *between* the two halves of a round, when
    /// one ball has left every bin that held one. It is one less than at the end of a round.
    pub max_load: Option<f64>,
    /// The fraction of empty bins.
    pub empty_fraction: f64,
}

/// Returns the published time averages of repeated balls-into-bins.
#[must_use]
pub fn repeated() -> Vec<RepeatedRow> {
    rows(include_str!("../data/rbb_los_sauerwald.csv"), |row| RepeatedRow {
        bins: number(&row[0]),
        balls_per_bin: number(&row[1]),
        max_load: (!row[2].is_empty()).then(|| row[2].parse().expect("a number")),
        empty_fraction: row[3].parse().expect("a number"),
    })
}

/// Returns gaps at many balls a bin, by an independent simulation.
#[must_use]
pub fn heavy_gaps() -> Vec<HeavyGap> {
    rows(include_str!("../data/own_heavy_gap.csv"), |row| HeavyGap {
        process: row[0].to_owned(),
        bins: number(&row[1]),
        balls: number(&row[2]),
        runs: number(&row[3]),
        gap: real(&row[4]),
        gap_error: real(&row[6]),
        min_gap: real(&row[7]),
        variance: real(&row[8]),
    })
}

/// Returns laws of the maximum load at one ball a bin, by an independent simulation.
#[must_use]
pub fn equal_maxima() -> Vec<EqualMax> {
    rows(include_str!("../data/own_equal_max.csv"), |row| EqualMax {
        process: row[0].to_owned(),
        bins: number(&row[1]),
        balls: number(&row[2]),
        max: number(&row[4]),
        count: number(&row[5]),
    })
}

fn rows<T>(table: &str, parse: impl Fn(&StringRecord) -> T) -> Vec<T> {
    let mut reader = ReaderBuilder::new().comment(Some(b'#')).from_reader(table.as_bytes());
    reader.records().map(|row| parse(&row.expect("a row of the table's width"))).collect()
}

fn quantity(name: &str, value: &str) -> Quantity {
    match name {
        "E_max" => Quantity::MeanMax,
        "E_gap" | "mean" => Quantity::MeanGap,
        "E_min" => Quantity::MeanMin,
        "E_sum_sq_dev" => Quantity::MeanSumSqDev,
        "P_max_equals" => Quantity::MaxIs(number(value)),
        "prob" => Quantity::GapIs(number(value)),
        "gonnet" => Quantity::Gonnet,
        _ => panic!("unknown quantity {name}"),
    }
}

fn real(text: &str) -> f64 {
    text.parse().expect("a number")
}

fn number(text: &str) -> u64 {
    text.parse().expect("a count")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_read() {
        assert_eq!((exact_small().len(), one_choice_max().len(), mean_field_gaps().len()), (918, 190, 629));
        assert_eq!((repeated().len(), heavy_gaps().len(), equal_maxima().len()), (90, 19, 62));
        assert_eq!((fluid_tails().len(), stationary_tails().len()), (353, 240));
    }
}
