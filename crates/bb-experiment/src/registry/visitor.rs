//! What is done with a rule by name: [`RuleVisitor`], [`with_rule`].

use bb_core::{Allocator, DynamicLoads, LoadProfile, LoadVector, ProbeRule, RankRule, RankedVector};
use bb_processes::System;

use super::{Entry, Kind, Registrar, Values, register, rules};
use crate::rule_for_view::OnLabels;
use crate::{
    AnySetting, AnyThinning, AnyView, AnyWeightedThinning, AnyWeights, RuleError, RuleForView, RuleSpec, WithMemory,
};

/// What is to be done with a rule, strategy or system whose type depends on its name.
///
/// A visitor says what it does with each kind of type, and what comes of all others ([`refuse`](Self::refuse)).
///
/// # Examples
///
/// Rules:
///
/// ```
/// use bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
/// use bb_experiment::{Kind, RuleVisitor, Size, with_rule};
///
/// /// Throws the balls and tells the maximum load.
/// struct Throw(Size);
///
/// impl RuleVisitor for Throw {
///     type Output = Result<u64, Kind>;
///     fn refuse(self, kind: Kind) -> Result<u64, Kind> {
///         Err(kind)
///     }
///     fn visit<A: Allocator<LoadVector> + Clone + Send + Sync>(self, mut rule: A) -> Result<u64, Kind> {
///         let mut loads = LoadVector::new(self.0.bins).unwrap();
///         rule.run(&mut loads, self.0.balls, &mut rng_for_trial(1, 0));
///         Ok(loads.max_load())
///     }
/// }
///
/// let size = Size { bins: 100, balls: 1000 };
/// let max_load = with_rule(&"two-choice".parse()?, size, Throw(size))?;
/// assert!((11..=13).contains(&max_load.unwrap()));
/// assert_eq!(with_rule(&"supermarket".parse()?, size, Throw(size))?, Err(Kind::System));
/// # Ok::<(), bb_experiment::RuleError>(())
/// ```
///
/// Thinning strategies and systems:
///
/// ```
/// use bb_core::{Allocator, DynamicLoads, LoadProfile, MarkedProfile, Metrics, rng_for_trial};
/// use bb_experiment::bb_processes::System;
/// use bb_experiment::bb_thinning::Thinning;
/// use bb_experiment::{AnyThinning, Kind, RuleVisitor, Size, with_rule};
///
/// /// Tells the share of primaries that is rejected; of a system, the maximum load over a hundred rounds.
/// struct Watch(Size);
///
/// impl RuleVisitor for Watch {
///     type Output = f64;
///     fn refuse(self, kind: Kind) -> f64 {
///         panic!("{kind} is not watched")
///     }
///     fn visit_strategy<S: AnyThinning>(self, strategy: S) -> f64 {
///         let mut loads = MarkedProfile::new(LoadProfile::new(self.0.bins).unwrap(), strategy.counters());
///         let mut rule = Thinning::new(strategy);
///         rule.start_and_run(&mut loads, self.0.balls, &mut rng_for_trial(1, 0)).unwrap();
///         rule.rejections() as f64 / self.0.balls as f64
///     }
///     fn visit_system<S>(self, mut system: S) -> f64
///     where
///         S: System<DynamicLoads> + System<LoadProfile> + Clone + Send + Sync,
///     {
///         let mut loads = LoadProfile::new(self.0.bins).unwrap();
///         let mut most = 0;
///         let look = |_, loads: &LoadProfile| most = most.max(loads.max_load());
///         system.run_with_checkpoints(&mut loads, 100, 0..=100, &mut rng_for_trial(1, 0), look);
///         most as f64
///     }
/// }
///
/// let size = Size { bins: 10_000, balls: 10_000 };
/// let share = with_rule(&"thinning-threshold:l=1".parse()?, size, Watch(size))?;
/// assert!((share - (-1_f64).exp()).abs() < 0.03);
/// let most = with_rule(&"leaky:lambda=0.9".parse()?, size, Watch(size))?;
/// assert!((4.0..12.0).contains(&most));
/// # Ok::<(), bb_experiment::RuleError>(())
/// ```
pub trait RuleVisitor: Sized {
    /// What comes out.
    type Output;

    /// What comes out for a type that the visitor has no method for; `kind` is what the name stands for.
    fn refuse(self, kind: Kind) -> Self::Output;

    /// Takes a rule for labelled bins, seen as they are or not. A visitor that asks for less than [`AnyView`] may say so.
    fn visit<A>(self, rule: A) -> Self::Output
    where
        A: AnyView + Clone + Send + Sync,
    {
        let _ = rule;
        self.refuse(Kind::Rule)
    }

    /// Takes a rule that sees bins only through their loads, and so runs on counted bins too. Default: as any other.
    fn visit_any_view<A>(self, rule: A) -> Self::Output
    where
        A: AnyView + Allocator<LoadProfile> + Clone + Send + Sync,
    {
        self.visit(rule)
    }

