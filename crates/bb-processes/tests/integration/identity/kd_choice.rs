//! (k,d)-choice, on labelled and on counted bins.

use bb_processes::bb_core::{
    Allocator, DynamicLoads, LoadProfile, LoadVector, Metrics, Remove, Rng, SampleCount, TrialRng, rng_for_trial,
};
use bb_processes::{DChoice, KdChoice, OneChoice, RandomDeletion, System};
use bb_testkit::engines::Samples;
use bb_testkit::exact::{Law, chain, ratio};
use bb_testkit::{ranks, twin};

use super::{fair, product};

/// Loads after `balls ≤ k` balls of a round with these samples: slot by slot, each of the bins with the
/// lowest free slot equally likely.
fn round(loads: &[u64], samples: &[usize], balls: u64) -> Law<Vec<u64>> {
    let drawn = |bin: usize| samples.iter().filter(|&&sample| sample == bin).count() as u64;
    chain(loads.to_vec(), balls, |now| {
        let free: Vec<usize> = (0..loads.len()).filter(|&bin| now[bin] - loads[bin] < drawn(bin)).collect();
        let placed = fair(now, &free).into_iter().map(|(probability, bin)| {
            let mut next = now.clone();
            next[bin] += 1;
            (probability, next)
        });
        placed.collect()
    })
}

/// Rounds of `k` balls from `d` samples, the last one as short as it has to be.
fn kd_chain(start: &[u64], balls: u64, k: u64, d: usize) -> Law<Vec<u64>> {
    let bins: Vec<usize> = (0..start.len()).collect();
    let samples = product(&vec![bins; d]);
    let each = ratio(1, samples.len() as u64);
    let step = |balls: u64| {
        let (samples, each) = (&samples, &each);
        move |loads: &Vec<u64>| {
            let rounds = samples.iter().flat_map(|samples| {
                let law = round(loads, samples, balls);
                law.iter().map(|(next, probability)| (probability * each, next.clone())).collect::<Vec<_>>()
            });
            rounds.collect::<Vec<_>>()
        }
    };
    let whole = chain(start.to_vec(), balls / k, step(k));
    if balls.is_multiple_of(k) { whole } else { whole.then(step(balls % k)) }
}

fn kd<Bin>(k: u32, d: u32) -> KdChoice<Bin> {
    KdChoice::new(k, d).unwrap()
}

fn twin_law(k: u32, d: u32, start: &[u64], balls: u64) -> Law<Vec<u64>> {
    twin::law_with_memory(&kd(k, d), start, balls, &[], |rule| rule.queued().collect::<Vec<usize>>())
}

/// Sorted, since ties are broken otherwise there. Numbers of balls that are no multiples of `k` end in a
/// short round.
#[test]
fn all_outcomes_give_the_chain() {
    for (k, d) in [(1, 1), (1, 2), (1, 3), (2, 2), (2, 3), (3, 3), (2, 4), (3, 4)] {
        for start in [&[0][..], &[0, 0], &[0, 0, 0], &[3, 0, 1], &[0, 0, 0, 0]] {
            for balls in if d == 4 && start.len() == 4 { [3, 4] } else { [5, 6] } {
                let exact = kd_chain(start, balls, k, d as usize);
                let name = format!("k = {k}, d = {d}, {start:?}, m = {balls}");
                assert_eq!(twin_law(k as u32, d, start, balls).sorted(), exact.sorted(), "{name}");
            }
        }
    }
    assert_eq!(twin_law(2, 3, &[0; 3], 8).sorted(), kd_chain(&[0; 3], 8, 2, 3).sorted());
}

/// A bin that is sampled twice samples two slots, the second higher: without that, the law is another one.
#[test]
fn the_multiplicity_of_a_sample_counts() {
    // Two balls on equal loads: each bin gets one, unless all three samples are the same bin.
    let law = twin_law(2, 3, &[0, 0], 2).sorted();
    assert_eq!(law.probability(&vec![1, 1]), ratio(3, 4));
    assert_ne!(twin_law(2, 3, &[0; 3], 6), twin_law(2, 4, &[0; 3], 6));
    assert_ne!(twin_law(2, 4, &[0; 3], 6), twin_law(3, 4, &[0; 3], 6));
}

#[test]
fn one_ball_a_round_is_d_choice_draw_for_draw() {
    for d in [1, 2, 3, 9] {
        for bins in [1, 3, 50, 1000] {
            let (mut one, mut other) = (LoadVector::new(bins).unwrap(), LoadVector::new(bins).unwrap());
            let (mut rng, mut words) = (rng_for_trial(82, bins), rng_for_trial(82, bins));
            kd(1, d).run(&mut one, 3000, &mut rng);
            DChoice::new(d).unwrap().run(&mut other, 3000, &mut words);
            assert_eq!((one, rng.next_u64()), (other, words.next_u64()), "d = {d}, n = {bins}");
        }
    }
}

#[test]
fn all_slots_are_one_choice_at_the_end_of_a_round() {
    for d in 1..=3 {
        let one = twin::law(&OneChoice, &[0; 3], 6, &[]);
        assert_eq!(twin_law(d, d, &[0; 3], 6), one);
    }
    // Within a round the lowest slots come first.
    assert_ne!(twin_law(3, 3, &[0; 3], 2), twin::law(&OneChoice, &[0; 3], 2, &[]));
    assert_eq!(twin_law(3, 3, &[0; 3], 1), twin::law(&OneChoice, &[0; 3], 1, &[]));
}

