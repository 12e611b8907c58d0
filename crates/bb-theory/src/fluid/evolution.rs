//! A solution as it moves in time, on a window of levels around the mean.

use super::extrapolation::Extrapolation;
use super::rates::{Frame, Sums};
use super::{Fluid, Tails};

/// Shares below this, at both ends, are left out.
const NEGLIGIBLE: f64 = 1e-30;

/// Empty levels kept above the window's last: none is reached in one step.
const ROOM: usize = 24;

/// A solution from empty bins.
#[derive(Clone, Debug)]
pub(crate) struct Evolution<'a> {
    fluid: &'a Fluid,
    time: f64,
    frame: Frame,
    /// The shares of each group, and at the end the steps so far.
    state: Vec<f64>,
    step: f64,
    /// The length of this step, if the one tried before went past a kink.
    cut: Option<f64>,
    /// The state before this step, for rules with kinks.
    before: Vec<f64>,
    solver: Extrapolation,
    sums: Sums,
}

impl<'a> Evolution<'a> {
    pub(crate) fn new(fluid: &'a Fluid) -> Self {
        let mean_up = fluid.mean_offset().map_or(0, |offset| offset as u64 + 1);
        let frame = Frame { base: 0, mean_up, levels: 1 };
        let mut state = vec![1.0; fluid.groups()];
        state.push(0.0);
        let (solver, sums) = (Extrapolation::default(), Sums::default());
        let mut made =
            Self { fluid, time: 0.0, frame, state, step: 1.0 / 16.0, cut: None, before: Vec::new(), solver, sums };
        made.fit();
        made
    }

    pub(crate) fn time(&self) -> f64 {
        self.time
    }

    pub(crate) fn tails(&self) -> Tails {
        let count = self.state.len() - 1;
        Tails::new(self.time, self.state[count], self.frame.base, self.state[..count].chunks_exact(self.frame.levels))
    }

    /// The fraction of bins at or above the mean, rounded up.
    pub(crate) fn overloaded(&self) -> f64 {
        self.tails().tail(self.time.floor() as u64 + 1)
    }

    /// Moves on to a time.
    pub(crate) fn advance(&mut self, to: f64) {
        while self.time < to {
            // Where the mean passes an integer, the rates of some rules jump: a step ends there.
            let jump = self.fluid.mean_offset().map_or(f64::INFINITY, |offset| self.frame.mean_up as f64 - offset);
            let stop = to.min(jump);
            let left = stop - self.time;
            let h = match self.cut {
                Some(cut) => cut,
                None if self.step >= left => left,
                None => self.step.min(left / 2.0),
            };
            let (fluid, frame, sums) = (self.fluid, self.frame, &mut self.sums);
            let kinks = fluid.kinks();
            if !kinks.is_empty() {
                self.before.clone_from(&self.state);
                sums.look_up(kinks, &self.state[..frame.levels]);
            }
            let (factor, moved) =
                self.solver.step(&mut self.state, h, |state, out| fluid.model.rates(frame, state, out, sums));
            if moved
                && !kinks.is_empty()
                && let Some(part) = self.sums.passed(kinks, &self.before[..frame.levels], &self.state[..frame.levels])
            {
                // A step ends where a tail passes a kink.
                self.state.clone_from(&self.before);
                self.cut = Some(part * h);
                continue;
            }
            if moved {
                self.time = if h >= left { stop } else { self.time + h };
                if self.cut.take().is_none() {
                    self.step = (factor * h).max(if factor < 1.0 { 0.0 } else { self.step }).min(1.0);
                }
                if self.time >= jump {
                    self.frame.mean_up += 1;
                }
                self.fit();
            } else {
                (self.step, self.cut) = (factor * h, None);
            }
        }
    }

    /// Moves the window along: drops levels that have become negligible at the bottom, and adds empty ones at
    /// the top.
    fn fit(&mut self) {
        let Frame { base, mean_up, levels } = self.frame;
        let groups = self.fluid.groups();
        let share = |level: usize| (0..groups).map(|group| self.state[group * levels + level]).sum::<f64>();
        let last = (0..levels).rev().find(|&level| share(level) > NEGLIGIBLE).unwrap_or(0);
        // Packing fills bins up to a level above the mean at once.
        let filled = (mean_up + self.fluid.fills_above()).saturating_sub(base) as usize;
        let wanted = last.max(filled) + ROOM;
        let mut drop = 0;
        if self.fluid.leaves_levels() {
            let mut below = 0.0;
            while drop < last {
                below += share(drop);
                if below > NEGLIGIBLE {
                    break;
                }
                drop += 1;
            }
        }
        // Not at every step: the window is laid anew.
        if drop < ROOM / 2 && wanted < levels {
            return;
        }
        let new_levels = wanted + ROOM / 2 - drop;
        let steps = self.state[groups * levels];
        let mut state = Vec::with_capacity(groups * new_levels + 1);
        for group in self.state[..groups * levels].chunks_exact(levels) {
            let kept = &group[drop..(drop + new_levels).min(levels)];
            state.extend_from_slice(kept);
            state.resize(state.len() + new_levels - kept.len(), 0.0);
        }
        state.push(steps);
        self.state = state;
        self.frame = Frame { base: base + drop as u64, mean_up, levels: new_levels };
    }
}
