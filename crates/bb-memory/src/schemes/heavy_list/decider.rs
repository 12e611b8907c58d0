use core::hash::{BuildHasherDefault, Hasher};
use std::collections::HashMap;

use crate::{Choice, Decider, Layout, Parameters, Samples, State, StateError, TieRule};

/// The decision of a [`HeavyList`](crate::HeavyList).
///
/// # Examples
///
/// ```
/// use bb_memory::bb_core::LoadVector;
/// use bb_memory::{Advisor, Budget, Choice, Decider, HeavyList, ListDecider, Loads, Samples, StateWriter};
///
/// // Bins 2 and 3 have two balls or more.
/// let loads = LoadVector::from_loads(vec![0, 1, 3, 2])?;
/// let mut list = HeavyList::fixed(4, Budget::bits(30)?, 2.0)?;
/// list.begin(Loads::new(&loads))?;
/// let mut writer = StateWriter::new(list.budget())?;
/// list.write(Loads::new(&loads), &mut writer)?;
/// let read = ListDecider::view(&list.parameters(), &writer.finish()?)?;
/// assert_eq!(read.to_list(), [(2, 1), (3, 0)]);
/// let place = |sample: &[usize]| ListDecider::decide(&list.parameters(), &read, Samples::new(sample)).weights(2);
/// assert_eq!(place(&[2, 0]), Choice::sure(1).weights(2));
/// assert_eq!(place(&[2, 3]), Choice::sure(1).weights(2));
/// assert_eq!(place(&[1, 0]), Choice::sure(0).weights(2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListDecider {}

/// The parameters of a [`ListDecider`]; its example shows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ListParameters {
    pub(super) layout: Layout,
    pub(super) light: TieRule,
    pub(super) ties: TieRule,
}

impl Parameters for ListParameters {
    fn to_words(&self) -> Vec<u64> {
        let mut words = self.layout.to_words();
        words.extend([self.light.to_word(), self.ties.to_word()]);
        words
    }

    fn from_words(words: &[u64]) -> Option<Self> {
        let (layout, &[light, ties]) = words.split_at_checked(4)? else { return None };
        Some(Self {
            layout: Layout::from_words(layout)?,
            light: TieRule::from_word(light)?,
            ties: TieRule::from_word(ties)?,
        })
    }
}

/// A list as the decision reads it: the excess of each listed bin. The example of [`ListDecider`] shows it.
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

    pub(in crate::schemes) fn of_set(bins: impl Iterator<Item = usize>) -> Self {
        Self::of_entries(bins.map(|bin| (bin, 0)))
    }

    fn of_entries(entries: impl Iterator<Item = (usize, u32)>) -> Self {
        let mut listed = Self::default();
        entries.for_each(|(bin, excess)| listed.set(bin, excess));
        listed
    }

    pub(in crate::schemes) fn insert(&mut self, bin: usize) {
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

    pub(in crate::schemes) fn remove(&mut self, bin: usize) -> bool {
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

/// Tells of most bins that they are not listed, in an instruction or two: how many listed bins have these low bits. It takes 16 bytes or more an entry, so that of uniform samples that are not listed at most one in sixteen is looked up in the table.
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
    type Parameters = ListParameters;
    type View = Listed;

    fn view(parameters: &ListParameters, state: &State) -> Result<Listed, StateError> {
        let list = parameters.layout.decode(state)?;
        let too_large = StateError::NonCanonical { reason: "a count is out of range" };
        let entry = |(bin, excess)| u32::try_from(excess).map(|excess| (bin, excess)).map_err(|_| too_large.clone());
        Ok(Listed::of_entries(list.into_iter().map(entry).collect::<Result<Vec<_>, _>>()?.into_iter()))
    }

    #[inline]
    fn decide(parameters: &ListParameters, view: &Listed, sample: Samples<'_>) -> Choice {
        match (view.excess(sample.first()), view.excess(sample.second())) {
            (None, None) => Choice::tie(parameters.light, sample),
            (Some(_), None) => Choice::sure(1).listing(1),
            (None, Some(_)) => Choice::sure(0).listing(1),
            (Some(first), Some(second)) if first == second => Choice::tie(parameters.ties, sample).listing(2),
            (Some(first), Some(second)) => Choice::sure(u32::from(second < first)).listing(2),
        }
    }
}
