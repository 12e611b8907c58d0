//! One description of a rule for every engine: [`ProbeRule`].

use core::fmt::Debug;
use core::hint::select_unpredictable;

use rand::Rng;
use rand::distr::Distribution;

use crate::{Bins, Coin, Decision};
use bb_samplers::Binomial;

/// A rule that looks at uniform bins one after another and stops or goes on by what it saw.
///
/// Such a rule is written once, as a description that *returns* its randomness ([`Mix`]) instead of drawing it. Then one ball at a time can be
/// played on any view ([`decide_by_probes`]), and on counted bins many balls at once ([`LoadProfile::run_bulk`](crate::LoadProfile::run_bulk)), where a coin
/// becomes a binomial split of a count.
///
/// For each ball: [`first`](Self::first) gives a state; then each bin in turn is looked at in that state, and [`look`](Self::look) says whether the bin becomes the candidate, and whether to probe on
/// (in which state) or to place the ball on the candidate. The candidate's load is kept by the engine. After [`most_probes`](Self::most_probes) bins the candidate gets the ball in any case; where there is none, the last bin does.
///
/// # Examples
///
/// Thinning by load: the first bin is accepted if its load is below a level, else the second takes the ball.
///
/// ```
/// use bb_core::{LoadProfile, Look, Metrics, Mix, ProbeRule, rng_for_trial};
///
/// struct BelowLevel(u64);
///
/// impl ProbeRule for BelowLevel {
///     type State = bool; // Is this the last bin?
///     type Phase = ();
///     fn most_probes(&self) -> u32 { 2 }
///     fn phase(&self, _: u64, _: u64) -> ((), u64) { ((), u64::MAX) }
///     fn first(&self, _: &()) -> Mix<bool> { Mix::Sure(false) }
///     fn look(&self, _: &(), last: bool, _: u64, load: u64) -> Mix<Look<bool>> {
///         let go_on = !last && load >= self.0;
///         Mix::Sure(Look { keep: true, go: go_on.then_some(true) })
///     }
/// }
///
/// let mut loads = LoadProfile::new(1 << 30)?;
/// loads.run_bulk(&BelowLevel(1), 1 << 30, &mut rng_for_trial(1, 0));
/// let empty = loads.empty_bins() as f64 / (1_u64 << 30) as f64;
/// assert!((empty - 0.238_406).abs() < 1e-4, "the fluid limit is 0.238406: {empty}");
/// # Ok::<(), bb_core::LoadsError>(())
/// ```
pub trait ProbeRule {
    /// What is known while a ball is probing, besides the candidate's load: small, like the number of bins still to see.
    type State: Copy + Eq + Debug;
    /// What decisions depend on besides loads: a level, the mean rounded up. Constant for many balls.
    type Phase: Copy + Debug;

    /// Returns the most bins a ball looks at, at least 1.
    ///
    /// All of them are drawn, whether used or not, and kept until the ball is placed, so a rule that lets its user choose this number bounds it.
    fn most_probes(&self) -> u32;

    /// Returns the phase when `total` balls are in `bins` bins, and the first larger total at which it may be another.
    fn phase(&self, total: u64, bins: u64) -> (Self::Phase, u64);

    /// Returns the state in which the first bin is looked at.
    fn first(&self, phase: &Self::Phase) -> Mix<Self::State>;

    /// Looks at a bin with this load, when the candidate has load `kept`, or `u64::MAX` if there is none yet.
    ///
    /// May be asked again after the ball was placed, in the last state; the answer is ignored then.
    fn look(&self, phase: &Self::Phase, state: Self::State, kept: u64, load: u64) -> Mix<Look<Self::State>>;

    /// Returns `d` if the rule always places in the least loaded of `d` bins: in bulk there is a shorter way for that. Default: `None`.
    ///
    /// It must equal [`most_probes`](Self::most_probes), and say the same as `first` and `look`.
    fn least_of(&self) -> Option<u32> {
        None
    }
}

/// What a look at a bin leads to; [`ProbeRule`] shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Look<S> {
    /// Whether this bin becomes the candidate.
    pub keep: bool,
    /// The state in which to look at the next bin; `None` places the ball on the candidate.
    pub go: Option<S>,
}

/// An outcome, or a coin between two.
///
/// # Examples
///
/// ```
/// use bb_core::{Coin, Mix, rng_for_trial};
///
/// let mix = Mix::Coin { coin: Coin::new("p", 1.0)?, heads: 'h', tails: 't' };
/// assert_eq!(mix.resolve(&mut rng_for_trial(1, 0)), 'h');
/// # Ok::<(), bb_core::ParameterError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mix<T> {
    /// One outcome.
    Sure(T),
    /// A coin decides.
    Coin {
        /// The coin.
        coin: Coin,
        /// The outcome on heads.
        heads: T,
        /// The outcome on tails.
        tails: T,
    },
}

/// What is sure.
impl<T> From<T> for Mix<T> {
    fn from(outcome: T) -> Self {
        Self::Sure(outcome)
    }
}

