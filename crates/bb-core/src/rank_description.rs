//! Rules that ask for ranks: [`RankDescription`].

use rand::Rng;

use crate::bins::BinsExt;
use crate::decision::Decision;
use crate::description::{Description, take};
use crate::ranked::Ranked;

/// A described rule that is told the rank class of a bin in place of its load.
///
/// Boundaries divide the ranks: the class of a bin is the number of boundaries above its rank, 0 for the
/// lightest. The rule itself is any [`Description`] on classes: Two-Choice on classes is k-Quantile, to
/// accept class 0 and else take a second bin is Quantile.
///
/// A described rule of ranks runs on every view that is [`Ranked`] ([`decide_by_ranks`]) and in bulk
/// ([`LoadProfile::run_bulk_by_ranks`](crate::LoadProfile::run_bulk_by_ranks)). A view without ranks does not
/// compile:
///
/// ```compile_fail,E0277
/// # use bb_core::{LoadVector, Judgement, Mix, Description, RankDescription, decide_by_ranks, rng_for_trial};
/// # struct Halves;
/// # impl Description for Halves {
/// #     type State = ();
/// #     type Phase = ();
/// #     fn most_samples(&self) -> u32 { 1 }
/// #     fn phase(&self, _: u64, _: u64) -> ((), u64) { ((), u64::MAX) }
/// #     fn first(&self, _: &()) -> Mix<()> { Mix::Sure(()) }
/// #     fn judge(&self, _: &(), _: (), _: u64, _: u64) -> Mix<Judgement<()>> {
/// #         Mix::Sure(Judgement { keep: true, go: None })
/// #     }
/// # }
/// # impl RankDescription for Halves {
/// #     type OnClasses = Self;
/// #     fn on_classes(&self) -> &Self { self }
/// #     fn boundaries(&self) -> usize { 1 }
/// #     fn boundary(&self, _: usize, bins: u64) -> u64 { bins / 2 }
/// # }
/// let loads = LoadVector::new(4).unwrap(); // A RankedVector is meant.
/// decide_by_ranks(&Halves, &loads, &mut rng_for_trial(1, 0));
/// ```
///
/// # Examples
///
/// ```
/// use bb_core::{
///     Description, Judgement, LoadProfile, Metrics, Mix, Place, RankDescription, decide_by_ranks,
///     rng_for_trial,
/// };
///
/// /// The lighter half of two bins, the first if both are in the same.
/// struct Halves;
///
/// impl Description for Halves {
///     type State = bool; // Is this the last bin?
///     type Phase = ();
///     fn most_samples(&self) -> u32 { 2 }
///     fn phase(&self, _: u64, _: u64) -> ((), u64) { ((), u64::MAX) }
///     fn first(&self, _: &()) -> Mix<bool> { Mix::Sure(false) }
///     fn judge(&self, _: &(), last: bool, kept: u64, class: u64) -> Mix<Judgement<bool>> {
///         Mix::Sure(Judgement { keep: class < kept, go: (!last).then_some(true) })
///     }
/// }
///
/// impl RankDescription for Halves {
///     type OnClasses = Self;
///     fn on_classes(&self) -> &Self { self }
///     fn boundaries(&self) -> usize { 1 }
///     fn boundary(&self, _: usize, bins: u64) -> u64 { bins / 2 }
/// }
///
/// let mut rng = rng_for_trial(1, 0);
/// let mut loads = LoadProfile::new(1 << 30)?;
/// loads.run_bulk_by_ranks(&Halves, 1 << 30, &mut rng);
/// let empty = loads.empty_bins() as f64 / (1_u64 << 30) as f64;
/// assert!((empty - 0.264_451).abs() < 1e-4, "the fluid limit is 0.264451: {empty}");
/// let next = decide_by_ranks(&Halves, &loads, &mut rng).bin;
/// loads.place(next, &());
/// # Ok::<(), bb_core::LoadsError>(())
/// ```
pub trait RankDescription {
    /// The rule that sees classes as loads.
    type OnClasses: Description;

    /// Returns the rule that sees classes as loads.
    fn on_classes(&self) -> &Self::OnClasses;

    /// Returns the number of boundaries.
    fn boundaries(&self) -> usize;

    /// Returns a boundary: so many of the fullest of `bins` bins are above it. In any order; 0 and `bins`
    /// divide nothing.
    fn boundary(&self, which: usize, bins: u64) -> u64;

