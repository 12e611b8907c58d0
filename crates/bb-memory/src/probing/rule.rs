use core::cell::{Cell, RefCell};
use core::{fmt, mem};

use bb_core::{Allocator, Bins, Decision, DistinctSampler, IndexSampler, Places, Rng, SampleCount, StartError};
use num_bigint::BigUint;
use num_traits::One;

use crate::model::checked_bins;
use crate::{Budget, LiveLoads, MemoryError, MemoryReport, Remembers, State, StateError, StateWriter};

/// What a probing scheme sees for one ball: bins to draw, and the loads of the candidates, which are the bins drawn and those remembered. It counts the loads that are asked.
///
/// The load of any other bin is answered with 0, and noted.
///
/// # Examples
///
/// The example of [`Probing`] runs on them.
pub struct Candidates<'a, 'b> {
    total: u64,
    load: &'a dyn Fn(usize) -> u64,
    places: Drawn<'a, 'b>,
    /// Candidates whose load was asked: each is a sample once.
    asked: RefCell<Vec<usize>>,
    outside: Cell<Option<usize>>,
}

/// The places of [`Candidates`]: a bin that is drawn becomes a candidate.
#[derive(Debug)]
pub struct Drawn<'a, 'b> {
    all: &'a IndexSampler,
    candidates: &'b RefCell<Vec<usize>>,
}

impl fmt::Debug for Candidates<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Candidates({:?})", self.places.candidates.borrow())
    }
}

impl Drawn<'_, '_> {
    fn admit(&self, place: u64) -> u64 {
        let mut candidates = self.candidates.borrow_mut();
        if !candidates.contains(&(place as usize)) {
            candidates.push(place as usize);
        }
        place
    }
}

impl Places for Drawn<'_, '_> {
    fn bound(&self) -> u64 {
        self.all.bound()
    }
    fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> u64 {
        self.admit(self.all.draw(rng))
    }
    fn draw_pair<R: Rng + ?Sized>(&self, rng: &mut R) -> [u64; 2] {
        self.all.draw_pair(rng).map(|place| self.admit(place))
    }
    fn draw_each<R, F>(&self, d: u32, rng: &mut R, mut each: F)
    where
        R: Rng + ?Sized,
        F: FnMut(u64),
    {
        self.all.draw_each(d, rng, |place| each(self.admit(place)));
    }
    fn draw_distinct<R, F>(&self, d: u32, sampler: &mut DistinctSampler, rng: &mut R, mut each: F)
    where
        R: Rng + ?Sized,
        F: FnMut(u64),
    {
        sampler.draw_each(self.bound(), d, rng, |place| each(self.admit(place)));
    }
}

impl<'a, 'b> Bins for Candidates<'a, 'b> {
    type Bin = usize;
    type Load = u64;
    type Places = Drawn<'a, 'b>;

    fn places(&self) -> &Drawn<'a, 'b> {
        &self.places
    }
    fn nth(&self, place: u64) -> usize {
        place as usize
    }
    fn load(&self, bin: usize) -> u64 {
        if !self.places.candidates.borrow().contains(&bin) {
            self.outside.set(self.outside.get().or(Some(bin)));
            return 0;
        }
        let mut asked = self.asked.borrow_mut();
        if !asked.contains(&bin) {
            asked.push(bin);
        }
        (self.load)(bin)
    }
    fn total(&self) -> u64 {
        self.total
    }
}

/// A probing scheme: a rule that remembers bins, shown what it may see and nothing else, with its memory counted in bits.
///
/// The rules of `bb-processes` that remember bins run in it as they are: the bins and the words are those of the rule by itself. It is not in the model of Benjamini and Makarychev, for its decisions look at loads, and a ball may go to a bin that was not sampled; so the lower bound does not hold: about `lg n` bits lead to `O(log log n)`.
///
/// *State:* the remembered bins in their order, `ceil(lg Σ_{q ≤ r} n!/(n − q)!)` bits, times the number of phases for rules that have some. (As a set, whose order breaks no ties, it would be `ceil(lg Σ C(n, q))`.) *SampleCount:* the different candidates whose load a decision asks. *Randomness:* that
/// of the rule. *Cost:* that of the rule, and `O((d + r)²)` a ball.
///
/// # Examples
///
/// ```
/// use bb_memory::bb_core::{Allocator, LoadVector, Metrics, rng_for_trial};
/// use bb_memory::bb_processes::Caching;
/// use bb_memory::{ModelClass, Probing};
///
/// let mut rule = Probing::new(1000, Caching::new())?;
/// let (mut loads, mut alone) = (LoadVector::new(1000)?, LoadVector::new(1000)?);
/// rule.start_and_run(&mut loads, 1000, &mut rng_for_trial(1, 0))?;
/// Caching::new().run(&mut alone, 1000, &mut rng_for_trial(1, 0));
/// assert_eq!(loads, alone);
/// let report = rule.report();
/// assert_eq!((report.class(), report.budget().get()), (ModelClass::Probing, 10));
/// // Two candidates a ball, less those drawn that were remembered.
/// assert!((1900..=2000).contains(&report.sample_count().unwrap()));
/// assert_eq!(rule.state()?.bits(), 10);
/// assert_eq!(rule.asked_outside(), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Probing<A> {
    rule: A,
    bins: u64,
    budget: Budget,
    /// The candidates of the ball at hand.
    candidates: Vec<usize>,
    samples: u64,
    outside: Option<usize>,
    changes: u64,
    before: Vec<usize>,
}

