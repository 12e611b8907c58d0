//! The stationary tails of the θ-drift thinning strategy.

use bb_core::{Allocator, LoadProfile, Metrics, TrialRng};
use bb_experiment::{ExperimentError, trials};
use bb_thinning::{ThetaDrift, Thinning};

use crate::check::{Check, Deviation, Outcome, Plan, Row};

pub(crate) const CHECK: Check = Check {
    name: "drift",
    compares: "rates of the stationary tails of the θ-drift, above and below the clock, with κ and μ",
    source: "(1 − θ)(e^κ − 1) = κ and (1 + θ)(1 − e^{−μ}) = μ: a bin far above the clock is a Poisson process of rate 1 − θ, one far below of rate 1 + θ, against a drift of 1",
    correct: "the rate between two heights, from time averages, is within 3 % of the prediction",
    false_alarm: "below 1e-6: over runs the rates spread by less than 0.4 %",
    run,
};

const BINS: u64 = 1 << 14;
/// Balls a bin before anything is counted, and while it is.
const BURN_IN: u64 = 300;
const COUNTED: u64 = 2000;
/// Looks at the loads for each `n` balls: the mean runs through its fractions.
const LOOKS: u64 = 8;
/// Where the tails are taken for exponential: from here on, for so many times the inverse rate.
const FROM: u64 = 3;
const DECAYS: f64 = 4.0;
const TOLERANCE: f64 = 0.03;

fn run(plan: &Plan) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(&["θ", "tail", "rate here", "predicted", "off"]);
    for (row, theta) in [0.1, 0.2, 5_f64.sqrt() - 2.0, 1.0 / 3.0].into_iter().enumerate() {
        let (kappa, mu) = rates(theta);
        let [above, below] = [kappa, mu].map(|rate| FROM + (DECAYS / rate).round() as u64);
        let runs = trials(plan.seed(18, row), plan.trials(8), 0, |_, rng| tails(theta, above, below, rng))?;
        let sum = |place: usize| runs.iter().map(|tails| tails[place]).sum::<u64>() as f64;
        let found = [(sum(0) / sum(1)).ln() / (above - FROM) as f64, (sum(2) / sum(3)).ln() / (below - FROM) as f64];
        for (name, found, rate) in [("above", found[0], kappa), ("below", found[1], mu)] {
            outcome.rows.push(Row::test(cells(&theta.to_string(), name, found, rate), vec![off(found, rate)]));
        }
        if row == 1 {
            let near = rates(0.22).0;
            let name = "control: θ = 0.2 against 0.22";
            outcome.rows.push(Row::control(cells(name, "above", found[0], near), vec![off(found[0], near)]));
        }
    }
    Ok(outcome)
}

fn off(found: f64, rate: f64) -> Deviation {
    Deviation::relative(found / rate - 1.0, TOLERANCE)
}

fn cells(theta: &str, tail: &str, found: f64, rate: f64) -> Vec<String> {
    vec![theta.to_owned(), tail.to_owned(), format!("{found:.4}"), format!("{rate:.4}"), off(found, rate).to_string()]
}

/// How many bins are more than `FROM` and `above` over the mean, and more than `FROM` and `below` under it,
/// summed over the looks.
fn tails(theta: f64, above: u64, below: u64, rng: &mut TrialRng) -> [u64; 4] {
    let mut loads = LoadProfile::new(BINS).expect("there are bins");
    let mut rule = Thinning::new(ThetaDrift::new(theta).expect("θ is in (0, 1/3]"));
    rule.start(&loads).expect("any loads do");
    rule.run(&mut loads, BURN_IN * BINS, rng);
    let mut sums = [0; 4];
    for _ in 0..COUNTED * LOOKS {
        rule.run(&mut loads, BINS / LOOKS, rng);
        let total = loads.total();
        let over = |height: u64| loads.bins_at_least((total + height * BINS) / BINS + 1);
        // Strictly below: c·n < W − height·n.
        let under = |height: u64| BINS - loads.bins_at_least(total.saturating_sub(height * BINS).div_ceil(BINS));
        let found = [over(FROM), over(above), under(FROM), under(below)];
        sums.iter_mut().zip(found).for_each(|(sum, found)| *sum += found);
    }
    sums
}

/// `κ` and `μ`.
fn rates(theta: f64) -> (f64, f64) {
    ThetaDrift::new(theta).expect("θ is in (0, 1/3]").tail_rates()
}
