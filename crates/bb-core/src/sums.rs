//! Sums of real weights that do not drift.

use core::hint::select_unpredictable;

use rand::Rng;

use crate::error::LoadsError;
use crate::mix::Mix;
use crate::store::{Store, Stored, count_sorted, least_of, zeroed};
use bb_samplers::IndexSampler;

/// A sum and what rounding took from it (A. Neumaier, ZAMM 54, 1974): `value + lost` is the sum of all that
/// was added within two roundings of the result, and a rounding of the square of the precision for each
/// addition.
///
/// Real loads are kept so, and not in fixed point: a power of two may be taken out of all weights without a
/// trace, and no unit has to be chosen before the weights are known.
#[derive(Clone, Copy, Debug, Default)]
#[allow(unreachable_pub, reason = "an associated type of the sealed trait `Stored`")]
pub struct Sum {
    value: f64,
    lost: f64,
}

impl Sum {
    #[inline]
    pub(crate) fn get(self) -> f64 {
        self.value + self.lost
    }

    #[inline]
    pub(crate) fn add(&mut self, amount: f64) {
        let sum = self.value + amount;
        // Exact: what the smaller of the two lost of its low bits.
        let (larger, smaller) =
            if self.value.abs() >= amount.abs() { (self.value, amount) } else { (amount, self.value) };
        self.lost += (larger - sum) + smaller;
        self.value = sum;
    }
}

/// Real loads, 16 bytes a bin.
#[derive(Clone, Debug)]
#[allow(unreachable_pub, reason = "an associated type of the sealed trait `Stored`")]
pub struct Sums(Vec<Sum>);

impl Store<f64> for Sums {
    fn bytes(bins: u64) -> u128 {
        size_of::<Sum>() as u128 * u128::from(bins)
    }
    fn zeros(bins: usize) -> Option<Self> {
        zeroed(bins).map(Self)
    }
    fn from_loads(loads: Vec<f64>) -> Self {
        Self(loads.into_iter().map(|value| Sum { value, lost: 0.0 }).collect())
    }
    fn len(&self) -> usize {
        self.0.len()
    }
    #[inline]
    fn get(&self, bin: usize) -> f64 {
        self.0[bin].get()
    }
    #[inline]
    fn add(&mut self, bin: usize, amount: f64) -> f64 {
        self.0[bin].add(amount);
        self.get(bin)
    }
    fn level_counts(&self) -> Vec<(f64, u64)> {
        let mut sorted: Vec<f64> = self.0.iter().map(|sum| sum.get()).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        count_sorted(&sorted)
    }
    #[inline]
    fn lighter(&self, first: usize, second: usize) -> usize {
        select_unpredictable(self.get(second) < self.get(first), second, first)
    }
    fn least_of_below<R: Rng + ?Sized>(
        &mut self,
        max: f64,
        d: Mix<u32>,
        balls: u64,
        draws: &IndexSampler,
        rng: &mut R,
    ) -> (u64, Option<usize>) {
        let mut placed = 0;
        while placed < balls {
            let (bin, load) = least_of(d, draws, rng, |bin| self.get(bin));
            if load + 1.0 > max {
                return (placed, Some(bin));
            }
            self.0[bin].add(1.0);
            placed += 1;
        }
        (placed, None)
    }
}

impl Stored for f64 {
    type Store = Sums;
    type Total = Sum;

    fn check(loads: &[Self]) -> Result<(), LoadsError> {
        if let Some(bin) = loads.iter().position(|load| !load.is_finite()) {
            return Err(LoadsError::NotFinite { bin, value: loads[bin] });
        }
        // No partial sum overflows either.
        let sum = loads.iter().map(|load| load.abs()).sum::<f64>();
        if sum.is_finite() { Ok(()) } else { Err(LoadsError::TotalNotFinite) }
    }

    #[inline]
    fn accumulate(total: &mut Sum, amount: f64) {
        total.add(amount);
    }

    #[inline]
    fn sum(total: Sum) -> f64 {
        total.get()
    }
}
