use std::collections::VecDeque;

use super::decider::Listed;
use super::policy::Overflow;
use crate::error::StateError;
use crate::format::{Layout, Shape};
use crate::model::{Advice, AdviceFailure, Loads, Notes};

/// The advisor's own books: the list, kept up to date ball by ball.
#[derive(Clone, Debug)]
pub(super) struct Tracker {
    layout: Layout,
    first_threshold: u64,
    /// What happens where the list does not fit; nothing says that the run is to stop.
    on_full: Option<Overflow>,
    /// Whether the policy is to adapt the threshold, so that an outgrown list is nothing to report.
    adaptive: bool,
    threshold: u64,
    list: Listed,
    /// For a set: its bins without their excess, which the state does not have.
    set: Option<Listed>,
    /// How many entries have each excess.
    shape: Shape,
    /// Bins in the order in which they came to each excess, with some that have left it since. Kept where the
    /// order matters.
    arrivals: VecDeque<Vec<usize>>,
    /// What is shown in place of the list where that does not fit.
    nothing: Listed,
    blank: bool,
    /// Why the list cannot be written, where the run is to stop.
    stopped: Option<AdviceFailure>,
    changed: bool,
    certified: bool,
    overflows: u64,
    longest: u64,
}

impl Tracker {
    pub(super) fn new(layout: Layout, first_threshold: u64, overflow: Option<Overflow>) -> Self {
        Self {
            layout,
            first_threshold,
            on_full: Some(overflow.unwrap_or(Overflow::RaiseThreshold)),
            // `Raise` and `Fill` begin at 0 and adapt.
            adaptive: overflow != Some(Overflow::RaiseThreshold),
            threshold: first_threshold,
            list: Listed::default(),
            set: (layout.range() == 1).then(Listed::default),
            shape: Shape::default(),
            arrivals: VecDeque::new(),
            nothing: Listed::default(),
            blank: false,
            stopped: None,
            changed: true,
            certified: true,
            overflows: 0,
            longest: 0,
        }
    }

    pub(super) fn set_overflow(&mut self, overflow: Overflow) {
        self.on_full = Some(overflow);
    }

    pub(super) fn set_stopping(&mut self) {
        self.on_full = None;
    }

    pub(super) fn first_threshold(&self) -> u64 {
        self.first_threshold
    }

    #[inline]
    pub(super) fn threshold(&self) -> u64 {
        self.threshold
    }

    #[inline]
    pub(super) fn lent(&self) -> &Listed {
        match &self.set {
            _ if self.blank => &self.nothing,
            Some(set) => set,
            None => &self.list,
        }
    }

    #[inline]
    pub(super) fn stopped(&self) -> Option<&AdviceFailure> {
        self.stopped.as_ref()
    }

    /// Whether the list is another one than for the ball before.
    #[inline]
    pub(super) fn take_advice(&mut self) -> Advice {
        self.overflows += u64::from(self.blank);
        Advice::take(&mut self.changed)
    }

    pub(super) fn is_function_of_loads(&self) -> bool {
        // As long as nothing was left out, and the threshold is the first one.
        self.threshold == self.first_threshold && self.overflows == 0 && self.on_full != Some(Overflow::Fill)
    }

    pub(super) fn notes(&self) -> Notes {
        let helper_bytes = self.list.bytes() + self.arrivals.iter().map(|bins| 8 * bins.capacity() as u64).sum::<u64>();
        Notes {
            computational: false,
            bits: if self.blank { self.layout.length(&Shape::default()) } else { self.length(&self.shape) },
            threshold: Some(self.threshold),
            overflows: self.overflows,
            certified: self.certified,
            longest: Some(self.longest),
            helper_bytes,
        }
    }

    /// Begins on loads below `2^32`. `O(n)`.
    pub(super) fn begin(&mut self, loads: Loads<'_>) {
        let fresh = Self::new(self.layout, self.first_threshold, None);
        *self = Self { on_full: self.on_full, adaptive: self.adaptive, ..fresh };
        let filling = self.on_full == Some(Overflow::Fill);
        if filling || self.on_full == Some(Overflow::RaiseThreshold) {
            self.raise_for(loads, filling);
        }
        let threshold = self.threshold;
        // Empty bins, the common case, need no pass over them.
        if loads.total() > 0 {
            for (bin, load) in loads.iter().enumerate().filter(|&(_, load)| load > threshold) {
                self.insert(bin, load - threshold);
            }
        }
        if loads.total() > 0 || threshold == 0 {
            for (bin, _) in loads.iter().enumerate().filter(|&(_, load)| load == threshold) {
                self.insert(bin, 0);
                if filling && !self.fits() {
                    self.evict_last();
                    break;
                }
            }
        }
        self.settle();
        self.changed = true;
    }

    /// Finds the least threshold whose list fits, from the number of bins of each load, before any bin is
    /// listed.
    fn raise_for(&mut self, loads: Loads<'_>, filling: bool) {
        let most = if loads.total() == 0 { 0 } else { loads.iter().max().unwrap_or(0) };
        self.threshold = self.threshold.max(most.saturating_sub(1 << 20));
        let mut counts = vec![0; (most + 1).saturating_sub(self.threshold) as usize];
        if loads.total() == 0 {
            counts.iter_mut().for_each(|count| *count = loads.bins());
        } else {
            let base = self.threshold;
            loads.iter().filter(|&load| load >= base).for_each(|load| counts[(load - base) as usize] += 1);
        }
        let mut all = Shape::new(&counts);
        loop {
            let mut needed = all.clone();
            if filling {
                // Those of load T are taken one by one.
                needed.clear_least();
            }
            if needed.entries() == 0 || self.length(&needed).is_some() {
                return;
            }
            all.rise();
            self.threshold += 1;
            self.overflows += u64::from(!self.adaptive);
        }
    }

