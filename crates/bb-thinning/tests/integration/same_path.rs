//! `run` is `step` repeated, bit for bit; a run cut at any ball is the uncut run; each ball takes the same number of words.

use bb_core::rand::TryRng;
use bb_core::{
    Allocator, Bins, Description, LoadProfile, LoadVector, Metrics, Place, ProfileWithCounters, RankedVector, TrialRng,
    WithCounters, rng_for_trial,
};
use bb_processes::{LoadThreshold, MeanThinning, Quantile, RelativeThreshold};
use bb_testkit::engines::Samples;
use bb_thinning::{
    AlwaysAccept, ByLoad, Clock, DThinning, DriftMultiStage, LongTerm, MultiScale, MultiStage, NeverAccept,
    QuantileThinning, Rejections, Scale, Strategy, TargetLaw, ThetaDrift, Thinning, ThinningRelativeThreshold,
    ThinningStrategy, Threshold, VaryingDrift,
};

pub(crate) type Labelled = WithCounters<RankedVector>;

/// Calls a generic check with the name of a strategy and the strategy, for each that sees bins through loads, ranks and counters.
macro_rules! for_each_strategy {
    ($check:ident $(, $argument:expr)*) => {{
        let stages = || MultiStage::new(&[1.5, 4.0, 6.25], 0.5, 1.5).unwrap();
        let scale = || MultiScale::new(2.0, 3.0, vec![Scale::new(2, stages()).unwrap()]).unwrap();
        $check("always", AlwaysAccept $(, $argument)*);
        $check("never", NeverAccept $(, $argument)*);
        $check("threshold", Threshold::new(3).unwrap() $(, $argument)*);
        $check("relative threshold", ThinningRelativeThreshold::new(1.25).unwrap() $(, $argument)*);
        $check("3-thinning", DThinning::new(3, 2).unwrap() $(, $argument)*);
        $check("mean-thinning", ByLoad::new(MeanThinning).unwrap() $(, $argument)*);
        $check("thinning by load", ByLoad::new(LoadThreshold::new(9).unwrap().with_d(3).unwrap()).unwrap() $(, $argument)*);
        $check("relative threshold by load", ByLoad::new(RelativeThreshold::new(1.5).unwrap()).unwrap() $(, $argument)*);
        $check("quantile", QuantileThinning(Quantile::new(0.3).unwrap()) $(, $argument)*);
        $check("drift", ThetaDrift::new(0.25).unwrap() $(, $argument)*);
        $check("drift, discrete", ThetaDrift::new(0.25).unwrap().with_clock(Clock::Discrete) $(, $argument)*);
        $check("drift, most", ThetaDrift::new(0.2).unwrap().with_rejections(Rejections::Most).unwrap() $(, $argument)*);
        $check("varying drift", VaryingDrift::new(0.2, 0.2, 0.5, 1.5).unwrap() $(, $argument)*);
        $check("varying drift that fails", VaryingDrift::new(0.2, 0.2, 0.3, 0.5).unwrap() $(, $argument)*);
        $check("multi-stage", stages() $(, $argument)*);
        $check("multi-stage, H_0 kept", stages().keep_h0() $(, $argument)*);
        let both = DriftMultiStage::new(ThetaDrift::new(0.2).unwrap(), 2.5, stages()).unwrap();
        $check("drift-multi-stage", both.clone() $(, $argument)*);
        $check("multi-scale", scale() $(, $argument)*);
        $check("long-term", LongTerm::new(both, scale()).unwrap() $(, $argument)*);
        $check("cycle", DThinning::new(3, 1).unwrap().then(0.75, stages()).unwrap().cycle(2.3).unwrap() $(, $argument)*);
    }};
}
pub(crate) use for_each_strategy;

pub(crate) fn labelled(n: u64, counters: u8) -> Labelled {
    WithCounters::new(RankedVector::from(LoadVector::new(n).unwrap()), counters).unwrap()
}

fn counted(n: u64, counters: u8) -> ProfileWithCounters {
    ProfileWithCounters::new(LoadProfile::new(n).unwrap(), counters)
}

