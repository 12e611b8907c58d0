use std::io::BufRead;
use std::sync::Arc;

use bb_core::{ParameterError, Rng};

use super::edges::{Edges, Size, check_room, check_vertices};
use super::{EdgePlace, GraphError, regular};

/// A graph whose vertices `0 … n − 1` are bins, for [`GraphChoice`](crate::GraphChoice).
///
/// Every vertex has an edge and none is joined to itself. An edge that is given twice is twice as likely. A
/// clone shares the edges.
///
/// *Cost:* 8 bytes an edge, at most `2^32` vertices. The complete graph keeps no edges.
///
/// # Examples
///
/// ```
/// use bb_processes::Graph;
///
/// let square = Graph::from_edges(4, [(0, 1), (1, 2), (2, 3), (3, 0)])?;
/// assert_eq!(square, Graph::cycle(4)?);
/// assert_eq!(square, Graph::read("# a square\n0 1\n1 2\n2 3\n3 0\n".as_bytes())?);
/// assert_eq!((square.vertices(), square.edges()), (4, 4));
/// assert_eq!(square.iter().next(), Some([0, 1]));
/// # Ok::<(), bb_processes::GraphError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    vertices: u64,
    kind: Kind,
}

/// Bytes of an edge; while it is made there is a copy.
const BYTES: u64 = 8;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Complete,
    /// The ends of the edges, one after another.
    Listed(Arc<[u32]>),
}

impl Graph {
    /// Returns the graph with these edges.
    ///
    /// # Errors
    ///
    /// If `vertices` is outside `1..=2^32`, an end is not below it, an edge joins a vertex to itself, or a
    /// vertex has no edge. The error names the edge.
    pub fn from_edges(vertices: u64, edges: impl IntoIterator<Item = (u64, u64)>) -> Result<Self, GraphError> {
        check_vertices(vertices, 1)?;
        let mut checked = Edges::default();
        for (index, (from, to)) in (0..).zip(edges) {
            checked.add(EdgePlace::Index(index), [from, to], vertices, Size::Two)?;
        }
        Self::checked(vertices, &checked)
    }

    /// Reads a graph: one edge `u v` a line; `#` begins a comment, and empty lines are skipped. There are as
    /// many vertices as the largest number says, from 0.
    ///
    /// # Errors
    ///
    /// As for [`from_edges`](Self::from_edges), or if the text cannot be read. The error names the line.
    pub fn read(reader: impl BufRead) -> Result<Self, GraphError> {
        let (edges, vertices) = Edges::read(reader, Size::Two)?;
        Self::checked(vertices, &edges)
    }

    fn checked(vertices: u64, edges: &Edges) -> Result<Self, GraphError> {
        edges.check_covered(vertices)?;
        Ok(Self::listed(vertices, &edges.vertices))
    }

    fn listed(vertices: u64, ends: &[u32]) -> Self {
        Self { vertices, kind: Kind::Listed(ends.into()) }
    }

    /// Returns the cycle: vertex `v` is joined to `v + 1`, the last to the first.
    ///
    /// # Errors
    ///
    /// If `vertices` is outside `3..=2^32`, or the memory cannot be had.
    pub fn cycle(vertices: u64) -> Result<Self, GraphError> {
        check_vertices(vertices, 3)?;
        check_room(vertices, 2 * BYTES)?;
        let ends: Vec<u32> = (0..vertices).flat_map(|v| [v as u32, ((v + 1) % vertices) as u32]).collect();
        Ok(Self::listed(vertices, &ends))
    }

    /// Returns the torus: a grid of `width` times `height` vertices, row by row, each joined to the four
    /// around it, across the borders too.
    ///
    /// # Errors
    ///
    /// If a side is below 3, their product exceeds `2^32`, or the memory cannot be had.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_processes::Graph;
    ///
    /// let torus = Graph::torus(4, 3)?;
    /// assert_eq!((torus.vertices(), torus.edges()), (12, 24));
    /// assert_eq!(torus.iter().take(2).collect::<Vec<_>>(), [[0, 1], [0, 4]]);
    /// # Ok::<(), bb_processes::GraphError>(())
    /// ```
    pub fn torus(width: u64, height: u64) -> Result<Self, GraphError> {
        for (parameter, side) in [("width", width), ("height", height)] {
            ParameterError::require(side >= 3, parameter, side, "3..")?;
        }
        let vertices = width.saturating_mul(height);
        check_vertices(vertices, 9)?;
        check_room(2 * vertices, 2 * BYTES)?;
        let ends: Vec<u32> = (0..vertices)
            .flat_map(|v| {
                let (row, column) = (v / width, v % width);
                let right = row * width + (column + 1) % width;
                let below = (v + width) % vertices;
                [v, right, v, below].map(|end| end as u32)
            })
            .collect();
        Ok(Self::listed(vertices, &ends))
    }

