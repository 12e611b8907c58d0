#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod asymptotic;
mod by_load;
mod by_rank;
mod constant;
mod counting;
mod coupled;
mod d_thinning;
mod drift;
mod drift_multi_stage;
mod long_term;
mod multi_scale;
mod multi_stage;
mod optimal;
mod prediction;
mod random_accept;
mod realizability;
mod relative_threshold;
mod sample_tally;
mod strategy;
mod target_law;
mod thinning;
mod threshold;
mod times;

pub use bb_core;
pub use num_rational;

pub use crate::by_load::ByLoad;
pub use crate::by_rank::QuantileThinning;
pub use crate::constant::{AlwaysAccept, NeverAccept};
pub use crate::coupled::{Coupled, Streams};
pub use crate::d_thinning::DThinning;
pub use crate::drift::{Clock, DriftState, ThetaDrift, VaryingDrift};
pub use crate::drift_multi_stage::DriftMultiStage;
pub use crate::long_term::LongTerm;
pub use crate::multi_scale::{MultiScale, Scale, ScalePart};
pub use crate::multi_stage::MultiStage;
pub use crate::optimal::{Objective, OptimalThinning, Sampling, optimal_value};
pub use crate::prediction::{best_limit, predicted_maximum};
pub use crate::random_accept::RandomAccept;
pub use crate::realizability::{
    Class, Number, RealizeError, Rejections, accept_probabilities, accept_probabilities_of_classes,
    accept_probabilities_of_intensities, law_of_accept_probabilities, rejection_range,
};
pub use crate::relative_threshold::ThinningRelativeThreshold;
pub use crate::sample_tally::SampleTally;
pub use crate::strategy::{Cycle, Strategy, Then, ThinningStrategy};
pub use crate::target_law::TargetLaw;
pub use crate::thinning::Thinning;
pub use crate::threshold::Threshold;
