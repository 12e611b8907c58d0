//! What a decision may see ([`Bins`]) and where a ball can be put ([`Place`], [`PlaceBall`]).

use core::fmt::Debug;
use core::hint::select_unpredictable;
use core::num::NonZeroU64;

use rand::{Rng, RngExt};

use crate::{Decision, DistinctSampler, Fresh, Load, Mix, ProbeRule, decide_by_probes};

/// What a decision may see: bins that can be drawn, and whose load can be asked.
///
/// A *view* is anything that implements this trait: the loads themselves
/// ([`LoadVector`](crate::LoadVector)), loads that wrap other loads and show them as they were, or
/// loads seen through the eyes of one ball. A rule that is generic in the view runs on all of them.
///
/// # Names of bins
///
/// [`Bin`](Self::Bin) names a bin *in the present state*. With a load vector it is an index and
/// never changes. Where only the number of bins at each load is kept, a bin has no index: it is called by its rank,
/// and placing a ball renames it and others. Thus a rule that
/// remembers bins must pass them through [`follow`](Self::follow) after every placement.
///
/// # Randomness
///
/// The provided draws take one bin after another, each exactly uniform. A view may draw several
/// bins from one word of the generator, but `draw_pair` and `draw_each(2)` give the same bins from
/// the same words.
///
/// # Examples
///
/// The four required queries and the provided draws, on a view of one's own:
///
/// ```
/// use bb_core::{Bins, DistinctSampler, rng_for_trial};
///
/// /// Every bin holds as many balls as its number says.
/// struct Staircase(u64);
///
/// impl Bins for Staircase {
///     type Bin = u64;
///     type Load = u64;
///     fn bins(&self) -> u64 { self.0 }
///     fn nth(&self, place: u64) -> u64 { place }
///     fn load(&self, bin: u64) -> u64 { bin }
///     fn total(&self) -> u64 { self.0 * (self.0 - 1) / 2 }
/// }
///
/// let view = Staircase(10);
/// let mut rng = rng_for_trial(1, 0);
/// let [first, second] = view.draw_pair(&mut rng);
/// assert_eq!(view.lighter(first, second), first.min(second));
/// assert!(view.draw(&mut rng) < view.bins());
/// let mut drawn = 0;
/// view.draw_each(3, &mut rng, |bin| drawn += u32::from(bin < 10));
/// assert_eq!(drawn, 3);
/// view.draw_distinct(10, &mut DistinctSampler::default(), &mut rng, |_| drawn += 1);
/// assert_eq!(drawn, 13);
/// assert!(view.below_mean(view.nth(4)) && !view.below_mean(5));
/// assert_eq!(view.follow(7, 3, 3), 7);
/// ```
pub trait Bins {
    /// The name of a bin.
    type Bin: Copy + Eq + Debug;
    /// How much is in a bin.
    type Load: Load;

    /// Returns the number of bins `n`, at least 1.
    fn bins(&self) -> u64;

    /// Returns the bin at a place of some fixed numbering of the present state, `place < n`.
    ///
    /// Distinct places are distinct bins: draws without replacement are draws of distinct places.
    fn nth(&self, place: u64) -> Self::Bin;

    /// Returns the load of a bin, as far as this view shows it.
    fn load(&self, bin: Self::Bin) -> Self::Load;

    /// Returns the total of all loads: `n` times the mean that loads are compared with.
    fn total(&self) -> Self::Load;

    /// Tells whether the load is strictly below the mean load; exact, without rounding, for counts.
    #[inline]
    fn below_mean(&self, bin: Self::Bin) -> bool {
        self.load(bin).is_below_mean(self.total(), self.bins())
    }

    /// Draws one uniform bin.
    #[inline]
    fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> Self::Bin {
        self.nth(rng.random_range(0..self.bins()))
    }

    /// Draws two independent uniform bins, possibly the same one twice.
    #[inline]
    fn draw_pair<R: Rng + ?Sized>(&self, rng: &mut R) -> [Self::Bin; 2] {
        [self.draw(rng), self.draw(rng)]
    }

