use core::convert::Infallible;
use core::fmt;

use bb_core::{Rng, StartError};

use crate::model::advisor::Notes;
use crate::model::advisor::token::Token;
use crate::{
    Advice, Advisor, Ball, BallStream, Budget, Decider, Loads, MemoryError, Purpose, SampleKind, Samples, State,
    StateEditor, StateError, StateWriter,
};

/// A machine of the computational model: the next state follows from the old state, the sample, the pick and coins alone.
///
/// No function of it has a receiver, and none is shown a load. Its decider reads the state where it is (`View = State`), and the next state is made by changing fields of it, so that a step does not cost `O(M)`.
/// Every machine is also an advisor that ignores loads: [`Computed`]. There is no way back.
///
/// # Examples
///
/// A machine of one bit, which remembers the half of the bins that the last ball went to, and avoids it:
///
/// ```
/// use bb_memory::bb_core::{Allocator, LoadVector, Metrics, Rng, rng_for_trial};
/// use bb_memory::{
///     Bounded, Budget, Choice, ModelClass, Computed, Decider, Machine, Samples, State, StateEditor, StateError, StateWriter,
/// };
///
/// enum Alternate {}
///
/// impl Decider for Alternate {
///     type Parameters = u64; // The number of bins.
///     type View = State;
///     fn view(_: &u64, state: &State) -> Result<State, StateError> { Ok(state.clone()) }
///     fn decide(bins: &u64, state: &State, sample: Samples<'_>) -> Choice {
///         let last_was_upper = state.get(0, 1) == Ok(1);
///         Choice::sure(u32::from((sample.first() as u64 >= bins / 2) == last_was_upper))
///     }
/// }
/// impl Machine for Alternate {
///     fn budget(_: &u64) -> Budget { Budget::bits(1).unwrap() }
///     fn initial(_: &u64, _: &mut StateWriter) -> Result<(), StateError> { Ok(()) }
///     fn next<R: Rng>(
///         bins: &u64, state: &mut StateEditor<'_>, sample: Samples<'_>, place: u32, _: &mut R,
///     ) -> Result<(), StateError> {
///         let upper = sample.bins()[place as usize] as u64 >= bins / 2;
///         state.set(0, 1, u64::from(upper))
///     }
/// }
///
/// let mut rule = Bounded::new(Computed::<Alternate>::new(1000)?);
/// let mut loads = LoadVector::new(1000)?;
/// rule.start_and_run(&mut loads, 10_000, &mut rng_for_trial(1, 0))?;
/// assert_eq!((rule.report().class(), loads.total()), (ModelClass::Computational, 10_000));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A machine that asks for loads does not compile:
///
/// ```compile_fail
/// use bb_memory::bb_core::Rng;
/// use bb_memory::{Budget, Choice, Decider, Loads, Machine, Samples, State, StateEditor, StateError, StateWriter};
///
/// enum Peeking {}
/// impl Decider for Peeking {
///     type Parameters = u64;
///     type View = State;
///     fn view(_: &u64, state: &State) -> Result<State, StateError> { Ok(state.clone()) }
///     fn decide(_: &u64, _: &State, _: Samples<'_>) -> Choice { Choice::sure(0) }
/// }
/// impl Machine for Peeking {
///     fn budget(_: &u64) -> Budget { Budget::NONE }
///     fn initial(_: &u64, _: &mut StateWriter) -> Result<(), StateError> { Ok(()) }
///     fn next<R: Rng>(
///         _: &u64, _: &mut StateEditor<'_>, loads: Loads<'_>, _: u32, _: &mut R,
///     ) -> Result<(), StateError> { Ok(()) }
/// }
/// ```
pub trait Machine: Decider<View = State> {
    /// Returns the number of bits of a state.
    fn budget(parameters: &Self::Parameters) -> Budget;

    /// Returns how samples are drawn. Default: independent uniform bins.
    fn sampling(parameters: &Self::Parameters) -> SampleKind {
        let _ = parameters;
        SampleKind::Independent
    }

    /// Returns the number of bins the machine is made for, if it is made for a number. Default: none.
    fn bins(parameters: &Self::Parameters) -> Option<u64> {
        let _ = parameters;
        None
    }

    /// Writes the state before the first ball.
    ///
    /// # Errors
    ///
    /// If it does not fit.
    fn initial(parameters: &Self::Parameters, writer: &mut StateWriter) -> Result<(), StateError>;

    /// Makes the next state out of the old one. `place` is that of the sample which took the ball.
    ///
    /// # Errors
    ///
    /// If a field does not exist or a value does not fit it. The step has been taken then; the report counts the error as an overflow, and what was changed stays changed.
    fn next<R: Rng>(
        parameters: &Self::Parameters,
        state: &mut StateEditor<'_>,
        sample: Samples<'_>,
        place: u32,
        coins: &mut R,
    ) -> Result<(), StateError>;

