//! `load ≤ T + Greedy[2]` on every path, with the same samples and ties; and not with other ties.

use bb_memory::bb_core::{Bins, LoadVector, Metrics, Place, Rng, rng_for_trial};
use bb_memory::{BallStream, Bounded, Budget, Format, HeavyList, Layout, Overflow, Policy, Purpose, TieRule};

const BINS: u64 = 1 << 10;
const BALLS: u64 = 2 << 10;

/// Greedy[2] on the same sample, coin and rule for ties.
fn greedy(loads: &LoadVector, sample: &[usize], ties: TieRule, key: u64) -> usize {
    let (first, second) = (sample[0], sample[1]);
    if loads.load(first) != loads.load(second) {
        return loads.lighter(first, second);
    }
    match ties {
        TieRule::First => first,
        TieRule::Left => first.min(second),
        TieRule::Coin if BallStream::new(key, Purpose::Coin).next_u64() >> 63 == 0 => first,
        TieRule::Coin => second,
    }
}

/// The most by which a load ever exceeds the threshold of its time plus the load of Greedy[2].
fn worst_excess(list: HeavyList, greedy_ties: TieRule, flip: bool, trial: u64) -> i64 {
    let mut rng = rng_for_trial(210, trial);
    let mut rule = Bounded::new(list);
    let (mut loads, mut other) = (LoadVector::new(BINS).unwrap(), LoadVector::new(BINS).unwrap());
    let mut worst = i64::MIN;
    for _ in 0..BALLS {
        let key = rng.next_u64();
        let asked = rule.close(&loads, key).unwrap().draw();
        let sample = asked.samples().bins().to_vec();
        let bin = asked.decide();
        loads.place(bin, &());
        rule.learn_placed(&loads, bin).unwrap();
        let coin = if flip { !key } else { key };
        let greedy = greedy(&other, &sample, greedy_ties, coin);
        other.place(greedy, &());
        // Only the bin that grew can exceed anew, and only where Greedy[2] put its ball elsewhere or not.
        let threshold = rule.advisor().threshold();
        worst = worst.max(loads.load(bin) as i64 - threshold as i64 - other.load(bin) as i64);
    }
    worst
}

fn list(policy: Policy, format: Format, bits: u64) -> HeavyList {
    HeavyList::new(Layout::new(BINS, Budget::bits(bits).unwrap(), format, 8).unwrap(), policy).unwrap()
}

/// Fixed, `Raise`, `Fill` and both overflows that keep it; all rules for ties; formats of all kinds.
#[test]
fn the_list_is_dominated_on_every_path() {
    let mut paths = 0;
    for ties in [TieRule::First, TieRule::Left, TieRule::Coin] {
        for light in [TieRule::First, TieRule::Left, TieRule::Coin] {
            for trial in 0..6 {
                let tied = |list: HeavyList| list.with_ties(ties).with_light_rule(light);
                for threshold in [0, 1, 2, 3] {
                    let all = list(Policy::Fixed(f64::from(threshold)), Format::EliasFano, 20_000);
                    assert!(worst_excess(tied(all), ties, false, trial) <= 0, "T = {threshold}");
                }
                for format in [Format::Naive, Format::EliasFano, Format::Layered] {
                    for bits in [60, 500, 2000] {
                        let raise = list(Policy::Raise, format, bits);
                        assert!(worst_excess(tied(raise), ties, false, trial) <= 0, "raise, {format:?}");
                        let fill = list(Policy::Fill, format, bits);
                        assert!(worst_excess(tied(fill), ties, false, trial) <= 1, "fill, {format:?}");
                        paths += 2;
                    }
                }
                let short = list(Policy::Fixed(2.0), Format::Flat, 300);
                let raised = tied(short.clone()).with_overflow(Overflow::RaiseThreshold);
                assert!(worst_excess(raised, ties, false, trial) <= 0);
                assert!(worst_excess(tied(short).with_overflow(Overflow::Fill), ties, false, trial) <= 1);
            }
        }
    }
    assert_eq!(paths, 3 * 3 * 6 * 18);
}

/// The same with another order of ties in Greedy[2], or an independent coin, fails on every path at T = 0 and
/// 1: the test above is not vacuous.
#[test]
fn other_ties_break_domination() {
    use TieRule::{Coin, First, Left};
    for threshold in [0.0, 1.0] {
        for (ties, greedy_ties, flip) in
            [(First, Left, false), (Left, First, false), (Left, Coin, false), (Coin, Coin, true)]
        {
            for trial in 0..20 {
                let list = list(Policy::Fixed(threshold), Format::EliasFano, 20_000).with_ties(ties);
                assert!(worst_excess(list, greedy_ties, flip, trial) > 0, "{ties:?} against {greedy_ties:?}");
            }
        }
    }
}

