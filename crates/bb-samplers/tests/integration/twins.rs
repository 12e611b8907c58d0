//! Nearly right samplers, which the chi-square test must reject.

use bb_samplers::{Binomial, Hypergeometric, Multinomial};
use rand::distr::Distribution;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::laws::{FALSE_ALARM, Law, p_value};

const DRAWS: u64 = 200_000;

/// Rejected with room to spare: far beyond the threshold even of a test that goes through
/// a hundred sets.
fn assert_rejected(name: &str, p_value: f64) {
    println!("{name}: p-value {p_value:e}");
    assert!(p_value < FALSE_ALARM / 1e4, "{name} went unnoticed: {p_value:e}");
}

#[test]
fn binomial_is_not_hypergeometric() {
    let mut rng = Pcg64Mcg::seed_from_u64(11);
    for (total, marked, draws) in [(40, 20, 20), (1000, 500, 300), (1 << 20, 1 << 19, 1 << 17)] {
        let cells = Law::hypergeometric(total, marked, draws).cells(DRAWS);
        let wrong = Binomial::from_ratio(draws, marked, total).unwrap();
        assert_rejected("with replacement", p_value(&cells, DRAWS, || wrong.sample(&mut rng)));
    }
}

#[test]
fn one_per_cent_of_the_marked_is_noticed() {
    let mut rng = Pcg64Mcg::seed_from_u64(12);
    for (total, marked, draws) in [(1000, 500, 300), (1 << 20, 1 << 19, 1000), (1 << 40, 9_800_000_000, 650_000)] {
        let cells = Law::hypergeometric(total, marked, draws).cells(DRAWS);
        let wrong = Hypergeometric::new(total, marked + marked / 100, draws).unwrap();
        assert_rejected("1 % more marked", p_value(&cells, DRAWS, || wrong.sample(&mut rng)));
    }
}

#[test]
fn an_answer_off_by_one_is_noticed() {
    let mut rng = Pcg64Mcg::seed_from_u64(13);
    for (total, marked, draws) in [(52, 13, 5), (1000, 500, 300), (1 << 20, 1 << 19, 1000)] {
        let cells = Law::hypergeometric(total, marked, draws).cells(DRAWS);
        let wrong = Hypergeometric::new(total, marked, draws).unwrap();
        assert_rejected("off by one", p_value(&cells, DRAWS, || wrong.sample(&mut rng) + 1));
    }
}

/// The shortcut by the central limit theorem: right mean and variance, no skewness.
#[test]
fn a_rounded_normal_law_is_noticed() {
    let mut rng = Pcg64Mcg::seed_from_u64(14);
    let (total, marked, draws) = (1 << 30, 1 << 20, 200 << 10);
    let cells = Law::hypergeometric(total, marked, draws).cells(DRAWS);
    let mean = marked as f64 * draws as f64 / total as f64;
    let uniform = |rng: &mut Pcg64Mcg| ((rng.next_u64() >> 11) as f64 + 0.5) * 2f64.powi(-53);
    let p = p_value(&cells, DRAWS, || {
        let radius = (-2.0 * uniform(&mut rng).ln()).sqrt();
        let angle = std::f64::consts::TAU * uniform(&mut rng);
        (mean + mean.sqrt() * radius * angle.cos()).round().max(0.0) as u64
    });
    assert_rejected("normal", p);
}

/// Low bits lost to `f64`, as when a value above 2^53 is computed there.
#[test]
fn lost_low_bits_are_noticed() {
    let mut rng = Pcg64Mcg::seed_from_u64(15);
    let cells: Vec<_> = (0..256).map(|value| (value, 1.0 / 256.0)).collect();
    let law = Hypergeometric::new(1 << 62, 1 << 61, 1 << 61).unwrap();
    let p = p_value(&cells, DRAWS, || (law.sample(&mut rng) as f64 as u64) & 255);
    assert_rejected("rounded to f64", p);
}

/// The weight that remains as a difference of `f64`: the light end vanishes.
#[test]
fn remaining_weight_by_subtraction_is_noticed() {
    let mut rng = Pcg64Mcg::seed_from_u64(16);
    let trials = 1u64 << 62;
    let weights = [1.0, 4e-19, 4e-19];
    let cells = Law::binomial(trials, 8e-19).cells(DRAWS);
    let p = p_value(&cells, DRAWS, || {
        let heavy = Binomial::new(trials, weights[0] / weights.iter().sum::<f64>()).unwrap();
        trials - heavy.sample(&mut rng)
    });
    assert_rejected("remaining weight by subtraction", p);
    assert!(Multinomial::new(&weights).is_ok());
}
