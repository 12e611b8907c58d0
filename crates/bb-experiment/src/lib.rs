#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod dimensions;
mod engine;
mod error;
mod experiment;
mod memory;
mod metrics;
mod number;
mod process;
mod progress;
mod registry;
mod report;
mod run;
mod seen;
mod setting;
mod spec;
mod summary;
mod tally;
mod trials;
mod weights;

pub use {bb_core, bb_memory, bb_processes, bb_thinning};

pub use crate::dimensions::{Dimensions, Parallel};
pub use crate::engine::Engine;
pub use crate::error::ExperimentError;
pub use crate::experiment::Experiment;
pub use crate::number::{NumberError, parse_integer, parse_list, parse_real};
pub use crate::process::{Process, Thrown};
pub use crate::registry::{Kind, Parameter, RuleInfo, Size, process, rules};
pub use crate::report::Report;
pub use crate::seen::{Seen, SeenVectors, SeenWeights};
pub use crate::setting::{Delay, Reports, Setting};
pub use crate::spec::{RuleError, RuleSpec};
pub use crate::summary::Summary;
pub use crate::trials::trials;
pub use crate::weights::Weights;
