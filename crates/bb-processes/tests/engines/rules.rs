//! Lists of rules, boxed for one kind of loads: a check is compiled once, and loops over them.

use bb_processes::bb_core::{
    Allocator, Bins, CountedBin, Description, DynAllocator, History, LoadProfile, LoadVector, Place, RankDescription,
    RankedVector, Rng, SampleCount, StartError, TrialRng, rng_for_trial,
};
use bb_processes::{
    AlwaysGoLeft, BinProbabilities, Caching, DChoice, Described, DistinctChoice, DoubleHashing, FirstMemory, GBounded,
    GMyopic, Graph, GraphChoice, GroupChoice, Hypergraph, HypergraphChoice, KQuantile, KThreshold, KdChoice,
    LoadThreshold, MeanThinning, Memory, NonuniformChoice, OneChoice, OnePlusBeta, Quantile, RelativeThreshold,
    RhoNoisy, SigmaNoisyLoad, Ties,
};
use bb_testkit::exact::ratio;
use bb_testkit::ranks::{self, below_mean, g_myopic, k_quantile, k_threshold, thinning};

/// The calls of a rule as a caller makes them who knows its type and that of the generator: no call here goes
/// through [`DynAllocator`], but for those of [`dynamic`](Self::dynamic).
pub(crate) trait Rule<B: Bins = LoadVector>: Send + Sync {
    fn copy(&self) -> Box<dyn Rule<B>>;
    fn start(&mut self, bins: &B) -> Result<(), StartError>;
    fn choose(&mut self, bins: &B, rng: &mut TrialRng) -> B::Bin;
    fn step(&mut self, bins: &mut B, rng: &mut TrialRng) -> B::Bin;
    fn run(&mut self, bins: &mut B, balls: u64, rng: &mut TrialRng) -> u64;
    /// [`History::record`], which asks [`Allocator::decide`].
    fn record(&mut self, history: &mut History<B::Bin>, bins: &mut B, balls: u64, rng: &mut TrialRng);
    fn sample_count(&self) -> Option<SampleCount>;

    /// `run` of a mutable reference, of a box, and with a generator behind `dyn`.
    fn run_borrowed(&mut self, bins: &mut B, balls: u64, rng: &mut TrialRng) -> u64;
    fn run_boxed(&self, bins: &mut B, balls: u64, rng: &mut TrialRng) -> u64;
    fn run_on_dyn_rng(&mut self, bins: &mut B, balls: u64, rng: &mut dyn Rng) -> u64;
    /// [`Allocator::sample_count`] of a reference.
    fn sample_count_borrowed(&mut self) -> Option<SampleCount>;
    fn dynamic(&self) -> Box<dyn DynAllocator<B> + Send + Sync>;
}

impl<B: Place, A: Allocator<B> + Clone + Send + Sync + 'static> Rule<B> for A {
    fn copy(&self) -> Box<dyn Rule<B>> {
        Box::new(self.clone())
    }
    fn start(&mut self, bins: &B) -> Result<(), StartError> {
        Allocator::start(self, bins)
    }
    fn choose(&mut self, bins: &B, rng: &mut TrialRng) -> B::Bin {
        Allocator::choose(self, bins, rng)
    }
    fn step(&mut self, bins: &mut B, rng: &mut TrialRng) -> B::Bin {
        Allocator::step(self, bins, rng)
    }
    fn run(&mut self, bins: &mut B, balls: u64, rng: &mut TrialRng) -> u64 {
        Allocator::run(self, bins, balls, rng)
    }
    fn record(&mut self, history: &mut History<B::Bin>, bins: &mut B, balls: u64, rng: &mut TrialRng) {
        history.record(self, bins, balls, rng);
    }
    fn sample_count(&self) -> Option<SampleCount> {
        Allocator::sample_count(self)
    }
    fn run_borrowed(&mut self, bins: &mut B, balls: u64, rng: &mut TrialRng) -> u64 {
        let mut borrowed = self;
        <&mut A as Allocator<B>>::run(&mut borrowed, bins, balls, rng)
    }
    fn run_boxed(&self, bins: &mut B, balls: u64, rng: &mut TrialRng) -> u64 {
        <Box<A> as Allocator<B>>::run(&mut Box::new(self.clone()), bins, balls, rng)
    }
    fn run_on_dyn_rng(&mut self, bins: &mut B, balls: u64, rng: &mut dyn Rng) -> u64 {
        Allocator::run(self, bins, balls, rng)
    }
    fn sample_count_borrowed(&mut self) -> Option<SampleCount> {
        <&mut A as Allocator<B>>::sample_count(&self)
    }
    fn dynamic(&self) -> Box<dyn DynAllocator<B> + Send + Sync> {
        Box::new(self.clone())
    }
}

