//! How the gap and the minimum gap grow with the number of bins.

use bb_experiment::{Experiment, ExperimentError, Summary};
use bb_processes::theory::fluid::Fluid;
use bb_processes::theory::stationary::{self, Profile};

use crate::check::{Check, Deviation, Outcome, Plan, Row};
use crate::process::Process;

pub(crate) const CHECK: Check = Check {
    name: "slopes",
    compares: "slope of the mean gap and of the mean minimum gap in ln n with 1/λ and 1/μ, the rates of the mean-field tails",
    source: "λ = a(e^λ − 1) with a = 1 − β for (1+β) and the share of suggestions refused for Mean-Thinning; μ = b(1 − e^{−μ}) with b = d for d-Choice and 1 + β for (1+β): mean-field tails, not a theorem",
    correct: "the slope over n = 2⁹ … 2¹⁵ is within 5 % of the prediction (its own standard error is at most 1 %)",
    false_alarm: "below 1e-6 for each slope if the rates are right: 5 % are five standard errors or more",
    run,
};

const SIZES: [(u64, u64); 4] = [(1 << 9, 8000), (1 << 11, 4000), (1 << 13, 2000), (1 << 15, 1200)];
const TOLERANCE: f64 = 0.05;

/// A process, balls a bin, and the rates of its tails where they are exponential.
struct Case {
    process: Process,
    mean: u64,
    upper: Option<f64>,
    lower: Option<f64>,
}

fn run(plan: &Plan) -> Result<Outcome, ExperimentError> {
    let mut outcome =
        Outcome::new(&["process", "quantity", "means at n = 2⁹, 2¹¹, 2¹³, 2¹⁵", "slope here", "predicted", "off"]);
    let case = |process, mean, upper, lower| Case { process, mean, upper, lower };
    let beta =
        |beta: f64, mean| case(Process::Beta(beta), mean, Some(upper_rate(1.0 - beta)), Some(lower_rate(1.0 + beta)));
    let mut cases = vec![beta(0.75, 100), beta(0.5, 150), beta(0.25, 300)];
    cases.push(case(Process::MeanThinning, 150, Some(upper_rate(refused())), None));
    cases.push(case(Process::Choice(2), 60, None, Some(lower_rate(2.0))));
    for case in cases {
        let (mut gaps, mut min_gaps) = (Vec::new(), Vec::new());
        for (bins, runs) in SIZES {
            let seed = plan.seed(8, 10 * outcome.rows.len() + gaps.len());
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
        if case.process == Process::Beta(0.5) {
            let (cells, off) = compare("control: β = 0.5 against the rate of 0.55", "gap", &gaps, upper_rate(0.45));
            outcome.rows.push(Row::control(cells, vec![off]));
        }
    }
    Ok(outcome)
}

fn upper_rate(a: f64) -> f64 {
    stationary::upper_rate(a).expect("strictly between 0 and 1")
}

fn lower_rate(b: f64) -> f64 {
    stationary::lower_rate(b).expect("above 1")
}

/// The chance that Mean-Thinning refuses a suggestion.
fn refused() -> f64 {
    Profile::new(&Fluid::mean_thinning()).expect("it keeps a profile").overloaded()
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
