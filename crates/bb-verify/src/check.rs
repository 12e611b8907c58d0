//! What a check is: a claim, where it comes from, what correct looks like, and how to look.

use std::collections::BTreeMap;
use std::fmt;

use bb_experiment::ExperimentError;
use bb_testkit::stats::same_law;

/// A claim about the library that a long run can refute. One file in `checks/` for each.
pub(crate) struct Check {
    /// The name on the command line.
    pub(crate) name: &'static str,
    /// What is compared with what, in a line.
    pub(crate) compares: &'static str,
    /// Where the right values come from.
    pub(crate) source: &'static str,
    /// What is expected of a correct library.
    pub(crate) correct: &'static str,
    /// How often a correct library would fail at a fresh seed.
    pub(crate) false_alarm: &'static str,
    pub(crate) run: fn(&Plan) -> Result<Outcome, ExperimentError>,
}

/// How a run is made: everything that follows from the command line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// Enters all seeds.
    pub(crate) seed: u64,
    /// Multiplies all numbers of trials.
    pub(crate) scale: f64,
}

impl Plan {
    /// The seed of a row of a check. Seeds of different rows and runs are different, and a seed is hashed
    /// before use.
    pub(crate) fn seed(&self, check: u32, row: usize) -> u64 {
        (self.seed << 40) | (u64::from(check) << 20) | row as u64
    }

    pub(crate) fn trials(&self, trials: u64) -> u64 {
        ((trials as f64 * self.scale).round() as u64).max(4)
    }
}

/// A distance between what was found and what is right, and how large it may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Deviation {
    kind: Kind,
    value: f64,
    limit: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    StandardErrors,
    PValue,
    Absolute,
    Relative,
}

/// The limit in standard errors: 5.7e-7 of a normal law lies beyond.
pub(crate) const FIVE: f64 = 5.0;

impl Deviation {
    /// A difference in standard errors, at most 5. None of both is none.
    pub(crate) fn errors(difference: f64, error: f64) -> Self {
        let value = if difference == 0.0 { 0.0 } else { difference / error };
        Self { kind: Kind::StandardErrors, value, limit: FIVE }
    }

    /// A p-value, at least `limit`.
    pub(crate) fn p_value(value: f64, limit: f64) -> Self {
        Self { kind: Kind::PValue, value, limit }
    }

    /// A difference, at most `limit`.
    pub(crate) fn absolute(value: f64, limit: f64) -> Self {
        Self { kind: Kind::Absolute, value, limit }
    }

    /// A difference as a share of the right value, at most `limit`.
    pub(crate) fn relative(value: f64, limit: f64) -> Self {
        Self { kind: Kind::Relative, value, limit }
    }

    pub(crate) fn fits(&self) -> bool {
        match self.kind {
            Kind::PValue => self.value >= self.limit,
            _ => self.value.abs() <= self.limit,
        }
    }

    /// At most 1 iff it fits; orders deviations of a kind.
    fn severity(&self) -> f64 {
        let severity = match self.kind {
            Kind::PValue => self.value.max(f64::MIN_POSITIVE).ln() / self.limit.ln(),
            _ => self.value.abs() / self.limit,
        };
        if severity.is_nan() { f64::INFINITY } else { severity }
    }

    /// The worst of several; `None` of none.
    pub(crate) fn worst(all: impl IntoIterator<Item = Self>) -> Option<Self> {
        all.into_iter().max_by(|a, b| a.severity().total_cmp(&b.severity()))
    }

    pub(crate) fn limit(&self) -> String {
        match self.kind {
            Kind::StandardErrors => format!("{} se", self.limit),
            Kind::PValue => format!("p {:.1e}", self.limit),
            Kind::Absolute if self.limit < 1e-3 => format!("{:.0e}", self.limit),
            Kind::Absolute => format!("{:.3}", self.limit),
            Kind::Relative => format!("{:.0} %", 100.0 * self.limit),
        }
    }
}

impl fmt::Display for Deviation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.value;
        match self.kind {
            Kind::StandardErrors => write!(f, "{value:+.2} se"),
            Kind::PValue if value < 1e-300 => write!(f, "p < 1e-300"),
            Kind::PValue if value < 1e-3 => write!(f, "p {value:.1e}"),
            Kind::PValue => write!(f, "p {value:.3}"),
            Kind::Absolute if self.limit < 1e-3 => write!(f, "{value:.0e}"),
            Kind::Absolute => write!(f, "{value:.4}"),
            Kind::Relative => write!(f, "{:+.1} %", 100.0 * value),
        }
    }
}

