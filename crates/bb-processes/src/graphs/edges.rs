//! Edges as they are given, checked one by one: what graphs and hypergraphs have in common.

use std::io::BufRead;

use bb_core::ParameterError;

use super::{EdgeFault, EdgePlace, GraphError};
use crate::room::can_be_had;

/// Vertices are kept in 32 bits.
pub(super) const MOST_VERTICES: u64 = 1 << 32;

pub(super) fn check_vertices(vertices: u64, least: u64) -> Result<(), ParameterError> {
    let valid = (least..=MOST_VERTICES).contains(&vertices);
    ParameterError::require(valid, "vertices", vertices, format_args!("{least}..=2^32"))
}

/// Refuses, before anything is allocated, so many edges that take `bytes` bytes each while they are made.
pub(super) fn check_room(edges: u64, bytes: u64) -> Result<(), GraphError> {
    let bytes = u128::from(edges) * u128::from(bytes);
    if can_be_had(bytes) { Ok(()) } else { Err(GraphError::DoesNotFit { bytes }) }
}

/// The sizes that an edge can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Size {
    Two,
    Any,
}

/// The vertices of all edges, and where each edge ends.
#[derive(Debug, Default)]
pub(super) struct Edges {
    pub(super) vertices: Vec<u32>,
    pub(super) ends: Vec<usize>,
    /// The last edge, sorted.
    sorted: Vec<u32>,
}

impl Edges {
    /// Adds an edge with vertices below `vertices`, at most `2^32`.
    pub(super) fn add(
        &mut self,
        place: EdgePlace,
        edge: impl IntoIterator<Item = u64>,
        vertices: u64,
        size: Size,
    ) -> Result<(), GraphError> {
        let begin = self.vertices.len();
        let fault = |fault| Err(GraphError::Edge { place, fault });
        for vertex in edge {
            match u32::try_from(vertex) {
                Ok(short) if vertex < vertices => self.vertices.push(short),
                _ => return fault(EdgeFault::NoVertex { vertex: vertex.to_string(), vertices }),
            }
        }
        let edge = &self.vertices[begin..];
        let range = match size {
            Size::Two if edge.len() != 2 => Some("2, the ends of an edge"),
            Size::Any if edge.is_empty() => Some("1.."),
            _ => None,
        };
        if let Some(range) = range {
            return fault(EdgeFault::Size { size: edge.len() as u64, range });
        }
        self.sorted.clear();
        self.sorted.extend(edge);
        self.sorted.sort_unstable();
        if let Some(pair) = self.sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return fault(EdgeFault::Twice { vertex: u64::from(pair[0]) });
        }
        self.ends.push(self.vertices.len());
        Ok(())
    }

    /// Reads one edge a line: vertices separated by blanks; `#` begins a comment, and lines without an edge
    /// are skipped. Returns the number of vertices too, one more than the largest.
    pub(super) fn read(reader: impl BufRead, size: Size) -> Result<(Self, u64), GraphError> {
        let mut edges = Self::default();
        let mut edge = Vec::new();
        for (line, text) in (1..).zip(reader.lines()) {
            let text = text.map_err(|error| GraphError::Read { line, reason: error.to_string() })?;
            let words = text.split('#').next().unwrap_or_default().split_whitespace();
            let place = EdgePlace::Line(line);
            edge.clear();
            for word in words {
                edge.push(word.parse().map_err(|_| {
                    let fault = EdgeFault::NoVertex { vertex: word.to_owned(), vertices: MOST_VERTICES };
                    GraphError::Edge { place, fault }
                })?);
            }
            if !edge.is_empty() {
                edges.add(place, edge.iter().copied(), MOST_VERTICES, size)?;
            }
        }
        let vertices = edges.vertices.iter().max().map_or(0, |&largest| u64::from(largest) + 1);
        check_vertices(vertices, 1)?;
        Ok((edges, vertices))
    }

    /// Checks that every vertex is in an edge.
    pub(super) fn check_covered(&self, vertices: u64) -> Result<(), GraphError> {
        // Among the first vertices, one more than are named, one is missing if any is: a huge number
        // somewhere costs no memory.
        let looked_at = vertices.min(self.vertices.len() as u64 + 1);
        let mut covered = vec![false; looked_at as usize];
        for &vertex in &self.vertices {
            if let Some(covered) = covered.get_mut(vertex as usize) {
                *covered = true;
            }
        }
        match covered.iter().position(|covered| !covered) {
            None => Ok(()),
            Some(vertex) => Err(GraphError::Isolated { vertex: vertex as u64 }),
        }
    }
}
