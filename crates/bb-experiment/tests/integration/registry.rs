use std::collections::BTreeSet;
use std::fmt::Debug;

use bb_core::{LoadVector, Metrics, StartError, rng_for_trial};
use bb_experiment::bb_processes::theory::bounds;
use bb_experiment::{Experiment, ExperimentError, Kind, RuleError, RuleSpec, Size, process, rules};

/// What a rule does, without its name, so that two ways to write it can be compared.
fn run(rule: &str) -> Result<impl PartialEq + Debug + use<>, ExperimentError> {
    let report = Experiment::new(20, 200).with_trials(3).with_levels().run_spec(&rule.parse()?)?;
    Ok((report.gap().clone(), report.all_time_gap().clone(), report.levels(), report.sample_count().cloned()))
}

fn refused(rule: &str) -> RuleError {
    match run(rule) {
        Err(ExperimentError::Rule(error)) => error,
        other => panic!("{rule}: {other:?}"),
    }
}

#[test]
fn every_rule_builds_with_its_defaults() {
    for info in rules().into_iter().filter(|info| info.kind != Kind::System) {
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
    let all = rules();
    let names: BTreeSet<_> = all.iter().map(|info| info.name).collect();
    assert_eq!(names.len(), all.len());
    for info in all {
        let keys: BTreeSet<_> = info.parameters.iter().map(|parameter| parameter.key).collect();
        assert_eq!(keys.len(), info.parameters.len());
        assert!([info.rule, info.paper].iter().all(|text| !text.is_empty()));
        assert!(info.parameters.iter().all(|p| !p.range.is_empty() && !p.meaning.is_empty()));
    }
}

/// The list prints what `theory` knows under the name, and nothing else.
#[test]
fn names_print_their_bounds() {
    let all = rules();
    for info in &all {
        let printed = info.to_string().matches("\n    bound  ").count();
        assert_eq!(printed, bounds::of(info.name).count(), "{}", info.name);
    }
    let known = |name: &str| bounds::of(name).count() > 0;
    for name in ["k-threshold", "thinning-multi-scale", "window", "epoch", "morris", "join-idle-queue"] {
        assert!(!known(name), "nothing is known of {name}");
    }
    let bounds = all.iter().find(|info| info.name == "two-choice").unwrap().to_string();
    assert_eq!(bounds.matches("\n    bound  ").count(), 3, "{bounds}");
}

#[test]
fn parameters_may_name_the_same_rule() {
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
        ("kd-choice:k=1,d=2", "two-choice"),
        ("graph:kind=complete", "d-choice:d=2,replacement=false"),
        ("graph:kind=regular,degree=3,seed=7", "graph:kind=regular,seed=7,degree=3"),
        ("nonuniform:ratio=1", "nonuniform:share=0"),
        ("nonuniform:share=1", "nonuniform:share=0"),
    ];
    for (one, other) in same {
        assert_eq!(run(one).unwrap(), run(other).unwrap(), "{one} {other}");
    }
}

#[test]
fn parameters_reach_the_rule() {
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
        ("left:d=2", "left:d=3"),
        ("left:d=3", "group-choice:d=3"),
        ("group-choice:d=2", "group-choice:d=3"),
        ("double-hashing:d=2", "double-hashing:d=3"),
        ("kd-choice:k=2", "kd-choice:k=3"),
        ("kd-choice:d=3", "kd-choice:d=4"),
        ("nonuniform:d=2", "nonuniform:d=3"),
        ("nonuniform:ratio=2", "nonuniform:ratio=3"),
        ("nonuniform:share=0.5", "nonuniform:share=0.3"),
        ("nonuniform:ties=fair", "nonuniform:ties=smaller"),
        ("circle:d=2", "circle:d=1"),
        ("circle:ties=fair", "circle:ties=smaller"),
        ("circle:seed=1", "circle:seed=2"),
        ("graph:kind=cycle", "graph:kind=torus"),
        ("graph:kind=torus", "graph:kind=complete"),
        ("graph:kind=complete", "graph:kind=regular"),
        ("graph:kind=regular,degree=4", "graph:kind=regular,degree=3"),
        ("graph:kind=regular,seed=1", "graph:kind=regular,seed=2"),
        ("graph:beta=1", "graph:beta=0.5"),
        ("graph:ties=fair", "graph:ties=first"),
        ("hypergraph:size=4", "hypergraph:size=3"),
        ("hypergraph:edges=8", "hypergraph:edges=9"),
        ("hypergraph:d=all", "hypergraph:d=2"),
        ("hypergraph:beta=1", "hypergraph:beta=0.5"),
        ("hypergraph:ties=fair", "hypergraph:ties=first"),
        ("hypergraph:seed=1", "hypergraph:seed=2"),
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
        ("left:d=0", "d = 0 is outside 1.."),
        ("kd-choice:k=4,d=3", "k = 4 is outside 1..=3, the number of samples"),
        ("nonuniform:ratio=0", "ratio = 0 is outside the finite numbers above 0"),
        ("nonuniform:share=1.5", "share = 1.5 is outside [0, 1]"),
        ("circle:d=0", "d = 0 is outside 1.."),
        ("graph:kind=hexagon", "kind = hexagon is outside cycle, torus, complete, regular, file:PATH"),
        ("graph:beta=2", "beta = 2 is outside [0, 1]"),
        ("hypergraph:beta=-1", "beta = -1 is outside [0, 1]"),
        ("hypergraph:edges=0", "edges = 0 is outside 1.."),
        ("hypergraph:d=0", "d = 0 is outside 1.."),
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
    for text in ["", ":d=2", "d-choice:", "d-choice:d=", "d-choice:=2", "d-choice:d=2,", "d-choice:,d=2"] {
        assert_eq!(text.parse::<RuleSpec>(), Err(RuleError::Malformed { text: text.to_owned() }));
    }
    // A key alone is true, where it can be.
    assert_eq!(refused("d-choice:d"), RuleError::Malformed { text: "d-choice:d".to_owned() });
    assert_eq!(run("d-choice:replacement,d=3").unwrap(), run("d-choice:d=3").unwrap());
    let repeated = RuleError::Repeated { rule: "d-choice".to_owned(), parameter: "d".to_owned() };
    assert_eq!("d-choice:d=2,d=2".parse::<RuleSpec>(), Err(repeated));
    let spec: RuleSpec = "a:k=1/2/3,l=x=y:z".parse().unwrap();
    assert_eq!((spec.get("k"), spec.get("l")), (Some("1/2/3"), Some("x=y:z")));
    assert_eq!(spec.to_string(), "a:k=1/2/3,l=x=y:z");
}

