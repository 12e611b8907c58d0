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

/// The report, a check at a time: what an earlier run found stays until the check runs again.
pub(crate) struct Report {
    /// The checks, in their order; those that never ran are empty.
    entries: Vec<Entry>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Entry {
    name: String,
    /// The row of the table at the top.
    row: String,
    section: String,
}

/// How a row ends whose check fails.
const FAILS: &str = "| FAILS |";

impl Report {
    /// Reads what earlier runs wrote about these checks; a text that they did not write is as good as none.
    pub(crate) fn read(text: &str, checks: &[Check]) -> Self {
        let entry = |check: &Check| {
            let (row, section) = (format!("| [{0}](#{0}) |", check.name), format!("\n## {}\n", check.name));
            let row = text.lines().find(|line| line.starts_with(&row)).unwrap_or_default();
            let section = text.find(&section).map_or("", |begin| {
                let end = text[begin + 1..].find("\n## ").map_or(text.len(), |length| begin + 1 + length);
                &text[begin..end]
            });
            let known = !row.is_empty() && !section.is_empty();
            let [row, section] = if known { [row, section.trim_end()] } else { [""; 2] };
            Entry { name: check.name.to_owned(), row: row.to_owned(), section: section.to_owned() }
        };
        Self { entries: checks.iter().map(entry).collect() }
    }

    /// Puts what a check found in place of what it found before.
    pub(crate) fn put(&mut self, done: &Done<'_>, plan: &Plan) {
        let Check { name, compares, .. } = done.check;
        let ((worst, limit), (tests, controls)) = (done.worst(), done.outcome.size());
        let minutes = (done.elapsed.as_secs_f64() / 60.0).ceil();
        let Plan { seed, scale } = plan;
        let how = match (*seed, *scale) {
            (1, 1.0) => String::new(),
            _ => format!(", seed {seed}, scale {scale}"),
        };
        let ran = format!("{}, {minutes} min{how}", today());
        let verdict = done.verdict();
        let row =
            format!("| [{name}](#{name}) | {compares} | {tests}, {controls} | {worst} | {limit} | {ran} | {verdict} |");
        let mut section = String::new();
        write_section(&mut section, done);
        let entry = Entry { name: (*name).to_owned(), row, section: section.trim_end().to_owned() };
        self.entries.iter_mut().filter(|old| old.name == *name).for_each(|old| *old = entry.clone());
    }

