//! The tests of bounded memory, one module per question.
//!
//! Statistical tests have fixed seeds, a false-alarm rate of 1e-6 each at a fresh seed unless they say
//! otherwise, and a twin: the same test must reject a process that differs in one thing.

mod audits;
mod bad_input;
mod bounds;
mod clock_hand;
mod domination;
mod formats;
mod laws;
mod probing;
mod same_path;
mod theory;
mod value_stability;
