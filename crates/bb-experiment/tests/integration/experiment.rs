use std::collections::BTreeSet;

use bb_core::{
    Allocator, Bins, BinsExt, CountedBin, LoadProfile, LoadVector, LoadsError, Metrics, ParameterError, RankedVector,
    RecordError, Rng, SampleCount, StartError, rng_for_trial,
};
use bb_experiment::{Engine, Experiment, ExperimentError, Process, Setting, Size, Summary, process, trials};
use bb_processes::{Caching, DChoice, OneChoice, OnePlusBeta, Quantile};

/// All figures of a report but the time.
fn figures(experiment: &Experiment) -> String {
    experiment.run(&Process::new("rule", OnePlusBeta::new(0.3).unwrap())).unwrap().to_csv()
}

#[test]
fn threads_do_not_change_the_result() {
    let experiment = Experiment::new(50, 999).with_trials(17).with_seed(5).with_epsilon(0.2).with_levels();
    let one = figures(&experiment.clone().with_threads(1));
    for threads in [0, 2, 3, 64] {
        assert_eq!(figures(&experiment.clone().with_threads(threads)), one, "{threads}");
    }
    assert_ne!(figures(&experiment.with_seed(6)), one);
}

#[test]
fn a_trial_is_fixed_by_seed_and_number() {
    let words = |seed, count, threads| trials(seed, count, threads, |trial, rng| (trial, rng.next_u64())).unwrap();
    let all = words(1, 100, 1);
    for (i, trial) in (0..100).zip(&all) {
        assert_eq!(*trial, (i, rng_for_trial(1, i).next_u64()));
    }
    for threads in [0, 2, 3] {
        assert_eq!(words(1, 100, threads), all);
    }
    assert_eq!(words(1, 7, 2), all[..7]);
    assert!(words(1, 0, 2).is_empty());
    // Neighbouring seeds share no trial.
    assert!(words(2, 100, 1).iter().all(|(_, word)| all.iter().all(|(_, other)| word != other)));
}

/// The straight loop that an experiment stands for.
#[test]
fn an_experiment_is_a_loop() {
    let (bins, balls, seed, epsilon) = (30, 1000, 9, 0.25);
    let (mut gaps, mut min_gaps, mut all_time, mut typical) =
        (Summary::new(), Summary::new(), Summary::new(), Summary::new());
    let (mut max_loads, mut min_loads) = (Summary::new(), Summary::new());
    for trial in 0..12 {
        let mut loads = LoadVector::new(bins).unwrap();
        loads.record_maximum();
        let mut rng = rng_for_trial(seed, trial);
        let mut rule = DChoice::without_replacement(3).unwrap();
        for _ in 0..balls {
            rule.step(&mut loads, &mut rng);
        }
        gaps.add(loads.gap());
        min_gaps.add(loads.min_gap());
        max_loads.add(loads.iter().max().unwrap());
        min_loads.add(loads.iter().min().unwrap());
        all_time.add(loads.all_time_gap());
        typical.add(loads.max_load_record().unwrap().typical(epsilon, 1..=balls).unwrap());
    }
    let experiment = Experiment::new(bins, balls).with_trials(12).with_seed(seed).with_epsilon(epsilon);
    let report = experiment.run_spec(&"d-choice:d=3,replacement=false".parse().unwrap()).unwrap();
    assert_eq!((report.gap(), report.min_gap(), report.all_time_gap()), (&gaps, &min_gaps, &all_time));
    assert_eq!((report.max_load(), report.min_load()), (&max_loads, &min_loads));
    assert_eq!(report.typical_gap(), Some(&typical));
    assert!(report.levels().is_none());
}

/// A trial that got a used rule, or none that was started, would be seen.
#[derive(Clone, Default)]
struct Fresh {
    started: bool,
    chosen: u64,
}

impl<B: Bins> Allocator<B> for Fresh {
    fn start(&mut self, bins: &B) -> Result<(), StartError> {
        assert!(!self.started && self.chosen == 0);
        self.started = true;
        if bins.bins() == 13 { Err(StartError::Unsuitable("13 bins".to_owned())) } else { Ok(()) }
    }
    fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> B::Bin {
        assert!(self.started);
        self.chosen += 1;
        bins.draw(rng)
    }
    fn sample_count(&self) -> Option<SampleCount> {
        Some(SampleCount::Counted(self.chosen))
    }
}

#[test]
fn each_trial_starts_a_fresh_clone() {
    let report = Experiment::new(10, 77).with_trials(9).run(&Process::new("fresh", Fresh::default())).unwrap();
    let samples = report.sample_count().unwrap();
    assert_eq!((samples.min(), samples.max(), samples.len()), (Some(1.0), Some(1.0), 9));
}

#[test]
fn probes_are_counted_per_ball() {
    let report = Experiment::new(100, 100_000).run(&Process::new("mixed", OnePlusBeta::new(0.25).unwrap())).unwrap();
    // 1 + Bin(10^5, 1/4)/10^5: five standard deviations are 0.0069.
    assert!((report.sample_count().unwrap().mean().unwrap() - 1.25).abs() < 0.0069);
}

