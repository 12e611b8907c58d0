use core::convert::Infallible;
use core::mem;

use bb_core::StartError;

use crate::error::{RunError, StateError};
use crate::model::budget::Budget;
use crate::model::decider::Decider;
use crate::model::loads::Loads;
use crate::model::samples::Ball;
use crate::model::state::{State, StateWriter};
use crate::model::stream::BallStream;

/// The advisor of the communication model: it sees all loads and writes the state of the next ball, before
/// the samples of that ball are drawn.
///
/// It may remember what it likes and draw what it likes; nothing of that reaches the [decider](Decider) but
/// the state. It has no handle on the samples, the coin or the generator of the run.
///
/// For each ball: [`advise`](Self::advise); if it says [`Advice::Changed`], [`write`](Self::write), and the
/// state is closed; then the samples are drawn and the decider asked; then [`placed`](Self::placed).
///
/// # Examples
///
/// [`Bounded`](crate::Bounded) has a whole scheme. No samples can be had before the state is closed:
///
/// ```compile_fail
/// use bb_memory::bb_core::LoadVector;
/// use bb_memory::{Bounded, Budget, HeavyList};
///
/// let mut rule = Bounded::new(HeavyList::fill(100, Budget::bits(64)?)?);
/// let loads = LoadVector::new(100)?;
/// // There is no such method: `close` comes first, and what it returns can draw.
/// let samples = rule.draw(&loads, 7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// and the closed state draws once:
///
/// ```compile_fail
/// use bb_memory::bb_core::LoadVector;
/// use bb_memory::{Bounded, Budget, HeavyList};
///
/// let mut rule = Bounded::new(HeavyList::fill(100, Budget::bits(64)?)?);
/// let loads = LoadVector::new(100)?;
/// let closed = rule.close(&loads, 7)?;
/// let (first, second) = (closed.draw(), closed.draw());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Advisor {
    /// Who reads the state.
    type Decider: Decider;
    /// Why advice can fail while running: `Infallible` if it cannot, and only then is
    /// [`Bounded`](crate::Bounded) an allocator.
    type Failure: Into<AdviceFailure>;

    /// Returns the decider: what is fixed before the first ball, the number of bits among it.
    fn decider(&self) -> Self::Decider;

    /// Begins on these loads: forgets what was remembered.
    ///
    /// # Errors
    ///
    /// If the scheme cannot work on these loads.
    fn begin(&mut self, loads: Loads<'_>) -> Result<(), StartError>;

    /// Makes up its mind for the next ball. After [`begin`](Self::begin) the answer is taken as `Changed`.
    /// Default: `Changed`.
    ///
    /// # Errors
    ///
    /// Where the policy is to stop.
    #[inline]
    fn advise(&mut self, loads: Loads<'_>, rng: &mut BallStream) -> Result<Advice, Self::Failure> {
        let _ = (loads, rng);
        Ok(Advice::Changed)
    }

    /// Writes the state.
    ///
    /// # Errors
    ///
    /// If it does not fit. [`Bounded::try_step`](crate::Bounded::try_step) returns the error; as an
    /// allocator, `Bounded` plays such a ball without memory, and the report says so.
    fn write(&self, loads: Loads<'_>, writer: &mut StateWriter) -> Result<(), StateError>;

    /// Learns what became of a ball. Default: nothing.
    #[inline]
    fn placed(&mut self, loads: Loads<'_>, ball: Ball<'_>) {
        let _ = (loads, ball);
    }

    /// Tells whether it can follow balls that leave. Default: no.
    fn follows_removals(&self) -> bool {
        false
    }

    /// Learns that a ball left a bin. Default: nothing; then [`follows_removals`](Self::follows_removals)
    /// says no.
    ///
    /// # Errors
    ///
    /// If it cannot follow this one.
    fn removed(&mut self, loads: Loads<'_>, bin: usize) -> Result<(), StateError> {
        let _ = (loads, bin);
        Ok(())
    }

    /// Tells whether the state is a function of the present loads alone: the audit then compares it with one
    /// made from scratch. Default: no.
    fn is_function_of_loads(&self) -> bool {
        false
    }

    /// Lends what the decider would read in the state; schemes of this crate only.
    #[doc(hidden)]
    #[inline]
    fn lend(&self, _: token::Token) -> Option<&<Self::Decider as Decider>::View> {
        None
    }

    /// What the report is to say; schemes of this crate only.
    #[doc(hidden)]
    fn notes(&self, _: token::Token) -> Notes {
        Notes::default()
    }
}

/// Whether the state of the next ball is another one.
///
/// # Examples
///
/// ```
/// assert_ne!(bb_memory::Advice::Changed, bb_memory::Advice::Unchanged);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Advice {
    /// The state is that of the ball before.
    Unchanged,
    /// The state has to be written.
    Changed,
}

impl Advice {
    /// Tells whether something changed since it was asked last.
    #[inline]
    pub(crate) fn take(changed: &mut bool) -> Self {
        if mem::take(changed) { Self::Changed } else { Self::Unchanged }
    }
}

/// Why advice failed.
///
/// # Examples
///
/// [`RunError`] has an example.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum AdviceFailure {
    /// The state needs so many bits.
    Overflow {
        /// The bits needed.
        needed: u64,
    },
    /// The state cannot be written for another reason.
    State(StateError),
}

impl From<Infallible> for AdviceFailure {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

impl AdviceFailure {
    pub(crate) fn at(self, step: u64, budget: Budget) -> RunError {
        match self {
            Self::Overflow { needed } => RunError::Overflow { step, needed, budget: budget.get() },
            Self::State(StateError::OverBudget { needed, budget }) => RunError::Overflow { step, needed, budget },
            Self::State(error) => RunError::State { step, error },
        }
    }
}

/// What a scheme of this crate tells the report.
#[doc(hidden)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Notes {
    pub(crate) computational: bool,
    /// The bits of the state without its padding, if known without writing it.
    pub(crate) bits: Option<u64>,
    pub(crate) threshold: Option<u64>,
    pub(crate) overflows: u64,
    pub(crate) certified: bool,
    pub(crate) longest: Option<u64>,
    pub(crate) helper_bytes: u64,
}

impl Notes {
    /// The notes of an advisor that holds the state itself, all of whose bits say something.
    pub(crate) fn of_state(state: &State) -> Self {
        let bits = state.bits();
        Self { bits: Some(bits), helper_bytes: bits.div_ceil(8), ..Self::default() }
    }
}

/// Nobody outside this crate can name its type, so nobody outside can override what asks for one.
pub(crate) mod token {
    /// See the module.
    #[derive(Clone, Copy, Debug)]
    pub struct Token(pub(crate) ());
}
