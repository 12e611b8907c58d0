//! Systems in which balls also leave: [`System`].

mod leaky;
mod lifetimes;
mod random_deletion;
mod repeated;
mod supermarket;

pub use leaky::LeakyBins;
pub use lifetimes::Lifetimes;
pub use random_deletion::RandomDeletion;
pub use repeated::RepeatedBallsIntoBins;
pub use supermarket::Supermarket;

use bb_core::{Allocator, Bins, ParameterError, Remove, Rng, StartError};

use crate::d_choice::DChoice;

/// A system in which balls also leave, driven in rounds.
///
/// It is not an allocator: a round places and removes many balls, or one of each. The loads belong to the
/// caller, who may start from any and look at them, or change them, between any two rounds: a system
/// remembers nothing of them. New balls go where an [`Allocator`] says; d-Choice, unless [another
/// rule](Supermarket::with_rule) is given.
///
/// | system | a round | balls that arrive in it | balls that leave in it |
/// | --- | --- | --- | --- |
/// | [`RepeatedBallsIntoBins`] | synchronous | those that left, each to a uniform bin | one from every bin that holds one |
/// | [`LeakyBins`] | synchronous | `Bin(n, λ)`, all at once | one from every bin that holds one |
/// | [`RandomDeletion`] | one step | one | a uniform ball |
/// | [`Lifetimes`] | one unit of time | Poisson, at rate `λn` | each after an exponential time of mean 1 |
/// | [`Supermarket`] | one unit of time | Poisson, at rate `λn` | one from each bin that holds one, at rate 1 |
///
/// All of them run on labelled bins ([`DynamicLoads`](bb_core::DynamicLoads)) and on counted bins
/// ([`LoadProfile`](bb_core::LoadProfile)); there the two synchronous systems move all balls of a round at
/// once, in a time that depends on the number of levels alone.
///
/// # Examples
///
/// The maximum load over time, and a start far from the stationary state:
///
/// ```
/// use bb_processes::bb_core::{LoadProfile, Metrics, rng_for_trial};
/// use bb_processes::{RandomDeletion, System};
///
/// // All 1000 balls in one of 1000 bins.
/// let mut loads = LoadProfile::from_level_counts(&[(0, 999), (1000, 1)])?;
/// let mut seen = Vec::new();
/// let rounds = 20_000;
/// RandomDeletion::new(2)?.run_with_checkpoints(
///     &mut loads, rounds, (0..=rounds).step_by(5_000), &mut rng_for_trial(1, 0), |round, loads| {
///         seen.push((round, loads.max_load()));
///     },
/// );
/// assert_eq!(seen[0], (0, 1000));
/// assert_eq!(seen.len(), 5);
/// assert!(seen[4].1 <= 4 && loads.total() == 1000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait System<B: Bins> {
    /// Begins on these loads: the rule for new balls forgets, and checks the size. [`run`](Self::run) does
    /// not call it. Default: nothing to do.
    ///
    /// # Errors
    ///
    /// A [`StartError`] if the system cannot work on these loads.
    fn start(&mut self, bins: &B) -> Result<(), StartError> {
        let _ = bins;
        Ok(())
    }

    /// Runs one round.
    fn round<R: Rng + ?Sized>(&mut self, bins: &mut B, rng: &mut R);

    /// Runs so many rounds.
    fn run<R: Rng + ?Sized>(&mut self, bins: &mut B, rounds: u64, rng: &mut R) {
        for _ in 0..rounds {
            self.round(bins, rng);
        }
    }

    /// Runs so many rounds, and calls `look(round, loads)` after each round listed in `at`; 0 is the start.
    ///
    /// The numbers in `at` increase; one that does not is passed over, and those beyond `rounds` are not
    /// reached. Loads and words are those of [`run`](Self::run).
    fn run_with_checkpoints<R: Rng + ?Sized>(
        &mut self,
        bins: &mut B,
        rounds: u64,
        at: impl IntoIterator<Item = u64>,
        rng: &mut R,
        mut look: impl FnMut(u64, &B),
    ) {
        let (mut done, mut looked) = (0, None);
        for next in at.into_iter().take_while(|&next| next <= rounds) {
            if looked.is_some_and(|last| next <= last) {
                continue;
            }
            self.run(bins, next - done, rng);
            done = next;
            look(next, bins);
            looked = Some(next);
        }
        self.run(bins, rounds - done, rng);
    }
}

/// A ball leaves a bin, if it holds one, and the rule learns of it.
#[inline]
fn depart<B: Remove, A: Allocator<B>>(rule: &mut A, bins: &mut B, bin: B::Bin) {
    if let Some(now) = bins.remove(bin) {
        rule.removed(bins, bin, now);
    }
}

/// An exponential time of mean 1, by inversion: one word. Exact up to the 53 bits of an `f64`: no time
/// exceeds 36.8, which a true one does with probability `2^-53`.
#[inline]
fn exponential<R: Rng + ?Sized>(rng: &mut R) -> f64 {
    -(-unit(rng)).ln_1p()
}

/// A uniform number in `[0, 1)` with 53 bits: one word.
#[inline]
fn unit<R: Rng + ?Sized>(rng: &mut R) -> f64 {
    (rng.next_u64() >> 11) as f64 * 2_f64.powi(-53)
}

/// The rate of arrivals for each bin of a stable queue, and the rule of the new balls.
fn checked(lambda: f64, most: f64, range: &'static str, d: u32) -> Result<(f64, DChoice), ParameterError> {
    ParameterError::require(lambda > 0.0 && lambda < most, "lambda", lambda, range)?;
    Ok((lambda, DChoice::new(d)?))
}
