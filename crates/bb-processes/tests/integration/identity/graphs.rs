//! Two-Choice on graphs, and choice on hypergraphs.

use bb_processes::bb_core::{Allocator, LoadVector, Rng, rng_for_trial};
use bb_processes::{DChoice, DistinctChoice, Graph, GraphChoice, Hypergraph, HypergraphChoice, OneChoice, Ties};
use bb_testkit::exact::{Law, ratio};
use bb_testkit::stats::{goodness_of_fit, tally};
use bb_testkit::{ranks, twin};

use super::{Settle, fair, first, labelled_chain, law_on_grid, one_of, one_plus, product};

const SEED: u64 = 88;

fn edge_chain(start: &[u64], balls: u64, edges: &[Vec<usize>], beta: u64, settle: Settle) -> Law<Vec<u64>> {
    let beta = ratio(beta, 4);
    labelled_chain(start, balls, |loads| one_plus(&beta, loads.len(), one_of(loads, edges, settle)))
}

fn graph(vertices: u64, edges: &[Vec<usize>]) -> Graph {
    Graph::from_edges(vertices, edges.iter().map(|edge| (edge[0] as u64, edge[1] as u64))).unwrap()
}

fn hypergraph(vertices: u64, edges: &[Vec<usize>]) -> Hypergraph {
    Hypergraph::from_edges(vertices, edges.iter().map(|edge| edge.iter().map(|&vertex| vertex as u64))).unwrap()
}

/// A path, a double edge, a triangle with a tail, a square and a star, from level and uneven loads.
#[test]
fn all_outcomes_of_a_graph_give_the_chain() {
    for (start, edges) in [
        (&[0, 0][..], vec![vec![1, 0]]),
        (&[0, 0, 0], vec![vec![0, 1], vec![1, 2]]),
        (&[0, 2, 1], vec![vec![0, 1], vec![2, 1], vec![0, 1]]),
        (&[0, 0, 0, 0], vec![vec![0, 1], vec![1, 2], vec![2, 0], vec![3, 0]]),
        (&[0, 0, 0, 0], vec![vec![0, 1], vec![1, 2], vec![2, 3], vec![3, 0]]),
        (&[1, 0, 0, 3], vec![vec![0, 1], vec![0, 2], vec![0, 3]]),
    ] {
        let rule = GraphChoice::new(graph(start.len() as u64, &edges));
        let grid = 2 * edges.len() as u64;
        let law = law_on_grid(&rule, start, 7, grid);
        assert_eq!(law, edge_chain(start, 7, &edges, 4, fair), "{edges:?}");
        let unfair = rule.clone().with_ties(Ties::First);
        let unfair_law = law_on_grid(&unfair, start, 7, grid);
        assert_eq!(unfair_law, edge_chain(start, 7, &edges, 4, first), "{edges:?}, the first end");
        assert_ne!(law, unfair_law);
        for beta in 0..4 {
            let rule = rule.clone().with_beta(beta as f64 / 4.0).unwrap();
            let law = law_on_grid(&rule, start, 4, 2 * grid);
            assert_eq!(law, edge_chain(start, 4, &edges, beta, fair), "{edges:?}, β = {beta}/4");
        }
    }
}

