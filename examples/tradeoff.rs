//! What a bit of memory is worth: the mean maximum load of every kind of memory, from none to two bits a bin.
//!
//! `cargo run --release --example tradeoff` prints the points, with `n` balls in `n` bins, and draws them in
//! tradeoff.svg. What is proved for *every* memory of so many bits is beside them: at this size that is
//! little.

use bb_core::{Allocator, LoadVector};
use bb_experiment::{Experiment, Process};
use bb_memory::theory::certificate;
use bb_memory::{
    AdaptiveClusters, Advisor, Bounded, Budget, ClusterCount, HeavyList, NoMemory, Probing, SaturatingCounters,
    ThresholdBit, TieRule,
};
use bb_processes::Caching;
use plotters::prelude::*;

const BINS: u64 = 1 << 16;
const TRIALS: u64 = 20;

/// A mean maximum load and its standard error, at so many bits.
#[derive(Clone, Copy)]
struct Point {
    bits: u64,
    mean: f64,
    error: f64,
}

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn point<A>(advisor: A) -> Result<Point>
where
    A: Advisor + 'static,
    Bounded<A>: Allocator<LoadVector> + Clone + Send + Sync,
{
    measured(&Process::memory("", Bounded::new(advisor), Bounded::report))
}

fn measured(process: &Process) -> Result<Point> {
    let report = Experiment::new(BINS, BINS).with_trials(TRIALS).run(process)?;
    let (mean, error) = report.max_load().mean().zip(report.max_load().se()).ok_or("needs two trials")?;
    Ok(Point { bits: report.bits().ok_or("it has a memory")?, mean, error })
}

/// A kind of memory at several budgets, and where its name is written.
struct Curve {
    name: &'static str,
    color: RGBColor,
    at: (f64, f64),
    points: Vec<Point>,
}

fn main() -> Result<()> {
    let n = BINS;
    let lists = (5..=17).map(|lg| point(HeavyList::fill(n, Budget::bits(1 << lg)?)?));
    // The counts of clusters of g bins stay within g + lg ln n + O(1).
    let clusters = (1..=6).rev().map(|lg| point(ClusterCount::new(n, n >> lg, (2 << lg) + 3)?));
    let adaptive = (2..=8).rev().map(|lg| point(AdaptiveClusters::new(n, n >> lg, 5)?));
    let counters = (1..=2).map(|bits| point(SaturatingCounters::new(n, bits)?));
    let one = |point: Result<Point>| point.map(|point| vec![point]);
    let curve = |name, color, at, points: Result<Vec<Point>>| points.map(|points| Curve { name, color, at, points });
    let [blue, sky, green, orange, red, gray] =
        [(20, 90, 200), (90, 150, 230), (0, 140, 110), (215, 100, 0), (190, 20, 60), (90, 90, 90)]
            .map(|(r, g, b)| RGBColor(r, g, b));
    let bit = ThresholdBit::new(n, 3)?;
    let cache = Process::memory("", Probing::new(n, Caching::new())?, Probing::report);
    let curves = [
        curve("no memory", BLACK, (2.2, 7.45), one(point(NoMemory::new(n, TieRule::First)?)))?,
        curve("heavy list*", blue, (6.2, 6.75), lists.collect())?,
        curve("adaptive clusters*", sky, (9.4, 6.6), adaptive.collect())?,
        curve("a bit: 3 or more*", green, (13.75, 4.65), one(point(bit)))?,
        curve("clusters", orange, (14.2, 7.5), clusters.collect())?,
        curve("counters", red, (16.12, 6.35), counters.collect())?,
        curve("one name, if loads may be asked for", gray, (4.3, 4.05), one(measured(&cache)))?,
    ];
    println!("{n} balls in {n} bins, {TRIALS} runs: mean maximum load\n");
    for Curve { name, points, .. } in &curves {
        for Point { bits, mean, error } in points {
            println!("{name:<36} {bits:>7} bits {:>7.4} a bin {mean:>7.2} ± {error:.2}", *bits as f64 / n as f64);
        }
    }
    let all = Experiment::new(n, n).with_trials(TRIALS).run_spec(&"two-choice".parse()?)?;
    let all = all.max_load().mean().ok_or("there are trials")?;
    println!("{:<36} {:>12} {:>22.2}", "two-choice: all loads", "", all);
    draw(&curves, all)?;
    println!("\ntradeoff.svg shows them; those with a star are written by someone who sees all loads");
    Ok(())
}