    /// Returns the class of a rank among `bins` bins.
    #[inline]
    fn class(&self, rank: u64, bins: u64) -> u64 {
        (0..self.boundaries()).map(|which| u64::from(rank < self.boundary(which, bins))).sum()
    }

    /// Returns the phase of the rule on classes, which never changes: the total of all classes does not.
    #[inline]
    fn class_phase(&self, bins: u64) -> <Self::OnClasses as Description>::Phase {
        let total =
            (0..self.boundaries()).map(|which| self.boundary(which, bins).min(bins)).fold(0, u64::saturating_add);
        self.on_classes().phase(total, bins).0
    }
}

/// Plays one ball of a rule of ranks; [`RankDescription`] has an example.
///
/// *Randomness:* the coin of the first state, if it has one; all [`most_samples`](Description::most_samples)
/// bins by [`BinsExt::draw_each`], whether used or not; the rank of each bin, in order ([`Ranked::rank`]);
/// the coins of the judgements. Allocates where a ball has more than two samples.
#[inline]
pub fn decide_by_ranks<Q, B, R>(rule: &Q, bins: &B, rng: &mut R) -> Decision<B::Bin>
where
    Q: RankDescription + ?Sized,
    B: Ranked + ?Sized,
    R: Rng + ?Sized,
{
    let on_classes = rule.on_classes();
    let phase = rule.class_phase(bins.bins());
    let first = on_classes.first(&phase).resolve(rng);
    let class = |rank: u64| rule.class(rank, bins.bins());
    if on_classes.most_samples() == 2 {
        let drawn = bins.draw_pair(rng);
        let rank = bins.rank(drawn[0], &[], rng);
        // Drawn twice, a bin has one rank.
        let second = if drawn[1] == drawn[0] { rank } else { bins.rank(drawn[1], &[rank], rng) };
        let taken = take(on_classes, &phase, first, [rank, second].map(class), rng);
        return Decision { bin: drawn[taken], primary: drawn[0], sample: taken as u32 + 1 };
    }
    let mut drawn = Vec::new();
    bins.draw_each(on_classes.most_samples().max(1), rng, |bin| drawn.push(bin));
    let ranks = draw_ranks(bins, &drawn, rng);
    let taken = take(on_classes, &phase, first, ranks.into_iter().map(class), rng);
    Decision { bin: drawn[taken], primary: drawn[0], sample: taken as u32 + 1 }
}

/// Draws the ranks of bins: different bins have different ranks, and a bin that was drawn again has the rank
/// it had.
fn draw_ranks<B: Ranked + ?Sized, R: Rng + ?Sized>(bins: &B, drawn: &[B::Bin], rng: &mut R) -> Vec<u64> {
    let (mut ranks, mut sorted) = (Vec::with_capacity(drawn.len()), Vec::new());
    for (place, &bin) in drawn.iter().enumerate() {
        let rank = match drawn[..place].iter().position(|&other| other == bin) {
            Some(same) => ranks[same],
            None => {
                let rank = bins.rank(bin, &sorted, rng);
                sorted.insert(sorted.partition_point(|&other| other < rank), rank);
                rank
            }
        };
        ranks.push(rank);
    }
    ranks
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::load_vector::LoadVector;
    use crate::ranked_vector::RankedVector;
    use crate::seeds::rng_for_trial;
    use bb_testkit::stats::{goodness_of_fit, tally};

    /// The ranks of bins drawn together: those of one load are a uniform choice in a uniform order. 1 test,
    /// and the law of ranks drawn apart.
    #[test]
    fn ranks_of_different_bins_are_drawn_without_replacement() {
        let loads = RankedVector::from(LoadVector::from_loads(vec![5, 1, 1, 0, 1]).unwrap());
        let mut rng = rng_for_trial(1, 0);
        let ranks = tally((0..30_000).map(|_| draw_ranks(&loads, &[1, 2, 1, 0, 4], &mut rng)));
        let all = || (1_u64..=3).flat_map(|a| (1_u64..=3).flat_map(move |b| (1_u64..=3).map(move |c| (a, b, c))));
        let law = |all: Vec<(u64, u64, u64)>| {
            let each = 1.0 / all.len() as f64;
            all.into_iter().map(|(a, b, c)| (vec![a, b, a, 0, c], each)).collect::<BTreeMap<_, _>>()
        };
        let apart = all().filter(|(a, b, c)| a != b && b != c && a != c).collect();
        goodness_of_fit(&ranks, &law(apart)).assert_fits("without replacement", 1);
        goodness_of_fit(&ranks, &law(all().collect())).assert_rejects("drawn apart", 1);
    }
}
