//! What graphs, weights and the rules on them refuse, and how they say it.

use std::io::{self, BufReader, Read};

use bb_processes::bb_core::{Allocator, LoadVector, Rng, StartError, rng_for_trial};
use bb_processes::{
    AlwaysGoLeft, BinProbabilities, DoubleHashing, EdgeFault, EdgePlace, Graph, GraphChoice, GraphError, GroupChoice,
    Hypergraph, HypergraphChoice, KdChoice, NonuniformChoice, WeightsError,
};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

#[test]
fn no_choice_is_refused() {
    let hypergraph = Hypergraph::from_edges(2, [[0, 1]]).unwrap();
    let weights = BinProbabilities::from_weights([1.0, 1.0]).unwrap();
    for error in [
        AlwaysGoLeft::new(0).unwrap_err(),
        GroupChoice::new(0).unwrap_err(),
        DoubleHashing::new(0).unwrap_err(),
        NonuniformChoice::new(weights, 0).unwrap_err(),
        HypergraphChoice::new(hypergraph).with_d(0).unwrap_err(),
    ] {
        assert_eq!(error.to_string(), "d = 0 is outside 1..");
    }
    for d in [0, (1 << 16) + 1] {
        let error = KdChoice::<usize>::new(1, d).unwrap_err();
        assert_eq!(error.to_string(), format!("d = {d} is outside 1..=2^16"));
    }
    for k in [0, 4] {
        let error = KdChoice::<usize>::new(k, 3).unwrap_err();
        assert_eq!(error.to_string(), format!("k = {k} is outside 1..=3, the number of samples"));
    }
}

#[test]
fn no_probability_is_refused() {
    let graph = GraphChoice::new(Graph::cycle(3).unwrap());
    let hypergraph = HypergraphChoice::new(Hypergraph::from_edges(2, [[0, 1]]).unwrap());
    for beta in [-1.0, 1.0 + f64::EPSILON, f64::INFINITY, f64::NAN] {
        let message = format!("beta = {beta:?} is outside [0, 1]");
        assert_eq!(graph.clone().with_beta(beta).unwrap_err().to_string(), message);
        assert_eq!(hypergraph.clone().with_beta(beta).unwrap_err().to_string(), message);
    }
}

/// Nothing is placed, and no word is taken.
fn refuses<A: Allocator + Clone>(rule: &A, bins: u64, error: &StartError) {
    let (mut loads, mut rng) = (LoadVector::new(bins).unwrap(), rng_for_trial(89, 0));
    assert_eq!(rule.clone().start_and_run(&mut loads, 10, &mut rng), Err(error.clone()));
    assert_eq!((loads.total(), rng.next_u64()), (0, rng_for_trial(89, 0).next_u64()));
}

#[test]
fn other_numbers_of_bins_are_refused_before_a_ball() {
    let too_few = StartError::TooFewBins { parameter: "d", value: 4, bins: 3 };
    refuses(&AlwaysGoLeft::new(4).unwrap(), 3, &too_few);
    refuses(&GroupChoice::new(4).unwrap(), 3, &too_few);
    refuses(&DoubleHashing::new(4).unwrap(), 3, &too_few);
    for bins in [3, 5] {
        let other = StartError::OtherBins { expected: 4, bins };
        refuses(&GraphChoice::new(Graph::cycle(4).unwrap()), bins, &other);
        refuses(&GraphChoice::new(Graph::complete(4).unwrap()), bins, &other);
        refuses(&HypergraphChoice::new(Hypergraph::from_edges(4, [[0, 1, 2, 3]]).unwrap()), bins, &other);
        refuses(&NonuniformChoice::new(BinProbabilities::from_weights([1.0; 4]).unwrap(), 2).unwrap(), bins, &other);
    }
}

/// Without a start, rules that follow the number of bins still work, on fewer bins than candidates too.
#[test]
fn nothing_breaks_without_a_start() {
    fn check<A: Allocator>(mut rule: A) {
        for bins in [1, 2, 3, 10, 3] {
            let mut loads = LoadVector::new(bins).unwrap();
            assert_eq!(rule.run(&mut loads, 50, &mut rng_for_trial(90, bins)), 50);
            assert_eq!(loads.total(), 50);
        }
    }
    check(AlwaysGoLeft::new(4).unwrap());
    check(GroupChoice::new(4).unwrap());
    check(DoubleHashing::new(4).unwrap());
}

fn edge(place: EdgePlace, fault: EdgeFault) -> GraphError {
    GraphError::Edge { place, fault }
}

