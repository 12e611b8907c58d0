//! Metrics against their definitions, on random loads.

use bb_core::{LoadVector, LoadsError, Metrics, Place, majorizes};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn config(seed: u64) -> ProptestConfig {
    ProptestConfig { rng_seed: RngSeed::Fixed(seed), cases: 300, ..ProptestConfig::default() }
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * (1.0 + b.abs())
}

proptest! {
    #![proptest_config(config(31))]

    #[test]
    fn counts_follow_the_definitions(loads in prop::collection::vec(prop_oneof![0_u64..9, 0_u64..2000], 1..20), alpha in 0.001..1.0_f64) {
        let vector = LoadVector::from_loads(loads.clone()).unwrap();
        let n = loads.len() as f64;
        let total: u64 = loads.iter().sum();
        let mean = total as f64 / n;
        let normalised: Vec<f64> = loads.iter().map(|&load| load as f64 - mean).collect();
        let (max, min) = (*loads.iter().max().unwrap(), *loads.iter().min().unwrap());
        prop_assert_eq!((vector.total(), vector.max_load(), vector.min_load()), (total, max, min));
        prop_assert!(close(vector.average(), mean));
        prop_assert!(close(vector.gap(), max as f64 - mean) && close(vector.min_gap(), mean - min as f64));
        prop_assert_eq!(vector.range(), (max - min) as f64);
        for (bin, &y) in normalised.iter().enumerate() {
            prop_assert!(close(vector.normalised(bin), y));
        }
        for level in [0, 1, 3, max, max + 1] {
            prop_assert_eq!(vector.bins_at_least(level), loads.iter().filter(|&&load| load >= level).count() as u64);
        }
        prop_assert_eq!(vector.empty_bins(), loads.iter().filter(|&&load| load == 0).count() as u64);
        for (level, count) in vector.level_counts() {
            prop_assert_eq!(count, loads.iter().filter(|&&load| load == level).count() as u64);
        }
        prop_assert_eq!(vector.level_counts().iter().map(|&(_, count)| count).sum::<u64>(), loads.len() as u64);
        let mut sorted = loads.clone();
        sorted.sort_unstable();
        for q in [0.0, 0.25, 0.5, 0.75, 1.0] {
            let place = ((q * n).ceil() as usize).max(1) - 1;
            prop_assert_eq!(vector.quantile(q).unwrap(), sorted[place]);
        }
        let sum = |term: &dyn Fn(f64) -> f64| normalised.iter().map(|&y| term(y)).sum::<f64>();
        prop_assert!(close(vector.quadratic_potential(), sum(&|y| y * y)));
        prop_assert!(close(vector.variance(), sum(&|y| y * y) / n));
        prop_assert!(close(vector.absolute_potential(), sum(&f64::abs)));
        let potentials = vector.exponential_potentials(alpha / 100.0).unwrap();
        let alpha = alpha / 100.0;
        prop_assert!(close(potentials.phi(), sum(&|y| (alpha * y).exp())));
        prop_assert!(close(potentials.psi(), sum(&|y| (-alpha * y).exp())));
        prop_assert!(close(potentials.lambda(), sum(&|y| (alpha * y.abs()).exp())));
        // Pathwise consequences.
        prop_assert!(vector.gap() <= potentials.phi().ln() / alpha + 1e-9);
        prop_assert!(potentials.gamma() >= 2.0 * n - 1e-9);
        prop_assert!(vector.absolute_potential().powi(2) <= n * vector.quadratic_potential() * (1.0 + 1e-9));
    }

    #[test]
    fn real_loads_follow_the_definitions(loads in prop::collection::vec(-100.0..100.0_f64, 1..20)) {
        let vector = LoadVector::from_loads(loads.clone()).unwrap();
        let mean = loads.iter().sum::<f64>() / loads.len() as f64;
        let max = loads.iter().copied().fold(f64::MIN, f64::max);
        let min = loads.iter().copied().fold(f64::MAX, f64::min);
        prop_assert!(close(vector.gap(), max - mean) && close(vector.min_gap(), mean - min));
        prop_assert!(close(vector.average(), mean) && close(vector.range(), max - min));
        for (bin, &load) in loads.iter().enumerate() {
            prop_assert_eq!(bb_core::BinsExt::below_mean(&vector, bin), load < vector.average());
        }
    }

    /// Moving a ball from a fuller to an emptier bin can only be majorized by where it started.
    #[test]
    fn a_transfer_towards_the_emptier_bin_is_majorized(loads in prop::collection::vec(0_u64..9, 2..8), pair in (0_usize..8, 0_usize..8)) {
        let (from, to) = (pair.0 % loads.len(), pair.1 % loads.len());
        prop_assume!(loads[from] > loads[to]);
        let mut moved = loads.clone();
        moved[from] -= 1;
        moved[to] += 1;
        prop_assert!(majorizes(&loads, &moved));
        let unchanged = loads[from] - loads[to] == 1;
        prop_assert_eq!(majorizes(&moved, &loads), unchanged);
    }
}

