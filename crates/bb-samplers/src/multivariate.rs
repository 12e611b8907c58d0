//! A draw without replacement, split over many kinds.

use rand::Rng;
use rand::distr::Distribution;

use crate::error::{SamplerError, at_most, checked_total};
use crate::hypergeometric::Hypergeometric;

/// Draws `draws` balls without replacement from an urn with `counts[i]` balls of kind i, and reports how many
/// of each kind.
///
/// `P(x) = Π C(counts[i], x[i]) / C(total, draws)`. The kinds are taken in order,
/// each a [`Hypergeometric`] draw from what remains, all in integers; the chain
/// stops when no draw is left. `take(i, x)` is called in order of i, for `x > 0` only.
///
/// *Randomness:* that of one [`Hypergeometric`] for each kind until the draws are
/// used up; none for empty kinds and for a last kind.
///
/// *Guarantees:* the parts sum to `draws`, and no part exceeds its count. Total
/// variation error at most 1e-11 for each kind that is drawn from
/// ([derivation](crate#accuracy)).
///
/// # Complexity
///
/// One pass to sum the counts, then O(1) a kind until the draws are used up; no
/// allocation. Put the likely kinds first to stop early.
///
/// # Errors
///
/// [`SamplerError::Count`] if the counts sum to more than
/// [`MAX_POPULATION`](crate::MAX_POPULATION) or `draws` exceeds their sum; nothing is
/// drawn then.
///
/// # Examples
///
/// ```
/// use bb_samplers::multivariate_hypergeometric;
/// use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};
///
/// let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
/// let mut urn = [1 << 60, 5, 1 << 40];
/// let mut drawn = 0;
/// multivariate_hypergeometric(&urn.clone(), 1000, &mut rng, |kind, part| {
///     urn[kind] -= part;
///     drawn += part;
/// })?;
/// assert_eq!(drawn, 1000);
/// # Ok::<(), bb_samplers::SamplerError>(())
/// ```
#[inline]
pub fn multivariate_hypergeometric<R: Rng + ?Sized>(
    counts: &[u64],
    draws: u64,
    rng: &mut R,
    mut take: impl FnMut(usize, u64),
) -> Result<(), SamplerError> {
    let mut remaining = checked_total("sum of counts", counts)?;
    at_most("draws", draws, remaining)?;
    let mut left = draws;
    for (kind, &count) in counts.iter().enumerate() {
        if left == 0 {
            break;
        }
        let part = Hypergeometric::unchecked(remaining, count, left).sample(rng);
        remaining -= count;
        left -= part;
        if part > 0 {
            take(kind, part);
        }
    }
    Ok(())
}

/// Does the same as [`multivariate_hypergeometric`] and writes every part, zeros included, to `out`.
///
/// Law, randomness, guarantees and complexity are the same.
///
/// # Errors
///
/// Those of [`multivariate_hypergeometric`], and [`SamplerError::Length`] if `out`
/// and `counts` differ in length; `out` is unchanged then.
///
/// # Examples
///
/// ```
/// use bb_samplers::multivariate_hypergeometric_into;
/// use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};
///
/// let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
/// let mut hand = [0; 4];
/// multivariate_hypergeometric_into(&[13; 4], 5, &mut rng, &mut hand)?;
/// assert_eq!(hand.iter().sum::<u64>(), 5);
/// # Ok::<(), bb_samplers::SamplerError>(())
/// ```
pub fn multivariate_hypergeometric_into<R: Rng + ?Sized>(
    counts: &[u64],
    draws: u64,
    rng: &mut R,
    out: &mut [u64],
) -> Result<(), SamplerError> {
    if out.len() != counts.len() {
        return Err(SamplerError::Length { len: out.len(), expected: counts.len() });
    }
    at_most("draws", draws, checked_total("sum of counts", counts)?)?;
    out.fill(0);
    multivariate_hypergeometric(counts, draws, rng, |kind, part| out[kind] = part)
}
