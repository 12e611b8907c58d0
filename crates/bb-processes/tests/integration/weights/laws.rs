//! The laws of weights: moments, distribution functions, parameters outside their range.

use bb_processes::bb_core::rand::distr::Distribution;
use bb_processes::bb_core::{Weight, rng_for_trial};
use bb_processes::{EmpiricalError, WeightLaw};
use bb_testkit::stats::{Mean, binomial};
use proptest::prelude::*;

use super::laws;

const DRAWS: u64 = 200_000;

fn sample(law: &WeightLaw, seed: u64) -> Vec<f64> {
    law.sample_iter(rng_for_trial(seed, 0)).take(DRAWS as usize).collect()
}

/// Fourth moments are finite in all of these, so that the variance of a sample has a spread. α = 1e-6 for
/// each of 10 tests.
#[test]
fn means_are_one_and_variances_those_that_are_told() {
    for (name, law) in laws() {
        let weights = sample(&law, 1);
        if law.variance() == 0.0 {
            assert!(weights.iter().all(|&weight| weight == 1.0));
            continue;
        }
        if name == "uniform12" {
            // Each is as far from the mean as any other.
            assert!(weights.iter().all(|weight| ((weight - 1.0).powi(2) - law.variance()).abs() < 1e-15));
            continue;
        }
        Mean::of(weights.iter().copied()).agrees(Mean::exact(1.0)).assert_fits(name, 1);
        let squares = || Mean::of(weights.iter().map(|weight| (weight - 1.0).powi(2)));
        squares().agrees(Mean::exact(law.variance())).assert_fits(name, 1);
        // Five per cent off is seen.
        Mean::of(weights.iter().map(|weight| 1.05 * weight)).agrees(Mean::exact(1.0)).assert_rejects(name, 1);
    }
}

/// `P(w ≤ x)` at points in the body and the tail. α = 1e-6 for each of 15 tests.
#[test]
fn distribution_functions_are_those_of_the_laws() {
    let p = 0.3_f64;
    let geometric = |x: f64| 1.0 - (1.0 - p).powf((x / p).floor());
    let pareto = |x: f64| 1.0 - (0.8 / x).powi(5);
    // Half of a standard normal law is below its mean.
    type Row<'a> = (&'a str, WeightLaw, &'a dyn Fn(f64) -> f64, [f64; 3]);
    let functions: [Row<'_>; 4] = [
        ("exp", WeightLaw::exponential(), &|x| 1.0 - (-x).exp(), [0.1, 1.0, 4.0]),
        ("geometric", WeightLaw::geometric(p).unwrap(), &geometric, [0.31, 1.0, 3.1]),
        ("pareto", WeightLaw::pareto(5.0).unwrap(), &pareto, [0.85, 1.2, 2.5]),
        ("uniform12", WeightLaw::uniform12(), &|x| if x < 1.0 { 0.5 } else { 1.0 }, [0.7, 0.9, 1.4]),
    ];
    for (name, law, function, points) in functions {
        let weights = sample(&law, 2);
        for point in points {
            let below = weights.iter().filter(|&&weight| weight <= point).count() as u64;
            binomial(below, DRAWS, function(point)).assert_fits(name, 2);
        }
    }
    let normal = sample(&WeightLaw::log_normal(0.5).unwrap(), 2);
    let below = |point: f64| normal.iter().filter(|&&weight| weight <= point).count() as u64;
    // At σ = 1/2 the median is e^(−1/8); one standard deviation above, 0.841345 are below.
    binomial(below((-0.125_f64).exp()), DRAWS, 0.5).assert_fits("lognormal", 2);
    binomial(below(0.375_f64.exp()), DRAWS, 0.841_344_746_068_543).assert_fits("lognormal", 2);
    binomial(below(0.42_f64.exp()), DRAWS, 0.841_344_746_068_543).assert_rejects("lognormal", 2);
}

#[test]
fn classes_of_moments() {
    let tells: Vec<_> = laws()
        .into_iter()
        .map(|(name, law)| (name, law.finite_moments().is_finite(), law.has_exponential_moment()))
        .collect();
    let light = |name| (name, false, true);
    let heavy = [("pareto", true, false), ("lognormal", false, false)];
    let expected = [
        light("constant"),
        light("uniform12"),
        light("exp"),
        light("geometric"),
        heavy[0],
        heavy[1],
        light("empirical"),
    ];
    assert_eq!(tells, expected);
    assert_eq!(WeightLaw::pareto(1.5).unwrap().variance(), f64::INFINITY);
}

proptest! {
    /// A law is made or refused; what it gives is a weight, and the same as `f64` and as `Weight`.
    #[test]
    fn parameters_are_in_range_or_refused(value in prop_oneof![-3.0..30.0_f64, Just(f64::NAN), Just(f64::INFINITY), Just(0.0), Just(1.0), 0.0..1e-12]) {
        let made = [
            ("p", WeightLaw::geometric(value), value > 0.0 && value <= 1.0),
            ("a", WeightLaw::pareto(value), value > 1.0 && value.is_finite()),
            ("sigma", WeightLaw::log_normal(value), (0.0..=20.0).contains(&value)),
        ];
        for (parameter, made, allowed) in made {
            prop_assert_eq!(made.is_ok(), allowed, "{} = {}", parameter, value);
            match made {
                Ok(law) => {
                    let numbers: Vec<f64> = (&law).sample_iter(rng_for_trial(3, 0)).take(100).collect();
                    let weights: Vec<Weight> = (&law).sample_iter(rng_for_trial(3, 0)).take(100).collect();
                    prop_assert!(numbers.iter().all(|number| number.is_finite() && *number >= 0.0));
                    prop_assert!(numbers.iter().zip(&weights).all(|(number, weight)| *number == weight.get()));
                }
                Err(error) => prop_assert_eq!(error.parameter(), parameter),
            }
        }
    }

    /// Whatever the unit: the mean is 1, and zeros stay zeros.
    #[test]
    fn measured_weights_are_scaled_to_mean_one(weights in prop::collection::vec(0.0..10.0_f64, 1..20), unit in -1000..1000_i32) {
        let scaled: Vec<f64> = weights.iter().map(|weight| weight * 2_f64.powi(unit)).collect();
        match WeightLaw::empirical(scaled.clone()) {
            Ok(law) => {
                prop_assert_eq!(&law, &WeightLaw::empirical(weights).unwrap());
                let drawn: f64 = law.sample_iter(rng_for_trial(4, 0)).take(1000).fold(0.0, f64::max);
                prop_assert!(drawn <= 20.0);
            }
            Err(error) => {
                prop_assert_eq!(error, EmpiricalError::AllZero);
                prop_assert!(scaled.iter().all(|&weight| weight == 0.0));
            }
        }
    }
}
