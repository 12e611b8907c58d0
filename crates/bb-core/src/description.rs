//! One description of a rule for every engine: [`Description`].

use core::fmt::Debug;
use core::hint::select_unpredictable;

use rand::Rng;

use crate::bins::{Bins, BinsExt};
use crate::decision::Decision;
use crate::mix::Mix;

/// A rule that samples uniform bins one after another, and by the load of each stops or goes on.
///
/// Such a rule is written once, as a description that *returns* its randomness ([`Mix`]) instead of drawing
/// it. Then one ball at a time can be played on any view ([`decide_described`]), and on counted bins many
/// balls at once ([`LoadProfile::run_bulk`](crate::LoadProfile::run_bulk)), where a coin becomes a binomial
/// split of a count.
///
/// For each ball: [`first`](Self::first) gives a state; then [`judge`](Self::judge) judges one sample after
/// another. It says whether to keep this sample in place of the one kept so far, and whether to go on (in
/// which state) or to place the ball in the sample that is kept. The engine remembers the load of the kept
/// sample. After [`most_samples`](Self::most_samples) samples the kept one gets the ball in any case; if none
/// was kept, the last one does.
///
/// # Examples
///
/// Thinning by load: the first bin is accepted if its load is below a level, else the second takes the ball.
///
/// ```
/// use bb_core::{LoadProfile, Judgement, Metrics, Mix, Description, rng_for_trial};
///
/// struct BelowLevel(u64);
///
/// impl Description for BelowLevel {
///     type State = bool; // Is this the last bin?
///     type Phase = ();
///     fn most_samples(&self) -> u32 { 2 }
///     fn phase(&self, _: u64, _: u64) -> ((), u64) { ((), u64::MAX) }
///     fn first(&self, _: &()) -> Mix<bool> { Mix::Sure(false) }
///     fn judge(&self, _: &(), last: bool, _: u64, load: u64) -> Mix<Judgement<bool>> {
///         let go_on = !last && load >= self.0;
///         Mix::Sure(Judgement { keep: true, go: go_on.then_some(true) })
///     }
/// }
///
/// let mut loads = LoadProfile::new(1 << 30)?;
/// loads.run_bulk(&BelowLevel(1), 1 << 30, &mut rng_for_trial(1, 0));
/// let empty = loads.empty_bins() as f64 / (1_u64 << 30) as f64;
/// assert!((empty - 0.238_406).abs() < 1e-4, "the fluid limit is 0.238406: {empty}");
/// # Ok::<(), bb_core::LoadsError>(())
/// ```
pub trait Description {
    /// What a ball knows between two samples, besides the load of the kept one: small, like the number of
    /// samples still to come.
    type State: Copy + Eq + Debug;
    /// What decisions depend on besides loads: a level, the mean rounded up. Constant for many balls.
    type Phase: Copy + Debug;

    /// Returns the most samples a ball takes, at least 1.
    ///
    /// All of them are drawn, whether used or not, and kept until the ball is placed, so a rule that lets its
    /// user choose this number bounds it.
    fn most_samples(&self) -> u32;

    /// Returns the phase when `total` balls are in `bins` bins, and the first larger total at which it may be
    /// another.
    fn phase(&self, total: u64, bins: u64) -> (Self::Phase, u64);

    /// Returns the state in which the first sample is judged.
    fn first(&self, phase: &Self::Phase) -> Mix<Self::State>;

    /// Judges a sample with this load, when the kept sample has load `kept`, or `u64::MAX` if there is none.
    ///
    /// May be asked again after the ball was placed, in the last state; the answer is ignored then.
    fn judge(&self, phase: &Self::Phase, state: Self::State, kept: u64, load: u64) -> Mix<Judgement<Self::State>>;

    /// Returns `d` if the rule always places in the least loaded of `d` bins: in bulk there is a shorter way
    /// for that. Default: `None`.
    ///
    /// It must equal [`most_samples`](Self::most_samples), and say the same as `first` and `judge`.
    fn least_of(&self) -> Option<u32> {
        None
    }

    /// Tells whether the rule is a thinning: it takes the first sample that pleases, draws no coin and never
    /// compares. Then it judges by the sample's load alone, and its states do not depend on loads. Default:
    /// no.
    fn is_thinning(&self) -> bool {
        false
    }
}

/// What to do with a sample; [`Description`] has an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Judgement<S> {
    /// Whether this sample is kept, in place of the one before.
    pub keep: bool,
    /// The state in which to judge the next sample; `None` places the ball in the kept one.
    pub go: Option<S>,
}

