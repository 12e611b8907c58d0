//! What weights do to two choices: the gap against the number of balls, for light and heavy tails.
//!
//! `cargo run --release --example weights` prints a table of medians and draws it in weights.svg.

use bb_core::{Allocator, LoadVector, Metrics, TrialRng};
use bb_experiment::{Summary, Weights, trials};
use bb_processes::{DChoice, OneChoice, throw_weighted};
use plotters::prelude::*;

const BINS: u64 = 1000;
const RUNS: u64 = 60;
/// Balls a bin.
const EACH: [u64; 7] = [1, 3, 10, 30, 100, 300, 1000];

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// The gaps of one run as balls come.
fn run<A>(mut rule: A, weights: &Weights, rng: &mut TrialRng) -> [f64; EACH.len()]
where
    A: Allocator<LoadVector<f64>>,
{
    let mut loads = LoadVector::weighted(BINS).expect("a few bins");
    let mut thrown = 0;
    EACH.map(|each| {
        throw_weighted(&mut rule, &mut loads, weights.law(), each * BINS - thrown, rng).expect("weights of a law");
        thrown = each * BINS;
        loads.gap()
    })
}

/// The median gap at each number of balls. Of heavy tails the mean is made by few runs.
fn medians<A>(rule: A, weights: &Weights) -> Result<Vec<f64>>
where
    A: Allocator<LoadVector<f64>> + Clone + Sync,
{
    let runs = trials(1, RUNS, 0, |_, rng| run(rule.clone(), weights, rng))?;
    let median = |place: usize| {
        let gaps: Summary = runs.iter().map(|run| run[place]).collect();
        gaps.quantile(0.5).unwrap_or(f64::NAN)
    };
    Ok((0..EACH.len()).map(median).collect())
}

fn main() -> Result<()> {
    println!("two choices, {BINS} bins, weights of mean 1: median gap of {RUNS} runs\n");
    print!("{:<22}", "balls a bin");
    EACH.iter().for_each(|each| print!("{each:>8}"));
    let mut lines = Vec::new();
    for name in ["constant", "uniform12", "exp", "lognormal:sigma=1", "pareto:a=3", "pareto:a=2.5", "exp, one choice"] {
        let (law, one) = name.split_once(", ").map_or((name, false), |(law, _)| (law, true));
        let weights: Weights = law.parse()?;
        let medians = if one { medians(OneChoice, &weights)? } else { medians(DChoice::two(), &weights)? };
        print!("\n{name:<22}");
        medians.iter().for_each(|gap| print!("{gap:>8.2}"));
        lines.push((name, medians));
    }
    println!("\n\nweights.svg is drawn");
    draw(&lines)
}

fn draw(lines: &[(&str, Vec<f64>)]) -> Result<()> {
    let colors = [
        BLUE,
        RGBColor(0, 140, 60),
        RED,
        MAGENTA,
        RGBColor(230, 120, 0),
        RGBColor(120, 80, 40),
        RGBColor(130, 130, 130),
    ];
    let root = SVGBackend::new("weights.svg", (900, 520)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption("gap against balls a bin: two choices, 1000 bins, weights of mean 1", ("sans-serif", 20))
        .margin(15)
        .x_label_area_size(45)
        .y_label_area_size(50)
        .build_cartesian_2d((1.0..1000.0).log_scale(), (1.0..200.0).log_scale())?;
    let number = |value: &f64| format!("{value}");
    chart
        .configure_mesh()
        .x_desc("balls a bin")
        .y_desc("median gap")
        .x_label_formatter(&number)
        .y_label_formatter(&number)
        .light_line_style(WHITE)
        .draw()?;
    for ((name, gaps), color) in lines.iter().zip(colors) {
        let points: Vec<_> = EACH.iter().map(|&each| each as f64).zip(gaps.iter().copied()).collect();
        chart
            .draw_series(LineSeries::new(points.iter().copied(), color.stroke_width(2)))?
            .label(*name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], color.stroke_width(2)));
        chart.draw_series(points.iter().map(|&point| Circle::new(point, 3, color.filled())))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE)
        .border_style(BLACK)
        .draw()?;
    root.present()?;
    Ok(())
}
