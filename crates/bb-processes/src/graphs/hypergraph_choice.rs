use bb_core::{
    Allocator, Bins, BinsExt, Coin, Decision, IndexSampler, ParameterError, Rng, SampleCount, StartError, draw_below,
};

use super::Hypergraph;
use crate::ties::Least;
use crate::ties::Ties;

/// Choice on a hypergraph: each ball draws a uniform edge and goes to its least loaded vertex, or with
/// [`with_d`](Self::with_d) to the least loaded of `d` uniform vertices of it.
///
/// [`with_beta`](Self::with_beta) gives the (1+β) form: with probability `1 − β` a uniform vertex takes the
/// ball instead.
///
/// The rule is made for as many bins as the hypergraph has vertices; [`start`](Allocator::start) refuses any
/// other number. Without it, bins that are no vertices receive nothing, and choosing on fewer bins panics.
///
/// *Randomness:* with a `β`, its coin (one word); then, on tails, one draw of [`BinsExt::draw`], else one
/// draw of an edge; then with `d` samples one draw for each (a word, unless rejected), else one word for each
/// vertex that ties with the least loaded so far. *Ties:* each of the tied vertices is equally likely; with
/// [`Ties::First`] the first in the order of the edge. Of `d` samples the first wins, a fair choice among
/// independent samples. *Cost:* `O(d)` a ball, or the size of the edge. Needs labelled bins.
///
/// # Guarantees
///
/// - Edges of `Ω(ln n)` vertices, nearly balanced, a random one for each ball, `m = n`: maximum load `O(1)`
///   (Godfrey, SODA 2008).
/// - `d` samples in an edge: Greenhill, Mans and Pourmiri, arXiv 2006.07588.
///
/// # Examples
///
/// ```
/// use bb_processes::bb_core::{Allocator, LoadVector, Metrics, SampleCount, StartError, rng_for_trial};
/// use bb_processes::{Hypergraph, HypergraphChoice};
///
/// // A thousand bins, eight for each ball.
/// let mut rng = rng_for_trial(1, 0);
/// let hypergraph = Hypergraph::random(1000, 8000, 8, &mut rng)?;
/// let mut rule = HypergraphChoice::new(hypergraph.clone());
/// let mut loads = LoadVector::new(1000)?;
/// rule.start_and_run(&mut loads, 1000, &mut rng)?;
/// assert_eq!(loads.max_load(), 2);
///
/// let mut two = HypergraphChoice::new(hypergraph).with_d(2)?.with_beta(0.5)?;
/// assert_eq!((two.d(), two.beta(), two.hypergraph().edges()), (Some(2), 0.5, 8000));
/// assert_eq!(Allocator::<LoadVector>::sample_count(&two), Some(SampleCount::PerBall(1.5)));
/// assert_eq!(two.start(&LoadVector::new(4)?), Err(StartError::OtherBins { expected: 1000, bins: 4 }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct HypergraphChoice {
    hypergraph: Hypergraph,
    draws: Option<IndexSampler>,
    d: Option<u32>,
    beta: Option<Coin>,
    ties: Ties,
}

impl HypergraphChoice {
    /// Returns the rule that compares all vertices of an edge, with fair ties.
    #[must_use]
    pub fn new(hypergraph: Hypergraph) -> Self {
        let draws = IndexSampler::new(hypergraph.edges());
        Self { hypergraph, draws, d: None, beta: None, ties: Ties::Fair }
    }

    /// Compares `d ≥ 1` independent uniform vertices of the edge instead of all.
    ///
    /// # Errors
    ///
    /// If `d` is 0.
    pub fn with_d(self, d: u32) -> Result<Self, ParameterError> {
        if d == 0 { Err(ParameterError::new("d", d, "1..")) } else { Ok(Self { d: Some(d), ..self }) }
    }

    /// Gives a ball the choice in an edge with probability `beta`, else a uniform vertex.
    ///
    /// # Errors
    ///
    /// If `beta` is not in `[0, 1]`.
    pub fn with_beta(self, beta: f64) -> Result<Self, ParameterError> {
        Ok(Self { beta: Some(Coin::new("beta", beta)?), ..self })
    }

    /// Sets what happens among equally loaded vertices of an edge; [`Ties`] has an example.
    #[must_use]
    pub fn with_ties(self, ties: Ties) -> Self {
        Self { ties, ..self }
    }

    /// Returns the hypergraph.
    #[must_use]
    pub fn hypergraph(&self) -> &Hypergraph {
        &self.hypergraph
    }

    /// Returns the number of samples in an edge, `None` if all its vertices are compared.
    #[must_use]
    pub fn d(&self) -> Option<u32> {
        self.d
    }

    /// Returns `β`, the probability that a ball has a choice.
    #[must_use]
    pub fn beta(&self) -> f64 {
        self.beta.map_or(1.0, |coin| coin.probability())
    }
}

impl<B: Bins<Bin = usize>> Allocator<B> for HypergraphChoice {
    fn start(&mut self, bins: &B) -> Result<(), StartError> {
        let (expected, bins) = (self.hypergraph.vertices(), bins.bins());
        if expected == bins { Ok(()) } else { Err(StartError::OtherBins { expected, bins }) }
    }

    #[inline]
    fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> usize {
        self.decide(bins, rng).bin
    }

    #[inline]
    fn decide<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> Decision<usize> {
        if let Some(coin) = self.beta
            && !coin.flip(rng)
        {
            return Decision::first(bins.draw(rng));
        }
        let edge = self.draws.as_ref().and_then(|draws| self.hypergraph.edge(draws.draw(rng)));
        let edge = edge.unwrap_or_default(); // There is an edge, and it has vertices.
        let mut least = Least::new(if self.d.is_some() { Ties::First } else { self.ties });
        match self.d {
            None => edge.iter().for_each(|&vertex| least.sample(bins, vertex as usize, rng)),
            Some(d) => (0..d).for_each(|_| {
                let member = draw_below(edge.len() as u64, rng) as usize;
                least.sample(bins, edge[member] as usize, rng);
            }),
        }
        least.decision(bins)
    }

    fn sample_count(&self) -> Option<SampleCount> {
        let size = self.hypergraph.members() as f64 / self.hypergraph.edges() as f64;
        Some(SampleCount::PerBall(1.0 + self.beta() * (self.d.map_or(size, f64::from) - 1.0)))
    }
}
