use bb_core::{Description, Judgement, Mix, ParameterError, SampleCount};

use super::above_mean::AboveMean;
use crate::described::allocator_by_description;

/// k-Threshold: two bins are each asked between which of the thresholds `W/n + c_1 < … < W/n + c_k` their
/// load lies, and the one in the lower class takes the ball.
///
/// `k` answers of a bit from each of two bins, and no load. A bin at a threshold is not below it. One
/// threshold is [`RelativeThreshold`](crate::RelativeThreshold), in law.
///
/// *Randomness:* the two draws of [`BinsExt::draw_pair`](bb_core::BinsExt::draw_pair). *Ties:* of bins in one
/// class the first sample, a fair choice. *Accuracy:* the comparisons are exact, for every `f64`. *Cost:*
/// `O(1)` a ball, for `k ≤ 16`.
///
/// # Guarantees
///
/// With the best `k` questions about ranks instead of loads the gap is `O(k (ln n)^(1/k))` for all `m` and
/// `k = O(ln ln n)` (Los and Sauerwald, arXiv 2107.03916, who study both kinds of questions).
///
/// # Examples
///
/// ```
/// use bb_processes::KThreshold;
/// use bb_processes::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
///
/// let mut rule = KThreshold::new(&[0.0, 2.0])?;
/// assert_eq!(rule.offsets().collect::<Vec<_>>(), [0.0, 2.0]);
/// let mut loads = LoadVector::new(1000)?;
/// rule.run(&mut loads, 100_000, &mut rng_for_trial(1, 0));
/// assert!((2.0..6.0).contains(&loads.gap()), "{}", loads.gap());
///
/// let error = KThreshold::new(&[2.0, 0.0]).unwrap_err();
/// assert_eq!(error.to_string(), "offsets = 2.0/0.0 is outside 1 to 16 finite numbers, increasing");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KThreshold {
    /// The first `k` of them count.
    thresholds: [AboveMean; MOST],
    k: usize,
}

/// Most thresholds; more than `ln ln n` are of no use.
const MOST: usize = 16;

impl KThreshold {
    /// Returns the rule with thresholds at these offsets from the mean: 1 to 16 finite numbers, increasing.
    /// They may be negative.
    ///
    /// # Errors
    ///
    /// If there are none or more than 16, or if they are not finite or do not increase.
    pub fn new(offsets: &[f64]) -> Result<Self, ParameterError> {
        let increase = offsets.windows(2).all(|pair| pair[0] < pair[1]);
        if !(1..=MOST).contains(&offsets.len()) || !increase || !offsets.iter().all(|offset| offset.is_finite()) {
            let given: Vec<String> = offsets.iter().map(|offset| format!("{offset:?}")).collect();
            return Err(ParameterError::new("offsets", given.join("/"), "1 to 16 finite numbers, increasing"));
        }
        let mut thresholds = [AboveMean(0.0); MOST];
        thresholds.iter_mut().zip(offsets).for_each(|(threshold, &offset)| *threshold = AboveMean(offset));
        Ok(Self { thresholds, k: offsets.len() })
    }

    /// Returns the offsets from the mean.
    #[must_use]
    pub fn offsets(&self) -> impl ExactSizeIterator<Item = f64> + '_ {
        self.thresholds[..self.k].iter().map(|threshold| threshold.0)
    }
}

/// How many thresholds the load is not below.
#[inline]
fn class(levels: &[u64; MOST], load: u64) -> usize {
    levels.iter().filter(|&&level| load >= level).count()
}

impl Description for KThreshold {
    /// Whether this is the second sample.
    type State = bool;
    /// For each threshold the smallest load not below it; no load is as large as those beyond `k`.
    type Phase = [u64; MOST];

    fn most_samples(&self) -> u32 {
        2
    }
    fn phase(&self, total: u64, bins: u64) -> ([u64; MOST], u64) {
        let (mut levels, mut first) = ([u64::MAX; MOST], u64::MAX);
        for (level, threshold) in levels.iter_mut().zip(&self.thresholds[..self.k]) {
            let (now, until) = threshold.level(total, bins);
            (*level, first) = (now, first.min(until));
        }
        (levels, first)
    }
    #[inline]
    fn first(&self, _: &[u64; MOST]) -> Mix<bool> {
        Mix::Sure(false)
    }
    #[inline]
    fn judge(&self, levels: &[u64; MOST], second: bool, kept: u64, load: u64) -> Mix<Judgement<bool>> {
        let keep = !second || class(levels, load) < class(levels, kept);
        Mix::Sure(Judgement { keep, go: (!second).then_some(true) })
    }
}

allocator_by_description!(KThreshold, samples: |_: &Self| Some(SampleCount::PerBall(2.0)));
