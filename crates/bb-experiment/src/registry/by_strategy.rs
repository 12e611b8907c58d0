//! Thinning strategies by name: [`with_strategy`].

use bb_core::RankedVector;

use super::{Registrar, StrategyEntry, Values, register, unknown};
use crate::{AnyThinning, RuleError, RuleSpec};

/// What is to be done with a thinning strategy whose type depends on its name.
///
/// # Examples
///
/// ```
/// use bb_core::{Allocator, LoadProfile, MarkedProfile, rng_for_trial};
/// use bb_experiment::bb_thinning::Thinning;
/// use bb_experiment::{AnyThinning, Size, StrategyVisitor, with_strategy};
///
/// /// Tells the share of primaries that is rejected.
/// struct Rejections(Size);
///
/// impl StrategyVisitor for Rejections {
///     type Output = f64;
///     fn visit<S: AnyThinning>(self, strategy: S) -> f64 {
///         let mut loads = MarkedProfile::new(LoadProfile::new(self.0.bins).unwrap(), strategy.counters());
///         let mut rule = Thinning::new(strategy);
///         rule.start_and_run(&mut loads, self.0.balls, &mut rng_for_trial(1, 0)).unwrap();
///         rule.rejections() as f64 / self.0.balls as f64
///     }
///     fn visit_ranked<S: AnyThinning<bb_core::RankedVector>>(self, _: S) -> f64 {
///         unreachable!("it asks for no ranks")
///     }
/// }
///
/// let size = Size { bins: 10_000, balls: 10_000 };
/// let share = with_strategy(&"thinning-threshold:l=1".parse()?, size, Rejections(size))?;
/// assert!((share - (-1_f64).exp()).abs() < 0.03);
/// # Ok::<(), bb_experiment::RuleError>(())
/// ```
pub trait StrategyVisitor {
    /// What comes out.
    type Output;

    /// Takes a strategy that sees loads and counters.
    fn visit<S: AnyThinning>(self, strategy: S) -> Self::Output;

    /// Takes a strategy that sees ranks besides.
    fn visit_ranked<S: AnyThinning<RankedVector>>(self, strategy: S) -> Self::Output;
}

/// How many bins and balls there are, for strategies that are made for them; [`StrategyVisitor`] has an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Size {
    /// The number of bins.
    pub bins: u64,
    /// The number of balls.
    pub balls: u64,
}

/// Builds the thinning strategy that `spec` names and hands it to `visitor`; [`StrategyVisitor`] shows it.
///
/// # Errors
///
/// If there is no such strategy or parameter, or a value is outside its range; the visitor is not called then.
pub fn with_strategy<V: StrategyVisitor>(spec: &RuleSpec, size: Size, visitor: V) -> Result<V::Output, RuleError> {
    struct Build<'a, V: StrategyVisitor> {
        spec: &'a RuleSpec,
        size: Size,
        visitor: Option<V>,
        output: Option<Result<V::Output, RuleError>>,
    }

    impl<V: StrategyVisitor> Registrar for Build<'_, V> {
        fn enter_strategy<E: StrategyEntry>(&mut self) {
            if E::INFO.name == self.spec.name()
                && let Some(visitor) = self.visitor.take()
            {
                let values = Values::new(E::INFO, self.spec);
                self.output = Some(values.and_then(|values| Ok(E::build(&values, self.size, visitor)?)));
            }
        }
    }

    let mut build = Build { spec, size, visitor: Some(visitor), output: None };
    register(&mut build);
    build.output.unwrap_or_else(|| Err(unknown(spec)))
}
