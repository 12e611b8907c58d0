//! Engine against engine: several ways to run one process, compared in law.

use std::collections::BTreeMap;

use bb_core::{TrialRng, rng_for_trial};

use crate::stats::{Verdict, count, goodness_of_fit, same_law};

/// Samples of `K` quantities from several engines, the first of which is the reference.
///
/// An engine is a closure that runs once from a generator and returns the quantities: anything that can be
/// counted and sorted. Every engine has a generator of its own, fixed by the seed and by its place in the
/// list. Each comparison of one quantity is a chi-square test with pooled cells; all those of one assertion
/// together have a false-alarm rate of [`FALSE_ALARM`](crate::stats::FALSE_ALARM) at most.
///
/// # Examples
///
/// ```
/// use bb_core::{TrialRng, rand::RngExt};
/// use bb_testkit::engines::Samples;
///
/// let one_by_one = || {
///     let throw = |rng: &mut TrialRng| [rng.random_range(1..=6) + rng.random_range(1..=6)];
///     Samples::new(1, 10_000).with("one by one", throw)
/// };
/// let both = |rng: &mut TrialRng| [rng.random_range(0..36)].map(|both| both / 6 + both % 6 + 2);
/// let dice = one_by_one().with("both at once", both);
/// dice.assert_same("two dice");
/// let law = (2..=12).map(|sum: i32| (sum, f64::from(6 - (sum - 7).abs()) / 36.0)).collect();
/// dice.assert_follow("two dice", &law);
/// dice.assert_rejects("one wide die", &(2..=12).map(|sum: i32| (sum, 1.0 / 11.0)).collect());
/// one_by_one().with("one wide die", |rng| [rng.random_range(2..=12)]).assert_told_apart("two dice");
/// ```
#[derive(Clone, Debug)]
pub struct Samples<S: Ord, const K: usize> {
    seed: u64,
    runs: u64,
    engines: Vec<(&'static str, [BTreeMap<S, u64>; K])>,
}

impl<S: Ord, const K: usize> Samples<S, K> {
    /// Begins with no engine; each one added makes so many runs.
    #[must_use]
    pub fn new(seed: u64, runs: u64) -> Self {
        Self { seed, runs, engines: Vec::new() }
    }

    /// Adds an engine, and runs it.
    #[must_use]
    pub fn with(mut self, name: &'static str, mut run: impl FnMut(&mut TrialRng) -> [S; K]) -> Self {
        let mut rng = rng_for_trial(self.seed, self.engines.len() as u64);
        let mut counts = [(); K].map(|()| BTreeMap::new());
        for _ in 0..self.runs {
            for (counts, outcome) in counts.iter_mut().zip(run(&mut rng)) {
                count(counts, outcome);
            }
        }
        self.engines.push((name, counts));
        self
    }

    /// Each later engine against the first: (what is compared, verdict), as one test.
    fn against_first(&self) -> Vec<(String, Verdict)> {
        let Some(((reference, first), others)) = self.engines.split_first() else { return Vec::new() };
        let tests = others.len() * K;
        let pairs = others.iter().flat_map(|(name, other)| {
            let each = first.iter().zip(other).enumerate();
            each.map(move |(place, (first, other))| {
                (format!("{name} against {reference}, quantity {place}"), same_law(first, other).one_of(tests))
            })
        });
        pairs.collect()
    }

    /// Asserts that every engine agrees with the first in the law of every quantity.
    ///
    /// # Panics
    ///
    /// If one does not, or there is nothing to compare.
    #[track_caller]
    pub fn assert_same(&self, name: &str) {
        let verdicts = self.against_first();
        assert!(!verdicts.is_empty(), "{name}: nothing to compare");
        for (pair, verdict) in verdicts {
            verdict.assert_fits(&format!("{name}: {pair}"), self.seed);
        }
    }

    /// Asserts that every engine differs from the first in the law of some quantity: the other half of each
    /// test.
    ///
    /// # Panics
    ///
    /// If one does not.
    #[track_caller]
    pub fn assert_told_apart(&self, name: &str) {
        let verdicts = self.against_first();
        assert!(!verdicts.is_empty(), "{name}: nothing to compare");
        for of_engine in verdicts.chunks(K) {
            assert!(of_engine.iter().any(|(_, verdict)| !verdict.fits()), "{name} is not told apart: {of_engine:?}");
        }
    }
}

impl<S: Ord> Samples<S, 1> {
    /// Asserts that every engine follows an exact law.
    ///
    /// # Panics
    ///
    /// If one does not.
    #[track_caller]
    pub fn assert_follow(&self, name: &str, law: &BTreeMap<S, f64>) {
        for (engine, [counts]) in &self.engines {
            goodness_of_fit(counts, law)
                .one_of(self.engines.len())
                .assert_fits(&format!("{name}: {engine}"), self.seed);
        }
    }

    /// Asserts that no engine follows a law: the other half of each test.
    ///
    /// # Panics
    ///
    /// If one does.
    #[track_caller]
    pub fn assert_rejects(&self, name: &str, law: &BTreeMap<S, f64>) {
        for (engine, [counts]) in &self.engines {
            goodness_of_fit(counts, law).assert_rejects(&format!("{name}: {engine}"), self.seed);
        }
    }
}
