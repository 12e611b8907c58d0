//! A rule of one's own in a dozen lines. It then runs, without a change, on plain loads, on loads that are
//! seen only as they were at the start of a batch, on counted bins, and in many trials in parallel.
//!
//! `cargo run --release --example custom_process`

use bb_core::{Allocator, Bins, BinsExt, LoadProfile, LoadVector, Metrics, Rng, rng_for_trial};
use bb_experiment::{Experiment, Process};
use bb_processes::Batched;

/// "Try again if it is full": up to three uniform bins, one after another; the first below the average takes
/// the ball, else the last.
#[derive(Clone)]
struct ThreeTries;

impl<B: Bins> Allocator<B> for ThreeTries {
    fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> B::Bin {
        let mut bin = bins.draw(rng);
        for _ in 1..3 {
            if !bins.below_mean(bin) {
                bin = bins.draw(rng);
            }
        }
        bin
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (n, m) = (1_000, 100_000);
    let mut rng = rng_for_trial(1, 0);

    let mut loads = LoadVector::new(n)?;
    ThreeTries.run(&mut loads, m, &mut rng);
    println!("three tries, {n} bins, {m} balls:      gap {:5.2}", loads.gap());

    let mut batched = Batched::new(LoadVector::new(n)?, n)?;
    ThreeTries.run(&mut batched, m, &mut rng);
    println!("the same, loads seen once in {n} balls: gap {:5.2}", batched.loads().gap());

    let mut counted = LoadProfile::new(1 << 40)?;
    ThreeTries.run(&mut counted, m, &mut rng);
    println!("the same, a trillion bins:              gap {:5.2}", counted.gap());

    let experiment = Experiment::new(n, m).with_trials(200).with_seed(1);
    let three = Process::in_settings("three tries", ThreeTries).with_counted(ThreeTries);
    for report in [experiment.run(&three)?, experiment.run_spec(&"two-choice".parse()?)?] {
        let (mean, se) = report.gap().mean().zip(report.gap().se()).ok_or("a standard error needs two trials")?;
        println!("{:<12} in 200 trials: mean gap {mean:.2} ± {se:.2}", report.process());
    }
    Ok(())
}