#[test]
fn edges_that_are_none_are_named() {
    let no_vertex = |vertex: &str, vertices| EdgeFault::NoVertex { vertex: vertex.to_owned(), vertices };
    let index = EdgePlace::Index;
    assert_eq!(Graph::from_edges(3, [(0, 1), (1, 3)]), Err(edge(index(1), no_vertex("3", 3))));
    assert_eq!(Graph::from_edges(3, [(0, 1 << 40)]), Err(edge(index(0), no_vertex("1099511627776", 3))));
    assert_eq!(Graph::from_edges(3, [(0, 1), (2, 2)]), Err(edge(index(1), EdgeFault::Twice { vertex: 2 })));
    assert_eq!(Graph::from_edges(3, [(0, 1)]), Err(GraphError::Isolated { vertex: 2 }));
    assert_eq!(Graph::from_edges(1 << 32, [(0, 1)]), Err(GraphError::Isolated { vertex: 2 }));
    assert_eq!(Graph::from_edges(2, []), Err(GraphError::Isolated { vertex: 0 }));

    let sets = |sets: &[&[u64]]| Hypergraph::from_edges(3, sets.iter().map(|set| set.iter().copied()));
    assert_eq!(sets(&[&[0, 1], &[]]), Err(edge(index(1), EdgeFault::Size { size: 0, range: "1.." })));
    assert_eq!(sets(&[&[2, 0, 2]]), Err(edge(index(0), EdgeFault::Twice { vertex: 2 })));
    assert_eq!(sets(&[&[0, 1], &[1, 7]]), Err(edge(index(1), no_vertex("7", 3))));
    assert_eq!(sets(&[&[1, 2]]), Err(GraphError::Isolated { vertex: 0 }));
    assert!(sets(&[&[0], &[1], &[2]]).is_ok());
}

#[test]
fn lines_that_are_no_edges_are_named() {
    let graph = |text: &str| Graph::read(text.as_bytes());
    let line = EdgePlace::Line;
    let no_vertex = |vertex: &str| EdgeFault::NoVertex { vertex: vertex.to_owned(), vertices: 1 << 32 };
    let ends = |size| EdgeFault::Size { size, range: "2, the ends of an edge" };
    assert_eq!(graph("0 1\n1 two"), Err(edge(line(2), no_vertex("two"))));
    assert_eq!(graph("# head\n0 -1"), Err(edge(line(2), no_vertex("-1"))));
    assert_eq!(graph("0 4294967296"), Err(edge(line(1), no_vertex("4294967296"))));
    assert_eq!(graph("0 99999999999999999999"), Err(edge(line(1), no_vertex("99999999999999999999"))));
    assert_eq!(graph("0 1\r\n\r\n0 1 2"), Err(edge(line(3), ends(3))));
    assert_eq!(graph("0 # 1"), Err(edge(line(1), ends(1))));
    assert_eq!(graph("0 1\n5 5 # loop"), Err(edge(line(2), EdgeFault::Twice { vertex: 5 })));
    assert_eq!(graph("0 1\n1 4294967295"), Err(GraphError::Isolated { vertex: 2 }));
    assert!(matches!(graph(""), Err(GraphError::Parameter(_))));
    assert_eq!(graph("0\t1\n#\n\n 1  2 # tail\n"), Graph::from_edges(3, [(0, 1), (1, 2)]));

    let hypergraph = |text: &str| Hypergraph::read(text.as_bytes());
    assert_eq!(hypergraph("0 1 2\n1 x"), Err(edge(line(2), no_vertex("x"))));
    assert_eq!(hypergraph("0 1 0"), Err(edge(line(1), EdgeFault::Twice { vertex: 0 })));
}

#[test]
fn a_reader_that_fails_is_reported() {
    /// Two edges, then an error.
    struct Broken(bool);
    impl Read for Broken {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if std::mem::replace(&mut self.0, true) {
                return Err(io::Error::other("the disk is gone"));
            }
            buffer[..8].copy_from_slice(b"0 1\n1 2\n");
            Ok(8)
        }
    }
    let error = Graph::read(BufReader::new(Broken(false))).unwrap_err();
    assert_eq!(error, GraphError::Read { line: 3, reason: "the disk is gone".to_owned() });
    let error = Graph::read(&b"0 1\n\xff\xfe\n"[..]).unwrap_err();
    assert!(matches!(error, GraphError::Read { line: 2, .. }), "{error}");
}

