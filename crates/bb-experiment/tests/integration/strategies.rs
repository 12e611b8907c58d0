//! Thinning strategies by name.

use bb_core::{
    Allocator, LoadProfile, LoadVector, Metrics, ProfileWithCounters, RankedVector, WithCounters, rng_for_trial,
};
use bb_experiment::{Engine, Experiment, ExperimentError, Kind, Report, Setting, rules};
use bb_processes::Batched;
use bb_thinning::{Strategy, ThetaDrift, Thinning, Threshold};

fn run(experiment: &Experiment, name: &str) -> Result<Report, ExperimentError> {
    experiment.run_spec(&name.parse().unwrap())
}

/// The straight loops that an experiment stands for, on both kinds of bins.
#[test]
fn an_experiment_is_a_loop() {
    let (n, balls) = (50, 600);
    let experiment = Experiment::new(n, balls).with_seed(2).with_epsilon(0.5);
    let rng = || rng_for_trial(2, 0);

    let mut rule = Thinning::new(Threshold::new(9).unwrap());
    let mut loads = WithCounters::new(LoadVector::new(n).unwrap(), 1).unwrap();
    rule.start_and_run(&mut loads, balls, &mut rng()).unwrap();
    let report = run(&experiment.clone().with_engine(Engine::Vector), "thinning-threshold:l=9").unwrap();
    assert_eq!(
        (report.gap().max(), report.all_time_gap().max()),
        (Some(loads.gap()), Some(loads.loads().all_time_gap()))
    );
    assert_eq!(report.rejections().unwrap().max(), Some(rule.rejections() as f64 / balls as f64));
    assert_eq!(report.sample_count().unwrap().max(), Some(1.0 + rule.rejections() as f64 / balls as f64));
    assert!(report.typical_gap().is_some() && report.unrealizable_at().is_none());

    let mut loads = ProfileWithCounters::new(LoadProfile::new(n).unwrap(), 1);
    rule.start_and_run(&mut loads, balls, &mut rng()).unwrap();
    let report = run(&experiment.clone().with_engine(Engine::Profile), "thinning-threshold:l=9").unwrap();
    assert_eq!((report.gap().max(), report.engine()), (Some(loads.gap()), Engine::Profile));

    let mut rule = Thinning::new(ThetaDrift::new(0.3).unwrap());
    let ranked = RankedVector::from(LoadVector::new(n).unwrap());
    let mut batched = WithCounters::new(Batched::new(ranked, 40).unwrap(), rule.strategy().counters()).unwrap();
    rule.start_and_run(&mut batched, balls, &mut rng()).unwrap();
    let report = run(&experiment.with_setting(Setting::Batched(40)), "thinning-drift:theta=0.3").unwrap();
    assert_eq!(report.gap().max(), Some(batched.loads().loads().loads().gap()));
    assert_eq!(report.batch_end_gap().unwrap().max(), Some(batched.loads().batch_end_gap()));
}

/// Means of the gap within five standard errors, of which a normal mean is outside with probability 6e-7.
#[test]
fn every_strategy_runs_on_both_kinds_of_bins() {
    let experiment = Experiment::new(40, 40 * 30).with_trials(500);
    for info in rules().iter().filter(|info| info.kind == Kind::Strategy) {
        let practical = info.parameters.iter().any(|parameter| parameter.key == "practical");
        for practical in if practical { &["", ":practical"][..] } else { &[""] } {
            let name = format!("{}{practical}", info.name);
            let [vector, profile] = [Engine::Vector, Engine::Profile]
                .map(|engine| run(&experiment.clone().with_engine(engine), &name).unwrap());
            for (one, other) in
                [(vector.gap(), profile.gap()), (vector.rejections().unwrap(), profile.rejections().unwrap())]
            {
                let apart = (one.mean().unwrap() - other.mean().unwrap()).abs();
                // Some shares are the same in all trials.
                let allowed = 5.0 * one.se().unwrap().hypot(other.se().unwrap()) + 1e-12;
                assert!(apart < allowed, "{name}: {apart}, {allowed} allowed");
            }
        }
    }
}

