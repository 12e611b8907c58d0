#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod realizability;

pub use bb_core;
pub use num_rational;

pub use crate::realizability::{
    Class, Number, RealizeError, Rejections, accept_probabilities, accept_probabilities_of_classes,
    accept_probabilities_of_intensities, law_of_accept_probabilities, rejection_range,
};
