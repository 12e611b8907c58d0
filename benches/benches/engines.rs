//! The speeds that are promised, as ratios inside one run. `cargo bench` ends with the table.
#![allow(missing_docs, reason = "criterion's macros")]

use bb_benches::{Measured, Work, bare_two_choice, cost_of, straight_two_choice};
use std::hint::black_box;

use bb_core::samplers::Hypergeometric;
use bb_core::{
    Allocator, Description, Judgement, LoadProfile, LoadVector, Metrics, Mix, Place, TrialRng, least_of, rng_for_trial,
};
use bb_experiment::{Experiment, Kind, rules};
use bb_memory::{Bounded, Budget, HeavyList};
use bb_processes::{BallModel, DChoice, Key, KeyView, LoadThreshold, MeanThinning, MultiLoads, OneChoice, OnePlusBeta};
use criterion::{BenchmarkId, Criterion, Throughput};
use rand::SeedableRng;
use rand::distr::Distribution;
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
    let counts: Vec<_> = loads.level_counts().iter().map(|&(load, count)| (load, count << 10)).collect();
    loads = LoadProfile::from_level_counts(&counts).unwrap();
    let mut steps = loads.clone();
    let mut step_rng = rng.clone();
    let mut vector = running(DChoice::two(), 100_000_000);
    let mut run = Work::new(BALLS, || loads.throw_to_least(2, &(), BALLS, &mut rng));
    row(
        "two-choice run on a vector, n = 10^8",
        "run on a profile, n = 2^40",
        &Asked::AtLeast(5.0),
        vector.times(&mut run, ROUNDS),
    );
    let mut step = Work::new(BALLS, || {
        for _ in 0..BALLS {
            let bin = least_of(&steps, 2, &mut step_rng);
            steps.place(bin, &());
        }
    });
    row(
        "two-choice run on a vector, n = 10^8",
        "step on a profile, n = 2^40",
        &Asked::AtLeast(2.5),
        vector.times(&mut step, ROUNDS),
    );
    let mut bulk = in_bulk(DChoice::two(), n, n);
    row("step on a profile, n = 2^40", "bulk, n = m = 2^40", &Asked::AtLeast(5000.0), step.times(&mut bulk, 3));
}

/// `balls` balls on fresh bins, in bulk.
fn in_bulk<'a, P: Description + 'a>(rule: P, n: u64, balls: u64) -> Work<'a> {
    let mut rng = rng_for_trial(1, 2);
    Work::new(balls, move || LoadProfile::new(n).unwrap().run_bulk(&rule, balls, &mut rng))
}

/// Two-Choice by its description alone, without the shorter way for the least loaded of `d`.
struct Described(DChoice);

impl Description for Described {
    type State = u32;
    type Phase = ();
    fn most_samples(&self) -> u32 {
        Description::most_samples(&self.0)
    }
    fn phase(&self, total: u64, bins: u64) -> ((), u64) {
        self.0.phase(total, bins)
    }
    fn first(&self, phase: &()) -> Mix<u32> {
        self.0.first(phase)
    }
    fn judge(&self, phase: &(), state: u32, kept: u64, load: u64) -> Mix<Judgement<u32>> {
        self.0.judge(phase, state, kept, load)
    }
}

fn bulk_rows() {
    let two = DChoice::two();
    let measured = in_bulk(two, 1 << 24, 1 << 24).times(&mut in_bulk(two, 1 << 36, 1 << 36), 5);
    row("bulk two-choice, n = m = 2^24", "the same, n = m = 2^36", &Asked::AtLeast(50.0), measured);
    for (times, asked) in [(1, 1.4), (16, 2.2)] {
        let n = 1 << 30;
        let measured = in_bulk(Described(two), n, times * n).times(&mut in_bulk(two, n, times * n), 5);
        row(
            &format!("bulk by description, n = 2^30, m = {times}n"),
            "bulk, the least of d",
            &Asked::AtMost(asked),
            measured,
        );
    }
    // Where bulk starts to win: not asked, but `Engine::Auto` rests on it.
    for log_n in [14, 16, 17, 18, 20] {
        let n = 1_u64 << log_n;
        let (mut loads, mut rng) = (LoadProfile::new(n).unwrap(), rng_for_trial(1, 3));
        loads.run_bulk(&two, 20 * n, &mut rng);
        let mut bulk = Work::new(BALLS, || loads.run_bulk(&two, BALLS, &mut rng));
        row(
            &format!("two-choice run, n = 2^{log_n}"),
            "bulk, from a stationary start",
            &Asked::AtLeast(0.0),
            running(two, n).times(&mut bulk, 5),
        );
    }
}

/// A draw with parameters that change each time, as a batch makes it.
fn sampler_rows() {
    const DRAWS: u64 = 100_000;
    let half = 1_u64 << 39;
    let cases = [
        ("2^40, 2^39, 10^6", 2 * half, half, 1_000_000),
        ("2^40, 9.8·10^9, 6.5·10^5", 2 * half, 9_800_000_000, 650_000),
        ("2^20, 2^19, 1000", 1 << 20, 1 << 19, 1000),
    ];
    for (name, total, marked, draws) in cases {
        let (mut ours_rng, mut other_rng) = (rng_for_trial(1, 4), rng_for_trial(1, 5));
        let mut ours = Work::new(DRAWS, || {
            let sum: u64 =
                (0..DRAWS).map(|i| Hypergeometric::new(total, marked - i, draws).unwrap().sample(&mut ours_rng)).sum();
            black_box(sum);
        });
        let mut other = Work::new(DRAWS, || {
            let draw = |i| rand_distr::Hypergeometric::new(total, marked - i, draws).unwrap().sample(&mut other_rng);
            let sum: u64 = (0..DRAWS).map(draw).sum();
            black_box(sum);
        });
        row(&format!("rand_distr hypergeometric {name}"), "ours", &Asked::AtLeast(4.0), other.times(&mut ours, ROUNDS));
    }
}

