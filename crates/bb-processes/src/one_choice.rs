use bb_core::{Description, Judgement, Mix};

use crate::described::allocator_by_least_of;

/// One-Choice: each ball goes to a uniform bin.
///
/// The loads are multinomial; each is `Bin(m, 1/n)`. It is what hashing into buckets does, and what every
/// other rule is measured against.
///
/// *Randomness:* one uniform draw a ball. *Ties:* none. *Cost:* `O(1)` a ball, no memory.
///
/// # Guarantees
///
/// - `m = n`: maximum load `(1 + o(1)) ln n/ln ln n` with high probability (Azar, Broder, Karlin and Upfal,
///   SIAM J. Comput. 29, 1999); its mean is `Γ⁻¹(n) − 3/2 + o(1)` (Gonnet, J. ACM 28, 1981).
/// - `m ≥ n ln n`: gap `Θ(√(m ln n/n))`; sharp forms for every range in Raab and Steger, RANDOM 1998.
///
/// # Examples
///
/// ```
/// use bb_processes::OneChoice;
/// use bb_processes::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
///
/// let mut loads = LoadVector::new(100)?;
/// OneChoice.run(&mut loads, 100_000, &mut rng_for_trial(1, 0));
/// assert!((50.0..130.0).contains(&loads.gap()), "the mean is near 80: {}", loads.gap());
/// # Ok::<(), bb_core::LoadsError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct OneChoice;

impl OneChoice {
    fn samples(self) -> Mix<u32> {
        Mix::Sure(1)
    }
}

allocator_by_least_of!(OneChoice);

impl Description for OneChoice {
    type State = ();
    type Phase = ();

    fn most_samples(&self) -> u32 {
        1
    }
    fn phase(&self, _: u64, _: u64) -> ((), u64) {
        ((), u64::MAX)
    }
    fn first(&self, (): &()) -> Mix<()> {
        Mix::Sure(())
    }
    fn judge(&self, (): &(), (): (), _: u64, _: u64) -> Mix<Judgement<()>> {
        Mix::Sure(Judgement { keep: true, go: None })
    }
}
