//! Mean gaps at many balls a bin, against an independent simulation.

use bb_core::{LoadVector, Metrics};
use bb_experiment::{ExperimentError, Summary, trials};

use crate::check::{Check, Deviation, Outcome, Plan, Row};
use crate::process::Process;
use crate::tables::{HeavyGap, heavy_gaps};

pub(crate) const CHECK: Check = Check {
    name: "heavy-gap",
    compares: "gap, minimum gap and variance at 100 balls a bin with an independent simulation",
    source: "`own_heavy_gap.csv`: an independent program, 4000 runs a row",
    correct: "each mean is within 5 combined standard errors; where the table gives none, ours stands for its spread",
    false_alarm: "5.7e-7 for each mean",
    run,
};

const TRIALS: u64 = 12_000;

fn run(plan: &Plan) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(&[
        "process",
        "gap there",
        "here",
        "apart",
        "min gap there",
        "here",
        "apart",
        "variance there",
        "here",
        "apart",
    ]);
    let table = heavy_gaps();
    for row in &table {
        match Process::named(&row.process) {
            Some(process) => {
                let (cells, tests) = compare(plan, outcome.rows.len(), process, row)?;
                outcome.rows.push(Row::test(cells, tests));
            }
            None => outcome.miss(&row.process),
        }
    }
    let half =
        table.iter().find(|row| Process::named(&row.process) == Some(Process::Beta(0.5))).expect("a row of β = ½");
    let (mut cells, tests) = compare(plan, outcome.rows.len(), Process::Beta(0.51), half)?;
    cells[0] = "control: β = 0.51 against the row of 0.5".to_owned();
    outcome.rows.push(Row::control(cells, tests));
    Ok(outcome)
}

fn compare(
    plan: &Plan,
    number: usize,
    process: Process,
    row: &HeavyGap,
) -> Result<(Vec<String>, Vec<Deviation>), ExperimentError> {
    let runs = plan.trials(TRIALS);
    let found = trials(plan.seed(2, number), runs, 0, |_, rng| {
        let mut loads = LoadVector::new(row.bins).expect("a byte a bin");
        process.throw(&mut loads, row.balls, rng);
        [loads.gap(), loads.min_gap(), loads.variance()]
    })?;
    let mut cells = vec![process.to_string()];
    let mut tests = Vec::new();
    for (which, there) in [row.gap, row.min_gap, row.variance].into_iter().enumerate() {
        let here: Summary = found.iter().map(|metrics| metrics[which]).collect();
        let (mean, sd) = (here.mean().unwrap_or(f64::NAN), here.sd().unwrap_or(f64::NAN));
        let error_there = if which == 0 { row.gap_error } else { sd / (row.runs as f64).sqrt() };
        let apart = Deviation::errors(mean - there, error_there.hypot(sd / (runs as f64).sqrt()));
        cells.extend([format!("{there:.4}"), format!("{mean:.4}"), apart.to_string()]);
        tests.push(apart);
    }
    Ok((cells, tests))
}
