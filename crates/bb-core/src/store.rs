//! How the loads of a [`LoadVector`](crate::LoadVector) lie in memory. Neither law nor words depend on it.

use core::fmt::Debug;
use core::hint::{black_box, select_unpredictable};
use core::ops::{Add, BitXor};

use rand::Rng;

use crate::error::LoadsError;
use crate::mix::Mix;
use bb_samplers::IndexSampler;

/// The memory of the loads of one kind.
pub(crate) trait Store<T>: Clone + Debug {
    /// Bytes for `bins` loads.
    fn bytes(bins: u64) -> u128;
    /// All loads zero, or `None` where the allocator refuses.
    fn zeros(bins: usize) -> Option<Self>;
    fn from_loads(loads: Vec<T>) -> Self;
    fn len(&self) -> usize;
    fn get(&self, bin: usize) -> T;
    /// Adds to a load and returns the new load.
    fn add(&mut self, bin: usize, amount: T) -> T;
    /// Returns (load, number of bins), by increasing load.
    fn level_counts(&self) -> Vec<(T, u64)>;
    /// Returns the lighter of two bins, the first on a tie.
    fn lighter(&self, first: usize, second: usize) -> usize;
    /// Throws up to `balls` unit balls into the least loaded of `d ≥ 1` uniform bins, as long as the maximum
    /// load stays `max`. Returns how many were placed, and the bin that the next ball is to go to if it would
    /// raise the maximum.
    fn least_of_below<R: Rng + ?Sized>(
        &mut self,
        max: T,
        d: Mix<u32>,
        balls: u64,
        draws: &IndexSampler,
        rng: &mut R,
    ) -> (u64, Option<usize>);
}

/// How loads of one kind lie in a [`LoadVector`](crate::LoadVector), and how their total is kept. Sealed by
/// its privacy: [`Load`] asks for it.
#[allow(unreachable_pub, private_bounds, reason = "sealed: nobody else says how loads lie in memory")]
pub trait Stored: Sized {
    type Store: Store<Self>;
    type Total: Copy + Debug + Default;
    /// Checks loads to start from.
    fn check(loads: &[Self]) -> Result<(), LoadsError>;
    fn accumulate(total: &mut Self::Total, amount: Self);
    fn sum(total: Self::Total) -> Self;
}

impl Stored for u64 {
    type Store = Counts;
    type Total = u64;

    fn check(loads: &[Self]) -> Result<(), LoadsError> {
        let sum = loads.iter().map(|&load| u128::from(load)).sum();
        if sum > u128::from(u64::MAX / 2) { Err(LoadsError::TotalTooLarge { sum }) } else { Ok(()) }
    }

    #[inline]
    fn accumulate(total: &mut u64, amount: u64) {
        *total = total.checked_add(amount).expect("the total of all loads stays below 2^64");
    }

    #[inline]
    fn sum(total: u64) -> u64 {
        total
    }
}

pub(crate) fn zeroed<T: Clone + Default>(bins: usize) -> Option<Vec<T>> {
    let mut loads = Vec::new();
    loads.try_reserve_exact(bins).ok()?;
    loads.resize(bins, T::default());
    Some(loads)
}

/// Groups sorted loads.
pub(crate) fn count_sorted<T: Copy + PartialEq>(sorted: &[T]) -> Vec<(T, u64)> {
    sorted.chunk_by(|a, b| a == b).map(|equal| (equal[0], equal.len() as u64)).collect()
}

/// The first least loaded of `d` uniform bins, and its load; the same words as [`crate::least_of`].
#[inline]
pub(crate) fn least_of<T: Copy + PartialOrd, R: Rng + ?Sized>(
    d: Mix<u32>,
    draws: &IndexSampler,
    rng: &mut R,
    load: impl Fn(usize) -> T,
) -> (usize, T) {
    match d.drawn_and_used(rng) {
        (0 | 1, _) => least(draws.draw_array::<1, R>(rng), 1, load),
        (2, used) => least(draws.draw_array::<2, R>(rng), used, load),
        (3, used) => least(draws.draw_array::<3, R>(rng), used, load),
        (drawn, used) => {
            let mut sample = 0;
            let mut least: Option<(usize, T)> = None;
            draws.draw_each(drawn, rng, |index| {
                sample += 1;
                let new = (index as usize, load(index as usize));
                least = Some(
                    least.map_or(new, |kept| select_unpredictable((sample <= used) & (new.1 < kept.1), new, kept)),
                );
            });
            least.unwrap_or_else(|| (0, load(0))) // There is always a sample.
        }
    }
}

