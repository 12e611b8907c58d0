#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod allocator;
mod bins;
mod bulk;
mod decision;
mod described_loop;
mod draws;
mod dynamic;
mod dynamic_loads;
mod error;
mod fresh;
mod history;
mod least;
mod load;
mod load_profile;
mod load_vector;
mod marks;
mod metrics;
mod mix;
mod place;
mod places;
mod probe;
mod ranked;
mod record;
mod remove;
pub mod samplers;
mod seeds;
mod store;
mod sums;

pub use rand;
pub use rand_core::{Rng, SeedableRng};

pub use crate::allocator::{Allocator, Probes};
pub use crate::bins::{Bins, BinsExt};
pub use crate::decision::Decision;
pub use crate::draws::{Coin, DistinctSampler, IndexSampler, draw_below};
pub use crate::dynamic::DynAllocator;
pub use crate::dynamic_loads::DynamicLoads;
pub use crate::error::{LoadsError, ParameterError, StartError};
pub use crate::fresh::{Flag, Fresh, Old};
pub use crate::history::{History, HistoryStep, run_with_checkpoints};
pub use crate::least::{decide_by_least, least_of};
pub use crate::load::{Load, Weight};
pub use crate::load_profile::{CountedBin, LoadProfile};
pub use crate::load_vector::LoadVector;
pub use crate::marks::{Marked, MarkedProfile, Marks};
pub use crate::metrics::{ExponentialPotentials, Metrics, majorizes};
pub use crate::mix::Mix;
pub use crate::place::{Place, Put};
pub use crate::places::Places;
pub use crate::probe::{Look, ProbeRule, decide_by_probes};
pub use crate::ranked::{RankRule, Ranked, RankedVector, decide_by_ranks};
pub use crate::record::{MaxLoadRecord, RecordError};
pub use crate::remove::Remove;
pub use crate::seeds::{TRIAL_RNG_NAME, TrialRng, rng_for_trial};
