//! The clock of a drift: when the next point comes.

use bb_core::{Ranked, Rng};

use super::exponential::exponential;
use crate::times::ceil_times;

/// A time, as whole number and fraction in `[0, 1]`, so that short steps are not lost in a long run. In units
/// of counts: a bin with count `c` is low iff `c` is below it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Time {
    whole: u64,
    fraction: f64,
}

/// Where the classes lie: the first count that is not low, and the first that is very high.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Borders {
    pub(super) high: u64,
    pub(super) very_high: u64,
}

/// The offset `ℓ` of the very high class, if there is one, as whole number and fraction in `[0, 1)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Offset {
    whole: u64,
    fraction: f64,
    real: f64,
}

impl Offset {
    /// `ℓ` in `(0, 2^53]`.
    pub(super) fn new(real: f64) -> Self {
        Self { whole: real.floor() as u64, fraction: real - real.floor(), real }
    }

    pub(super) fn real(self) -> f64 {
        self.real
    }
}

impl Borders {
    /// Before the first ball.
    pub(super) const NONE: Self = Self { high: 0, very_high: u64::MAX };

    /// The borders at the mean count, exactly.
    pub(super) fn at_mean<B: Ranked>(bins: &B, offset: Option<Offset>) -> Self {
        let (n, total) = (bins.bins(), bins.total());
        let very_high = offset.map_or(u64::MAX, |offset| {
            // c ≥ W/n + ℓ iff c·n − W, an integer, is at least ⌈n·ℓ⌉; neither term is negative.
            let least = (i128::from(total) + ceil_times(offset.real, n)) as u128;
            u64::try_from(least.div_ceil(n.into())).unwrap_or(u64::MAX)
        });
        Self { high: total.div_ceil(n), very_high }
    }

    /// The class of a count: 0 low, 1 middle, 2 very high.
    #[inline]
    pub(super) fn class(self, count: u64) -> usize {
        usize::from(count >= self.high) + usize::from(count >= self.very_high)
    }

    /// The sizes of the classes.
    #[inline]
    pub(super) fn sizes<B: Ranked>(self, bins: &B) -> [u64; 3] {
        let not_low = bins.at_least(self.high);
        let very_high = if self.very_high == u64::MAX { 0 } else { bins.at_least(self.very_high) };
        [bins.bins() - not_low, not_low - very_high, very_high]
    }
}

impl Time {
    /// Before a strategy begins.
    pub(super) const ZERO: Self = Self { whole: 0, fraction: 0.0 };

    /// The mean count: where a drift begins.
    pub(super) fn at_mean<B: Ranked>(bins: &B) -> Self {
        let (n, total) = (bins.bins(), bins.total());
        Self { whole: total / n, fraction: (total % n) as f64 / n as f64 }
    }

    /// The next point after this time, where `rate` tells the sum of the intensities of all bins between
    /// borders: `E ~ Exp(1)` is used up at that rate, which jumps where a bin becomes low, or is very high no
    /// longer.
    ///
    /// Returns the time, and the borders there, which are those that `rate` was last asked about. One word.
    // Always: without an offset most of it is known not to be.
    #[inline(always)]
    pub(super) fn next_point<R: Rng + ?Sized>(
        self,
        offset: Option<Offset>,
        rng: &mut R,
        mut rate: impl FnMut(Borders) -> f64,
    ) -> (Self, Borders) {
        let mut left = exponential(rng);
        let Self { mut whole, mut fraction } = self;
        if fraction >= 1.0 {
            (whole, fraction) = (whole + 1, 0.0);
        }
        loop {
            // In (whole, whole + 1] the counts up to `whole` are low. A fraction of ℓ puts the other border's
            // jump at 1 less that fraction.
            let jump = offset.map_or(1.0, |offset| 1.0 - offset.fraction);
            let (until, passed) = if fraction < jump { (jump, 0) } else { (1.0, 1) };
            let very_high =
                offset.map_or(u64::MAX, |offset| whole.saturating_add(offset.whole).saturating_add(1 + passed));
            let borders = Borders { high: whole + 1, very_high };
            let rate = rate(borders);
            let room = (until - fraction) * rate;
            if left <= room {
                fraction = (fraction + left / rate).min(until);
                return (Self { whole, fraction }, borders);
            }
            left -= room;
            (whole, fraction) = if until < 1.0 { (whole, until) } else { (whole + 1, 0.0) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bb_core::LoadProfile;

    #[test]
    fn borders_are_those_of_real_numbers() {
        let bins = LoadProfile::from_level_counts(&[(0, 2), (2, 3), (3, 2)]).unwrap();
        // 12 balls in 7 bins.
        let offset = |real| Some(Offset::new(real));
        assert_eq!(Borders::at_mean(&bins, None), Borders { high: 2, very_high: u64::MAX });
        assert_eq!(Borders::at_mean(&bins, offset(1.0)).very_high, 3);
        assert_eq!(Borders::at_mean(&bins, offset(1.25)).very_high, 3);
        assert_eq!(Borders::at_mean(&bins, offset(1.5)).very_high, 4);
        assert_eq!(Borders::at_mean(&bins, offset(1.5)).sizes(&bins), [2, 5, 0]);
        let level = LoadProfile::from_level_counts(&[(5, 4)]).unwrap();
        assert_eq!(Borders::at_mean(&level, offset(2.0)), Borders { high: 5, very_high: 7 });
    }

    /// The integral of the intensities up to the point is the exponential variate, piece by piece.
    #[test]
    fn the_next_point_uses_up_the_variate() {
        let bins = LoadProfile::from_level_counts(&[(0, 5), (1, 2), (3, 4), (6, 1)]).unwrap();
        let intensities = [1.2, 0.8, 0.6];
        let mut rng = bb_core::rng_for_trial(1, 0);
        for offset in [None, Some(Offset::new(2.0)), Some(Offset::new(1.7)), Some(Offset::new(0.25))] {
            for start in [0.0_f64, 0.3, 0.9, 2.75, 4.0] {
                for _ in 0..50 {
                    let mut same = rng.clone();
                    let from = Time { whole: start as u64, fraction: start.fract() };
                    // Stretched, so that several borders are passed.
                    let slow = intensities.map(|intensity| intensity / 12.0);
                    let rate_between = |borders: Borders| -> f64 {
                        borders.sizes(&bins).iter().zip(slow).map(|(&size, intensity)| size as f64 * intensity).sum()
                    };
                    let (to, borders) = from.next_point(offset, &mut rng, rate_between);
                    let variate = exponential(&mut same);
                    let end = to.whole as f64 + to.fraction;
                    let rate = |time: f64| -> f64 {
                        let class = |count: f64| {
                            usize::from(count >= time) + usize::from(offset.is_some_and(|o| count >= time + o.real))
                        };
                        [(0.0, 5.0), (1.0, 2.0), (3.0, 4.0), (6.0, 1.0)]
                            .iter()
                            .map(|&(count, size)| size * slow[class(count)])
                            .sum()
                    };
                    let steps = 20_000;
                    let width = (end - start) / f64::from(steps);
                    let sum: f64 = (0..steps).map(|k| rate(start + (f64::from(k) + 0.5) * width) * width).sum();
                    assert!((sum - variate).abs() < 1e-3 * (1.0 + variate), "{sum} and {variate} from {start}");
                    assert_eq!(borders.high, end.ceil() as u64);
                    if let Some(offset) = offset {
                        assert_eq!(borders.very_high, (end + offset.real).ceil() as u64);
                    }
                }
            }
        }
    }
}
