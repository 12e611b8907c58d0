//! Identities that hold exactly in the stationary state, for every number of bins.

use bb_core::{Allocator, Bins, BinsExt, LoadVector, Rng, TrialRng};
use bb_experiment::{ExperimentError, Summary, trials};
use bb_processes::{DChoice, MeanThinning, OnePlusBeta};

use crate::check::{Check, Deviation, Outcome, Plan, Row};

pub(crate) const CHECK: Check = Check {
    name: "stationary",
    compares: "time averages at many balls a bin with exact stationary identities, n = 5 and 50",
    source: "the drift of Σ y_i² is 2E[y of the chosen bin] + 1 − 1/n, and vanishes in the stationary state: so E|Y − Y'| = (1 − 1/n)/β for (1+β) (Two-Choice: β = 1) with Y, Y' the loads of two independent uniform bins, and E Σ|y_i| = n − 1 for Mean-Thinning",
    correct: "the average over time and runs is within 5 standard errors of the identity, and not for a rule one parameter away",
    false_alarm: "5.7e-7 for each identity",
    run,
};

const TRIALS: u64 = 1_000;

/// Balls a bin before the average begins, and in the average.
const BEFORE: u64 = 400;
const BALLS: u64 = 1_500;

/// What is averaged.
#[derive(Clone, Copy, Debug)]
enum Quantity {
    /// `(1/n²) Σ_ij |y_i − y_j|`.
    Difference,
    /// `Σ_i |y_i|`.
    Absolute,
}

/// Mean-Thinning that takes a bin less than half a ball above the mean for one below it. (A bin *at* the mean
/// may be taken for either: the identity holds.)
#[derive(Clone, Copy, Debug)]
struct HalfABallAbove;

impl Allocator for HalfABallAbove {
    fn choose<R: Rng + ?Sized>(&mut self, bins: &LoadVector, rng: &mut R) -> usize {
        let [first, second] = bins.draw_pair(rng);
        if 2 * bins.load(first) * bins.bins() < 2 * bins.total() + bins.bins() { first } else { second }
    }
}

fn run(plan: &Plan) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(&["process", "n", "quantity", "identity", "time average", "apart"]);
    for n in [5, 50] {
        let identity = 1.0 - 1.0 / n as f64;
        let (difference, absolute) = (Quantity::Difference, Quantity::Absolute);
        let mut add = |name: &str, control, quantity, identity, found: Summary| {
            let (mean, error) = (found.mean().unwrap_or(f64::NAN), found.se().unwrap_or(f64::NAN));
            let apart = Deviation::errors(mean - identity, error);
            let symbol = match quantity {
                Quantity::Difference => "E\\|Y − Y'\\|",
                Quantity::Absolute => "E Σ\\|y_i\\|",
            };
            let cells = vec![
                name.to_owned(),
                n.to_string(),
                symbol.to_owned(),
                format!("{identity:.5}"),
                format!("{mean:.5} ± {error:.5}"),
                apart.to_string(),
            ];
            outcome.rows.push(if control { Row::control(cells, vec![apart]) } else { Row::test(cells, vec![apart]) });
        };
        let row = |number: usize| plan.seed(7, number + 100 * n as usize);
        let beta = |beta: f64| OnePlusBeta::new(beta).expect("a probability");
        let two = averages(plan, row(0), &DChoice::two(), n, difference)?;
        add("Two-Choice", false, difference, identity, two);
        let near = averages(plan, row(1), &beta(0.99), n, difference)?;
        add("control: (1+β), β = 0.99, against Two-Choice", true, difference, identity, near);
        for (number, value) in [0.75, 0.5, 0.25].into_iter().enumerate() {
            let found = averages(plan, row(2 + number), &beta(value), n, difference)?;
            add(&format!("(1+β), β = {value}"), false, difference, identity / value, found);
        }
        let near = averages(plan, row(5), &beta(0.51), n, difference)?;
        add("control: β = 0.51 against 0.5", true, difference, identity / 0.5, near);
        let mean = averages(plan, row(6), &MeanThinning, n, absolute)?;
        add("Mean-Thinning", false, absolute, n as f64 - 1.0, mean);
        let near = averages(plan, row(7), &HalfABallAbove, n, absolute)?;
        add("control: a bin up to half a ball above the mean counts as below it", true, absolute, n as f64 - 1.0, near);
    }
    Ok(outcome)
}

/// The time averages of all runs.
fn averages<A>(plan: &Plan, seed: u64, rule: &A, n: u64, quantity: Quantity) -> Result<Summary, ExperimentError>
where
    A: Allocator + Clone + Sync,
{
    let found = trials(seed, plan.trials(TRIALS), 0, |_, rng| average(rule.clone(), n, quantity, rng))?;
    Ok(found.into_iter().collect())
}

fn average<A: Allocator>(mut rule: A, n: u64, quantity: Quantity, rng: &mut TrialRng) -> f64 {
    let mut bins = LoadVector::new(n).expect("a few bins");
    rule.start_and_run(&mut bins, BEFORE * n, rng).expect("the rule starts on so few bins");
    // A copy of the loads, which is summed over faster.
    let mut loads = bins.to_vec();
    let mut differences: i64 = loads.iter().flat_map(|a| loads.iter().map(|b| a.abs_diff(*b) as i64)).sum();
    let balls = BALLS * n;
    let mut sum = 0.0;
    for _ in 0..balls {
        let total = bins.total();
        // The decision sees the loads before it.
        sum += match quantity {
            Quantity::Difference => differences as f64 / (n * n) as f64,
            Quantity::Absolute => loads.iter().map(|load| (load * n).abs_diff(total)).sum::<u64>() as f64 / n as f64,
        };
        let bin = rule.step(&mut bins, rng);
        // Each pair with a bin above comes closer by one, each other pair moves apart; a pair counts twice.
        let above = loads.iter().filter(|load| **load > loads[bin]).count() as i64;
        differences += 2 * (n as i64 - 1 - 2 * above);
        loads[bin] += 1;
    }
    sum / balls as f64
}
