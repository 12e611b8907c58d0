//! Schemes that see the loads of their candidates: [`Probing`].

mod idle_queue;
mod remembers;
mod reset;
mod rule;

pub use self::idle_queue::{JoinIdleQueue, QueueOrder};
pub use self::remembers::Remembers;
pub use self::reset::ResetMemory;
pub use self::rule::{Candidates, Probing};
