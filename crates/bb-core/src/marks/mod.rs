//! Counters per bin that the loads keep: [`Marks`].

mod counted;
mod labelled;

pub use counted::MarkedProfile;
pub use labelled::Marked;

use crate::bins::Bins;
use crate::error::StartError;

/// A view whose bins carry counters besides their load.
///
/// Some rules see a bin through its load *and* through what it did for them before: a threshold strategy asks how many suggestions the bin has accepted. The
/// loads keep these counters, so that such a rule runs on counted bins too, where a bin has no index to remember it by. A rule asks with
/// [`marks`](Self::marks), and says in [`Allocator::put`](crate::Allocator::put) which counter of the receiving bin goes up ([`Put::with_mark`](crate::Put::with_mark)).
///
/// [`Marked`] keeps them for labelled bins, [`MarkedProfile`] for counted ones. Counters are numbered from 0, and go up by one a put, whatever number of balls it places.
///
/// # Examples
///
/// The `ℓ`-threshold strategy accepts a suggested bin as long as it has accepted fewer than `ℓ` (Feldheim and Gurel-Gurevich, Electron. Commun. Probab. 26, 2021):
///
/// ```
/// use bb_core::{
///     Allocator, BinsExt, LoadProfile, LoadVector, Marked, MarkedProfile, Marks, Put, Rng, StartError, rng_for_trial,
/// };
///
/// struct Threshold { limit: u64, accepted: bool }
///
/// impl<B: Marks> Allocator<B> for Threshold {
///     fn start(&mut self, bins: &B) -> Result<(), StartError> {
///         bins.check_counters(1)
///     }
///     fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> B::Bin {
///         let [primary, secondary] = bins.draw_pair(rng);
///         self.accepted = bins.marks(primary, 0) < self.limit;
///         if self.accepted { primary } else { secondary }
///     }
///     fn put(&self, _: &B, _: B::Bin) -> Put {
///         if self.accepted { Put::BALL.with_mark(0) } else { Put::BALL }
///     }
/// }
///
/// let mut rule = Threshold { limit: 1, accepted: false };
/// let mut rng = rng_for_trial(1, 0);
/// let mut labelled = Marked::new(LoadVector::new(10_000)?, 1)?;
/// rule.start_and_run(&mut labelled, 10_000, &mut rng)?;
/// let mut counted = MarkedProfile::new(LoadProfile::new(10_000)?, 1);
/// rule.start_and_run(&mut counted, 10_000, &mut rng)?;
/// // A bin accepts one ball, unless none suggests it: 1 − 1/e of the bins do.
/// for accepted in [labelled.total_marks(0), counted.total_marks(0)] {
///     assert!((6_200..6_450).contains(&accepted), "{accepted}");
/// }
/// // The counters are in use; what a rule counts begins at 0.
/// assert!(rule.start(&counted).is_err());
/// counted.clear_marks();
/// assert!(rule.start(&counted).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Loads without counters do not take such a rule:
///
/// ```compile_fail,E0277
/// use bb_core::{Allocator, BinsExt, LoadVector, Marks, Rng, rng_for_trial};
///
/// struct Threshold;
///
/// impl<B: Marks> Allocator<B> for Threshold {
///     fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> B::Bin {
///         let [primary, secondary] = bins.draw_pair(rng);
///         if bins.marks(primary, 0) < 1 { primary } else { secondary }
///     }
/// }
///
/// let mut plain = LoadVector::new(10_000).unwrap();
/// Threshold.run(&mut plain, 10_000, &mut rng_for_trial(1, 0)); // `LoadVector` is not `Marks`.
/// ```
pub trait Marks: Bins {
    /// Returns the number of counters of each bin.
    fn counters(&self) -> u8;

    /// Returns where a counter of a bin stands, `which < counters`, as far as this view shows it.
    ///
    /// # Panics
    ///
    /// Like an index outside a slice if there is no such counter; [`check_counters`](Self::check_counters) rules this out beforehand.
    fn marks(&self, bin: Self::Bin, which: u8) -> u64;

    /// Returns the sum of a counter over all bins, `which < counters`. `O(1)`.
    ///
    /// # Panics
    ///
    /// As [`marks`](Self::marks).
    fn total_marks(&self, which: u8) -> u64;

    /// Checks that the first `needed` counters exist, and are 0 in all bins: what a rule that counts, and never has the counters begin [`Fresh`], asks for in its
    /// [`start`](crate::Allocator::start).
    ///
    /// # Errors
    ///
    /// If there are fewer counters, or one is in use.
    fn check_counters(&self, needed: u8) -> Result<(), StartError> {
        let kept = self.counters();
        if kept < needed {
            return Err(StartError::TooFewCounters { needed, kept });
        }
        match (0..needed).find(|&which| self.total_marks(which) > 0) {
            Some(which) => Err(StartError::CounterInUse { which, marks: self.total_marks(which) }),
            None => Ok(()),
        }
    }
}

/// A borrowed view with counters is a view with counters.
impl<B: Marks + ?Sized> Marks for &B {
    fn counters(&self) -> u8 {
        (**self).counters()
    }
    fn marks(&self, bin: Self::Bin, which: u8) -> u64 {
        (**self).marks(bin, which)
    }
    fn total_marks(&self, which: u8) -> u64 {
        (**self).total_marks(which)
    }
}
