#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod audit;
mod error;
mod format;
mod model;
mod probing;
mod schemes;
pub mod theory;

pub use bb_core;
pub use bb_processes;
pub use num_bigint;

pub use crate::error::{MemoryError, RunError, StateError};
pub use crate::format::{Format, Layout, Shape};
pub use crate::model::{
    Advice, AdviceFailure, Advisor, Asked, Ball, BallStream, Bounded, Budget, Choice, Closed, Computed, Decider,
    LiveLoads, Loads, Machine, MemoryReport, Mode, ModelClass, Odds, Parameters, Purpose, SampleKind, Samples, State,
    StateEditor, StateReader, StateWriter, TieRule,
};
pub use crate::probing::{Candidates, JoinIdleQueue, Probing, QueueOrder, Remembers, ResetMemory};
pub use crate::schemes::*;
