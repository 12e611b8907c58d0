//! Bins with unequal probabilities.

use bb_processes::bb_core::{Allocator, LoadVector, rng_for_trial};
use bb_processes::{BinProbabilities, DChoice, NonuniformChoice, OneChoice, biased_threshold};
use bb_testkit::exact::{Law, ratio};
use bb_testkit::stats::{Mean, goodness_of_fit, tally};
use bb_testkit::{BigRational, twin};

use super::{labelled_chain, law_on_grid, product};

const SEED: u64 = 87;

fn rule(weights: &[u64], d: u32) -> NonuniformChoice {
    let probabilities = BinProbabilities::from_weights(weights.iter().map(|&weight| weight as f64)).unwrap();
    NonuniformChoice::new(probabilities, d).unwrap()
}

/// `d` independent samples; each of the least loaded *samples* is equally likely, or each of those among them
/// with the least weight.
fn chain(weights: &[u64], balls: u64, d: usize, prefer: bool) -> Law<Vec<u64>> {
    let sum: u64 = weights.iter().sum();
    let bins: Vec<usize> = (0..weights.len()).collect();
    let samples = product(&vec![bins; d]);
    labelled_chain(&vec![0; weights.len()], balls, |loads| {
        let each = samples.iter().flat_map(|samples| {
            let probability: BigRational = samples.iter().map(|&bin| ratio(weights[bin], sum)).product();
            let key = |bin: usize| (loads[bin], if prefer { weights[bin] } else { 0 });
            let least = samples.iter().map(|&bin| key(bin)).min().unwrap();
            let tied: Vec<usize> = samples.iter().copied().filter(|&bin| key(bin) == least).collect();
            let each = probability * ratio(1, tied.len() as u64);
            tied.into_iter().map(move |bin| (each.clone(), bin)).collect::<Vec<_>>()
        });
        each.collect()
    })
}

/// Weights with sums on the grid: a column below 2, 3 or 4, and its division at multiples of the sum's parts.
#[test]
fn all_outcomes_give_the_chain() {
    for (weights, d, grid, balls) in [
        (&[1, 3][..], 1, 4, 8),
        (&[1, 3], 2, 4, 8),
        (&[1, 2, 3], 1, 6, 8),
        (&[1, 2, 3], 2, 6, 5),
        (&[1, 3], 3, 4, 4),
        (&[0, 1, 3], 2, 12, 3),
        (&[1, 1, 2, 4], 1, 8, 8),
        (&[1, 1, 2, 4], 2, 8, 4),
    ] {
        let start = vec![0; weights.len()];
        let fair = law_on_grid(&rule(weights, d), &start, balls, grid);
        assert_eq!(fair, chain(weights, balls, d as usize, false), "{weights:?}, d = {d}");
        let preferring = rule(weights, d).preferring_the_less_likely();
        let law = law_on_grid(&preferring, &start, balls, grid);
        assert_eq!(law, chain(weights, balls, d as usize, true), "{weights:?}, d = {d}, preferring");
        assert!(d == 1 || law != fair);
    }
    assert_ne!(chain(&[1, 2, 3], 5, 2, false), chain(&[1, 2, 4], 5, 2, false));
}

#[test]
fn equal_probabilities_are_d_choice() {
    for (d, balls) in [(1, 5), (2, 5), (3, 2)] {
        let two = twin::law(&DChoice::new(d).unwrap(), &[0; 3], balls, &[]);
        assert_eq!(law_on_grid(&rule(&[2, 2, 2], d), &[0; 3], balls, 3), two);
        let preferring = rule(&[7, 7, 7], d).preferring_the_less_likely();
        assert_eq!(law_on_grid(&preferring, &[0; 3], balls, 3), two);
    }
    assert_eq!(law_on_grid(&rule(&[5], 2), &[0], 3, 1), twin::law(&OneChoice, &[0], 3, &[]));
}

/// The words of a real generator, and probabilities that are no parts of a grid.
#[test]
fn simulated_loads_follow_the_law() {
    let loads = |weights: &[u64]| {
        let mut rng = rng_for_trial(SEED, 0);
        let rule = rule(weights, 2);
        tally((0..100_000).map(|_| {
            let mut loads = LoadVector::new(4).unwrap();
            rule.clone().start_and_run(&mut loads, 6, &mut rng).unwrap();
            loads.to_vec()
        }))
    };
    let law = chain(&[3, 7, 11, 2], 6, 2, false).to_f64();
    goodness_of_fit(&loads(&[3, 7, 11, 2]), &law).assert_fits("unequal probabilities", SEED);
    goodness_of_fit(&loads(&[3, 7, 11, 3]), &law).assert_rejects("a weight of 3 for 2", SEED);
}

