//! Balls with weights, against an independent simulation and exact sums.

use bb_core::rand::distr::Distribution;
use bb_core::{Allocator, Bins, LoadVector, Metrics, Weight, rng_for_trial};
use bb_experiment::{ExperimentError, Summary, trials};
use bb_processes::{DChoice, OnePlusBeta, WeightLaw, throw_weighted};

use crate::check::{Check, Deviation, Outcome, Plan, Row};
use crate::tables::{WeightedGap, weighted_gaps};

pub(crate) const CHECK: Check = Check {
    name: "weights",
    compares: "gap and minimum gap of d-Choice and (1+β) with weights with an independent simulation; and loads, average and gap after 10⁸ weighted balls with sums in integers",
    source: "`own_weighted_multidim_graph.csv`: an independent program, 100 or 1000 runs a row. It gives means and no medians, also for Pareto weights",
    correct: "each mean is within 5 combined standard errors; where the table gives none, ours stands for its spread. Sums are off by at most 1e-12 of the average",
    false_alarm: "5.7e-7 for each mean of a normal law; the gaps with Pareto weights have a finite variance and no fourth moment, so that theirs are more: some 1e-4",
    run,
};

fn run(plan: &Plan) -> Result<Outcome, ExperimentError> {
    let mut outcome =
        Outcome::new(&["process", "weights", "m/n", "gap there", "here", "apart", "min gap there", "here", "apart"]);
    let table = weighted_gaps();
    for row in &table {
        let (cells, tests) = compare(plan, outcome.rows.len(), rule(row.beta, row.d), &row.weights, row)?;
        outcome.rows.push(Row::test(cells, tests));
    }
    let row = |weights: &str, beta: f64, d: u32| {
        // With a thousand runs.
        let alike = |row: &&WeightedGap| row.weights == weights && (row.beta, row.d, row.runs) == (beta, d, 1000);
        let found = table.iter().find(alike);
        found.expect("such a row")
    };
    let wrong: [(&str, OnePlusBeta, &str, &WeightedGap); 3] = [
        ("control: β = 0.95 against Two-Choice", rule(0.95, 2), "exp", row("exp", 1.0, 2)),
        ("control: geometric weights, p = 0.45 against 0.5", rule(1.0, 2), "geom45", row("geom", 1.0, 2)),
        ("control: Pareto weights, a = 2.5 against 3", rule(1.0, 2), "pareto25", row("pareto3", 1.0, 2)),
    ];
    for (name, rule, weights, row) in wrong {
        let (mut cells, tests) = compare(plan, outcome.rows.len(), rule, weights, row)?;
        cells[0] = name.to_owned();
        // The gap tells them apart; of heavy tails the minimum gap alone does.
        let tests = if weights == "pareto25" { vec![tests[1]] } else { vec![tests[0]] };
        outcome.rows.push(Row::control(cells, tests));
    }
    for (name, law) in [("exp", WeightLaw::exponential()), ("uniform12", WeightLaw::uniform12())] {
        let apart = drift(plan, &law);
        let deviation = Deviation::absolute(apart, 1e-12);
        let mut cells = vec!["Two-Choice, n = 100, 10⁸ balls".to_owned(), name.to_owned(), "10⁶".to_owned()];
        cells.extend(["exact".to_owned(), format!("{apart:.1e} of the average off"), deviation.to_string()]);
        cells.extend(["–", "–", "–"].map(str::to_owned));
        outcome.rows.push(Row::test(cells, vec![deviation]));
    }
    Ok(outcome)
}

fn rule(beta: f64, d: u32) -> OnePlusBeta {
    OnePlusBeta::new(beta).and_then(|rule| rule.with_d(d)).expect("a probability and a number of choices")
}

fn law(name: &str) -> WeightLaw {
    match name {
        "unit" => Ok(WeightLaw::constant()),
        "unif12" => Ok(WeightLaw::uniform12()),
        "exp" => Ok(WeightLaw::exponential()),
        "geom" => WeightLaw::geometric(0.5),
        "geom45" => WeightLaw::geometric(0.45),
        "pareto3" => WeightLaw::pareto(3.0),
        "pareto25" => WeightLaw::pareto(2.5),
        other => panic!("{other} is not a law of the table"),
    }
    .expect("a parameter in range")
}

fn compare(
    plan: &Plan,
    number: usize,
    rule: OnePlusBeta,
    weights: &str,
    row: &WeightedGap,
) -> Result<(Vec<String>, Vec<Deviation>), ExperimentError> {
    let law = law(weights);
    let runs = plan.trials(row.runs);
    let found = trials(plan.seed(45, number), runs, 0, |_, rng| {
        let mut loads = LoadVector::weighted(row.bins).expect("a few bins");
        throw_weighted(&mut rule.clone(), &mut loads, &law, row.balls, rng).expect("weights of a law");
        [loads.gap(), loads.min_gap()]
    })?;
    let name = format!("β = {}, d = {}", row.beta, row.d);
    let mut cells = vec![name, weights.to_owned(), (row.balls / row.bins).to_string()];
    let mut tests = Vec::new();
    for (which, there) in [row.gap, row.min_gap].into_iter().enumerate() {
        let here: Summary = found.iter().map(|metrics| metrics[which]).collect();
        let (mean, sd) = (here.mean().unwrap_or(f64::NAN), here.sd().unwrap_or(f64::NAN));
        let error_there = if which == 0 { row.gap_error } else { sd / (row.runs as f64).sqrt() };
        let apart = Deviation::errors(mean - there, error_there.hypot(sd / (runs as f64).sqrt()));
        cells.extend([format!("{there:.4}"), format!("{mean:.4}"), apart.to_string()]);
        tests.push(apart);
    }
    Ok((cells, tests))
}

/// The largest error of a load, the average or the gap, as a share of the average: weights on a grid of
/// `2^-64`, whose sums in integers are exact.
fn drift(plan: &Plan, law: &WeightLaw) -> f64 {
    const BINS: u64 = 100;
    const BALLS: u64 = 100_000_000;
    const GRID: f64 = 18_446_744_073_709_551_616.0; // 2^64
    let mut loads = LoadVector::weighted(BINS).expect("a few bins");
    let mut sums = vec![0_i128; BINS as usize];
    let mut rng = rng_for_trial(plan.seed(46, 0), 0);
    let mut rule = DChoice::two();
    for _ in 0..BALLS {
        let weight: f64 = law.sample(&mut rng);
        let units = (weight * GRID) as i128;
        let weight = Weight::new(units as f64 / GRID).expect("a weight of the grid");
        sums[rule.step_ball(&mut loads, &weight, &mut rng)] += units;
    }
    let real = |sum: i128| sum as f64 / GRID;
    let total: i128 = sums.iter().sum();
    let average = real(total) / BINS as f64;
    let max = sums.iter().max().expect("there are bins");
    let gap = real(max * i128::from(BINS) - total) / BINS as f64;
    let of_loads = sums.iter().enumerate().map(|(bin, &sum)| (loads.load(bin) - real(sum)).abs());
    let all = of_loads.chain([(loads.average() - average).abs(), (loads.gap() - gap).abs()]);
    all.fold(0.0, f64::max) / average
}
