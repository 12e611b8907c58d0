//! Vöcking's average maximum loads.

use bb_experiment::{Experiment, ExperimentError};

use crate::check::{Check, Deviation, FIVE, Outcome, Plan, Row};
use crate::process::Process;
use crate::tables::{Voecking, voecking};

pub(crate) const CHECK: Check = Check {
    name: "voecking",
    compares: "average maximum load at m = n with Vöcking's averages",
    source: "B. Vöcking, How asymmetry helps load balancing (J. ACM 50, 2003), second-hand from a replication: two places, 100 runs in the replication, the paper's number not seen",
    correct: "within 5 standard errors of an average of 100 runs, and half a unit of the last place",
    false_alarm: "below 1e-6 for each average, if it stems from 100 runs",
    run,
};

const ROUNDING: f64 = 0.005;

/// From here on there are fewer runs.
const LARGE: u64 = 1 << 16;

fn run(plan: &Plan) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(&["process", "n = m", "average there", "here", "runs here", "off", "allowed"]);
    for (number, row) in voecking().iter().enumerate() {
        let Some(process) = Process::named(&row.process) else {
            outcome.miss(&row.process);
            continue;
        };
        let (cells, off) = compare(plan, number, process, row)?;
        outcome.rows.push(Row::test(cells, vec![off]));
        if process == Process::Choice(2) && row.bins < LARGE {
            let (mut cells, off) = compare(plan, number + 100, Process::Beta(0.9), row)?;
            cells[0] = "control: (1+β), β = 0.9, against Two-Choice".to_owned();
            outcome.rows.push(Row::control(cells, vec![off]));
        }
    }
    Ok(outcome)
}

fn compare(
    plan: &Plan,
    number: usize,
    process: Process,
    row: &Voecking,
) -> Result<(Vec<String>, Deviation), ExperimentError> {
    let runs = plan.trials(if row.bins < LARGE { 4000 } else { 200 });
    let experiment = Experiment::new(row.bins, row.balls).with_trials(runs).with_seed(plan.seed(10, number));
    let report = process.experiment(&experiment)?;
    let (mean, sd) = report.max_load().mean().zip(report.max_load().sd()).unwrap_or((f64::NAN, f64::NAN));
    let allowed = ROUNDING + FIVE * sd * (1.0 / row.runs as f64 + 1.0 / runs as f64).sqrt();
    let off = Deviation::absolute(mean - row.max, allowed);
    let cells = vec![
        process.to_string(),
        row.bins.to_string(),
        format!("{:.2}", row.max),
        format!("{mean:.3}"),
        runs.to_string(),
        format!("{:+.3}", mean - row.max),
        format!("{allowed:.3}"),
    ];
    Ok((cells, off))
}
