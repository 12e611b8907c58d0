use core::fmt;

use bb_core::TRIAL_RNG_NAME;

use super::{COLUMNS, Report, in_rows};
use crate::dimensions::Dimensions;
use crate::experiment::Experiment;
use crate::metrics::When;
use crate::number::number_of;
use crate::setting::Setting;
use crate::tally::Values;

/// The columns of [`COLUMNS`] that fit on a terminal.
const SHOWN: [usize; 7] = [0, 1, 2, 3, 4, 7, 10];

/// A distribution with more values than this is left to JSON.
const MOST_VALUES: usize = 20;

const FIGURES: &str = "mean, sd, se  over the trials: mean, standard deviation, standard error of the mean\n";

/// A table for reading.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { process, asked: Experiment { bins, trials, seed, .. }, balls, engine, .. } = self;
        let thrown = balls.map(|balls| number_of(balls, "ball") + " into ").unwrap_or_default();
        let (bins, trials) = (number_of(*bins, "bin"), number_of(*trials, "trial"));
        let rounds = self.asked.rounds.map(|rounds| number_of(rounds, "round") + ", ").unwrap_or_default();
        writeln!(f, "{process}: {thrown}{bins}, {rounds}{trials}")?;
        write!(f, "seed {seed}, generator {TRIAL_RNG_NAME}, engine {engine}, {:.3} s", self.elapsed.as_secs_f64())?;
        if let Some(epsilon) = self.asked.epsilon {
            write!(f, ", epsilon {epsilon}")?;
        }
        if let Some(weights) = &self.asked.weights {
            write!(f, ", weights {weights}")?;
        }
        if let Some(Dimensions { ball, key, .. }) = &self.asked.dimensions {
            write!(f, ", dims {}, ball {ball}, key {key}", self.gap_dim().len())?;
        }
        if let Some(parallel) = self.asked.parallel {
            write!(f, ", parallel {parallel}")?;
        }
        if self.asked.setting != Setting::Fresh {
            write!(f, ", {}", self.asked.setting)?;
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
        self.write_legend(f)
    }
}

impl Report {
    fn write_legend(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (always, others): (Vec<_>, Vec<_>) = in_rows().into_iter().partition(|metric| metric.when == When::Always);
        always.iter().try_for_each(|metric| f.write_str(metric.legend))?;
        f.write_str(FIGURES)?;
        if self.asked.weights.is_some() {
            f.write_str("weights have mean 1: loads and gaps are in units of an average ball\n")?;
        }
        for metric in others {
            let explained = match metric.when {
                When::Dimensions => self.asked.dimensions.is_some(),
                When::Parallel => self.asked.parallel.is_some(),
                _ => *self.tally.values(metric.name) != Values::None,
            };
            if explained {
                f.write_str(metric.legend)?;
            }
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
