use bb_experiment::Summary;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn summary<T: bb_core::Load>(values: &[T]) -> Summary<T> {
    values.iter().copied().collect()
}

#[test]
fn a_summary_without_values_knows_nothing() {
    let empty = Summary::<u64>::default();
    assert!(empty.is_empty());
    assert_eq!((empty.len(), empty.min(), empty.max(), empty.quantile(0.5)), (0, None, None, None));
    assert_eq!((empty.mean(), empty.sd(), empty.se()), (None, None, None));
    let one = summary(&[7.5]);
    assert_eq!((one.mean(), one.sd(), one.se(), one.quantile(0.0)), (Some(7.5), None, None, Some(7.5)));
}

#[test]
fn quantiles_are_values() {
    let tenths = summary(&[10_u64, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    for (q, value) in [(0.0, 1), (0.1, 1), (0.11, 2), (0.5, 5), (0.9, 9), (0.91, 10), (1.0, 10)] {
        assert_eq!(tenths.quantile(q), Some(value), "{q}");
    }
    for q in [-0.1, 1.1, f64::NAN] {
        assert_eq!(tenths.quantile(q), None);
    }
}

/// `E[x²] − E[x]²` has no correct digit here.
#[test]
fn a_large_common_part_costs_no_digits() {
    let values = summary(&[1e15, 1e15 + 1.0, 1e15 + 2.0]);
    assert_eq!((values.mean(), values.sd()), (Some(1e15 + 1.0), Some(1.0)));
    let counts = summary(&[1_u64 << 60, (1 << 60) + 1, (1 << 60) + 2]);
    assert_eq!(counts.sd(), Some(1.0));
    assert_eq!(counts.max(), Some((1 << 60) + 2));
}

#[test]
fn equal_values_have_no_deviation() {
    let tenths = summary(&[0.1; 1000]);
    assert_eq!((tenths.mean(), tenths.sd(), tenths.se()), (Some(0.1), Some(0.0), Some(0.0)));
}

#[test]
fn a_negative_zero_is_a_zero() {
    let zeros = summary(&[0.0, -0.0]);
    assert_eq!(zeros.counts().count(), 1);
    assert!(zeros.min().unwrap().is_sign_positive());
}

fn config() -> ProptestConfig {
    ProptestConfig { rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default() }
}

fn reals() -> impl Strategy<Value = Vec<f64>> {
    // Few distinct values, so that some meet.
    prop::collection::vec(prop_oneof![(-3..3).prop_map(f64::from), -1e9..1e9], 0..20)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn merging_is_feeding_both(a in reals(), b in reals()) {
        let mut merged = summary(&a);
        merged.merge(&summary(&b));
        let mut fed = summary(&b);
        fed.extend(a);
        prop_assert_eq!(&merged, &fed);
        prop_assert_eq!((merged.mean(), merged.sd(), merged.quantile(0.3)), (fed.mean(), fed.sd(), fed.quantile(0.3)));
    }

    #[test]
    fn merging_is_associative(a in reals(), b in reals(), c in reals()) {
        let [a, b, c] = [a, b, c].map(|values| summary(&values));
        let (mut left, mut right, mut tail) = (a.clone(), a, b.clone());
        left.merge(&b);
        left.merge(&c);
        tail.merge(&c);
        right.merge(&tail);
        prop_assert_eq!(left, right);
    }

    /// Against integer arithmetic: `N·Σx² − (Σx)²` is exact.
    #[test]
    fn moments_of_integers(values in prop::collection::vec(0_u64..1 << 40, 2..50)) {
        let (n, sum) = (values.len() as u128, values.iter().map(|&x| u128::from(x)).sum::<u128>());
        let squares = values.iter().map(|&x| u128::from(x).pow(2)).sum::<u128>();
        let variance = (n * squares - sum * sum) as f64 / (n * (n - 1)) as f64;
        let found = summary(&values);
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-14 * b;
        prop_assert!(close(found.mean().unwrap(), sum as f64 / n as f64));
        prop_assert!(close(found.sd().unwrap(), variance.sqrt()));
    }
}
