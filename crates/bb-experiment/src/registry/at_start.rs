//! Rules that are made when they start: [`AtStart`].

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use bb_core::{Allocator, Bins, Decision, Place, Put, Rng, SampleCount, StartError};

/// A rule that is made for the number of bins that it starts on: a graph, probabilities of bins.
///
/// Clones share what was made last, so that an experiment makes it once for all trials.
///
/// # Panics
///
/// Choosing without a start panics where the rule cannot be made for so many bins; [`Allocator::start`]
/// refuses these.
#[derive(Clone)]
pub(super) struct AtStart<A, F> {
    make: F,
    made: Option<(u64, A)>,
    shared: Arc<Mutex<Option<(u64, A)>>>,
}

impl<A, F> fmt::Debug for AtStart<A, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AtStart").finish_non_exhaustive()
    }
}

impl<A: Clone, F: Fn(u64) -> Result<A, StartError>> AtStart<A, F> {
    pub(super) fn new(make: F) -> Self {
        Self { make, made: None, shared: Arc::default() }
    }

    fn made_for(&mut self, bins: u64) -> Result<&mut A, StartError> {
        let _ = self.made.take_if(|made| made.0 != bins);
        match &mut self.made {
            Some(made) => Ok(&mut made.1),
            none => {
                // Whoever comes first makes it, the others wait.
                let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
                let known = shared.as_ref().filter(|made| made.0 == bins).cloned();
                let made = match known {
                    Some(made) => made,
                    None => shared.insert((bins, (self.make)(bins)?)).clone(),
                };
                Ok(&mut none.insert(made).1)
            }
        }
    }

    fn made(&mut self, bins: u64) -> &mut A {
        self.made_for(bins).unwrap_or_else(|error| panic!("a start would have refused these loads: {error}"))
    }
}

impl<B, A, F> Allocator<B> for AtStart<A, F>
where
    B: Bins<Bin = usize>,
    A: Allocator<B> + Clone,
    F: Fn(u64) -> Result<A, StartError>,
{
    fn start(&mut self, bins: &B) -> Result<(), StartError> {
        self.made_for(bins.bins())?.start(bins)
    }
    fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> usize {
        self.made(bins.bins()).choose(bins, rng)
    }
    fn decide<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> Decision<usize> {
        self.made(bins.bins()).decide(bins, rng)
    }
    fn put(&self, bins: &B, bin: usize) -> Put {
        self.made.as_ref().map_or(Put::BALL, |made| made.1.put(bins, bin))
    }
    fn placed(&mut self, bins: &B, was: usize, now: usize) {
        if let Some(made) = &mut self.made {
            made.1.placed(bins, was, now);
        }
    }
    fn removed(&mut self, bins: &B, was: usize, now: usize) {
        if let Some(made) = &mut self.made {
            made.1.removed(bins, was, now);
        }
    }
    fn sample_count(&self) -> Option<SampleCount> {
        self.made.as_ref().and_then(|made| made.1.sample_count())
    }
    fn run<R: Rng + ?Sized>(&mut self, bins: &mut B, balls: u64, rng: &mut R) -> u64
    where
        B: Place,
    {
        self.made(bins.bins()).run(bins, balls, rng)
    }
}
