//! What both drifts keep and do.

use bb_core::{Mix, Ranked, Rng};

use super::clock::{Borders, Offset, Time};
use super::law::{Classes, Law};
use super::{Clock, DriftState};
use crate::by_rank::accept_with;
use crate::realizability::Rejections;

/// A drift with these intensities: its clock, and the classes and the law of the ball at hand.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Drift {
    /// Of the low, middle and very high bins.
    pub(super) intensities: [f64; 3],
    pub(super) clock: Clock,
    pub(super) rejections: Rejections<f64>,
    time: Time,
    /// The time of the ball at hand.
    next: Time,
    borders: Borders,
    classes: Classes,
    pub(super) law: Law,
}

impl Drift {
    /// By the exact clock, and with the fewest rejections.
    pub(super) fn new(intensities: [f64; 3]) -> Self {
        Self {
            intensities,
            clock: Clock::Exact,
            rejections: Rejections::Fewest,
            time: Time::ZERO,
            next: Time::ZERO,
            borders: Borders::NONE,
            classes: Classes::NONE,
            law: Law::ALL,
        }
    }

    pub(super) fn begin<B: Ranked>(&mut self, bins: &B) {
        self.time = Time::at_mean(bins);
        (self.next, self.borders) = (self.time, Borders::NONE);
        (self.classes, self.law) = (Classes::NONE, Law::ALL);
    }

    /// Finds the time and the law of the next ball; the very high class, if there is one, begins at an offset
    /// above the clock. Tells whether two-thinning can realise the law; if not, every bin is accepted.
    // Always: without an offset most of it is known not to be.
    #[inline(always)]
    pub(super) fn next_ball<B: Ranked, R: Rng + ?Sized>(
        &mut self,
        offset: Option<Offset>,
        bins: &B,
        rng: &mut R,
    ) -> bool {
        let mut classes = Classes::NONE;
        let mut rate = |borders| {
            classes = Classes::new(bins, borders, &self.intensities);
            classes.rate
        };
        (self.next, self.borders) = match self.clock {
            Clock::Exact => self.time.next_point(offset, rng, rate),
            Clock::Discrete => {
                let borders = Borders::at_mean(bins, offset);
                rate(borders);
                (self.time, borders)
            }
        };
        self.classes = classes;
        let law = classes.law(&self.intensities, &self.rejections);
        self.law = law.unwrap_or(Law::ALL);
        law.is_some()
    }

    #[inline]
    pub(super) fn accept<B: Ranked>(&self, bins: &B, bin: B::Bin) -> Mix<bool> {
        accept_with(self.law.accept(self.intensities[self.borders.class(bins.load(bin))]))
    }

    #[inline]
    pub(super) fn placed(&mut self) {
        self.time = self.next;
    }

    pub(super) fn seen(&self) -> DriftState {
        DriftState {
            first_high: self.borders.high,
            first_very_high: self.borders.very_high,
            sizes: self.classes.sizes,
            accept: self.intensities.map(|intensity| self.law.accept(intensity)),
        }
    }
}
