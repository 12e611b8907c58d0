//! Name and count of each entry.

use super::Layout;
use crate::{State, StateError, StateWriter};

pub(super) fn encode(layout: &Layout, list: &[(usize, u64)], writer: &mut StateWriter) -> Result<(), StateError> {
    writer.write(list.len() as u64, layout.header())?;
    for &(bin, excess) in list {
        writer.write(bin as u64, layout.name_width())?;
        writer.write(excess, layout.count_width())?;
    }
    Ok(())
}

pub(super) fn decode(layout: &Layout, state: &State) -> Result<Vec<(usize, u64)>, StateError> {
    let refuse = |reason| Err(StateError::NonCanonical { reason });
    let mut reader = state.reader();
    let entries = reader.read(layout.header())?;
    if entries > layout.capacity {
        return refuse("there are more entries than the capacity");
    }
    let mut list: Vec<(usize, u64)> = Vec::new();
    for _ in 0..entries {
        let (bin, excess) = (reader.read(layout.name_width())?, reader.read(layout.count_width())?);
        if bin >= layout.bins {
            return refuse("there is no such bin");
        }
        if excess >= layout.range {
            return refuse("a count is out of range");
        }
        if list.last().is_some_and(|&(last, _)| last as u64 >= bin) {
            return refuse("the bins do not increase");
        }
        list.push((bin as usize, excess));
    }
    reader.finish()?;
    Ok(list)
}