    /// Draws `d` independent uniform bins and hands them over one by one.
    #[inline]
    fn draw_each<R, F>(&self, d: u32, rng: &mut R, mut each: F)
    where
        R: Rng + ?Sized,
        F: FnMut(Self::Bin),
    {
        for _ in 0..d {
            each(self.draw(rng));
        }
    }

    /// Draws `d` distinct uniform bins, all of them if there are fewer, and hands them over in random order.
    #[inline]
    fn draw_distinct<R, F>(&self, d: u32, sampler: &mut DistinctSampler, rng: &mut R, mut each: F)
    where
        R: Rng + ?Sized,
        F: FnMut(Self::Bin),
    {
        sampler.draw_each(self.bins(), d, rng, |place| each(self.nth(place)));
    }

    /// Returns the bin with the smaller load, the first one on a tie.
    #[inline]
    fn lighter(&self, first: Self::Bin, second: Self::Bin) -> Self::Bin {
        if self.load(second) < self.load(first) { second } else { first }
    }

    /// Returns the present name of the bin that was called `kept` before the last placement (or the last [removal](crate::Remove::remove)), which
    /// renamed the receiving bin (the bin it left) from `was` to `now`.
    #[inline]
    fn follow(&self, kept: Self::Bin, was: Self::Bin, now: Self::Bin) -> Self::Bin {
        if kept == was { now } else { kept }
    }
}

/// A borrowed view is a view.
impl<B: Bins + ?Sized> Bins for &B {
    type Bin = B::Bin;
    type Load = B::Load;

    fn bins(&self) -> u64 {
        (**self).bins()
    }
    fn nth(&self, place: u64) -> Self::Bin {
        (**self).nth(place)
    }
    fn load(&self, bin: Self::Bin) -> Self::Load {
        (**self).load(bin)
    }
    fn total(&self) -> Self::Load {
        (**self).total()
    }
    fn below_mean(&self, bin: Self::Bin) -> bool {
        (**self).below_mean(bin)
    }
    fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> Self::Bin {
        (**self).draw(rng)
    }
    fn draw_pair<R: Rng + ?Sized>(&self, rng: &mut R) -> [Self::Bin; 2] {
        (**self).draw_pair(rng)
    }
    fn draw_each<R, F>(&self, d: u32, rng: &mut R, each: F)
    where
        R: Rng + ?Sized,
        F: FnMut(Self::Bin),
    {
        (**self).draw_each(d, rng, each);
    }
    fn draw_distinct<R, F>(&self, d: u32, sampler: &mut DistinctSampler, rng: &mut R, each: F)
    where
        R: Rng + ?Sized,
        F: FnMut(Self::Bin),
    {
        (**self).draw_distinct(d, sampler, rng, each);
    }
    fn lighter(&self, first: Self::Bin, second: Self::Bin) -> Self::Bin {
        (**self).lighter(first, second)
    }
    fn follow(&self, kept: Self::Bin, was: Self::Bin, now: Self::Bin) -> Self::Bin {
        (**self).follow(kept, was, now)
    }
}

/// Loads that take unit balls.
///
/// # Examples
///
/// ```
/// use bb_core::{Bins, LoadVector, Place, Put};
///
/// let mut loads = LoadVector::new(3)?;
/// let bin = loads.place(1, Put::BALL);
/// assert_eq!(loads.load(bin), 1);
/// # Ok::<(), bb_core::LoadsError>(())
/// ```
pub trait Place: Bins {
    /// Puts balls into a bin and returns the name the bin has from now on.
    fn place(&mut self, bin: Self::Bin, put: Put) -> Self::Bin;

    /// Throws `balls` unit balls, each into the least loaded of `d` uniform bins: [`least_of`] ball by ball.
    ///
    /// This is the one loop that a kind of loads may want to write for itself; the bins, and the
    /// words taken from the generator, are those of the provided method.
    fn place_in_least_of<R: Rng + ?Sized>(&mut self, d: impl Into<Mix<u32>>, balls: u64, rng: &mut R) {
        let d = d.into();
        for _ in 0..balls {
            let bin = least_of(self, d, rng);
            self.place(bin, Put::BALL);
        }
    }