/// The first least loaded of the first `used` of these bins, and its load, without a branch.
#[inline]
fn least<const D: usize, T: Copy + PartialOrd>(drawn: [u64; D], used: u32, load: impl Fn(usize) -> T) -> (usize, T) {
    let mut bin = drawn[0] as usize;
    let mut lowest = load(bin);
    for (place, &other) in (1..).zip(&drawn[1..]) {
        let other = other as usize;
        let lower = load(other);
        let wins = (lower < lowest) & (place < used);
        bin = select_unpredictable(wins, other, bin);
        lowest = select_unpredictable(wins, lower, lowest);
    }
    (bin, lowest)
}

/// Counts as one-byte offsets from a base that rises with the loads; in full width once the loads spread over
/// more than a byte.
///
/// A byte a bin keeps eight times as many loads in each level of cache.
#[derive(Clone, Debug)]
#[allow(unreachable_pub, reason = "an associated type of the sealed trait `Stored`")]
pub enum Counts {
    /// Load = base + offset.
    Narrow { base: u64, offsets: Vec<u8> },
    /// The loads themselves.
    Wide(Vec<u64>),
}

/// Does the same with counts of either width: `loads` are what is stored, `top` stands for the load `max`
/// among these, and a load is `base` more than what is stored for it.
macro_rules! on_stored {
    ($counts:expr, $max:expr, |$loads:ident, $top:ident, $base:ident| $body:expr) => {
        match $counts {
            $crate::store::Counts::Narrow { base, offsets } => {
                // No offset is above a byte.
                let ($loads, $top, $base) = (offsets, ($max - *base) as u8, *base);
                $body
            }
            $crate::store::Counts::Wide(loads) => {
                let ($loads, $top, $base) = (loads, $max, 0_u64);
                $body
            }
        }
    };
}
pub(crate) use on_stored;

/// A rise of the base by less than this would come back too soon: its cost is a pass over all bins.
const LEAST_RISE: u8 = 32;

impl Counts {
    /// Sets all counts to 0.
    pub(crate) fn clear(&mut self) {
        match self {
            Self::Narrow { base, offsets } => {
                *base = 0;
                offsets.fill(0);
            }
            Self::Wide(loads) => loads.fill(0),
        }
    }

    /// Replaces every count by a small number, in place.
    pub(crate) fn replace(&mut self, mut new: impl FnMut(usize, u64) -> u8) {
        match self {
            Self::Narrow { base, offsets } => {
                let old = *base;
                *base = 0;
                offsets.iter_mut().enumerate().for_each(|(bin, offset)| *offset = new(bin, old + u64::from(*offset)));
            }
            Self::Wide(loads) => {
                loads.iter_mut().enumerate().for_each(|(bin, load)| *load = u64::from(new(bin, *load)));
            }
        }
    }

    /// Adds what would go above the offset 255: raises the base, or widens if the lowest bins hold it down,
    /// or no rise makes room for so much in one put.
    ///
    /// Apart, so that [`Store::add`] is short enough to be inlined.
    #[cold]
    #[inline(never)]
    fn add_in_room_made(&mut self, bin: usize, amount: u64) -> u64 {
        if let Self::Narrow { base, offsets } = self {
            let lowest = offsets.iter().copied().min().unwrap_or(0);
            if lowest >= LEAST_RISE && amount <= u64::from(u8::MAX - LEAST_RISE) {
                *base += u64::from(lowest);
                offsets.iter_mut().for_each(|offset| *offset -= lowest);
            } else {
                *self = Self::Wide(offsets.iter().map(|&offset| *base + u64::from(offset)).collect());
            }
        }
        self.add(bin, amount)
    }
}

impl Store<u64> for Counts {
    fn bytes(bins: u64) -> u128 {
        u128::from(bins)
    }

    fn zeros(bins: usize) -> Option<Self> {
        Some(Self::Narrow { base: 0, offsets: zeroed(bins)? })
    }

    fn from_loads(loads: Vec<u64>) -> Self {
        let base = loads.iter().copied().min().unwrap_or(0);
        let offsets: Option<Vec<u8>> = loads.iter().map(|load| u8::try_from(load - base).ok()).collect();
        offsets.map_or(Self::Wide(loads), |offsets| Self::Narrow { base, offsets })
    }

    fn len(&self) -> usize {
        match self {
            Self::Narrow { offsets, .. } => offsets.len(),
            Self::Wide(loads) => loads.len(),
        }
    }

    #[inline]
    fn get(&self, bin: usize) -> u64 {
        match self {
            Self::Narrow { base, offsets } => base + u64::from(offsets[bin]),
            Self::Wide(loads) => loads[bin],
        }
    }

    #[inline]
    fn add(&mut self, bin: usize, amount: u64) -> u64 {
        match self {
            Self::Narrow { base, offsets } => {
                let offset = &mut offsets[bin];
                if amount <= u64::from(u8::MAX - *offset) {
                    *offset += amount as u8;
                    return *base + u64::from(*offset);
                }
            }
            Self::Wide(loads) => {
                loads[bin] += amount;
                return loads[bin];
            }
        }
        self.add_in_room_made(bin, amount)
    }

