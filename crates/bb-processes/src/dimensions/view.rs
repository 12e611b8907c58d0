use core::hint::select_unpredictable;

use bb_core::rand::distr::Distribution;
use bb_core::{Allocator, Bins, Mix, ParameterError, Place, Put, Rng, StartError, least_of};

use super::{BallModel, BinKey, BinVector, Key, MultiBall, MultiBins};

/// Loads of several dimensions as the next ball sees them: the load of a bin is its [key](BinKey).
///
/// It holds the loads, the key, and the next ball. To a rule it is a view like any other, so one-choice,
/// d-choice, (1+β), memory, thinning and threshold queries run on it unchanged; a placement is of this ball.
/// Around [`Batched`](crate::Batched) or [`Delayed`](crate::Delayed) loads it shows keys of old vectors.
///
/// *Mean:* [`total`](Bins::total) is the key of the totals, so [`below_mean`](bb_core::BinsExt::below_mean),
/// and every offset from the mean that a rule asks for, compares a bin with the average bin; in integers,
/// exactly. See [`BinKey`]. *Ties:* equal keys go to the first sample, a fair choice among independent
/// samples. *Randomness:* a ball takes the words of its [`BallModel`] and then those of the rule. A ball that
/// populates no dimension asks no rule. *Cost:* a key is `O(f)` for populated dimensions, `O(D)` for all.
///
/// # Guarantees
///
/// Narang, Dutta and Bhattacherjee (arXiv 1111.0762) claim, for uniform sets of fixed size `f`, gap
/// `O(log log n)` for d-choice and `O(log n/β)` for (1+β), independent of `m`; the parts of the paper that
/// could be read do not say how bins are compared, nor which gap is meant. With the key
/// [`MaxPopulated`](Key::MaxPopulated) no growth with `m` is seen; with a key that does not look at the
/// populated dimensions the gap of single dimensions provably grows, as [`Key`] says.
///
/// # Examples
///
/// ```
/// use bb_processes::bb_core::rng_for_trial;
/// use bb_processes::{BallModel, Batched, DChoice, Key, KeyView, MultiBall, MultiLoads};
///
/// let mut balls = BallModel::fixed_uniform(4, 2)?;
/// let mut gap = |key| {
///     let mut view = KeyView::new(MultiLoads::new(1000, 4)?, key);
///     view.run(&mut DChoice::two(), &mut balls, 100_000, &mut rng_for_trial(1, 0));
///     Ok::<_, Box<dyn std::error::Error>>(view.into_loads().gap())
/// };
/// assert!(gap(Key::MaxPopulated)? < 6.0 && gap(Key::Total)? > 12.0);
///
/// // In batches, and with balls of one's own.
/// let seen = Batched::of_balls(MultiLoads::new(10, 2)?, 5, MultiLoads::gap)?;
/// let mut view = KeyView::new(seen, Key::MaxPopulated);
/// let job = MultiBall::new([(0, 3), (1, 1)])?;
/// for _ in 0..8 {
///     view.try_step(&mut DChoice::two(), &job, &mut rng_for_trial(1, 0))?;
/// }
/// assert_eq!(view.balls(), 8);
/// assert!(view.try_step(&mut DChoice::two(), &MultiBall::unit([2])?, &mut rng_for_trial(1, 0)).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct KeyView<L, K = Key, W = u64> {
    loads: L,
    key: K,
    ball: MultiBall<W>,
    balls: u64,
}

impl<L: MultiBins, K, W: Copy + PartialEq + From<u8>> KeyView<L, K, W> {
    /// Returns the view of these loads by a key.
    #[must_use]
    pub fn new(loads: L, key: K) -> Self {
        Self { loads, key, ball: MultiBall::default(), balls: 0 }
    }
}

impl<L, K, W> KeyView<L, K, W> {
    /// Returns the loads; the example of [`BinKey`] shows it.
    #[must_use]
    pub fn loads(&self) -> &L {
        &self.loads
    }

    /// Returns the loads and forgets the rest.
    #[must_use]
    pub fn into_loads(self) -> L {
        self.loads
    }

    /// Returns the ball that is seen: the last one.
    #[must_use]
    pub fn ball(&self) -> &MultiBall<W> {
        &self.ball
    }

    /// Returns how many balls have come, empty ones included.
    #[must_use]
    pub fn balls(&self) -> u64 {
        self.balls
    }
}

