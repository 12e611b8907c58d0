//! The engines against each other, in law.

use std::collections::BTreeMap;

use bb_experiment::{Engine, ExperimentError, trials};
use bb_testkit::stats::tally;

use crate::check::{Check, Deviation, Outcome, Plan, Row, two_sample};
use crate::process::{Process, Sizes};

pub(crate) const CHECK: Check = Check {
    name: "engines",
    compares: "vector, profile and bulk engine: number of bins at each load, maximum load and all-time gap, n = 2¹⁴ and 2²⁰, m = n and 3n + 1",
    source: "no table: the engines draw and place in different ways, and share at most the description of the rule, so they agree in law and not in bits",
    correct: "two-sample chi-square tests, with the values grouped by their joint quantiles, do not tell two engines apart",
    false_alarm: "1e-6 for all tests together (Bonferroni)",
    run,
};

const PROCESSES: [Process; 9] = [
    Process::OneChoice,
    Process::Choice(2),
    Process::Choice(3),
    Process::Beta(0.5),
    Process::Threshold { level: 1, d: 2 },
    Process::Threshold { level: 2, d: 3 },
    Process::Threshold { level: 4, d: 2 },
    Process::MeanThinning,
    Process::GMyopic(2),
];

/// Bins and trials.
const SIZES: [(u64, u64); 2] = [(1 << 14, 3000), (1 << 20, 160)];

/// Levels with fewer bins on average are left out: the maximum speaks for them.
const LEAST: f64 = 3.0;

/// What is kept of a run.
struct Found {
    levels: BTreeMap<u64, u64>,
    max: u64,
    /// The gap at its largest, in units of `1/n`: an integer.
    all_time_gap: u64,
}

/// A row before its limit is known.
struct Pending {
    cells: Vec<String>,
    /// For each pair of engines the p-values, with names.
    pairs: Vec<Vec<(String, f64)>>,
    control: bool,
}

fn run(plan: &Plan) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(&[
        "process",
        "n",
        "m",
        "runs",
        "tests",
        "vector and profile: smallest",
        "vector and bulk",
        "profile and bulk",
    ]);
    let mut pending = Vec::new();
    let mut number = 0;
    for (bins, runs) in SIZES {
        let runs = plan.trials(runs);
        for balls in [bins, 3 * bins + 1] {
            let sizes = Sizes { bins, balls };
            for process in PROCESSES {
                let mut look = |engine| {
                    number += 1;
                    sample(plan.seed(11, number), process, engine, sizes, runs)
                };
                let (vector, profile, bulk) = (look(Engine::Vector)?, look(Engine::Profile)?, look(Engine::Bulk)?);
                let pairs = vec![p_values(&vector, &profile), p_values(&vector, &bulk), p_values(&profile, &bulk)];
                pending.push(Pending { cells: cells(&process.to_string(), sizes, runs), pairs, control: false });
            }
        }
    }
    let (bins, runs) = (SIZES[0].0, plan.trials(SIZES[0].1));
    let sizes = Sizes { bins, balls: bins };
    let two = sample(plan.seed(11, 1001), Process::Choice(2), Engine::Vector, sizes, runs)?;
    let near = [Engine::Profile, Engine::Bulk];
    let near =
        near.map(|engine| sample(plan.seed(11, 1002 + engine as usize), Process::Beta(0.99), engine, sizes, runs));
    let [profile, bulk] = near;
    let pairs = vec![p_values(&two, &profile?), p_values(&two, &bulk?)];
    let name = "control: Two-Choice on the vector, (1+β) with β = 0.99 elsewhere";
    pending.push(Pending { cells: cells(name, sizes, runs), pairs, control: true });

    let tests = pending.iter().filter(|row| !row.control).flat_map(|row| &row.pairs).map(Vec::len).sum::<usize>();
    for Pending { mut cells, pairs, control } in pending {
        let limit = 1e-6 / tests as f64;
        cells.push(pairs.iter().map(Vec::len).sum::<usize>().to_string());
        for named in &pairs {
            let worst = named.iter().min_by(|a, b| a.1.total_cmp(&b.1)).expect("there is a maximum");
            cells.push(format!("{} ({})", Deviation::p_value(worst.1, limit), worst.0));
        }
        cells.resize(outcome.header.len(), "–".to_owned());
        let tests = pairs.iter().flatten().map(|(_, p_value)| Deviation::p_value(*p_value, limit)).collect();
        outcome.rows.push(if control { Row::control(cells, tests) } else { Row::test(cells, tests) });
    }
    Ok(outcome)
}

fn cells(process: &str, sizes: Sizes, runs: u64) -> Vec<String> {
    vec![process.to_owned(), sizes.bins.to_string(), sizes.balls.to_string(), runs.to_string()]
}

fn sample(seed: u64, process: Process, engine: Engine, sizes: Sizes, runs: u64) -> Result<Vec<Found>, ExperimentError> {
    trials(seed, runs, 0, |_, rng| {
        process.on(engine, sizes, rng, |loads| Found {
            levels: loads.level_counts().into_iter().collect(),
            max: loads.max_load(),
            all_time_gap: (loads.all_time_gap() * sizes.bins as f64).round() as u64,
        })
    })
}

/// The p-values of all tests of two samples.
fn p_values(first: &[Found], second: &[Found]) -> Vec<(String, f64)> {
    let mut bins_at: BTreeMap<u64, u64> = BTreeMap::new();
    for found in first.iter().chain(second) {
        found.levels.iter().for_each(|(&level, &count)| *bins_at.entry(level).or_default() += count);
    }
    let least = LEAST * (first.len() + second.len()) as f64;
    let mut tests = vec![
        ("maximum".to_owned(), grouped(first, second, |found| found.max)),
        ("all-time gap".to_owned(), grouped(first, second, |found| found.all_time_gap)),
    ];
    for (&level, _) in bins_at.iter().filter(|&(_, &count)| count as f64 >= least) {
        let p_value = grouped(first, second, |found| found.levels.get(&level).copied().unwrap_or(0));
        tests.push((format!("load {level}"), p_value));
    }
    tests
}

/// The p-value of the two-sample test on values in groups of about equal size.
fn grouped(first: &[Found], second: &[Found], value: impl Fn(&Found) -> u64) -> f64 {
    let groups = (first.len() / 20).clamp(2, 20);
    let mut all: Vec<u64> = first.iter().chain(second).map(&value).collect();
    all.sort_unstable();
    let mut borders: Vec<u64> = (1..groups).map(|group| all[group * all.len() / groups]).collect();
    borders.dedup();
    let group = |found: &Found| borders.partition_point(|&border| border <= value(found));
    two_sample(&tally(first.iter().map(group)), &tally(second.iter().map(group)))
}
