use core::num::NonZeroU64;

use bb_core::{Allocator, Bins, BinsExt, Put, Rng, SampleCount, StartError};

/// Twinning: a uniform bin gets two balls if its load is below the mean, else one.
///
/// A bin at the mean is not below it. A step is a sample and places one or two balls: `run` stops at the
/// first total not below the one asked for. [`sample_count`](Allocator::sample_count) counts the samples.
///
/// *Randomness:* one uniform draw a step. *Ties:* none. *Cost:* `O(1)` a step.
///
/// # Guarantees
///
/// Maximum minus minimum `O(ln n)` with high probability for all `m`, and this is tight (Los, Sauerwald and
/// Sylvester, arXiv 2308.05087). Measured at `n = 1000`, `m = 100 n`: the gap is 11.0, and a sample places
/// 1.42 balls.
///
/// # Examples
///
/// ```
/// use bb_processes::Twinning;
/// use bb_processes::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
///
/// let mut rule = Twinning::new();
/// let mut loads = LoadVector::new(1000)?;
/// let placed = rule.run(&mut loads, 100_000, &mut rng_for_trial(1, 0));
/// assert!((100_000..=100_001).contains(&placed) && loads.total() == placed);
/// assert!((6.0..25.0).contains(&loads.gap()), "the mean is 11.0: {}", loads.gap());
/// let samples = Allocator::<LoadVector>::sample_count(&rule).unwrap().per_ball(placed);
/// assert!((0.65..0.75).contains(&samples), "{samples}");
/// # Ok::<(), bb_core::LoadsError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Twinning {
    samples: u64,
}

impl Twinning {
    /// Returns the rule, with no sample counted.
    #[must_use]
    pub const fn new() -> Self {
        Self { samples: 0 }
    }
}

const TWINS: NonZeroU64 = NonZeroU64::new(2).unwrap();

impl<B: Bins> Allocator<B> for Twinning {
    fn start(&mut self, _: &B) -> Result<(), StartError> {
        self.samples = 0;
        Ok(())
    }

    #[inline]
    fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> B::Bin {
        self.samples += 1;
        bins.draw(rng)
    }

    #[inline]
    fn put(&self, bins: &B, bin: B::Bin) -> Put {
        if bins.below_mean(bin) { Put::balls(TWINS) } else { Put::BALL }
    }

    fn sample_count(&self) -> Option<SampleCount> {
        Some(SampleCount::Counted(self.samples))
    }
}
