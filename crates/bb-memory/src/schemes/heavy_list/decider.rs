use core::hash::{BuildHasherDefault, Hasher};
use std::collections::HashMap;

use crate::error::{StateError, refuse};
use crate::format::Layout;
use crate::model::{Budget, Choice, Decider, Samples, State, TieRule};

/// The decision of a [`HeavyList`](crate::HeavyList).
///
/// # Examples
///
/// ```
/// use bb_memory::bb_core::LoadVector;
/// use bb_memory::{Advisor, Budget, Choice, Decider, HeavyList, Loads, Samples, StateWriter};
///
/// // Bins 2 and 3 have two balls or more.
/// let loads = LoadVector::from_loads(vec![0, 1, 3, 2])?;
/// let mut list = HeavyList::fixed(4, Budget::bits(30)?, 2.0)?;
/// list.begin(Loads::from(&loads))?;
/// let decider = list.decider();
/// let mut writer = StateWriter::new(decider.budget())?;
/// list.write(Loads::from(&loads), &mut writer)?;
/// let read = decider.view(&writer.finish()?)?;
/// assert_eq!(read.to_list(), [(2, 1), (3, 0)]);
/// let place = |samples: &[usize]| decider.decide(&read, Samples::new(samples)).weights(2);
/// assert_eq!(place(&[2, 0]), Choice::sure(1).weights(2));
/// assert_eq!(place(&[2, 3]), Choice::sure(1).weights(2));
/// assert_eq!(place(&[1, 0]), Choice::sure(0).weights(2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ListDecider {
    pub(super) layout: Layout,
    /// Which sample takes the ball if none is listed.
    pub(super) light: TieRule,
    /// Which sample takes the ball if both are listed, with equal counts.
    pub(super) ties: TieRule,
}

/// A list as the decision reads it: the excess of each listed bin. [`ListDecider`] has an example.
#[derive(Clone, Debug, Default)]
pub struct Listed {
    bins: HashMap<usize, u32, BuildHasherDefault<Multiply>>,
    filter: Filter,
}

/// Equal if the entries are.
impl PartialEq for Listed {
    fn eq(&self, other: &Self) -> bool {
        self.bins == other.bins
    }
}

impl Eq for Listed {}

impl Listed {
    /// Returns the excess of a bin, if it is listed. `O(1)`.
    #[must_use]
    #[inline]
    pub fn excess(&self, bin: usize) -> Option<u32> {
        if self.filter.may_have(bin) { self.bins.get(&bin).copied() } else { None }
    }

    /// The list of these entries, counts below `2^32`.
    pub(crate) fn of_list(list: Vec<(usize, u64)>) -> Self {
        let mut listed = Self::default();
        list.into_iter().for_each(|(bin, excess)| listed.set(bin, excess as u32));
        listed
    }

    /// Lists a bin without excess.
    pub(crate) fn insert(&mut self, bin: usize) {
        self.set(bin, 0);
    }

    /// Lists a bin, or changes its excess.
    pub(super) fn set(&mut self, bin: usize, excess: u32) {
        if self.bins.insert(bin, excess).is_none() {
            self.filter.add(bin);
            if self.filter.is_full_with(self.bins.len()) {
                self.filter = Filter::of(self.bins.len(), self.bins.keys().copied());
            }
        }
    }

    /// Takes a bin out of the list, and tells whether it was there.
    pub(crate) fn remove(&mut self, bin: usize) -> bool {
        self.take_out(bin).is_some()
    }

    /// Takes a bin out of the list, and returns its excess.
    pub(super) fn take_out(&mut self, bin: usize) -> Option<u32> {
        let excess = self.bins.remove(&bin)?;
        self.filter.remove(bin);
        Some(excess)
    }

    /// Keeps the entries that `keep` says yes to; it may change their excess.
    pub(super) fn retain(&mut self, mut keep: impl FnMut(usize, &mut u32) -> bool) {
        let filter = &mut self.filter;
        self.bins.retain(|&bin, excess| {
            let kept = keep(bin, excess);
            if !kept {
                filter.remove(bin);
            }
            kept
        });
    }

