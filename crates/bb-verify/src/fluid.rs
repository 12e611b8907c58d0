//! The limit for many bins: tails, and the size of the fluctuations around them.
//!
//! After `tn` balls in `n` bins, the number of bins with load at least `k` is `n s_k(t) + √n Z_k + O(1)`. The tails follow
//! `ds_k/dt = r_k(s)` with the rates `r` of [`Process::rates`], and the `Z_k` are normal with covariances `Σ`, where
//!
//! ```text
//! dΣ/dt = JΣ + ΣJᵀ + diag(r) − r rᵀ,   J = ∂r/∂s,
//! ```
//!
//! the linear noise approximation (Kurtz, Approximation of Population Processes, 1981) for steps of which each raises exactly one tail. So the spread is
//! known without a simulation.

use crate::process::Process;

/// Steps of Runge–Kutta in a unit of time for tails: errors are below `1e-12`, as a test shows.
const TAIL_STEPS: u64 = 2048;

/// The same for covariances, which need no more than three digits.
const NOISE_STEPS: u64 = 64;

/// The limit at a time, from empty bins.
#[derive(Clone, Debug)]
pub(crate) struct Fluid {
    /// `tails[k]`: the fraction of bins with load at least `k`.
    tails: Vec<f64>,
    /// `noise[k][l]`: the covariance of the numbers of bins with load at least `k` and `l`, over the number of bins.
    noise: Vec<Vec<f64>>,
}

impl Fluid {
    /// The limit after `time` balls a bin, with `levels` levels; what lies beyond must be negligible.
    pub(crate) fn new(process: Process, time: u64, levels: usize) -> Self {
        let mut tails = empty(levels);
        for unit in 1..=time {
            for _ in 0..TAIL_STEPS {
                tails = step(process, unit, &tails, 1.0 / TAIL_STEPS as f64);
            }
        }
        Self { noise: noise(process, time, levels), tails }
    }

    /// The fraction of bins with load at least `level`.
    pub(crate) fn tail(&self, level: usize) -> f64 {
        self.tails.get(level).copied().unwrap_or(0.0)
    }

    /// The fraction of bins with load `level`.
    pub(crate) fn share(&self, level: usize) -> f64 {
        self.tail(level) - self.tail(level + 1)
    }

    /// The variance of the number of bins with load `level`, over the number of bins.
    pub(crate) fn variance(&self, level: usize) -> f64 {
        let noise = |k: usize, l: usize| self.noise.get(k).and_then(|row| row.get(l)).copied().unwrap_or(0.0);
        noise(level, level) + noise(level + 1, level + 1) - 2.0 * noise(level, level + 1)
    }

    /// The levels which at least `least` of `bins` bins have.
    pub(crate) fn levels(&self, bins: u64, least: f64) -> impl Iterator<Item = usize> {
        (0..self.tails.len()).filter(move |&level| bins as f64 * self.share(level) >= least)
    }
}

fn empty(levels: usize) -> Vec<f64> {
    let mut tails = vec![0.0; levels];
    tails[0] = 1.0;
    tails
}

fn rates(process: Process, mean: u64, tails: &[f64]) -> Vec<f64> {
    let mut rates = vec![0.0; tails.len()];
    process.rates(mean, tails, &mut rates);
    rates
}

fn moved(from: &[f64], by: f64, rates: &[f64]) -> Vec<f64> {
    from.iter().zip(rates).map(|(from, rate)| from + by * rate).collect()
}

/// A step of classical Runge–Kutta while the mean, rounded up, is `mean`.
fn step(process: Process, mean: u64, tails: &[f64], h: f64) -> Vec<f64> {
    runge_kutta(tails, h, |tails| rates(process, mean, tails))
}

fn runge_kutta(state: &[f64], h: f64, rates: impl Fn(&[f64]) -> Vec<f64>) -> Vec<f64> {
    let first = rates(state);
    let second = rates(&moved(state, h / 2.0, &first));
    let third = rates(&moved(state, h / 2.0, &second));
    let fourth = rates(&moved(state, h, &third));
    let sum = |k: usize| first[k] + 2.0 * (second[k] + third[k]) + fourth[k];
    state.iter().enumerate().map(|(k, value)| value + h / 6.0 * sum(k)).collect()
}

