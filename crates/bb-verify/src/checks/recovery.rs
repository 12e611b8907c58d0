//! How Two-Choice recovers from a gap.

use std::collections::BTreeMap;

use bb_core::{Bins, LoadVector, Metrics, TrialRng};
use bb_experiment::{ExperimentError, trials};
use bb_processes::theory::fluid::Fluid;
use bb_processes::theory::recurrence::Recovery;
use bb_processes::theory::stationary::Profile;
use statrs::distribution::{DiscreteCDF, Poisson};

use crate::check::{Check, Deviation, FIVE, Outcome, Plan, Row};
use crate::process::Process;

pub(crate) const CHECK: Check = Check {
    name: "recovery",
    compares: "gap of Two-Choice from a start with gap G = 20 and 50, n = 10⁴, with the rounds of `theory::recurrence::Recovery`, with the exact fall of a bin that stands alone, and with the stationary law at the end",
    source: "Talwar and Wieder, arXiv 1310.5367: after G balls a bin the gap is log₂ log n + O(log G); the base of the rounds is C e^{−h}, C the least that the stationary mean-field profile allows. A bin alone above all others gets a ball with probability 1/n²: the number of its balls is binomial",
    correct: "in every run the gap is at most that of the round at its end; the balls of the bin alone, summed over the runs, are not improbable; and after 2G balls a bin each P(gap ≤ k) is within 0.03 and 5 standard errors of the mean-field law, P(gap < k) ≈ exp(−n s_k)",
    false_alarm: "none for the rounds, which are bounds with a margin; 1e-6 for the sums; 5.7e-7 for each probability, if the law were exact",
    run,
};

const BINS: u64 = 10_000;
const TRIALS: u64 = 1_000;

/// How far the mean-field law may be off by itself.
const MARGIN: f64 = 0.03;

/// Where the gap comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    /// One bin above all others, which are empty.
    Alone,
    /// One-Choice until the gap is reached.
    OneChoice,
}

/// What is kept of a run.
struct Found {
    /// The gap at the end of each round, the start first.
    rounds: Vec<f64>,
    /// The balls that the first bin got in the first `G/2` balls a bin.
    to_first: u64,
    /// The gap after `2G` balls a bin, in whole balls above the rounded mean.
    last: u64,
}

fn run(plan: &Plan) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(&[
        "process",
        "start",
        "balls a bin at the ends of the rounds",
        "allowed gap",
        "largest here",
        "share of the allowed",
        "balls of the bin alone: expected",
        "here",
        "p",
        "largest difference of P(gap ≤ k) at the end",
    ]);
    let profile = Profile::new(&Fluid::d_choice(2).expect("d ≥ 1")).expect("Two-Choice keeps a profile");
    for gap in [20, 50] {
        for start in [Start::Alone, Start::OneChoice] {
            let (cells, tests) = compare(plan, outcome.rows.len(), Process::Choice(2), gap, start, &profile)?;
            outcome.rows.push(Row::test(cells, tests));
        }
        for wrong in [Process::Beta(0.5), Process::OneChoice] {
            let (mut cells, tests) = compare(plan, outcome.rows.len(), wrong, gap, Start::Alone, &profile)?;
            // Each claim rejects by itself.
            for (claim, test) in ["by the rounds", "by the bin alone", "by the law at the end"].into_iter().zip(tests) {
                cells[0] = format!("control: {wrong}, {claim}");
                outcome.rows.push(Row::control(cells.clone(), vec![test]));
            }
        }
    }
    Ok(outcome)
}

