use bb_core::{Description, Judgement, Mix, ParameterError};

use crate::described::allocator_by_description;

/// Thinning by load: bins are sampled one after another, and the first whose load is below a level takes the
/// ball; the last sample must be taken.
///
/// With `d = 2` samples this is the ℓ-threshold strategy on *loads* (the strategies of Feldheim and
/// Gurel-Gurevich count accepted samples instead).
///
/// *Randomness:* the `d` draws of [`BinsExt::draw_each`](bb_core::BinsExt::draw_each), all of them whether
/// used or not. *Ties:* none. *Cost:* `O(d)` a ball.
///
/// # Guarantees
///
/// In the limit of many bins a level `k` receives at rate `p_k (1 + h)` below `ℓ` and `p_k h` from `ℓ` on for
/// `d = 2`, where `p_k` is the fraction of bins with load `k` and `h` that of bins with load at least `ℓ`. No
/// strategy that answers one question about one bin keeps the gap bounded in `m` by a fixed level: once all
/// bins have reached `ℓ` this is One-Choice.
///
/// # Examples
///
/// ```
/// use bb_processes::LoadThreshold;
/// use bb_processes::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
///
/// let mut rule = LoadThreshold::new(1)?.with_d(3)?;
/// assert_eq!((rule.level(), rule.d()), (1, 3));
/// let mut loads = LoadVector::new(10_000)?;
/// rule.run(&mut loads, 10_000, &mut rng_for_trial(1, 0));
/// // Fewer bins stay empty than under two samples (0.238) and one (0.368).
/// assert!(loads.empty_bins() < 2_000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LoadThreshold {
    level: u64,
    d: u32,
}

impl LoadThreshold {
    /// Returns the rule with two samples that accepts loads below `level ≥ 1`.
    ///
    /// # Errors
    ///
    /// If `level` is 0, which accepts nothing.
    pub fn new(level: u64) -> Result<Self, ParameterError> {
        if level == 0 { Err(ParameterError::new("l", level, "1..")) } else { Ok(Self { level, d: 2 }) }
    }

    /// Allows `d` samples, from 1 to `2^16`.
    ///
    /// All samples of a ball are drawn, whether used or not, and kept until it is placed: hence the upper
    /// end.
    ///
    /// # Errors
    ///
    /// If `d` is outside `1..=2^16`.
    pub fn with_d(self, d: u32) -> Result<Self, ParameterError> {
        if (1..=1 << 16).contains(&d) { Ok(Self { d, ..self }) } else { Err(ParameterError::new("d", d, "1..=2^16")) }
    }

    /// Returns the level below which a load is accepted.
    #[must_use]
    pub fn level(&self) -> u64 {
        self.level
    }

    /// Returns the number of samples.
    #[must_use]
    pub fn d(&self) -> u32 {
        self.d
    }
}

impl Description for LoadThreshold {
    /// SampleTally after this one.
    type State = u32;
    type Phase = ();

    fn most_samples(&self) -> u32 {
        self.d
    }
    fn phase(&self, _: u64, _: u64) -> ((), u64) {
        ((), u64::MAX)
    }
    #[inline]
    fn first(&self, (): &()) -> Mix<u32> {
        Mix::Sure(self.d - 1)
    }
    #[inline]
    fn judge(&self, (): &(), left: u32, _: u64, load: u64) -> Mix<Judgement<u32>> {
        let refuse = load >= self.level && left > 0;
        Mix::Sure(Judgement { keep: true, go: refuse.then(|| left - 1) })
    }
    fn is_thinning(&self) -> bool {
        true
    }
}

allocator_by_description!(LoadThreshold);
