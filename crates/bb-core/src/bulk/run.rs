//! Counted bins take many balls at once: what users call.

use rand::Rng;

use super::ranked::{LONGEST_BATCH_BY_RANKS, Ranks};
use super::{Bulk, LONGEST_BATCH, MANY_SAMPLES};
use crate::bins::Bins;
use crate::description::Description;
use crate::load_profile::LoadProfile;
use crate::place::Place;
use crate::rank_description::{RankDescription, decide_by_ranks};

impl LoadProfile {
    /// Throws `balls` balls by a described rule, many at once, exactly in law.
    ///
    /// Agrees with [`decide_described`](crate::decide_described) ball by ball in law, not in bits. Stops
    /// exactly at the ball asked for; the all-time gap and the record of the maximum are kept exactly too.
    ///
    /// *Accuracy:* all counts are integers. What is exact only up to floating point are the hypergeometric
    /// and binomial draws and the geometric gaps between repeats: each within 1e-11 in total variation.
    ///
    /// # Complexity
    ///
    /// A batch of `Θ(√n)` balls costs a few dozen draws, so a ball costs `O(1/√n)` times a factor that grows
    /// with the number of occupied levels. Faster than ball by ball from between `n = 2^18` and `2^20`, as
    /// measured. Beyond 64 and `√n` samples a ball it goes ball by ball. Memory: a few numbers per level and
    /// per repeat.
    ///
    /// # Examples
    ///
    /// [`Description`] has one.
    pub fn run_bulk<P: Description + ?Sized, R: Rng + ?Sized>(&mut self, rule: &P, balls: u64, rng: &mut R) {
        let samples = u64::from(rule.most_samples());
        if samples > MANY_SAMPLES && samples > Bins::bins(self).isqrt() {
            // The slots of one ball repeat bins already: there is nothing to gain, and they would have to be
            // kept.
            return match rule.least_of() {
                Some(d) => self.throw_to_least(d, &(), balls, rng),
                None => self.throw(rule, &(), balls, rng),
            };
        }
        let mut bulk = Bulk::new(Bins::bins(self), self.lowest(), self.counts());
        let mut left = balls;
        while left > 0 {
            let (phase, until) = rule.phase(self.total(), bulk.bins);
            let mut in_phase = left.min(until.saturating_sub(self.total()).max(1));
            left -= in_phase;
            while in_phase > 0 {
                let batch = bulk.batch_length(rule.most_samples().max(1), LONGEST_BATCH).min(in_phase);
                let rises = bulk.batch(rule, &phase, batch, rng);
                self.note_batch(batch, rises);
                in_phase -= batch;
            }
        }
        self.set_counts(bulk.lowest, &bulk.counts);
    }
}

impl LoadProfile {
    /// Throws `balls` balls by a rule of ranks, many at once, exactly in law: [`run_bulk`](Self::run_bulk)
    /// for a [`RankDescription`], whose probabilities drift from ball to ball.
    ///
    /// Agrees with [`decide_by_ranks`] ball by ball in law, not in bits; stops exactly at the ball asked for;
    /// the all-time gap and the record of the maximum are kept exactly. A rule with more than two samples
    /// goes ball by ball.
    ///
    /// *Accuracy:* as [`run_bulk`](Self::run_bulk); the drift within a batch is followed in integers.
    ///
    /// # Complexity
    ///
    /// `O(1/√n)` a ball as in [`run_bulk`](Self::run_bulk), with about half its length of batches; shorter
    /// ones, down to a ball, while a boundary passes from one level to the next, which happens once in `n`
    /// balls.
    ///
    /// # Examples
    ///
    /// [`RankDescription`] has one.
    pub fn run_bulk_by_ranks<Q: RankDescription, R: Rng + ?Sized>(&mut self, rule: &Q, balls: u64, rng: &mut R) {
        let samples = rule.on_classes().most_samples().max(1);
        if samples > 2 {
            for _ in 0..balls {
                let bin = decide_by_ranks(rule, self, rng).bin;
                self.place(bin, &());
            }
            return;
        }
        let mut bulk = Bulk::new(self.bins(), self.lowest(), self.counts());
        let mut ranks = Ranks::new(rule, bulk.bins);
        let mut left = balls;
        while left > 0 {
            ranks.locate(&bulk.counts);
            let batch = bulk.batch_length(samples, LONGEST_BATCH_BY_RANKS).min(ranks.longest()).min(left);
            ranks.cut(batch);
            ranks.play(&mut bulk, batch, rng);
            self.note_batch(batch, &bulk.rises);
            left -= batch;
        }
        self.set_counts(bulk.lowest, &bulk.counts);
    }
}
