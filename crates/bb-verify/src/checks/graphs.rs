//! Two-Choice on graphs, against an independent simulation.

use bb_core::{LoadVector, Metrics};
use bb_experiment::{ExperimentError, Summary, trials};

use crate::check::{Check, Deviation, Outcome, Plan, Row};
use crate::process::Process;
use crate::tables::{GraphGap, graph_gaps};

pub(crate) const CHECK: Check = Check {
    name: "graphs",
    compares: "gap and minimum gap of Two-Choice on a cycle, a torus and the complete graph with an independent simulation",
    source: "`own_weighted_multidim_graph.csv`: an independent program, 40 or 200 runs a row",
    correct: "each mean is within 5 combined standard errors; where the table gives none, ours stands for its spread",
    false_alarm: "5.7e-7 for each mean",
    run,
};

/// So many times the runs of the table.
const TIMES: u64 = 3;

fn run(plan: &Plan) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(&["graph", "n", "gap there", "here", "apart", "min gap there", "here", "apart"]);
    let table = graph_gaps();
    for row in &table {
        let process = match row.process.as_str() {
            "cycle" => Process::Labelled("graph:kind=cycle"),
            "torus" => Process::Labelled("graph:kind=torus"),
            "complete" => Process::Labelled("graph:kind=complete"),
            other => {
                outcome.miss(other);
                continue;
            }
        };
        let (cells, tests) = compare(plan, outcome.rows.len(), process, row)?;
        outcome.rows.push(Row::test(cells, tests));
    }
    let torus = table.iter().find(|row| row.process == "torus" && row.bins == 100).expect("a row of a torus");
    let wrong = Process::Labelled("graph:kind=torus,beta=0.85");
    let (mut cells, tests) = compare(plan, outcome.rows.len(), wrong, torus)?;
    cells[0] = "control: β = 0.85 on a torus against the row of 1".to_owned();
    outcome.rows.push(Row::control(cells, tests));
    Ok(outcome)
}

fn compare(
    plan: &Plan,
    number: usize,
    process: Process,
    row: &GraphGap,
) -> Result<(Vec<String>, Vec<Deviation>), ExperimentError> {
    let runs = plan.trials(TIMES * row.runs);
    let found = trials(plan.seed(40, number), runs, 0, |_, rng| {
        let mut loads = LoadVector::new(row.bins).expect("a byte a bin");
        process.throw(&mut loads, row.balls, rng);
        [loads.gap(), loads.min_gap()]
    })?;
    let mut cells = vec![process.to_string(), row.bins.to_string()];
    let mut tests = Vec::new();
    for (which, there) in [row.gap, row.min_gap].into_iter().enumerate() {
        let here: Summary = found.iter().map(|metrics| metrics[which]).collect();
        let (mean, sd) = (here.mean().unwrap_or(f64::NAN), here.sd().unwrap_or(f64::NAN));
        let error_there = if which == 0 { row.gap_error } else { sd / (row.runs as f64).sqrt() };
        let apart = Deviation::errors(mean - there, error_there.hypot(sd / (runs as f64).sqrt()));
        cells.extend([format!("{there:.4}"), format!("{mean:.4}"), apart.to_string()]);
        tests.push(apart);
    }
    Ok((cells, tests))
}
