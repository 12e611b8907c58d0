//! Balls and bins of several dimensions: jobs that need processor, memory and disk, and servers that have
//! some of each.

mod ball;
mod error;
mod key;
mod loads;
mod model;
mod populated;
mod rounds;
mod view;

pub use self::ball::{MultiBall, UnitWeights};
pub use self::error::DimensionsError;
pub use self::key::{BinKey, BinVector, Key};
pub use self::loads::{MultiBins, MultiLoads};
pub use self::model::{BallModel, WeightPer};
pub use self::rounds::{ParallelRounds, RoundsReport};
pub use self::view::KeyView;
