//! Steam: the maximum load over time under thinning strategies, and how regulation lets it off.
//!
//! A relative threshold keeps the maximum low for a while, but what it refuses piles up elsewhere. The
//! strategies of Feldheim, Gurel-Gurevich and Li let this off from time to time: for a while heavy bins are
//! refused altogether, and drain.
//!
//! `cargo run --release --example steam` prints a table, and writes steam.svg and schedule.svg.

use bb_core::{Allocator, LoadVector, Metrics, RankedVector, WithCounters, rng_for_trial};
use bb_processes::MeanThinning;
use bb_thinning::{
    ByLoad, DriftMultiStage, MultiScale, MultiStage, Scale, ScalePart, Strategy, ThetaDrift, Thinning,
    ThinningRelativeThreshold, ThinningStrategy,
};
use plotters::prelude::*;

const BINS: u64 = 100_000;
/// Balls a bin.
const TIME: u64 = 120;
/// The share of the time for which the typical maximum is reached.
const EPSILON: f64 = 0.1;
/// Looks at the maximum for each `n` balls.
const LOOKS: u64 = 5;

/// The gap over time, in units of `n` balls, and what a table has room for.
struct Run {
    name: &'static str,
    gaps: Vec<(f64, f64)>,
    typical: f64,
    all_time: f64,
    rejections: f64,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let stages = |l0| MultiStage::new(&[10.0, 14.0], l0, 2.0);
    let multi_scale = MultiScale::new(4.0, 16.0, vec![Scale::new(4, stages(0.0)?)?])?;
    let drift = ThetaDrift::new(0.2)?;
    let regulated = DriftMultiStage::new(drift.clone(), 26.0, stages(4.0)?)?.cycle(40.0)?;
    let runs = [
        run("mean-thinning", ByLoad::new(MeanThinning)?)?,
        run("relative threshold, l = 4", ThinningRelativeThreshold::new(4.0)?)?,
        run("multi-scale: thresholds and stages", multi_scale.clone())?,
        run("drift, theta = 0.2", drift)?,
        run("drift and stages in turn", regulated)?,
    ];
    println!("{BINS} bins, {} balls; loads above the mean\n", BINS * TIME);
    println!("{:<38} {:>6} {:>12} {:>9} {:>10}", "", "end", "0.1-typical", "all-time", "rejected");
    for Run { name, gaps, typical, all_time, rejections } in &runs {
        let end = gaps.last().map_or(0.0, |&(_, gap)| gap);
        println!("{name:<38} {end:>6.1} {typical:>12.1} {all_time:>9.1} {:>9.1}%", 100.0 * rejections);
    }
    draw_runs(&runs)?;
    draw_schedule(multi_scale)?;
    println!("\nsteam.svg shows the gap over time, schedule.svg what the multi-scale strategy does when");
    Ok(())
}

fn run<S>(name: &'static str, strategy: S) -> Result<Run, Box<dyn std::error::Error>>
where
    S: ThinningStrategy<WithCounters<RankedVector>>,
{
    let mut ranked = RankedVector::from(LoadVector::new(BINS)?);
    ranked.record_maximum();
    let mut loads = WithCounters::new(ranked, strategy.counters())?;
    let (mut rule, mut rng) = (Thinning::new(strategy), rng_for_trial(1, 0));
    rule.start(&loads)?;
    let mut gaps = vec![(0.0, 0.0)];
    for look in 1..=TIME * LOOKS {
        rule.run(&mut loads, BINS / LOOKS, &mut rng);
        gaps.push((look as f64 / LOOKS as f64, loads.gap()));
    }
    let loads = loads.into_loads().into_loads();
    let record = loads.max_load_record().ok_or("it was begun")?;
    Ok(Run {
        name,
        gaps,
        typical: record.typical(EPSILON, 1..=record.balls())?,
        all_time: loads.all_time_gap(),
        rejections: rule.rejections() as f64 / rule.balls() as f64,
    })
}

fn draw_runs(runs: &[Run]) -> Result<(), Box<dyn std::error::Error>> {
    let most = runs.iter().map(|run| run.all_time).fold(0.0, f64::max);
    let root = SVGBackend::new("steam.svg", (900, 520)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption("maximum load above the mean, 10⁵ bins", ("sans-serif", 22))
        .margin(15)
        .x_label_area_size(45)
        .y_label_area_size(45)
        .build_cartesian_2d(0.0..TIME as f64, 0.0..most + 1.0)?;
    chart.configure_mesh().x_desc("balls a bin").y_desc("gap").disable_x_mesh().draw()?;
    for (run, color) in runs.iter().zip([BLACK, BLUE, GREEN, RED, MAGENTA]) {
        chart
            .draw_series(LineSeries::new(run.gaps.iter().copied(), color))?
            .label(run.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], color));
    }
    let labels = SeriesLabelPosition::UpperLeft;
    chart.configure_series_labels().position(labels).background_style(WHITE).border_style(BLACK).draw()?;
    root.present()?;
    Ok(())
}

/// From one time to another, what a strategy is doing.
type Segment = (f64, f64, ScalePart);

fn segments(strategy: MultiScale) -> Result<Vec<Segment>, Box<dyn std::error::Error>> {
    // The schedule does not depend on the loads: a few bins will do.
    let bins = 100;
    let balls = (strategy.duration() * bins as f64) as u64;
    let mut loads = WithCounters::new(LoadVector::new(bins)?, strategy.counters())?;
    let (mut rule, mut rng) = (Thinning::new(strategy), rng_for_trial(1, 0));
    rule.start(&loads)?;
    let mut segments: Vec<Segment> = Vec::new();
    for ball in 0..balls {
        rule.step(&mut loads, &mut rng);
        let (from, to, part) = (ball as f64 / bins as f64, (ball + 1) as f64 / bins as f64, rule.strategy().part());
        match segments.last_mut() {
            Some(last) if last.2 == part => last.1 = to,
            _ => segments.push((from, to, part)),
        }
    }
    Ok(segments)
}

fn draw_schedule(strategy: MultiScale) -> Result<(), Box<dyn std::error::Error>> {
    let segments = segments(strategy)?;
    let end = segments.last().map_or(1.0, |segment| segment.1);
    let most = segments.iter().map(|(.., part)| height(*part)).fold(0.0, f64::max);
    let root = SVGBackend::new("schedule.svg", (900, 360)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption("the multi-scale strategy: what it does, and the load L₀ that it drains to", ("sans-serif", 20))
        .margin(15)
        .x_label_area_size(45)
        .y_label_area_size(45)
        .build_cartesian_2d(0.0..end, 0.0..most + 2.0)?;
    chart.configure_mesh().x_desc("balls a bin").y_desc("L₀").disable_x_mesh().draw()?;
    for (is_base, label, color) in [(true, "relative threshold", BLUE.mix(0.25)), (false, "multi-stage", RED.mix(0.5))]
    {
        let bars = segments.iter().filter(|(.., part)| (*part == ScalePart::RelativeThreshold) == is_base);
        let bars = bars.map(|&(from, to, part)| Rectangle::new([(from, 0.0), (to, height(part))], color.filled()));
        chart
            .draw_series(bars)?
            .label(label)
            .legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 20, y + 5)], color.filled()));
    }
    chart.configure_series_labels().position(SeriesLabelPosition::UpperLeft).border_style(BLACK).draw()?;
    root.present()?;
    Ok(())
}

/// A bar of a multi-stage strategy reaches its `L₀`; a relative threshold has none.
fn height(part: ScalePart) -> f64 {
    match part {
        ScalePart::MultiStage { l0, .. } => l0,
        _ => 1.0,
    }
}
