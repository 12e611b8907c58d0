use core::convert::Infallible;
use core::fmt;

use bb_core::{Allocator, BinsExt, Decision, DistinctSampler, IndexSampler, Place, Rng, StartError};

use crate::model::advisor::token::Token;
use crate::{
    Advice, Advisor, Ball, BallStream, Choice, Decider, LiveLoads, Loads, MemoryReport, ModelClass, Parameters,
    Purpose, RunError, Samples, State, StateError, StateWriter,
};

/// How the bins of a sample are drawn.
///
/// # Examples
///
/// ```
/// use bb_memory::bb_core::LoadVector;
/// use bb_memory::{Bounded, NoMemory, SampleKind, TieRule};
///
/// let mut rule = Bounded::new(NoMemory::new(10, TieRule::First)?).with_sampling(SampleKind::Halves);
/// let sample = rule.close(&LoadVector::new(10)?, 7)?.draw().sample().bins().to_vec();
/// assert!(sample[0] < 5 && sample[1] >= 5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SampleKind {
    /// Independent uniform bins: one may be sampled twice.
    #[default]
    Independent,
    /// Distinct uniform bins; all bins where there are fewer than samples, and then the last of them fill the places left.
    Distinct,
    /// With `d` samples, sample `k` is uniform in the `k`-th of `d` parts of the bins, whose sizes differ by at most one, larger parts first.
    Halves,
}

/// Whether the decider is shown the bits or what the scheme lends in their place.
///
/// # Examples
///
/// ```
/// use bb_memory::bb_core::{Allocator, LoadVector, rng_for_trial};
/// use bb_memory::{Bounded, Budget, HeavyList, Mode};
///
/// let loads = |mode| {
///     let list = HeavyList::fill(500, Budget::bits(300)?)?;
///     let mut loads = LoadVector::new(500)?;
///     Bounded::new(list).with_mode(mode).start_and_run(&mut loads, 2000, &mut rng_for_trial(1, 0))?;
///     Ok::<_, Box<dyn std::error::Error>>(loads)
/// };
/// assert_eq!(loads(Mode::Lent)?, loads(Mode::Bits)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Schemes of this crate lend the decider what it would read in the state, and the bits are written when asked for. The picks are the same.
    #[default]
    Lent,
    /// Every state is written, and the decider reads it.
    Bits,
}

/// Plays an advisor and its decider: an allocator whose decisions see `M` bits and the sample, and nothing else.
///
/// One step: the advisor makes up its mind on the loads; the state is closed; *only then* the sample is drawn, from a stream the advisor has no handle on; the decider says with which probability each sample
/// takes the ball; the coin is flipped; the ball is placed, and the advisor learns of it. The loads are the caller's; start the rule again after another one has placed balls.
///
/// It is an [`Allocator`] where the advice [cannot fail](Advisor::Failure); else there is [`try_step`](Self::try_step). A step is also to be had in pieces: [`close`](Self::close).
///
/// *Randomness:* one word of the generator a ball, its key; all else follows from the key ([`BallStream`]). So all schemes on one generator see the same samples and coins, ball by ball. *Ties:* as the decider says. *Cost:* that of the scheme, and
/// `O(d)` a ball.
///
/// # Panics
///
/// On loads of another number of bins than it was started on.
///
/// # Examples
///
/// A scheme of one's own: the advisor names the fullest bin, and the decider avoids it.
///
/// ```
/// use std::convert::Infallible;
/// use bb_memory::bb_core::{Allocator, LoadVector, Metrics, StartError, rng_for_trial};
/// use bb_memory::{
///     Advisor, Ball, Bounded, Budget, Choice, Decider, Loads, Samples, State, StateError, StateWriter, audit,
/// };
///
/// enum AvoidOne {}
///
/// impl Decider for AvoidOne {
///     type Parameters = u64; // The width of a name.
///     type View = usize;
///     fn view(width: &u64, state: &State) -> Result<usize, StateError> {
///         Ok(state.get(0, *width as u32)? as usize)
///     }
///     fn decide(_: &u64, fullest: &usize, sample: Samples<'_>) -> Choice {
///         Choice::sure(u32::from(sample.first() == *fullest))
///     }
/// }
///
/// #[derive(Clone)]
/// struct NameTheFullest { width: u64, fullest: usize, load: u64 }
///
/// impl Advisor for NameTheFullest {
///     type Decider = AvoidOne;
///     type Failure = Infallible;
///     fn parameters(&self) -> u64 { self.width }
///     fn budget(&self) -> Budget { Budget::bits(self.width).unwrap_or(Budget::NONE) }
///     fn begin(&mut self, loads: Loads<'_>) -> Result<(), StartError> {
///         (self.fullest, self.load) = (0, loads.load(0));
///         for (bin, load) in loads.iter().enumerate() {
///             if load > self.load { (self.fullest, self.load) = (bin, load); }
///         }
///         Ok(())
///     }
///     fn write(&self, _: Loads<'_>, writer: &mut StateWriter) -> Result<(), StateError> {
///         writer.write(self.fullest as u64, self.width as u32)
///     }
///     fn placed(&mut self, _: Loads<'_>, ball: Ball<'_>) {
///         if ball.load > self.load { (self.fullest, self.load) = (ball.bin, ball.load); }
///     }
/// }
///
/// let scheme = NameTheFullest { width: 7, fullest: 0, load: 0 };
/// audit::whole_run(&scheme, &LoadVector::new(100)?, 300, &mut rng_for_trial(1, 0))?;
/// let mut loads = LoadVector::new(100)?;
/// Bounded::new(scheme).start_and_run(&mut loads, 10_000, &mut rng_for_trial(1, 0))?;
/// assert!(loads.gap() < 20.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Bounded<A: Advisor> {
    advisor: A,
    mode: Mode,
    sampling: SampleKind,
    parameters: <A::Decider as Decider>::Parameters,
    begun: bool,
    bins: u64,
    /// One sampler for each part of the bins, if they are in parts, with its first bin.
    parts: Vec<(usize, IndexSampler)>,
    distinct: DistinctSampler,
    /// The state, and what the decider reads in it, where they are not lent.
    state: Option<State>,
    view: Option<<A::Decider as Decider>::View>,
    sample: Vec<usize>,
    key: u64,
    place: u32,
    balls: u64,
    counts: Counts,
}

