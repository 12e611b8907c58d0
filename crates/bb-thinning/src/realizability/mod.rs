//! Which laws of one ball two-thinning can have, and by which accept probabilities.
//!
//! A decision strategy accepts a sampled bin `i` with probability `a_i`, and else takes a second uniform bin.
//! So bin `i` receives the ball with probability `p_i = (a_i + c)/n`, where `c = 1 − mean(a)` is the
//! probability of a rejection. Conversely, for a law `p` on `n` bins these are equivalent (Feldheim,
//! Gurel-Gurevich and Li, Ann. Appl. Probab. 34(1A), 2024, arXiv 2110.05009, Lemma 2.1, whose display we had
//! not at hand; what follows is derived and proved in a line each way):
//!
//! 1. some decision strategy has the law `p`;
//! 2. some `c ≥ 0` has `c ≤ n·p_i ≤ 1 + c` for all `i`;
//! 3. `max p − min p ≤ 1/n`.
//!
//! The admissible `c` are those in `[n·max p − 1, n·min p]`, within `[0, 1]`, and `a_i = n·p_i − c`: one law,
//! at a cost that can be chosen ([`Rejections`]).
//!
//! *Accuracy:* exact for rationals. For `f64`, `n·p_i` and differences of two are taken to be exact up to
//! `8·2^-52`, and a sum of `n` probabilities up to `(n + 4)·2^-52`: what fails an inequality by less passes,
//! and the accept probability is then the nearest in `[0, 1]`.

mod error;
mod number;

pub use error::RealizeError;
pub use number::Number;

/// Rounding that differences of `f64` are allowed, in units of `2^-52`.
const SLACK: u64 = 8;

/// How often to reject, where one law can be had at several rejection probabilities `c`.
///
/// # Examples
///
/// ```
/// use bb_thinning::num_rational::Ratio;
/// use bb_thinning::{Rejections, accept_probabilities};
///
/// let r = |a: i128, b| Ratio::new(a, b);
/// let law = [r(3, 8), r(3, 8), r(1, 4)];
/// assert_eq!(accept_probabilities(&law, &Rejections::Fewest)?, [r(1, 1), r(1, 1), r(5, 8)]);
/// assert_eq!(accept_probabilities(&law, &Rejections::Most)?, [r(3, 8), r(3, 8), r(0, 1)]);
/// assert_eq!(accept_probabilities(&law, &Rejections::Given(r(1, 2)))?, [r(5, 8), r(5, 8), r(1, 4)]);
/// # Ok::<(), bb_thinning::RealizeError<Ratio<i128>>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Rejections<T> {
    /// The smallest, `c = n·max p − 1`: the likeliest bins are always accepted.
    Fewest,
    /// The largest, `c = n·min p`: the least likely bins are never accepted.
    Most,
    /// This one.
    Given(T),
}

/// Bins of equal probability.
///
/// # Examples
///
/// ```
/// use bb_thinning::{Class, Rejections, accept_probabilities_of_classes};
///
/// // Half of the bins receive three times as much as the other half.
/// let half = |times: f64| Class { bins: 512, probability: times / 1024.0 };
/// let classes = [half(1.5), half(0.5)];
/// assert_eq!(accept_probabilities_of_classes(&classes, &Rejections::Fewest)?, [1.0, 0.0]);
/// # Ok::<(), bb_thinning::RealizeError<f64>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Class<T> {
    /// How many bins there are of it; a class without bins is passed over.
    pub bins: u64,
    /// The probability of each of them.
    pub probability: T,
}

/// Returns the accept probability of each bin under which the ball goes to bin `i` with probability `law[i]`.
/// `O(n)`.
///
/// # Errors
///
/// If `law` is no law on at least one bin, if no two-thinning has it, or not with this `c`.
///
/// # Examples
///
/// ```
/// use bb_thinning::{Rejections, accept_probabilities};
///
/// assert_eq!(accept_probabilities(&[0.75, 0.25], &Rejections::Fewest)?, [1.0, 0.0]);
/// assert!(accept_probabilities(&[0.75, 0.5], &Rejections::Fewest).is_err());
/// # Ok::<(), bb_thinning::RealizeError<f64>>(())
/// ```
pub fn accept_probabilities<T: Number>(law: &[T], rejections: &Rejections<T>) -> Result<Vec<T>, RealizeError<T>> {
    let scaled = scaled_law(law.iter().map(|probability| (1, probability.clone())))?;
    let c = scaled.rejections(rejections)?;
    Ok(law.iter().map(|probability| accept(scaled.n.clone() * probability.clone(), &c)).collect())
}

