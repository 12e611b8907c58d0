//! Batches, delays, rounds, and systems in which balls leave.

use bb_core::{Allocator, DynamicLoads, LoadProfile, LoadVector, Metrics, Rng, rng_for_trial};
use bb_experiment::{Delay, Engine, Experiment, ExperimentError, Kind, Process, Report, Reports, Setting, rules};
use bb_processes::{Batched, DChoice, Delayed, DelayedTwoChoice, OneChoice, Supermarket, System, Twinning};

fn delayed(tau: u64, reports: Reports) -> Setting {
    Setting::Delayed(Delay { tau, reports })
}

fn run(experiment: &Experiment, name: &str) -> Result<Report, ExperimentError> {
    experiment.run_spec(&name.parse().unwrap())
}

/// The figures alone, without what names the setting.
fn figures(report: &Report) -> Vec<Option<f64>> {
    [report.gap(), report.min_gap(), report.all_time_gap()].iter().flat_map(|gap| [gap.mean(), gap.max()]).collect()
}

/// Every rule takes every setting, and one that delays nothing changes nothing.
#[test]
fn settings_that_delay_nothing_change_nothing() {
    let experiment = Experiment::new(12, 200).with_trials(3).with_engine(Engine::Vector);
    for info in rules().iter().filter(|info| info.kind == Kind::Rule) {
        let fresh = figures(&run(&experiment, info.name).unwrap());
        for setting in [Setting::Batched(1), delayed(0, Reports::Stale), delayed(9, Reports::Fresh)] {
            let report = run(&experiment.clone().with_setting(setting), info.name).unwrap();
            assert_eq!(report.setting(), setting);
            // With a batch of one ball, a rule that places two closes a batch as well.
            assert_eq!(figures(&report), fresh, "{} with {setting}", info.name);
        }
    }
}

#[test]
fn settings_are_those_of_the_loads() {
    let experiment = Experiment::new(20, 500).with_seed(3);
    let two = |setting| run(&experiment.clone().with_setting(setting), "two-choice").unwrap();

    let mut batched = Batched::new(LoadVector::new(20).unwrap(), 30).unwrap();
    DChoice::two().run(&mut batched, 500, &mut rng_for_trial(3, 0));
    let report = two(Setting::Batched(30));
    assert_eq!(report.gap().max(), Some(batched.loads().gap()));
    assert_eq!(report.all_time_gap().max(), Some(batched.loads().all_time_gap()));
    assert_eq!(report.batch_end_gap().unwrap().max(), Some(batched.batch_end_gap()));

    let late = |rule: &mut dyn FnMut(&mut Delayed<LoadVector>)| {
        let mut delayed = Delayed::new(LoadVector::new(20).unwrap(), 30).unwrap();
        rule(&mut delayed);
        Some(delayed.loads().gap())
    };
    let rng = || rng_for_trial(3, 0);
    let stale = late(&mut |loads| _ = DChoice::two().run(loads, 500, &mut rng()));
    assert_eq!(two(delayed(30, Reports::Stale)).gap().max(), stale);
    let uniform = late(&mut |loads| _ = DelayedTwoChoice::uniform().run(loads, 500, &mut rng()));
    assert_eq!(two(delayed(30, Reports::Uniform)).gap().max(), uniform);
    let adversarial = late(&mut |loads| _ = DelayedTwoChoice::adversarial().run(loads, 500, &mut rng()));
    assert_eq!(two(delayed(30, Reports::Adversarial)).gap().max(), adversarial);
    assert!(two(delayed(30, Reports::Stale)).batch_end_gap().is_none());
}

/// Uniform and adversarial reports follow from what a rule does, and not from its name.
#[test]
fn whatever_compares_two_samples_takes_reports_for_comparisons() {
    let experiment = Experiment::new(20, 500).with_trials(4);
    let mine = Process::described("mine", DChoice::two());
    for reports in [Reports::Uniform, Reports::Adversarial] {
        let late = experiment.clone().with_setting(delayed(30, reports));
        let two = run(&late, "two-choice").unwrap();
        assert_ne!(figures(&two), figures(&run(&experiment, "two-choice").unwrap()));
        assert_eq!(figures(&run(&late, "d-choice:d=2").unwrap()), figures(&two));
        assert_eq!(figures(&late.run(&mine).unwrap()), figures(&two));
        for other in ["d-choice:d=3", "d-choice:d=2,replacement=false", "g-bounded:g=0", "one-plus-beta:beta=1"] {
            let error = run(&late, other).unwrap_err();
            assert!(matches!(error, ExperimentError::TwoSamplesAlone { .. }), "{other}: {error}");
        }
    }
}

