//! The long statistical verification: every claim that a few seconds of tests cannot hold the library to.
//!
//! ```text
//! cargo run --release -p bb-verify                  all checks, one to two hours on two cores
//! cargo run --release -p bb-verify -- --list        what they are
//! cargo run --release -p bb-verify -- stationary    one of them
//! cargo run --release -p bb-verify -- --report docs/verification.md
//! ```
//!
//! A check is a file in `checks/`: what is compared, where the right values come from, what correct looks
//! like, how often a correct library would fail, and the run. All seeds are fixed. The exit code is 1 if a
//! check fails.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;

use crate::check::{Check, Plan};
use crate::report::{Done, Report};

mod check;
mod checks;
mod fluid;
mod process;
mod report;
mod tables;

/// Holds the library against exact laws, identities, limits, published and independent simulations. All
/// checks take one to two hours on two cores.
#[derive(Parser)]
#[command(name = "bb-verify")]
struct Args {
    /// The checks to run; all if none is named
    #[arg(value_name = "CHECK")]
    names: Vec<String>,
    /// List the checks
    #[arg(long)]
    list: bool,
    /// Write the report to this file, in Markdown, after every check; what it says of other checks stays
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// The seed of the run: another one repeats it independently
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = clap::value_parser!(u64).range(..1 << 20))]
    seed: u64,
    /// Multiplies the numbers of trials
    #[arg(long, value_name = "X", default_value_t = 1.0)]
    scale: f64,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Tells whether all checks pass.
fn run(args: &Args) -> Result<bool, Box<dyn std::error::Error>> {
    if args.list {
        for check in &checks::ALL {
            println!("{:<15} {}", check.name, check.compares);
        }
        return Ok(true);
    }
    if let Some(name) = args.names.iter().find(|name| checks::ALL.iter().all(|check| check.name != **name)) {
        let known: Vec<&str> = checks::ALL.iter().map(|check| check.name).collect();
        return Err(format!("check = {name} is outside {}", known.join(", ")).into());
    }
    let plan = Plan { seed: args.seed, scale: args.scale };
    let named = |check: &&Check| args.names.is_empty() || args.names.iter().any(|name| name == check.name);
    // What earlier runs found of other checks stays.
    let mut report = match &args.report {
        Some(file) if file.exists() => Report::read(&std::fs::read_to_string(file)?, &checks::ALL),
        _ => Report::read("", &checks::ALL),
    };
    let mut passes = true;
    for check in checks::ALL.iter().filter(named) {
        let begin = Instant::now();
        let done = Done { check, outcome: (check.run)(&plan)?, elapsed: begin.elapsed() };
        print(&done);
        passes &= done.outcome.passes();
        // At once: a run of hours may be ended before its end.
        if let Some(file) = &args.report {
            report.put(&done, &plan);
            std::fs::write(file, report.markdown())?;
        }
    }
    Ok(passes)
}

fn print(done: &Done<'_>) {
    let Check { name, compares, .. } = done.check;
    let (worst, limit) = done.worst();
    let (tests, controls) = done.outcome.size();
    println!(
        "{verdict:<5} {name:<15} {compares}: worst {worst}, limit {limit} ({tests} tests, {controls} controls, {time:.0} s)",
        verdict = done.verdict(),
        time = done.elapsed.as_secs_f64(),
    );
    for row in done.outcome.rows.iter().filter(|row| !row.passes()) {
        println!("      {} | {}", row.cells.join(" | "), row.verdict());
    }
}
