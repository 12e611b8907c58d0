//! How a list of bins is written: [`Format`], [`Layout`].

mod elias_fano;
mod naive;
mod one_integer;
mod shape;

use bb_core::ParameterError;
use num_bigint::BigUint;

pub use self::shape::Shape;
use crate::error::{MemoryError, StateError, refuse};
use crate::model::{Budget, State, StateReader, StateWriter, checked_bins};
use crate::numbers::{binomial, ceil_lg, largest, lg_choose, lg_sum, sum, width};

/// How a list of bins with counts is written.
///
/// `k` of `n` bins are listed with counts `x` (load minus threshold) in `0..R`; at most `K` of them, the
/// capacity. All formats delimit themselves and have one string for each list.
///
/// | format | bits for `k` entries |
/// | --- | --- |
/// | `Naive` | `ceil(lg(K + 1)) + k (ceil(lg n) + ceil(lg R))` |
/// | `Flat` | `ceil(lg(K + 1)) + ceil(lg(C(n, k) R^k))` |
/// | `Joint` | `ceil(lg Σ_{k ≤ K} C(n, k) R^k)`, whatever `k` is |
/// | `Layered` | `ceil(lg(n + 1)) + Σ_l ceil(lg(k_l + 1)) + ceil(lg(n!/((n − k)! Π_l h_l!)))`, with `k_l` entries of count `l` or more and `h_l` of count `l`; the sum is over the `l` with `k_l > 0` |
/// | `EliasFano` | `ceil(lg(K + 1)) + k l + k + floor((n − 1)/2^l) + 1 + Σ (x + 1)`, with `l = floor(lg(n/k))`; `ceil(lg(K + 1))` for none |
///
/// A set is a list with `R = 1`, for which the parts that say counts are left out. `Layered` and `EliasFano`
/// write counts of any size.
///
/// The list of the upper bound of Benjamini and Makarychev is `Naive`: `n^(1 − δ)/(2 lg n)` entries of
/// `2 lg n` bits are `n^(1 − δ)` bits. `Joint` is the shortest for all lists of up to `K` entries. `Layered`
/// is the entropy given how many entries have each count, and `EliasFano` is at most about half a bit an
/// entry longer in its indices, with counts in unary: nearly all counts are 0. It is the default, for it is
/// written and read in `O(k)`; `Flat`, `Joint` and `Layered` take `O(n M)`.
///
/// # Examples
///
/// ```
/// use bb_memory::{Budget, Format, Layout, Shape};
///
/// let layout = Layout::new(1 << 16, Budget::bits(4096)?, Format::Naive, 8)?;
/// assert_eq!((layout.capacity(), layout.length(&Shape::new(&[200, 14]))), (215, Some(8 + 214 * 19)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Name and count of each entry, sorted.
    Naive,
    /// The number of entries, then one integer: the rank of the set in the combinatorial number system, and
    /// the counts in base `R`.
    Flat,
    /// One integer for the number of entries and all the rest.
    Joint,
    /// The number of entries of each count, then one integer: the ranks of the entries of count `l + 1` or
    /// more among those of `l` or more.
    Layered,
    /// Elias–Fano coded names, and counts in unary.
    #[default]
    EliasFano,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 5] = [Self::Naive, Self::Flat, Self::Joint, Self::Layered, Self::EliasFano];

    pub(crate) fn to_word(self) -> u64 {
        Self::ALL.iter().position(|&format| format == self).unwrap_or(0) as u64
    }

    pub(crate) fn from_word(word: u64) -> Option<Self> {
        Self::ALL.get(usize::try_from(word).ok()?).copied()
    }
}

/// The most bits of formats of one large integer: beyond, floating point leaves too many lengths open, and to
/// work them out takes too long.
const LARGEST_INTEGER: u64 = 1 << 24;

/// A format with its public constants: `n`, `M`, `R` and the capacity `K`.
///
/// # Examples
///
/// ```
/// use bb_memory::{Budget, Format, Layout, Shape, StateWriter};
///
/// let layout = Layout::new(1000, Budget::bits(64)?, Format::EliasFano, 8)?;
/// let list = [(3, 0), (500, 2), (999, 0)];
/// let mut writer = StateWriter::new(layout.budget())?;
/// layout.encode(&list, &mut writer)?;
/// assert_eq!(Some(writer.written()), layout.length(&Shape::of(&list)));
/// assert_eq!(layout.decode(&writer.finish()?)?, list);
/// assert_eq!((layout.bins(), layout.format(), layout.range()), (1000, Format::EliasFano, u64::MAX));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    bins: u64,
    budget: Budget,
    format: Format,
    range: u64,
    capacity: u64,
    /// The bits of all states of `Joint`; 0 for other formats.
    joint_width: u64,
}