/// The covariances; tails and covariances are one state, tails first.
fn noise(process: Process, time: u64, levels: usize) -> Vec<Vec<f64>> {
    let mut state = empty(levels);
    state.resize(levels + levels * levels, 0.0);
    for unit in 1..=time {
        for _ in 0..NOISE_STEPS {
            state = runge_kutta(&state, 1.0 / NOISE_STEPS as f64, |state| {
                let (tails, noise) = state.split_at(levels);
                let rise = rates(process, unit, tails);
                let jacobian = jacobian(process, unit, tails);
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
fn jacobian(process: Process, mean: u64, tails: &[f64]) -> Vec<f64> {
    const H: f64 = 1e-5;
    let levels = tails.len();
    let mut jacobian = vec![0.0; levels * levels];
    for i in 1..levels {
        let (mut up, mut down) = (tails.to_vec(), tails.to_vec());
        up[i] += H;
        down[i] -= H;
        let (up, down) = (rates(process, mean, &up), rates(process, mean, &down));
        for k in 0..levels {
            jacobian[k * levels + i] = (up[k] - down[k]) / (2.0 * H);
        }
    }
    jacobian
}

/// The mean fraction of bins at or above the mean under Mean-Thinning, at many balls a bin: the chance that a suggestion is refused.
pub(crate) fn refused_by_mean_thinning() -> f64 {
    const SETTLED: u64 = 200;
    const STEPS: u64 = 128;
    let mut tails = empty(SETTLED as usize + 60);
    let mut sum = 0.0;
    for unit in 1..=SETTLED {
        for _ in 0..STEPS {
            let before = tails[unit as usize];
            tails = step(Process::MeanThinning, unit, &tails, 1.0 / STEPS as f64);
            if unit == SETTLED {
                sum += (before + tails[unit as usize]) / 2.0;
            }
        }
    }
    sum / STEPS as f64
}

/// The root `λ > 0` of `λ = a(e^λ − 1)`, `0 < a < 1`: the rate of an upper tail `e^{−λk}` whose levels are entered at `a` times their fraction of bins.
pub(crate) fn upper_rate(a: f64) -> f64 {
    root(1e-9, 60.0, |rate| a * rate.exp_m1() - rate)
}

/// The root `μ > 0` of `μ = b(1 − e^{−μ})`, `b > 1`: the rate of the lower tail.
pub(crate) fn lower_rate(b: f64) -> f64 {
    root(1e-9, b, |rate| rate + b * (-rate).exp_m1())
}

/// The root of a function that is negative before it and positive beyond.
fn root(mut low: f64, mut high: f64, function: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if function(middle) < 0.0 { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `s_1 = tanh t` for Two-Choice; Poisson loads for One-Choice.
    #[test]
    fn tails_are_exact_to_twelve_places() {
        let two = Fluid::new(Process::Choice(2), 1, 12);
        assert!((two.tail(1) - 1_f64.tanh()).abs() < 1e-13);
        let one = Fluid::new(Process::OneChoice, 1, 20);
        assert!((one.share(3) - (-1_f64).exp() / 6.0).abs() < 1e-13);
    }

    /// The numbers of multinomial loads have covariances of closed form: the variance of level `k` is `p − p² (1 + (k − t)²/t)`.
    #[test]
    fn the_noise_of_one_choice_is_that_of_the_multinomial_law() {
        for (time, levels) in [(1_u32, 20), (4, 30)] {
            let fluid = Fluid::new(Process::OneChoice, u64::from(time), levels);
            for level in 0..6 {
                let (p, t) = (fluid.share(level), f64::from(time));
                let variance = p - p * p * (1.0 + (level as f64 - t).powi(2) / t);
                assert!((fluid.variance(level) - variance).abs() < 1e-8, "t = {t}, level {level}");
            }
        }
    }

    #[test]
    fn rates_of_tails_are_roots() {
        assert!((upper_rate(0.5) - 1.256_431_2).abs() < 1e-6);
        assert!((lower_rate(2.0) - 1.593_624_3).abs() < 1e-6);
    }

    #[test]
    fn every_ball_raises_a_tail() {
        let tails = [1.0, 0.7, 0.4, 0.1, 0.0];
        let threshold = Process::Threshold { level: 2, d: 3 };
        let noise = [Process::GBounded(1), Process::GMyopic(2), Process::SigmaNoisyLoad(0.7)];
        let others = [Process::OneChoice, Process::Choice(3), Process::Beta(0.3), threshold, Process::MeanThinning];
        for process in noise.into_iter().chain(others) {
            assert!((rates(process, 2, &tails).iter().sum::<f64>() - 1.0).abs() < 1e-12, "{process}");
        }
    }
}
