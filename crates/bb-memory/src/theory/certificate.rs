use bb_core::ParameterError;
use core::f64::consts::LN_2;

/// A proof for one size that no scheme of `M` bits keeps all loads below `P`; [`certificate`] finds it.
///
/// # Examples
///
/// ```
/// use bb_memory::theory::certificate;
///
/// let proof = certificate(1 << 20, 1024, 0.01)?.unwrap();
/// assert_eq!((proof.load(), proof.holds()), (3, true));
/// assert_eq!(proof.phases().len(), 3);
/// assert!(proof.epsilon() < 1.0 / 3.0 && proof.shares()[2] * (1_u64 << 20) as f64 >= 1.0);
/// # Ok::<(), bb_memory::bb_core::ParameterError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Certificate {
    bins: u64,
    bits: u64,
    failure: f64,
    epsilon: f64,
    phases: Vec<f64>,
    shares: Vec<f64>,
}

impl Certificate {
    /// Returns the load `P` that some bin reaches.
    #[must_use]
    pub fn load(&self) -> u64 {
        self.phases.len() as u64
    }
    /// Returns the `ε` of the proof.
    #[must_use]
    pub fn epsilon(&self) -> f64 {
        self.epsilon
    }
    /// Returns the numbers of balls of the phases, whole numbers; at most `n` together.
    #[must_use]
    pub fn phases(&self) -> &[f64] {
        &self.phases
    }
    /// Returns the shares `a_1, …, a_P` of bins that have a ball more after each phase.
    #[must_use]
    pub fn shares(&self) -> &[f64] {
        &self.shares
    }
    /// Checks the proof again, from `ε` and the phases alone.
    #[must_use]
    pub fn holds(&self) -> bool {
        let total: f64 = self.phases.iter().sum();
        let size = Size { n: self.bins as f64, bits: self.bits as f64, failure: self.failure };
        total <= self.bins as f64
            && size.shares(self.epsilon, &self.phases).is_ok_and(|shares| {
                shares.last().is_some_and(|share| share * self.bins as f64 >= 1.0) && shares == self.shares
            })
    }
}

/// Finds the largest load `P` for which the phases of the proof of \[BM\] Theorem 1.1 go through at this
/// size: *every* scheme with `bits` bits, in the communication model, has maximum load at least `P` after `n`
/// balls with probability at least `1 − failure`.
///
/// With `ε < 1/P`, phases of `N_1 + … + N_P ≤ n` balls and `a_0 = 1 − Pε`, let `a_i` be the largest value
/// with `N_i D(a_i n/N_i ‖ (a_{i−1} − a_i) ε) ≥ M (P − i) ln 2 + ln(P/failure)`, `D` the binary relative
/// entropy in nats and `a_i n/N_i < (a_{i−1} − a_i) ε`. It holds if `a_P n ≥ 1`. Derived: a Chernoff bound
/// with the exact exponent in place of the one of the paper, and a union bound over the states to come.
///
/// `ε` and the phases are found by a search, so a larger `P` might have a proof that is not found; what is
/// found is one. `None` if not even `P = 1` has one, which is so for the smallest `n` only. For `n ≤ 2^24`
/// the answer is 1 to 3: no run at a practical size shows the lower bound, it can only be seen not to be
/// violated.
///
/// # Errors
///
/// If `bins` is 0, or `failure` is outside `(0, 1)`.
///
/// # Examples
///
/// [`Certificate`] has an example.
pub fn certificate(bins: u64, bits: u64, failure: f64) -> Result<Option<Certificate>, ParameterError> {
    ParameterError::require(bins > 0, "n", bins, "1..")?;
    ParameterError::require(failure > 0.0 && failure < 1.0, "failure", failure, "(0, 1)")?;
    let size = Size { n: bins as f64, bits: bits as f64, failure };
    let mut best = None;
    for load in 1..=64 {
        let Some((epsilon, phases, shares)) = size.search(load) else { break };
        best = Some(Certificate { bins, bits, failure, epsilon, phases, shares });
    }
    Ok(best)
}