    /// Throws `balls` unit balls by a described rule: [`decide_by_probes`] ball by ball, from the same words, with the phase looked up once for as long as it lasts.
    fn place_by_probes<P, R>(&mut self, rule: &P, balls: u64, rng: &mut R)
    where
        Self: Bins<Load = u64>,
        P: ProbeRule + ?Sized,
        R: Rng + ?Sized,
    {
        // What a view shows as the total may stand still, or jump at the end of a batch: it is looked at for each ball.
        let mut phase = None;
        for _ in 0..balls {
            let total = self.total();
            let now = match phase {
                Some((from, until, phase)) if (from..until).contains(&total) => phase,
                _ => {
                    let (now, until) = rule.phase(total, self.bins());
                    phase = Some((total, until, now));
                    now
                }
            };
            let bin = decide_by_probes(rule, &now, self, rng).bin;
            self.place(bin, Put::BALL);
        }
    }
}

/// Cuts a number of balls into parts of constant phase, on loads whose total rises with every ball.
#[inline]
pub(crate) fn in_phases<B, P>(bins: &mut B, rule: &P, balls: u64, mut part: impl FnMut(&mut B, &P::Phase, u64))
where
    B: Bins<Load = u64> + ?Sized,
    P: ProbeRule + ?Sized,
{
    let mut left = balls;
    while left > 0 {
        let (phase, until) = rule.phase(bins.total(), bins.bins());
        let balls = left.min(until.saturating_sub(bins.total()).max(1));
        part(bins, &phase, balls);
        left -= balls;
    }
}

/// Draws `d` uniform bins and returns the least loaded, the first of these on a tie.
///
/// `d` is a number, or a coin between two numbers: then the larger number of bins is drawn, and the first so many of them count as the coin says.
/// `d = 0` is read as 1.
///
/// *Randomness:* the coin, if there is one; then the draws of [`Bins::draw_each`]. No coin for ties: among independent uniform
/// samples the first of the tied ones is a fair choice already.
///
/// # Examples
///
/// ```
/// use bb_core::{Coin, LoadVector, Mix, least_of, rng_for_trial};
///
/// let loads = LoadVector::from_loads(vec![5_u64, 0, 5, 5])?;
/// let mut rng = rng_for_trial(1, 0);
/// assert_eq!(least_of(&loads, 40, &mut rng), 1);
/// let always_one = Mix::Coin { coin: Coin::new("p", 0.0)?, heads: 40, tails: 1 };
/// assert!((0..100).any(|_| least_of(&loads, always_one, &mut rng) != 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[inline]
pub fn least_of<B, R>(bins: &B, d: impl Into<Mix<u32>>, rng: &mut R) -> B::Bin
where
    B: Bins + ?Sized,
    R: Rng + ?Sized,
{
    let d = d.into();
    let (drawn, used) = d.drawn_and_used(rng);
    match drawn {
        0 | 1 => bins.draw(rng),
        2 => {
            let [first, second] = bins.draw_pair(rng);
            // Compared with itself, the first wins.
            bins.lighter(first, select_unpredictable(used < 2, first, second))
        }
        _ => decide_least_of(bins, drawn, used, rng).bin,
    }
}

/// Draws like [`least_of`], from the same words, and tells which sample was taken.
///
/// # Examples
///
/// ```
/// use bb_core::{LoadVector, decide_by_least, least_of, rng_for_trial};
///
/// let loads = LoadVector::from_loads(vec![2_u64, 1, 2])?;
/// let decision = decide_by_least(&loads, 3, &mut rng_for_trial(1, 0));
/// assert_eq!(decision.bin, least_of(&loads, 3, &mut rng_for_trial(1, 0)));
/// # Ok::<(), bb_core::LoadsError>(())
/// ```
pub fn decide_by_least<B, R>(bins: &B, d: impl Into<Mix<u32>>, rng: &mut R) -> Decision<B::Bin>
where
    B: Bins + ?Sized,
    R: Rng + ?Sized,
{
    let (drawn, used) = d.into().drawn_and_used(rng);
    decide_least_of(bins, drawn, used, rng)
}

