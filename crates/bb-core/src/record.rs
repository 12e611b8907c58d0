//! The whole history of the maximum load in a short list: [`MaxLoadRecord`].

use core::ops::RangeInclusive;

use thiserror::Error;

/// When the maximum load rose, and from that list the maximum load at any time, over any interval, exactly.
///
/// Let `M(k)` be the largest count after `k` balls since the record began, on bins that held `W_0` balls
/// then. The *maximum load* of Feldheim, Gurel-Gurevich and Li (arXiv 2110.05009, Section 2.1) is measured
/// from the mean, `MaxLoad(k) = M(k) − (W_0 + k)/n`. Over an interval `K` of ball numbers:
///
/// - [`single_time`](Self::single_time): `MaxLoad(k)`;
/// - [`all_time`](Self::all_time): `max over k in K`;
/// - [`typical`](Self::typical): the `ε`-typical maximum load, `sup{ℓ : #{k ∈ K : MaxLoad(k) > ℓ} ≥ ε|K|}`,
///   which is the `⌈ε|K|⌉`-th largest of the `MaxLoad(k)`.
///
/// All three are computed in integers (`n·MaxLoad(k)` is one), and divided by `n` at the end. Only
/// `typical ≤ all_time` holds path by path: the last moment may be the worst.
///
/// # Complexity
///
/// One entry per rise of the maximum; rises at consecutive balls share one. `single_time` is `O(log r)` for
/// `r` entries, `all_time` `O(r)`, `typical` `O(r log(n·max))`.
///
/// # Examples
///
/// ```
/// use bb_core::{LoadVector, Metrics, Place, Put, rng_for_trial};
///
/// let mut loads = LoadVector::new(2)?;
/// loads.record_maximum();
/// for bin in [0, 1, 1] {
///     loads.place(bin, &());
/// }
/// let record = loads.max_load_record().unwrap();
/// assert_eq!((record.bins(), record.balls()), (2, 3));
/// // The maximum load is 1/2, 0, 1/2 after balls 1, 2, 3.
/// assert_eq!(record.single_time(2)?, 0.0);
/// assert_eq!(record.all_time(1..=3)?, 0.5);
/// assert_eq!(record.typical(0.5, 1..=3)?, 0.5);
/// assert_eq!(record.typical(1.0, 1..=3)?, 0.0);
/// assert_eq!(record.max_count(2)?, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct MaxLoadRecord {
    bins: u64,
    /// Balls in the bins when the record began.
    initial: u64,
    /// Balls placed since.
    balls: u64,
    /// Increasing; the first is the start.
    pieces: Vec<Piece>,
}

/// From ball `from` on the maximum count is `max`; it rises by one with each of the next `rises` balls, and
/// stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
struct Piece {
    from: u64,
    max: u64,
    rises: u64,
}

/// A question about a [`MaxLoadRecord`] that it cannot answer.
///
/// # Examples
///
/// ```
/// use bb_core::{MaxLoadRecord, RecordError};
///
/// let record = MaxLoadRecord::new(4, 0, 0);
/// assert_eq!(record.single_time(1), Err(RecordError::BallOutside { ball: 1, balls: 0 }));
/// ```
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum RecordError {
    /// A ball that was not placed.
    #[error("ball {ball} is outside 0..={balls}")]
    BallOutside {
        /// The ball asked for.
        ball: u64,
        /// The balls placed.
        balls: u64,
    },
    /// An empty interval has no maximum.
    #[error("the interval {first}..={last} of balls is empty, it must have first ≤ last")]
    EmptyInterval {
        /// Its first ball.
        first: u64,
        /// Its last ball.
        last: u64,
    },
    /// `ε` must be a share of the time.
    #[error("epsilon = {epsilon} is outside (0, 1]")]
    Epsilon {
        /// The value given.
        epsilon: f64,
    },
}

impl MaxLoadRecord {
    /// Begins a record on `bins` bins (at least 1) that hold `initial` balls, the fullest `max`.
    #[must_use]
    pub fn new(bins: u64, initial: u64, max: u64) -> Self {
        let start = Piece { from: 0, max, rises: 0 };
        Self { bins: bins.max(1), initial, balls: 0, pieces: vec![start] }
    }

    /// Notes that the ball after which `total` balls are in the bins raised the maximum count to `max`.
    pub(crate) fn rise(&mut self, total: u64, max: u64) {
        self.advance_to(total);
        let ball = self.balls;
        match self.pieces.last_mut() {
            Some(last) if last.from + last.rises + 1 == ball && last.max + last.rises + 1 == max => last.rises += 1,
            _ => self.pieces.push(Piece { from: ball, max, rises: 0 }),
        }
    }

    /// Notes that `count` balls in a row, the last of which made the total `total`, raised the maximum by one
    /// each, up to `max`.
    pub(crate) fn rises_in_a_row(&mut self, total: u64, max: u64, count: u64) {
        if count > 0 {
            self.rise(total - (count - 1), max - (count - 1));
            self.advance_to(total);
            if let Some(last) = self.pieces.last_mut() {
                last.rises += count - 1;
            }
        }
    }

    fn advance_to(&mut self, total: u64) {
        self.balls = total - self.initial;
    }

    /// The record at the ball that made the total `total`.
    pub(crate) fn up_to(mut self, total: u64) -> Self {
        self.advance_to(total);
        self
    }

    /// Returns the number of bins.
    #[must_use]
    pub fn bins(&self) -> u64 {
        self.bins
    }

    /// Returns the number of balls placed since the record began.
    #[must_use]
    pub fn balls(&self) -> u64 {
        self.balls
    }

