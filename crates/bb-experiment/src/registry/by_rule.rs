//! Rules by name: [`with_rule`].

use bb_core::{Allocator, LoadProfile, ProbeRule, RankRule, RankedVector};

use super::{Entry, Registrar, Values, register, unknown};
use crate::rule_for_view::OnLabels;
use crate::{AnySetting, RuleError, RuleForView, RuleSpec};

/// What is to be done with a rule whose type depends on its name.
///
/// # Examples
///
/// ```
/// use bb_core::{Allocator, LoadProfile, LoadVector, Metrics, RankRule, RankedVector, rng_for_trial};
/// use bb_experiment::{RuleVisitor, with_rule};
///
/// /// Throws this many balls into a hundred bins and tells the maximum load.
/// struct Throw(u64);
///
/// impl RuleVisitor for Throw {
///     type Output = u64;
///     fn visit<A: Allocator<LoadVector> + Clone + Send + Sync>(self, mut rule: A) -> u64 {
///         let mut loads = LoadVector::new(100).unwrap();
///         rule.run(&mut loads, self.0, &mut rng_for_trial(1, 0));
///         loads.max_load()
///     }
///     fn visit_ranked<A>(self, mut rule: A) -> u64
///     where
///         A: RankRule + Allocator<RankedVector> + Allocator<LoadProfile> + Clone + Send + Sync,
///     {
///         let mut loads = RankedVector::from(LoadVector::new(100).unwrap());
///         rule.run(&mut loads, self.0, &mut rng_for_trial(1, 0));
///         loads.max_load()
///     }
/// }
///
/// let max_load = with_rule(&"two-choice".parse()?, Throw(1000))?;
/// assert!((11..=13).contains(&max_load));
/// # Ok::<(), bb_experiment::RuleError>(())
/// ```
pub trait RuleVisitor {
    /// What comes out.
    type Output;

    /// Takes a rule for labelled bins, seen as they are or not. A visitor that asks for less than [`AnySetting`] may say so.
    fn visit<A>(self, rule: A) -> Self::Output
    where
        A: AnySetting + Clone + Send + Sync;

    /// Takes a rule that sees bins only through their loads, and so runs on counted bins too. Default: as any other.
    fn visit_any_view<A>(self, rule: A) -> Self::Output
    where
        A: AnySetting + Allocator<LoadProfile> + Clone + Send + Sync,
        Self: Sized,
    {
        self.visit(rule)
    }

    /// Takes a rule that is of another type for each kind of loads. Default: as any other, for labelled bins.
    fn visit_for_view<F>(self, rule: F) -> Self::Output
    where
        F: RuleForView,
        Self: Sized,
    {
        self.visit(OnLabels::new(&rule))
    }

    /// Takes a rule that is described by its probes, and so can be run in bulk. Default: as any other on any view.
    fn visit_described<A>(self, rule: A) -> Self::Output
    where
        A: ProbeRule + AnySetting + Allocator<LoadProfile> + Clone + Send + Sync,
        Self: Sized,
    {
        self.visit_any_view(rule)
    }

    /// Takes a rule that asks for ranks: it runs on labelled bins that know them, on counted bins, and in bulk.
    fn visit_ranked<A>(self, rule: A) -> Self::Output
    where
        A: RankRule + AnySetting<RankedVector> + Allocator<LoadProfile> + Clone + Send + Sync;
}

/// Builds the rule that `spec` names and hands it to `visitor`; [`RuleVisitor`] shows it.
///
/// # Errors
///
/// If there is no such rule or parameter, or a value is outside its range; the visitor is not called then.
pub fn with_rule<V: RuleVisitor>(spec: &RuleSpec, visitor: V) -> Result<V::Output, RuleError> {
    struct Build<'a, V: RuleVisitor> {
        spec: &'a RuleSpec,
        visitor: Option<V>,
        output: Option<Result<V::Output, RuleError>>,
    }

    impl<V: RuleVisitor> Registrar for Build<'_, V> {
        fn enter<E: Entry>(&mut self) {
            if E::INFO.name == self.spec.name()
                && let Some(visitor) = self.visitor.take()
            {
                self.output = Some(Values::new(E::INFO, self.spec).and_then(|values| Ok(E::build(&values, visitor)?)));
            }
        }
    }

    let mut build = Build { spec, visitor: Some(visitor), output: None };
    register(&mut build);
    build.output.unwrap_or_else(|| Err(unknown(spec)))
}
