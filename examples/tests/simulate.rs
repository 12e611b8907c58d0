//! The program as its user meets it: what it writes where, and how it ends.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// The example beside this test, which `cargo test` builds unless it is told to build this test alone.
fn simulate() -> Command {
    let test = std::env::current_exe().unwrap();
    let target = test.ancestors().nth(2).unwrap();
    let program: PathBuf =
        [target, "examples".as_ref(), format!("simulate{}", std::env::consts::EXE_SUFFIX).as_ref()].iter().collect();
    assert!(program.exists(), "build it first: cargo build --example simulate");
    Command::new(program)
}

/// Runs it with these arguments, separated by spaces.
fn run(args: &str) -> Output {
    simulate().args(args.split_whitespace()).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn json_and_nothing_else_goes_to_standard_output() {
    let out = run("two-choice --bins 100 --balls 1e4 --trials 5 --seed 7 --levels --epsilon 0.1 --format json");
    assert!(out.status.success() && out.stderr.is_empty());
    let value: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!((&value["process"], value["balls"].as_u64()), (&"two-choice".into(), Some(10_000)));
    assert_eq!((value["trials"].as_u64(), value["seed"].as_u64()), (Some(5), Some(7)));
    assert!(value["typical_gap"]["mean"].is_number() && value["levels"].is_object());
}

#[test]
fn threads_change_only_the_time() {
    let json = |threads: u32| {
        let out = run(&format!("one-choice --bins 100 --balls 1e4 --trials 9 --threads {threads} --format json"));
        text(&out.stdout).split_once(",\"elapsed_s\":").unwrap().0.to_owned()
    };
    assert_eq!(json(1), json(2));
    assert_eq!(json(1), json(3));
}

#[test]
fn no_balls_and_one_bin_are_legal() {
    for args in ["one-choice --bins 10 --balls 0 --epsilon 1", "d-choice:d=1,replacement=false --bins 1 --balls 10"] {
        let out = run(args);
        assert!(out.status.success() && out.stderr.is_empty() && !out.stdout.is_empty(), "{args}");
    }
}

#[test]
fn the_list_has_every_rule() {
    let out = run("--list");
    assert!(out.status.success() && out.stderr.is_empty());
    let list = text(&out.stdout);
    for info in bb_experiment::rules() {
        for part in [info.name, info.paper] {
            assert!(list.contains(part), "{part}");
        }
        for parameter in info.parameters {
            assert!(list.contains(parameter.key) && list.contains(parameter.range), "{}", parameter.key);
        }
    }
}

#[test]
fn settings_and_systems_have_their_options() {
    let value = |args: &str| -> serde_json::Value {
        let out = run(&format!("{args} --format json"));
        assert!(out.status.success(), "{}", text(&out.stderr));
        serde_json::from_slice(&out.stdout).unwrap()
    };
    let batched = value("two-choice --bins 100 --balls 1e4 --batch 100");
    assert!(batched["batch"] == 100 && batched["batch_end_gap"]["mean"].is_number() && batched.get("delay").is_none());
    assert_eq!(value("two-choice --bins 100 --balls 1e4 --delay 50:uniform")["delay"], "50:uniform");
    let repeated = value("repeated --bins 100 --balls 100 --rounds 50");
    assert!(repeated["rounds"] == 50 && repeated["balls"] == 100 && repeated.get("batch_end_gap").is_none());
    assert!(value("twinning --bins 100 --rounds 50")["balls"].is_null());
    for (args, says) in [
        ("repeated --bins 100 --balls 100", "rounds are not given"),
        ("repeated --bins 100 --balls 100 --rounds 5 --batch 2", "batch 2 is given, and repeated is a system"),
        (
            "one-choice --bins 100 --balls 100 --delay 5:adversarial",
            "one-choice does not compare two independent samples",
        ),
        ("two-choice --bins 100 --balls 100 --delay 5:often", "delay = 5:often is outside"),
        ("two-choice --bins 100 --balls 100 --batch 0", "b = 0 is outside 1.."),
        ("two-choice --bins 100 --balls 100 --batch 2 --delay 2", "cannot be used with"),
        ("two-choice --bins 100 --balls 100 --rounds 2", "stopped by one of them"),
        ("two-choice --bins 100", "--balls"),
    ] {
        let out = run(args);
        assert_eq!((out.status.code(), out.stdout.len()), (Some(2), 0), "{args}");
        assert!(text(&out.stderr).contains(says), "{args}: {}", text(&out.stderr));
    }
}

#[test]
fn dimensions_and_rounds_have_their_options() {
    let value = |args: &str| -> serde_json::Value {
        let out = run(&format!("{args} --bins 100 --balls 1e4 --format json"));
        assert!(out.status.success(), "{}", text(&out.stderr));
        serde_json::from_slice(&out.stdout).unwrap()
    };
    let plain = value("two-choice");
    assert!(plain.get("dims").is_none() && plain.get("gap_dim").is_none() && plain.get("messages").is_none());
    let dims = value("two-choice --dims 3 --ball fixed:f=2 --key total --trials 4");
    assert!(dims["dims"] == 3 && dims["ball"] == "fixed:f=2" && dims["key"] == "total");
    assert_eq!(dims["gap_dim"].as_array().unwrap().len(), 3);
    assert_eq!(dims["gap_dim_max"], dims["gap"]);
    assert!(dims["gap_total"]["mean"].as_f64() < dims["gap"]["mean"].as_f64() && dims["gap_cell"]["mean"].is_number());
    // All dimensions at once are the scalar process, from the same words.
    let whole = value("caching --dims 3 --ball binomial:p=1");
    assert_eq!((&whole["gap"], &whole["key"]), (&value("caching")["gap"], &"max-populated".into()));
    let batched = value("mean-thinning --dims 2 --ball independent:p=0.1/0.5 --batch 50");
    assert!(batched["batch_end_gap"]["mean"].is_number());
    let parallel = value("d-choice:d=3 --parallel 1:2");
    assert!(
        parallel["parallel"] == "1:2"
            && parallel["rounds_used"]["max"] == 2
            && parallel["messages"]["mean"].is_number()
    );
    assert!(
        value("one-choice --dims 3 --ball binomial:p=0.5,empty=redraw --parallel 2:1")["one_by_one"]["mean"]
            .is_number()
    );
}

#[test]
fn bad_dimensions_and_rounds_are_refused() {
    for (args, says) in [
        ("two-choice --dims 0 --ball fixed:f=1", "dimensions = 0 is outside 1.."),
        ("two-choice --dims 3 --ball fixed:f=0", "f = 0 is outside 1..=3"),
        ("two-choice --dims 3 --ball fixed:f=4", "f = 4 is outside 1..=3"),
        ("two-choice --dims 3 --ball fixed", "f = nothing is outside 1.."),
        ("two-choice --dims 3 --ball fixed:g=4", "parameter = g is outside f"),
        ("two-choice --dims 3 --ball fixed-weighted:f=1,q=1/2", "q = a list of 2 is outside the lists of 3"),
        ("two-choice --dims 3 --ball fixed-weighted:f=2,q=1/0/0", "f = 2 is outside 1..=1"),
        ("two-choice --dims 3 --ball binomial:p=1.5", "p = 1.5 is outside [0, 1]"),
        ("two-choice --dims 3 --ball binomial:p=nan", "p = nan is outside [0, 1]"),
        ("two-choice --dims 3 --ball independent:p=0.5", "p = a list of 1 is outside the lists of 3"),
        ("two-choice --dims 3 --ball binomial:p=0,empty=redraw", "p = 0 is outside (0, 1]"),
        ("two-choice --dims 3 --ball binomial:p=0.5,empty=often", "empty = often is outside count, redraw"),
        ("two-choice --dims 3 --ball cube", "ball = cube is outside fixed, fixed-weighted, binomial, independent"),
        ("two-choice --dims 3 --ball fixed:f=1 --key least", "key = least is outside max-populated"),
        ("two-choice --dims 3", "--ball"),
        ("two-choice --key total", "--dims"),
        ("two-choice --dims 3 --ball fixed:f=1 --levels", "levels are defined for one load a bin"),
        ("two-choice --dims 3 --ball fixed:f=1 --epsilon 0.5", "epsilon is defined for one maximum load"),
        ("two-choice --dims 3 --ball fixed:f=1 --engine bulk", "engine = bulk is given, and bins of several"),
        ("quantile --dims 3 --ball fixed:f=1", "asks for ranks"),
        ("leaky --dims 3 --ball fixed:f=1 --rounds 3", "defined for one load a bin"),
        ("thinning-threshold --dims 3 --ball fixed:f=1", "defined for one load a bin"),
        ("caching --parallel 1:1", "parallel is given for caching"),
        ("d-choice:replacement=false --parallel 1:1", "parallel is given for d-choice:replacement=false"),
        ("two-choice --parallel 0:1", "T = 0 is outside 1.."),
        ("two-choice --parallel 1", "parallel = 1 is outside T:r"),
        ("two-choice --parallel 1:1 --batch 3", "cannot be used with"),
    ] {
        let out = run(&format!("{args} --bins 100 --balls 100"));
        assert_eq!((out.status.code(), out.stdout.len()), (Some(2), 0), "{args}");
        assert!(text(&out.stderr).contains(says), "{args}: {}", text(&out.stderr));
    }
}

#[test]
fn memories_tell_of_their_bits() {
    let value = |args: &str| -> serde_json::Value {
        let out = run(&format!("{args} --trials 3 --format json"));
        assert!(out.status.success(), "{}", text(&out.stderr));
        serde_json::from_slice(&out.stdout).unwrap()
    };
    let list = value("heavy-list:bits=300 --bins 1000 --balls 1000");
    assert!(list["bits"] == 300 && list["certified"] == true && list["overflow"]["max"] == 0);
    assert!(list["state_changes"]["mean"].as_f64().unwrap() > 1.0 && list["probes"].is_null());
    let queue = value("join-idle-queue:c=9 --bins 100 --balls 0 --rounds 20");
    assert!(queue["bits"].is_number() && queue["certified"] == false && queue["rounds"] == 20);
    let two = value("two-choice --bins 100 --balls 100");
    assert!(["bits", "state_changes", "certified", "overflow"].iter().all(|key| two[key].is_null()));
    for (args, says) in [
        ("heavy-list --bins 100 --balls 100 --batch 5", "batch 5 is given, and heavy-list is for fresh loads alone"),
        (
            "saturating --bins 100 --balls 100 --delay 5",
            "delay 5:stale is given, and saturating is for fresh loads alone",
        ),
        ("no-memory --bins 100 --balls 100 --engine profile", "engine = profile is outside"),
        ("clusters --bins 100 --balls 100 --engine bulk", "engine = bulk is outside"),
        ("join-idle-queue --bins 100 --balls 100", "rounds are not given"),
        ("heavy-list:bits=5 --bins 100 --balls 100", "bits = 5 is outside"),
        ("heavy-lst --bins 100 --balls 100", "did you mean heavy-list?"),
    ] {
        let out = run(args);
        assert_eq!((out.status.code(), out.stdout.len()), (Some(2), 0), "{args}");
        assert!(text(&out.stderr).contains(says), "{args}: {}", text(&out.stderr));
    }
}

#[test]
fn help_goes_to_standard_output() {
    let out = run("--help");
    assert!(out.status.success() && out.stderr.is_empty());
    assert!(text(&out.stdout).contains("Examples:"));
}

#[test]
fn bad_input_gives_one_line_and_code_2() {
    // What is wrong, and what the line must say about it: the value and the range.
    let cases = [
        ("two-choice --bins 0 --balls 1", ["bins = 0", "1.."]),
        ("two-choice --bins 2^45 --balls 1 --engine vector", ["bins = 35184372088832", "bytes"]),
        ("two-choice --bins 2^63 --balls 1", ["bins = 9223372036854775808", "1..=2^62"]),
        ("two-choice --bins 1 --balls 1 --engine fast", ["fast", "vector, profile, bulk, auto"]),
        (
            "d-choice:replacement=false --bins 9 --balls 1 --engine bulk",
            ["engine = bulk", "vector, profile, auto, which run d-choice"],
        ),
        ("two-choice --bins 1.5 --balls 1", ["--bins", "1.5 is outside the integers 0..2^64"]),
        ("two-choice --bins -5 --balls 1", ["--bins", "-5 is outside the integers 0..2^64"]),
        ("two-choice --bins ten --balls 1", ["--bins", "ten is outside the integers"]),
        ("two-choice --bins 1 --balls 2^64", ["--balls", "2^64 is outside the integers 0..2^64"]),
        ("two-choice --bins 1 --balls 1 --trials 0", ["trials = 0", "1.."]),
        ("two-choice --bins 1 --balls 1 --trials 1e-1", ["--trials", "1e-1 is outside"]),
        ("two-choice --bins 1 --balls 1 --seed x", ["--seed", "x is outside"]),
        ("two-choice --bins 1 --balls 1 --threads x", ["--threads", "x is outside"]),
        ("two-choice --bins 1 --balls 1 --epsilon 0", ["epsilon = 0", "(0, 1]"]),
        ("two-choice --bins 1 --balls 1 --epsilon -1", ["epsilon = -1", "(0, 1]"]),
        ("two-choice --bins 1 --balls 1 --epsilon 1.01", ["epsilon = 1.01", "(0, 1]"]),
        ("two-choice --bins 1 --balls 1 --epsilon nan", ["--epsilon", "nan is outside"]),
        ("two-choice --bins 1 --balls 1 --format xml", ["xml", "table, json, csv"]),
        ("d-choice:d=0 --bins 9 --balls 1", ["d = 0", "1.."]),
        ("d-choice:d=10,replacement=false --bins 9 --balls 1", ["d = 10", "1..=9"]),
        ("d-choice:d=2.5 --bins 9 --balls 1", ["d = 2.5", "1..2^32"]),
        ("d-choice:d --bins 9 --balls 1", ["d-choice:d", "key=value"]),
        ("d-choice:k=1 --bins 9 --balls 1", ["k", "d, replacement"]),
        ("one-plus-beta:beta=1.5 --bins 9 --balls 1", ["beta = 1.5", "[0, 1]"]),
        ("one-plus-beta:beta=-0.1 --bins 9 --balls 1", ["beta = -0.1", "[0, 1]"]),
        ("one-plus-beta:beta=nan --bins 9 --balls 1", ["beta = nan", "[0, 1]"]),
        ("no-choice --bins 9 --balls 1", ["no-choice", "one-choice, two-choice"]),
        ("", ["--bins <N>", "--balls <M>"]),
        ("two-choice --bins 9", ["required", "--balls <M>"]),
        ("--bins 9 --balls 9", ["required", "RULE"]),
        ("two-choice --bins 9 --balls", ["--balls <M>", "required"]),
        ("two-choice --bins 9 --balls 1 --colour", ["--colour", "unexpected"]),
        ("two-choice more --bins 9 --balls 1", ["more", "unexpected"]),
        ("two-choice --bins 9 --bins 9 --balls 1", ["--bins <N>", "multiple times"]),
    ];
    for (args, parts) in cases {
        let out = run(args);
        let message = text(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{args}: {message}");
        assert!(out.stdout.is_empty(), "{args}");
        assert!(message.ends_with('\n') && message.lines().count() == 1, "{args}: {message}");
        assert!(parts.iter().all(|part| message.contains(part)), "{args}: {message}");
    }
}

#[test]
fn a_line_break_in_bad_input_does_not_break_the_line() {
    for rule in ["two\nchoice", "two\r\nchoice:d=1", "d-choice:d=\n"] {
        let out = simulate().args([rule, "--bins", "9", "--balls", "1"]).output().unwrap();
        assert_eq!(text(&out.stderr).lines().count(), 1, "{rule:?}: {}", text(&out.stderr));
        assert_eq!(out.status.code(), Some(2));
    }
}

/// The reader is gone before a word is written.
#[test]
fn a_closed_pipe_is_no_failure() {
    for args in ["--list", "--help", "two-choice --bins 9 --balls 9", "two-choice --bins 9 --balls 9 --format json"] {
        let mut child =
            simulate().args(args.split_whitespace()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let out = child.wait_with_output().unwrap();
        assert!(out.status.success() && out.stderr.is_empty(), "{args}: {}", text(&out.stderr));
    }
}
