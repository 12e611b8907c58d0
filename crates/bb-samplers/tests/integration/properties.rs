//! Properties of every parameter set: support, sums, errors, symmetries.

use bb_samplers::{
    Binomial, Hypergeometric, MAX_POPULATION, Multinomial, SamplerError, multinomial, multivariate_hypergeometric,
    multivariate_hypergeometric_into,
};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use rand::SeedableRng;
use rand::distr::Distribution;
use rand_pcg::Pcg64Mcg;

/// Counts of every magnitude up to `max`, both ends included.
fn count(max: u64) -> BoxedStrategy<u64> {
    prop_oneof![
        Just(0),
        Just(max),
        (0u32..62, any::<u64>()).prop_map(move |(bits, x)| (x >> (63 - bits)).min(max)),
        (0u32..62, any::<u64>()).prop_map(move |(bits, x)| max - (x >> (63 - bits)).min(max)),
        0..=max,
    ]
    .boxed()
}

/// `(total, marked, draws)` in range.
fn urn() -> impl Strategy<Value = (u64, u64, u64)> {
    count(MAX_POPULATION).prop_flat_map(|total| (Just(total), count(total), count(total)))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 20_000,
        rng_seed: RngSeed::Fixed(0x62_62),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn hypergeometric_stays_in_its_support((total, marked, draws) in urn(), seed: u64) {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let law = Hypergeometric::new(total, marked, draws)?;
        for _ in 0..3 {
            let x = law.sample(&mut rng);
            prop_assert!(x <= marked.min(draws) && draws - x <= total - marked);
        }
    }

    /// One generator state, four urns that mirror one another.
    #[test]
    fn symmetries_hold_draw_by_draw((total, marked, draws) in urn(), seed: u64) {
        let draw = |marked, draws| -> Result<u64, SamplerError> {
            let mut rng = Pcg64Mcg::seed_from_u64(seed);
            Ok(Hypergeometric::new(total, marked, draws)?.sample(&mut rng))
        };
        let x = draw(marked, draws)?;
        prop_assert_eq!(x, draw(draws, marked)?);
        // A count of exactly half is its own mirror image, so the draws cannot differ.
        if 2 * marked != total {
            prop_assert_eq!(x, draws - draw(total - marked, draws)?);
        }
        if 2 * draws != total {
            prop_assert_eq!(x, marked - draw(marked, total - draws)?);
        }
    }

    #[test]
    fn binomial_stays_in_its_support(trials in count(MAX_POPULATION), p in 0.0..=1.0, tiny: bool, seed: u64) {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let p = if tiny { f64::exp(-60.0 * p) } else { p };
        prop_assert!(Binomial::new(trials, p)?.sample(&mut rng) <= trials);
    }

    #[test]
    fn binomial_of_a_ratio_stays_in_its_support((denominator, numerator, trials) in urn(), seed: u64) {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        if denominator == 0 {
            prop_assert!(Binomial::from_ratio(trials, numerator, denominator).is_err());
        } else {
            prop_assert!(Binomial::from_ratio(trials, numerator, denominator)?.sample(&mut rng) <= trials);
        }
    }

    #[test]
    fn parts_of_an_urn_sum_to_the_draws(counts in prop::collection::vec(count(1 << 58), 0..12), share in 0.0..=1.0, seed: u64) {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let total: u64 = counts.iter().sum();
        let draws = ((total as f64 * share) as u64).min(total);
        let mut out = vec![77; counts.len()];
        multivariate_hypergeometric_into(&counts, draws, &mut rng, &mut out)?;
        prop_assert_eq!(out.iter().sum::<u64>(), draws);
        prop_assert!(out.iter().zip(&counts).all(|(part, count)| part <= count));
        // The same draws through the other entry.
        let mut again = vec![0; counts.len()];
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        multivariate_hypergeometric(&counts, draws, &mut rng, |kind, part| again[kind] = part)?;
        prop_assert_eq!(out, again);
    }

    #[test]
    fn parts_of_trials_sum_to_the_trials(weights in prop::collection::vec(count(1 << 58), 1..12), trials in count(MAX_POPULATION), seed: u64) {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let mut parts = vec![0; weights.len()];
        let outcome = multinomial(&weights, trials, &mut rng, |i, part| parts[i] += part);
        if weights.iter().all(|&w| w == 0) {
            prop_assert!(outcome.is_err());
        } else {
            outcome?;
            prop_assert_eq!(parts.iter().sum::<u64>(), trials);
            prop_assert!(parts.iter().zip(&weights).all(|(&part, &w)| part == 0 || w > 0));
            let floats: Vec<f64> = weights.iter().map(|&w| w as f64).collect();
            Multinomial::new(&floats)?.split_into(trials, &mut rng, &mut parts)?;
            prop_assert_eq!(parts.iter().sum::<u64>(), trials);
            prop_assert!(parts.iter().zip(&weights).all(|(&part, &w)| part == 0 || w > 0));
        }
    }
}

