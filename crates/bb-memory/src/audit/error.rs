use bb_core::{ParameterError, StartError};
use thiserror::Error;

use crate::error::StateError;

/// What an audit found.
///
/// # Examples
///
/// ```
/// use bb_memory::audit::AuditError;
///
/// let error = AuditError::Impure { step: 3 };
/// assert_eq!(error.to_string(), "at step 3 the decider answered the same question in two ways");
/// ```
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum AuditError {
    /// The scheme does not begin.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The advice failed, as its policy says.
    #[error("before step {step} the advice failed")]
    Advice {
        /// Balls placed before.
        step: u64,
    },
    /// A state cannot be written within its budget, or its own decider cannot read it.
    #[error("before step {step}: {error}")]
    State {
        /// Balls placed before.
        step: u64,
        /// What is wrong.
        error: StateError,
    },
    /// The state is not what the loads lead to, or what is said to be unchanged has changed, or a length is
    /// not what it was said to be.
    #[error("before step {step} the state is not what it is said to be: {what}")]
    Budget {
        /// Balls placed before.
        step: u64,
        /// What differs.
        what: &'static str,
    },
    /// Asked twice, with other questions in between, the decider gave two answers.
    #[error("at step {step} the decider answered the same question in two ways")]
    Impure {
        /// Balls placed before.
        step: u64,
    },
    /// Two load vectors with the same state led to different answers.
    #[error("at step {step} the decision depends on the loads beyond the state")]
    NotBlind {
        /// Balls placed before.
        step: u64,
    },
    /// Asked again without any loads, from the states and samples alone, the decider gave other answers.
    #[error("at step {step} the decision cannot be repeated from the state and the samples")]
    Replay {
        /// Balls placed before.
        step: u64,
    },
    /// The probabilities of a state break a law that holds for all of them.
    #[error("in state {state} {law} fails: {value} against {bound}")]
    Table {
        /// The state, as a number.
        state: u64,
        /// The law.
        law: &'static str,
        /// What was found.
        value: f64,
        /// What it is held against.
        bound: f64,
    },
    /// The case is too large to enumerate.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// The decider does not come back from its own words.
    #[error("the decider is not that of its own words")]
    Words,
}