impl<A: Remembers> Probing<A> {
    /// Returns the rule as a probing scheme for `bins` bins; the type's example shows it.
    ///
    /// # Errors
    ///
    /// If `bins` is outside `1..=2^40`, or there are more than `2^36` bits.
    pub fn new(bins: u64, rule: A) -> Result<Self, MemoryError> {
        let bins = checked_bins(bins)?;
        let count = lists(bins, rule.most_remembered()) * rule.phase().1.max(1);
        let budget = Budget::bits((count - 1_u8).bits())?;
        Ok(Self {
            rule,
            bins,
            budget,
            candidates: Vec::new(),
            samples: 0,
            outside: None,
            changes: 0,
            before: Vec::new(),
        })
    }

    /// Returns the rule.
    #[must_use]
    pub fn rule(&self) -> &A {
        &self.rule
    }

    /// Returns a bin whose load was asked though it was no candidate, if there was one: then the rule is no probing scheme.
    #[must_use]
    pub fn asked_outside(&self) -> Option<usize> {
        self.outside
    }

    /// Returns the state: the remembered bins, and the phase.
    ///
    /// # Errors
    ///
    /// If the memory cannot be had, or the rule remembers more bins than it said, or bins that do not exist or come twice.
    pub fn state(&self) -> Result<State, StateError> {
        let mut remembered = Vec::new();
        self.rule.each_remembered(|bin| remembered.push(bin as u64));
        if remembered.len() > self.rule.most_remembered() as usize {
            return Err(StateError::NonCanonical { reason: "more bins are remembered than there is room for" });
        }
        let rank = rank(self.bins, &remembered)?;
        let (phase, phases) = self.rule.phase();
        if phase >= phases {
            return Err(StateError::NonCanonical { reason: "there is no such phase" });
        }
        let mut writer = StateWriter::new(self.budget)?;
        writer.write_large(&(rank * phases + phase), self.budget.get())?;
        writer.finish()
    }

    /// Returns what the run did with its memory since the start; the type's example shows it.
    #[must_use]
    pub fn report(&self) -> MemoryReport {
        MemoryReport::probing(self.budget, self.changes, self.samples)
    }

    /// Shows the rule its candidates.
    fn show<B: Bins<Bin = usize, Load = u64, Places = IndexSampler>, T>(
        &mut self,
        loads: &B,
        act: impl FnOnce(&mut A, &Candidates<'_, '_>) -> T,
    ) -> T {
        let known = RefCell::new(mem::take(&mut self.candidates));
        let candidates = Candidates {
            total: loads.total(),
            load: &|bin| loads.load(bin),
            places: Drawn { all: loads.places(), candidates: &known },
            asked: RefCell::new(Vec::new()),
            outside: Cell::new(None),
        };
        let done = act(&mut self.rule, &candidates);
        self.samples += candidates.asked.borrow().len() as u64;
        self.outside = self.outside.or(candidates.outside.get());
        self.candidates = known.into_inner();
        done
    }

    /// Only the remembered bins are candidates.
    fn next_ball(&mut self) {
        self.before.clear();
        self.rule.each_remembered(|bin| self.before.push(bin));
        self.candidates.clear();
        self.candidates.extend(&self.before);
    }
}

/// `Σ_{q ≤ r} n!/(n − q)!`.
pub(super) fn lists(bins: u64, most: u32) -> BigUint {
    let (mut sum, mut term) = (BigUint::one(), BigUint::one());
    for taken in 0..bins.min(u64::from(most)) {
        term *= bins - taken;
        sum += &term;
    }
    sum
}

/// The rank of a list of different bins: shorter lists first, then by the places of its bins among those left.
pub(super) fn rank(bins: u64, list: &[u64]) -> Result<BigUint, StateError> {
    let mut rank = BigUint::ZERO;
    for (taken, &bin) in list.iter().enumerate() {
        let earlier = &list[..taken];
        if bin >= bins || earlier.contains(&bin) {
            return Err(StateError::NonCanonical { reason: "a bin does not exist, or comes twice" });
        }
        let place = bin - earlier.iter().filter(|&&other| other < bin).count() as u64;
        rank = rank * (bins - taken as u64) + place;
    }
    let shorter = match u32::try_from(list.len()) {
        Ok(length) if length > 0 => lists(bins, length - 1),
        _ => BigUint::ZERO,
    };
    Ok(shorter + rank)
}

impl<A: Remembers, B: LiveLoads> Allocator<B> for Probing<A> {
    fn start(&mut self, loads: &B) -> Result<(), StartError> {
        if loads.bins() != self.bins {
            return Err(StartError::OtherBins { expected: self.bins, bins: loads.bins() });
        }
        (self.samples, self.outside, self.changes) = (0, None, 0);
        self.show(loads, |rule, bins| rule.start(bins))
    }

    fn choose<R: Rng + ?Sized>(&mut self, loads: &B, rng: &mut R) -> usize {
        self.decide(loads, rng).bin
    }

    fn decide<R: Rng + ?Sized>(&mut self, loads: &B, mut rng: &mut R) -> Decision<usize> {
        self.next_ball();
        self.show(loads, |rule, bins| rule.decide(bins, &mut rng))
    }

    fn placed(&mut self, loads: &B, was: usize, now: usize) {
        // The loads of candidates are known already: what the rule asks now are those with the ball, which it could work out.
        let samples = self.samples;
        self.show(loads, |rule, bins| rule.placed(bins, was, now));
        self.samples = samples;
        let mut same = 0;
        let mut changed = false;
        self.rule.each_remembered(|bin| {
            changed |= self.before.get(same) != Some(&bin);
            same += 1;
        });
        self.changes += u64::from(changed || same != self.before.len());
    }

    fn removed(&mut self, loads: &B, was: usize, now: usize) {
        self.show(loads, |rule, bins| rule.removed(bins, was, now));
    }

    fn sample_count(&self) -> Option<SampleCount> {
        Some(SampleCount::Counted(self.samples))
    }
}
