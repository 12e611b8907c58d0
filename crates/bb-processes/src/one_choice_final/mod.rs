//! The final loads of One-Choice, drawn at once.

mod double;
mod levels;

use bb_core::rand::distr::Distribution;
use bb_core::samplers::{Binomial, MAX_POPULATION};
use bb_core::{IndexSampler, LoadProfile, LoadVector, LoadsError, ParameterError, Rng};

use thiserror::Error;

use self::levels::Levels;
use crate::one_choice::OneChoice;

impl OneChoice {
    /// Draws the loads of `bins` bins after `balls` balls of One-Choice, without throwing each ball: at most
    /// `2^62` balls.
    ///
    /// Bin after bin takes `Bin(r, 1/k)` of the `r` balls that are left, where it and the bins after it are
    /// `k`; the last bin takes what is left. That is the multinomial law of [`OneChoice`]. Up to 8 balls a
    /// bin it is faster to throw them, and that is done.
    ///
    /// The result has no history: its `all_time_gap` starts at the final gap.
    ///
    /// *Randomness:* more than 8 balls a bin: the words of one [`Binomial::from_ratio`] a bin, in the order
    /// of the bins; else one bounded draw a ball, as [`IndexSampler::draw`].
    ///
    /// *Accuracy:* the loads sum to `balls`, always. Thrown balls are exactly uniform. Else the probabilities
    /// `1/k` are not rounded, so the law is within `bins·1e-11` of the exact one in total variation, by the
    /// bound of each [`Binomial`] draw.
    ///
    /// # Complexity
    ///
    /// `O(n)` time and `8n` bytes while it runs. More than 8 balls a bin cost about 0.1 µs a bin, however
    /// many they are.
    ///
    /// # Errors
    ///
    /// If `balls` exceeds `2^62`, there are no bins, or the memory cannot be had. Nothing is drawn then.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_processes::OneChoice;
    /// use bb_processes::bb_core::{Metrics, rng_for_trial};
    ///
    /// let loads = OneChoice::final_loads(1000, 1 << 50, &mut rng_for_trial(1, 0))?;
    /// assert_eq!(loads.total(), 1 << 50);
    /// // √(2 m/n · ln n) is 4·10⁶.
    /// assert!((2e6..6e6).contains(&loads.gap()));
    /// # Ok::<(), bb_processes::FinalLoadsError>(())
    /// ```
    pub fn final_loads<R: Rng + ?Sized>(bins: u64, balls: u64, rng: &mut R) -> Result<LoadVector, FinalLoadsError> {
        check_balls(balls)?;
        Ok(LoadVector::from_loads(labelled(bins, balls, rng)?)?)
    }

