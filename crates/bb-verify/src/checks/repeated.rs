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
    correct: "the share is within 5 standard errors of the limit, and 1/n for the finite number of bins; published averages within 5 combined standard errors and the resolution of the figures; at n = 100 up to 19 balls a bin 0.0007 more, by which the published shares step up to their next row and ours do not",
    false_alarm: "about 1e-5 for each mean, since the spread is estimated from 40 runs",
    run,
};

/// The bins of the closed form.
const MANY: u64 = 1_000_000;
const TRIALS: u64 = 40;

/// The published averages: so many runs of so many rounds, from loads all equal.
const PUBLISHED_RUNS: f64 = 25.0;
const PUBLISHED_ROUNDS: u64 = 1_000_000;

/// The load of a bin is near a random walk with drift −1/(2μ) and variance 1 a round, which forgets its start
/// by a factor e every 8μ² rounds; only after 100μ² has the front of its tail passed 9μ, where the maximum of
/// 10⁴ bins is.
const SETTLED: u64 = 100;

/// Rows with at most so large a `n μ²`, to which the time of a run is proportional.
const LONGEST: u64 = 500_000;

/// How exactly the figures can be read.
const RESOLUTION_EMPTY: f64 = 2e-4;
/// The published shares of 100 bins do not join: less the limit for many bins they are −0.0009 at 19 balls a
/// bin and −0.0002 at 22, the next row. Ours, and those of 1000 bins, have no such step.
const STEP: f64 = 7e-4;
const BEFORE_THE_STEP: u64 = 19;
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
    for row in table.iter().filter(|row| row.bins * row.balls_per_bin.pow(2) <= LONGEST) {
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
    let [none, _] = averages(plan, number, &start, SETTLED * mu * mu, |_| 0.0, 100)?;
    let limit = RepeatedBallsIntoBins::limit_empty_fraction(like);
    let (cells, test) = compare(limit, 1.0 / MANY as f64, &none, 1.0, 6);
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
    let (before, rounds) = (SETTLED * mu * mu, SETTLED * mu * mu);
    // The published averages begin with the start: the rounds before are in them as often as they were there.
    let share = |before| before as f64 / PUBLISHED_ROUNDS as f64;
    let start = DynamicLoads::from_loads(vec![mu; row.bins as usize]).expect("some bins");
    let [none, max] = averages(plan, number, &start, before, share, rounds)?;
    // The variance of an average falls as the rounds in it.
    let ours = (plan.trials(TRIALS) * rounds) as f64;
    let errors = (1.0 + ours / (PUBLISHED_RUNS * PUBLISHED_ROUNDS as f64)).sqrt();
    let mut all = vec![row.bins.to_string(), mu.to_string(), "published".to_owned()];
    let step = if row.bins == 100 && row.balls_per_bin <= BEFORE_THE_STEP { STEP } else { 0.0 };
    let (cells, test) = compare(row.empty_fraction, RESOLUTION_EMPTY + step, &none, errors, 4);
    all.extend(cells);
    let mut tests = vec![test];
    match row.max_load {
        Some(published) => {
            let (cells, test) = compare(published, RESOLUTION_MAX, &max, errors, 2);
            all.extend(cells);
            tests.push(test);
        }
        None => all.extend(["–", "–", "–"].map(str::to_owned)),
    }
    Ok((all, tests))
}

/// Off by at most 5 combined standard errors, each `errors` times the one here, and what the value there may
/// be off by itself.
fn compare(there: f64, margin: f64, here: &Summary, errors: f64, places: usize) -> (Vec<String>, Deviation) {
    let (mean, error) = (here.mean().unwrap_or(f64::NAN), errors * here.se().unwrap_or(f64::NAN));
    let test = Deviation::absolute(mean - there, margin + FIVE * error);
    let cells = vec![
        format!("{there:.places$}"),
        format!("{mean:.places$}"),
        format!("{:+.places$}, {:.places$}", mean - there, margin + FIVE * error),
    ];
    (cells, test)
}

/// Means over runs of two averages: the share of empty bins, and the maximum between the halves of a round,
/// when one ball has left every bin that held one. An average is that over `rounds` settled rounds, mixed
/// with that over the rounds `before` them in their `share`.
fn averages<L>(
    plan: &Plan,
    number: usize,
    start: &L,
    before: u64,
    share: impl Fn(u64) -> f64,
    rounds: u64,
) -> Result<[Summary; 2], ExperimentError>
where
    RepeatedBallsIntoBins: System<L>,
    L: Remove + Metrics<Load = u64> + Clone + Sync,
{
    let early = share(before);
    let found = trials(plan.seed(14, number), plan.trials(TRIALS), 0, |_, rng| {
        let (mut system, mut loads) = (RepeatedBallsIntoBins, start.clone());
        let mut average = |rounds: u64| {
            let (mut none, mut max) = (0.0, 0.0);
            for _ in 0..rounds {
                system.round(&mut loads, rng);
                none += 1.0 - loads.holding() as f64 / loads.bins() as f64;
                max += loads.max_load() as f64 - 1.0;
            }
            [none / rounds as f64, max / rounds as f64]
        };
        let (first, settled) = (average(before), average(rounds));
        [0, 1].map(|which| early * first[which] + (1.0 - early) * settled[which])
    })?;
    Ok([0, 1].map(|which| found.iter().map(|found| found[which]).collect()))
}
