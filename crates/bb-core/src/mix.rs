//! An outcome, or a coin between two: [`Mix`].

use rand::Rng;
use rand::distr::Distribution;

use bb_samplers::Binomial;
use bb_samplers::Coin;

/// An outcome, or a coin between two.
///
/// # Examples
///
/// ```
/// use bb_core::{Coin, Mix, rng_for_trial};
///
/// let mix = Mix::Coin { coin: Coin::new("p", 1.0)?, heads: 'h', tails: 't' };
/// assert_eq!(mix.resolve(&mut rng_for_trial(1, 0)), 'h');
/// # Ok::<(), bb_core::ParameterError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mix<T> {
    /// One outcome.
    Sure(T),
    /// A coin decides.
    Coin {
        /// The coin.
        coin: Coin,
        /// The outcome on heads.
        heads: T,
        /// The outcome on tails.
        tails: T,
    },
}

/// What is sure.
impl<T> From<T> for Mix<T> {
    fn from(outcome: T) -> Self {
        Self::Sure(outcome)
    }
}

impl<T> Mix<T> {
    /// Flips the coin, if there is one: one word then, none else.
    #[inline]
    pub fn resolve<R: Rng + ?Sized>(self, rng: &mut R) -> T {
        match self {
            Self::Sure(outcome) => outcome,
            Self::Coin { coin, heads, tails } => coin.pick(heads, tails, rng),
        }
    }

    /// Changes each outcome, and keeps the coin.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_core::Mix;
    ///
    /// assert_eq!(Mix::Sure(3).map(|samples| samples - 1), Mix::Sure(2));
    /// ```
    #[inline]
    pub fn map<U>(self, change: impl Fn(T) -> U) -> Mix<U> {
        match self {
            Self::Sure(outcome) => Mix::Sure(change(outcome)),
            Self::Coin { coin, heads, tails } => Mix::Coin { coin, heads: change(heads), tails: change(tails) },
        }
    }

    /// Splits a number of balls, at most `2^62`, that flip the coin each: a binomial draw if there is a coin,
    /// no word else. `part` gets what is not zero.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_core::{Coin, Mix, rng_for_trial};
    ///
    /// let mix = Mix::Coin { coin: Coin::new("p", 0.5)?, heads: "heads", tails: "tails" };
    /// let mut sum = 0;
    /// mix.split(1 << 40, &mut rng_for_trial(1, 0), |_, balls| sum += balls);
    /// assert_eq!(sum, 1 << 40);
    /// # Ok::<(), bb_core::ParameterError>(())
    /// ```
    #[inline]
    pub fn split<R: Rng + ?Sized>(self, balls: u64, rng: &mut R, mut part: impl FnMut(T, u64)) {
        match self {
            Self::Sure(outcome) => part(outcome, balls),
            Self::Coin { coin, heads, tails } => {
                let on_heads = Binomial::unchecked(balls, coin.probability()).sample(rng);
                if on_heads > 0 {
                    part(heads, on_heads);
                }
                if on_heads < balls {
                    part(tails, balls - on_heads);
                }
            }
        }
    }
}

impl Mix<u32> {
    /// Returns the expected number.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_core::{Coin, Mix};
    ///
    /// assert_eq!(Mix::Coin { coin: Coin::FAIR, heads: 2, tails: 1 }.mean(), 1.5);
    /// ```
    #[must_use]
    pub fn mean(self) -> f64 {
        match self {
            Self::Sure(number) => f64::from(number),
            Self::Coin { coin, heads, tails } => {
                f64::from(tails) + coin.probability() * (f64::from(heads) - f64::from(tails))
            }
        }
    }

    /// Flips the coin, and returns how many samples to draw, the same for every ball, and how many of them
    /// count.
    #[inline]
    pub(crate) fn drawn_and_used<R: Rng + ?Sized>(self, rng: &mut R) -> (u32, u32) {
        match self {
            Self::Sure(d) => (d, d),
            Self::Coin { coin, heads, tails } => (heads.max(tails), coin.pick(heads, tails, rng)),
        }
    }
}