/// The first least loaded of the first `used` of `drawn` bins.
#[inline]
fn decide_least_of<B, R>(bins: &B, drawn: u32, used: u32, rng: &mut R) -> Decision<B::Bin>
where
    B: Bins + ?Sized,
    R: Rng + ?Sized,
{
    let mut offer = 0;
    let mut decision = None;
    bins.draw_each(drawn.max(1), rng, |bin| {
        offer += 1;
        decision = match decision {
            None => Some(Decision::first(bin)),
            Some(kept) if offer <= used && bins.load(bin) < bins.load(kept.bin) => {
                Some(Decision { bin, offer, ..kept })
            }
            kept => kept,
        };
    });
    decision.unwrap_or_else(|| Decision::first(bins.nth(0))) // There is always a sample.
}

impl Mix<u32> {
    /// Flips the coin, and returns how many samples to draw, the same for every ball, and how many of them count.
    #[inline]
    pub(crate) fn drawn_and_used<R: Rng + ?Sized>(self, rng: &mut R) -> (u32, u32) {
        match self {
            Self::Sure(d) => (d, d),
            Self::Coin { coin, heads, tails } => (heads.max(tails), coin.pick(heads, tails, rng)),
        }
    }
}

/// Loads that take balls of another kind: a weight, a vector over dimensions.
///
/// # Examples
///
/// ```
/// use bb_core::{LoadVector, Metrics, PlaceBall, Weight};
///
/// let mut loads = LoadVector::weighted(4)?;
/// loads.place_ball(2, &Weight::new(1.5)?);
/// assert_eq!(loads.max_load(), 1.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait PlaceBall<Ball: ?Sized>: Bins {
    /// Puts one ball into a bin and returns the name the bin has from now on.
    fn place_ball(&mut self, bin: Self::Bin, ball: &Ball) -> Self::Bin;

    /// Puts what a step puts, with balls like this one: [`Put::count`] of them, one after another. Loads that keep counters also do what the put says about these.
    #[inline]
    fn put_ball(&mut self, mut bin: Self::Bin, ball: &Ball, put: Put) -> Self::Bin {
        for _ in 0..put.count() {
            bin = self.place_ball(bin, ball);
        }
        bin
    }
}

/// What one step puts into the bin that was chosen: nearly always [`Put::BALL`].
///
/// # Examples
///
/// ```
/// use core::num::NonZeroU64;
/// use bb_core::{Fresh, Put};
///
/// let two = Put::balls(NonZeroU64::new(2).unwrap());
/// assert_eq!((two.count(), two.mark()), (2, None));
/// assert_eq!(Put::BALL.with_mark(0).mark(), Some(0));
/// assert_eq!(Put::BALL.after(Fresh::COUNT).fresh(), Some(Fresh::COUNT));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Put {
    balls: NonZeroU64,
    mark: Option<u8>,
    fresh: Option<Fresh>,
}

impl Put {
    /// One unit ball.
    pub const BALL: Self = Self::balls(NonZeroU64::MIN);

    /// Returns a put of several unit balls, placed one after another in the same bin (twinning, packing).
    #[must_use]
    pub const fn balls(balls: NonZeroU64) -> Self {
        Self { balls, mark: None, fresh: None }
    }

    /// Adds that counter `which` of the bin is to go up by one, in loads that keep counters.
    ///
    /// Rules that count the accepted suggestions of each bin use it. Loads without counters ignore it,
    /// so such a rule asks for a view that has them: [`Marks`](crate::Marks).
    #[must_use]
    pub const fn with_mark(self, which: u8) -> Self {
        Self { mark: Some(which), ..self }
    }

    /// Adds that all counters begin afresh before this is put, in loads that keep counters.
    ///
    /// A rule that follows another on the same loads, or begins a new stage, uses it for its first ball. Until that ball is placed the counters are those of before; the rule reads them as 0.
    #[must_use]
    pub const fn after(self, fresh: Fresh) -> Self {
        Self { fresh: Some(fresh), ..self }
    }

    /// Returns the number of balls, at least 1.
    #[must_use]
    pub const fn count(self) -> u64 {
        self.balls.get()
    }

    /// Returns the counter that goes up, if any.
    #[must_use]
    pub const fn mark(self) -> Option<u8> {
        self.mark
    }

    /// Returns how the counters begin afresh, if they do.
    #[must_use]
    pub const fn fresh(self) -> Option<Fresh> {
        self.fresh
    }
}