#[test]
fn each_wrong_parameter_is_named() {
    let count = |parameter, value, max| SamplerError::Count { parameter, value, max };
    let big = MAX_POPULATION + 1;
    assert_eq!(Hypergeometric::new(big, 0, 0).unwrap_err(), count("total", big, MAX_POPULATION));
    assert_eq!(Hypergeometric::new(5, 6, 0).unwrap_err(), count("marked", 6, 5));
    assert_eq!(Hypergeometric::new(5, 5, 6).unwrap_err(), count("draws", 6, 5));
    assert_eq!(Binomial::new(big, 0.5).unwrap_err(), count("trials", big, MAX_POPULATION));
    for value in [-1e-300, 1.0 + f64::EPSILON, f64::INFINITY] {
        let error = SamplerError::Probability { parameter: "p", value };
        assert_eq!(Binomial::new(1, value).unwrap_err(), error);
    }
    assert!(Binomial::new(1, f64::NAN).is_err());
    assert_eq!(Binomial::from_ratio(1, 3, 2).unwrap_err(), count("numerator", 3, 2));
    assert_eq!(Binomial::from_ratio(1, 0, 0).unwrap_err(), SamplerError::WeightSum { sum: 0.0 });

    let rng = &mut Pcg64Mcg::seed_from_u64(1);
    let max = MAX_POPULATION;
    assert_eq!(
        multivariate_hypergeometric(&[max, 1], 1, rng, |_, _| ()).unwrap_err(),
        count("sum of counts", max + 1, max)
    );
    assert_eq!(
        multivariate_hypergeometric(&[u64::MAX, u64::MAX], 1, rng, |_, _| ()).unwrap_err(),
        count("sum of counts", u64::MAX, max)
    );
    let mut out = [3, 3];
    assert_eq!(multivariate_hypergeometric_into(&[2, 3], 6, rng, &mut out).unwrap_err(), count("draws", 6, 5));
    assert_eq!(
        multivariate_hypergeometric_into(&[2, 3, 4], 6, rng, &mut out).unwrap_err(),
        SamplerError::Length { len: 2, expected: 3 }
    );
    assert_eq!(out, [3, 3]);
    assert_eq!(multinomial(&[0, 0], 1, rng, |_, _| ()).unwrap_err(), SamplerError::WeightSum { sum: 0.0 });
    assert_eq!(Multinomial::new(&[f64::MAX, f64::MAX]).unwrap_err(), SamplerError::WeightSum { sum: f64::INFINITY });
    assert_eq!(Multinomial::new(&[]).unwrap_err(), SamplerError::WeightSum { sum: 0.0 });
    let two = Multinomial::new(&[1.0, 1.0]).unwrap();
    assert_eq!(two.split_into(3, rng, &mut [0]).unwrap_err(), SamplerError::Length { len: 1, expected: 2 });
    assert_eq!(two.split_into(big, rng, &mut out).unwrap_err(), count("trials", big, max));
}
