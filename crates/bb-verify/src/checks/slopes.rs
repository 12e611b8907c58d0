//! How the gap and the minimum gap grow with the number of bins.

use bb_experiment::{Experiment, ExperimentError, Summary};
use bb_processes::theory::allocation::RankLaw;
use bb_processes::theory::stationary::{lower_rate, upper_rate};

use crate::check::{Check, Deviation, Outcome, Plan, Row};
use crate::process::Process;

pub(crate) const CHECK: Check = Check {
    name: "slopes",
    compares: "slope of the mean gap and of the mean minimum gap in ln n with 1/λ and 1/μ, the rates of the mean-field tails",
    source: "λ = a(e^λ − 1) and μ = b(1 − e^{−μ}), where a bin far above the mean gets a balls while the mean rises by one, and one far below is found b times: by rank a = F'(0), b = F'(1); thinning a = h, b = 1 + h with h the share of suggestions refused; filling a = b = the share of samples among balls, of which Twinning lifts a low bin by two, μ = b(1 − e^{−2μ}), and Packing out of the tail, μ = b; Caching μ = 1: mean-field tails, not a theorem",
    correct: "the slope over n = 2⁹ … 2¹⁵ is within 5 % of the prediction (its own standard error is at most 1 %)",
    false_alarm: "below 1e-6 for each slope if the rates are right: 5 % are five standard errors or more",
    run,
};

const SIZES: [(u64, u64); 4] = [(1 << 9, 8000), (1 << 11, 2000), (1 << 13, 1000), (1 << 15, 1200)];
const TOLERANCE: f64 = 0.05;

/// A process, balls a bin, and the rates of its tails where they are exponential.
struct Case {
    process: Process,
    mean: u64,
    upper: Option<f64>,
    lower: Option<f64>,
}

impl Case {
    /// Of a process by rank, whose upper tail is exponential if the heaviest bins get any ball.
    fn by_rank(process: Process, law: &RankLaw, mean: u64) -> Self {
        let heaviest = law.slope_at_heaviest();
        let upper = (heaviest > 0.0).then(|| upper(heaviest));
        Self { process, mean, upper, lower: Some(lower(law.slope_at_lightest())) }
    }

    /// Of a process that refuses a bin at this height above the mean, rounded up.
    fn thinning(process: Process, above: u64, mean: u64) -> Self {
        let refused = mean_in_unit(mean, |time| {
            process.fluid().tails(time).expect("a time of some balls a bin").tail(mean + above + 1)
        });
        Self { process, mean, upper: Some(upper(refused)), lower: Some(lower(1.0 + refused)) }
    }

    /// Of a process that places several balls a sample, where this is the rate of the lower tail for so many
    /// samples a ball.
    fn filling(process: Process, mean: u64, lower: impl Fn(f64) -> f64) -> Self {
        let steps = |time: u64| process.fluid().tails(time as f64).expect("a time of some balls a bin").steps();
        let samples = steps(mean + 1) - steps(mean);
        Self { process, mean, upper: Some(upper(samples)), lower: Some(lower(samples)) }
    }
}

fn cases() -> Vec<Case> {
    let beta = |beta: f64, mean| {
        Case::by_rank(Process::Beta(beta), &RankLaw::one_plus_beta(beta, 2).expect("a probability"), mean)
    };
    let choice = |d, mean| Case::by_rank(Process::Choice(d), &RankLaw::d_choice(d).expect("d ≥ 1"), mean);
    let quantile =
        |delta, mean| Case::by_rank(Process::Quantile(delta), &RankLaw::quantile(delta).expect("a quantile"), mean);
    let quantiles = |deltas: &'static [f64], mean| {
        Case::by_rank(Process::KQuantile(deltas), &RankLaw::quantiles(deltas).expect("quantiles"), mean)
    };
    let lower_only = |process, mean, lower| Case { process, mean, upper: None, lower: Some(lower) };
    vec![
        beta(0.75, 100),
        beta(0.5, 150),
        beta(0.25, 300),
        quantile(0.5, 150),
        quantile(0.25, 250),
        quantiles(&[0.25, 0.5], 150),
        Case::thinning(Process::MeanThinning, 0, 150),
        Case::thinning(Process::RelativeThreshold(2.0), 2, 400),
        Case::filling(Process::Twinning, 200, |samples| lower(2.0 * samples) / 2.0),
        Case::filling(Process::Packing(1), 150, |samples| samples),
        choice(2, 60),
        lower_only(Process::Labelled("left:d=2"), 60, lower(2.0)),
        lower_only(Process::Caching, 60, 1.0),
    ]
}

