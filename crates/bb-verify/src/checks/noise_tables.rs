//! The published laws of the gap under noise.

use std::collections::BTreeMap;

use bb_experiment::{Experiment, ExperimentError};

use crate::check::{Check, Deviation, Outcome, Plan, Row, two_sample};
use crate::process::Process;
use crate::tables::noise;

pub(crate) const CHECK: Check = Check {
    name: "noise-tables",
    compares: "law of the gap of g-Bounded and σ-Noisy-Load, n = 10⁴, m = 1000 n, with published numbers of runs",
    source: "`noise_g_bounded.csv`, `noise_sigma_noisy_load.csv`: Los and Sauerwald, arXiv 2206.07503, 100 runs a law, which are snapshots of one long run",
    correct: "the two-sample chi-square test does not tell the two apart",
    false_alarm: "1e-6 for all tests together (Bonferroni)",
    run,
};

/// The rows of this many bins are repeated.
const BINS: u64 = 10_000;
const TRIALS: u64 = 100;

fn run(plan: &Plan) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(&["process", "runs there", "here", "gap: runs there / here", "chi-square"]);
    let mut laws: Vec<(Process, u64, BTreeMap<u64, u64>)> = Vec::new();
    for row in noise().into_iter().filter(|row| row.bins == BINS) {
        let process = Process::named(&row.process).expect("the library has the rule");
        if laws.last().is_none_or(|(last, ..)| *last != process) {
            laws.push((process, row.balls, BTreeMap::new()));
        }
        laws.last_mut().expect("just pushed").2.insert(row.gap, row.runs);
    }
    let limit = 1e-6 / laws.len() as f64;
    for (process, balls, there) in &laws {
        let (cells, test) = compare(plan, outcome.rows.len(), *process, *balls, there, limit)?;
        outcome.rows.push(Row::test(cells, vec![test]));
    }
    let controls = [
        (Process::GBounded(4), Process::GBounded(3)),
        (Process::GBounded(4), Process::GMyopic(4)),
        (Process::SigmaNoisyLoad(4.0), Process::SigmaNoisyLoad(5.0)),
    ];
    for (right, wrong) in controls {
        let (_, balls, there) = laws.iter().find(|(process, ..)| *process == right).expect("a row of it");
        let (mut cells, test) = compare(plan, outcome.rows.len(), wrong, *balls, there, limit)?;
        cells[0] = format!("control: {wrong} against {right}");
        outcome.rows.push(Row::control(cells, vec![test]));
    }
    Ok(outcome)
}

fn compare(
    plan: &Plan,
    number: usize,
    process: Process,
    balls: u64,
    there: &BTreeMap<u64, u64>,
    limit: f64,
) -> Result<(Vec<String>, Deviation), ExperimentError> {
    let runs = plan.trials(TRIALS);
    let experiment = Experiment::new(BINS, balls).with_trials(runs).with_seed(plan.seed(12, number));
    let report = process.experiment(&experiment)?;
    let here: BTreeMap<u64, u64> = report.max_load().counts().map(|(max, count)| (max - balls / BINS, count)).collect();
    let fit = Deviation::p_value(two_sample(there, &here), limit);
    let mut gaps: Vec<u64> = there.keys().chain(here.keys()).copied().collect();
    gaps.sort_unstable();
    gaps.dedup();
    let count = |law: &BTreeMap<u64, u64>, gap: u64| law.get(&gap).map_or("–".to_owned(), u64::to_string);
    let law: Vec<String> =
        gaps.iter().map(|&gap| format!("{gap}: {} / {}", count(there, gap), count(&here, gap))).collect();
    let cells = vec![
        process.to_string(),
        there.values().sum::<u64>().to_string(),
        runs.to_string(),
        law.join(", "),
        fit.to_string(),
    ];
    Ok((cells, fit))
}
