use std::collections::BTreeSet;
use std::fmt::Debug;

use bb_experiment::{Experiment, ExperimentError, RuleError, RuleSpec, rules};

/// What a rule does, without its name, so that two ways to write it can be compared.
fn run(rule: &str) -> Result<impl PartialEq + Debug + use<>, ExperimentError> {
    let report = Experiment::new(20, 200).with_trials(3).with_levels().run_spec(&rule.parse()?)?;
    Ok((report.gap().clone(), report.all_time_gap().clone(), report.levels(), report.probes().cloned()))
}

fn refused(rule: &str) -> RuleError {
    match run(rule) {
        Err(ExperimentError::Rule(error)) => error,
        other => panic!("{rule}: {other:?}"),
    }
}

#[test]
fn every_rule_builds_with_its_defaults() {
    for info in rules() {
        // The first line of an entry of the list is the rule with its defaults written out.
        let text = info.to_string();
        let written_out = text.lines().next().unwrap();
        assert_eq!(run(written_out).unwrap(), run(info.name).unwrap(), "{written_out}");
    }
}

/// A parameter that the entry lists but does not read would take anything.
#[test]
fn every_listed_parameter_is_read() {
    for info in rules() {
        for parameter in info.parameters {
            let RuleError::Parameter(error) = refused(&format!("{}:{}=?", info.name, parameter.key)) else {
                panic!("{} does not read {}", info.name, parameter.key)
            };
            assert_eq!((error.parameter(), error.value(), error.range()), (parameter.key, "?", parameter.range));
        }
    }
}

#[test]
fn names_and_keys_are_unique_and_described() {
    let rules = rules();
    let names: BTreeSet<_> = rules.iter().map(|info| info.name).collect();
    assert_eq!(names.len(), rules.len());
    for info in rules {
        let keys: BTreeSet<_> = info.parameters.iter().map(|parameter| parameter.key).collect();
        assert_eq!(keys.len(), info.parameters.len());
        assert!([info.rule, info.paper, info.bound].iter().all(|text| !text.is_empty()));
        assert!(info.parameters.iter().all(|p| !p.range.is_empty() && !p.meaning.is_empty()));
    }
}

#[test]
fn parameters_reach_the_rule() {
    let same = [
        ("d-choice:d=2", "two-choice"),
        ("d-choice:d=1", "one-choice"),
        ("d-choice:replacement=true,d=3", "d-choice"),
        ("one-plus-beta:d=2^1", "one-plus-beta:beta=5e-1"),
        ("relative-threshold:f=0", "mean-thinning"),
        ("k-threshold:offsets=0/2", "k-threshold:offsets=0.0/2.0"),
        ("g-bounded:g=0", "two-choice"),
        ("g-myopic:g=0", "two-choice"),
        ("sigma-noisy-load:sigma=0", "two-choice"),
        ("caching", "memory:d=1,r=1"),
        ("caching:start=empty", "memory:start=empty"),
        ("caching:remember=recent", "memory:remember=recent"),
        ("memory:d=2,r=0", "two-choice"),
    ];
    for (one, other) in same {
        assert_eq!(run(one).unwrap(), run(other).unwrap(), "{one} {other}");
    }
    let differ = [
        ("d-choice:d=2", "d-choice:d=3"),
        ("d-choice:d=3", "d-choice:d=3,replacement=false"),
        ("one-plus-beta:beta=0.5", "one-plus-beta:beta=0.6"),
        ("one-plus-beta:d=2", "one-plus-beta:d=3"),
        ("relative-threshold:f=1", "relative-threshold:f=1.5"),
        ("k-threshold:offsets=0/2", "k-threshold:offsets=-1/2"),
        ("k-threshold:offsets=0/2", "k-threshold:offsets=0/1/2"),
        ("g-bounded:g=1", "g-bounded:g=2"),
        ("g-bounded:g=1", "g-myopic:g=1"),
        ("g-myopic:g=1", "g-myopic:g=2"),
        ("sigma-noisy-load:sigma=1", "sigma-noisy-load:sigma=1.5"),
        ("twinning", "packing"),
        ("packing:e=0", "packing:e=1"),
        ("caching", "caching:start=empty"),
        ("caching", "caching:remember=recent"),
        ("memory:d=1", "memory:d=2"),
        ("memory:r=1", "memory:r=2"),
    ];
    for (one, other) in differ {
        assert_ne!(run(one).unwrap(), run(other).unwrap(), "{one} {other}");
    }
}

