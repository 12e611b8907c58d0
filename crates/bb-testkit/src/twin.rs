//! The slow twin: the exact law of the *real* rule, by trying all its random outcomes.
//!
//! The rule runs unchanged, by [`Allocator::step`], on loads whose draws come from an oracle. It answers the
//! first question with its first possible answer, and so on; when the step is over, it changes the last
//! answer that can be changed and runs the step again, until all sequences of answers have been seen. The
//! result has to equal the sorted-vector chain of [`ranks`](crate::ranks) as rationals, though the two share
//! no code.
//!
//! A bin draw is uniform over the bins (or the remaining ones). A word that the rule takes from the generator
//! itself is a coin, of a probability that the test states: heads is the word 0, tails the word `u64::MAX`.
//! So the twin checks what a rule does with its coin; that the coin has the right probability is up to other
//! tests. Anything else that a rule may ask panics.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::rc::Rc;

use bb_core::{Allocator, Bins, DistinctSampler, Metrics, Place, Places, Put, Ranked, Rng};
use num_rational::BigRational;
use num_traits::{One, Zero};
use rand::TryRng;

use crate::exact::{Law, ratio};

/// Answers every random question of one step, and goes through all sequences of answers.
#[derive(Debug)]
struct Oracle {
    /// The questions of this step and their answers; what lies beyond `asked` stems from the last run.
    answers: RefCell<Vec<Answer>>,
    asked: Cell<usize>,
    /// What the words of a step are, in order.
    told: Vec<Word>,
    words: Cell<usize>,
}

/// What a word that a rule takes from the generator itself is; [`law_by_words`] shows it.
#[derive(Clone, Debug)]
pub enum Word {
    /// A coin with this probability of heads.
    Coin(BigRational),
    /// A fair choice among so many: of a bounded draw whose bound divides it each answer is equally likely.
    /// Of 32 bits the rule gets the upper half.
    Die(u64),
}

#[derive(Debug)]
struct Answer {
    /// The possible answers with their probabilities.
    options: Vec<(u64, BigRational)>,
    taken: usize,
}

impl Oracle {
    fn new(told: &[Word]) -> Rc<Self> {
        Rc::new(Self { answers: RefCell::default(), asked: Cell::new(0), told: told.to_vec(), words: Cell::new(0) })
    }

    fn ask(&self, options: impl FnOnce() -> Vec<(u64, BigRational)>) -> u64 {
        let mut answers = self.answers.borrow_mut();
        let place = self.asked.replace(self.asked.get() + 1);
        if place == answers.len() {
            answers.push(Answer { options: options(), taken: 0 });
        }
        let answer = &answers[place];
        answer.options[answer.taken].0
    }

    fn uniform(&self, bound: u64) -> u64 {
        self.ask(|| (0..bound).map(|index| (index, ratio(1, bound))).collect())
    }

    /// The next word. Sides of a coin of probability 0 are not tried: no word shows them.
    fn word(&self) -> u64 {
        let place = self.words.replace(self.words.get() + 1);
        let Some(told) = self.told.get(place) else {
            panic!("the rule takes word {} of a step, the twin was told of {}", place + 1, self.told.len());
        };
        self.ask(|| match told {
            Word::Coin(heads) => {
                let sides = [(0, heads.clone()), (u64::MAX, BigRational::one() - heads)];
                sides.into_iter().filter(|(_, probability)| !probability.is_zero()).collect()
            }
            &Word::Die(sides) => {
                // The middle of each of so many equal parts of all words: no bounded draw rejects it.
                let middle = |side: u64| ((u128::from(side) * 2 + 1) << 63) / u128::from(sides);
                (0..sides).map(|side| (middle(side) as u64, ratio(1, sides))).collect()
            }
        })
    }

    /// The probability of the answers given.
    fn probability(&self) -> BigRational {
        self.answers.borrow().iter().map(|answer| &answer.options[answer.taken].1).product()
    }

