//! Schemes that see the loads of their samples and of the bins that they remember: [`Probing`].

mod remembers;
mod rule;

pub use self::remembers::Remembers;
pub use self::rule::{Probing, VisibleBins};
