//! Counters kept by the loads: exact laws of strategies that count, labelled and counted, and what wrapping
//! must not change.

use std::collections::BTreeMap;

use bb_core::{
    Allocator, Bins, BinsExt, CountedBin, Counters, DistinctSampler, IndexSampler, LoadProfile, LoadVector, Metrics,
    Place, ProfileWithCounters, Put, Rng, StartError, WithCounters, rng_for_trial,
};
use bb_testkit::BigRational;
use bb_testkit::engines::Samples;
use bb_testkit::exact::{Law, chain, ratio};
use bb_testkit::twin;

use crate::LeastOf;

const SEED: u64 = 30;

/// Thinning with `d` samples: in round `j < d` a bin is accepted iff it has accepted fewer than a limit in
/// that round; the `d`-th sample is accepted always. The limit is `ℓ`, or `ℓ` above the mean number of balls.
///
/// `d = 2` is the `ℓ`-threshold strategy (Feldheim and Gurel-Gurevich 2021) and the `ℓ`-relative threshold
/// strategy (Feldheim, Gurel-Gurevich and Li, arXiv 2110.05009), larger `d` is d-thinning (Feldheim and Li
/// 2020).
#[derive(Clone)]
struct Thinning {
    d: u32,
    limit: u64,
    relative: bool,
    accepted: Option<u8>,
}

fn threshold(limit: u64) -> Thinning {
    Thinning { d: 2, limit, relative: false, accepted: None }
}

impl<B: Counters<Load = u64>> Allocator<B> for Thinning {
    fn start(&mut self, bins: &B) -> Result<(), StartError> {
        bins.check_counters(self.d as u8 - 1)
    }

    fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> B::Bin {
        let total = if self.relative { bins.total() } else { 0 };
        let (mut chosen, mut round, last) = (bins.nth(0), 0, self.d as u8 - 1);
        self.accepted = None;
        bins.draw_each(self.d, rng, |bin| {
            if self.accepted.is_none() {
                chosen = bin;
                let accepts = round < last && bins.counter(bin, round) * bins.bins() < self.limit * bins.bins() + total;
                self.accepted = accepts.then_some(round);
                round += 1;
            }
        });
        chosen
    }

    fn put(&self, _: &B, _: B::Bin) -> Put {
        self.accepted.map_or(Put::BALL, |round| Put::BALL.counting(round))
    }
}

/// Of every bin its load and its counters.
type State = Vec<(u64, Vec<u64>)>;

fn state<B: Counters<Load = u64>>(bins: &B) -> State {
    let counts = |bin| (0..bins.counters()).map(|which| bins.counter(bin, which)).collect();
    (0..bins.bins()).map(|place| bins.nth(place)).map(|bin| (bins.load(bin), counts(bin))).collect()
}

/// The chain of the strategy by its definition: all samples are listed, one round after another.
fn exact(n: u64, balls: u64, rule: &Thinning) -> Law<State> {
    fn samples(
        state: &State,
        rule: &Thinning,
        round: usize,
        before: &BigRational,
        next: &mut Vec<(BigRational, State)>,
    ) {
        let n = state.len() as u64;
        let balls: u64 = state.iter().map(|bin| bin.0).sum();
        for bin in 0..state.len() {
            let probability = before * ratio(1, n);
            let mut after = state.clone();
            after[bin].0 += 1;
            if round + 1 == rule.d as usize {
                next.push((probability, after));
                continue;
            }
            let limit = ratio(rule.limit, 1) + if rule.relative { ratio(balls, n) } else { ratio(0, 1) };
            if ratio(state[bin].1[round], 1) < limit {
                after[bin].1[round] += 1;
                next.push((probability, after));
            } else {
                samples(state, rule, round + 1, &probability, next);
            }
        }
    }
    chain(vec![(0, vec![0; rule.d as usize - 1]); n as usize], balls, |state| {
        let mut next = Vec::new();
        samples(state, rule, 0, &ratio(1, 1), &mut next);
        next
    })
}

fn max_law(law: &Law<State>) -> Law<u64> {
    law.map(|bins| bins.iter().map(|bin| bin.0).max().unwrap())
}

