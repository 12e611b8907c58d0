//! How one trial is played: a clone of the rule starts, throws, and tells what only it knows.
//!
//! What depends on the type of the rule is kept to a few lines, since it is compiled for every rule and every
//! kind of loads; all else is written for the functions in between.

use core::mem;
use std::sync::Arc;

use bb_core::{
    Allocator, DynamicLoads, LoadProfile, LoadVector, Metrics, Place, ProfileWithCounters, RankedVector, TrialRng,
    WithCounters,
};
use bb_memory::MemoryReport;
use bb_processes::{BallModel, Batched, Delayed, DelayedTwoChoice, KeyView, WeightLaw, throw_weighted};
use bb_thinning::{Thinning, ThinningStrategy};

use super::Thrown;
use crate::error::ExperimentError;
use crate::seen::{SeenVectors, SeenWeights};
use crate::setting::{Delay, Reports, Setting};

/// When a trial ends.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Length {
    Balls(u64),
    /// Steps of a rule, rounds of a system.
    Steps(u64),
}

impl Length {
    /// The number of balls where a step places one.
    pub(super) fn one_ball_a_step(self) -> u64 {
        let (Self::Balls(count) | Self::Steps(count)) = self;
        count
    }
}

type Outcome = Result<Thrown, ExperimentError>;

/// Plays a trial on loads of the kind `L`.
pub(crate) type Play<L> = Arc<dyn Fn(&mut L, Length, &mut TrialRng) -> Outcome + Send + Sync>;

/// The same in a setting with batches or delays.
pub(crate) type PlaySet<L> = Arc<dyn Fn(&mut L, Setting, Length, &mut TrialRng) -> Outcome + Send + Sync>;

/// What plays a trial, by the loads that it is played on.
pub(crate) enum On {
    Labelled(Play<LoadVector>),
    Counted(Play<LoadProfile>),
    System(Play<DynamicLoads>),
    CountedSystem(Play<LoadProfile>),
}

/// What plays a trial in this setting.
pub(super) fn set<L: 'static>(play: &PlaySet<L>, setting: Setting) -> Play<L> {
    let play = Arc::clone(play);
    Arc::new(move |loads, length, rng| play(loads, setting, length, rng))
}

/// Plays a trial with so many balls of these weights.
pub(crate) type PlayWeights = Arc<
    dyn Fn(SeenWeights, &WeightLaw, u64, &mut TrialRng) -> Result<(SeenWeights, Thrown), ExperimentError> + Send + Sync,
>;

/// Plays a trial with so many balls of several dimensions.
pub(crate) type PlayVectors =
    Arc<dyn Fn(&mut KeyView<SeenVectors>, &BallModel, u64, &mut TrialRng) -> Outcome + Send + Sync>;

