#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod allocator;
mod bins;
mod bulk;
mod dynamic;
mod dynamic_loads;
mod error;
mod history;
mod load;
mod load_profile;
mod load_vector;
mod marks;
mod metrics;
mod probe;
mod ranked;
mod record;
mod remove;
mod seeds;
mod store;
mod sums;

pub use bb_samplers as samplers;
pub use bb_samplers::{Coin, DistinctSampler, IndexSampler, ParameterError, draw_below};
pub use rand;
pub use rand_core::{Rng, SeedableRng};

pub use crate::allocator::{Allocator, Decision, Probes, StartError};
pub use crate::bins::{Bins, Place, PlaceBall, Put, decide_by_least, least_of};
pub use crate::dynamic::DynAllocator;
pub use crate::dynamic_loads::DynamicLoads;
pub use crate::error::LoadsError;
pub use crate::history::{History, HistoryStep, run_with_checkpoints};
pub use crate::load::{Load, Weight};
pub use crate::load_profile::{CountedBin, LoadProfile};
pub use crate::load_vector::{LoadVector, VectorLoad};
pub use crate::marks::{Flag, Fresh, Marked, MarkedProfile, Marks, Old};
pub use crate::metrics::{ExponentialPotentials, Metrics, majorizes};
pub use crate::probe::{Look, Mix, ProbeRule, decide_by_probes};
pub use crate::ranked::{RankRule, Ranked, RankedVector, decide_by_ranks};
pub use crate::record::{MaxLoadRecord, RecordError};
pub use crate::remove::Remove;
pub use crate::seeds::{TRIAL_RNG_NAME, TrialRng, rng_for_trial};
