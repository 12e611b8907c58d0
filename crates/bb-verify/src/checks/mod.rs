//! The claims, one small file each.

use crate::check::Check;

mod batched;
mod dimensions;
mod drift;
mod engines;
mod equal_max;
mod fluid_bulk;
mod fluid_groups;
mod fluid_tails;
mod gap_law;
mod graphs;
mod heavy_gap;
mod memory;
mod noise_tables;
mod one_choice_max;
mod recovery;
mod repeated;
mod slopes;
mod stationary;
mod supermarket;
mod voecking;
mod weights;

/// All checks, the strongest oracles first.
pub(crate) const ALL: [Check; 21] = [
    one_choice_max::CHECK,
    stationary::CHECK,
    fluid_tails::CHECK,
    fluid_bulk::CHECK,
    fluid_groups::CHECK,
    supermarket::CHECK,
    engines::CHECK,
    heavy_gap::CHECK,
    graphs::CHECK,
    weights::CHECK,
    dimensions::CHECK,
    equal_max::CHECK,
    gap_law::CHECK,
    slopes::CHECK,
    recovery::CHECK,
    drift::CHECK,
    batched::CHECK,
    noise_tables::CHECK,
    repeated::CHECK,
    voecking::CHECK,
    memory::CHECK,
];
