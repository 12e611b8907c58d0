//! The best that can be done with few bins, exactly: [`optimal_value`], [`OptimalThinning`].

mod programme;
mod strategy;

use core::fmt;

use bb_core::ParameterError;

use crate::realizability::Number;

pub use strategy::OptimalThinning;

/// The most bins of a programme.
const MOST_BINS: u32 = 8;
/// The most balls of a programme.
const MOST_BALLS: u32 = 64;
/// The most samples or choices of a ball.
const MOST_SAMPLES: u32 = 16;

/// What is to be made small after `m` balls.
///
/// # Examples
///
/// ```
/// use bb_thinning::{Objective, Sampling, optimal_value};
///
/// // Four balls into four bins: the maximum, the chance of at least 2, and the largest gap at any time.
/// let best = |objective| optimal_value::<f64>(4, 4, Sampling::Thinning(2), objective).unwrap();
/// // The mean is a sum of tails, but what is best for one of them is not for all.
/// assert!(best(Objective::Maximum) > 1.0 + best(Objective::Tail(2)) + best(Objective::Tail(3)));
/// assert!(best(Objective::AllTimeMaximum) >= 0.75);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Objective {
    /// The expected maximum load, in balls.
    Maximum,
    /// The probability that the maximum load is at least this, in balls.
    Tail(u64),
    /// The expected largest value of maximum load minus average over all times, the start included.
    AllTimeMaximum,
}

/// What a rule may choose from for each ball.
///
/// # Examples
///
/// ```
/// use bb_thinning::{Objective, Sampling, optimal_value};
///
/// let best = |sampling| optimal_value::<f64>(4, 8, sampling, Objective::Maximum).unwrap();
/// let [one, thinning, two] = [Sampling::Choice(1), Sampling::Thinning(2), Sampling::Choice(2)].map(best);
/// assert!(two < thinning && thinning < one);
/// // More samples than bins see nearly all of them.
/// assert!(best(Sampling::Thinning(16)) < two);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Sampling {
    /// So many uniform bins, one after another; each is taken or refused before the next is seen, and the
    /// last is taken: `d`-thinning, 1 to 16. One sample is One-Choice.
    Thinning(u32),
    /// So many uniform bins at once: any of them may be taken, 1 to 16.
    Choice(u32),
}

impl fmt::Display for Sampling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Thinning(samples) => write!(f, "{samples}-thinning"),
            Self::Choice(d) => write!(f, "{d}-choice"),
        }
    }
}

/// Returns the smallest value that any rule can reach which sees all loads and all that was before, from
/// `bins` empty bins after `balls` balls: `1..=8` bins, `0..=64` balls.
///
/// A dynamic programme backwards in time over sorted load vectors. With `V_i` the value after a ball in bin
/// `i`, and `V̄` their mean, two-thinning accepts bin `i` iff `V_i ≤ V̄`, and the value is
/// `(1/n) Σ min(V_i, V̄)`; with `d` samples the mean is taken `d − 1` times like this; and of `d` bins at
/// once the smallest `V_i` is taken. For [`Objective::AllTimeMaximum`] the state has the largest gap so far
/// as well. Randomising cannot do better, since the value is linear in each accept probability.
///
/// *Accuracy:* exact for rationals; for `f64` sums of positive numbers, about `1e-14` relative. *Cost:* a few
/// operations for each vector and level, 2 million vectors at 8 bins and 64 balls: a second in `f64`, four
/// for the maximum over time. Rationals grow with the number of balls.
///
/// # Errors
///
/// If `bins` is outside `1..=8`, `balls` outside `0..=64`, or the number of samples or choices outside
/// `1..=16`.
///
/// # Examples
///
/// ```
/// use bb_thinning::num_rational::Ratio;
/// use bb_thinning::{Objective, Sampling, optimal_value};
///
/// let best = optimal_value::<Ratio<i128>>(3, 3, Sampling::Thinning(2), Objective::Maximum)?;
/// // Less than the threshold strategy with limit 1 reaches, which does not count second bins:
/// // 1·38/81 + 2·14/27 + 3·1/81.
/// assert_eq!(best, Ratio::new(41, 27));
/// assert!(best < Ratio::new(125, 81));
/// let error = optimal_value::<f64>(9, 3, Sampling::Thinning(2), Objective::Maximum).unwrap_err();
/// assert_eq!(error.to_string(), "bins = 9 is outside 1..=8");
/// # Ok::<(), bb_thinning::bb_core::ParameterError>(())
/// ```
pub fn optimal_value<T: Number>(
    bins: u32,
    balls: u32,
    sampling: Sampling,
    objective: Objective,
) -> Result<T, ParameterError> {
    check(bins, balls, sampling)?;
    Ok(programme::solve(bins, balls, sampling, objective, |_, _| ()))
}

fn check(bins: u32, balls: u32, sampling: Sampling) -> Result<(), ParameterError> {
    ParameterError::require((1..=MOST_BINS).contains(&bins), "bins", bins, "1..=8")?;
    ParameterError::require(balls <= MOST_BALLS, "balls", balls, "0..=64")?;
    let (Sampling::Thinning(d) | Sampling::Choice(d)) = sampling;
    ParameterError::require((1..=MOST_SAMPLES).contains(&d), "d", d, "1..=16")
}