/// The complete graph is Two-Choice without replacement: draw for draw, as a list of edges in law, and not
/// with replacement.
#[test]
fn the_complete_graph_is_two_choice_without_replacement() {
    for bins in [2, 3, 50, 1000] {
        let (mut one, mut other) = (LoadVector::new(bins).unwrap(), LoadVector::new(bins).unwrap());
        let (mut rng, mut words) = (rng_for_trial(SEED, bins), rng_for_trial(SEED, bins));
        let mut rule = GraphChoice::new(Graph::complete(bins).unwrap());
        rule.start_and_run(&mut one, 5000, &mut rng).unwrap();
        DistinctChoice::new(2).unwrap().start_and_run(&mut other, 5000, &mut words).unwrap();
        assert_eq!((one, rng.next_u64()), (other, words.next_u64()), "n = {bins}");
    }
    for n in 2..=4_u64 {
        let start = vec![0; n as usize];
        let exact = ranks::sorted_chain(n, 7, |_| ranks::d_choice_distinct(n, 2));
        let complete = Graph::complete(n).unwrap();
        assert_eq!(twin::law(&GraphChoice::new(complete.clone()), &start, 7, &[]).sorted(), exact);
        let listed = Graph::from_edges(n, complete.iter().map(|[from, to]| (from, to))).unwrap();
        assert_eq!(law_on_grid(&GraphChoice::new(listed), &start, 7, 2 * complete.edges()).sorted(), exact);
        assert_ne!(twin::law(&DChoice::two(), &start, 7, &[]).sorted(), exact);

        let edges: Vec<Vec<usize>> = complete.iter().map(|edge| edge.map(|end| end as usize).to_vec()).collect();
        let unfair = GraphChoice::new(complete.clone()).with_ties(Ties::First);
        assert_eq!(twin::law(&unfair, &start, 5, &[]), edge_chain(&start, 5, &edges, 4, first));
        let half = GraphChoice::new(complete).with_beta(0.5).unwrap();
        assert_eq!(law_on_grid(&half, &start, 5, 2), edge_chain(&start, 5, &edges, 2, fair));
    }
}

#[test]
fn beta_0_is_one_choice_and_a_pair_of_bins_is_balanced() {
    let cycle = GraphChoice::new(Graph::cycle(4).unwrap());
    let none = cycle.clone().with_beta(0.0).unwrap();
    assert_eq!(law_on_grid(&none, &[0; 4], 5, 1), twin::law(&OneChoice, &[0; 4], 5, &[]));
    let all = cycle.clone().with_beta(1.0).unwrap();
    assert_eq!(law_on_grid(&all, &[0; 4], 5, 8), law_on_grid(&cycle, &[0; 4], 5, 8));
    let pair = GraphChoice::new(Graph::complete(2).unwrap());
    assert_eq!(twin::law(&pair, &[0; 2], 9, &[]).mean_gap(), ratio(1, 2));
}

#[test]
fn all_outcomes_of_a_hypergraph_give_the_chain() {
    for (start, edges, grid, balls) in [
        (&[0, 0, 0][..], vec![vec![0, 1, 2]], 6, 8),
        (&[0, 0, 0], vec![vec![0, 1], vec![1, 2]], 2, 8),
        (&[1, 0, 2], vec![vec![2, 1, 0], vec![2]], 6, 6),
        (&[0, 0, 0, 0], vec![vec![0, 1, 2], vec![3, 2]], 6, 6),
        (&[0, 1, 0, 3], vec![vec![3, 1, 2], vec![0, 1, 2], vec![0, 3]], 6, 6),
    ] {
        let rule = HypergraphChoice::new(hypergraph(start.len() as u64, &edges));
        let law = law_on_grid(&rule, start, balls, grid);
        assert_eq!(law, edge_chain(start, balls, &edges, 4, fair), "{edges:?}");
        let unfair = rule.clone().with_ties(Ties::First);
        assert_eq!(law_on_grid(&unfair, start, balls, grid), edge_chain(start, balls, &edges, 4, first));
        let half = rule.clone().with_beta(0.5).unwrap();
        assert_eq!(law_on_grid(&half, start, 3, grid), edge_chain(start, 3, &edges, 2, fair), "{edges:?}, β = ½");

        // d samples of an edge, all ways: the first of the least loaded samples, as these are independent.
        for (d, balls) in [(1, 5), (2, 4), (3, 2)] {
            let exact = labelled_chain(start, balls, |loads| {
                let each = edges.iter().flat_map(|edge| {
                    let samples = product(&vec![edge.clone(); d]);
                    one_of(loads, &samples, first)
                });
                each.map(|(probability, bin)| (probability * ratio(1, edges.len() as u64), bin)).collect()
            });
            let some = rule.clone().with_d(d as u32).unwrap();
            assert_eq!(law_on_grid(&some, start, balls, 6), exact, "{edges:?}, d = {d}");
        }
    }
}