    /// Returns every rise as (ball number, new maximum count), one by one.
    #[must_use]
    pub fn rises(&self) -> Vec<(u64, u64)> {
        let each = |piece: &Piece| {
            let Piece { from, max, rises } = *piece;
            (0..=rises).map(move |later| (from + later, max + later))
        };
        self.pieces.iter().flat_map(each).skip(1).collect()
    }

    /// Returns the maximum count `M(k)` after ball `k`; `k = 0` is the start.
    ///
    /// # Errors
    ///
    /// If ball `k` was not placed.
    pub fn max_count(&self, ball: u64) -> Result<u64, RecordError> {
        self.check(ball)?;
        let piece = self.pieces[self.pieces.partition_point(|piece| piece.from <= ball) - 1];
        Ok(piece.max + piece.rises.min(ball - piece.from))
    }

    /// Returns the maximum load above the mean after ball `k`; `k = 0` is the start.
    ///
    /// # Errors
    ///
    /// If ball `k` was not placed.
    pub fn single_time(&self, ball: u64) -> Result<f64, RecordError> {
        Ok(self.divided(self.scaled(self.max_count(ball)?, ball)))
    }

    /// Returns the largest maximum load over an interval of ball numbers.
    ///
    /// # Errors
    ///
    /// If the interval is empty or reaches past the last ball.
    pub fn all_time(&self, over: RangeInclusive<u64>) -> Result<f64, RecordError> {
        let runs = self.runs(over)?;
        Ok(self.divided(runs.iter().map(Run::largest).max().unwrap_or(0)))
    }

    /// Returns the `ε`-typical maximum load over an interval of ball numbers: at least a share `ε` of the
    /// time the maximum load is at least this.
    ///
    /// # Errors
    ///
    /// If `ε` is outside `(0, 1]`, or the interval is empty or reaches past the last ball.
    pub fn typical(&self, epsilon: f64, over: RangeInclusive<u64>) -> Result<f64, RecordError> {
        if !(epsilon > 0.0 && epsilon <= 1.0) {
            return Err(RecordError::Epsilon { epsilon });
        }
        let runs = self.runs(over)?;
        let length = runs.iter().map(|run| run.length).sum();
        let rank = (exact_ceil_product(epsilon, length)).clamp(1, length);
        // The largest integer v with at least `rank` balls at n·MaxLoad(k) ≥ v.
        let (mut low, mut high) = runs
            .iter()
            .fold((i128::MAX, i128::MIN), |(low, high), run| (low.min(run.least()), high.max(run.largest())));
        while low < high {
            let middle = low + (high - low + 1) / 2;
            if runs.iter().map(|run| run.at_least(middle)).sum::<u64>() >= rank {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        Ok(self.divided(low))
    }

    fn check(&self, ball: u64) -> Result<(), RecordError> {
        if ball > self.balls { Err(RecordError::BallOutside { ball, balls: self.balls }) } else { Ok(()) }
    }

    /// `n·MaxLoad(k)` for the maximum count `max` after ball `k`.
    fn scaled(&self, max: u64, ball: u64) -> i128 {
        i128::from(max) * i128::from(self.bins) - i128::from(self.initial) - i128::from(ball)
    }

    fn divided(&self, scaled: i128) -> f64 {
        scaled as f64 / self.bins as f64
    }

    /// Cuts the interval into runs on which `n·MaxLoad(k)` is an arithmetic progression.
    fn runs(&self, over: RangeInclusive<u64>) -> Result<Vec<Run>, RecordError> {
        let (first, last) = (*over.start(), *over.end());
        self.check(last)?;
        if first > last {
            return Err(RecordError::EmptyInterval { first, last });
        }
        let bins = i128::from(self.bins);
        let mut runs = Vec::new();
        for (place, piece) in self.pieces.iter().enumerate() {
            let next = self.pieces.get(place + 1).map_or(self.balls + 1, |next| next.from);
            let steady = piece.from + piece.rises;
            for (from, to, step) in [(piece.from, steady, bins - 1), (steady, next, -1)] {
                let (from, to) = (from.max(first), to.min(last + 1));
                if from < to {
                    let max = piece.max + piece.rises.min(from - piece.from);
                    runs.push(Run { first: self.scaled(max, from), step, length: to - from });
                }
            }
        }
        Ok(runs)
    }
}

/// `⌈epsilon·length⌉` without rounding: `epsilon` is a fraction of a power of two.
fn exact_ceil_product(epsilon: f64, length: u64) -> u64 {
    // 2^-1074 ≤ epsilon ≤ 1 = mantissa·2^-shift with an integer mantissa below 2^53.
    let bits = epsilon.to_bits();
    let exponent = (bits >> 52) as u32;
    let fraction = bits & ((1 << 52) - 1);
    let (mantissa, shift) = if exponent == 0 { (fraction, 1074) } else { (fraction | 1 << 52, 1075 - exponent) };
    let product = u128::from(mantissa) * u128::from(length);
    if shift >= 127 {
        return 1; // The product is below 2^117, and not zero.
    }
    product.div_ceil(1 << shift) as u64
}

/// `length` numbers `first, first + step, …`.
#[derive(Clone, Copy, Debug)]
struct Run {
    first: i128,
    step: i128,
    length: u64,
}

impl Run {
    fn end(&self) -> i128 {
        self.first + self.step * i128::from(self.length - 1)
    }

    fn largest(&self) -> i128 {
        self.first.max(self.end())
    }

    fn least(&self) -> i128 {
        self.first.min(self.end())
    }

    /// How many of the numbers are at least `value`.
    fn at_least(&self, value: i128) -> u64 {
        let above = self.largest() - value;
        if above < 0 {
            0
        } else if self.step == 0 {
            self.length
        } else {
            (above / self.step.abs() + 1).min(i128::from(self.length)) as u64
        }
    }
}
