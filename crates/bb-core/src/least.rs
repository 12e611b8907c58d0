//! The least loaded of some samples: [`least_of`].

use core::hint::select_unpredictable;

use rand::Rng;

use crate::bins::{Bins, BinsExt};
use crate::decision::Decision;
use crate::mix::Mix;

/// Draws `d` uniform bins and returns the least loaded, the first of these on a tie.
///
/// `d` is a number, or a coin between two numbers: then the larger number of bins is drawn, and the first so
/// many of them count as the coin says. `d = 0` is read as 1.
///
/// *Randomness:* the coin, if there is one; then the draws of [`BinsExt::draw_each`]. No coin for ties: among
/// independent uniform samples the first of the tied ones is a fair choice already.
///
/// # Examples
///
/// ```
/// use bb_core::{Coin, LoadVector, Mix, least_of, rng_for_trial};
///
/// let loads = LoadVector::from_loads(vec![5_u64, 0, 5, 5])?;
/// let mut rng = rng_for_trial(1, 0);
/// assert_eq!(least_of(&loads, 40, &mut rng), 1);
/// let always_one = Mix::Coin { coin: Coin::new("p", 0.0)?, heads: 40, tails: 1 };
/// assert!((0..100).any(|_| least_of(&loads, always_one, &mut rng) != 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[inline]
pub fn least_of<B: Bins + ?Sized, R: Rng + ?Sized>(bins: &B, d: impl Into<Mix<u32>>, rng: &mut R) -> B::Bin {
    let d = d.into();
    let (drawn, used) = d.drawn_and_used(rng);
    match drawn {
        0 | 1 => bins.draw(rng),
        2 => {
            let [first, second] = bins.draw_pair(rng);
            // Compared with itself, the first wins.
            bins.lighter(first, select_unpredictable(used < 2, first, second))
        }
        _ => decide_least_of(bins, drawn, used, rng).bin,
    }
}

/// Draws like [`least_of`], from the same words, and tells which sample was taken.
///
/// # Examples
///
/// ```
/// use bb_core::{LoadVector, decide_by_least, least_of, rng_for_trial};
///
/// let loads = LoadVector::from_loads(vec![2_u64, 1, 2])?;
/// let decision = decide_by_least(&loads, 3, &mut rng_for_trial(1, 0));
/// assert_eq!(decision.bin, least_of(&loads, 3, &mut rng_for_trial(1, 0)));
/// # Ok::<(), bb_core::LoadsError>(())
/// ```
pub fn decide_by_least<B, R>(bins: &B, d: impl Into<Mix<u32>>, rng: &mut R) -> Decision<B::Bin>
where
    B: Bins + ?Sized,
    R: Rng + ?Sized,
{
    let (drawn, used) = d.into().drawn_and_used(rng);
    decide_least_of(bins, drawn, used, rng)
}

/// The first least loaded of the first `used` of `drawn` bins.
#[inline]
fn decide_least_of<B, R>(bins: &B, drawn: u32, used: u32, rng: &mut R) -> Decision<B::Bin>
where
    B: Bins + ?Sized,
    R: Rng + ?Sized,
{
    let mut sample = 0;
    let mut decision = None;
    bins.draw_each(drawn.max(1), rng, |bin| {
        sample += 1;
        decision = match decision {
            None => Some(Decision::first(bin)),
            Some(kept) if sample <= used && bins.load(bin) < bins.load(kept.bin) => {
                Some(Decision { bin, sample, ..kept })
            }
            kept => kept,
        };
    });
    decision.unwrap_or_else(|| Decision::first(bins.nth(0))) // There is always a sample.
}