/// Returns the accept probability of each class, from its size and the probability of each of its bins.
/// `O(classes)`; [`Class`] has an example.
///
/// # Errors
///
/// As [`accept_probabilities`]; places are classes.
pub fn accept_probabilities_of_classes<T: Number>(
    classes: &[Class<T>],
    rejections: &Rejections<T>,
) -> Result<Vec<T>, RealizeError<T>> {
    let scaled = scaled_law(classes.iter().map(|class| (class.bins, class.probability.clone())))?;
    let c = scaled.rejections(rejections)?;
    Ok(classes.iter().map(|class| accept(scaled.n.clone() * class.probability.clone(), &c)).collect())
}

/// Returns the accept probability of each class, where a bin receives the ball with a probability in
/// proportion to the intensity of its class. `O(K)`, allocates nothing.
///
/// The law of a drift: `n·p = λ/λ̄` with `λ̄` the mean intensity of a bin. What is returned for a class
/// without bins has no meaning.
///
/// # Errors
///
/// As [`accept_probabilities`]; places are classes, and intensities need not sum to 1.
///
/// # Examples
///
/// The drift with `θ = 1/5`, two bins below the clock and three above it:
///
/// ```
/// use bb_thinning::num_rational::Ratio;
/// use bb_thinning::{Rejections, accept_probabilities_of_intensities};
///
/// let intensities = [Ratio::new(6_i128, 5), Ratio::new(4, 5)];
/// let accept = accept_probabilities_of_intensities([2, 3], &intensities, &Rejections::Fewest)?;
/// assert_eq!(accept, [Ratio::new(1, 1), Ratio::new(7, 12)]);
/// # Ok::<(), bb_thinning::RealizeError<Ratio<i128>>>(())
/// ```
#[inline]
pub fn accept_probabilities_of_intensities<T: Number, const K: usize>(
    sizes: [u64; K],
    intensities: &[T; K],
    rejections: &Rejections<T>,
) -> Result<[T; K], RealizeError<T>> {
    let mut sum = T::zero();
    for (size, intensity) in sizes.iter().zip(intensities) {
        sum = sum + T::from_count(*size) * intensity.clone();
    }
    let bins = sizes.iter().fold(0_u64, |bins, &size| bins.saturating_add(size));
    if bins == 0 {
        return Err(RealizeError::NoBins);
    }
    if sum.is_zero() {
        return Err(RealizeError::NoIntensity);
    }
    let inverse = T::from_count(bins) / sum;
    let relative: [T; K] = core::array::from_fn(|class| intensities[class].clone() * inverse.clone());
    let scaled = Scaled::new((0..K).map(|class| (sizes[class], relative[class].clone())))?;
    let c = scaled.rejections(rejections)?;
    Ok(relative.map(|relative| accept(relative, &c)))
}

/// Returns the smallest and the largest rejection probability at which a law can be had:
/// `[n·max p − 1, n·min p]`. `O(n)`.
///
/// # Errors
///
/// As [`accept_probabilities`].
///
/// # Examples
///
/// ```
/// use bb_thinning::rejection_range;
///
/// assert_eq!(rejection_range(&[0.625, 0.375])?, (0.25, 0.75));
/// assert_eq!(rejection_range(&[0.5, 0.5])?, (0.0, 1.0));
/// # Ok::<(), bb_thinning::RealizeError<f64>>(())
/// ```
pub fn rejection_range<T: Number>(law: &[T]) -> Result<(T, T), RealizeError<T>> {
    let scaled = scaled_law(law.iter().map(|probability| (1, probability.clone())))?;
    Ok((scaled.fewest(), scaled.most()))
}

/// Returns the law of the receiving bin under these accept probabilities, the map back:
/// `p_i = (a_i + 1 − mean(a))/n`. `O(n)`.
///
/// # Errors
///
/// If there is none, or one is outside `[0, 1]`.
///
/// # Examples
///
/// ```
/// use bb_thinning::law_of_accept_probabilities;
///
/// assert_eq!(law_of_accept_probabilities(&[1.0, 0.0])?, [0.75, 0.25]);
/// assert!(law_of_accept_probabilities(&[1.0, 1.5]).is_err());
/// # Ok::<(), bb_thinning::RealizeError<f64>>(())
/// ```
pub fn law_of_accept_probabilities<T: Number>(accept: &[T]) -> Result<Vec<T>, RealizeError<T>> {
    if accept.is_empty() {
        return Err(RealizeError::NoBins);
    }
    let inside = |value: &T| *value >= T::zero() && *value <= T::one();
    if let Some(place) = accept.iter().position(|value| !inside(value)) {
        return Err(RealizeError::NotAccept { place, value: accept[place].clone() });
    }
    let n = T::from_count(accept.len() as u64);
    let sum = accept.iter().fold(T::zero(), |sum, value| sum + value.clone());
    let c = T::one() - sum / n.clone();
    Ok(accept.iter().map(|value| (value.clone() + c.clone()) / n.clone()).collect())
}