fn thread_rows() {
    let trials = |threads| {
        let experiment = Experiment::new(10_000, 1_000_000).with_trials(200).with_threads(threads);
        Work::new(200_000_000, move || drop(experiment.run_spec(&"two-choice".parse().unwrap()).unwrap()))
    };
    row("200 trials on 1 thread", "on 2 threads", &Asked::AtLeast(1.9), trials(1).times(&mut trials(2), 5));
}

/// Thinning strategies with counters and with a clock; a drift costs the same whatever `n` is, but for the
/// memory.
fn strategy_rows() {
    let rows = [
        ("thinning-threshold:l=1000000", 1_000, 1.8),
        ("thinning-threshold:l=1000000", 100_000, 1.8),
        ("thinning-relative-threshold", 1_000, 1.8),
        ("thinning-relative-threshold", 100_000, 1.8),
        ("thinning-drift", 1_000, 8.0),
        ("thinning-drift", 100_000, 8.0),
        ("thinning-varying-drift", 1_000, 8.0),
        ("thinning-varying-drift", 100_000, 8.0),
        ("thinning-drift", 10_000_000, f64::INFINITY),
        ("thinning-varying-drift", 10_000_000, f64::INFINITY),
    ];
    for (name, n, asked) in rows {
        let spec = name.parse().expect("a name is a strategy");
        let mut two = running(DChoice::two(), n);
        let measured = cost_of(&spec, n, BALLS, &mut two, ROUNDS).expect("it is listed");
        let name = name.split(':').next().unwrap_or(name);
        row(&format!("{name}, n = {n}"), "two-choice run", &Asked::AtMost(asked), measured);
    }
}

/// Whole runs of `n` balls from empty bins: a list that goes on for many balls a bin would be one that never
/// changes.
fn memory_rows() {
    let n = 1 << 20;
    for (delta, asked) in [(0.5, Asked::AtMost(5.0)), (0.25, Asked::AtLeast(0.0)), (0.1, Asked::AtLeast(0.0))] {
        let list = HeavyList::fill(n, Budget::from_delta(n, delta).unwrap()).unwrap();
        let whole = |seed| (LoadVector::new(n).unwrap(), rng_for_trial(1, seed));
        let mut heavy = Work::new(n, || {
            let (mut loads, mut rng) = whole(6);
            Bounded::new(list.clone()).run(&mut loads, n, &mut rng);
        });
        let mut two = Work::new(n, || {
            let (mut loads, mut rng) = whole(7);
            DChoice::two().run(&mut loads, n, &mut rng);
        });
        row(&format!("heavy list, n = m = 2^20, δ = {delta}"), "two-choice run", &asked, heavy.times(&mut two, ROUNDS));
    }
}

/// Balls of several dimensions: one of them must cost little more than a plain ball; what more of them cost
/// is not promised.
fn dimension_rows() {
    let throwing = |n: u64, dimensions: u64, f: u64| {
        let mut view = KeyView::<_, _, u64>::new(MultiLoads::new(n, dimensions).unwrap(), Key::MaxPopulated);
        let (mut model, mut rng) = (BallModel::fixed_uniform(dimensions, f).unwrap(), rng_for_trial(1, 8));
        Work::new(BALLS, move || view.run(&mut DChoice::two(), &mut model, BALLS, &mut rng))
    };
    for n in [1_000, 100_000] {
        for (dimensions, f, asked) in [
            (1, 1, Asked::AtMost(1.3)),
            (4, 1, Asked::AtLeast(0.0)),
            (4, 2, Asked::AtLeast(0.0)),
            (16, 8, Asked::AtLeast(0.0)),
        ] {
            let measured = throwing(n, dimensions, f).times(&mut running(DChoice::two(), n), ROUNDS);
            row(&format!("two-choice, D = {dimensions}, f = {f}, n = {n}"), "two-choice run", &asked, measured);
        }
    }
}

/// What a ball of each rule costs, with the parameters that stand where none are given: nothing is promised
/// but that no rule costs `O(n)`.
fn cost_rows() {
    for n in [1_000, 100_000] {
        for info in rules().iter().filter(|info| info.kind != Kind::System) {
            let spec = info.name.parse().expect("a name is a rule");
            let mut two = running(DChoice::two(), n);
            let measured = cost_of(&spec, n, BALLS / 4, &mut two, 3).expect("it is listed");
            row(&format!("{}, n = {n}", info.name), "two-choice run", &Asked::AtLeast(0.0), measured);
        }
    }
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
            "\nThe first over the second: median of the ratios of {ROUNDS} neighbouring runs; nanoseconds a ball, medians.\n"
        );
        println!("| work | against | asked | ratio | ns | ns |");
        println!("| --- | --- | --- | --- | --- | --- |");
        // `cargo bench -- rules` measures one group of rows.
        let groups: [(&str, fn()); 10] = [
            ("vector", two_choice_rows),
            ("rules", rule_rows),
            ("profile", profile_rows),
            ("bulk", bulk_rows),
            ("samplers", sampler_rows),
            ("threads", thread_rows),
            ("thinning", strategy_rows),
            ("memory", memory_rows),
            ("dimensions", dimension_rows),
            ("costs", cost_rows),
        ];
        let asked = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
        for (name, rows) in groups {
            if asked.as_ref().is_none_or(|asked| asked == name) {
                rows();
            }
        }
    }
}
