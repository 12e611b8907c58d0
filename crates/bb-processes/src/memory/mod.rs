//! Rules that remember bins from ball to ball.

mod caching;
mod d_r_memory;

pub use self::caching::Caching;
pub use self::d_r_memory::Memory;

/// Which bins a rule with memory remembers before the first ball.
///
/// # Examples
///
/// ```
/// use bb_processes::bb_core::{Allocator, LoadVector, rng_for_trial};
/// use bb_processes::{Caching, FirstMemory};
///
/// // The first ball is then that of One-Choice.
/// let mut rule = Caching::new().with_first(FirstMemory::Empty);
/// let mut loads = LoadVector::new(10)?;
/// let bin = rule.step(&mut loads, &mut rng_for_trial(1, 0));
/// assert_eq!(rule.remembered(), Some(bin));
/// # Ok::<(), bb_processes::bb_core::LoadsError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FirstMemory {
    /// Uniform bins, drawn when the first ball is about to be placed: a generator is at hand no earlier.
    #[default]
    Uniform,
    /// None.
    Empty,
}

/// Which bins a rule with memory remembers after a ball.
///
/// The two differ where the receiver had the same load as another candidate, and so is the heavier one
/// afterwards.
///
/// # Examples
///
/// ```
/// use bb_processes::bb_core::{Allocator, LoadVector, rng_for_trial};
/// use bb_processes::{Caching, Remember};
///
/// let mut rule = Caching::new().with_remember(Remember::Recent);
/// let (mut loads, mut rng) = (LoadVector::new(10)?, rng_for_trial(1, 0));
/// for _ in 0..100 {
///     let bin = rule.step(&mut loads, &mut rng);
///     assert_eq!(rule.remembered(), Some(bin));
/// }
/// # Ok::<(), bb_processes::bb_core::LoadsError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Remember {
    /// The candidates that have the least load now, with the ball; the receiver is preferred to those of the
    /// same load.
    #[default]
    Lightest,
    /// The receiver first of all, whatever its load now; then the others with the least load.
    Recent,
}
