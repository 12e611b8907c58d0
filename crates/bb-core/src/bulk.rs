//! Many balls at once on counted bins, exactly in law.
//!
//! A *batch* of `b` balls has `s = d·b` slots, one for each sample a ball may take, drawn whether used or
//! not. Nearly all slots hold different bins. So:
//!
//! 1. Find the slots that repeat the bin of an earlier slot. With `D` distinct bins so far a slot repeats
//!    with probability `D/n`, and then each of the `D` bins equally likely. Candidates come at the constant
//!    rate `E/n`, `E = min(s, n)`, by geometric gaps; a candidate is a repeat iff a uniform number below `E`
//!    is below `D`, and that number says of which bin.
//! 2. Balls that own a slot of a repeated bin are *played by hand*, in time order. A bin's load is drawn from
//!    the remaining counts when it is first sampled.
//! 3. All other balls, the *clean* ones, hold pairwise different bins that no other ball of the batch
//!    touches. They move as counts: those in one state and with one kept load are split over the loads
//!    of the remaining bins by hypergeometric draws, and a coin splits a count binomially.
//!
//! Given which slots repeat, the distinct bins are a uniform sample without replacement, so their loads may
//! be drawn in any order: first by hand, then in bulk. Bins that were drawn and not used stay where they
//! were. A phase ends a batch, so decisions do not depend on time within it.
//!
//! **Rises of the maximum.** A clean ball lifts a bin that no other ball of the batch touches, so it can
//! raise the maximum by one level at most, and does so iff it lands on the top level of the batch's start.
//! The clean balls are exchangeable given everything drawn by hand: each sees bins drawn without replacement,
//! and the law of their joint outcome is symmetric. So if `x` of them land on the top level, their places
//! among the clean balls are a uniform `x`-subset, and the time of the first is the place of its least
//! element. The balls played by hand have known times. Hence the record of the maximum, and with it the
//! all-time gap, stay exact in law.
//!
//! The idea of settling a batch at once is that of Berenbrink, Hammer, Kaaser, Meyer, Penschuck and Tran
//! (arXiv 2005.03584) for population protocols.

use rand::distr::Distribution;
use rand::{Rng, RngExt};

use crate::description::{Description, Judgement};
use bb_samplers::{DistinctSampler, Hypergeometric};

/// Cost of a repeat over that of a hypergeometric draw, measured; decides the length of a batch only.
const REPEAT_OVER_DRAW: f64 = 2.7;

/// Longest batch in units of √n. Beyond it the search among bins played by hand would show.
const LONGEST_BATCH: f64 = 5.0;

/// Up to so many samples a ball are played in batches on any number of bins.
const MANY_SAMPLES: u64 = 64;

/// Up to so many balls are split by drawing their bins singly.
const FEW: u64 = 8;

/// No sample is kept yet.
const NONE: u64 = u64::MAX;

/// A bin played by hand.
#[derive(Clone, Copy, Debug)]
struct Seen {
    /// The slot in which it came first.
    slot: u64,
    before: u64,
    load: u64,
}

/// Clean balls in the same situation.
#[derive(Clone, Copy, Debug)]
struct Group<S, K = u64> {
    state: S,
    /// What was kept of the samples before: here the load, `NONE` if there is none.
    kept: K,
    balls: u64,
}

impl<S: PartialEq, K: PartialEq> Group<S, K> {
    /// Joins the balls of these groups that are in the same situation.
    fn join(self, groups: &mut Vec<Self>) {
        match groups.iter_mut().find(|other| other.state == self.state && other.kept == self.kept) {
            Some(same) => same.balls += self.balls,
            None => groups.push(self),
        }
    }
}

/// The counts of a profile while batches run, and scratch space.
#[derive(Debug)]
pub(crate) struct Bulk<S> {
    bins: u64,
    /// The load of `counts[0]`.
    lowest: u64,
    counts: Vec<u64>,
    /// Bins not drawn yet in this batch, by level, and their number.
    rest: Vec<u64>,
    rest_bins: u64,
    /// Clean balls that land on each level.
    landed: Vec<u64>,
    /// (slot, first slot of the same bin), by slot.
    repeats: Vec<(u64, u64)>,
    by_hand: Vec<u64>,
    seen: Vec<Seen>,
    /// Rises of the maximum by hand: (ball of the batch, new load).
    rises: Vec<(u64, u64)>,
    groups: Vec<Group<S>>,
    next: Vec<Group<S>>,
    /// For "the least of d": bins on each level in each place of the clean balls, place by place; and those
    /// of each place at or above a level.
    places: Vec<u64>,
    above: Vec<u64>,
    distinct: DistinctSampler,
    /// Hypergeometric draws of the last batch.
    draws: u64,
}

