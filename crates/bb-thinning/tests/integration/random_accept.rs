//! A coin that knows nothing: One-Choice, exactly, and the share of rejections that the coin says.

use bb_testkit::exact::ratio;
use bb_testkit::{ranks, twin};
use bb_thinning::bb_core::{Allocator, LoadVector, rng_for_trial};
use bb_thinning::{RandomAccept, Thinning};

#[test]
fn the_law_of_all_outcomes_is_that_of_one_choice() {
    let rule = Thinning::new(RandomAccept::new(0.25).unwrap());
    let law = twin::law(&rule, &[0, 0, 0], 4, &[ratio(1, 4)]).sorted();
    assert_eq!(law, ranks::sorted_chain(3, 4, |_| ranks::one_choice(3)));
    assert_ne!(law, ranks::sorted_chain(3, 4, |_| ranks::d_choice(3, 2)), "the twin: two choices");
}

/// Within five standard errors of 100 000 coins: a false alarm in 6e-7. A coin 2 % away is told apart.
#[test]
fn as_many_are_rejected_as_the_coin_says() {
    let balls = 100_000;
    let rejected = |p: f64| {
        let mut rule = Thinning::new(RandomAccept::new(p).unwrap());
        rule.run(&mut LoadVector::new(50).unwrap(), balls, &mut rng_for_trial(3, 0));
        rule.rejections() as f64 / balls as f64
    };
    let five_errors = 5.0 * (0.75 * 0.25 / balls as f64).sqrt();
    assert!((rejected(0.75) - 0.25).abs() < five_errors);
    assert!((rejected(0.73) - 0.25).abs() > five_errors);
    assert_eq!((rejected(1.0), rejected(0.0)), (0.0, 1.0));
}
