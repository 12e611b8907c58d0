use core::fmt;

use bb_core::{Bins, DynamicLoads, LoadVector, RankedVector, StartError};

/// All loads, to look at: what an [advisor](crate::Advisor) sees and a decider never does.
///
/// They are made from loads that show every ball at once, so that an advisor can keep up with them ball by
/// ball: [`LoadVector`], [`RankedVector`] and [`DynamicLoads`].
///
/// # Examples
///
/// ```
/// use bb_memory::Loads;
/// use bb_memory::bb_core::LoadVector;
///
/// let vector = LoadVector::from_loads(vec![4, 0, 1])?;
/// let loads = Loads::from(&vector);
/// assert_eq!((loads.bins(), loads.load(0), loads.total()), (3, 4, 5));
/// assert_eq!(loads.iter().collect::<Vec<_>>(), [4, 0, 1]);
/// # Ok::<(), bb_memory::bb_core::LoadsError>(())
/// ```
///
/// Loads that show an earlier state, as those of a batch, do not become such loads:
///
/// ```compile_fail
/// use bb_memory::Loads;
/// use bb_memory::bb_core::LoadVector;
/// use bb_memory::bb_processes::Batched;
///
/// let late = Batched::new(LoadVector::new(3)?, 10)?;
/// let loads = Loads::from(&late);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct Loads<'a>(Kind<'a>);

#[derive(Clone, Copy)]
enum Kind<'a> {
    Stay(&'a LoadVector),
    Leave(&'a DynamicLoads),
}

impl<'a> From<&'a LoadVector> for Loads<'a> {
    #[inline]
    fn from(loads: &'a LoadVector) -> Self {
        Self(Kind::Stay(loads))
    }
}

impl<'a> From<&'a RankedVector> for Loads<'a> {
    #[inline]
    fn from(loads: &'a RankedVector) -> Self {
        Self(Kind::Stay(loads.loads()))
    }
}

impl<'a> From<&'a DynamicLoads> for Loads<'a> {
    #[inline]
    fn from(loads: &'a DynamicLoads) -> Self {
        Self(Kind::Leave(loads))
    }
}

impl<'a> Loads<'a> {
    /// Returns the number of bins.
    #[must_use]
    #[inline]
    pub fn bins(&self) -> u64 {
        match self.0 {
            Kind::Stay(loads) => loads.bins(),
            Kind::Leave(loads) => loads.bins(),
        }
    }

    /// Returns the load of a bin.
    ///
    /// # Panics
    ///
    /// If there is no such bin.
    #[must_use]
    #[inline]
    pub fn load(&self, bin: usize) -> u64 {
        match self.0 {
            Kind::Stay(loads) => loads.load(bin),
            Kind::Leave(loads) => loads.load(bin),
        }
    }

    /// Returns the number of balls.
    #[must_use]
    pub fn total(&self) -> u64 {
        match self.0 {
            Kind::Stay(loads) => loads.total(),
            Kind::Leave(loads) => loads.total(),
        }
    }

    /// Iterates over the loads in the order of the bins. `O(n)`: not for every ball.
    pub fn iter(self) -> impl Iterator<Item = u64> + 'a {
        (0..self.bins() as usize).map(move |bin| self.load(bin))
    }

    /// Tells whether balls can leave.
    pub(crate) fn can_shrink(&self) -> bool {
        matches!(self.0, Kind::Leave(_))
    }

    /// Refuses loads of another number of bins than a scheme is made for.
    pub(crate) fn expect_bins(&self, expected: u64) -> Result<(), StartError> {
        let bins = self.bins();
        if bins == expected { Ok(()) } else { Err(StartError::OtherBins { expected, bins }) }
    }
}

impl fmt::Debug for Loads<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Loads({} balls in {} bins)", self.total(), self.bins())
    }
}
