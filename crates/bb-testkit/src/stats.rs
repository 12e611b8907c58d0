//! Statistical tests: chi-square, exact binomial, and means within 5 standard errors.
//!
//! Each returns a [`Verdict`]. A test asserts that the right process [fits](Verdict::assert_fits) and that a
//! named wrong one is [rejected](Verdict::assert_rejects), with generators of fixed seeds throughout.

use std::collections::BTreeMap;

use statrs::distribution::{Binomial, ChiSquared, ContinuousCDF, DiscreteCDF, Normal};

/// The probability that a correct process fails one test at a fresh seed.
pub const FALSE_ALARM: f64 = 1e-6;

/// Cells of a chi-square test are pooled to this expectation at least, the customary bound for its limit law.
const LEAST_EXPECTATION: f64 = 5.0;

/// How well observations fit, by one test.
///
/// # Examples
///
/// ```
/// use bb_testkit::stats::binomial;
///
/// let verdict = binomial(5_100, 10_000, 0.5);
/// assert_eq!((verdict.statistic, verdict.freedom), (2.0, 1));
/// assert!(verdict.fits());
/// verdict.assert_fits("a fair coin", 1);
/// binomial(5_100, 10_000, 0.4).assert_rejects("a coin of 0.4", 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// The test statistic: chi-square, or a distance in standard deviations.
    pub statistic: f64,
    /// The degrees of freedom; 0 if there was nothing to tell apart.
    pub freedom: u64,
    /// The probability of a statistic at least as extreme, for the right process.
    pub p_value: f64,
}

impl Verdict {
    /// Tells whether the p-value is at least [`FALSE_ALARM`].
    #[must_use]
    pub fn fits(&self) -> bool {
        self.p_value >= FALSE_ALARM
    }

    /// Returns the verdict of one test out of `tests` that are to have the false-alarm rate of one together
    /// (Bonferroni).
    #[must_use]
    pub fn one_of(self, tests: usize) -> Self {
        Self { p_value: (self.p_value * tests as f64).min(1.0), ..self }
    }

    /// Asserts that the observations fit.
    ///
    /// # Panics
    ///
    /// If they do not; the message gives the statistic, the threshold and the seed.
    #[track_caller]
    pub fn assert_fits(&self, name: &str, seed: u64) {
        assert!(self.fits(), "{name} does not fit: {}", self.describe(seed));
    }

    /// Asserts that the observations do not fit: the other half of each test.
    ///
    /// # Panics
    ///
    /// If they fit, with the same figures.
    #[track_caller]
    pub fn assert_rejects(&self, name: &str, seed: u64) {
        assert!(!self.fits(), "{name} is not told apart: {}", self.describe(seed));
    }

    fn describe(&self, seed: u64) -> String {
        let Self { statistic, freedom, p_value } = self;
        format!(
            "statistic {statistic:.3} with {freedom} degrees of freedom, p = {p_value:.3e}, threshold {FALSE_ALARM:e}, seed {seed}"
        )
    }

    fn chi_square(statistic: f64, cells: usize) -> Self {
        let freedom = cells.saturating_sub(1) as u64;
        // Without a choice of cell only the impossible can go wrong.
        let p_value = match ChiSquared::new(freedom as f64) {
            Ok(law) if statistic.is_finite() => law.sf(statistic),
            // One cell: whatever rounding leaves of the statistic says nothing. An infinite one is an
            // impossible outcome.
            _ => f64::from(statistic.is_finite()),
        };
        Self { statistic, freedom, p_value }
    }
}

/// Counts equal outcomes.
///
/// # Examples
///
/// ```
/// let counts = bb_testkit::stats::tally([3, 1, 3]);
/// assert_eq!((counts[&1], counts[&3]), (1, 2));
/// ```
#[must_use]
pub fn tally<S: Ord>(outcomes: impl IntoIterator<Item = S>) -> BTreeMap<S, u64> {
    let mut counts = BTreeMap::new();
    outcomes.into_iter().for_each(|outcome| count(&mut counts, outcome));
    counts
}

/// Counts one more outcome. Compiled once for each kind of outcome, not in each loop of the tests.
#[inline(never)]
pub(crate) fn count<S: Ord>(counts: &mut BTreeMap<S, u64>, outcome: S) {
    *counts.entry(outcome).or_insert(0) += 1;
}

