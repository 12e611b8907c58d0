use bb_core::{Allocator, Bins, Decision, ParameterError, Rng, SampleCount, StartError};

use super::BinProbabilities;

/// d-Choice where bins are sampled with unequal probabilities: the least loaded of `d` independent samples
/// takes the ball.
///
/// The rule is made for as many bins as there are probabilities; [`start`](Allocator::start) refuses any
/// other number. Without it, bins without a probability receive nothing, and choosing on fewer bins panics.
///
/// *Randomness:* `d` samples of [`BinProbabilities`] and nothing else. *Ties:* the first of the least loaded
/// samples, which is a fair choice among independent samples; with
/// [`preferring_the_less_likely`](Self::preferring_the_less_likely) the one with the least probability.
/// *Cost:* `O(d)` a ball. Needs labelled bins.
///
/// # Guarantees
///
/// - `(a, b)`-biased probabilities, `1/(an) ≤ s_i ≤ b/n`: whether the gap grows with `m` is decided by `d`
///   and [`biased_threshold`](crate::biased_threshold) (Wieder, SPAA 2007).
/// - [Circle](BinProbabilities::circle), `m = n`: maximum load `ln ln n/ln d + O(1)` with high probability
///   (Byers, Considine and Mitzenmacher, SPAA 2004, who prefer the smaller arc on ties).
///
/// # Examples
///
/// ```
/// use bb_processes::bb_core::{Allocator, LoadVector, Metrics, StartError, rng_for_trial};
/// use bb_processes::{BinProbabilities, NonuniformChoice};
///
/// // Half of the bins are four times as likely as the others: two choices do not balance that, four do.
/// let classes = BinProbabilities::two_class(1000, 500, 4.0)?;
/// let gap = |d| -> Result<f64, Box<dyn std::error::Error>> {
///     let mut loads = LoadVector::new(1000)?;
///     let mut rule = NonuniformChoice::new(classes.clone(), d)?;
///     rule.start_and_run(&mut loads, 100_000, &mut rng_for_trial(1, 0))?;
///     Ok(loads.gap())
/// };
/// assert!(gap(2)? > 20.0 && gap(4)? < 5.0);
///
/// let mut rule = NonuniformChoice::new(classes, 2)?.preferring_the_less_likely();
/// assert_eq!((rule.d(), rule.probabilities().bins()), (2, 1000));
/// assert_eq!(rule.start(&LoadVector::new(999)?), Err(StartError::OtherBins { expected: 1000, bins: 999 }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct NonuniformChoice {
    probabilities: BinProbabilities,
    d: u32,
    prefer_the_less_likely: bool,
}

impl NonuniformChoice {
    /// Returns the rule with `d ≥ 1` samples.
    ///
    /// # Errors
    ///
    /// If `d` is 0.
    pub fn new(probabilities: BinProbabilities, d: u32) -> Result<Self, ParameterError> {
        ParameterError::require(d != 0, "d", d, "1..")?;
        Ok(Self { probabilities, d, prefer_the_less_likely: false })
    }

    /// Gives the ball, among equally loaded samples, to the one with the least probability, the first of
    /// these on a tie.
    #[must_use]
    pub fn preferring_the_less_likely(self) -> Self {
        Self { prefer_the_less_likely: true, ..self }
    }

    /// Returns the number of samples.
    #[must_use]
    pub fn d(&self) -> u32 {
        self.d
    }

    /// Returns the probabilities.
    #[must_use]
    pub fn probabilities(&self) -> &BinProbabilities {
        &self.probabilities
    }
}

impl<B: Bins<Bin = usize>> Allocator<B> for NonuniformChoice {
    fn start(&mut self, bins: &B) -> Result<(), StartError> {
        let (expected, bins) = (self.probabilities.bins(), bins.bins());
        if expected == bins { Ok(()) } else { Err(StartError::OtherBins { expected, bins }) }
    }

    #[inline]
    fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> usize {
        self.decide(bins, rng).bin
    }

    #[inline]
    fn decide<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> Decision<usize> {
        let each = self.probabilities.probabilities();
        let mut kept = Decision::first(self.probabilities.sample(rng));
        for sample in 2..=self.d {
            let bin = self.probabilities.sample(rng);
            let (load, least) = (bins.load(bin), bins.load(kept.bin));
            if load < least || (self.prefer_the_less_likely && load == least && each[bin] < each[kept.bin]) {
                kept = Decision { bin, sample, ..kept };
            }
        }
        kept
    }

    fn sample_count(&self) -> Option<SampleCount> {
        Some(SampleCount::PerBall(f64::from(self.d)))
    }
}
