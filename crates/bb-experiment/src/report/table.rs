use core::fmt;

use bb_core::TRIAL_RNG_NAME;

use super::{COLUMNS, Report};
use crate::number::number_of;
use crate::{Dimensions, Setting};

/// The columns of [`COLUMNS`] that fit on a terminal.
const SHOWN: [usize; 7] = [0, 1, 2, 3, 4, 7, 10];

/// A distribution with more values than this is left to JSON.
const MOST_VALUES: usize = 20;

const LEGEND: &str = "\
gap           maximum load - average load, in balls
min_gap       average load - minimum load, in balls
max_load      balls in the fullest bin
min_load      balls in the emptiest bin
all_time_gap  the largest gap at any time of a trial, in balls
typical_gap   the gap is at least this for a share epsilon of the time, in balls
probes        bins sampled for a ball
mean, sd, se  over the trials: mean, standard deviation, standard error of the mean
";

const MEMORY_LEGEND: &str = "\
bits           of memory that decisions read
state_changes  balls for which the memory was another one than for the ball before
certified      1 where load <= T + 1 + Greedy[2] holds by proof, T the threshold of a list; else 0
overflow       balls for which the memory did not hold what it should
";

const DIMENSIONS: &str = "\
gap           the largest of the dimensions' gaps; loads are those of single dimensions
gap_dim_k     maximum load - average load in dimension k
gap_total     maximum - average of the sums over all dimensions
gap_cell      maximum load - the average that is expected in its dimension
";

const ROUNDS: &str = "\
rounds_used   the most rounds that a wave took
messages      requests, acceptances, and answers to these, for a ball
one_by_one    the share of balls that no round placed
";

/// A table for reading.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { process, bins, balls, trials, seed, engine, .. } = self;
        let thrown = balls.map(|balls| number_of(balls, "ball") + " into ").unwrap_or_default();
        let (bins, trials) = (number_of(*bins, "bin"), number_of(*trials, "trial"));
        let rounds = self.rounds.map(|rounds| number_of(rounds, "round") + ", ").unwrap_or_default();
        writeln!(f, "{process}: {thrown}{bins}, {rounds}{trials}")?;
        write!(f, "seed {seed}, generator {TRIAL_RNG_NAME}, engine {engine}, {:.3} s", self.elapsed.as_secs_f64())?;
        if let Some(epsilon) = self.epsilon {
            write!(f, ", epsilon {epsilon}")?;
        }
        if let Some(weights) = &self.weights {
            write!(f, ", weights {weights}")?;
        }
        if let Some(Dimensions { ball, key, .. }) = &self.dimensions {
            write!(f, ", dims {}, ball {ball}, key {key}", self.gap_dim().len())?;
        }
        if let Some(parallel) = self.parallel {
            write!(f, ", parallel {parallel}")?;
        }
        if self.setting != Setting::Fresh {
            write!(f, ", {}", self.setting)?;
        }
        writeln!(f, "\n")?;

        let show = |value: Option<&dyn fmt::Display>| value.map_or("-".to_owned(), |value| format!("{value:.4}"));
        let mut rows = vec![COLUMNS.map(|name| name.replace("q0.5", "median")).to_vec()];
        rows.extend(self.rows(&show));
        write_columns(f, &rows.iter().map(|row| SHOWN.map(|column| row[column].clone())).collect::<Vec<_>>())?;

        let max_load: Vec<_> = self.max_load().counts().collect();
        if (1..=MOST_VALUES).contains(&max_load.len()) {
            let rows = max_load.iter().map(|(load, count)| [load.to_string(), count.to_string()]);
            write_columns(f, &headed(["max_load", "trials"], rows))?;
        }
        if let Some(levels) = self.levels() {
            let rows = levels.iter().map(|(load, fraction)| [load.to_string(), share(*fraction)]);
            write_columns(f, &headed(["load", "fraction of bins"], rows))?;
        }
        f.write_str(LEGEND)?;
        if self.weights.is_some() {
            f.write_str("weights have mean 1: loads and gaps are in units of an average ball\n")?;
        }
        if self.rejections().is_some() {
            f.write_str("rejections is the number of offers rejected for a ball\n")?;
        }
        if self.unrealizable_at().is_some() {
            f.write_str(
                "unrealizable_at is the first ball whose law no two-thinning has, in the trials where there is one\n",
            )?;
        }
        if self.batch_end_gap().is_some() {
            f.write_str("batch_end_gap is the largest gap at the ends of complete batches\n")?;
        }
        if self.bits().is_some() {
            f.write_str(MEMORY_LEGEND)?;
        }
        if self.dimensions.is_some() {
            f.write_str(DIMENSIONS)?;
        }
        if self.parallel.is_some() {
            f.write_str(ROUNDS)?;
        }
        Ok(())
    }
}

/// A fraction, in scientific notation where six places would hide its leading digits.
fn share(fraction: f64) -> String {
    if fraction < 1e-3 { format!("{fraction:.3e}") } else { format!("{fraction:.6}") }
}

fn headed(head: [&str; 2], rows: impl Iterator<Item = [String; 2]>) -> Vec<[String; 2]> {
    std::iter::once(head.map(str::to_owned)).chain(rows).collect()
}

/// Writes the first column to the left and the others to the right, and an empty line.
fn write_columns<const N: usize>(f: &mut fmt::Formatter<'_>, rows: &[[String; N]]) -> fmt::Result {
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths: [usize; N] = core::array::from_fn(width);
    for row in rows {
        write!(f, "{:<1$}", row[0], widths[0])?;
        for (cell, width) in row.iter().zip(widths).skip(1) {
            write!(f, "  {cell:>width$}")?;
        }
        writeln!(f)?;
    }
    writeln!(f)
}
