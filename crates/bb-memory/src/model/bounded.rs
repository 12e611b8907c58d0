use core::convert::Infallible;

use bb_core::{Allocator, Bins, Decision, Rng, StartError};

use crate::error::{RunError, StateError};
use crate::model::advisor::token::Token;
use crate::model::advisor::{Advice, AdviceFailure, Advisor};
use crate::model::budget::Budget;
use crate::model::choice::Choice;
use crate::model::decider::Decider;
use crate::model::loads::Loads;
use crate::model::report::{MemoryReport, ModelClass};
use crate::model::samples::{Ball, SampleKind, Sampler, Samples};
use crate::model::state::{State, StateWriter};
use crate::model::stream::{BallStream, Purpose};

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
    /// Schemes of this crate lend the decider what it would read in the state, and the bits are written when
    /// asked for. The picks are the same.
    #[default]
    Lent,
    /// Every state is written, and the decider reads it.
    Bits,
}

/// Plays an advisor and its decider: an allocator whose decisions see `M` bits and the samples, and nothing
/// else.
///
/// One step: the advisor makes up its mind on the loads; the state is closed; *only then* the samples are
/// drawn, from a stream the advisor has no handle on; the decider says with which probability each sample
/// takes the ball; the coin is flipped; the ball is placed, and the advisor learns of it. The loads are the
/// caller's; start the rule again after another one has placed balls.
///
/// It is an [`Allocator`] if the advice [cannot fail](Advisor::Failure); otherwise there is
/// [`try_step`](Self::try_step). [`close`](Self::close) takes a step in pieces.
///
/// *Randomness:* one output of the generator per ball, its key; all else follows from the key
/// ([`BallStream`]). So all schemes on one generator see the same samples and coins, ball by ball. *Ties:* as
/// the decider says. *Cost:* that of the scheme, and `O(d)` per ball.
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
///     Advisor, Ball, Bounded, Budget, Choice, Decider, Loads, Samples, State, StateError, StateWriter,
///     audit,
/// };
///
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// struct AvoidOne { width: u32 } // The bits of a name.
///
/// impl Decider for AvoidOne {
///     type View = usize;
///     fn to_words(&self) -> Vec<u64> { vec![self.width.into()] }
///     fn from_words(words: &[u64]) -> Option<Self> {
///         let &[width] = words else { return None };
///         Some(Self { width: width.try_into().ok()? })
///     }
///     fn budget(&self) -> Budget { Budget::bits(self.width.into()).unwrap_or(Budget::NONE) }
///     fn view(&self, state: &State) -> Result<usize, StateError> {
///         Ok(state.get(0, self.width)? as usize)
///     }
///     fn decide(&self, fullest: &usize, samples: Samples<'_>) -> Choice {
///         Choice::sure(u32::from(samples.first() == *fullest))
///     }
/// }
///
/// #[derive(Clone)]
/// struct NameTheFullest { width: u32, fullest: usize, load: u64 }
///
/// impl Advisor for NameTheFullest {
///     type Decider = AvoidOne;
///     type Failure = Infallible;
///     fn decider(&self) -> AvoidOne { AvoidOne { width: self.width } }
///     fn begin(&mut self, loads: Loads<'_>) -> Result<(), StartError> {
///         (self.fullest, self.load) = (0, loads.load(0));
///         for (bin, load) in loads.iter().enumerate() {
///             if load > self.load { (self.fullest, self.load) = (bin, load); }
///         }
///         Ok(())
///     }
///     fn write(&self, _: Loads<'_>, writer: &mut StateWriter) -> Result<(), StateError> {
///         writer.write(self.fullest as u64, self.width)
///     }
///     fn placed(&mut self, loads: Loads<'_>, ball: Ball<'_>) {
///         let load = loads.load(ball.bin);
///         if load > self.load { (self.fullest, self.load) = (ball.bin, load); }
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
#[derive(Clone, Debug)]
pub struct Bounded<A: Advisor> {
    pub(super) advisor: A,
    mode: Mode,
    sampling: SampleKind,
    decider: A::Decider,
    /// Draws the samples; of no bins before a start.
    pub(super) sampler: Sampler,
    /// The state, and what the decider reads in it, unless it is lent.
    held: Option<(State, <A::Decider as Decider>::View)>,
    pub(super) key: u64,
    place: u32,
    pub(super) balls: u64,
    pub(super) counts: Counts,
}

/// What the driver counts itself.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    greatest_bits: u64,
    state_changes: u64,
    thresholds: Vec<(u64, u64)>,
    listed: [u64; 3],
    failures: u64,
    pub(super) ignored_removals: u64,
}

