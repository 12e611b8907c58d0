//! Target laws: bins get what a user asks for, as long as it can be had.

use bb_core::{Allocator, LoadVector, rng_for_trial};
use bb_testkit::stats::goodness_of_fit;
use bb_thinning::{RealizeError, Rejections, Strategy, TargetLaw, Thinning};
use std::collections::BTreeMap;

/// Two laws in turn, each realised at several rejection probabilities; a false alarm 1e-6 each.
#[test]
fn bins_get_their_shares() {
    let laws = [[0.375, 0.25, 0.25, 0.125], [0.25, 0.125, 0.3125, 0.3125]];
    for (rejections, share) in
        [(Rejections::Fewest, [0.5, 0.25]), (Rejections::Most, [0.5, 0.5]), (Rejections::Given(0.5), [0.5, 0.5])]
    {
        let turn = |ball: u64| Some(laws[(ball % 2) as usize].to_vec());
        let mut rule = Thinning::new(TargetLaw::new(turn).with_rejections(rejections));
        let mut bins = LoadVector::new(4).unwrap();
        let mut rng = rng_for_trial(120, 0);
        let mut counts = [BTreeMap::new(), BTreeMap::new()];
        let mut rejected = [0; 2];
        rule.start(&bins).unwrap();
        for ball in 1..=200_000 {
            let before = rule.rejections();
            *counts[ball % 2].entry(rule.step(&mut bins, &mut rng)).or_insert(0) += 1;
            rejected[ball % 2] += rule.rejections() - before;
        }
        for (counts, law) in counts.iter().zip(laws) {
            let law: BTreeMap<usize, f64> = law.into_iter().enumerate().collect();
            goodness_of_fit(counts, &law).assert_fits("the law", 120);
        }
        let other: BTreeMap<usize, f64> = laws[1].into_iter().enumerate().collect();
        goodness_of_fit(&counts[0], &other).assert_rejects("the other law", 120);
        for (rejected, share) in rejected.into_iter().zip(share) {
            assert!((f64::from(rejected as u32) / 1e5 - share).abs() < 0.01, "{rejected} and {share}");
        }
    }
}

#[test]
fn what_cannot_be_had_ends_it() {
    for (law, error) in [
        (vec![0.5, 0.25, 0.25], "a law of 3 probabilities is outside those of 4 bins"),
        (vec![0.5, 0.25, 0.25, -0.0001], "p[3] = -0.0001 is outside the finite numbers from 0"),
        (vec![f64::NAN; 4], "p[0] = NaN is outside the finite numbers from 0"),
        (vec![0.25, 0.25, 0.25, 0.24], "the probabilities sum to 0.99, outside"),
        (vec![0.4, 0.4, 0.1, 0.1], "p[0] − p[2] exceeds 1/n for n = 4 bins, by 0.05"),
    ] {
        let bad = law.clone();
        let mut rule = Thinning::new(TargetLaw::new(move |ball| (ball == 11).then(|| bad.clone())));
        let mut bins = LoadVector::new(4).unwrap();
        rule.start_and_run(&mut bins, 100, &mut rng_for_trial(121, 0)).unwrap();
        assert_eq!((rule.strategy().unrealizable_at(), rule.rejections()), (Some(11), 0));
        let found = rule.strategy().failure().unwrap().to_string();
        assert!(found.starts_with(error), "{found}");
    }
    // What was realised before goes on no longer: all is accepted, at once.
    let mut rule = Thinning::new(TargetLaw::new(|ball| match ball {
        1 => Some(vec![0.75, 0.25]),
        501 => Some(vec![0.8, 0.2]),
        _ => None,
    }));
    let (mut bins, mut rng) = (LoadVector::new(2).unwrap(), rng_for_trial(121, 2));
    rule.start_and_run(&mut bins, 500, &mut rng).unwrap();
    let rejections = rule.rejections();
    rule.run(&mut bins, 500, &mut rng);
    assert!(rejections > 100);
    assert_eq!((rule.rejections(), rule.strategy().unrealizable_at()), (rejections, Some(501)));
    // A c that does not go with the law ends it too.
    let mut rule = Thinning::new(TargetLaw::new(|_| Some(vec![0.75, 0.25])).with_rejections(Rejections::Given(0.2)));
    rule.start_and_run(&mut LoadVector::new(2).unwrap(), 5, &mut rng_for_trial(121, 1)).unwrap();
    assert!(matches!(rule.strategy().failure(), Some(RealizeError::Rejections { .. })));
}
