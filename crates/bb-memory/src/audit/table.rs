use bb_core::ParameterError;

use crate::audit::AuditError;
use crate::model::{Decider, SampleKind, Samples, StateWriter};
use crate::theory::slow_bins_at_most;

/// The whole of a decision, for tiny cases: the probability of each bin in each state, from all samples.
///
/// For every decision whatever, with two independent samples and in every state, the probabilities sum to 1,
/// each is from `1/n²` to `2/n − 1/n²`, and at most `ε n` of them are below `ε/n` (Benjamini and Makarychev,
/// Claim 2.1). So a table that breaks a law shows a fault of the driver, not of a scheme.
///
/// Probabilities are exact where all weights are multiples of `2^-32`.
///
/// # Examples
///
/// ```
/// use bb_memory::audit::Table;
/// use bb_memory::{Advisor, Budget, Format, HeavyList, Layout, Policy, SampleKind};
///
/// let list = HeavyList::new(Layout::new(4, Budget::bits(3)?, Format::Joint, 1)?, Policy::Fill)?;
/// let table = Table::new(&list.decider(), 4, SampleKind::Independent)?;
/// // The empty list and four lists of one bin; three strings mean nothing.
/// assert_eq!((table.states().len(), table.unread()), (5, 3));
/// // A listed bin takes the ball only where all samples are that bin.
/// assert_eq!(table.states()[1].1, [1.0 / 16.0, 5.0 / 16.0, 5.0 / 16.0, 5.0 / 16.0]);
/// table.check()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    bins: usize,
    samples: u32,
    sampling: SampleKind,
    /// States that can be read, with the probability of each bin.
    states: Vec<(u64, Vec<f64>)>,
    unread: u64,
}

impl Table {
    /// Tabulates a decider: all states and all samples. Halves are not tabulated but as independent samples
    /// are, each bin in its part.
    ///
    /// # Errors
    ///
    /// If there are more than `2^20` strings or `2^20` samples, or more samples than bins where they are
    /// distinct.
    pub fn new<D: Decider>(decider: &D, bins: usize, sampling: SampleKind) -> Result<Self, AuditError> {
        let budget = decider.budget();
        ParameterError::require(budget.get() <= 20, "bits", budget.get(), "0..=20, to be enumerated")?;
        let samples = decider.samples().max(1);
        let all = (bins as u64).checked_pow(samples).filter(|&all| (1..=1 << 20).contains(&all));
        let Some(all) = all else {
            return Err(ParameterError::new("n", bins, "1.., with at most 2^20 samples").into());
        };
        ParameterError::require(
            sampling != SampleKind::Distinct || bins >= samples as usize,
            "n",
            bins,
            format_args!("{samples}.., the number of distinct samples"),
        )?;
        let all = (0..all).map(|number| nth_samples(number, bins, samples));
        let all: Vec<Vec<usize>> = all.filter(|drawn| can_be_drawn(drawn, bins, sampling)).collect();
        let mut table = Self { bins, samples, sampling, states: Vec::new(), unread: 0 };
        for number in 0..1_u64 << budget.get() {
            let refuse = |error| AuditError::State { step: 0, error };
            let mut writer = StateWriter::new(budget).map_err(refuse)?;
            writer.write(number, budget.get() as u32).map_err(refuse)?;
            match decider.view(&writer.finish().map_err(refuse)?) {
                Ok(view) => table.states.push((number, probabilities(decider, &view, &all, bins))),
                Err(_) => table.unread += 1,
            }
        }
        Ok(table)
    }

    /// Returns the states that can be read, as numbers whose lowest bit is the first, with the probability of
    /// each bin.
    #[must_use]
    pub fn states(&self) -> &[(u64, Vec<f64>)] {
        &self.states
    }

    /// Returns the number of strings that cannot be read.
    #[must_use]
    pub fn unread(&self) -> u64 {
        self.unread
    }

    /// Checks the laws that hold for every decision.
    ///
    /// # Errors
    ///
    /// The first that fails.
    pub fn check(&self) -> Result<(), AuditError> {
        const ROUNDING: f64 = 1e-12;
        let n = self.bins as f64;
        for (state, probabilities) in &self.states {
            let hold = |law, value: f64, bound: f64, holds: bool| {
                if holds { Ok(()) } else { Err(AuditError::Table { state: *state, law, value, bound }) }
            };
            let sum: f64 = probabilities.iter().sum();
            hold("Σ p = 1", sum, 1.0, (sum - 1.0).abs() < ROUNDING)?;
            if self.samples != 2 || self.sampling == SampleKind::Halves {
                continue;
            }
            let distinct = self.sampling == SampleKind::Distinct;
            let (least, most) = if distinct { (0.0, 2.0 / n) } else { (1.0 / (n * n), 2.0 / n - 1.0 / (n * n)) };
            for &p in probabilities {
                hold("p ≥ 1/n², or 0 for distinct samples", p, least, p >= least - ROUNDING)?;
                hold("p ≤ 2/n − 1/n², or 2/n for distinct samples", p, most, p <= most + ROUNDING)?;
            }
            for step in 0..=40 {
                let epsilon = f64::from(step) / 40.0;
                let slow = probabilities.iter().filter(|&&p| p < epsilon / n - ROUNDING).count() as f64;
                let bound =
                    if distinct { 1.0 + epsilon * (n - 1.0) } else { slow_bins_at_most(self.bins as u64, 2, epsilon)? };
                hold("bins of probability below ε/n are at most εn", slow, bound, slow <= bound + ROUNDING)?;
            }
        }
        Ok(())
    }
}

/// All samples of so many bins, by number.
fn nth_samples(mut number: u64, bins: usize, count: u32) -> Vec<usize> {
    let mut digit = || {
        let bin = (number % bins as u64) as usize;
        number /= bins as u64;
        bin
    };
    (0..count).map(|_| digit()).collect()
}

fn can_be_drawn(samples: &[usize], bins: usize, sampling: SampleKind) -> bool {
    let parts = samples.len();
    let begin = |part: usize| part * (bins / parts) + part.min(bins % parts);
    let mut places = samples.iter().enumerate();
    match sampling {
        SampleKind::Independent => true,
        SampleKind::Distinct => places.all(|(place, bin)| !samples[..place].contains(bin)),
        SampleKind::Halves => places.all(|(place, bin)| (begin(place)..begin(place + 1)).contains(bin)),
    }
}

/// The probability of each bin, where one of these samples is drawn.
fn probabilities<D: Decider>(decider: &D, view: &D::View, all: &[Vec<usize>], bins: usize) -> Vec<f64> {
    let mut sums = vec![0.0; bins];
    for samples in all {
        let weights = decider.decide(view, Samples::new(samples)).weights(samples.len());
        let total: u64 = weights.iter().sum();
        for (&bin, &weight) in samples.iter().zip(&weights) {
            sums[bin] += weight as f64 / total as f64;
        }
    }
    sums.into_iter().map(|sum| sum / all.len() as f64).collect()
}
