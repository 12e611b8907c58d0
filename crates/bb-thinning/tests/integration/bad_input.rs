//! Every constructor refuses what it cannot work with, by an error that names it.

use bb_core::{Allocator, LoadVector, ParameterError, RankedVector, StartError, WithCounters, rng_for_trial};
use bb_thinning::{
    AlwaysAccept, DThinning, DriftMultiStage, LongTerm, MultiScale, MultiStage, Rejections, Scale, Strategy,
    ThetaDrift, Thinning, ThinningRelativeThreshold, Threshold, VaryingDrift, best_limit, predicted_maximum,
};

#[track_caller]
fn refuses<T: core::fmt::Debug>(parameter: &str, made: Result<T, ParameterError>) {
    let error = made.unwrap_err();
    assert_eq!(error.parameter(), parameter, "{error}");
    assert!(!error.value().is_empty() && !error.range().is_empty());
}

/// What no real parameter may be.
const NOT_POSITIVE: [f64; 6] = [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];

fn stages() -> MultiStage {
    MultiStage::new(&[1.0, 2.0], 0.0, 1.0).unwrap()
}

#[test]
fn explicit_parameters_are_checked() {
    refuses("l", Threshold::new(0));
    refuses("l", DThinning::new(3, 0));
    refuses("d", DThinning::new(1, 1));
    refuses("d", DThinning::new(257, 1));
    for wrong in NOT_POSITIVE {
        refuses("l", ThinningRelativeThreshold::new(wrong));
        refuses("theta", ThetaDrift::new(wrong));
        refuses("theta", ThetaDrift::paper(wrong));
        refuses("theta1", VaryingDrift::new(wrong, 0.2, 0.6, 4.0));
        refuses("theta3", VaryingDrift::new(0.2, 0.2, wrong, 4.0));
        refuses("l", VaryingDrift::new(0.2, 0.2, 0.6, wrong));
        refuses("stages", MultiStage::new(&[wrong], 0.0, 1.0));
        refuses("stages", MultiStage::new(&[1.0, wrong], 0.0, 1.0));
        refuses("l", MultiStage::new(&[1.0], 0.0, wrong));
        refuses("l", MultiScale::new(wrong, 1.0, vec![]));
        refuses("duration", MultiScale::new(1.0, wrong, vec![]));
        refuses("duration", Scale::new(1, stages()).unwrap().with_duration(wrong));
        refuses("duration", AlwaysAccept.then(wrong, AlwaysAccept));
        refuses("duration", AlwaysAccept.cycle(wrong));
        refuses("duration", DriftMultiStage::new(ThetaDrift::practical(), wrong, stages()));
        refuses("t", predicted_maximum(10, wrong, 2, 1));
    }
    refuses("theta", ThetaDrift::new(0.3334));
    refuses("theta", ThetaDrift::paper(0.2361));
    refuses("c", ThetaDrift::practical().with_rejections(Rejections::Given(f64::NAN)));
    refuses("theta1", VaryingDrift::new(1.1, 0.2, 0.6, 4.0));
    for wrong in [-0.1, 1.0, f64::NAN] {
        refuses("theta2", VaryingDrift::new(0.2, wrong, 0.6, 4.0));
    }
    refuses("theta3", VaryingDrift::new(0.2, 0.2, 0.81, 4.0));
    refuses("stages", MultiStage::new(&[], 0.0, 1.0));
    refuses("stages", MultiStage::new(&[2.0, 2.0], 0.0, 1.0));
    for wrong in [f64::NAN, f64::INFINITY, -1e300] {
        refuses("l0", MultiStage::new(&[1.0], wrong, 1.0));
        refuses("l0", stages().with_l0(wrong));
        refuses("q", MultiScale::new(1.0, 1.0, vec![]).unwrap().with_q(wrong));
    }
    refuses("iterations", Scale::new(0, stages()));
    refuses("bins", predicted_maximum(0, 1.0, 2, 1));
    refuses("d", predicted_maximum(10, 1.0, 0, 1));
    refuses("l", predicted_maximum(10, 1.0, 2, 0));
    refuses("bins", best_limit(0, 1.0, 2));
    for wrong in [0.0, 10_001.0, f64::NAN] {
        refuses("t", best_limit(10, wrong, 2));
    }
    refuses("t", Threshold::practical(10, 0));
    refuses("t", DThinning::practical(1, u64::MAX, 3));
    refuses("bins", Threshold::practical(0, 10));
    refuses("d", DThinning::practical(10, 10, 0));
}