#[test]
fn weights_of_any_size_make_the_same_probabilities() {
    let expected = [0.25, 0.75];
    for unit in [1.0, 1e-300, 5e-324, 1e300, f64::MAX / 4.0] {
        let probabilities = BinProbabilities::from_weights([unit, 3.0 * unit]).unwrap();
        assert_eq!(probabilities.probabilities(), expected, "{unit}");
    }
    let huge = BinProbabilities::from_weights([f64::MAX; 1000]).unwrap();
    assert!(huge.probabilities().iter().all(|&probability| probability == 0.001));
    let lost = BinProbabilities::from_weights([f64::MIN_POSITIVE, f64::MAX]).unwrap();
    let mut rng = rng_for_trial(SEED, 1);
    assert!((0..1000).all(|_| lost.sample(&mut rng) == 1));
}

/// Arcs of uniform points: they sum to 1, and their lengths are those of exponential spacings. `E[max]` of
/// `n` arcs is `H_n/n`, and `E[Σ s²] = 2/(n + 1)`.
#[test]
fn arcs_of_a_circle_have_their_law() {
    const BINS: u64 = 50;
    let circles: Vec<BinProbabilities> =
        (0..40_000).map(|trial| BinProbabilities::circle(BINS, &mut rng_for_trial(SEED, trial)).unwrap()).collect();
    for circle in &circles {
        assert_eq!(circle.bins(), BINS);
        assert!((circle.probabilities().iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
    let n = BINS as f64;
    let harmonic: f64 = (1..=BINS).map(|k| 1.0 / k as f64).sum();
    let longest = Mean::of(circles.iter().map(|circle| circle.probabilities().iter().copied().fold(0.0, f64::max)));
    longest.agrees(Mean::exact(harmonic / n)).assert_fits("longest arc", SEED);
    longest.agrees(Mean::exact(harmonic / (n + 1.0))).assert_rejects("longest arc of one more", SEED);
    let squares = Mean::of(circles.iter().map(|circle| circle.probabilities().iter().map(|s| s * s).sum()));
    squares.agrees(Mean::exact(2.0 / (n + 1.0))).assert_fits("sum of squares", SEED);
    squares.agrees(Mean::exact(2.0 / n)).assert_rejects("sum of squares without the 1", SEED);
    assert_eq!(BinProbabilities::circle(1, &mut rng_for_trial(SEED, 0)).unwrap().probabilities(), [1.0]);
}

#[test]
fn classes_are_as_biased_as_they_say() {
    for (a, b) in [(2.5, 1.6), (1.0, 1.0), (3.0, 1.0), (1.0, 4.0), (2.0, 2.0), (10.0, 1.1)] {
        for bins in [1, 2, 10, 1000, 1001] {
            let biased = BinProbabilities::hardest_biased(bins, a, b).unwrap();
            let n = bins as f64;
            let within = |s: f64| s * n <= b * (1.0 + 1e-9) && s * n >= (1.0 - 1e-9) / a;
            assert!(biased.probabilities().iter().all(|&s| within(s)), "a = {a}, b = {b}, n = {bins}");
        }
    }
    // The share r of heavy bins, and the two classes by their ratio ab.
    let (a, b): (f64, f64) = (2.5, 1.6);
    let heavy = BinProbabilities::hardest_biased(1000, a, b).unwrap();
    assert_eq!(heavy.probabilities().iter().filter(|&&s| s > 0.001).count(), 500);
    let classes = BinProbabilities::two_class(1000, 500, a * b).unwrap();
    let apart = heavy.probabilities().iter().zip(classes.probabilities()).map(|(one, other)| (one - other).abs());
    assert!(apart.fold(0.0, f64::max) < 1e-15);
}

/// Half of the bins have probability 4/5 together. Fewer than `d* = 3.106` choices leave them overloaded: of
/// all balls they get `(4/5)^d` while that exceeds ½. The first balls, and the fluctuations (five standard
/// deviations: 0.0025), shift the share by less than 0.004.
#[test]
fn below_the_threshold_the_overload_grows() {
    let threshold = biased_threshold(2.5, 1.6).unwrap();
    assert!((threshold - 2_f64.ln() / 1.25_f64.ln()).abs() < 1e-12);
    let classes = BinProbabilities::two_class(1000, 500, 4.0).unwrap();
    for d in 1..=5 {
        let mut loads = LoadVector::new(1000).unwrap();
        let mut rule = NonuniformChoice::new(classes.clone(), d).unwrap();
        rule.start_and_run(&mut loads, 1_000_000, &mut rng_for_trial(SEED, 2)).unwrap();
        let share = loads.iter().take(500).sum::<u64>() as f64 / 1e6;
        let expected = if f64::from(d) < threshold { 0.8_f64.powi(d as i32) } else { 0.5 };
        assert!((share - expected).abs() < 0.004, "d = {d}: {share}, {expected}");
    }
    // At the threshold itself, between the two formulas: (rb)^d* = r.
    for (a, b) in [(1.5, 3.0), (2.0, 2.0), (7.0, 1.2)] {
        let r = (a - 1.0) / (a * b - 1.0_f64);
        assert!(((r * b).powf(biased_threshold(a, b).unwrap()) - r).abs() < 1e-12);
    }
    for uniform in [(1.0, 5.0), (5.0, 1.0), (1.0, 1.0)] {
        assert_eq!(biased_threshold(uniform.0, uniform.1), Ok(1.0));
    }
}