impl<S: Copy + Eq> Bulk<S> {
    pub(crate) fn new(bins: u64, lowest: u64, counts: Vec<u64>) -> Self {
        Self {
            bins,
            lowest,
            counts,
            rest: Vec::new(),
            rest_bins: 0,
            landed: Vec::new(),
            repeats: Vec::new(),
            by_hand: Vec::new(),
            seen: Vec::new(),
            rises: Vec::new(),
            groups: Vec::new(),
            next: Vec::new(),
            places: Vec::new(),
            above: Vec::new(),
            distinct: DistinctSampler::default(),
            draws: 16,
        }
    }

    /// The batch whose repeats cost what its draws cost, as far as the last batch tells; at most `longest·√n`
    /// slots.
    fn batch_length(&self, samples: u32, longest: f64) -> u64 {
        let root = (self.bins as f64).sqrt();
        let best = (2.0 * self.draws as f64 / REPEAT_OVER_DRAW).sqrt().min(longest);
        ((best * root / f64::from(samples)) as u64).max(1)
    }

    fn top(&self) -> u64 {
        self.lowest + self.counts.len() as u64 - 1
    }

    /// Plays a batch of `balls` balls. Returns the rises of the maximum as (ball of the batch from 0, new
    /// maximum).
    fn batch<P, R>(&mut self, rule: &P, phase: &P::Phase, balls: u64, rng: &mut R) -> &[(u64, u64)]
    where
        P: Description<State = S> + ?Sized,
        R: Rng + ?Sized,
    {
        self.find_repeats(u64::from(rule.most_samples().max(1)) * balls, rng);
        self.play(rule, phase, balls, rng);
        &self.rises
    }

    /// Plays the batch whose repeats were found.
    fn play<P, R>(&mut self, rule: &P, phase: &P::Phase, balls: u64, rng: &mut R)
    where
        P: Description<State = S> + ?Sized,
        R: Rng + ?Sized,
    {
        let samples = u64::from(rule.most_samples().max(1));
        self.begin(samples);
        self.play_by_hand(rule, phase, samples, rng);
        let clean = balls - self.by_hand.len() as u64;
        match rule.least_of() {
            Some(d) => self.move_clean_to_least(d, clean, rng),
            None => self.move_clean(rule, phase, clean, rng),
        }
        self.note_clean_rise(clean, rng);
        self.settle();
    }

    /// Puts all bins back, and lists the balls that own a slot of a repeated bin.
    fn begin(&mut self, samples: u64) {
        self.rest.clone_from(&self.counts);
        self.rest_bins = self.bins;
        self.draws = 0;
        self.seen.clear();
        self.rises.clear();
        self.landed.clear();
        self.landed.resize(self.counts.len(), 0);
        self.by_hand.clear();
        self.by_hand.extend(self.repeats.iter().flat_map(|&(slot, first)| [slot / samples, first / samples]));
        self.by_hand.sort_unstable();
        self.by_hand.dedup();
    }

    fn find_repeats<R: Rng + ?Sized>(&mut self, slots: u64, rng: &mut R) {
        self.repeats.clear();
        let envelope = slots.min(self.bins);
        let log_miss = (-(envelope as f64 / self.bins as f64)).ln_1p();
        let mut slot = 0_u64;
        loop {
            // A geometric gap; 1 − U is never 0. Where every slot is a candidate, log_miss is −∞ and the
            // gap 0.
            let gap = ((1.0 - rng.random::<f64>()).ln() / log_miss).floor();
            if gap >= (slots - slot) as f64 {
                return;
            }
            slot += gap as u64;
            let distinct = slot - self.repeats.len() as u64;
            let mut first = rng.random_range(0..envelope);
            if first < distinct {
                // The slot of the `first`-th distinct bin: pass over the slots that repeat.
                for &(repeat, _) in &self.repeats {
                    first += u64::from(repeat <= first);
                }
                self.repeats.push((slot, first));
            }
            slot += 1;
            if slot >= slots {
                return;
            }
        }
    }

