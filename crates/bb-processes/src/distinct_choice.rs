use bb_core::{Allocator, Bins, BinsExt, Decision, DistinctSampler, ParameterError, Rng, SampleCount, StartError};

/// d-Choice without replacement: each ball goes to the least loaded of `d` distinct uniform bins.
///
/// [`start`](Allocator::start) refuses loads with fewer than `d` bins. Without it, all bins are samples
/// there.
///
/// *Randomness:* the `d` draws of [`BinsExt::draw_distinct`] and nothing else. *Ties:* the first of the least
/// loaded samples, a fair choice. *Cost:* at worst `O(d²)` a ball.
///
/// # Guarantees
///
/// Its loads are majorized by those of d-Choice with replacement under a common uniform, so every bound of
/// [`DChoice`](crate::DChoice) holds. The difference shows in small systems: at `m = 4n` the mean gap of two
/// choices is 0.35 with and 0.00 without replacement for `n = 2`, 0.98 and 0.81 for `n = 5`.
///
/// # Examples
///
/// ```
/// use bb_processes::DistinctChoice;
/// use bb_processes::bb_core::{Allocator, LoadVector, Metrics, StartError, rng_for_trial};
///
/// let mut rule = DistinctChoice::new(2)?;
/// assert_eq!(rule.d(), 2);
/// // Two bins, both looked at: they never differ by more than a ball.
/// let mut loads = LoadVector::new(2)?;
/// rule.start_and_run(&mut loads, 1001, &mut rng_for_trial(1, 0))?;
/// assert_eq!(loads.gap(), 0.5);
///
/// let too_few = StartError::TooFewBins { parameter: "d", value: 2, bins: 1 };
/// assert_eq!(rule.start(&LoadVector::new(1)?), Err(too_few));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DistinctChoice {
    d: u32,
    sampler: DistinctSampler,
}

impl DistinctChoice {
    /// Returns d-Choice with `d ≥ 1` distinct samples.
    ///
    /// # Errors
    ///
    /// If `d` is 0.
    pub fn new(d: u32) -> Result<Self, ParameterError> {
        ParameterError::require(d != 0, "d", d, "1..")?;
        Ok(Self { d, sampler: DistinctSampler::default() })
    }

    /// Returns the number of samples.
    #[must_use]
    pub fn d(&self) -> u32 {
        self.d
    }
}

impl<B: Bins> Allocator<B> for DistinctChoice {
    fn start(&mut self, bins: &B) -> Result<(), StartError> {
        let (d, n) = (u64::from(self.d), bins.bins());
        if d > n { Err(StartError::TooFewBins { parameter: "d", value: d, bins: n }) } else { Ok(()) }
    }

    #[inline]
    fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> B::Bin {
        self.decide(bins, rng).bin
    }

    #[inline]
    fn decide<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> Decision<B::Bin> {
        let mut sample = 0;
        let mut decision = None;
        bins.draw_distinct(self.d, &mut self.sampler, rng, |bin| {
            sample += 1;
            decision = match decision {
                None => Some(Decision::first(bin)),
                Some(kept) if bins.load(bin) < bins.load(kept.bin) => Some(Decision { bin, sample, ..kept }),
                kept => kept,
            };
        });
        decision.unwrap_or_else(|| Decision::first(bins.nth(0))) // There is always a sample: d ≥ 1 and n ≥ 1.
    }

    fn sample_count(&self) -> Option<SampleCount> {
        Some(SampleCount::PerBall(f64::from(self.d)))
    }
}
