//! One choice, two choices and (1+β) on the same bins and balls: how far is the fullest bin above the
//! average?
//!
//! `cargo run --release --example quickstart`

use bb_core::{Allocator, DynAllocator, LoadVector, Metrics, rng_for_trial};
use bb_processes::{DChoice, OneChoice, OnePlusBeta};

/// A rule, what theory says of its gap, and the formula's value for n bins and m balls.
type Row = (&'static str, Box<dyn DynAllocator>, &'static str, fn(f64, f64) -> f64);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("gap = fullest bin − average, mean of 20 runs; the formula is the leading term, without its constant\n");
    for (n, m) in [(100, 100_000), (10_000, 10_000), (10_000, 1_000_000)] {
        println!("n = {n} bins, m = {m} balls");
        let rules: [Row; 3] = [
            ("one-choice", Box::new(OneChoice), "√(2 m/n · ln n)", |n, m| (2.0 * m / n * n.ln()).sqrt()),
            ("(1+β), β = ½", Box::new(OnePlusBeta::new(0.5)?), "ln n / (2β)", |n, _| n.ln()),
            ("two-choice", Box::new(DChoice::two()), "log₂ ln n", |n, _| n.ln().log2()),
        ];
        for (name, mut rule, formula, value) in rules {
            let (trials, mut sum) = (20, 0.0);
            for trial in 0..trials {
                let mut loads = LoadVector::new(n)?;
                rule.start_and_run(&mut loads, m, &mut rng_for_trial(1, trial))?;
                sum += loads.gap();
            }
            let (gap, theory) = (sum / trials as f64, value(n as f64, m as f64));
            println!("  {name:<14} gap {gap:6.2}   theory {theory:6.2}   {formula}");
        }
        println!();
    }
    Ok(())
}
