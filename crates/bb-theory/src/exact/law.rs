use std::collections::BTreeMap;

use num_traits::{ToPrimitive, Zero};

use super::{BigRational, ratio};

/// A law on finitely many outcomes, in rational numbers.
///
/// # Examples
///
/// Two balls in two bins:
///
/// ```
/// use bb_theory::exact::{Law, ratio, sorted_loads, vectors};
///
/// let law = sorted_loads(2, 2, |_| vectors::d_choice(2, 1));
/// assert_eq!(law.probability(&vec![1, 1]), ratio(1, 2));
/// assert_eq!(law.iter().count(), 2);
/// assert_eq!((law.mean_max(), law.mean_min(), law.mean_gap()), (ratio(3, 2), ratio(1, 2), ratio(1, 2)));
/// assert_eq!(law.mean_quadratic_potential(), ratio(1, 1));
/// assert_eq!(law.max_load().to_f64(), [(1, 0.5), (2, 0.5)]);
/// assert_eq!(law.map(|loads| loads[0] - loads[1]).expectation(|&d| ratio(d, 1)), ratio(1, 1));
///
/// let coin = Law::new([(ratio(1, 3), 'h'), (ratio(1, 3), 't'), (ratio(1, 3), 't')]);
/// assert_eq!(coin.probability(&'t'), ratio(2, 3));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Law<S: Ord> {
    outcomes: BTreeMap<S, BigRational>,
}

impl<S: Ord> Law<S> {
    /// Returns the law with these probabilities; those of equal outcomes are added, and what is impossible is
    /// left out.
    #[must_use]
    pub fn new(pairs: impl IntoIterator<Item = (BigRational, S)>) -> Self {
        let mut outcomes = BTreeMap::new();
        for (probability, outcome) in pairs {
            if !probability.is_zero() {
                *outcomes.entry(outcome).or_insert_with(BigRational::zero) += probability;
            }
        }
        Self { outcomes }
    }

    /// Returns the probability of an outcome.
    #[must_use]
    pub fn probability(&self, outcome: &S) -> BigRational {
        self.outcomes.get(outcome).cloned().unwrap_or_else(BigRational::zero)
    }

    /// Returns the outcomes with their probabilities, by increasing outcome.
    pub fn iter(&self) -> impl Iterator<Item = (&S, &BigRational)> {
        self.outcomes.iter()
    }

    /// Returns the law of a function of the outcome.
    #[must_use]
    pub fn map<T: Ord>(&self, function: impl Fn(&S) -> T) -> Law<T> {
        Law::new(self.iter().map(|(outcome, probability)| (probability.clone(), function(outcome))))
    }

    /// Returns the expectation of a function of the outcome.
    #[must_use]
    pub fn expectation(&self, function: impl Fn(&S) -> BigRational) -> BigRational {
        self.iter().map(|(outcome, probability)| probability * function(outcome)).sum()
    }

    /// Returns the law after one more step, where `step` lists (probability, next state).
    #[must_use]
    pub fn after<T: Ord>(&self, step: impl Fn(&S) -> Vec<(BigRational, T)>) -> Law<T> {
        let pairs = self.iter().flat_map(|(state, reached)| {
            step(state).into_iter().map(move |(probability, next)| (reached * probability, next))
        });
        Law::new(pairs)
    }

    /// Returns the outcomes with their probabilities in floating point, each rounded once.
    #[must_use]
    pub fn to_f64(&self) -> Vec<(S, f64)>
    where
        S: Clone,
    {
        let float = |number: &BigRational| number.to_f64().unwrap_or(f64::NAN);
        self.iter().map(|(outcome, probability)| (outcome.clone(), float(probability))).collect()
    }
}

/// Returns the law of a Markov chain after `steps` steps from `start`, where `step` lists (probability, next
/// state).
///
/// # Examples
///
/// The difference of two bins under Two-Choice: from 0 up surely, else up with probability 1/4.
///
/// ```
/// use bb_theory::exact::{chain, ratio};
///
/// let law = chain(0_u64, 100, |&d| match d {
///     0 => vec![(ratio(1, 1), 1)],
///     d => vec![(ratio(1, 4), d + 1), (ratio(3, 4), d - 1)],
/// });
/// // In the limit the mean gap is 3/8 for even numbers of balls.
/// let gap = law.expectation(|&d| ratio(d, 2));
/// assert!(gap < ratio(3, 8) && gap > ratio(374_999, 1_000_000));
/// ```
#[must_use]
pub fn chain<S: Ord>(start: S, steps: u64, step: impl Fn(&S) -> Vec<(BigRational, S)>) -> Law<S> {
    (0..steps).fold(Law::new([(ratio(1, 1), start)]), |law, _| law.after(&step))
}

/// Laws of loads, in any order of the bins; the type's example shows all.
impl Law<Vec<u64>> {
    /// Returns the law of the maximum load.
    #[must_use]
    pub fn max_load(&self) -> Law<u64> {
        self.map(|loads| max(loads))
    }

    /// Returns the expected maximum load.
    #[must_use]
    pub fn mean_max(&self) -> BigRational {
        self.expectation(|loads| ratio(max(loads), 1))
    }

    /// Returns the expected minimum load.
    #[must_use]
    pub fn mean_min(&self) -> BigRational {
        self.expectation(|loads| ratio(loads.iter().copied().min().unwrap_or(0), 1))
    }

    /// Returns the expected gap, maximum minus average.
    #[must_use]
    pub fn mean_gap(&self) -> BigRational {
        self.expectation(|loads| ratio(max(loads), 1) - average(loads))
    }

    /// Returns the expectation of the quadratic potential `Υ = Σ (x_i − W/n)²`.
    #[must_use]
    pub fn mean_quadratic_potential(&self) -> BigRational {
        self.expectation(|loads| {
            // Σ x² − W²/n.
            let squares: u64 = loads.iter().map(|load| load * load).sum();
            let total: u64 = loads.iter().sum();
            ratio(squares, 1) - average(loads) * ratio(total, 1)
        })
    }
}

fn max(loads: &[u64]) -> u64 {
    loads.iter().copied().max().unwrap_or(0)
}

fn average(loads: &[u64]) -> BigRational {
    ratio(loads.iter().sum(), loads.len().max(1) as u64)
}
