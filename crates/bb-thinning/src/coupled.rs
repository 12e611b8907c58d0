use bb_core::rand::rngs::ChaCha8Rng;
use bb_core::{
    Allocator, Bins, BinsExt, Decision, Mix, Put, Rng, SampleCount, SeedableRng, StartError, TrialRng, rng_for_trial,
};

use crate::strategy::{Strategy, ThinningStrategy};
use crate::thinning::Thinning;
use crate::thinning::flip;

/// A thinning strategy on separate streams, so that two strategies on one seed are sampled the same
/// primaries, and read their second bins from the same pool.
///
/// The recursion of Feldheim, Gurel-Gurevich and Li (arXiv 2110.05009, Section 2.1): with three independent
/// sequences, primaries `Z¹_k`, a pool `Z²_r` and uniforms `U_k`, ball `k` goes to `Z¹_k` if it is accepted,
/// and else to `Z²_{R_k}`, the next entry of the pool; `R_k` counts rejections. A coin shows heads iff `U_k`
/// is below its probability, so strategies share the uniforms too. With more than two samples, each further
/// one is the next entry of the pool, and each but the last has a uniform of its own. A fourth stream is for
/// what a strategy draws itself: the clock of a drift.
///
/// A history in the sense of the paper is a [`History`](bb_core::History) of it, and replays the run;
/// [`SampleTally`](crate::SampleTally) counts in one.
///
/// *Randomness:* the streams are made from `(seed, trial)` and kept here, the one place where a generator is:
/// the generator that `choose` is given is not used. The law is that of [`Thinning`], the bins are not.
///
/// # Examples
///
/// ```
/// use bb_thinning::bb_core::{Bins, History, LoadVector, WithCounters, rng_for_trial};
/// use bb_thinning::{AlwaysAccept, Coupled, Strategy, Threshold};
///
/// fn history(strategy: impl bb_thinning::ThinningStrategy<WithCounters<LoadVector>>) -> History {
///     let mut loads = WithCounters::new(LoadVector::new(100).unwrap(), 1).unwrap();
///     let mut history = History::new();
///     // Any generator: it is not used.
///     history.record(&mut Coupled::new(strategy, 7, 0), &mut loads, 500, &mut rng_for_trial(0, 0));
///     history
/// }
///
/// let primaries = |history: &History| history.iter().map(|step| step.decision.primary).collect::<Vec<_>>();
/// let secondaries = |history: &History| {
///     let later = history.iter().map(|step| step.decision).filter(|decision| decision.sample == 2);
///     later.map(|decision| decision.bin).collect::<Vec<_>>()
/// };
/// let [two, three] = [2, 3].map(|limit| history(Threshold::new(limit).unwrap()));
/// assert_eq!(primaries(&two), primaries(&three));
/// assert_eq!(primaries(&two), primaries(&history(AlwaysAccept)));
/// // The one with more rejections has read on in the same pool.
/// assert!(secondaries(&two).starts_with(&secondaries(&three)));
/// ```
#[derive(Clone, Debug)]
pub struct Coupled<S, R = TrialRng> {
    thinning: Thinning<S>,
    streams: Streams<R>,
}

/// The streams of a [`Coupled`] strategy.
///
/// # Examples
///
/// ```
/// use bb_thinning::Streams;
/// use bb_thinning::bb_core::Rng;
///
/// let mut streams = Streams::for_trial(7, 0);
/// assert_ne!(streams.primaries.next_u64(), streams.pool.next_u64());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Streams<R = TrialRng> {
    /// Where primaries come from.
    pub primaries: R,
    /// Where second bins come from, read on with each rejection.
    pub pool: R,
    /// Where uniforms come from, one for each ball.
    pub uniforms: R,
    /// Where a strategy draws itself.
    pub own: R,
}

impl Streams {
    /// Returns the streams of a trial: their states are disjoint pieces of a ChaCha8 stream whose key is
    /// drawn from [`rng_for_trial`].
    #[must_use]
    pub fn for_trial(seed: u64, trial: u64) -> Self {
        // The generators of the streams are not seeded from one another's output: a hash lies between.
        let mut words = ChaCha8Rng::from_rng(&mut rng_for_trial(seed, trial));
        let mut stream = || TrialRng::from_rng(&mut words);
        Self { primaries: stream(), pool: stream(), uniforms: stream(), own: stream() }
    }
}

impl<S: Strategy> Coupled<S> {
    /// Returns the strategy on the streams of a trial.
    #[must_use]
    pub fn new(strategy: S, seed: u64, trial: u64) -> Self {
        Self::with_streams(strategy, Streams::for_trial(seed, trial))
    }
}

impl<S: Strategy, R> Coupled<S, R> {
    /// Returns the strategy on these streams.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_thinning::bb_core::{Allocator, LoadVector, rng_for_trial};
    /// use bb_thinning::{Coupled, NeverAccept, Streams};
    ///
    /// let mut rule = Coupled::with_streams(NeverAccept, Streams::for_trial(1, 0));
    /// rule.start_and_run(&mut LoadVector::new(5)?, 10, &mut rng_for_trial(1, 0))?;
    /// assert_eq!(rule.thinning().rejections(), 10);
    /// // No primary was accepted, all were drawn.
    /// assert_ne!(rule.streams().primaries, Streams::for_trial(1, 0).primaries);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_streams(strategy: S, streams: Streams<R>) -> Self {
        Self { thinning: Thinning::new(strategy), streams }
    }

    /// Returns the strategy with what is counted of it.
    #[must_use]
    pub fn thinning(&self) -> &Thinning<S> {
        &self.thinning
    }

    /// Returns the streams.
    #[must_use]
    pub fn streams(&self) -> &Streams<R> {
        &self.streams
    }
}

impl<B: Bins, S: ThinningStrategy<B>, R: Rng> Allocator<B> for Coupled<S, R> {
    fn start(&mut self, bins: &B) -> Result<(), StartError> {
        self.thinning.start(bins)
    }

    fn choose<Unused: Rng + ?Sized>(&mut self, bins: &B, rng: &mut Unused) -> B::Bin {
        self.decide(bins, rng).bin
    }

    fn decide<Unused: Rng + ?Sized>(&mut self, bins: &B, _: &mut Unused) -> Decision<B::Bin> {
        let Streams { primaries, pool, uniforms, own } = &mut self.streams;
        let samples = self.thinning.next_ball(bins, own);
        let primary = bins.draw(primaries);
        let (mut bin, mut sample) = (primary, 1);
        // A uniform for each sample but the last, used or not.
        for round in 1..samples {
            let open = sample == round;
            let asked = open.then(|| self.thinning.strategy().accept(bins, bin, round));
            if !flip(asked.unwrap_or(Mix::Sure(true)), uniforms) {
                bin = bins.draw(pool);
                sample += 1;
            }
        }
        self.thinning.take(bin, primary, sample)
    }

    fn put(&self, bins: &B, bin: B::Bin) -> Put {
        self.thinning.put(bins, bin)
    }

    fn placed(&mut self, bins: &B, was: B::Bin, now: B::Bin) {
        self.thinning.placed(bins, was, now);
    }

    fn sample_count(&self) -> Option<SampleCount> {
        Allocator::<B>::sample_count(&self.thinning)
    }
}
