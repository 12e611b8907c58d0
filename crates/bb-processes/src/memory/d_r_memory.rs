use core::mem;

use bb_core::{Allocator, Bins, BinsExt, Decision, ParameterError, Rng, SampleCount, StartError};

use crate::memory::{FirstMemory, Remember};

/// (d,r)-memory: the least loaded of `d` uniform bins and `r` remembered bins takes the ball, and the `r`
/// least loaded of them all are remembered.
///
/// (1,1)-memory is [`Caching`](crate::Caching), draw for draw, and (d,0)-memory is d-Choice. Its authors call
/// it "(d,m)-memory". A bin that is sampled twice, or sampled and remembered, is one candidate.
///
/// The type parameter is the name of a bin ([`Bins::Bin`]) and follows from the loads. It runs on counted
/// bins too, where names change: there the rule must be told of every ball that is placed or
/// [removed](Allocator::removed), so [start](Allocator::start) it again after another rule has placed some.
///
/// *Randomness:* before the first ball, `r` independent uniform bins that are remembered, unless it starts
/// empty ([`FirstMemory`]); then the `d` draws of [`BinsExt::draw_each`] for each ball. *Ties:* the ball goes
/// to the first of the least loaded samples, else to the first of the least loaded remembered bins. Of bins
/// with the same load, with the ball, the receiver is remembered first, then the bins remembered already,
/// then samples, in their order. *Cost:* `O((d + r)²)` a ball at worst.
///
/// # Guarantees
///
/// `m = n`, (1,1): see [`Caching`](crate::Caching). The `ln ln n` of (d,1) is over the logarithm of
/// `(2d + 1 + √(4d² + 1))/2`, which is 4.56 for `d = 2`, by a fluid heuristic. The idea is that of
/// Mitzenmacher, Prabhakar and Shah, FOCS 2002; which bin wins a tie is not settled there.
///
/// # Examples
///
/// ```
/// use bb_processes::Memory;
/// use bb_processes::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
///
/// let mut rule = Memory::new(2, 3)?;
/// let mut loads = LoadVector::new(1000)?;
/// rule.run(&mut loads, 100_000, &mut rng_for_trial(1, 0));
/// assert!(loads.gap() < 3.0);
/// assert_eq!((rule.d(), rule.r(), rule.remembered().len()), (2, 3, 3));
/// assert_eq!(Memory::<usize>::new(0, 1).unwrap_err().to_string(), "d = 0 is outside 1..=2^16");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory<Bin = usize> {
    d: u32,
    r: u32,
    first: FirstMemory,
    remember: Remember,
    /// Whether there has been a ball.
    begun: bool,
    /// At most `r` bins, by increasing load.
    remembered: Vec<Bin>,
    /// The samples of the present ball.
    samples: Vec<Bin>,
    /// Room for the next memory.
    next: Vec<Bin>,
}

/// Most samples, and most remembered bins.
const MOST: u32 = 1 << 16;

impl<Bin> Memory<Bin> {
    /// Returns the rule with `d ≥ 1` samples and `r` remembered bins, each at most `2^16`.
    ///
    /// # Errors
    ///
    /// If `d` is 0, or if one of them exceeds `2^16`.
    pub fn new(d: u32, r: u32) -> Result<Self, ParameterError> {
        ParameterError::require(d != 0 && d <= MOST, "d", d, "1..=2^16")?;
        ParameterError::require(r <= MOST, "r", r, "0..=2^16")?;
        Ok(Self::before_the_first_ball(d, r, FirstMemory::Uniform, Remember::Lightest))
    }

    fn before_the_first_ball(d: u32, r: u32, first: FirstMemory, remember: Remember) -> Self {
        let (remembered, samples, next) = (Vec::new(), Vec::new(), Vec::new());
        Self { d, r, first, remember, begun: false, remembered, samples, next }
    }

    /// Sets what is remembered before the first ball; the example of [`FirstMemory`] shows it.
    #[must_use]
    pub fn with_first(self, first: FirstMemory) -> Self {
        Self { first, ..self }
    }

    /// Sets what is remembered after a ball; the example of [`Remember`] shows it.
    #[must_use]
    pub fn with_remember(self, remember: Remember) -> Self {
        Self { remember, ..self }
    }

    /// Returns the rule for loads whose bins have other names, as it is before the first ball; the example of
    /// [`Caching::for_bins`](crate::Caching::for_bins) shows it.
    #[must_use]
    pub fn for_bins<Other>(&self) -> Memory<Other> {
        Memory::before_the_first_ball(self.d, self.r, self.first, self.remember)
    }

    /// Returns the number of samples.
    #[must_use]
    pub fn d(&self) -> u32 {
        self.d
    }

    /// Returns the most bins that are remembered.
    #[must_use]
    pub fn r(&self) -> u32 {
        self.r
    }

    /// Returns the remembered bins, by increasing load after the last ball.
    #[must_use]
    pub fn remembered(&self) -> &[Bin] {
        &self.remembered
    }
}

impl<B: Bins> Allocator<B> for Memory<B::Bin> {
    fn start(&mut self, _: &B) -> Result<(), StartError> {
        self.begun = false;
        self.remembered.clear();
        self.samples.clear();
        Ok(())
    }

    fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> B::Bin {
        self.decide(bins, rng).bin
    }

    fn decide<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> Decision<B::Bin> {
        if !mem::replace(&mut self.begun, true) && self.first == FirstMemory::Uniform && self.r > 0 {
            bins.draw_each(self.r, rng, |bin| {
                if !self.remembered.contains(&bin) {
                    self.remembered.push(bin);
                }
            });
        }
        self.samples.clear();
        bins.draw_each(self.d, rng, |bin| self.samples.push(bin));
        let mut decision = Decision::first(self.samples[0]);
        for (place, &bin) in self.samples.iter().chain(&self.remembered).enumerate() {
            if bins.load(bin) < bins.load(decision.bin) {
                decision = Decision { bin, sample: place as u32 + 1, ..decision };
            }
        }
        decision
    }

    fn placed(&mut self, bins: &B, was: B::Bin, now: B::Bin) {
        let recent = self.remember == Remember::Recent;
        let rank = |bin: B::Bin| (!recent || bin != now, bins.load(bin), bin != now);
        let mut next = mem::take(&mut self.next);
        next.clear();
        for &bin in self.remembered.iter().chain(&self.samples) {
            let bin = bins.follow(bin, was, now);
            if !next.contains(&bin) {
                next.insert(next.partition_point(|&kept| rank(kept) <= rank(bin)), bin);
                next.truncate(self.r as usize);
            }
        }
        self.next = mem::replace(&mut self.remembered, next);
    }

    fn removed(&mut self, bins: &B, was: B::Bin, now: B::Bin) {
        for remembered in &mut self.remembered {
            *remembered = bins.follow(*remembered, was, now);
        }
    }

    fn sample_count(&self) -> Option<SampleCount> {
        Some(SampleCount::PerBall(f64::from(self.d)))
    }
}
