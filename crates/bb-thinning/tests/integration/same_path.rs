//! `run` is `step` repeated, bit for bit; a run cut at any ball is the uncut run; each ball takes the same
//! number of words.

use bb_core::rand::TryRng;
use bb_core::{
    Allocator, Bins, Description, DynAllocator, LoadProfile, LoadVector, Metrics, Place, ProfileWithCounters,
    RankedVector, TrialRng, WithCounters, rng_for_trial,
};
use bb_processes::{LoadThreshold, MeanThinning, Quantile, RelativeThreshold};
use bb_testkit::engines::Samples;
use bb_thinning::{
    AlwaysAccept, ByLoad, Clock, Coupled, DThinning, DriftMultiStage, LongTerm, MultiScale, MultiStage, NeverAccept,
    QuantileThinning, Rejections, Scale, Strategy, TargetLaw, ThetaDrift, Thinning, ThinningRelativeThreshold,
    ThinningStrategy, Threshold, VaryingDrift,
};

pub(crate) type Labelled = WithCounters<RankedVector>;

/// What the checks ask of a strategy on one kind of loads. Behind this, checks are compiled once, not once
/// for each strategy.
pub(crate) trait Rule<B: Bins>: DynAllocator<B> {
    fn copy(&self) -> Box<dyn Rule<B>>;
    fn balls(&self) -> u64;
    fn rejections(&self) -> u64;
    fn is_randomised(&self) -> bool;
    fn unrealizable_at(&self) -> Option<u64>;
}

impl<B: Bins, S: ThinningStrategy<B> + Clone + 'static> Rule<B> for Thinning<S> {
    fn copy(&self) -> Box<dyn Rule<B>> {
        Box::new(self.clone())
    }
    fn balls(&self) -> u64 {
        self.balls()
    }
    fn rejections(&self) -> u64 {
        self.rejections()
    }
    fn is_randomised(&self) -> bool {
        self.strategy().is_randomised()
    }
    fn unrealizable_at(&self) -> Option<u64> {
        self.strategy().unrealizable_at()
    }
}

/// A strategy that sees bins through loads, ranks and counters: as a rule on labelled and on counted bins,
/// and coupled for seed 150.
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    pub(crate) counters: u8,
    pub(crate) labelled: Box<dyn Rule<Labelled>>,
    counted: Box<dyn Rule<ProfileWithCounters>>,
    pub(crate) coupled: Box<dyn DynAllocator<Labelled>>,
}

