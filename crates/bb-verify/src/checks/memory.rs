//! The maximum load of heavy lists against an independent simulation.

use bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
use bb_experiment::ExperimentError;
use bb_memory::{Bounded, Budget, Format, HeavyList, Layout, LogBase, MemoryReport, NoMemory, Policy, TieRule};
use bb_testkit::stats::Mean;

use crate::check::{Check, Deviation, Outcome, Plan, Row};

pub(crate) const CHECK: Check = Check {
    name: "memory",
    compares: "maximum load of heavy lists of n^(1 − δ) bits at n = m = 2¹⁶, every policy, with an independent simulation",
    source: "20 runs of a program that shares no code; light rule and ties by the first offer",
    correct: "means within 5 standard errors, a standard deviation being 0.25 at least; every maximum within one of the range found there; no run breaks load ≤ T + Greedy[2], as far as the report can certify it",
    false_alarm: "5.7e-7 a mean; the ranges are those of 20 runs, widened by one on both sides",
    run,
};

const N: u64 = 1 << 16;
/// Runs of the other program.
const RUNS: f64 = 20.0;

/// Bits, policy with the range of its counts, format; mean, least and most of the other program.
struct Case {
    name: &'static str,
    bits: u64,
    scheme: Option<(Policy, Format)>,
    mean: f64,
    range: [u64; 2],
}

const fn case(name: &'static str, bits: u64, policy: Policy, format: Format, mean: f64, range: [u64; 2]) -> Case {
    Case { name, bits, scheme: Some((policy, format)), mean, range }
}

const fn paper(delta: f64, base: LogBase) -> Policy {
    Policy::PaperFormula { delta, base }
}

const CASES: [Case; 18] = [
    case("U2 by ln, T = 42", 21618, paper(0.1, LogBase::Natural), Format::Naive, 7.45, [6, 9]),
    case("U2 by lg, T = 9", 21618, paper(0.1, LogBase::Two), Format::Naive, 7.45, [6, 9]),
    case("raise, naive", 21618, Policy::Raise, Format::Naive, 4.95, [4, 5]),
    case("raise, Elias–Fano", 21618, Policy::Raise, Format::EliasFano, 4.50, [4, 5]),
    case("raise, layered", 21618, Policy::Raise, Format::Layered, 4.15, [4, 5]),
    case("fill, naive", 21618, Policy::Fill, Format::Naive, 4.50, [4, 5]),
    case("U2 by ln, T = 9", 4096, paper(0.25, LogBase::Natural), Format::Naive, 7.45, [6, 9]),
    case("U2 by lg, T = 6", 4096, paper(0.25, LogBase::Two), Format::Naive, 6.00, [6, 6]),
    case("raise, naive", 4096, Policy::Raise, Format::Naive, 5.45, [5, 6]),
    case("raise, Elias–Fano", 4096, Policy::Raise, Format::EliasFano, 5.05, [5, 6]),
    case("fill, naive", 4096, Policy::Fill, Format::Naive, 5.00, [5, 5]),
    case("U2 by ln, T = 9", 256, paper(0.5, LogBase::Natural), Format::Naive, 7.45, [6, 9]),
    case("U2 by lg, T = 7", 256, paper(0.5, LogBase::Two), Format::Naive, 6.95, [6, 7]),
    case("raise, naive", 256, Policy::Raise, Format::Naive, 6.85, [6, 7]),
    case("raise, Elias–Fano", 256, Policy::Raise, Format::EliasFano, 6.85, [6, 7]),
    case("fill, naive", 256, Policy::Fill, Format::Naive, 6.80, [6, 7]),
    // T = 8 "if allowed": 54 bits, which 16 are not.
    case("U2 by lg, T = 8, with the bits it takes", 64, paper(0.75, LogBase::Two), Format::Naive, 7.40, [6, 8]),
    Case { name: "any list: none fits", bits: 16, scheme: None, mean: 7.45, range: [6, 9] },
];

