//! Rules on graphs and hypergraphs.

use std::fs::File;
use std::io::BufReader;

use bb_core::{ParameterError, StartError};
use bb_processes::{Graph, GraphChoice, GraphError, Hypergraph, HypergraphChoice, Ties};

use super::at_start::AtStart;
use super::kinds::comparing;
use super::nonuniform::rng_at_start;
use super::{Entry, Parameter, Values, parameter, rule};

const BETA: Parameter = parameter("beta", "1", "[0, 1]")
    .means("the probability of a choice along an edge, else a uniform vertex takes the ball");

const TIES: Parameter = parameter("ties", "fair", "fair, first")
    .means("which of equally loaded vertices takes the ball, first as the edge is written");

const SEED: Parameter = parameter("seed", "1", "0..2^64").means("the seed of random edges");

/// The rule on the edges of a file, or else on edges that are made for a number of bins.
fn on<G, A>(
    file: Option<G>,
    make: impl Fn(u64) -> Result<G, GraphError> + Clone,
    rule: impl Fn(G) -> A + Clone,
) -> AtStart<A, impl Fn(u64) -> Result<A, StartError> + Clone>
where
    G: Clone,
    A: Clone,
{
    AtStart::new(move |bins| {
        let graph = file.clone().map_or_else(|| make(bins), Ok);
        graph.map(&rule).map_err(|error| StartError::Unsuitable(error.to_string()))
    })
}

/// What `file:PATH` names, read; `None` for any other text.
fn read_file<G>(
    values: &Values<'_>,
    read: impl Fn(BufReader<File>) -> Result<G, GraphError>,
) -> Result<Option<G>, ParameterError> {
    let kind = values.text("kind");
    let Some(path) = kind.strip_prefix("file:") else { return Ok(None) };
    let refused = |reason: String| ParameterError::new("kind", kind, format!("the files with edges: {reason}"));
    let file = File::open(path).map_err(|error| refused(error.to_string()))?;
    read(BufReader::new(file)).map(Some).map_err(|error| refused(error.to_string()))
}

fn ties(values: &Values<'_>) -> Result<Ties, ParameterError> {
    values.choose("ties", &[("fair", Ties::Fair), ("first", Ties::First)])
}

/// Of graphs.
const PAPERS: &str =
    "Kenthapadi and Panigrahy, SODA 2006; Peres, Talwar and Wieder, Random Structures & Algorithms 47, 2015";

pub(super) static ENTRIES: &[Entry] = &[
    rule("graph", PAPERS)
        .text("the lesser loaded end of a uniform edge; vertices are bins")
        .parameters(&[
            parameter("kind", "cycle", "cycle, torus, complete, regular, file:PATH").means(
                "the graph: a torus as square as can be, a random regular one (the same in all trials), \
                 or a file with lines u v, from 0",
            ),
            parameter("degree", "4", "1..2^64, below the number of bins").means("the degree if kind=regular"),
            BETA,
            TIES,
            SEED,
        ])
        .make(|values| {
            let (degree, seed, beta) = (values.integer("degree")?, values.integer("seed")?, values.real("beta")?);
            let ties = ties(values)?;
            if !(0.0..=1.0).contains(&beta) {
                return Err(ParameterError::new("beta", beta, BETA.range).into());
            }
            let file = read_file(values, Graph::read)?;
            let kinds = [("cycle", 0), ("torus", 1), ("complete", 2), ("regular", 3)];
            let kind = if file.is_some() { 0 } else { values.choose("kind", &kinds)? };
            let make = move |bins| match kind {
                0 => Graph::cycle(bins),
                1 => {
                    let width = (1..=bins.isqrt()).rev().find(|width| bins.is_multiple_of(*width)).unwrap_or(1);
                    Graph::torus(width, bins / width)
                }
                2 => Graph::complete(bins),
                _ => Graph::random_regular(bins, degree, &mut rng_at_start(seed)),
            };
            let rule = move |graph| {
                let rule = GraphChoice::new(graph).with_ties(ties);
                // Without a coin where it always shows heads; it was checked.
                if beta == 1.0 { rule } else { rule.clone().with_beta(beta).unwrap_or(rule) }
            };
            Ok(comparing(values, on(file, make, rule)))
        }),
    rule("hypergraph", "Godfrey, SODA 2008; Greenhill, Mans and Pourmiri, arXiv 2006.07588")
        .text("the least loaded vertex of a uniform edge, or of d samples in it; vertices are bins")
        .parameters(&[
            parameter("kind", "random", "random, file:PATH").means(
                "the edges: random sets (the same in all trials), or the lines of a file, vertices from \
                 0",
            ),
            parameter("size", "4", "1..2^32, at most the number of bins").means("the size of a random edge"),
            parameter("edges", "8", "1..2^64").means("the number of random edges for each bin"),
            parameter("d", "all", "all, 1..2^32").means("the number of samples in an edge"),
            BETA,
            TIES,
            SEED,
        ])
        .make(|values| {
            let (size, edges, seed) =
                (values.integer("size")?, values.integer::<u64>("edges")?, values.integer("seed")?);
            let (beta, ties) = (values.real("beta")?, ties(values)?);
            let d: Option<u32> = if values.text("d") == "all" { None } else { Some(values.integer("d")?) };
            let file = read_file(values, Hypergraph::read)?;
            if file.is_none() {
                values.choose("kind", &[("random", ())])?;
            }
            for (parameter, value, range) in [("edges", edges, "1.."), ("d", d.map_or(1, u64::from), "1..")] {
                ParameterError::require(value != 0, parameter, value, range)?;
            }
            if !(0.0..=1.0).contains(&beta) {
                return Err(ParameterError::new("beta", beta, BETA.range).into());
            }
            let make =
                move |bins: u64| Hypergraph::random(bins, bins.saturating_mul(edges), size, &mut rng_at_start(seed));
            let rule = move |hypergraph| {
                let mut rule = HypergraphChoice::new(hypergraph).with_ties(ties);
                // Both were checked.
                if let Some(d) = d {
                    rule = rule.clone().with_d(d).unwrap_or(rule);
                }
                if beta == 1.0 { rule } else { rule.clone().with_beta(beta).unwrap_or(rule) }
            };
            Ok(comparing(values, on(file, make, rule)))
        }),
];
