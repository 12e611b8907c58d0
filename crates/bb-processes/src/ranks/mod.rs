//! Rules that are told the rank class of a bin in place of its load.

mod k_quantile;
mod quantile;

pub use k_quantile::KQuantile;
pub use quantile::Quantile;

/// So many of the fullest of `bins` bins are above the quantile: `⌊δ n⌋`, from the product as a double.
pub(crate) fn ranks_above(delta: f64, bins: u64) -> u64 {
    (delta * bins as f64) as u64
}

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
