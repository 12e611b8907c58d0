#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod engine;
mod experiment;
mod memory;
mod number;
mod progress;
mod registry;
mod report;
mod rule_for_view;
mod setting;
mod spec;
mod summary;
mod tally;
mod trials;

pub use {bb_core, bb_processes, bb_thinning};

pub use crate::engine::Engine;
pub use crate::experiment::{Experiment, ExperimentError};
pub use crate::number::{NumberError, parse_integer, parse_list, parse_real};
pub use crate::registry::{
    Parameter, RuleInfo, RuleVisitor, Size, StrategyVisitor, SystemVisitor, rules, strategies, systems, with_rule,
    with_strategy, with_system,
};
pub use crate::report::Report;
pub use crate::rule_for_view::RuleForView;
pub use crate::setting::{AnySetting, AnyThinning, Delay, Reports, Setting};
pub use crate::spec::{RuleError, RuleSpec};
pub use crate::summary::Summary;
pub use crate::trials::trials;
