//! Schemes that must agree pick by pick, and modes and pieces of one scheme.

use bb_memory::bb_core::{Allocator, Bins, BinsExt, LoadVector, Place, Rng, TrialRng, rng_for_trial};
use bb_memory::{
    AdaptiveClusters, Advisor, ApproximateCounters, BallStream, Bounded, Budget, ClusterCount, Decider, EpochAdvice,
    Format, HeavyList, IdleHint, Layout, Mode, NoMemory, Overflow, Policy, Purpose, RelativeCounters,
    SaturatingCounters, SplittingClusters, ThresholdBit, Thresholds, TieRule, Window,
};
use std::convert::Infallible;

fn bits(bits: u64) -> Budget {
    Budget::bits(bits).unwrap()
}

fn picks<A: Advisor<Failure = Infallible>>(advisor: A, mode: Mode, bins: u64, balls: u64, seed: u64) -> Vec<usize> {
    let mut rule = Bounded::new(advisor).with_mode(mode);
    let (mut loads, mut rng) = (LoadVector::new(bins).unwrap(), rng_for_trial(seed, 0));
    rule.start(&loads).unwrap();
    let picks = (0..balls).map(|_| rule.step(&mut loads, &mut rng)).collect();
    assert_eq!(rule.report().overflows(), 0);
    picks
}

/// Calls a generic check for each scheme of the crate, for so many bins.
macro_rules! for_each_scheme {
    ($check:ident, $bins:expr) => {{
        let n: u64 = $bins;
        for ties in [TieRule::First, TieRule::Left, TieRule::Coin] {
            $check("no memory", NoMemory::new(n, ties).unwrap(), n);
            for format in bb_memory::Format::ALL {
                for range in [1, 8] {
                    let layout = Layout::new(n, Budget::bits(2 * n).unwrap(), format, range).unwrap();
                    for policy in [Policy::Raise, Policy::Fill, Policy::Fixed(3.0)] {
                        let list = HeavyList::new(layout, policy).unwrap().with_ties(ties).with_light_rule(ties);
                        $check("list", list.clone(), n);
                    }
                }
            }
            $check("counters", SaturatingCounters::with_choices(n, 2, 3, ties).unwrap(), n);
            $check("bit", ThresholdBit::new(n, 2).unwrap().with_ties(ties), n);
            $check("clusters", ClusterCount::with_ties(n, n / 3, 12, ties).unwrap(), n);
        }
        for overflow in [Overflow::KeepHeaviest, Overflow::Empty, Overflow::Fill, Overflow::RaiseThreshold] {
            let layout = Layout::new(n, Budget::bits(70).unwrap(), Format::EliasFano, 8).unwrap();
            $check("overflow", HeavyList::new(layout, Policy::Fixed(2.0)).unwrap().with_overflow(overflow), n);
        }
        $check("thresholds", Thresholds::new(n, &[1, 3, 4]).unwrap().with_samples(3).unwrap(), n);
        $check("relative", RelativeCounters::new(n, 2, 4 * n).unwrap(), n);
        $check("approximate", ApproximateCounters::new(n, 3, 1.5).unwrap(), n);
        $check("asymmetric", ClusterCount::asymmetric(n, n / 2, 100).unwrap(), n);
        $check("density", ClusterCount::with_compare(n, n / 3 + 1, 100, bb_memory::Compare::Density).unwrap(), n);
        $check("adaptive", AdaptiveClusters::new(n, n / 3, 3).unwrap(), n);
        $check("one leaf", AdaptiveClusters::new(n, 1, 3).unwrap(), n);
        $check("all leaves", AdaptiveClusters::new(n, n, 9).unwrap(), n);
        $check("splitting", SplittingClusters::new(n, n / 4, 2).unwrap(), n);
        $check("splitting of all", SplittingClusters::new(n, n, 2).unwrap(), n);
        $check("window", Window::new(n, 5, n / 4 + 1, 0.3).unwrap(), n);
        $check("hint", IdleHint::new(n, Budget::bits(n).unwrap(), n / 8 + 1).unwrap(), n);
        let list = HeavyList::fill(n, Budget::bits(n).unwrap()).unwrap();
        $check("epoch", EpochAdvice::new(7, list.clone()).unwrap(), n);
        $check("epoch of one", EpochAdvice::new(1, list).unwrap(), n);
    }};
}

pub(crate) use for_each_scheme;

