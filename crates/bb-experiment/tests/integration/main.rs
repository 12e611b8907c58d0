//! Tests through the public interface, a module for each topic.

mod experiment;
mod memory;
mod numbers;
mod registry;
mod report;
mod settings;
#[cfg(feature = "serde")]
mod snapshot;
mod strategies;
mod summary;
mod weights;
