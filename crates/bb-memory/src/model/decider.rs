use core::fmt::Debug;

use bb_core::ParameterError;

use crate::{Choice, Parameters, Samples, State, StateError};

/// The decision `f(state, sample)`: a pure function, asked after the state is closed and the sample drawn.
///
/// The functions have no receiver: what a decider knows is the parameters, the state and the sample. It flips no coin but returns probabilities, so the whole function can be tabulated. The number of the ball is not
/// among what it is told, for that would be `lg m` more bits.
///
/// [`view`](Self::view) reads the bits once for each state, so that a decision does not read all `M` bits; the view is a function of the state and costs nothing in the model.
///
/// # Examples
///
/// One bit of memory, which says which half of the bins to avoid:
///
/// ```
/// use bb_memory::{Budget, Choice, Decider, Samples, State, StateError, StateWriter};
///
/// enum AvoidAHalf {}
///
/// impl Decider for AvoidAHalf {
///     type Parameters = u64; // The number of bins.
///     type View = bool;
///     fn view(_: &u64, state: &State) -> Result<bool, StateError> {
///         Ok(state.get(0, 1)? == 1)
///     }
///     fn decide(bins: &u64, avoid_upper: &bool, sample: Samples<'_>) -> Choice {
///         let upper = |bin: usize| bin as u64 >= bins / 2;
///         let avoided = upper(sample.first()) == *avoid_upper;
///         Choice::sure(u32::from(avoided))
///     }
/// }
///
/// let mut writer = StateWriter::new(Budget::bits(1)?)?;
/// writer.write(1, 1)?;
/// let avoid_upper = AvoidAHalf::view(&10, &writer.finish()?)?;
/// assert_eq!(AvoidAHalf::decide(&10, &avoid_upper, Samples::new(&[7, 3])), Choice::sure(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// It cannot ask for a load, for there is nothing to ask:
///
/// ```compile_fail
/// use bb_memory::{Choice, Decider, Loads, Samples, State, StateError};
///
/// enum Peeking {}
///
/// impl Decider for Peeking {
///     type Parameters = ();
///     type View = ();
///     fn view(_: &(), _: &State) -> Result<(), StateError> { Ok(()) }
///     fn decide(_: &(), loads: Loads<'_>, sample: Samples<'_>) -> Choice {
///         Choice::sure(u32::from(loads.load(sample.second()) < loads.load(sample.first())))
///     }
/// }
/// ```
pub trait Decider {
    /// What is fixed before the first ball.
    type Parameters: Parameters;
    /// A state as the decision reads it. `Sync` rules out cells.
    type View: Clone + Debug + PartialEq + Send + Sync + 'static;

    /// Returns the number of samples a ball has, at least 1. Default: 2.
    fn samples(parameters: &Self::Parameters) -> u32 {
        let _ = parameters;
        2
    }

    /// Reads a state.
    ///
    /// # Errors
    ///
    /// If the bits are not the one string that stands for their meaning.
    fn view(parameters: &Self::Parameters, state: &State) -> Result<Self::View, StateError>;

    /// Decides: with which probability each sample takes the ball.
    fn decide(parameters: &Self::Parameters, view: &Self::View, sample: Samples<'_>) -> Choice;
}

/// Which of two samples takes the ball where the state does not tell them apart.
///
/// # Examples
///
/// ```
/// use bb_memory::TieRule;
///
/// assert_eq!(TieRule::default(), TieRule::First);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TieRule {
    /// The first sample.
    #[default]
    First,
    /// The bin of smaller number. Not a good rule for samples of which nothing is known: a bin on the left then gets up to twice its share.
    Left,
    /// A fair coin.
    Coin,
}

impl TieRule {
    pub(crate) fn to_word(self) -> u64 {
        match self {
            Self::First => 0,
            Self::Left => 1,
            Self::Coin => 2,
        }
    }

    pub(crate) fn from_word(word: u64) -> Option<Self> {
        [Self::First, Self::Left, Self::Coin].into_iter().find(|rule| rule.to_word() == word)
    }
}

/// The number of bins of a scheme, at least 1; names of bins are `usize`, and `2^40` of them are enough.
pub(crate) fn checked_bins(bins: u64) -> Result<u64, ParameterError> {
    if bins == 0 || bins > 1 << 40 { Err(ParameterError::new("n", bins, "1..=2^40")) } else { Ok(bins) }
}
