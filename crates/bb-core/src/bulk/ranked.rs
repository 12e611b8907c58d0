//! Rules of ranks in bulk: a batch in which probabilities drift.
//!
//! A boundary of `r` ranks lies within a level: of the `c` bins there the fullest `h` are above it, so a bin
//! of that level is above it with probability `h/c`, which moves with every ball. In a batch of `b ≤ h + 1`
//! balls the boundary stays within the level, and since `k ≤ b − 1` balls came before,
//! `(h − k)/c ≤ h(t)/c(t) ≤ h/c` with the `h` and `c` of the batch's start: `h` falls by one for a ball that
//! lands on the level, `c − h` rises by one for a ball that lands below it.
//!
//! So let a ball that samples a bin of the level draw a uniform cell of `c`. Below `h − (b − 1)` the bin is
//! surely above the boundary, from `h` on surely below; in between it is *open*. The sure ones move as
//! counts. A ball with an open sample is stopped there; such balls lie at a uniform subset of the places of
//! the clean balls, and are played by hand from that sample on, in time order with those that own a repeated
//! bin. At each of them `h(t)` and `c(t)` are made exact: of the clean balls that land on the level, or on
//! the one below, a hypergeometric number lies before it. The first landing of a clean ball on the top level
//! is found in the same intervals.

use core::ops::RangeInclusive;

use rand::distr::Distribution;
use rand::{Rng, RngExt};

use super::{Bulk, Group, NONE, least_of_subset};
use crate::description::{Description, Judgement};
use crate::mix::Mix;
use crate::rank_description::RankDescription;
use bb_samplers::{Binomial, Hypergeometric};

/// Open samples grow with the square of the batch, like repeats: the best batch is shorter, as measured.
pub(super) const LONGEST_BATCH_BY_RANKS: f64 = 2.0;

/// A boundary that divides the bins, at the start of a batch.
#[derive(Clone, Copy, Debug)]
struct Boundary {
    /// So many bins are above it.
    rank: u64,
    /// The level within which it lies.
    level: usize,
    /// Bins of the level above it: `h`.
    above: u64,
    /// Bins of the level: `c`.
    bins: u64,
}

/// Cells of a level that holds a boundary.
#[derive(Clone, Copy, Debug)]
struct Piece {
    level: usize,
    cells: (u64, u64),
    /// The class of a bin there; none where it is open.
    class: Option<u64>,
}

/// Clean balls in the same situation; kept are class and level.
type ByClass<S> = Group<S, Option<(u64, usize)>>;

/// A ball with a sample that cannot be judged in bulk.
#[derive(Clone, Copy, Debug)]
struct Open<S> {
    group: ByClass<S>,
    /// The level of the bin, and the sample, counted from 0.
    level: usize,
    sample: u64,
    /// The cells of `c` among which it lies.
    cells: (u64, u64),
}

/// What a rule of ranks needs in a batch.
#[derive(Debug)]
pub(super) struct Ranks<'a, P: Description> {
    /// The rule on classes.
    rule: &'a P,
    phase: P::Phase,
    /// By rank.
    boundaries: Vec<Boundary>,
    /// The class of every bin is at least this, by boundaries that divide nothing.
    least_class: u64,
    /// For the present batch, by level and cell.
    pieces: Vec<Piece>,
    open: Vec<Open<P::State>>,
    /// Places of open balls among the clean ones, then all balls played by hand: (ball, which of the open).
    places: Vec<(u64, Option<usize>)>,
    /// Balls that landed on each level so far: clean ones and by hand.
    moved: Vec<u64>,
    /// Landings of clean balls that lie ahead.
    ahead: Vec<u64>,
    /// Clean balls that lie behind and ahead.
    clean_behind: u64,
    clean_ahead: u64,
    /// The first clean ball that lands on the top level.
    first_on_top: Option<u64>,
}

impl<'a, P: Description> Ranks<'a, P> {
    pub(super) fn new<Q: RankDescription<OnClasses = P>>(rule: &'a Q, bins: u64) -> Self {
        let ranks = || (0..rule.boundaries()).map(|which| rule.boundary(which, bins));
        let mut dividing: Vec<_> = ranks().filter(|&rank| rank > 0 && rank < bins).collect();
        dividing.sort_unstable();
        Self {
            rule: rule.on_classes(),
            phase: rule.class_phase(bins),
            boundaries: dividing.iter().map(|&rank| Boundary { rank, level: 0, above: 0, bins: 0 }).collect(),
            least_class: ranks().filter(|&rank| rank >= bins).count() as u64,
            pieces: Vec::new(),
            open: Vec::new(),
            places: Vec::new(),
            moved: Vec::new(),
            ahead: Vec::new(),
            clean_behind: 0,
            clean_ahead: 0,
            first_on_top: None,
        }
    }

