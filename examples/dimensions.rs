//! Gaps in several dimensions: against the number of balls under each key, and against the number of
//! dimensions.
//!
//! `cargo run --release --example dimensions` prints two tables, and writes dimensions-balls.svg and
//! dimensions-number.svg.

use std::ops::Range;

use bb_experiment::{Summary, trials};
use bb_processes::{BallModel, DChoice, Key, KeyView, MultiLoads};
use plotters::prelude::*;

const BINS: u64 = 1000;
const RUNS: u64 = 10;
/// Balls a bin, in the first drawing.
const EACH: [u64; 10] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
/// Dimensions and populated ones, in the first drawing.
const FIRST: (u64, u64) = (4, 2);
/// Dimensions, in the second drawing: balls populate two of them, and come until a dimension has got this
/// many for each bin.
const NUMBERS: [u64; 6] = [2, 4, 8, 16, 32, 64];
const POPULATED: u64 = 2;
const LOAD: u64 = 25;
const COLORS: [RGBColor; 4] = [BLUE, RGBColor(0, 140, 60), RED, MAGENTA];

type Error = Box<dyn std::error::Error>;

/// The mean gap, and the mean gap of the total, for each of these numbers of balls of one run.
fn gaps(dimensions: u64, f: u64, key: Key, balls: &[u64]) -> Result<Vec<[f64; 2]>, Error> {
    let runs = trials(1, RUNS, 0, |_, rng| {
        let mut view = KeyView::new(MultiLoads::new(BINS, dimensions).expect("it fits"), key);
        let mut model = BallModel::fixed_uniform(dimensions, f).expect("f is at most D");
        let look = |&until: &u64| {
            view.run(&mut DChoice::two(), &mut model, until - view.balls(), rng);
            [view.loads().gap(), view.loads().gap_total()]
        };
        balls.iter().map(look).collect::<Vec<_>>()
    })?;
    let mean = |place: usize, which: usize| {
        let summary: Summary = runs.iter().map(|run| run[place][which]).collect();
        summary.mean().unwrap_or(f64::NAN)
    };
    Ok((0..balls.len()).map(|place| [mean(place, 0), mean(place, 1)]).collect())
}

fn main() -> Result<(), Error> {
    against_balls()?;
    against_dimensions()
}

fn against_balls() -> Result<(), Error> {
    let (dimensions, f) = FIRST;
    println!("two choices, {BINS} bins, D = {dimensions}, f = {f}: gap in the worst dimension, mean of {RUNS} runs\n");
    print!("{:<16}", "balls a bin");
    EACH.iter().for_each(|each| print!("{each:>7}"));
    let mut lines: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
    for key in Key::ALL {
        let balls = EACH.map(|each| each * BINS);
        let gaps = gaps(dimensions, f, key, &balls)?;
        print!("\n{key:<16}");
        gaps.iter().for_each(|[gap, _]| print!("{gap:>7.2}"));
        lines.push((key.to_string(), EACH.iter().zip(&gaps).map(|(&each, [gap, _])| (each as f64, *gap)).collect()));
    }
    println!("\n");
    // By total each load is binomial in the number of balls of its bin: the largest of n·D normal deviations.
    let spread = |each: f64| {
        let (dimensions, f) = (dimensions as f64, f as f64);
        (each * f * (dimensions - f)).sqrt() / dimensions * (2.0 * (BINS as f64 * dimensions).ln()).sqrt()
    };
    lines.push((
        "√(2 v ln nD), v = (m/n) f(D−f)/D²".to_owned(),
        EACH.map(|each| (each as f64, spread(each as f64))).to_vec(),
    ));
    draw(
        "dimensions-balls.svg",
        "gap against balls a bin: D = 4, f = 2, two choices, 1000 bins",
        "balls a bin",
        "gap",
        &lines,
        (1.0..1000.0, 10.0),
        1.0..80.0,
    )
}

fn against_dimensions() -> Result<(), Error> {
    println!(
        "two choices, {BINS} bins, f = {POPULATED}, {LOAD} balls a bin and dimension: gaps, mean of {RUNS} runs\n"
    );
    println!(
        "{:>4} {:>8} {:>14} {:>14} {:>10} {:>10}",
        "D", "balls", "max-populated", "sum-populated", "its total", "log₂ ln n"
    );
    let (mut most, mut sum, mut claim, mut lower) = (vec![], vec![], vec![], vec![]);
    let log_log = (BINS as f64).ln().log2();
    for dimensions in NUMBERS {
        let balls = LOAD * BINS * dimensions / POPULATED;
        let at = |key| gaps(dimensions, POPULATED, key, &[balls]);
        let (by_most, by_sum) = (at(Key::MaxPopulated)?[0], at(Key::SumPopulated)?[0]);
        println!(
            "{dimensions:>4} {balls:>8} {:>14.2} {:>14.2} {:>10.2} {log_log:>10.2}",
            by_most[0], by_sum[0], by_most[1]
        );
        let x = dimensions as f64;
        most.push((x, by_most[0]));
        sum.push((x, by_sum[0]));
        claim.push((x, log_log));
        lower.push((x, log_log * POPULATED as f64 / x));
    }
    let lines = [
        ("max-populated".to_owned(), most),
        ("sum-populated".to_owned(), sum),
        ("log₂ ln n: the order that is claimed".to_owned(), claim),
        ("the same over D/f: the order of the lower bound beside it".to_owned(), lower),
    ];
    println!("\ndimensions-balls.svg and dimensions-number.svg are drawn");
    draw(
        "dimensions-number.svg",
        "gap against the number of dimensions: f = 2, two choices, 1000 bins",
        "dimensions D",
        "gap",
        &lines,
        (2.0..64.0, 2.0),
        0.05..20.0,
    )
}

/// Lines on two logarithmic axes, the first with ticks at powers of a base. Lines that are not named like a
/// key are theory, and thin.
fn draw(
    file: &str,
    caption: &str,
    x: &str,
    y: &str,
    lines: &[(String, Vec<(f64, f64)>)],
    (xs, base): (Range<f64>, f64),
    ys: Range<f64>,
) -> Result<(), Error> {
    let root = SVGBackend::new(file, (900, 520)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption(caption, ("sans-serif", 20))
        .margin(15)
        .x_label_area_size(45)
        .y_label_area_size(50)
        .build_cartesian_2d(xs.log_scale().base(base), ys.log_scale())?;
    let number = |value: &f64| format!("{value}");
    chart
        .configure_mesh()
        .x_desc(x)
        .y_desc(y)
        .x_label_formatter(&number)
        .y_label_formatter(&number)
        .light_line_style(WHITE)
        .draw()?;
    let keys = Key::ALL.map(Key::name);
    let mut colors = COLORS.into_iter();
    let mut greys = [BLACK.mix(0.6), BLACK.mix(0.3)].into_iter();
    for (name, points) in lines {
        let measured = keys.contains(&name.as_str());
        let color =
            if measured { colors.next().unwrap_or(BLACK).mix(1.0) } else { greys.next().unwrap_or(BLACK.mix(1.0)) };
        let style = color.stroke_width(if measured { 2 } else { 1 });
        chart
            .draw_series(LineSeries::new(points.iter().copied(), style))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], style));
        if measured {
            chart.draw_series(points.iter().map(|&point| Circle::new(point, 3, color.filled())))?;
        }
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
