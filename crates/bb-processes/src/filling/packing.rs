use core::num::NonZeroU64;

use bb_core::{Allocator, Bins, BinsExt, ParameterError, Put, Rng, SampleCount, StartError};

/// Packing: a uniform bin whose load is below the mean is filled to the mean, any other gets one ball.
///
/// To fill to the mean is to fill to `⌈W/n⌉ + e`, with `W` the total before: `e = 1` as the rule is usually
/// written down, or `e = 0`, its name taken literally. A bin at the mean is not below it. A step is a sample
/// and places one ball or many: `run` stops at the first total not below the one asked for.
/// [`sample_count`](Allocator::sample_count) counts the samples.
///
/// *Randomness:* one uniform draw a step. *Ties:* none. *Cost:* `O(1)` a step on labelled bins; on counted
/// bins a step goes through the levels that it fills.
///
/// # Guarantees
///
/// Gap `Θ(ln n)` for all `m`, and in expectation more than one ball a sample by a constant (Los, Sauerwald
/// and Sylvester, arXiv 2204.04057). Measured at `n = 1000`, `m = 100 n` with `e = 1`: the gap is 6.2, and a
/// sample places 1.98 balls.
///
/// # Examples
///
/// ```
/// use bb_processes::Packing;
/// use bb_processes::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
///
/// let mut rule = Packing::new(1)?;
/// assert_eq!(rule.e(), 1);
/// let mut loads = LoadVector::new(1000)?;
/// let placed = rule.run(&mut loads, 100_000, &mut rng_for_trial(1, 0));
/// assert!(placed >= 100_000 && loads.total() == placed);
/// assert!((3.0..15.0).contains(&loads.gap()), "the mean is 6.2: {}", loads.gap());
/// let samples = Allocator::<LoadVector>::sample_count(&rule).unwrap().per_ball(placed);
/// assert!((0.47..0.54).contains(&samples), "{samples}");
/// assert_eq!(Packing::new(1 << 20).unwrap_err().to_string(), "e = 1048576 is outside 0..=2^16");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Packing {
    e: u64,
    samples: u64,
}

/// Largest `e`: the loads then spread over less levels than counted bins have.
const MOST: u64 = 1 << 16;

impl Packing {
    /// Returns the rule that fills to `⌈W/n⌉ + e`, `e` at most `2^16`.
    ///
    /// # Errors
    ///
    /// If `e` exceeds `2^16`.
    pub fn new(e: u64) -> Result<Self, ParameterError> {
        if e > MOST { Err(ParameterError::new("e", e, "0..=2^16")) } else { Ok(Self { e, samples: 0 }) }
    }

    /// Returns how many balls above the mean, rounded up, a bin is filled to.
    #[must_use]
    pub fn e(&self) -> u64 {
        self.e
    }
}

impl<B: Bins<Load = u64>> Allocator<B> for Packing {
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
        let (load, mean) = (bins.load(bin), bins.total().div_ceil(bins.bins()));
        // A load is below the mean iff it is below the mean rounded up.
        let balls = if load < mean { NonZeroU64::new(mean - load + self.e) } else { None };
        balls.map_or(Put::BALL, Put::balls)
    }

    fn sample_count(&self) -> Option<SampleCount> {
        Some(SampleCount::Counted(self.samples))
    }
}
