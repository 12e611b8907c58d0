//! Balls leave counted bins.

use rand::Rng;

use super::counted_bin::CountedBin;
use super::{LoadProfile, MOST_LEVELS};
use crate::bins::Bins;
use crate::metrics::Metrics;
use crate::remove::Remove;
use bb_samplers::draw_below;

/// Departures.
impl LoadProfile {
    /// The bin of a rank whose load is known.
    #[inline]
    pub(crate) fn nth_with_load(&self, rank: u64, load: u64) -> CountedBin {
        debug_assert_eq!(self.load(self.nth(rank)), load);
        self.name(rank, load)
    }

    /// Moves a bin of this level down by one, to the rank returned: it changes places with the last bin of
    /// the level.
    #[inline]
    fn lower(&mut self, level: usize) -> u64 {
        if level == 0 {
            return self.open_level_below();
        }
        self.tails[level] -= 1;
        let rank = self.tails[level];
        if rank == 0 {
            self.tails.pop(); // It was alone at the top.
        }
        self.middle_falls();
        rank
    }

    /// Moves the last bin of the lowest level down, to a level of its own.
    #[cold]
    #[inline(never)]
    fn open_level_below(&mut self) -> u64 {
        let rank = self.tails[0] - 1;
        if rank == 0 {
            self.lowest -= 1; // There is no other bin.
            return rank;
        }
        assert!((self.tails.len() as u64) < MOST_LEVELS, "the loads spread over more than 2^24 levels");
        self.tails.insert(1, rank);
        self.lowest -= 1;
        self.middle += 1;
        self.middle_falls();
        rank
    }

    /// The median falls by a level in `n` balls at most: to look at one level a ball is enough.
    #[inline]
    fn middle_falls(&mut self) {
        self.middle = self.middle.min(self.tails.len() - 1);
        if self.middle > 0 && self.tails[self.middle] <= self.draws.bound() / 2 {
            self.middle -= 1;
        }
    }

    /// Balls that left a bin below the maximum took the mean down, and so the gap up.
    #[inline]
    fn mean_fell(&mut self) {
        self.all_time_gap = self.all_time_gap.max(self.gap());
        self.record = None;
    }
}

impl Remove for LoadProfile {
    #[inline]
    fn remove(&mut self, bin: CountedBin) -> Option<CountedBin> {
        let level = self.level_of(bin);
        let left = (self.lowest + level as u64).checked_sub(1)?;
        self.total -= 1;
        self.last_put = 0;
        let rank = self.lower(level);
        self.mean_fell();
        Some(self.name(rank, left))
    }

    fn remove_from_each(&mut self) -> u64 {
        let holding = self.holding();
        if holding == 0 {
            return 0;
        }
        self.total -= holding;
        if self.lowest > 0 {
            self.lowest -= 1;
        } else {
            self.tails.remove(1);
        }
        self.find_middle();
        self.mean_fell();
        holding
    }

    /// The balls at each height are as many as the bins that reach it: a ball is a height and a rank.
    fn draw_ball<R: Rng + ?Sized>(&self, rng: &mut R) -> Option<CountedBin> {
        if self.total == 0 {
            return None;
        }
        let mut ball = draw_below(self.total, rng);
        let ground = self.lowest * self.bins();
        if ball < ground {
            return Some(self.nth(ball % self.bins()));
        }
        ball -= ground;
        for &tail in &self.tails[1..] {
            if ball < tail {
                break;
            }
            ball -= tail;
        }
        Some(self.nth(ball))
    }

    fn draw_holding<R: Rng + ?Sized>(&self, rng: &mut R) -> Option<CountedBin> {
        match self.holding() {
            0 => None,
            holding => Some(self.nth(draw_below(holding, rng))),
        }
    }

    fn holding(&self) -> u64 {
        if self.lowest > 0 { self.bins() } else { self.tails.get(1).copied().unwrap_or(0) }
    }
}
