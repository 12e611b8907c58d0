use core::fmt;

use num_bigint::BigUint;

use crate::error::{StateError, refuse};
use crate::model::budget::Budget;

/// A memory state: exactly `M` bits and nothing else.
///
/// It is made by a [`StateWriter`] alone, which refuses the first bit beyond the budget and fills up with
/// zeros. So what a state says must delimit itself: the length of what was written is not kept, for it would
/// be one more bit of memory ("at most `M` bits" has `2^(M+1) − 1` values).
///
/// # Examples
///
/// ```
/// use bb_memory::{Budget, StateWriter};
///
/// let mut writer = StateWriter::new(Budget::bits(10)?)?;
/// writer.write(5, 3)?;
/// let state = writer.finish()?;
/// assert_eq!((state.bits(), state.get(0, 3)?, state.get(3, 7)?), (10, 5, 0));
/// let mut reader = state.reader();
/// assert_eq!(reader.read(3)?, 5);
/// reader.finish()?; // The rest is zero.
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Without the writer there is no state:
///
/// ```compile_fail
/// let state = bb_memory::State { words: vec![0], bits: 64 };
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct State {
    words: Vec<u64>,
    bits: u64,
}

/// The lowest `width` bits, `width ≤ 64`.
#[inline]
fn mask(width: u32) -> u64 {
    if width == 0 { 0 } else { u64::MAX >> (64 - width) }
}

impl State {
    /// Returns the number of bits: the budget.
    #[must_use]
    #[inline]
    pub fn bits(&self) -> u64 {
        self.bits
    }

    /// Returns the number in a field of `width ≤ 64` bits that begins at bit `at`, lowest bit first. `O(1)`.
    ///
    /// # Errors
    ///
    /// If there is no such field.
    #[inline]
    pub fn get(&self, at: u64, width: u32) -> Result<u64, StateError> {
        self.check(at, width)?;
        Ok(self.field(at, width))
    }

    /// Returns a reader from the first bit on.
    #[must_use]
    pub fn reader(&self) -> StateReader<'_> {
        StateReader { state: self, at: 0 }
    }

    /// The fields of 64 bits, the last one of what is left: (width, value).
    pub(crate) fn fields(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        (0..self.bits).step_by(64).zip(&self.words).map(|(at, &word)| ((self.bits - at).min(64) as u32, word))
    }

    #[inline]
    fn check(&self, at: u64, width: u32) -> Result<(), StateError> {
        let inside = width <= 64 && at.checked_add(u64::from(width)).is_some_and(|end| end <= self.bits);
        if inside { Ok(()) } else { Err(StateError::NoSuchField { at, width, bits: self.bits }) }
    }

    /// A field that exists.
    #[inline]
    fn field(&self, at: u64, width: u32) -> u64 {
        if width == 0 {
            return 0;
        }
        let (word, shift) = ((at / 64) as usize, (at % 64) as u32);
        let low = self.words[word] >> shift;
        let high = if shift + width > 64 { self.words[word + 1] << (64 - shift) } else { 0 };
        (low | high) & mask(width)
    }

    /// Sets a field that exists to a value that fits.
    #[inline]
    fn put(&mut self, at: u64, width: u32, value: u64) {
        if width == 0 {
            return;
        }
        let (word, shift) = ((at / 64) as usize, (at % 64) as u32);
        self.words[word] = (self.words[word] & !(mask(width) << shift)) | (value << shift);
        if shift + width > 64 {
            let written = 64 - shift;
            self.words[word + 1] = (self.words[word + 1] & !(mask(width) >> written)) | (value >> written);
        }
    }
}

/// The bits, first bit first, cut off after 64 of them.
impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "State({} bits: ", self.bits)?;
        for at in 0..self.bits.min(64) {
            write!(f, "{}", self.field(at, 1))?;
        }
        f.write_str(if self.bits > 64 { "…)" } else { ")" })
    }
}

/// Writes a [`State`] of a given budget, field by field.
///
/// A refused field leaves the writer spoilt: [`finish`](Self::finish) returns the error again, so that no
/// half of a meaning becomes a state.
///
/// # Examples
///
/// [`State`] has an example.
#[derive(Clone, Debug)]
pub struct StateWriter {
    state: State,
    written: u64,
    refused: Option<StateError>,
}

impl StateWriter {
    /// Returns a writer of so many bits.
    ///
    /// # Errors
    ///
    /// If the memory cannot be had.
    pub fn new(budget: Budget) -> Result<Self, StateError> {
        let bits = budget.get();
        let does_not_fit = || StateError::DoesNotFit { bits };
        let length = usize::try_from(bits.div_ceil(64)).map_err(|_| does_not_fit())?;
        let mut words = Vec::new();
        words.try_reserve_exact(length).map_err(|_| does_not_fit())?;
        words.resize(length, 0);
        Ok(Self { state: State { words, bits }, written: 0, refused: None })
    }

    /// Writes a number into the next `width ≤ 64` bits, lowest bit first.
    ///
    /// # Errors
    ///
    /// If the bits exceed the budget, the number does not fit them, or `width` exceeds 64.
    #[inline]
    pub fn write(&mut self, value: u64, width: u32) -> Result<(), StateError> {
        if width > 64 {
            return self.refuse(StateError::NoSuchField { at: self.written, width, bits: self.state.bits });
        }
        if value & !mask(width) != 0 {
            return self.refuse(StateError::FieldTooNarrow { value, width });
        }
        let needed = self.written + u64::from(width);
        if needed > self.state.bits {
            return self.refuse(StateError::OverBudget { needed, budget: self.state.bits });
        }
        self.state.put(self.written, width, value);
        self.written = needed;
        Ok(())
    }

