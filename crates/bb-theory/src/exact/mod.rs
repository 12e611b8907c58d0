//! Small systems, exactly: laws in rational numbers (feature `exact`).
//!
//! A process on a few bins is a Markov chain on few states: the sorted loads, where a rule sees bins only
//! through their loads; the sorted loads of each group for always-go-left; loads and the remembered load for
//! caching. [`chain`] moves a [`Law`] forward, one step at a time, without rounding. For `n ≤ 6` bins and
//! `m ≤ 16` balls this takes seconds at most, and it is the strongest oracle there is for a simulation: a
//! chi-square test against it has no error of its own.
//!
//! | process | function |
//! | --- | --- |
//! | a rule by rank, whose vector may depend on the loads | [`sorted_loads`], with the vectors of [`vectors`] |
//! | always-go-left | [`always_go_left`] |
//! | caching | [`caching`] |
//! | twinning and packing, in rounds | [`twinning`], [`packing`] |
//! | anything else | [`chain`] |
//!
//! # Examples
//!
//! A rule of one's own: Two-Choice, but a bin with three balls is closed while there is another.
//!
//! ```
//! use bb_theory::exact::{BigRational, ratio, sorted_loads, vectors};
//!
//! let law = sorted_loads(4, 8, |loads| {
//!     let open = loads.iter().filter(|&&load| load < 3).count();
//!     let closed = loads.len() - open;
//!     // The closed bins are the heaviest: they lose what they would get, and the others share it in
//!     // proportion.
//!     let two = vectors::d_choice(loads.len() as u64, 2);
//!     let left: BigRational = two[closed..].iter().sum();
//!     (0..loads.len()).map(|bin| if bin < closed { ratio(0, 1) } else { &two[bin] / &left }).collect()
//! });
//! assert_eq!(law.max_load().probability(&4), ratio(0, 1));
//! assert!(law.mean_gap() < sorted_loads(4, 8, |_| vectors::d_choice(4, 2)).mean_gap());
//! ```

mod law;
mod processes;
pub mod vectors;

pub use num_rational::{self, BigRational};

pub use law::{Law, chain};
pub use processes::{always_go_left, caching, packing, sorted_loads, twinning};

/// Returns the rational number `numerator/denominator`.
///
/// # Panics
///
/// If `denominator` is 0.
///
/// # Examples
///
/// ```
/// assert_eq!(bb_theory::exact::ratio(6, 4).to_string(), "3/2");
/// ```
#[must_use]
#[track_caller]
pub fn ratio(numerator: u64, denominator: u64) -> BigRational {
    assert!(denominator > 0, "a fraction with denominator 0");
    BigRational::new(numerator.into(), denominator.into())
}