// By hand, for a decider is a name and need not be cloned.
impl<A: Advisor + Clone> Clone for Bounded<A> {
    fn clone(&self) -> Self {
        Self {
            advisor: self.advisor.clone(),
            mode: self.mode,
            sampling: self.sampling,
            parameters: self.parameters,
            begun: self.begun,
            bins: self.bins,
            parts: self.parts.clone(),
            distinct: self.distinct.clone(),
            state: self.state.clone(),
            view: self.view.clone(),
            sample: self.sample.clone(),
            key: self.key,
            place: self.place,
            balls: self.balls,
            counts: self.counts.clone(),
        }
    }
}

impl<A: Advisor + fmt::Debug> fmt::Debug for Bounded<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bounded")
            .field("advisor", &self.advisor)
            .field("mode", &self.mode)
            .field("sampling", &self.sampling)
            .field("balls", &self.balls)
            .finish_non_exhaustive()
    }
}

/// What the driver counts itself.
#[derive(Clone, Debug, Default)]
struct Counts {
    greatest_bits: u64,
    state_changes: u64,
    thresholds: Vec<(u64, u64)>,
    listed: [u64; 3],
    failures: u64,
    ignored_removals: u64,
}

impl<A: Advisor> Bounded<A> {
    /// Returns the rule of an advisor and its decider; the type's example shows it.
    #[must_use]
    pub fn new(advisor: A) -> Self {
        let parameters = advisor.parameters();
        Self {
            sampling: advisor.sampling(),
            parameters,
            advisor,
            mode: Mode::Lent,
            begun: false,
            bins: 0,
            parts: Vec::new(),
            distinct: DistinctSampler::default(),
            state: None,
            view: None,
            sample: Vec::new(),
            key: 0,
            place: 0,
            balls: 0,
            counts: Counts::default(),
        }
    }

    /// Sets whether the decider is shown the bits; the example of [`Mode`] shows it.
    #[must_use]
    pub fn with_mode(self, mode: Mode) -> Self {
        Self { mode, ..self }
    }

    /// Sets how samples are drawn, in place of how the scheme has it; the example of [`SampleKind`] shows it.
    #[must_use]
    pub fn with_sampling(self, sampling: SampleKind) -> Self {
        Self { sampling, ..self }
    }

    /// Returns the advisor.
    #[must_use]
    pub fn advisor(&self) -> &A {
        &self.advisor
    }