    fn level_counts(&self) -> Vec<(u64, u64)> {
        match self {
            Self::Narrow { base, offsets } => {
                let mut counts = [0_u64; 256];
                offsets.iter().for_each(|&offset| counts[usize::from(offset)] += 1);
                (*base..).zip(counts).filter(|&(_, count)| count > 0).collect()
            }
            Self::Wide(loads) => {
                let mut sorted = loads.clone();
                sorted.sort_unstable();
                count_sorted(&sorted)
            }
        }
    }

    #[inline]
    fn lighter(&self, first: usize, second: usize) -> usize {
        let second_wins = match self {
            Self::Narrow { offsets, .. } => offsets[second] < offsets[first],
            Self::Wide(loads) => loads[second] < loads[first],
        };
        select_unpredictable(second_wins, second, first)
    }

    fn least_of_below<R: Rng + ?Sized>(
        &mut self,
        max: u64,
        d: Mix<u32>,
        balls: u64,
        draws: &IndexSampler,
        rng: &mut R,
    ) -> (u64, Option<usize>) {
        on_stored!(self, max, |loads, top, _base| least_of_below(loads, top, d, balls, draws, rng))
    }
}

impl Counts {
    /// Returns the bytes that the loads take at present.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Narrow { offsets, .. } => size_of_val(offsets.as_slice()),
            Self::Wide(loads) => size_of_val(loads.as_slice()),
        }
    }

    /// Like [`Store::least_of_below`], for balls whose `D` bins each are drawn already.
    pub(crate) fn least_of_drawn_below<const D: usize>(
        &mut self,
        max: u64,
        drawn: &[[u64; D]],
    ) -> (u64, Option<usize>) {
        on_stored!(self, max, |loads, top, _base| least_of_drawn_below(loads, top, drawn))
    }
}

/// The hot loop. A unit ball raises the maximum iff it goes to a bin at the maximum: one equality test a
/// ball, nothing else.
#[inline]
fn least_of_below<T: Copy + PartialOrd + Add<Output = T> + From<u8>, R: Rng + ?Sized>(
    loads: &mut [T],
    top: T,
    d: Mix<u32>,
    balls: u64,
    draws: &IndexSampler,
    rng: &mut R,
) -> (u64, Option<usize>) {
    // One copy of the loop for each usual d, so that the test of d is outside.
    match d {
        Mix::Sure(1) => until_top(loads, top, balls, |loads| least_of(Mix::Sure(1), draws, rng, |bin| loads[bin])),
        Mix::Sure(2) => until_top(loads, top, balls, |loads| least_of(Mix::Sure(2), draws, rng, |bin| loads[bin])),
        Mix::Sure(3) => until_top(loads, top, balls, |loads| least_of(Mix::Sure(3), draws, rng, |bin| loads[bin])),
        Mix::Coin { coin, heads: 2, tails: 1 } => until_top(loads, top, balls, |loads| {
            least_of(Mix::Coin { coin, heads: 2, tails: 1 }, draws, rng, |bin| loads[bin])
        }),
        _ => until_top(loads, top, balls, |loads| least_of(d, draws, rng, |bin| loads[bin])),
    }
}

#[inline]
pub(crate) fn until_top<T: Copy + PartialOrd + Add<Output = T> + From<u8>>(
    loads: &mut [T],
    top: T,
    balls: u64,
    mut choose: impl FnMut(&[T]) -> (usize, T),
) -> (u64, Option<usize>) {
    for placed in 0..balls {
        let (bin, load) = choose(loads);
        if load == top {
            return (placed, Some(bin));
        }
        loads[bin] = load + T::from(1);
    }
    (balls, None)
}

/// The second half of a block: reads the loads of all its bins, then places the balls in order.
///
/// No reading waits for another, so the loads come from memory many at a time, and are in the cache when a
/// decision asks for them.
#[inline]
fn least_of_drawn_below<const D: usize, T: Copy + PartialOrd + Add<Output = T> + From<u8> + BitXor<Output = T>>(
    loads: &mut [T],
    top: T,
    drawn: &[[u64; D]],
) -> (u64, Option<usize>) {
    // What is read has to be used for something, or the compiler leaves it out.
    black_box(drawn.as_flattened().iter().fold(T::from(0), |all, &bin| all ^ loads[bin as usize]));
    let mut each = drawn.iter().copied();
    until_top(loads, top, drawn.len() as u64, |loads| {
        least(each.next().unwrap_or([0; D]), D as u32, |bin| loads[bin]) // There are as many as balls.
    })
}
