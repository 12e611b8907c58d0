//! Name and count of each entry.

use super::Layout;
use crate::error::StateError;
use crate::model::{State, StateWriter};

pub(super) fn encode(layout: &Layout, list: &[(usize, u64)], writer: &mut StateWriter) -> Result<(), StateError> {
    writer.write(list.len() as u64, layout.header())?;
    for &(bin, excess) in list {
        writer.write(bin as u64, layout.name_width())?;
        writer.write(excess, layout.count_width())?;
    }
    Ok(())
}

pub(super) fn decode(layout: &Layout, state: &State) -> Result<Vec<(usize, u64)>, StateError> {
    let mut reader = state.reader();
    let mut list = Vec::new();
    for _ in 0..layout.read_entries(&mut reader)? {
        let (bin, excess) = (reader.read(layout.name_width())?, reader.read(layout.count_width())?);
        layout.push(&mut list, bin, excess)?;
    }
    reader.finish()?;
    Ok(list)
}
