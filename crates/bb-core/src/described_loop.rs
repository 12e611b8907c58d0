//! The hot loop of described rules on labelled bins.

use rand::Rng;

use crate::description::{Description, take};
use crate::store::{Counts, on_stored, until_top};
use bb_samplers::IndexSampler;

impl Counts {
    /// Like [`Store::least_of_below`], for a described rule.
    #[inline]
    #[allow(clippy::useless_conversion, reason = "what is stored is a byte or a whole load")]
    pub(crate) fn described_below<P, R>(
        &mut self,
        max: u64,
        rule: &P,
        phase: &P::Phase,
        balls: u64,
        draws: &IndexSampler,
        rng: &mut R,
    ) -> (u64, Option<usize>)
    where
        P: Description + ?Sized,
        R: Rng + ?Sized,
    {
        let mut drawn = Vec::new();
        on_stored!(self, max, |loads, top, base| until_top(loads, top, balls, |loads| {
            let load = |bin: usize| base + u64::from(loads[bin]);
            let bin = by_description(rule, phase, draws, &mut drawn, rng, load);
            (bin, loads[bin])
        }))
    }
}

/// The bin a described rule chooses; the same words as [`crate::decide_described`].
#[inline]
fn by_description<P, R>(
    rule: &P,
    phase: &P::Phase,
    draws: &IndexSampler,
    drawn: &mut Vec<usize>,
    rng: &mut R,
    load: impl Fn(usize) -> u64,
) -> usize
where
    P: Description + ?Sized,
    R: Rng + ?Sized,
{
    let first = rule.first(phase).resolve(rng);
    match rule.most_samples() {
        0 | 1 => draws.draw(rng) as usize,
        2 => {
            let drawn = draws.draw_pair(rng).map(|index| index as usize);
            drawn[take(rule, phase, first, drawn.map(&load), rng)]
        }
        samples => {
            drawn.clear();
            draws.draw_each(samples, rng, |index| drawn.push(index as usize));
            drawn[take(rule, phase, first, drawn.iter().map(|&bin| load(bin)), rng)]
        }
    }
}