impl<T> Mix<T> {
    /// Flips the coin, if there is one: one word then, none else.
    #[inline]
    pub fn resolve<R: Rng + ?Sized>(self, rng: &mut R) -> T {
        match self {
            Self::Sure(outcome) => outcome,
            Self::Coin { coin, heads, tails } => coin.pick(heads, tails, rng),
        }
    }

    /// Splits a number of balls, at most `2^62`, that flip the coin each: a binomial draw if there is a coin, no word else. `part` gets what is not zero.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_core::{Coin, Mix, rng_for_trial};
    ///
    /// let mix = Mix::Coin { coin: Coin::new("p", 0.5)?, heads: "heads", tails: "tails" };
    /// let mut sum = 0;
    /// mix.split(1 << 40, &mut rng_for_trial(1, 0), |_, balls| sum += balls);
    /// assert_eq!(sum, 1 << 40);
    /// # Ok::<(), bb_core::ParameterError>(())
    /// ```
    #[inline]
    pub fn split<R: Rng + ?Sized>(self, balls: u64, rng: &mut R, mut part: impl FnMut(T, u64)) {
        match self {
            Self::Sure(outcome) => part(outcome, balls),
            Self::Coin { coin, heads, tails } => {
                let on_heads = Binomial::unchecked(balls, coin.probability()).sample(rng);
                if on_heads > 0 {
                    part(heads, on_heads);
                }
                if on_heads < balls {
                    part(tails, balls - on_heads);
                }
            }
        }
    }
}

/// Plays one ball of a described rule on a view.
///
/// *Randomness:* the coin of the first state, if it has one; then all [`most_probes`](ProbeRule::most_probes) bins by [`Bins::draw_each`], whether used or not; then the coins of
/// the looks, in order, of those that have one. Allocates where a ball has more than two probes; the loops of
/// [`Place::place_by_probes`](crate::Place::place_by_probes) do not.
///
/// # Examples
///
/// ```
/// use bb_core::{LoadVector, Look, Mix, ProbeRule, decide_by_probes, rng_for_trial};
///
/// struct One;
/// impl ProbeRule for One {
///     type State = ();
///     type Phase = ();
///     fn most_probes(&self) -> u32 { 1 }
///     fn phase(&self, _: u64, _: u64) -> ((), u64) { ((), u64::MAX) }
///     fn first(&self, _: &()) -> Mix<()> { Mix::Sure(()) }
///     fn look(&self, _: &(), _: (), _: u64, _: u64) -> Mix<Look<()>> { Mix::Sure(Look { keep: true, go: None }) }
/// }
/// let loads = LoadVector::new(9)?;
/// let decision = decide_by_probes(&One, &(), &loads, &mut rng_for_trial(1, 0));
/// assert!(decision.is_primary() && decision.bin < 9);
/// # Ok::<(), bb_core::LoadsError>(())
/// ```
#[inline]
pub fn decide_by_probes<P, B, R>(rule: &P, phase: &P::Phase, bins: &B, rng: &mut R) -> Decision<B::Bin>
where
    P: ProbeRule + ?Sized,
    B: Bins<Load = u64> + ?Sized,
    R: Rng + ?Sized,
{
    let first = rule.first(phase).resolve(rng);
    let probes = rule.most_probes().max(1);
    if probes == 1 {
        return Decision::first(bins.draw(rng));
    }
    if probes == 2 {
        let drawn = bins.draw_pair(rng);
        let taken = take(rule, phase, first, drawn.map(|bin| bins.load(bin)), rng);
        return Decision { bin: drawn[taken], primary: drawn[0], offer: taken as u32 + 1 };
    }
    let mut drawn = Vec::with_capacity(probes as usize);
    bins.draw_each(probes, rng, |bin| drawn.push(bin));
    let taken = take(rule, phase, first, drawn.iter().map(|&bin| bins.load(bin)), rng);
    Decision { bin: drawn[taken], primary: drawn[0], offer: taken as u32 + 1 }
}

/// Plays one ball on the loads of the bins drawn for it, and returns which of them takes it.
///
/// Looks at all of them, and passes over what a placed ball would have seen: what was seen is a coin flip to the processor, and a branch on it
/// costs more than a look.
#[inline]
pub(crate) fn take<P, R>(
    rule: &P,
    phase: &P::Phase,
    first: P::State,
    loads: impl IntoIterator<Item = u64>,
    rng: &mut R,
) -> usize
where
    P: ProbeRule + ?Sized,
    R: Rng + ?Sized,
{
    let (mut state, mut probing) = (first, true);
    let (mut kept, mut taken) = (u64::MAX, 0);
    for (place, load) in loads.into_iter().enumerate() {
        let look = match rule.look(phase, state, kept, load) {
            Mix::Sure(look) => look,
            // No word for a look that does not count.
            coin => {
                if probing {
                    coin.resolve(rng)
                } else {
                    Look { keep: false, go: None }
                }
            }
        };
        taken = select_unpredictable(probing & (look.keep | (kept == u64::MAX)), place, taken);
        kept = select_unpredictable(probing & look.keep, load, kept);
        state = look.go.unwrap_or(state);
        probing &= look.go.is_some();
    }
    taken
}
