//! The basic schemes: no memory, a counter for each bin or for a run of bins, and a list of the heavy bins.

pub(crate) mod clusters;
pub(crate) mod counters;
pub(crate) mod heavy_list;
pub(crate) mod no_memory;
