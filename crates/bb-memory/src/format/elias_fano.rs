//! Elias–Fano coded names, counts in unary.
//!
//! P. Elias, *Efficient storage and retrieval by content and address of static files*, J. ACM 21(2), 1974. Of
//! each name the lowest `l` bits are written as they are; the other bits, which do not decrease, as a string
//! with a 1 for each entry and a 0 for each step.

use super::{Layout, Shape};
use crate::error::{StateError, refuse};
use crate::model::{State, StateWriter};

/// `floor(lg(n/k))`.
fn low_width(bins: u64, entries: u64) -> u32 {
    (bins / entries).ilog2()
}

/// The bits behind the number of entries.
pub(super) fn length(layout: &Layout, shape: &Shape) -> u64 {
    let entries = shape.entries();
    if entries == 0 {
        return 0;
    }
    let low = low_width(layout.bins, entries);
    let names = entries * u64::from(low) + entries + ((layout.bins - 1) >> low) + 1;
    let counts = if layout.range == 1 { 0 } else { shape.total_excess() + entries };
    names + counts
}

pub(super) fn encode(layout: &Layout, list: &[(usize, u64)], writer: &mut StateWriter) -> Result<(), StateError> {
    let entries = list.len() as u64;
    writer.write(entries, layout.header())?;
    if entries == 0 {
        return Ok(());
    }
    let low = low_width(layout.bins, entries);
    for &(bin, _) in list {
        writer.write(bin as u64 & ((1 << low) - 1), low)?;
    }
    // A 1 for each entry, a 0 after those of each value of the high part.
    let mut high = 0;
    for &(bin, _) in list {
        while high < bin as u64 >> low {
            writer.write(0, 1)?;
            high += 1;
        }
        writer.write(1, 1)?;
    }
    while high <= (layout.bins - 1) >> low {
        writer.write(0, 1)?;
        high += 1;
    }
    if layout.range > 1 {
        for &(_, excess) in list {
            for _ in 0..excess {
                writer.write(1, 1)?;
            }
            writer.write(0, 1)?;
        }
    }
    Ok(())
}

pub(super) fn decode(layout: &Layout, state: &State) -> Result<Vec<(usize, u64)>, StateError> {
    let mut reader = state.reader();
    let entries = layout.read_entries(&mut reader)?;
    if entries == 0 {
        reader.finish()?;
        return Ok(Vec::new());
    }
    let low = low_width(layout.bins, entries);
    let lows = (0..entries).map(|_| reader.read(low)).collect::<Result<Vec<_>, _>>()?;
    let mut list: Vec<(usize, u64)> = Vec::with_capacity(lows.len());
    let (mut high, highest) = (0, (layout.bins - 1) >> low);
    while high <= highest {
        if reader.read(1)? == 0 {
            high += 1;
            continue;
        }
        let Some(&low_bits) = lows.get(list.len()) else {
            return refuse("there are more high parts than entries");
        };
        layout.push(&mut list, (high << low) | low_bits, 0)?;
    }
    if list.len() as u64 != entries {
        return refuse("there are fewer high parts than entries");
    }
    if layout.range > 1 {
        for (_, excess) in &mut list {
            while reader.read(1)? == 1 {
                *excess += 1;
            }
        }
    }
    reader.finish()?;
    Ok(list)
}