    /// Returns the complete graph, where any two vertices are joined. No edges are kept.
    ///
    /// # Errors
    ///
    /// If `vertices` is outside `2..=2^32`.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_processes::Graph;
    ///
    /// let complete = Graph::complete(1 << 20)?;
    /// assert_eq!(complete.edges(), (1 << 19) * ((1 << 20) - 1));
    /// assert_eq!(Graph::complete(3)?.iter().collect::<Vec<_>>(), [[0, 1], [0, 2], [1, 2]]);
    /// # Ok::<(), bb_processes::GraphError>(())
    /// ```
    pub fn complete(vertices: u64) -> Result<Self, GraphError> {
        check_vertices(vertices, 2)?;
        Ok(Self { vertices, kind: Kind::Complete })
    }

    /// Returns a random graph where every vertex has `degree` edges, to different vertices.
    ///
    /// Pairing (Steger and Wormald, Combin. Probab. Comput. 8, 1999): every vertex has `degree` stubs; two
    /// uniform stubs are joined, unless this would make a loop or a second edge; if no two can be joined any
    /// more, all is begun again. Its law is not exactly uniform on such graphs, but tends to it for
    /// `degree = o(n^(1/3))` (Kim and Vu, Combinatorica 26, 2006). More than `(n − 1)/2` edges a vertex are
    /// those that a graph of the other degree lacks.
    ///
    /// *Randomness:* two draws for each attempt to join, by one word each unless rejected. *Cost:* about
    /// `degree·n` attempts, and `O(degree)` for each.
    ///
    /// # Errors
    ///
    /// If `vertices` is outside `2..=2^32`, `degree` is outside `1..vertices`, both are odd, or the memory
    /// cannot be had.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_processes::Graph;
    /// use bb_processes::bb_core::rng_for_trial;
    ///
    /// let graph = Graph::random_regular(100, 3, &mut rng_for_trial(1, 0))?;
    /// assert_eq!((graph.vertices(), graph.edges()), (100, 150));
    /// assert!((0..100).all(|vertex| graph.iter().filter(|edge| edge.contains(&vertex)).count() == 3));
    /// # Ok::<(), bb_processes::GraphError>(())
    /// ```
    pub fn random_regular<R: Rng + ?Sized>(vertices: u64, degree: u64, rng: &mut R) -> Result<Self, GraphError> {
        check_vertices(vertices, 2)?;
        let valid = (1..vertices).contains(&degree) && (vertices * degree).is_multiple_of(2);
        let range = format_args!("1..{vertices}, even if the number of vertices is odd");
        ParameterError::require(valid, "degree", degree, range)?;
        // The list and its copy; stubs and neighbours.
        check_room(vertices * degree / 2, 4 * BYTES)?;
        Ok(Self::listed(vertices, &regular::random_regular(vertices as usize, degree as usize, rng)))
    }

    /// Returns the number of vertices.
    #[must_use]
    pub fn vertices(&self) -> u64 {
        self.vertices
    }

    /// Returns the number of edges.
    #[must_use]
    pub fn edges(&self) -> u64 {
        match &self.kind {
            Kind::Complete => (u128::from(self.vertices) * u128::from(self.vertices - 1) / 2) as u64,
            Kind::Listed(ends) => ends.len() as u64 / 2,
        }
    }

    /// Iterates over the edges, in the order in which they were given; those of the complete graph in order.
    pub fn iter(&self) -> impl Iterator<Item = [u64; 2]> + '_ {
        let (listed, complete) = match &self.kind {
            Kind::Complete => (&[][..], self.vertices),
            Kind::Listed(ends) => (&ends[..], 0),
        };
        let listed = listed.as_chunks::<2>().0.iter().map(|edge| edge.map(u64::from));
        listed.chain((0..complete).flat_map(move |from| (from + 1..complete).map(move |to| [from, to])))
    }

    pub(super) fn kind(&self) -> &Kind {
        &self.kind
    }
}
