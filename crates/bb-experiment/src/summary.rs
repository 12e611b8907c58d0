//! What many trials gave: [`Summary`].

use core::cmp::Ordering;
use std::collections::BTreeMap;

use bb_core::Load;

/// The values that one quantity took over many trials: every value, and how often.
///
/// Integers (`Summary<u64>`) or real numbers (`Summary<f64>`). Since the values themselves are kept, two
/// summaries merge exactly: neither the order of the values nor how they were split over threads or machines
/// changes any number that comes out.
///
/// A summary without values has no mean, extremes or quantiles, and one with a single value has no standard
/// deviation: they are `None`.
///
/// # Complexity
///
/// One entry for each distinct value; `add` is `O(log k)` for `k` of them, every question `O(k)`.
///
/// # Examples
///
/// ```
/// use bb_experiment::Summary;
///
/// let mut loads: Summary<u64> = [4, 2, 2].into_iter().collect();
/// loads.add(3);
/// assert_eq!(loads.counts().collect::<Vec<_>>(), [(2, 2), (3, 1), (4, 1)]);
/// assert_eq!((loads.len(), loads.min(), loads.max()), (4, Some(2), Some(4)));
/// assert_eq!((loads.quantile(0.5), loads.quantile(0.51)), (Some(2), Some(3)));
/// assert_eq!((loads.mean(), loads.sd()), (Some(2.75), Some((2.75_f64 / 3.0).sqrt())));
/// assert_eq!(loads.se(), loads.sd().map(|sd| sd / 2.0));
///
/// let mut both = loads.clone();
/// both.merge(&loads);
/// assert_eq!(both.len(), 8);
/// assert!(Summary::<f64>::new().is_empty() && Summary::<f64>::new().mean().is_none());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Summary<T: Load = f64> {
    counts: BTreeMap<Ordered<T>, u64>,
    len: u64,
}

/// A load as a key.
#[derive(Clone, Copy, Debug)]
struct Ordered<T>(T);

impl<T: Load> Ord for Ordered<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.compare(&other.0)
    }
}

impl<T: Load> PartialOrd for Ordered<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: Load> PartialEq for Ordered<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<T: Load> Eq for Ordered<T> {}

impl<T: Load> Summary<T> {
    /// Returns a summary without values.
    #[must_use]
    pub const fn new() -> Self {
        Self { counts: BTreeMap::new(), len: 0 }
    }

    /// Adds one value.
    pub fn add(&mut self, value: T) {
        self.add_many(value, 1);
    }

    /// Adds all values of another summary.
    pub fn merge(&mut self, other: &Self) {
        for (value, count) in other.counts() {
            self.add_many(value, count);
        }
    }

    fn add_many(&mut self, value: T, count: u64) {
        // The sum with zero is the value, but for −0.0, which becomes 0.0.
        *self.counts.entry(Ordered(value + T::default())).or_default() += count;
        self.len += count;
    }

    /// Returns the number of values.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Tells whether there is no value.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Iterates over the distinct values, increasing, each with the number of times it came.
    pub fn counts(&self) -> impl Iterator<Item = (T, u64)> {
        self.counts.iter().map(|(value, &count)| (value.0, count))
    }

    /// Returns the least value.
    #[must_use]
    pub fn min(&self) -> Option<T> {
        self.counts.first_key_value().map(|(value, _)| value.0)
    }

    /// Returns the largest value.
    #[must_use]
    pub fn max(&self) -> Option<T> {
        self.counts.last_key_value().map(|(value, _)| value.0)
    }

    /// Returns the `q`-quantile: the least value `x` such that at least `q·N` of the `N` values are at most
    /// `x`; the minimum for `q = 0`.
    ///
    /// It is always one of the values. `None` if there is none, or `q` is not in `[0, 1]`.
    #[must_use]
    pub fn quantile(&self, q: f64) -> Option<T> {
        if !(0.0..=1.0).contains(&q) {
            return None;
        }
        let wanted = q * self.len as f64;
        let mut below = 0;
        let mut reached = self.counts().filter(|&(_, count)| {
            below += count;
            below as f64 >= wanted
        });
        reached.next().map(|(value, _)| value)
    }

    /// Returns the mean.
    ///
    /// Summed, with compensation, from the least value on, so that it is exact if all values are equal and
    /// does not suffer from a large common part.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        Some(self.min()?.to_f64() + self.mean_above_min())
    }

    /// Returns the standard deviation, with divisor `N − 1`; `None` for fewer than two values.
    ///
    /// By two passes, the second with the correction of Chan, Golub and LeVeque (The American Statistician
    /// 37, 1983): the mean of squares minus the square of the mean would lose all digits where the values
    /// differ little.
    #[must_use]
    pub fn sd(&self) -> Option<f64> {
        if self.len < 2 {
            return None;
        }
        let mean = self.mean_above_min();
        let squares = self.sum(|above_min| (above_min - mean).powi(2));
        let error = self.sum(|above_min| above_min - mean);
        let variance = (squares - error * error / self.len as f64) / (self.len - 1) as f64;
        Some(variance.max(0.0).sqrt())
    }

    /// Returns the standard error of the mean, `sd/√N`; `None` for fewer than two values.
    #[must_use]
    pub fn se(&self) -> Option<f64> {
        self.sd().map(|sd| sd / (self.len as f64).sqrt())
    }

    fn mean_above_min(&self) -> f64 {
        self.sum(|above_min| above_min) / self.len as f64
    }

    /// Sums `term(value − minimum)` over all values, with Neumaier's compensation.
    fn sum(&self, term: impl Fn(f64) -> f64) -> f64 {
        let Some(min) = self.min() else { return 0.0 };
        let (mut sum, mut lost) = (0.0_f64, 0.0);
        for (value, count) in self.counts() {
            // One bin with the total `min`: the difference, exact for counts.
            let term = count as f64 * term(value.above_mean(min, 1));
            let next = sum + term;
            lost += if sum.abs() >= term.abs() { (sum - next) + term } else { (term - next) + sum };
            sum = next;
        }
        sum + lost
    }
}

impl<T: Load> Default for Summary<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Load> Extend<T> for Summary<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, values: I) {
        values.into_iter().for_each(|value| self.add(value));
    }
}

impl<T: Load> FromIterator<T> for Summary<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let mut summary = Self::new();
        summary.extend(values);
        summary
    }
}
