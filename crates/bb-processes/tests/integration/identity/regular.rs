//! Random regular graphs: their degrees, and that each is about as likely as another.

use std::collections::{BTreeMap, BTreeSet};

use bb_processes::Graph;
use bb_processes::bb_core::{TrialRng, rng_for_trial};

/// The edges of a random graph, each from the smaller to the larger vertex.
fn edges(vertices: u64, degree: u64, rng: &mut TrialRng) -> Vec<[u64; 2]> {
    let graph = Graph::random_regular(vertices, degree, rng).unwrap();
    graph.iter().map(|[from, to]| [from.min(to), from.max(to)]).collect()
}

#[test]
fn every_degree_is_met_without_loops_and_double_edges() {
    let mut rng = rng_for_trial(1, 0);
    for vertices in 2..=14 {
        for degree in (1..vertices).filter(|degree| degree * vertices % 2 == 0) {
            let edges = edges(vertices, degree, &mut rng);
            let mut degrees = vec![0; vertices as usize];
            edges.iter().flatten().for_each(|&end| degrees[end as usize] += 1);
            assert!(degrees.iter().all(|&found| found == degree), "{vertices} vertices, degree {degree}");
            assert_eq!(edges.len() as u64, vertices * degree / 2, "{vertices} vertices, degree {degree}");
            assert!(edges.iter().all(|[from, to]| from < to));
            let once = BTreeSet::from_iter(&edges).len();
            assert_eq!(once, edges.len(), "{vertices} vertices, degree {degree}");
        }
    }
    assert_eq!(edges(2000, 40, &mut rng).len(), 40_000);
}

/// The 70 labelled graphs of 6 vertices and degree 3: 60 prisms and 10 complete bipartite graphs, the latter
/// told by having no triangle. At so small a size the law is near uniform, not uniform: the shares of the
/// classes are within 3 % of 6/7 and 1/7, and within a class all graphs are alike.
#[test]
fn small_graphs_are_nearly_uniform() {
    let mut rng = rng_for_trial(2, 0);
    let mut counts = BTreeMap::new();
    for _ in 0..70_000 {
        let mut edges = edges(6, 3, &mut rng);
        edges.sort_unstable();
        *counts.entry(edges).or_insert(0_u32) += 1;
    }
    assert_eq!(counts.len(), 70);
    let has_triangle = |edges: &[[u64; 2]]| {
        let joined = |a: u64, b: u64| edges.contains(&[a.min(b), a.max(b)]);
        edges.iter().any(|&[a, b]| (0..6).any(|c| c != a && c != b && joined(a, c) && joined(b, c)))
    };
    let (prisms, bipartite): (Vec<_>, Vec<_>) = counts.iter().partition(|(edges, _)| has_triangle(edges));
    assert_eq!((prisms.len(), bipartite.len()), (60, 10));
    for class in [prisms, bipartite] {
        let mean = class.iter().map(|(_, count)| f64::from(**count)).sum::<f64>() / class.len() as f64;
        assert!((mean - 1000.0).abs() < 200.0, "{mean}");
        // Six standard deviations: 70 counts fail with probability 1e-7.
        assert!(class.iter().all(|(_, count)| (f64::from(**count) - mean).abs() < 6.0 * mean.sqrt()), "{class:?}");
    }
}
