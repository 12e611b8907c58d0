use core::fmt::Debug;

use crate::error::StateError;
use crate::model::budget::Budget;
use crate::model::choice::Choice;
use crate::model::samples::{SampleKind, Samples};
use crate::model::state::State;

/// Decides which sample takes the ball, from a state of `M` bits and the samples, and nothing else.
///
/// A decider is a plain value: what is fixed before the first ball and free of charge, such as `n`,
/// thresholds, widths of fields and the rule for ties. `Copy` rules out cells, reference counts and owned
/// heaps of mutable state. And no run asks the value that a scheme holds, but one rebuilt from its
/// [words](Self::to_words): whatever the words do not carry is lost. The type system alone is not a proof,
/// for a decider can still read a global variable; the [audits](crate::audit) look for that.
///
/// It flips no coin but returns probabilities, so the whole function can be tabulated. It is not told the
/// number of the ball, for that would be `lg m` more bits.
///
/// [`view`](Self::view) reads the bits once for each state, so that a decision does not read all `M` bits.
/// The view is a function of the state and costs nothing in the model.
///
/// # Examples
///
/// One bit of memory, which says which half of the bins to avoid:
///
/// ```
/// use bb_memory::{Budget, Choice, Decider, Samples, State, StateError, StateWriter};
///
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// struct AvoidAHalf { bins: u64 }
///
/// impl Decider for AvoidAHalf {
///     type View = bool;
///     fn to_words(&self) -> Vec<u64> { vec![self.bins] }
///     fn from_words(words: &[u64]) -> Option<Self> {
///         let &[bins] = words else { return None };
///         Some(Self { bins })
///     }
///     fn budget(&self) -> Budget { Budget::bits(1).unwrap() }
///     fn view(&self, state: &State) -> Result<bool, StateError> {
///         Ok(state.get(0, 1)? == 1)
///     }
///     fn decide(&self, avoid_upper: &bool, samples: Samples<'_>) -> Choice {
///         let upper = |bin: usize| bin as u64 >= self.bins / 2;
///         let avoided = upper(samples.first()) == *avoid_upper;
///         Choice::sure(u32::from(avoided))
///     }
/// }
///
/// let decider = AvoidAHalf { bins: 10 };
/// assert_eq!(AvoidAHalf::from_words(&decider.to_words()), Some(decider));
/// let mut writer = StateWriter::new(decider.budget())?;
/// writer.write(1, 1)?;
/// let avoid_upper = decider.view(&writer.finish()?)?;
/// assert_eq!(decider.decide(&avoid_upper, Samples::new(&[7, 3])), Choice::sure(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// It cannot ask for a load, for there is nothing to ask:
///
/// ```compile_fail
/// use bb_memory::{Budget, Choice, Decider, Loads, Samples, State, StateError};
///
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// struct Peeking;
///
/// impl Decider for Peeking {
///     type View = ();
///     fn to_words(&self) -> Vec<u64> { vec![] }
///     fn from_words(_: &[u64]) -> Option<Self> { Some(Self) }
///     fn budget(&self) -> Budget { Budget::NONE }
///     fn view(&self, _: &State) -> Result<(), StateError> { Ok(()) }
///     fn decide(&self, loads: Loads<'_>, samples: Samples<'_>) -> Choice {
///         Choice::sure(u32::from(loads.load(samples.second()) < loads.load(samples.first())))
///     }
/// }
/// ```
///
/// It cannot hold a cell, which is not `Copy`:
///
/// ```compile_fail
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// struct Counting { calls: std::cell::Cell<u64> }
/// ```
///
/// nor a reference to an atomic, which cannot be compared (and which no words bring back):
///
/// ```compile_fail
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// struct Shared(&'static std::sync::atomic::AtomicU64);
/// ```
pub trait Decider: Copy + Debug + PartialEq + Send + Sync + 'static {
    /// A state as the decision reads it. `Sync` rules out cells.
    type View: Clone + Debug + PartialEq + Send + Sync + 'static;

    /// Returns the decider in words.
    fn to_words(&self) -> Vec<u64>;

    /// Returns the decider of these words; `None` if they are not those of one.
    fn from_words(words: &[u64]) -> Option<Self>;

    /// Returns the number of bits of a state: all that is remembered from ball to ball.
    fn budget(&self) -> Budget;

    /// Returns how many samples a ball has, at least 1. Default: 2.
    fn samples(&self) -> u32 {
        2
    }

    /// Returns how the samples of a ball are drawn. Default: independent uniform bins.
    fn sampling(&self) -> SampleKind {
        SampleKind::Independent
    }

    /// Reads a state.
    ///
    /// # Errors
    ///
    /// If the bits are not the one string that stands for their meaning.
    fn view(&self, state: &State) -> Result<Self::View, StateError>;

    /// Decides: with which probability each sample takes the ball.
    fn decide(&self, view: &Self::View, samples: Samples<'_>) -> Choice;
}
