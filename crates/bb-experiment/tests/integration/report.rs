use bb_experiment::{Experiment, Report};

fn report(epsilon: bool) -> Report {
    let experiment = Experiment::new(8, 20).with_trials(6).with_seed(3);
    let experiment = if epsilon { experiment.with_epsilon(0.5).with_levels() } else { experiment.with_trials(1) };
    experiment.run_spec(&"d-choice:d=2,replacement=false".parse().unwrap()).unwrap()
}

#[test]
fn csv_has_a_line_for_each_metric() {
    let csv = report(true).to_csv();
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let head = reader.headers().unwrap().clone();
    let column = |name: &str| head.iter().position(|field| field == name).unwrap();
    let lines: Vec<_> = reader.records().map(Result::unwrap).collect();
    let metrics: Vec<_> = lines.iter().map(|line| &line[column("metric")]).collect();
    let all = ["gap", "min_gap", "max_load", "min_load", "all_time_gap", "typical_gap", "probes", "level_1"];
    assert_eq!(metrics[..8], all);
    assert!(metrics[8..].iter().all(|metric| metric.starts_with("level_")));
    for line in &lines {
        assert_eq!(&line[column("process")], "d-choice:d=2,replacement=false");
        assert_eq!((&line[column("bins")], &line[column("trials")], &line[column("seed")]), ("8", "6", "3"));
        assert_eq!(&line[column("epsilon")], "0.5");
        assert!(line[column("mean")].parse::<f64>().is_ok());
    }
    // What cannot be given is empty.
    let alone = report(false).to_csv();
    assert!(alone.lines().any(|line| line.contains(",typical_gap,,,,")));
}

#[test]
fn the_table_names_every_metric() {
    let text = report(true).to_string();
    assert!(text.starts_with("d-choice:d=2,replacement=false: 20 balls into 8 bins, 6 trials\nseed 3, "));
    for word in ["gap", "all_time_gap", "typical_gap", "probes", "fraction of bins", "in balls"] {
        assert!(text.contains(word), "{word}");
    }
    assert!(report(false).to_string().lines().any(|line| line.starts_with("typical_gap") && line.ends_with('-')));
}

#[test]
fn one_of_a_thing_stands_in_the_singular() {
    let text = |bins, balls| Experiment::new(bins, balls).run_spec(&"one-choice".parse().unwrap()).unwrap().to_string();
    assert!(text(1, 1).starts_with("one-choice: 1 ball into 1 bin, 1 trial\n"));
    assert!(text(2, 0).starts_with("one-choice: 0 balls into 2 bins, 1 trial\n"));
}

/// Two-Choice leaves few bins of a million with load 4: six places would show one digit of their share.
#[test]
fn the_table_shows_small_fractions() {
    let experiment = Experiment::new(1 << 20, 1 << 20).with_levels();
    let report = experiment.run_spec(&"two-choice".parse().unwrap()).unwrap();
    let text = report.to_string();
    let shown = |load: u64| text.lines().rfind(|line| line.starts_with(&format!("{load} "))).unwrap();
    let fractions = report.levels().unwrap();
    for (load, fraction) in &fractions {
        let shown: f64 = shown(*load).split_whitespace().last().unwrap().parse().unwrap();
        assert!((shown - fraction).abs() <= 6e-4 * fraction, "{shown} {fraction}");
    }
    assert!(shown(1).ends_with(&format!("  {:.6}", fractions[&1])) && shown(4).contains("e-"));
}

#[cfg(feature = "serde")]
mod json {
    use serde_json::Value;

    use super::report;

    const METRICS: [&str; 8] =
        ["gap", "min_gap", "max_load", "min_load", "all_time_gap", "typical_gap", "rejections", "probes"];

    const MEMORY: [&str; 4] = ["bits", "state_changes", "certified", "overflow"];

    #[test]
    fn the_keys_are_those_promised_in_their_order() {
        let text = report(true).to_json();
        assert!(!text.contains('\n'));
        let first = ["process", "bins", "balls", "trials", "seed", "engine", "generator", "version"];
        let keys = first.iter().chain(&METRICS).chain(&MEMORY).chain(&["levels", "elapsed_s"]);
        let places: Vec<_> = keys.clone().map(|key| text.find(&format!("\"{key}\":")).unwrap()).collect();
        assert!(places.is_sorted());
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value.as_object().unwrap().len(), keys.count());
        assert_eq!(value["process"], "d-choice:d=2,replacement=false");
        assert_eq!((&value["engine"], &value["generator"]), (&"vector".into(), &bb_core::TRIAL_RNG_NAME.into()));
        let numbers = ["bins", "balls", "trials", "seed"].map(|key| value[key].as_u64().unwrap());
        assert_eq!(numbers, [8, 20, 6, 3]);
        assert!(value["elapsed_s"].as_f64().unwrap() >= 0.0);
    }

    #[test]
    fn metrics_are_objects() {
        let report = report(true);
        let value: Value = serde_json::from_str(&report.to_json()).unwrap();
        for name in METRICS.iter().filter(|&&name| name != "rejections") {
            let metric = value[name].as_object().unwrap();
            for key in ["mean", "sd", "se", "min", "max"] {
                assert!(metric[key].is_number(), "{name} {key}");
            }
            let quantiles: Vec<_> = metric["quantiles"].as_object().unwrap().iter().collect();
            assert_eq!(
                quantiles.iter().map(|(q, _)| q.as_str()).collect::<Vec<_>>(),
                ["0.05", "0.25", "0.5", "0.75", "0.95"]
            );
            assert!(quantiles.iter().map(|(_, value)| value.as_f64().unwrap()).is_sorted());
            assert_eq!(metric.contains_key("counts"), matches!(*name, "max_load" | "min_load"));
        }
        assert!(value["rejections"].is_null() && MEMORY.iter().all(|key| value[key].is_null()));
        assert_eq!(value["typical_gap"]["epsilon"], 0.5);
        assert_eq!(value["gap"]["mean"].as_f64(), report.gap().mean());
        assert_eq!(value["max_load"]["max"].as_u64(), report.max_load().max());
        let counts = value["max_load"]["counts"].as_object().unwrap();
        assert_eq!(counts.values().map(|count| count.as_u64().unwrap()).sum::<u64>(), 6);
        let levels = value["levels"].as_object().unwrap();
        let balls: f64 =
            levels.iter().map(|(load, share)| load.parse::<f64>().unwrap() * share.as_f64().unwrap()).sum();
        assert!((balls - 2.5).abs() < 1e-12, "the mean load");
    }

    #[test]
    fn what_cannot_be_given_is_null() {
        let value: Value = serde_json::from_str(&report(false).to_json()).unwrap();
        assert!(value["typical_gap"].is_null() && value["levels"].is_null());
        assert!(value["gap"]["sd"].is_null() && value["gap"]["se"].is_null());
        assert!(value["gap"]["mean"].is_number());
    }
}