/// Rules that are made for a number of bins say so before a ball is placed, where the number does not do.
#[test]
fn numbers_of_bins_that_do_not_do_are_refused() {
    for (rule, bins, message) in [
        ("left:d=4", 3, "d = 4 is outside 1..=3, the number of bins"),
        ("group-choice:d=4", 3, "d = 4 is outside 1..=3, the number of bins"),
        ("double-hashing:d=4", 3, "d = 4 is outside 1..=3, the number of bins"),
        ("graph", 2, "vertices = 2 is outside 3..=2^32"),
        ("graph:kind=torus", 13, "width = 1 is outside 3.."),
        ("graph:kind=complete", 1, "vertices = 1 is outside 2..=2^32"),
        ("graph:kind=regular", 4, "degree = 4 is outside 1..4, even if the number of vertices is odd"),
        ("graph:kind=regular,degree=3", 7, "degree = 3 is outside 1..7, even if the number of vertices is odd"),
        ("hypergraph", 3, "size = 4 is outside 1..=3, the number of vertices"),
    ] {
        let error = Experiment::new(bins, 10).run_spec(&rule.parse().unwrap()).unwrap_err();
        assert_eq!(error.to_string(), message, "{rule}");
        assert!(matches!(error, ExperimentError::Start(_)), "{rule}");
    }
    assert!(Experiment::new(12, 10).run_spec(&"graph:kind=torus".parse().unwrap()).is_ok(), "3 × 4");
}

/// What is made at the start is the same in all trials, with any number of threads, and follows the number of
/// bins.
#[test]
fn a_random_graph_is_made_once() {
    for rule in ["graph:kind=regular", "circle", "hypergraph", "nonuniform"] {
        let gaps = |bins, threads| {
            let experiment = Experiment::new(bins, 2000).with_trials(8).with_threads(threads);
            experiment.run_spec(&rule.parse().unwrap()).unwrap().gap().clone()
        };
        assert_eq!(gaps(50, 1), gaps(50, 3), "{rule}");
        assert_ne!(gaps(50, 1), gaps(60, 1), "{rule}");
    }
}

/// One process on loads of several sizes.
#[test]
fn a_rule_by_name_follows_the_number_of_bins() {
    for rule in ["left", "group-choice", "double-hashing", "nonuniform", "circle", "graph", "hypergraph"] {
        let process = process(&rule.parse().unwrap(), Size { bins: 20, balls: 500 }).unwrap();
        for (bins, steps) in [(20, 1), (30, 500), (20, 500), (64, 1)] {
            let (mut loads, mut rng) = (LoadVector::new(bins).unwrap(), rng_for_trial(1, bins));
            for _ in 0..steps {
                process.throw(&mut loads, 500 / steps, &mut rng).unwrap();
            }
            assert_eq!(loads.total(), 500);
            assert!(loads.empty_bins() < bins / 2);
        }
    }
}

#[test]
fn edges_come_from_a_file() {
    let file = |name: &str, text: &str| {
        let path = std::env::temp_dir().join(format!("bb-registry-{}-{name}", std::process::id()));
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let square = file("square", "# a square\n0 1\n1 2\n2 3\n3 0\n");
    let of = |rule: &str, bins| Experiment::new(bins, 100).run_spec(&rule.parse().unwrap());
    let from_file = of(&format!("graph:kind=file:{square}"), 4).unwrap();
    assert_eq!(from_file.gap(), of("graph:kind=cycle", 4).unwrap().gap());
    let other = of(&format!("graph:kind=file:{square}"), 5).unwrap_err();
    assert_eq!(other, ExperimentError::Start(StartError::OtherBins { expected: 4, bins: 5 }));
    let sets = file("sets", "0 1 2\n2 3\n");
    assert!(of(&format!("hypergraph:kind=file:{sets},d=2"), 4).is_ok());

    let broken = file("broken", "0 1\n1 x\n");
    let message = |rule: String| of(&rule, 4).unwrap_err().to_string();
    let expected =
        format!("kind = file:{broken} is outside the files with edges: line 2: vertex = x is outside 0..4294967296");
    assert_eq!(message(format!("graph:kind=file:{broken}")), expected);
    assert_eq!(message(format!("hypergraph:kind=file:{broken}")), expected);
    let missing = message("graph:kind=file:/no/such/file".to_owned());
    assert!(missing.starts_with("kind = file:/no/such/file is outside the files with edges: "), "{missing}");
    for path in [square, sets, broken] {
        std::fs::remove_file(path).unwrap();
    }
}
