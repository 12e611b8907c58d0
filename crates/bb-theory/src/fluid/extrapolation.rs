//! Ordinary differential equations with step control, after Gragg, Bulirsch and Stoer.
//!
//! A step is taken by the modified midpoint rule with 2, 4, 6, … parts, whose error is a series in the square
//! of a part's length, and the results are extrapolated to parts of length 0 (Hairer, Nørsett and Wanner,
//! *Solving Ordinary Differential Equations I*, 1993, section II.9). The difference of the last two
//! extrapolations tells how many parts are enough; where they are not, the step was too long. Where rates
//! have a kink, steps become short by themselves.

/// Extrapolations before a step is given up: up to 16 parts, order 16.
const MOST_ROWS: usize = 8;

/// Accuracy of a step, relative to each component.
const RELATIVE: f64 = 1e-11;

/// Components below this are only as accurate as if they were this large.
const FLOOR: f64 = 1e-15;

/// A step as short as this is taken as it is: one in `10^9` of a ball a bin.
const SHORTEST: f64 = 1e-9;

/// The workspace of a step: one allocation for a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Extrapolation {
    /// `rows[i]` holds the `i`-th extrapolation with the largest number of parts so far.
    rows: [Vec<f64>; MOST_ROWS],
    initial_rates: Vec<f64>,
    rates: Vec<f64>,
    before: Vec<f64>,
    now: Vec<f64>,
}

impl Extrapolation {
    /// Tries a step of length `h`. Returns the factor by which the next step should be longer, and whether
    /// `state` has moved.
    pub(super) fn step(&mut self, state: &mut [f64], h: f64, mut rates: impl FnMut(&[f64], &mut [f64])) -> (f64, bool) {
        self.fit(state.len());
        rates(state, &mut self.initial_rates);
        for row in 0..MOST_ROWS {
            self.midpoint(state, h, 2 * (row + 1), &mut rates);
            let error = self.extrapolate(row);
            if row >= 2 && (error <= 1.0 || h < SHORTEST) {
                state.copy_from_slice(&self.rows[row]);
                // Six rows are the cheapest in the long run.
                return ([2.0, 2.0, 2.0, 2.0, 1.5, 1.2, 1.0, 0.8][row], true);
            }
        }
        (0.3, false)
    }

    fn fit(&mut self, length: usize) {
        let buffers = [&mut self.initial_rates, &mut self.rates, &mut self.before, &mut self.now];
        for buffer in self.rows.iter_mut().chain(buffers) {
            buffer.resize(length, 0.0);
        }
    }

    /// The modified midpoint rule with so many parts, smoothed at the end: into `now`.
    fn midpoint(&mut self, state: &[f64], h: f64, parts: usize, rates: &mut impl FnMut(&[f64], &mut [f64])) {
        let part = h / parts as f64;
        self.before.copy_from_slice(state);
        for ((now, start), rate) in self.now.iter_mut().zip(state).zip(&self.initial_rates) {
            *now = start + part * rate;
        }
        for _ in 1..parts {
            rates(&self.now, &mut self.rates);
            for ((before, now), rate) in self.before.iter_mut().zip(&mut self.now).zip(&self.rates) {
                let next = *before + 2.0 * part * rate;
                *before = core::mem::replace(now, next);
            }
        }
        rates(&self.now, &mut self.rates);
        for ((now, before), rate) in self.now.iter_mut().zip(&self.before).zip(&self.rates) {
            *now = 0.5 * (*now + before + part * rate);
        }
    }

    /// Takes `now` as the next row of the table. Returns the error over what is allowed.
    fn extrapolate(&mut self, row: usize) -> f64 {
        let parts = |row: usize| (row + 1) as f64;
        let (mut worst, mut finite) = (0.0_f64, true);
        for place in 0..self.now.len() {
            let mut value = self.now[place];
            let mut difference = f64::INFINITY;
            for column in 1..=row {
                let coarser = core::mem::replace(&mut self.rows[column - 1][place], value);
                difference = (value - coarser) / ((parts(row) / parts(row - column)).powi(2) - 1.0);
                value += difference;
            }
            self.rows[row][place] = value;
            finite &= value.is_finite();
            worst = worst.max(difference.abs() / (RELATIVE * value.abs().max(FLOOR)));
        }
        if finite { worst } else { f64::INFINITY }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(state: &mut [f64], span: f64, rates: impl Fn(&[f64], &mut [f64]) + Copy) -> usize {
        let (mut solver, mut time, mut h, mut evaluations) = (Extrapolation::default(), 0.0, span / 16.0, 0);
        while time < span {
            let length = h.min(span - time);
            let (factor, moved) = solver.step(state, length, |state, out| {
                evaluations += 1;
                rates(state, out);
            });
            if moved {
                time += length;
            }
            h = length * factor;
        }
        evaluations
    }

    #[test]
    fn smooth_and_kinked_equations_are_solved_to_ten_places() {
        // y' = −y, and the oscillator.
        let mut state = vec![1.0, 1.0, 0.0];
        let evaluations = run(&mut state, 3.0, |y, rate| {
            (rate[0], rate[1], rate[2]) = (-y[0], y[2], -y[1]);
        });
        assert!((state[0] / (-3.0_f64).exp() - 1.0).abs() < 1e-11, "{state:?}");
        assert!((state[1] - 3_f64.cos()).abs() < 1e-11 && (state[2] + 3_f64.sin()).abs() < 1e-11, "{state:?}");
        assert!(evaluations < 400, "{evaluations}");

        // y' = 1 up to y = 1/3, then 1 − 2(y − 1/3).
        let mut state = vec![0.0];
        run(&mut state, 1.0, |y, rate| rate[0] = 1.0 - 2.0 * (y[0] - 1.0 / 3.0).max(0.0));
        let exact = 1.0 / 3.0 + (1.0 - (-4.0_f64 / 3.0).exp()) / 2.0;
        assert!((state[0] - exact).abs() < 1e-10, "{} {exact}", state[0]);
    }
}
