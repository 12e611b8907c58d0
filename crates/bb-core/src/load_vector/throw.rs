//! Balls are placed in labelled bins, one by one and in blocks.

use core::hint::select_unpredictable;
use core::num::NonZeroU64;

use rand::Rng;

use super::LoadVector;
use crate::description::{Description, in_phases};
use crate::load::{Load, Weight};
use crate::mix::Mix;
use crate::place::{Place, Put};
use crate::store::{Store, Stored};
use bb_samplers::IndexSampler;

impl Place for LoadVector<u64> {
    // Always: a few instructions a ball, and half as many again for a call that hands over the put.
    #[inline(always)]
    fn put(&mut self, bin: usize, (): &(), put: Put) -> usize {
        let load = self.store.add(bin, put.count());
        u64::accumulate(&mut self.total, put.count());
        if load > self.max {
            self.write_rise(load, put.count());
        }
        bin
    }

    fn throw_to_least<R: Rng + ?Sized>(&mut self, d: impl Into<Mix<u32>>, (): &(), balls: u64, rng: &mut R) {
        self.throw_below(d.into(), balls, rng, BLOCKS_FROM);
    }

    fn throw<P: Description + ?Sized, R: Rng + ?Sized>(&mut self, rule: &P, (): &(), balls: u64, rng: &mut R) {
        in_phases(self, rule, balls, |bins, phase, balls| {
            bins.alternate(balls, rng, |store, max, balls, draws, rng| {
                store.described_below(max, rule, phase, balls, draws, rng)
            });
        });
    }
}

/// From so many bytes of loads on, the bins of a block of balls are drawn, and their loads read, before the
/// first of the balls is placed.
///
/// Below that the caches hold the loads, and to read each twice costs more than it saves.
pub(super) const BLOCKS_FROM: usize = 8 << 20;

/// Balls of one block: enough for many misses of the cache at once, and their bins stay in its first level.
const BLOCK: usize = 256;

impl LoadVector<u64> {
    /// [`Place::throw_to_least`], in blocks from so many bytes of loads on.
    pub(super) fn throw_below<R: Rng + ?Sized>(&mut self, d: Mix<u32>, balls: u64, rng: &mut R, blocks_from: usize) {
        let blocks = self.store.size() >= blocks_from;
        match d {
            Mix::Sure(0 | 1) if blocks => self.throw_in_blocks::<1, R>(balls, rng, |_| 1),
            Mix::Sure(2) if blocks => self.throw_in_blocks::<2, R>(balls, rng, |_| 2),
            Mix::Sure(3) if blocks => self.throw_in_blocks::<3, R>(balls, rng, |_| 3),
            Mix::Coin { heads: 2, tails: 1, .. } if blocks => {
                self.throw_in_blocks::<2, R>(balls, rng, |rng| d.resolve(rng) as usize);
            }
            _ => {
                self.alternate(balls, rng, |store, max, balls, draws, rng| {
                    store.least_of_below(max, d, balls, draws, rng)
                });
            }
        }
    }

    /// Draws the bins of a block of balls, `D` for each, of which the first `used` count, and then places the
    /// balls in order: the same words and the same bins as ball by ball.
    #[inline]
    fn throw_in_blocks<const D: usize, R: Rng + ?Sized>(
        &mut self,
        balls: u64,
        rng: &mut R,
        used: impl Fn(&mut R) -> usize,
    ) {
        let mut block = [[0; D]; BLOCK];
        let mut left = balls;
        while left > 0 {
            let drawn = &mut block[..left.min(BLOCK as u64) as usize];
            for bins in &mut *drawn {
                let used = used(rng);
                *bins = self.draws.draw_array(rng);
                // A bin that does not count becomes the first again, which wins against itself.
                for place in 1..D {
                    bins[place] = select_unpredictable(place < used, bins[place], bins[0]);
                }
            }
            self.alternate(drawn.len() as u64, rng, |store, max, balls, _, _| {
                store.least_of_drawn_below(max, &drawn[drawn.len() - balls as usize..])
            });
            left -= drawn.len() as u64;
        }
    }

    /// The balls of a put are placed one after another: each that lands above the old maximum is a rise.
    #[cold]
    #[inline(never)]
    fn write_rise(&mut self, to: u64, balls: u64) {
        let rises = (to - self.max).min(balls);
        self.maximum_rises(to);
        if let Some(record) = &mut self.record {
            record.rises_in_a_row(self.total, self.max, rises);
        }
    }
}

impl Place for LoadVector<f64> {
    #[inline]
    fn put(&mut self, bin: usize, (): &(), put: Put) -> usize {
        self.add(bin, put.count() as f64);
        bin
    }

    fn throw_to_least<R: Rng + ?Sized>(&mut self, d: impl Into<Mix<u32>>, (): &(), balls: u64, rng: &mut R) {
        let d = d.into();
        self.alternate(balls, rng, |store, max, balls, draws, rng| store.least_of_below(max, d, balls, draws, rng));
    }
}

impl<T: Load> LoadVector<T>
where
    Self: Place<Bin = usize>,
{
    /// Alternates a loop that cannot raise the maximum with single balls that do. The loop gets the maximum
    /// and the number of balls, and returns how many it placed, and the bin of the next ball if that would
    /// raise the maximum.
    #[inline]
    fn alternate<R: Rng + ?Sized>(
        &mut self,
        balls: u64,
        rng: &mut R,
        mut below: impl FnMut(&mut T::Store, T, u64, &IndexSampler, &mut R) -> (u64, Option<usize>),
    ) {
        let mut left = balls;
        while left > 0 {
            let (placed, rising) = below(&mut self.store, self.max, left, &self.draws, rng);
            T::accumulate(&mut self.total, T::of_balls(placed));
            left -= placed;
            if let Some(bin) = rising {
                self.place(bin, &());
                left -= 1;
            }
        }
    }
}

/// A ball with an integer weight: so many balls in a row, none for 0. A [record](LoadVector::record_maximum)
/// counts weight then.
///
/// # Panics
///
/// If the total reaches `2^64`: before, the weight can be checked against `u64::MAX − total`.
///
/// # Examples
///
/// ```
/// use bb_core::{Bins, LoadVector, Place};
///
/// let mut loads = LoadVector::new(4)?;
/// loads.place(2, &7);
/// loads.place(2, &0);
/// assert_eq!((loads.load(2), loads.total()), (7, 7));
/// # Ok::<(), bb_core::LoadsError>(())
/// ```
impl Place<u64> for LoadVector<u64> {
    #[inline]
    fn put(&mut self, bin: usize, weight: &u64, put: Put) -> usize {
        if let Some(weight) = NonZeroU64::new(*weight) {
            for _ in 0..put.count() {
                self.put(bin, &(), Put::balls(weight));
            }
        }
        bin
    }
}

/// A ball with a real weight.
impl Place<Weight> for LoadVector<f64> {
    #[inline]
    fn put(&mut self, bin: usize, weight: &Weight, put: Put) -> usize {
        for _ in 0..put.count() {
            self.add(bin, weight.get());
        }
        bin
    }
}