/// Whole batches of counted bins have the law of labelled ones: means within five standard errors, of which a
/// normal mean is outside with probability 6e-7.
#[test]
fn batches_in_bulk_have_the_same_law() {
    let experiment = Experiment::new(64, 64 * 20).with_trials(1500).with_setting(Setting::Batched(64));
    let [vector, bulk] = [Engine::Vector, Engine::Bulk]
        .map(|engine| run(&experiment.clone().with_engine(engine), "two-choice").unwrap());
    assert_eq!((vector.engine(), bulk.engine()), (Engine::Vector, Engine::Bulk));
    let apart = |one: &bb_experiment::Summary, other: &bb_experiment::Summary| {
        (one.mean().unwrap() - other.mean().unwrap()).abs() / one.se().unwrap().hypot(other.se().unwrap())
    };
    assert!(apart(vector.gap(), bulk.gap()) < 5.0);
    assert!(apart(vector.batch_end_gap().unwrap(), bulk.batch_end_gap().unwrap()) < 5.0);
    // A smaller batch shows.
    let other = run(&experiment.with_setting(Setting::Batched(32)).with_engine(Engine::Bulk), "two-choice").unwrap();
    assert!(apart(vector.batch_end_gap().unwrap(), other.batch_end_gap().unwrap()) > 5.0);
    // Between the ends of batches nobody looked.
    assert!(bulk.all_time_gap().is_empty() && !vector.all_time_gap().is_empty());
}

#[test]
fn settings_that_make_no_sense_are_refused_by_name() {
    let experiment = Experiment::new(20, 500);
    let message = |setting, engine, name| {
        let experiment = experiment.clone().with_setting(setting).with_engine(engine);
        run(&experiment, name).unwrap_err().to_string()
    };
    assert_eq!(
        message(delayed(5, Reports::Uniform), Engine::Auto, "one-choice"),
        "delay 5:uniform is given, and one-choice does not compare two independent samples, as two-choice does; stale reports would do"
    );
    assert_eq!(message(Setting::Batched(0), Engine::Auto, "two-choice"), "b = 0 is outside 1..");
    assert!(message(Setting::Batched(5), Engine::Profile, "two-choice").starts_with("engine = profile is outside"));
    assert!(message(Setting::Batched(5), Engine::Bulk, "quantile").starts_with("engine = bulk is outside"));
    assert!(message(delayed(5, Reports::Stale), Engine::Bulk, "two-choice").starts_with("engine = bulk is outside"));
    assert!(message(delayed(u64::MAX, Reports::Stale), Engine::Auto, "two-choice").contains("needs"));
    let mine = experiment.clone().with_setting(delayed(5, Reports::Adversarial));
    let mine = mine.run(&Process::in_settings("mine", DChoice::two())).unwrap_err();
    let setting = delayed(5, Reports::Adversarial);
    assert_eq!(mine, ExperimentError::TwoSamplesAlone { process: "mine".to_owned(), setting });
    let stale = experiment.clone().with_setting(Setting::Batched(5));
    let stale = stale.run(&Process::new("mine", DChoice::two())).unwrap_err();
    assert_eq!(stale.to_string(), "batch 5 is given, and mine is for fresh loads alone");
}

#[test]
fn a_round_of_a_rule_is_a_step() {
    let report = run(&Experiment::new(20, 0).with_rounds(300), "twinning").unwrap();
    let (mut loads, mut rng) = (LoadVector::new(20).unwrap(), rng_for_trial(1, 0));
    for _ in 0..300 {
        Twinning::new().step(&mut loads, &mut rng);
    }
    assert_eq!((report.gap().max(), report.max_load().max()), (Some(loads.gap()), Some(loads.max_load())));
    assert_eq!((report.balls(), report.rounds()), (None, Some(300)));
    // For a rule that places one ball a step, rounds are balls, on every engine.
    for engine in [Engine::Vector, Engine::Profile, Engine::Bulk] {
        let by_rounds = run(&Experiment::new(20, 0).with_rounds(300).with_engine(engine), "mean-thinning").unwrap();
        let by_balls = run(&Experiment::new(20, 300).with_engine(engine), "mean-thinning").unwrap();
        assert_eq!(figures(&by_rounds), figures(&by_balls));
    }
    let both = run(&Experiment::new(20, 7).with_rounds(300), "twinning").unwrap_err();
    assert_eq!(both, ExperimentError::BallsAndRounds { balls: 7 });
}