impl<A: Advisor> Bounded<A> {
    /// Returns the rule of an advisor and its decider.
    #[must_use]
    pub fn new(advisor: A) -> Self {
        Self {
            sampling: advisor.decider().sampling(),
            decider: advisor.decider(),
            advisor,
            mode: Mode::Lent,
            sampler: Sampler::default(),
            held: None,
            key: 0,
            place: 0,
            balls: 0,
            counts: Counts::default(),
        }
    }

    /// Sets whether the decider is shown the bits.
    #[must_use]
    pub fn with_mode(self, mode: Mode) -> Self {
        Self { mode, ..self }
    }

    /// Sets how samples are drawn, in place of how the scheme has it. The rule has to start then, or starts
    /// by itself.
    #[must_use]
    pub fn with_sampling(self, sampling: SampleKind) -> Self {
        Self { sampling, sampler: Sampler::default(), ..self }
    }

    /// Returns the advisor.
    #[must_use]
    pub fn advisor(&self) -> &A {
        &self.advisor
    }

    /// Returns the samples of the last ball.
    #[must_use]
    pub fn last_samples(&self) -> &[usize] {
        self.sampler.samples()
    }

    /// Returns which of its samples took the last ball, from 0.
    #[must_use]
    pub fn last_place(&self) -> u32 {
        self.place
    }

    /// Returns the number of balls placed since the start.
    #[must_use]
    pub fn balls(&self) -> u64 {
        self.balls
    }

    /// Begins on these loads, unless balls can leave and the scheme cannot follow.
    pub(super) fn begin(&mut self, loads: Loads<'_>) -> Result<(), StartError> {
        if loads.can_shrink() && !self.advisor.follows_removals() {
            return Err(unsuitable("the scheme has no rule for balls that leave, and from these loads they can"));
        }
        self.reset(loads)
    }

