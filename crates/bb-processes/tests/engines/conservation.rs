//! A ball is one ball: the sum grows by one, in the bin that is named, and nowhere else.

use bb_processes::bb_core::{LoadVector, Metrics, rng_for_trial};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::rules::rules;

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, rng_seed: RngSeed::Fixed(15), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_step_adds_one_ball_to_the_bin_it_names(start in prop::collection::vec(0_u64..400, 1..12), seed: u64) {
        for (name, mut rule) in rules() {
            let mut loads = LoadVector::from_loads(start.clone()).unwrap();
            let mut rng = rng_for_trial(seed, 0);
            let mut expected = start.clone();
            for _ in 0..300 {
                let bin = rule.step(&mut loads, &mut rng);
                expected[bin] += 1;
                assert_eq!(loads.to_vec(), expected, "{name}");
                assert_eq!(loads.total(), expected.iter().sum::<u64>(), "{name}");
                assert_eq!(Some(loads.max_load()), expected.iter().copied().max(), "{name}");
            }
        }
    }
}
