//! Fluid limits of always-go-left at a million bins, of all bins and of each group.

use std::collections::BTreeMap;

use bb_core::LoadVector;
use bb_experiment::{ExperimentError, Summary, trials};
use bb_testkit::data::fluid_tails;

use crate::check::{Check, Deviation, Outcome, Plan, Row};
use crate::process::Process;

pub(crate) const CHECK: Check = Check {
    name: "fluid-groups",
    compares: "numbers of bins at or above each load under always-go-left, n = 10⁶, with the fluid limit, for all bins and for each group",
    source: "`fluid_limit_tails.csv`",
    correct: "for each level with at least 1000 bins above and below the mean number is within 5 standard errors of the limit",
    false_alarm: "5.7e-7 for each mean",
    run,
};

const TRIALS: u64 = 60;
const LEAST: f64 = 1000.0;

/// The limit of a set of bins: all of them, or group `j` of `d` from 1.
struct Limit {
    d: u64,
    group: Option<u64>,
    tails: BTreeMap<u64, f64>,
}

fn run(plan: &Plan) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(&["process", "bins", "share at or above loads 1…, limit", "here", "worst"]);
    let limits = limits();
    let rules = ["left:d=2", "left:d=3", "left:d=4"].map(Process::Labelled);
    for (d, rule) in (2..).zip(rules) {
        for limit in limits.iter().filter(|limit| limit.d == d) {
            let (cells, tests) = compare(plan, outcome.rows.len(), rule, limit)?;
            outcome.rows.push(Row::test(cells, tests));
        }
    }
    let all = limits.iter().find(|limit| limit.d == 2 && limit.group.is_none()).expect("rows of Left[2]");
    let (mut cells, tests) = compare(plan, outcome.rows.len(), Process::Labelled("group-choice:d=2"), all)?;
    cells[0] = "control: fair ties against Left[2]".to_owned();
    outcome.rows.push(Row::control(cells, tests));
    Ok(outcome)
}

/// Rows are named `always-go-left; d=2` and `always-go-left; d=2; group 1`, all at one ball a bin.
fn limits() -> Vec<Limit> {
    let mut limits: Vec<Limit> = Vec::new();
    for row in fluid_tails() {
        let mut parts = row.process.split("; ");
        let (Some("always-go-left"), Some(d)) = (parts.next(), parts.next()) else { continue };
        assert_eq!(row.time, 1);
        let d = d.trim_start_matches("d=").parse().expect("a number of groups");
        let group = parts.next().map(|group| group.trim_start_matches("group ").parse().expect("a group"));
        if limits.last().is_none_or(|last| (last.d, last.group) != (d, group)) {
            limits.push(Limit { d, group, tails: BTreeMap::new() });
        }
        limits.last_mut().expect("just pushed").tails.insert(row.level as u64, row.tail);
    }
    limits
}

fn compare(
    plan: &Plan,
    number: usize,
    process: Process,
    limit: &Limit,
) -> Result<(Vec<String>, Vec<Deviation>), ExperimentError> {
    let runs = plan.trials(TRIALS);
    let group_size = 1_000_000 / limit.d;
    let bins = group_size * limit.d;
    let (begin, size) = match limit.group {
        Some(group) => ((group - 1) * group_size, group_size),
        None => (0, bins),
    };
    let counts = trials(plan.seed(41, number), runs, 0, |_, rng| {
        let mut loads = LoadVector::new(bins).expect("a megabyte");
        process.throw(&mut loads, bins, rng);
        let mut counts = BTreeMap::new();
        for load in loads.iter().skip(begin as usize).take(size as usize) {
            *counts.entry(load).or_insert(0_u64) += 1;
        }
        counts
    })?;
    let (mut limits, mut found, mut tests) = (Vec::new(), Vec::new(), Vec::new());
    for (&level, &tail) in &limit.tails {
        let expected = tail * size as f64;
        if expected < LEAST || size as f64 - expected < LEAST {
            continue;
        }
        let here: Summary<u64> =
            counts.iter().map(|counts| counts.range(level..).map(|(_, count)| count).sum()).collect();
        let (mean, sd) = (here.mean().unwrap_or(f64::NAN), here.sd().unwrap_or(f64::NAN));
        limits.push(tail);
        found.push(mean / size as f64);
        tests.push(Deviation::errors(mean - expected, sd / (runs as f64).sqrt()));
    }
    let digits = |shares: &[f64]| shares.iter().map(|share| format!("{share:.6}")).collect::<Vec<_>>().join(" ");
    let cells = vec![
        process.to_string(),
        limit.group.map_or("all".to_owned(), |group| format!("group {group}")),
        digits(&limits),
        digits(&found),
        Deviation::worst(tests.iter().copied()).map_or("–".to_owned(), |worst| worst.to_string()),
    ];
    Ok((cells, tests))
}