/// Remembered bins keep their identity on counted bins: against the exact law, with a run cut inside a round,
/// and the neighbour is rejected.
#[test]
fn counted_bins_follow_the_exact_law() {
    const SEED: u64 = 83;
    fn sorted(loads: &impl Metrics<Load = u64>) -> Vec<u64> {
        let levels = loads.level_counts();
        let each = levels.iter().rev().flat_map(|&(load, count)| (0..count).map(move |_| load));
        each.collect()
    }
    for (k, d, balls) in [(2, 3, 7), (3, 4, 9), (4, 4, 6)] {
        let law = kd_chain(&[0; 3], balls, u64::from(k), d as usize).sorted().to_f64();
        let on_counts = |k, d, cut: u64, rng: &mut _| {
            let mut loads = LoadProfile::new(3).unwrap();
            let mut rule = kd(k, d);
            rule.run(&mut loads, cut, rng);
            rule.run(&mut loads, balls - cut, rng);
            [sorted(&loads)]
        };
        let samples = Samples::new(SEED, 100_000)
            .with("vector", |rng| {
                let mut loads = LoadVector::new(3).unwrap();
                kd(k, d).run(&mut loads, balls, rng);
                [sorted(&loads)]
            })
            .with("profile", |rng| on_counts(k, d, 0, rng))
            .with("profile in pieces", |rng| on_counts(k, d, 4, rng));
        samples.assert_follow(&format!("k = {k}, d = {d}"), &law);
        let neighbour = Samples::new(SEED, 100_000)
            .with("k, d", |rng| on_counts(k, d, 0, rng))
            .with("k, d + 1", |rng| on_counts(k, d + 1, 0, rng));
        neighbour.assert_told_apart(&format!("k = {k}, d = {d}"));
    }
}

/// Larger systems: maximum, empty bins and the ball that last raised the maximum agree on both kinds of
/// loads.
#[test]
fn both_kinds_of_loads_agree() {
    fn look<L: Metrics<Load = u64>>(loads: &L, last: u64) -> [u64; 3] {
        [loads.max_load(), loads.empty_bins(), last]
    }
    for (k, d) in [(2, 3), (4, 8), (7, 7)] {
        let samples = Samples::new(84, 10_000)
            .with("vector", |rng| {
                let mut loads = LoadVector::new(64).unwrap();
                loads.record_maximum();
                kd(k, d).run(&mut loads, 193, rng);
                let record = loads.max_load_record().unwrap();
                look(&loads, record.rises().last().unwrap().0)
            })
            .with("profile", |rng| {
                let mut loads = LoadProfile::new(64).unwrap();
                loads.record_maximum();
                kd(k, d).run(&mut loads, 193, rng);
                let record = loads.max_load_record().unwrap();
                look(&loads, record.rises().last().unwrap().0)
            });
        samples.assert_same(&format!("k = {k}, d = {d}"));
    }
}

/// Balls leave in the middle of rounds, and the bins of the queue are followed then too: in debug builds a
/// stale name panics.
#[test]
fn a_round_goes_on_when_balls_leave() {
    fn look<A: Allocator<L>, L: Remove + Metrics>(rule: A, mut loads: L, rng: &mut TrialRng) -> [u64; 2] {
        RandomDeletion::new(1).unwrap().with_rule(rule).run(&mut loads, 100, rng);
        [loads.max_load(), loads.holding()]
    }
    let labelled = |k, d| {
        let start = || DynamicLoads::from_loads(vec![2; 30]).unwrap();
        Samples::new(86, 8000).with("labelled", move |rng| look(kd(k, d), start(), rng))
    };
    let counted = || LoadProfile::from_level_counts(&[(2, 30)]).unwrap();
    labelled(3, 5).with("counted", |rng| look(kd(3, 5), counted(), rng)).assert_same("k = 3, d = 5");
    labelled(3, 5).with("counted", |rng| look(kd(3, 4), counted(), rng)).assert_told_apart("k = 3, d = 4");
}

/// A queue that is not told of placements elsewhere would name bins that are no longer there.
#[test]
fn a_start_forgets_the_round() {
    let mut loads = LoadVector::new(100).unwrap();
    let mut rng = rng_for_trial(85, 0);
    let mut rule = kd(5, 6);
    rule.run(&mut loads, 7, &mut rng);
    assert_eq!(rule.queued().len(), 3);
    assert_eq!(Allocator::<LoadVector>::sample_count(&rule), Some(SampleCount::Counted(12)));
    rule.start(&loads).unwrap();
    assert_eq!(rule.queued().len(), 0);
    assert_eq!(Allocator::<LoadVector>::sample_count(&rule), Some(SampleCount::Counted(0)));

    // A ball that another rule places leaves the queue as it is.
    rule.run(&mut loads, 1, &mut rng);
    let queued: Vec<usize> = rule.queued().collect();
    let elsewhere = (0..100).find(|bin| !queued.contains(bin)).unwrap();
    rule.placed(&loads, elsewhere, elsewhere);
    assert_eq!(rule.queued().collect::<Vec<_>>(), queued);
}

/// At `k = 1` the exact law is that of d-Choice too.
#[test]
fn the_chain_of_the_test_is_that_of_d_choice_for_one_ball() {
    let exact = ranks::sorted_chain(3, 5, |_| ranks::d_choice(3, 2));
    assert_eq!(kd_chain(&[0; 3], 5, 1, 2).sorted(), exact);
}