/// Plays one ball of a described rule on a view.
///
/// *Randomness:* the coin of the first state, if it has one; then all
/// [`most_samples`](Description::most_samples) bins by [`BinsExt::draw_each`], whether used or not; then the
/// coins of the judgements that have one, in order. Allocates where a ball has more than two samples;
/// the loops of [`Place::throw`](crate::Place::throw) do not.
///
/// # Examples
///
/// ```
/// use bb_core::{LoadVector, Judgement, Mix, Description, decide_described, rng_for_trial};
///
/// struct One;
/// impl Description for One {
///     type State = ();
///     type Phase = ();
///     fn most_samples(&self) -> u32 { 1 }
///     fn phase(&self, _: u64, _: u64) -> ((), u64) { ((), u64::MAX) }
///     fn first(&self, _: &()) -> Mix<()> { Mix::Sure(()) }
///     fn judge(&self, _: &(), _: (), _: u64, _: u64) -> Mix<Judgement<()>> {
///         Mix::Sure(Judgement { keep: true, go: None })
///     }
/// }
/// let loads = LoadVector::new(9)?;
/// let decision = decide_described(&One, &(), &loads, &mut rng_for_trial(1, 0));
/// assert!(decision.is_primary() && decision.bin < 9);
/// # Ok::<(), bb_core::LoadsError>(())
/// ```
#[inline]
pub fn decide_described<P, B, R>(rule: &P, phase: &P::Phase, bins: &B, rng: &mut R) -> Decision<B::Bin>
where
    P: Description + ?Sized,
    B: Bins<Load = u64> + ?Sized,
    R: Rng + ?Sized,
{
    let first = rule.first(phase).resolve(rng);
    let samples = rule.most_samples().max(1);
    if samples == 1 {
        return Decision::first(bins.draw(rng));
    }
    if samples == 2 {
        let drawn = bins.draw_pair(rng);
        let taken = take(rule, phase, first, drawn.map(|bin| bins.load(bin)), rng);
        return Decision { bin: drawn[taken], primary: drawn[0], sample: taken as u32 + 1 };
    }
    let mut drawn = Vec::with_capacity(samples as usize);
    bins.draw_each(samples, rng, |bin| drawn.push(bin));
    let taken = take(rule, phase, first, drawn.iter().map(|&bin| bins.load(bin)), rng);
    Decision { bin: drawn[taken], primary: drawn[0], sample: taken as u32 + 1 }
}

/// Plays one ball on the loads of the bins drawn for it, and returns which of them takes it.
///
/// Judges all of them, and passes over those after the ball was placed: a load is a coin flip to the
/// processor, and a branch on it costs more than a judgement.
#[inline]
pub(crate) fn take<P, R>(
    rule: &P,
    phase: &P::Phase,
    first: P::State,
    loads: impl IntoIterator<Item = u64>,
    rng: &mut R,
) -> usize
where
    P: Description + ?Sized,
    R: Rng + ?Sized,
{
    let (mut state, mut open) = (first, true);
    let (mut kept, mut taken) = (u64::MAX, 0);
    for (place, load) in loads.into_iter().enumerate() {
        let judgement = match rule.judge(phase, state, kept, load) {
            Mix::Sure(judgement) => judgement,
            // No output of the generator for a judgement that does not count.
            coin => {
                if open {
                    coin.resolve(rng)
                } else {
                    Judgement { keep: false, go: None }
                }
            }
        };
        taken = select_unpredictable(open & (judgement.keep | (kept == u64::MAX)), place, taken);
        kept = select_unpredictable(open & judgement.keep, load, kept);
        state = judgement.go.unwrap_or(state);
        open &= judgement.go.is_some();
    }
    taken
}

/// Cuts a number of balls into parts of constant phase, on loads whose total rises with every ball.
#[inline]
pub(crate) fn in_phases<B, P>(bins: &mut B, rule: &P, balls: u64, mut part: impl FnMut(&mut B, &P::Phase, u64))
where
    B: Bins<Load = u64> + ?Sized,
    P: Description + ?Sized,
{
    let mut left = balls;
    while left > 0 {
        let (phase, until) = rule.phase(bins.total(), bins.bins());
        let balls = left.min(until.saturating_sub(bins.total()).max(1));
        part(bins, &phase, balls);
        left -= balls;
    }
}
