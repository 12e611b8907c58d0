//! What is known about the processes without a run: exact laws, limits for many bins, predictions, identities, bounds.
//!
//! | module | what it gives | status |
//! | --- | --- | --- |
//! | [`allocation`] | the probability of each rank, and processes coupled by a common uniform number | exact |
//! | `exact` (feature `exact`) | laws of small systems in rational numbers | exact |
//! | [`one_choice`] | the law of the One-Choice maximum for any size | exact up to rounding |
//! | [`identities`] | one-step expectations of potentials, and what they imply in the stationary state | exact |
//! | [`fluid`] | the fractions of bins at each load, `n → ∞` | limit theorem |
//! | [`stationary`] | the profile around the mean at many balls a bin, its tails, laws of the gap | mean-field prediction |
//! | [`recurrence`] | layered induction and recovery from a gap: the shape of the proofs | proof, but its constants are unknown |
//! | [`bounds`] | proven bounds with their sources, as data | theorems, constants unknown |
//!
//! Laws of integers come as an [`IntegerLaw`]. Nothing here draws a random number except [`allocation::ByRank`], which is a rule.

pub mod allocation;
pub mod bounds;
#[cfg(feature = "exact")]
#[cfg_attr(docsrs, doc(cfg(feature = "exact")))]
pub mod exact;
pub mod fluid;
pub mod identities;
mod law;
pub mod one_choice;
pub mod recurrence;
pub mod stationary;

pub use law::IntegerLaw;
