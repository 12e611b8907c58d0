use bb_core::{Bins, Mix, ParameterError, Rng, StartError};

use super::programme::{Sorted, gap, solve};
use super::{Objective, Sampling, check};
use crate::strategy::{Strategy, ThinningStrategy};

/// The best two-thinning strategy for few bins: no other has a smaller expectation of the objective after its
/// `m` balls.
///
/// It sees all loads, and accepts a bin iff the best that can follow is at most the mean of that over all
/// bins; see [`optimal_value`](crate::optimal_value). It is made for empty bins: on loads that its programme
/// does not reach, and after its last ball, it accepts every primary.
///
/// *Randomness:* as [`Thinning`](crate::Thinning), no coin. *Cost:* `O(n + log m)` a ball, with a table of
/// the states: up to 2 million for 8 bins and 64 balls, 16 bytes each (120 MB in all for the maximum over
/// time).
///
/// # Examples
///
/// ```
/// use bb_thinning::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
/// use bb_thinning::{Objective, OptimalThinning, Thinning};
///
/// let strategy = OptimalThinning::new(4, 8, Objective::Maximum)?;
/// let (value, trials) = (strategy.value(), 10_000);
/// let mut sum = 0;
/// let mut rule = Thinning::new(strategy);
/// for trial in 0..trials {
///     let mut loads = LoadVector::new(4)?;
///     rule.start_and_run(&mut loads, 8, &mut rng_for_trial(1, trial))?;
///     sum += loads.max_load();
/// }
/// assert!((sum as f64 / trials as f64 - value).abs() < 0.03);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct OptimalThinning {
    bins: u32,
    objective: Objective,
    value: f64,
    /// For each number of balls, what is known of its loads, by rising word.
    states: Vec<Vec<State>>,
    accepted: Vec<u8>,
    /// The largest gap since the beginning, in units of `1/n`.
    record: u64,
    /// The loads at hand, and the levels that are accepted as bits by their first rank; `None` where every
    /// bin is.
    now: Option<(Sorted, u8)>,
}

/// Sorted loads, and where it stands what they accept for each record from the gap up.
#[derive(Clone, Debug, PartialEq)]
struct State {
    loads: Sorted,
    start: u32,
    records: u32,
}

impl OptimalThinning {
    /// Returns the strategy for `1..=8` bins and `0..=64` balls.
    ///
    /// # Errors
    ///
    /// If `bins` is outside `1..=8` or `balls` outside `0..=64`.
    pub fn new(bins: u32, balls: u32, objective: Objective) -> Result<Self, ParameterError> {
        check(bins, balls, Sampling::Thinning(2))?;
        let mut states: Vec<Vec<State>> = vec![Vec::new(); balls as usize];
        let mut accepted = Vec::new();
        let value = solve(bins, balls, Sampling::Thinning(2), objective, |total, (loads, accepts)| {
            // At most 2 million states with fewer than 512 records each.
            let (start, records) = (accepted.len() as u32, accepts.len() as u32);
            states[total as usize].push(State { loads, start, records });
            accepted.extend_from_slice(accepts);
        });
        states.iter_mut().for_each(|states| states.sort_unstable_by_key(|state| state.loads));
        Ok(Self { bins, objective, value, states, accepted, record: 0, now: None })
    }

    /// Returns the expectation of the objective.
    #[must_use]
    pub fn value(&self) -> f64 {
        self.value
    }

    /// Returns what it makes small.
    #[must_use]
    pub fn objective(&self) -> Objective {
        self.objective
    }

    /// The loads as a state of the programme, if they are one.
    fn sorted<B: Bins<Load = u64>>(&self, bins: &B) -> Option<(u32, Sorted)> {
        let total = u32::try_from(bins.total()).ok().filter(|&total| (total as usize) < self.states.len())?;
        let mut loads = [0; super::MOST_BINS as usize];
        let loads = &mut loads[..bins.bins() as usize];
        for (place, load) in loads.iter_mut().enumerate() {
            // None is above the total.
            *load = bins.load(bins.nth(place as u64)) as u8;
        }
        loads.sort_unstable_by(|one, other| other.cmp(one));
        Some((total, Sorted::of(loads)))
    }

    /// The levels that are accepted.
    fn accepts(&self, total: u32, loads: Sorted) -> Option<u8> {
        let states = &self.states[total as usize];
        let state = &states[states.binary_search_by_key(&loads, |state| state.loads).ok()?];
        let record = match self.objective {
            Objective::AllTimeMaximum => self.record - gap(loads, self.bins, total),
            _ => 0,
        };
        // No later gap exceeds a record beyond these.
        (record < u64::from(state.records)).then(|| self.accepted[state.start as usize + record as usize])
    }
}

impl Strategy for OptimalThinning {}

impl<B: Bins<Load = u64>> ThinningStrategy<B> for OptimalThinning {
    fn check(&self, bins: &B) -> Result<(), StartError> {
        if bins.bins() == u64::from(self.bins) {
            Ok(())
        } else {
            Err(StartError::OtherBins { expected: self.bins.into(), bins: bins.bins() })
        }
    }
    fn begin(&mut self, _: &B) {
        (self.record, self.now) = (0, None);
    }
    fn next_ball<R: Rng + ?Sized>(&mut self, bins: &B, _: &mut R) {
        self.now = None;
        if let Some((total, loads)) = self.sorted(bins) {
            self.record = self.record.max(gap(loads, self.bins, total));
            self.now = self.accepts(total, loads).map(|accepts| (loads, accepts));
        }
    }
    fn accept(&self, bins: &B, bin: B::Bin, _: u32) -> Mix<bool> {
        let accepts = self.now.is_none_or(|(loads, accepts)| {
            let load = bins.load(bin);
            let first = (0..self.bins).find(|&rank| loads.load(rank) == load).unwrap_or(0);
            accepts & (1 << first) != 0
        });
        Mix::Sure(accepts)
    }
}