    /// Returns the sample of the last ball; empty before the first.
    #[must_use]
    pub fn last_sample(&self) -> &[usize] {
        &self.sample
    }

    /// Returns the place in its sample that the last ball went to, from 0.
    #[must_use]
    pub fn last_place(&self) -> u32 {
        self.place
    }

    /// Returns the number of balls placed since the start.
    #[must_use]
    pub fn balls(&self) -> u64 {
        self.balls
    }

    /// Begins on these loads.
    fn begin<B: LiveLoads>(&mut self, loads: &B) -> Result<(), StartError> {
        if B::DEPARTURES && !self.advisor.follows_removals() {
            return Err(StartError::Unsuitable(
                "the scheme has no rule for balls that leave, and from these loads they can".to_owned(),
            ));
        }
        self.reset(loads)
    }

    fn reset<B: LiveLoads>(&mut self, loads: &B) -> Result<(), StartError> {
        let rebuilt = Parameters::from_words(&self.advisor.parameters().to_words());
        self.parameters = rebuilt
            .ok_or_else(|| StartError::Unsuitable("the parameters are not those of their own words".to_owned()))?;
        let samples = <A::Decider as Decider>::samples(&self.parameters);
        if samples == 0 || samples > 1 << 16 {
            return Err(StartError::Unsuitable(format!("offers = {samples} is outside 1..=2^16")));
        }
        self.bins = loads.bins();
        self.parts.clear();
        if self.sampling == SampleKind::Halves {
            let parts = u64::from(samples);
            if parts > self.bins {
                return Err(StartError::TooFewBins { parameter: "offers", value: parts, bins: self.bins });
            }
            let mut begin = 0;
            for part in 0..parts {
                let length = (self.bins - part).div_ceil(parts);
                self.parts.extend(IndexSampler::new(length).map(|sampler| (begin as usize, sampler)));
                begin += length;
            }
        }
        self.advisor.begin(Loads::new(loads))?;
        (self.state, self.view, self.begun, self.balls) = (None, None, true, 0);
        (self.key, self.place, self.counts) = (0, 0, Counts::default());
        self.sample.clear();
        self.sample.resize(samples as usize, 0);
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn begin_unchecked<B: LiveLoads>(&mut self, loads: &B) {
        if let Err(error) = self.reset(loads) {
            panic!("the rule was not started, and cannot be: {error}");
        }
    }

    /// Advises and closes the state. The view is there then, or the advisor lends one.
    #[inline]
    fn advise<B: LiveLoads>(&mut self, loads: &B, key: u64) -> Result<(), RunError> {
        self.key = key;
        let mut stream = BallStream::new(key, Purpose::Advice);
        let advice = self.advisor.advise(Loads::new(loads), &mut stream);
        let advice = match advice {
            Ok(advice) => advice,
            Err(failure) => return Err(failure.into().at(self.balls, self.advisor.budget())),
        };
        let fresh = self.counts.state_changes == 0;
        if advice == Advice::Unchanged && !fresh { Ok(()) } else { self.change(loads) }
    }

    /// Advises and closes the state; where there is none, the ball is played without memory, and that is counted.
    #[inline]
    fn advise_or_count<B: LiveLoads>(&mut self, loads: &B, key: u64) {
        let failed = self.advise(loads, key).is_err();
        // An earlier state may have failed, and this one be said to be the same.
        let none = || self.view.is_none() && (self.mode == Mode::Bits || self.advisor.lend(Token(())).is_none());
        if failed || none() {
            self.counts.failures += 1;
        }
    }

    /// Takes over a state that may be another one.
    fn change<B: LiveLoads>(&mut self, loads: &B) -> Result<(), RunError> {
        self.counts.state_changes += 1;
        let notes = self.advisor.notes(Token(()));
        if let Some(threshold) = notes.threshold
            && self.counts.thresholds.last().is_none_or(|&(_, last)| last != threshold)
        {
            self.counts.thresholds.push((self.balls, threshold));
        }
        if self.mode == Mode::Lent && self.advisor.lend(Token(())).is_some() {
            let bits = self.advisor.content_bits(Token(())).unwrap_or(0);
            self.counts.greatest_bits = self.counts.greatest_bits.max(bits);
            return Ok(());
        }
        let step = self.balls;
        let budget = self.advisor.budget();
        let closed = self.written(loads).and_then(|(state, bits)| {
            let view = <A::Decider as Decider>::view(&self.parameters, &state)?;
            Ok((state, bits, view))
        });
        match closed {
            Ok((state, bits, view)) => {
                self.counts.greatest_bits = self.counts.greatest_bits.max(bits);
                (self.state, self.view) = (Some(state), Some(view));
                Ok(())
            }
            Err(error) => {
                (self.state, self.view) = (None, None);
                Err(crate::model::advisor::AdviceFailure::State(error).at(step, budget))
            }
        }
    }

    fn written<B: LiveLoads>(&self, loads: &B) -> Result<(State, u64), StateError> {
        let mut writer = StateWriter::new(self.advisor.budget())?;
        self.advisor.write(Loads::new(loads), &mut writer)?;
        let bits = writer.written();
        Ok((writer.finish()?, bits))
    }

    /// Returns the state as it stands: what the next decision reads, unless the advisor changes it before.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_memory::bb_core::{Allocator, LoadVector, rng_for_trial};
    /// use bb_memory::{Bounded, Budget, HeavyList};
    ///
    /// let (mut rule, mut loads) = (Bounded::new(HeavyList::fill(50, Budget::bits(40)?)?), LoadVector::new(50)?);
    /// rule.start_and_run(&mut loads, 100, &mut rng_for_trial(1, 0))?;
    /// assert_eq!(rule.state(&loads)?.bits(), 40);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn state<B: LiveLoads>(&self, loads: &B) -> Result<State, StateError> {
        match &self.state {
            Some(state) => Ok(state.clone()),
            None => Ok(self.written(loads)?.0),
        }
    }