    /// The whole page.
    pub(crate) fn markdown(&self) -> String {
        let (known, never): (Vec<_>, Vec<_>) = self.entries.iter().partition(|entry| !entry.row.is_empty());
        let names = |entries: &[&Entry]| entries.iter().map(|entry| entry.name.as_str()).collect::<Vec<_>>().join(", ");
        let failing: Vec<_> = known.iter().copied().filter(|entry| entry.row.ends_with(FAILS)).collect();
        let mut verdict = match failing.as_slice() {
            [] => format!("{} checks pass", known.len()),
            failing => format!("**{} of {} checks fail: {}**", failing.len(), known.len(), names(failing)),
        };
        if !never.is_empty() {
            let _ = write!(verdict, "; not run yet: {}", names(&never));
        }
        let cores = available_parallelism().map_or(1, usize::from);
        let machine = std::env::consts::ARCH.replace('_', "-");
        let mut text = format!(
            "# Verification

How we know that the numbers are right: the last long statistical run of each check. This page is written by the
program that ran; do not edit it.

| | |
| --- | --- |
| version | {version} |
| machine | {cores}-core {machine} |
| repeat | `cargo run --release -p bb-verify -- --report docs/verification.md`, or with the name of a check before `--report` |
| result | {verdict}. |

Every check compares the library with something independent of it: exact laws, identities, limits, published or
independent simulations, or one engine with another. *se* is standard errors of the difference; *p* a p-value. A
**control** is a wrong process, mostly one parameter away, put through the same test: it must be rejected, or the
test would say nothing. Seeds are fixed, so the run can be repeated exactly, on any number of threads; with `--seed`
it is repeated independently. The false-alarm rate of each check says how often a correct library would fail at a
fresh seed.

`cargo test --workspace` does exact laws of small systems in rational numbers, and every rule against its slow twin;
these are not repeated here.

| check | compares | tests, controls | worst | limit | ran | verdict |
| --- | --- | --- | --- | --- | --- | --- |
",
            version = version(),
        );
        known.iter().for_each(|entry| text += &format!("{}\n", entry.row));
        known.iter().for_each(|entry| text += &format!("{}\n", entry.section));
        wrapped(&text)
    }
}

/// How wide a line of prose is at most, in characters.
const COLUMNS: usize = 110;

/// Breaks the lines of prose that are too long; rows of tables and headings are as long as they are.
fn wrapped(text: &str) -> String {
    let mut page = String::new();
    for line in text.lines() {
        if line.starts_with(['|', '#']) {
            page += line;
        } else {
            let mut column = 0;
            for word in words(line) {
                let width = word.chars().count();
                if column > 0 && column + 1 + width > COLUMNS {
                    page.push('\n');
                    column = 0;
                } else if column > 0 {
                    page.push(' ');
                    column += 1;
                }
                page += &word;
                column += width;
            }
        }
        page.push('\n');
    }
    page
}

/// The pieces of a line between which it may break: code stays whole, and a sign that would begin a list or a
/// heading at the start of a line stays with the word before it.
fn words(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in line.split(' ') {
        let begins_something =
            matches!(word, "-" | "+" | "*" | "=" | "#" | ">") || word.ends_with('.') && word.parse::<f64>().is_ok();
        match words.last_mut() {
            Some(last) if begins_something || last.matches('`').count() % 2 == 1 => {
                last.push(' ');
                last.push_str(word);
            }
            _ => words.push(word.to_owned()),
        }
    }
    words
}

fn write_section(text: &mut String, done: &Done<'_>) {
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

    fn check(name: &'static str) -> Check {
        let run = |_: &Plan| Ok(Outcome::new(&["n"]));
        Check { name, compares: "a with b", source: "c", correct: "d", false_alarm: "e", run }
    }

    /// A check that runs again replaces its own part, and only that.
    #[test]
    fn the_parts_of_other_checks_stay() {
        let checks = [check("first"), check("second")];
        let plan = Plan { seed: 1, scale: 1.0 };
        let done = |which: usize, n: &str| {
            let mut outcome = Outcome::new(&["n"]);
            outcome.rows.push(crate::check::Row::test(vec![n.to_owned()], vec![Deviation::absolute(0.0, 1.0)]));
            Done { check: &checks[which], outcome, elapsed: Duration::from_secs(61) }
        };
        let mut report = Report::read("", &checks);
        report.put(&done(1, "10"), &plan);
        let once = report.markdown();
        assert!(once.contains("| 10 | ok |") && once.contains("not run yet: first"), "{once}");
        assert_eq!(Report::read(&once, &checks).markdown(), once);

        let mut report = Report::read(&once, &checks);
        report.put(&done(0, "20"), &Plan { seed: 7, scale: 0.5 });
        report.put(&done(1, "30"), &plan);
        let twice = report.markdown();
        assert!(twice.contains("| 20 | ok |") && twice.contains("| 30 | ok |") && !twice.contains("| 10 | ok |"));
        assert!(twice.contains("2 min, seed 7, scale 0.5 | ok |") && twice.contains("2 checks pass."));
        assert_eq!(Report::read(&twice, &checks).markdown(), twice);
    }

    /// Only spaces become ends of lines: a page that is read again and written stays as it is.
    #[test]
    fn long_lines_of_prose_are_broken_and_nothing_else() {
        let long = format!("*Source:* {}`no break` {}1.\\\n", "word ".repeat(19), "a + ".repeat(60));
        let page = format!("# {long}| {long}\n{long}{long}");
        let wrapped = wrapped(&page);
        let lines: Vec<_> = wrapped.lines().collect();
        assert_eq!(lines[..2], page.lines().take(2).collect::<Vec<_>>());
        assert!(lines[2..].iter().all(|line| line.chars().count() <= COLUMNS), "{wrapped}");
        assert!(lines.iter().all(|line| !line.starts_with('+') && line.matches('`').count() % 2 == 0), "{wrapped}");
        assert_eq!(wrapped.split_whitespace().collect::<Vec<_>>(), page.split_whitespace().collect::<Vec<_>>());
        assert_eq!(super::wrapped(&wrapped), wrapped);
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(date(0), (1970, 1, 1));
        assert_eq!(date(11_016), (2000, 2, 29));
        assert_eq!(date(20_786), (2026, 11, 29));
    }
}
