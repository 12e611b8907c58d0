//! Throws balls into bins, many times, by any rule that has a name.
//!
//! ```text
//! cargo run --release --example simulate -- two-choice --bins 1000 --balls 1e6 --trials 100
//! cargo run --release --example simulate -- --list
//! ```

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use bb_experiment::bb_core::ParameterError;
use bb_experiment::bb_processes::Key;
use bb_experiment::{
    Delay, Dimensions, Engine, Experiment, Parallel, RuleSpec, Setting, Weights, parse_integer, parse_real, rules,
};
use clap::{Parser, ValueEnum};

const USAGE: &str = "simulate RULE --bins N --balls M [OPTIONS]
       simulate SYSTEM --bins N --balls M --rounds R [OPTIONS]
       simulate --list";

const EXAMPLES: &str = "\
Numbers may be written 1000000, 1e6 or 2^20.

Examples:
  simulate two-choice --bins 1000 --balls 1e6 --trials 100
      how far the fullest of 1000 bins is above the average, over 100 trials
  simulate one-plus-beta:beta=0.25 --bins 1000 --balls 1e6
      the same if only one ball in four has two choices
  simulate d-choice:d=3,replacement=false --bins 2^20 --balls 2^20 --levels
      the fraction of bins at each load
  simulate two-choice --bins 2^40 --balls 2^40 --trials 1 --levels
      a trillion bins, counted by load and thrown in bulk
  simulate two-choice --bins 1000 --balls 1e6 --batch 1000
      decisions see the loads as they were at the start of a batch
  simulate thinning-threshold:practical --bins 1e6 --balls 1e6 --trials 10
      one sample, and a second only if the first has accepted enough
  simulate heavy-list:delta=0.5 --bins 2^16 --balls 2^16 --trials 10
      two bins a ball, and a memory of 256 bits that lists the heaviest ones
  simulate supermarket:lambda=0.99 --bins 1e4 --balls 0 --rounds 1000 --levels
      a system in which balls also leave, after 1000 rounds
  simulate two-choice --bins 1000 --balls 1e5 --dims 4 --ball fixed:f=2 --key max-populated
      balls that fill two of four dimensions, and compare bins by the larger of the two loads
  simulate two-choice --bins 1e4 --balls 1e4 --parallel 1:3
      all balls at the same time, in up to three rounds in which a bin accepts one ball
  simulate two-choice --bins 1000 --balls 1e6 --format json > result.json
      all figures, for a program to read";

