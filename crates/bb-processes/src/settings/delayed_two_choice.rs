use bb_core::{Allocator, Bins, BinsExt, Decision, Rng, SampleCount, draw_below};

use crate::settings::delayed::Delayed;

/// Two-Choice on loads that are reported with a delay of up to `τ` steps, each anew: by chance, or by an
/// adversary.
///
/// It runs on [`Delayed`](crate::Delayed) loads, where the reported load of a bin may be any number from
/// `x(t − τ)` to `x(t)`.
///
/// - [`uniform`](Self::uniform): each report is a uniform integer of the interval, independently.
/// - [`adversarial`](Self::adversarial): of the heavier sample the smallest load is reported, of the lighter
///   one the largest, so that the ball goes to the heavier one wherever the intervals allow it: iff
///   `x_h(t − τ) ≤ x_l(t)`. If the true loads are equal, the first sample takes the ball.
///
/// With `τ = 0` both are Two-Choice, draw for draw.
///
/// *Randomness:* [`draw_pair`](bb_core::BinsExt::draw_pair); then, for uniform reports, one [`draw_below`]
/// for the first and one for the second sample, each only if its interval has more than one number. *Ties:*
/// equal reports go to the first sample, a fair choice. *Cost:* `O(1)` a ball.
///
/// # Guarantees
///
/// `τ = n`: gap `O(ln n/ln ln n)` for all `m` with high probability, whatever is reported (Los and Sauerwald,
/// arXiv 2206.07503). Which reports to try is this library's choice.
///
/// # Examples
///
/// ```
/// use bb_processes::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
/// use bb_processes::{Delayed, DelayedTwoChoice};
///
/// let mut gaps = Vec::new();
/// for mut rule in [DelayedTwoChoice::uniform(), DelayedTwoChoice::adversarial()] {
///     let mut loads = Delayed::new(LoadVector::new(1000)?, 10_000)?;
///     rule.run(&mut loads, 100_000, &mut rng_for_trial(1, 0));
///     gaps.push(loads.loads().gap());
/// }
/// assert!(gaps[0] < gaps[1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Loads without a delay have nothing to report late, and do not compile:
///
/// ```compile_fail,E0277
/// # use bb_processes::bb_core::{Allocator, LoadVector, rng_for_trial};
/// # use bb_processes::DelayedTwoChoice;
/// let mut loads = LoadVector::new(1000).unwrap(); // Delayed loads are meant.
/// DelayedTwoChoice::uniform().run(&mut loads, 1000, &mut rng_for_trial(1, 0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DelayedTwoChoice {
    reports: Reports,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Reports {
    Uniform,
    Adversarial,
}

impl DelayedTwoChoice {
    /// Returns Two-Choice on uniform reports.
    #[must_use]
    pub const fn uniform() -> Self {
        Self { reports: Reports::Uniform }
    }

    /// Returns Two-Choice on the reports of an adversary.
    #[must_use]
    pub const fn adversarial() -> Self {
        Self { reports: Reports::Adversarial }
    }
}

impl<L: Bins<Bin = usize, Load = u64>> Allocator<Delayed<L>> for DelayedTwoChoice {
    #[inline]
    fn choose<R: Rng + ?Sized>(&mut self, bins: &Delayed<L>, rng: &mut R) -> usize {
        self.decide(bins, rng).bin
    }

    #[inline]
    fn decide<R: Rng + ?Sized>(&mut self, bins: &Delayed<L>, rng: &mut R) -> Decision<usize> {
        let [first, second] = bins.draw_pair(rng);
        let (one, other) = (bins.interval(first), bins.interval(second));
        let second_wins = match self.reports {
            Reports::Uniform => {
                let one = report(one, rng);
                report(other, rng) < one
            }
            Reports::Adversarial => {
                // The heavier sample, where the adversary can make it look as light as the other.
                if other.1 > one.1 { other.0 <= one.1 } else { other.1 < one.1 && one.0 > other.1 }
            }
        };
        if second_wins { Decision { bin: second, primary: first, sample: 2 } } else { Decision::first(first) }
    }

    fn sample_count(&self) -> Option<SampleCount> {
        Some(SampleCount::PerBall(2.0))
    }
}

/// A uniform integer from `low` to `high`.
#[inline]
fn report<R: Rng + ?Sized>((low, high): (u64, u64), rng: &mut R) -> u64 {
    if low == high { low } else { low + draw_below(high - low + 1, rng) }
}