/// Edges of two vertices are a graph, one edge with all vertices compares all bins, and `d` samples in it are
/// d-Choice.
#[test]
fn special_hypergraphs_are_known_rules() {
    let edges = [vec![0, 1], vec![1, 2], vec![2, 3], vec![3, 0]];
    let as_graph = law_on_grid(&GraphChoice::new(graph(4, &edges)), &[0; 4], 7, 8);
    let as_hypergraph = HypergraphChoice::new(hypergraph(4, &edges));
    assert_eq!(law_on_grid(&as_hypergraph, &[0; 4], 7, 4), as_graph);
    let all = HypergraphChoice::new(hypergraph(3, &[vec![0, 1, 2]]));
    let distinct = twin::law(&DistinctChoice::new(3).unwrap(), &[0; 3], 5, &[]);
    assert_eq!(law_on_grid(&all, &[0; 3], 5, 6), distinct);
    let two = twin::law(&DChoice::two(), &[0; 3], 5, &[]);
    assert_eq!(law_on_grid(&all.with_d(2).unwrap(), &[0; 3], 5, 3), two);
}

/// The words of a real generator: five edges on five bins; the neighbour lacks one of them.
#[test]
fn simulated_loads_follow_the_law() {
    let edges: Vec<Vec<usize>> = (0..5).map(|v| vec![v, (v + 1) % 5]).collect();
    let loads = |graph: Graph| {
        let mut rng = rng_for_trial(SEED, 0);
        let mut rule = GraphChoice::new(graph);
        tally((0..100_000).map(|_| {
            let mut loads = LoadVector::new(5).unwrap();
            rule.start_and_run(&mut loads, 5, &mut rng).unwrap();
            loads.to_vec()
        }))
    };
    let law = edge_chain(&[0; 5], 5, &edges, 4, fair).to_f64();
    goodness_of_fit(&loads(Graph::cycle(5).unwrap()), &law).assert_fits("cycle", SEED);
    goodness_of_fit(&loads(graph(5, &edges[..4])), &law).assert_rejects("path", SEED);
    goodness_of_fit(&loads(Graph::complete(5).unwrap()), &law).assert_rejects("complete", SEED);
}

#[test]
fn every_vertex_of_a_torus_has_its_four_neighbours() {
    for (width, height) in [(3, 3), (5, 4), (3, 7)] {
        let torus = Graph::torus(width, height).unwrap();
        assert_eq!((torus.vertices(), torus.edges()), (width * height, 2 * width * height));
        for vertex in 0..torus.vertices() {
            let mut neighbours: Vec<u64> = torus
                .iter()
                .filter(|edge| edge.contains(&vertex))
                .map(|[from, to]| if from == vertex { to } else { from })
                .collect();
            neighbours.sort_unstable();
            let (row, column) = (vertex / width, vertex % width);
            let at = |row: u64, column: u64| row % height * width + column % width;
            let mut expected = vec![
                at(row + 1, column),
                at(row + height - 1, column),
                at(row, column + 1),
                at(row, column + width - 1),
            ];
            expected.sort_unstable();
            assert_eq!(neighbours, expected, "{width} × {height}, vertex {vertex}");
        }
    }
    let cycle = Graph::cycle(7).unwrap();
    assert!((0..7).all(|vertex| cycle.iter().filter(|edge| edge.contains(&vertex)).count() == 2));
}

/// Random graphs and hypergraphs depend on the generator alone.
#[test]
fn a_seed_fixes_a_random_graph() {
    let regular = |trial| Graph::random_regular(50, 3, &mut rng_for_trial(SEED, trial)).unwrap();
    assert_eq!(regular(0), regular(0));
    assert_ne!(regular(0), regular(1));
    let random = |trial| Hypergraph::random(50, 400, 3, &mut rng_for_trial(SEED, trial)).unwrap();
    assert_eq!(random(0), random(0));
    assert_ne!(random(0), random(1));
}
