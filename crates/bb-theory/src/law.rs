use core::ops::RangeInclusive;

/// A law on a range of integers, in floating point: of a maximum load, of a gap.
///
/// What is outside the range is negligible; each function that returns one says by how much.
///
/// # Examples
///
/// ```
/// use bb_theory::one_choice;
///
/// // Two balls in two bins.
/// let law = one_choice::max_law(2, 2)?;
/// assert_eq!(law.range(), 1..=2);
/// assert!((law.probability(1) - 0.5).abs() < 1e-12 && law.probability(3) == 0.0);
/// assert!((law.at_most(1) - 0.5).abs() < 1e-12 && law.at_most(2) == 1.0);
/// assert!((law.mean() - 1.5).abs() < 1e-12 && (law.sd() - 0.5).abs() < 1e-12);
/// assert_eq!(law.iter().count(), 2);
/// # Ok::<(), bb_theory::ParameterError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct IntegerLaw {
    first: u64,
    /// `at_most[i] = P(X ≤ first + i)`, without those that are 0; the last is 1.
    at_most: Vec<f64>,
}

impl IntegerLaw {
    /// The law with `P(X ≤ first + i) = at_most[i]`, which must not decrease; what is missing at the end is
    /// put on the last value.
    pub(super) fn from_at_most(first: u64, mut at_most: Vec<f64>) -> Self {
        match at_most.last_mut() {
            Some(last) => *last = 1.0,
            None => at_most.push(1.0),
        }
        let zeros = at_most.iter().take_while(|&&below| below <= 0.0).count();
        at_most.drain(..zeros);
        Self { first: first + zeros as u64, at_most }
    }

    /// Returns the values that are not negligible.
    #[must_use]
    pub fn range(&self) -> RangeInclusive<u64> {
        self.first..=self.first + self.at_most.len() as u64 - 1
    }

    /// Returns the probability of a value.
    #[must_use]
    pub fn probability(&self, value: u64) -> f64 {
        self.at_most(value) - value.checked_sub(1).map_or(0.0, |before| self.at_most(before))
    }

    /// Returns the probability of at most this value.
    #[must_use]
    pub fn at_most(&self, value: u64) -> f64 {
        match value.checked_sub(self.first) {
            None => 0.0,
            Some(place) => {
                usize::try_from(place).ok().and_then(|place| self.at_most.get(place)).copied().unwrap_or(1.0)
            }
        }
    }

    /// Returns the values with their probabilities, by increasing value.
    pub fn iter(&self) -> impl Iterator<Item = (u64, f64)> + '_ {
        self.range().map(|value| (value, self.probability(value)))
    }

    /// Returns the mean.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.first as f64
            + self.iter().map(|(value, probability)| (value - self.first) as f64 * probability).sum::<f64>()
    }

    /// Returns the standard deviation.
    #[must_use]
    pub fn sd(&self) -> f64 {
        let mean = self.mean();
        self.iter().map(|(value, probability)| (value as f64 - mean).powi(2) * probability).sum::<f64>().sqrt()
    }
}
