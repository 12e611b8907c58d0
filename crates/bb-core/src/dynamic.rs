//! Rules behind a pointer: [`DynAllocator`].

use rand::Rng;

use crate::allocator::{Allocator, SampleCount, forward_allocator};
use crate::bins::Bins;
use crate::decision::Decision;
use crate::error::StartError;
use crate::load_vector::LoadVector;
use crate::place::{Place, Put};

/// The object-safe companion of [`Allocator`], for lists of different rules.
///
/// Every allocator is one, and `dyn DynAllocator<B>` is an allocator again, so a boxed rule goes wherever
/// `impl Allocator` is asked for and takes the same words from the generator. A `run` costs one virtual call,
/// a `step` one a ball.
///
/// # Examples
///
/// ```
/// use bb_core::{Allocator, Bins, BinsExt, DynAllocator, LoadVector, Metrics, Rng, rng_for_trial};
///
/// struct First;
/// impl<B: Bins> Allocator<B> for First {
///     fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> B::Bin { bins.draw(rng) }
/// }
/// struct Better;
/// impl<B: Bins> Allocator<B> for Better {
///     fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> B::Bin {
///         let [first, second] = bins.draw_pair(rng);
///         bins.lighter(first, second)
///     }
/// }
///
/// let rules: Vec<Box<dyn DynAllocator + Send>> = vec![Box::new(First), Box::new(Better)];
/// let mut gaps = Vec::new();
/// for mut rule in rules {
///     let mut loads = LoadVector::new(100)?;
///     rule.run(&mut loads, 10_000, &mut rng_for_trial(1, 0));
///     gaps.push(loads.gap());
/// }
/// assert!(gaps[1] < gaps[0]);
/// # Ok::<(), bb_core::LoadsError>(())
/// ```
pub trait DynAllocator<B: Bins = LoadVector> {
    /// [`Allocator::start`].
    ///
    /// # Errors
    ///
    /// As there.
    fn dyn_start(&mut self, bins: &B) -> Result<(), StartError>;
    /// [`Allocator::choose`].
    fn dyn_choose(&mut self, bins: &B, rng: &mut dyn Rng) -> B::Bin;
    /// [`Allocator::decide`].
    fn dyn_decide(&mut self, bins: &B, rng: &mut dyn Rng) -> Decision<B::Bin>;
    /// [`Allocator::put`].
    fn dyn_put(&self, bins: &B, bin: B::Bin) -> Put;
    /// [`Allocator::placed`].
    fn dyn_placed(&mut self, bins: &B, was: B::Bin, now: B::Bin);
    /// [`Allocator::removed`].
    fn dyn_removed(&mut self, bins: &B, was: B::Bin, now: B::Bin);
    /// [`Allocator::sample_count`].
    fn dyn_sample_count(&self) -> Option<SampleCount>;
    /// [`Allocator::step`].
    fn dyn_step(&mut self, bins: &mut B, rng: &mut dyn Rng) -> B::Bin
    where
        B: Place;
    /// [`Allocator::run`].
    fn dyn_run(&mut self, bins: &mut B, balls: u64, rng: &mut dyn Rng) -> u64
    where
        B: Place;
}

impl<B: Bins, A: Allocator<B>> DynAllocator<B> for A {
    fn dyn_start(&mut self, bins: &B) -> Result<(), StartError> {
        self.start(bins)
    }
    fn dyn_choose(&mut self, bins: &B, rng: &mut dyn Rng) -> B::Bin {
        self.choose(bins, rng)
    }
    fn dyn_decide(&mut self, bins: &B, rng: &mut dyn Rng) -> Decision<B::Bin> {
        self.decide(bins, rng)
    }
    fn dyn_put(&self, bins: &B, bin: B::Bin) -> Put {
        self.put(bins, bin)
    }
    fn dyn_placed(&mut self, bins: &B, was: B::Bin, now: B::Bin) {
        self.placed(bins, was, now);
    }
    fn dyn_removed(&mut self, bins: &B, was: B::Bin, now: B::Bin) {
        self.removed(bins, was, now);
    }
    fn dyn_sample_count(&self) -> Option<SampleCount> {
        self.sample_count()
    }
    fn dyn_step(&mut self, bins: &mut B, rng: &mut dyn Rng) -> B::Bin
    where
        B: Place,
    {
        self.step(bins, rng)
    }
    fn dyn_run(&mut self, bins: &mut B, balls: u64, rng: &mut dyn Rng) -> u64
    where
        B: Place,
    {
        self.run(bins, balls, rng)
    }
}

// `&mut rng` is a sized generator even where `R` is not, and so becomes `&mut dyn Rng`.
forward_allocator!(
    [] dyn DynAllocator<B> + '_, dyn DynAllocator<B> + Send + '_, dyn DynAllocator<B> + Sync + '_,
        dyn DynAllocator<B> + Send + Sync + '_ => (*) (&mut)
    (dyn_start dyn_choose dyn_decide dyn_put dyn_placed dyn_removed dyn_sample_count dyn_step dyn_run)
);
