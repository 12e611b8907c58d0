//! Choices along the edges of a graph or hypergraph whose vertices are the bins: [`GraphChoice`],
//! [`HypergraphChoice`].

mod edges;
mod error;
mod graph;
mod graph_choice;
mod hypergraph;
mod hypergraph_choice;
mod regular;

pub use self::error::{EdgeFault, EdgePlace, GraphError};
pub use self::graph::Graph;
pub use self::graph_choice::GraphChoice;
pub use self::hypergraph::Hypergraph;
pub use self::hypergraph_choice::HypergraphChoice;
