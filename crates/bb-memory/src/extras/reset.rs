use bb_core::{Allocator, Bins, BinsExt, Decision, ParameterError, Rng, SampleCount, StartError};
use bb_processes::{Caching, FirstMemory, Remember};

use crate::probing::Remembers;

/// Caching whose memory is emptied before every ball whose number is a multiple of `q`, counted from 0.
///
/// *Rule:* that of [`Caching`]; with an empty memory the sample takes the ball and is remembered. `q = 1` is
/// One-Choice, and without end it is `Caching` that starts empty. *State:* the remembered bin and a phase of
/// `q` values. *Class:* probing. *Randomness:* one uniform draw a ball. *Cost:* `O(1)` a ball.
///
/// # Guarantees
///
/// If the memory lives for two steps, the gap is `O(log n)`, and no better (Los, Sauerwald and Sylvester,
/// SODA 2023, arXiv 2301.09810). Their schedule was not recovered; this one is ours. Measured at `n = 2^16`,
/// `m = n` and `16 n`: gaps of 5.4 and 9.2 for `q = 2`, 4.45 and 6.0 for 4, 3.3 and 4.0 for 16.
///
/// # Examples
///
/// ```
/// use bb_memory::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
/// use bb_memory::{Probing, ResetMemory};
///
/// let gap = |q| -> Result<f64, Box<dyn std::error::Error>> {
///     let mut loads = LoadVector::new(1000)?;
///     ResetMemory::new(q)?.run(&mut loads, 16_000, &mut rng_for_trial(1, 0));
///     Ok(loads.gap())
/// };
/// assert!(gap(1)? > gap(2)? && gap(2)? > gap(16)?);
/// // A bin or none, in each of four phases: 4·1001 states.
/// assert_eq!(Probing::new(1000, ResetMemory::new(4)?)?.report().budget().get(), 12);
/// assert_eq!(ResetMemory::new(0).unwrap_err().to_string(), "q = 0 is outside 1..");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResetMemory {
    period: u64,
    phase: u64,
    caching: Caching,
}

impl ResetMemory {
    /// Returns the rule with a period of `q ≥ 1` balls.
    ///
    /// # Errors
    ///
    /// If `q` is 0.
    pub fn new(period: u64) -> Result<Self, ParameterError> {
        ParameterError::require(period > 0, "q", period, "1..")?;
        Ok(Self { period, phase: 0, caching: Caching::new().with_first(FirstMemory::Empty) })
    }

    /// Sets what is remembered after a tie, as for `Caching`.
    #[must_use]
    pub fn with_remember(self, remember: Remember) -> Self {
        Self { caching: self.caching.with_remember(remember), ..self }
    }

    /// Returns the period.
    #[must_use]
    pub fn period(&self) -> u64 {
        self.period
    }
}

impl<B: Bins<Bin = usize>> Allocator<B> for ResetMemory {
    fn start(&mut self, bins: &B) -> Result<(), StartError> {
        self.phase = 0;
        self.caching.start(bins)
    }

    fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> usize {
        self.decide(bins, rng).bin
    }

    fn decide<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> Decision<usize> {
        if self.phase == 0 && self.caching.start(bins).is_err() {
            // Caching starts on any loads.
            return Decision::first(bins.draw(rng));
        }
        self.caching.decide(bins, rng)
    }

    fn placed(&mut self, bins: &B, was: usize, now: usize) {
        self.caching.placed(bins, was, now);
        self.phase = (self.phase + 1) % self.period;
    }

    fn removed(&mut self, bins: &B, was: usize, now: usize) {
        self.caching.removed(bins, was, now);
    }

    fn sample_count(&self) -> Option<SampleCount> {
        Some(SampleCount::PerBall(1.0))
    }
}

impl Remembers for ResetMemory {
    fn most_remembered(&self) -> u32 {
        1
    }
    fn samples(&self) -> u32 {
        1
    }
    fn each_remembered(&self, each: impl FnMut(usize)) {
        self.caching.each_remembered(each);
    }
    fn phase(&self) -> (u64, u64) {
        (self.phase, self.period)
    }
}
