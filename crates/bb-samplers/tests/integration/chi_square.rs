//! Chi-square against the recursion from the mode, over a grid of parameters.

use bb_samplers::{Binomial, Hypergeometric, Multinomial, multinomial, multivariate_hypergeometric_into};
use rand::SeedableRng;
use rand::distr::Distribution;
use rand_pcg::Pcg64Mcg;

use super::laws::{Law, assert_fits, normal_cells, p_value};

const DRAWS: u64 = 200_000;

/// Small and large, near and far from the switch of methods, every symmetry.
const HYPERGEOMETRIC: &[(u64, u64, u64)] = &[
    // Narrow laws and hands of cards.
    (2, 1, 1),
    (52, 13, 5),
    (52, 39, 13),
    (40, 20, 20),
    (60, 25, 47),
    (100, 50, 50),
    // Just below and just above a standard deviation of 3 and a mean of 10.
    (143, 71, 71),
    (146, 73, 73),
    (1000, 99, 100),
    (1000, 101, 100),
    (1000, 899, 900),
    (1000, 899, 101),
    (1000, 101, 900),
    // At most eight draws: the product form.
    (1000, 500, 8),
    (1 << 62, 1 << 61, 8),
    (16, 8, 8),
    (1000, 500, 9),
    (1 << 62, 1 << 60, 9),
    // Middle sizes, rejection.
    (1000, 500, 300),
    (1000, 700, 300),
    (1 << 20, 1 << 19, 1000),
    (1 << 40, 1 << 39, 1_000_000),
    (1 << 40, 9_800_000_000, 650_000),
    (1 << 62, 1 << 61, 1 << 30),
    (1 << 62, 1 << 32, 1 << 50),
    ((1 << 62) - 57, (1 << 61) + 12_345, 1_000_001),
    // Refused as too large elsewhere although ordinary.
    (10_000_000, 100, 3162),
    (10_000_000, 30_000, 3162),
    (10_000_000, 9_990_000, 3162),
    (10_000_000, 9_999_000, 3162),
    (1_000_000_000, 999_999_000, 31_622),
    (1 << 40, 6_700_000, 650_000),
    // Never ending elsewhere: populations above 2^50.
    ((1 << 50) + 1, 1 << 25, 1 << 27),
    (1 << 53, 1 << 52, 4000),
    (1 << 62, 1 << 31, 1 << 31),
    (1 << 62, (1 << 62) - (1 << 31), 1 << 33),
    (1 << 62, (1 << 62) - (1 << 32), (1 << 62) - (1 << 33)),
];

#[test]
fn hypergeometric_follows_its_law() {
    let mut rng = Pcg64Mcg::seed_from_u64(0x4879_7065);
    for &(total, marked, draws) in HYPERGEOMETRIC {
        let cells = Law::hypergeometric(total, marked, draws).cells(DRAWS);
        let sampler = Hypergeometric::new(total, marked, draws).unwrap();
        let p = p_value(&cells, DRAWS, || sampler.sample(&mut rng));
        let name = format!("hypergeometric {total}, {marked}, {draws} ({} cells)", cells.len());
        assert_fits(&name, p, HYPERGEOMETRIC.len());
    }
}

/// Enough draws to see an acceptance test that is wrong by a few per cent in part of its range.
#[test]
fn rejection_follows_its_law_at_high_resolution() {
    const MANY: u64 = 5_000_000;
    let mut rng = Pcg64Mcg::seed_from_u64(0x4d61_6e79);
    let sets = [(146, 73, 73), (1000, 500, 300), (1 << 40, 1 << 39, 1_000_000)];
    for (total, marked, draws) in sets {
        let cells = Law::hypergeometric(total, marked, draws).cells(MANY);
        let sampler = Hypergeometric::new(total, marked, draws).unwrap();
        let p = p_value(&cells, MANY, || sampler.sample(&mut rng));
        assert_fits(&format!("hypergeometric {total}, {marked}, {draws}"), p, sets.len());
    }
}

/// Wide laws in the large, and their low bits.
#[test]
fn wide_laws_are_right_in_the_large_and_in_the_small() {
    let mut rng = Pcg64Mcg::seed_from_u64(0x5769_6465);
    let half = 1u64 << 61;
    let urns = [(1u64 << 62, half, half), (1 << 62, half - 3, half + 5), (1 << 62, half, 1 << 58)];
    for (total, marked, draws) in urns {
        let (n, k, s) = (total as f64, marked as f64, draws as f64);
        let mean = (u128::from(marked) * u128::from(draws) / u128::from(total)) as f64;
        let sd = (s * (k / n) * (1.0 - k / n) * (1.0 - s / n)).sqrt();
        let urn = Hypergeometric::new(total, marked, draws).unwrap();
        let p = p_value(&normal_cells(mean, sd), DRAWS, || urn.sample(&mut rng));
        assert_fits(&format!("large {urn:?}"), p, 4 * urns.len());
        let p = p_value(&low_bits(), DRAWS, || urn.sample(&mut rng) & 255);
        assert_fits(&format!("small {urn:?}"), p, 4 * urns.len());

        let coin = Binomial::new(draws, k / n).unwrap();
        let sd = (s * (k / n) * (1.0 - k / n)).sqrt();
        let p = p_value(&normal_cells(mean, sd), DRAWS, || coin.sample(&mut rng));
        assert_fits(&format!("large {coin:?}"), p, 4 * urns.len());
        let p = p_value(&low_bits(), DRAWS, || coin.sample(&mut rng) & 255);
        assert_fits(&format!("small {coin:?}"), p, 4 * urns.len());
    }
}