/// A clone of the rule starts and throws; `tell` adds what only this rule knows.
fn telling<A, B>(rule: A, tell: impl Fn(&A, Thrown) -> Thrown + Send + Sync + 'static) -> Play<B>
where
    A: Allocator<B> + Clone + Send + Sync + 'static,
    B: Place + 'static,
{
    Arc::new(move |bins, length, rng| {
        let mut rule = rule.clone();
        rule.start(bins)?;
        match length {
            Length::Balls(balls) => _ = rule.run(bins, balls, rng),
            Length::Steps(steps) => {
                for _ in 0..steps {
                    rule.step(bins, rng);
                }
            }
        }
        Ok(tell(&rule, Thrown { samples: rule.sample_count(), ..Thrown::default() }))
    })
}

pub(super) fn rule<A, B>(rule: A) -> Play<B>
where
    A: Allocator<B> + Clone + Send + Sync + 'static,
    B: Place + 'static,
{
    telling(rule, |_, thrown| thrown)
}

pub(super) fn with_memory<A>(rule: A, report: fn(&A) -> MemoryReport) -> Play<LoadVector>
where
    A: Allocator<LoadVector> + Clone + Send + Sync + 'static,
{
    telling(rule, move |rule, thrown| Thrown { memory: Some(report(rule)), ..thrown })
}

pub(super) fn strategy<S, B>(strategy: S) -> Play<B>
where
    S: ThinningStrategy<B> + Clone + Send + Sync + 'static,
    B: Place + 'static,
{
    telling(Thinning::new(strategy), |rule, thrown| Thrown {
        rejections: per_ball(rule.rejections(), rule.balls()),
        unrealizable_at: rule.strategy().unrealizable_at(),
        ..thrown
    })
}

/// Of no ball there is no share.
fn per_ball(rejections: u64, balls: u64) -> Option<f64> {
    (balls > 0).then(|| rejections as f64 / balls as f64)
}

pub(super) fn weights<A>(rule: A) -> PlayWeights
where
    A: Allocator<SeenWeights> + Clone + Send + Sync + 'static,
{
    Arc::new(move |mut seen, law, balls, rng| {
        let mut rule = rule.clone();
        rule.start(&seen)?;
        throw_weighted(&mut rule, &mut seen, law, balls, rng)?;
        Ok((seen, Thrown { samples: rule.sample_count(), ..Thrown::default() }))
    })
}

pub(super) fn strategy_weights<S>(strategy: S) -> PlayWeights
where
    S: ThinningStrategy<WithCounters<SeenWeights>> + Clone + Send + Sync + 'static,
{
    let counters = strategy.counters();
    Arc::new(move |seen, law, balls, rng| {
        let mut rule = Thinning::new(strategy.clone());
        let mut seen = WithCounters::new(seen, counters)?;
        rule.start(&seen)?;
        throw_weighted(&mut rule, &mut seen, law, balls, rng)?;
        let samples = Allocator::<WithCounters<SeenWeights>>::sample_count(&rule);
        let rejections = per_ball(rule.rejections(), rule.balls());
        Ok((seen.into_loads(), Thrown { samples, rejections, ..Thrown::default() }))
    })
}

pub(super) fn vectors<A>(rule: A) -> PlayVectors
where
    A: Allocator<KeyView<SeenVectors>> + Clone + Send + Sync + 'static,
{
    Arc::new(move |view, model, balls, rng| {
        let mut rule = rule.clone();
        view.start(&mut rule, model)?;
        view.run(&mut rule, &mut model.clone(), balls, rng);
        Ok(Thrown { samples: rule.sample_count(), ..Thrown::default() })
    })
}

/// Labelled loads that hold a vector.
pub(super) trait Labelled: Place<Bin = usize, Load = u64> + Metrics + Clone + 'static {
    fn of(loads: LoadVector) -> Self;
    fn into_vector(self) -> LoadVector;
}

impl Labelled for LoadVector {
    fn of(loads: LoadVector) -> Self {
        loads
    }
    fn into_vector(self) -> LoadVector {
        self
    }
}

impl Labelled for RankedVector {
    fn of(loads: LoadVector) -> Self {
        loads.into()
    }
    fn into_vector(self) -> LoadVector {
        self.into_loads()
    }
}

/// Plays on what is put around the loads, and takes it away again, also where the rule could not start.
fn around<L, W>(
    loads: &mut L,
    wrapped: impl FnOnce(L) -> Result<W, ExperimentError>,
    play: impl FnOnce(&mut W) -> Outcome,
    unwrapped: impl FnOnce(W) -> L,
    nothing: L,
) -> Outcome {
    let mut inside = wrapped(mem::replace(loads, nothing))?;
    let thrown = play(&mut inside);
    *loads = unwrapped(inside);
    thrown
}

/// What stands in the place of loads while they are inside of others.
fn one_bin() -> LoadVector {
    LoadVector::new(1).expect("one bin is little")
}

