use bb_core::{Allocator, Bins, BinsExt, Decision, Rng, SampleCount, StartError};

use crate::memory::{FirstMemory, Remember};

/// Caching, also called Memory: the lesser loaded of a uniform bin and one remembered bin takes the ball, and
/// the lesser loaded of the two is remembered.
///
/// "(1,1)-memory" of Mitzenmacher, Prabhakar and Shah; [`Memory`](crate::Memory) is the general form. With
/// `x` the load of the sample and `c` that of the remembered bin, by default:
///
/// - `x < c`: the sample takes the ball and is remembered;
/// - `x = c`: the sample takes the ball, and the memory stays: its bin is the lighter one now
///   ([`Remember::Recent`] remembers the sample);
/// - `x > c`: the remembered bin takes the ball, and stays remembered.
///
/// The type parameter is the name of a bin ([`Bins::Bin`]) and follows from the loads. It runs on counted
/// bins too, where names change: there the rule must be told of every ball that is placed or
/// [removed](Allocator::removed), so [start](Allocator::start) it again after another rule has placed some.
///
/// *Randomness:* before the first ball, the uniform bin that is remembered, unless it starts empty
/// ([`FirstMemory`]); then one uniform draw a ball. *Ties:* as above. *Cost:* `O(1)` a ball.
///
/// # Guarantees
///
/// - `m = n`: maximum load `ln ln n/(2 ln φ) + O(1)` with `φ = (1 + √5)/2`, less than that of Two-Choice at
///   the same number of samples as One-Choice (Mitzenmacher, Prabhakar and Shah, FOCS 2002).
/// - All `m`: gap `O(ln ln n)`, even where the bins are not sampled uniformly but with probabilities off by
///   constant factors (Los, Sauerwald and Sylvester, SODA 2023).
///
/// Measured at large `m`: gaps of 2.3, 2.9 and 3.0 for `n = 10³`, `10⁴` and `10⁵`.
///
/// # Examples
///
/// ```
/// use bb_processes::Caching;
/// use bb_processes::bb_core::{Allocator, LoadProfile, LoadVector, Metrics, rng_for_trial};
///
/// let mut loads = LoadVector::new(1000)?;
/// Caching::new().run(&mut loads, 100_000, &mut rng_for_trial(1, 0));
/// assert!(loads.gap() < 5.0);
///
/// let mut counted = LoadProfile::new(1 << 40)?;
/// Caching::new().run(&mut counted, 100_000, &mut rng_for_trial(1, 0));
/// assert!(counted.max_load() <= 2);
/// # Ok::<(), bb_core::LoadsError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caching<Bin = usize> {
    first: FirstMemory,
    remember: Remember,
    remembered: Option<Bin>,
}

impl<Bin> Caching<Bin> {
    /// Returns the rule that starts at a uniform bin and remembers the lighter one.
    #[must_use]
    pub const fn new() -> Self {
        Self { first: FirstMemory::Uniform, remember: Remember::Lightest, remembered: None }
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

    /// Returns the rule for loads whose bins have other names, as it is before the first ball.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_processes::Caching;
    /// use bb_processes::bb_core::{Allocator, LoadProfile, LoadVector, rng_for_trial};
    ///
    /// let mut labelled = Caching::new();
    /// labelled.run(&mut LoadVector::new(10)?, 100, &mut rng_for_trial(1, 0));
    /// let mut counted = labelled.for_bins();
    /// counted.run(&mut LoadProfile::new(10)?, 100, &mut rng_for_trial(1, 0));
    /// # Ok::<(), bb_processes::bb_core::LoadsError>(())
    /// ```
    #[must_use]
    pub const fn for_bins<Other>(&self) -> Caching<Other> {
        Caching { first: self.first, remember: self.remember, remembered: None }
    }
}

impl<Bin: Copy> Caching<Bin> {
    /// Returns the remembered bin; `None` before the first ball. The example of [`FirstMemory`] shows it.
    #[must_use]
    pub fn remembered(&self) -> Option<Bin> {
        self.remembered
    }
}

impl<Bin> Default for Caching<Bin> {
    fn default() -> Self {
        Self::new()
    }
}

impl<B: Bins> Allocator<B> for Caching<B::Bin> {
    fn start(&mut self, _: &B) -> Result<(), StartError> {
        self.remembered = None;
        Ok(())
    }

    #[inline]
    fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> B::Bin {
        self.decide(bins, rng).bin
    }

    #[inline]
    fn decide<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> Decision<B::Bin> {
        if self.remembered.is_none() && self.first == FirstMemory::Uniform {
            self.remembered = Some(bins.draw(rng));
        }
        let sample = bins.draw(rng);
        let bin = self.remembered.map_or(sample, |remembered| bins.lighter(sample, remembered));
        Decision { bin, primary: sample, sample: if bin == sample { 1 } else { 2 } }
    }

    #[inline]
    fn placed(&mut self, bins: &B, was: B::Bin, now: B::Bin) {
        // The receiver was the lighter one, or they were equal. By load it is remembered iff the ball has not
        // made it the heavier one.
        self.remembered = match (self.remembered, self.remember) {
            (Some(remembered), Remember::Lightest) => Some(bins.lighter(now, bins.follow(remembered, was, now))),
            _ => Some(now),
        };
    }

    #[inline]
    fn removed(&mut self, bins: &B, was: B::Bin, now: B::Bin) {
        self.remembered = self.remembered.map(|remembered| bins.follow(remembered, was, now));
    }

    fn sample_count(&self) -> Option<SampleCount> {
        Some(SampleCount::PerBall(1.0))
    }
}
