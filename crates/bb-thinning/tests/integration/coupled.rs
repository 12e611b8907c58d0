//! The coupled mode: shared primaries and pool, histories that replay, the law unchanged.

use bb_core::{Allocator, Bins, History, LoadProfile, LoadVector, Metrics, RankedVector, WithCounters, rng_for_trial};
use bb_testkit::engines::Samples;
use bb_thinning::{
    AlwaysAccept, Coupled, DThinning, NeverAccept, SampleTally, Streams, ThetaDrift, Thinning, ThinningStrategy,
    Threshold,
};

type View = WithCounters<RankedVector>;

fn view(n: u64, counters: u8) -> View {
    WithCounters::new(RankedVector::from(LoadVector::new(n).unwrap()), counters).unwrap()
}

fn record<S: ThinningStrategy<View>>(strategy: S, balls: u64) -> (History, View, u64) {
    let mut bins = view(40, strategy.counters());
    let mut rule = Coupled::new(strategy, 5, 3);
    let mut history = History::new();
    rule.start(&bins).unwrap();
    history.record(&mut rule, &mut bins, balls, &mut rng_for_trial(0, 0));
    (history, bins, rule.thinning().rejections())
}

fn primaries(history: &History) -> Vec<usize> {
    history.iter().map(|step| step.decision.primary).collect()
}

fn secondaries(history: &History) -> Vec<usize> {
    history.iter().filter(|step| step.decision.sample == 2).map(|step| step.decision.bin).collect()
}

#[test]
fn strategies_on_one_seed_share_primaries_and_pool() {
    let all = [
        record(Threshold::new(2).unwrap(), 400),
        record(Threshold::new(9).unwrap(), 400),
        record(ThetaDrift::practical(), 400),
        record(NeverAccept, 400),
        record(AlwaysAccept, 400),
    ];
    let (pool, sampled) = (secondaries(&all[3].0), primaries(&all[4].0));
    assert_eq!((pool.len(), secondaries(&all[4].0).len()), (400, 0));
    for (history, bins, rejections) in &all {
        assert_eq!(primaries(history), sampled);
        assert!(pool.starts_with(&secondaries(history)), "the r-th rejection takes the r-th entry");
        assert_eq!(secondaries(history).len() as u64, *rejections);
        // The history alone is the run.
        let mut again = view(40, 1);
        history.replay(&mut again);
        assert_eq!(again.loads().loads(), bins.loads().loads());
    }
    // On the common stream of the plain mode they part after the first clock.
    let plain = |strategy: Thinning<ThetaDrift>, other: Thinning<AlwaysAccept>| {
        let (mut first, mut second) = (History::new(), History::new());
        first.record(&mut { strategy }, &mut view(40, 0), 50, &mut rng_for_trial(5, 3));
        second.record(&mut { other }, &mut view(40, 0), 50, &mut rng_for_trial(5, 3));
        primaries(&first) == primaries(&second)
    };
    assert!(!plain(Thinning::new(ThetaDrift::practical()), Thinning::new(AlwaysAccept)));
    // Other trials, other streams.
    let other = Streams::for_trial(5, 4);
    let one = Streams::for_trial(5, 3);
    assert!(one.primaries != other.primaries && one.pool != other.pool && one.primaries != one.own);
}

/// The threshold keeps `min(N_i, ℓ)` of what is sampled to bin `i`, whatever the order: `L_1`, `L_2` and
/// samples of a history, over any set of balls.
#[test]
fn histories_tell_suggestions_and_acceptances() {
    let (history, bins, rejections) = record(Threshold::new(4).unwrap(), 300);
    let all = SampleTally::of(&history, 40, 1..=300);
    for bin in 0..40 {
        assert_eq!(all.accepted()[bin], all.sampled()[bin].min(4));
        assert_eq!(all.accepted()[bin] + all.secondaries()[bin], bins.load(bin));
    }
    assert_eq!((all.rejections(), all.sampled().iter().sum::<u64>()), (rejections, 300));
    let parts = [1..=100, 101..=300].map(|balls| SampleTally::of(&history, 40, balls));
    for bin in 0..40 {
        assert_eq!(parts[0].sampled()[bin] + parts[1].sampled()[bin], all.sampled()[bin]);
        assert_eq!(parts[0].secondaries()[bin] + parts[1].secondaries()[bin], all.secondaries()[bin]);
    }
    assert_eq!(all.sampled_at_least(0), 40);
    assert_eq!(all.sampled_at_least(4), (0..40).filter(|&bin| all.sampled()[bin] >= 4).count() as u64);
    assert_eq!(SampleTally::of(&history, 0, 1..=1000).sampled(), []);
}

/// With more than two samples every one that is rejected counts, in both modes.
#[test]
fn rejections_are_those_of_the_history() {
    let strategy = DThinning::new(4, 1).unwrap();
    let (coupled, _, rejections) = record(strategy, 200);
    let mut plain = History::new();
    let mut rule = Thinning::new(strategy);
    plain.record(&mut rule, &mut view(40, 3), 200, &mut rng_for_trial(6, 0));
    for (history, rejections) in [(coupled, rejections), (plain, rule.rejections())] {
        let samples: Vec<u32> = history.iter().map(|step| step.decision.sample).collect();
        assert_eq!(samples.iter().map(|sample| u64::from(sample - 1)).sum::<u64>(), rejections);
        assert_eq!(SampleTally::of(&history, 40, 1..=200).rejections(), rejections);
        assert!((1..=4).all(|sample| samples.contains(&sample)));
    }
}

/// Separate streams change no law, for two samples and for more; another limit is told apart.
#[test]
fn the_law_is_that_of_the_plain_mode() {
    fn max(rule: &mut impl Allocator<View>, counters: u8, rng: &mut bb_core::TrialRng) -> [u64; 1] {
        let mut bins = view(8, counters);
        rule.start_and_run(&mut bins, 16, rng).unwrap();
        [bins.max_load()]
    }
    let check = |d: u32| {
        let strategy = |limit| DThinning::new(d, limit).unwrap();
        let counters = (d - 1) as u8;
        let plain =
            || Samples::new(100, 40_000).with("plain", |rng| max(&mut Thinning::new(strategy(1)), counters, rng));
        let mut trial = 0;
        let mut coupled = |limit| {
            trial += 1;
            Coupled::new(strategy(limit), 101, trial)
        };
        plain().with("coupled", |rng| max(&mut coupled(1), counters, rng)).assert_same("streams");
        plain().with("another limit", |rng| max(&mut coupled(3), counters, rng)).assert_told_apart("streams");
    };
    check(2);
    check(3);
}

/// Counted bins have no index to share; the streams do not mind.
#[test]
fn it_runs_on_counted_bins() {
    let mut bins = LoadProfile::new(1000).unwrap();
    let mut rule = Coupled::new(ThetaDrift::practical(), 1, 0);
    rule.start_and_run(&mut bins, 50_000, &mut rng_for_trial(0, 0)).unwrap();
    assert!(bins.gap() < 30.0);
    assert!((0.17..0.23).contains(&(rule.thinning().rejections() as f64 / 50_000.0)));
    let samples = Allocator::<LoadProfile>::sample_count(&rule);
    assert_eq!(samples.unwrap().per_ball(50_000), 1.0 + rule.thinning().rejections() as f64 / 50_000.0);
}
