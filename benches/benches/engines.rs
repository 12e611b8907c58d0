//! The speeds that are promised, as ratios inside one run. `cargo bench` ends with the table.
#![allow(missing_docs, reason = "criterion's macros")]

use bb_benches::{Measured, Work, bare_two_choice, straight_two_choice};
use bb_core::{Allocator, LoadProfile, LoadVector, Place, Put, TrialRng, least_of, rng_for_trial};
use bb_processes::{DChoice, LoadThreshold, MeanThinning, OneChoice, OnePlusBeta};
use criterion::{BenchmarkId, Criterion, Throughput};
use rand::SeedableRng;
use rand::rngs::StdRng;

/// Balls per measurement: tens of milliseconds.
const BALLS: u64 = 4_000_000;

/// Neighbouring pairs per ratio.
const ROUNDS: usize = 9;

/// A ratio has to be at least, or at most, what is asked.
enum Asked {
    AtLeast(f64),
    AtMost(f64),
}

fn row(work: &str, against: &str, asked: &Asked, measured: Measured) {
    let (met, bound) = match *asked {
        Asked::AtLeast(bound) => (measured.ratio >= bound, format!("≥ {bound}")),
        Asked::AtMost(bound) => (measured.ratio <= bound, format!("≤ {bound}")),
    };
    let Measured { ratio, this, other } = measured;
    let verdict = if met { "" } else { "  missed" };
    println!("| {work:<44} | {against:<34} | {bound:>7} | {ratio:>8.2} | {this:>9.4} | {other:>9.4} |{verdict}");
}

/// A rule on its own loads, as a piece of work.
fn running<'a, A: Allocator + 'a>(mut rule: A, n: u64) -> Work<'a> {
    let mut loads = LoadVector::new(n).unwrap();
    let mut rng = rng_for_trial(1, 0);
    Work::new(BALLS, move || {
        rule.run(&mut loads, BALLS, &mut rng);
    })
}

fn two_choice_rows() {
    for (n, asked) in [(1_000, 5.5), (100_000, 7.0), (10_000_000, 6.0), (100_000_000, 3.5)] {
        let (mut loads, mut rng) = (vec![0_u64; n as usize], StdRng::seed_from_u64(1));
        let mut straight = Work::new(BALLS, || straight_two_choice(&mut loads, BALLS, &mut rng));
        let measured = straight.times(&mut running(DChoice::two(), n), ROUNDS);
        row(&format!("straight loop, n = {n}"), "two-choice run", &Asked::AtLeast(asked), measured);
    }
    for (n, asked) in [(1_000, Asked::AtMost(1.1)), (100_000, Asked::AtMost(1.1)), (10_000_000, Asked::AtMost(0.5))] {
        let (mut loads, mut rng) = (vec![0_u32; n as usize], rng_for_trial(1, 1));
        let mut bare = Work::new(BALLS, || bare_two_choice(&mut loads, BALLS, &mut rng));
        let measured = running(DChoice::two(), n).times(&mut bare, ROUNDS);
        row(&format!("two-choice run, n = {n}"), "bare loop on u32", &asked, measured);
    }
}

fn rule_rows() {
    for n in [1_000, 100_000] {
        let rules: [(&str, Work<'_>, f64); 5] = [
            ("load-threshold", running(LoadThreshold::new(3).unwrap(), n), 1.8),
            ("mean-thinning", running(MeanThinning, n), 1.8),
            ("(1+½)", running(OnePlusBeta::new(0.5).unwrap(), n), 1.8),
            ("3-choice", running(DChoice::new(3).unwrap(), n), 2.2),
            ("one-choice", running(OneChoice, n), 1.8),
        ];
        for (name, mut work, asked) in rules {
            let measured = work.times(&mut running(DChoice::two(), n), ROUNDS);
            row(&format!("{name} run, n = {n}"), "two-choice run", &Asked::AtMost(asked), measured);
        }
    }
}

/// Two-Choice on counted bins from a stationary start.
fn stationary(n: u64) -> (LoadProfile, TrialRng) {
    let mut loads = LoadProfile::new(n).unwrap();
    let mut rng = rng_for_trial(1, 0);
    loads.run_bulk(&DChoice::two(), 20 * n, &mut rng);
    (loads, rng)
}

fn profile_rows() {
    let n = 1 << 40;
    let (mut loads, mut rng) = stationary(1 << 30);
    let counts: Vec<_> =
        bb_core::Metrics::level_counts(&loads).iter().map(|&(load, count)| (load, count << 10)).collect();
    loads = LoadProfile::from_level_counts(&counts).unwrap();
    let mut steps = loads.clone();
    let mut step_rng = rng.clone();
    let mut vector = running(DChoice::two(), 100_000_000);
    let mut run = Work::new(BALLS, || loads.place_in_least_of(2, BALLS, &mut rng));
    row(
        "two-choice run on a vector, n = 10^8",
        "run on a profile, n = 2^40",
        &Asked::AtLeast(5.0),
        vector.times(&mut run, ROUNDS),
    );
    let mut step = Work::new(BALLS, || {
        for _ in 0..BALLS {
            let bin = least_of(&steps, 2, &mut step_rng);
            steps.place(bin, Put::BALL);
        }
    });
    row(
        "two-choice run on a vector, n = 10^8",
        "step on a profile, n = 2^40",
        &Asked::AtLeast(2.5),
        vector.times(&mut step, ROUNDS),
    );
    let mut bulk_rng = rng_for_trial(1, 2);
    let mut bulk = Work::new(n, || {
        let mut loads = LoadProfile::new(n).unwrap();
        loads.run_bulk(&DChoice::two(), n, &mut bulk_rng);
    });
    row("step on a profile, n = 2^40", "bulk, n = m = 2^40", &Asked::AtLeast(5000.0), step.times(&mut bulk, 3));
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("two-choice run");
    group.throughput(Throughput::Elements(BALLS)).sample_size(10);
    for n in [1_000, 100_000, 10_000_000] {
        let (mut loads, mut rng) = (LoadVector::new(n).unwrap(), rng_for_trial(1, 0));
        group.bench_function(BenchmarkId::from_parameter(n), |bencher| {
            bencher.iter(|| DChoice::two().run(&mut loads, BALLS, &mut rng));
        });
    }
    group.finish();
    criterion.final_summary();
    if std::env::args().any(|argument| argument == "--bench") {
        println!(
            "\nThe first column over the second: median of the ratios of {ROUNDS} neighbouring runs; nanoseconds a ball, medians.\n"
        );
        println!("| work | against | asked | ratio | ns | ns |");
        println!("| --- | --- | --- | --- | --- | --- |");
        two_choice_rows();
        rule_rows();
        profile_rows();
    }
}
