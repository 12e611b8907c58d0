//! The rule: [`Allocator`].

use rand::Rng;

use crate::bins::Bins;
use crate::decision::Decision;
use crate::error::StartError;
use crate::load_vector::LoadVector;
use crate::place::{Place, Put};

/// An allocation rule: it chooses a bin on a view; the loads place the ball.
///
/// A rule says which bin the next ball goes to ([`choose`](Self::choose)). Everything else has a default that
/// suits rules without memory. `B` is the kind of view; write `impl<B: Bins> Allocator<B>` for a rule that
/// asks only what [`Bins`] samples, and it runs on every kind of loads. A rule that needs labelled bins asks
/// for `B: Bins<Bin = usize>`.
///
/// # Contract
///
/// - The loads belong to the caller, who may inspect them, or change rules, between any two balls.
/// - [`start`](Self::start) is called when a rule begins on given loads. It resets what the rule remembers
///   and checks what only the loads can tell, before a ball is placed. It is not called by `step` and `run`,
///   so a run cut in pieces equals the uncut run.
/// - `run(b)` gives the same bins from the same words as `step` repeated until `b` balls are placed.
/// - `decide` is `choose` and takes the same words; it also tells which sample was taken.
/// - The generator is always a parameter. Each rule documents the words it takes, and in which order.
///
/// # Examples
///
/// A rule of one's own: the better of two bins, unless the first is below the mean already.
///
/// ```
/// use bb_core::{Allocator, Bins, BinsExt, LoadVector, Metrics, Rng, rng_for_trial};
///
/// struct Lazy;
///
/// impl<B: Bins> Allocator<B> for Lazy {
///     fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> B::Bin {
///         let first = bins.draw(rng);
///         if bins.below_mean(first) { first } else { bins.lighter(first, bins.draw(rng)) }
///     }
/// }
///
/// let mut loads = LoadVector::new(1000)?;
/// let mut rng = rng_for_trial(1, 0);
/// Lazy.run(&mut loads, 99_999, &mut rng);
/// let last = Lazy.step(&mut loads, &mut rng);
/// assert!(loads.load(last) >= 1);
/// assert_eq!(loads.total(), 100_000);
/// assert!(loads.gap() < 8.0);
/// # Ok::<(), bb_core::LoadsError>(())
/// ```
pub trait Allocator<B: Bins = LoadVector> {
    /// Begins on these loads: forgets what was remembered and checks the size. Default: nothing to do.
    ///
    /// # Errors
    ///
    /// A [`StartError`] if the rule cannot work on these loads.
    fn start(&mut self, bins: &B) -> Result<(), StartError> {
        let _ = bins;
        Ok(())
    }

    /// Chooses the bin of the next ball and places nothing.
    fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> B::Bin;

    /// Chooses like [`choose`](Self::choose), from the same words, and tells which sample was taken.
    ///
    /// Rules that take several samples override it; by default the bin counts as the first sample.
    #[inline]
    fn decide<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> Decision<B::Bin> {
        Decision::first(self.choose(bins, rng))
    }

    /// Returns what this step puts into the bin just chosen, given the loads before. Default: one ball.
    #[inline]
    fn put(&self, bins: &B, bin: B::Bin) -> Put {
        let _ = (bins, bin);
        Put::BALL
    }

    /// Learns that a ball was placed in the bin called `was`, whose name is `now` from here on; `bins` are
    /// the loads after it. Rules with memory learn here. Default: nothing.
    #[inline]
    fn placed(&mut self, bins: &B, was: B::Bin, now: B::Bin) {
        let _ = (bins, was, now);
    }

    /// Learns that a ball was taken out of the bin called `was`, whose name is `now` from here on; `bins` are
    /// the loads after it. What drives a system in which balls leave ([`Remove`](crate::Remove)) calls it.
    /// Default: nothing.
    #[inline]
    fn removed(&mut self, bins: &B, was: B::Bin, now: B::Bin) {
        let _ = (bins, was, now);
    }

    /// Returns how many bins the rule has sampled, if it knows. Default: `None`.
    fn sample_count(&self) -> Option<SampleCount> {
        None
    }

    /// Takes one step with a unit ball: chooses, places and learns. Returns the receiving bin's name after
    /// the placement.
    #[inline]
    fn step<R: Rng + ?Sized>(&mut self, bins: &mut B, rng: &mut R) -> B::Bin
    where
        B: Place,
    {
        self.step_ball(bins, &(), rng)
    }

