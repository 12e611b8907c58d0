use bb_core::StartError;

use crate::{BallStream, Budget, Decider, Loads, RunError, SampleKind, Samples, StateError, StateWriter};

/// The advisor of the communication model: it sees all loads and writes the state of the next ball, before that ball's sample is drawn.
///
/// It may remember what it likes and draw what it likes; nothing of that reaches the [decider](Decider) but the state. It has no handle on the sample, the coin or the generator of the run.
///
/// For each ball: [`advise`](Self::advise); if it says [`Advice::Changed`], [`write`](Self::write), and the state is closed; then the sample is drawn and the decider asked; then [`placed`](Self::placed).
///
/// # Examples
///
/// The example of [`Bounded`](crate::Bounded) is a whole scheme. A sample cannot be had before the state is closed:
///
/// ```compile_fail
/// use bb_memory::bb_core::LoadVector;
/// use bb_memory::{Bounded, Budget, HeavyList};
///
/// let mut rule = Bounded::new(HeavyList::fill(100, Budget::bits(64)?)?);
/// let loads = LoadVector::new(100)?;
/// let sample = rule.draw(&loads, 7); // There is no such method: `close` comes first, and what it returns can draw.
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
    /// Why advice can fail while running: `Infallible` if it cannot, and only then is [`Bounded`](crate::Bounded) an allocator.
    type Failure: Into<AdviceFailure>;

    /// Returns what is fixed before the first ball.
    fn parameters(&self) -> <Self::Decider as Decider>::Parameters;

    /// Returns the number of bits of a state.
    fn budget(&self) -> Budget;

    /// Returns how samples are drawn. Default: independent uniform bins.
    fn sampling(&self) -> SampleKind {
        SampleKind::Independent
    }

    /// Begins on these loads: forgets what was remembered.
    ///
    /// # Errors
    ///
    /// If the scheme cannot work on these loads.
    fn begin(&mut self, loads: Loads<'_>) -> Result<(), StartError>;

    /// Makes up its mind for the next ball. After [`begin`](Self::begin) the answer is taken as `Changed`. Default: `Changed`.
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
    /// If it does not fit. [`Bounded::try_step`](crate::Bounded::try_step) returns the error; as an allocator, `Bounded` plays such a ball without memory, and the report says so.
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

    /// Learns that a ball left a bin. Default: nothing; then [`follows_removals`](Self::follows_removals) says no.
    ///
    /// # Errors
    ///
    /// If it cannot follow this one.
    fn removed(&mut self, loads: Loads<'_>, bin: usize) -> Result<(), StateError> {
        let _ = (loads, bin);
        Ok(())
    }

    /// Tells whether the state is a function of the present loads alone: the audit then compares it with one made from scratch. Default: no.
    fn is_function_of_loads(&self) -> bool {
        false
    }

    /// Returns the bits of the state without its padding, if known without writing it.
    #[doc(hidden)]
    fn content_bits(&self, _: token::Token) -> Option<u64> {
        None
    }

    /// Lends what the decider would read in the state; schemes of this crate only.
    #[doc(hidden)]
    #[inline]
    fn lend(&self, _: token::Token) -> Option<&<Self::Decider as Decider>::View> {
        None
    }

    /// What the report is to say.
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

/// A ball that was placed; [`Advisor::placed`] gets it.
///
/// # Examples
///
/// The example of [`Machine`](crate::Machine) uses one.
#[derive(Clone, Copy, Debug)]
pub struct Ball<'a> {
    /// What was sampled.
    pub sample: Samples<'a>,
    /// The place of the sample that was taken, from 0.
    pub place: u32,
    /// The bin.
    pub bin: usize,
    /// The load of the bin, with the ball.
    pub load: u64,
    /// The key of the ball.
    pub(crate) key: u64,
}

/// Why advice failed.
///
/// # Examples
///
/// The example of [`RunError`] shows it.
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

impl From<core::convert::Infallible> for AdviceFailure {
    fn from(never: core::convert::Infallible) -> Self {
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
    pub(crate) threshold: Option<u64>,
    pub(crate) overflows: u64,
    pub(crate) certified: bool,
    pub(crate) longest: Option<u64>,
    pub(crate) helper_bytes: u64,
}

/// Nobody outside this crate can name its type, so nobody outside can override what asks for one.
pub(crate) mod token {
    /// See the module.
    #[derive(Clone, Copy, Debug)]
    pub struct Token(pub(crate) ());
}
