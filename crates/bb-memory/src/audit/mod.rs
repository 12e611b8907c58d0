//! Checks that a scheme keeps to its bits, in one call: [`whole_run`], [`Table`].
//!
//! The types already forbid a decider to see loads, a state beyond its budget, and samples before the state
//! is closed. What they cannot forbid, a global variable above all, is looked for here. An audit is slow: it
//! writes every state, and is meant for tests at `n ≤ 2^10` or so.

mod error;
mod run;
mod table;
mod transcript;

pub use self::error::AuditError;
pub use self::run::{Audited, whole_run};
pub use self::table::Table;
pub use self::transcript::Transcript;