    /// Writes a large number into the next `width` bits, lowest bit first.
    ///
    /// # Errors
    ///
    /// As for [`write`](Self::write).
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_memory::num_bigint::BigUint;
    /// use bb_memory::{Budget, StateWriter};
    ///
    /// let mut writer = StateWriter::new(Budget::bits(100)?)?;
    /// writer.write_large(&(BigUint::from(3_u8) << 90), 100)?;
    /// assert_eq!(writer.finish()?.reader().read_large(100)?, BigUint::from(3_u8) << 90);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn write_large(&mut self, value: &BigUint, width: u64) -> Result<(), StateError> {
        let needed = self.written.saturating_add(width);
        if needed > self.state.bits {
            return self.refuse(StateError::OverBudget { needed, budget: self.state.bits });
        }
        let digits = value.to_u64_digits();
        if value.bits() > width {
            return self.refuse(StateError::FieldTooNarrow { value: digits[0], width: width as u32 });
        }
        let mut left = width;
        for digit in digits.into_iter().chain(core::iter::repeat(0)) {
            if left == 0 {
                break;
            }
            let piece = left.min(64) as u32;
            self.write(digit, piece)?;
            left -= u64::from(piece);
        }
        Ok(())
    }

    /// Writes all bits of a state.
    pub(crate) fn write_state(&mut self, state: &State) -> Result<(), StateError> {
        state.fields().try_for_each(|(width, value)| self.write(value, width))
    }

    /// Returns the number of bits written so far.
    #[must_use]
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Fills up with zeros and returns the state.
    ///
    /// # Errors
    ///
    /// The first that a field was refused for.
    pub fn finish(self) -> Result<State, StateError> {
        match self.refused {
            Some(error) => Err(error),
            None => Ok(self.state),
        }
    }

    #[cold]
    fn refuse(&mut self, error: StateError) -> Result<(), StateError> {
        self.refused.get_or_insert(error.clone());
        Err(error)
    }
}

/// Reads a [`State`], field by field.
///
/// # Examples
///
/// [`State`] has an example.
#[derive(Clone, Debug)]
pub struct StateReader<'a> {
    state: &'a State,
    at: u64,
}

impl StateReader<'_> {
    /// Returns the number in the next `width ≤ 64` bits.
    ///
    /// # Errors
    ///
    /// If there are not so many.
    #[inline]
    pub fn read(&mut self, width: u32) -> Result<u64, StateError> {
        let value = self.state.get(self.at, width)?;
        self.at += u64::from(width);
        Ok(value)
    }

    /// Returns the large number in the next `width` bits.
    ///
    /// # Errors
    ///
    /// If there are not so many.
    pub fn read_large(&mut self, width: u64) -> Result<BigUint, StateError> {
        if self.at.checked_add(width).is_none_or(|end| end > self.state.bits) {
            let width = u32::try_from(width).unwrap_or(u32::MAX);
            return Err(StateError::NoSuchField { at: self.at, width, bits: self.state.bits });
        }
        let mut digits = Vec::with_capacity(2 * width.div_ceil(64) as usize);
        let mut left = width;
        while left > 0 {
            let piece = left.min(64) as u32;
            let digit = self.read(piece)?;
            digits.extend([digit as u32, (digit >> 32) as u32]);
            left -= u64::from(piece);
        }
        Ok(BigUint::new(digits))
    }

    /// Ends the reading: what is left must be zero.
    ///
    /// # Errors
    ///
    /// [`StateError::NonCanonical`] if it is not.
    pub fn finish(mut self) -> Result<(), StateError> {
        while self.at < self.state.bits {
            if self.read((self.state.bits - self.at).min(64) as u32)? != 0 {
                return refuse("the padding is not zero");
            }
        }
        Ok(())
    }
}

/// Changes fields of a [`State`] where they are: it stays one of exactly `M` bits.
///
/// What a [machine](crate::Machine) is given for its next state, so that a step does not cost `O(M)`.
///
/// # Examples
///
/// [`Machine`](crate::Machine) has an example.
#[derive(Debug)]
pub struct StateEditor<'a> {
    state: &'a mut State,
    changed: &'a mut bool,
}

impl<'a> StateEditor<'a> {
    pub(crate) fn new(state: &'a mut State, changed: &'a mut bool) -> Self {
        Self { state, changed }
    }

    /// Returns the state as it is now.
    #[must_use]
    #[inline]
    pub fn state(&self) -> &State {
        self.state
    }

    /// Sets the field of `width ≤ 64` bits at bit `at`.
    ///
    /// # Errors
    ///
    /// If there is no such field, or the number does not fit; the state stays as it was.
    #[inline]
    pub fn set(&mut self, at: u64, width: u32, value: u64) -> Result<(), StateError> {
        self.state.check(at, width)?;
        if value & !mask(width) != 0 {
            return Err(StateError::FieldTooNarrow { value, width });
        }
        if self.state.field(at, width) != value {
            self.state.put(at, width, value);
            *self.changed = true;
        }
        Ok(())
    }
}
