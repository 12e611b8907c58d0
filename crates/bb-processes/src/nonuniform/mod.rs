//! Bins that are sampled with unequal probabilities: [`NonuniformChoice`] by [`BinProbabilities`].

mod nonuniform_choice;
mod probabilities;

pub use self::nonuniform_choice::NonuniformChoice;
pub use self::probabilities::{BinProbabilities, WeightsError, biased_threshold};
