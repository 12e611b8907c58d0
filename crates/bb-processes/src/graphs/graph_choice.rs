use bb_core::{
    Allocator, Bins, BinsExt, Coin, Decision, DistinctSampler, IndexSampler, ParameterError, Rng, SampleCount,
    StartError,
};

use super::Graph;
use super::graph::Kind;
use crate::ties::Ties;

/// Two-Choice on a graph: each ball draws a uniform edge and goes to the end with the smaller load.
///
/// On the complete graph it is Two-Choice without replacement, draw for draw. [`with_beta`](Self::with_beta)
/// gives the (1+β) form: with probability `1 − β` a uniform vertex takes the ball instead.
///
/// The rule is made for as many bins as the graph has vertices; [`start`](Allocator::start) refuses any other
/// number. Without it, bins that are no vertices receive nothing, and choosing on fewer bins panics.
///
/// *Randomness:* with a `β`, its coin (one word); then, on tails, one draw of [`BinsExt::draw`], else one
/// draw of an edge *with a direction*, uniform among twice as many. For the complete graph this is
/// [`BinsExt::draw_distinct`] of two bins. *Ties:* the first end in that direction, a fair choice without a
/// coin; with [`Ties::First`] the end that the graph names first. *Cost:* `O(1)` a ball. Needs labelled bins.
///
/// # Guarantees
///
/// With high probability:
///
/// - `n^ε`-regular graphs, `m = n`: maximum load `log log n + O(log(1/ε))` (Kenthapadi and Panigrahy, SODA
///   2006, as quoted in arXiv 2106.06051).
/// - Graphs of edge expansion `h`, all `m`: maximum minus minimum `O(ln n/h)`; the (1+β) form: gap
///   `O(ln n/β)` (Peres, Talwar and Wieder, Random Structures & Algorithms 47, 2015).
/// - Every `d`-regular graph of edge connectivity `k`, whatever the strategy: maximum minus minimum
///   `Ω(d/k + ln n)` (Bansal and Feldheim, arXiv 2106.06051). For the cycle `Θ(√n)` is conjectured there, and
///   `1.85√n − 1` measured.
///
/// # Examples
///
/// ```
/// use bb_processes::bb_core::{Allocator, LoadVector, Metrics, StartError, rng_for_trial};
/// use bb_processes::{Graph, GraphChoice};
///
/// let mut gaps = Vec::new();
/// for graph in [Graph::complete(400)?, Graph::torus(20, 20)?, Graph::cycle(400)?] {
///     let mut loads = LoadVector::new(400)?;
///     GraphChoice::new(graph).start_and_run(&mut loads, 400_000, &mut rng_for_trial(1, 0))?;
///     gaps.push(loads.gap());
/// }
/// assert!(gaps[0] < gaps[1] && gaps[1] < gaps[2], "{gaps:?}");
///
/// let mut rule = GraphChoice::new(Graph::cycle(400)?).with_beta(0.5)?;
/// assert_eq!((rule.graph().vertices(), rule.beta()), (400, 0.5));
/// assert_eq!(rule.start(&LoadVector::new(4)?), Err(StartError::OtherBins { expected: 400, bins: 4 }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct GraphChoice {
    graph: Graph,
    /// Draws among the ends of all edges, where these are listed.
    draws: Option<IndexSampler>,
    distinct: DistinctSampler,
    beta: Option<Coin>,
    ties: Ties,
}

impl GraphChoice {
    /// Returns the rule on this graph, with fair ties.
    #[must_use]
    pub fn new(graph: Graph) -> Self {
        let draws = match graph.kind() {
            Kind::Complete => None,
            Kind::Listed(ends) => IndexSampler::new(ends.len() as u64),
        };
        Self { graph, draws, distinct: DistinctSampler::default(), beta: None, ties: Ties::Fair }
    }

    /// Gives a ball the two ends of an edge with probability `beta`, else a uniform vertex.
    ///
    /// # Errors
    ///
    /// If `beta` is not in `[0, 1]`.
    pub fn with_beta(self, beta: f64) -> Result<Self, ParameterError> {
        Ok(Self { beta: Some(Coin::new("beta", beta)?), ..self })
    }

    /// Sets what happens if both ends have the same load; the example of [`Ties`] shows it.
    #[must_use]
    pub fn with_ties(self, ties: Ties) -> Self {
        Self { ties, ..self }
    }

    /// Returns the graph.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Returns `β`, the probability that a ball has two choices.
    #[must_use]
    pub fn beta(&self) -> f64 {
        self.beta.map_or(1.0, |coin| coin.probability())
    }

    /// Draws the ends of an edge, the one that wins ties first; a single vertex twice.
    #[inline]
    fn draw<B: Bins<Bin = usize>, R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> [usize; 2] {
        if let Some(coin) = self.beta
            && !coin.flip(rng)
        {
            return [bins.draw(rng); 2];
        }
        match (self.graph.kind(), &self.draws) {
            (Kind::Listed(ends), Some(draws)) => {
                let end = draws.draw(rng) as usize;
                let end = if self.ties == Ties::First { end & !1 } else { end };
                [end, end ^ 1].map(|end| ends[end] as usize)
            }
            _ => {
                let (mut drawn, mut place) = ([0; 2], 0);
                bins.draw_distinct(2, &mut self.distinct, rng, |bin| {
                    drawn[place] = bin;
                    place += 1;
                });
                if self.ties == Ties::First {
                    drawn.sort_unstable();
                }
                drawn
            }
        }
    }
}

impl<B: Bins<Bin = usize>> Allocator<B> for GraphChoice {
    fn start(&mut self, bins: &B) -> Result<(), StartError> {
        let (expected, bins) = (self.graph.vertices(), bins.bins());
        if expected == bins { Ok(()) } else { Err(StartError::OtherBins { expected, bins }) }
    }

    #[inline]
    fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> usize {
        let [first, second] = self.draw(bins, rng);
        bins.lighter(first, second)
    }

    fn decide<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> Decision<usize> {
        let [first, second] = self.draw(bins, rng);
        let bin = bins.lighter(first, second);
        Decision { bin, primary: first, sample: if bin == first { 1 } else { 2 } }
    }

    fn sample_count(&self) -> Option<SampleCount> {
        Some(SampleCount::PerBall(1.0 + self.beta()))
    }
}
