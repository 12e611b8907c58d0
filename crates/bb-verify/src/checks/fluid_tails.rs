//! Fluid limits at a million bins: the means of single levels, and their fluctuations.

use std::collections::BTreeMap;

use bb_core::{LoadVector, Metrics};
use bb_experiment::{ExperimentError, Summary, trials};
use bb_testkit::data::fluid_tails;
use statrs::distribution::{ChiSquared, ContinuousCDF};

use crate::check::{Check, Deviation, Outcome, Plan, Row};
use crate::fluid::Fluid;
use crate::process::Process;

pub(crate) const CHECK: Check = Check {
    name: "fluid-tails",
    compares: "numbers of bins at each load, n = 10⁶, with the fluid limit, and their variances with the linear noise limit",
    source: "`fluid_limit_tails.csv` and the solution of `theory::fluid`, which must agree to 1e-11, but for quantiles to 1e-8: the fixed steps of the table pass over their kinks; variances from the linear noise equations",
    correct: "for each level with at least 1000 bins the mean number is within 5 standard errors of n times the limit, and the spread over runs is the predicted one (chi-square); where a ball does not raise one tail at a rate of the tails alone (memory, filling), the spread is that of the runs",
    false_alarm: "5.7e-7 for each mean, about 2e-6 where the spread is estimated; 1e-6 for all variances together (Bonferroni)",
    run,
};

const BINS: u64 = 1_000_000;
const TRIALS: u64 = 120;
const LEAST: f64 = 1000.0;

/// Rules that the table does not have.
const MORE: [(Process, u64); 17] = [
    (Process::Distinct(2), 1),
    (Process::Distinct(3), 1),
    (Process::Threshold { level: 1, d: 2 }, 1),
    (Process::Threshold { level: 2, d: 3 }, 1),
    (Process::Threshold { level: 4, d: 2 }, 4),
    (Process::Threshold { level: 4, d: 3 }, 4),
    (Process::RelativeThreshold(1.0), 1),
    (Process::GBounded(1), 1),
    (Process::GMyopic(2), 4),
    (Process::SigmaNoisyLoad(1.0), 1),
    (Process::Quantile(0.25), 4),
    (Process::Twinning, 1),
    (Process::Twinning, 4),
    (Process::Packing(0), 1),
    (Process::Packing(0), 4),
    (Process::Packing(1), 1),
    (Process::Packing(1), 4),
];

fn run(plan: &Plan) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(&[
        "process",
        "m/n",
        "share of bins at loads, limit",
        "mean here",
        "levels",
        "worst mean",
        "worst variance",
        "table − own",
    ]);
    let mut table: Vec<(Process, u64, BTreeMap<usize, f64>)> = Vec::new();
    for row in fluid_tails() {
        // Always-go-left has a check of its own.
        if row.process.starts_with("always-go-left") {
            continue;
        }
        let Some(process) = Process::named(&row.process) else {
            outcome.miss(&row.process);
            continue;
        };
        if table.last().is_none_or(|(last, time, _)| (*last, *time) != (process, row.time)) {
            table.push((process, row.time, BTreeMap::new()));
        }
        table.last_mut().expect("just pushed").2.insert(row.level as usize, row.tail);
    }
    table.extend(MORE.map(|(process, time)| (process, time, BTreeMap::new())));
    let fluids: Vec<Fluid> = table.iter().map(|&(process, time, _)| limit(process, time)).collect();
    let known = |fluid: &Fluid| fluid.levels(BINS, LEAST).filter(|&level| fluid.variance(level).is_some()).count();
    let variances: usize = fluids.iter().map(known).sum();
    for ((process, time, tails), fluid) in table.iter().zip(&fluids) {
        let (mut cells, mut tests) = compare(plan, outcome.rows.len(), *process, *time, fluid, variances)?;
        if !tails.is_empty() {
            let largest = tails.iter().map(|(&level, tail)| (fluid.tail(level) - tail).abs()).fold(0.0, f64::max);
            let has_kinks = matches!(process, Process::Quantile(_) | Process::KQuantile(_));
            let agree = Deviation::absolute(largest, if has_kinks { 1e-8 } else { 1e-11 });
            cells[7] = agree.to_string();
            tests.push(agree);
        }
        outcome.rows.push(Row::test(cells, tests));
    }
    let (mut cells, tests) =
        compare(plan, outcome.rows.len(), Process::Beta(0.999), 1, &limit(Process::Choice(2), 1), variances)?;
    cells[0] = "control: (1+β), β = 0.999, against Two-Choice".to_owned();
    outcome.rows.push(Row::control(cells, tests));
    let (mut cells, tests) =
        compare(plan, outcome.rows.len(), Process::Packing(0), 4, &limit(Process::Packing(1), 4), variances)?;
    cells[0] = "control: Packing, e = 0, against e = 1".to_owned();
    outcome.rows.push(Row::control(cells, tests));
    Ok(outcome)
}

fn limit(process: Process, time: u64) -> Fluid {
    Fluid::new(process, time, if time == 1 { 20 } else { 32 })
}

fn compare(
    plan: &Plan,
    number: usize,
    process: Process,
    time: u64,
    fluid: &Fluid,
    variances: usize,
) -> Result<(Vec<String>, Vec<Deviation>), ExperimentError> {
    let runs = plan.trials(TRIALS);
    let counts = trials(plan.seed(5, number), runs, 0, |_, rng| {
        let mut loads = LoadVector::new(BINS).expect("a megabyte");
        process.throw(&mut loads, time * BINS, rng);
        loads.level_counts().into_iter().collect::<BTreeMap<u64, u64>>()
    })?;
    let spread = ChiSquared::new((runs - 1) as f64).expect("several runs");
    let levels: Vec<usize> = fluid.levels(BINS, LEAST).collect();
    let (mut means, mut spreads, mut found) = (Vec::new(), Vec::new(), Vec::new());
    for &level in &levels {
        let here: Summary<u64> =
            counts.iter().map(|counts| counts.get(&(level as u64)).copied().unwrap_or(0)).collect();
        let (mean, sd) = (here.mean().unwrap_or(f64::NAN), here.sd().unwrap_or(f64::NAN));
        let predicted = fluid.variance(level).map(|variance| BINS as f64 * variance);
        let error = (predicted.unwrap_or(sd * sd) / runs as f64).sqrt();
        means.push(Deviation::errors(mean - BINS as f64 * fluid.share(level), error));
        if let Some(variance) = predicted {
            let statistic = (runs - 1) as f64 * sd * sd / variance;
            let p_value = 2.0 * spread.cdf(statistic).min(spread.sf(statistic));
            spreads.push(Deviation::p_value(p_value.min(1.0), 1e-6 / variances as f64));
        }
        found.push((level, mean / BINS as f64));
    }
    let shown = |worst: Option<Deviation>| worst.map_or("–".to_owned(), |worst| worst.to_string());
    let first = *levels.first().expect("some level has a thousand bins");
    let cells = vec![
        process.to_string(),
        time.to_string(),
        format!("{first}…: {}", digits(levels.iter().map(|&level| fluid.share(level)), 6)),
        digits(found.iter().map(|found| found.1), 6),
        levels.len().to_string(),
        shown(Deviation::worst(means.iter().copied())),
        shown(Deviation::worst(spreads.iter().copied())),
        "–".to_owned(),
    ];
    Ok((cells, [means, spreads].concat()))
}

/// The first five numbers.
pub(super) fn digits(shares: impl Iterator<Item = f64>, places: usize) -> String {
    shares.take(5).map(|share| format!("{share:.places$}")).collect::<Vec<_>>().join(" ")
}