fn run(plan: &Plan) -> Result<Outcome, ExperimentError> {
    let mut outcome =
        Outcome::new(&["bits", "list", "mean there", "mean here", "range here", "T at the end", "longest", "off"]);
    let trials = plan.trials(RUNS as u64);
    for (row, case) in CASES.iter().enumerate() {
        let runs: Vec<(u64, Option<MemoryReport>)> =
            (0..trials).map(|trial| play(case, plan.seed(15, row), trial)).collect();
        let (cells, tests) = compare(case, case.name, &runs, case.mean);
        outcome.rows.push(Row::test(cells, tests));
        if case.bits == 4096 && case.name == "fill, naive" {
            // The nearest other mean that 20 runs tell apart.
            let (cells, tests) = compare(case, "control: filled, against a fixed T = 6", &runs, 6.0);
            outcome.rows.push(Row::control(cells, tests[..1].to_vec()));
        }
    }
    Ok(outcome)
}

/// One run: its maximum, and the report of its list.
fn play(case: &Case, seed: u64, trial: u64) -> (u64, Option<MemoryReport>) {
    let (mut loads, mut rng) = (LoadVector::new(N).expect("a byte a bin"), rng_for_trial(seed, trial));
    let layout = |format| {
        let budget = Budget::bits(case.bits).expect("a few bits");
        Layout::new_or_empty(N, budget, format, 8).expect("a format")
    };
    let report = match case.scheme {
        Some((policy, format)) => {
            let list = HeavyList::new(layout(format), policy).expect("a policy with a threshold");
            let mut rule = Bounded::new(list);
            rule.start_and_run(&mut loads, N, &mut rng).expect("a list for these loads");
            Some(rule.report())
        }
        None => {
            let capacities = Format::ALL.map(|format| layout(format).capacity());
            assert!(capacities.iter().all(|&capacity| capacity == 0), "a list fits after all: {capacities:?}");
            let mut rule = Bounded::new(NoMemory::new(N, TieRule::First).expect("some bins"));
            rule.start_and_run(&mut loads, N, &mut rng).expect("no memory for these loads");
            None
        }
    };
    (loads.max_load(), report)
}

fn compare(case: &Case, name: &str, runs: &[(u64, Option<MemoryReport>)], mean: f64) -> (Vec<String>, Vec<Deviation>) {
    let count = runs.len() as f64;
    let found = Mean::of(runs.iter().map(|&(max, _)| max as f64));
    let deviation = (found.error * count.sqrt()).max(0.25);
    let off = Deviation::errors(found.mean - mean, deviation * (1.0 / count + 1.0 / RUNS).sqrt());
    let [least, most] = case.range;
    let outside = runs.iter().filter(|&&(max, _)| max + 1 < least || max > most + 1).count();
    let reports: Vec<&MemoryReport> = runs.iter().filter_map(|(_, report)| report.as_ref()).collect();
    let uncertified = reports.iter().filter(|report| !report.is_certified()).count();
    let over = reports.iter().filter(|report| report.greatest_bits() > case.bits).count();
    let mean_of = |value: fn(&MemoryReport) -> Option<u64>| {
        let values: Vec<f64> = reports.iter().filter_map(|report| value(report)).map(|value| value as f64).collect();
        if values.is_empty() {
            "–".to_owned()
        } else {
            format!("{:.2}", values.iter().sum::<f64>() / values.len() as f64)
        }
    };
    let all = || runs.iter().map(|&(max, _)| max);
    let cells = vec![
        case.bits.to_string(),
        name.to_owned(),
        format!("{mean:.2}"),
        format!("{:.2}", found.mean),
        format!("[{}, {}]", all().min().unwrap_or(0), all().max().unwrap_or(0)),
        mean_of(MemoryReport::threshold),
        mean_of(MemoryReport::longest_list),
        off.to_string(),
    ];
    let none = |number: usize| Deviation::absolute(number as f64, 0.5);
    (cells, vec![off, none(outside), none(uncertified), none(over)])
}
