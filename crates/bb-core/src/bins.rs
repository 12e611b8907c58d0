//! What a decision may see ([`Bins`]), and how bins are drawn from it ([`BinsExt`]).

use core::fmt::Debug;
use core::hint::select_unpredictable;

use rand::Rng;

use crate::load::Load;
use crate::places::Places;
use bb_samplers::DistinctSampler;

/// What a decision may see: bins that can be drawn, and whose load can be asked.
///
/// A *view* answers four questions: from which places bins are drawn ([`places`](Self::places)), which bin
/// is at a place ([`nth`](Self::nth)), what its load is ([`load`](Self::load)), and what all loads sum to
/// ([`total`](Self::total)). Views are the loads themselves ([`LoadVector`](crate::LoadVector)), loads that
/// wrap other loads and show them as they were, and loads seen through the eyes of one ball. A rule that is
/// generic in the view runs on all of them. How bins are drawn follows from the four answers and is the same
/// for every view: [`BinsExt`].
///
/// # Names of bins
///
/// [`Bin`](Self::Bin) names a bin *in the present state*. With a load vector it is an index and never
/// changes. Where only the number of bins at each load is kept, a bin has no index: it is called by its rank,
/// and placing a ball renames it and others. Thus a rule that remembers bins must pass them through
/// [`follow`](Self::follow) after every placement.
///
/// # Examples
///
/// A view of one's own, and draws from it:
///
/// ```
/// use bb_core::{Bins, BinsExt, DistinctSampler, IndexSampler, rng_for_trial};
///
/// /// Every bin holds as many balls as its number says.
/// struct Staircase(IndexSampler);
///
/// impl Bins for Staircase {
///     type Bin = u64;
///     type Load = u64;
///     type Places = IndexSampler;
///     fn places(&self) -> &IndexSampler { &self.0 }
///     fn nth(&self, place: u64) -> u64 { place }
///     fn load(&self, bin: u64) -> u64 { bin }
///     fn total(&self) -> u64 { self.bins() * (self.bins() - 1) / 2 }
/// }
///
/// let view = Staircase(IndexSampler::new(10).unwrap());
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
    /// What bins are drawn from: an [`IndexSampler`](crate::IndexSampler), or that of the loads inside.
    type Places: Places;

    /// Returns the places `0..n` that bins are drawn from, at least one: how many bins there are.
    fn places(&self) -> &Self::Places;

    /// Returns the bin at a place of some fixed numbering of the present state, `place < n`.
    ///
    /// Distinct places are distinct bins: draws without replacement are draws of distinct places.
    fn nth(&self, place: u64) -> Self::Bin;

    /// Returns the load of a bin, as far as this view shows it.
    fn load(&self, bin: Self::Bin) -> Self::Load;

    /// Returns the total of all loads: `n` times the mean that loads are compared with.
    fn total(&self) -> Self::Load;

    /// Returns the number of bins `n`.
    #[inline]
    fn bins(&self) -> u64 {
        self.places().bound()
    }

    /// Returns the bin with the smaller load, the first one on a tie.
    ///
    /// Override it only where two loads are compared faster than they are read.
    #[inline]
    fn lighter(&self, first: Self::Bin, second: Self::Bin) -> Self::Bin {
        select_unpredictable(self.load(second) < self.load(first), second, first)
    }

    /// Returns the present name of the bin that was called `kept` before the last placement (or the last
    /// [removal](crate::Remove::remove)), which renamed the receiving bin (the bin it left) from `was` to
    /// `now`.
    ///
    /// Only bins that are called by rank answer otherwise than by default.
    #[inline]
    fn follow(&self, kept: Self::Bin, was: Self::Bin, now: Self::Bin) -> Self::Bin {
        if kept == was { now } else { kept }
    }
}

/// Answers the questions of [`Bins`] by a view inside: `bins_of!(view => view.loads)`. A wrapper writes
/// [`follow`] itself where it answers otherwise: `bins_of!(view => view.loads, but follow)`.
///
/// [`follow`]: Bins::follow
macro_rules! bins_of {
    ($view:ident => $inside:expr) => {
        $crate::bins::bins_of!($view => $inside, but follow);

        #[inline]
        fn follow(&self, kept: Self::Bin, was: Self::Bin, now: Self::Bin) -> Self::Bin {
            let $view = self;
            $inside.follow(kept, was, now)
        }
    };
    ($view:ident => $inside:expr, but follow) => {
        #[inline]
        fn places(&self) -> &Self::Places {
            let $view = self;
            $inside.places()
        }
        #[inline]
        fn nth(&self, place: u64) -> Self::Bin {
            let $view = self;
            $inside.nth(place)
        }
        #[inline]
        fn load(&self, bin: Self::Bin) -> Self::Load {
            let $view = self;
            $inside.load(bin)
        }
        #[inline]
        fn total(&self) -> Self::Load {
            let $view = self;
            $inside.total()
        }
        #[inline]
        fn lighter(&self, first: Self::Bin, second: Self::Bin) -> Self::Bin {
            let $view = self;
            $inside.lighter(first, second)
        }
    };
}
pub(crate) use bins_of;

/// A borrowed view is a view.
impl<B: Bins + ?Sized> Bins for &B {
    type Bin = B::Bin;
    type Load = B::Load;
    type Places = B::Places;
    bins_of!(view => (**view));
}

/// Draws bins from a view: what every view can do, and none does in a way of its own.
///
/// *Randomness:* bins are drawn as [`IndexSampler`](crate::IndexSampler) draws indices: exactly uniform, and
/// several from one output of the generator where they fit. `draw_pair` and `draw_each(2)` give the same
/// bins.
///
/// # Examples
///
/// ```
/// use bb_core::{Bins, BinsExt, LoadVector, rng_for_trial};
///
/// let loads = LoadVector::from_loads(vec![3, 0])?;
/// assert!(loads.draw(&mut rng_for_trial(1, 0)) < 2);
/// assert_eq!(loads.lighter(0, 1), 1);
/// assert!(loads.below_mean(1));
/// # Ok::<(), bb_core::LoadsError>(())
/// ```
pub trait BinsExt: Bins {
    /// Draws one uniform bin.
    #[inline]
    fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> Self::Bin {
        self.nth(self.places().draw(rng))
    }

    /// Draws two independent uniform bins, possibly the same one twice.
    #[inline]
    fn draw_pair<R: Rng + ?Sized>(&self, rng: &mut R) -> [Self::Bin; 2] {
        self.places().draw_pair(rng).map(|place| self.nth(place))
    }

    /// Draws `d` independent uniform bins and hands them over one by one.
    #[inline]
    fn draw_each<R: Rng + ?Sized, F: FnMut(Self::Bin)>(&self, d: u32, rng: &mut R, mut each: F) {
        self.places().draw_each(d, rng, |place| each(self.nth(place)));
    }

    /// Draws `d` distinct uniform bins, all of them if there are fewer, and hands them over in random order.
    #[inline]
    fn draw_distinct<R, F>(&self, d: u32, sampler: &mut DistinctSampler, rng: &mut R, mut each: F)
    where
        R: Rng + ?Sized,
        F: FnMut(Self::Bin),
    {
        self.places().draw_distinct(d, sampler, rng, |place| each(self.nth(place)));
    }

    /// Tells whether the load is strictly below the mean load; exact, without rounding, for counts.
    #[inline]
    fn below_mean(&self, bin: Self::Bin) -> bool {
        self.load(bin).is_below_mean(self.total(), self.bins())
    }
}

impl<B: Bins + ?Sized> BinsExt for B {}
