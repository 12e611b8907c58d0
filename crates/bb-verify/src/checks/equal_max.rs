//! Laws of the maximum load at one ball a bin, against an independent simulation.

use std::collections::BTreeMap;

use bb_experiment::{Experiment, ExperimentError};

use crate::check::{Check, Deviation, Outcome, Plan, Row, two_sample};
use crate::process::{Process, Sizes};
use crate::tables::equal_maxima;

pub(crate) const CHECK: Check = Check {
    name: "equal-max",
    compares: "law of the maximum load at m = n with an independent simulation",
    source: "`own_equal_max.csv`: an independent program, 60 to 20000 runs a law",
    correct: "the two-sample chi-square test does not tell the two apart",
    false_alarm: "1e-6 for all tests together (Bonferroni)",
    run,
};

/// So many times the runs of the table.
const TIMES: u64 = 4;

fn run(plan: &Plan) -> Result<Outcome, ExperimentError> {
    let mut outcome =
        Outcome::new(&["process", "n = m", "runs there", "here", "maximum: share there / here", "chi-square"]);
    let mut laws: Vec<(Process, Sizes, BTreeMap<u64, u64>)> = Vec::new();
    let mut last = String::new();
    for row in equal_maxima() {
        let Some(process) = Process::named(&row.process) else {
            outcome.miss(&row.process);
            continue;
        };
        let sizes = Sizes { bins: row.bins, balls: row.balls };
        let key = format!("{} {}", row.process, row.bins);
        if key != last {
            laws.push((process, sizes, BTreeMap::new()));
            last = key;
        }
        laws.last_mut().expect("just pushed").2.insert(row.max, row.count);
    }
    let limit = 1e-6 / laws.len() as f64;
    for (process, sizes, law) in &laws {
        let (cells, test) = compare(plan, outcome.rows.len(), *process, *sizes, law, limit)?;
        outcome.rows.push(Row::test(cells, vec![test]));
    }
    let two = laws.iter().find(|(process, sizes, _)| *process == Process::Choice(2) && sizes.bins == 256);
    let (_, sizes, law) = two.expect("a row of Two-Choice");
    let (mut cells, test) = compare(plan, outcome.rows.len(), Process::Beta(0.95), *sizes, law, limit)?;
    cells[0] = "control: (1+β), β = 0.95, against Two-Choice".to_owned();
    outcome.rows.push(Row::control(cells, vec![test]));
    Ok(outcome)
}

fn compare(
    plan: &Plan,
    number: usize,
    process: Process,
    sizes: Sizes,
    there: &BTreeMap<u64, u64>,
    limit: f64,
) -> Result<(Vec<String>, Deviation), ExperimentError> {
    let runs: u64 = there.values().sum();
    let trials = plan.trials(TIMES * runs);
    let experiment = Experiment::new(sizes.bins, sizes.balls).with_trials(trials).with_seed(plan.seed(3, number));
    let here: BTreeMap<u64, u64> = process.experiment(&experiment)?.max_load().counts().collect();
    let fit = Deviation::p_value(two_sample(there, &here), limit);
    let mut maxima: Vec<u64> = there.keys().chain(here.keys()).copied().collect();
    maxima.sort_unstable();
    maxima.dedup();
    let share = |law: &BTreeMap<u64, u64>, max: u64, runs: u64| {
        let share = law.get(&max).copied().unwrap_or(0) as f64 / runs as f64;
        if share == 0.0 { "–".to_owned() } else { format!("{share:.4}") }
    };
    let law: Vec<String> = maxima
        .iter()
        .map(|&max| format!("{max}: {} / {}", share(there, max, runs), share(&here, max, trials)))
        .collect();
    let cells = vec![
        process.to_string(),
        sizes.bins.to_string(),
        runs.to_string(),
        trials.to_string(),
        law.join(", "),
        fit.to_string(),
    ];
    Ok((cells, fit))
}
