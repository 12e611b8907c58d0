//! The right-hand sides.
//!
//! The state are shares `p_k`, the fractions of bins with load exactly `k`, not tails: both tails then keep
//! their relative accuracy, and a rule is told by the rates at which levels receive. Wherever that is the
//! difference of two numbers, it is written such that nothing cancels.

use super::{Comparison, Level, Model};
use crate::allocation::{piece, power_between};

/// What is left to be said besides the shares.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// The level of the first share.
    pub(super) base: u64,
    /// The mean, plus the offset of the rule if it has one, rounded up: what is below the mean is below this.
    pub(super) mean_up: u64,
    /// The number of levels.
    pub(super) levels: usize,
}

impl Frame {
    /// The place of a level among the shares.
    fn place(&self, level: u64) -> usize {
        usize::try_from(level.saturating_sub(self.base)).map_or(self.levels, |place| place.min(self.levels))
    }
}

/// Sums over the shares: one allocation for a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Sums {
    /// `at_least[k]`: the sum of the shares from `k` on, and 0 at the end.
    at_least: Vec<f64>,
    /// `below[k]`: the sum of the shares before `k`.
    below: Vec<f64>,
    /// For rules whose `F` has kinks: the piece of `F` that holds for the tail of each level.
    pieces: Vec<usize>,
}

/// How near to a kink a tail counts as having passed it.
const NEAR: f64 = 1e-12;

impl Sums {
    fn tails(at_least: &mut Vec<f64>, shares: &[f64]) {
        at_least.resize(shares.len() + 1, 0.0);
        at_least[shares.len()] = 0.0;
        for k in (0..shares.len()).rev() {
            at_least[k] = at_least[k + 1] + shares[k];
        }
    }

    fn of(&mut self, shares: &[f64]) -> (&[f64], &[f64]) {
        Self::tails(&mut self.at_least, shares);
        self.below.resize(shares.len() + 1, 0.0);
        self.below[0] = 0.0;
        for (k, share) in shares.iter().enumerate() {
            self.below[k + 1] = self.below[k] + share;
        }
        (&self.at_least, &self.below)
    }

    /// Judgements up the piece of `F` for each tail, for as long as [`passed`](Self::passed) finds none
    /// passed.
    pub(super) fn look_up(&mut self, kinks: &[f64], shares: &[f64]) {
        let Self { at_least, pieces, .. } = self;
        Self::tails(at_least, shares);
        pieces.clear();
        pieces.extend(at_least.iter().map(|tail| kinks.partition_point(|kink| *kink <= tail + NEAR)));
    }

    /// The fraction of a step after which the first tail passes a kink that is not `NEAR` at its end, if one
    /// does; to first order.
    pub(super) fn passed(&mut self, kinks: &[f64], before: &[f64], after: &[f64]) -> Option<f64> {
        let (mut tail, mut first) = (0.0, f64::INFINITY);
        let mut rise = 0.0;
        for level in (0..before.len()).rev() {
            tail += before[level];
            rise += after[level] - before[level];
            if let Some(kink) = kinks.get(self.pieces[level])
                && tail + rise > kink + NEAR
            {
                first = f64::min(first, (kink - tail) / rise);
            }
        }
        (first < 1.0).then_some(first)
    }
}

impl Model {
    /// The rates of change of the shares, group after group, and the steps of the process per ball at the
    /// end.
    pub(super) fn rates(&self, frame: Frame, state: &[f64], out: &mut [f64], sums: &mut Sums) {
        let count = state.len() - 1;
        let (p, (out, steps)) = (&state[..count], out.split_at_mut(count));
        steps[0] = 1.0;
        match self {
            Self::Rank(law) if law.kinks().is_empty() => {
                let (s, _) = sums.of(p);
                rise(out, |k| law.limit_between(s[k + 1], p[k]));
            }
            Self::Rank(law) => by_pieces(law.kinks(), p, out, sums),
            Self::Left { .. } => go_left(frame.levels, p, out, sums),
            Self::Caching => caching(p, out, sums),
            Self::Comparison(comparison) => compare(comparison, p, out, sums),
            Self::Thinning { level, d } => {
                let place = frame.place(match level {
                    Level::Fixed(level) => *level,
                    Level::Mean { .. } => frame.mean_up,
                });
                thin(place, f64::from(*d), p, out, sums);
            }
            Self::Twinning => {
                let (_, below) = sums.of(p);
                let mean = frame.place(frame.mean_up);
                steps[0] = 1.0 / (1.0 + below[mean]);
                jump(p, out, steps[0], |k| if k < mean { k + 2 } else { k + 1 });
            }
            Self::Packing { extra } => {
                let filled = frame.place(frame.mean_up + u64::from(*extra));
                let mean = frame.place(frame.mean_up);
                let to = |k: usize| if k < mean { filled } else { k + 1 };
                let balls: f64 = p.iter().enumerate().map(|(k, share)| share * (to(k) - k) as f64).sum();
                steps[0] = 1.0 / balls;
                jump(p, out, steps[0], to);
            }
            Self::Supermarket { lambda, d } => {
                steps[0] = *lambda;
                let (s, _) = sums.of(p);
                rise(out, |k| lambda * power_between(s[k + 1], p[k], *d));
                for k in 1..p.len() {
                    out[k - 1] += p[k];
                    out[k] -= p[k];
                }
            }
        }
    }
}

