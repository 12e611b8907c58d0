//! The progress bar, or nothing in its place.

#[cfg(feature = "progress")]
use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};

/// Counts the trials that are done, for all to see.
pub(crate) struct Progress {
    #[cfg(feature = "progress")]
    bar: ProgressBar,
}

#[cfg(feature = "progress")]
impl Progress {
    /// Shows a bar on standard error if it is wanted and that is a terminal; it vanishes when dropped.
    pub(crate) fn new(trials: u64, wanted: bool) -> Self {
        use std::io::IsTerminal;

        if !wanted || !std::io::stderr().is_terminal() {
            return Self { bar: ProgressBar::hidden() };
        }
        let style = ProgressStyle::with_template("{bar:40} {pos}/{len} trials, {elapsed} (ready in {eta})");
        let bar = ProgressBar::new(trials).with_finish(ProgressFinish::AndClear);
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.enable_steady_tick(std::time::Duration::from_millis(200));
        Self { bar }
    }

    pub(crate) fn advance(&self) {
        self.bar.inc(1);
    }
}

#[cfg(not(feature = "progress"))]
impl Progress {
    pub(crate) fn new(_: u64, _: bool) -> Self {
        Self {}
    }

    pub(crate) fn advance(&self) {}
}