    /// Goes to the next sequence of answers; `false` if all have been seen.
    fn advance(&self) -> bool {
        self.asked.set(0);
        self.words.set(0);
        let mut answers = self.answers.borrow_mut();
        while let Some(last) = answers.last_mut() {
            last.taken += 1;
            if last.taken < last.options.len() {
                return true;
            }
            answers.pop();
        }
        false
    }
}

/// Labelled loads whose draws are scripted; a rule under test has to be an `Allocator<ScriptedBins>`. The
/// example of [`law`] shows it.
#[derive(Clone, Debug)]
pub struct ScriptedBins {
    loads: Vec<u64>,
    places: ScriptedPlaces,
}

/// The places of [`ScriptedBins`]: the oracle says which comes next.
#[derive(Clone, Debug)]
pub struct ScriptedPlaces {
    bins: u64,
    oracle: Rc<Oracle>,
}

/// Pairs and the like are the provided ones, one draw after another.
impl Places for ScriptedPlaces {
    fn bound(&self) -> u64 {
        self.bins
    }

    fn draw<R: Rng + ?Sized>(&self, _: &mut R) -> u64 {
        self.oracle.uniform(self.bins)
    }

    fn draw_distinct<R, F>(&self, d: u32, _: &mut DistinctSampler, _: &mut R, mut each: F)
    where
        R: Rng + ?Sized,
        F: FnMut(u64),
    {
        let mut left: Vec<u64> = (0..self.bins).collect();
        for _ in 0..u64::from(d).min(self.bins) {
            each(left.remove(self.oracle.uniform(left.len() as u64) as usize));
        }
    }
}

impl Bins for ScriptedBins {
    type Bin = usize;
    type Load = u64;
    type Places = ScriptedPlaces;

    fn places(&self) -> &ScriptedPlaces {
        &self.places
    }

    fn nth(&self, place: u64) -> usize {
        place as usize
    }

    fn load(&self, bin: usize) -> u64 {
        self.loads[bin]
    }

    fn total(&self) -> u64 {
        self.loads.iter().sum()
    }
}

impl Ranked for ScriptedBins {
    fn at_least(&self, load: u64) -> u64 {
        self.loads.iter().filter(|&&other| other >= load).count() as u64
    }

    fn rank<R: Rng + ?Sized>(&self, bin: usize, taken: &[u64], _: &mut R) -> u64 {
        let free: Vec<u64> = (self.at_least(self.loads[bin] + 1)..self.at_least(self.loads[bin]))
            .filter(|rank| !taken.contains(rank))
            .collect();
        free[self.places.oracle.uniform(free.len() as u64) as usize]
    }
}

impl Place for ScriptedBins {
    fn put(&mut self, bin: usize, (): &(), put: Put) -> usize {
        self.loads[bin] += put.count();
        bin
    }
}

impl Metrics for ScriptedBins {
    fn max_load(&self) -> u64 {
        self.loads.iter().copied().max().unwrap_or(0)
    }

    fn level_counts(&self) -> Vec<(u64, u64)> {
        let mut counts = BTreeMap::new();
        self.loads.iter().for_each(|&load| *counts.entry(load).or_insert(0) += 1);
        counts.into_iter().collect()
    }
}

/// The generator whose words are coins.
struct ScriptedRng(Rc<Oracle>);

impl TryRng for ScriptedRng {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        match self.0.told.get(self.0.words.get()) {
            Some(Word::Die(_)) => Ok((self.0.word() >> 32) as u32),
            _ => panic!("the twin knows coins of 64 bits, the rule takes 32"),
        }
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.0.word())
    }

    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Infallible> {
        panic!("the twin knows coins of 64 bits, the rule takes bytes")
    }
}

