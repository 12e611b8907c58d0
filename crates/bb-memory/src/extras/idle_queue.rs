use std::collections::VecDeque;

use bb_core::{Allocator, Bins, BinsExt, DynamicLoads, ParameterError, Rng, StartError, draw_below};
use num_bigint::BigUint;

use crate::error::{MemoryError, StateError, refuse};
use crate::model::{BallStream, Budget, Loads, MemoryReport, Purpose, State, StateWriter, checked_bins};
use crate::numbers::{lists, rank, rank_of_list, sum};

/// Join-idle-queue: bins that fall idle send their names, and a ball takes a name, if there is one, else a
/// uniform bin.
///
/// *State:* at most `c` names in their order, `ceil(lg Σ_{q ≤ c} n!/(n − q)!)` bits; as a pool,
/// `ceil(lg Σ_{q ≤ c} C(n, q))`. A run starts with the first `c` idle bins. *Update:* a bin whose load falls
/// to 0 sends one message, dropped if the list is full. *Class:* it is outside the model of two samples, for
/// the bin that takes the ball was not drawn; the report says probing, though it samples nothing.
/// *Randomness:* one word a ball, its key, as for [`Bounded`](crate::Bounded). *Cost:* `O(1)` a ball, `O(c)`
/// for a pool.
///
/// It needs departures: without, the list drains once and the rest is One-Choice. So it runs on
/// [`DynamicLoads`] only, in a system such as the [`Supermarket`](bb_processes::Supermarket).
///
/// # Guarantees
///
/// In the queueing setting delay vanishes for memory that grows like `log n` with a message rate above linear
/// in `n`, or for memory above logarithmic with a message rate of at least `λ n` (Gamarnik, Tsitsiklis and
/// Zubeldia, arXiv 1709.04102). Symmetric policies with message rate `O(n)` and `O(log n)` bits keep the
/// delay away from 0 (the same, arXiv 1807.02882). The scheme is that of Lu, Xie, Kliot, Geller, Larus and
/// Greenberg, 2011; see also Mitzenmacher, arXiv 1606.01833.
///
/// # Examples
///
/// ```
/// use bb_memory::bb_core::{DynamicLoads, Metrics, rng_for_trial};
/// use bb_memory::bb_processes::{Supermarket, System};
/// use bb_memory::{JoinIdleQueue, QueueOrder};
///
/// let waiting = |names| -> Result<u64, Box<dyn std::error::Error>> {
///     let mut loads = DynamicLoads::new(1000)?;
///     let rule = JoinIdleQueue::new(1000, names, QueueOrder::Fifo)?;
///     let mut system = Supermarket::new(0.9, 1)?.with_rule(rule);
///     system.start(&loads)?;
///     system.run(&mut loads, 100, &mut rng_for_trial(1, 0));
///     Ok(loads.bins_at_least(2))
/// };
/// assert!(waiting(1000)? < waiting(1)? / 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// It does not run where balls stay:
///
/// ```compile_fail
/// use bb_memory::bb_core::{Allocator, LoadVector, rng_for_trial};
/// use bb_memory::{JoinIdleQueue, QueueOrder};
///
/// let mut rule = JoinIdleQueue::new(10, 3, QueueOrder::Fifo)?;
/// rule.step(&mut LoadVector::new(10)?, &mut rng_for_trial(1, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct JoinIdleQueue {
    bins: u64,
    capacity: u64,
    order: QueueOrder,
    budget: Budget,
    names: VecDeque<usize>,
    begun: bool,
    messages: u64,
    dropped: u64,
    changes: u64,
    longest: u64,
}

/// Which name of a [`JoinIdleQueue`] a ball takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum QueueOrder {
    /// The first that came.
    #[default]
    Fifo,
    /// The last that came.
    Lifo,
    /// A uniform one.
    Pool,
}

impl JoinIdleQueue {
    /// Returns the rule with room for `names` names, all bins at most.
    ///
    /// # Errors
    ///
    /// If `names` is 0 or exceeds `2^16`, `bins` is outside `1..=2^40`.
    pub fn new(bins: u64, names: u64, order: QueueOrder) -> Result<Self, MemoryError> {
        let bins = checked_bins(bins)?;
        ParameterError::require((1..=1 << 16).contains(&names), "c", names, "1..=2^16")?;
        let capacity = names.min(bins);
        let count = match order {
            QueueOrder::Fifo | QueueOrder::Lifo => lists(bins, capacity),
            QueueOrder::Pool => sum(bins, capacity, 1),
        };
        let budget = Budget::bits((count - 1_u8).bits())?;
        let names = VecDeque::new();
        Ok(Self { bins, capacity, order, budget, names, begun: false, messages: 0, dropped: 0, changes: 0, longest: 0 })
    }

