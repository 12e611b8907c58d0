//! The limit for many bins: tails, and the size of the fluctuations around them.
//!
//! After `tn` balls in `n` bins, the number of bins with load at least `k` is `n s_k(t) + √n Z_k + O(1)`. The
//! tails are those of `bb_processes::theory::fluid`, `ds_k/dt = r_k(s)`, and the `Z_k` are normal with
//! covariances `Σ`, where
//!
//! ```text
//! dΣ/dt = JΣ + ΣJᵀ + diag(r) − r rᵀ,   J = ∂r/∂s,
//! ```
//!
//! the linear noise approximation (Kurtz, Approximation of Population Processes, 1981) for steps of which
//! each raises exactly one tail. So the spread is known without a simulation.

use bb_processes::theory::fluid::{self, Tails};

use crate::process::Process;

/// Steps of Runge–Kutta in a unit of time for covariances, which need no more than three digits.
const NOISE_STEPS: u64 = 64;

/// The limit at a time, from empty bins.
#[derive(Clone, Debug)]
pub(crate) struct Fluid {
    tails: Tails,
    levels: usize,
    /// `noise[k][l]`: the covariance of the numbers of bins with load at least `k` and `l`, over the number
    /// of bins; none where the linear noise equations do not hold.
    noise: Option<Vec<Vec<f64>>>,
}

impl Fluid {
    /// The limit after `time` balls a bin, with `levels` levels; what lies beyond must be negligible.
    pub(crate) fn new(process: Process, time: u64, levels: usize) -> Self {
        let fluid = process.fluid();
        let tails = fluid.tails(time as f64).expect("a time of a few balls a bin");
        let noise = process.has_rates().then(|| noise(&fluid, process.offset(), time, levels));
        Self { tails, levels, noise }
    }

    /// The fraction of bins with load at least `level`.
    pub(crate) fn tail(&self, level: usize) -> f64 {
        self.tails.tail(level as u64)
    }

    /// The fraction of bins with load `level`.
    pub(crate) fn share(&self, level: usize) -> f64 {
        self.tails.share(level as u64)
    }

    /// The variance of the number of bins with load `level`, over the number of bins, where it is known.
    pub(crate) fn variance(&self, level: usize) -> Option<f64> {
        let known = self.noise.as_ref()?;
        let noise = |k: usize, l: usize| known.get(k).and_then(|row| row.get(l)).copied().unwrap_or(0.0);
        Some(noise(level, level) + noise(level + 1, level + 1) - 2.0 * noise(level, level + 1))
    }

    /// The levels which at least `least` of `bins` bins have.
    pub(crate) fn levels(&self, bins: u64, least: f64) -> impl Iterator<Item = usize> {
        (0..self.levels).filter(move |&level| bins as f64 * self.share(level) >= least)
    }
}

fn empty(levels: usize) -> Vec<f64> {
    let mut tails = vec![0.0; levels];
    tails[0] = 1.0;
    tails
}

fn moved(from: &[f64], by: f64, rates: &[f64]) -> Vec<f64> {
    from.iter().zip(rates).map(|(from, rate)| from + by * rate).collect()
}

/// A step of classical Runge–Kutta.
fn runge_kutta(state: &[f64], h: f64, rates: impl Fn(&[f64]) -> Vec<f64>) -> Vec<f64> {
    let first = rates(state);
    let second = rates(&moved(state, h / 2.0, &first));
    let third = rates(&moved(state, h / 2.0, &second));
    let fourth = rates(&moved(state, h, &third));
    let sum = |k: usize| first[k] + 2.0 * (second[k] + third[k]) + fourth[k];
    state.iter().enumerate().map(|(k, value)| value + h / 6.0 * sum(k)).collect()
}

/// The covariances; tails and covariances are one state, tails first.
fn noise(fluid: &fluid::Fluid, offset: u64, time: u64, levels: usize) -> Vec<Vec<f64>> {
    let mut state = empty(levels);
    state.resize(levels + levels * levels, 0.0);
    for unit in 1..=time {
        for _ in 0..NOISE_STEPS {
            state = runge_kutta(&state, 1.0 / NOISE_STEPS as f64, |state| {
                let (tails, noise) = state.split_at(levels);
                let rise = fluid.rates(unit + offset, tails);
                let jacobian = jacobian(fluid, unit + offset, tails);
                let mut all = rise.clone();
                // JΣ; with its transpose below.
                let drift: Vec<f64> = (0..levels * levels)
                    .map(|place| {
                        let (k, l) = (place / levels, place % levels);
                        (0..levels).map(|i| jacobian[k * levels + i] * noise[i * levels + l]).sum()
                    })
                    .collect();
                all.extend((0..levels * levels).map(|place| {
                    let (k, l) = (place / levels, place % levels);
                    let jump = if k == l { rise[k] } else { 0.0 } - rise[k] * rise[l];
                    drift[place] + drift[l * levels + k] + jump
                }));
                all
            });
        }
    }
    state[levels..].chunks(levels).map(<[f64]>::to_vec).collect()
}

/// `∂r_k/∂s_i`, by central differences.
fn jacobian(fluid: &fluid::Fluid, mean: u64, tails: &[f64]) -> Vec<f64> {
    const H: f64 = 1e-5;
    let levels = tails.len();
    let mut jacobian = vec![0.0; levels * levels];
    for i in 1..levels {
        let (mut up, mut down) = (tails.to_vec(), tails.to_vec());
        up[i] += H;
        down[i] -= H;
        let (up, down) = (fluid.rates(mean, &up), fluid.rates(mean, &down));
        for k in 0..levels {
            jacobian[k * levels + i] = (up[k] - down[k]) / (2.0 * H);
        }
    }
    jacobian
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of multinomial loads have covariances of closed form: the variance of level `k` is
    /// `p − p² (1 + (k − t)²/t)`.
    #[test]
    fn the_noise_of_one_choice_is_that_of_the_multinomial_law() {
        for (time, levels) in [(1_u32, 20), (4, 30)] {
            let fluid = Fluid::new(Process::OneChoice, u64::from(time), levels);
            for level in 0..6 {
                let (p, t) = (fluid.share(level), f64::from(time));
                let variance = p - p * p * (1.0 + (level as f64 - t).powi(2) / t);
                assert!((fluid.variance(level).unwrap() - variance).abs() < 1e-8, "t = {t}, level {level}");
            }
        }
    }
}