#[test]
fn bad_values_name_parameter_value_and_range() {
    for (rule, message) in [
        ("d-choice:d=0", "d = 0 is outside 1.."),
        ("d-choice:d=2^32", "d = 2^32 is outside 1..2^32, at most the number of bins if replacement=false"),
        ("d-choice:replacement=no", "replacement = no is outside true, false"),
        ("one-plus-beta:beta=1.5", "beta = 1.5 is outside [0, 1]"),
        ("one-plus-beta:beta=-0.5", "beta = -0.5 is outside [0, 1]"),
        ("one-plus-beta:beta=NaN", "beta = NaN is outside [0, 1]"),
        ("one-plus-beta:d=1.5", "d = 1.5 is outside 1..2^32"),
        ("load-threshold:d=65537", "d = 65537 is outside 1..=2^16"),
        ("load-threshold:d=2^32", "d = 2^32 is outside 1..=2^16"),
        ("relative-threshold:f=-1", "f = -1.0 is outside the finite numbers from 0"),
        ("k-threshold:offsets=2/0", "offsets = 2.0/0.0 is outside 1 to 16 finite numbers, increasing"),
        (
            "k-threshold:offsets=0//2",
            "offsets = 0//2 is outside 1 to 16 increasing finite numbers, with / between them",
        ),
        ("g-bounded:g=-1", "g = -1 is outside 0..2^64"),
        ("sigma-noisy-load:sigma=-1", "sigma = -1.0 is outside the finite numbers from 0"),
        ("sigma-noisy-load:sigma=inf", "sigma = inf is outside the finite numbers from 0"),
        ("packing:e=65537", "e = 65537 is outside 0..=2^16"),
        ("caching:start=full", "start = full is outside uniform, empty"),
        ("memory:d=0", "d = 0 is outside 1..=2^16"),
        ("memory:r=65537", "r = 65537 is outside 0..=2^16"),
        ("memory:remember=none", "remember = none is outside lightest, recent"),
    ] {
        assert!(matches!(refused(rule), RuleError::Parameter(_)));
        assert_eq!(refused(rule).to_string(), message);
    }
}

#[test]
fn unknown_names_come_with_the_known_ones() {
    let RuleError::UnknownRule { rule, known } = refused("no-choice:d=1") else { panic!() };
    assert_eq!(rule, "no-choice");
    assert_eq!(known, rules().iter().map(|info| info.name).collect::<Vec<_>>());
    for (name, meant) in [("tow-choice", "two-choice"), ("meanthining", "mean-thinning"), ("3-choice", "d-choice")] {
        assert!(refused(name).to_string().ends_with(&format!("; did you mean {meant}?")), "{name}");
    }
    assert!(refused("balanced").to_string().ends_with(known.last().unwrap()), "nothing is like it");
    let known = vec!["d", "replacement"];
    let unknown = RuleError::UnknownParameter { rule: "d-choice", parameter: "beta".to_owned(), known };
    assert_eq!(refused("d-choice:d=2,beta=1"), unknown);
}

#[test]
fn the_form_is_checked() {
    for text in ["", ":d=2", "d-choice:", "d-choice:d", "d-choice:d=", "d-choice:=2", "d-choice:d=2,", "d-choice:,d=2"]
    {
        assert_eq!(text.parse::<RuleSpec>(), Err(RuleError::Malformed { text: text.to_owned() }));
    }
    let repeated = RuleError::Repeated { rule: "d-choice".to_owned(), parameter: "d".to_owned() };
    assert_eq!("d-choice:d=2,d=2".parse::<RuleSpec>(), Err(repeated));
    let spec: RuleSpec = "a:k=1/2/3,l=x=y:z".parse().unwrap();
    assert_eq!((spec.get("k"), spec.get("l")), (Some("1/2/3"), Some("x=y:z")));
    assert_eq!(spec.to_string(), "a:k=1/2/3,l=x=y:z");
}