    fn reset(&mut self, loads: Loads<'_>) -> Result<(), StartError> {
        self.decider = Decider::from_words(&self.advisor.decider().to_words())
            .ok_or_else(|| unsuitable("the decider is not that of its own words"))?;
        let sampler = Sampler::new(self.sampling, loads.bins(), self.decider.samples())?;
        self.advisor.begin(loads)?;
        (self.sampler, self.held, self.counts) = (sampler, None, Counts::default());
        (self.key, self.place, self.balls) = (0, 0, 0);
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn begin_late(&mut self, loads: Loads<'_>) {
        let (begun, bins) = (self.sampler.bins(), loads.bins());
        assert!(begun == 0, "the rule was started on {begun} bins, not on {bins}");
        if let Err(error) = self.reset(loads) {
            panic!("the rule was not started, and cannot be: {error}");
        }
    }

    /// Advises and closes the state. The view is there then, or the advisor lends one.
    #[inline]
    pub(super) fn advise(&mut self, loads: Loads<'_>, key: u64) -> Result<(), RunError> {
        self.key = key;
        match self.advisor.advise(loads, &mut BallStream::new(key, Purpose::Advice)) {
            Ok(Advice::Unchanged) if self.counts.state_changes > 0 => Ok(()),
            Ok(_) => self.change(loads),
            Err(failure) => Err(failure.into().at(self.balls, self.decider.budget())),
        }
    }

    /// Takes over a state that may be another one.
    fn change(&mut self, loads: Loads<'_>) -> Result<(), RunError> {
        self.counts.state_changes += 1;
        let notes = self.advisor.notes(Token(()));
        let thresholds = &mut self.counts.thresholds;
        if let Some(threshold) = notes.threshold
            && thresholds.last().is_none_or(|&(_, last)| last != threshold)
        {
            thresholds.push((self.balls, threshold));
        }
        let bits = if self.mode == Mode::Lent && self.advisor.lend(Token(())).is_some() {
            notes.bits.unwrap_or(0)
        } else {
            self.held = None;
            let closed = written(&self.advisor, self.decider.budget(), loads).and_then(|(state, bits)| {
                let view = self.decider.view(&state)?;
                self.held = Some((state, view));
                Ok(bits)
            });
            closed.map_err(|error| AdviceFailure::State(error).at(self.balls, self.decider.budget()))?
        };
        self.counts.greatest_bits = self.counts.greatest_bits.max(bits);
        Ok(())
    }

    /// What the decider reads; nothing if the state could not be written.
    #[inline]
    fn view(&self) -> Option<&<A::Decider as Decider>::View> {
        match &self.held {
            Some((_, view)) => Some(view),
            None if self.mode == Mode::Lent => self.advisor.lend(Token(())),
            None => None,
        }
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
    /// let mut rule = Bounded::new(HeavyList::fill(50, Budget::bits(40)?)?);
    /// let mut loads = LoadVector::new(50)?;
    /// rule.start_and_run(&mut loads, 100, &mut rng_for_trial(1, 0))?;
    /// assert_eq!(rule.state(&loads)?.bits(), 40);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn state<'a>(&self, loads: impl Into<Loads<'a>>) -> Result<State, StateError> {
        match &self.held {
            Some((state, _)) => Ok(state.clone()),
            None => Ok(written(&self.advisor, self.decider.budget(), loads.into())?.0),
        }
    }

    /// Asks the decider, and flips the coin. Without a state the first sample takes the ball, and the report
    /// counts it.
    #[inline]
    pub(super) fn pick(&mut self) -> usize {
        let samples = Samples::new(self.sampler.samples());
        let choice = match self.view() {
            Some(view) => self.decider.decide(view, samples),
            None => {
                self.counts.failures += 1;
                Choice::sure(0)
            }
        };
        self.counts.listed[usize::from(choice.listed().min(2))] += 1;
        self.place = choice.resolve(samples.bins().len(), || BallStream::new(self.key, Purpose::Coin));
        samples.bins()[self.place as usize]
    }

    #[inline]
    pub(super) fn learn(&mut self, loads: Loads<'_>, bin: usize) {
        self.balls += 1;
        let samples = Samples::new(self.sampler.samples());
        self.advisor.placed(loads, Ball { samples, place: self.place, bin, key: self.key });
    }

    /// A ball has left a bin that exists.
    pub(super) fn learn_removed(&mut self, loads: Loads<'_>, bin: usize) -> Result<(), RunError> {
        if !self.advisor.follows_removals() {
            self.counts.ignored_removals += 1;
            return Err(RunError::NoRemoval { bin });
        }
        self.advisor.removed(loads, bin).map_err(|error| RunError::State { step: self.balls, error })
    }

    /// Returns what the run did with its memory since the start.
    #[must_use]
    pub fn report(&self) -> MemoryReport {
        let notes = self.advisor.notes(Token(()));
        let counts = self.counts.clone();
        MemoryReport {
            class: if notes.computational { ModelClass::Computational } else { ModelClass::Communication },
            budget: self.decider.budget(),
            greatest_bits: counts.greatest_bits,
            state_changes: counts.state_changes,
            thresholds: counts.thresholds,
            listed: counts.listed,
            longest_list: notes.longest,
            overflows: notes.overflows + counts.failures,
            samples: None,
            messages: None,
            certified: notes.certified && counts.failures == 0 && counts.ignored_removals == 0,
            ignored_removals: counts.ignored_removals,
            helper_bytes: notes.helper_bytes,
        }
    }
}

fn unsuitable(why: &str) -> StartError {
    StartError::Unsuitable(why.to_owned())
}

/// Writes a state of so many bits, and tells how many of them were written.
pub(crate) fn written<A: Advisor>(advisor: &A, budget: Budget, loads: Loads<'_>) -> Result<(State, u64), StateError> {
    let mut writer = StateWriter::new(budget)?;
    advisor.write(loads, &mut writer)?;
    let bits = writer.written();
    Ok((writer.finish()?, bits))
}

impl<A, B> Allocator<B> for Bounded<A>
where
    A: Advisor<Failure = Infallible>,
    B: Bins<Bin = usize>,
    for<'a> Loads<'a>: From<&'a B>,
{
    fn start(&mut self, loads: &B) -> Result<(), StartError> {
        self.begin(loads.into())
    }

    #[inline]
    fn choose<R: Rng + ?Sized>(&mut self, loads: &B, rng: &mut R) -> usize {
        let loads = Loads::from(loads);
        if loads.bins() != self.sampler.bins() {
            self.begin_late(loads);
        }
        // If it fails there is no state, and that is counted.
        let _ = self.advise(loads, rng.next_u64());
        self.sampler.draw(self.key);
        self.pick()
    }

    #[inline]
    fn decide<R: Rng + ?Sized>(&mut self, loads: &B, rng: &mut R) -> Decision<usize> {
        let bin = self.choose(loads, rng);
        Decision { bin, primary: self.sampler.samples()[0], sample: self.place + 1 }
    }

    #[inline]
    fn placed(&mut self, loads: &B, was: usize, _: usize) {
        self.learn(loads.into(), was);
    }

    fn removed(&mut self, loads: &B, was: usize, _: usize) {
        // Counted in the report, which is not certified from here on.
        let _ = self.learn_removed(loads.into(), was);
    }
}