/// The straight loop that an experiment with a system stands for.
#[test]
fn a_system_runs_its_rounds_after_one_choice() {
    let report = run(&Experiment::new(20, 50).with_rounds(30), "supermarket:lambda=0.8,d=3").unwrap();
    let mut rng = rng_for_trial(1, 0);
    let mut loads = OneChoice::final_profile(20, 50, &mut rng).unwrap();
    Supermarket::new(0.8, 3).unwrap().run(&mut loads, 30, &mut rng);
    assert_eq!((report.gap().max(), report.all_time_gap().max()), (Some(loads.gap()), Some(loads.all_time_gap())));
    assert_eq!((report.balls(), report.rounds(), report.engine()), (Some(50), Some(30), Engine::Profile));
}

#[test]
fn every_system_runs_on_both_kinds_of_loads() {
    let experiment = Experiment::new(50, 50).with_rounds(40).with_trials(600);
    for info in rules().iter().filter(|info| info.kind == Kind::System && info.name != "join-idle-queue") {
        let [vector, profile] = [Engine::Vector, Engine::Profile]
            .map(|engine| run(&experiment.clone().with_engine(engine), info.name).unwrap());
        let (one, other) = (vector.gap(), profile.gap());
        let apart = (one.mean().unwrap() - other.mean().unwrap()).abs() / one.se().unwrap().hypot(other.se().unwrap());
        assert!(apart < 5.0, "{}: {apart} standard errors", info.name);
    }
}

#[test]
fn parameters_reach_the_system() {
    let max = |name| run(&Experiment::new(200, 100).with_rounds(50).with_trials(50), name).unwrap().max_load().mean();
    for (one, other) in [
        ("leaky:lambda=0.5", "leaky:lambda=0.95"),
        ("leaky:d=2", "leaky:d=1"),
        ("deletion:d=2", "deletion:d=1"),
        ("lifetimes:lambda=1", "lifetimes:lambda=3"),
        ("lifetimes:d=2", "lifetimes:d=1"),
        ("supermarket:lambda=0.5", "supermarket:lambda=0.9"),
        ("supermarket:d=2", "supermarket:d=1"),
    ] {
        assert!(max(one) < max(other), "{one} {other}");
    }
}

#[test]
fn what_a_system_has_not_is_refused_by_name() {
    let experiment = Experiment::new(20, 50).with_rounds(30);
    let message = |experiment: Experiment| run(&experiment, "repeated").unwrap_err().to_string();
    let no_such =
        |what| format!("{what} is given, and repeated is a system in which balls leave, which has no such thing");
    assert_eq!(message(Experiment::new(20, 50)), "rounds are not given, and repeated is a system, driven by them");
    assert_eq!(message(experiment.clone().with_setting(Setting::Batched(5))), no_such("batch 5"));
    assert_eq!(message(experiment.clone().with_epsilon(0.5)), no_such("epsilon 0.5"));
    assert_eq!(
        message(experiment.clone().with_engine(Engine::Bulk)),
        "engine = bulk is outside vector, profile, auto, which run repeated on fresh loads"
    );
    assert!(message(Experiment::new(0, 50).with_rounds(1)).starts_with("bins = 0 is outside"));
    let error = run(&experiment, "leaky:lambda=1").unwrap_err();
    assert_eq!(error.to_string(), "lambda = 1.0 is outside (0, 1)");
    let unknown = run(&experiment, "supermarkt").unwrap_err().to_string();
    assert!(unknown.ends_with("did you mean supermarket?"), "{unknown}");
}

/// A system of one's own.
#[test]
fn a_system_need_not_have_a_name() {
    #[derive(Clone)]
    struct Drop;
    impl<B: bb_core::Remove> System<B> for Drop {
        fn round<R: Rng + ?Sized>(&mut self, bins: &mut B, _: &mut R) {
            bins.remove_from_each();
        }
    }
    fn takes<S: System<DynamicLoads> + System<LoadProfile>>(_: &S) {}
    takes(&Drop);
    let report = Experiment::new(10, 100).with_rounds(100).run(&Process::system("drop", Drop)).unwrap();
    assert_eq!(report.max_load().max(), Some(0));
}