    /// Finds the boundaries among the counts.
    pub(super) fn locate(&mut self, counts: &[u64]) {
        let (mut level, mut higher) = (counts.len() - 1, 0);
        for boundary in &mut self.boundaries {
            while higher + counts[level] <= boundary.rank {
                higher += counts[level];
                level -= 1; // All bins together are more than the rank.
            }
            (boundary.level, boundary.above, boundary.bins) = (level, boundary.rank - higher, counts[level]);
        }
    }

    /// The longest batch in which no boundary leaves its level, half of it for the sake of few open samples.
    pub(super) fn longest(&self) -> u64 {
        self.boundaries.iter().map(|boundary| boundary.above / 2 + 1).min().unwrap_or(u64::MAX)
    }

    /// Cuts the levels that hold boundaries into pieces for a batch of so many balls.
    pub(super) fn cut(&mut self, batch: u64) {
        let mut pieces = core::mem::take(&mut self.pieces);
        pieces.clear();
        for on_level in self.boundaries.chunk_by(|a, b| a.level == b.level) {
            let Boundary { level, bins, .. } = on_level[0];
            let mut class = self.class_of_level(level).0 + on_level.len() as u64;
            let mut from = 0;
            let mut piece = |to: u64, class: Option<u64>| {
                if to > from {
                    pieces.push(Piece { level, cells: (from, to), class });
                    from = to;
                }
            };
            for boundary in on_level {
                piece(boundary.above.saturating_sub(batch - 1), Some(class));
                piece(boundary.above, None);
                class -= 1;
            }
            piece(bins, Some(class));
        }
        self.pieces = pieces;
    }

    /// The class of the bins of a level as far as boundaries on other levels go, and the boundaries on this
    /// one.
    fn class_of_level(&self, level: usize) -> (u64, &[Boundary]) {
        // By rank, so by falling level.
        let from = self.boundaries.partition_point(|boundary| boundary.level > level);
        let to = self.boundaries.partition_point(|boundary| boundary.level >= level);
        ((self.boundaries.len() - to) as u64 + self.least_class, &self.boundaries[from..to])
    }

    fn judge(&self, state: P::State, kept: Option<(u64, usize)>, class: u64) -> Mix<Judgement<P::State>> {
        self.rule.judge(&self.phase, state, kept.map_or(NONE, |kept| kept.0), class)
    }

    /// Draws which landings lie before the time that so many clean balls precede.
    fn advance<R: Rng + ?Sized>(&mut self, clean: u64, bulk: &mut Bulk<P::State>, rng: &mut R) {
        let span = clean - self.clean_behind;
        if span == 0 {
            return;
        }
        let top = bulk.counts.len() - 1;
        let (mut others, mut of_span) = (self.clean_ahead, span);
        let mut level = top + 1;
        while level > 0 && of_span > 0 {
            level -= 1;
            let landed = self.ahead[level];
            if landed == 0 || !(level == top || self.matters(level)) {
                continue;
            }
            let now = Hypergeometric::unchecked(others, landed, of_span).sample(rng);
            (others, of_span) = (others - landed, of_span - now);
            self.ahead[level] -= now;
            self.moved[level] += now;
            if level == top && now > 0 && self.first_on_top.is_none() {
                self.first_on_top = Some(self.clean_behind + least_of_subset(span, now, &mut bulk.distinct, rng));
            }
        }
        self.clean_ahead -= span;
        self.clean_behind = clean;
    }

    /// Whether landings on a level move a boundary.
    fn matters(&self, level: usize) -> bool {
        self.boundaries.iter().any(|boundary| boundary.level == level || boundary.level == level + 1)
    }

