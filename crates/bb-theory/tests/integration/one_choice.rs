use std::collections::BTreeMap;

use bb_testkit::data::{Quantity, one_choice_max};
use bb_testkit::laws::one_choice as kit;
use bb_theory::exact::{sorted_loads, vectors};
use bb_theory::one_choice::{RaabSteger, gonnet, max_law, poisson_max_at_most};

#[test]
fn the_law_is_that_of_the_table() {
    let mut laws = BTreeMap::new();
    let mut compared = 0;
    for row in one_choice_max() {
        let balls = row.balls.unwrap();
        let law = laws.entry((row.bins, balls)).or_insert_with(|| max_law(row.bins, balls).unwrap());
        let (value, rounding) = match row.quantity {
            Quantity::MeanMax => (law.mean(), 5e-7),
            Quantity::MeanGap => (law.mean() - balls as f64 / row.bins as f64, 5e-7),
            Quantity::MaxIs(max) => (law.probability(max), 5e-8),
            Quantity::Gonnet => (gonnet(row.bins).unwrap(), 5e-7),
            _ => panic!("not in this table: {row:?}"),
        };
        assert!((value - row.value).abs() < 1.01 * rounding, "{row:?}: {value}");
        compared += 1;
    }
    assert_eq!(compared, 190);
}

/// 1e-13 of the rational chain, 1e-10 of the test kit's convolution, which is as accurate.
#[test]
fn the_law_is_that_of_the_chain_and_of_the_convolution() {
    for (bins, balls) in [(1, 5), (2, 1), (2, 9), (3, 12), (4, 16), (5, 3), (6, 14)] {
        let law = max_law(bins, balls).unwrap();
        for (max, probability) in sorted_loads(bins, balls, |_| vectors::d_choice(bins, 1)).max_load().to_f64() {
            assert!((law.probability(max) - probability).abs() < 1e-13, "n = {bins}, m = {balls}, maximum {max}");
        }
    }
    for (bins, balls) in [(7, 300), (50, 10_000), (900, 900), (1100, 5000), (2000, 300), (30, 3)] {
        let law = max_law(bins, balls).unwrap();
        for (max, probability) in kit::max_law(bins, balls) {
            let found = law.probability(max);
            assert!((found - probability).abs() < 1e-10, "n = {bins}, m = {balls}, maximum {max}: {found}");
        }
    }
}

/// Two bins: the gap is |Bin(m, 1/2) − m/2|, with mean about √(m/2π) (1 − 1/(4m)).
#[test]
fn two_bins_have_a_binomial_gap() {
    let m = 10_000;
    let gap = max_law(2, m).unwrap().mean() - m as f64 / 2.0;
    let expected = (m as f64 / (2.0 * std::f64::consts::PI)).sqrt() * (1.0 - 1.0 / (4.0 * m as f64));
    assert!((gap / expected - 1.0).abs() < 1e-8, "{gap} {expected}");
}

/// Both proved bounds, at sizes that no convolution reaches.
#[test]
fn large_systems_obey_the_bounds() {
    for (bins, balls) in [(1_u64 << 20, 1_u64 << 20), (1 << 40, 1 << 40), (1 << 30, 1 << 34), (1 << 16, 1 << 30)] {
        let law = max_law(bins, balls).unwrap();
        let mean = balls as f64 / bins as f64;
        let mut close = 0;
        for (max, _) in law.iter() {
            let poisson = poisson_max_at_most(bins, mean, max).unwrap();
            assert!(law.at_most(max) <= 2.0 * poisson + 1e-12, "n = {bins}, maximum {max}");
            close += u32::from((law.at_most(max) - poisson).abs() < 1e-3);
        }
        assert!(close > 3, "n = {bins}, m = {balls}");
        assert!((law.iter().map(|(_, probability)| probability).sum::<f64>() - 1.0).abs() < 1e-12);
    }
    // Gonnet's form is within 0.15 of the mean from 256 bins on.
    for log in [8, 12, 20, 30, 40] {
        let n = 1 << log;
        let off = gonnet(n).unwrap() - max_law(n, n).unwrap().mean();
        assert!(off.abs() < 0.5, "2^{log}: {off}");
    }
}

#[test]
fn bad_input_is_refused() {
    assert_eq!(max_law(0, 5).unwrap_err().to_string(), "bins = 0 is outside 1..2^53");
    assert!(max_law(2, 1 << 21).is_err() && max_law(10, 1 << 41).is_err() && max_law(1 << 60, 5).is_err());
    assert_eq!(max_law(5, 0).unwrap().range(), 0..=0);
    assert!(poisson_max_at_most(5, 0.0, 1).is_err() && poisson_max_at_most(5, f64::NAN, 1).is_err());
    assert!(gonnet(1).is_err());
    let dense = RaabSteger::Dense;
    assert!(dense.threshold(2, 5, 1.0).is_err() && dense.threshold(5, 0, 1.0).is_err());
    assert!(dense.threshold(5, 5, 0.0).is_err());
    assert!(RaabSteger::Sparse.threshold(1000, 100_000, 1.0).is_err());
    assert!(RaabSteger::VeryDense.threshold(1000, 1_000_000, 1e-3).is_err());
}

/// Not a test of the theorem, whose error terms are unknown, and of which three ranges are only recalled: of
/// the formulas as they are documented.
#[test]
fn raab_and_steger_are_computed_as_documented() {
    let (n, m) = (1000_u64, 1000_u64);
    let (l1, l2) = (1000_f64.ln(), 1000_f64.ln().ln());
    let sparse = RaabSteger::Sparse.threshold(n, m, 0.5).unwrap();
    assert!((sparse - l1 / l2 * (1.0 + 0.5 * l2.ln() / l2)).abs() < 1e-12);
    // The bound that was read in a replication: the maximum of 2^40 balls in as many bins lies between α =
    // 1/2 and α = 2.
    let mean = max_law(1 << 40, 1 << 40).unwrap().mean();
    let between = [0.5, 2.0].map(|alpha| RaabSteger::Sparse.threshold(1 << 40, 1 << 40, alpha).unwrap());
    assert!(between[0] < mean && mean < between[1], "{between:?} {mean}");
    for c in [0.3, 1.0, 5.0, 300.0] {
        let m = (c * 1e6 * 1e6_f64.ln()) as u64;
        let c = m as f64 / (1e6 * 1e6_f64.ln());
        let d = RaabSteger::Proportional.threshold(1_000_000, m, 1.0).unwrap() / 1e6_f64.ln();
        assert!(d > c && (1.0 + d * ((c / d).ln() + 1.0) - c).abs() < 1e-9 * (1.0 + c), "c = {c}: {d}");
    }
    let dense = RaabSteger::Dense.threshold(n, 1_000_000, 1.0).unwrap();
    assert!((dense - 1000.0 - (2000.0 * l1).sqrt()).abs() < 1e-9);
    // α → ∞ is Dense with α = 1.
    assert!((RaabSteger::VeryDense.threshold(n, 1_000_000, 1e12).unwrap() - dense).abs() < 1e-6);
    assert!(!RaabSteger::Sparse.is_recalled());
}