/// The formulas of the papers fail where they degenerate, naming the quantity, and nowhere else.
#[test]
fn the_papers_parameters_degenerate_where_they_do() {
    for n in [f64::NAN, f64::INFINITY, -1.0, 0.0, 1.0] {
        refuses("n", Threshold::paper(n));
        refuses("n", DThinning::paper(n, 3));
        refuses("n", ThinningRelativeThreshold::paper(n, 1.0));
        refuses("n", VaryingDrift::paper(n));
        refuses("n", MultiStage::paper(n, 5.0, 0.0));
        refuses("n", MultiScale::paper(n, 1));
        refuses("n", LongTerm::paper(n, 0.2));
    }
    // n ≤ e.
    refuses("loglog n", Threshold::paper(2.7));
    assert!(Threshold::paper(2.8).is_ok());
    refuses("loglog n", VaryingDrift::paper(2.7));
    // n ≤ e^e = 15.15.
    refuses("logloglog n", MultiStage::paper(15.0, 5.0, 0.0));
    refuses("logloglog n", MultiScale::paper(15.0, 1));
    // k = 0 for 606 ≤ n < 10^40.5, k = 1 on both sides.
    for n in [605.0, 1e41] {
        assert_eq!(MultiStage::paper(n, f64::ln(n).ceil(), 0.0).unwrap().ends().len(), 1, "n = {n}");
        assert!(DriftMultiStage::paper(n, 0.2).is_ok());
    }
    for n in [606.0, 1e6, 10_f64.powf(40.45)] {
        refuses("k", MultiStage::paper(n, f64::ln(n).ceil(), 0.0));
        refuses("k", DriftMultiStage::paper(n, 0.2));
        refuses("k", MultiScale::paper(n, 1));
        refuses("k", LongTerm::paper(n, 0.2));
    }
    // α₁ = 8.5 up to n = 3 814 279, then 2.1, never at most 1.
    refuses("alpha1", MultiScale::paper(600.0, 1));
    assert_eq!(MultiScale::paper(1e41, 1).unwrap_err().value(), "2.1");
    refuses("alpha1", LongTerm::paper(1e300, 0.2));
    // θ₃ ≤ 1 − θ₂ from √ln n ≥ 13 on.
    refuses("theta3", VaryingDrift::paper(10_f64.powf(73.3)));
    let drift = VaryingDrift::paper(10_f64.powf(73.45)).unwrap();
    assert!((drift.intensities()[2] - 12.0 / 13.0).abs() < 2e-3);
    // The paper's values at n = 10^6.
    let error = VaryingDrift::paper(1e6).unwrap_err();
    assert!(error.value().starts_with("3.228"), "{error}");
    // t ≤ √ln n.
    refuses("alpha", MultiStage::with_stages(1e6, 3.7, 2, 0.0));
    refuses("k", MultiStage::with_stages(1e6, 14.0, 0, 0.0));
    refuses("eta", MultiStage::with_stages(1e6, 14.0, 2, -0.1));
    refuses("eta", MultiStage::with_stages(1e6, 14.0, 2, f64::NAN));
    // Stage ends that do not increase after rounding.
    refuses("stages", MultiStage::with_stages(1e6, 4.5, 3, 0.0));
    refuses("k", MultiScale::with_exponents(1e6, 0, 1.0, 1));
    refuses("alpha1", MultiScale::with_exponents(1e6, 1, 0.5, 1));
    refuses("log n", MultiScale::with_exponents(2.5, 1, 1.0, 1));
    refuses("k", MultiScale::practical(1000, 0));
    refuses("n", MultiScale::practical(1, 1));
    refuses("k", LongTerm::practical(1000, 0));
}