fn both_modes<A: Advisor<Failure = Infallible> + Clone>(name: &str, advisor: A, n: u64) {
    let run = |mode| {
        let mut rule = Bounded::new(advisor.clone()).with_mode(mode);
        let (mut loads, mut rng) = (LoadVector::new(n).unwrap(), rng_for_trial(220, 0));
        rule.start(&loads).unwrap();
        let picks: Vec<usize> = (0..3 * n).map(|_| rule.step(&mut loads, &mut rng)).collect();
        let state = rule.advisor().decider().budget().get();
        assert_eq!(rule.state(&loads).unwrap().bits(), state, "{name}");
        (picks, rng, rule.report())
    };
    let (lent, bits) = (run(Mode::Lent), run(Mode::Bits));
    assert_eq!(lent.0, bits.0, "{name}: what is lent is not what the bits say");
    assert_eq!(lent.1, bits.1);
    assert_eq!(lent.2, bits.2, "{name}");
}

/// The fast path is decode-and-decide, pick by pick, over whole runs, for every scheme; the reports agree
/// too.
#[test]
fn what_is_lent_is_what_the_bits_say() {
    for_each_scheme!(both_modes, 60);
    for_each_scheme!(both_modes, 257);
}

fn pieces<A: Advisor<Failure = Infallible> + Clone>(name: &str, advisor: A, n: u64) {
    let run = |cut: u64, rule: &mut Bounded<A>| {
        let (mut loads, mut rng) = (LoadVector::new(n).unwrap(), rng_for_trial(221, 0));
        rule.start(&loads).unwrap();
        let mut placed = 0;
        while placed < 2 * n {
            let balls = cut.min(2 * n - placed);
            if placed % 2 == 0 {
                rule.run(&mut loads, balls, &mut rng)
            } else {
                (0..balls).for_each(|_| {
                    rule.try_step(&mut loads, &mut rng).unwrap();
                });
                balls
            };
            placed += balls;
        }
        (loads.to_vec(), rng, rule.report())
    };
    let mut rule = Bounded::new(advisor);
    let whole = run(u64::MAX, &mut rule.clone());
    for cut in [1, 5, 64] {
        // The same rule, started again each time: nothing is left of the run before.
        assert_eq!(run(cut, &mut rule), whole, "{name} in pieces of {cut}");
    }
}

#[test]
fn a_cut_run_is_the_uncut_run_and_a_start_forgets() {
    for_each_scheme!(pieces, 50);
}

/// Every scheme takes one word a ball, and sees the samples of that ball's key: coins or none, whatever is
/// drawn.
fn one_word<A: Advisor<Failure = Infallible> + Clone>(name: &str, advisor: A, n: u64) {
    let mut rule = Bounded::new(advisor);
    let (mut loads, mut rng) = (LoadVector::new(n).unwrap(), rng_for_trial(222, 0));
    let mut words: TrialRng = rng.clone();
    rule.start(&loads).unwrap();
    for _ in 0..n {
        rule.step(&mut loads, &mut rng);
        let mut stream = BallStream::new(words.next_u64(), Purpose::Samples);
        if name != "asymmetric" {
            let mut expected = Vec::new();
            loads.draw_each(rule.last_samples().len() as u32, &mut stream, |bin| expected.push(bin));
            assert_eq!(rule.last_samples(), expected, "{name}");
        }
    }
    assert_eq!(rng, words, "{name}");
}

#[test]
fn all_schemes_see_the_same_samples() {
    for_each_scheme!(one_word, 40);
}

/// The driver begun elsewhere than on empty loads.
fn used_loads<A: Advisor<Failure = Infallible> + Clone>(name: &str, advisor: A, n: u64) {
    let heavy = LoadVector::from_loads((0..n).map(|bin| bin * bin % 7).collect()).unwrap();
    let mut rule = Bounded::new(advisor);
    let mut loads = heavy.clone();
    rule.start_and_run(&mut loads, n, &mut rng_for_trial(223, 0)).unwrap();
    assert_eq!(loads.total(), heavy.total() + n, "{name}");
}

#[test]
fn schemes_begin_on_used_loads() {
    for_each_scheme!(used_loads, 40);
}

#[test]
fn no_memory_is_one_choice_on_the_first_samples() {
    let mut rule = Bounded::new(NoMemory::new(100, TieRule::First).unwrap());
    let (mut loads, mut rng) = (LoadVector::new(100).unwrap(), rng_for_trial(224, 0));
    for _ in 0..1000 {
        let decision = rule.decide(&loads, &mut rng);
        assert_eq!((decision.bin, decision.sample), (rule.last_samples()[0], 1));
        let bin = loads.place(decision.bin, &());
        rule.placed(&loads, bin, bin);
    }
}

