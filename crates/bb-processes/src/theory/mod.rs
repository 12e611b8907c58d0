//! What is known about the processes without a run: exact laws, limits for many bins, predictions, identities, bounds.
//!
//! | module | what it gives | status |
//! | --- | --- | --- |
//! | [`allocation`] | the probability of each rank, and processes coupled by a common uniform number | exact |
//! | `exact` (feature `exact`) | laws of small systems in rational numbers | exact |
//! | [`one_choice`] | the law of the One-Choice maximum for any size | exact up to rounding |
//! | [`fluid`] | the fractions of bins at each load, `n → ∞` | limit theorem |
//! | [`stationary`] | the profile around the mean at many balls a bin, its tails, laws of the gap | mean-field prediction |
//!
//! Laws of integers come as an [`IntegerLaw`]. Nothing here draws a random number except [`allocation::ByRank`], which is a rule.

pub mod allocation;
#[cfg(feature = "exact")]
#[cfg_attr(docsrs, doc(cfg(feature = "exact")))]
pub mod exact;
pub mod fluid;
mod law;
pub mod one_choice;
pub mod stationary;

pub use law::IntegerLaw;
