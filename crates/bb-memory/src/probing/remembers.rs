use bb_core::Allocator;
use bb_processes::{Caching, Memory};

use crate::probing::rule::VisibleBins;

/// A rule that remembers a few bins from ball to ball, and may ask the loads of these and of the bins that it
/// draws.
///
/// It is an allocator on [`VisibleBins`], so whatever else it asks is found. No decider and no advisor is
/// one: a probing scheme cannot be passed off as bounded advice.
///
/// # Examples
///
/// ```
/// use bb_memory::Remembers;
/// use bb_memory::bb_processes::Memory;
///
/// let rule = Memory::new(2, 3)?;
/// assert_eq!((rule.most_remembered(), rule.samples()), (3, 2));
/// # Ok::<(), bb_memory::bb_core::ParameterError>(())
/// ```
///
/// A remembering rule is no advisor:
///
/// ```compile_fail
/// use bb_memory::Bounded;
/// use bb_memory::bb_processes::Caching;
///
/// let rule = Bounded::new(Caching::<usize>::new());
/// ```
pub trait Remembers: for<'a> Allocator<VisibleBins<'a>> {
    /// Returns the most bins that are remembered.
    fn most_remembered(&self) -> u32;

    /// Returns the number of bins that a ball draws.
    fn samples(&self) -> u32;

    /// Hands over the remembered bins, in their order.
    fn each_remembered(&self, each: impl FnMut(usize));

    /// Returns what is remembered besides bins: a number, and how many values it can have. Default: nothing.
    fn phase(&self) -> (u64, u64) {
        (0, 1)
    }
}

impl Remembers for Caching {
    fn most_remembered(&self) -> u32 {
        1
    }
    fn samples(&self) -> u32 {
        1
    }
    fn each_remembered(&self, mut each: impl FnMut(usize)) {
        if let Some(bin) = self.remembered() {
            each(bin);
        }
    }
}

impl Remembers for Memory {
    fn most_remembered(&self) -> u32 {
        self.r()
    }
    fn samples(&self) -> u32 {
        self.d()
    }
    fn each_remembered(&self, each: impl FnMut(usize)) {
        self.remembered().iter().copied().for_each(each);
    }
}
