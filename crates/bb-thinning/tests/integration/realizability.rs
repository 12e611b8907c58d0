//! Which laws two-thinning has: the criterion and the accept probabilities, in both directions, in exact
//! rationals and in `f64`.

use bb_core::rand::RngExt;
use bb_core::rng_for_trial;
use bb_testkit::BigRational;
use bb_testkit::exact::ratio;
use bb_thinning::{
    Class, RealizeError, Rejections, ThetaDrift, accept_probabilities, accept_probabilities_of_classes,
    accept_probabilities_of_intensities, law_of_accept_probabilities, rejection_range,
};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

const CASES: u32 = 10_000;

fn check<S: Strategy>(strategy: S, test: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let config = Config { cases: CASES, failure_persistence: None, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[5; 32]);
    TestRunner::new_with_rng(config, rng).run(&strategy, test).unwrap();
}

/// A rational in `[0, 1]`, often an end.
fn unit() -> impl Strategy<Value = BigRational> {
    (0_u64..=60, 1_u64..=60).prop_map(|(a, b)| ratio(a.min(b), b))
}

/// A law on one to six bins, often one that two-thinning has.
fn law() -> impl Strategy<Value = Vec<BigRational>> {
    let weights = prop_oneof![
        proptest::collection::vec(0_u64..=12, 1..=6),
        proptest::collection::vec(8_u64..=12, 1..=6),
        proptest::collection::vec(1_u64..=2, 1..=6),
    ];
    weights.prop_filter_map("a law has a positive weight", |weights| {
        let sum: u64 = weights.iter().sum();
        (sum > 0).then(|| weights.iter().map(|&weight| ratio(weight, sum)).collect())
    })
}

fn extremes(law: &[BigRational]) -> (BigRational, BigRational) {
    (law.iter().max().unwrap().clone(), law.iter().min().unwrap().clone())
}

fn n(law: &[BigRational]) -> BigRational {
    ratio(law.len() as u64, 1)
}

/// The law by enumeration of the primary, its acceptance and the second bin.
fn enumerated(accept: &[BigRational]) -> Vec<BigRational> {
    let n = accept.len() as u64;
    let mut law = vec![ratio(0, 1); accept.len()];
    for (primary, a) in accept.iter().enumerate() {
        law[primary] += a * ratio(1, n);
        law.iter_mut().for_each(|p| *p += (ratio(1, 1) - a) * ratio(1, n) * ratio(1, n));
    }
    law
}

/// A strategy has a law that obeys the criterion, and is found again from it at its own `c`.
#[test]
fn every_strategy_has_a_law_that_can_be_realised() {
    check(proptest::collection::vec(unit(), 1..=6), |accept| {
        let law = law_of_accept_probabilities(&accept).unwrap();
        prop_assert_eq!(&law, &enumerated(&accept));
        let (max, min) = extremes(&law);
        prop_assert!(&max - &min <= ratio(1, accept.len() as u64));
        let c = ratio(1, 1) - accept.iter().sum::<BigRational>() / n(&accept);
        let (low, high) = rejection_range(&law).unwrap();
        prop_assert!(low <= c && c <= high);
        prop_assert_eq!(accept_probabilities(&law, &Rejections::Given(c)).unwrap(), accept);
        Ok(())
    });
}

/// A law is realised, at each admissible `c` and at no other, iff it obeys the criterion; else the error
/// names what is violated.
#[test]
fn every_law_that_obeys_the_criterion_is_realised_and_no_other() {
    let realised = std::cell::Cell::new(0);
    check((law(), unit()), |(law, between)| {
        let (max, min) = extremes(&law);
        let excess = &max - &min - ratio(1, law.len() as u64);
        if excess > ratio(0, 1) {
            let Err(RealizeError::Spread { likeliest, least_likely, excess: named, bins }) =
                accept_probabilities(&law, &Rejections::Fewest)
            else {
                return Err(TestCaseError::fail("the law has too wide a spread"));
            };
            prop_assert_eq!((&law[likeliest], &law[least_likely]), (&max, &min));
            prop_assert_eq!((named, bins), (excess, law.len() as u64));
            return Ok(());
        }
        realised.set(realised.get() + 1);
        let (low, high) = rejection_range(&law).unwrap();
        prop_assert_eq!((&low, &high), (&(n(&law) * max - ratio(1, 1)), &(n(&law) * min)));
        prop_assert!(ratio(0, 1) <= low && low <= high && high <= ratio(1, 1));
        let given = Rejections::Given(&low + (&high - &low) * between);
        for (rejections, c) in [(Rejections::Fewest, Some(&low)), (Rejections::Most, Some(&high)), (given, None)] {
            let accept = accept_probabilities(&law, &rejections).unwrap();
            prop_assert_eq!(&enumerated(&accept), &law);
            if let Some(c) = c {
                prop_assert_eq!(c, &(ratio(1, 1) - accept.iter().sum::<BigRational>() / n(&accept)));
            }
        }
        let tiny = ratio(1, 1_000_000);
        for outside in [&low - &tiny, &high + &tiny] {
            let error = accept_probabilities(&law, &Rejections::Given(outside.clone())).unwrap_err();
            prop_assert_eq!(error, RealizeError::Rejections { c: outside, low: low.clone(), high: high.clone() });
        }
        Ok(())
    });
    assert!((2000..9000).contains(&realised.get()), "laws of both kinds: {}", realised.get());
}

