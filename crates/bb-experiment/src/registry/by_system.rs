//! Systems by name: [`with_system`].

use bb_core::{DynamicLoads, LoadProfile};
use bb_processes::System;

use super::{Registrar, SystemEntry, Values, register, unknown};
use crate::{RuleError, RuleSpec};

/// What is to be done with a system whose type depends on its name.
///
/// # Examples
///
/// ```
/// use bb_core::{DynamicLoads, LoadProfile, Metrics, rng_for_trial};
/// use bb_experiment::bb_processes::System;
/// use bb_experiment::{SystemVisitor, with_system};
///
/// /// Tells the maximum load of a thousand bins over a hundred rounds.
/// struct Watch;
///
/// impl SystemVisitor for Watch {
///     type Output = u64;
///     fn visit<S>(self, mut system: S) -> u64
///     where
///         S: System<DynamicLoads> + System<LoadProfile> + Clone + Send + Sync,
///     {
///         let mut loads = LoadProfile::new(1000).unwrap();
///         let mut most = 0;
///         let look = |_, loads: &LoadProfile| most = most.max(loads.max_load());
///         system.run_with_checkpoints(&mut loads, 100, 0..=100, &mut rng_for_trial(1, 0), look);
///         most
///     }
/// }
///
/// let most = with_system(&"leaky:lambda=0.9".parse()?, Watch)?;
/// assert!((4..12).contains(&most));
/// # Ok::<(), bb_experiment::RuleError>(())
/// ```
pub trait SystemVisitor {
    /// What comes out.
    type Output;

    /// Takes the system.
    fn visit<S>(self, system: S) -> Self::Output
    where
        S: System<DynamicLoads> + System<LoadProfile> + Clone + Send + Sync;
}

/// Builds the system that `spec` names and hands it to `visitor`; [`SystemVisitor`] shows it.
///
/// # Errors
///
/// If there is no such system or parameter, or a value is outside its range; the visitor is not called then.
pub fn with_system<V: SystemVisitor>(spec: &RuleSpec, visitor: V) -> Result<V::Output, RuleError> {
    struct Build<'a, V: SystemVisitor> {
        spec: &'a RuleSpec,
        visitor: Option<V>,
        output: Option<Result<V::Output, RuleError>>,
    }

    impl<V: SystemVisitor> Registrar for Build<'_, V> {
        fn enter_system<E: SystemEntry>(&mut self) {
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
