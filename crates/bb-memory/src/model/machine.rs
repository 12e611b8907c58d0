use core::convert::Infallible;

use bb_core::StartError;

use crate::error::{MemoryError, StateError};
use crate::model::advisor::token::Token;
use crate::model::advisor::{Advice, Advisor, Notes};
use crate::model::decider::Decider;
use crate::model::loads::Loads;
use crate::model::samples::Ball;
use crate::model::state::{State, StateEditor, StateWriter};
use crate::model::stream::{BallStream, Purpose};

/// A machine of the computational model: the next state follows from the old state, the samples, the pick and
/// coins alone.
///
/// None of its functions is shown a load. Its decider reads the state where it is (`View = State`), and the
/// next state is made by changing fields of it, so that a step does not cost `O(M)`. Every machine is also an
/// advisor that ignores loads: [`Computed`]. There is no way back.
///
/// # Examples
///
/// A machine of one bit, which remembers the half of the bins that the last ball went to, and avoids it:
///
/// ```
/// use bb_memory::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
/// use bb_memory::{
///     Ball, BallStream, Bounded, Budget, Choice, Computed, Decider, Machine, ModelClass, Samples, State,
///     StateEditor, StateError,
/// };
///
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// struct Alternate { bins: u64 }
///
/// impl Decider for Alternate {
///     type View = State;
///     fn to_words(&self) -> Vec<u64> { vec![self.bins] }
///     fn from_words(words: &[u64]) -> Option<Self> {
///         let &[bins] = words else { return None };
///         Some(Self { bins })
///     }
///     fn budget(&self) -> Budget { Budget::bits(1).unwrap() }
///     fn view(&self, state: &State) -> Result<State, StateError> { Ok(state.clone()) }
///     fn decide(&self, state: &State, samples: Samples<'_>) -> Choice {
///         let last_was_upper = state.get(0, 1) == Ok(1);
///         Choice::sure(u32::from((samples.first() as u64 >= self.bins / 2) == last_was_upper))
///     }
/// }
/// impl Machine for Alternate {
///     fn next(
///         &self, state: &mut StateEditor<'_>, ball: Ball<'_>, _: &mut BallStream,
///     ) -> Result<(), StateError> {
///         state.set(0, 1, u64::from(ball.bin as u64 >= self.bins / 2))
///     }
/// }
///
/// let mut rule = Bounded::new(Computed::new(Alternate { bins: 1000 })?);
/// let mut loads = LoadVector::new(1000)?;
/// rule.start_and_run(&mut loads, 10_000, &mut rng_for_trial(1, 0))?;
/// assert_eq!((rule.report().class(), loads.total()), (ModelClass::Computational, 10_000));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A machine that asks for loads does not compile:
///
/// ```compile_fail
/// use bb_memory::{
///     BallStream, Budget, Choice, Decider, Loads, Machine, Samples, State, StateEditor, StateError,
/// };
///
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// struct Peeking;
/// impl Decider for Peeking {
///     type View = State;
///     fn to_words(&self) -> Vec<u64> { vec![] }
///     fn from_words(_: &[u64]) -> Option<Self> { Some(Self) }
///     fn budget(&self) -> Budget { Budget::NONE }
///     fn view(&self, state: &State) -> Result<State, StateError> { Ok(state.clone()) }
///     fn decide(&self, _: &State, _: Samples<'_>) -> Choice { Choice::sure(0) }
/// }
/// impl Machine for Peeking {
///     fn next(
///         &self, _: &mut StateEditor<'_>, loads: Loads<'_>, _: &mut BallStream,
///     ) -> Result<(), StateError> {
///         Ok(())
///     }
/// }
/// ```
pub trait Machine: Decider<View = State> {
    /// Returns the number of bins the machine is made for, if it is made for a number. Default: none.
    fn bins(&self) -> Option<u64> {
        None
    }

    /// Writes the state before the first ball. Default: zeros.
    ///
    /// # Errors
    ///
    /// If it does not fit.
    fn initial(&self, writer: &mut StateWriter) -> Result<(), StateError> {
        let _ = writer;
        Ok(())
    }

    /// Makes the next state out of the old one, when a ball was placed.
    ///
    /// # Errors
    ///
    /// If a field does not exist or a value does not fit it. The step has been taken then; the report counts
    /// the error as an overflow, and what was changed stays changed.
    fn next(&self, state: &mut StateEditor<'_>, ball: Ball<'_>, coins: &mut BallStream) -> Result<(), StateError>;

    /// Tells whether the machine has a rule for balls that leave. Default: no.
    fn follows_removals(&self) -> bool {
        false
    }

    /// Makes the next state when a ball leaves a bin. Default: nothing; then
    /// [`follows_removals`](Self::follows_removals) says no.
    ///
    /// # Errors
    ///
    /// As for [`next`](Self::next).
    fn removed(&self, state: &mut StateEditor<'_>, bin: usize) -> Result<(), StateError> {
        let _ = (state, bin);
        Ok(())
    }
}

/// A machine as an advisor that ignores loads; [`Machine`] has an example.
///
/// Begun on loads that are not empty it begins at its initial state all the same: it cannot see them.
#[derive(Clone, Debug)]
pub struct Computed<M> {
    machine: M,
    state: State,
    initial: State,
    changed: bool,
    errors: u64,
}

impl<M: Machine> Computed<M> {
    /// Returns the machine in its initial state; [`Machine`] has an example.
    ///
    /// # Errors
    ///
    /// If the initial state does not fit its budget.
    pub fn new(machine: M) -> Result<Self, MemoryError> {
        let mut writer = StateWriter::new(machine.budget())?;
        machine.initial(&mut writer)?;
        let initial = writer.finish()?;
        Ok(Self { machine, state: initial.clone(), initial, changed: true, errors: 0 })
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

    fn decider(&self) -> M {
        self.machine
    }

    fn begin(&mut self, loads: Loads<'_>) -> Result<(), StartError> {
        self.machine.bins().map_or(Ok(()), |bins| loads.expect_bins(bins))?;
        self.state.clone_from(&self.initial);
        (self.changed, self.errors) = (true, 0);
        Ok(())
    }

    #[inline]
    fn advise(&mut self, _: Loads<'_>, _: &mut BallStream) -> Result<Advice, Infallible> {
        Ok(Advice::take(&mut self.changed))
    }

    fn write(&self, _: Loads<'_>, writer: &mut StateWriter) -> Result<(), StateError> {
        writer.write_state(&self.state)
    }

    #[inline]
    fn placed(&mut self, _: Loads<'_>, ball: Ball<'_>) {
        let mut editor = StateEditor::new(&mut self.state, &mut self.changed);
        let mut coins = BallStream::new(ball.key, Purpose::Transition);
        if self.machine.next(&mut editor, ball, &mut coins).is_err() {
            self.errors += 1;
        }
    }

    fn follows_removals(&self) -> bool {
        self.machine.follows_removals()
    }

    fn removed(&mut self, _: Loads<'_>, bin: usize) -> Result<(), StateError> {
        let mut editor = StateEditor::new(&mut self.state, &mut self.changed);
        self.machine.removed(&mut editor, bin).inspect_err(|_| self.errors += 1)
    }

    #[inline]
    fn lend(&self, _: Token) -> Option<&State> {
        Some(&self.state)
    }

    fn notes(&self, _: Token) -> Notes {
        Notes { computational: true, overflows: self.errors, ..Notes::of_state(&self.state) }
    }
}
