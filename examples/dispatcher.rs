//! A dispatcher: jobs that need processor, memory and disk come to servers. Which rule is worth its messages?
//!
//! `cargo run --release --example dispatcher`
//!
//! The needs come from `data/jobs.csv` (a synthetic trace), each job drawn from it at random. A server looks
//! as full to a job as the fullest of the resources that the job needs, so a job that needs no disk does not
//! mind a full one. Resources are measured in parts of what a server has on average when all jobs are placed:
//! 100 is a server loaded to the average.

use bb_core::{Allocator, ParameterError, Place, Rng, SampleCount, draw_below, rng_for_trial};
use bb_processes::{
    Batched, BinKey, BinVector, Caching, DChoice, KeyView, MultiBall, MultiBins, MultiLoads, OneChoice, OnePlusBeta,
};

const TRACE: &str = include_str!("data/jobs.csv");
const SERVERS: u64 = 500;
const JOBS: u64 = 100_000;
/// A new picture of the loads after so many jobs.
const BATCH: u64 = 1000;
const RUNS: u64 = 5;
const RESOURCES: [&str; 3] = ["cpu", "memory", "disk"];

type Error = Box<dyn std::error::Error>;

/// The fullest resource that the job needs, in parts of what the resource is used for on average: one unit of
/// each counts as `per_unit`.
#[derive(Clone)]
struct Share {
    per_unit: [u64; 3],
}

impl BinKey<u64, u64> for Share {
    type Key = u64;
    fn key<L: MultiBins<Load = u64>>(&self, server: BinVector<'_, L>, job: &MultiBall) -> u64 {
        job.populated().map(|resource| server.load(resource) * self.per_unit[resource]).max().unwrap_or(0)
    }
}

/// The jobs of the trace; what a job does not need is left out.
fn jobs() -> Result<Vec<MultiBall>, Error> {
    let lines = TRACE.lines().enumerate().filter(|(_, line)| !line.starts_with('#')).skip(1);
    let job = |(number, line): (usize, &str)| {
        let needs: Vec<u64> = line
            .split(',')
            .map(str::parse)
            .collect::<Result<_, _>>()
            .map_err(|error| format!("line {}: {error}", number + 1))?;
        if needs.len() != RESOURCES.len() {
            return Err(format!("line {}: {} needs, not {}", number + 1, needs.len(), RESOURCES.len()).into());
        }
        Ok(MultiBall::new(needs.into_iter().enumerate().filter(|&(_, need)| need > 0))?)
    };
    lines.map(job).collect()
}

/// What a rule costs and what it buys, a mean over the runs.
struct Outcome {
    samples: f64,
    /// For each resource the fullest server above the average, in per cent of the average.
    gaps: [f64; 3],
}

fn main() -> Result<(), Error> {
    let jobs = jobs()?;
    let total = |resource| {
        jobs.iter().flat_map(MultiBall::parts).filter(|part| part.0 == resource).map(|part| part.1).sum::<u64>()
    };
    // A million over the mean need: about as exact as it is worth.
    let per_unit = [0, 1, 2].map(|resource| 1_000_000 * jobs.len() as u64 / total(resource));
    println!("{JOBS} jobs on {SERVERS} servers, mean of {RUNS} runs. Fullest server above the average, in % of it.\n");
    println!("{:<14} {:<16} {:>11} {:>8} {:>8} {:>8}", "rule", "loads seen", "samples/job", "cpu", "memory", "disk");
    let key = Share { per_unit };
    row("one choice", &OneChoice, &jobs, &key)?;
    row("(1+½)", &OnePlusBeta::new(0.5)?, &jobs, &key)?;
    row("two choices", &DChoice::two(), &jobs, &key)?;
    row("memory", &Caching::new(), &jobs, &key)?;
    println!(
        "\nA sample is a question to a server, and its answer; the job itself is one message more. Fresh loads have to be \
         asked for; a picture that is"
    );
    println!(
        "sent round every {BATCH} jobs costs {:.1} messages a job, whatever the rule, and no sample at all.",
        SERVERS as f64 / BATCH as f64
    );
    println!("Memory asks one server a job, and remembers the less loaded one for the next job.");
    Ok(())
}

/// A rule on loads as they are, and on the last picture of them.
fn row<A>(name: &str, rule: &A, jobs: &[MultiBall], key: &Share) -> Result<(), Error>
where
    A: Allocator<KeyView<MultiLoads, Share>> + Allocator<KeyView<Batched<MultiLoads, MultiBall>, Share>> + Clone,
{
    let (mut fresh, mut old) = (Vec::new(), Vec::new());
    for run in 0..RUNS {
        let empty = || MultiLoads::new(SERVERS, RESOURCES.len() as u64);
        fresh.push(throw(empty()?, rule.clone(), jobs, key, run, |loads| loads)?);
        let batched = Batched::of_balls(empty()?, BATCH, MultiLoads::gap)?;
        old.push(throw(batched, rule.clone(), jobs, key, run, Batched::into_loads)?);
    }
    for (seen, outcomes) in [("fresh", fresh), ("every 1000 jobs", old)] {
        let mean = |value: &dyn Fn(&Outcome) -> f64| outcomes.iter().map(value).sum::<f64>() / RUNS as f64;
        let samples = if seen == "fresh" { mean(&|outcome| outcome.samples) } else { 0.0 };
        let [cpu, memory, disk] = [0, 1, 2].map(|resource| mean(&|outcome| outcome.gaps[resource]));
        println!("{name:<14} {seen:<16} {samples:>11.1} {cpu:>8.1} {memory:>8.1} {disk:>8.1}");
    }
    Ok(())
}

fn throw<L, A>(
    loads: L,
    mut rule: A,
    jobs: &[MultiBall],
    key: &Share,
    run: u64,
    live: impl Fn(L) -> MultiLoads,
) -> Result<Outcome, ParameterError>
where
    L: MultiBins<Load = u64> + Place<MultiBall>,
    A: Allocator<KeyView<L, Share>>,
{
    let mut view = KeyView::new(loads, key.clone());
    let mut rng = rng_for_trial(1, run);
    for _ in 0..JOBS {
        let job = &jobs[pick(jobs.len(), &mut rng)];
        view.try_step(&mut rule, job, &mut rng)?;
    }
    let samples = rule.sample_count().map_or(f64::NAN, |samples: SampleCount| samples.per_ball(JOBS));
    let loads = live(view.into_loads());
    let gaps =
        [0, 1, 2].map(|resource| 100.0 * loads.gap_dim(resource) / (loads.total_of(resource) as f64 / SERVERS as f64));
    Ok(Outcome { samples, gaps })
}

fn pick(length: usize, rng: &mut impl Rng) -> usize {
    draw_below(length as u64, rng) as usize
}
