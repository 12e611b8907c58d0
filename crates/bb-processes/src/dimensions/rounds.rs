use bb_core::rand::distr::Distribution;
use bb_core::{BinsExt, Load, ParameterError, Place, Rng, draw_below};

use super::{BallModel, BinKey, KeyView, MultiBall, MultiBins};

/// d-Choice in parallel rounds: many balls at the same time, and bins that answer.
///
/// The balls come in waves, of `n` unless it is [said](Self::with_wave). All balls of a wave draw their `d`
/// bins at once and keep them. Then there are up to `r` rounds:
///
/// 1. Every ball that is not placed sends a request to each of its bins (once to a bin that it drew twice).
/// 2. A bin goes through its requests in random order, and accepts one if then, in no dimension, it has
///    accepted more than `T` balls in this round. It answers with its loads, those at the start of the round.
/// 3. A ball that is accepted takes that of the accepting bins whose key is smallest, the first drawn on a
///    tie, and withdraws from the others. What it withdraws from stays unused in this round.
///
/// Balls that are not placed after `r` rounds are placed one after another, each by the loads then. A ball of
/// [`BallModel`] that populates no dimension sends nothing.
///
/// One dimension is the scalar process. `r = 0` is d-choice, in law.
///
/// *Messages:* requests, acceptances, and for each acceptance its confirmation or withdrawal; a refusal is no
/// message. One by one a ball sends a request to each of its bins, all answer, and all are told: three for
/// each bin. *Randomness:* for the wave, ball by ball, those of the model and `d` draws; for each round, a
/// shuffle of all requests. *Cost:* `O(d)` keys and draws for each ball and round, and room for the balls of
/// a wave.
///
/// # Guarantees
///
/// Narang, Dutta and Bhattacherjee (arXiv 1111.0762) claim `O(log log n)` for a parallel version in several
/// rounds, whose protocol is not in the parts that could be read; this one is a choice of this library. It
/// has replies for a reason: without any it would be b-batched d-choice with `b = n`, whose gap is
/// `Θ(ln n/ln ln n)` for two choices.
///
/// # Examples
///
/// ```
/// use bb_processes::bb_core::rng_for_trial;
/// use bb_processes::{BallModel, Key, KeyView, MultiLoads, ParallelRounds};
///
/// let mut view = KeyView::new(MultiLoads::new(1000, 3)?, Key::MaxPopulated);
/// let mut balls = BallModel::fixed_uniform(3, 1)?;
/// let rounds = ParallelRounds::new(2, 1, 3)?;
/// let report = rounds.run(&mut view, &mut balls, 10_000, &mut rng_for_trial(1, 0));
/// assert_eq!((report.waves, view.balls()), (10, 10_000));
/// assert!(report.rounds <= 3 && view.loads().gap() < 5.0);
/// // Two requests a ball and two for an answer, at least; some have to ask again.
/// assert!((4.0..8.0).contains(&(report.messages as f64 / 10_000.0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ParallelRounds {
    d: u32,
    threshold: u64,
    rounds: u64,
    wave: Option<u64>,
}

/// What [`ParallelRounds`] took; its example shows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RoundsReport {
    /// The number of waves.
    pub waves: u64,
    /// The most rounds that a wave took.
    pub rounds: u64,
    /// The number of messages, as they are counted there.
    pub messages: u64,
    /// The number of balls that were placed one by one in the end.
    pub one_by_one: u64,
}

impl ParallelRounds {
    /// Returns the protocol with `d ≥ 1` bins a ball, threshold `T ≥ 1` and at most `r ≥ 0` rounds.
    ///
    /// # Errors
    ///
    /// If `d` or the threshold is 0.
    pub fn new(d: u32, threshold: u64, rounds: u64) -> Result<Self, ParameterError> {
        for (parameter, value) in [("d", u64::from(d)), ("T", threshold)] {
            ParameterError::require(value != 0, parameter, value, "1..")?;
        }
        Ok(Self { d, threshold, rounds, wave: None })
    }

    /// Sets the number of balls of a wave, at least 1.
    ///
    /// # Errors
    ///
    /// If it is 0.
    pub fn with_wave(self, balls: u64) -> Result<Self, ParameterError> {
        if balls == 0 { Err(ParameterError::new("wave", 0, "1..")) } else { Ok(Self { wave: Some(balls), ..self }) }
    }

    /// Throws `balls` balls of the model, and tells what it took. The last wave
    /// may be short.
    ///
    /// # Panics
    ///
    /// If the balls have a dimension that the loads have not.
    pub fn run<L, K, W, D, R>(
        &self,
        view: &mut KeyView<L, K, W>,
        model: &mut BallModel<D>,
        balls: u64,
        rng: &mut R,
    ) -> RoundsReport
    where
        L: MultiBins + Place<MultiBall<W>>,
        K: BinKey<L::Load, W>,
        W: Copy + PartialEq + From<u8>,
        D: Distribution<W>,
        R: Rng + ?Sized,
    {
        let (bins, dimensions) = (view.loads().bins(), view.loads().dimensions());
        let size = self.wave.unwrap_or(bins);
        let mut wave = Wave {
            rule: *self,
            view,
            balls: Vec::new(),
            candidates: Vec::new(),
            left: Vec::new(),
            requests: Vec::new(),
            accepted: vec![0; bins as usize * dimensions],
        };
        let mut report = RoundsReport::default();
        let mut left = balls;
        while left > 0 {
            let now = left.min(size);
            wave.draw(model, now, rng);
            let mut rounds = 0;
            while rounds < self.rounds && !wave.left.is_empty() {
                report.messages += wave.round(rng);
                rounds += 1;
            }
            report.rounds = report.rounds.max(rounds);
            report.one_by_one += wave.left.len() as u64;
            report.messages += wave.one_by_one();
            report.waves += 1;
            left -= now;
        }
        report
    }
}

