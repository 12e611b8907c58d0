//! The supermarket model at a million bins, on its way from empty queues.

use bb_core::{LoadProfile, Metrics};
use bb_experiment::{ExperimentError, Summary, trials};
use bb_processes::theory::fluid::Fluid;
use bb_processes::{Supermarket, System};

use super::fluid_tails::digits;
use crate::check::{Check, Deviation, Outcome, Plan, Row};

pub(crate) const CHECK: Check = Check {
    name: "supermarket",
    compares: "numbers of queues at or above each length in the supermarket model, n = 10⁶, from empty queues, with the fluid limit",
    source: "`theory::fluid`: ds_k/dt = λ(s_{k−1}^d − s_k^d) − (s_k − s_{k+1}), Mitzenmacher (2001), Vvedenskaya, Dobrushin and Karpelevich (1996)",
    correct: "for each length that at least 1000 queues have and 1000 have not, the mean number is within 5 standard errors of n times the limit",
    false_alarm: "about 5e-6 for each mean, since the spread is estimated",
    run,
};

const BINS: u64 = 1_000_000;
const TRIALS: u64 = 60;
const LEAST: f64 = 1000.0;

fn run(plan: &Plan) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(&["λ", "d", "time", "share at or above 1…, limit", "here", "lengths", "worst"]);
    for (lambda, d, time) in [(0.9, 1, 2), (0.9, 2, 3), (0.5, 2, 1), (0.95, 3, 2)] {
        let (cells, tests) = compare(plan, outcome.rows.len(), (lambda, d), (lambda, d), time)?;
        outcome.rows.push(Row::test(cells, tests));
    }
    let (mut cells, tests) = compare(plan, outcome.rows.len(), (0.902, 2), (0.9, 2), 3)?;
    cells[0] = "control: λ = 0.902 against 0.9".to_owned();
    outcome.rows.push(Row::control(cells, tests));
    Ok(outcome)
}

/// Runs the model of the first parameters and compares with the limit for the second.
fn compare(
    plan: &Plan,
    number: usize,
    (lambda, d): (f64, u32),
    like: (f64, u32),
    time: u64,
) -> Result<(Vec<String>, Vec<Deviation>), ExperimentError> {
    let runs = plan.trials(TRIALS);
    let tails = Fluid::supermarket(like.0, like.1).and_then(|fluid| fluid.tails(time as f64)).expect("its parameters");
    let model = Supermarket::new(lambda, d).expect("its parameters");
    let levels: Vec<u64> = tails
        .levels()
        .skip(1)
        .filter(|&level| tails.tail(level).min(tails.complement(level)) * BINS as f64 >= LEAST)
        .collect();
    let found = trials(plan.seed(15, number), runs, 0, |_, rng| {
        let mut loads = LoadProfile::new(BINS).expect("a million bins");
        model.clone().run(&mut loads, time, rng);
        levels.iter().map(|&level| loads.bins_at_least(level)).collect::<Vec<u64>>()
    })?;
    let (mut here, mut tests) = (Vec::new(), Vec::new());
    for (place, &level) in levels.iter().enumerate() {
        let counts: Summary<u64> = found.iter().map(|counts| counts[place]).collect();
        let (mean, sd) = (counts.mean().unwrap_or(f64::NAN), counts.sd().unwrap_or(f64::NAN));
        tests.push(Deviation::errors(mean - BINS as f64 * tails.tail(level), sd / (runs as f64).sqrt()));
        here.push(mean / BINS as f64);
    }
    let cells = vec![
        lambda.to_string(),
        d.to_string(),
        time.to_string(),
        digits(levels.iter().map(|&level| tails.tail(level)), 6),
        digits(here.into_iter(), 6),
        levels.len().to_string(),
        Deviation::worst(tests.iter().copied()).map_or("–".to_owned(), |worst| worst.to_string()),
    ];
    Ok((cells, tests))
}
