//! One generator per trial.

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

/// The default generator, `rand_pcg`'s 128-bit MCG with the XSL-RR output, called `Pcg64Mcg` there.
///
/// It is small, portable and fast, and its output is fixed by its definition. Every function of these
/// crates takes any [`Rng`](rand::Rng) in its place.
///
/// # Examples
///
/// ```
/// use bb_core::{Rng, TrialRng, rng_for_trial};
///
/// let mut rng: TrialRng = rng_for_trial(1, 0);
/// assert_eq!(rng.next_u64(), rng_for_trial(1, 0).next_u64());
/// ```
pub type TrialRng = rand_pcg::Pcg64Mcg;

/// The name under which results report [`TrialRng`].
///
/// # Examples
///
/// ```
/// assert_eq!(bb_core::TRIAL_RNG_NAME, "Pcg64Mcg");
/// ```
pub const TRIAL_RNG_NAME: &str = "Pcg64Mcg";

/// Returns the generator of one trial: its 128-bit state is a hash of `(seed, trial)`.
///
/// The hash is the first 16 bytes of the ChaCha8 stream whose key is `seed`, then `trial` (little-endian),
/// then a fixed text. Sums such as `seed + trial` would let neighbouring seeds share nearly all their trials,
/// and the stream numbers of PCG give correlated streams.
///
/// The value is stable: it is the same on every machine, and changing it would be a breaking change.
///
/// # Examples
///
/// ```
/// use bb_core::{Rng, rng_for_trial};
///
/// assert_eq!(rng_for_trial(1, 0).next_u64(), 15_239_986_794_694_956_047);
/// assert_ne!(rng_for_trial(1, 1), rng_for_trial(2, 0));
/// ```
#[must_use]
pub fn rng_for_trial(seed: u64, trial: u64) -> TrialRng {
    let mut key = *b"................bb, trial stream";
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..16].copy_from_slice(&trial.to_le_bytes());
    TrialRng::from_rng(&mut ChaCha8Rng::from_seed(key))
}