fn entry<S>(name: &'static str, strategy: S) -> Entry
where
    S: ThinningStrategy<Labelled> + ThinningStrategy<ProfileWithCounters> + Clone + 'static,
{
    Entry {
        name,
        counters: strategy.counters(),
        labelled: Box::new(Thinning::new(strategy.clone())),
        counted: Box::new(Thinning::new(strategy.clone())),
        coupled: Box::new(Coupled::new(strategy, 150, 0)),
    }
}

pub(crate) fn strategies() -> Vec<Entry> {
    let stages = || MultiStage::new(&[1.5, 4.0, 6.25], 0.5, 1.5).unwrap();
    let scale = || MultiScale::new(2.0, 3.0, vec![Scale::new(2, stages()).unwrap()]).unwrap();
    let both = DriftMultiStage::new(ThetaDrift::new(0.2).unwrap(), 2.5, stages()).unwrap();
    let drift = || ThetaDrift::new(0.25).unwrap();
    vec![
        entry("always", AlwaysAccept),
        entry("never", NeverAccept),
        entry("threshold", Threshold::new(3).unwrap()),
        entry("relative threshold", ThinningRelativeThreshold::new(1.25).unwrap()),
        entry("3-thinning", DThinning::new(3, 2).unwrap()),
        entry("mean-thinning", ByLoad::new(MeanThinning).unwrap()),
        entry("thinning by load", ByLoad::new(LoadThreshold::new(9).unwrap().with_d(3).unwrap()).unwrap()),
        entry("relative threshold by load", ByLoad::new(RelativeThreshold::new(1.5).unwrap()).unwrap()),
        entry("quantile", QuantileThinning(Quantile::new(0.3).unwrap())),
        entry("drift", drift()),
        entry("drift, discrete", drift().with_clock(Clock::Discrete)),
        entry("drift, most", ThetaDrift::new(0.2).unwrap().with_rejections(Rejections::Most).unwrap()),
        entry("varying drift", VaryingDrift::new(0.2, 0.2, 0.5, 1.5).unwrap()),
        entry("varying drift that fails", VaryingDrift::new(0.2, 0.2, 0.3, 0.5).unwrap()),
        entry("multi-stage", stages()),
        entry("multi-stage, H_0 kept", stages().keep_h0()),
        entry("drift-multi-stage", both.clone()),
        entry("multi-scale", scale()),
        entry("long-term", LongTerm::new(both, scale()).unwrap()),
        entry("cycle", DThinning::new(3, 1).unwrap().then(0.75, stages()).unwrap().cycle(2.3).unwrap()),
    ]
}

pub(crate) fn labelled(n: u64, counters: u8) -> Labelled {
    WithCounters::new(RankedVector::from(LoadVector::new(n).unwrap()), counters).unwrap()
}

fn counted(n: u64, counters: u8) -> ProfileWithCounters {
    ProfileWithCounters::new(LoadProfile::new(n).unwrap(), counters)
}

fn cut<B: Place<Load = u64> + Metrics + Clone>(name: &str, new: &dyn Rule<B>, bins: B) {
    const BALLS: u64 = 700;
    let whole = |rng: &mut TrialRng| {
        let (mut rule, mut bins) = (new.copy(), bins.clone());
        rule.dyn_start(&bins).unwrap();
        rule.dyn_run(&mut bins, BALLS, rng);
        (bins.level_counts(), rule.rejections(), rule.unrealizable_at(), rng.clone())
    };
    let expected = whole(&mut rng_for_trial(140, 0));
    for piece in [1, 7, 100, 350] {
        let mut rng = rng_for_trial(140, 0);
        let (mut rule, mut bins) = (new.copy(), bins.clone());
        rule.dyn_start(&bins).unwrap();
        let mut placed = 0;
        while placed < BALLS {
            if placed % 3 == 0 {
                rule.dyn_step(&mut bins, &mut rng);
                placed += 1;
            } else {
                placed += rule.dyn_run(&mut bins, piece.min(BALLS - placed), &mut rng);
            }
            // Saved and resumed.
            rule = rule.copy();
        }
        let found = (bins.level_counts(), rule.rejections(), rule.unrealizable_at(), rng);
        assert_eq!(found, expected, "{name} in pieces of {piece}");
    }
    // Started again on used loads it forgets all: a strategy that was used, and a new one.
    let mut rng = rng_for_trial(140, 1);
    let (mut used, mut loads) = (new.copy(), bins);
    used.dyn_start(&loads).unwrap();
    used.dyn_run(&mut loads, 333, &mut rng);
    let mut again = loads.clone();
    let mut same = rng.clone();
    used.dyn_start(&loads).unwrap();
    used.dyn_run(&mut loads, 100, &mut rng);
    let mut new = new.copy();
    new.dyn_start(&again).unwrap();
    new.dyn_run(&mut again, 100, &mut same);
    assert_eq!((loads.level_counts(), used.rejections()), (again.level_counts(), new.rejections()), "{name}");
    assert_eq!((rng, used.balls()), (same, 100));
}

#[test]
fn a_cut_run_is_the_uncut_run() {
    for Entry { name, counters, labelled: on_labelled, counted: on_counted, .. } in strategies() {
        cut(name, &*on_labelled, labelled(30, counters));
        cut(name, &*on_counted, counted(30, counters));
        let heavy = LoadVector::from_loads((0..30).map(|bin| bin % 4).collect()).unwrap();
        cut(name, &*on_labelled, WithCounters::new(RankedVector::from(heavy), counters).unwrap());
        // Spare counters are left alone, or begin afresh with the others: no bin changes.
        cut(name, &*on_labelled, labelled(30, counters + 2));
    }
    let law = |ball: u64| {
        (ball.is_multiple_of(5)).then(|| vec![if ball.is_multiple_of(2) { 1.2 / 30.0 } else { 0.8 / 30.0 }; 15]).map(
            |half| {
                let rest = 1.0 - half.iter().sum::<f64>();
                [half, vec![rest / 15.0; 15]].concat()
            },
        )
    };
    cut("target law", &Thinning::new(TargetLaw::new(law)), labelled(30, 0));
}

/// A generator that counts its words.
struct Counted {
    rng: TrialRng,
    words: u64,
}

impl TryRng for Counted {
    type Error = core::convert::Infallible;
    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        self.try_next_u64().map(|word| word as u32)
    }
    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        self.words += 1;
        self.rng.try_next_u64()
    }
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
        self.rng.try_fill_bytes(bytes)
    }
}

