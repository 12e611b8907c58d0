//! The model: who sees what, and when.
//!
//! Read in this order: [`budget`] and [`state`] (what is remembered), [`samples`] and [`choice`] (what is
//! asked and answered), [`decider`] (who answers), [`loads`] and [`advisor`] (who writes the state),
//! [`machine`] (a state that needs no advisor), [`bounded`] (who plays them all, one ball after another),
//! [`pieces`] (the same in pieces).

mod advisor;
mod bounded;
mod budget;
mod choice;
mod decider;
mod loads;
mod machine;
mod pieces;
mod report;
mod samples;
mod state;
mod stream;

pub use self::advisor::{Advice, AdviceFailure, Advisor};
pub(crate) use self::advisor::{Notes, token::Token};
pub(crate) use self::bounded::written;
pub use self::bounded::{Bounded, Mode};
pub use self::budget::Budget;
pub(crate) use self::budget::{checked_bins, checked_delta, checked_share};
pub use self::choice::{Choice, Odds, TieRule};
pub use self::decider::Decider;
pub use self::loads::Loads;
pub use self::machine::{Computed, Machine};
pub use self::pieces::{Asked, Closed};
pub use self::report::{MemoryReport, ModelClass};
pub(crate) use self::samples::Sampler;
pub use self::samples::{Ball, SampleKind, Samples};
pub use self::state::{State, StateEditor, StateReader, StateWriter};
pub use self::stream::{BallStream, Purpose};
