//! The hot loop of described rules on labelled bins.

use rand::Rng;

use crate::description::{Description, take};
use crate::store::{Counts, until_top};
use bb_samplers::IndexSampler;

impl Counts {
    /// Like [`Store::least_of_below`], for a described rule.
    #[inline]
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
        match self {
            Self::Narrow { base, offsets } => {
                let (base, top) = (*base, (max - *base) as u8);
                let mut drawn = Vec::new();
                until_top(
                    offsets,
                    top,
                    |offset| offset + 1,
                    balls,
                    |offsets| {
                        let load = |bin: usize| base + u64::from(offsets[bin]);
                        let bin = by_description(rule, phase, draws, &mut drawn, rng, load);
                        (bin, offsets[bin])
                    },
                )
            }
            Self::Wide(loads) => {
                let mut drawn = Vec::new();
                until_top(
                    loads,
                    max,
                    |load| load + 1,
                    balls,
                    |loads| {
                        let bin = by_description(rule, phase, draws, &mut drawn, rng, |bin| loads[bin]);
                        (bin, loads[bin])
                    },
                )
            }
        }
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
