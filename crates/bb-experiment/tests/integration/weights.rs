//! Balls with weights, by name.

use std::fs;

use bb_experiment::bb_processes::{DChoice, WeightLaw};
use bb_experiment::{Experiment, ExperimentError, Kind, Process, Report, Setting, Weights, rules};

fn run(experiment: Experiment, rule: &str, weights: &str) -> Result<Report, ExperimentError> {
    experiment.with_weights(weights.parse().unwrap()).run_spec(&rule.parse().unwrap())
}

fn small() -> Experiment {
    Experiment::new(60, 600).with_trials(3)
}

/// Which names take weights: what compares loads of whatever kind, or counts what it accepted.
#[test]
fn each_name_takes_weights_or_says_why_not() {
    let mut taken = Vec::new();
    for info in rules() {
        let experiment = if info.kind == Kind::System { small().with_rounds(5) } else { small() };
        match run(experiment, info.name, "exp") {
            Ok(report) => {
                assert_eq!(report.weights().unwrap().to_string(), "exp");
                let average = report.max_weight().unwrap().mean().unwrap() - report.gap().mean().unwrap();
                assert!((8.0..12.0).contains(&average), "{}: {average}", info.name);
                assert!(report.min_weight().unwrap().min() <= report.max_weight().unwrap().min());
                taken.push(info.name);
            }
            Err(error) => {
                let expected = format!("{} is defined for unit balls, and weights are given", info.name);
                assert_eq!(error.to_string(), expected);
            }
        }
    }
    let expected = [
        "one-choice",
        "two-choice",
        "d-choice",
        "one-plus-beta",
        "caching",
        "memory",
        "left",
        "group-choice",
        "double-hashing",
        "kd-choice",
        "nonuniform",
        "circle",
        "graph",
        "hypergraph",
        "thinning-threshold",
        "thinning-relative-threshold",
        "d-thinning",
    ];
    for name in expected {
        assert!(taken.contains(&name), "{name} takes weights");
    }
}

/// Unit weights give the gaps of unit balls, trial by trial, in every setting.
#[test]
fn unit_weights_are_unit_balls() {
    let delayed = Setting::Delayed("20".parse().unwrap());
    for rule in ["two-choice", "caching", "kd-choice", "thinning-threshold:l=3", "graph:kind=torus"] {
        for setting in [Setting::Fresh, Setting::Batched(60), delayed] {
            let experiment = small().with_setting(setting).with_engine(bb_experiment::Engine::Vector);
            let units = experiment.run_spec(&rule.parse().unwrap()).unwrap();
            let weights = run(experiment, rule, "constant").unwrap();
            assert_eq!(units.gap(), weights.gap(), "{rule}, {setting}");
            assert_eq!(units.all_time_gap(), weights.all_time_gap());
            assert_eq!(units.min_gap(), weights.min_gap());
            assert_eq!(units.sample_count(), weights.sample_count());
            assert_eq!(units.rejections(), weights.rejections());
            assert_eq!(units.batch_end_gap(), weights.batch_end_gap());
        }
    }
}

#[test]
fn what_real_loads_have_not_is_refused() {
    let message = |experiment: Experiment| run(experiment, "two-choice", "exp").unwrap_err().to_string();
    assert_eq!(message(small().with_epsilon(0.1)), "epsilon is given, and real loads keep no record of their maximum");
    assert_eq!(message(small().with_levels()), "levels are asked for, and real loads have none");
    let engine = bb_experiment::Engine::Profile;
    assert!(message(small().with_engine(engine)).starts_with("engine = profile is given, and bins with real loads"));
    let uniform = Setting::Delayed("5:uniform".parse().unwrap());
    assert_eq!(
        message(small().with_setting(uniform)),
        "delay 5:uniform is defined for unit balls, and weights are given"
    );
    assert!(message(Experiment::new(1 << 44, 1)).starts_with("bins = 17592186044416 "));
    assert_eq!(message(Experiment::new(0, 1)), "bins = 0 is outside 1.., there must be a bin");
    assert_eq!(message(small().with_setting(Setting::Batched(0))), "b = 0 is outside 1..");
}

#[test]
fn a_law_of_ones_own_has_a_name() {
    let law = WeightLaw::empirical(vec![1.0, 3.0]).unwrap();
    let two = Process::new("two", DChoice::two()).with_weights(DChoice::two());
    let report = small().with_weights(Weights::new("1 or 3", law)).run(&two).unwrap();
    assert!(report.to_string().contains(", weights 1 or 3\n"));
    assert!(report.to_csv().lines().next().unwrap().contains(",weights,"));
    let json = report.to_json();
    assert!(json.contains(r#""weights":"1 or 3""#) && !json.contains("counts"), "{json}");
    assert!(json.contains(r#""max_load":{"mean":1"#), "{json}");
}

#[test]
fn files_of_weights() {
    let path = std::env::temp_dir().join(format!("bb-weights-{}", std::process::id()));
    let read = |text: &str| {
        fs::write(&path, text).unwrap();
        let weights: Result<Weights, _> = format!("file:{}", path.display()).parse();
        weights.map_err(|error| error.to_string())
    };
    let weights = read("# sizes\n1\n\n 2.5e0 \n0\n").unwrap();
    assert_eq!(weights.law(), &WeightLaw::empirical(vec![1.0, 2.5, 0.0]).unwrap());
    for (text, reason) in [
        ("", "there are no weights"),
        ("# only words\n", "there are no weights"),
        ("1\nx\n", "line 2 is x"),
        ("1\n\n# a word\n-2\n", "line 4 is -2"),
        ("nan\n", "line 1 is NaN"),
        ("1 2\n", "line 1 is 1 2"),
        ("0\n0\n", "all weights are 0"),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.starts_with("weights = file:") && error.ends_with(&format!(": {reason}")), "{error}");
    }
    fs::remove_file(&path).unwrap();
    assert!("file:/no/such/file".parse::<Weights>().unwrap_err().to_string().contains("No such file"));
}
