use core::fmt;

use bb_core::{Bins, DynamicLoads, IndexSampler, LoadVector, RankedVector};

/// All loads, to look at: what an [advisor](crate::Advisor) sees and a decider never does.
///
/// # Examples
///
/// ```
/// use bb_memory::Loads;
/// use bb_memory::bb_core::LoadVector;
///
/// let vector = LoadVector::from_loads(vec![4, 0, 1])?;
/// let loads = Loads::new(&vector);
/// assert_eq!((loads.bins(), loads.load(0), loads.total()), (3, 4, 5));
/// assert_eq!(loads.iter().collect::<Vec<_>>(), [4, 0, 1]);
/// # Ok::<(), bb_memory::bb_core::LoadsError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Loads<'a>(&'a dyn Judgement);

impl<'a> Loads<'a> {
    /// Returns a view of these loads.
    #[must_use]
    #[inline]
    pub fn new<B: Bins<Bin = usize, Load = u64>>(loads: &'a B) -> Self {
        Self(loads)
    }

    /// Returns the number of bins.
    #[must_use]
    pub fn bins(&self) -> u64 {
        self.0.bins()
    }

    /// Returns the load of a bin.
    ///
    /// # Panics
    ///
    /// If there is no such bin.
    #[must_use]
    pub fn load(&self, bin: usize) -> u64 {
        self.0.load(bin)
    }

    /// Returns the number of balls.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.0.total()
    }

    /// Iterates over the loads in the order of the bins. `O(n)`: not for every ball.
    pub fn iter(self) -> impl Iterator<Item = u64> + 'a {
        (0..self.bins() as usize).map(move |bin| self.load(bin))
    }
}

impl fmt::Debug for Loads<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Loads({} balls in {} bins)", self.total(), self.bins())
    }
}

/// The questions that loads answer, behind a pointer.
trait Judgement {
    fn bins(&self) -> u64;
    fn load(&self, bin: usize) -> u64;
    fn total(&self) -> u64;
}

impl<B: Bins<Bin = usize, Load = u64>> Judgement for B {
    fn bins(&self) -> u64 {
        Bins::bins(self)
    }
    fn load(&self, bin: usize) -> u64 {
        Bins::load(self, bin)
    }
    fn total(&self) -> u64 {
        Bins::total(self)
    }
}

/// Labelled loads that show every ball at once, so that an advisor can keep up with them ball by ball.
///
/// The trait is sealed. Loads that show an earlier state (batches, delays) are not among them.
///
/// # Examples
///
/// ```
/// use bb_memory::LiveLoads;
/// use bb_memory::bb_core::{Bins, DynamicLoads, LoadVector};
///
/// fn bins(loads: &impl LiveLoads) -> u64 { loads.bins() }
/// assert_eq!(bins(&LoadVector::new(3)?) + bins(&DynamicLoads::new(4)?), 7);
/// # Ok::<(), bb_memory::bb_core::LoadsError>(())
/// ```
pub trait LiveLoads: Bins<Bin = usize, Load = u64, Places = IndexSampler> + sealed::Sealed + Sized {
    /// Whether balls can leave.
    const DEPARTURES: bool;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! live {
    ($($loads:ty, $departures:literal);*) => {$(
        impl sealed::Sealed for $loads {}
        impl LiveLoads for $loads {
            const DEPARTURES: bool = $departures;
        }
    )*};
}

live!(LoadVector, false; RankedVector, false; DynamicLoads, true);
