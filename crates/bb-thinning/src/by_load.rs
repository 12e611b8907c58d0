use bb_core::{Bins, Mix, ProbeRule};
use bb_processes::{LoadThreshold, MeanThinning, RelativeThreshold};

use crate::{Strategy, ThinningStrategy};

/// A rule that is described by its looks at loads, seen as a thinning strategy: mean-thinning and its kin.
///
/// The rule is the one of `bb-processes`, not written again: draw for draw, bin for bin. What is new is what a thinning strategy has: rejections, accept probabilities as data, the coupled mode, and the
/// combinators.
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
/// let mut strategy = Thinning::new(ByLoad(MeanThinning));
/// let (mut loads, mut same) = (LoadVector::new(1000)?, LoadVector::new(1000)?);
/// strategy.run(&mut loads, 100_000, &mut rng_for_trial(1, 0));
/// MeanThinning.run(&mut same, 100_000, &mut rng_for_trial(1, 0));
/// assert_eq!(loads, same);
/// assert!((35_000..55_000).contains(&strategy.rejections()));
/// # Ok::<(), bb_thinning::bb_core::LoadsError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ByLoad<P>(pub P);

/// Described rules that are thinnings: they look at one bin after another, draw no coin, take the first that pleases, and remember nothing of those that did not.
///
/// Two-Choice, for one, is no thinning: it compares. Implement it for a rule of your own if its looks never ask for the candidate's load, and the state in which it looks at an offer depends
/// on the number of offers alone.
///
/// # Examples
///
/// ```
/// use bb_thinning::LooksOnce;
///
/// fn is_a_thinning<P: LooksOnce>(_: P) {}
/// is_a_thinning(bb_processes::RelativeThreshold::new(2.0)?);
/// # Ok::<(), bb_thinning::bb_core::ParameterError>(())
/// ```
pub trait LooksOnce: ProbeRule {}

impl LooksOnce for MeanThinning {}
impl LooksOnce for LoadThreshold {}
impl LooksOnce for RelativeThreshold {}

impl<P: LooksOnce> Strategy for ByLoad<P> {
    #[inline]
    fn offers(&self) -> u32 {
        self.0.most_probes()
    }
}

impl<P: LooksOnce, B: Bins<Load = u64>> ThinningStrategy<B> for ByLoad<P> {
    #[inline]
    fn accept(&self, bins: &B, bin: B::Bin, offer: u32) -> Mix<bool> {
        let (phase, _) = self.0.phase(bins.total(), bins.bins());
        let Mix::Sure(mut state) = self.0.first(&phase) else { return Mix::Sure(false) }; // No coin.
        for _ in 1..offer {
            // Whatever was refused, the next state is the same.
            if let Mix::Sure(look) = self.0.look(&phase, state, u64::MAX, u64::MAX) {
                state = look.go.unwrap_or(state);
            }
        }
        match self.0.look(&phase, state, u64::MAX, bins.load(bin)) {
            Mix::Sure(look) => Mix::Sure(look.go.is_none()),
            Mix::Coin { coin, heads, tails } => {
                Mix::Coin { coin, heads: heads.go.is_none(), tails: tails.go.is_none() }
            }
        }
    }
}
