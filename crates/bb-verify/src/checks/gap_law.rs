//! The mean-field law of the gap at many balls a bin.

use std::collections::BTreeMap;

use bb_experiment::{Experiment, ExperimentError};
use bb_processes::theory::stationary::Profile;
use bb_testkit::data::{Quantity, mean_field_gaps};

use crate::check::{Check, Deviation, FIVE, Outcome, Plan, Row};
use crate::process::Process;

pub(crate) const CHECK: Check = Check {
    name: "gap-law",
    compares: "law of the gap at many balls a bin with P(gap < k) ≈ exp(−n s_k), s_k the stationary mean-field tail",
    source: "`meanfield_gap_law.csv` for n = 10⁴, `theory::stationary` for n = 10⁵: mean-field equations, not a theorem",
    correct: "each P(gap ≤ k) within 0.03 (the law takes bins as independent) and 5 standard errors of the simulation",
    false_alarm: "5.7e-7 for each probability, if the law were exact; the margin of 0.03 comes on top",
    run,
};

/// How far the law may be off by itself.
const MARGIN: f64 = 0.03;

/// The process, and balls a bin: enough for its profile to be stationary.
const PROCESSES: [(Process, u64); 11] = [
    (Process::Choice(2), 60),
    (Process::Choice(3), 60),
    (Process::Beta(0.75), 100),
    (Process::Beta(0.5), 150),
    (Process::Beta(0.25), 300),
    (Process::MeanThinning, 150),
    (Process::Quantile(0.5), 150),
    (Process::Caching, 60),
    (Process::GBounded(2), 100),
    (Process::GMyopic(2), 100),
    (Process::SigmaNoisyLoad(2.0), 100),
];

const SIZES: [(u64, u64); 2] = [(10_000, 3_000), (100_000, 500)];

fn run(plan: &Plan) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(&[
        "process",
        "n",
        "m/n",
        "runs",
        "predicted mean",
        "here",
        "largest difference of P(gap ≤ k)",
        "at k",
        "allowed",
    ]);
    for (bins, runs) in SIZES {
        for (process, mean) in PROCESSES {
            let law = law(process, bins);
            let seed = plan.seed(4, outcome.rows.len());
            let experiment = Experiment::new(bins, mean * bins).with_trials(plan.trials(runs)).with_seed(seed);
            let (cells, test) = compare(process, &experiment, bins, mean, plan.trials(runs), &law)?;
            outcome.rows.push(Row::test(cells, vec![test]));
        }
    }
    let (bins, runs, mean) = (10_000, plan.trials(SIZES[0].1), 150);
    let seed = plan.seed(4, outcome.rows.len());
    let experiment = Experiment::new(bins, mean * bins).with_trials(runs).with_seed(seed);
    let (mut cells, test) =
        compare(Process::Beta(0.53), &experiment, bins, mean, runs, &law(Process::Beta(0.5), bins))?;
    cells[0] = "control: β = 0.53 against the law of 0.5".to_owned();
    outcome.rows.push(Row::control(cells, vec![test]));
    Ok(outcome)
}

/// The probability of each gap.
fn law(process: Process, bins: u64) -> BTreeMap<u64, f64> {
    let table = mean_field_gaps();
    let rows = table.iter().filter(|row| row.bins == bins && Process::named(&row.process) == Some(process));
    let listed: BTreeMap<u64, f64> = rows
        .filter_map(|row| match row.quantity {
            Quantity::GapIs(gap) => Some((gap, row.value)),
            _ => None,
        })
        .collect();
    if !listed.is_empty() {
        return listed;
    }
    let law = Profile::new(&process.fluid()).expect("it keeps a profile").gap_law(bins);
    (0..100).map(|gap| (gap, law.probability(gap))).filter(|&(_, probability)| probability > 1e-6).collect()
}

fn compare(
    process: Process,
    experiment: &Experiment,
    bins: u64,
    mean: u64,
    runs: u64,
    law: &BTreeMap<u64, f64>,
) -> Result<(Vec<String>, Deviation), ExperimentError> {
    let report = process.experiment(experiment)?;
    let found: BTreeMap<u64, u64> = report.max_load().counts().map(|(max, count)| (max - mean, count)).collect();
    let (mut expected, mut seen) = (0.0, 0);
    let mut worst: Option<(f64, f64, u64)> = None;
    for gap in 0..60 {
        expected += law.get(&gap).copied().unwrap_or(0.0);
        seen += found.get(&gap).copied().unwrap_or(0);
        let difference = seen as f64 / runs as f64 - expected;
        let allowed = MARGIN + FIVE * ((expected * (1.0 - expected)).max(0.0) / runs as f64).sqrt();
        if worst.is_none_or(|(other, limit, _)| difference.abs() / allowed > other.abs() / limit) {
            worst = Some((difference, allowed, gap));
        }
    }
    let (difference, allowed, gap) = worst.expect("a gap");
    let predicted: f64 = law.iter().map(|(&gap, probability)| gap as f64 * probability).sum();
    let test = Deviation::absolute(difference, allowed);
    let cells = vec![
        process.to_string(),
        bins.to_string(),
        mean.to_string(),
        runs.to_string(),
        format!("{predicted:.3}"),
        format!("{:.3} ± {:.3}", report.gap().mean().unwrap_or(f64::NAN), report.gap().se().unwrap_or(f64::NAN)),
        format!("{difference:+.4}"),
        gap.to_string(),
        format!("{allowed:.3}"),
    ];
    Ok((cells, test))
}
