use core::cell::{Cell, RefCell};
use core::{fmt, mem};

use bb_core::{Allocator, Bins, Decision, DistinctSampler, IndexSampler, Places, Rng, SampleCount, StartError};

use crate::error::{MemoryError, StateError, refuse};
use crate::model::{Budget, Loads, MemoryReport, State, StateWriter, checked_bins};
use crate::numbers::{lists, rank_of_list};
use crate::probing::Remembers;

/// What a probing scheme sees for one ball: bins to draw, and the loads of the visible bins, which are those
/// drawn and those remembered. It counts the loads that are asked.
///
/// The load of any other bin is answered with 0, and noted.
///
/// # Examples
///
/// [`Probing`] runs on them.
pub struct VisibleBins<'a> {
    loads: Loads<'a>,
    places: Drawn<'a>,
    /// Bins whose load was asked: each counts once.
    asked: RefCell<Vec<usize>>,
    outside: Cell<Option<usize>>,
}

/// The places of [`VisibleBins`]: a bin that is drawn becomes visible.
#[derive(Debug)]
pub struct Drawn<'a> {
    all: &'a IndexSampler,
    visible: RefCell<Vec<usize>>,
}

impl fmt::Debug for VisibleBins<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VisibleBins({:?})", self.places.visible.borrow())
    }
}

/// Adds a bin to a set, unless it is there.
#[inline]
fn add(bins: &RefCell<Vec<usize>>, bin: usize) {
    let mut bins = bins.borrow_mut();
    if !bins.contains(&bin) {
        bins.push(bin);
    }
}

impl Drawn<'_> {
    #[inline]
    fn show(&self, place: u64) -> u64 {
        add(&self.visible, place as usize);
        place
    }
}

impl Places for Drawn<'_> {
    fn bound(&self) -> u64 {
        self.all.bound()
    }
    fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> u64 {
        self.show(self.all.draw(rng))
    }
    fn draw_pair<R: Rng + ?Sized>(&self, rng: &mut R) -> [u64; 2] {
        self.all.draw_pair(rng).map(|place| self.show(place))
    }
    fn draw_each<R, F>(&self, d: u32, rng: &mut R, mut each: F)
    where
        R: Rng + ?Sized,
        F: FnMut(u64),
    {
        self.all.draw_each(d, rng, |place| each(self.show(place)));
    }
    fn draw_distinct<R, F>(&self, d: u32, sampler: &mut DistinctSampler, rng: &mut R, mut each: F)
    where
        R: Rng + ?Sized,
        F: FnMut(u64),
    {
        sampler.draw_each(self.bound(), d, rng, |place| each(self.show(place)));
    }
}

impl<'a> Bins for VisibleBins<'a> {
    type Bin = usize;
    type Load = u64;
    type Places = Drawn<'a>;

    fn places(&self) -> &Drawn<'a> {
        &self.places
    }
    fn nth(&self, place: u64) -> usize {
        place as usize
    }
    #[inline]
    fn load(&self, bin: usize) -> u64 {
        if !self.places.visible.borrow().contains(&bin) {
            self.outside.set(self.outside.get().or(Some(bin)));
            return 0;
        }
        add(&self.asked, bin);
        self.loads.load(bin)
    }
    fn total(&self) -> u64 {
        self.loads.total()
    }
}

/// A probing scheme: a rule that remembers bins, shown what it may see and nothing else, with its memory
/// counted in bits.
///
/// The rules of `bb-processes` that remember bins run in it as they are: the bins and the words are those of
/// the rule by itself. It is not in the model of Benjamini and Makarychev, for its decisions look at loads,
/// and a ball may go to a bin that was not drawn for it; so the lower bound does not hold: about `lg n` bits
/// lead to `O(log log n)`.
///
/// *State:* the remembered bins in their order, `ceil(lg Σ_{q ≤ r} n!/(n − q)!)` bits, times the number of
/// phases for rules that have some. (As a set, whose order breaks no ties, it would be `ceil(lg Σ C(n, q))`.)
/// *Samples counted:* the different visible bins whose load a decision asks. *Randomness:* that of the rule.
/// *Cost:* that of the rule, and `O((d + r)²)` a ball.
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
/// // Two visible bins a ball, less those drawn that were remembered.
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
    /// The visible bins of the ball at hand.
    visible: Vec<usize>,
    samples: u64,
    outside: Option<usize>,
    changes: u64,
    before: Vec<usize>,
}