    /// The entries, in no order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        self.bins.iter().map(|(&bin, &excess)| (bin, excess))
    }

    /// The memory that it takes, about.
    pub(super) fn bytes(&self) -> u64 {
        (2 * size_of::<(usize, u32)>() * self.bins.capacity() + self.filter.counts.len()) as u64
    }

    /// Returns the entries by increasing bin.
    #[must_use]
    pub fn to_list(&self) -> Vec<(usize, u64)> {
        let mut list: Vec<_> = self.iter().map(|(bin, excess)| (bin, u64::from(excess))).collect();
        list.sort_unstable();
        list
    }
}

/// Tells of most bins that they are not listed, in an instruction or two: how many listed bins have these low
/// bits. It takes 16 bytes or more an entry, so that of uniform samples that are not listed at most one in
/// sixteen is looked up in the table.
#[derive(Clone, Debug, Default)]
struct Filter {
    /// A power of two of counts; one that is full stays full.
    counts: Vec<u8>,
}

impl Filter {
    fn of(entries: usize, bins: impl Iterator<Item = usize>) -> Self {
        let mut filter = Self { counts: vec![0; (32 * entries).next_power_of_two().max(1024)] };
        bins.for_each(|bin| filter.add(bin));
        filter
    }

    fn is_full_with(&self, entries: usize) -> bool {
        16 * entries > self.counts.len()
    }

    #[inline]
    fn may_have(&self, bin: usize) -> bool {
        // Of an empty list nothing.
        self.counts.get(bin & self.counts.len().wrapping_sub(1)).is_some_and(|&count| count > 0)
    }

    fn add(&mut self, bin: usize) {
        let place = bin & self.counts.len().wrapping_sub(1);
        if let Some(count) = self.counts.get_mut(place) {
            *count = count.saturating_add(1);
        }
    }

    fn remove(&mut self, bin: usize) {
        let place = bin & self.counts.len().wrapping_sub(1);
        if let Some(count) = self.counts.get_mut(place)
            && *count < u8::MAX
        {
            *count -= 1;
        }
    }
}

/// Names of bins are as good as random: one product spreads them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Multiply(u64);

impl Hasher for Multiply {
    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_usize(usize::from(byte)));
    }
    #[inline]
    fn write_usize(&mut self, value: usize) {
        // The table takes its place from the low bits and a tag from the high ones.
        self.0 = (self.0 ^ value as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32);
    }
}

impl Decider for ListDecider {
    type View = Listed;

    fn to_words(&self) -> Vec<u64> {
        let mut words = self.layout.to_words();
        words.extend([self.light.to_word(), self.ties.to_word()]);
        words
    }

    fn from_words(words: &[u64]) -> Option<Self> {
        let (layout, &[light, ties]) = words.split_at_checked(4)? else { return None };
        let [light, ties] = [TieRule::from_word(light)?, TieRule::from_word(ties)?];
        Some(Self { layout: Layout::from_words(layout)?, light, ties })
    }

    fn budget(&self) -> Budget {
        self.layout.budget()
    }

    fn view(&self, state: &State) -> Result<Listed, StateError> {
        let list = self.layout.decode(state)?;
        if list.iter().any(|&(_, excess)| excess >> 32 != 0) {
            return refuse("a count is out of range");
        }
        Ok(Listed::of_list(list))
    }

    #[inline]
    fn decide(&self, view: &Listed, samples: Samples<'_>) -> Choice {
        match [samples.first(), samples.second()].map(|bin| view.excess(bin)) {
            [None, None] => Choice::tie(self.light, samples),
            [Some(_), None] => Choice::sure(1).listing(1),
            [None, Some(_)] => Choice::sure(0).listing(1),
            [Some(first), Some(second)] if first == second => Choice::tie(self.ties, samples).listing(2),
            [Some(first), Some(second)] => Choice::sure(u32::from(second < first)).listing(2),
        }
    }
}
