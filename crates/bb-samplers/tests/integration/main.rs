//! The samplers against exact laws.
//!
//! Every statistical test fixes its seed and has a false-alarm rate of 1e-6,
//! shared evenly by the sets it goes through.

mod chi_square;
mod exact;
mod indices;
mod laws;
mod properties;
mod stability;
mod twins;
mod words;
