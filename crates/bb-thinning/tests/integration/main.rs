//! The tests of the thinning strategies, one module per question.
//!
//! Statistical tests have fixed seeds, a false-alarm rate of 1e-6 each at a fresh seed unless they say
//! otherwise, and a twin: the same test must reject a process that differs in one thing.

mod bad_input;
mod combinators;
mod coupled;
mod drift;
mod laws;
mod mistakes;
mod multi_scale;
mod multi_stage;
mod optimal;
mod predictions;
mod random_accept;
mod realizability;
mod same_path;
mod target_law;
mod value_stability;
