//! How the processes run: the same path whichever way a rule is called, the same law on every engine, and the
//! same results for a fixed seed.
//!
//! Statistical tests have fixed seeds, a false-alarm rate of 1e-6 each at a fresh seed unless they say
//! otherwise, and a twin: the same test must reject a process that differs in one parameter.

mod conservation;
mod degenerate;
mod engines;
mod one_choice_final;
mod rules;
mod same_path;
mod same_path_labelled;
mod value_stability;
