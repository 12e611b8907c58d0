use bb_core::{Description, Judgement, Mix, ParameterError, SampleCount};

use crate::described::allocator_by_description;

/// Unfair: each ball goes to the *fullest* of `d` uniform bins. It shows how far a rule can go wrong.
///
/// `d = 1` is One-Choice in law. The name is that of arXiv 2603.20060, which we have not seen; what is said
/// here follows from the rule.
///
/// *Randomness:* the `d` draws of [`BinsExt::draw_each`](bb_core::BinsExt::draw_each). *Ties:* the first of
/// the fullest samples; they are exchangeable, so this is fair. *Cost:* `O(d)` per ball.
///
/// # Guarantees
///
/// One of the `k` fullest bins receives with probability `1 − (1 − k/n)^d`, so the loads majorize those of
/// One-Choice. A bin that is alone in front receives each ball with probability `1 − (1 − 1/n)^d`, about
/// `d/n`: the gap grows in proportion to `m`, like `(d − 1)·m/n`, where that of One-Choice grows like `√m`.
///
/// # Examples
///
/// ```
/// use bb_processes::Unfair;
/// use bb_processes::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
///
/// let mut loads = LoadVector::new(100)?;
/// Unfair::new(2)?.run(&mut loads, 1_000_000, &mut rng_for_trial(1, 0));
/// let expected = 1_000_000.0 * (1.0 - 0.99_f64.powi(2) - 0.01);
/// assert!((loads.gap() / expected - 1.0).abs() < 0.1, "{} balls above the mean", loads.gap());
/// assert_eq!(Unfair::new(0).unwrap_err().to_string(), "d = 0 is outside 1..=2^16");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Unfair {
    d: u32,
}

impl Unfair {
    /// Returns the rule with `d` samples, 1 to `2^16`: all of them are kept until the ball is placed.
    ///
    /// # Errors
    ///
    /// If `d` is outside `1..=2^16`.
    pub fn new(d: u32) -> Result<Self, ParameterError> {
        ParameterError::require((1..=1 << 16).contains(&d), "d", d, "1..=2^16")?;
        Ok(Self { d })
    }

    /// Returns the number of samples.
    #[must_use]
    pub fn d(&self) -> u32 {
        self.d
    }
}

impl Description for Unfair {
    /// Samples after this one.
    type State = u32;
    type Phase = ();

    fn most_samples(&self) -> u32 {
        self.d
    }
    fn phase(&self, _: u64, _: u64) -> ((), u64) {
        ((), u64::MAX)
    }
    fn first(&self, (): &()) -> Mix<u32> {
        Mix::Sure(self.d - 1)
    }
    #[inline]
    fn judge(&self, (): &(), left: u32, kept: u64, load: u64) -> Mix<Judgement<u32>> {
        // No sample is kept yet where `kept` is `u64::MAX`.
        Mix::Sure(Judgement { keep: kept == u64::MAX || load > kept, go: left.checked_sub(1) })
    }
}

allocator_by_description!(Unfair, samples: |rule: &Self| Some(SampleCount::PerBall(f64::from(rule.d))));
