use core::fmt;

use bb_core::{Allocator, Bins, BinsExt, Decision, Rng, SampleCount};

/// g-Adv-Comp: of two samples whose loads differ by at most `g` an adversary chooses, who sees everything;
/// else the lighter takes the ball.
///
/// The adversary is a closure that gets the view, the two samples and the generator, and tells whether the
/// *second* sample takes the ball. It is asked of equal loads too, and may keep what it likes between two
/// balls. The greedy one is [`GBounded`](crate::GBounded), the one that flips a coin
/// [`GMyopic`](crate::GMyopic). Reports of single loads that are each off by at most `g` are a special case
/// with `2g`.
///
/// *Randomness:* the two draws of [`BinsExt::draw_pair`]; then what the adversary takes. *Ties:* up to the
/// adversary. *Cost:* `O(1)` a ball and that of the adversary.
///
/// # Guarantees
///
/// Whoever the adversary is, for all `m`: gap `O(g + ln n)`, and `O((g/ln g)·ln ln n)` for `1 < g ≤ ln n`;
/// both are tight (Los and Sauerwald, arXiv 2206.07503).
///
/// # Examples
///
/// An adversary who has it in for bin 0:
///
/// ```
/// use bb_processes::GAdvComp;
/// use bb_processes::bb_core::{Allocator, LoadVector, Rng, rng_for_trial};
///
/// let spite = |_: &LoadVector, [_, second]: [usize; 2], _: &mut dyn Rng| second == 0;
/// let mut rule = GAdvComp::new(3, spite);
/// assert_eq!(rule.g(), 3);
/// let mut loads = LoadVector::new(100)?;
/// rule.run(&mut loads, 100_000, &mut rng_for_trial(1, 0));
/// assert!(loads.iter().next() >= Some(1002));
/// # Ok::<(), bb_core::LoadsError>(())
/// ```
#[derive(Clone, Copy)]
pub struct GAdvComp<F> {
    g: u64,
    adversary: F,
}

impl<F> GAdvComp<F> {
    /// Returns the rule with an adversary who chooses at differences up to `g`, any number.
    #[must_use]
    pub const fn new(g: u64, adversary: F) -> Self {
        Self { g, adversary }
    }

    /// Returns the largest difference at which the adversary chooses.
    #[must_use]
    pub const fn g(&self) -> u64 {
        self.g
    }
}

impl<B, F> Allocator<B> for GAdvComp<F>
where
    B: Bins<Load = u64>,
    F: FnMut(&B, [B::Bin; 2], &mut dyn Rng) -> bool,
{
    fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> B::Bin {
        self.decide(bins, rng).bin
    }

    fn decide<R: Rng + ?Sized>(&mut self, bins: &B, mut rng: &mut R) -> Decision<B::Bin> {
        let samples = bins.draw_pair(rng);
        let loads = samples.map(|bin| bins.load(bin));
        let take_second = if loads[0].abs_diff(loads[1]) <= self.g {
            (self.adversary)(bins, samples, &mut rng)
        } else {
            loads[1] < loads[0]
        };
        let [first, second] = samples;
        if take_second { Decision { bin: second, primary: first, sample: 2 } } else { Decision::first(first) }
    }

    fn sample_count(&self) -> Option<SampleCount> {
        Some(SampleCount::PerBall(2.0))
    }
}

impl<F> fmt::Debug for GAdvComp<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GAdvComp").field("g", &self.g).finish_non_exhaustive()
    }
}
