//! Labelled bins that know ranks: [`RankedVector`].

use crate::bins::{Bins, bins_of};
use crate::load_profile::LoadProfile;
use crate::load_vector::LoadVector;
use crate::metrics::{Metrics, metrics_of};
use crate::place::{Place, Put};
use crate::ranked::Ranked;
use bb_samplers::IndexSampler;

/// Labelled bins that know ranks: a [`LoadVector`] with the number of bins of each load beside it.
///
/// For rules that ask for ranks; all others are faster on the `LoadVector` itself. Draws are those of the
/// vector. Memory: one byte a bin and one number for each occupied load.
///
/// # Examples
///
/// ```
/// use bb_core::{Bins, LoadVector, Metrics, Place, Put, Ranked, RankedVector};
///
/// let mut loads = RankedVector::from(LoadVector::from_loads(vec![2_u64, 0, 1])?);
/// loads.place(1, &());
/// assert_eq!((loads.load(1), loads.at_least(1), loads.at_least(2)), (1, 3, 1));
/// assert_eq!(loads.into_loads().max_load(), 2);
/// # Ok::<(), bb_core::LoadsError>(())
/// ```
#[derive(Clone, Debug)]
pub struct RankedVector {
    loads: LoadVector,
    counts: LoadProfile,
}

impl From<LoadVector> for RankedVector {
    fn from(loads: LoadVector) -> Self {
        Self { counts: LoadProfile::from(&loads), loads }
    }
}

impl RankedVector {
    /// Returns the loads; [`into_loads`](Self::into_loads) is in the type's example.
    #[must_use]
    pub fn loads(&self) -> &LoadVector {
        &self.loads
    }

    /// Begins a record of the maximum, as [`LoadVector::record_maximum`].
    pub fn record_maximum(&mut self) {
        self.loads.record_maximum();
    }

    /// Returns the loads and forgets the counts.
    #[must_use]
    pub fn into_loads(self) -> LoadVector {
        self.loads
    }
}

impl Bins for RankedVector {
    type Bin = usize;
    type Load = u64;
    type Places = IndexSampler;

    bins_of!(view => view.loads);
}

impl Place for RankedVector {
    // Always, as that of the loads inside.
    #[inline(always)]
    fn put(&mut self, bin: usize, (): &(), put: Put) -> usize {
        self.counts.raise(self.loads.load(bin), put);
        self.loads.put(bin, &(), put)
    }
}

impl Ranked for RankedVector {
    #[inline]
    fn at_least(&self, load: u64) -> u64 {
        self.counts.at_least(load)
    }
}

impl Metrics for RankedVector {
    metrics_of!(counts);
}
