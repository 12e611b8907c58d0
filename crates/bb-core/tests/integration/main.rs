//! Tests of bb-core from outside, one module a topic.

mod awkward;
mod counted_bins;
mod counted_counters;
mod counters;
mod draws;
mod history;
mod labelled_bins;
mod metrics;
mod record;
mod remove;

use bb_core::{Allocator, Bins, Rng, least_of};

/// Two-Choice, or d-Choice, for tests that need some rule.
#[derive(Clone)]
struct LeastOf(u32);

impl<B: Bins> Allocator<B> for LeastOf {
    fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> B::Bin {
        least_of(bins, self.0, rng)
    }
}
