use std::collections::VecDeque;

use super::decider::Listed;
use super::policy::Overflow;
use crate::model::advisor::Notes;
use crate::{AdviceFailure, Layout, Loads, Shape, StateError};

/// The advisor's own books: the list, kept up to date ball by ball.
#[derive(Clone, Debug)]
pub(super) struct Tracker {
    layout: Layout,
    first_threshold: u64,
    on_full: OnFull,
    /// Whether the policy is to adapt the threshold, so that an outgrown list is nothing to report.
    adaptive: bool,
    threshold: u64,
    list: Listed,
    /// For a set: its bins without their excess, which the state does not have.
    set: Option<Listed>,
    /// How many entries have each excess.
    shape: Shape,
    /// Bins in the order in which they came to each excess, with some that have left it since. Kept where the order matters.
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

/// What happens where the list does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OnFull {
    Do(Overflow),
    Stop,
}

impl Tracker {
    pub(super) fn new(layout: Layout, first_threshold: u64, overflow: Option<Overflow>) -> Self {
        Self {
            layout,
            first_threshold,
            on_full: OnFull::Do(overflow.unwrap_or(Overflow::RaiseThreshold)),
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
        self.on_full = OnFull::Do(overflow);
    }

    pub(super) fn set_stopping(&mut self) {
        self.on_full = OnFull::Stop;
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
    pub(super) fn take_changed(&mut self) -> bool {
        if self.blank {
            self.overflows += 1;
        }
        core::mem::take(&mut self.changed)
    }

    pub(super) fn content_bits(&self) -> Option<u64> {
        if self.blank { self.layout.length(&Shape::default()) } else { self.length(&self.shape) }
    }

    pub(super) fn is_function_of_loads(&self) -> bool {
        // As long as nothing was left out, and the threshold is the first one.
        self.threshold == self.first_threshold && self.overflows == 0 && self.on_full != OnFull::Do(Overflow::Fill)
    }

    pub(super) fn notes(&self) -> Notes {
        let helper_bytes = self.list.bytes() + self.arrivals.iter().map(|bins| 8 * bins.capacity() as u64).sum::<u64>();
        Notes {
            computational: false,
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
        let mut counts: Vec<u64> = Vec::new();
        // Empty bins, the common case, need no pass over them.
        let empty = loads.total() == 0;
        let most = if empty { 0 } else { loads.iter().max().unwrap_or(0) };
        if matches!(self.on_full, OnFull::Do(Overflow::RaiseThreshold | Overflow::Fill)) {
            // The threshold is found from the number of bins of each load, before any bin is listed.
            let base = self.threshold.max(most.saturating_sub(1 << 20));
            counts.resize((most.saturating_sub(base) + 1) as usize, 0);
            if !empty {
                for load in loads.iter().filter(|&load| load >= base) {
                    counts[(load - base) as usize] += 1;
                }
            } else if base == 0 {
                counts[0] = loads.bins();
            }
            let mut all = Shape::new(if most >= base { &counts } else { &[] });
            let filling = self.on_full == OnFull::Do(Overflow::Fill);
            self.threshold = base;
            loop {
                let mut needed = all.clone();
                if filling {
                    // Those of load T are taken one by one.
                    (0..needed.of_count(0)).for_each(|_| needed.remove(0));
                }
                if needed.entries() == 0 || self.length(&needed).is_some() {
                    break;
                }
                all.rise();
                self.threshold += 1;
                self.overflows += u64::from(!self.adaptive);
            }
        }
        let threshold = self.threshold;
        if !empty {
            for (bin, load) in loads.iter().enumerate().filter(|&(_, load)| load > threshold) {
                self.insert(bin, load - threshold);
            }
        }
        if !empty || threshold == 0 {
            let filling = self.on_full == OnFull::Do(Overflow::Fill);
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

    fn orders(&self) -> bool {
        matches!(self.on_full, OnFull::Do(Overflow::Fill | Overflow::KeepHeaviest))
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
        match self.list.take_out(bin) {
            Some(excess) => {
                self.shape.remove(u64::from(excess));
                true
            }
            None => false,
        }
    }

    /// Drops the last bin to come to the least excess. Returns it and its excess.
    fn evict_last(&mut self) -> Option<(usize, u64)> {
        for excess in 0..self.arrivals.len() {
            while let Some(bin) = self.arrivals[excess].pop() {
                if self.list.excess(bin) == Some(excess as u32) {
                    self.take_out(bin);
                    return Some((bin, excess as u64));
                }
            }
        }
        None
    }

    /// A bin has got a ball and has this load now, the threshold or more.
    #[cold]
    #[inline(never)]
    pub(super) fn grown(&mut self, bin: usize, load: u64) {
        let was_listed = self.take_out(bin);
        let threshold = self.threshold;
        self.insert(bin, load - threshold);
        let turned_away =
            load == threshold && !was_listed && self.on_full == OnFull::Do(Overflow::Fill) && !self.fits();
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
            if !self.adaptive {
                self.overflows += 1;
            }
            match self.on_full {
                OnFull::Do(Overflow::RaiseThreshold) => self.rise(),
                OnFull::Do(Overflow::Fill) => {
                    if self.shape.of_count(0) == 0 {
                        self.rise();
                    } else {
                        self.evict_last();
                    }
                }
                OnFull::Do(Overflow::KeepHeaviest) => {
                    self.certified = false;
                    self.keep_heaviest();
                }
                OnFull::Do(Overflow::Empty) => {
                    (self.blank, self.certified) = (true, false);
                    self.overflows -= u64::from(!self.adaptive); // Counted ball by ball.
                    return;
                }
                OnFull::Stop => {
                    let shape = if self.set.is_some() { Shape::flat(self.shape.entries()) } else { self.shape.clone() };
                    let range = self.layout.range();
                    let beyond = self.list.iter().filter(|&(_, excess)| u64::from(excess) >= range);
                    let beyond = beyond.map(|(bin, excess)| (bin as u64, u64::from(excess))).min();
                    self.stopped = Some(match beyond {
                        Some((bin, excess)) if self.set.is_none() => {
                            AdviceFailure::State(StateError::CountRange { bin, excess, range })
                        }
                        _ => {
                            let bits = self.layout.length_of(&shape);
                            let needed = bits.unwrap_or_else(|| self.layout.bits_beyond(&shape));
                            AdviceFailure::Overflow { needed }
                        }
                    });
                    return;
                }
            }
        }
        self.longest = self.longest.max(self.shape.entries());
    }

    /// Drops an entry whose count is out of range, if there is one, else the lightest.
    fn keep_heaviest(&mut self) {
        let range = self.layout.range();
        if self.set.is_none() && self.shape.largest_excess().is_some_and(|excess| excess >= range) {
            let beyond = self.list.iter().filter(|&(_, excess)| u64::from(excess) >= range);
            if let Some(bin) = beyond.map(|(bin, _)| bin).min() {
                self.take_out(bin);
                return;
            }
        }
        self.evict_last();
    }

    /// The threshold rises by one. `O(K)`.
    fn rise(&mut self) {
        self.threshold += 1;
        self.list.retain(|_, excess| match excess.checked_sub(1) {
            Some(less) => {
                *excess = less;
                true
            }
            None => false,
        });
        if let Some(set) = &mut self.set {
            set.retain(|bin, _| self.list.excess(bin).is_some());
        }
        self.shape.rise();
        self.arrivals.pop_front();
    }
}