    /// Draws the number of bins of each load after `balls` balls of One-Choice, without touching each bin or
    /// ball: at most `2^62` of each.
    ///
    /// The maximum load, its multiplicity and every other metric that does not tell bins apart come with it.
    /// The result has no history: its `all_time_gap` starts at the final gap.
    ///
    /// # Method
    ///
    /// After L. Devroye and D. Los, "An asymptotically optimal algorithm for generating bin cardinalities",
    /// Mathematics and Computers in Simulation 2025 (arXiv 2404.07011), who prove `Θ(log n/log log n)` for
    /// `m = n` and that this is optimal, and optimal up to `m = n log n`. Known to us is the outline: aim a
    /// Poisson number of balls below `m`, then repair. How the repair is done here is our reconstruction, and
    /// so are the bounds below:
    ///
    /// 1. Up to 64 balls are thrown.
    /// 2. Else `n` independent Poisson loads of mean `(m − 2√m)/n` are split over the levels, each level by
    ///    one binomial draw, from the lowest that matters. Given their sum `N` they are the loads of `N`
    ///    balls of One-Choice, *whatever the mean*. Where `N > m` (probability 0.02) they are drawn again.
    /// 3. The profile of the other `m − N` balls, about `2√m`, is drawn in the same way.
    /// 4. The two profiles are independent, and each is exchangeable: their bins are matched at random, by
    ///    multivariate hypergeometric draws for each level of the second but the fullest, highest first, and
    ///    the loads of matched bins added.
    ///
    /// Few bins with many balls, where most levels are empty, are drawn as by
    /// [`final_loads`](Self::final_loads) and counted.
    ///
    /// *Randomness:* in this order: at most 64 balls one bounded draw each; else for each level one binomial
    /// draw, and a second one for what a rounded probability lacks; then the balls left, and last the draws
    /// of the matching.
    ///
    /// # Accuracy
    ///
    /// The counts sum to `bins` and the loads to `balls`, always. In total variation the law is within
    /// `D·1e-11 + 1e-17` of the exact one, for `D` draws:
    ///
    /// - *Draws.* Each binomial and hypergeometric draw is within 1e-11
    ///   ([derivation](bb_core::samplers#accuracy)). `D` was seen to be less than 70 on average for
    ///   `m = n = 10^3`, 180 for `m = n = 2^60`, and 800 for 100 balls a bin: below 1e-8 in these cases. It
    ///   grows like `√(m/n)`, times a few: `10^5` for `10^9` bins with `10^6` balls each, where the bound is
    ///   1e-6.
    /// - *Levels left out.* Poisson levels on both sides of the mode which together have probability at most
    ///   `2^-60/n`. The chance that any bin would have been there is below 1e-18 in each round of steps 2 to
    ///   4, of which there are about five at most.
    /// - *Rounded probabilities.* A probability with relative error ε in `n` trials costs up to `ε√n`. At
    ///   `n = 2^62` an `f64` is too coarse for this: ten roundings would cost 2e-6 (1e-9 at `2^40`). So the
    ///   weights follow `w(k + 1) = w(k)·mean/(k + 1)` from 1 at the mode, in numbers of 106 bits; their sums
    ///   are formed from the far end, without a difference; of "this level" and "a higher one" the less
    ///   likely is drawn; and its probability enters the binomial draw as an `f64` below it, and the rest in
    ///   a second draw for the failures. How the mean itself is rounded does not matter, by step 2. With
    ///   `L <= 27·√(m/n) + 70` levels (Bernstein's inequality) `ε <= (15L + 16)·2^-106`, so `ε√n` is below
    ///   1e-19 for all parameters. (Each step of `w` errs by at most `6·2^-106` and each sum by half of that;
    ///   the relative entropy of the whole chain is at most `2nε²`, as for
    ///   [`Multinomial`](bb_core::samplers::Multinomial), and Pinsker's inequality gives `ε√n`.)
    ///
    /// # Complexity
    ///
    /// 5 to 10 µs for `m = n` from `10^3` to `2^62`. In general one draw for each occupied level,
    /// `O(log n/log log n)` for `m = n` and `O(√(m/n·log n))` for many balls, times the occupied levels of
    /// about `2√m` balls, which are few; or, if that is less, `O(n log n)`. Memory: a few words for each
    /// level.
    ///
    /// # Errors
    ///
    /// Before anything is drawn: if `balls` exceeds `2^62`, if there are no bins or more than `2^62`, or if
    /// the loads may spread over more than the `2^24` levels of a [`LoadProfile`], with a chance above
    /// `2^-60`. The last concerns more than `2^39` balls a bin; one bin may hold any number.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_processes::OneChoice;
    /// use bb_processes::bb_core::{Bins, Metrics, rng_for_trial};
    ///
    /// let loads = OneChoice::final_profile(1 << 60, 1 << 60, &mut rng_for_trial(1, 0))?;
    /// assert_eq!((loads.bins(), loads.total()), (1 << 60, 1 << 60));
    /// // 1/e of the bins are empty, and the maximum is 19 with probability 0.81.
    /// assert!((loads.empty_bins() as f64 / 2_f64.powi(60) - (-1_f64).exp()).abs() < 1e-8);
    /// assert!((18..25).contains(&loads.max_load()));
    /// # Ok::<(), bb_processes::FinalLoadsError>(())
    /// ```
    pub fn final_profile<R: Rng + ?Sized>(bins: u64, balls: u64, rng: &mut R) -> Result<LoadProfile, FinalLoadsError> {
        check_balls(balls)?;
        check_levels(bins, balls)?;
        let counts: Vec<(u64, u64)> = if balls <= FEW_BALLS {
            Levels::thrown(bins, balls, rng).occupied().collect()
        } else if bins as f64 <= draws_by_level(bins, balls) {
            let mut loads = labelled(bins, balls, rng)?;
            loads.sort_unstable();
            loads.chunk_by(|a, b| a == b).map(|equal| (equal[0], equal.len() as u64)).collect()
        } else {
            levels::draw(bins, balls, FEW_BALLS, rng).occupied().collect()
        };
        Ok(LoadProfile::from_level_counts(&counts)?)
    }
}

