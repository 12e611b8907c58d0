#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod batched;
mod batched_profile;
mod d_choice;
mod described;
mod distinct_choice;
mod dynamic;
mod load_threshold;
mod mean_thinning;
mod one_choice;
mod one_choice_final;
mod one_plus_beta;
mod ranks;
mod settings;

pub use bb_core;

pub use crate::batched::Batched;
pub use crate::batched_profile::BatchedProfile;
pub use crate::d_choice::DChoice;
pub use crate::described::ByProbes;
pub use crate::distinct_choice::DistinctChoice;
pub use crate::dynamic::{LeakyBins, Lifetimes, RandomDeletion, RepeatedBallsIntoBins, Supermarket, System};
pub use crate::load_threshold::LoadThreshold;
pub use crate::mean_thinning::MeanThinning;
pub use crate::one_choice::OneChoice;
pub use crate::one_choice_final::FinalLoadsError;
pub use crate::one_plus_beta::OnePlusBeta;
pub use crate::ranks::{KQuantile, Quantile};
pub use crate::settings::{Delayed, DelayedTwoChoice, Intervals};