/// Classes and intensities are the same map as bins one by one.
#[test]
fn classes_are_bins_counted() {
    check((proptest::collection::vec((0_u64..4, 0_u64..20), 1..=3), unit()), |(classes, _)| {
        let weight: u64 = classes.iter().map(|&(size, weight)| size * weight).sum();
        if weight == 0 {
            return Ok(());
        }
        let by_class: Vec<_> =
            classes.iter().map(|&(bins, part)| Class { bins, probability: ratio(part, weight) }).collect();
        let one_by_one: Vec<_> =
            by_class.iter().flat_map(|class| vec![class.probability.clone(); class.bins as usize]).collect();
        for rejections in [Rejections::Fewest, Rejections::Most] {
            let expected = accept_probabilities(&one_by_one, &rejections);
            let found = accept_probabilities_of_classes(&by_class, &rejections);
            prop_assert_eq!(found.is_ok(), expected.is_ok());
            let mut sizes = [0; 3];
            let mut intensities = [(); 3].map(|()| ratio(0, 1));
            for (place, &(size, part)) in classes.iter().enumerate() {
                (sizes[place], intensities[place]) = (size, ratio(part, 7));
            }
            let of_intensities = accept_probabilities_of_intensities(sizes, &intensities, &rejections);
            prop_assert_eq!(of_intensities.is_ok(), expected.is_ok());
            if let (Ok(expected), Ok(found), Ok(of_intensities)) = (expected, found, of_intensities) {
                let expand = |accept: &[BigRational]| -> Vec<BigRational> {
                    classes
                        .iter()
                        .zip(accept)
                        .flat_map(|(&(size, _), accept)| vec![accept.clone(); size as usize])
                        .collect()
                };
                prop_assert_eq!(&expand(&found), &expected);
                prop_assert_eq!(&expand(&of_intensities), &expected);
            }
        }
        Ok(())
    });
}

/// `f64` answers as rationals do, up to rounding, for many bins; at the very edge of the criterion rounding
/// never refuses.
#[test]
fn floating_point_is_near_the_truth() {
    let mut rng = rng_for_trial(1, 0);
    for n in [2_usize, 10, 1000, 20_000] {
        // Half of the bins receive as much more as can be.
        let law: Vec<f64> = (0..n).map(|bin| if bin % 2 == 0 { 1.5 } else { 0.5 } / n as f64).collect();
        let accept = accept_probabilities(&law, &Rejections::Fewest).unwrap();
        assert!(accept.iter().step_by(2).all(|a| (a - 1.0).abs() < 1e-15));
        assert!(accept.iter().skip(1).step_by(2).all(|a| a.abs() < 1e-15 && *a >= 0.0));
        // A little more cannot be.
        let more: Vec<f64> =
            (0..n).map(|bin| if bin % 2 == 0 { 1.5 + 1e-14 } else { 0.5 - 1e-14 } / n as f64).collect();
        let error = accept_probabilities(&more, &Rejections::Fewest).unwrap_err();
        let RealizeError::Spread { excess, bins, .. } = error else { panic!("{error}") };
        assert!((excess * n as f64 - 2e-14).abs() < 1e-15 && bins == n as u64);
        // The way there and back, at random.
        let accept: Vec<f64> = (0..n).map(|_| rng.random_range(0.0..=1.0)).collect();
        let law = law_of_accept_probabilities(&accept).unwrap();
        let c = 1.0 - accept.iter().sum::<f64>() / n as f64;
        let again = accept_probabilities(&law, &Rejections::Given(c)).unwrap();
        assert!(again.iter().zip(&accept).all(|(again, a)| (again - a).abs() < 1e-12));
    }
}