/// Throws balls into bins by a rule, in many independent trials, and reports the gap: how far the fullest bin
/// is above the average.
///
/// The seed fixes the result, with any number of threads.
#[derive(Parser)]
#[command(name = "simulate", version, override_usage = USAGE, after_help = EXAMPLES, allow_negative_numbers = true)]
struct Args {
    /// The rule, strategy, memory or system, as name or name:key=value,key=value; --list tells them all
    #[arg(required_unless_present = "list", value_name = "RULE")]
    rule: Option<RuleSpec>,
    /// The number of bins, at least 1
    #[arg(long, value_name = "N", required_unless_present = "list", value_parser = parse_integer::<u64>)]
    bins: Option<u64>,
    /// The number of balls of a trial; of a system, those at the start
    #[arg(long, value_name = "M", required_unless_present_any = ["list", "rounds"], value_parser = parse_integer::<u64>)]
    balls: Option<u64>,
    /// The number of rounds of a system; or of steps of a rule, in place of balls
    #[arg(long, value_name = "R", value_parser = parse_integer::<u64>)]
    rounds: Option<u64>,
    /// Decisions see the loads as they were when the present batch of B balls began
    #[arg(long, value_name = "B", value_parser = parse_integer::<u64>, conflicts_with = "delay")]
    batch: Option<u64>,
    /// Decisions see loads of up to TAU balls ago: stale, fresh, uniform or adversarial ones
    #[arg(long, value_name = "TAU[:REPORTS]")]
    delay: Option<Delay>,
    /// Weights of balls, with mean 1: constant, uniform12, exp, geometric:p=0.5, pareto:a=3,
    /// lognormal:sigma=1 or file:PATH
    #[arg(long, value_name = "LAW", conflicts_with_all = ["dims", "parallel"])]
    weights: Option<Weights>,
    /// The number of dimensions of bins and balls, at least 1
    #[arg(long, value_name = "D", value_parser = parse_integer::<u64>, requires = "ball")]
    dims: Option<u64>,
    /// What a ball fills: fixed:f=2, fixed-weighted:f=2,q=3/1/1, binomial:p=0.3 or independent:p=0.1/0.5/0.9
    #[arg(long, value_name = "BALL", requires = "dims")]
    ball: Option<RuleSpec>,
    /// What a ball compares: max-populated, sum-populated, total or max-all; max-populated if not given
    #[arg(long, value_name = "KEY", requires = "dims")]
    key: Option<Key>,
    /// Balls choose in parallel, in up to R rounds in which a bin accepts up to T balls
    #[arg(long, value_name = "T:R", conflicts_with_all = ["batch", "delay"])]
    parallel: Option<Parallel>,
    /// The number of independent trials, at least 1
    #[arg(long, value_name = "K", default_value = "1", value_parser = parse_integer::<u64>)]
    trials: u64,
    /// The seed of all trials
    #[arg(long, value_name = "S", default_value = "1", value_parser = parse_integer::<u64>)]
    seed: u64,
    /// The number of threads, 0 for all cores; it never changes the result
    #[arg(long, value_name = "T", default_value = "0", value_parser = parse_integer::<usize>)]
    threads: usize,
    /// How balls are thrown: vector, profile, bulk, or the fastest that the rule allows
    #[arg(long, value_name = "ENGINE", default_value = "auto")]
    engine: Engine,
    /// Also report the fraction of bins at each load
    #[arg(long)]
    levels: bool,
    /// Also report the typical gap: it is reached for a share E of the time, 0 < E <= 1
    #[arg(long, value_name = "E", value_parser = parse_real)]
    epsilon: Option<f64>,
    /// How the result is written
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// List every rule, strategy, memory and system with its parameters, its paper and its bounds
    #[arg(long)]
    list: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// For reading
    Table,
    /// One object on one line
    Json,
    /// A line for each metric
    Csv,
}

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(help) if !help.use_stderr() => return print(&help.to_string()),
        Err(error) => return refuse(&first_part(&error.to_string())),
    };
    let (false, Some(rule), Some(bins)) = (args.list, &args.rule, args.bins) else {
        return print(&rules().iter().map(|info| format!("{info}\n")).collect::<String>());
    };
    let experiment = match experiment(&args, bins) {
        Ok(experiment) => experiment,
        Err(error) => return refuse(&error.to_string()),
    };
    match experiment.run_spec(rule) {
        Ok(report) => print(&match args.format {
            Format::Table => report.to_string(),
            Format::Json => report.to_json() + "\n",
            Format::Csv => report.to_csv(),
        }),
        Err(error) => refuse(&error.to_string()),
    }
}

/// What is asked for.
fn experiment(args: &Args, bins: u64) -> Result<Experiment, ParameterError> {
    // Without balls there are rounds.
    let mut experiment = Experiment::new(bins, args.balls.unwrap_or(0))
        .with_trials(args.trials)
        .with_seed(args.seed)
        .with_threads(args.threads)
        .with_engine(args.engine)
        .with_progress();
    if args.levels {
        experiment = experiment.with_levels();
    }
    if let Some(rounds) = args.rounds {
        experiment = experiment.with_rounds(rounds);
    }
    if let Some(batch) = args.batch {
        experiment = experiment.with_setting(Setting::Batched(batch));
    }
    if let Some(delay) = args.delay {
        experiment = experiment.with_setting(Setting::Delayed(delay));
    }
    if let Some(weights) = &args.weights {
        experiment = experiment.with_weights(weights.clone());
    }
    if let (Some(dims), Some(ball)) = (args.dims, &args.ball) {
        experiment = experiment.with_dimensions(Dimensions::new(dims, ball, args.key.unwrap_or_default())?);
    }
    if let Some(parallel) = args.parallel {
        experiment = experiment.with_parallel(parallel);
    }
    if let Some(epsilon) = args.epsilon {
        experiment = experiment.with_epsilon(epsilon);
    }
    Ok(experiment)
}

/// Writes to standard output. A reader that went away (`| head`) has seen enough.
fn print(text: &str) -> ExitCode {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            let _ = writeln!(io::stderr(), "error: standard output cannot be written: {error}");
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}

/// Reports bad input on one line, whatever the input was.
fn refuse(message: &str) -> ExitCode {
    let line: String = message.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let _ = writeln!(io::stderr(), "error: {line}");
    ExitCode::from(2)
}

/// The part of clap's message that says what is wrong, without usage and advice.
fn first_part(message: &str) -> String {
    let message = message.strip_prefix("error: ").unwrap_or(message);
    let lines =
        message.lines().map(str::trim).take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"));
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}
