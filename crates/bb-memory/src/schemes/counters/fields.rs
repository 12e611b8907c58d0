use bb_core::ParameterError;

use crate::model::checked_bins;
use crate::{Budget, Choice, Decider, MemoryError, Parameters, Samples, State, StateError, TieRule};

/// The decision that compares a small number of each sampled bin, kept in a field of the state: the least takes the ball.
///
/// *Ties:* the first of the least, the one of smallest number, or one of them by coin ([`TieRule`]).
///
/// # Examples
///
/// The example of [`SaturatingCounters`](crate::SaturatingCounters) runs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompareFields {}

/// The parameters of [`CompareFields`]: `n` fields that follow one another, each in `0..=most`.
///
/// # Examples
///
/// ```
/// use bb_memory::{FieldParameters, Parameters, TieRule};
///
/// let fields = FieldParameters::new(10, 2, 3)?.with_ties(TieRule::Coin).with_samples(3)?;
/// assert_eq!((fields.budget()?.get(), fields.most(), fields.bins()), (20, 3, 10));
/// assert_eq!(FieldParameters::from_words(&fields.to_words()), Some(fields));
/// # Ok::<(), bb_memory::MemoryError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FieldParameters {
    bins: u64,
    width: u32,
    most: u64,
    samples: u32,
    ties: TieRule,
}

impl FieldParameters {
    /// Returns the parameters for fields of `width` bits with values up to `most`.
    ///
    /// # Errors
    ///
    /// If `bins` is outside `1..=2^40`, `width` outside `1..=32`, `most` does not fit, or the budget exceeds `2^36` bits.
    pub fn new(bins: u64, width: u32, most: u64) -> Result<Self, MemoryError> {
        let bins = checked_bins(bins)?;
        if width == 0 || width > 32 {
            return Err(ParameterError::new("b", width, "1..=32").into());
        }
        if most == 0 || most >> width != 0 {
            return Err(ParameterError::new("most", most, format!("1..2^{width}")).into());
        }
        let made = Self { bins, width, most, samples: 2, ties: TieRule::First };
        made.budget()?;
        Ok(made)
    }

    /// Sets the rule for ties.
    #[must_use]
    pub fn with_ties(self, ties: TieRule) -> Self {
        Self { ties, ..self }
    }

    /// Sets the number of samples.
    ///
    /// # Errors
    ///
    /// If it is outside `1..=2^16`.
    pub fn with_samples(self, samples: u32) -> Result<Self, MemoryError> {
        if samples == 0 || samples > 1 << 16 {
            return Err(ParameterError::new("d", samples, "1..=2^16").into());
        }
        Ok(Self { samples, ..self })
    }

    /// Returns the number of bins.
    #[must_use]
    pub fn bins(&self) -> u64 {
        self.bins
    }

    /// Returns the largest value of a field.
    #[must_use]
    pub fn most(&self) -> u64 {
        self.most
    }

    /// Returns the budget: all fields and nothing else.
    ///
    /// # Errors
    ///
    /// Never for parameters that were made.
    pub fn budget(&self) -> Result<Budget, MemoryError> {
        Ok(Budget::bits(self.bins.saturating_mul(u64::from(self.width)))?)
    }

    #[inline]
    pub(super) fn place(&self, bin: usize) -> (u64, u32) {
        (bin as u64 * u64::from(self.width), self.width)
    }

    #[inline]
    pub(super) fn read(&self, state: &State, bin: usize) -> u64 {
        let (at, width) = self.place(bin);
        state.get(at, width).unwrap_or(0)
    }

    /// Reads a state, if each field is in its range.
    pub(super) fn checked(&self, state: &State) -> Result<State, StateError> {
        let mut reader = state.reader();
        for _ in 0..self.bins {
            if reader.read(self.width)? > self.most {
                return Err(StateError::NonCanonical { reason: "a counter is out of range" });
            }
        }
        reader.finish()?;
        Ok(state.clone())
    }

    pub(super) fn samples(&self) -> u32 {
        self.samples
    }

    /// The decision for values asked bin by bin.
    #[inline]
    pub(super) fn least(&self, sample: Samples<'_>, value: impl Fn(usize) -> u64) -> Choice {
        least(sample, self.ties, value)
    }
}

/// The sample of least value.
#[inline]
pub(crate) fn least(sample: Samples<'_>, ties: TieRule, value: impl Fn(usize) -> u64) -> Choice {
    let bins = sample.bins();
    if let &[first, second] = bins {
        let (a, b) = (value(first), value(second));
        return if a == b { Choice::tie(ties, sample) } else { Choice::sure(u32::from(b < a)) };
    }
    let Some(smallest) = bins.iter().map(|&bin| value(bin)).min() else { return Choice::sure(0) };
    let tied = || (0_u32..).zip(bins).filter(|&(_, &bin)| value(bin) == smallest);
    match ties {
        TieRule::First => Choice::sure(tied().next().map_or(0, |(place, _)| place)),
        TieRule::Left => Choice::sure(tied().min_by_key(|&(_, &bin)| bin).map_or(0, |(place, _)| place)),
        TieRule::Coin => {
            let weights: Vec<u32> = bins.iter().map(|&bin| u32::from(value(bin) == smallest)).collect();
            Choice::weighted(&weights)
        }
    }
}

impl Parameters for FieldParameters {
    fn to_words(&self) -> Vec<u64> {
        vec![self.bins, u64::from(self.width), self.most, u64::from(self.samples), self.ties.to_word()]
    }
    fn from_words(words: &[u64]) -> Option<Self> {
        let &[bins, width, most, samples, ties] = words else { return None };
        let made = Self::new(bins, u32::try_from(width).ok()?, most).ok()?;
        Some(made.with_samples(u32::try_from(samples).ok()?).ok()?.with_ties(TieRule::from_word(ties)?))
    }
}

impl Decider for CompareFields {
    type Parameters = FieldParameters;
    type View = State;

    fn samples(parameters: &FieldParameters) -> u32 {
        parameters.samples
    }

    fn view(parameters: &FieldParameters, state: &State) -> Result<State, StateError> {
        parameters.checked(state)
    }

    #[inline]
    fn decide(parameters: &FieldParameters, state: &State, sample: Samples<'_>) -> Choice {
        parameters.least(sample, |bin| parameters.read(state, bin))
    }
}
