//! The allocator of a thinning strategy: [`Thinning`].

use core::hint::select_unpredictable;

use bb_core::{Allocator, Bins, BinsExt, Decision, Mix, Put, Rng, SampleCount, StartError};

use crate::strategy::{Strategy, ThinningStrategy};

/// Plays a thinning strategy: the first sample that it accepts takes the ball, else the last.
///
/// With two samples, `Z_k` is the primary `Z¹_k` where ball `k` is accepted, and a second uniform bin where
/// it is rejected, which may be the primary again; `R_k = R_{k−1} + 1` then.
///
/// *Randomness:* what [`next_ball`](ThinningStrategy::next_ball) takes; the samples, all of them, by
/// [`BinsExt::draw_pair`](bb_core::BinsExt::draw_pair) or
/// [`BinsExt::draw_each`](bb_core::BinsExt::draw_each); then, if the strategy [is
/// randomised](Strategy::is_randomised), one word for the coin of the primary. All of it whether used or not.
/// With three or more samples a randomised strategy has each sample by
/// [`BinsExt::draw`](bb_core::BinsExt::draw), each but the last followed by its coin.
///
/// Without [`start`](Allocator::start) the strategy begins at the first ball, unchecked. *Cost:* that of the
/// strategy, and `O(d)`; no ball allocates.
///
/// # Panics
///
/// If a strategy with three or more samples answers with a coin and does not say that it is randomised.
///
/// # Examples
///
/// ```
/// use bb_thinning::bb_core::{Allocator, LoadVector, WithCounters, Metrics, rng_for_trial};
/// use bb_thinning::{Thinning, Threshold};
///
/// let mut rule = Thinning::new(Threshold::new(1)?);
/// let mut loads = WithCounters::new(LoadVector::new(10_000)?, 1)?;
/// rule.start_and_run(&mut loads, 10_000, &mut rng_for_trial(1, 0))?;
/// // A bin accepts one sample: a share 1/e of them is rejected.
/// assert!((3_550..3_800).contains(&rule.rejections()));
/// assert_eq!((rule.balls(), rule.strategy().limit()), (10_000, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Thinning<S> {
    strategy: S,
    begun: bool,
    /// Which sample took the ball at hand.
    sample: u32,
    balls: u64,
    rejections: u64,
}

impl<S: Strategy> Thinning<S> {
    /// Returns the allocator of a strategy.
    #[must_use]
    pub fn new(strategy: S) -> Self {
        Self { strategy, begun: false, sample: 1, balls: 0, rejections: 0 }
    }

    /// Returns the strategy.
    #[must_use]
    pub fn strategy(&self) -> &S {
        &self.strategy
    }

    /// Returns the strategy and forgets the rest.
    #[must_use]
    pub fn into_strategy(self) -> S {
        self.strategy
    }

    /// Returns the number of samples rejected since the start, `R_k`: with two samples, of balls that went to
    /// their second bin.
    #[must_use]
    pub fn rejections(&self) -> u64 {
        self.rejections
    }

    /// Returns the number of balls placed since the start.
    #[must_use]
    pub fn balls(&self) -> u64 {
        self.balls
    }

    /// Begins, if nothing did so yet, and prepares for a ball. Returns the number of samples.
    #[inline]
    pub(crate) fn next_ball<B: Bins, R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> u32
    where
        S: ThinningStrategy<B>,
    {
        if !self.begun {
            self.begun = true;
            self.strategy.begin(bins);
        }
        self.strategy.next_ball(bins, rng);
        self.strategy.samples()
    }

    /// Decides on another number of samples than two. Apart, so that what decides on two is short enough to
    /// be inlined.
    #[inline(never)]
    fn decide_among<B: Bins, R: Rng + ?Sized>(&mut self, samples: u32, bins: &B, rng: &mut R) -> Decision<B::Bin>
    where
        S: ThinningStrategy<B>,
    {
        if samples < 2 {
            let primary = bins.draw(rng);
            return self.take(primary, primary, 1);
        }
        let randomised = self.strategy.is_randomised();
        let mut primary = None;
        let mut taken = None;
        if randomised {
            for sample in 1..=samples {
                let bin = bins.draw(rng);
                primary = primary.or(Some(bin));
                let accepted = match taken {
                    // What is past is not asked: its coin is only drawn.
                    Some(_) => Mix::Sure(false),
                    None if sample == samples => Mix::Sure(true),
                    None => self.strategy.accept(bins, bin, sample),
                };
                let accepted = if sample == samples { accepted.resolve(rng) } else { flip(accepted, rng) };
                if accepted {
                    taken = Some((bin, sample));
                }
            }
        } else {
            let (strategy, mut sample) = (&self.strategy, 0);
            bins.draw_each(samples, rng, |bin| {
                sample += 1;
                primary = primary.or(Some(bin));
                let accepts = |accept| match accept {
                    Mix::Sure(accept) => accept,
                    Mix::Coin { .. } => panic!("a strategy that answers with a coin says that it is randomised"),
                };
                if taken.is_none() && (sample == samples || accepts(strategy.accept(bins, bin, sample))) {
                    taken = Some((bin, sample));
                }
            });
        }
        let primary = primary.unwrap_or_else(|| bins.nth(0)); // There is always a sample.
        let (bin, sample) = taken.unwrap_or((primary, 1));
        self.take(bin, primary, sample)
    }

    /// Notes which sample takes the ball at hand.
    #[inline]
    pub(crate) fn take<Bin: Copy>(&mut self, bin: Bin, primary: Bin, sample: u32) -> Decision<Bin> {
        self.sample = sample;
        Decision { bin, primary, sample }
    }
}

/// Resolves a decision; a word is taken in any case.
#[inline]
pub(crate) fn flip<R: Rng + ?Sized>(accept: Mix<bool>, rng: &mut R) -> bool {
    match accept {
        Mix::Sure(accept) => {
            rng.next_u64();
            accept
        }
        coin => coin.resolve(rng),
    }
}

impl<B: Bins, S: ThinningStrategy<B>> Allocator<B> for Thinning<S> {
    fn start(&mut self, bins: &B) -> Result<(), StartError> {
        self.strategy.check(bins)?;
        self.strategy.begin(bins);
        (self.begun, self.balls, self.rejections) = (true, 0, 0);
        Ok(())
    }

    #[inline]
    fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> B::Bin {
        self.decide(bins, rng).bin
    }

    #[inline]
    fn decide<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> Decision<B::Bin> {
        let samples = self.next_ball(bins, rng);
        if samples == 2 {
            let [primary, secondary] = bins.draw_pair(rng);
            let accept = self.strategy.accept(bins, primary, 1);
            let accepted = if self.strategy.is_randomised() { flip(accept, rng) } else { accept.resolve(rng) };
            let bin = select_unpredictable(accepted, primary, secondary);
            return self.take(bin, primary, 1 + u32::from(!accepted));
        }
        self.decide_among(samples, bins, rng)
    }

    #[inline]
    fn put(&self, bins: &B, bin: B::Bin) -> Put {
        self.strategy.put(bins, bin, self.sample)
    }

    #[inline]
    fn placed(&mut self, bins: &B, was: B::Bin, now: B::Bin) {
        self.balls += 1;
        self.rejections += u64::from(self.sample - 1);
        self.strategy.placed(bins, was, now, self.sample);
    }

    fn sample_count(&self) -> Option<SampleCount> {
        Some(SampleCount::Counted(self.balls + self.rejections))
    }
}