fn cut<S, B>(name: &str, strategy: &S, bins: B)
where
    S: ThinningStrategy<B> + Clone,
    B: Place<Load = u64> + Metrics + Clone,
{
    const BALLS: u64 = 700;
    let whole = |rng: &mut TrialRng| {
        let (mut rule, mut bins) = (Thinning::new(strategy.clone()), bins.clone());
        rule.start_and_run(&mut bins, BALLS, rng).unwrap();
        (bins.level_counts(), rule.rejections(), rule.strategy().unrealizable_at(), rng.clone())
    };
    let expected = whole(&mut rng_for_trial(140, 0));
    for piece in [1, 7, 100, 350] {
        let mut rng = rng_for_trial(140, 0);
        let (mut rule, mut bins) = (Thinning::new(strategy.clone()), bins.clone());
        rule.start(&bins).unwrap();
        let mut placed = 0;
        while placed < BALLS {
            if placed % 3 == 0 {
                rule.step(&mut bins, &mut rng);
                placed += 1;
            } else {
                placed += rule.run(&mut bins, piece.min(BALLS - placed), &mut rng);
            }
            // Saved and resumed.
            rule = rule.clone();
        }
        let found = (bins.level_counts(), rule.rejections(), rule.strategy().unrealizable_at(), rng);
        assert_eq!(found, expected, "{name} in pieces of {piece}");
    }
    // Started again on used loads it forgets all: a strategy that was used, and a new one.
    let mut rng = rng_for_trial(140, 1);
    let (mut used, mut loads) = (Thinning::new(strategy.clone()), bins);
    used.start_and_run(&mut loads, 333, &mut rng).unwrap();
    let mut again = loads.clone();
    let mut same = rng.clone();
    used.start_and_run(&mut loads, 100, &mut rng).unwrap();
    let mut new = Thinning::new(strategy.clone());
    new.start_and_run(&mut again, 100, &mut same).unwrap();
    assert_eq!((loads.level_counts(), used.rejections()), (again.level_counts(), new.rejections()), "{name}");
    assert_eq!((rng, used.balls()), (same, 100));
}

fn cut_everywhere<S>(name: &str, strategy: S)
where
    S: ThinningStrategy<Labelled> + ThinningStrategy<ProfileWithCounters> + Clone,
{
    let counters = strategy.counters();
    cut(name, &strategy, labelled(30, counters));
    cut(name, &strategy, counted(30, counters));
    let heavy = LoadVector::from_loads((0..30).map(|bin| bin % 4).collect()).unwrap();
    cut(name, &strategy, WithCounters::new(RankedVector::from(heavy), counters).unwrap());
    // Spare counters are left alone, or begin afresh with the others: no bin changes.
    cut(name, &strategy, labelled(30, counters + 2));
}

#[test]
fn a_cut_run_is_the_uncut_run() {
    for_each_strategy!(cut_everywhere);
    let law = |ball: u64| {
        (ball.is_multiple_of(5)).then(|| vec![if ball.is_multiple_of(2) { 1.2 / 30.0 } else { 0.8 / 30.0 }; 15]).map(
            |half| {
                let rest = 1.0 - half.iter().sum::<f64>();
                [half, vec![rest / 15.0; 15]].concat()
            },
        )
    };
    cut("target law", &TargetLaw::new(law), labelled(30, 0));
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
fn count_words<S: ThinningStrategy<Labelled>>(name: &str, strategy: S) {
    let mut bins = labelled(32, strategy.counters());
    let mut rng = Counted { rng: rng_for_trial(141, 0), words: 0 };
    let mut rule = Thinning::new(strategy);
    rule.start(&bins).unwrap();
    let clock = name.contains("drift") && !name.contains("discrete");
    for _ in 0..400 {
        let before = rng.words;
        let coin = rule.strategy().is_randomised();
        rule.step(&mut bins, &mut rng);
        if name.contains("multi") || name.contains("long-term") || name.contains("cycle") {
            // The words of a part that may have begun with this ball.
            assert!((1..=3).contains(&(rng.words - before)), "{name}");
        } else {
            // All samples are from one word.
            assert_eq!(rng.words - before, 1 + u64::from(coin) + u64::from(clock), "{name}");
        }
    }
}

#[test]
fn each_ball_takes_as_many_words_as_another() {
    for_each_strategy!(count_words);
}

/// Labelled and counted bins, three quantities each: a false alarm 1e-6 for each strategy.
fn counted_like_labelled<S>(name: &str, strategy: S)
where
    S: ThinningStrategy<Labelled> + ThinningStrategy<ProfileWithCounters> + Clone,
{
    let (n, balls) = (16, 130);
    fn quantities<B: Metrics + Bins<Load = u64>>(bins: &B, rejections: u64) -> [u64; 3] {
        [bins.max_load(), bins.level_counts().iter().map(|&(load, count)| load * load * count).sum(), rejections]
    }
    let counters = strategy.counters();
    Samples::new(142, 10_000)
        .with("labelled", |rng| {
            let (mut bins, mut rule) = (labelled(n, counters), Thinning::new(strategy.clone()));
            rule.start_and_run(&mut bins, balls, rng).unwrap();
            quantities(&bins, rule.rejections())
        })
        .with("counted", |rng| {
            let (mut bins, mut rule) = (counted(n, counters), Thinning::new(strategy.clone()));
            rule.start_and_run(&mut bins, balls, rng).unwrap();
            quantities(&bins, rule.rejections())
        })
        .assert_same(name);
}

#[test]
fn counted_bins_follow_labelled_ones() {
    for_each_strategy!(counted_like_labelled);
}

/// Rules of `bb-processes` seen as strategies: draw for draw where no coin is needed, in law where a rank is one.
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