/// A rule by rank with kinks. The pieces stay those of the start of a step: rates without a kink.
fn by_pieces(kinks: &[f64], p: &[f64], out: &mut [f64], sums: &mut Sums) {
    let pieces = core::mem::take(&mut sums.pieces);
    let (s, _) = sums.of(p);
    rise(out, |k| {
        let (lower, upper) = piece(kinks, pieces[k]);
        if pieces[k] == pieces[k + 1] {
            return (lower + upper) * p[k];
        }
        let (next_lower, next_upper) = piece(kinks, pieces[k + 1]);
        lower * lower + (lower + upper) * (s[k] - lower)
            - next_lower * next_lower
            - (next_lower + next_upper) * (s[k + 1] - next_lower)
    });
    sums.pieces = pieces;
}

/// The first of `d` samples below the level at `place`, else the last one.
fn thin(place: usize, d: f64, p: &[f64], out: &mut [f64], sums: &mut Sums) {
    let (s, below) = sums.of(p);
    // Rounding may add up to more than 1.
    let (refused, accepted) = (s[place], below[place].min(1.0));
    let last = refused.powf(d - 1.0);
    // 1 + h + … + h^(d−1) for the fraction h refused.
    let any = if accepted > 0.0 { -(d * (-accepted).ln_1p()).exp_m1() / accepted } else { d };
    rise(out, |k| p[k] * if k < place { any } else { last });
}

/// Every ball lifts one bin by one level; `landing(k)` is the rate of balls that land on bins of level `k`.
fn rise(out: &mut [f64], landing: impl Fn(usize) -> f64) {
    let last = out.len() - 1;
    let mut arriving = 0.0;
    for (k, rate) in out.iter_mut().enumerate() {
        let leaving = if k < last { landing(k) } else { 0.0 };
        *rate = arriving - leaving;
        arriving = leaving;
    }
}

/// Bins of level `k` leave at this rate for level `to(k)`.
fn jump(p: &[f64], out: &mut [f64], rate: f64, to: impl Fn(usize) -> usize) {
    out.fill(0.0);
    for (k, share) in p.iter().enumerate() {
        if let Some(there) = out.get_mut(to(k)) {
            *there += rate * share;
            out[k] -= rate * share;
        }
    }
}

/// A ball lands on level `k` of group `j` if the groups left of it show more, and those right of it no less.
/// A group is `1/d` of the bins.
fn go_left(levels: usize, p: &[f64], out: &mut [f64], sums: &mut Sums) {
    let groups = p.len() / levels;
    // With a 0 behind each group, the tails of the groups are one sequence of sums.
    let tails = &mut sums.at_least;
    tails.resize(groups * (levels + 1), 0.0);
    for (group, shares) in p.chunks_exact(levels).enumerate() {
        let tails = &mut tails[group * (levels + 1)..][..=levels];
        tails[levels] = 0.0;
        for k in (0..levels).rev() {
            tails[k] = tails[k + 1] + shares[k];
        }
    }
    let tail = |group: usize, k: usize| tails[group * (levels + 1) + k];
    for (group, out) in out.chunks_exact_mut(levels).enumerate() {
        rise(out, |k| {
            let left: f64 = (0..group).map(|other| tail(other, k + 1)).product();
            let right: f64 = (group + 1..groups).map(|other| tail(other, k)).product();
            groups as f64 * p[group * levels + k] * left * right
        });
    }
}

/// The remembered bin has load at least `k` with probability `q_k`, the stationary law of its own fast chain:
/// from `j` with a sample of load `c` it goes to `c + 1` if `c < j`, to `j` if `c = j`, to `j + 1` if
/// `c > j`.
fn caching(p: &[f64], out: &mut [f64], sums: &mut Sums) {
    let (s, below) = sums.of(p);
    let mut q = 1.0;
    let mut arriving = 0.0;
    for k in 0..p.len() {
        let next = if below[k] > 0.0 { q * s[k + 1] / (below[k] + s[k + 1]) } else { q };
        let remembered = if below[k] > 0.0 { q * below[k] / (below[k] + s[k + 1]) } else { 0.0 };
        // The smaller of sample and cache is k.
        let leaving = if k + 1 < p.len() { p[k] * q + remembered * s[k + 1] } else { 0.0 };
        out[k] = arriving - leaving;
        (q, arriving) = (next, leaving);
    }
}

/// Two samples; the ball goes to level `k` if the other sample is heavier and the comparison right, or
/// lighter and the comparison wrong.
fn compare(comparison: &Comparison, p: &[f64], out: &mut [f64], sums: &mut Sums) {
    let (s, below) = sums.of(p);
    let (listed, last) = (comparison.listed(), comparison.last());
    rise(out, |k| {
        let heavier: f64 = p[k + 1..].iter().zip(listed).map(|(share, rho)| share * rho).sum();
        let lighter: f64 = p[..k].iter().rev().zip(listed).map(|(share, rho)| share * (1.0 - rho)).sum();
        let far = listed.len() + 1;
        let far_heavier = last * s[(k + far).min(p.len())];
        let far_lighter = (1.0 - last) * below[(k + 1).saturating_sub(far)];
        2.0 * p[k] * (0.5 * p[k] + heavier + far_heavier + lighter + far_lighter)
    });
}
