//! Strategies after one another: where they begin, and that they begin afresh.

use bb_core::{
    Allocator, Bins, LoadProfile, LoadVector, Metrics, ProfileWithCounters, RankedVector, StartError, WithCounters,
    rng_for_trial,
};
use bb_testkit::engines::Samples;
use bb_testkit::exact::{Law, ratio};
use bb_thinning::{
    AlwaysAccept, Clock, DThinning, NeverAccept, Strategy, ThetaDrift, Thinning, ThinningRelativeThreshold, Threshold,
    VaryingDrift,
};

use crate::laws::{State, by_twin, thinning_chain};

const SEED: u64 = 90;

fn loads(law: &Law<State>) -> Law<Vec<u64>> {
    law.map(|bins| bins.iter().map(|bin| bin.0).collect())
}

/// A threshold, then another, by its definition: accepted primaries are counted from where each began, unless
/// `afresh` is false.
fn two_thresholds(n: usize, balls: u64, change: u64, limits: [u64; 2], afresh: bool) -> Law<Vec<u64>> {
    // Counter 0 counts before the change, counter 1 after it: as a third round that is never reached by a
    // sample.
    let law = bb_testkit::exact::chain(vec![(0_u64, [0_u64; 2]); n], balls, |state: &Vec<(u64, [u64; 2])>| {
        let placed: u64 = state.iter().map(|bin| bin.0).sum();
        let second = usize::from(placed >= change);
        let mut next = Vec::new();
        for primary in 0..n {
            let counts = state[primary].1;
            let accepted = if afresh { counts[second] } else { counts[0] + counts[1] };
            if accepted < limits[second] {
                let mut after = state.clone();
                after[primary].0 += 1;
                after[primary].1[second] += 1;
                next.push((ratio(1, n as u64), after));
            } else {
                for secondary in 0..n {
                    let mut after = state.clone();
                    after[secondary].0 += 1;
                    next.push((ratio(1, (n * n) as u64), after));
                }
            }
        }
        next
    });
    law.map(|bins| bins.iter().map(|bin| bin.0).collect())
}

#[test]
fn a_strategy_that_follows_begins_afresh() {
    for (n, balls, change, limits) in [(3, 6, 3, [1, 1]), (2, 6, 4, [2, 1]), (2, 7, 1, [1, 2])] {
        // Durations that are no integers: a ball belongs to the first as long as its number is at most n
        // times that.
        for duration in [change as f64 / n as f64 + 1e-9, (change as f64 + 0.99) / n as f64] {
            let [first, second] = limits.map(|limit| Threshold::new(limit).unwrap());
            let strategy = first.then(duration, second).unwrap();
            let found = loads(&by_twin(&vec![0; n], balls, &strategy));
            assert_eq!(found, two_thresholds(n, balls, change, limits, true));
            assert_ne!(found, two_thresholds(n, balls, change, limits, false), "counters begin afresh");
            assert_ne!(found, two_thresholds(n, balls, change + 1, limits, true), "at this ball");
        }
    }
}

/// On counted bins the same, against the exact law.
#[test]
fn on_counted_bins_too() {
    let right = two_thresholds(3, 6, 3, [1, 1], true).sorted().to_f64();
    let stale = two_thresholds(3, 6, 3, [1, 1], false).sorted().to_f64();
    let samples = Samples::new(SEED, 50_000).with("counted", |rng| {
        let mut bins = ProfileWithCounters::new(LoadProfile::new(3).unwrap(), 1);
        let strategy = Threshold::new(1).unwrap().then(1.0, Threshold::new(1).unwrap()).unwrap();
        Thinning::new(strategy).start_and_run(&mut bins, 6, rng).unwrap();
        [bins.level_counts().iter().rev().flat_map(|&(load, count)| vec![load; count as usize]).collect::<Vec<_>>()]
    });
    samples.assert_follow("then", &right);
    samples.assert_rejects("counters that go on", &stale);
}

/// A cycle is a strategy after itself, again and again, with rounds that end where the exact times do.
#[test]
fn a_cycle_begins_afresh_each_round() {
    let threshold = || Threshold::new(1).unwrap();
    for (n, duration, balls) in [(3_u64, 1.0, 9), (2, 1.75, 9)] {
        let cycle = threshold().cycle(duration).unwrap();
        let then = threshold().then(duration, threshold()).unwrap().then(2.0 * duration, threshold()).unwrap();
        let start = vec![0; n as usize];
        assert_eq!(loads(&by_twin(&start, balls, &cycle)), loads(&by_twin(&start, balls, &then)), "n = {n}");
        let once = loads(&by_twin(&start, balls, &threshold()));
        assert_ne!(loads(&by_twin(&start, balls, &cycle)), once);
    }
    // Rounds of ⌊n·j·duration⌋: 2.5 bins-times of 3 balls are 7, 15, 22, 30 balls.
    let mut rule = Thinning::new(threshold().cycle(2.5).unwrap());
    let mut bins = WithCounters::new(LoadVector::new(3).unwrap(), 1).unwrap();
    let mut rng = rng_for_trial(SEED, 0);
    rule.start(&bins).unwrap();
    let mut begun = Vec::new();
    for ball in 1..=31 {
        let round = rule.strategy().round();
        rule.step(&mut bins, &mut rng);
        if rule.strategy().round() != round {
            begun.push(ball);
        }
    }
    assert_eq!(begun, [8, 16, 23, 31]);
    let error = Thinning::new(threshold().cycle(0.1).unwrap()).start(&bins).unwrap_err();
    assert_eq!(error.to_string(), "duration = 0.1 is outside [1/n, ∞) for n = 3 bins");
}

