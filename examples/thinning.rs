//! What thinning does at real sizes: every strategy measured, beside what is known for ever larger ones.
//!
//! `cargo run --release --example thinning` prints two tables. The first has the three ways to look at a
//! maximum, for one choice, two choices, and thinning between them. The second has the strategies of the
//! literature with explicit numbers, each beside a figure that was measured by another program.

use bb_experiment::{Experiment, Report, Summary};

const TRIALS: u64 = 20;

/// Final and all-time gap of strategies, measured by another program in 1 to 20 runs each.
const EXPECTED: [(u64, u64, &str, f64, f64); 20] = [
    (10_000, 300, "thinning-drift:theta=0.1", 41.0, 45.0),
    (10_000, 300, "thinning-drift:theta=0.2", 21.5, 26.0),
    (10_000, 300, "thinning-drift:theta=0.2360679774997896", 17.5, 24.5),
    (10_000, 300, "thinning-drift:theta=0.3333333333333333", 12.0, 18.5),
    (10_000, 300, "thinning-varying-drift:theta1=0.1,theta2=0.1,theta3=0.4,l=6", 11.0, 16.6),
    (10_000, 300, "thinning-varying-drift:theta1=0.2,theta2=0.2,theta3=0.6,l=4", 12.0, 15.5),
    (10_000, 300, "thinning-varying-drift:theta1=0.2,theta2=0.2,theta3=0.41,l=2", 6.5, 11.7),
    (10_000, 300, "mean-thinning", 8.0, 13.3),
    (10_000, 10, "thinning-relative-threshold:l=2", 7.3, 7.9),
    (10_000, 10, "thinning-relative-threshold:l=4", 7.1, 7.7),
    (10_000, 10, "thinning-relative-threshold:l=6", 7.7, 8.3),
    (10_000, 10, "thinning-relative-threshold:l=8", 8.9, 9.6),
    (10_000, 10, "thinning-multi-stage:stages=10,l=3", 6.7, 9.6),
    (10_000, 10, "thinning-multi-stage:stages=10,l=5", 7.1, 10.7),
    (10_000, 10, "thinning-multi-stage:stages=10,l=7", 8.0, 11.7),
    (10_000, 10, "thinning-multi-stage:stages=7/10,l=2", 7.0, 7.6),
    (10_000, 10, "thinning-multi-stage:stages=7/10,l=3", 8.2, 9.2),
    (10_000, 10, "thinning-multi-stage:stages=7/10,l=4", 9.4, 10.2),
    (100_000, 48, "thinning-relative-threshold:l=7", 13.0, 14.2),
    (100_000, 48, "thinning-multi-scale:base-l=7,base=10,iterations=3,stages=3/6,l=2", 25.0, 26.7),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (n, time) = (10_000, 300);
    println!("{n} bins, {time} balls a bin, {TRIALS} runs: maximum load above the mean\n");
    println!("{:<58} {:>7} {:>12} {:>9} {:>9}", "", "end", "0.1-typical", "all-time", "rejected");
    for (name, orders) in [
        ("one-choice", "Θ(√(m ln n/n)), all three"),
        ("two-choice", "ln ln n/ln 2 + O(1), all three"),
        ("mean-thinning", "Θ(ln n), all three"),
        ("thinning-drift:theta=0.2", "Θ(ln n), all three"),
        ("thinning-varying-drift:theta1=0.2,theta2=0.2,theta3=0.41,l=2", "the best all-time order is Θ(ln n/ln ln n)"),
        ("thinning-long-term:practical", "(ln n)^(1/2+o(1)), typical"),
    ] {
        let report = run(n, time, name)?;
        let typical = report.typical_gap().ok_or("it was asked for")?;
        let [end, typical, all_time] = [report.gap(), typical, report.all_time_gap()].map(mean);
        println!("{name:<58} {end:>7.1} {typical:>12.1} {all_time:>9.1} {:>9}   {orders}", share(report.rejections()));
    }
    println!("\n{:<72} {:>11} {:>8} {:>9} {:>8}", "m/n, strategy", "end", "expected", "all-time", "expected");
    for (n, time, name, end, all_time) in EXPECTED {
        let report = run(n, time, name)?;
        let error = report.gap().se().unwrap_or(0.0);
        let (measured, ever) = (mean(report.gap()), mean(report.all_time_gap()));
        let far = |found: f64, expected: f64| (found - expected).abs() > f64::max(1.0, 0.1 * expected);
        let counter = if far(measured, end) || far(ever, all_time) { "  more than max(1, 10 %) apart" } else { "" };
        let named = format!("{time:>3}, {name}");
        println!("{named:<72} {measured:>6.1} ±{error:>3.1} {end:>8.1} {ever:>9.1} {all_time:>8.1}{counter}");
    }
    Ok(())
}

fn run(bins: u64, time: u64, name: &str) -> Result<Report, Box<dyn std::error::Error>> {
    let experiment = Experiment::new(bins, bins * time).with_trials(TRIALS).with_epsilon(0.1);
    Ok(experiment.run_spec(&name.parse()?)?)
}

fn mean(summary: &Summary) -> f64 {
    summary.mean().unwrap_or(f64::NAN)
}

fn share(rejections: Option<&Summary>) -> String {
    rejections.map_or("-".to_owned(), |share| format!("{:.1}%", 100.0 * mean(share)))
}
