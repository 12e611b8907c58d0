use bb_core::{Mix, ParameterError};

use crate::described::allocator_by_least_of;
use crate::distinct_choice::DistinctChoice;

/// d-Choice, also called Greedy\[d\]: each ball goes to the least loaded of `d` uniform bins.
///
/// Two-Choice is `d = 2`. The samples are independent, as Azar et al. define it; `d = 1` is One-Choice, draw
/// for draw. For distinct samples see [`DistinctChoice`].
///
/// *Randomness:* the `d` draws of [`BinsExt::draw_each`](bb_core::BinsExt::draw_each) and nothing else.
/// *Ties:* the first of the least loaded samples. The samples are exchangeable, so this is a fair choice; the
/// law of the loads does not depend on it. *Cost:* `O(d)` a ball.
///
/// # Guarantees
///
/// - `m = n`: maximum load `ln ln n/ln d + Θ(1)` with high probability, `d ≥ 2` (Azar, Broder, Karlin and
///   Upfal, SIAM J. Comput. 29, 1999).
/// - All `m`: gap `ln ln n/ln d + O(1)` with probability `1 − 1/poly(n)` (Berenbrink, Czumaj, Steger and
///   Vöcking, SIAM J. Comput. 35, 2006); a short proof of a slightly weaker form by Talwar and Wieder (arXiv
///   1310.5367).
///
/// The additive constants are not known. Measured at large `m`, the Two-Choice gap is 2 or 3 for `n` from 10³
/// to 10⁶.
///
/// # Examples
///
/// ```
/// use bb_processes::DChoice;
/// use bb_processes::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
///
/// let mut loads = LoadVector::new(100)?;
/// DChoice::two().run(&mut loads, 100_000, &mut rng_for_trial(1, 0));
/// assert!(loads.gap() < 3.0);
///
/// assert_eq!(DChoice::new(3)?.d(), 3);
/// assert_eq!(DChoice::new(0).unwrap_err().to_string(), "d = 0 is outside 1..");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DChoice {
    d: u32,
}

impl DChoice {
    /// Returns Two-Choice.
    #[must_use]
    pub const fn two() -> Self {
        Self { d: 2 }
    }

    /// Returns d-Choice with `d ≥ 1` independent samples.
    ///
    /// # Errors
    ///
    /// If `d` is 0.
    pub fn new(d: u32) -> Result<Self, ParameterError> {
        if d == 0 { Err(ParameterError::new("d", d, "1..")) } else { Ok(Self { d }) }
    }

    /// Returns d-Choice with `d ≥ 1` distinct samples, which is a type of its own: [`DistinctChoice::new`],
    /// whose example shows it.
    ///
    /// # Errors
    ///
    /// If `d` is 0.
    pub fn without_replacement(d: u32) -> Result<DistinctChoice, ParameterError> {
        DistinctChoice::new(d)
    }

    /// Returns the number of samples.
    #[must_use]
    pub fn d(&self) -> u32 {
        self.d
    }

    fn samples(&self) -> Mix<u32> {
        Mix::Sure(self.d)
    }
}

allocator_by_least_of!(DChoice, described, in_bulk: |rule| Some(rule.d));
