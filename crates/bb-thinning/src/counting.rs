//! What strategies that count have in common: counters of the loads that begin at 0 where the strategy does.

use bb_core::counters::Afresh;
use bb_core::{Counters, ParameterError, Put, StartError};

use crate::times::{FARTHEST, balls_until};

/// Counters that begin afresh with the first ball: until it is placed, those of the loads are of before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counting {
    fresh: Option<Afresh>,
}

impl Counting {
    /// Begins to count with the next ball.
    pub(crate) const fn begin(fresh: Afresh) -> Self {
        Self { fresh: Some(fresh) }
    }

    /// How counters begin with the ball at hand, if they do.
    pub(crate) const fn fresh(self) -> Option<Afresh> {
        self.fresh
    }

    /// A counter of a bin; not one that is a flag.
    #[inline]
    pub(crate) fn counter<B: Counters>(self, bins: &B, bin: B::Bin, which: u8) -> u64 {
        if self.fresh.is_some() { 0 } else { bins.counter(bin, which) }
    }

    /// A ball, which a counter may count.
    #[inline]
    pub(crate) fn put(self, which: Option<u8>) -> Put {
        let put = which.map_or(Put::BALL, |which| Put::BALL.counting(which));
        self.fresh.map_or(put, |fresh| put.after(fresh))
    }

    /// The ball is placed: the counters of the loads are those of the strategy.
    #[inline]
    pub(crate) fn placed(&mut self) {
        self.fresh = None;
    }
}

/// Checks that the loads have so many counters; they need not be 0.
pub(crate) fn check_counters<B: Counters>(bins: &B, needed: u8) -> Result<(), StartError> {
    let kept = bins.counters();
    if kept < needed { Err(StartError::TooFewCounters { needed, kept }) } else { Ok(()) }
}

/// Checks that a real parameter is positive and at most `2^53`.
pub(crate) fn check_positive(parameter: &'static str, value: f64) -> Result<f64, ParameterError> {
    let valid = value > 0.0 && value <= FARTHEST;
    ParameterError::require(valid, parameter, value, "(0, 2^53]").map(|()| value)
}

/// Checks that an interval has a ball among `n` bins.
pub(crate) fn check_duration(duration: f64, n: u64) -> Result<(), StartError> {
    if balls_until(duration, n.into()) > 0 {
        return Ok(());
    }
    Err(StartError::Unsuitable(format!("duration = {duration:?} is outside [1/n, ∞) for n = {n} bins")))
}
