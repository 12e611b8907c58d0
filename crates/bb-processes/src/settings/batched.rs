use bb_core::{Bins, Metrics, ParameterError, Place, Put};

use crate::settings::late::Late;

/// b-Batched loads: decisions see the loads as they were when the present batch of `b` balls began.
///
/// It wraps loads, not a rule, so every rule runs in batches unchanged; `b = 1` is the sequential process,
/// draw for draw. The last batch may be short. The balls are unit balls, or of another kind
/// ([`of_balls`](Batched::of_balls)). What is *seen* answers [`Bins`]; the true loads are
/// [`loads`](Late::loads). It wraps loads of labelled bins; for counted bins see
/// [`BatchedProfile`](crate::BatchedProfile).
///
/// *Ties:* equal *seen* loads go to the first sample, a fair choice among independent samples. A rule that
/// ranked bins in a fixed order would send a whole batch to the same bins (Los and Sauerwald, arXiv
/// 2203.13902, Figure 8.4: a mean gap of 41 instead of 18). *Cost:* two copies of the loads, and one entry a
/// ball of the batch; `O(1)` a ball, amortised.
///
/// # Guarantees
///
/// Two-Choice with `b = n`: gap `Θ(ln n/ln ln n)`, for all `m` (Los and Sauerwald, arXiv 2206.07503); with
/// `b ≥ n ln n`: `Θ(b/n)` (arXiv 2302.04399).
///
/// # Examples
///
/// ```
/// use bb_processes::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
/// use bb_processes::{Batched, DChoice};
///
/// let mut batched = Batched::new(LoadVector::new(1000)?, 10_000)?;
/// DChoice::two().run(&mut batched, 100_000, &mut rng_for_trial(1, 0));
/// assert_eq!((batched.loads().total(), batched.batch()), (100_000, 10_000));
/// // Stale information costs much: fresh, the gap is 2.
/// assert!(batched.batch_end_gap() > 8.0);
/// assert_eq!(batched.into_loads().average(), 100.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type Batched<L, Ball = ()> = Late<L, ByBatch<L, Ball>>;

/// When [`Batched`](crate::Batched) loads are looked at.
#[derive(Clone, Debug)]
pub struct ByBatch<L, Ball> {
    /// What was placed and is not seen yet: the first `puts` of these. The others are room for later balls.
    pending: Vec<(usize, Ball, Put)>,
    puts: usize,
    pending_balls: u64,
    batch: u64,
    gap: fn(&L) -> f64,
    batch_end_gap: f64,
}

impl<L: Bins<Bin = usize> + Metrics + Clone> Batched<L> {
    /// Returns loads that are looked at once every `batch ≥ 1` balls.
    ///
    /// # Errors
    ///
    /// If `batch` is 0.
    pub fn new(loads: L, batch: u64) -> Result<Self, ParameterError> {
        Self::of_balls(loads, batch, L::gap)
    }
}

impl<L: Clone, Ball> Batched<L, Ball> {
    /// Returns loads that are looked at once every `batch ≥ 1` balls of another kind: weights, or vectors
    /// over dimensions. `gap` is what [`batch_end_gap`](Self::batch_end_gap) is about.
    ///
    /// No allocation per ball, once a batch has gone by.
    ///
    /// # Errors
    ///
    /// If `batch` is 0.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_processes::Batched;
    /// use bb_processes::bb_core::{Bins, LoadVector, Metrics, Place, Weight};
    ///
    /// let mut batched = Batched::of_balls(LoadVector::weighted(2)?, 2, Metrics::gap)?;
    /// for weight in [1.5, 0.5, 3.0] {
    ///     batched.place(1, &Weight::new(weight)?);
    /// }
    /// assert_eq!((batched.load(1), batched.loads().load(1), batched.batch_end_gap()), (2.0, 5.0, 1.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_balls(loads: L, batch: u64, gap: fn(&L) -> f64) -> Result<Self, ParameterError> {
        ParameterError::require(batch != 0, "b", batch, "1..")?;
        let batch_end_gap = gap(&loads);
        let when = ByBatch { pending: Vec::new(), puts: 0, pending_balls: 0, batch, gap, batch_end_gap };
        Ok(Self { seen: loads.clone(), live: loads, when })
    }
}

impl<L, Ball> Batched<L, Ball> {
    /// Returns the batch size `b`.
    #[must_use]
    pub fn batch(&self) -> u64 {
        self.when.batch
    }

    /// Returns the largest gap at the start and at the ends of complete batches. `O(1)`.
    ///
    /// Published "average gaps" of batched processes are often means of this quantity.
    #[must_use]
    pub fn batch_end_gap(&self) -> f64 {
        self.when.batch_end_gap
    }
}

impl<L: Place<Ball> + Bins<Bin = usize>, Ball: Clone> Place<Ball> for Batched<L, Ball> {
    #[inline]
    fn put(&mut self, bin: usize, ball: &Ball, put: Put) -> usize {
        self.live.put(bin, ball, put);
        // Balls that have been seen leave their room to those of the next batch.
        match self.when.pending.get_mut(self.when.puts) {
            Some((place, room, how)) => {
                (*place, *how) = (bin, put);
                room.clone_from(ball);
            }
            None => self.when.pending.push((bin, ball.clone(), put)),
        }
        self.when.puts += 1;
        self.when.pending_balls += put.count();
        if self.when.pending_balls >= self.when.batch {
            self.end_batch();
        }
        bin
    }
}

impl<L: Place<Ball> + Bins<Bin = usize>, Ball: Clone> Batched<L, Ball> {
    fn end_batch(&mut self) {
        for (bin, ball, put) in &self.when.pending[..self.when.puts] {
            self.seen.put(*bin, ball, *put);
        }
        (self.when.puts, self.when.pending_balls) = (0, 0);
        self.when.batch_end_gap = self.when.batch_end_gap.max((self.when.gap)(&self.live));
    }
}
