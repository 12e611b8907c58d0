//! Whole reports as texts, so that no change of how metrics are kept changes what is written of them.
//!
//! With the variable `BB_BLESS` set, the tests write the texts in place of comparing them.

use std::fs;
use std::path::Path;

use bb_experiment::bb_processes::Key;
use bb_experiment::{Dimensions, Engine, Experiment, Report, Setting};

/// What differs from run to run, or from release to release, is left out.
fn texts(report: &Report) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let table = report.to_string();
    // The second line of the table tells the time that it took, "… 0.003 s, …".
    let lines = table.lines().map(|line| match line.find(" s") {
        Some(end) if line.starts_with("seed ") => {
            let begin = line[..end].rfind(' ').unwrap();
            format!("{} TIME{}\n", &line[..begin], &line[end..])
        }
        _ => format!("{line}\n"),
    });
    let table: String = lines.collect();
    let csv = report.to_csv().replace(&format!(",{version},"), ",VERSION,");
    let json = report.to_json();
    let (json, _) = json.rsplit_once(r#","elapsed_s":"#).unwrap();
    let json = json.replace(&format!(r#""version":"{version}""#), r#""version":"VERSION""#);
    // A line for each key makes a difference readable.
    format!("{table}\n{csv}\n{}\n", json.replace(r#","#, ",\n"))
}

fn check(name: &str, experiment: Experiment, process: &str) {
    let report = experiment.with_seed(3).run_spec(&process.parse().unwrap()).unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/integration/snapshots/{name}.txt"));
    let found = texts(&report);
    if std::env::var_os("BB_BLESS").is_some() {
        fs::write(&path, &found).unwrap();
    }
    assert_eq!(found, fs::read_to_string(&path).unwrap(), "{name}");
}

fn small() -> Experiment {
    Experiment::new(8, 20).with_trials(6)
}

#[test]
fn plain_balls() {
    check("plain", small(), "d-choice:d=2,replacement=false");
    check("one_trial", Experiment::new(8, 20), "two-choice");
    check("no_ball", Experiment::new(3, 0).with_epsilon(0.5).with_levels(), "one-choice");
    check("levels_and_epsilon", small().with_levels().with_epsilon(0.5), "caching");
    check("counted", small().with_levels().with_epsilon(0.5).with_engine(Engine::Profile), "one-plus-beta:beta=0.5");
    check("bulk", small().with_engine(Engine::Bulk), "mean-thinning");
    check("rounds", Experiment::new(8, 0).with_rounds(20).with_trials(6), "twinning");
}

#[test]
fn settings() {
    check("batched", small().with_setting(Setting::Batched(6)), "two-choice");
    check("batched_bulk", small().with_setting(Setting::Batched(6)).with_engine(Engine::Bulk), "two-choice");
    check("delayed", small().with_setting(Setting::Delayed("7".parse().unwrap())), "quantile");
    check("delayed_uniform", small().with_setting(Setting::Delayed("7:uniform".parse().unwrap())), "two-choice");
}

#[test]
fn strategies_and_memories() {
    check("thinning", small().with_epsilon(0.25), "d-thinning");
    let unrealizable = "thinning-varying-drift:theta1=0.9,theta2=0.05,theta3=0.05,l=1";
    check("unrealizable", Experiment::new(50, 2000).with_trials(4).with_setting(Setting::Batched(40)), unrealizable);
    check("memory", Experiment::new(60, 120).with_trials(6), "heavy-list:bits=60");
}

#[test]
fn weights() {
    let weighted = small().with_weights("uniform12".parse().unwrap());
    check("weights", weighted.clone(), "one-plus-beta");
    check("weights_batched", weighted.with_setting(Setting::Batched(6)), "thinning-threshold:l=2");
}

#[test]
fn dimensions() {
    let vectors = |dimensions: Dimensions| small().with_dimensions(dimensions);
    let fixed = Dimensions::new(3, &"fixed:f=2".parse().unwrap(), Key::MaxPopulated).unwrap();
    check("dimensions", vectors(fixed.clone()), "two-choice");
    check("dimensions_batched", vectors(fixed.clone()).with_setting(Setting::Batched(6)), "caching");
    check("dimensions_parallel", vectors(fixed).with_parallel("1:2".parse().unwrap()), "two-choice");
    let unknown = Dimensions::new(2, &"fixed-weighted:f=1,q=3/1".parse().unwrap(), Key::Total).unwrap();
    check("dimensions_weighted", vectors(unknown), "mean-thinning");
    check("parallel", small().with_parallel("1:2".parse().unwrap()), "d-choice:d=3");
    check("parallel_no_ball", Experiment::new(8, 0).with_parallel("1:2".parse().unwrap()), "one-choice");
}

#[test]
fn systems() {
    check("system", small().with_rounds(10).with_levels(), "repeated");
    check("system_labelled", small().with_rounds(10).with_engine(Engine::Vector), "deletion");
    check("system_memory", small().with_rounds(10), "join-idle-queue:c=4");
}