/// Chi-square test of observed counts against a law, with neighbouring cells pooled to an expectation of 5 at
/// least.
///
/// What the law leaves of 1 (a truncated tail) is one more cell, which takes the outcomes that the law does
/// not list. If it leaves less than `1e-9`, these outcomes are impossible, and one of them makes the
/// p-value 0.
///
/// # Examples
///
/// ```
/// use std::collections::BTreeMap;
/// use bb_testkit::stats::goodness_of_fit;
///
/// let law = BTreeMap::from([("heads", 0.5), ("tails", 0.5)]);
/// assert!(goodness_of_fit(&BTreeMap::from([("heads", 510), ("tails", 490)]), &law).fits());
/// assert!(!goodness_of_fit(&BTreeMap::from([("heads", 610), ("tails", 390)]), &law).fits());
/// assert!(!goodness_of_fit(&BTreeMap::from([("heads", 500), ("tails", 500), ("edge", 1)]), &law).fits());
/// ```
#[must_use]
pub fn goodness_of_fit<S: Ord>(observed: &BTreeMap<S, u64>, law: &BTreeMap<S, f64>) -> Verdict {
    let runs = observed.values().sum::<u64>() as f64;
    let unlisted = observed.iter().filter(|(outcome, _)| !law.contains_key(outcome)).map(|(_, &count)| count).sum();
    let left = 1.0 - law.values().sum::<f64>();
    if left < 1e-9 && unlisted > 0 {
        return Verdict::chi_square(f64::INFINITY, law.len());
    }
    let listed = law.iter().map(|(outcome, &probability)| (observed.get(outcome).copied().unwrap_or(0), probability));
    let mut cells = Pool::default();
    for (count, probability) in listed.chain([(unlisted, left.max(0.0))]) {
        cells.add([count as f64, runs * probability], |[_, expected]| expected >= LEAST_EXPECTATION);
    }
    let cells = cells.close();
    let statistic = cells.iter().map(|[count, expected]| (count - expected).powi(2) / expected).sum();
    Verdict::chi_square(statistic, cells.len())
}

/// Chi-square test of two samples for the same law, with neighbouring cells pooled to an expectation of 5 at
/// least in both.
///
/// # Examples
///
/// ```
/// use std::collections::BTreeMap;
/// use bb_testkit::stats::same_law;
///
/// let few = BTreeMap::from([(1, 30), (2, 70)]);
/// let many = BTreeMap::from([(1, 320), (2, 680)]);
/// assert!(same_law(&few, &many).fits());
/// assert!(!same_law(&few, &BTreeMap::from([(1, 680), (2, 320)])).fits());
/// ```
#[must_use]
pub fn same_law<S: Ord>(first: &BTreeMap<S, u64>, second: &BTreeMap<S, u64>) -> Verdict {
    let count = |sample: &BTreeMap<S, u64>, outcome| sample.get(outcome).copied().unwrap_or(0) as f64;
    let (runs, other_runs) = (first.values().sum::<u64>() as f64, second.values().sum::<u64>() as f64);
    let least = LEAST_EXPECTATION * (runs + other_runs) / runs.min(other_runs);
    let outcomes: std::collections::BTreeSet<&S> = first.keys().chain(second.keys()).collect();
    let mut cells = Pool::default();
    for outcome in outcomes {
        cells.add([count(first, outcome), count(second, outcome)], |[a, b]| a + b >= least);
    }
    let cells = cells.close();
    let weight = (other_runs / runs).sqrt();
    let statistic = cells.iter().map(|[a, b]| (weight * a - b / weight).powi(2) / (a + b)).sum();
    Verdict::chi_square(statistic, cells.len())
}

/// Cells in their order, merged with their neighbours until each is large enough.
#[derive(Default)]
struct Pool {
    full: Vec<[f64; 2]>,
    open: [f64; 2],
}

impl Pool {
    fn add(&mut self, cell: [f64; 2], full: impl Fn([f64; 2]) -> bool) {
        self.open = [self.open[0] + cell[0], self.open[1] + cell[1]];
        if full(self.open) {
            self.full.push(std::mem::take(&mut self.open));
        }
    }

    /// Merges the rest into the last cell.
    fn close(mut self) -> Vec<[f64; 2]> {
        if let Some(last) = self.full.last_mut() {
            *last = [last[0] + self.open[0], last[1] + self.open[1]];
        }
        self.full
    }
}

/// Exact two-sided binomial test: twice the smaller tail. The statistic is the distance in standard
/// deviations.
///
/// The example of [`Verdict`] shows it.
///
/// # Panics
///
/// If `probability` is not in `[0, 1]`.
#[must_use]
pub fn binomial(successes: u64, trials: u64, probability: f64) -> Verdict {
    let law = Binomial::new(probability, trials).expect("the probability is in [0, 1]");
    let at_least = if successes == 0 { 1.0 } else { law.sf(successes - 1) };
    let expected = trials as f64 * probability;
    let deviation = (expected * (1.0 - probability)).sqrt();
    let statistic = if deviation > 0.0 { (successes as f64 - expected) / deviation } else { 0.0 };
    Verdict { statistic, freedom: 1, p_value: (2.0 * at_least.min(law.cdf(successes))).min(1.0) }
}

