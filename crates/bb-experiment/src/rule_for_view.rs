//! Rules that are made for the loads at hand: [`RuleForView`].

use bb_core::{Allocator, Bins};
use bb_processes::{Caching, KdChoice, Memory};

/// A rule that is of another type for each kind of loads.
///
/// Rules that remember bins are of this kind, because bins have other names on labelled and on counted bins. What they have in common, their parameters, makes the rule for the loads at hand.
///
/// # Examples
///
/// A rule that remembers where the last ball went, and stays there until a sample is lighter:
///
/// ```
/// use bb_core::{Allocator, Bins, Rng};
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
