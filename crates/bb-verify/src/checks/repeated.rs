//! Repeated balls-into-bins, against its closed form and published averages.

use bb_core::{DynamicLoads, LoadProfile, Metrics, Remove};
use bb_experiment::{ExperimentError, Summary, trials};
use bb_processes::{RepeatedBallsIntoBins, System};
use bb_testkit::data::{RepeatedRow, repeated};

use crate::check::{Check, Deviation, FIVE, Outcome, Plan, Row};

pub(crate) const CHECK: Check = Check {
    name: "repeated",
    compares: "repeated balls-into-bins: share of empty bins with √(1 + μ²) − μ at n = 10⁶, and it and the maximum load with published averages over time",
    source: "μ = ρ + ρ²/(2(1 − ρ)), the mean of a queue with Poisson(ρ) arrivals a round, for μ balls a bin; `rbb_los_sauerwald.csv`: Los and Sauerwald, arXiv 2203.12400, 10⁶ rounds, read back from figures to 0.0002 and 0.02",
    correct: "the share is within 5 standard errors of the limit, and 1/n for the finite number of bins; published averages within 5 standard errors of ours and the resolution of the figures",
    false_alarm: "about 5e-6 for each mean, since the spread is estimated from 60 runs",
    run,
};

/// The bins of the closed form.
const MANY: u64 = 1_000_000;
const TRIALS: u64 = 60;

/// So many balls a bin at most with 1000 bins: the rounds that it takes grow as the square. The rows of 100 bins have more.
const MOST: u64 = 19;

/// How exactly the figures can be read.
const RESOLUTION_EMPTY: f64 = 2e-4;
const RESOLUTION_MAX: f64 = 0.02;

fn run(plan: &Plan) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(&[
        "n",
        "m/n",
        "source",
        "empty: there",
        "here",
        "off, and allowed",
        "maximum: there",
        "here",
        "off, and allowed",
    ]);
    for mu in [1, 2, 3, 5] {
        let (cells, tests) = closed_form(plan, outcome.rows.len(), mu, mu as f64)?;
        outcome.rows.push(Row::test(cells, tests));
    }
    let (mut cells, tests) = closed_form(plan, outcome.rows.len(), 2, 2.01)?;
    cells[2] = "control: limit for μ = 2.01".to_owned();
    outcome.rows.push(Row::control(cells, tests));

    let table = repeated();
    for row in table.iter().filter(|row| row.bins != 1000 || row.balls_per_bin <= MOST) {
        let (cells, tests) = published(plan, outcome.rows.len(), row.balls_per_bin, row)?;
        outcome.rows.push(Row::test(cells, tests));
    }
    let row = table.iter().find(|row| (row.bins, row.balls_per_bin) == (1000, 10)).expect("a row of 10 balls a bin");
    let (mut cells, tests) = published(plan, outcome.rows.len(), 11, row)?;
    cells[2] = "control: 11 balls a bin against the row of 10".to_owned();
    // Each quantity rejects by itself.
    outcome.rows.extend(tests.into_iter().map(|test| Row::control(cells.clone(), vec![test])));
    Ok(outcome)
}

/// Loads of `mu` balls a bin; the limit is that for `like` balls a bin.
fn closed_form(
    plan: &Plan,
    number: usize,
    mu: u64,
    like: f64,
) -> Result<(Vec<String>, Vec<Deviation>), ExperimentError> {
    let start = LoadProfile::from_level_counts(&[(mu, MANY)]).expect("a million bins");
    let [none, _] = averages(plan, number, &start, 20 * mu * mu, 100)?;
    let limit = RepeatedBallsIntoBins::limit_empty_fraction(like);
    let (cells, test) = compare(limit, 1.0 / MANY as f64, &none, 6);
    let mut all = vec![MANY.to_string(), mu.to_string(), "limit".to_owned()];
    all.extend(cells);
    all.extend(["–", "–", "–"].map(str::to_owned));
    Ok((all, vec![test]))
}

fn published(
    plan: &Plan,
    number: usize,
    mu: u64,
    row: &RepeatedRow,
) -> Result<(Vec<String>, Vec<Deviation>), ExperimentError> {
    let start = DynamicLoads::from_loads(vec![mu; row.bins as usize]).expect("some bins");
    let [none, max] = averages(plan, number, &start, 5 * mu * mu, 500 + 5 * mu * mu)?;
    let mut all = vec![row.bins.to_string(), mu.to_string(), "published".to_owned()];
    let (cells, test) = compare(row.empty_fraction, RESOLUTION_EMPTY, &none, 4);
    all.extend(cells);
    let mut tests = vec![test];
    match row.max_load {
        Some(published) => {
            let (cells, test) = compare(published, RESOLUTION_MAX, &max, 2);
            all.extend(cells);
            tests.push(test);
        }
        None => all.extend(["–", "–", "–"].map(str::to_owned)),
    }
    Ok((all, tests))
}

/// Off by at most 5 standard errors and what the value there may be off by itself.
fn compare(there: f64, margin: f64, here: &Summary, places: usize) -> (Vec<String>, Deviation) {
    let (mean, error) = (here.mean().unwrap_or(f64::NAN), here.se().unwrap_or(f64::NAN));
    let test = Deviation::absolute(mean - there, margin + FIVE * error);
    let cells = vec![
        format!("{there:.places$}"),
        format!("{mean:.places$}"),
        format!("{:+.places$}, {:.places$}", mean - there, margin + FIVE * error),
    ];
    (cells, test)
}

/// Means over runs of the averages over `rounds` rounds after `before`: the share of empty bins, and the maximum between the halves of a round, when one ball has left every bin that held one.
fn averages<L>(plan: &Plan, number: usize, start: &L, before: u64, rounds: u64) -> Result<[Summary; 2], ExperimentError>
where
    RepeatedBallsIntoBins: System<L>,
    L: Remove + Metrics<Load = u64> + Clone + Sync,
{
    let found = trials(plan.seed(14, number), plan.trials(TRIALS), 0, |_, rng| {
        let (mut system, mut loads) = (RepeatedBallsIntoBins, start.clone());
        system.run(&mut loads, before, rng);
        let (mut none, mut max) = (0.0, 0.0);
        for _ in 0..rounds {
            system.round(&mut loads, rng);
            none += 1.0 - loads.holding() as f64 / loads.bins() as f64;
            max += loads.max_load() as f64 - 1.0;
        }
        [none / rounds as f64, max / rounds as f64]
    })?;
    Ok([0, 1].map(|which| found.iter().map(|found| found[which]).collect()))
}