fn run(plan: &Plan) -> Result<Outcome, ExperimentError> {
    let mut outcome =
        Outcome::new(&["process", "quantity", "means at n = 2⁹, 2¹¹, 2¹³, 2¹⁵", "slope here", "predicted", "off"]);
    for (number, case) in cases().into_iter().enumerate() {
        let (mut gaps, mut min_gaps) = (Vec::new(), Vec::new());
        for (bins, runs) in SIZES {
            let seed = plan.seed(8, 10 * number + gaps.len());
            let experiment = Experiment::new(bins, case.mean * bins).with_trials(plan.trials(runs)).with_seed(seed);
            let report = case.process.experiment(&experiment)?;
            gaps.push(point(bins, report.gap()));
            min_gaps.push(point(bins, report.min_gap()));
        }
        let name = case.process.to_string();
        if let Some(rate) = case.upper {
            let (cells, off) = compare(&name, "gap", &gaps, rate);
            outcome.rows.push(Row::test(cells, vec![off]));
        }
        if let Some(rate) = case.lower {
            let (cells, off) = compare(&name, "min gap", &min_gaps, rate);
            outcome.rows.push(Row::test(cells, vec![off]));
        }
        // A parameter further.
        let near = match case.process {
            Process::Beta(0.5) => Some(("control: β = 0.5 against the rates of 0.6", 0.4, 1.6)),
            Process::Quantile(0.5) => Some(("control: δ = 0.5 against the rates of 0.4", 0.4, 1.4)),
            _ => None,
        };
        if let Some((name, a, b)) = near {
            let (cells, off) = compare(name, "gap", &gaps, upper(a));
            outcome.rows.push(Row::control(cells, vec![off]));
            let (cells, off) = compare(name, "min gap", &min_gaps, lower(b));
            outcome.rows.push(Row::control(cells, vec![off]));
        }
    }
    Ok(outcome)
}

fn upper(a: f64) -> f64 {
    upper_rate(a).expect("strictly between 0 and 1")
}

fn lower(b: f64) -> f64 {
    lower_rate(b).expect("above 1")
}

/// The mean of a quantity over a unit of time from `begin`, by midpoints: it may jump at the ends.
fn mean_in_unit(begin: u64, quantity: impl Fn(f64) -> f64) -> f64 {
    const PARTS: u32 = 16;
    let part = |part: u32| quantity(begin as f64 + (f64::from(part) + 0.5) / f64::from(PARTS));
    (0..PARTS).map(part).sum::<f64>() / f64::from(PARTS)
}

fn compare(name: &str, quantity: &str, points: &[Point], rate: f64) -> (Vec<String>, Deviation) {
    let (slope, error) = slope(points);
    let off = Deviation::relative(slope * rate - 1.0, TOLERANCE);
    let means: Vec<String> = points.iter().map(|point| format!("{:.3}", point.mean)).collect();
    let cells = vec![
        name.to_owned(),
        quantity.to_owned(),
        means.join(" "),
        format!("{slope:.4} ± {error:.4}"),
        format!("{:.4}", 1.0 / rate),
        off.to_string(),
    ];
    (cells, off)
}

struct Point {
    ln_bins: f64,
    mean: f64,
    error: f64,
}

fn point(bins: u64, found: &Summary) -> Point {
    let (mean, error) = (found.mean().unwrap_or(f64::NAN), found.se().unwrap_or(f64::NAN));
    Point { ln_bins: (bins as f64).ln(), mean, error }
}

/// The line of least squares through points of equal weight: its slope, and the standard error of that.
fn slope(points: &[Point]) -> (f64, f64) {
    let middle = points.iter().map(|point| point.ln_bins).sum::<f64>() / points.len() as f64;
    let spread: f64 = points.iter().map(|point| (point.ln_bins - middle).powi(2)).sum();
    let weight = |point: &Point| (point.ln_bins - middle) / spread;
    let slope = points.iter().map(|point| weight(point) * point.mean).sum();
    let variance: f64 = points.iter().map(|point| (weight(point) * point.error).powi(2)).sum();
    (slope, variance.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slope_of_a_line_is_its_slope() {
        let point = |ln_bins| Point { ln_bins, mean: 2.0 - 3.0 * ln_bins, error: 0.1 };
        let (slope, error) = slope(&[point(1.0), point(2.0), point(4.0)]);
        assert!((slope + 3.0).abs() < 1e-12);
        assert!((error - 0.1 / (14.0_f64 / 3.0).sqrt()).abs() < 1e-12);
    }
}
