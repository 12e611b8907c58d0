//! The exact law of the One-Choice maximum.

use std::collections::BTreeMap;

use bb_experiment::{Engine, ExperimentError, Summary, trials};
use bb_testkit::data::{Quantity, one_choice_max};
use bb_testkit::stats::{goodness_of_fit, tally};

use crate::check::{Check, Deviation, Outcome, Plan, Row};
use crate::process::{Process, Sizes};

pub(crate) const CHECK: Check = Check {
    name: "one-choice-max",
    compares: "maximum load of One-Choice with its exact law, and its mean with the exact mean",
    source: "`exact_onechoice_max.csv`: the law from the generating function, in double precision, seven digits",
    correct: "on every engine, chi-square over the values of the maximum fits, and the mean is within 5 standard errors",
    false_alarm: "1e-6 for all chi-square tests together (Bonferroni), 5.7e-7 for each mean",
    run,
};

/// Throws that a row may use on the vector and on the profile engine; in bulk so few bins with so many levels
/// are slow.
const BALLS: [u64; 3] = [1 << 30, 1 << 28, 1 << 26];

fn run(plan: &Plan) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(&["n", "m", "engine", "runs", "exact mean", "mean here", "apart", "chi-square"]);
    let mut laws: BTreeMap<(u64, u64), (f64, BTreeMap<u64, f64>)> = BTreeMap::new();
    for row in one_choice_max() {
        let Some(balls) = row.balls else { continue };
        let law = laws.entry((row.bins, balls)).or_default();
        match row.quantity {
            Quantity::MeanMax => law.0 = row.value,
            Quantity::MaxIs(max) => _ = law.1.insert(max, row.value),
            _ => {}
        }
    }
    let engines =
        |bins| if bins < 1000 { &[Engine::Vector][..] } else { &[Engine::Vector, Engine::Profile, Engine::Bulk] };
    let tests: usize = laws.keys().map(|&(bins, _)| engines(bins).len()).sum();
    for ((bins, balls), (mean, law)) in &laws {
        for &engine in engines(*bins) {
            let sizes = Sizes { bins: *bins, balls: *balls };
            let seed = plan.seed(1, outcome.rows.len());
            let (cells, tests) = compare(plan, seed, Process::OneChoice, engine, sizes, *mean, law, tests)?;
            outcome.rows.push(Row::test(cells, tests));
        }
    }
    // A process one parameter away: one ball in fifty has two choices.
    let (mean, law) = &laws[&(1000, 10_000)];
    let sizes = Sizes { bins: 1000, balls: 10_000 };
    let seed = plan.seed(1, outcome.rows.len());
    let (mut cells, tests) = compare(plan, seed, Process::Beta(0.02), Engine::Vector, sizes, *mean, law, tests)?;
    cells[2] = "control: (1+β), β = 0.02".to_owned();
    outcome.rows.push(Row::control(cells, tests));
    Ok(outcome)
}

#[expect(clippy::too_many_arguments, reason = "they are the row")]
fn compare(
    plan: &Plan,
    seed: u64,
    process: Process,
    engine: Engine,
    sizes: Sizes,
    mean: f64,
    law: &BTreeMap<u64, f64>,
    tests: usize,
) -> Result<(Vec<String>, Vec<Deviation>), ExperimentError> {
    let runs = plan.trials((BALLS[engine as usize] / sizes.balls).clamp(1_000, 100_000));
    let maxima = trials(seed, runs, 0, |_, rng| process.on(engine, sizes, rng, |loads| loads.max_load()))?;
    let here: Summary<u64> = maxima.iter().copied().collect();
    // The table leaves out what is below 5e-8: what falls there counts as the nearest value that it has.
    let (least, largest) = (*law.keys().next().expect("a law"), *law.keys().next_back().expect("a law"));
    let verdict = goodness_of_fit(&tally(maxima.iter().map(|max| *max.clamp(&least, &largest))), law);
    let found = here.mean().unwrap_or(f64::NAN);
    let apart = Deviation::errors(found - mean, here.se().unwrap_or(f64::NAN));
    let fit = Deviation::p_value(verdict.p_value, 1e-6 / tests as f64);
    let cells = vec![
        sizes.bins.to_string(),
        sizes.balls.to_string(),
        engine.to_string(),
        runs.to_string(),
        format!("{mean:.4}"),
        format!("{found:.4}"),
        apart.to_string(),
        fit.to_string(),
    ];
    Ok((cells, vec![apart, fit]))
}