fn compare(
    plan: &Plan,
    number: usize,
    process: Process,
    gap: u64,
    start: Start,
    profile: &Profile,
) -> Result<(Vec<String>, Vec<Deviation>), ExperimentError> {
    let scale = profile.heights().map(|h| profile.tail(h) * (h as f64).exp()).fold(0.0, f64::max);
    let rounds: Vec<_> = Recovery::new(BINS, 2, gap as f64, 1.0, scale)
        .expect("a gap")
        .map(|round| (round.balls_per_bin, round.gap))
        .collect();
    let ends: Vec<u64> = rounds.iter().map(|round| (round.0 * BINS as f64).ceil() as u64).collect();
    let runs = plan.trials(TRIALS);
    let found = trials(plan.seed(13, number), runs, 0, |_, rng| recover(process, gap, start, &ends, rng))?;

    let mut cells = vec![process.to_string()];
    cells.push(match start {
        Start::Alone => format!("one bin {gap} above the others"),
        Start::OneChoice => format!("One-Choice until gap {gap}"),
    });
    let list = |values: Vec<f64>| values.iter().map(|value| format!("{value:.1}")).collect::<Vec<_>>().join(" ");
    let largest: Vec<f64> =
        (0..rounds.len()).map(|round| found.iter().map(|found| found.rounds[round]).fold(0.0, f64::max)).collect();
    let share = largest.iter().zip(&rounds).skip(1).map(|(here, round)| here / round.1).fold(0.0, f64::max);
    let bound = Deviation::absolute(share, 1.0);
    cells.push(list(rounds.iter().map(|round| round.0).collect()));
    cells.push(list(rounds.iter().map(|round| round.1).collect()));
    cells.push(list(largest));
    cells.push(format!("{share:.2}"));
    let mut tests = vec![bound];

    if start == Start::Alone {
        let balls: u64 = found.iter().map(|found| found.to_first).sum();
        let expected = (runs * (gap / 2)) as f64 / BINS as f64;
        let law = Poisson::new(expected).expect("a positive mean");
        let fit = Deviation::p_value(if balls == 0 { 1.0 } else { law.sf(balls - 1) }, 1e-6);
        cells.extend([format!("{expected:.2}"), balls.to_string(), fit.to_string()]);
        tests.push(fit);
    } else {
        cells.extend(["–", "–", "–"].map(str::to_owned));
    }

    let mut last: BTreeMap<u64, u64> = BTreeMap::new();
    found.iter().for_each(|found| *last.entry(found.last).or_default() += 1);
    let law = profile.gap_law(BINS);
    let (mut expected, mut seen) = (0.0, 0);
    let differences = (0..100).map(|k| {
        expected += law.probability(k);
        seen += last.get(&k).copied().unwrap_or(0);
        let error = ((expected * (1.0 - expected)).max(0.0) / runs as f64).sqrt();
        Deviation::absolute(seen as f64 / runs as f64 - expected, MARGIN + FIVE * error)
    });
    let end = Deviation::worst(differences).expect("some values");
    cells.push(end.to_string());
    tests.push(end);
    Ok((cells, tests))
}

fn recover(process: Process, gap: u64, start: Start, ends: &[u64], rng: &mut TrialRng) -> Found {
    let mut loads = LoadVector::new(BINS).expect("a byte a bin");
    match start {
        Start::Alone => {
            let mut alone = vec![0; BINS as usize];
            alone[0] = gap;
            loads = LoadVector::from_loads(alone).expect("a bin");
        }
        Start::OneChoice => {
            while loads.gap() < gap as f64 {
                Process::OneChoice.throw(&mut loads, 1, rng);
            }
        }
    }
    let begin = loads.total();
    // A whole mean at the end.
    let last = (begin / BINS + 2 * gap) * BINS - begin;
    let half = gap / 2 * BINS;
    let first = loads.load(0);
    let mut found = Found { rounds: Vec::new(), to_first: 0, last: 0 };
    let mut stops: Vec<u64> = ends.iter().copied().chain([half, last]).collect();
    stops.sort_unstable();
    stops.dedup();
    let mut thrown = 0;
    for stop in stops {
        process.throw(&mut loads, stop - thrown, rng);
        thrown = stop;
        if ends.contains(&stop) {
            found.rounds.push(loads.gap());
        }
        if stop == half {
            found.to_first = loads.load(0) - first;
        }
        if stop == last {
            found.last = loads.max_load() - loads.total() / BINS;
        }
    }
    found
}
