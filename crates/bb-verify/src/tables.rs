//! The reference tables in `data/`. The head of each file states its status, its source and its definitions.

use csv::{ReaderBuilder, StringRecord};

pub(crate) use bb_testkit::data::{HeavyGap, equal_maxima, heavy_gaps};

/// A row of `own_weighted_multidim_graph.csv` about a graph: means of an independent simulation.
#[derive(Clone, Debug)]
pub(crate) struct GraphGap {
    pub(crate) process: String,
    pub(crate) bins: u64,
    pub(crate) balls: u64,
    pub(crate) runs: u64,
    pub(crate) gap: f64,
    pub(crate) gap_error: f64,
    pub(crate) min_gap: f64,
}

pub(crate) fn graph_gaps() -> Vec<GraphGap> {
    let all = rows(include_str!("../data/own_weighted_multidim_graph.csv"), |row| {
        (&row[0] == "graph").then(|| GraphGap {
            process: row[1].to_owned(),
            bins: count(&row[2]),
            balls: count(&row[3]),
            runs: count(&row[4]),
            gap: real(&row[5]),
            gap_error: real(&row[7]),
            min_gap: real(&row[8]),
        })
    });
    all.into_iter().flatten().collect()
}

/// A row of `own_weighted_multidim_graph.csv` about weights: (1+β) with d choices, which is d-Choice for
/// β = 1.
#[derive(Clone, Debug)]
pub(crate) struct WeightedGap {
    pub(crate) weights: String,
    pub(crate) beta: f64,
    pub(crate) d: u32,
    pub(crate) bins: u64,
    pub(crate) balls: u64,
    pub(crate) runs: u64,
    pub(crate) gap: f64,
    pub(crate) gap_error: f64,
    pub(crate) min_gap: f64,
}

pub(crate) fn weighted_gaps() -> Vec<WeightedGap> {
    let all = rows(include_str!("../data/own_weighted_multidim_graph.csv"), |row| {
        (&row[0] == "weighted").then(|| {
            let value = |key: &str| {
                let named =
                    |part: &str| part.strip_prefix(key).and_then(|part| part.strip_prefix('=')).map(str::to_owned);
                row[1].split(' ').find_map(named).expect("a parameter of the process")
            };
            WeightedGap {
                weights: value("weights"),
                beta: real(&value("beta")),
                d: count(&value("d")) as u32,
                bins: count(&row[2]),
                balls: count(&row[3]),
                runs: count(&row[4]),
                gap: real(&row[5]),
                gap_error: real(&row[7]),
                min_gap: real(&row[8]),
            }
        })
    });
    all.into_iter().flatten().collect()
}

/// A row of `own_weighted_multidim_graph.csv` about balls of several dimensions.
#[derive(Clone, Debug)]
pub(crate) struct VectorGap {
    pub(crate) process: String,
    pub(crate) bins: u64,
    pub(crate) balls: u64,
    pub(crate) runs: u64,
    /// Of the worst dimension.
    pub(crate) gap: f64,
    pub(crate) gap_error: f64,
    pub(crate) gap_total: f64,
}

pub(crate) fn vector_gaps() -> Vec<VectorGap> {
    let all = rows(include_str!("../data/own_weighted_multidim_graph.csv"), |row| {
        (&row[0] == "multidim").then(|| VectorGap {
            process: row[1].to_owned(),
            bins: count(&row[2]),
            balls: count(&row[3]),
            runs: count(&row[4]),
            gap: real(&row[5]),
            gap_error: real(&row[7]),
            gap_total: real(&row[9]),
        })
    });
    all.into_iter().flatten().collect()
}

/// A row of `voecking_secondhand.csv`: an average maximum load, to two places.
#[derive(Clone, Debug)]
pub(crate) struct Voecking {
    pub(crate) process: String,
    pub(crate) bins: u64,
    pub(crate) balls: u64,
    pub(crate) runs: u64,
    pub(crate) max: f64,
}

pub(crate) fn voecking() -> Vec<Voecking> {
    rows(include_str!("../data/voecking_secondhand.csv"), |row| Voecking {
        process: row[0].to_owned(),
        bins: count(&row[1]),
        balls: count(&row[2]),
        runs: count(&row[3]),
        max: real(&row[4]),
    })
}

/// A row of `batched_unit_weights.csv`: a published mean of the largest gap at the ends of batches of
/// `b_over_n` balls a bin.
#[derive(Clone, Debug)]
pub(crate) struct Batches {
    pub(crate) process: String,
    pub(crate) parameter: String,
    pub(crate) b_over_n: u64,
    pub(crate) gap: f64,
}

pub(crate) fn batches() -> Vec<Batches> {
    rows(include_str!("../data/batched_unit_weights.csv"), |row| Batches {
        process: row[0].to_owned(),
        parameter: row[1].to_owned(),
        b_over_n: count(&row[2]),
        gap: real(&row[3]),
    })
}

/// A row of `noise_g_bounded.csv` or `noise_sigma_noisy_load.csv`: the published number of runs with this
/// gap.
#[derive(Clone, Debug)]
pub(crate) struct Noise {
    /// The process and its parameter, as [`Process::named`](crate::process::Process::named) takes it.
    pub(crate) process: String,
    pub(crate) bins: u64,
    pub(crate) balls: u64,
    pub(crate) gap: u64,
    pub(crate) runs: u64,
}

pub(crate) fn noise() -> Vec<Noise> {
    let with_parameter = |name: &'static str, table| {
        rows(table, move |row| Noise {
            process: format!("{} {name}={}", &row[0], &row[4]),
            bins: count(&row[1]),
            balls: count(&row[1]) * count(&row[2]),
            gap: count(&row[5]),
            // Of 100 runs: a percentage is a number.
            runs: count(&row[6]),
        })
    };
    let mut all = with_parameter("g", include_str!("../data/noise_g_bounded.csv"));
    all.extend(with_parameter("sigma", include_str!("../data/noise_sigma_noisy_load.csv")));
    all
}

fn rows<T>(table: &str, parse: impl Fn(&StringRecord) -> T) -> Vec<T> {
    let mut reader = ReaderBuilder::new().comment(Some(b'#')).from_reader(table.as_bytes());
    reader.records().map(|row| parse(&row.expect("a row of the table's width"))).collect()
}

fn count(text: &str) -> u64 {
    text.parse().expect("a count")
}

fn real(text: &str) -> f64 {
    text.parse().expect("a number")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_read() {
        assert_eq!((graph_gaps().len(), vector_gaps().len(), weighted_gaps().len()), (5, 16, 10));
        assert_eq!((voecking().len(), batches().len(), noise().len()), (6, 100, 40));
    }
}
