//! Lists as one large integer.

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{One, Zero};

use super::{Layout, Shape};
use crate::error::{StateError, refuse};
use crate::model::{State, StateReader, StateWriter};
use crate::numbers::{binomial, digits, field, rank, sum, unrank, width};

fn power(range: u64, entries: u64) -> BigUint {
    BigUint::from(range).pow(entries as u32)
}

/// The rank of the set times `R^k`, plus the counts in base `R`.
fn flat(layout: &Layout, list: &[(usize, u64)]) -> BigUint {
    let counts = list.iter().rev().fold(BigUint::zero(), |sum, &(_, excess)| sum * layout.range + excess);
    rank(list.iter().map(|&(bin, _)| bin as u64)) * power(layout.range, list.len() as u64) + counts
}

/// The other way; the value is below `C(n, k) R^k`.
fn from_flat(layout: &Layout, value: &BigUint, entries: u64) -> Vec<(usize, u64)> {
    let (rank, counts) = value.div_rem(&power(layout.range, entries));
    let set = unrank(rank, layout.bins, entries);
    let counts = digits(counts, layout.range, set.len());
    set.into_iter().map(|bin| bin as usize).zip(counts).collect()
}

fn lists(layout: &Layout, entries: u64) -> BigUint {
    binomial(layout.bins, entries) * power(layout.range, entries)
}

/// Reads the number that the rest of a state is, one below this count.
fn read_below(mut reader: StateReader<'_>, count: &BigUint) -> Result<BigUint, StateError> {
    let value = reader.read_large(field(count))?;
    if value >= *count {
        return refuse("the integer is too large");
    }
    reader.finish()?;
    Ok(value)
}

pub(super) fn encode_flat(layout: &Layout, list: &[(usize, u64)], writer: &mut StateWriter) -> Result<(), StateError> {
    let entries = list.len() as u64;
    writer.write(entries, layout.header())?;
    writer.write_large(&flat(layout, list), field(&lists(layout, entries)))
}

pub(super) fn decode_flat(layout: &Layout, state: &State) -> Result<Vec<(usize, u64)>, StateError> {
    let mut reader = state.reader();
    let entries = layout.read_entries(&mut reader)?;
    let value = read_below(reader, &lists(layout, entries))?;
    Ok(from_flat(layout, &value, entries))
}

pub(super) fn encode_joint(layout: &Layout, list: &[(usize, u64)], writer: &mut StateWriter) -> Result<(), StateError> {
    let entries = list.len() as u64;
    let before = if entries == 0 { BigUint::zero() } else { sum(layout.bins, entries - 1, layout.range) };
    writer.write_large(&(before + flat(layout, list)), layout.joint_width)
}

pub(super) fn decode_joint(layout: &Layout, state: &State) -> Result<Vec<(usize, u64)>, StateError> {
    let mut reader = state.reader();
    let mut value = reader.read_large(layout.joint_width)?;
    reader.finish()?;
    let mut count = BigUint::one();
    for entries in 0..=layout.capacity {
        if value < count {
            return Ok(from_flat(layout, &value, entries));
        }
        value -= &count;
        if entries < layout.bins {
            count = count * (layout.bins - entries) * layout.range / (entries + 1);
        }
    }
    refuse("the integer is too large")
}

/// The number of lists of this shape.
pub(super) fn layers(bins: u64, shape: &Shape) -> BigUint {
    let mut among = bins;
    shape.at_least().fold(BigUint::one(), |product, at_least| {
        let factor = binomial(among, at_least);
        among = at_least;
        product * factor
    })
}

pub(super) fn encode_layered(
    layout: &Layout,
    list: &[(usize, u64)],
    shape: &Shape,
    writer: &mut StateWriter,
) -> Result<(), StateError> {
    writer.write(list.len() as u64, layout.header())?;
    if layout.range > 1 {
        // The number of entries of count 0 or more was just written; that of the next count is at most this
        // one, and the first 0 ends it.
        let numbers: Vec<u64> = shape.at_least().collect();
        for (place, &number) in numbers.iter().enumerate() {
            writer.write(numbers.get(place + 1).copied().unwrap_or(0), width(number))?;
        }
    }
    // The first layer is a set of bins, each further one a set of places in the layer before.
    let mut layer: Vec<(u64, u64)> = list.iter().map(|&(bin, excess)| (bin as u64, excess)).collect();
    let (mut value, mut among, mut excess) = (BigUint::zero(), layout.bins, 0);
    while !layer.is_empty() {
        value = value * binomial(among, layer.len() as u64) + rank(layer.iter().map(|&(place, _)| place));
        among = layer.len() as u64;
        excess += 1;
        let places = layer.iter().zip(0..);
        layer = places.filter(|&(&(_, count), _)| count >= excess).map(|(&(_, count), place)| (place, count)).collect();
    }
    writer.write_large(&value, field(&layers(layout.bins, shape)))
}

pub(super) fn decode_layered(layout: &Layout, state: &State) -> Result<Vec<(usize, u64)>, StateError> {
    let mut reader = state.reader();
    let entries = layout.read_entries(&mut reader)?;
    let mut numbers = Vec::new();
    let mut number = entries;
    while number > 0 {
        numbers.push(number);
        if layout.range == 1 {
            break;
        }
        let next = reader.read(width(number))?;
        if next > number {
            return refuse("more entries have a count than the one below");
        }
        number = next;
    }
    let mut sizes = Vec::new();
    let mut among = layout.bins;
    for &number in &numbers {
        sizes.push((among, number, binomial(among, number)));
        among = number;
    }
    let count: BigUint = sizes.iter().map(|(_, _, size)| size).product();
    let mut value = read_below(reader, &count)?;
    // The last layer is the lowest digit.
    let mut layers = Vec::new();
    for (among, number, size) in sizes.iter().rev() {
        let (rest, digit) = value.div_rem(size);
        value = rest;
        layers.push(unrank(digit, *among, *number));
    }
    let mut list: Vec<(usize, u64)> = Vec::new();
    let mut members: Vec<usize> = Vec::new();
    for (depth, places) in layers.into_iter().rev().enumerate() {
        if depth == 0 {
            list = places.iter().map(|&bin| (bin as usize, 0)).collect();
            members = (0..list.len()).collect();
        } else {
            members = places.iter().map(|&place| members[place as usize]).collect();
            members.iter().for_each(|&member| list[member].1 += 1);
        }
    }
    Ok(list)
}
