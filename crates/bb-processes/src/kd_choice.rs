use bb_core::{Allocator, Bins, BinsExt, Load, ParameterError, Rng, SampleCount, StartError};

/// (k,d)-choice: in each round `d` uniform bins are sampled, and `k` balls go into the least loaded of them.
///
/// A bin with load `x` that is sampled `r` times samples slots at the heights `x + 1, …, x + r`. The balls of
/// the round take the `k` lowest slots, the lowest one first. All that is seen are the loads at the start of
/// the round. A step places one ball, so the last round of a run may be short; the next run goes on with its
/// rest, unless [`start`](Allocator::start) is called.
///
/// `k = 1` is d-Choice, draw for draw, and `k = d` is One-Choice in law at the end of a round.
///
/// Needs no labels: on counted bins it keeps its place by [`Bins::follow`]. `Bin` is the name of a bin there,
/// and follows from the loads that the rule runs on.
///
/// *Randomness:* at the start of a round the `d` draws of [`BinsExt::draw_each`] and nothing else. *Ties:*
/// the slot of the first sample. Tied slots lead to the same loads up to the names of bins, so the law of the
/// sorted loads does not depend on it. *Cost:* `O(d²)` a round, and `O(k)` a ball.
///
/// # Guarantees
///
/// Tight bounds on the maximum load for `m = n`, and for `m > n` where `d ≥ 2k`: it may be constant with
/// fewer than `2n` samples in all, for suitable `k` and `d` (Park, arXiv 1201.3310, for `k < d`).
///
/// # Examples
///
/// ```
/// use bb_processes::KdChoice;
/// use bb_processes::bb_core::{Allocator, LoadProfile, LoadVector, Metrics, SampleCount, rng_for_trial};
///
/// let mut rule = KdChoice::new(4, 8)?;
/// assert_eq!((rule.k(), rule.d()), (4, 8));
/// let mut loads = LoadVector::new(4096)?;
/// rule.start_and_run(&mut loads, 4096, &mut rng_for_trial(1, 0))?;
/// // Two samples a ball; Two-Choice has a maximum of 3 or 4 here.
/// assert!(loads.max_load() <= 3);
/// assert_eq!(Allocator::<LoadVector>::sample_count(&rule), Some(SampleCount::Counted(8192)));
///
/// // The 4097th ball begins a round: three more of it wait.
/// rule.step(&mut loads, &mut rng_for_trial(1, 1));
/// assert_eq!(rule.queued().count(), 3);
///
/// let mut counted = LoadProfile::new(1 << 40)?;
/// KdChoice::new(2, 3)?.run(&mut counted, 1000, &mut rng_for_trial(1, 0));
/// assert_eq!(counted.max_load(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KdChoice<Bin = usize> {
    k: u32,
    d: u32,
    /// The bins of the rest of the round, the last ball's first.
    queue: Vec<Bin>,
    /// The samples of a round, kept for their memory.
    slots: Vec<Slot<Bin>>,
    samples: u64,
}

/// A sample, and how many samples before it were the same bin: so many slots of that bin are lower.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Slot<Bin> {
    bin: Bin,
    lower: u32,
    sample: u32,
}

/// Most samples of a round: all are kept until it is over.
const MOST: u32 = 1 << 16;

impl<Bin> KdChoice<Bin> {
    /// Returns the rule that places `k` balls into the least loaded of `d` samples, `1 ≤ k ≤ d ≤ 2^16`.
    ///
    /// # Errors
    ///
    /// If `d` is outside `1..=2^16`, or `k` outside `1..=d`.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_processes::KdChoice;
    ///
    /// let error = KdChoice::<usize>::new(3, 2).unwrap_err();
    /// assert_eq!(error.to_string(), "k = 3 is outside 1..=2, the number of samples");
    /// ```
    pub fn new(k: u32, d: u32) -> Result<Self, ParameterError> {
        ParameterError::require((1..=MOST).contains(&d), "d", d, "1..=2^16")?;
        ParameterError::require((1..=d).contains(&k), "k", k, format_args!("1..={d}, the number of samples"))?;
        Ok(Self::before_the_first_round(k, d))
    }

    fn before_the_first_round(k: u32, d: u32) -> Self {
        Self { k, d, queue: Vec::new(), slots: Vec::new(), samples: 0 }
    }

    /// Returns the rule for loads whose bins have other names, as it is before the first ball.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_processes::KdChoice;
    /// use bb_processes::bb_core::CountedBin;
    ///
    /// let labelled = KdChoice::<usize>::new(2, 3)?;
    /// let counted: KdChoice<CountedBin> = labelled.for_bins();
    /// assert_eq!((counted.k(), counted.d()), (2, 3));
    /// # Ok::<(), bb_processes::bb_core::ParameterError>(())
    /// ```
    #[must_use]
    pub fn for_bins<Other>(&self) -> KdChoice<Other> {
        KdChoice::before_the_first_round(self.k, self.d)
    }

    /// Returns the number of balls of a round.
    #[must_use]
    pub fn k(&self) -> u32 {
        self.k
    }

    /// Returns the number of samples of a round.
    #[must_use]
    pub fn d(&self) -> u32 {
        self.d
    }
}

impl<Bin: Copy + Eq> KdChoice<Bin> {
    /// Iterates over the bins of the balls that are left of the round, the next ball's first.
    #[must_use]
    pub fn queued(&self) -> impl ExactSizeIterator<Item = Bin> + '_ {
        self.queue.iter().rev().copied()
    }

    #[inline]
    fn fill<B: Bins<Bin = Bin>, R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) {
        let slots = &mut self.slots;
        slots.clear();
        bins.draw_each(self.d, rng, |bin| {
            let lower = slots.iter().filter(|slot| slot.bin == bin).count() as u32;
            slots.push(Slot { bin, lower, sample: slots.len() as u32 });
        });
        let height = |slot: &Slot<Bin>| bins.load(slot.bin) + B::Load::of_balls(u64::from(slot.lower));
        let lowest_first = |a: &Slot<Bin>, b: &Slot<Bin>| height(a).compare(&height(b)).then(a.sample.cmp(&b.sample));
        let k = self.k as usize;
        if k < slots.len() {
            slots.select_nth_unstable_by(k, lowest_first);
            slots.truncate(k);
        }
        slots.sort_unstable_by(lowest_first);
        self.queue.extend(slots.iter().rev().map(|slot| slot.bin));
        self.samples += u64::from(self.d);
    }
}

impl<B: Bins> Allocator<B> for KdChoice<B::Bin> {
    fn start(&mut self, _: &B) -> Result<(), StartError> {
        self.queue.clear();
        self.samples = 0;
        Ok(())
    }

    #[inline]
    fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> B::Bin {
        if self.queue.is_empty() {
            self.fill(bins, rng);
        }
        self.queue.last().copied().unwrap_or_else(|| bins.nth(0)) // A round has a ball: k ≥ 1.
    }

    #[inline]
    fn placed(&mut self, bins: &B, was: B::Bin, now: B::Bin) {
        if self.queue.last() == Some(&was) {
            self.queue.pop();
        }
        for kept in &mut self.queue {
            *kept = bins.follow(*kept, was, now);
        }
    }

    fn removed(&mut self, bins: &B, was: B::Bin, now: B::Bin) {
        for kept in &mut self.queue {
            *kept = bins.follow(*kept, was, now);
        }
    }

    fn sample_count(&self) -> Option<SampleCount> {
        Some(SampleCount::Counted(self.samples))
    }
}