fn low_bits() -> Vec<(u64, f64)> {
    (0..256).map(|value| (value, 1.0 / 256.0)).collect()
}

const BINOMIAL: &[(u64, f64)] = &[
    (1, 0.5),
    (10, 0.9),
    (40, 0.5),
    (19, 0.5),
    (21, 0.5),
    (100, 0.3),
    (100, 0.97),
    (1000, 0.3),
    (1_000_000, 9.9e-6),
    (1_000_000, 1.01e-5),
    (1_000_000, 0.01),
    (1_000_000, 0.6),
    (1 << 30, 0.5),
    (1 << 62, 1e-18),
    (1 << 62, 1e-17),
    (1 << 62, 1e-11),
];

#[test]
fn binomial_follows_its_law() {
    let mut rng = Pcg64Mcg::seed_from_u64(0x4269_6e6f);
    for &(trials, p) in BINOMIAL {
        let cells = Law::binomial(trials, p).cells(DRAWS);
        let sampler = Binomial::new(trials, p).unwrap();
        let p_value = p_value(&cells, DRAWS, || sampler.sample(&mut rng));
        assert_fits(&format!("binomial {trials}, {p}"), p_value, BINOMIAL.len());
    }
}

#[test]
fn binomial_of_a_ratio_follows_its_law() {
    let mut rng = Pcg64Mcg::seed_from_u64(0x5261_7469);
    let sets = [(300, 1, 3), (9, 2, 3), (1000, 999, 1000), (1 << 40, 1, (1 << 33) + 1)];
    for (trials, numerator, denominator) in sets {
        let law = Law::binomial(trials, numerator as f64 / denominator as f64);
        let sampler = Binomial::from_ratio(trials, numerator, denominator).unwrap();
        let p = p_value(&law.cells(DRAWS), DRAWS, || sampler.sample(&mut rng));
        assert_fits(&format!("ratio {trials}, {numerator}/{denominator}"), p, sets.len());
    }
}

/// The joint law of three kinds, enumerated; each outcome is a cell.
#[test]
fn multivariate_follows_its_joint_law() {
    let mut rng = Pcg64Mcg::seed_from_u64(0x4d75_6c74);
    let (counts, draws) = ([4u64, 0, 7, 3], 6u64);
    let choose = |n: u64, k: u64| (0..k).fold(1u64, |c, i| c * (n - i) / (i + 1)) as f64;
    let mut cells = Vec::new();
    for a in 0..=4u64 {
        for c in 0..=6u64 {
            let Some(d) = draws.checked_sub(a + c).filter(|&d| d <= 3) else { continue };
            let ways = choose(4, a) * choose(7, c) * choose(3, d);
            cells.push((a * 16 + c, ways / choose(14, 6)));
        }
    }
    let mut out = [0; 4];
    let p = p_value(&cells, DRAWS, || {
        multivariate_hypergeometric_into(&counts, draws, &mut rng, &mut out).unwrap();
        assert_eq!(out[1], 0);
        out[0] * 16 + out[2]
    });
    assert_fits("multivariate", p, 1);
}

#[test]
fn multinomials_follow_their_joint_law() {
    let mut rng = Pcg64Mcg::seed_from_u64(0x4d6e_6f6d);
    let (weights, trials) = ([3u64, 0, 1, 4], 5u64);
    let factorial = |n: u64| (1..=n).product::<u64>() as f64;
    let mut cells = Vec::new();
    for a in 0..=trials {
        for c in 0..=trials - a {
            let d = trials - a - c;
            let ways = factorial(trials) / (factorial(a) * factorial(c) * factorial(d));
            let power = |w: u64, x: u64| (w as f64 / 8.0).powi(x as i32);
            cells.push((a * 16 + c, ways * power(3, a) * power(1, c) * power(4, d)));
        }
    }
    let mut out = [0; 4];
    let p = p_value(&cells, DRAWS, || {
        out = [0; 4];
        multinomial(&weights, trials, &mut rng, |i, part| out[i] = part).unwrap();
        out[0] * 16 + out[2]
    });
    assert_fits("integer weights", p, 2);
    let floats = Multinomial::new(&weights.map(|w| w as f64 * 0.3)).unwrap();
    let p = p_value(&cells, DRAWS, || {
        floats.split_into(trials, &mut rng, &mut out).unwrap();
        assert_eq!(out[1], 0);
        out[0] * 16 + out[2]
    });
    assert_fits("f64 weights", p, 2);
}

/// Light categories at the end keep their law beside a heavy one, where `1 - p` in `f64` is 0.
#[test]
fn light_last_categories_keep_their_law() {
    let mut rng = Pcg64Mcg::seed_from_u64(0x4c69_6768);
    let trials = 1u64 << 62;
    let split = Multinomial::new(&[1.0, 4e-19, 4e-19]).unwrap();
    let cells = Law::binomial(trials, 8e-19).cells(DRAWS);
    let mut out = [0; 3];
    let p = p_value(&cells, DRAWS, || {
        split.split_into(trials, &mut rng, &mut out).unwrap();
        out[1] + out[2]
    });
    assert_fits("light tail", p, 1);
}
