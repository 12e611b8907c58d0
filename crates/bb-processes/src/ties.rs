use bb_core::{Bins, Decision, Rng, draw_below};

/// What happens among equally loaded candidates, where bins are not alike and the law of the loads depends on
/// it.
///
/// Where bins are exchangeable the first sample wins, and no rule asks.
///
/// # Examples
///
/// ```
/// use bb_processes::bb_core::{Allocator, LoadVector, rng_for_trial};
/// use bb_processes::{Graph, GraphChoice, Ties};
///
/// let mut rule = GraphChoice::new(Graph::from_edges(2, [(1, 0)])?).with_ties(Ties::First);
/// assert_eq!(rule.step(&mut LoadVector::new(2)?, &mut rng_for_trial(1, 0)), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Ties {
    /// Each of the tied candidates is equally likely.
    #[default]
    Fair,
    /// The first of them, in the order that the rule documents.
    First,
}

/// The least loaded of candidates that come one after another.
///
/// Fair ties take one word for each candidate that ties with the least so far: the `t`-th of them is taken
/// with probability `1/t`.
pub(crate) struct Least<B: Bins + ?Sized> {
    ties: Ties,
    samples: u32,
    tied: u64,
    best: Option<(Decision<B::Bin>, B::Load)>,
}

impl<B: Bins + ?Sized> Least<B> {
    #[inline]
    pub(crate) fn new(ties: Ties) -> Self {
        Self { ties, samples: 0, tied: 1, best: None }
    }

    #[inline]
    pub(crate) fn sample<R: Rng + ?Sized>(&mut self, bins: &B, bin: B::Bin, rng: &mut R) {
        self.samples += 1;
        let load = bins.load(bin);
        let Some((decision, least)) = &mut self.best else {
            self.best = Some((Decision::first(bin), load));
            return;
        };
        let taken = if load < *least {
            self.tied = 1;
            true
        } else if load == *least && self.ties == Ties::Fair {
            self.tied += 1;
            draw_below(self.tied, rng) == 0
        } else {
            false
        };
        if taken {
            *decision = Decision { bin, sample: self.samples, ..*decision };
            *least = load;
        }
    }

    /// The choice; the first place of all where nothing was sampled.
    #[inline]
    pub(crate) fn decision(self, bins: &B) -> Decision<B::Bin> {
        self.best.map_or_else(|| Decision::first(bins.nth(0)), |(decision, _)| decision)
    }
}
