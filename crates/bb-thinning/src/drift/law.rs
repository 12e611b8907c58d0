//! The law of the ball at hand, under a drift.

use bb_core::Ranked;

use super::clock::Borders;
use crate::realizability::Rejections;

/// The classes that a ball meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Classes {
    /// The numbers of low, middle and very high bins.
    pub(super) sizes: [u64; 3],
    /// The sum of the intensities of all bins.
    pub(super) rate: f64,
}

impl Classes {
    /// Before the first ball.
    pub(super) const NONE: Self = Self { sizes: [0; 3], rate: 0.0 };

    /// The classes between these borders.
    #[inline]
    pub(super) fn new<B: Ranked>(bins: &B, borders: Borders, intensities: &[f64; 3]) -> Self {
        let sizes = borders.sizes(bins);
        // Sizes sum to at most 2^62; from a signed number the conversion is one instruction.
        let rate = sizes.iter().zip(intensities).map(|(&size, intensity)| size as i64 as f64 * intensity).sum();
        Self { sizes, rate }
    }

    /// The law of a ball, or `None` if no two-thinning has it. Intensities do not increase from class to
    /// class, and some class has bins.
    #[inline]
    pub(super) fn law(&self, intensities: &[f64; 3], rejections: &Rejections<f64>) -> Option<Law> {
        let scale = self.sizes.iter().sum::<u64>() as i64 as f64 / self.rate;
        let [first, middle, last] = intensities.map(|intensity| intensity * scale);
        let [low, middling, very_high] = self.sizes.map(|size| size > 0);
        let likeliest = if low {
            first
        } else if middling {
            middle
        } else {
            last
        };
        let least_likely = if very_high {
            last
        } else if middling {
            middle
        } else {
            first
        };
        if likeliest - least_likely > 1.0 + SLACK {
            return None;
        }
        let c = match rejections {
            Rejections::Fewest => (likeliest - 1.0).max(0.0),
            Rejections::Most => least_likely.min(1.0),
            Rejections::Given(c) => *c,
        };
        Some(Law { scale, c })
    }
}

/// The law of the ball at hand, as accept probabilities `a = λ·n/Λ − c` of the bins with intensity `λ`, where
/// `Λ` is the sum of all intensities and `c` the probability of a rejection.
///
/// What [`accept_probabilities_of_intensities`](crate::accept_probabilities_of_intensities) says, to the last
/// bit, in the few operations that are needed for every ball; a test holds them together. It is cheaper to
/// make for every ball than to keep while no bin changes its class: whether one did is a coin flip to the
/// processor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Law {
    scale: f64,
    c: f64,
}

/// Rounding that differences are allowed, as in `realizability`.
const SLACK: f64 = 8.0 * f64::EPSILON;

impl Law {
    /// Accepts every bin.
    pub(super) const ALL: Self = Self { scale: 0.0, c: -1.0 };

    /// The accept probability of bins with this intensity; not for a class without bins.
    #[inline]
    pub(super) fn accept(self, intensity: f64) -> f64 {
        // Only rounding puts it outside.
        (intensity * self.scale - self.c).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::realizability::accept_probabilities_of_intensities;

    /// Equal to what realizability says, and realisable where it says so: random sizes, classes without bins,
    /// all ways to reject.
    #[test]
    fn a_law_is_what_realizability_says() {
        let mut rng = bb_core::rng_for_trial(1, 0);
        let (mut realised, mut refused) = (0, 0);
        for intensities in [[1.2, 0.8, 0.6], [4.0 / 3.0, 2.0 / 3.0, 0.0], [1.3, 0.9, 0.3], [1.1, 1.0, 0.2]] {
            for _ in 0..3000 {
                let n = 1 << bb_core::draw_below(40, &mut rng);
                let mut sizes =
                    [0; 3].map(|_: u64| bb_core::draw_below(n, &mut rng) * bb_core::draw_below(2, &mut rng));
                if intensities[2] == 0.0 {
                    sizes[2] = 0; // Two classes.
                }
                if sizes == [0; 3] {
                    sizes[1] = 1;
                }
                let rate = sizes.iter().zip(intensities).map(|(&size, intensity)| size as f64 * intensity).sum();
                for rejections in [Rejections::Fewest, Rejections::Most, Rejections::Given(0.5)] {
                    let found = Classes { sizes, rate }.law(&intensities, &rejections);
                    let oracle = accept_probabilities_of_intensities(sizes, &intensities, &rejections);
                    match oracle {
                        Ok(oracle) => {
                            let law = found.expect("the law is realisable");
                            for class in (0..3).filter(|&class| sizes[class] > 0) {
                                assert_eq!(law.accept(intensities[class]), oracle[class], "{sizes:?}");
                            }
                            realised += 1;
                        }
                        // Which c a state has is no question for a law: a drift takes only one that all have.
                        Err(crate::RealizeError::Rejections { .. }) => {}
                        Err(_) => {
                            assert_eq!(found, None, "{sizes:?}");
                            refused += 1;
                        }
                    }
                }
            }
        }
        assert!(realised > 10_000 && refused > 1000, "{realised}, {refused}");
    }
}