    /// The class of a bin on a level after so many clean balls; `cells` of the level at the batch's start if
    /// it lies among these.
    fn class_now<R: Rng + ?Sized>(
        &mut self,
        level: usize,
        cells: Option<(u64, u64)>,
        clean: u64,
        bulk: &mut Bulk<P::State>,
        rng: &mut R,
    ) -> u64 {
        if !self.class_of_level(level).1.is_empty() {
            self.advance(clean, bulk, rng);
        }
        let (class, within) = self.class_of_level(level);
        let Some(first) = within.first() else { return class };
        let bins = first.bins + self.moved_to(level) - self.moved[level];
        let above = |boundary: &Boundary| u128::from(boundary.above - self.moved[level]);
        let more = match cells {
            None => {
                let place = u128::from(rng.random_range(0..bins));
                within.iter().filter(|boundary| place < above(boundary)).count()
            }
            // A uniform number between the cells, of `c(t)` parts each: a bin is above if it is below
            // h(t)/c(t).
            Some((from, to)) => {
                let part = rng.random_range(u128::from(from) * u128::from(bins)..u128::from(to) * u128::from(bins));
                within.iter().filter(|boundary| part < above(boundary) * u128::from(first.bins)).count()
            }
        };
        class + more as u64
    }

    fn moved_to(&self, level: usize) -> u64 {
        level.checked_sub(1).map_or(0, |below| self.moved[below])
    }
}

impl<P: Description> Ranks<'_, P> {
    /// Plays a batch, with at most two samples a ball; the boundaries were located and the levels cut. The
    /// rises of the maximum are those of the bulk.
    pub(super) fn play<R: Rng + ?Sized>(&mut self, bulk: &mut Bulk<P::State>, balls: u64, rng: &mut R) {
        let samples = u64::from(self.rule.most_samples().max(1));
        bulk.find_repeats(samples * balls, rng);
        bulk.begin(samples);
        self.move_clean(bulk, balls, samples, rng);
        self.merge_open(bulk, balls, rng);
        self.play_by_hand(bulk, samples, rng);
        self.advance(self.clean_behind + self.clean_ahead, bulk, rng);
        if let Some(place) = self.first_on_top {
            bulk.note_clean_rise_at(place);
        }
        bulk.settle();
    }

    fn move_clean<R: Rng + ?Sized>(&mut self, bulk: &mut Bulk<P::State>, balls: u64, samples: u64, rng: &mut R) {
        let clean = balls - bulk.by_hand.len() as u64;
        let mut groups = Vec::new();
        let first = self.rule.first(&self.phase);
        first.split(clean, rng, |state, balls| groups.push(Group { state, kept: None, balls }));
        let mut met = Met { sample: 0, last: false, next: Vec::new(), open: core::mem::take(&mut self.open) };
        met.open.clear();
        for sample in 0..samples {
            (met.sample, met.last) = (sample, sample + 1 == samples);
            for group in groups.drain(..) {
                bulk.draw_fresh(group.balls, rng, |level, balls, landed, rng| {
                    met.bins_on(level, self, Group { balls, ..group }, landed, rng);
                });
            }
            core::mem::swap(&mut groups, &mut met.next);
        }
        self.open = met.open;
    }

    /// Gives the open balls their places in time.
    fn merge_open<R: Rng + ?Sized>(&mut self, bulk: &mut Bulk<P::State>, balls: u64, rng: &mut R) {
        let clean = balls - bulk.by_hand.len() as u64;
        let places = &mut self.places;
        places.clear();
        bulk.distinct.draw_each(clean, self.open.len() as u32, rng, |place| places.push((place, Some(places.len()))));
        places.sort_unstable();
        let mut before = 0;
        for (place, _) in places.iter_mut() {
            // The ball of a clean place: pass over those by hand.
            while bulk.by_hand.get(before).is_some_and(|&other| other <= *place + before as u64) {
                before += 1;
            }
            *place += before as u64;
        }
        places.extend(bulk.by_hand.iter().map(|&ball| (ball, None)));
        places.sort_unstable();
        bulk.by_hand.clear();
        bulk.by_hand.extend(places.iter().map(|&(ball, _)| ball));
        self.moved.clear();
        self.moved.resize(bulk.counts.len(), 0);
        self.ahead.clone_from(&bulk.landed);
        self.clean_behind = 0;
        self.clean_ahead = balls - bulk.by_hand.len() as u64;
        self.first_on_top = None;
    }

    fn play_by_hand<R: Rng + ?Sized>(&mut self, bulk: &mut Bulk<P::State>, samples: u64, rng: &mut R) {
        let mut max = bulk.top();
        for index in 0..self.places.len() {
            let (ball, open) = self.places[index];
            let clean = ball - index as u64; // Before this ball.
            let (mut state, mut kept, mut receiver, mut sample) = match open {
                None => (self.rule.first(&self.phase).resolve(rng), None, None, 0),
                Some(open) => {
                    let Open { group: Group { state, kept, .. }, sample, .. } = self.open[open];
                    (state, kept, kept.map(|(_, level)| bulk.see(NONE, level)), sample)
                }
            };
            let mut met = open.map(|open| self.open[open]);
            // The bin of the sample before and its class: drawn twice, a bin has one class.
            let mut known: Option<(usize, u64)> = None;
            loop {
                let (bin, class) = match met.take() {
                    Some(open) => {
                        (bulk.see(NONE, open.level), self.class_now(open.level, Some(open.cells), clean, bulk, rng))
                    }
                    None => {
                        let bin = bulk.bin_of_slot(ball * samples + sample, rng);
                        let level = (bulk.seen[bin].load - bulk.lowest) as usize;
                        match known {
                            Some((same, class)) if same == bin => (bin, class),
                            _ => (bin, self.class_now(level, None, clean, bulk, rng)),
                        }
                    }
                };
                known = Some((bin, class));
                sample += 1;
                let judgement = self.judge(state, kept, class).resolve(rng);
                if judgement.keep {
                    kept = Some((class, 0)); // The level is only for balls that move in bulk.
                    receiver = Some(bin);
                }
                match judgement.go {
                    Some(next) if sample < samples => state = next,
                    _ => {
                        let receiver = receiver.unwrap_or(bin);
                        if let Some(moved) = self.moved.get_mut((bulk.seen[receiver].load - bulk.lowest) as usize) {
                            *moved += 1; // Above the top of the batch's start there is no boundary.
                        }
                        bulk.receive(receiver, ball, &mut max);
                        break;
                    }
                }
            }
        }
    }
}