    /// Returns the most names: `c`, clamped to `n`.
    #[must_use]
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    /// Returns the names, in the order in which they came.
    pub fn names(&self) -> impl Iterator<Item = usize> + '_ {
        self.names.iter().copied()
    }

    /// Returns how many names were dropped because the list was full.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Returns the state: the names, in their order unless they are a pool.
    ///
    /// # Errors
    ///
    /// If the memory cannot be had.
    pub fn state(&self) -> Result<State, StateError> {
        let mut names: Vec<u64> = self.names.iter().map(|&bin| bin as u64).collect();
        let value = if self.order == QueueOrder::Pool {
            names.sort_unstable();
            let shorter = (names.len() as u64).checked_sub(1);
            shorter.map_or(BigUint::ZERO, |most| sum(self.bins, most, 1)) + rank(names)
        } else if let Some(rank) = rank_of_list(self.bins, &names) {
            rank
        } else {
            return refuse("a bin does not exist, or comes twice");
        };
        let mut writer = StateWriter::new(self.budget)?;
        writer.write_large(&value, self.budget.get())?;
        writer.finish()
    }

    /// Returns what the run did with its memory since the start.
    #[must_use]
    pub fn report(&self) -> MemoryReport {
        MemoryReport {
            longest_list: Some(self.longest),
            overflows: self.dropped,
            messages: Some(self.messages),
            helper_bytes: 8 * self.names.capacity() as u64,
            ..MemoryReport::probing(self.budget, self.changes, 0)
        }
    }

    fn begin(&mut self, loads: &DynamicLoads) {
        (self.begun, self.messages, self.dropped, self.changes) = (true, 0, 0, 0);
        let idle = loads.as_slice().iter().enumerate().filter(|&(_, &load)| load == 0);
        self.names = idle.map(|(bin, _)| bin).take(self.capacity as usize).collect();
        self.longest = self.names.len() as u64;
    }
}

impl Allocator<DynamicLoads> for JoinIdleQueue {
    fn start(&mut self, loads: &DynamicLoads) -> Result<(), StartError> {
        Loads::from(loads).expect_bins(self.bins)?;
        self.begin(loads);
        Ok(())
    }

    /// The name is taken off the list when the ball is placed.
    fn choose<R: Rng + ?Sized>(&mut self, loads: &DynamicLoads, rng: &mut R) -> usize {
        if !self.begun {
            self.begin(loads);
        }
        let key = rng.next_u64();
        let name = match self.order {
            QueueOrder::Fifo => self.names.front(),
            QueueOrder::Lifo => self.names.back(),
            QueueOrder::Pool if self.names.is_empty() => None,
            QueueOrder::Pool => {
                let place = draw_below(self.names.len() as u64, &mut BallStream::new(key, Purpose::Coin));
                self.names.get(place as usize)
            }
        };
        name.copied().unwrap_or_else(|| loads.draw(&mut BallStream::new(key, Purpose::Samples)))
    }

    fn placed(&mut self, _: &DynamicLoads, was: usize, _: usize) {
        let place = match self.order {
            QueueOrder::Fifo => self.names.front().is_some_and(|&name| name == was).then_some(0),
            QueueOrder::Lifo => self.names.back().is_some_and(|&name| name == was).then(|| self.names.len() - 1),
            QueueOrder::Pool => self.names.iter().position(|&name| name == was),
        };
        if let Some(place) = place {
            self.names.remove(place);
            self.changes += 1;
        }
    }

    fn removed(&mut self, loads: &DynamicLoads, was: usize, _: usize) {
        if loads.load(was) > 0 {
            return;
        }
        self.messages += 1;
        if (self.names.len() as u64) < self.capacity {
            self.names.push_back(was);
            self.longest = self.longest.max(self.names.len() as u64);
            self.changes += 1;
        } else {
            self.dropped += 1;
        }
    }
}
