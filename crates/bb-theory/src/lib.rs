#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod allocation;
pub mod bounds;
#[cfg(feature = "exact")]
#[cfg_attr(docsrs, doc(cfg(feature = "exact")))]
pub mod exact;
pub mod fluid;
pub mod identities;
mod law;
pub mod one_choice;
pub mod recurrence;
pub mod stationary;

pub use bb_samplers::ParameterError;

pub use crate::law::IntegerLaw;