    fn orders(&self) -> bool {
        matches!(self.on_full, Some(Overflow::Fill | Overflow::KeepHeaviest))
    }

    /// Lists a bin that is not listed.
    fn insert(&mut self, bin: usize, excess: u64) {
        self.list.set(bin, excess as u32);
        if let Some(set) = &mut self.set {
            set.insert(bin);
        }
        self.shape.add(excess);
        if self.orders() {
            while self.arrivals.len() as u64 <= excess {
                self.arrivals.push_back(Vec::new());
            }
            self.arrivals[excess as usize].push(bin);
        }
    }

    fn take_out(&mut self, bin: usize) -> bool {
        if let Some(set) = &mut self.set {
            set.remove(bin);
        }
        let excess = self.list.take_out(bin);
        excess.inspect(|&excess| self.shape.remove(u64::from(excess))).is_some()
    }

    /// Drops the last bin to come to the least excess.
    fn evict_last(&mut self) {
        for excess in 0..self.arrivals.len() {
            while let Some(bin) = self.arrivals[excess].pop() {
                if self.list.excess(bin) == Some(excess as u32) {
                    self.take_out(bin);
                    return;
                }
            }
        }
    }

    /// A bin has got a ball and has this load now, the threshold or more.
    #[cold]
    #[inline(never)]
    pub(super) fn grown(&mut self, bin: usize, load: u64) {
        let was_listed = self.take_out(bin);
        let threshold = self.threshold;
        self.insert(bin, load - threshold);
        let turned_away = load == threshold && !was_listed && self.on_full == Some(Overflow::Fill) && !self.fits();
        if turned_away {
            // It is the last to come: the list is as it was.
            self.evict_last();
            return;
        }
        self.changed = true;
        self.settle();
    }

    /// A ball has left a bin, which has this load now.
    pub(super) fn removed(&mut self, bin: usize, load: u64) {
        self.certified = false;
        if self.take_out(bin) {
            if load >= self.threshold {
                self.insert(bin, load - self.threshold);
            }
            self.changed = true;
            self.settle();
        }
    }

    fn fits(&self) -> bool {
        self.length(&self.shape).is_some()
    }

    /// The bits of a list of this shape, if it fits.
    fn length(&self, shape: &Shape) -> Option<u64> {
        if self.set.is_some() { self.layout.length(&Shape::flat(shape.entries())) } else { self.layout.length(shape) }
    }

    /// Makes the list fit.
    fn settle(&mut self) {
        self.blank = false;
        while self.shape.entries() > 0 && !self.fits() {
            self.overflows += u64::from(!self.adaptive);
            match self.on_full {
                Some(Overflow::RaiseThreshold) => self.rise(),
                Some(Overflow::Fill) if self.shape.of_count(0) == 0 => self.rise(),
                Some(Overflow::Fill) => self.evict_last(),
                Some(Overflow::KeepHeaviest) => {
                    self.certified = false;
                    // A count that is out of range does not fit however few there are.
                    match self.beyond() {
                        Some((bin, _)) => _ = self.take_out(bin),
                        None => self.evict_last(),
                    }
                }
                Some(Overflow::Empty) => {
                    (self.blank, self.certified) = (true, false);
                    self.overflows -= u64::from(!self.adaptive); // Counted ball by ball.
                    return;
                }
                None => {
                    self.stopped = Some(self.failure());
                    return;
                }
            }
        }
        self.longest = self.longest.max(self.shape.entries());
    }

    /// The first bin whose count is out of range, with that count.
    fn beyond(&self) -> Option<(usize, u64)> {
        let range = self.layout.range();
        let counted = self.set.is_none() && self.shape.largest_excess().is_some_and(|excess| excess >= range);
        let entries = self.list.iter().map(|(bin, excess)| (bin, u64::from(excess)));
        if counted { entries.filter(|&(_, excess)| excess >= range).min() } else { None }
    }

    /// Why the list does not fit.
    fn failure(&self) -> AdviceFailure {
        if let Some((bin, excess)) = self.beyond() {
            let (bin, range) = (bin as u64, self.layout.range());
            return AdviceFailure::State(StateError::CountRange { bin, excess, range });
        }
        let shape = if self.set.is_some() { Shape::flat(self.shape.entries()) } else { self.shape.clone() };
        let bits = self.layout.length_of(&shape);
        AdviceFailure::Overflow { needed: bits.unwrap_or_else(|| self.layout.bits_beyond(&shape)) }
    }

    /// The threshold rises by one. `O(K)`.
    fn rise(&mut self) {
        self.threshold += 1;
        self.list.retain(|_, excess| excess.checked_sub(1).map(|less| *excess = less).is_some());
        if let Some(set) = &mut self.set {
            set.retain(|bin, _| self.list.excess(bin).is_some());
        }
        self.shape.rise();
        self.arrivals.pop_front();
    }
}