/// The p-value of the two-sample chi-square test. One cell leaves nothing to tell apart; the statistic is 0
/// then but for rounding.
pub(crate) fn two_sample<S: Ord>(first: &BTreeMap<S, u64>, second: &BTreeMap<S, u64>) -> f64 {
    let verdict = same_law(first, second);
    if verdict.freedom == 0 { 1.0 } else { verdict.p_value }
}

/// A row of the report, and the tests in it.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) cells: Vec<String>,
    pub(crate) tests: Vec<Deviation>,
    /// A control is a wrong process, which at least one test has to reject.
    control: bool,
}

impl Row {
    pub(crate) fn test(cells: Vec<String>, tests: Vec<Deviation>) -> Self {
        Self { cells, tests, control: false }
    }

    pub(crate) fn control(cells: Vec<String>, tests: Vec<Deviation>) -> Self {
        Self { cells, tests, control: true }
    }

    pub(crate) fn passes(&self) -> bool {
        self.tests.iter().all(Deviation::fits) != self.control
    }

    pub(crate) fn verdict(&self) -> &'static str {
        match (self.control, self.passes()) {
            (false, true) => "ok",
            (false, false) => "**FAILS**",
            (true, true) => "rejected, as it must be",
            (true, false) => "**NOT TOLD APART**",
        }
    }
}

/// What a check found.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) header: Vec<&'static str>,
    pub(crate) rows: Vec<Row>,
    /// Rows of the source that name processes which the library does not have yet.
    pub(crate) absent: Vec<String>,
}

impl Outcome {
    pub(crate) fn new(header: &[&'static str]) -> Self {
        Self { header: header.to_vec(), rows: Vec::new(), absent: Vec::new() }
    }

    /// Notes a process of the source that is not here.
    pub(crate) fn miss(&mut self, process: &str) {
        if !self.absent.iter().any(|known| known == process) {
            self.absent.push(process.to_owned());
        }
    }

    pub(crate) fn passes(&self) -> bool {
        self.rows.iter().any(|row| !row.control) && self.rows.iter().all(Row::passes)
    }

    /// The number of tests and of controls.
    pub(crate) fn size(&self) -> (usize, usize) {
        let tests = self.rows.iter().filter(|row| !row.control).map(|row| row.tests.len()).sum();
        (tests, self.rows.iter().filter(|row| row.control).count())
    }

    /// The worst deviation of each kind, controls apart.
    pub(crate) fn worst(&self) -> Vec<Deviation> {
        let tests: Vec<Deviation> =
            self.rows.iter().filter(|row| !row.control).flat_map(|row| row.tests.iter().copied()).collect();
        let kinds = [Kind::StandardErrors, Kind::PValue, Kind::Absolute, Kind::Relative];
        let of_kind = |kind| Deviation::worst(tests.iter().copied().filter(move |test| test.kind == kind));
        kinds.into_iter().filter_map(of_kind).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deviation_fits_up_to_its_limit() {
        assert!(Deviation::errors(5.0, 1.0).fits() && Deviation::errors(0.0, 0.0).fits());
        assert!(!Deviation::errors(-5.1, 1.0).fits() && !Deviation::errors(1.0, 0.0).fits());
        assert!(!Deviation::errors(f64::NAN, 1.0).fits());
        assert!(Deviation::p_value(1e-6, 1e-6).fits() && !Deviation::p_value(9e-7, 1e-6).fits());
        let worst = Deviation::worst([Deviation::p_value(0.5, 1e-6), Deviation::p_value(0.0, 1e-6)]);
        assert_eq!(worst, Some(Deviation::p_value(0.0, 1e-6)));
    }

    #[test]
    fn two_certain_outcomes_are_alike() {
        assert_eq!(two_sample(&BTreeMap::from([(3, 1000)]), &BTreeMap::from([(3, 400)])), 1.0);
    }

    #[test]
    fn a_control_passes_by_being_rejected() {
        let (near, far) = (Deviation::errors(1.0, 1.0), Deviation::errors(9.0, 1.0));
        assert!(Row::test(vec![], vec![near]).passes() && !Row::test(vec![], vec![near, far]).passes());
        assert!(Row::control(vec![], vec![near, far]).passes() && !Row::control(vec![], vec![near]).passes());
        assert!(!Outcome::new(&[]).passes(), "nothing was tested");
    }
}