    fn play_by_hand<P, R>(&mut self, rule: &P, phase: &P::Phase, samples: u64, rng: &mut R)
    where
        P: Description<State = S> + ?Sized,
        R: Rng + ?Sized,
    {
        let mut max = self.top();
        for index in 0..self.by_hand.len() {
            let ball = self.by_hand[index];
            let mut state = rule.first(phase).resolve(rng);
            let (mut kept, mut receiver) = (NONE, None);
            for slot in ball * samples..(ball + 1) * samples {
                let bin = self.bin_of_slot(slot, rng);
                let load = self.seen[bin].load;
                let judgement = rule.judge(phase, state, kept, load).resolve(rng);
                if judgement.keep {
                    (kept, receiver) = (load, Some(bin));
                }
                let last = bin;
                match judgement.go {
                    Some(next) if slot + 1 < (ball + 1) * samples => state = next,
                    _ => {
                        self.receive(receiver.unwrap_or(last), ball, &mut max);
                        break;
                    }
                }
            }
        }
    }

    /// Returns the bin in a slot, as an index into `seen`; draws its load if it was not seen yet.
    fn bin_of_slot<R: Rng + ?Sized>(&mut self, slot: u64, rng: &mut R) -> usize {
        let repeat = self.repeats.binary_search_by_key(&slot, |&(slot, _)| slot);
        let slot = repeat.map_or(slot, |place| self.repeats[place].1);
        if let Some(bin) = self.seen.iter().position(|seen| seen.slot == slot) {
            return bin;
        }
        let level = self.draw_level(rng);
        self.see(slot, level)
    }

    /// Puts the bin of a slot, which was drawn on a level, among those played by hand.
    fn see(&mut self, slot: u64, level: usize) -> usize {
        let load = self.lowest + level as u64;
        self.seen.push(Seen { slot, before: load, load });
        self.seen.len() - 1
    }

    /// Places a ball in a bin among those played by hand; `max` is the maximum load so far.
    fn receive(&mut self, bin: usize, ball: u64, max: &mut u64) {
        let receiver = &mut self.seen[bin];
        receiver.load += 1;
        if receiver.load > *max {
            *max = receiver.load;
            self.rises.push((ball, *max));
        }
    }

    /// Draws the level of one of the remaining bins, and takes the bin away.
    fn draw_level<R: Rng + ?Sized>(&mut self, rng: &mut R) -> usize {
        let mut place = rng.random_range(0..self.rest_bins);
        self.rest_bins -= 1;
        let mut level = 0;
        while place >= self.rest[level] {
            place -= self.rest[level];
            level += 1;
        }
        self.rest[level] -= 1;
        level
    }

    fn move_clean<P, R>(&mut self, rule: &P, phase: &P::Phase, clean: u64, rng: &mut R)
    where
        P: Description<State = S> + ?Sized,
        R: Rng + ?Sized,
    {
        let mut groups = std::mem::take(&mut self.groups);
        let mut next = std::mem::take(&mut self.next);
        groups.clear();
        rule.first(phase).split(clean, rng, |state, balls| groups.push(Group { state, kept: NONE, balls }));
        for sample in 1..=rule.most_samples().max(1) {
            let last = sample == rule.most_samples().max(1);
            next.clear();
            for group in groups.drain(..) {
                self.judge_fresh_bins(rule, phase, group, last, &mut next, rng);
            }
            std::mem::swap(&mut groups, &mut next);
        }
        (self.groups, self.next) = (groups, next);
    }

    /// The shorter way for "the least loaded of `d`": `2d` draws a level instead of one for each pair of
    /// levels.
    ///
    /// First how many bins of each level are in each of the `d` places of a ball. Then upwards: of the balls
    /// that have all bins at or above a level, how many have them above it? The bins of a place are matched
    /// to balls uniformly, so of the `a` balls with this place's bin at or above the level, those with it
    /// above are a uniform subset, whatever the other places hold.
    fn move_clean_to_least<R: Rng + ?Sized>(&mut self, d: u32, clean: u64, rng: &mut R) {
        let levels = self.rest.len();
        self.places.clear();
        for _ in 0..d {
            let (mut left, mut bins) = (clean, self.rest_bins);
            self.rest_bins -= clean;
            for rest in &mut self.rest {
                let met = if left == 0 { 0 } else { Hypergeometric::unchecked(bins, *rest, left).sample(rng) };
                self.draws += u64::from(left > 0);
                bins -= *rest;
                left -= met;
                *rest -= met;
                self.places.push(met);
            }
        }
        let mut at_or_above = clean;
        // For each place, the balls whose bin there is at or above the level.
        self.above.clear();
        self.above.resize(d as usize, clean);
        for level in 0..levels {
            if at_or_above == 0 {
                return;
            }
            let mut above = at_or_above;
            for (place, bins) in self.above.iter_mut().enumerate() {
                let higher = *bins - self.places[place * levels + level];
                if above > 0 {
                    above = Hypergeometric::unchecked(*bins, higher, above).sample(rng);
                    self.draws += 1;
                }
                *bins = higher;
            }
            self.landed[level] = at_or_above - above;
            at_or_above = above;
        }
    }