#[test]
fn sizes_are_checked() {
    let mut rng = rng_for_trial(91, 0);
    let mut refused = vec![
        (Graph::cycle(2), "vertices = 2 is outside 3..=2^32"),
        (Graph::cycle((1 << 32) + 1), "vertices = 4294967297 is outside 3..=2^32"),
        (Graph::torus(2, 9), "width = 2 is outside 3.."),
        (Graph::torus(9, 0), "height = 0 is outside 3.."),
        (Graph::torus(1 << 40, 1 << 40), "vertices = 18446744073709551615 is outside 9..=2^32"),
        (Graph::complete(1), "vertices = 1 is outside 2..=2^32"),
        (Graph::from_edges(0, []), "vertices = 0 is outside 1..=2^32"),
        (Graph::from_edges(u64::MAX, [(0, 1)]), "vertices = 18446744073709551615 is outside 1..=2^32"),
    ];
    for (degree, range) in [
        (0, "degree = 0 is outside 1..5, even if the number of vertices is odd"),
        (3, "degree = 3 is outside 1..5, even if the number of vertices is odd"),
        (5, "degree = 5 is outside 1..5, even if the number of vertices is odd"),
    ] {
        refused.push((Graph::random_regular(5, degree, &mut rng), range));
    }
    for (graph, message) in refused {
        assert_eq!(graph.unwrap_err().to_string(), message);
    }
    let huge = Hypergraph::random(1 << 20, 1 << 60, 1 << 20, &mut rng).unwrap_err();
    assert!(matches!(huge, GraphError::DoesNotFit { .. }), "{huge}");
    let size = Hypergraph::random(5, 10, 6, &mut rng).unwrap_err();
    assert_eq!(size.to_string(), "size = 6 is outside 1..=5, the number of vertices");
    assert!(matches!(Hypergraph::random(50, 10, 2, &mut rng), Err(GraphError::Isolated { .. })));
}

#[test]
fn weights_are_checked() {
    let weights = |weights: &[f64]| BinProbabilities::from_weights(weights.iter().copied());
    for bad in [-1.0, -f64::MIN_POSITIVE, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(weights(&[1.0, 2.0, bad]).unwrap_err(), WeightsError::Weight { bin: 2, weight: bad });
    }
    assert!(matches!(weights(&[f64::NAN]), Err(WeightsError::Weight { bin: 0, .. })));
    assert_eq!(weights(&[0.0, -0.0]).unwrap_err(), WeightsError::AllZero);
    let message = |made: Result<BinProbabilities, WeightsError>| made.unwrap_err().to_string();
    let mut rng = rng_for_trial(91, 1);
    assert_eq!(message(weights(&[])), "bins = 0 is outside 1..2^32");
    assert_eq!(message(BinProbabilities::circle(0, &mut rng)), "bins = 0 is outside 1..2^32");
    assert_eq!(message(BinProbabilities::circle(1 << 32, &mut rng)), "bins = 4294967296 is outside 1..2^32");
    assert_eq!(
        message(BinProbabilities::two_class(u64::MAX, 0, 2.0)),
        "bins = 18446744073709551615 is outside 1..2^32"
    );
    assert_eq!(message(BinProbabilities::two_class(4, 5, 2.0)), "heavy = 5 is outside 0..=4, the number of bins");
    for ratio in [0.0, -2.0, f64::INFINITY, f64::NAN] {
        let message = message(BinProbabilities::two_class(4, 2, ratio));
        assert_eq!(message, format!("ratio = {ratio:?} is outside the finite numbers above 0"));
    }
    for bad in [0.5, f64::NAN, f64::INFINITY] {
        let (a, b) = (
            message(BinProbabilities::hardest_biased(4, bad, 2.0)),
            message(BinProbabilities::hardest_biased(4, 2.0, bad)),
        );
        assert_eq!(a, format!("a = {bad:?} is outside the finite numbers from 1"));
        assert_eq!(b, format!("b = {bad:?} is outside the finite numbers from 1"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(92), failure_persistence: None, ..ProptestConfig::default() })]

    /// Any text is a graph that can be used, or an error.
    #[test]
    fn any_text_is_a_graph_or_an_error(text in "[0-4 \n#x-]{0,40}") {
        for hyper in [false, true] {
            let usable = if hyper {
                Hypergraph::read(text.as_bytes()).map(|graph| (graph.vertices(), usable(HypergraphChoice::new(graph.clone()), graph.vertices())))
            } else {
                Graph::read(text.as_bytes()).map(|graph| (graph.vertices(), usable(GraphChoice::new(graph.clone()), graph.vertices())))
            };
            if let Ok((vertices, placed)) = usable {
                prop_assert!(vertices >= 1 && placed == 50);
            }
        }
    }

    #[test]
    fn any_weights_are_probabilities_or_an_error(weights in prop::collection::vec(prop_oneof![any::<f64>(), 0.0..1.0], 0..20), d in 1_u32..5) {
        if let Ok(made) = BinProbabilities::from_weights(weights.iter().copied()) {
            let sum: f64 = made.probabilities().iter().sum();
            prop_assert!((sum - 1.0).abs() < 1e-12, "{sum}");
            let bins = weights.len() as u64;
            prop_assert_eq!(usable(NonuniformChoice::new(made, d).unwrap(), bins), 50);
        } else {
            prop_assert!(weights.iter().any(|weight| !(*weight >= 0.0 && weight.is_finite())) || weights.iter().all(|weight| *weight == 0.0));
        }
    }
}

/// The number of balls placed.
fn usable<A: Allocator>(mut rule: A, bins: u64) -> u64 {
    let mut loads = LoadVector::new(bins).unwrap();
    rule.start_and_run(&mut loads, 50, &mut rng_for_trial(92, 0)).unwrap();
    loads.total()
}
