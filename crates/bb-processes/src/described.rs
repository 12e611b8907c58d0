//! Rules that are described once: [`Described`].

use bb_core::{Allocator, Bins, Decision, Description, Place, Rng, decide_described};

/// Makes an [`Allocator`] of any described rule, for every view of counts.
///
/// The rules of this crate that are described by a [`Description`] are allocators themselves; this is for
/// rules of one's own.
///
/// *Cost:* [`most_samples`](Description::most_samples) draws and as many looks a ball; in a run, the phase is
/// asked for only when it ends.
///
/// # Examples
///
/// ```
/// use bb_processes::bb_core::{Allocator, LoadVector, Judgement, Metrics, Mix, Description, rng_for_trial};
/// use bb_processes::Described;
///
/// /// Takes the first of three bins that is empty, else the last.
/// struct EmptyFirst;
/// impl Description for EmptyFirst {
///     type State = u32;
///     type Phase = ();
///     fn most_samples(&self) -> u32 { 3 }
///     fn phase(&self, _: u64, _: u64) -> ((), u64) { ((), u64::MAX) }
///     fn first(&self, _: &()) -> Mix<u32> { Mix::Sure(2) }
///     fn judge(&self, _: &(), left: u32, _: u64, load: u64) -> Mix<Judgement<u32>> {
///         Mix::Sure(Judgement { keep: true, go: (load > 0).then(|| left.checked_sub(1)).flatten() })
///     }
/// }
///
/// let mut loads = LoadVector::new(1000)?;
/// Described(EmptyFirst).run(&mut loads, 1000, &mut rng_for_trial(1, 0));
/// assert!(loads.empty_bins() < 250);
/// # Ok::<(), bb_core::LoadsError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Described<P>(pub P);

impl<P: Description, B: Bins<Load = u64>> Allocator<B> for Described<P> {
    #[inline]
    fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> B::Bin {
        self.decide(bins, rng).bin
    }

    #[inline]
    fn decide<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> Decision<B::Bin> {
        let (phase, _) = self.0.phase(bins.total(), bins.bins());
        decide_described(&self.0, &phase, bins, rng)
    }

    fn run<R: Rng + ?Sized>(&mut self, bins: &mut B, balls: u64, rng: &mut R) -> u64
    where
        B: Place,
    {
        bins.throw(&self.0, &(), balls, rng);
        balls
    }
}

/// Makes a described rule an allocator, as [`Described`] does; `samples` tells how many bins a ball looks at,
/// where that is known beforehand.
macro_rules! allocator_by_description {
    ($rule:ty) => {
        $crate::described::allocator_by_description!($rule, samples: |_: &Self| None);
    };
    ($rule:ty, samples: $samples:expr $(, $parameter:ident: $bound:path)?) => {
        impl<B: bb_core::Bins<Load = u64> $(, $parameter: $bound)?> bb_core::Allocator<B> for $rule {
            #[inline]
            fn choose<R: bb_core::Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> B::Bin {
                self.decide(bins, rng).bin
            }
            #[inline]
            fn decide<R: bb_core::Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> bb_core::Decision<B::Bin> {
                let (phase, _) = bb_core::Description::phase(self, bins.total(), bins.bins());
                bb_core::decide_described(self, &phase, bins, rng)
            }
            fn sample_count(&self) -> Option<bb_core::SampleCount> {
                $samples(self)
            }
            fn run<R: bb_core::Rng + ?Sized>(&mut self, bins: &mut B, balls: u64, rng: &mut R) -> u64
            where
                B: bb_core::Place,
            {
                bins.throw(self, &(), balls, rng);
                balls
            }
        }
    };
}

pub(crate) use allocator_by_description;

/// Makes an [`Allocator`] of a rule that takes the least loaded of its samples, for loads of any kind. How
/// many samples there are is all that the rule says: `$rule.samples()`, a number or a coin between two.
///
/// Loads have a loop of their own for such rules, [`Place::throw_to_least`]. The test
/// `the_description_is_the_rule` ties it to the description.
macro_rules! allocator_by_least_of {
    ($rule:ty) => {
        impl<B: bb_core::Bins> bb_core::Allocator<B> for $rule {
            #[inline]
            fn choose<R: bb_core::Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> B::Bin {
                bb_core::least_of(bins, self.samples(), rng)
            }
            fn decide<R: bb_core::Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> bb_core::Decision<B::Bin> {
                bb_core::decide_by_least(bins, self.samples(), rng)
            }
            fn sample_count(&self) -> Option<bb_core::SampleCount> {
                Some(bb_core::SampleCount::PerBall(self.samples().mean()))
            }
            fn run<R: bb_core::Rng + ?Sized>(&mut self, bins: &mut B, balls: u64, rng: &mut R) -> u64
            where
                B: bb_core::Place,
            {
                bins.throw_to_least(self.samples(), &(), balls, rng);
                balls
            }
        }
    };
    // The description too, with its shorter way in bulk if it has one.
    ($rule:ty, described, in_bulk: $in_bulk:expr) => {
        $crate::described::allocator_by_least_of!($rule);

        /// The samples one after another, the least loaded kept.
        impl bb_core::Description for $rule {
            /// Samples after this one.
            type State = u32;
            type Phase = ();

            fn most_samples(&self) -> u32 {
                self.d
            }
            fn phase(&self, _: u64, _: u64) -> ((), u64) {
                ((), u64::MAX)
            }
            #[inline]
            fn first(&self, (): &()) -> bb_core::Mix<u32> {
                self.samples().map(|samples| samples - 1)
            }
            #[inline]
            fn judge(&self, (): &(), left: u32, kept: u64, load: u64) -> bb_core::Mix<bb_core::Judgement<u32>> {
                bb_core::Mix::Sure(bb_core::Judgement { keep: load < kept, go: left.checked_sub(1) })
            }
            fn least_of(&self) -> Option<u32> {
                let in_bulk: fn(&Self) -> Option<u32> = $in_bulk;
                in_bulk(self)
            }
        }
    };
}

pub(crate) use allocator_by_least_of;