    /// Draws the sample of the ball at hand.
    #[inline]
    fn draw<B: LiveLoads>(&mut self, loads: &B) {
        let mut stream = BallStream::new(self.key, Purpose::Offers);
        let sample = &mut self.sample;
        match self.sampling {
            SampleKind::Independent if sample.len() == 2 => {
                let drawn = loads.draw_pair(&mut stream);
                (sample[0], sample[1]) = (drawn[0], drawn[1]);
            }
            SampleKind::Independent => {
                let mut place = 0;
                loads.draw_each(sample.len() as u32, &mut stream, |bin| {
                    sample[place] = bin;
                    place += 1;
                });
            }
            SampleKind::Distinct => {
                let mut place = 0;
                loads.draw_distinct(sample.len() as u32, &mut self.distinct, &mut stream, |bin| {
                    sample[place] = bin;
                    place += 1;
                });
                // Fewer bins than samples.
                for rest in place..sample.len() {
                    sample[rest] = sample[place - 1];
                }
            }
            SampleKind::Halves => {
                for (bin, (begin, sampler)) in sample.iter_mut().zip(&self.parts) {
                    *bin = begin + sampler.draw(&mut stream) as usize;
                }
            }
        }
    }

    /// Draws the sample of the ball with this key, for an audit: the state is closed there by other means.
    pub(crate) fn prepare_to_draw(&mut self, loads: &bb_core::LoadVector, key: u64) -> Result<(), StartError> {
        if !self.begun {
            self.begin(loads)?;
        }
        self.key = key;
        self.draw(loads);
        Ok(())
    }

    /// Asks the decider, and flips the coin. Without a state the first sample takes the ball.
    #[inline]
    fn decide_sample(&mut self) -> usize {
        let view = match &self.view {
            Some(view) => Some(view),
            None if self.mode == Mode::Lent => self.advisor.lend(Token(())),
            None => None,
        };
        let choice = match view {
            Some(view) => A::Decider::decide(&self.parameters, view, Samples::new(&self.sample)),
            None => Choice::sure(0),
        };
        self.counts.listed[usize::from(choice.listed().min(2))] += 1;
        self.place = choice.resolve(self.sample.len(), || BallStream::new(self.key, Purpose::Coin));
        self.sample[self.place as usize]
    }

    #[inline]
    fn learn<B: LiveLoads>(&mut self, loads: &B, bin: usize) {
        self.balls += 1;
        let (sample, place, key) = (Samples::new(&self.sample), self.place, self.key);
        self.advisor.placed(Loads::new(loads), Ball { sample, place, bin, load: loads.load(bin), key });
    }