/// Returns the exact law of the unsorted loads after `steps` steps of a rule without memory, from these
/// loads.
///
/// `coins` are the probabilities of heads of the words that a step takes from the generator itself, in their
/// order. For up to 4 bins and 8 steps it takes well below a second.
///
/// # Panics
///
/// If the rule refuses to start, or takes from the generator what is not stated.
///
/// # Examples
///
/// ```
/// use bb_core::{Allocator, Bins, BinsExt, Rng};
/// use bb_testkit::{exact::ratio, ranks, twin};
///
/// #[derive(Clone)]
/// struct Better;
/// impl<B: Bins> Allocator<B> for Better {
///     fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> B::Bin {
///         let [first, second] = bins.draw_pair(rng);
///         bins.lighter(first, second)
///     }
/// }
///
/// let law = twin::law(&Better, &[0, 0, 0], 4, &[]);
/// assert_eq!(law.total(), ratio(1, 1));
/// assert_eq!(law.sorted(), ranks::sorted_chain(3, 4, |_| ranks::d_choice(3, 2)));
/// ```
#[must_use]
pub fn law<A>(rule: &A, start: &[u64], steps: u64, coins: &[BigRational]) -> Law<Vec<u64>>
where
    A: Allocator<ScriptedBins> + Clone,
{
    law_with_memory(rule, start, steps, coins, |_| ())
}

/// Returns the same law for a rule with memory, where `memory` extracts all that the rule's later choices
/// depend on.
///
/// # Panics
///
/// As [`law`].
///
/// # Examples
///
/// Round robin is not random at all:
///
/// ```
/// use bb_core::{Allocator, Bins, Rng};
/// use bb_testkit::{exact::ratio, twin};
///
/// #[derive(Clone)]
/// struct RoundRobin(u64);
/// impl<B: Bins> Allocator<B> for RoundRobin {
///     fn choose<R: Rng + ?Sized>(&mut self, bins: &B, _: &mut R) -> B::Bin {
///         self.0 += 1;
///         bins.nth(self.0 % bins.bins())
///     }
/// }
///
/// let law = twin::law_with_memory(&RoundRobin(0), &[0, 0], 4, &[], |rule| rule.0);
/// assert_eq!(law.probability(&vec![2, 2]), ratio(1, 1));
/// ```
#[must_use]
pub fn law_with_memory<A, K>(
    rule: &A,
    start: &[u64],
    steps: u64,
    coins: &[BigRational],
    memory: impl Fn(&A) -> K,
) -> Law<Vec<u64>>
where
    A: Allocator<ScriptedBins> + Clone,
    K: Ord,
{
    let state = |rule: &A, bins: &ScriptedBins| (bins.loads.clone(), memory(rule));
    law_on(rule, start, steps, coins, |bins| bins, state).map(|(loads, _)| loads.clone())
}

/// Returns the law of a state after `steps` steps of a rule on loads that wrap the scripted ones: batched, or
/// with counters.
///
/// `state` extracts all that later steps depend on, of the rule and of the loads, and whatever else the law
/// is to tell.
///
/// # Panics
///
/// As [`law`].
///
/// # Examples
///
/// Every second bin is counted:
///
/// ```
/// use bb_core::{Allocator, Bins, BinsExt, WithCounters, Counters, Put, Rng};
/// use bb_testkit::{exact::ratio, twin};
///
/// #[derive(Clone)]
/// struct Odd;
/// impl<B: Bins<Bin = usize>> Allocator<B> for Odd {
///     fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> usize {
///         bins.draw(rng)
///     }
///     fn put(&self, _: &B, bin: usize) -> Put {
///         if bin % 2 == 1 { Put::BALL.counting(0) } else { Put::BALL }
///     }
/// }
///
/// let wrap = |bins| WithCounters::new(bins, 1).unwrap();
/// let law = twin::law_on(&Odd, &[0, 0], 3, &[], wrap, |_, bins| (bins.load(1), bins.counter(1, 0)));
/// assert_eq!(law.probability(&(2, 2)), ratio(3, 8));
/// ```
#[must_use]
pub fn law_on<B, A, S>(
    rule: &A,
    start: &[u64],
    steps: u64,
    coins: &[BigRational],
    wrap: impl FnOnce(ScriptedBins) -> B,
    state: impl Fn(&A, &B) -> S,
) -> Law<S>
where
    B: Place + Clone,
    A: Allocator<B> + Clone,
    S: Ord,
{
    let words: Vec<Word> = coins.iter().cloned().map(Word::Coin).collect();
    law_by_words(rule, start, steps, &words, wrap, state)
}

