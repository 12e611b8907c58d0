//! log log n, seen growing on one computer: the maximum load of Two- and Three-Choice for n = m from 2^8 to
//! 2^48.
//!
//! A trillion bins are no trouble, as nobody counts them one by one. The fluid prediction takes the limit
//! `s_k` of the fraction of bins with load at least `k`, and bins as independent: `P(max < k) ≈ exp(−n s_k)`.
//!
//! `cargo run --release --example loglog` prints a table and writes loglog.svg.

use bb_experiment::{Engine, Experiment, Process};
use bb_processes::DChoice;
use bb_processes::theory::fluid::Fluid;
use plotters::prelude::*;

/// Mean maximum load of one rule at one size, as measured and as predicted.
struct Point {
    log_n: u32,
    measured: f64,
    error: f64,
    predicted: f64,
    engine: Engine,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut curves = Vec::new();
    for d in [2, 3] {
        println!("{d}-choice, n = m\n      n  trials  engine   mean max   ± se   predicted   log_{d} ln n");
        let tails = Fluid::d_choice(d)?.tails(1.0)?;
        let mut points = Vec::new();
        for log_n in (8..=48).step_by(4) {
            let n = 1_u64 << log_n;
            let trials = match log_n {
                ..=20 => 200,
                21..=32 => 40,
                33..=40 => 4,
                _ => 2,
            };
            let experiment = Experiment::new(n, n).with_trials(trials).with_seed(u64::from(d));
            let report = experiment.run(&Process::described("d-choice", DChoice::new(d)?))?;
            let (measured, error) = report.max_load().mean().zip(report.max_load().se()).ok_or("needs two trials")?;
            let predicted = tails.max_law(n).mean();
            let leading = (n as f64).ln().ln() / f64::from(d).ln();
            let engine = report.engine();
            println!(
                "  2^{log_n:<4} {trials:>7}  {engine:<7} {measured:>9.2} {error:>6.2} {predicted:>11.2} {leading:>12.2}"
            );
            points.push(Point { log_n, measured, error, predicted, engine });
        }
        println!();
        curves.push((d, points));
    }
    draw(&curves)?;
    println!("loglog.svg shows it; the last sizes were thrown by the engine {}", curves[0].1[10].engine);
    Ok(())
}

fn draw(curves: &[(u32, Vec<Point>)]) -> Result<(), Box<dyn std::error::Error>> {
    let root = SVGBackend::new("loglog.svg", (800, 500)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption("maximum load, n balls into n bins", ("sans-serif", 22))
        .margin(15)
        .x_label_area_size(45)
        .y_label_area_size(45)
        .build_cartesian_2d(6.0..50.0, 0.0..6.0)?;
    chart.configure_mesh().x_desc("log₂ n").y_desc("mean maximum load").disable_x_mesh().draw()?;
    for (index, (d, points)) in curves.iter().enumerate() {
        let color = [BLUE, RED][index];
        let predicted = points.iter().map(|point| (f64::from(point.log_n), point.predicted));
        let leading = points.iter().map(|point| {
            let ln_n = f64::from(point.log_n) * 2_f64.ln();
            (f64::from(point.log_n), ln_n.ln() / f64::from(*d).ln())
        });
        chart
            .draw_series(LineSeries::new(predicted, color))?
            .label(format!("{d}-choice: fluid prediction"))
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], color));
        chart
            .draw_series(LineSeries::new(leading, color.mix(0.3)))?
            .label(format!("log_{d} ln n"))
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], color.mix(0.3)));
        chart
            .draw_series(
                points.iter().map(|point| Circle::new((f64::from(point.log_n), point.measured), 4, color.filled())),
            )?
            .label(format!("{d}-choice: measured"))
            .legend(move |(x, y)| Circle::new((x + 10, y), 4, color.filled()));
        chart.draw_series(points.iter().map(|point| {
            let x = f64::from(point.log_n);
            PathElement::new([(x, point.measured - 2.0 * point.error), (x, point.measured + 2.0 * point.error)], color)
        }))?;
    }
    chart.configure_series_labels().position(SeriesLabelPosition::LowerRight).border_style(BLACK).draw()?;
    root.present()?;
    Ok(())
}