#[test]
fn parameters_reach_the_strategy() {
    let figures = |name: &str| {
        let report = run(&Experiment::new(64, 64 * 30).with_trials(5).with_engine(Engine::Vector), name).unwrap();
        (report.gap().mean(), report.rejections().unwrap().mean())
    };
    for (one, other) in [
        ("thinning-threshold:l=30", "thinning-threshold:l=31"),
        ("thinning-relative-threshold:l=4", "thinning-relative-threshold:l=2.5"),
        ("d-thinning:d=3,l=8", "d-thinning:d=4,l=8"),
        ("d-thinning:l=20", "d-thinning:l=21"),
        ("thinning-drift:theta=0.1", "thinning-drift:theta=0.3"),
        ("thinning-drift:clock=exact", "thinning-drift:clock=discrete"),
        ("thinning-varying-drift:theta1=0.1", "thinning-varying-drift:theta1=0.2"),
        ("thinning-varying-drift:theta2=0.1", "thinning-varying-drift:theta2=0.2"),
        ("thinning-varying-drift:theta3=0.5", "thinning-varying-drift:theta3=0.6"),
        ("thinning-varying-drift:l=1", "thinning-varying-drift:l=4"),
        ("thinning-varying-drift:clock=exact", "thinning-varying-drift:clock=discrete"),
        ("thinning-multi-stage:stages=10/30", "thinning-multi-stage:stages=20/30"),
        ("thinning-multi-stage:stages=10/30,l=2", "thinning-multi-stage:stages=10/30,l=3"),
        ("thinning-multi-stage:stages=10/30,l0=-1", "thinning-multi-stage:stages=10/30,l0=0"),
        ("thinning-drift-multi-stage:theta=0.1", "thinning-drift-multi-stage:theta=0.3"),
        ("thinning-drift-multi-stage:drift=5", "thinning-drift-multi-stage:drift=10"),
        ("thinning-drift-multi-stage:l0=0", "thinning-drift-multi-stage:l0=-1"),
        ("thinning-multi-scale:base-l=2", "thinning-multi-scale:base-l=3"),
        ("thinning-multi-scale:base=5", "thinning-multi-scale:base=10"),
        ("thinning-multi-scale:base=5,iterations=1", "thinning-multi-scale:base=5,iterations=2"),
        ("thinning-long-term:theta=0.1", "thinning-long-term:theta=0.3"),
        ("thinning-long-term:drift=4,stages=3/4,base-l=2", "thinning-long-term:drift=4,stages=3/4,base-l=3"),
        ("thinning-multi-stage:practical,k=1", "thinning-multi-stage:practical,k=2"),
        ("thinning-threshold:practical", "thinning-threshold"),
    ] {
        assert_ne!(figures(one), figures(other), "{one} {other}");
    }
    // What is practical depends on the size: 3 at n = m = 10^4.
    let at_size = |name| run(&Experiment::new(10_000, 10_000), name).unwrap().max_load().max();
    assert_eq!(at_size("thinning-threshold:practical"), at_size("thinning-threshold:l=3"));
}

#[test]
fn bad_numbers_are_refused_by_name() {
    let message = |name: &str| run(&Experiment::new(10, 100), name).unwrap_err().to_string();
    assert_eq!(
        message("thinning-threshold:practical,l=3"),
        "l = 3 is outside what practical leaves open: it chooses this itself"
    );
    assert_eq!(message("thinning-threshold:l=0"), "l = 0 is outside 1..");
    assert!(message("thinning-drift:theta=0.5").starts_with("theta = 0.5 is outside (0, 1/3]"));
    assert!(message("thinning-multi-stage:stages=7/5").starts_with("stages = [7.0, 5.0] is outside"));
    assert!(message("thinning-relative-threshold:l=0").starts_with("l = 0"));
    assert!(message("thinning-varying-drift:theta3=0.9").starts_with("theta3 = 0.9 is outside"));
    assert!(message("thinning-multi-stage:practical,k=0").starts_with("k = 0"));
}

/// A law that two-thinning has not: the first ball is reported, and from it on primaries are accepted.
#[test]
fn what_cannot_be_realised_is_reported() {
    let report =
        run(&Experiment::new(1000, 50_000), "thinning-varying-drift:theta1=0.9,theta2=0.05,theta3=0.05,l=1").unwrap();
    let at = report.unrealizable_at().unwrap().max().unwrap();
    assert!((2..50_000).contains(&at), "{at}");
    assert!(report.to_json().contains(&format!(r#""unrealizable_at":{{"mean":{at}.0,"#)));
    assert!(report.to_string().contains("unrealizable_at"));
}