/// Returns the law of [`law_on`] for a rule that takes words which are not all coins. `words` are those of a
/// step, in their order, at most.
///
/// # Panics
///
/// As [`law`].
///
/// # Examples
///
/// A die chooses among three bins:
///
/// ```
/// use bb_core::{Allocator, Bins, Rng, draw_below};
/// use bb_testkit::{exact::ratio, twin::{ScriptedBins, Word, law_by_words}};
///
/// #[derive(Clone)]
/// struct Die;
/// impl<B: Bins> Allocator<B> for Die {
///     fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> B::Bin {
///         bins.nth(draw_below(3, rng))
///     }
/// }
/// let loads = |_: &Die, bins: &ScriptedBins| [0, 1, 2].map(|bin| bins.load(bin));
/// let law = law_by_words(&Die, &[0, 0, 0], 2, &[Word::Die(6)], |bins| bins, loads);
/// assert_eq!((law.probability(&[2, 0, 0]), law.probability(&[1, 1, 0])), (ratio(1, 9), ratio(2, 9)));
/// ```
#[must_use]
pub fn law_by_words<B, A, S>(
    rule: &A,
    start: &[u64],
    steps: u64,
    words: &[Word],
    wrap: impl FnOnce(ScriptedBins) -> B,
    state: impl Fn(&A, &B) -> S,
) -> Law<S>
where
    B: Place + Clone,
    A: Allocator<B> + Clone,
    S: Ord,
{
    let oracle = Oracle::new(words);
    let bins = wrap(ScriptedBins {
        loads: start.to_vec(),
        places: ScriptedPlaces { bins: start.len() as u64, oracle: Rc::clone(&oracle) },
    });
    let mut rule = rule.clone();
    rule.start(&bins).expect("the rule starts on these loads");
    // One representative of rule and loads for each state: equal states behave alike from here on.
    let mut states = States::from(state(&rule, &bins));
    let mut representatives = vec![(rule, bins)];
    for _ in 0..steps {
        let before = core::mem::take(&mut states);
        for (place, (rule, bins)) in core::mem::take(&mut representatives).into_iter().enumerate() {
            loop {
                let (mut rule, mut bins) = (rule.clone(), bins.clone());
                rule.step(&mut bins, &mut ScriptedRng(Rc::clone(&oracle)));
                if states.add(state(&rule, &bins), &before.probabilities[place], &oracle) {
                    representatives.push((rule, bins));
                }
                if !oracle.advance() {
                    break;
                }
            }
        }
    }
    states.law()
}

/// States by number, in the order in which they were met. It knows nothing of rules: one instance serves them
/// all, which spares the compiler most of its work.
struct States<S> {
    numbers: BTreeMap<S, usize>,
    probabilities: Vec<BigRational>,
}

impl<S> Default for States<S> {
    fn default() -> Self {
        Self { numbers: BTreeMap::new(), probabilities: Vec::new() }
    }
}

impl<S: Ord> From<S> for States<S> {
    fn from(sure: S) -> Self {
        Self { numbers: BTreeMap::from([(sure, 0)]), probabilities: vec![BigRational::one()] }
    }
}

impl<S: Ord> States<S> {
    /// Adds what the oracle's present outcome contributes; tells whether the state is new.
    #[inline(never)]
    fn add(&mut self, state: S, before: &BigRational, oracle: &Oracle) -> bool {
        let probability = before * oracle.probability();
        let new = self.probabilities.len();
        let number = *self.numbers.entry(state).or_insert(new);
        if number == new {
            self.probabilities.push(probability);
        } else {
            self.probabilities[number] += probability;
        }
        number == new
    }

    #[inline(never)]
    fn law(self) -> Law<S> {
        let Self { numbers, probabilities } = self;
        numbers.into_iter().map(|(state, number)| (probabilities[number].clone(), state)).collect()
    }
}

#[cfg(test)]
mod tests;
