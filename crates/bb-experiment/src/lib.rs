#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod dimensions;
mod engine;
mod experiment;
mod memory;
mod number;
mod progress;
mod registry;
mod report;
mod rule_for_view;
mod seen;
mod setting;
mod spec;
mod summary;
mod tally;
mod trials;
mod weights;
mod with_memory;

pub use {bb_core, bb_memory, bb_processes, bb_thinning};

pub use crate::dimensions::{Dimensions, Parallel};
pub use crate::engine::Engine;
pub use crate::experiment::{Experiment, ExperimentError};
pub use crate::number::{NumberError, parse_integer, parse_list, parse_real};
pub use crate::registry::{Kind, Parameter, RuleInfo, RuleVisitor, Size, rules, with_rule};
pub use crate::report::Report;
pub use crate::rule_for_view::RuleForView;
pub use crate::seen::{Seen, SeenVectors, SeenWeights};
pub use crate::setting::{AnySetting, AnyThinning, AnyView, AnyWeightedThinning, AnyWeights, Delay, Reports, Setting};
pub use crate::spec::{RuleError, RuleSpec};
pub use crate::summary::Summary;
pub use crate::trials::trials;
pub use crate::weights::Weights;
pub use crate::with_memory::WithMemory;
