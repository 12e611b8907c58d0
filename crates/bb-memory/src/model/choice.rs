use bb_core::{ParameterError, Rng, draw_below};

use crate::model::samples::Samples;

/// An exact probability: a multiple of `2^-32`, from 0 to 1.
///
/// # Examples
///
/// ```
/// use bb_memory::Odds;
///
/// assert_eq!(Odds::new(1 << 30)?.get(), 0.25);
/// assert_eq!((Odds::NEVER.numerator(), Odds::EVEN.get(), Odds::ALWAYS.numerator()), (0, 0.5, 1 << 32));
/// assert!(Odds::new((1 << 32) + 1).is_err());
/// # Ok::<(), bb_memory::bb_core::ParameterError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Odds(u64);

impl Odds {
    /// 0.
    pub const NEVER: Self = Self(0);
    /// 1/2.
    pub const EVEN: Self = Self(1 << 31);
    /// 1.
    pub const ALWAYS: Self = Self(1 << 32);

    /// Returns the probability `numerator/2^32`.
    ///
    /// # Errors
    ///
    /// If the numerator exceeds `2^32`.
    pub fn new(numerator: u64) -> Result<Self, ParameterError> {
        ParameterError::require(numerator <= 1 << 32, "numerator", numerator, "0..=2^32")?;
        Ok(Self(numerator))
    }

    /// Returns the numerator over `2^32`.
    #[must_use]
    pub const fn numerator(self) -> u64 {
        self.0
    }

    /// Returns the probability.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0 as f64 * 2_f64.powi(-32)
    }
}

/// What a [decider](crate::Decider) returns: with which probability each sample takes the ball.
///
/// It names samples by their place, so no decider can name a bin that was not drawn; a place beyond the last
/// sample counts as the last.
///
/// # Examples
///
/// ```
/// use bb_memory::{Choice, Odds};
///
/// assert_eq!(Choice::sure(1).weights(3), [0, 1 << 32, 0]);
/// assert_eq!(Choice::first_with(Odds::EVEN).weights(2), [1 << 31, 1 << 31]);
/// assert_eq!(Choice::weighted(&[1, 2, 1]).weights(3), [1, 2, 1]);
/// assert_eq!(Choice::sure(7).weights(2), [0, 1 << 32]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    kind: Kind,
    /// How many of the samples the state lists, for the report.
    listed: u8,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Sure(u32),
    First(Odds),
    Weighted(Vec<u32>),
}

impl Choice {
    /// Returns the choice that always takes the sample at a place, from 0; the last if there are fewer.
    #[must_use]
    #[inline]
    pub const fn sure(place: u32) -> Self {
        Self { kind: Kind::Sure(place), listed: 0 }
    }

    /// Returns the choice that takes the first sample with this probability, else the second.
    #[must_use]
    #[inline]
    pub const fn first_with(odds: Odds) -> Self {
        Self { kind: Kind::First(odds), listed: 0 }
    }

    /// Returns the choice that takes each sample with a probability proportional to its weight. Weights
    /// beyond the last sample do not count; if all that count are 0, the first sample takes the ball.
    #[must_use]
    pub fn weighted(weights: &[u32]) -> Self {
        Self { kind: Kind::Weighted(weights.to_vec()), listed: 0 }
    }

    /// Returns the choice of a tie between the first two samples.
    #[must_use]
    #[inline]
    pub(crate) fn tie(rule: TieRule, samples: Samples<'_>) -> Self {
        match rule {
            TieRule::First => Self::sure(0),
            TieRule::Left => Self::sure(u32::from(samples.second() < samples.first())),
            TieRule::Coin => Self::first_with(Odds::EVEN),
        }
    }

    /// Notes how many of the samples the state lists: it enters the [`MemoryReport`](crate::MemoryReport) and
    /// nothing else.
    #[must_use]
    #[inline]
    pub fn listing(self, samples: u8) -> Self {
        Self { listed: samples, kind: self.kind }
    }

    /// Returns how many of the samples the state was noted to list.
    #[must_use]
    #[inline]
    pub const fn listed(&self) -> u8 {
        self.listed
    }

    /// Returns the weight of each of `samples` samples: their probabilities are exactly proportional to
    /// these.
    #[must_use]
    pub fn weights(&self, samples: usize) -> Vec<u64> {
        let last = samples.max(1) - 1;
        let mut weights = vec![0; last + 1];
        match &self.kind {
            Kind::Sure(place) => weights[last.min(*place as usize)] = 1 << 32,
            Kind::First(odds) => {
                weights[0] += odds.0;
                weights[last.min(1)] += (1 << 32) - odds.0;
            }
            Kind::Weighted(given) => {
                weights.iter_mut().zip(given).for_each(|(weight, &given)| *weight = u64::from(given));
                if weights.iter().all(|&weight| weight == 0) {
                    weights[0] = 1 << 32;
                }
            }
        }
        weights
    }

    /// Flips the coin and tells which sample takes the ball. Exact.
    #[inline]
    pub(crate) fn resolve<R: Rng>(&self, samples: usize, coin: impl FnOnce() -> R) -> u32 {
        let last = samples.max(1) as u32 - 1;
        match &self.kind {
            Kind::Sure(place) => last.min(*place),
            Kind::First(odds) => last.min(u32::from(coin().next_u64() >> 32 >= odds.0)),
            Kind::Weighted(_) => {
                let weights = self.weights(samples);
                let mut left = draw_below(weights.iter().sum(), &mut coin());
                let place = weights.iter().position(|&weight| {
                    let taken = left < weight;
                    left = left.wrapping_sub(weight);
                    taken
                });
                place.map_or(0, |place| place as u32)
            }
        }
    }
}

/// Which of two samples takes the ball where the state does not tell them apart.
///
/// # Examples
///
/// ```
/// use bb_memory::TieRule;
///
/// assert_eq!(TieRule::default(), TieRule::First);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TieRule {
    /// The first sample.
    #[default]
    First,
    /// The bin of smaller number. Not a good rule for samples of which nothing is known: a bin on the left
    /// then gets up to twice its share.
    Left,
    /// A fair coin.
    Coin,
}

impl TieRule {
    pub(crate) fn to_word(self) -> u64 {
        self as u64
    }

    pub(crate) fn from_word(word: u64) -> Option<Self> {
        [Self::First, Self::Left, Self::Coin].into_iter().find(|rule| rule.to_word() == word)
    }
}
