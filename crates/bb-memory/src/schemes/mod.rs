//! The schemes.

mod adaptive;
mod clusters;
mod counters;
mod epoch;
mod heavy_list;
mod idle_hint;
mod no_memory;
mod window;

pub use self::adaptive::{AdaptiveClusters, AdaptiveDecider, AdaptiveParameters, Leaves, SplittingClusters};
pub use self::clusters::{ClusterCount, ClusterParameters, Compare};
pub use self::counters::{
    ApproximateCounters, ApproximateParameters, CompareFields, FieldParameters, RelativeCounters, RelativeParameters,
    SaturatingCounters, ThresholdBit, Thresholds,
};
pub use self::epoch::EpochAdvice;
pub use self::heavy_list::{HeavyList, ListDecider, ListParameters, Listed, LogBase, Overflow, Policy};
pub use self::idle_hint::{HintDecider, HintParameters, IdleHint};
pub use self::no_memory::{NoMemory, OneRule};
pub use self::window::{Window, WindowParameters};