/// `n·p − c`, and never outside `[0, 1]` by rounding.
#[inline]
fn accept<T: Number>(scaled: T, c: &T) -> T {
    let accept = scaled - c.clone();
    if accept < T::zero() {
        T::zero()
    } else if accept > T::one() {
        T::one()
    } else {
        accept
    }
}

/// Checks that probabilities sum to 1, and multiplies them by `n`.
fn scaled_law<T: Number>(law: impl Iterator<Item = (u64, T)> + Clone) -> Result<Scaled<T>, RealizeError<T>> {
    let (mut bins, mut sum, mut terms) = (0_u64, T::zero(), 0);
    for (place, (size, probability)) in law.clone().enumerate() {
        check(place, &probability)?;
        bins = bins.saturating_add(size);
        sum = sum + T::from_count(size) * probability;
        terms += 1;
    }
    let n = T::from_count(bins);
    let scaled = Scaled::new(law.map(|(size, probability)| (size, n.clone() * probability)))?;
    let tolerance = T::slack(terms + 4);
    let off = if sum > T::one() { sum.clone() - T::one() } else { T::one() - sum.clone() };
    if off > tolerance {
        return Err(RealizeError::Sum { sum, tolerance });
    }
    Ok(scaled)
}

fn check<T: Number>(place: usize, value: &T) -> Result<(), RealizeError<T>> {
    if value.is_finite_number() && *value >= T::zero() {
        Ok(())
    } else {
        Err(RealizeError::NotAProbability { place, value: value.clone() })
    }
}

/// What decides: the extremes of `n·p` over the bins that there are.
struct Scaled<T> {
    n: T,
    bins: u64,
    max: (usize, T),
    min: (usize, T),
}

impl<T: Number> Scaled<T> {
    #[inline]
    fn new(classes: impl Iterator<Item = (u64, T)>) -> Result<Self, RealizeError<T>> {
        let mut bins = 0_u64;
        let mut extremes: Option<((usize, T), (usize, T))> = None;
        for (place, (size, scaled)) in classes.enumerate() {
            check(place, &scaled)?;
            if size == 0 {
                continue;
            }
            bins = bins.saturating_add(size);
            extremes = Some(match extremes {
                None => ((place, scaled.clone()), (place, scaled)),
                Some((max, min)) => (
                    if scaled > max.1 { (place, scaled.clone()) } else { max },
                    if scaled < min.1 { (place, scaled) } else { min },
                ),
            });
        }
        let (max, min) = extremes.ok_or(RealizeError::NoBins)?;
        Ok(Self { n: T::from_count(bins), bins, max, min })
    }

    /// `n·max p − 1`, not below 0 by rounding.
    fn fewest(&self) -> T {
        if self.max.1 > T::one() { self.max.1.clone() - T::one() } else { T::zero() }
    }

    /// `n·min p`, not above 1 by rounding.
    fn most(&self) -> T {
        if self.min.1 < T::one() { self.min.1.clone() } else { T::one() }
    }

    /// The rejection probability to take.
    #[inline]
    fn rejections(&self, rejections: &Rejections<T>) -> Result<T, RealizeError<T>> {
        let spread = self.max.1.clone() - self.min.1.clone();
        if spread > T::one() + T::slack(SLACK) {
            let excess = (spread - T::one()) / self.n.clone();
            let (likeliest, least_likely) = (self.max.0, self.min.0);
            return Err(RealizeError::Spread { likeliest, least_likely, excess, bins: self.bins });
        }
        match rejections {
            Rejections::Fewest => Ok(self.fewest()),
            Rejections::Most => Ok(self.most()),
            Rejections::Given(c) => {
                let (low, high) = (self.fewest(), self.most());
                let inside = *c >= low.clone() - T::slack(SLACK) && *c <= high.clone() + T::slack(SLACK);
                if inside { Ok(c.clone()) } else { Err(RealizeError::Rejections { c: c.clone(), low, high }) }
            }
        }
    }
}
