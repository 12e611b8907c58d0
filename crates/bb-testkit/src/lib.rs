//! What the tests of the workspace stand on: exact laws, limit laws, statistical tests and the bounds
//! harness.
//!
//! | what | where |
//! | --- | --- |
//! | exact laws of small systems, in rationals | [`exact`], with the allocation vectors in [`ranks`] |
//! | the law of the *real* rule, by trying all its random outcomes | [`twin`] |
//! | laws of batches of balls, by trying everything | [`batches`] |
//! | chi-square, binomial and mean tests | [`stats`] |
//! | several ways to run one process, compared in law | [`engines`] |
//! | One-Choice maximum, mean-field profiles and gap laws | [`laws`] |
//! | bounds on the gap, asserted and seen to fail | [`bounds`] |
//! | reference tables | [`data`] |
//!
//! Everything is deterministic: a test that passes once passes always. The chance that a correct process
//! fails a test at a fresh seed is [`stats::FALSE_ALARM`], unless the test says otherwise; the chance that a
//! test misses the wrong process which it names is below 1 %.
//!
//! Unit tests inside `bb-core` can use only what takes plain numbers ([`stats`], [`exact`], [`ranks`],
//! [`batches`]), for this crate sees another copy of `bb-core`; integration tests can use all.

pub mod batches;
pub mod bounds;
pub mod data;
pub mod engines;
pub mod exact;
pub mod laws;
pub mod ranks;
pub mod stats;
pub mod twin;

pub use num_rational::BigRational;
