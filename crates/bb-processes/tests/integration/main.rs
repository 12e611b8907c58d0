//! The tests of the processes, one module per question. How they run, on all engines, is in `engines`; the
//! theory in `theory`.
//!
//! Statistical tests have fixed seeds, a false-alarm rate of 1e-6 each at a fresh seed unless they say
//! otherwise, and a twin: the same test must reject a process that differs in one parameter.

mod allocation_vector;
mod bad_input;
mod batched;
mod bounds;
mod delayed;
mod dimensions;
mod dynamic;
mod exact;
mod filling;
mod gap_law;
mod identity;
mod majorization;
mod memory;
mod noise;
mod ranks;
mod table;
mod thresholds;
mod unfair;
mod weights;
