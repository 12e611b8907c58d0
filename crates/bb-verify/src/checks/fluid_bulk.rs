//! Fluid limits at 2^40 bins, by the bulk engine.

use std::collections::BTreeMap;

use bb_experiment::{Engine, ExperimentError, trials};

use super::fluid_tails::digits;
use crate::check::{Check, Deviation, Outcome, Plan, Row};
use crate::fluid::Fluid;
use crate::process::{Process, Sizes};

pub(crate) const CHECK: Check = Check {
    name: "fluid-bulk",
    compares: "shares of bins at each load, n = m = 2⁴⁰ thrown in bulk, with the fluid limit",
    source: "fluid limit of `theory::fluid` (checked by `fluid-tails`; for Two-Choice the share of empty bins is 1 − tanh 1), spread from the linear noise equations",
    correct: "for each level with at least 1000 bins the mean of the runs is within 5 standard deviations of that mean; a standard deviation is about 3e-7 of a share",
    false_alarm: "5.7e-7 for each level",
    run,
};

const SIZES: Sizes = Sizes { bins: 1 << 40, balls: 1 << 40 };
const TRIALS: u64 = 4;
const LEAST: f64 = 1000.0;

const PROCESSES: [Process; 9] = [
    Process::OneChoice,
    Process::Choice(2),
    Process::Choice(3),
    Process::Beta(0.5),
    Process::Threshold { level: 1, d: 2 },
    Process::Threshold { level: 2, d: 3 },
    Process::MeanThinning,
    Process::Quantile(0.5),
    Process::KQuantile(&[0.25, 0.5]),
];

fn run(plan: &Plan) -> Result<Outcome, ExperimentError> {
    let mut outcome =
        Outcome::new(&["process", "runs", "share of bins at loads 0…, limit", "here", "levels", "worst", "in a share"]);
    for process in PROCESSES {
        let (cells, tests) = compare(plan, outcome.rows.len(), process, process)?;
        outcome.rows.push(Row::test(cells, tests));
    }
    let (mut cells, tests) = compare(plan, outcome.rows.len(), Process::Beta(0.500_01), Process::Beta(0.5))?;
    cells[0] = "control: β = 0.50001 against the limit of 0.5".to_owned();
    outcome.rows.push(Row::control(cells, tests));
    Ok(outcome)
}

fn compare(
    plan: &Plan,
    number: usize,
    process: Process,
    like: Process,
) -> Result<(Vec<String>, Vec<Deviation>), ExperimentError> {
    let runs = plan.trials(TRIALS);
    let fluid = Fluid::new(like, 1, 20);
    let counts = trials(plan.seed(6, number), runs, 0, |_, rng| {
        process.on(Engine::Bulk, SIZES, rng, |loads| loads.level_counts().into_iter().collect::<BTreeMap<u64, u64>>())
    })?;
    let bins = SIZES.bins as f64;
    let levels: Vec<usize> = fluid.levels(SIZES.bins, LEAST).collect();
    let (mut tests, mut found, mut largest) = (Vec::new(), Vec::new(), 0.0_f64);
    for &level in &levels {
        // Differences from the limit before they are added up: they are small.
        let expected = bins * fluid.share(level);
        let off = |counts: &BTreeMap<u64, u64>| counts.get(&(level as u64)).copied().unwrap_or(0) as f64 - expected;
        let difference = counts.iter().map(off).sum::<f64>() / runs as f64;
        let variance = fluid.variance(level).expect("each ball raises one tail");
        tests.push(Deviation::errors(difference, (bins * variance / runs as f64).sqrt()));
        found.push((expected + difference) / bins);
        largest = largest.max(difference.abs() / bins);
    }
    let cells = vec![
        process.to_string(),
        runs.to_string(),
        digits(levels.iter().map(|&level| fluid.share(level)), 8),
        digits(found.into_iter(), 8),
        levels.len().to_string(),
        Deviation::worst(tests.iter().copied()).map_or("–".to_owned(), |worst| worst.to_string()),
        format!("{largest:.0e}"),
    ];
    Ok((cells, tests))
}