#[test]
fn sizes_are_checked_before_a_ball_is_placed() {
    let mut bins = WithCounters::new(RankedVector::from(LoadVector::new(4).unwrap()), 1).unwrap();
    let rng = &mut rng_for_trial(1, 0);
    let few = Err(StartError::TooFewCounters { needed: 2, kept: 1 });
    assert_eq!(Thinning::new(stages()).start_and_run(&mut bins, 1, rng), few);
    assert_eq!(Thinning::new(DThinning::new(3, 1).unwrap()).start_and_run(&mut bins, 1, rng), few);
    assert_eq!(Thinning::new(AlwaysAccept.then(1.0, stages()).unwrap()).start_and_run(&mut bins, 1, rng), few);
    let scale = MultiScale::new(1.0, 1.0, vec![]).unwrap();
    assert_eq!(Thinning::new(scale).start_and_run(&mut bins, 1, rng), few);
    let mut bins = WithCounters::new(LoadVector::new(4).unwrap(), 2).unwrap();
    for short in [MultiStage::new(&[0.1, 1.0], 0.0, 1.0), MultiStage::new(&[1.0, 1.1], 0.0, 1.0)] {
        let error = Thinning::new(short.unwrap()).start_and_run(&mut bins, 1, rng).unwrap_err();
        assert!(error.to_string().ends_with("is outside what leaves each stage a ball in n = 4 bins"), "{error}");
    }
    let short = MultiScale::new(1.0, 0.2, vec![]).unwrap();
    assert!(matches!(Thinning::new(short).start(&bins), Err(StartError::Unsuitable(_))));
}

/// Extreme parameters within their ranges: no panic, no hang.
#[test]
fn extreme_parameters_work() {
    let far = 9_007_199_254_740_992.0;
    let bins = || WithCounters::new(RankedVector::from(LoadVector::new(3).unwrap()), 2).unwrap();
    let rng = &mut rng_for_trial(2, 0);
    Thinning::new(Threshold::new(u64::MAX).unwrap()).start_and_run(&mut bins(), 50, rng).unwrap();
    Thinning::new(ThinningRelativeThreshold::new(far).unwrap()).start_and_run(&mut bins(), 50, rng).unwrap();
    Thinning::new(ThinningRelativeThreshold::new(f64::MIN_POSITIVE).unwrap())
        .start_and_run(&mut bins(), 50, rng)
        .unwrap();
    for l0 in [far, -far] {
        let strategy = MultiStage::new(&[1.0, far], l0, far).unwrap().cycle(far).unwrap();
        Thinning::new(strategy).start_and_run(&mut bins(), 50, rng).unwrap();
    }
    for limit in [far, f64::MIN_POSITIVE] {
        let drift = VaryingDrift::new(f64::MIN_POSITIVE, 0.0, 1.0, limit).unwrap();
        Thinning::new(drift).start_and_run(&mut bins(), 50, rng).unwrap();
        let drift = VaryingDrift::new(1.0, 0.999, f64::MIN_POSITIVE, limit).unwrap();
        Thinning::new(drift).start_and_run(&mut bins(), 50, rng).unwrap();
    }
    let mut one = LoadVector::new(1).map(RankedVector::from).unwrap();
    Thinning::new(ThetaDrift::practical()).start_and_run(&mut one, 1000, rng).unwrap();
    Thinning::new(VaryingDrift::practical()).start_and_run(&mut one, 1000, rng).unwrap();
}