/// The balls of a wave, and room for what a round needs.
struct Wave<'a, L, K, W> {
    rule: ParallelRounds,
    view: &'a mut KeyView<L, K, W>,
    balls: Vec<MultiBall<W>>,
    /// `d` for each ball.
    candidates: Vec<usize>,
    /// Balls that are not placed.
    left: Vec<usize>,
    /// Ball and place among its candidates.
    requests: Vec<(usize, usize)>,
    /// How many balls a bin has accepted in a dimension in this round.
    accepted: Vec<u64>,
}

impl<L, K, W> Wave<'_, L, K, W>
where
    L: MultiBins + Place<MultiBall<W>>,
    K: BinKey<L::Load, W>,
    W: Copy + PartialEq + From<u8>,
{
    fn draw<D: Distribution<W>, R: Rng + ?Sized>(&mut self, model: &mut BallModel<D>, balls: u64, rng: &mut R) {
        self.candidates.clear();
        self.left.clear();
        for ball in 0..balls as usize {
            if ball == self.balls.len() {
                self.balls.push(MultiBall::default());
            }
            model.draw_into(&mut self.balls[ball], rng);
            self.view.loads().draw_each(self.rule.d, rng, |bin| self.candidates.push(bin));
            if self.balls[ball].is_empty() {
                self.view.skip();
            } else {
                self.left.push(ball);
            }
        }
    }

    /// Returns the number of messages.
    fn round<R: Rng + ?Sized>(&mut self, rng: &mut R) -> u64 {
        let (d, threshold, dimensions) = (self.rule.d as usize, self.rule.threshold, self.view.loads().dimensions());
        let Self { balls, candidates, accepted, requests, .. } = self;
        requests.clear();
        for &ball in &self.left {
            requests.extend(each_bin(candidates, d, ball).map(|(place, _)| (ball, place)));
        }
        // A uniform order of all requests is an independent uniform order at each bin.
        for last in (1..requests.len()).rev() {
            requests.swap(last, draw_below(last as u64 + 1, rng) as usize);
        }
        let mut messages = requests.len() as u64;
        let cell =
            |(ball, place): (usize, usize), dimension: usize| candidates[ball * d + place] * dimensions + dimension;
        requests.retain(|&request| {
            let fits = balls[request.0].populated().all(|dimension| accepted[cell(request, dimension)] < threshold);
            if fits {
                balls[request.0].populated().for_each(|dimension| accepted[cell(request, dimension)] += 1);
            }
            fits
        });
        for &request in &*requests {
            balls[request.0].populated().for_each(|dimension| accepted[cell(request, dimension)] = 0);
        }
        messages += 2 * requests.len() as u64;
        // The acceptances of a ball one after another, in the order in which it drew the bins. No load has
        // changed yet.
        requests.sort_unstable();
        let chosen = self.requests.chunk_by(|one, other| one.0 == other.0).map(|samples| {
            let ball = samples[0].0;
            (ball, self.least(ball, samples.iter().map(|&(_, place)| self.candidates[ball * d + place])))
        });
        let chosen: Vec<(usize, usize)> = chosen.collect();
        for &(ball, bin) in &chosen {
            self.view.place_for(bin, &self.balls[ball]);
        }
        let mut placed = chosen.iter().map(|&(ball, _)| ball).peekable();
        self.left.retain(|&ball| placed.next_if_eq(&ball).is_none());
        messages
    }

    /// Returns the number of messages.
    fn one_by_one(&mut self) -> u64 {
        let mut messages = 0;
        for &ball in &self.left {
            let bins = || each_bin(&self.candidates, self.rule.d as usize, ball).map(|(_, bin)| bin);
            messages += 3 * bins().count() as u64;
            let bin = self.least(ball, bins());
            self.view.place_for(bin, &self.balls[ball]);
        }
        messages
    }

    /// The bin with the smallest key for a ball, the first on a tie.
    fn least(&self, ball: usize, bins: impl Iterator<Item = usize>) -> usize {
        let keyed = bins.map(|bin| (self.view.key_for(bin, &self.balls[ball]), bin));
        keyed.min_by(|one, other| one.0.compare(&other.0)).map_or(0, |(_, bin)| bin) // There is a bin.
    }
}

/// The bins of a ball, each once, by their places among its `d` candidates.
fn each_bin(candidates: &[usize], d: usize, ball: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
    let bins = &candidates[ball * d..][..d];
    bins.iter().copied().enumerate().filter(|&(place, bin)| !bins[..place].contains(&bin))
}
