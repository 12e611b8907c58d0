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
        ("repeated --bins 100 --balls 100 --rounds 5 --batch 2", "batch 2 is given, and a system"),
        ("one-choice --bins 100 --balls 100 --delay 5:adversarial", "two-choice alone"),
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
        ("d-choice:replacement=false --bins 9 --balls 1 --engine bulk", ["engine = bulk", "described by its probes"]),
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
