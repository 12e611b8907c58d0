//! Random regular graphs by pairing.

use bb_core::{Rng, draw_below};

/// The ends of the edges of a random graph of this degree, `1 ≤ degree < vertices`, with `vertices·degree` even.
pub(super) fn random_regular<R: Rng + ?Sized>(vertices: usize, degree: usize, rng: &mut R) -> Vec<u32> {
    let other = vertices - 1 - degree;
    if other < degree {
        // Pairing gets stuck too often where most edges are there. The edges that are not are fewer, and `vertices·other` is even as well.
        let lacking = pair_until_done(vertices, other, rng);
        let pairs = (0..vertices as u32).flat_map(|from| (from + 1..vertices as u32).map(move |to| [from, to]));
        pairs.filter(|&[from, to]| !lacking.joined(from, to)).flatten().collect()
    } else {
        pair_until_done(vertices, degree, rng).ends
    }
}

/// Ends: every graph of this degree is reached with a positive probability.
fn pair_until_done<R: Rng + ?Sized>(vertices: usize, degree: usize, rng: &mut R) -> Pairing {
    loop {
        if let Some(pairing) = Pairing::attempt(vertices, degree, rng) {
            return pairing;
        }
    }
}

struct Pairing {
    ends: Vec<u32>,
    degree: usize,
    /// Up to `degree` neighbours of each vertex.
    neighbours: Vec<u32>,
    degrees: Vec<usize>,
}

impl Pairing {
    /// Joins uniform stubs until none is left, or no two can be joined.
    fn attempt<R: Rng + ?Sized>(vertices: usize, degree: usize, rng: &mut R) -> Option<Self> {
        let mut stubs: Vec<u32> = (0..vertices as u32).flat_map(|vertex| (0..degree).map(move |_| vertex)).collect();
        let mut pairing = Self {
            ends: Vec::with_capacity(stubs.len()),
            degree,
            neighbours: vec![0; stubs.len()],
            degrees: vec![0; vertices],
        };
        while !stubs.is_empty() {
            let first = draw_below(stubs.len() as u64, rng) as usize;
            let second = draw_below(stubs.len() as u64 - 1, rng) as usize;
            let second = second + usize::from(second >= first);
            let (from, to) = (stubs[first], stubs[second]);
            if from != to && !pairing.joined(from, to) {
                pairing.join(from, to);
                stubs.swap_remove(first.max(second));
                stubs.swap_remove(first.min(second));
            } else if pairing.is_stuck(&stubs) {
                return None;
            }
        }
        Some(pairing)
    }

    fn joined(&self, from: u32, to: u32) -> bool {
        let begin = from as usize * self.degree;
        self.neighbours[begin..begin + self.degrees[from as usize]].contains(&to)
    }

    fn join(&mut self, from: u32, to: u32) {
        for (vertex, neighbour) in [(from, to), (to, from)] {
            let vertex = vertex as usize;
            self.neighbours[vertex * self.degree + self.degrees[vertex]] = neighbour;
            self.degrees[vertex] += 1;
        }
        self.ends.extend([from, to]);
    }

    /// Whether all vertices with stubs are joined to each other. These have fewer than `degree` neighbours, so they are at most `degree`.
    fn is_stuck(&self, stubs: &[u32]) -> bool {
        let mut left = Vec::new();
        for &vertex in stubs {
            if !left.contains(&vertex) {
                left.push(vertex);
                if left.len() > self.degree {
                    return false;
                }
            }
        }
        left.iter().enumerate().all(|(place, &from)| left[..place].iter().all(|&to| self.joined(from, to)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bb_core::rng_for_trial;
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn every_degree_is_met_without_loops_and_double_edges() {
        let mut rng = rng_for_trial(1, 0);
        for vertices in 2..=14 {
            for degree in (1..vertices).filter(|degree| degree * vertices % 2 == 0) {
                let ends = random_regular(vertices, degree, &mut rng);
                let mut degrees = vec![0; vertices];
                ends.iter().for_each(|&end| degrees[end as usize] += 1);
                assert!(degrees.iter().all(|&found| found == degree), "{vertices} vertices, degree {degree}");
                let edges: BTreeSet<[u32; 2]> =
                    ends.as_chunks::<2>().0.iter().map(|&[from, to]| [from.min(to), from.max(to)]).collect();
                assert_eq!(edges.len(), vertices * degree / 2, "{vertices} vertices, degree {degree}");
                assert!(edges.iter().all(|[from, to]| from < to));
            }
        }
        assert_eq!(random_regular(2000, 40, &mut rng).len(), 80_000);
    }

    /// The 70 labelled graphs of 6 vertices and degree 3: 60 prisms and 10 complete bipartite graphs, the latter told by having no triangle. At so small a size the
    /// law is near uniform, not uniform: the shares of the classes are within 3 % of 6/7 and 1/7, and within a class all graphs are alike.
    #[test]
    fn small_graphs_are_nearly_uniform() {
        let mut rng = rng_for_trial(2, 0);
        let mut counts = BTreeMap::new();
        for _ in 0..70_000 {
            let mut edges: Vec<[u32; 2]> = random_regular(6, 3, &mut rng)
                .as_chunks::<2>()
                .0
                .iter()
                .map(|&[from, to]| [from.min(to), from.max(to)])
                .collect();
            edges.sort_unstable();
            *counts.entry(edges).or_insert(0_u32) += 1;
        }
        assert_eq!(counts.len(), 70);
        let has_triangle = |edges: &[[u32; 2]]| {
            let joined = |a: u32, b: u32| edges.contains(&[a.min(b), a.max(b)]);
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
}
