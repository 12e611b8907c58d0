use bb_core::{
    Allocator, Bins, Decision, DistinctSampler, Look, Mix, ParameterError, Place, ProbeRule, Probes, Rng, StartError,
    least_of,
};

/// d-Choice, also called Greedy\[d\]: each ball goes to the least loaded of `d` uniform bins.
///
/// Two-Choice is `d = 2`. The samples are independent ([`new`](Self::new), the definition of Azar et al.) or distinct
/// ([`without_replacement`](Self::without_replacement)); `d = 1` is One-Choice, draw for draw.
///
/// *Randomness:* the `d` draws of a ball and nothing else; with replacement as [`Bins::draw_each`], without as [`DistinctSampler`].
/// *Ties:* the first of the least loaded samples. The samples are exchangeable, so this is a fair choice; the law of the loads does not depend on it.
/// *Cost:* `O(d)` a ball with replacement, at worst `O(d²)` without.
///
/// # Guarantees
///
/// - `m = n`: maximum load `ln ln n/ln d + Θ(1)` with high probability, `d ≥ 2` (Azar, Broder, Karlin and Upfal, SIAM J. Comput. 29, 1999).
/// - All `m`: gap `ln ln n/ln d + O(1)` with probability `1 − 1/poly(n)` (Berenbrink, Czumaj, Steger and Vöcking, SIAM J. Comput. 35, 2006); a short proof
///   of a slightly weaker form by Talwar and Wieder (arXiv 1310.5367).
///
/// The additive constants are not known. Measured at large `m`, the Two-Choice gap is 2 or 3 for `n` from 10³ to 10⁶.
///
/// # Examples
///
/// ```
/// use bb_processes::{DChoice, Replacement};
/// use bb_processes::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
///
/// let mut loads = LoadVector::new(100)?;
/// DChoice::two().run(&mut loads, 100_000, &mut rng_for_trial(1, 0));
/// assert!(loads.gap() < 3.0);
///
/// let rule = DChoice::without_replacement(3)?;
/// assert_eq!((rule.d(), rule.replacement()), (3, Replacement::Without));
/// assert_eq!(DChoice::new(0).unwrap_err().to_string(), "d = 0 is outside 1..");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DChoice {
    d: u32,
    /// Present iff the samples are distinct.
    distinct: Option<DistinctSampler>,
}

/// Whether a bin can be sampled twice for one ball; [`DChoice`] shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Replacement {
    /// Independent samples.
    With,
    /// Distinct samples.
    Without,
}

impl DChoice {
    /// Returns Two-Choice with replacement; the type's example shows it.
    #[must_use]
    pub const fn two() -> Self {
        Self { d: 2, distinct: None }
    }

    /// Returns d-Choice with `d ≥ 1` independent samples; the type's example shows it.
    ///
    /// # Errors
    ///
    /// If `d` is 0.
    pub fn new(d: u32) -> Result<Self, ParameterError> {
        if d == 0 { Err(ParameterError::new("d", d, "1..")) } else { Ok(Self { d, distinct: None }) }
    }

    /// Returns d-Choice with `d ≥ 1` distinct samples; the type's example shows it.
    ///
    /// [`start`](Allocator::start) refuses loads with fewer than `d` bins. Without it, all bins are samples there.
    ///
    /// # Errors
    ///
    /// If `d` is 0.
    pub fn without_replacement(d: u32) -> Result<Self, ParameterError> {
        Ok(Self { distinct: Some(DistinctSampler::default()), ..Self::new(d)? })
    }

    /// Returns the number of samples; the type's example shows it.
    #[must_use]
    pub fn d(&self) -> u32 {
        self.d
    }

    /// Returns how the samples are drawn; the type's example shows it.
    #[must_use]
    pub fn replacement(&self) -> Replacement {
        if self.distinct.is_some() { Replacement::Without } else { Replacement::With }
    }

    /// Hands over the samples of one ball.
    fn samples<B: Bins, R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R, each: impl FnMut(B::Bin)) {
        match &mut self.distinct {
            None => bins.draw_each(self.d, rng, each),
            Some(sampler) => bins.draw_distinct(self.d, sampler, rng, each),
        }
    }
}

impl<B: Bins> Allocator<B> for DChoice {
    fn start(&mut self, bins: &B) -> Result<(), StartError> {
        let (d, n) = (u64::from(self.d), bins.bins());
        if self.distinct.is_some() && d > n {
            return Err(StartError::TooFewBins { parameter: "d", value: d, bins: n });
        }
        Ok(())
    }

    #[inline]
    fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> B::Bin {
        if self.distinct.is_none() { least_of(bins, self.d, rng) } else { self.decide(bins, rng).bin }
    }

    fn decide<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> Decision<B::Bin> {
        let mut offer = 0;
        let mut decision = None;
        self.samples(bins, rng, |bin| {
            offer += 1;
            decision = match decision {
                None => Some(Decision::first(bin)),
                Some(kept) if bins.load(bin) < bins.load(kept.bin) => Some(Decision { bin, offer, ..kept }),
                kept => kept,
            };
        });
        decision.unwrap_or_else(|| Decision::first(bins.nth(0))) // There is always a sample: d ≥ 1 and n ≥ 1.
    }

    fn probes(&self) -> Option<Probes> {
        Some(Probes::PerBall(u64::from(self.d)))
    }

    fn run<R: Rng + ?Sized>(&mut self, bins: &mut B, balls: u64, rng: &mut R) -> u64
    where
        B: Place,
    {
        if self.distinct.is_none() {
            bins.place_in_least_of(self.d, balls, rng);
        } else {
            for _ in 0..balls {
                self.step(bins, rng);
            }
        }
        balls
    }
}

/// The samples with replacement, one after another, the least loaded kept.
impl ProbeRule for DChoice {
    /// Samples after this one.
    type State = u32;
    type Phase = ();

    fn probes(&self) -> u32 {
        self.d
    }
    fn phase(&self, _: u64, _: u64) -> ((), u64) {
        ((), u64::MAX)
    }
    #[inline]
    fn first(&self, (): &()) -> Mix<u32> {
        Mix::Sure(self.d - 1)
    }
    #[inline]
    fn look(&self, (): &(), left: u32, kept: u64, load: u64) -> Mix<Look<u32>> {
        Mix::Sure(Look { keep: load < kept, go: left.checked_sub(1) })
    }
}