    /// Takes one step, or returns why it cannot be taken; then nothing was placed.
    ///
    /// # Errors
    ///
    /// If the rule cannot begin on these loads, or the state cannot be written.
    pub fn try_step<B, R>(&mut self, loads: &mut B, rng: &mut R) -> Result<usize, RunError>
    where
        B: LiveLoads + Place,
        R: Rng + ?Sized,
    {
        let asked = self.close(&*loads, rng.next_u64())?.draw();
        let bin = asked.decide();
        loads.place(bin, &());
        self.learn(&*loads, bin);
        Ok(bin)
    }

    /// Steps until so many balls are placed.
    ///
    /// # Errors
    ///
    /// As for [`try_step`](Self::try_step); what was placed before stays.
    pub fn try_run<B, R>(&mut self, loads: &mut B, balls: u64, rng: &mut R) -> Result<(), RunError>
    where
        B: LiveLoads + Place,
        R: Rng + ?Sized,
    {
        for _ in 0..balls {
            self.try_step(loads, rng)?;
        }
        Ok(())
    }

    /// Advises for the ball of this key, and closes the state: the first piece of a step.
    ///
    /// What is returned is the only way to a sample, and is used up by it.
    ///
    /// # Errors
    ///
    /// If the rule cannot begin on these loads, or the state cannot be written.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_memory::bb_core::{Bins, LoadVector, Place, Put};
    /// use bb_memory::{Bounded, Budget, HeavyList, RunError};
    ///
    /// let (mut rule, mut loads) = (Bounded::new(HeavyList::fill(50, Budget::bits(40)?)?), LoadVector::new(50)?);
    /// let asked = rule.close(&loads, 1)?.sample(&[3, 4])?;
    /// assert_eq!(asked.sample().bins(), [3, 4]);
    /// assert_eq!(asked.decide(), 3);
    /// loads.place(3, &());
    /// rule.learn_placed(&loads, 3)?;
    /// assert_eq!(loads.load(3), 1);
    ///
    /// let error = rule.close(&loads, 2)?.sample(&[3, 50]).unwrap_err();
    /// assert_eq!(error, RunError::NoSuchBin { bin: 50, bins: 50 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn close<'a, B: LiveLoads>(&'a mut self, loads: &'a B, key: u64) -> Result<Closed<'a, A, B>, RunError> {
        if !self.begun {
            self.begin(loads)?;
        } else if loads.bins() != self.bins {
            return Err(StartError::OtherBins { expected: self.bins, bins: loads.bins() }.into());
        }
        self.advise(loads, key)?;
        Ok(Closed { rule: self, loads })
    }

    /// Learns where a ball went that was decided in pieces; the example of [`close`](Self::close) shows it.
    ///
    /// # Errors
    ///
    /// If there is no such bin.
    pub fn learn_placed<B: LiveLoads>(&mut self, loads: &B, bin: usize) -> Result<(), RunError> {
        if bin as u64 >= loads.bins() {
            return Err(RunError::NoSuchBin { bin, bins: loads.bins() });
        }
        self.learn(loads, bin);
        Ok(())
    }

    /// Learns that a ball left a bin.
    ///
    /// # Errors
    ///
    /// If the scheme has no rule for that, or there is no such bin.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_memory::bb_core::{Allocator, DynamicLoads, Remove, rng_for_trial};
    /// use bb_memory::{Bounded, Budget, HeavyList};
    ///
    /// let (mut rule, mut loads) = (Bounded::new(HeavyList::fill(50, Budget::bits(40)?)?), DynamicLoads::new(50)?);
    /// rule.start(&loads)?;
    /// let bin = rule.step(&mut loads, &mut rng_for_trial(1, 0));
    /// loads.remove(bin);
    /// rule.try_removed(&loads, bin)?;
    /// // `load ≤ T + Greedy[2]` is a theorem for balls that stay.
    /// assert!(!rule.report().is_certified());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn try_removed<B: LiveLoads>(&mut self, loads: &B, bin: usize) -> Result<(), RunError> {
        if bin as u64 >= loads.bins() {
            return Err(RunError::NoSuchBin { bin, bins: loads.bins() });
        }
        if !self.advisor.follows_removals() {
            self.counts.ignored_removals += 1;
            return Err(RunError::NoRemoval { bin });
        }
        let removed = self.advisor.removed(Loads::new(loads), bin);
        removed.map_err(|error| RunError::State { step: self.balls, error })
    }

    /// Returns what the run did with its memory since the start; [`MemoryReport`] has an example.
    #[must_use]
    pub fn report(&self) -> MemoryReport {
        let notes = self.advisor.notes(Token(()));
        let Counts { greatest_bits, state_changes, thresholds, listed, failures, ignored_removals } =
            self.counts.clone();
        MemoryReport {
            class: if notes.computational { ModelClass::Computational } else { ModelClass::Communication },
            budget: self.advisor.budget(),
            greatest_bits,
            state_changes,
            thresholds,
            listed,
            longest_list: notes.longest,
            overflows: notes.overflows + failures,
            samples: None,
            messages: None,
            certified: notes.certified && failures == 0 && ignored_removals == 0,
            ignored_removals,
            helper_bytes: notes.helper_bytes,
        }
    }
}