impl Layout {
    /// Returns the layout for lists of `bins` bins in so many bits, with counts in `0..range`.
    ///
    /// `Layered` and `EliasFano` take any range above 1 as unbounded.
    ///
    /// # Errors
    ///
    /// If the budget does not hold one entry and is not 0, `bins` is outside `1..=2^40`, `range` is outside
    /// `1..=2^32`, or the format is of one large integer (`Flat`, `Joint`, `Layered`) and the budget above
    /// `2^24` bits.
    pub fn new(bins: u64, budget: Budget, format: Format, range: u64) -> Result<Self, MemoryError> {
        let layout = Self::new_or_empty(bins, budget, format, range)?;
        if layout.capacity > 0 || budget == Budget::NONE {
            return Ok(layout);
        }
        let needed = layout.one_entry();
        Err(MemoryError::BudgetTooSmall { budget: budget.get(), needed })
    }

    /// Returns the layout like [`new`](Self::new), and where the budget does not hold one entry, one that
    /// only holds the empty list.
    ///
    /// # Errors
    ///
    /// If `bins` is outside `1..=2^40`, `range` outside `1..=2^32`, or the budget above `2^24` bits for a
    /// format of one large integer.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_memory::{Budget, Format, Layout};
    ///
    /// let layout = Layout::new_or_empty(1 << 16, Budget::bits(16)?, Format::Joint, 1)?;
    /// assert_eq!(layout.capacity(), 0);
    /// assert_eq!(Layout::new(1 << 16, Budget::bits(17)?, Format::Joint, 1)?.capacity(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new_or_empty(bins: u64, budget: Budget, format: Format, range: u64) -> Result<Self, MemoryError> {
        let bins = checked_bins(bins)?;
        ParameterError::require((1..=1 << 32).contains(&range), "R", range, "1..=2^32")?;
        let one_integer = matches!(format, Format::Flat | Format::Joint | Format::Layered);
        ParameterError::require(
            !one_integer || budget.get() <= LARGEST_INTEGER,
            "bits",
            budget.get(),
            "0..=2^24, for a format of one large integer",
        )?;
        let unbounded = range > 1 && matches!(format, Format::Layered | Format::EliasFano);
        let range = if unbounded { u64::MAX } else { range };
        let empty = Self { bins, budget, format, range, capacity: 0, joint_width: 0 };
        Ok(empty.with_capacity(largest(bins, |capacity| empty.with_capacity(capacity).holds_all())))
    }

    fn with_capacity(self, capacity: u64) -> Self {
        let joint_width = if self.format == Format::Joint {
            let lg = lg_sum(self.bins, capacity, self.range);
            ceil_lg(lg, || sum(self.bins, capacity, self.range))
        } else {
            0
        };
        Self { capacity, joint_width, ..self }
    }

    /// Whether all lists of up to `K` entries without excess fit.
    fn holds_all(&self) -> bool {
        // The longest list of up to K entries has the most, or the number where there are most lists.
        let peak = match (self.format, self.range) {
            (Format::Flat, range) => (u128::from(self.bins) * u128::from(range) / (u128::from(range) + 1)) as u64,
            (Format::Layered, _) => self.bins / 2,
            _ => self.bins,
        };
        let length = |entries| self.length_of(&Shape::flat(entries));
        [self.capacity, self.capacity.min(peak), self.capacity.min(peak + 1)]
            .into_iter()
            .all(|entries| length(entries).is_some_and(|bits| bits <= self.budget.get()))
    }

    /// The bits of a list of one entry, if one is the capacity.
    fn one_entry(&self) -> u64 {
        self.with_capacity(1).length_of(&Shape::flat(1)).unwrap_or(0)
    }

    /// Returns the number of bins `n`.
    #[must_use]
    pub fn bins(&self) -> u64 {
        self.bins
    }

    /// Returns the budget `M`.
    #[must_use]
    pub fn budget(&self) -> Budget {
        self.budget
    }

    /// Returns the format.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    /// Returns the number of counts `R`; `u64::MAX` where counts of any size are written.
    #[must_use]
    pub fn range(&self) -> u64 {
        self.range
    }

    /// Returns the capacity `K`: the most entries such that every list of so many and fewer fits if no bin
    /// has more than the threshold. No list has more, but in `Layered`.
    #[must_use]
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    /// Returns the bits of a list of this shape, without padding; `None` if the format has no string for it
    /// within the budget.
    ///
    /// Exact: where floating point does not settle a length, it is computed in integers. `O(1)`; `O(counts)`
    /// for `Layered`.
    #[must_use]
    pub fn length(&self, shape: &Shape) -> Option<u64> {
        self.length_of(shape).filter(|&bits| bits <= self.budget.get())
    }

    /// The bits of a list of this shape, whatever the budget; `None` if there are too many entries, or a
    /// count is out of range.
    pub(crate) fn length_of(&self, shape: &Shape) -> Option<u64> {
        let entries = shape.entries();
        let most = self.most_entries();
        if entries > most || shape.largest_excess().is_some_and(|excess| excess >= self.range) {
            return None;
        }
        let header = u64::from(width(most));
        Some(match self.format {
            Format::Naive => header + entries * u64::from(self.name_width() + self.count_width()),
            Format::Flat => {
                let lg = lg_choose(self.bins, entries) + entries as f64 * (self.range as f64).log2();
                let count = || binomial(self.bins, entries) * BigUint::from(self.range).pow(entries as u32);
                header + ceil_lg(lg, count)
            }
            Format::Joint => self.joint_width,
            Format::Layered if self.range == 1 => {
                header + ceil_lg(lg_choose(self.bins, entries), || binomial(self.bins, entries))
            }
            Format::Layered => {
                let (mut bits, mut lg, mut among) = (header, 0.0, self.bins);
                for at_least in shape.at_least() {
                    bits += u64::from(width(at_least));
                    lg += lg_choose(among, at_least);
                    among = at_least;
                }
                bits + ceil_lg(lg, || one_integer::layers(self.bins, shape))
            }
            Format::EliasFano => header + elias_fano::length(self, shape),
        })
    }

    /// `ceil(lg n)`.
    fn name_width(&self) -> u32 {
        width(self.bins - 1)
    }

    /// `ceil(lg R)`.
    fn count_width(&self) -> u32 {
        width(self.range - 1)
    }

    /// The bits of the number of entries.
    fn header(&self) -> u32 {
        width(self.most_entries())
    }

    /// The most entries that a list can have.
    fn most_entries(&self) -> u64 {
        if self.format == Format::Layered && self.capacity > 0 { self.bins } else { self.capacity }
    }

    /// Writes a list: pairs (bin, count), by increasing bin.
    ///
    /// # Errors
    ///
    /// If it does not fit, a count is out of range, or the bins do not increase below `n`.
    pub fn encode(&self, list: &[(usize, u64)], writer: &mut StateWriter) -> Result<(), StateError> {
        if list.windows(2).any(|pair| pair[0].0 >= pair[1].0) {
            return refuse("the bins do not increase");
        }
        if list.last().is_some_and(|&(bin, _)| bin as u64 >= self.bins) {
            return refuse("there is no such bin");
        }
        if let Some(&(bin, excess)) = list.iter().find(|&&(_, excess)| excess >= self.range) {
            return Err(StateError::CountRange { bin: bin as u64, excess, range: self.range });
        }
        let shape = Shape::of(list);
        let budget = self.budget.get();
        let needed = self.length_of(&shape).unwrap_or_else(|| self.bits_beyond(&shape));
        if needed > budget {
            return Err(StateError::OverBudget { needed, budget });
        }
        match self.format {
            Format::Naive => naive::encode(self, list, writer),
            Format::Flat => one_integer::encode_flat(self, list, writer),
            Format::Joint => one_integer::encode_joint(self, list, writer),
            Format::Layered => one_integer::encode_layered(self, list, &shape, writer),
            Format::EliasFano => elias_fano::encode(self, list, writer),
        }
    }

    /// Reads the number of entries that a list begins with.
    fn read_entries(&self, reader: &mut StateReader<'_>) -> Result<u64, StateError> {
        let entries = reader.read(self.header())?;
        if entries > self.most_entries() { refuse("there are more entries than fit") } else { Ok(entries) }
    }

    /// Adds an entry that was read to a list.
    fn push(&self, list: &mut Vec<(usize, u64)>, bin: u64, excess: u64) -> Result<(), StateError> {
        if bin >= self.bins {
            return refuse("there is no such bin");
        }
        if excess >= self.range {
            return refuse("a count is out of range");
        }
        if list.last().is_some_and(|&(last, _)| last as u64 >= bin) {
            return refuse("the bins do not increase");
        }
        list.push((bin as usize, excess));
        Ok(())
    }

    /// The bits that a list with more entries than the capacity would take, if that were the capacity: more
    /// than the budget.
    pub(crate) fn bits_beyond(&self, shape: &Shape) -> u64 {
        let bits = self.with_capacity(shape.entries().min(self.bins)).length_of(shape);
        bits.unwrap_or(u64::MAX).max(self.budget.get() + 1)
    }

    /// Reads a list.
    ///
    /// # Errors
    ///
    /// If the state is not of the budget, or not the one string of a list.
    pub fn decode(&self, state: &State) -> Result<Vec<(usize, u64)>, StateError> {
        if state.bits() != self.budget.get() {
            return refuse("the state has another number of bits");
        }
        match self.format {
            Format::Naive => naive::decode(self, state),
            Format::Flat => one_integer::decode_flat(self, state),
            Format::Joint => one_integer::decode_joint(self, state),
            Format::Layered => one_integer::decode_layered(self, state),
            Format::EliasFano => elias_fano::decode(self, state),
        }
    }

    pub(crate) fn to_words(self) -> Vec<u64> {
        let range = if self.range == u64::MAX { 1 << 32 } else { self.range };
        vec![self.bins, self.budget.get(), self.format.to_word(), range]
    }

    pub(crate) fn from_words(words: &[u64]) -> Option<Self> {
        let &[bins, bits, format, range] = words else { return None };
        Self::new_or_empty(bins, Budget::bits(bits).ok()?, Format::from_word(format)?, range).ok()
    }
}