#[test]
fn what_is_no_law_is_refused() {
    let fewest = Rejections::Fewest;
    assert_eq!(accept_probabilities::<f64>(&[], &fewest), Err(RealizeError::NoBins));
    assert_eq!(law_of_accept_probabilities::<f64>(&[]), Err(RealizeError::NoBins));
    for wrong in [-0.1, f64::NAN, f64::INFINITY] {
        let error = accept_probabilities(&[0.5, wrong], &fewest).unwrap_err();
        assert!(matches!(error, RealizeError::NotAProbability { place: 1, .. }), "{error}");
        let error = accept_probabilities_of_intensities([1, 1], &[wrong, 1.0], &fewest).unwrap_err();
        assert!(matches!(error, RealizeError::NotAProbability { .. }), "{error}");
        let error = law_of_accept_probabilities(&[1.0, wrong]).unwrap_err();
        assert!(matches!(error, RealizeError::NotAccept { place: 1, .. }), "{error}");
        assert!(accept_probabilities(&[0.5, 0.5], &Rejections::Given(wrong)).is_err());
    }
    let error = accept_probabilities(&[0.5, 0.4], &fewest).unwrap_err();
    assert!(error.to_string().starts_with("the probabilities sum to 0.9, outside ±"), "{error}");
    assert_eq!(accept_probabilities_of_intensities([2, 1], &[0.0, 0.0], &fewest), Err(RealizeError::NoIntensity));
    assert_eq!(accept_probabilities_of_intensities([0, 0], &[1.0, 1.0], &fewest), Err(RealizeError::NoBins));
    let classes = [Class { bins: 0, probability: 0.5 }];
    assert_eq!(accept_probabilities_of_classes(&classes, &fewest), Err(RealizeError::NoBins));
}

/// Whether the drift `θ` with `b` low bins of `n` can be realised, for rationals.
fn drift_is_realised(theta: &BigRational, low: u64, n: u64, c: Option<&BigRational>) -> bool {
    let one = ratio(1, 1);
    let rejections = c.map_or(Rejections::Fewest, |c| Rejections::Given(c.clone()));
    accept_probabilities_of_intensities([low, n - low], &[&one + theta, one - theta], &rejections).is_ok()
}

/// The two thresholds of the drift: `√5 − 2` for one `c` in all states, however many bins; `1/3` for each
/// state by itself. Other intensities give other thresholds.
#[test]
fn the_drift_has_its_two_thresholds() {
    // Rationals next to √5 − 2: (x + 2)² against 5 decides the side.
    let below = ratio(236_067_977, 1_000_000_000);
    let above = ratio(236_067_978, 1_000_000_000);
    let square = |x: &BigRational| (x + ratio(2, 1)) * (x + ratio(2, 1));
    assert!(square(&below) < ratio(5, 1) && square(&above) > ratio(5, 1));
    let n = 10_000_000_000;
    // The extreme states, b = 1 and b = n − 1, and a shared c: its interval is empty above the threshold.
    let interval = |theta: &BigRational| {
        let one = ratio(1, 1);
        let of = |low: u64| {
            let mean = (&one - theta) + theta * ratio(2 * low, n);
            ((&one + theta) / &mean - &one, (&one - theta) / mean)
        };
        let ((low_1, high_1), (low_2, high_2)) = (of(1), of(n - 1));
        (low_1.max(low_2), high_1.min(high_2))
    };
    let (low, high) = interval(&below);
    assert!(low <= high);
    let c = (low + high) / ratio(2, 1);
    assert!([1, 2, n / 2, n - 1].iter().all(|&b| drift_is_realised(&below, b, n, Some(&c))));
    let (low, high) = interval(&above);
    assert!(low > high, "no c for all states");
    for c in [low, high] {
        assert!(![1, n - 1].iter().all(|&b| drift_is_realised(&above, b, n, Some(&c))));
    }
    assert!((ThetaDrift::SHARED_C - (5.0_f64.sqrt() - 2.0)).abs() < 1e-15);

    // State by state the bound is 1/(3 − 2/n), at b = 1.
    for n in [2_u64, 3, 10, 1_000_000] {
        let edge = ratio(n, 3 * n - 2);
        let more = &edge + ratio(1, 1_000_000_000_000);
        assert!((1..n).all(|b| b > 10 || drift_is_realised(&edge, b, n, None)), "n = {n}");
        assert!(more > ratio(1, 1) || !drift_is_realised(&more, 1, n, None), "n = {n}");
        assert!((0..=n.min(20)).all(|b| drift_is_realised(&ratio(1, 3), b, n, None)));
    }
    // No θ above 1/3 does for all n.
    assert!(!drift_is_realised(&(ratio(1, 3) + ratio(1, 1_000_000)), 1, 10_000_000, None));
}