/// A rule with its name.
pub(crate) type Named<B = LoadVector> = (&'static str, Box<dyn Rule<B>>);

/// Rules of every kind of parameter that run on any loads of counts. Bins are called by the names that these
/// loads give.
macro_rules! rules_on {
    ($loads:ty, $bin:ty) => {{
        let beta = |beta| OnePlusBeta::new(beta).unwrap();
        let threshold = |level| LoadThreshold::new(level).unwrap();
        let rules: Vec<Named<$loads>> = vec![
            ("one-choice", Box::new(OneChoice)),
            ("1-choice", Box::new(DChoice::new(1).unwrap())),
            ("two-choice", Box::new(DChoice::two())),
            ("3-choice", Box::new(DChoice::new(3).unwrap())),
            ("9-choice", Box::new(DChoice::new(9).unwrap())),
            ("1-choice without replacement", Box::new(DistinctChoice::new(1).unwrap())),
            ("two-choice without replacement", Box::new(DistinctChoice::new(2).unwrap())),
            ("5-choice without replacement", Box::new(DistinctChoice::new(5).unwrap())),
            ("(1+0)", Box::new(beta(0.0))),
            ("(1+0.3)", Box::new(beta(0.3))),
            ("(1+1)", Box::new(beta(1.0))),
            ("(1+0.5) with d = 1", Box::new(beta(0.5).with_d(1).unwrap())),
            ("(1+0.5) with d = 4", Box::new(beta(0.5).with_d(4).unwrap())),
            ("load threshold 2", Box::new(threshold(2))),
            ("load threshold 9 with d = 1", Box::new(threshold(9).with_d(1).unwrap())),
            ("load threshold 50 with d = 4", Box::new(threshold(50).with_d(4).unwrap())),
            ("mean-thinning", Box::new(MeanThinning)),
            ("relative threshold 1.3", Box::new(RelativeThreshold::new(1.3).unwrap())),
            ("thresholds -1, 0.5 and 2", Box::new(KThreshold::new(&[-1.0, 0.5, 2.0]).unwrap())),
            ("g-bounded 2", Box::new(GBounded::new(2))),
            ("sigma-noisy 1.5", Box::new(SigmaNoisyLoad::new(1.5).unwrap())),
            ("rho-noisy", Box::new(RhoNoisy::new(|difference| difference.min(4) as f64 / 4.0).unwrap())),
            ("caching", Box::new(Caching::<$bin>::new())),
            ("(2,3)-memory from empty", Box::new(Memory::<$bin>::new(2, 3).unwrap().with_first(FirstMemory::Empty))),
            ("(1,2)-choice", Box::new(KdChoice::<$bin>::new(1, 2).unwrap())),
            ("(2,3)-choice", Box::new(KdChoice::<$bin>::new(2, 3).unwrap())),
            ("(7,9)-choice", Box::new(KdChoice::<$bin>::new(7, 9).unwrap())),
        ];
        rules
    }};
}

/// Every rule that runs on any loads of counts, for labelled bins.
pub(crate) fn rules() -> Vec<Named> {
    rules_on!(LoadVector, usize)
}

/// The same for counted bins.
pub(crate) fn rules_on_counted_bins() -> Vec<Named<LoadProfile>> {
    rules_on!(LoadProfile, CountedBin)
}

/// Every rule for labelled bins alone, made for so many of them, at least 3.
pub(crate) fn labelled_rules(bins: u64) -> Vec<Named> {
    let mut rng = rng_for_trial(70, bins);
    let classes = NonuniformChoice::new(BinProbabilities::two_class(bins, bins / 3, 3.0).unwrap(), 2).unwrap();
    let circle = NonuniformChoice::new(BinProbabilities::circle(bins, &mut rng).unwrap(), 3).unwrap();
    let cycle = GraphChoice::new(Graph::cycle(bins).unwrap());
    let complete = GraphChoice::new(Graph::complete(bins).unwrap());
    let random = HypergraphChoice::new(Hypergraph::random(bins, 20 * bins, 3, &mut rng).unwrap());
    vec![
        ("always-go-left, d = 1", Box::new(AlwaysGoLeft::new(1).unwrap())),
        ("always-go-left, d = 2", Box::new(AlwaysGoLeft::new(2).unwrap())),
        ("always-go-left, d = 3", Box::new(AlwaysGoLeft::new(3).unwrap())),
        ("group choice, d = 2", Box::new(GroupChoice::new(2).unwrap())),
        ("group choice, d = 3", Box::new(GroupChoice::new(3).unwrap())),
        ("double hashing, d = 1", Box::new(DoubleHashing::new(1).unwrap())),
        ("double hashing, d = 3", Box::new(DoubleHashing::new(3).unwrap())),
        ("two classes", Box::new(classes.clone())),
        ("two classes, the less likely", Box::new(classes.preferring_the_less_likely())),
        ("circle", Box::new(circle)),
        ("cycle", Box::new(cycle.clone())),
        ("cycle, the first end", Box::new(cycle.clone().with_ties(Ties::First))),
        ("cycle, beta = 0.5", Box::new(cycle.with_beta(0.5).unwrap())),
        ("complete graph", Box::new(complete.clone())),
        ("complete graph, beta = 0.5", Box::new(complete.with_beta(0.5).unwrap())),
        ("hypergraph", Box::new(random.clone())),
        ("hypergraph, the first vertex", Box::new(random.clone().with_ties(Ties::First))),
        ("hypergraph, two of an edge", Box::new(random.clone().with_d(2).unwrap())),
        ("hypergraph, beta = 0.5", Box::new(random.with_beta(0.5).unwrap())),
    ]
}

/// A rule on each of the engines.
pub(crate) trait Engines {
    fn on_vector(&self, loads: LoadVector, balls: u64, rng: &mut TrialRng) -> LoadVector;
    fn by_ball(&self, loads: &mut LoadProfile, balls: u64, rng: &mut TrialRng);
    fn in_bulk(&self, loads: &mut LoadProfile, balls: u64, rng: &mut TrialRng);
}

impl<P: Description + Allocator + Allocator<LoadProfile> + Clone> Engines for P {
    fn on_vector(&self, mut loads: LoadVector, balls: u64, rng: &mut TrialRng) -> LoadVector {
        self.clone().run(&mut loads, balls, rng);
        loads
    }
    fn by_ball(&self, loads: &mut LoadProfile, balls: u64, rng: &mut TrialRng) {
        self.clone().run(loads, balls, rng);
    }
    fn in_bulk(&self, loads: &mut LoadProfile, balls: u64, rng: &mut TrialRng) {
        loads.run_bulk(self, balls, rng);
    }
}

/// A rule of ranks.
pub(crate) struct ByRanks<Q>(pub(crate) Q);

impl<Q: RankDescription + Allocator<RankedVector> + Allocator<LoadProfile> + Clone> Engines for ByRanks<Q> {
    fn on_vector(&self, loads: LoadVector, balls: u64, rng: &mut TrialRng) -> LoadVector {
        let mut loads = RankedVector::from(loads);
        self.0.clone().run(&mut loads, balls, rng);
        loads.into_loads()
    }
    fn by_ball(&self, loads: &mut LoadProfile, balls: u64, rng: &mut TrialRng) {
        self.0.clone().run(loads, balls, rng);
    }
    fn in_bulk(&self, loads: &mut LoadProfile, balls: u64, rng: &mut TrialRng) {
        loads.run_bulk_by_ranks(&self.0, balls, rng);
    }
}

/// An allocation vector that may depend on the loads.
pub(crate) type Vector = fn(&[u64]) -> Vec<bb_testkit::BigRational>;

/// A described rule, its description as a rule, both on labelled and on counted bins, and its allocation
/// vector.
pub(crate) struct DescribedRule {
    pub(crate) name: &'static str,
    pub(crate) engines: Box<dyn Engines>,
    pub(crate) rule: Box<dyn Rule>,
    pub(crate) description: Box<dyn Rule>,
    pub(crate) on_counted_bins: [Box<dyn Rule<LoadProfile>>; 2],
    pub(crate) vector: Vector,
}

impl DescribedRule {
    fn new<P>(name: &'static str, rule: P, vector: Vector) -> Self
    where
        P: Description + Allocator + Allocator<LoadProfile> + Clone + Send + Sync + 'static,
    {
        Self {
            name,
            engines: Box::new(rule.clone()),
            rule: Box::new(rule.clone()),
            description: Box::new(Described(rule.clone())),
            on_counted_bins: [Box::new(rule.clone()), Box::new(Described(rule))],
            vector,
        }
    }
}

/// Every described rule.
pub(crate) fn described_rules() -> Vec<DescribedRule> {
    let half = OnePlusBeta::new(0.5).unwrap();
    let threshold = |level| LoadThreshold::new(level).unwrap();
    vec![
        DescribedRule::new("one-choice", OneChoice, |x| ranks::one_choice(x.len() as u64)),
        DescribedRule::new("two-choice", DChoice::two(), |x| ranks::d_choice(x.len() as u64, 2)),
        DescribedRule::new("3-choice", DChoice::new(3).unwrap(), |x| ranks::d_choice(x.len() as u64, 3)),
        DescribedRule::new("(1+1/2)", half, |x| ranks::one_plus_beta(x.len() as u64, &ratio(1, 2), 2)),
        DescribedRule::new("(1+1/2) with d = 4", half.with_d(4).unwrap(), |x| {
            ranks::one_plus_beta(x.len() as u64, &ratio(1, 2), 4)
        }),
        DescribedRule::new("load threshold 1", threshold(1), |x| thinning(x, 2, |load| load < 1)),
        DescribedRule::new("load threshold 2 with d = 3", threshold(2).with_d(3).unwrap(), |x| {
            thinning(x, 3, |load| load < 2)
        }),
        DescribedRule::new("mean-thinning", MeanThinning, |x| thinning(x, 2, below_mean(x))),
        DescribedRule::new("g-myopic 1", GMyopic::new(1), |x| g_myopic(x, 1)),
        DescribedRule::new("thresholds 0 and 1.5", KThreshold::new(&[0.0, 1.5]).unwrap(), |x| {
            k_threshold(x, &[0.0, 1.5])
        }),
    ]
}

/// Every rule that runs in bulk, described by loads or by ranks, with its allocation vector.
pub(crate) fn bulk_rules() -> Vec<(&'static str, Box<dyn Engines>, Vector)> {
    let (half, quarters) = (Quantile::new(0.5).unwrap(), KQuantile::new(&[0.25, 0.5]).unwrap());
    let described = described_rules().into_iter().map(|rule| (rule.name, rule.engines, rule.vector));
    let by_half: Vector = |x| k_quantile(x.len() as u64, &[x.len() as u64 / 2]);
    let by_quarters: Vector = |x| k_quantile(x.len() as u64, &[x.len() as u64 / 4, x.len() as u64 / 2]);
    let of_ranks: [(_, Box<dyn Engines>, _); 2] = [
        ("quantile 1/2", Box::new(ByRanks(half)), by_half),
        ("k-quantile 1/4, 1/2", Box::new(ByRanks(quarters)), by_quarters),
    ];
    described.chain(of_ranks).collect()
}