/// Resolves clean balls whose samples are new bins.
struct Met<P: Description> {
    sample: u64,
    last: bool,
    next: Vec<ByClass<P::State>>,
    open: Vec<Open<P::State>>,
}

impl<P: Description> Met<P> {
    /// The balls of a group sample bins on a level: they are split by the class of these.
    fn bins_on<R: Rng + ?Sized>(
        &mut self,
        level: usize,
        ranks: &Ranks<'_, P>,
        group: ByClass<P::State>,
        landed: &mut [u64],
        rng: &mut R,
    ) {
        let (lowest, within) = ranks.class_of_level(level);
        let classes = lowest..=lowest + within.len() as u64;
        if within.is_empty() || self.is_settled(classes, ranks, group) {
            return self.judge(level, lowest, ranks, group, landed, rng);
        }
        let mut left = group.balls;
        for piece in ranks.pieces.iter().filter(|piece| piece.level == level) {
            let (from, to) = piece.cells;
            let rest = within[0].bins - from;
            if left == 0 {
                break;
            }
            let balls = Binomial::unchecked(left, (to - from) as f64 / rest as f64).sample(rng);
            left -= balls;
            match piece.class {
                Some(class) if balls > 0 => self.judge(level, class, ranks, Group { balls, ..group }, landed, rng),
                Some(_) => {}
                None => {
                    let one =
                        Open { group: Group { balls: 1, ..group }, level, sample: self.sample, cells: piece.cells };
                    self.open.extend(core::iter::repeat_n(one, balls as usize));
                }
            }
        }
    }

    /// Whether the ball is placed now, and on the same bin, whichever of these classes the bin has.
    fn is_settled(&self, mut classes: RangeInclusive<u64>, ranks: &Ranks<'_, P>, group: ByClass<P::State>) -> bool {
        let placed = |class| match ranks.judge(group.state, group.kept, class) {
            Mix::Sure(judgement) if self.last || judgement.go.is_none() => Some(judgement.keep),
            _ => None,
        };
        let first = classes.next().and_then(placed);
        first.is_some() && classes.all(|class| placed(class) == first)
    }

    fn judge<R: Rng + ?Sized>(
        &mut self,
        level: usize,
        class: u64,
        ranks: &Ranks<'_, P>,
        group: ByClass<P::State>,
        landed: &mut [u64],
        rng: &mut R,
    ) {
        ranks.judge(group.state, group.kept, class).split(group.balls, rng, |Judgement { keep, go }, balls| {
            let kept = if keep { Some((class, level)) } else { group.kept };
            match go {
                Some(state) if !self.last => Group { state, kept, balls }.join(&mut self.next),
                _ => landed[kept.map_or(level, |(_, level)| level)] += balls,
            }
        });
    }
}

#[cfg(test)]
mod tests;
