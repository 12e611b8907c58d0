use core::fmt;

use bb_core::ParameterError;
use thiserror::Error;

/// Why there is no graph or hypergraph to what was given.
///
/// # Examples
///
/// ```
/// use bb_processes::Graph;
///
/// let message = |text: &str| Graph::read(text.as_bytes()).unwrap_err().to_string();
/// assert_eq!(message("0 1\n1 x"), "line 2: vertex = x is outside 0..4294967296");
/// assert_eq!(message("0 1\n\n2"), "line 3: vertices = 1 is outside 2, the ends of an edge");
/// assert_eq!(message("# a loop\n0 0"), "line 2: vertex = 0 is in the edge twice");
/// assert_eq!(message("0 1\n1 3"), "vertex = 2 is outside all edges, its bin could get no ball");
/// assert_eq!(message("# nothing"), "vertices = 0 is outside 1..=2^32");
/// let refused = Graph::from_edges(2, [(0, 1), (1, 2)]).unwrap_err();
/// assert_eq!(refused.to_string(), "edge 1: vertex = 2 is outside 0..2");
/// ```
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum GraphError {
    /// A size is outside its range.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// An edge is not one.
    #[error("{place}: {fault}")]
    Edge {
        /// Which edge.
        place: EdgePlace,
        /// What is wrong with it.
        fault: EdgeFault,
    },
    /// A vertex is in no edge.
    #[error("vertex = {vertex} is outside all edges, its bin could get no ball")]
    Isolated {
        /// The first such vertex.
        vertex: u64,
    },
    /// The memory for the edges cannot be had.
    #[error("the edges need {bytes} bytes, more than the memory that can be had")]
    DoesNotFit {
        /// The bytes that were asked for.
        bytes: u128,
    },
    /// The text cannot be read.
    #[error("line {line} cannot be read: {reason}")]
    Read {
        /// The line, from 1.
        line: u64,
        /// What the reader says.
        reason: String,
    },
}

/// Where an edge was given; part of a [`GraphError`], whose example shows both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EdgePlace {
    /// In a list, counted from 0.
    Index(u64),
    /// On a line of a text, counted from 1.
    Line(u64),
}

impl fmt::Display for EdgePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Index(index) => write!(f, "edge {index}"),
            Self::Line(line) => write!(f, "line {line}"),
        }
    }
}

/// What is wrong with an edge; part of a [`GraphError`], whose example shows them.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EdgeFault {
    /// There is no such vertex.
    #[error("vertex = {vertex} is outside 0..{vertices}")]
    NoVertex {
        /// The vertex, as it was written.
        vertex: String,
        /// The number of vertices that there can be.
        vertices: u64,
    },
    /// A vertex is in the edge twice: a loop.
    #[error("vertex = {vertex} is in the edge twice")]
    Twice {
        /// The vertex.
        vertex: u64,
    },
    /// The edge has too few or too many vertices.
    #[error("vertices = {size} is outside {range}")]
    Size {
        /// The number of vertices.
        size: u64,
        /// The numbers that there can be.
        range: &'static str,
    },
}