/// A closed state: the only way to the sample of its ball. [`Bounded::close`] has an example.
#[must_use = "the offer of the ball is still to be drawn"]
pub struct Closed<'a, A: Advisor, B: LiveLoads> {
    rule: &'a mut Bounded<A>,
    loads: &'a B,
}

impl<A: Advisor, B: LiveLoads> fmt::Debug for Closed<'_, A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Closed(before ball {})", self.rule.balls)
    }
}

impl<'a, A: Advisor, B: LiveLoads> Closed<'a, A, B> {
    /// Draws the sample from the stream of the ball's key.
    pub fn draw(self) -> Asked<'a, A> {
        self.rule.draw(self.loads);
        Asked { rule: self.rule }
    }

    /// Takes these bins for the sample.
    ///
    /// # Errors
    ///
    /// If there are more or fewer than the rule takes, one does not exist, or one comes twice where bins are drawn without replacement.
    pub fn sample(self, bins: &[usize]) -> Result<Asked<'a, A>, RunError> {
        let asked = self.rule.sample.len();
        if bins.len() != asked {
            return Err(RunError::Offers { found: bins.len(), asked: asked as u32 });
        }
        if let Some(&bin) = bins.iter().find(|&&bin| bin as u64 >= self.loads.bins()) {
            return Err(RunError::NoSuchBin { bin, bins: self.loads.bins() });
        }
        if self.rule.sampling == SampleKind::Distinct
            && let Some(twice) = (1..bins.len()).find(|&place| bins[..place].contains(&bins[place]))
        {
            return Err(RunError::Repeated { bin: bins[twice] });
        }
        self.rule.sample.copy_from_slice(bins);
        Ok(Asked { rule: self.rule })
    }
}

/// A sample that is to be decided. [`Bounded::close`] has an example.
#[must_use = "the offer is still to be decided"]
pub struct Asked<'a, A: Advisor> {
    rule: &'a mut Bounded<A>,
}

impl<A: Advisor> fmt::Debug for Asked<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Asked({:?})", self.rule.sample)
    }
}

impl<A: Advisor> Asked<'_, A> {
    /// Returns the sample.
    #[must_use]
    pub fn sample(&self) -> Samples<'_> {
        Samples::new(&self.rule.sample)
    }

    /// Decides, and returns the bin that takes the ball.
    #[must_use = "the ball is still to be placed"]
    pub fn decide(self) -> usize {
        self.rule.decide_sample()
    }
}

impl<A: Advisor<Failure = Infallible>, B: LiveLoads> Allocator<B> for Bounded<A> {
    fn start(&mut self, loads: &B) -> Result<(), StartError> {
        self.begin(loads)
    }

    #[inline]
    fn choose<R: Rng + ?Sized>(&mut self, loads: &B, rng: &mut R) -> usize {
        if !self.begun {
            self.begin_unchecked(loads);
        }
        assert!(loads.bins() == self.bins, "the rule was started on {} bins, not on {}", self.bins, loads.bins());
        self.advise_or_count(loads, rng.next_u64());
        self.draw(loads);
        self.decide_sample()
    }

    #[inline]
    fn decide<R: Rng + ?Sized>(&mut self, loads: &B, rng: &mut R) -> Decision<usize> {
        let bin = self.choose(loads, rng);
        Decision { bin, primary: self.sample[0], sample: self.place + 1 }
    }

    #[inline]
    fn placed(&mut self, loads: &B, was: usize, _: usize) {
        self.learn(loads, was);
    }

    fn removed(&mut self, loads: &B, was: usize, _: usize) {
        // Counted in the report, which is not certified from here on.
        let _ = self.try_removed(loads, was);
    }
}