#[test]
fn no_ball_and_one_bin_are_legal() {
    let report = Experiment::new(3, 0).with_epsilon(0.5).with_levels().run(&Process::new("none", OneChoice)).unwrap();
    assert_eq!((report.gap().max(), report.min_gap().max(), report.max_load().max()), (Some(0.0), Some(0.0), Some(0)));
    assert!(report.typical_gap().is_none() && report.sample_count().is_none());
    assert_eq!(report.levels().unwrap().into_iter().collect::<Vec<_>>(), [(0, 1.0)]);
    let report = Experiment::new(1, 1000).with_epsilon(1.0).run(&Process::new("one", DChoice::two())).unwrap();
    assert_eq!((report.gap().max(), report.all_time_gap().max()), (Some(0.0), Some(0.0)));
    assert_eq!((report.min_load().max(), report.typical_gap().unwrap().max()), (Some(1000), Some(0.0)));
}

#[test]
fn bad_input_is_a_typed_error() {
    let error = |experiment: Experiment| experiment.run(&Process::new("two", DChoice::two())).unwrap_err();
    let fine = Experiment::new(10, 10);
    assert_eq!(error(fine.clone().with_trials(0)), ParameterError::new("trials", 0, "1..").into());
    for epsilon in [0.0, -1.0, 1.5, f64::INFINITY] {
        assert_eq!(error(fine.clone().with_epsilon(epsilon)), RecordError::Epsilon { epsilon }.into());
    }
    assert!(matches!(error(fine.with_epsilon(f64::NAN)), ExperimentError::Record(RecordError::Epsilon { .. })));
    assert_eq!(error(Experiment::new(0, 10)), LoadsError::NoBins.into());

    let few = Experiment::new(4, 10).with_trials(5);
    let too_few = StartError::TooFewBins { parameter: "d", value: 5, bins: 4 };
    assert_eq!(few.run(&Process::new("five", DChoice::without_replacement(5).unwrap())).unwrap_err(), too_few.into());
    let unsuitable =
        Experiment::new(13, 10).with_trials(u64::MAX).run(&Process::new("fresh", Fresh::default())).unwrap_err();
    assert_eq!(unsuitable, StartError::Unsuitable("13 bins".to_owned()).into());
}

#[test]
#[cfg(target_os = "linux")]
fn bins_that_do_not_fit_are_refused_before_they_are_made() {
    let run = |bins, trials, threads| {
        let two = Process::new("two", DChoice::two());
        Experiment::new(bins, 10).with_trials(trials).with_threads(threads).run(&two).unwrap_err()
    };
    for (bins, trials, threads, at_once) in [(1 << 45, 1, 0, 1), (1 << 45, 9, 3, 3), (u64::MAX, 2, 5, 2)] {
        match run(bins, trials, threads) {
            ExperimentError::DoesNotFit { bins: found, threads, bytes, available, .. } => {
                assert_eq!((found, threads), (bins, at_once));
                assert!(bytes == u128::from(bins) * at_once as u128 && bytes > available);
                assert!(available > 1 << 20, "there is some memory");
            }
            other => panic!("{other}"),
        }
    }
}

/// The message ends with what would fit.
#[test]
#[cfg(target_os = "linux")]
fn bins_that_do_not_fit_come_with_a_way_out() {
    let message = |bins, threads, rule: &str| {
        let experiment = Experiment::new(bins, 10).with_trials(9).with_threads(threads).with_engine(Engine::Vector);
        let error = experiment.run_spec(&rule.parse().unwrap()).unwrap_err();
        let ExperimentError::DoesNotFit { available, .. } = error else { panic!("{error}") };
        (error.to_string(), available)
    };
    let (text, available) = message(1 << 45, 1, "two-choice");
    assert!(text.contains(" on 1 thread ") && text.ends_with("; try engine = profile or engine = bulk"), "{text}");
    let (text, _) = message(1 << 45, 3, "d-choice:replacement=false");
    assert!(text.contains(" on 3 threads ") && text.ends_with("; try engine = profile"), "{text}");
    let half = (available / 2) as u64;
    let (text, _) = message(half, 4, "two-choice");
    assert!(text.ends_with("; try fewer threads or engine = profile or engine = bulk"), "{text}");
    let labelled = Experiment::new(1 << 45, 1).run(&Process::new("fresh", Fresh::default())).unwrap_err().to_string();
    assert!(labelled.ends_with("the memory available"), "{labelled}");
}

