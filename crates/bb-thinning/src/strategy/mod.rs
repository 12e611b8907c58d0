//! What a thinning strategy is: [`Strategy`] and [`ThinningStrategy`].

use bb_core::{Bins, Mix, ParameterError, Put, Rng, StartError};

mod cycle;
mod then;
pub(crate) mod wrapped;

pub use self::cycle::Cycle;
pub use self::then::Then;

/// What a thinning strategy is on every kind of loads; [`ThinningStrategy`] is how it decides.
pub trait Strategy: Sized {
    /// Returns the number of samples `d ≥ 1` of the next ball: the `d`-th is final. Default: 2.
    #[inline]
    fn samples(&self) -> u32 {
        2
    }

    /// Returns how many counters of each bin it needs: those of a view with [`Counters`](bb_core::Counters).
    /// Default: none.
    fn counters(&self) -> u8 {
        0
    }

    /// Tells whether the next ball takes a coin for each sample but the last, used or not. Default: it does
    /// not.
    #[inline]
    fn is_randomised(&self) -> bool {
        false
    }

    /// Returns the first ball, counted from 1 where the strategy began, whose law no two-thinning has. From
    /// it on every primary is accepted. Default: `None`.
    fn unrealizable_at(&self) -> Option<u64> {
        None
    }

    /// Returns the strategy that is this one for `duration·n` balls, and then `next`, which begins on the
    /// loads there are.
    ///
    /// # Errors
    ///
    /// If `duration` is not positive and finite. [`Then`] has an example.
    fn then<T: Strategy>(self, duration: f64, next: T) -> Result<Then<Self, T>, ParameterError> {
        Then::new(self, duration, next)
    }

    /// Returns the strategy that is this one again and again, begun on the loads there are every `duration·n`
    /// balls.
    ///
    /// # Errors
    ///
    /// If `duration` is not positive and finite. [`Cycle`] has an example.
    fn cycle(self, duration: f64) -> Result<Cycle<Self>, ParameterError> {
        Cycle::new(self, duration)
    }
}

/// How a thinning strategy decides on loads of the kind `B`: an accept probability for each sample, given
/// what was before.
///
/// In the words of Feldheim, Gurel-Gurevich and Li (arXiv 2110.05009, Section 2.1) it is a sequence of
/// functions `f_k` of the history, the primary bin and a uniform `U`. Only the accept probabilities matter;
/// the history is here what the loads show (with counters for each bin, where the view is
/// [`Counters`](bb_core::Counters)) and what the strategy remembers. The recursion from decisions to bins is
/// [`Thinning`](crate::Thinning), an allocator; [`Coupled`](crate::Coupled) is the same on separate streams.
///
/// For each ball: [`next_ball`](Self::next_ball); then [`accept`](Self::accept) for sample 1, 2, … until one
/// is accepted, the last sample in any case; then [`put`](Self::put); and [`placed`](Self::placed), when it
/// is done. Up to `placed`, a ball may be decided again, and nothing is remembered of it.
///
/// # Examples
///
/// Accept with probability 1/2 what is at or above the mean:
///
/// ```
/// use bb_thinning::bb_core::{Allocator, Bins, BinsExt, Coin, LoadVector, Metrics, Mix, rng_for_trial};
/// use bb_thinning::{Strategy, Thinning, ThinningStrategy};
///
/// struct Half;
/// impl Strategy for Half {
///     fn is_randomised(&self) -> bool { true }
/// }
/// impl<B: Bins> ThinningStrategy<B> for Half {
///     fn accept(&self, bins: &B, bin: B::Bin, _: u32) -> Mix<bool> {
///         let fair = Mix::Coin { coin: Coin::FAIR, heads: true, tails: false };
///         if bins.below_mean(bin) { Mix::Sure(true) } else { fair }
///     }
/// }
///
/// let mut rule = Thinning::new(Half);
/// let mut loads = LoadVector::new(1000)?;
/// rule.start_and_run(&mut loads, 100_000, &mut rng_for_trial(1, 0))?;
/// assert!(loads.gap() < 20.0 && (20_000..30_000).contains(&rule.rejections()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait ThinningStrategy<B: Bins>: Strategy {
    /// Checks, before a ball is placed, what only the loads can tell and no ball changes: the number of bins,
    /// of counters. Default: nothing.
    ///
    /// # Errors
    ///
    /// A [`StartError`] if the strategy cannot begin on such loads, now or later.
    fn check(&self, bins: &B) -> Result<(), StartError> {
        let _ = bins;
        Ok(())
    }

    /// Begins on these loads: forgets all. It may be called in the middle of a run. Default: nothing to do.
    fn begin(&mut self, bins: &B) {
        let _ = bins;
    }

    /// Prepares for the next ball, before any bin is drawn for it: a clock of the strategy's own advances
    /// here. Default: nothing.
    #[inline]
    fn next_ball<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) {
        let _ = (bins, rng);
    }

    /// Returns whether a bin is accepted that is sampled to the next ball: a sure answer, or a coin whose
    /// heads accept. `sample` counts from 1; the last one is not asked for.
    fn accept(&self, bins: &B, bin: B::Bin, sample: u32) -> Mix<bool>;

    /// Returns what is put into the bin which took the ball as this sample, given the loads before. Default:
    /// a ball.
    #[inline]
    fn put(&self, bins: &B, bin: B::Bin, sample: u32) -> Put {
        let _ = (bins, bin, sample);
        Put::BALL
    }

    /// Learns that the ball was placed, as this sample, in the bin called `was`, whose name is `now` from
    /// here on. Default: nothing.
    #[inline]
    fn placed(&mut self, bins: &B, was: B::Bin, now: B::Bin, sample: u32) {
        let _ = (bins, was, now, sample);
    }
}