/// The gap is not rounded through an integer mean, and keeps its value at huge totals.
#[test]
fn the_gap_has_one_rounding() {
    let base = (1_u64 << 60) / 3;
    let loads = LoadVector::from_loads(vec![base, base, base + 1]).unwrap();
    assert_eq!(loads.gap(), 2.0 / 3.0);
    assert_eq!(loads.min_gap(), 1.0 / 3.0);
    assert!(bb_core::BinsExt::below_mean(&loads, 0) && !bb_core::BinsExt::below_mean(&loads, 2));
}

#[test]
fn a_bin_at_the_mean_is_not_below_it() {
    let loads = LoadVector::from_loads(vec![2_u64, 2, 2]).unwrap();
    assert!((0..3).all(|bin| !bb_core::BinsExt::below_mean(&loads, bin)));
}

#[test]
fn bad_loads_and_parameters_are_refused() {
    assert_eq!(LoadVector::new(0), Err(LoadsError::NoBins));
    assert_eq!(LoadVector::weighted(0), Err(LoadsError::NoBins));
    assert_eq!(LoadVector::<f64>::from_loads(vec![]), Err(LoadsError::NoBins));
    assert!(matches!(LoadVector::new(u64::MAX), Err(LoadsError::DoesNotFit { bins: u64::MAX, .. })));
    assert!(matches!(LoadVector::weighted(1 << 61), Err(LoadsError::DoesNotFit { .. })));
    assert_eq!(LoadVector::from_loads(vec![u64::MAX, 1]), Err(LoadsError::TotalTooLarge { sum: 1 << 64 }),);
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(matches!(LoadVector::from_loads(vec![0.0, bad]), Err(LoadsError::NotFinite { bin: 1, .. })));
        assert!(matches!(LoadVector::from_normalised(vec![0.0, bad]), Err(LoadsError::NotFinite { bin: 1, .. })));
        assert!(LoadVector::new(1).unwrap().exponential_potentials(bad).is_err());
        assert!(LoadVector::new(1).unwrap().quantile(bad).is_err());
    }
    assert!(matches!(LoadVector::from_normalised(vec![1.0, -0.5]), Err(LoadsError::NotNormalised { .. })));
    assert_eq!(LoadVector::from_normalised(vec![1e308, 1e308]), Err(LoadsError::TotalNotFinite));
    assert!(LoadVector::from_normalised(vec![0.1, 0.2, -0.3]).is_ok());
    assert!(LoadVector::new(1).unwrap().exponential_potentials(0.0).is_err());
    assert!(LoadVector::new(1).unwrap().quantile(1.0_f64.next_up()).is_err());
}

#[test]
fn one_bin_and_no_ball_are_legal() {
    let mut one = LoadVector::new(1).unwrap();
    assert_eq!((one.gap(), one.max_load(), one.range(), one.variance()), (0.0, 0, 0.0, 0.0));
    // Zero, not minus zero, which would be printed.
    assert!([one.gap(), one.min_gap(), one.average()].iter().all(|zero| zero.is_sign_positive()));
    one.place(0, &());
    assert_eq!((one.gap(), one.max_load(), one.average()), (0.0, 1, 1.0));
}
