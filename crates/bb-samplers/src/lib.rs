#![doc = include_str!("../README.md")]
//!
//! # Method
//!
//! The symmetries of each law first lead to a small success probability
//! (at most 1/2). Then
//!
//! - a small mean is served by inversion, walking upward from 0;
//! - the rest by *transformed rejection with squeeze* (algorithm BTRS of
//!   W. Hörmann, "The generation of binomial random variates", Journal of
//!   Statistical Computation and Simulation 46, 1993, pp. 101–110), in which
//!   about four tries in five return without evaluating the law. Its constants are
//!   proved for the binomial; for the hypergeometric law they were scanned
//!   (the ignored test `envelope_scan`, see below).
//! - The law itself is evaluated as its ratio to the value at the mode, from
//!   the deviance series of C. Loader ("Fast and accurate computation of
//!   binomial probabilities", 2000), in which nothing large cancels.
//! - Where the standard deviation is 4096 or more, the rejection chooses a
//!   block of `2^k` neighbouring values and random bits choose the value in
//!   the block. So the low bits of an answer are as random at `2^62` as at
//!   `2^10`.
//!
//! # Accuracy
//!
//! With real arithmetic and real uniform numbers every law here would be
//! exact. With 64-bit words and `f64` the law of one [`Hypergeometric`] or
//! [`Binomial`] draw is within **1e-11** of the exact one in total variation:
//! no event, however chosen, has its probability changed by more. The parts:
//!
//! - *Inversion.* One word is compared with a distribution function, so
//!   resolution costs `2^-53` for each of the values that carry mass (fewer
//!   than 150). `ln P(0)` is a sum of terms below 100, right to `1e-13`, and each
//!   later term is a product of at most 150 factors, each right to a few `2^-53`.
//!   As `Σ P(x) = 1` this is below 2e-13 together (exact tests see 1e-14). Tails
//!   lighter than `2^-66` are cut.
//! - *Rejection, acceptance.* Within six standard deviations, beyond which lies
//!   2e-9 of the mass, the logarithm of the law over its mode is right to
//!   `1e-13`: its parts are positive series that sum to at most 20 or so, each right
//!   to a few `2^-53` of itself; against 60-digit arithmetic the largest error in
//!   4000 random laws was 6e-14. So each probability is within a factor
//!   `1 ± 1e-13`. The acceptance variable has steps of `2^-53`.
//! - *Rejection, proposal.* A block is proposed as `floor(g(u))`. Five roundings
//!   move its edges by at most `5·2^-53·|g|`, and the 64-bit u, itself rounded,
//!   by `2^-55·g'(u)`. The blocks keep the standard deviation at 4096 blocks at most,
//!   so that the mean of `|g|` over the law is below 3300 and that of `g'` below
//!   `2^14`: edges move by 2.3e-12 on average. The mass that changes sides is at
//!   most that, and as much again when the rest is normed to 1: below 5e-12. It
//!   shrinks with the standard deviation: at 16 it is 2e-14.
//!
//! Chains add up: `k` draws in a row are within `k` times the bound. What is
//! added by rounded *weights* is stated at [`Multinomial`]; all other
//! parameters are integers, or an `f64` taken at its exact value.
//!
//! # Repeatability
//!
//! The same generator state gives the same answers. Beside IEEE arithmetic the
//! samplers use `exp`, `exp_m1`, `ln` and `ln_1p` of the platform; a platform
//! that rounds these differently may give another answer with a chance of
//! about `1e-15` a draw.
//!
//! # The envelope scan
//!
//! `cargo test -p bb-samplers --release --lib envelope_scan -- --ignored --nocapture` checks,
//! value by value over a grid of parameters, that the rejection's hat lies
//! above the law and its squeeze below.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod binomial;
mod draws;
#[cfg(test)]
mod envelope_scan;
mod error;
mod hypergeometric;
mod inversion;
mod ln_ratio;
mod multinomial;
mod multivariate;
mod numbers;
mod parameter;
mod rejection;

pub use rand;

pub use crate::binomial::Binomial;
pub use crate::draws::{Coin, DistinctSampler, IndexSampler, draw_below};
pub use crate::error::SamplerError;
pub use crate::hypergeometric::Hypergeometric;
pub use crate::multinomial::{Multinomial, multinomial};
pub use crate::multivariate::{multivariate_hypergeometric, multivariate_hypergeometric_into};
pub use crate::numbers::MAX_POPULATION;
pub use crate::parameter::ParameterError;