/// Up to so many balls are thrown one by one.
const FEW_BALLS: u64 = 64;

/// Up to so many balls a bin it is faster to throw them than to draw a binomial number: 2 to 10 ns
/// against 100.
const FEW_BALLS_A_BIN: u64 = 8;

/// The loads of labelled bins.
fn labelled<R: Rng + ?Sized>(bins: u64, balls: u64, rng: &mut R) -> Result<Vec<u64>, LoadsError> {
    let draws = IndexSampler::new(bins).ok_or(LoadsError::NoBins)?;
    let does_not_fit = LoadsError::DoesNotFit { bins, bytes: u128::from(bins) * size_of::<u64>() as u128 };
    let mut loads = Vec::new();
    match usize::try_from(bins) {
        Ok(length) if loads.try_reserve_exact(length).is_ok() => loads.resize(length, 0),
        _ => return Err(does_not_fit),
    }
    if balls / FEW_BALLS_A_BIN <= bins {
        for _ in 0..balls {
            loads[draws.draw(rng) as usize] += 1;
        }
        return Ok(loads);
    }
    let mut left = balls;
    for (load, bins_left) in loads.iter_mut().zip((1..=bins).rev()) {
        *load = Binomial::from_ratio(left, 1, bins_left).expect("both are in range").sample(rng);
        left -= *load;
    }
    Ok(loads)
}

fn check_balls(balls: u64) -> Result<(), FinalLoadsError> {
    ParameterError::require(balls <= MAX_POPULATION, "balls", balls, "0..=2^62")?;
    Ok(())
}

/// Refuses loads that may spread further than a profile can hold.
fn check_levels(bins: u64, balls: u64) -> Result<(), LoadsError> {
    // Refuses 0 and too many.
    LoadProfile::new(bins)?;
    if bins == 1 {
        return Ok(());
    }
    let mean = balls as f64 / bins as f64;
    let (below, above) = reach(mean, (bins as f64).ln() + 61.0 * core::f64::consts::LN_2);
    if below + above >= MOST_LEVELS {
        let (lowest, highest) = ((mean - below) as u64, (mean + above).ceil() as u64);
        return Err(LoadsError::TooManyLevels { lowest, highest });
    }
    Ok(())
}

/// Levels of a profile.
const MOST_LEVELS: f64 = (1 << 24) as f64;

/// How far below and above its mean a binomial or Poisson load lies, except with probability `exp(-surprise)`
/// on either side (Bernstein's inequality).
fn reach(mean: f64, surprise: f64) -> (f64, f64) {
    let spread = (2.0 * surprise * mean).sqrt();
    let third = surprise / 3.0;
    (spread.min(mean), third + third.hypot(spread))
}

/// About the number of draws that counting by level takes: each occupied level, times the levels of the balls
/// still to throw, which are about `2√m`.
fn draws_by_level(bins: u64, balls: u64) -> f64 {
    let occupied = |balls: f64| {
        let (below, above) = reach(balls / bins as f64, (bins as f64).ln());
        1.0 + below + above
    };
    let balls = balls as f64;
    occupied(balls) * occupied(2.0 * balls.sqrt())
}

/// Final loads cannot be drawn for these numbers of bins and balls.
///
/// # Examples
///
/// ```
/// use bb_processes::bb_core::{LoadsError, rng_for_trial};
/// use bb_processes::{FinalLoadsError, OneChoice};
///
/// let mut rng = rng_for_trial(1, 0);
/// let error = OneChoice::final_profile(0, 10, &mut rng).unwrap_err();
/// assert_eq!(error, FinalLoadsError::Loads(LoadsError::NoBins));
/// let error = OneChoice::final_profile(10, u64::MAX, &mut rng).unwrap_err();
/// assert_eq!(error.to_string(), "balls = 18446744073709551615 is outside 0..=2^62");
/// ```
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum FinalLoadsError {
    /// There are more than `2^62` balls.
    #[error(transparent)]
    Balls(#[from] ParameterError),
    /// The loads cannot be held.
    #[error(transparent)]
    Loads(#[from] LoadsError),
}