    /// Each ball of a group draws a bin from the rest.
    fn judge_fresh_bins<P, R>(
        &mut self,
        rule: &P,
        phase: &P::Phase,
        group: Group<S>,
        last: bool,
        next: &mut Vec<Group<S>>,
        rng: &mut R,
    ) where
        P: Description<State = S> + ?Sized,
        R: Rng + ?Sized,
    {
        let lowest = self.lowest;
        let meet = |level: usize, balls: u64, landed: &mut [u64], rng: &mut R| {
            let load = lowest + level as u64;
            rule.judge(phase, group.state, group.kept, load).split(balls, rng, |Judgement { keep, go }, balls| {
                let kept = if keep { load } else { group.kept };
                match go {
                    Some(state) if !last => Group { state, kept, balls }.join(next),
                    _ => landed[if kept == NONE { level } else { (kept - lowest) as usize }] += balls,
                }
            });
        };
        self.draw_fresh(group.balls, rng, meet);
    }

    /// Draws a bin from the rest for each of `balls` balls: `meet(level, balls, landed, rng)` gets those that
    /// met a level.
    fn draw_fresh<R: Rng + ?Sized>(
        &mut self,
        balls: u64,
        rng: &mut R,
        mut meet: impl FnMut(usize, u64, &mut [u64], &mut R),
    ) {
        if balls <= FEW {
            // As one. Were it none, a batch of one ball, which a phase may end with, would make all later
            // ones so.
            self.draws += 1;
            for _ in 0..balls {
                let level = self.draw_level(rng);
                meet(level, 1, &mut self.landed, rng);
            }
            return;
        }
        let mut left = balls;
        let mut bins = self.rest_bins;
        self.rest_bins -= balls;
        for level in 0..self.rest.len() {
            let count = self.rest[level];
            if left == 0 {
                break;
            }
            let met = Hypergeometric::unchecked(bins, count, left).sample(rng);
            self.draws += 1;
            bins -= count;
            left -= met;
            self.rest[level] -= met;
            if met > 0 {
                meet(level, met, &mut self.landed, rng);
            }
        }
    }

    /// Adds the first rise of the maximum by a clean ball, if it comes before those by hand. See the head of
    /// the file.
    fn note_clean_rise<R: Rng + ?Sized>(&mut self, clean: u64, rng: &mut R) {
        let rising = self.landed[self.landed.len() - 1];
        if rising > 0 {
            let place = least_of_subset(clean, rising, &mut self.distinct, rng);
            self.note_clean_rise_at(place);
        }
    }

    /// The same, when it is known which of the clean balls it is.
    fn note_clean_rise_at(&mut self, place: u64) {
        let mut ball = place;
        for &other in &self.by_hand {
            ball += u64::from(other <= ball);
        }
        let new = self.top() + 1;
        match self.rises.first_mut() {
            // By hand the maximum rises to `new` first, so it is the first of the list.
            Some(first) => first.0 = first.0.min(ball),
            None => self.rises.push((ball, new)),
        }
    }

    /// Moves the counts.
    fn settle(&mut self) {
        let highest = self.seen.iter().map(|seen| seen.load + 1).max().unwrap_or(0).max(self.top() + 2);
        self.counts.resize((highest - self.lowest) as usize, 0);
        for (level, &balls) in self.landed.iter().enumerate() {
            self.counts[level] -= balls;
            self.counts[level + 1] += balls;
        }
        for seen in &self.seen {
            self.counts[(seen.before - self.lowest) as usize] -= 1;
            self.counts[(seen.load - self.lowest) as usize] += 1;
        }
        while self.counts.last() == Some(&0) {
            self.counts.pop();
        }
        let empty = self.counts.iter().take_while(|&&count| count == 0).count();
        self.counts.drain(..empty);
        self.lowest += empty as u64;
    }
}

/// Draws the least element of a uniform subset of `size` of the numbers below `n`.
fn least_of_subset<R: Rng + ?Sized>(n: u64, size: u64, distinct: &mut DistinctSampler, rng: &mut R) -> u64 {
    if size <= 32 {
        let mut least = n;
        distinct.draw_each(n, size as u32, rng, |number| least = least.min(number));
        return least;
    }
    // Number k is in the subset with probability size/(n − k), if none before it was. n/size tries on
    // average.
    let mut least = 0;
    while rng.random_range(0..n - least) >= size {
        least += 1;
    }
    least
}

mod ranked;
mod run;
#[cfg(test)]
mod tests;
