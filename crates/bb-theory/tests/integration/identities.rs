use bb_processes::bb_core::{Allocator, Coin, LoadVector, Metrics, Rng, Weight, rng_for_trial};
use bb_processes::{DChoice, MeanThinning, OnePlusBeta};
use bb_theory::exact::{BigRational, sorted_loads, vectors};
use bb_theory::identities::{self, Moments, exponential_step, mean_difference, quadratic_drift};
use num_traits::ToPrimitive;

fn float(number: &BigRational) -> f64 {
    number.to_f64().unwrap()
}

/// All states of four bins with seven balls, several rules: against the potentials after each possible ball.
#[test]
fn one_step_expectations_are_sums_over_the_next_ball() {
    let alpha = 0.3;
    let states = sorted_loads(4, 7, |_| vectors::d_choice(4, 1));
    for (loads, _) in states.iter() {
        for vector in [vectors::d_choice(4, 2), vectors::distinct_choice(4, 3), vectors::mean_thinning(loads)] {
            let probabilities: Vec<f64> = vector.iter().map(float).collect();
            let real: Vec<f64> = loads.iter().map(|&load| load as f64).collect();
            let before = LoadVector::from_loads(loads.clone()).unwrap();
            let (mut drift, mut phi, mut psi) = (0.0, 0.0, 0.0);
            for (bin, probability) in probabilities.iter().enumerate() {
                let mut after = loads.clone();
                after[bin] += 1;
                let after = LoadVector::from_loads(after).unwrap();
                drift += probability * (after.quadratic_potential() - before.quadratic_potential());
                phi += probability * after.exponential_potentials(alpha).unwrap().phi();
                psi += probability * after.exponential_potentials(alpha).unwrap().psi();
            }
            assert!((quadratic_drift(&real, &probabilities, Moments::UNIT).unwrap() - drift).abs() < 1e-12);
            let [found_phi, found_psi] = exponential_step(&real, &probabilities, alpha, f64::exp).unwrap();
            assert!((found_phi - phi).abs() < 1e-12 && (found_psi - psi).abs() < 1e-12, "{loads:?}");
        }
    }
}

/// Weights 1 or 3, each with probability 1/2, onto real loads.
#[test]
fn one_step_expectations_with_weights() {
    let (loads, probabilities, alpha) = ([2.5, 0.0, 1.25], [0.5, 0.2, 0.3], 0.4);
    let potentials = |loads: &[f64]| {
        let loads = LoadVector::<f64>::from_loads(loads.to_vec()).unwrap();
        let exponential = loads.exponential_potentials(alpha).unwrap();
        [loads.quadratic_potential(), exponential.phi(), exponential.psi()]
    };
    let mut expected = [0.0; 3];
    for (bin, probability) in probabilities.iter().enumerate() {
        for weight in [1.0, 3.0] {
            let mut after = loads;
            after[bin] += weight;
            let after = potentials(&after);
            (0..3).for_each(|which| expected[which] += 0.5 * probability * after[which]);
        }
    }
    let weight = Moments::new(2.0, 5.0).unwrap();
    let drift = quadratic_drift(&loads, &probabilities, weight).unwrap();
    assert!((drift - (expected[0] - potentials(&loads)[0])).abs() < 1e-12);
    let mgf = |z: f64| 0.5 * (z.exp() + (3.0 * z).exp());
    let [phi, psi] = exponential_step(&loads, &probabilities, alpha, mgf).unwrap();
    assert!((phi - expected[1]).abs() < 1e-12 && (psi - expected[2]).abs() < 1e-12);
    // Weights are not unit balls.
    assert!((quadratic_drift(&loads, &probabilities, Moments::UNIT).unwrap() - drift).abs() > 0.1);
    assert!(Weight::new(2.0).is_ok());
}

#[test]
fn one_choice_has_a_quadratic_potential_of_its_balls() {
    for (bins, balls) in [(2, 9), (4, 12), (5, 3)] {
        let law = sorted_loads(bins, balls, |_| vectors::d_choice(bins, 1));
        let exact = float(&law.mean_quadratic_potential());
        assert!((identities::one_choice_quadratic(bins, balls) - exact).abs() < 1e-12);
    }
}

/// Two bins: the difference `D` goes up from 0 surely, else with the probability of the heavier bin. So
/// `E|Y − Y'| = E[D]/2` in the long run, and the chain is quickly told in floating point.
#[test]
fn two_bins_obey_their_identities() {
    for beta in [1.0, 0.5, 0.2] {
        let heavier = 0.5 - beta / 4.0;
        let mut law = [0.0; 400];
        law[0] = 1.0;
        let mut means = [0.0; 2];
        for ball in 0..5000 {
            let mut next = [0.0; 400];
            for (d, probability) in law[..399].iter().enumerate() {
                let up = if d == 0 { 1.0 } else { heavier };
                next[d + 1] += up * probability;
                next[d.saturating_sub(1)] += (1.0 - up) * probability;
            }
            law = next;
            // Even and odd times are two classes.
            means[ball % 2] = law.iter().enumerate().map(|(d, probability)| 0.5 * d as f64 * probability).sum();
        }
        let expected = identities::one_plus_beta_difference(2, beta).unwrap();
        assert!(((means[0] + means[1]) / 2.0 - expected).abs() < 1e-9, "β = {beta}: {means:?}");
    }
    let two = identities::two_choice_difference(2, Moments::UNIT);
    assert_eq!(two, identities::one_plus_beta_difference(2, 1.0).unwrap());
}

