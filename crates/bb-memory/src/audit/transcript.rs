use core::marker::PhantomData;

use crate::audit::AuditError;
use crate::error::StateError;
use crate::model::{BallStream, Budget, Decider, Purpose, Samples, State, StateWriter};

/// What a decider was asked in a run, and what came of it: states, samples, coins and picks, and no loads.
///
/// [`replay`](Self::replay) asks again. Written out as [words](Self::to_words) and read in another process,
/// one that never held any loads, it shows whatever a decider takes from a global variable.
/// [`whole_run`](super::whole_run) replays in a thread of its own and from the last step to the first.
///
/// # Examples
///
/// ```
/// use bb_memory::audit::{Transcript, whole_run};
/// use bb_memory::bb_core::{LoadVector, rng_for_trial};
/// use bb_memory::{Budget, HeavyList, ListDecider};
///
/// let list = HeavyList::fill(60, Budget::bits(50)?)?;
/// let audited = whole_run(&list, &LoadVector::new(60)?, 120, &mut rng_for_trial(1, 0))?;
/// let words = audited.transcript().to_words();
/// // In another process:
/// let transcript = Transcript::<ListDecider>::from_words(&words).unwrap();
/// assert_eq!(transcript.replay(), Ok(120));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Transcript<D> {
    decider: Vec<u64>,
    bits: u64,
    samples: usize,
    /// For each step: the number of its state, the samples, the key and the place taken.
    steps: Vec<(usize, Vec<usize>, u64, u32)>,
    states: Vec<Vec<u64>>,
    kind: PhantomData<fn() -> D>,
}

impl<D: Decider> Transcript<D> {
    pub(super) fn new(decider: &D) -> Self {
        let (samples, bits, decider) = (decider.samples() as usize, decider.budget().get(), decider.to_words());
        Self { decider, bits, samples, steps: Vec::new(), states: Vec::new(), kind: PhantomData }
    }

    pub(super) fn state(&mut self, state: &State) {
        self.states.push(state.fields().map(|(.., value)| value).collect());
    }

    pub(super) fn step(&mut self, samples: &[usize], key: u64, place: u32) {
        self.steps.push((self.states.len() - 1, samples.to_vec(), key, place));
    }

    /// Asks the decider again, last step first, and returns the number of steps.
    ///
    /// # Errors
    ///
    /// If a pick is another one, or a state cannot be read.
    pub fn replay(&self) -> Result<u64, AuditError> {
        let decider = D::from_words(&self.decider).ok_or(AuditError::Words)?;
        let mut read: Option<(usize, D::View)> = None;
        for (step, (state, samples, key, place)) in self.steps.iter().enumerate().rev() {
            let step = step as u64;
            if read.as_ref().is_none_or(|(at, _)| at != state) {
                let view = self.rebuilt(*state).and_then(|bits| decider.view(&bits));
                read = Some((*state, view.map_err(|error| AuditError::State { step, error })?));
            }
            let Some((_, view)) = &read else { continue };
            let choice = decider.decide(view, Samples::new(samples));
            if choice.resolve(samples.len(), || BallStream::new(*key, Purpose::Coin)) != *place {
                return Err(AuditError::Replay { step });
            }
        }
        Ok(self.steps.len() as u64)
    }

    fn rebuilt(&self, state: usize) -> Result<State, StateError> {
        let budget = Budget::bits(self.bits).map_err(|_| StateError::DoesNotFit { bits: self.bits })?;
        let mut writer = StateWriter::new(budget)?;
        let mut left = self.bits;
        for &word in &self.states[state] {
            let width = left.min(64) as u32;
            writer.write(word, width)?;
            left -= u64::from(width);
        }
        writer.finish()
    }

    /// Returns the transcript in words.
    #[must_use]
    pub fn to_words(&self) -> Vec<u64> {
        let mut words = vec![self.decider.len() as u64];
        words.extend(&self.decider);
        words.extend([self.bits, self.samples as u64, self.states.len() as u64, self.steps.len() as u64]);
        self.states.iter().for_each(|state| words.extend(state));
        for (state, samples, key, place) in &self.steps {
            words.push(*state as u64);
            words.extend(samples.iter().map(|&bin| bin as u64));
            words.extend([*key, u64::from(*place)]);
        }
        words
    }

    /// Returns the transcript of these words; `None` if they are not those of one.
    #[must_use]
    pub fn from_words(words: &[u64]) -> Option<Self> {
        let mut words = words.iter().copied();
        let mut take = |count: u64| -> Option<Vec<u64>> { (0..count).map(|_| words.next()).collect() };
        let length = take(1)?[0];
        let decider = take(length)?;
        let &[bits, samples, states, steps] = take(4)?.as_slice() else { return None };
        let states = (0..states).map(|_| take(bits.div_ceil(64))).collect::<Option<Vec<_>>>()?;
        let step = |_| {
            let state = usize::try_from(take(1)?[0]).ok().filter(|&state| state < states.len())?;
            let bins = take(samples)?.into_iter().map(|bin| bin as usize).collect();
            let &[key, place] = take(2)?.as_slice() else { return None };
            Some((state, bins, key, u32::try_from(place).ok()?))
        };
        let steps = (0..steps).map(step).collect::<Option<Vec<_>>>()?;
        Some(Self { decider, bits, samples: samples as usize, steps, states, kind: PhantomData })
    }
}
