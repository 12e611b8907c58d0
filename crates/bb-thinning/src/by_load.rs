use bb_core::{Bins, Description, Mix, ParameterError};

use crate::strategy::{Strategy, ThinningStrategy};

/// A rule that is described by how it judges loads, seen as a thinning strategy: mean-thinning and its kin.
///
/// The rule is the one of `bb-processes`, not written again: draw for draw, bin for bin. What is new is what
/// a thinning strategy has: rejections, accept probabilities as data, the coupled mode, and the combinators.
///
/// *Randomness:* as [`Thinning`](crate::Thinning), no coin. *Cost:* `O(d)`.
///
/// # Examples
///
/// ```
/// use bb_processes::MeanThinning;
/// use bb_thinning::bb_core::{Allocator, LoadVector, rng_for_trial};
/// use bb_thinning::{ByLoad, Thinning};
///
/// let mut strategy = Thinning::new(ByLoad::new(MeanThinning)?);
/// let (mut loads, mut same) = (LoadVector::new(1000)?, LoadVector::new(1000)?);
/// strategy.run(&mut loads, 100_000, &mut rng_for_trial(1, 0));
/// MeanThinning.run(&mut same, 100_000, &mut rng_for_trial(1, 0));
/// assert_eq!(loads, same);
/// assert!((35_000..55_000).contains(&strategy.rejections()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ByLoad<P>(P);

impl<P: Description> ByLoad<P> {
    /// Returns the strategy of a described rule.
    ///
    /// # Errors
    ///
    /// If the rule is no thinning, as it says of itself ([`Description::is_thinning`]). Two-Choice, for one,
    /// compares.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_processes::{DChoice, RelativeThreshold};
    /// use bb_thinning::ByLoad;
    ///
    /// assert!(ByLoad::new(RelativeThreshold::new(2.0)?).is_ok());
    /// assert!(ByLoad::new(DChoice::two()).is_err());
    /// # Ok::<(), bb_thinning::bb_core::ParameterError>(())
    /// ```
    pub fn new(rule: P) -> Result<Self, ParameterError> {
        if rule.is_thinning() {
            Ok(Self(rule))
        } else {
            Err(ParameterError::new("rule", "one that compares", "the rules that take the first sample that pleases"))
        }
    }
}

impl<P: Description> Strategy for ByLoad<P> {
    #[inline]
    fn samples(&self) -> u32 {
        self.0.most_samples()
    }
}

impl<P: Description, B: Bins<Load = u64>> ThinningStrategy<B> for ByLoad<P> {
    #[inline]
    fn accept(&self, bins: &B, bin: B::Bin, sample: u32) -> Mix<bool> {
        let (phase, _) = self.0.phase(bins.total(), bins.bins());
        let Mix::Sure(mut state) = self.0.first(&phase) else { return Mix::Sure(false) }; // No coin.
        for _ in 1..sample {
            // Whatever was refused, the next state is the same.
            if let Mix::Sure(judgement) = self.0.judge(&phase, state, u64::MAX, u64::MAX) {
                state = judgement.go.unwrap_or(state);
            }
        }
        match self.0.judge(&phase, state, u64::MAX, bins.load(bin)) {
            Mix::Sure(judgement) => Mix::Sure(judgement.go.is_none()),
            Mix::Coin { coin, heads, tails } => {
                Mix::Coin { coin, heads: heads.go.is_none(), tails: tails.go.is_none() }
            }
        }
    }
}
