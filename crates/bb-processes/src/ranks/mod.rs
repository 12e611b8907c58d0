//! Rules that are told the rank class of a bin in place of its load.

mod by_rank;
mod k_quantile;
mod quantile;

pub use by_rank::ByRank;
pub use k_quantile::KQuantile;
pub use quantile::Quantile;

/// Makes a rule of ranks an [`Allocator`](bb_core::Allocator) for every view that knows ranks.
macro_rules! allocator_by_ranks {
    ($rule:ty) => {
        impl<B: bb_core::Ranked> bb_core::Allocator<B> for $rule {
            #[inline]
            fn choose<R: bb_core::Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> B::Bin {
                bb_core::decide_by_ranks(self, bins, rng).bin
            }
            #[inline]
            fn decide<R: bb_core::Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> bb_core::Decision<B::Bin> {
                bb_core::decide_by_ranks(self, bins, rng)
            }
        }
    };
}

use allocator_by_ranks;