impl<A: Remembers> Probing<A> {
    /// Returns the rule as a probing scheme for `bins` bins.
    ///
    /// # Errors
    ///
    /// If `bins` is outside `1..=2^40`, or there are more than `2^36` bits.
    pub fn new(bins: u64, rule: A) -> Result<Self, MemoryError> {
        let bins = checked_bins(bins)?;
        let count = lists(bins, u64::from(rule.most_remembered())) * rule.phase().1.max(1);
        let budget = Budget::bits((count - 1_u8).bits())?;
        Ok(Self { rule, bins, budget, visible: Vec::new(), samples: 0, outside: None, changes: 0, before: Vec::new() })
    }

    /// Returns the rule.
    #[must_use]
    pub fn rule(&self) -> &A {
        &self.rule
    }

    /// Returns a bin whose load was asked though it was not visible, if there was one: then the rule is no
    /// probing scheme.
    #[must_use]
    pub fn asked_outside(&self) -> Option<usize> {
        self.outside
    }

    /// Returns the state: the remembered bins, and the phase.
    ///
    /// # Errors
    ///
    /// If the memory cannot be had, or the rule remembers more bins than it said, or bins that do not exist
    /// or come twice.
    pub fn state(&self) -> Result<State, StateError> {
        let mut remembered = Vec::new();
        self.rule.each_remembered(|bin| remembered.push(bin as u64));
        if remembered.len() > self.rule.most_remembered() as usize {
            return refuse("more bins are remembered than there is room for");
        }
        let Some(rank) = rank_of_list(self.bins, &remembered) else {
            return refuse("a bin does not exist, or comes twice");
        };
        let (phase, phases) = self.rule.phase();
        if phase >= phases {
            return refuse("there is no such phase");
        }
        let mut writer = StateWriter::new(self.budget)?;
        writer.write_large(&(rank * phases + phase), self.budget.get())?;
        writer.finish()
    }

    /// Returns what the run did with its memory since the start.
    #[must_use]
    pub fn report(&self) -> MemoryReport {
        MemoryReport::probing(self.budget, self.changes, self.samples)
    }

    /// Shows the rule the visible bins.
    fn show<B, T>(&mut self, loads: &B, act: impl FnOnce(&mut A, &VisibleBins<'_>) -> T) -> T
    where
        B: Bins<Bin = usize, Places = IndexSampler>,
        for<'a> Loads<'a>: From<&'a B>,
    {
        let bins = VisibleBins {
            loads: loads.into(),
            places: Drawn { all: loads.places(), visible: RefCell::new(mem::take(&mut self.visible)) },
            asked: RefCell::new(Vec::new()),
            outside: Cell::new(None),
        };
        let done = act(&mut self.rule, &bins);
        self.samples += bins.asked.into_inner().len() as u64;
        self.outside = self.outside.or(bins.outside.get());
        self.visible = bins.places.visible.into_inner();
        done
    }

    /// Only the remembered bins are visible.
    fn next_ball(&mut self) {
        self.before.clear();
        self.rule.each_remembered(|bin| self.before.push(bin));
        self.visible.clone_from(&self.before);
    }
}

impl<A, B> Allocator<B> for Probing<A>
where
    A: Remembers,
    B: Bins<Bin = usize, Places = IndexSampler>,
    for<'a> Loads<'a>: From<&'a B>,
{
    fn start(&mut self, loads: &B) -> Result<(), StartError> {
        Loads::from(loads).expect_bins(self.bins)?;
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
        // The loads of visible bins are known already: what the rule asks now are those with the ball, which
        // it could work out.
        let samples = self.samples;
        self.show(loads, |rule, bins| rule.placed(bins, was, now));
        self.samples = samples;
        let (mut same, mut before) = (true, self.before.iter());
        self.rule.each_remembered(|bin| same &= before.next() == Some(&bin));
        self.changes += u64::from(!same || before.next().is_some());
    }

    fn removed(&mut self, loads: &B, was: usize, now: usize) {
        self.show(loads, |rule, bins| rule.removed(bins, was, now));
    }

    fn sample_count(&self) -> Option<SampleCount> {
        Some(SampleCount::Counted(self.samples))
    }
}
