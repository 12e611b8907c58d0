//! Rules that are made for the loads at hand: [`RuleForView`].

use bb_core::{Allocator, Bins, Decision, LoadVector, Place, Probes, Put, Rng, StartError};
use bb_processes::{Batched, Caching, Delayed, KdChoice, KeyView, Memory};

use crate::{SeenVectors, SeenWeights};

/// A rule that is of another type for each kind of loads.
///
/// Rules that remember bins are of this kind, because bins have other names on labelled and on counted bins. What they have in common, their parameters, makes the rule for the loads at hand.
///
/// # Examples
///
/// A rule that remembers where the last ball went, and stays there until a sample is lighter:
///
/// ```
/// use bb_core::{Allocator, Bins, BinsExt, Rng};
/// use bb_experiment::{Engine, Experiment, RuleForView};
///
/// #[derive(Clone)]
/// struct Stay<Bin> { last: Option<Bin> }
///
/// impl<B: Bins> Allocator<B> for Stay<B::Bin> {
///     fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> B::Bin {
///         let sample = bins.draw(rng);
///         self.last.map_or(sample, |last| bins.lighter(last, sample))
///     }
///     fn placed(&mut self, _: &B, _: B::Bin, now: B::Bin) {
///         self.last = Some(now);
///     }
/// }
///
/// struct MakeStay;
///
/// impl RuleForView for MakeStay {
///     type Rule<B: Bins<Bin: Send + Sync>> = Stay<B::Bin>;
///     fn rule<B: Bins<Bin: Send + Sync>>(&self) -> Stay<B::Bin> {
///         Stay { last: None }
///     }
/// }
///
/// let experiment = Experiment::new(1000, 10_000).with_trials(10);
/// for engine in [Engine::Vector, Engine::Profile] {
///     let report = experiment.clone().with_engine(engine).run_for_view("stay", &MakeStay)?;
///     assert!(report.gap().max() < Some(6.0));
/// }
/// # Ok::<(), bb_experiment::ExperimentError>(())
/// ```
pub trait RuleForView {
    /// The rule on loads of the kind `B`.
    type Rule<B: Bins<Bin: Send + Sync>>: Allocator<B> + Clone + Send + Sync;

    /// Makes the rule for loads of the kind `B`.
    fn rule<B: Bins<Bin: Send + Sync>>(&self) -> Self::Rule<B>;
}

impl RuleForView for Caching {
    type Rule<B: Bins<Bin: Send + Sync>> = Caching<B::Bin>;

    fn rule<B: Bins<Bin: Send + Sync>>(&self) -> Caching<B::Bin> {
        self.for_bins()
    }
}

impl RuleForView for Memory {
    type Rule<B: Bins<Bin: Send + Sync>> = Memory<B::Bin>;

    fn rule<B: Bins<Bin: Send + Sync>>(&self) -> Memory<B::Bin> {
        self.for_bins()
    }
}

impl RuleForView for KdChoice {
    type Rule<B: Bins<Bin: Send + Sync>> = KdChoice<B::Bin>;

    fn rule<B: Bins<Bin: Send + Sync>>(&self) -> KdChoice<B::Bin> {
        self.for_bins()
    }
}

/// The rule on labelled bins, made for each setting.
pub(crate) struct OnLabels<F: RuleForView> {
    fresh: F::Rule<LoadVector>,
    batched: F::Rule<Batched<LoadVector>>,
    delayed: F::Rule<Delayed<LoadVector>>,
    key: F::Rule<KeyView<SeenVectors>>,
    weights: F::Rule<SeenWeights>,
}

impl<F: RuleForView> Clone for OnLabels<F> {
    fn clone(&self) -> Self {
        Self {
            fresh: self.fresh.clone(),
            batched: self.batched.clone(),
            delayed: self.delayed.clone(),
            key: self.key.clone(),
            weights: self.weights.clone(),
        }
    }
}

impl<F: RuleForView> OnLabels<F> {
    pub(crate) fn new(rule: &F) -> Self {
        Self { fresh: rule.rule(), batched: rule.rule(), delayed: rule.rule(), key: rule.rule(), weights: rule.rule() }
    }
}

macro_rules! allocator_by_field {
    ($($field:ident: $view:ty $(, $place:ident)?;)*) => {$(
        impl<F: RuleForView> Allocator<$view> for OnLabels<F> {
            fn start(&mut self, bins: &$view) -> Result<(), StartError> {
                self.$field.start(bins)
            }
            #[inline]
            fn choose<R: Rng + ?Sized>(&mut self, bins: &$view, rng: &mut R) -> usize {
                self.$field.choose(bins, rng)
            }
            #[inline]
            fn decide<R: Rng + ?Sized>(&mut self, bins: &$view, rng: &mut R) -> Decision<usize> {
                self.$field.decide(bins, rng)
            }
            #[inline]
            fn put(&self, bins: &$view, bin: usize) -> Put {
                self.$field.put(bins, bin)
            }
            #[inline]
            fn placed(&mut self, bins: &$view, was: usize, now: usize) {
                self.$field.placed(bins, was, now);
            }
            #[inline]
            fn removed(&mut self, bins: &$view, was: usize, now: usize) {
                self.$field.removed(bins, was, now);
            }
            fn probes(&self) -> Option<Probes> {
                self.$field.probes()
            }
            fn step_ball<Ball: ?Sized, R: Rng + ?Sized>(&mut self, bins: &mut $view, ball: &Ball, rng: &mut R) -> usize
            where
                $view: Place<Ball>,
            {
                self.$field.step_ball(bins, ball, rng)
            }
            $(fn run<R: Rng + ?Sized>(&mut self, bins: &mut $view, balls: u64, rng: &mut R) -> u64
            where
                $view: $place,
            {
                self.$field.run(bins, balls, rng)
            })?
        }
    )*};
}

allocator_by_field!(
    fresh: LoadVector, Place;
    batched: Batched<LoadVector>, Place;
    delayed: Delayed<LoadVector>, Place;
    key: KeyView<SeenVectors>, Place;
    weights: SeenWeights;
);
