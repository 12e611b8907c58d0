//! Exact laws: [`Law`], and chains of them.
//!
//! A chain moves a law over states forward by one step at a time, from a function that lists the possible
//! next states. Sorted load vectors are the states of every rule that sees only loads; a rule with memory
//! adds what it remembers. All numbers are rational, so that two ways to the same law can be compared with
//! `==`.

use std::collections::BTreeMap;

use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};

/// Returns the rational `numerator/denominator`.
///
/// # Panics
///
/// If `denominator` is 0.
///
/// # Examples
///
/// ```
/// use bb_testkit::exact::ratio;
///
/// assert_eq!(ratio(2, 4).to_string(), "1/2");
/// ```
#[must_use]
pub fn ratio(numerator: u64, denominator: u64) -> BigRational {
    BigRational::new(numerator.into(), denominator.into())
}

/// An exact law on finitely many outcomes.
///
/// # Examples
///
/// Two throws of a fair coin, counting heads:
///
/// ```
/// use bb_testkit::exact::{Law, chain, ratio};
///
/// let heads = chain(0_u64, 2, |&k| vec![(ratio(1, 2), k), (ratio(1, 2), k + 1)]);
/// assert_eq!(heads.probability(&1), ratio(1, 2));
/// assert_eq!(heads.mean(|&k| ratio(k, 1)), ratio(1, 1));
/// assert_eq!(heads.map(|&k| k > 0).probability(&true), ratio(3, 4));
/// assert_eq!(heads.total(), ratio(1, 1));
/// assert_eq!(heads.to_f64()[&2], 0.25);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Law<S: Ord> {
    probabilities: BTreeMap<S, BigRational>,
}

impl<S: Ord> Law<S> {
    /// Returns the probability of an outcome; 0 if it is not listed.
    #[must_use]
    pub fn probability(&self, outcome: &S) -> BigRational {
        self.probabilities.get(outcome).cloned().unwrap_or_else(BigRational::zero)
    }

    /// Iterates over the outcomes and their probabilities, by increasing outcome.
    pub fn iter(&self) -> impl Iterator<Item = (&S, &BigRational)> {
        self.probabilities.iter()
    }

    /// Returns the sum of all probabilities, which is 1 unless steps lost some.
    #[must_use]
    pub fn total(&self) -> BigRational {
        self.probabilities.values().sum()
    }

    /// Returns the law of a function of the outcome.
    #[must_use]
    pub fn map<T: Ord>(&self, function: impl Fn(&S) -> T) -> Law<T> {
        self.iter().map(|(outcome, probability)| (probability.clone(), function(outcome))).collect()
    }

    /// Returns the expectation of a function of the outcome.
    #[must_use]
    pub fn mean(&self, function: impl Fn(&S) -> BigRational) -> BigRational {
        self.iter().map(|(outcome, probability)| probability * function(outcome)).sum()
    }

    /// Returns the law after one more step, where `step` lists (probability, next state).
    #[must_use]
    pub fn then<T: Ord>(&self, step: impl Fn(&S) -> Vec<(BigRational, T)>) -> Law<T> {
        self.iter()
            .flat_map(|(state, before)| step(state).into_iter().map(move |(now, next)| (before * now, next)))
            .collect()
    }

    /// Compiled once for each kind of outcome, not in each loop of the tests.
    #[inline(never)]
    fn add(&mut self, outcome: S, probability: BigRational) {
        if !probability.is_zero() {
            *self.probabilities.entry(outcome).or_insert_with(BigRational::zero) += probability;
        }
    }

    /// Returns the probabilities as floating-point numbers, for the tests of [`stats`](crate::stats).
    #[must_use]
    pub fn to_f64(&self) -> BTreeMap<S, f64>
    where
        S: Clone,
    {
        self.iter().map(|(outcome, probability)| (outcome.clone(), to_f64(probability))).collect()
    }
}

/// Adds up the probabilities of equal outcomes; impossible ones are left out, so that equal laws compare
/// equal.
impl<S: Ord> FromIterator<(BigRational, S)> for Law<S> {
    fn from_iter<I: IntoIterator<Item = (BigRational, S)>>(pairs: I) -> Self {
        let mut law = Self { probabilities: BTreeMap::new() };
        for (probability, outcome) in pairs {
            law.add(outcome, probability);
        }
        law
    }
}

fn to_f64(number: &BigRational) -> f64 {
    number.to_f64().expect("a probability or an expectation is finite")
}

/// Returns the law after `steps` steps from `start`, where `step` lists (probability, next state).
///
/// The example of [`Law`] shows it.
#[must_use]
pub fn chain<S: Ord>(start: S, steps: u64, step: impl Fn(&S) -> Vec<(BigRational, S)>) -> Law<S> {
    let certain = Law::from_iter([(ratio(1, 1), start)]);
    (0..steps).fold(certain, |law, _| law.then(&step))
}

/// Laws over load vectors, sorted or not: the quantities of the field.
///
/// # Examples
///
/// ```
/// use bb_testkit::exact::ratio;
/// use bb_testkit::ranks::{one_choice, sorted_chain};
///
/// // Two balls in two bins: together with probability 1/2.
/// let law = sorted_chain(2, 2, |loads| one_choice(loads.len() as u64));
/// assert_eq!(law.max_load().probability(&2), ratio(1, 2));
/// assert_eq!((law.mean_max(), law.mean_gap(), law.mean_min()), (ratio(3, 2), ratio(1, 2), ratio(1, 2)));
/// assert_eq!(law.mean_sum_sq_dev(), ratio(1, 1));
/// assert_eq!(law.gap().probability(&ratio(1, 1)), ratio(1, 2));
/// assert_eq!(law.sorted(), law);
/// ```
impl Law<Vec<u64>> {
    /// Returns the law of the loads sorted by decreasing load.
    #[must_use]
    pub fn sorted(&self) -> Self {
        self.map(|loads| {
            let mut sorted = loads.clone();
            sorted.sort_unstable_by(|a, b| b.cmp(a));
            sorted
        })
    }

    /// Returns the law of the maximum load.
    #[must_use]
    pub fn max_load(&self) -> Law<u64> {
        self.map(|loads| max_of(loads))
    }

    /// Returns the law of the gap, maximum minus mean.
    #[must_use]
    pub fn gap(&self) -> Law<BigRational> {
        self.map(|loads| ratio(max_of(loads), 1) - mean_of(loads))
    }

    /// Returns the expected maximum load.
    #[must_use]
    pub fn mean_max(&self) -> BigRational {
        self.mean(|loads| ratio(max_of(loads), 1))
    }

    /// Returns the expected gap.
    #[must_use]
    pub fn mean_gap(&self) -> BigRational {
        self.mean(|loads| ratio(max_of(loads), 1) - mean_of(loads))
    }

    /// Returns the expected minimum load.
    #[must_use]
    pub fn mean_min(&self) -> BigRational {
        self.mean(|loads| ratio(loads.iter().copied().min().unwrap_or(0), 1))
    }

    /// Returns the expectation of `Σ (x_i − W/n)²`.
    #[must_use]
    pub fn mean_sum_sq_dev(&self) -> BigRational {
        self.mean(|loads| {
            let mean = mean_of(loads);
            loads.iter().map(|&load| ratio(load, 1) - &mean).map(|deviation| &deviation * &deviation).sum()
        })
    }
}

fn max_of(loads: &[u64]) -> u64 {
    loads.iter().copied().max().unwrap_or(0)
}

fn mean_of(loads: &[u64]) -> BigRational {
    ratio(loads.iter().sum(), loads.len() as u64)
}
