#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod d_choice;
mod described;
mod dimensions;
mod distinct_choice;
mod double_hashing;
mod dynamic;
mod filling;
mod graphs;
mod groups;
mod kd_choice;
mod load_threshold;
mod mean_thinning;
mod memory;
mod noise;
mod nonuniform;
mod one_choice;
mod one_choice_final;
mod one_plus_beta;
mod queries;
mod ranks;
mod room;
mod settings;
mod ties;
mod unfair;
mod weights;

pub use bb_core;
pub use bb_theory as theory;

pub use crate::d_choice::DChoice;
pub use crate::described::Described;
pub use crate::dimensions::{
    BallModel, BinKey, BinVector, DimensionsError, Key, KeyView, MultiBall, MultiBins, MultiLoads, ParallelRounds,
    RoundsReport, UnitWeights, WeightPer,
};
pub use crate::distinct_choice::DistinctChoice;
pub use crate::double_hashing::DoubleHashing;
pub use crate::dynamic::{LeakyBins, Lifetimes, RandomDeletion, RepeatedBallsIntoBins, Supermarket, System};
pub use crate::filling::{Packing, Twinning};
pub use crate::graphs::{EdgeFault, EdgePlace, Graph, GraphChoice, GraphError, Hypergraph, HypergraphChoice};
pub use crate::groups::{AlwaysGoLeft, GroupChoice};
pub use crate::kd_choice::KdChoice;
pub use crate::load_threshold::LoadThreshold;
pub use crate::mean_thinning::MeanThinning;
pub use crate::memory::{Caching, FirstMemory, Memory, Remember};
pub use crate::noise::{GAdvComp, GBounded, GMyopic, NoisyComparison, RhoNoisy, SigmaNoisyLoad};
pub use crate::nonuniform::{BinProbabilities, NonuniformChoice, WeightsError, biased_threshold};
pub use crate::one_choice::OneChoice;
pub use crate::one_choice_final::FinalLoadsError;
pub use crate::one_plus_beta::OnePlusBeta;
pub use crate::queries::{KThreshold, RelativeThreshold};
pub use crate::ranks::{ByRank, KQuantile, Quantile};
pub use crate::settings::{Batched, BatchedProfile, ByBatch, ByDelay, Delayed, DelayedTwoChoice, Late};
pub use crate::ties::Ties;
pub use crate::unfair::Unfair;
pub use crate::weights::{EmpiricalError, WeightError, WeightLaw, throw_weighted};
