use core::convert::Infallible;

use bb_core::rand::TryRng;

/// What the random words of a ball are for. Each purpose has a stream of its own.
///
/// # Examples
///
/// [`BallStream`] has an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Purpose {
    /// The samples.
    Samples,
    /// The coin of the decision.
    Coin,
    /// What the advisor draws before the samples.
    Advice,
    /// What a machine draws for its next state.
    Transition,
}

/// The random words of one ball for one purpose: word `k` is a hash of (key, purpose, k).
///
/// Each ball takes one word from the caller's generator, its *key*. So no stream has a position that could
/// tell how much was drawn for another purpose, and rules on the same generator see the same samples and
/// coins, ball by ball, whatever they draw.
///
/// The hash is the finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) on the key plus a constant of
/// the purpose, then on that plus a multiple of the golden ratio. It is a bijection of the key for each
/// purpose and `k`, so the first word of each purpose is exactly uniform where the key is.
///
/// # Examples
///
/// ```
/// use bb_memory::bb_core::Rng;
/// use bb_memory::{BallStream, Purpose};
///
/// let mut samples = BallStream::new(7, Purpose::Samples);
/// let mut coin = BallStream::new(7, Purpose::Coin);
/// assert_ne!(samples.next_u64(), coin.next_u64());
/// assert_ne!(samples.next_u64(), samples.next_u64());
/// assert_eq!(coin, { let mut again = BallStream::new(7, Purpose::Coin); again.next_u64(); again });
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BallStream {
    base: u64,
    word: u64,
}

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finaliser of SplitMix64, in the variant 13 of Stafford.
#[inline]
const fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

impl BallStream {
    /// Returns the stream of a key and a purpose.
    #[must_use]
    #[inline]
    pub const fn new(key: u64, purpose: Purpose) -> Self {
        // Digits of π, one word for each purpose.
        let constant: u64 = match purpose {
            Purpose::Samples => 0x243f_6a88_85a3_08d3,
            Purpose::Coin => 0x1319_8a2e_0370_7344,
            Purpose::Advice => 0xa409_3822_299f_31d0,
            Purpose::Transition => 0x082e_fa98_ec4e_6c89,
        };
        Self { base: mix(key.wrapping_add(constant)), word: 0 }
    }
}

impl TryRng for BallStream {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok((self.try_next_u64()? >> 32) as u32)
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.word = self.word.wrapping_add(GOLDEN);
        Ok(mix(self.base.wrapping_add(self.word)))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for chunk in bytes.chunks_mut(8) {
            let word = self.try_next_u64()?.to_le_bytes();
            chunk.copy_from_slice(&word[..chunk.len()]);
        }
        Ok(())
    }
}