/// A power of two bins, so that no draw is repeated.
#[test]
fn each_ball_takes_as_many_words_as_another() {
    for Entry { name, counters, labelled: mut rule, .. } in strategies() {
        let mut bins = labelled(32, counters);
        let mut rng = Counted { rng: rng_for_trial(141, 0), words: 0 };
        rule.dyn_start(&bins).unwrap();
        let clock = name.contains("drift") && !name.contains("discrete");
        for _ in 0..400 {
            let before = rng.words;
            let coin = rule.is_randomised();
            rule.dyn_step(&mut bins, &mut rng);
            if name.contains("multi") || name.contains("long-term") || name.contains("cycle") {
                // The words of a part that may have begun with this ball.
                assert!((1..=3).contains(&(rng.words - before)), "{name}");
            } else {
                // All samples are from one word.
                assert_eq!(rng.words - before, 1 + u64::from(coin) + u64::from(clock), "{name}");
            }
        }
    }
}

/// Largest load, sum of squares and rejections of a run.
fn quantities<B: Place<Load = u64> + Metrics>(new: &dyn Rule<B>, mut bins: B, rng: &mut TrialRng) -> [u64; 3] {
    let mut rule = new.copy();
    rule.dyn_start(&bins).unwrap();
    rule.dyn_run(&mut bins, 130, rng);
    let squares = bins.level_counts().iter().map(|&(load, count)| load * load * count).sum();
    [bins.max_load(), squares, rule.rejections()]
}

/// Labelled and counted bins, three quantities each: a false alarm 1e-6 for each strategy.
#[test]
fn counted_bins_follow_labelled_ones() {
    for Entry { name, counters, labelled: on_labelled, counted: on_counted, .. } in strategies() {
        Samples::new(142, 10_000)
            .with("labelled", |rng| quantities(&*on_labelled, labelled(16, counters), rng))
            .with("counted", |rng| quantities(&*on_counted, counted(16, counters), rng))
            .assert_same(name);
    }
}

/// Rules of `bb-processes` seen as strategies: draw for draw where no coin is needed, in law where a rank is
/// one.
#[test]
fn described_rules_are_themselves() {
    fn check<R: Description + Allocator<LoadVector> + Clone>(rule: R) {
        let mut plain = LoadVector::new(60).unwrap();
        let mut thinned = LoadVector::new(60).unwrap();
        let (mut rng, mut same) = (rng_for_trial(143, 0), rng_for_trial(143, 0));
        rule.clone().run(&mut plain, 3000, &mut rng);
        Thinning::new(ByLoad::new(rule).unwrap()).run(&mut thinned, 3000, &mut same);
        assert_eq!((plain, rng), (thinned, same));
    }
    check(MeanThinning);
    check(LoadThreshold::new(40).unwrap());
    check(LoadThreshold::new(40).unwrap().with_d(4).unwrap());
    check(LoadThreshold::new(3).unwrap().with_d(1).unwrap());
    check(RelativeThreshold::new(2.5).unwrap());

    let max = |bins: LoadProfile| [bins.max_load()];
    let plain = |delta: f64| {
        Samples::new(144, 30_000).with("quantile", move |rng| {
            let mut bins = LoadProfile::new(12).unwrap();
            Quantile::new(delta).unwrap().start_and_run(&mut bins, 60, rng).unwrap();
            max(bins)
        })
    };
    let thinned = |samples: Samples<u64, 1>| {
        samples.with("as a thinning", |rng| {
            let mut bins = LoadProfile::new(12).unwrap();
            let strategy = QuantileThinning(Quantile::new(0.4).unwrap());
            Thinning::new(strategy).start_and_run(&mut bins, 60, rng).unwrap();
            max(bins)
        })
    };
    thinned(plain(0.4)).assert_same("quantile 0.4");
    thinned(plain(0.9)).assert_told_apart("quantile 0.9");
}