    /// Takes a rule for labelled bins that also runs on balls with weights. Default: as any other.
    fn visit_weighted<A>(self, rule: A) -> Self::Output
    where
        A: AnyView + AnyWeights + Clone + Send + Sync,
    {
        self.visit(rule)
    }

    /// Takes a rule that sees bins only through their loads, and also runs on balls with weights. Default: as one that does not.
    fn visit_any_view_weighted<A>(self, rule: A) -> Self::Output
    where
        A: AnyView + AnyWeights + Allocator<LoadProfile> + Clone + Send + Sync,
    {
        self.visit_any_view(rule)
    }

    /// Takes a rule that is described by its probes, and also runs on balls with weights. Default: as one that does not.
    fn visit_described_weighted<A>(self, rule: A) -> Self::Output
    where
        A: ProbeRule + AnyView + AnyWeights + Allocator<LoadProfile> + Clone + Send + Sync,
    {
        self.visit_described(rule)
    }

    /// Takes a rule that is of another type for each kind of loads. Default: as any other, for labelled bins.
    fn visit_for_view<F>(self, rule: F) -> Self::Output
    where
        F: RuleForView,
    {
        self.visit(OnLabels::new(&rule))
    }

    /// Takes a rule that is described by its probes, and so can be run in bulk. Default: as any other on any view.
    fn visit_described<A>(self, rule: A) -> Self::Output
    where
        A: ProbeRule + AnyView + Allocator<LoadProfile> + Clone + Send + Sync,
    {
        self.visit_any_view(rule)
    }

    /// Takes a rule that asks for ranks: it runs on labelled bins that know them, on counted bins, and in bulk.
    fn visit_ranked<A>(self, rule: A) -> Self::Output
    where
        A: RankRule + AnySetting<RankedVector> + Allocator<LoadProfile> + Clone + Send + Sync,
    {
        let _ = rule;
        self.refuse(Kind::Rule)
    }

    /// Takes a thinning strategy that sees loads and counters.
    fn visit_strategy<S: AnyThinning>(self, strategy: S) -> Self::Output {
        let _ = strategy;
        self.refuse(Kind::Strategy)
    }

    /// Takes a thinning strategy that also runs on balls with weights. Default: as one that does not.
    fn visit_strategy_weighted<S>(self, strategy: S) -> Self::Output
    where
        S: AnyThinning + AnyWeightedThinning,
    {
        self.visit_strategy(strategy)
    }

    /// Takes a thinning strategy that sees ranks besides.
    fn visit_ranked_strategy<S: AnyThinning<RankedVector>>(self, strategy: S) -> Self::Output {
        let _ = strategy;
        self.refuse(Kind::Strategy)
    }

    /// Takes a rule with a bounded memory.
    fn visit_memory<A>(self, rule: A) -> Self::Output
    where
        A: WithMemory + Allocator<LoadVector> + Clone + Send + Sync,
    {
        let _ = rule;
        self.refuse(Kind::Memory)
    }

    /// Takes a system in which balls also leave.
    fn visit_system<S>(self, system: S) -> Self::Output
    where
        S: System<DynamicLoads> + System<LoadProfile> + Clone + Send + Sync,
    {
        let _ = system;
        self.refuse(Kind::System)
    }

    /// Takes a system whose rule has a bounded memory; its bins are labelled.
    fn visit_memory_system<S>(self, system: S) -> Self::Output
    where
        S: WithMemory + System<DynamicLoads> + Clone + Send + Sync,
    {
        let _ = system;
        self.refuse(Kind::System)
    }
}

/// How many bins and balls there are, for strategies and memories that are made for them; [`RuleVisitor`] has an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Size {
    /// The number of bins.
    pub bins: u64,
    /// The number of balls.
    pub balls: u64,
}

/// Builds what `spec` names, for this size, and hands it to `visitor`; [`RuleVisitor`] shows it.
///
/// # Errors
///
/// If there is no such name or parameter, or a value is outside its range; the visitor is not called then.
pub fn with_rule<V: RuleVisitor>(spec: &RuleSpec, size: Size, visitor: V) -> Result<V::Output, RuleError> {
    struct Build<'a, V: RuleVisitor> {
        spec: &'a RuleSpec,
        size: Size,
        visitor: Option<V>,
        output: Option<Result<V::Output, RuleError>>,
    }

    impl<V: RuleVisitor> Registrar for Build<'_, V> {
        fn enter<E: Entry>(&mut self) {
            if E::INFO.name == self.spec.name()
                && let Some(visitor) = self.visitor.take()
            {
                let values = Values::new(E::INFO, self.spec, self.size);
                self.output = Some(values.and_then(|values| E::build(&values, visitor)));
            }
        }
    }

    let mut build = Build { spec, size, visitor: Some(visitor), output: None };
    register(&mut build);
    build.output.unwrap_or_else(|| {
        let known = rules().iter().map(|info| info.name).collect();
        Err(RuleError::UnknownRule { rule: spec.name().to_owned(), known })
    })
}