/// Parts with different numbers of samples, counters and coins; the counters needed are those of the
/// neediest.
#[test]
fn parts_may_differ_in_everything() {
    let strategy = ThetaDrift::practical()
        .then(3.0, DThinning::new(4, 2).unwrap())
        .unwrap()
        .then(6.0, AlwaysAccept)
        .unwrap()
        .then(7.0, VaryingDrift::practical().with_clock(Clock::Discrete))
        .unwrap()
        .then(9.0, NeverAccept)
        .unwrap();
    assert_eq!(strategy.counters(), 3);
    let mut rule = Thinning::new(strategy);
    let mut bins = WithCounters::new(RankedVector::from(LoadVector::new(50).unwrap()), 3).unwrap();
    let mut rng = rng_for_trial(SEED, 1);
    rule.start_and_run(&mut bins, 300, &mut rng).unwrap();
    let before = rule.rejections();
    rule.run(&mut bins, 50, &mut rng);
    assert_eq!(rule.rejections(), before, "all is accepted");
    rule.run(&mut bins, 100, &mut rng);
    let before = rule.rejections();
    rule.run(&mut bins, 70, &mut rng);
    assert_eq!((rule.rejections(), rule.balls(), bins.total()), (before + 70, 520, 520));
    let few = WithCounters::new(RankedVector::from(LoadVector::new(50).unwrap()), 2).unwrap();
    assert_eq!(rule.start(&few), Err(StartError::TooFewCounters { needed: 3, kept: 2 }));
}

/// The first ball that cannot be realised is counted from where the whole began.
#[test]
fn failures_are_counted_from_the_beginning() {
    let failing = || VaryingDrift::new(0.2, 0.2, 0.1, 2.0).unwrap();
    let split = || LoadProfile::from_level_counts(&[(0, 50), (100, 50)]).unwrap();
    let mut rule = Thinning::new(AlwaysAccept.then(2.0, failing()).unwrap());
    rule.start_and_run(&mut split(), 201, &mut rng_for_trial(SEED, 2)).unwrap();
    assert_eq!(rule.strategy().unrealizable_at(), Some(201));
    let parts = AlwaysAccept.then(2.0, failing()).unwrap().cycle(3.0).unwrap();
    let mut rule = Thinning::new(parts);
    let mut bins = split();
    rule.start_and_run(&mut bins, 200, &mut rng_for_trial(SEED, 2)).unwrap();
    assert_eq!(rule.strategy().unrealizable_at(), None);
    rule.run(&mut bins, 800, &mut rng_for_trial(SEED, 3));
    assert_eq!((rule.strategy().unrealizable_at(), rule.strategy().round()), (Some(201), 4));
}

/// In a later round too: the loads change hands between two rounds, to some on which no law is left.
#[test]
fn failures_of_a_later_round_are_counted_from_the_beginning() {
    let mut rule = Thinning::new(VaryingDrift::new(0.2, 0.2, 0.35, 4.0).unwrap().cycle(1.0).unwrap());
    let mut level = LoadProfile::new(100).unwrap();
    rule.start_and_run(&mut level, 100, &mut rng_for_trial(SEED, 4)).unwrap();
    let mut split = LoadProfile::from_level_counts(&[(0, 50), (100, 50)]).unwrap();
    assert_eq!(rule.strategy().unrealizable_at(), None);
    rule.run(&mut split, 150, &mut rng_for_trial(SEED, 5));
    assert_eq!((rule.strategy().unrealizable_at(), rule.strategy().round()), (Some(101), 3));
}

/// The relative threshold counts balls from its own beginning, on loads from before.
#[test]
fn balls_are_counted_from_the_beginning_of_a_part() {
    let strategy = AlwaysAccept.then(1.0, ThinningRelativeThreshold::new(1.0).unwrap()).unwrap();
    let found = loads(&by_twin(&[0, 0], 5, &strategy));
    let relative = |from: u64| {
        loads(&thinning_chain(&[0, 0], 5, 2, |bins, ball, bin, _| ball <= 2 || bins[bin].1[0] * 2 < 2 + ball - from))
    };
    // What was accepted before must not count: in this chain it does, so it is another law; counted apart it
    // is the same.
    assert_ne!(found, relative(1));
    let apart = bb_testkit::exact::chain((vec![0_u64; 2], vec![0_u64; 2]), 5, |(bins, accepted)| {
        let placed: u64 = bins.iter().sum();
        let mut next = Vec::new();
        for primary in 0..2 {
            let with = |bin: usize, count: bool| {
                let mut after = (bins.clone(), accepted.clone());
                after.0[bin] += 1;
                after.1[bin] += u64::from(count);
                after
            };
            if placed < 2 {
                next.push((ratio(1, 2), with(primary, false)));
            } else if accepted[primary] * 2 < 2 + (placed - 2) {
                next.push((ratio(1, 2), with(primary, true)));
            } else {
                (0..2).for_each(|secondary| next.push((ratio(1, 4), with(secondary, false))));
            }
        }
        next
    });
    assert_eq!(found, apart.map(|state| state.0.clone()));
}