/// Where no bits at all are drawn, on an axis of logarithms.
const NOTHING: f64 = 2.0;
const LAST: f64 = 17.4;

fn place(bits: u64) -> f64 {
    if bits == 0 { NOTHING } else { (bits as f64).log2() }
}

fn label(place: f64) -> String {
    if place == NOTHING {
        return "0".to_owned();
    }
    let digits = (place as u32).to_string();
    let superscript =
        digits.bytes().map(|digit| ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][usize::from(digit - b'0')]);
    format!("2{}", superscript.collect::<String>())
}

fn draw(curves: &[Curve], two_choice: f64) -> Result<()> {
    const FIRST: f64 = NOTHING - 0.5;
    let root = SVGBackend::new("tradeoff.svg", (900, 560)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption("2¹⁶ balls in 2¹⁶ bins: what memory buys", ("sans-serif", 22))
        .margin(15)
        .x_label_area_size(45)
        .y_label_area_size(45)
        .build_cartesian_2d(FIRST..LAST, 0.0..8.0)?;
    let text =
        |text: &'static str, at, color: RGBColor| Text::new(text, at, ("sans-serif", 14).into_font().color(&color));

    // A quarter of a power of two is as wide as a step of the floor is slanted.
    let floor = (16..=69).map(|quarters| {
        let bits = f64::from(quarters) / 4.0;
        let load = certificate(BINS, bits.exp2() as u64, 0.01)?.map_or(0, |proof| proof.load());
        Ok((bits, load as f64))
    });
    let mut floor = floor.collect::<Result<Vec<_>>>()?;
    let none = certificate(BINS, 0, 0.01)?.map_or(0, |proof| proof.load()) as f64;
    let last = floor.last().map_or(0.0, |&(_, load)| load);
    floor.splice(..0, [(FIRST, 0.0), (FIRST, none)]);
    floor.extend([(LAST, last), (LAST, 0.0)]);
    chart.draw_series([Polygon::new(floor, RGBColor(228, 228, 228).filled())])?;
    chart
        .configure_mesh()
        .x_desc("bits of memory (2¹⁶: one a bin)")
        .y_desc("mean maximum load")
        .x_labels(9)
        .x_label_formatter(&|x| label(*x))
        .y_label_formatter(&|y| format!("{y:.0}"))
        .bold_line_style(BLACK.mix(0.12))
        .light_line_style(TRANSPARENT)
        .label_style(("sans-serif", 14))
        .draw()?;
    chart.draw_series([text("proved: no memory of so many bits does better", (2.2, 1.6), RGBColor(90, 90, 90))])?;
    chart.draw_series(DashedLineSeries::new([(FIRST, two_choice), (LAST, two_choice)], 6, 4, BLACK.into()))?;
    chart.draw_series([text("two-choice: sees all loads", (2.2, two_choice - 0.12), BLACK)])?;
    for Curve { name, color, at, points } in curves {
        let means = points.iter().map(|point| (place(point.bits), point.mean));
        chart.draw_series(LineSeries::new(means.clone(), color.stroke_width(2)))?;
        chart.draw_series(points.iter().map(|point| {
            let x = place(point.bits);
            PathElement::new([(x, point.mean - 2.0 * point.error), (x, point.mean + 2.0 * point.error)], color)
        }))?;
        chart.draw_series(means.map(|at| Circle::new(at, 4, color.filled())))?;
        chart.draw_series([text(name, *at, *color)])?;
    }
    root.present()?;
    Ok(())
}
