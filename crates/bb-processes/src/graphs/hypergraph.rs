use std::io::BufRead;
use std::sync::Arc;

use bb_core::{DistinctSampler, ParameterError, Rng};

use super::edges::{Edges, Size, check_room, check_vertices};
use super::{EdgePlace, GraphError};

/// A hypergraph whose vertices `0 … n − 1` are bins, for [`HypergraphChoice`](crate::HypergraphChoice): its
/// edges are sets of vertices.
///
/// Every vertex is in an edge. An edge that is given twice is twice as likely. A clone shares the edges.
///
/// *Cost:* 4 bytes for each vertex of an edge, 8 more an edge; at most `2^32` vertices.
///
/// # Examples
///
/// ```
/// use bb_processes::Hypergraph;
///
/// let two = Hypergraph::from_edges(4, [[0, 1, 2], [1, 2, 3]])?;
/// assert_eq!(two, Hypergraph::read("0 1 2\n1 2 3  # the other\n".as_bytes())?);
/// assert_eq!((two.vertices(), two.edges(), two.edge(1)), (4, 2, Some(&[1, 2, 3][..])));
/// # Ok::<(), bb_processes::GraphError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hypergraph {
    vertices: u64,
    /// The vertices of the edges, one edge after another.
    members: Arc<[u32]>,
    /// Where each edge ends.
    ends: Arc<[usize]>,
}

impl Hypergraph {
    /// Returns the hypergraph with these edges.
    ///
    /// # Errors
    ///
    /// If `vertices` is outside `1..=2^32`, an edge is empty, has a vertex twice or one not below `vertices`,
    /// or a vertex is in no edge. The error names the edge.
    pub fn from_edges<E>(vertices: u64, edges: impl IntoIterator<Item = E>) -> Result<Self, GraphError>
    where
        E: IntoIterator<Item = u64>,
    {
        check_vertices(vertices, 1)?;
        let mut checked = Edges::default();
        for (index, edge) in (0..).zip(edges) {
            checked.add(EdgePlace::Index(index), edge, vertices, Size::Any)?;
        }
        Self::checked(vertices, &checked)
    }

    /// Reads a hypergraph: one edge a line, its vertices separated by blanks; `#` begins a comment, and empty
    /// lines are skipped. There are as many vertices as the largest number says, from 0.
    ///
    /// # Errors
    ///
    /// As for [`from_edges`](Self::from_edges), or if the text cannot be read. The error names the line.
    pub fn read(reader: impl BufRead) -> Result<Self, GraphError> {
        let (edges, vertices) = Edges::read(reader, Size::Any)?;
        Self::checked(vertices, &edges)
    }

    /// Returns `edges` uniform sets of `size` vertices each, drawn independently.
    ///
    /// *Randomness:* the draws of [`DistinctSampler`], edge by edge. *Cost:* at worst `O(size²)` an edge.
    ///
    /// # Errors
    ///
    /// If `vertices` is outside `1..=2^32`, `size` outside `1..=vertices`, the memory cannot be had, or a
    /// vertex happens to be in no edge: `edges·size` well above `n ln n` makes that unlikely.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_processes::Hypergraph;
    /// use bb_processes::bb_core::rng_for_trial;
    ///
    /// let random = Hypergraph::random(100, 500, 4, &mut rng_for_trial(1, 0))?;
    /// assert!((0..500).all(|edge| random.edge(edge).is_some_and(|members| members.len() == 4)));
    /// # Ok::<(), bb_processes::GraphError>(())
    /// ```
    pub fn random<R: Rng + ?Sized>(vertices: u64, edges: u64, size: u32, rng: &mut R) -> Result<Self, GraphError> {
        check_vertices(vertices, 1)?;
        let valid = (1..=vertices).contains(&u64::from(size));
        ParameterError::require(valid, "size", size, format_args!("1..={vertices}, the number of vertices"))?;
        // 4 bytes for a vertex and 8 for the end, and a copy of both.
        check_room(edges, 2 * (4 * u64::from(size) + 8))?;
        let mut sampler = DistinctSampler::default();
        let mut members = Vec::new();
        Self::from_edges(
            vertices,
            (0..edges).map(|_| {
                members.clear();
                sampler.draw_each(vertices, size, rng, |vertex| members.push(vertex));
                members.clone()
            }),
        )
    }

    fn checked(vertices: u64, edges: &Edges) -> Result<Self, GraphError> {
        edges.check_covered(vertices)?;
        Ok(Self { vertices, members: edges.vertices[..].into(), ends: edges.ends[..].into() })
    }

    /// Returns the number of vertices.
    #[must_use]
    pub fn vertices(&self) -> u64 {
        self.vertices
    }

    /// Returns the number of edges.
    #[must_use]
    pub fn edges(&self) -> u64 {
        self.ends.len() as u64
    }

    /// The sum of the sizes of all edges.
    pub(super) fn members(&self) -> usize {
        self.members.len()
    }

    /// Returns the vertices of an edge, in the order in which they were given, or `None` if there is no such
    /// edge.
    #[must_use]
    pub fn edge(&self, edge: u64) -> Option<&[u32]> {
        let edge = usize::try_from(edge).ok()?;
        let end = *self.ends.get(edge)?;
        let begin = if edge == 0 { 0 } else { self.ends[edge - 1] };
        Some(&self.members[begin..end])
    }
}
