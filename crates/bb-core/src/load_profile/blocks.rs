//! Balls are placed in counted bins, one by one and in blocks.

use rand::Rng;

use super::LoadProfile;
use super::counted_bin::CountedBin;
use crate::bins::Bins;
use crate::mix::Mix;
use crate::place::{Place, Put};

impl Place for LoadProfile {
    #[inline]
    fn put(&mut self, bin: CountedBin, (): &(), put: Put) -> CountedBin {
        let load = self.lowest + self.level_of(bin) as u64;
        self.raise(load, put);
        self.any_with(load + put.count())
    }

    fn throw_to_least<R: Rng + ?Sized>(&mut self, d: impl Into<Mix<u32>>, (): &(), balls: u64, rng: &mut R) {
        let d = d.into();
        let mut left = balls;
        if matches!(d, Mix::Sure(2)) && self.bins() >= SMALLEST_FOR_BLOCKS {
            while left >= BLOCK as u64 {
                self.place_block(rng);
                left -= BLOCK as u64;
            }
        }
        for _ in 0..left {
            let (drawn, used) = d.drawn_and_used(rng);
            let (mut sample, mut down) = (0, 0);
            self.draws.draw_each(drawn.max(1), rng, |rank| {
                sample += 1;
                down = if sample <= used.max(1) { down.max(rank) } else { down };
            });
            self.lift(self.level(down));
        }
    }
}

/// Balls of one block.
const BLOCK: usize = 128;

/// Below this many bins some level changes in nearly every block.
const SMALLEST_FOR_BLOCKS: u64 = 1 << 16;

impl LoadProfile {
    /// Places a block of Two-Choice balls: all at once if none can have seen a level that another ball of the
    /// block changed, else one by one.
    ///
    /// The lesser loaded of two bins is the one further down, so a ball is one place: the larger of two. In
    /// the block a tail rises by at most `BLOCK`. If no place lies between a tail and that tail plus `BLOCK`,
    /// every ball has the level that it had at the start of the block.
    fn place_block<R: Rng + ?Sized>(&mut self, rng: &mut R) {
        let mut places = [0_u64; BLOCK];
        for place in &mut places {
            let [first, second] = self.draws.draw_pair(rng);
            *place = first.max(second);
        }
        // The top 31 bits are enough to compare most places, and compare in vector lanes.
        let shift = (64 - self.bins().leading_zeros()).saturating_sub(31);
        let short = places.map(|place| (place >> shift) as i32);
        let mut received = [0_u64; 64];
        let mut below_next = BLOCK as u64; // tails[0] is above every place.
        let levels = self.tails.len();
        let settled = levels <= received.len() && {
            (1..levels).all(|level| {
                let tail = self.tails[level];
                let lane = |place: u64| i32::try_from(place >> shift).unwrap_or(i32::MAX);
                let (surely, possibly) = (lane(tail), lane(tail + BLOCK as u64 - 1));
                let below = short.iter().map(|&place| i32::from(place < surely)).sum::<i32>();
                let not_above = short.iter().map(|&place| i32::from(place <= possibly)).sum::<i32>();
                received[level] = below_next - below as u64; // Balls that lift a bin to this level.
                below_next = below as u64;
                below == not_above
            })
        };
        // A ball on the top level would raise the maximum, and the lowest level may empty: both have a path
        // of their own.
        let lowest_stays = levels > 1 && self.tails[1] + received[1] < self.tails[0];
        if settled && below_next == 0 && lowest_stays {
            for (tail, more) in self.tails.iter_mut().zip(received) {
                *tail += more;
            }
            self.total = self.total.checked_add(BLOCK as u64).expect("the total of all loads stays below 2^64");
            self.find_middle();
        } else {
            for place in places {
                self.lift(self.level(place));
            }
        }
    }
}