struct Size {
    n: f64,
    bits: f64,
    failure: f64,
}

impl Size {
    /// The shares of the phases, or how far the proof comes: the number of phases done, and minus what the
    /// exponent lacks.
    fn shares(&self, epsilon: f64, phases: &[f64]) -> Result<Vec<f64>, f64> {
        let load = phases.len() as f64;
        let mut share = 1.0 - load * epsilon;
        let mut shares = Vec::new();
        for (done, &balls) in phases.iter().enumerate() {
            let needed = self.bits * (load - (done + 1) as f64) * LN_2 + libm::log(load / self.failure);
            // The exponent falls as the share rises, from its value at 0 down to 0.
            let exponent = |next: f64| balls * entropy(next * self.n / balls, (share - next) * epsilon);
            let most = if balls > 0.0 && share > 0.0 { exponent(0.0) } else { 0.0 };
            if most < needed || most.is_nan() {
                return Err(done as f64 - (needed - most) / needed);
            }
            // Where a n/N = (a' − a) ε.
            let (mut low, mut high) = (0.0, share * epsilon / (self.n / balls + epsilon));
            for _ in 0..80 {
                let middle = 0.5 * (low + high);
                if exponent(middle) >= needed { low = middle } else { high = middle }
            }
            share = low;
            shares.push(share);
        }
        Ok(shares)
    }

    /// How good a choice is: the number of phases done, and beyond that how many bins are left.
    fn score(&self, epsilon: f64, phases: &[f64]) -> f64 {
        match self.shares(epsilon, phases) {
            Ok(shares) => {
                let left = shares.last().copied().unwrap_or(0.0) * self.n;
                phases.len() as f64 + libm::log(left.max(1e-300)) / 1000.0
            }
            Err(done) => done,
        }
    }

    /// A proof for this load, by a compass search from several starts.
    fn search(&self, load: u32) -> Option<(f64, Vec<f64>, Vec<f64>)> {
        let load = load as usize;
        // Coordinates: ε as a share of 1/P, and the phases as shares of n, relative to one another.
        let phases = |at: &[f64]| -> Vec<f64> {
            let total: f64 = at[1..].iter().map(|x| x.exp()).sum();
            at[1..].iter().map(|x| (self.n * x.exp() / total).floor()).collect()
        };
        let epsilon = |at: &[f64]| 1.0 / (load as f64 * (1.0 + (-at[0]).exp()));
        let score = |at: &[f64]| self.score(epsilon(at), &phases(at));
        let mut best: Option<(f64, Vec<f64>)> = None;
        for start in [-2.0, 0.0, 2.0] {
            for tilt in [-1.5, 0.0, 1.5] {
                let mut at: Vec<f64> =
                    core::iter::once(start).chain((0..load).map(|phase| tilt * phase as f64)).collect();
                let (mut value, mut step) = (score(&at), 1.0);
                while step > 1e-4 {
                    let mut moved = false;
                    for coordinate in 0..at.len() {
                        for sign in [1.0, -1.0] {
                            let mut next = at.clone();
                            next[coordinate] += sign * step;
                            let reached = score(&next);
                            if reached > value {
                                (at, value, moved) = (next, reached, true);
                            }
                        }
                    }
                    if !moved {
                        step *= 0.5;
                    }
                }
                if best.as_ref().is_none_or(|(known, _)| value > *known) {
                    best = Some((value, at));
                }
            }
        }
        let (_, at) = best?;
        let (epsilon, phases) = (epsilon(&at), phases(&at));
        let shares = self.shares(epsilon, &phases).ok()?;
        (shares.last()? * self.n >= 1.0).then_some((epsilon, phases, shares))
    }
}

/// The binary relative entropy `D(x ‖ p)` in nats.
fn entropy(x: f64, p: f64) -> f64 {
    let first = if x > 0.0 { x * libm::log(x / p) } else { 0.0 };
    let second = if x < 1.0 { (1.0 - x) * (libm::log1p(-x) - libm::log1p(-p)) } else { 0.0 };
    first + second
}
