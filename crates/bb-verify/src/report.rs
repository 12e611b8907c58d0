//! The report in Markdown.

use std::fmt::Write as _;
use std::thread::available_parallelism;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::check::{Check, Deviation, Outcome, Plan};

/// A check that has run.
pub(crate) struct Done<'a> {
    pub(crate) check: &'a Check,
    pub(crate) outcome: Outcome,
    pub(crate) elapsed: Duration,
}

impl Done<'_> {
    /// The worst deviations, and their limits.
    pub(crate) fn worst(&self) -> (String, String) {
        let worst = self.outcome.worst();
        let join = |show: fn(&Deviation) -> String| worst.iter().map(show).collect::<Vec<_>>().join("; ");
        (join(Deviation::to_string), join(Deviation::limit))
    }

    pub(crate) fn verdict(&self) -> &'static str {
        if self.outcome.passes() { "ok" } else { "FAILS" }
    }
}

/// The whole report.
pub(crate) fn markdown(done: &[Done<'_>], plan: &Plan, date: &str, elapsed: Duration) -> String {
    let mut text = String::new();
    let failed = done.iter().filter(|done| !done.outcome.passes()).count();
    let (tests, controls) =
        done.iter().map(|done| done.outcome.size()).fold((0, 0), |sum, size| (sum.0 + size.0, sum.1 + size.1));
    let verdict = match failed {
        0 => "All pass.".to_owned(),
        _ => format!("**{failed} of {} checks fail.**", done.len()),
    };
    let cores = available_parallelism().map_or(1, usize::from);
    let machine = std::env::consts::ARCH.replace('_', "-");
    let Plan { seed, scale } = plan;
    let options = match (*seed, *scale) {
        (1, 1.0) => String::new(),
        _ => format!(" --seed {seed} --scale {scale}"),
    };
    let _ = write!(
        text,
        "# Verification

How we know that the numbers are right: the last long statistical run. This page is written by the program that ran; do not edit it.

| | |
| --- | --- |
| date | {date} |
| version | {version} |
| machine | {cores}-core {machine} |
| time | {minutes:.0} minutes |
| repeat | `cargo run --release -p bb-verify --{options} --report docs/verification.md` |
| result | {checks} checks, {tests} tests, {controls} controls. {verdict} |

Every check compares the library with something independent of it: exact laws, identities, limits, published or independent simulations, or one engine with another. *se* is standard errors of the difference; *p* a p-value. A **control** is a wrong process, mostly one parameter away, put through the same test: it must be
rejected, or the test would say nothing. Seeds are fixed, so the run can be repeated exactly, on any number of threads; with `--seed` it is repeated independently. The false-alarm rate
of each check says how often a correct library would fail at a fresh seed.

`cargo test --workspace` does exact laws of small systems in rational numbers, and every rule against its slow twin; these are not repeated here.

| check | compares | worst | limit | verdict |
| --- | --- | --- | --- | --- |
",
        version = version(),
        minutes = (elapsed.as_secs_f64() / 60.0).ceil(),
        checks = done.len(),
    );
    for done in done {
        let (worst, limit) = done.worst();
        let Check { name, compares, .. } = done.check;
        let _ = writeln!(text, "| [{name}](#{name}) | {compares} | {worst} | {limit} | {} |", done.verdict());
    }
    for done in done {
        section(&mut text, done);
    }
    text
}

fn section(text: &mut String, done: &Done<'_>) {
    let Check { name, compares, source, correct, false_alarm, .. } = done.check;
    let (worst, limit) = done.worst();
    let (tests, controls) = done.outcome.size();
    let _ = write!(
        text,
        "\n## {name}\n
*Compares* {compares}.\\
*Source:* {source}.\\
*Correct looks like this:* {correct}.\\
*False alarms:* {false_alarm}.\\
*Result:* **{verdict}**; {tests} tests, {controls} controls; worst {worst} (limit {limit}).\n\n",
        verdict = done.verdict(),
    );
    let mut header = done.outcome.header.clone();
    header.push("verdict");
    let _ = writeln!(text, "| {} |", header.join(" | "));
    let _ = writeln!(text, "|{}", " --- |".repeat(header.len()));
    for row in &done.outcome.rows {
        let _ = writeln!(text, "| {} | {} |", row.cells.join(" | "), row.verdict());
    }
    if !done.outcome.absent.is_empty() {
        let _ = writeln!(text, "\nIn the source, and not yet in the library: {}.", done.outcome.absent.join(", "));
    }
}

/// The version of the workspace, which this crate does not share.
fn version() -> &'static str {
    let manifest = include_str!("../../../Cargo.toml");
    manifest.lines().find_map(|line| line.strip_prefix("version = \"")?.strip_suffix('"')).unwrap_or("unknown")
}

/// The date in UTC, by H. Hinnant's algorithm for the proleptic Gregorian calendar.
pub(crate) fn today() -> String {
    let days = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / 86_400);
    let (year, month, day) = date(days);
    format!("{year}-{month:02}-{day:02}")
}

/// The date so many days after 1970-01-01. Years begin in March here, so that the leap day is their last.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (era * 400 + year + later, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(date(0), (1970, 1, 1));
        assert_eq!(date(11_016), (2000, 2, 29));
        assert_eq!(date(20_786), (2026, 11, 29));
    }
}