/// A mean and its standard error.
///
/// # Examples
///
/// ```
/// use bb_testkit::stats::Mean;
///
/// let mean = Mean::of([1.0, 3.0, 2.0, 2.0]);
/// assert_eq!((mean.mean, mean.error), (2.0, (1.0_f64 / 6.0).sqrt()));
/// assert!(mean.agrees(Mean::exact(3.5)).fits());
/// assert!(!mean.agrees(Mean::exact(4.5)).fits());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// Its standard error.
    pub error: f64,
}

impl Mean {
    /// Returns the mean of independent values, and its standard error from their own spread.
    #[must_use]
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        // Welford's recurrence, Technometrics 4, 1962.
        let (mut count, mut mean, mut squares) = (0.0, 0.0, 0.0);
        for value in values {
            count += 1.0;
            let deviation = value - mean;
            mean += deviation / count;
            squares += deviation * (value - mean);
        }
        Self { mean, error: (squares / (count - 1.0) / count).sqrt() }
    }

    /// Returns a mean that is known exactly.
    #[must_use]
    pub fn exact(mean: f64) -> Self {
        Self { mean, error: 0.0 }
    }

    /// Compares two means: they fit up to 4.9 combined standard errors, the distance whose normal p-value is
    /// [`FALSE_ALARM`].
    #[must_use]
    pub fn agrees(self, other: Self) -> Verdict {
        let difference = self.mean - other.mean;
        let statistic = if difference == 0.0 { 0.0 } else { difference / self.error.hypot(other.error) };
        Verdict { statistic, freedom: 1, p_value: 2.0 * Normal::standard().sf(statistic.abs()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_cell_always_fits_and_the_impossible_never() {
        let counts = |count| BTreeMap::from([(3, count)]);
        assert!(same_law(&counts(1000), &counts(400)).fits());
        assert!(!goodness_of_fit(&counts(10), &BTreeMap::from([(4, 1.0)])).fits());
    }

    /// Tables of the chi-square law: the upper 5 % point with 3 degrees of freedom is 7.8147.
    #[test]
    fn p_values_are_those_of_the_tables() {
        assert!((Verdict::chi_square(7.8147, 4).p_value - 0.05).abs() < 1e-5);
        assert!((Mean { mean: 1.959_964, error: 1.0 }.agrees(Mean::exact(0.0)).p_value - 0.05).abs() < 1e-6);
        assert!((binomial(0, 20, 0.5).p_value / 2.0_f64.powi(-19) - 1.0).abs() < 1e-9);
        assert_eq!(binomial(20, 20, 1.0).p_value, 1.0);
        assert_eq!(binomial(19, 20, 1.0).p_value, 0.0);
    }

    #[test]
    fn small_cells_are_pooled_with_their_neighbours() {
        let law = BTreeMap::from([(0, 0.5), (1, 0.46), (2, 0.03), (3, 0.006), (4, 0.004)]);
        // Expectations 50, 46 and 4; the last three are one cell with the rest of the second.
        let verdict = goodness_of_fit(&BTreeMap::from([(0, 50), (1, 46), (4, 4)]), &law);
        assert_eq!((verdict.freedom, verdict.p_value), (1, 1.0));
        let verdict = goodness_of_fit(&BTreeMap::from([(0, 500), (1, 460), (2, 30), (4, 10)]), &law);
        assert_eq!(verdict.freedom, 3);
    }

    /// The rest of a truncated law is a cell, and a certain outcome leaves nothing to test but the
    /// impossible.
    #[test]
    fn what_the_law_leaves_is_a_cell() {
        let cut = BTreeMap::from([(0, 0.5), (1, 0.4)]);
        assert_eq!(goodness_of_fit(&BTreeMap::from([(0, 50), (1, 40), (7, 10)]), &cut).freedom, 2);
        assert!(!goodness_of_fit(&BTreeMap::from([(0, 10), (1, 40), (7, 50)]), &cut).fits());
        let certain = BTreeMap::from([(0, 1.0)]);
        assert!(goodness_of_fit(&BTreeMap::from([(0, 50)]), &certain).fits());
        assert!(!goodness_of_fit(&BTreeMap::from([(0, 50), (1, 1)]), &certain).fits());
    }

    #[test]
    fn two_equal_samples_fit_and_disjoint_ones_do_not() {
        let sample = BTreeMap::from([(1, 40), (2, 50), (3, 10)]);
        assert_eq!(same_law(&sample, &sample).p_value, 1.0);
        assert!(!same_law(&sample, &BTreeMap::from([(4, 100)])).fits());
    }
}