pub(super) fn with_ranks(play: Play<RankedVector>) -> Play<LoadVector> {
    Arc::new(move |loads, length, rng| {
        let play = |ranked: &mut RankedVector| play(ranked, length, rng);
        around(loads, |loads| Ok(loads.into()), play, RankedVector::into_loads, one_bin())
    })
}

pub(super) fn with_counters<L: Labelled>(counters: u8, play: Play<WithCounters<L>>) -> Play<LoadVector> {
    Arc::new(move |loads, length, rng| {
        let wrapped = |loads| Ok(WithCounters::new(L::of(loads), counters)?);
        around(
            loads,
            wrapped,
            |marked| play(marked, length, rng),
            |marked| marked.into_loads().into_vector(),
            one_bin(),
        )
    })
}

pub(super) fn counted_with_counters(counters: u8, play: Play<ProfileWithCounters>) -> Play<LoadProfile> {
    Arc::new(move |loads, length, rng| {
        let wrapped = |loads| Ok(ProfileWithCounters::new(loads, counters));
        let nothing = LoadProfile::new(1).expect("one bin is little");
        around(loads, wrapped, |marked| play(marked, length, rng), ProfileWithCounters::into_loads, nothing)
    })
}

/// Loads around which a setting is put: a batch, or a delay.
pub(super) fn late<L: Labelled>(batched: Play<Batched<L>>, delayed: Play<Delayed<L>>) -> PlaySet<LoadVector> {
    Arc::new(move |loads, setting, length, rng| match setting {
        Setting::Batched(batch) => around(
            loads,
            |loads| Ok(Batched::new(L::of(loads), batch)?),
            |seen| Ok(batched(seen, length, rng)?.with_batch_end_gap(seen.batch_end_gap())),
            |seen| seen.into_loads().into_vector(),
            one_bin(),
        ),
        _ => around(
            loads,
            |loads| Ok(Delayed::new(L::of(loads), number(setting))?),
            |seen| delayed(seen, length, rng),
            |seen| seen.into_loads().into_vector(),
            one_bin(),
        ),
    })
}

/// The same with counters of each bin, which are up to date in every setting.
pub(super) fn late_with_counters<L: Labelled>(
    counters: u8,
    batched: Play<WithCounters<Batched<L>>>,
    delayed: Play<WithCounters<Delayed<L>>>,
) -> PlaySet<LoadVector> {
    Arc::new(move |loads, setting, length, rng| match setting {
        Setting::Batched(batch) => around(
            loads,
            |loads| Ok(WithCounters::new(Batched::new(L::of(loads), batch)?, counters)?),
            |seen| Ok(batched(seen, length, rng)?.with_batch_end_gap(seen.loads().batch_end_gap())),
            |seen| seen.into_loads().into_loads().into_vector(),
            one_bin(),
        ),
        _ => around(
            loads,
            |loads| Ok(WithCounters::new(Delayed::new(L::of(loads), number(setting))?, counters)?),
            |seen| delayed(seen, length, rng),
            |seen| seen.into_loads().into_loads().into_vector(),
            one_bin(),
        ),
    })
}

/// The balls of a batch, or how late loads are at most.
pub(super) fn number(setting: Setting) -> u64 {
    match setting {
        Setting::Fresh => 0,
        Setting::Batched(number) | Setting::Delayed(Delay { tau: number, .. }) => number,
    }
}

/// Two samples are compared by what is reported of both.
pub(super) fn comparing_reports(Delay { tau, reports }: Delay) -> Play<LoadVector> {
    let play: Play<Delayed<LoadVector>> = rule(match reports {
        Reports::Uniform => DelayedTwoChoice::uniform(),
        _ => DelayedTwoChoice::adversarial(),
    });
    Arc::new(move |loads, length, rng| {
        let wrapped = |loads| Ok(Delayed::new(loads, tau)?);
        around(loads, wrapped, |seen| play(seen, length, rng), Delayed::into_loads, one_bin())
    })
}
