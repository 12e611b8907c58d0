//! The clock hand: small laws by hand, bits, and that it gains nothing over no memory.

use bb_memory::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
use bb_memory::bb_processes::DChoice;
use bb_memory::{Bounded, ClockHand, NoMemory, TieRule, audit};
use bb_testkit::stats::{goodness_of_fit, tally};
use std::collections::BTreeMap;

fn loads(bins: u64, balls: u64, trial: u64) -> Vec<u64> {
    let mut loads = LoadVector::new(bins).unwrap();
    let mut rule = Bounded::new(ClockHand::new(bins).unwrap());
    rule.start_and_run(&mut loads, balls, &mut rng_for_trial(7, trial)).unwrap();
    loads.to_vec()
}

/// On two bins: the hand begins at bin 0, which takes unless both samples are bin 1 (3/4). Then it points at
/// the other bin, which takes with 3/4 again: two balls part with probability 3/4. False alarm 1e-6.
#[test]
fn two_balls_on_two_bins_follow_the_exact_law() {
    let observed = tally((0..40_000).map(|trial| loads(2, 2, trial)));
    let law = BTreeMap::from([(vec![1, 1], 0.75), (vec![2, 0], 0.1875), (vec![0, 2], 0.0625)]);
    goodness_of_fit(&observed, &law).assert_fits("clock hand, n = m = 2", 1);
    let without = BTreeMap::from([(vec![1, 1], 0.5), (vec![2, 0], 0.25), (vec![0, 2], 0.25)]);
    goodness_of_fit(&observed, &without).assert_rejects("one choice", 1);
}

#[test]
fn it_takes_the_bits_it_says_and_passes_the_audit() {
    for (bins, bits) in [(1, 0), (2, 1), (3, 2), (1000, 10), (1024, 10), (1025, 11)] {
        let rule = Bounded::new(ClockHand::new(bins).unwrap());
        assert_eq!(rule.report().budget().get(), bits, "n = {bins}");
    }
    let loads = LoadVector::new(50).unwrap();
    audit::whole_run(&ClockHand::new(50).unwrap(), &loads, 500, &mut rng_for_trial(9, 0)).unwrap();
    assert!(ClockHand::new(0).is_err() && ClockHand::new((1 << 40) + 1).is_err());
}

/// Means of 200 maxima at n = m = 4096, each with a standard error below 0.08: `lg n` bits that know of one
/// ball only gain nothing. The twin: Two-Choice, which sees the loads, is told apart.
#[test]
fn it_is_no_better_than_no_memory() {
    let n = 4096;
    let mean = |maximum: &dyn Fn(u64) -> u64| (0..200).map(maximum).sum::<u64>() as f64 / 200.0;
    let hand = mean(&|trial| loads(n, n, trial).into_iter().max().unwrap());
    let of = |run: &dyn Fn(&mut LoadVector, u64)| {
        mean(&|trial| {
            let mut loads = LoadVector::new(n).unwrap();
            run(&mut loads, trial);
            loads.max_load()
        })
    };
    let none = of(&|loads, trial| {
        let mut rule = Bounded::new(NoMemory::new(n, TieRule::First).unwrap());
        rule.start_and_run(loads, n, &mut rng_for_trial(8, trial)).unwrap();
    });
    let two = of(&|loads, trial| _ = DChoice::two().run(loads, n, &mut rng_for_trial(8, trial)));
    assert!((hand - none).abs() < 0.55, "{hand} and {none}");
    assert!((hand - two).abs() > 0.55, "{hand} and {two}");
}
