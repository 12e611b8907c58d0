//! What bins are drawn from: [`Places`].

use rand::Rng;

use bb_samplers::{DistinctSampler, IndexSampler};

/// The places `0..n` of bins, drawn uniformly.
///
/// An [`IndexSampler`] is one, and what nearly every view answers. A view that is to see every draw, or to
/// say what comes next, brings a type of its own.
///
/// # Examples
///
/// ```
/// use bb_core::{IndexSampler, Places, Rng};
///
/// /// Draws no place but the last.
/// struct Last(u64);
///
/// impl Places for Last {
///     fn bound(&self) -> u64 { self.0 }
///     fn draw<R: Rng + ?Sized>(&self, _: &mut R) -> u64 { self.0 - 1 }
/// }
///
/// let mut rng = bb_core::rng_for_trial(1, 0);
/// assert_eq!(Last(9).draw_pair(&mut rng), [8, 8]);
/// assert!(Places::draw(&IndexSampler::new(9).unwrap(), &mut rng) < 9);
/// ```
pub trait Places {
    /// Returns `n`, the number of places, at least 1.
    fn bound(&self) -> u64;

    /// Draws one uniform place.
    fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> u64;

    /// Draws two independent uniform places.
    #[inline]
    fn draw_pair<R: Rng + ?Sized>(&self, rng: &mut R) -> [u64; 2] {
        [self.draw(rng), self.draw(rng)]
    }

    /// Draws `d` independent uniform places and hands them over one by one.
    #[inline]
    fn draw_each<R: Rng + ?Sized, F: FnMut(u64)>(&self, d: u32, rng: &mut R, mut each: F) {
        for _ in 0..d {
            each(self.draw(rng));
        }
    }

    /// Draws `d` distinct uniform places, all of them if there are fewer, and hands them over in random
    /// order.
    #[inline]
    fn draw_distinct<R, F>(&self, d: u32, sampler: &mut DistinctSampler, rng: &mut R, each: F)
    where
        R: Rng + ?Sized,
        F: FnMut(u64),
    {
        sampler.draw_each(self.bound(), d, rng, each);
    }
}

/// Several places from one output of the generator, where they fit.
impl Places for IndexSampler {
    #[inline]
    fn bound(&self) -> u64 {
        self.bound()
    }
    #[inline]
    fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> u64 {
        self.draw(rng)
    }
    #[inline]
    fn draw_pair<R: Rng + ?Sized>(&self, rng: &mut R) -> [u64; 2] {
        self.draw_pair(rng)
    }
    #[inline]
    fn draw_each<R: Rng + ?Sized, F: FnMut(u64)>(&self, d: u32, rng: &mut R, each: F) {
        self.draw_each(d, rng, each);
    }
}
