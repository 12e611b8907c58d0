//! Counters per bin that the loads keep: for rules that see what a bin did before, such as thinning
//! strategies.
//!
//! A rule asks loads that have [`Counters`] where a counter of a bin stands, and says in
//! [`Allocator::put`](crate::Allocator::put) which counter of the receiving bin goes up. Labelled bins get
//! counters by [`WithCounters`], counted bins by [`ProfileWithCounters`]. These three are at the root of the
//! crate too.
//!
//! A rule that begins to count in the middle of a run cannot clear the counters itself, because only what is
//! put changes the loads. Its first ball says that they begin [`Afresh`]; one of them may become a [`Flag`]
//! then, which tells the full bins from the others, and [`Old`] says what an earlier flag means for it.

mod profile;
mod with_counters;

pub use crate::afresh::{Afresh, Flag, Old};
pub use profile::ProfileWithCounters;
pub use with_counters::WithCounters;

use crate::bins::Bins;
use crate::error::StartError;

/// A view whose bins carry counters besides their load.
///
/// Some rules see a bin through its load *and* through what it did for them before: a threshold strategy asks
/// how many samples the bin has accepted. The loads keep these counters, so that such a rule runs on counted
/// bins too, where a bin has no index to remember it by. A rule asks with [`counter`](Self::counter), and
/// says in [`Allocator::put`](crate::Allocator::put) which counter of the receiving bin goes up
/// ([`Put::counting`](crate::Put::counting)).
///
/// [`WithCounters`] keeps them for labelled bins, [`ProfileWithCounters`] for counted ones. Counters are
/// numbered from 0, and go up by one a put, whatever number of balls it places.
///
/// # Examples
///
/// The `ℓ`-threshold strategy accepts a sampled bin as long as it has accepted fewer than `ℓ` (Feldheim and
/// Gurel-Gurevich, Electron. Commun. Probab. 26, 2021):
///
/// ```
/// use bb_core::{
///     Allocator, BinsExt, Counters, LoadProfile, LoadVector, ProfileWithCounters, Put, Rng, StartError,
///     WithCounters, rng_for_trial,
/// };
///
/// struct Threshold { limit: u64, accepted: bool }
///
/// impl<B: Counters> Allocator<B> for Threshold {
///     fn start(&mut self, bins: &B) -> Result<(), StartError> {
///         bins.check_counters(1)
///     }
///     fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> B::Bin {
///         let [primary, secondary] = bins.draw_pair(rng);
///         self.accepted = bins.counter(primary, 0) < self.limit;
///         if self.accepted { primary } else { secondary }
///     }
///     fn put(&self, _: &B, _: B::Bin) -> Put {
///         if self.accepted { Put::BALL.counting(0) } else { Put::BALL }
///     }
/// }
///
/// let mut rule = Threshold { limit: 1, accepted: false };
/// let mut rng = rng_for_trial(1, 0);
/// let mut labelled = WithCounters::new(LoadVector::new(10_000)?, 1)?;
/// rule.start_and_run(&mut labelled, 10_000, &mut rng)?;
/// let mut counted = ProfileWithCounters::new(LoadProfile::new(10_000)?, 1);
/// rule.start_and_run(&mut counted, 10_000, &mut rng)?;
/// // A bin accepts one ball, unless none samples it: 1 − 1/e of the bins do.
/// for accepted in [labelled.counter_total(0), counted.counter_total(0)] {
///     assert!((6_200..6_450).contains(&accepted), "{accepted}");
/// }
/// // The counters are in use; what a rule counts begins at 0.
/// assert!(rule.start(&counted).is_err());
/// counted.clear_counters();
/// assert!(rule.start(&counted).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Loads without counters do not take such a rule:
///
/// ```compile_fail,E0277
/// use bb_core::{Allocator, BinsExt, LoadVector, Counters, Rng, rng_for_trial};
///
/// struct Threshold;
///
/// impl<B: Counters> Allocator<B> for Threshold {
///     fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> B::Bin {
///         let [primary, secondary] = bins.draw_pair(rng);
///         if bins.counter(primary, 0) < 1 { primary } else { secondary }
///     }
/// }
///
/// let mut plain = LoadVector::new(10_000).unwrap();
/// Threshold.run(&mut plain, 10_000, &mut rng_for_trial(1, 0)); // `LoadVector` is not `Counters`.
/// ```
pub trait Counters: Bins {
    /// Returns the number of counters of each bin.
    fn counters(&self) -> u8;

    /// Returns where a counter of a bin stands, `which < counters`, as far as this view shows it.
    ///
    /// # Panics
    ///
    /// Like an index outside a slice if there is no such counter; [`check_counters`](Self::check_counters)
    /// rules this out beforehand.
    fn counter(&self, bin: Self::Bin, which: u8) -> u64;

    /// Returns the sum of a counter over all bins, `which < counters`. `O(1)`.
    ///
    /// # Panics
    ///
    /// As [`counter`](Self::counter).
    fn counter_total(&self, which: u8) -> u64;

    /// Checks that the first `needed` counters exist, and are 0 in all bins: what a rule that counts, and
    /// never has the counters begin [`Afresh`], asks for in its [`start`](crate::Allocator::start).
    ///
    /// # Errors
    ///
    /// If there are fewer counters, or one is in use.
    fn check_counters(&self, needed: u8) -> Result<(), StartError> {
        let kept = self.counters();
        if kept < needed {
            return Err(StartError::TooFewCounters { needed, kept });
        }
        match (0..needed).find(|&which| self.counter_total(which) > 0) {
            Some(which) => Err(StartError::CounterInUse { which, total: self.counter_total(which) }),
            None => Ok(()),
        }
    }
}

/// A borrowed view with counters is a view with counters.
impl<B: Counters + ?Sized> Counters for &B {
    fn counters(&self) -> u8 {
        (**self).counters()
    }
    fn counter(&self, bin: Self::Bin, which: u8) -> u64 {
        (**self).counter(bin, which)
    }
    fn counter_total(&self, which: u8) -> u64 {
        (**self).counter_total(which)
    }
}
