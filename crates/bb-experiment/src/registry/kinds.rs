//! Kinds of rules that several families have.

use bb_core::{Allocator, Description, LoadProfile, LoadVector, ProfileWithCounters, WithCounters};
use bb_processes::{Batched, Delayed, KeyView};
use bb_thinning::ThinningStrategy;

use super::Values;
use crate::process::Process;
use crate::seen::{SeenVectors, SeenWeights};

/// A rule for all views with labelled bins that only compares loads.
pub(super) fn comparing<A>(values: &Values<'_>, rule: A) -> Process
where
    A: Allocator<LoadVector> + Allocator<Batched<LoadVector>> + Allocator<Delayed<LoadVector>>,
    A: Allocator<KeyView<SeenVectors>> + Allocator<SeenWeights> + Clone + Send + Sync + 'static,
{
    Process::in_settings(values.name(), rule.clone()).with_weights(rule)
}

/// The same for a rule that is its description.
pub(super) fn comparing_described<A>(values: &Values<'_>, rule: A) -> Process
where
    A: Description + Allocator<LoadVector> + Allocator<Batched<LoadVector>> + Allocator<Delayed<LoadVector>>,
    A: Allocator<KeyView<SeenVectors>> + Allocator<LoadProfile> + Allocator<SeenWeights>,
    A: Clone + Send + Sync + 'static,
{
    Process::described(values.name(), rule.clone()).with_weights(rule)
}

/// A thinning strategy that counts what it accepted, or compares loads with their mean.
pub(super) fn counting<S>(values: &Values<'_>, strategy: S) -> Process
where
    S: ThinningStrategy<WithCounters<LoadVector>> + ThinningStrategy<WithCounters<Batched<LoadVector>>>,
    S: ThinningStrategy<WithCounters<Delayed<LoadVector>>> + ThinningStrategy<WithCounters<SeenWeights>>,
    S: ThinningStrategy<ProfileWithCounters> + Clone + Send + Sync + 'static,
{
    Process::thinning(values.name(), strategy.clone()).with_weighted_thinning(strategy)
}
