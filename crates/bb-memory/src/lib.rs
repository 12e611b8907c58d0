#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod audit;
mod error;
pub mod extras;
mod format;
mod model;
mod numbers;
mod probing;
mod schemes;
pub mod theory;

pub use bb_core;
pub use bb_processes;
pub use num_bigint;

pub use crate::error::{MemoryError, RunError, StateError};
#[doc(no_inline)]
pub use crate::extras::*;
pub use crate::format::{Format, Layout, Shape};
pub use crate::model::{
    Advice, AdviceFailure, Advisor, Asked, Ball, BallStream, Bounded, Budget, Choice, Closed, Computed, Decider, Loads,
    Machine, MemoryReport, Mode, ModelClass, Odds, Purpose, SampleKind, Samples, State, StateEditor, StateReader,
    StateWriter, TieRule,
};
pub use crate::probing::{Probing, Remembers, VisibleBins};
pub use crate::schemes::clusters::{ClusterCount, Compare};
pub use crate::schemes::counters::SaturatingCounters;
pub use crate::schemes::heavy_list::{HeavyList, ListDecider, Listed, Overflow, Policy};
pub use crate::schemes::no_memory::NoMemory;
pub use crate::theory::LogBase;