/// `K = n` clusters with a large cap, counters that never fill, and a list of all bins: Greedy[2] all of
/// them; a cap that is reached, or fewer clusters, is not.
#[test]
fn the_extremes_are_greedy() {
    let n = 80;
    let greedy = {
        let mut loads = LoadVector::new(n).unwrap();
        let mut rng = rng_for_trial(225, 0);
        let mut picks = Vec::new();
        for _ in 0..10 * n {
            let [first, second] = loads.draw_pair(&mut BallStream::new(rng.next_u64(), Purpose::Samples));
            let bin = loads.lighter(first, second);
            picks.push(loads.place(bin, &()));
        }
        picks
    };
    let run = |picks: Vec<usize>| picks == greedy;
    let balls = 10 * n;
    assert!(run(picks(ClusterCount::new(n, n, 1000).unwrap(), Mode::Lent, n, balls, 225)));
    assert!(run(picks(AdaptiveClusters::new(n, n, 16).unwrap(), Mode::Lent, n, balls, 225)));
    assert!(run(picks(SaturatingCounters::new(n, 8).unwrap(), Mode::Lent, n, balls, 225)));
    assert!(run(picks(RelativeCounters::new(n, 6, balls).unwrap(), Mode::Lent, n, balls, 225)));
    assert!(run(picks(HeavyList::fixed(n, bits(3000), 0.0).unwrap(), Mode::Lent, n, balls, 225)));
    assert!(run(picks(HeavyList::fill(n, bits(3000)).unwrap(), Mode::Lent, n, balls, 225)));
    assert!(!run(picks(ClusterCount::new(n, n, 7).unwrap(), Mode::Lent, n, balls, 225)));
    assert!(!run(picks(ClusterCount::new(n, n - 1, 1000).unwrap(), Mode::Lent, n, balls, 225)));
    assert!(!run(picks(SaturatingCounters::new(n, 3).unwrap(), Mode::Lent, n, balls, 225)));
    // One cluster is no memory.
    let first = |advisor| picks(advisor, Mode::Lent, n, balls, 226);
    let none = picks(NoMemory::new(n, TieRule::First).unwrap(), Mode::Lent, n, balls, 226);
    assert_eq!(first(ClusterCount::new(n, 1, 5).unwrap()), none);
}

/// Counters of `b` bits truncate the loads of Greedy[d] on the same samples, for `d` of 2 and 3 and all ties;
/// those of one bit more are another vector.
#[test]
fn truncated_counters_are_those_of_greedy() {
    for (choices, ties) in [(2, TieRule::First), (2, TieRule::Left), (2, TieRule::Coin), (3, TieRule::First)] {
        for b in 1..=3 {
            let cap = (1 << b) - 1;
            let n = 300;
            let mut small = Bounded::new(SaturatingCounters::with_choices(n, b, choices, ties).unwrap());
            let mut full = Bounded::new(SaturatingCounters::with_choices(n, 16, choices, ties).unwrap());
            let [mut loads, mut greedy] = [0, 1].map(|_| LoadVector::new(n).unwrap());
            let (mut rng, mut other) = (rng_for_trial(227, 0), rng_for_trial(227, 0));
            let mut differ = false;
            for _ in 0..8 * n {
                small.step(&mut loads, &mut rng);
                full.step(&mut greedy, &mut other);
                assert!(loads.iter().zip(greedy.iter()).all(|(a, b)| a.min(cap) == b.min(cap)));
                differ |= loads.iter().zip(greedy.iter()).any(|(a, b)| a.min(cap + 1) != b.min(cap + 1));
            }
            assert!(differ, "b = {b}: one more level is not kept");
        }
    }
}

/// One bit that says "not empty" is a counter of one bit; a set with room for all is the bit of its
/// threshold.
#[test]
fn threshold_bits_are_their_relatives() {
    let n = 300;
    for ties in [TieRule::First, TieRule::Left] {
        let bit = |theta| picks(ThresholdBit::new(n, theta).unwrap().with_ties(ties), Mode::Lent, n, 3 * n, 228);
        let counter = picks(SaturatingCounters::with_choices(n, 1, 2, ties).unwrap(), Mode::Lent, n, 3 * n, 228);
        assert_eq!(bit(1), counter);
        assert_ne!(bit(2), counter);
        for theta in 1..5_u32 {
            let set = HeavyList::set(n, bits(3000), f64::from(theta)).unwrap().with_ties(ties).with_light_rule(ties);
            assert_eq!(picks(set, Mode::Lent, n, 3 * n, 228), bit(u64::from(theta)), "{theta}");
        }
    }
    let levels = picks(Thresholds::new(n, &[1, 2, 3]).unwrap(), Mode::Lent, n, 3 * n, 229);
    assert_eq!(levels, picks(SaturatingCounters::new(n, 2).unwrap(), Mode::Lent, n, 3 * n, 229));
}