impl<L, K, W> KeyView<L, K, W>
where
    L: MultiBins + Place<MultiBall<W>>,
    K: BinKey<L::Load, W>,
    W: Copy + PartialEq + From<u8>,
{
    /// Begins: checks that the balls are made for these loads, and starts the rule on them.
    ///
    /// # Errors
    ///
    /// If the number of dimensions is another, and what [`Allocator::start`] finds.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_processes::{BallModel, DChoice, Key, KeyView, MultiLoads};
    ///
    /// let view = KeyView::<_, _, u64>::new(MultiLoads::new(10, 3)?, Key::MaxPopulated);
    /// let refused = view.start(&mut DChoice::two(), &BallModel::fixed_uniform(4, 2)?).unwrap_err();
    /// assert_eq!(refused.to_string(), "balls of 4 dimensions do not go into bins of 3");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn start<A: Allocator<Self>, D>(&self, rule: &mut A, model: &BallModel<D>) -> Result<(), StartError> {
        let (balls, bins) = (model.dimensions(), self.loads.dimensions());
        if balls != bins {
            let reason = format!("balls of {balls} dimensions do not go into bins of {bins}");
            return Err(StartError::Unsuitable(reason));
        }
        rule.start(self)
    }

    /// Throws `balls` balls of the model by a rule. It does not
    /// [start](Self::start), so a run in pieces is the uncut run.
    ///
    /// Where all balls are alike it is one [`run`](Allocator::run) of the rule. A rule that places several
    /// balls a step places several of a kind.
    ///
    /// # Panics
    ///
    /// If the balls have a dimension that the loads have not.
    pub fn run<A, D, R>(&mut self, rule: &mut A, model: &mut BallModel<D>, balls: u64, rng: &mut R)
    where
        A: Allocator<Self>,
        D: Distribution<W>,
        R: Rng + ?Sized,
    {
        if model.is_constant() {
            model.draw_into(&mut self.ball, rng);
            if self.ball.is_empty() {
                self.balls += balls;
            } else {
                rule.run(self, balls, rng);
            }
            return;
        }
        let end = self.balls.saturating_add(balls);
        while self.balls < end {
            model.draw_into(&mut self.ball, rng);
            if self.ball.is_empty() {
                self.balls += 1;
            } else {
                rule.step(self, rng);
            }
        }
    }

    /// Throws one given ball by a rule and returns its bin. An empty ball goes
    /// nowhere: `None`.
    ///
    /// # Errors
    ///
    /// If the ball populates a dimension that the loads have not; nothing is placed then.
    pub fn try_step<A, R>(
        &mut self,
        rule: &mut A,
        ball: &MultiBall<W>,
        rng: &mut R,
    ) -> Result<Option<usize>, ParameterError>
    where
        A: Allocator<Self>,
        R: Rng + ?Sized,
    {
        let dimensions = self.loads.dimensions();
        if let Some(dimension) = ball.populated().find(|&dimension| dimension >= dimensions) {
            return Err(ParameterError::new("dimension", dimension, format!("0..{dimensions}")));
        }
        self.ball.clone_from(ball);
        if ball.is_empty() {
            self.balls += 1;
            return Ok(None);
        }
        Ok(Some(rule.step(self, rng)))
    }

    /// The key of a bin for another ball than the one that is seen.
    pub(super) fn key_for(&self, bin: usize, ball: &MultiBall<W>) -> K::Key {
        self.key.key(BinVector::of_bin(&self.loads, bin), ball)
    }

    /// Places a ball where it was decided without the view.
    pub(super) fn place_for(&mut self, bin: usize, ball: &MultiBall<W>) {
        self.loads.place(bin, ball);
        self.balls += 1;
    }

    /// A ball that places nothing has come.
    pub(super) fn skip(&mut self) {
        self.balls += 1;
    }
}

impl<L, K, W> Bins for KeyView<L, K, W>
where
    L: MultiBins,
    K: BinKey<L::Load, W>,
{
    type Bin = usize;
    type Load = K::Key;
    type Places = L::Places;

    #[inline]
    fn places(&self) -> &L::Places {
        self.loads.places()
    }
    #[inline]
    fn nth(&self, place: u64) -> usize {
        self.loads.nth(place)
    }
    #[inline]
    fn load(&self, bin: usize) -> K::Key {
        self.key.key(BinVector::of_bin(&self.loads, bin), &self.ball)
    }
    #[inline]
    fn total(&self) -> K::Key {
        self.key.key(BinVector::of_totals(&self.loads), &self.ball)
    }
    #[inline]
    fn lighter(&self, first: usize, second: usize) -> usize {
        select_unpredictable(self.load(second) < self.load(first), second, first)
    }
}

/// A unit ball stands for the ball that is seen.
impl<L, K, W> Place for KeyView<L, K, W>
where
    L: MultiBins + Place<MultiBall<W>>,
    K: BinKey<L::Load, W>,
    W: Copy + PartialEq + From<u8>,
{
    #[inline]
    fn put(&mut self, bin: usize, (): &(), put: Put) -> usize {
        // One after another: a batch inside may end between them.
        for _ in 0..put.count() {
            self.loads.place(bin, &self.ball);
        }
        self.balls += put.count();
        bin
    }

    fn throw_to_least<R: Rng + ?Sized>(&mut self, d: impl Into<Mix<u32>>, (): &(), balls: u64, rng: &mut R) {
        let d = d.into();
        if self.key.is_load_of_single()
            && self.ball.is_scalar_unit()
            && let Some(counts) = self.loads.as_counts()
        {
            counts.throw_to_least(d, &(), balls, rng);
            self.balls += balls;
            return;
        }
        for _ in 0..balls {
            let bin = least_of(self, d, rng);
            self.place(bin, &());
        }
    }
}
