//! Schemes beside the basic ones. The rest of the crate knows nothing of them.
//!
//! | what | schemes |
//! | --- | --- |
//! | other counters | [`ApproximateCounters`], [`RelativeCounters`], [`Thresholds`], [`ThresholdBit`] |
//! | other clusters | [`AdaptiveClusters`], [`SplittingClusters`] |
//! | other lists and marks | [`IdleHint`], [`Window`] |
//! | a position and nothing else | [`ClockHand`] |
//! | advice now and then | [`EpochAdvice`] |
//! | probing | [`ResetMemory`], [`JoinIdleQueue`] |

mod adaptive;
mod approximate;
mod clock_hand;
mod epoch;
mod idle_hint;
mod idle_queue;
mod relative;
mod reset;
mod thresholds;
mod window;

pub use self::adaptive::{AdaptiveClusters, AdaptiveDecider, Leaves, SplittingClusters};
pub use self::approximate::ApproximateCounters;
pub use self::clock_hand::ClockHand;
pub use self::epoch::EpochAdvice;
pub use self::idle_hint::{HintDecider, IdleHint};
pub use self::idle_queue::{JoinIdleQueue, QueueOrder};
pub use self::relative::RelativeCounters;
pub use self::reset::ResetMemory;
pub use self::thresholds::{ThresholdBit, Thresholds};
pub use self::window::Window;