    /// Takes one step with a ball of any kind (a weight, a vector), which the choice does not see unless the
    /// view shows it. A rule that puts several balls puts several like this one.
    #[inline]
    fn step_ball<Ball, R>(&mut self, bins: &mut B, ball: &Ball, rng: &mut R) -> B::Bin
    where
        B: Place<Ball>,
        Ball: ?Sized,
        R: Rng + ?Sized,
    {
        let was = self.choose(bins, rng);
        let put = self.put(bins, was);
        let now = bins.put(was, ball, put);
        self.placed(bins, was, now);
        now
    }

    /// Steps until `balls` more balls are placed, or just past it where a step places several. Returns the
    /// number placed.
    fn run<R: Rng + ?Sized>(&mut self, bins: &mut B, balls: u64, rng: &mut R) -> u64
    where
        B: Place,
    {
        let mut placed = 0;
        while placed < balls {
            let was = self.choose(bins, rng);
            let put = self.put(bins, was);
            let now = bins.put(was, &(), put);
            self.placed(bins, was, now);
            placed += put.count();
        }
        placed
    }

    /// Starts on these loads, then runs.
    ///
    /// # Errors
    ///
    /// What [`start`](Self::start) finds; then no ball is placed.
    fn start_and_run<R>(&mut self, bins: &mut B, balls: u64, rng: &mut R) -> Result<u64, StartError>
    where
        B: Place,
        R: Rng + ?Sized,
    {
        self.start(bins)?;
        Ok(self.run(bins, balls, rng))
    }
}

/// Makes a pointer, or a rule behind one, the rule itself: forwards what a rule may have written for itself,
/// each method by the name that it has there. The generator is handed on by `$rng`.
macro_rules! forward_allocator {
    (
        one [$($generics:tt)*] $pointer:ty, ($($deref:tt)*) ($($rng:tt)*)
        ($start:ident $choose:ident $decide:ident $put:ident $placed:ident $removed:ident $samples:ident $step:ident $run:ident)
    ) => {
        #[allow(unused_mut, reason = "only some hand on a pointer to the generator")]
        impl<B: Bins, $($generics)*> Allocator<B> for $pointer {
            fn start(&mut self, bins: &B) -> Result<(), StartError> {
                ($($deref)* self).$start(bins)
            }
            #[inline]
            fn choose<R: Rng + ?Sized>(&mut self, bins: &B, mut rng: &mut R) -> B::Bin {
                ($($deref)* self).$choose(bins, $($rng)* rng)
            }
            #[inline]
            fn decide<R: Rng + ?Sized>(&mut self, bins: &B, mut rng: &mut R) -> Decision<B::Bin> {
                ($($deref)* self).$decide(bins, $($rng)* rng)
            }
            #[inline]
            fn put(&self, bins: &B, bin: B::Bin) -> Put {
                ($($deref)* self).$put(bins, bin)
            }
            #[inline]
            fn placed(&mut self, bins: &B, was: B::Bin, now: B::Bin) {
                ($($deref)* self).$placed(bins, was, now);
            }
            #[inline]
            fn removed(&mut self, bins: &B, was: B::Bin, now: B::Bin) {
                ($($deref)* self).$removed(bins, was, now);
            }
            fn sample_count(&self) -> Option<SampleCount> {
                ($($deref)* self).$samples()
            }
            #[inline]
            fn step<R: Rng + ?Sized>(&mut self, bins: &mut B, mut rng: &mut R) -> B::Bin
            where
                B: Place,
            {
                ($($deref)* self).$step(bins, $($rng)* rng)
            }
            fn run<R: Rng + ?Sized>(&mut self, bins: &mut B, balls: u64, mut rng: &mut R) -> u64
            where
                B: Place,
            {
                ($($deref)* self).$run(bins, balls, $($rng)* rng)
            }
        }
    };
    ($generics:tt $($pointer:ty),* => $deref:tt $rng:tt $names:tt) => {
        $($crate::allocator::forward_allocator!(one $generics $pointer, $deref $rng $names);)*
    };
}
pub(crate) use forward_allocator;

forward_allocator!(
    [A: Allocator<B> + ?Sized] &mut A, Box<A> => (**) ()
    (start choose decide put placed removed sample_count step run)
);

/// How many bins a rule samples: the messages it costs.
///
/// # Examples
///
/// ```
/// use bb_core::SampleCount;
///
/// assert_eq!(SampleCount::PerBall(1.5).per_ball(10), 1.5);
/// assert_eq!(SampleCount::Counted(17).per_ball(10), 1.7);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum SampleCount {
    /// The expected number for every ball, known beforehand.
    PerBall(f64),
    /// Counted since the rule was made or last started.
    Counted(u64),
}

impl SampleCount {
    /// Returns the mean number of samples a ball, after `balls` balls; not a number for none.
    #[must_use]
    pub fn per_ball(self, balls: u64) -> f64 {
        match self {
            Self::PerBall(each) => each,
            Self::Counted(counted) => counted as f64 / balls as f64,
        }
    }
}