/// The mean of a quantity of the loads over many balls. The correlation time is some balls a bin: at 20 bins,
/// 400 000 balls are some thousand of them.
fn time_average<A: Allocator>(mut rule: A, bins: u64, quantity: impl Fn(&LoadVector) -> f64) -> f64 {
    const BALLS: u64 = 400_000;
    let mut loads = LoadVector::new(bins).unwrap();
    let mut rng = rng_for_trial(33, bins);
    let mut sum = 0.0;
    for _ in 0..BALLS {
        sum += quantity(&loads);
        rule.step(&mut loads, &mut rng);
    }
    sum / BALLS as f64
}

/// Relative errors of the averages are about 0.3 %; 2 % are allowed, and the nearest other process is 10 %
/// away.
#[test]
fn runs_obey_the_stationary_identities() {
    let difference = |loads: &LoadVector| mean_difference(&loads.level_counts(), |_| 1.0);
    let near = |found: f64, expected: f64| (found / expected - 1.0).abs() < 0.02;
    let two = time_average(DChoice::two(), 20, difference);
    assert!(near(two, identities::two_choice_difference(20, Moments::UNIT)), "{two}");
    let half = time_average(OnePlusBeta::new(0.5).unwrap(), 20, difference);
    assert!(near(half, identities::one_plus_beta_difference(20, 0.5).unwrap()), "{half}");
    assert!(!near(half, identities::one_plus_beta_difference(20, 0.55).unwrap()));
    let thinning = time_average(MeanThinning, 20, LoadVector::absolute_potential);
    assert!(near(thinning, identities::mean_thinning_deviation(20)), "{thinning}");
    assert!(!near(time_average(OnePlusBeta::new(0.5).unwrap(), 20, LoadVector::absolute_potential), 19.0));
    // The bin that takes the ball, below the mean by (1 − 1/n)/2.
    let mut loads = LoadVector::new(20).unwrap();
    let (mut rng, mut sum) = (rng_for_trial(33, 0), 0.0);
    for _ in 0..400_000 {
        let bin = Allocator::<LoadVector>::choose(&mut DChoice::two(), &loads, &mut rng);
        sum += loads.normalised(bin);
        bb_processes::bb_core::Place::place(&mut loads, bin, &());
    }
    assert!(near(sum / 4e5, identities::chosen_load(20, Moments::UNIT)), "{sum}");
}

/// A comparison that is a coin within a difference of 1, g-Myopic-Comp: E[δ; δ > 1] = 1 − 1/n.
#[test]
fn wrong_comparisons_obey_their_identity() {
    #[derive(Clone)]
    struct Myopic(Coin);
    impl Allocator<LoadVector> for Myopic {
        fn choose<R: Rng + ?Sized>(&mut self, bins: &LoadVector, rng: &mut R) -> usize {
            use bb_processes::bb_core::{Bins, BinsExt};
            let [first, second] = bins.draw_pair(rng);
            let lighter = bins.lighter(first, second);
            if bins.load(first).abs_diff(bins.load(second)) <= 1 { self.0.pick(first, second, rng) } else { lighter }
        }
    }
    let rule = || Myopic(Coin::new("p", 0.5).unwrap());
    let beyond =
        |g: u64| move |loads: &LoadVector| mean_difference(&loads.level_counts(), |d| if d > g { 1.0 } else { 0.0 });
    let found = time_average(rule(), 20, beyond(1));
    assert!((found / 0.95 - 1.0).abs() < 0.02, "{found}");
    assert!((time_average(rule(), 20, beyond(0)) / 0.95 - 1.0).abs() > 0.1);
}

#[test]
fn bad_input_is_refused() {
    let message = |result: Result<f64, bb_theory::ParameterError>| result.unwrap_err().to_string();
    let unit = Moments::UNIT;
    assert_eq!(message(quadratic_drift(&[1.0, 2.0], &[1.0], unit)), "probabilities = 1 is outside one each for 2 bins");
    assert_eq!(message(quadratic_drift(&[1.0, 2.0], &[1.5, -0.5], unit)), "probability = 1.5 is outside [0, 1]");
    assert_eq!(message(quadratic_drift(&[1.0, 2.0], &[0.5, 0.4], unit)), "sum of probabilities = 0.9 is outside 1");
    assert!(quadratic_drift(&[], &[], unit).is_err());
    assert!(exponential_step(&[1.0], &[1.0], 0.0, f64::exp).is_err());
    assert!(identities::one_plus_beta_difference(3, 0.0).is_err());
    assert!(Moments::new(0.0, 1.0).is_err() && Moments::new(1.0, f64::NAN).is_err());
}