/// A fixed threshold that drops heavy bins is not dominated, and the report does not certify it.
#[test]
fn dropping_heavy_bins_breaks_domination_and_the_certificate() {
    for overflow in [Overflow::KeepHeaviest, Overflow::Empty] {
        let short = list(Policy::Fixed(1.0), Format::Naive, 40).with_overflow(overflow);
        assert!(worst_excess(short.clone(), TieRule::First, false, 0) > 0);
        let (mut rule, mut loads) = (Bounded::new(short), LoadVector::new(BINS).unwrap());
        rule.try_run(&mut loads, BALLS, &mut rng_for_trial(211, 0)).unwrap();
        assert!(!rule.report().is_certified() && rule.report().overflows() > 0);
    }
}

/// `T = 0` with room for all bins is Greedy[2], ball by ball, for every format that has the room.
#[test]
fn threshold_zero_is_greedy() {
    for ties in [TieRule::First, TieRule::Left, TieRule::Coin] {
        for format in Format::ALL {
            let layout = Layout::new(40, Budget::bits(700).unwrap(), format, 64).unwrap();
            let list = HeavyList::new(layout, Policy::Fixed(0.0)).unwrap().with_ties(ties);
            let mut rule = Bounded::new(list);
            let (mut loads, mut rng) = (LoadVector::new(40).unwrap(), rng_for_trial(212, 0));
            for _ in 0..120 {
                let key = rng.next_u64();
                let asked = rule.close(&loads, key).unwrap().draw();
                let sample = asked.samples().bins().to_vec();
                let bin = asked.decide();
                assert_eq!(bin, greedy(&loads, &sample, ties, key), "{format:?}");
                loads.place(bin, &());
                rule.learn_placed(&loads, bin).unwrap();
            }
            assert_eq!(rule.report().threshold(), Some(0), "{format:?}");
            assert_eq!(rule.report().listed(), [0, 0, 120]);
        }
    }
}

/// The threshold never falls, every list fits, and all bins that it must have are on it.
#[test]
fn lists_are_what_they_say() {
    for (policy, slack) in [(Policy::Raise, 0), (Policy::Fill, 1)] {
        for format in Format::ALL {
            for bits in [25, 200, 1000] {
                let mut rule = Bounded::new(
                    HeavyList::new(Layout::new(200, Budget::bits(bits).unwrap(), format, 8).unwrap(), policy).unwrap(),
                );
                let (mut loads, mut rng) = (LoadVector::new(200).unwrap(), rng_for_trial(213, bits));
                let mut last = 0;
                for _ in 0..600 {
                    rule.try_step(&mut loads, &mut rng).unwrap();
                    let (list, threshold) = (rule.advisor().list(), rule.advisor().threshold());
                    assert!(threshold >= last);
                    last = threshold;
                    assert!(list.iter().all(|&(bin, excess)| loads.load(bin) == threshold + excess));
                    let must = loads.iter().filter(|&load| load >= threshold + slack).count();
                    let listed = list.iter().filter(|&&(_, excess)| excess >= slack).count();
                    assert_eq!(must, listed, "{format:?} {bits}");
                }
                let report = rule.report();
                assert!(report.is_certified() && report.overflows() == 0 && report.greatest_bits() <= bits);
                assert_eq!(report.listed().iter().sum::<u64>(), 600);
                assert!(loads.max_load() >= last);
            }
        }
    }
}

/// A list that is to stop says where, how many bits it needs, and the budget; nothing is placed then.
#[test]
fn stopping_is_an_error_before_the_ball() {
    let list = list(Policy::Fixed(1.0), Format::Naive, 100).stopping();
    let (mut rule, mut loads) = (Bounded::new(list), LoadVector::new(BINS).unwrap());
    let error = rule.try_run(&mut loads, BALLS, &mut rng_for_trial(214, 0)).unwrap_err();
    // Seven entries of 13 bits and a header of 3 fit into 100 bits, and eight need a header of 4.
    let expected = bb_memory::RunError::Overflow { step: loads.total(), needed: 4 + 8 * 13, budget: 100 };
    assert_eq!(error, expected);
    assert_eq!(rule.try_step(&mut loads, &mut rng_for_trial(214, 1)).unwrap_err(), expected);
}