/// The real rule on marked scripted bins.
fn by_twin(n: u64, balls: u64, rule: &Thinning, counters: u8) -> Law<State> {
    let wrap = |bins| WithCounters::new(bins, counters).unwrap();
    twin::law_on(rule, &vec![0; n as usize], balls, &[], wrap, |_, bins| state(bins))
}

/// (n, balls, d, ℓ, relative), and from which maximum on its probabilities: numerators and denominator.
type Row = ((u64, u64, u32, u64, bool), u64, &'static [(u64, u64)]);

/// Enumerated in rationals apart from this code.
const MAXIMA: [Row; 10] = [
    ((2, 2, 2, 1, false), 1, &[(3, 4), (1, 4)]),
    ((3, 3, 2, 1, false), 1, &[(38, 81), (14, 27), (1, 81)]),
    ((4, 4, 2, 1, false), 1, &[(567, 2048), (2781, 4096), (45, 1024), (1, 4096)]),
    ((4, 4, 2, 2, false), 1, &[(3, 32), (873, 1024), (27, 512), (1, 1024)]),
    ((3, 6, 2, 2, false), 2, &[(2258, 6561), (11416, 19683), (1448, 19683), (44, 19683), (1, 19683)]),
    ((2, 4, 2, 1, true), 2, &[(7, 16), (1, 2), (1, 16)]),
    ((2, 6, 2, 1, true), 3, &[(51, 128), (63, 128), (13, 128), (1, 128)]),
    ((3, 6, 2, 1, true), 2, &[(116, 729), (4724, 6561), (250, 2187), (14, 2187), (1, 6561)]),
    ((2, 2, 3, 1, false), 1, &[(3, 4), (1, 4)]),
    ((3, 3, 3, 1, false), 1, &[(116, 243), (14, 27), (1, 243)]),
];

#[test]
fn strategies_that_count_have_their_exact_laws() {
    for ((n, balls, d, limit, relative), least, maxima) in MAXIMA {
        let rule = Thinning { d, limit, relative, accepted: None };
        let law = exact(n, balls, &rule);
        assert_eq!(law.total(), ratio(1, 1));
        let rows: Law<u64> = (least..).zip(maxima).map(|(max, &(num, den))| (ratio(num, den), max)).collect();
        assert_eq!(max_law(&law), rows, "n = {n}, {balls} balls, d = {d}, limit {limit}");
        // A counter that no one counts changes nothing.
        for spare in [0, 1] {
            let counters = d as u8 - 1 + spare;
            let padded = law.map(|bins| {
                let pad = |(load, counts): &(u64, Vec<u64>)| (*load, [&counts[..], &vec![0; spare.into()]].concat());
                bins.iter().map(pad).collect::<State>()
            });
            assert_eq!(by_twin(n, balls, &rule, counters), padded);
        }
        // One parameter away: another law.
        let other = Thinning { limit: limit + 1, ..rule.clone() };
        assert_ne!(max_law(&by_twin(n, balls, &other, d as u8 - 1)), rows);
    }
}

/// Maximum, second largest level, accepted primaries, and the bins of the class (1, 1).
fn look<B: Counters<Load = u64> + Metrics>(bins: &B, of_class: u64) -> [u64; 4] {
    let levels = bins.level_counts();
    [bins.max_load(), levels.last().unwrap().1, bins.counter_total(0), of_class]
}

fn on_vector(n: u64, balls: u64, limit: u64, rng: &mut impl Rng) -> [u64; 4] {
    let mut bins = WithCounters::new(LoadVector::new(n).unwrap(), 1).unwrap();
    threshold(limit).start_and_run(&mut bins, balls, rng).unwrap();
    let of_class = (0..n as usize).filter(|&bin| (bins.load(bin), bins.counter(bin, 0)) == (1, 1)).count();
    look(&bins, of_class as u64)
}

fn of_class(bins: &ProfileWithCounters) -> u64 {
    bins.class_counts().find(|&(load, counts, _)| (load, counts) == (1, &[1])).map_or(0, |class| class.2)
}

fn on_profile(n: u64, balls: u64, limit: u64, rng: &mut impl Rng) -> [u64; 4] {
    let mut bins = ProfileWithCounters::new(LoadProfile::new(n).unwrap(), 1);
    threshold(limit).start_and_run(&mut bins, balls, rng).unwrap();
    look(&bins, of_class(&bins))
}

/// Counted bins that lose every second counter: the wrong engine which the tests must see.
struct Forgetful(ProfileWithCounters);

impl Counters for Forgetful {
    fn counters(&self) -> u8 {
        self.0.counters()
    }
    fn counter(&self, bin: CountedBin, which: u8) -> u64 {
        self.0.counter(bin, which)
    }
    fn counter_total(&self, which: u8) -> u64 {
        self.0.counter_total(which)
    }
}

impl Bins for Forgetful {
    type Bin = CountedBin;
    type Load = u64;
    type Places = IndexSampler;
    fn places(&self) -> &IndexSampler {
        self.0.places()
    }
    fn nth(&self, place: u64) -> CountedBin {
        self.0.nth(place)
    }
    fn load(&self, bin: CountedBin) -> u64 {
        self.0.load(bin)
    }
    fn total(&self) -> u64 {
        self.0.total()
    }
}

impl Place for Forgetful {
    fn put(&mut self, bin: CountedBin, (): &(), put: Put) -> CountedBin {
        self.0.put(
            bin,
            &(),
            if self.0.total().is_multiple_of(2) { put } else { Put::balls(put.count().try_into().unwrap()) },
        )
    }
}

/// The counted bins against the labelled ones, four quantities a size: false alarm 1e-6 each, 2e-5 in all.
#[test]
fn counted_bins_follow_the_law_of_labelled_ones() {
    for (n, balls, limit) in [(2, 5, 2), (3, 6, 2), (5, 10, 2), (16, 16, 1), (64, 128, 3)] {
        let name = format!("threshold {limit} in {n} bins");
        let vector = || Samples::new(SEED, 40_000).with("labelled", |rng| on_vector(n, balls, limit, rng));
        vector().with("counted", |rng| on_profile(n, balls, limit, rng)).assert_same(&name);
        vector()
            .with("another limit", |rng| on_profile(n, balls, limit + 1, rng))
            .with("forgetful", |rng| {
                let mut bins = Forgetful(ProfileWithCounters::new(LoadProfile::new(n).unwrap(), 1));
                threshold(limit).run(&mut bins, balls, rng);
                look(&bins.0, of_class(&bins.0))
            })
            .assert_told_apart(&name);
    }
}

/// Counted bins against the exact law, with one and with two counters; false alarm 1e-6 each.
#[test]
fn counted_bins_follow_the_exact_law() {
    for ((n, balls, d, limit, relative), ..) in MAXIMA {
        let rule = Thinning { d, limit, relative, accepted: None };
        // Bins without an index: sorted classes.
        let sorted = |bins: &State| {
            let mut bins = bins.clone();
            bins.sort_unstable();
            bins
        };
        let law: BTreeMap<State, f64> = exact(n, balls, &rule).map(sorted).to_f64();
        let counted = Samples::new(SEED, 50_000).with("counted", |rng| {
            let mut bins = ProfileWithCounters::new(LoadProfile::new(n).unwrap(), d as u8 - 1);
            rule.clone().run(&mut bins, balls, rng);
            [sorted(&state(&bins))]
        });
        counted.assert_follow(&format!("n = {n}, {balls} balls, d = {d}, limit {limit}"), &law);
    }
}

/// Without counts the wrapped loads are the loads, draw for draw, also in the fast loop.
#[test]
fn wrapping_changes_no_draw() {
    let rng = || rng_for_trial(SEED, 1);
    let mut plain = LoadVector::new(50).unwrap();
    let mut counted = LoadProfile::new(50).unwrap();
    let mut marked = WithCounters::new(plain.clone(), 1).unwrap();
    let mut marked_profile = ProfileWithCounters::new(counted.clone(), 1);
    LeastOf(3).run(&mut plain, 500, &mut rng());
    LeastOf(3).run(&mut counted, 500, &mut rng());
    LeastOf(3).run(&mut marked, 500, &mut rng());
    LeastOf(3).run(&mut marked_profile, 500, &mut rng());
    plain.throw_to_least(2, &(), 500, &mut rng());
    counted.throw_to_least(2, &(), 500, &mut rng());
    marked.throw_to_least(2, &(), 500, &mut rng());
    marked_profile.throw_to_least(2, &(), 500, &mut rng());
    assert_eq!((marked.loads(), marked_profile.loads()), (&plain, &counted));
    assert_eq!((marked.level_counts(), marked_profile.level_counts()), (plain.level_counts(), counted.level_counts()));
    assert_eq!((marked.min_load(), marked_profile.min_load()), (plain.min_load(), counted.min_load()));

    let (mut labelled, mut ranks) = (Vec::new(), Vec::new());
    let sampler = &mut DistinctSampler::default();
    marked.draw_distinct(60, sampler, &mut rng(), |bin| labelled.push(bin as u64));
    marked_profile.draw_distinct(60, sampler, &mut rng(), |bin| ranks.push(bin.rank()));
    labelled.sort_unstable();
    ranks.sort_unstable();
    assert!(labelled.iter().copied().eq(0..50) && ranks.iter().copied().eq(0..50));
    assert!((0..50).all(|bin| marked.below_mean(bin) == plain.below_mean(bin)));
}

/// Counters leave a byte, rise together, and start again, without a trace.
#[test]
fn counters_are_plain_numbers() {
    let mut bins = WithCounters::new(LoadVector::new(3).unwrap(), 2).unwrap();
    let mut plain = [[0_u64; 2]; 3];
    for ball in 0..5000 {
        if ball == 4000 {
            bins.clear_counters();
            plain = [[0; 2]; 3];
        }
        let (bin, which) = (if ball % 50 == 0 { 1 } else { ball % 3 }, ball % 7 / 4);
        bins.put(bin, &(), Put::balls(3.try_into().unwrap()).counting(which as u8));
        plain[bin][which] += 1;
        assert_eq!([0, 1, 2].map(|bin| [bins.counter(bin, 0), bins.counter(bin, 1)]), plain);
        assert_eq!(
            [bins.counter_total(0), bins.counter_total(1)],
            [0, 1].map(|which| plain.iter().map(|bin| bin[which]).sum())
        );
    }
    // One bin alone leaves the byte.
    for ball in 1..=1000 {
        bins.put(0, &(), Put::BALL.counting(0));
        assert_eq!(bins.counter(0, 0), plain[0][0] + ball);
    }
    bins.clear_counters();
    assert_eq!(state(&bins).into_iter().flat_map(|bin| bin.1).max(), Some(0));
}

#[test]
fn a_rule_that_counts_checks_the_counters() {
    let mut bins = ProfileWithCounters::new(LoadProfile::new(4).unwrap(), 1);
    let mut three = Thinning { d: 3, ..threshold(1) };
    let error = three.start_and_run(&mut bins, 1, &mut rng_for_trial(SEED, 2)).unwrap_err();
    assert_eq!(error, StartError::TooFewCounters { needed: 2, kept: 1 });
    assert_eq!(error.to_string(), "the rule needs 2 counters per bin, the loads keep 1");
    assert_eq!(bins.total(), 0);
    threshold(1).start_and_run(&mut bins, 1, &mut rng_for_trial(SEED, 2)).unwrap();
    let error = threshold(1).start(&bins).unwrap_err();
    assert_eq!(error, StartError::CounterInUse { which: 0, total: 1 });
    assert_eq!(error.to_string(), "counter 0 of the bins sums to 1, the rule begins to count at 0");
    let by_reference: Result<(), StartError> = threshold(1).start(&&bins);
    assert_eq!(by_reference, Err(error));
}

#[test]
#[should_panic(expected = "out of bounds")]
fn labelled_loads_refuse_a_counter_they_do_not_keep() {
    WithCounters::new(LoadVector::new(4).unwrap(), 1).unwrap().put(0, &(), Put::BALL.counting(1));
}

#[test]
#[should_panic(expected = "out of bounds")]
fn counted_loads_refuse_a_counter_they_do_not_keep() {
    let mut bins = ProfileWithCounters::new(LoadProfile::new(4).unwrap(), 1);
    bins.put(bins.nth(0), &(), Put::BALL.counting(1));
}