    /// Tells whether the machine has a rule for balls that leave. Default: no.
    fn follows_removals(parameters: &Self::Parameters) -> bool {
        let _ = parameters;
        false
    }

    /// Makes the next state when a ball leaves a bin. Default: nothing; then [`follows_removals`](Self::follows_removals) says no.
    ///
    /// # Errors
    ///
    /// As for [`next`](Self::next).
    fn removed(parameters: &Self::Parameters, state: &mut StateEditor<'_>, bin: usize) -> Result<(), StateError> {
        let _ = (parameters, state, bin);
        Ok(())
    }
}

/// A machine as an advisor that ignores loads; [`Machine`] has an example.
///
/// Begun on loads that are not empty it begins at its initial state all the same: it cannot see them.
pub struct Computed<M: Machine> {
    parameters: M::Parameters,
    state: State,
    initial: State,
    changed: bool,
    errors: u64,
}

// By hand, for a machine is a name and need not be cloned.
impl<M: Machine> Clone for Computed<M> {
    fn clone(&self) -> Self {
        Self {
            parameters: self.parameters,
            state: self.state.clone(),
            initial: self.initial.clone(),
            changed: self.changed,
            errors: self.errors,
        }
    }
}

impl<M: Machine> fmt::Debug for Computed<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Computed({:?}, {:?})", self.parameters, self.state)
    }
}

impl<M: Machine> Computed<M> {
    /// Returns the machine in its initial state; [`Machine`] has an example.
    ///
    /// # Errors
    ///
    /// If the initial state does not fit its budget.
    pub fn new(parameters: M::Parameters) -> Result<Self, MemoryError> {
        let mut writer = StateWriter::new(M::budget(&parameters))?;
        M::initial(&parameters, &mut writer)?;
        let initial = writer.finish()?;
        Ok(Self { parameters, state: initial.clone(), initial, changed: true, errors: 0 })
    }

    /// Returns the present state.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }
}

impl<M: Machine> Advisor for Computed<M> {
    type Decider = M;
    type Failure = Infallible;

    fn parameters(&self) -> M::Parameters {
        self.parameters
    }

    fn budget(&self) -> Budget {
        M::budget(&self.parameters)
    }

    fn sampling(&self) -> SampleKind {
        M::sampling(&self.parameters)
    }

    fn begin(&mut self, loads: Loads<'_>) -> Result<(), StartError> {
        if let Some(expected) = M::bins(&self.parameters).filter(|&expected| expected != loads.bins()) {
            return Err(StartError::OtherBins { expected, bins: loads.bins() });
        }
        self.state.clone_from(&self.initial);
        (self.changed, self.errors) = (true, 0);
        Ok(())
    }

    #[inline]
    fn advise(&mut self, _: Loads<'_>, _: &mut BallStream) -> Result<Advice, Infallible> {
        Ok(if core::mem::take(&mut self.changed) { Advice::Changed } else { Advice::Unchanged })
    }

    fn write(&self, _: Loads<'_>, writer: &mut StateWriter) -> Result<(), StateError> {
        let mut at = 0;
        while at < self.state.bits() {
            let width = (self.state.bits() - at).min(64) as u32;
            writer.write(self.state.get(at, width)?, width)?;
            at += u64::from(width);
        }
        Ok(())
    }

    #[inline]
    fn placed(&mut self, _: Loads<'_>, ball: Ball<'_>) {
        let mut editor = StateEditor::new(&mut self.state, &mut self.changed);
        let mut coins = BallStream::new(ball.key, Purpose::Transition);
        if M::next(&self.parameters, &mut editor, ball.sample, ball.place, &mut coins).is_err() {
            self.errors += 1;
        }
    }

    fn follows_removals(&self) -> bool {
        M::follows_removals(&self.parameters)
    }

    fn removed(&mut self, _: Loads<'_>, bin: usize) -> Result<(), StateError> {
        let mut editor = StateEditor::new(&mut self.state, &mut self.changed);
        M::removed(&self.parameters, &mut editor, bin).inspect_err(|_| self.errors += 1)
    }

    fn content_bits(&self, _: Token) -> Option<u64> {
        Some(self.state.bits())
    }

    #[inline]
    fn lend(&self, _: Token) -> Option<&State> {
        Some(&self.state)
    }

    fn notes(&self, _: Token) -> Notes {
        let helper_bytes = self.state.bits().div_ceil(8);
        Notes { computational: true, overflows: self.errors, helper_bytes, ..Notes::default() }
    }
}