/// A rule that remembers bins runs on labelled and on counted bins, with one mean gap: 5 standard errors, a
/// false alarm of 6e-7. By name it is the same.
#[test]
fn a_rule_that_remembers_bins_runs_on_either_kind_of_loads() {
    let caching =
        || Process::in_settings("caching", Caching::<usize>::new()).with_counted(Caching::<CountedBin>::new());
    let gap = |engine, name: Option<&str>| {
        let experiment = Experiment::new(20, 200).with_trials(20_000).with_engine(engine);
        let report = match name {
            None => experiment.run(&caching()),
            Some(name) => experiment.run_spec(&name.parse().unwrap()),
        };
        let report = report.unwrap();
        assert_eq!((report.engine(), report.sample_count().unwrap().mean()), (engine, Some(1.0)));
        report.gap().clone()
    };
    let apart = |one: &Summary, other: &Summary| {
        (one.mean().unwrap() - other.mean().unwrap()) / one.se().unwrap().hypot(other.se().unwrap())
    };
    let vector = gap(Engine::Vector, None);
    let same = apart(&vector, &gap(Engine::Profile, None));
    let other_ties = apart(&vector, &gap(Engine::Profile, Some("caching:remember=recent")));
    assert!(same.abs() < 5.0 && other_ties.abs() > 5.0, "{same} {other_ties}");
    for (engine, name) in [(Engine::Vector, "caching"), (Engine::Profile, "memory")] {
        assert_eq!(gap(engine, Some(name)), gap(engine, None));
    }

    let large = Experiment::new(1 << 60, 1000);
    assert_eq!(large.run_spec(&"memory:d=2,r=3".parse().unwrap()).unwrap().engine(), Engine::Profile);
    let bulk = large.with_engine(Engine::Bulk).run(&caching()).unwrap_err();
    let engines = vec![Engine::Vector, Engine::Profile];
    let refused = ExperimentError::Engine {
        process: "caching".to_owned(),
        engine: Engine::Bulk,
        setting: Setting::Fresh,
        engines,
    };
    assert_eq!(bulk, refused);
    assert_eq!(bulk.to_string(), "engine = bulk is outside vector, profile, auto, which run caching on fresh loads");
}

/// By name, a rule runs on one's own loads as it does by its type; each throw starts it.
#[test]
fn a_process_by_name_throws_into_loads_of_ones_own() {
    let throw = |name: &str, loads: &mut LoadVector| {
        let process = process(&name.parse().unwrap(), Size { bins: 10, balls: 100 }).unwrap();
        process.throw(loads, 100, &mut rng_for_trial(1, 0)).unwrap()
    };
    let mut loads = LoadVector::new(10).unwrap();
    let samples = throw("caching", &mut loads).samples;
    let mut expected = LoadVector::new(10).unwrap();
    let mut rule = Caching::new();
    rule.start_and_run(&mut expected, 100, &mut rng_for_trial(1, 0)).unwrap();
    assert_eq!((&loads, samples), (&expected, Allocator::<LoadVector>::sample_count(&rule)));
    throw("caching", &mut loads);
    rule.start_and_run(&mut expected, 100, &mut rng_for_trial(1, 0)).unwrap();
    assert_eq!(loads, expected);

    // Ranks are put around the loads and taken away.
    let mut ranked = RankedVector::from(expected.clone());
    Quantile::new(0.3).unwrap().start_and_run(&mut ranked, 100, &mut rng_for_trial(1, 0)).unwrap();
    throw("quantile:delta=0.3", &mut loads);
    assert_eq!(&loads, ranked.loads());
}

/// A process that cannot start leaves one's own loads as they are, whatever it puts around them.
#[test]
fn loads_survive_a_process_that_refuses_them() {
    let before = LoadVector::from_loads(vec![3, 1, 2]).unwrap();
    let mut loads = before.clone();
    let of = |name: &str| process(&name.parse().unwrap(), Size { bins: 5, balls: 10 }).unwrap();
    for (name, message) in [
        ("left:d=4", "d = 4 is outside 1..=3, the number of bins"),
        ("thinning-multi-stage:stages=0.1/0.15", "stages = [0.1, 0.15] is outside"),
        ("leaky", "engine = vector is outside"),
    ] {
        let error = of(name).throw(&mut loads, 10, &mut rng_for_trial(1, 0)).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
        assert_eq!(loads, before, "{name}");
    }
    let mut counted = LoadProfile::new(5).unwrap();
    let mut rng = rng_for_trial(1, 0);
    for error in [
        of("left").throw_counted(&mut counted, 10, &mut rng).unwrap_err(),
        of("twinning").throw_bulk(&mut counted, 10, &mut rng).unwrap_err(),
        of("two-choice").drive(&mut counted, 10, &mut rng).unwrap_err(),
        of("join-idle-queue").drive(&mut counted, 10, &mut rng).unwrap_err(),
    ] {
        assert!(matches!(error, ExperimentError::Engine { .. }), "{error}");
    }
    assert_eq!(counted.total(), 0);
}

/// Twinning and packing may end with a ball or several more than asked for; a report is about the loads as
/// they are.
#[test]
fn a_run_may_end_past_the_balls_asked_for() {
    let experiment = Experiment::new(10, 999).with_trials(200);
    let report = experiment.run_spec(&"twinning".parse().unwrap()).unwrap();
    // Fewer samples than balls; the gap is against the mean of all that were placed.
    assert!(report.sample_count().unwrap().max() < Some(1.0));
    let tenths: BTreeSet<u64> = report.gap().counts().map(|(gap, _)| (gap * 10.0).round() as u64 % 10).collect();
    assert_eq!(tenths, BTreeSet::from([0, 1]));
}
