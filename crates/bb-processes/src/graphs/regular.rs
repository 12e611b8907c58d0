//! Random regular graphs by pairing.

use bb_core::{Rng, draw_below};

/// The ends of the edges of a random graph of this degree, `1 ≤ degree < vertices`, with `vertices·degree`
/// even.
pub(super) fn random_regular<R: Rng + ?Sized>(vertices: usize, degree: usize, rng: &mut R) -> Vec<u32> {
    let other = vertices - 1 - degree;
    if other < degree {
        // Pairing gets stuck too often where most edges are there. The edges that are not are fewer, and
        // `vertices·other` is even as well.
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

    /// Whether all vertices with stubs are joined to each other. These have fewer than `degree` neighbours,
    /// so they are at most `degree`.
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