/// An epoch of one ball is the scheme itself; an epoch without end is its first state, which says nothing
/// where all bins are empty.
#[test]
fn epochs_at_the_ends() {
    let n = 200;
    let list = HeavyList::raise(n, bits(400)).unwrap();
    let run = |period| picks(EpochAdvice::new(period, list.clone()).unwrap(), Mode::Lent, n, 2 * n, 230);
    assert_eq!(run(1), picks(list.clone(), Mode::Lent, n, 2 * n, 230));
    assert_eq!(run(u64::MAX), picks(NoMemory::new(n, TieRule::First).unwrap(), Mode::Lent, n, 2 * n, 230));
    assert_ne!(run(2), run(1));
}

/// Clusters by hand: eight bins, four leaves of two bits, and so a full counter at 3.
#[test]
fn clusters_split_where_they_are_full() {
    let mut rule = Bounded::new(SplittingClusters::new(8, 4, 2).unwrap());
    let mut loads = LoadVector::new(8).unwrap();
    rule.start(&loads).unwrap();
    // Both samples are the bin, so it takes the ball.
    let mut throw = |bin: usize| {
        assert_eq!(rule.close(&loads, 1).unwrap().samples(&[bin, bin]).unwrap().decide(), bin);
        loads.place(bin, &());
        rule.learn_placed(&loads, bin).unwrap();
        let state = rule.state(&loads).unwrap();
        let bits = |from: u64, to: u64| (from..to).map(|at| state.get(at, 1).unwrap()).collect::<Vec<_>>();
        let counts = (0..4).map(|leaf| state.get(7 + 2 * leaf, 2).unwrap()).collect::<Vec<_>>();
        (bits(0, 7), counts)
    };
    let even = vec![1, 1, 0, 0, 1, 0, 0];
    assert_eq!(throw(5), (even.clone(), vec![0, 0, 1, 0]));
    assert_eq!(throw(0), (even.clone(), vec![1, 0, 1, 0]));
    assert_eq!(throw(1), (even, vec![2, 0, 1, 0]));
    // Bins 0 and 1 are apart, with 1 each; the leaves on the right are one, with their sum.
    let uneven = vec![1, 1, 1, 0, 0, 0, 0];
    assert_eq!(throw(0), (uneven.clone(), vec![1, 1, 0, 1]));
    assert_eq!(throw(1), (uneven.clone(), vec![1, 2, 0, 1]));
    // A single bin stays full.
    assert_eq!(throw(1), (uneven.clone(), vec![1, 3, 0, 1]));
    assert_eq!(throw(1), (uneven.clone(), vec![1, 3, 0, 1]));
    assert_eq!(throw(4), (uneven.clone(), vec![1, 3, 0, 2]));
    // The right half is full: it splits, and the only pair beside it, bins 0 and 1, is put together, and
    // full.
    assert_eq!(throw(4), (vec![1, 1, 0, 0, 1, 0, 0], vec![3, 0, 1, 1]));
    // Now that is hit again: it splits again, for the right halves.
    assert_eq!(throw(0), (uneven.clone(), vec![1, 1, 0, 2]));
    // The leaf of bins 2 and 3 is full, and is the sibling of two: bins 0 and 1 are put together for it.
    assert_eq!(throw(2), (uneven.clone(), vec![1, 1, 1, 2]));
    assert_eq!(throw(2), (uneven, vec![1, 1, 2, 2]));
    assert_eq!(throw(3), (vec![1, 1, 0, 1, 0, 0, 0], vec![2, 1, 1, 2]));

    // Two leaves: there is no other pair, so nothing splits.
    let mut two = Bounded::new(SplittingClusters::new(8, 2, 1).unwrap());
    let mut loads = LoadVector::new(8).unwrap();
    two.start_and_run(&mut loads, 50, &mut rng_for_trial(230, 0)).unwrap();
    let state = two.state(&loads).unwrap();
    assert_eq!([0, 1, 2].map(|at| state.get(at, 1).unwrap()), [1, 0, 0]);
    assert_eq!(two.report().overflows(), 0);
}
