use bb_core::{ParameterError, StartError};

use crate::error::{MemoryError, StateError};
use crate::model::{Advice, Advisor, Ball, BallStream, Loads, Notes, StateWriter, Token};

/// Epoch advice: another scheme's advisor, who may change the state only before every `q`-th ball.
///
/// So `M` bits are sent an epoch, `M ceil(m/q)` in all. `q = 1` is the scheme itself, and with `q ≥ m`
/// nothing but the first state is ever sent. *Class:* communication. *Cost:* that of the scheme, and
/// `O(M)` an epoch to write and read the state.
///
/// For comparison: full loads in batches of `n` balls lead to a gap of `Θ(log n/log log n)` (Los and
/// Sauerwald, J. ACM 70(6), 2023). The domination `load ≤ T + Greedy[2]` is not known to hold for old lists,
/// so a run is not certified unless `q = 1`.
///
/// # Examples
///
/// ```
/// use bb_memory::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
/// use bb_memory::{Bounded, Budget, EpochAdvice, HeavyList};
///
/// let n = 10_000;
/// let list = HeavyList::fill(n, Budget::bits(5000)?)?;
/// let mut rule = Bounded::new(EpochAdvice::new(100, list)?);
/// let mut loads = LoadVector::new(n)?;
/// rule.start_and_run(&mut loads, n, &mut rng_for_trial(1, 0))?;
/// assert!(rule.report().state_changes() <= 100 && loads.max_load() <= 6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct EpochAdvice<A> {
    period: u64,
    inner: A,
    /// Balls until the next epoch.
    left: u64,
    /// Whether the scheme has had something new since the last epoch.
    news: bool,
}

impl<A: Advisor> EpochAdvice<A> {
    /// Returns the scheme with a new state every `period` balls.
    ///
    /// # Errors
    ///
    /// If `period` is 0.
    pub fn new(period: u64, inner: A) -> Result<Self, MemoryError> {
        ParameterError::require(period > 0, "q", period, "1..")?;
        Ok(Self { period, inner, left: 0, news: true })
    }

    /// Returns the scheme inside.
    #[must_use]
    pub fn inner(&self) -> &A {
        &self.inner
    }
}

impl<A: Advisor> Advisor for EpochAdvice<A> {
    type Decider = A::Decider;
    type Failure = A::Failure;

    fn decider(&self) -> A::Decider {
        self.inner.decider()
    }
    fn begin(&mut self, loads: Loads<'_>) -> Result<(), StartError> {
        (self.left, self.news) = (0, true);
        self.inner.begin(loads)
    }

    fn advise(&mut self, loads: Loads<'_>, rng: &mut BallStream) -> Result<Advice, A::Failure> {
        self.news |= self.inner.advise(loads, rng)? == Advice::Changed;
        if self.left > 0 {
            return Ok(Advice::Unchanged);
        }
        Ok(Advice::take(&mut self.news))
    }

    fn write(&self, loads: Loads<'_>, writer: &mut StateWriter) -> Result<(), StateError> {
        self.inner.write(loads, writer)
    }

    fn placed(&mut self, loads: Loads<'_>, ball: Ball<'_>) {
        self.left = if self.left == 0 { self.period - 1 } else { self.left - 1 };
        self.inner.placed(loads, ball);
    }

    fn follows_removals(&self) -> bool {
        self.inner.follows_removals()
    }
    fn removed(&mut self, loads: Loads<'_>, bin: usize) -> Result<(), StateError> {
        self.inner.removed(loads, bin)
    }

    // Nothing is lent: what the inner scheme would lend is the present list, not that of the epoch.

    fn notes(&self, token: Token) -> Notes {
        let notes = self.inner.notes(token);
        Notes { certified: notes.certified && self.period == 1, computational: false, bits: None, ..notes }
    }
}
