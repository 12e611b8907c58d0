//! Bad and degenerate input, row by row: a typed error, or what is promised; never a panic, a hang or a wrong
//! number.

use bb_memory::bb_core::{
    Allocator, Bins, DynamicLoads, LoadVector, Metrics, Place, Remove, StartError, rng_for_trial,
};
use bb_memory::bb_processes::{Caching, Memory, Supermarket, System};
use bb_memory::theory::{
    Fitting, Tradeoff, best_threshold_bit, choice_memory_bound, extra_balls, heavy_bins_expected_on_the_left,
    lower_bound, paper_list_length, paper_threshold, slow_bins_at_most, upper_bound,
};
use bb_memory::{
    AdaptiveClusters, Advisor, ApproximateCounters, Bounded, Budget, ClusterCount, EpochAdvice, Format, HeavyList,
    IdleHint, JoinIdleQueue, Layout, LogBase, MemoryError, NoMemory, Overflow, Policy, Probing, QueueOrder,
    RelativeCounters, ResetMemory, RunError, SampleKind, SaturatingCounters, SplittingClusters, StateError,
    ThresholdBit, Thresholds, TieRule, Window,
};

fn bits(bits: u64) -> Budget {
    Budget::bits(bits).unwrap()
}

/// The parameter that an error names.
fn named<T: std::fmt::Debug>(result: Result<T, MemoryError>) -> &'static str {
    match result.unwrap_err() {
        MemoryError::Parameter(error) => error.parameter(),
        other => panic!("{other:?}"),
    }
}

/// What experiments ask of a rule: to be copied, and moved between threads.
#[test]
fn rules_go_to_other_threads() {
    fn check<A: Allocator<LoadVector> + Clone + Send + Sync>(_: A) {}
    check(Bounded::new(HeavyList::fill(9, bits(30)).unwrap()));
    check(Bounded::new(EpochAdvice::new(3, HeavyList::fill(9, bits(30)).unwrap()).unwrap()));
    check(Bounded::new(SaturatingCounters::new(9, 2).unwrap()));
    check(Bounded::new(ThresholdBit::new(9, 2).unwrap()));
    check(Bounded::new(IdleHint::new(9, bits(30), 2).unwrap()));
    check(Bounded::new(AdaptiveClusters::new(9, 3, 2).unwrap()));
    check(Probing::new(9, Caching::new()).unwrap());
    check(ResetMemory::new(3).unwrap());
}

#[test]
fn no_bins() {
    assert_eq!(named(NoMemory::new(0, TieRule::First)), "n");
    assert_eq!(named(HeavyList::fill(0, bits(10))), "n");
    assert_eq!(named(HeavyList::set(0, bits(10), 1.0)), "n");
    assert_eq!(named(SaturatingCounters::new(0, 2)), "n");
    assert_eq!(named(RelativeCounters::new(0, 2, 10)), "n");
    assert_eq!(named(ApproximateCounters::new(0, 2, 2.0)), "n");
    assert_eq!(named(ThresholdBit::new(0, 2)), "n");
    assert_eq!(named(ClusterCount::new(0, 1, 2)), "n");
    assert_eq!(named(SplittingClusters::new(0, 1, 2)), "n");
    assert_eq!(named(Window::new(0, 2, 1, 0.5)), "n");
    assert_eq!(named(IdleHint::new(0, bits(5), 1)), "n");
    assert_eq!(named(JoinIdleQueue::new(0, 1, QueueOrder::Fifo)), "n");
    assert_eq!(named(Probing::new(0, Caching::new())), "n");
    // And more than there can be.
    assert_eq!(named(SaturatingCounters::new(u64::MAX, 2)), "n");
    assert_eq!(named(SaturatingCounters::new(1 << 40, 2)), "bits");
    assert_eq!(named(ClusterCount::new(1 << 40, 1 << 40, 3)), "bits");
}

/// One bin: legal with an explicit threshold; every sample is (0, 0), and the load is the number of balls.
#[test]
fn one_bin() {
    let mut rules: Vec<Box<dyn bb_memory::bb_core::DynAllocator>> = vec![
        Box::new(Bounded::new(HeavyList::fixed(1, bits(20), 2.0).unwrap())),
        Box::new(Bounded::new(HeavyList::fill(1, bits(20)).unwrap())),
        Box::new(Bounded::new(HeavyList::raise(1, bits(20)).unwrap())),
        Box::new(Bounded::new(SaturatingCounters::new(1, 2).unwrap())),
        Box::new(Bounded::new(ClusterCount::new(1, 1, 4).unwrap())),
        Box::new(Bounded::new(Window::new(1, 3, 1, 0.0).unwrap())),
        Box::new(Bounded::new(NoMemory::new(1, TieRule::Coin).unwrap())),
        Box::new(Bounded::new(IdleHint::new(1, bits(4), 1).unwrap())),
        Box::new(ResetMemory::new(3).unwrap()),
    ];
    for rule in &mut rules {
        let mut loads = LoadVector::new(1).unwrap();
        rule.start_and_run(&mut loads, 30, &mut rng_for_trial(250, 0)).unwrap();
        assert_eq!(loads.max_load(), 30);
    }
    for bins in [1, 2] {
        assert!(Budget::from_delta(bins, 0.5).is_err());
        assert!(
            lower_bound(bins, 0.5).is_err() && upper_bound(bins, 3).is_err() && paper_list_length(bins, 0.5).is_err()
        );
        assert!(choice_memory_bound(bins, 2, 0.5).is_err() && best_threshold_bit(bins).is_err());
        assert!(Tradeoff::new(bins, 0.5).is_err());
        let layout = Layout::new(bins, bits(20), Format::EliasFano, 8).unwrap();
        let paper = Policy::PaperFormula { delta: 0.5, base: LogBase::Natural };
        assert!(HeavyList::new(layout, paper).is_err());
    }
    assert!(Fitting::new(1, bits(9)).is_err() && Fitting::new(2, bits(9)).is_ok());
}

#[test]
fn two_bins_and_samples_of_the_same_bin() {
    let mut rule = Bounded::new(HeavyList::fill(2, bits(20)).unwrap());
    let mut loads = LoadVector::new(2).unwrap();
    rule.start_and_run(&mut loads, 100, &mut rng_for_trial(251, 0)).unwrap();
    assert!(loads.max_load() - loads.min_load() <= 8 && rule.report().listed()[1] < 60);
    // A bin drawn twice counts as none or two, takes one ball, and the coin of its rule is drawn: the
    // streams stay aligned.
    let mut rule = Bounded::new(HeavyList::fixed(2, bits(20), 1.0).unwrap().with_ties(TieRule::Coin));
    let mut loads = LoadVector::new(2).unwrap();
    for expected in [[1, 0, 0], [1, 0, 1]] {
        let bin = rule.close(&loads, 3).unwrap().samples(&[1, 1]).unwrap().decide();
        assert_eq!(bin, 1);
        loads.place(bin, &());
        rule.learn_placed(&loads, bin).unwrap();
        assert_eq!(rule.report().listed(), expected);
    }
    assert_eq!(loads.to_vec(), [0, 2]);
}

#[test]
fn samples_that_cannot_be() {
    let mut rule = Bounded::new(HeavyList::fill(10, bits(30)).unwrap());
    let loads = LoadVector::new(10).unwrap();
    let refused =
        |rule: &mut Bounded<HeavyList>, sample: &[usize]| rule.close(&loads, 1).unwrap().samples(sample).unwrap_err();
    assert_eq!(refused(&mut rule, &[10, 0]), RunError::NoSuchBin { bin: 10, bins: 10 });
    assert_eq!(refused(&mut rule, &[0, 99]), RunError::NoSuchBin { bin: 99, bins: 10 });
    assert_eq!(refused(&mut rule, &[0]), RunError::Samples { found: 1, asked: 2 });
    assert_eq!(refused(&mut rule, &[0, 1, 2]), RunError::Samples { found: 3, asked: 2 });
    assert_eq!(rule.learn_placed(&loads, 10), Err(RunError::NoSuchBin { bin: 10, bins: 10 }));
    let mut distinct = rule.with_sampling(SampleKind::Distinct);
    assert_eq!(refused(&mut distinct, &[4, 4]), RunError::Repeated { bin: 4 });
    for key in 0..200 {
        let asked = distinct.close(&loads, key).unwrap().draw();
        assert_ne!(asked.samples().first(), asked.samples().second());
    }
    // More samples than bins: the last bin fills the places left.
    let mut many = Bounded::new(SaturatingCounters::with_choices(3, 2, 5, TieRule::First).unwrap());
    many = many.with_sampling(SampleKind::Distinct);
    let loads = LoadVector::new(3).unwrap();
    let asked = many.close(&loads, 0).unwrap().draw();
    let mut bins = asked.samples().bins().to_vec();
    bins.sort_unstable();
    bins.dedup();
    assert_eq!(bins, [0, 1, 2]);
    // Parts need a bin each.
    let mut parts = Bounded::new(SaturatingCounters::with_choices(3, 2, 5, TieRule::First).unwrap());
    parts = parts.with_sampling(SampleKind::Halves);
    let error = Allocator::start(&mut parts, &loads).unwrap_err();
    assert_eq!(error, StartError::TooFewBins { parameter: "samples", value: 5, bins: 3 });
}

/// No bits: a single state, and the list is empty for good. Too few for an entry: refused, unless asked for.
#[test]
fn budgets_that_hold_nothing() {
    let picks = |list: HeavyList, light: TieRule| {
        let mut rule = Bounded::new(list.with_light_rule(light));
        let (mut loads, mut rng) = (LoadVector::new(50).unwrap(), rng_for_trial(252, 0));
        rule.start(&loads).unwrap();
        let picks: Vec<usize> = (0..200).map(|_| rule.step(&mut loads, &mut rng)).collect();
        assert_eq!((rule.report().longest_list(), rule.report().listed()), (Some(0), [200, 0, 0]));
        assert!(rule.state(&loads).is_ok());
        picks
    };
    for light in [TieRule::First, TieRule::Left, TieRule::Coin] {
        let (mut loads, mut rng) = (LoadVector::new(50).unwrap(), rng_for_trial(252, 0));
        let mut none = Bounded::new(NoMemory::new(50, light).unwrap());
        none.start(&loads).unwrap();
        let expected: Vec<usize> = (0..200).map(|_| none.step(&mut loads, &mut rng)).collect();
        for format in Format::ALL {
            for budget in [0, 1, 3] {
                for policy in [Policy::Fill, Policy::Raise, Policy::Fixed(1.0)] {
                    let layout = Layout::new_or_empty(50, bits(budget), format, 8).unwrap();
                    assert_eq!(picks(HeavyList::new(layout, policy).unwrap(), light), expected, "{format:?} {budget}");
                }
            }
            assert!(Layout::new(50, Budget::NONE, format, 8).is_ok());
            let error = Layout::new(50, bits(3), format, 8).unwrap_err();
            assert!(matches!(error, MemoryError::BudgetTooSmall { budget: 3, needed: 9.. }), "{error}");
        }
    }
}

#[test]
fn thresholds_out_of_range() {
    for bad in [-1.0, -1e-9, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e10] {
        assert_eq!(named(HeavyList::fixed(10, bits(30), bad)), "T");
    }
    assert_eq!(HeavyList::fixed(10, bits(30), 2.5).unwrap().first_threshold(), 3);
    assert_eq!(HeavyList::fixed(10, bits(30), -0.0).unwrap().first_threshold(), 0);
    // Above every load: legal, and empty.
    let mut rule = Bounded::new(HeavyList::fixed(10, bits(30), 1000.0).unwrap());
    rule.start_and_run(&mut LoadVector::new(10).unwrap(), 100, &mut rng_for_trial(253, 0)).unwrap();
    assert_eq!((rule.report().longest_list(), rule.report().threshold()), (Some(0), Some(1000)));
    assert_eq!(named(ThresholdBit::new(10, 0)), "thetas");
    assert_eq!(named(Thresholds::new(10, &[])), "thetas");
    assert_eq!(named(Thresholds::new(10, &[3, 2])), "thetas");
    assert_eq!(named(Thresholds::new(10, &[1, 1])), "thetas");
    assert_eq!(named(Thresholds::new(10, &[1]).unwrap().with_samples(0)), "d");
}

/// A count beyond its field is never silent: an error where the run is to stop, else the threshold rises or
/// the bin leaves.
#[test]
fn counts_out_of_range() {
    let layout = Layout::new(4, bits(40), Format::Naive, 2).unwrap();
    let heavy = || LoadVector::from_loads(vec![0, 0, 9, 0]).unwrap();
    let list = HeavyList::new(layout, Policy::Fixed(1.0)).unwrap();
    let mut raised = Bounded::new(list.clone());
    raised.start(&heavy()).unwrap();
    assert_eq!(raised.advisor().list(), [(2, 1)]);
    assert_eq!(raised.advisor().threshold(), 8);
    let mut kept = Bounded::new(list.clone().with_overflow(Overflow::KeepHeaviest));
    kept.start(&heavy()).unwrap();
    assert_eq!((kept.advisor().list(), kept.advisor().threshold()), (vec![], 1));
    assert!(!kept.report().is_certified());
    let mut stopped = Bounded::new(list.stopping());
    let error = stopped.try_step(&mut heavy(), &mut rng_for_trial(254, 0)).unwrap_err();
    assert_eq!(error, RunError::State { step: 0, error: StateError::CountRange { bin: 2, excess: 8, range: 2 } });
    // Loads that no list holds.
    let huge = LoadVector::from_loads(vec![1 << 32, 0, 0, 0]).unwrap();
    let error = Bounded::new(HeavyList::fill(4, bits(30)).unwrap()).start(&huge).unwrap_err();
    assert_eq!(error, StartError::Unsuitable("load = 4294967296 is outside 0..2^32, in bin 0".to_owned()));
}

#[test]
fn parameters_out_of_range() {
    assert_eq!(named(Layout::new(9, bits(90), Format::Naive, 0)), "R");
    assert_eq!(named(Layout::new(9, bits(90), Format::Flat, (1 << 32) + 1)), "R");
    assert_eq!(named(ClusterCount::new(9, 10, 5)), "K");
    assert_eq!(named(ClusterCount::new(9, 0, 5)), "K");
    assert_eq!(named(ClusterCount::asymmetric(9, 1, 5)), "K");
    assert_eq!(named(AdaptiveClusters::new(9, 10, 5)), "K");
    assert_eq!(named(AdaptiveClusters::new(9, 0, 5)), "K");
    assert_eq!(named(AdaptiveClusters::new(9, 3, 33)), "w");
    assert_eq!(named(SplittingClusters::new(9, 10, 5)), "K");
    assert_eq!(named(SplittingClusters::new(9, 3, 0)), "w");
    assert_eq!(named(ClusterCount::new(9, 3, 0)), "cap");
    assert_eq!(named(ClusterCount::new(9, 3, 1 << 32)), "cap");
    for b in [0, 33, 64, u32::MAX] {
        assert_eq!(named(SaturatingCounters::new(9, b)), "b");
        assert_eq!(named(RelativeCounters::new(9, b, 9)), "b");
        assert_eq!(named(ApproximateCounters::new(9, b, 2.0)), "b");
    }
    for a in [1.0, 0.5, 0.0, -2.0, f64::NAN, f64::INFINITY] {
        assert_eq!(named(ApproximateCounters::new(9, 3, a)), "a");
    }
    assert_eq!(named(SaturatingCounters::with_choices(9, 2, 0, TieRule::First)), "d");
    assert_eq!(named(Window::new(9, 0, 3, 0.1)), "k");
    assert_eq!(named(Window::new(9, 2, 0, 0.1)), "s");
    assert_eq!(named(Window::new(9, 2, 10, 0.1)), "s");
    for gamma in [-0.1, 1.0, f64::NAN] {
        assert_eq!(named(Window::new(9, 2, 3, gamma)), "gamma");
    }
    assert_eq!(named(EpochAdvice::new(0, HeavyList::fill(9, bits(30)).unwrap())), "q");
    assert_eq!(ResetMemory::new(0).unwrap_err().parameter(), "q");
    assert_eq!(Memory::<usize>::new(0, 0).unwrap_err().parameter(), "d");
    assert_eq!(named(JoinIdleQueue::new(9, 0, QueueOrder::Pool)), "c");
    assert_eq!(named(IdleHint::new(9, bits(30), 0)), "c");
    // More names than bins: clamped, and told.
    assert_eq!(JoinIdleQueue::new(9, 100, QueueOrder::Pool).unwrap().capacity(), 9);
    assert_eq!(IdleHint::new(9, bits(100), 100).unwrap().capacity(), 9);
    // More visible bins than there are: they merge.
    let mut many = Probing::new(3, Memory::new(9, 7).unwrap()).unwrap();
    let mut loads = LoadVector::new(3).unwrap();
    many.start_and_run(&mut loads, 90, &mut rng_for_trial(255, 0)).unwrap();
    assert!(loads.gap() <= 1.0 && many.state().is_ok() && many.asked_outside().is_none());
}

#[test]
fn budgets_and_policies_out_of_range() {
    for delta in [-0.1, 1.1, f64::NAN] {
        assert!(Budget::from_delta(100, delta).is_err() && lower_bound(100, delta).is_err());
        assert!(paper_threshold(100, delta, LogBase::Two).is_err() && extra_balls(delta).is_err());
    }
    assert_eq!((Budget::from_delta(100, 0.0).unwrap().get(), Budget::from_delta(100, 1.0).unwrap().get()), (100, 1));
    assert!(slow_bins_at_most(9, 1, 0.5).is_err() && slow_bins_at_most(9, 2, 1.5).is_err());
    assert!(
        heavy_bins_expected_on_the_left(0, 1, 1, 0.0).is_err()
            && heavy_bins_expected_on_the_left(9, 1, 1, 2.0).is_err()
    );
    let layout = Layout::new(9, bits(30), Format::EliasFano, 8).unwrap();
    let tail = |rate, safety| HeavyList::new(layout, Policy::Tail { balls: 9, rate, safety });
    assert_eq!(named(tail(0.0, 1.0)), "rate");
    assert_eq!(named(tail(10.0, 1.0)), "rate");
    assert_eq!(named(tail(1.0, 0.5)), "safety");
    assert_eq!(named(tail(1.0, f64::NAN)), "safety");
    assert!(tail(1.0, 1e300).is_ok(), "a threshold above all balls leaves the list empty");
    let many = |balls| HeavyList::new(layout, Policy::Tail { balls, rate: 1.0, safety: 1.0 });
    assert_eq!(named(many(u64::MAX)), "balls");
    // Near the mean, found without a walk up to it.
    assert!(many(1 << 36).unwrap().first_threshold().abs_diff((1 << 36) / 9) < 1 << 20);
    for format in [Format::Flat, Format::Joint, Format::Layered] {
        assert_eq!(named(Layout::new(1 << 30, bits((1 << 24) + 1), format, 8)), "bits");
    }
    // As large as there are.
    for format in [Format::Naive, Format::EliasFano] {
        assert!(Layout::new(1 << 40, bits(1 << 36), format, 8).unwrap().capacity() > 1 << 29);
    }
}

/// Loads of another size than the scheme is made for: an error from the start, before a ball.
#[test]
fn other_loads() {
    let ten = LoadVector::new(10).unwrap();
    let other = StartError::OtherBins { expected: 9, bins: 10 };
    assert_eq!(Bounded::new(HeavyList::fill(9, bits(30)).unwrap()).start(&ten), Err(other.clone()));
    assert_eq!(Bounded::new(SaturatingCounters::new(9, 2).unwrap()).start(&ten), Err(other.clone()));
    assert_eq!(Bounded::new(ThresholdBit::new(9, 2).unwrap()).start(&ten), Err(other.clone()));
    assert_eq!(Bounded::new(ClusterCount::new(9, 2, 9).unwrap()).start(&ten), Err(other.clone()));
    assert_eq!(Bounded::new(Window::new(9, 2, 3, 0.0).unwrap()).start(&ten), Err(other.clone()));
    assert_eq!(Bounded::new(IdleHint::new(9, bits(30), 2).unwrap()).start(&ten), Err(other.clone()));
    assert_eq!(Probing::new(9, Caching::new()).unwrap().start(&ten), Err(other.clone()));
    let mut rule = Bounded::new(HeavyList::fill(9, bits(30)).unwrap());
    assert_eq!(rule.try_step(&mut ten.clone(), &mut rng_for_trial(256, 0)), Err(RunError::Start(other)));
    let mut queue = JoinIdleQueue::new(9, 3, QueueOrder::Fifo).unwrap();
    assert!(queue.start(&DynamicLoads::new(10).unwrap()).is_err());
}

/// Balls that leave: followed by lists, exact counters and thresholds; refused by the others, at the start
/// and ball by ball.
#[test]
fn departures() {
    let n = 40;
    let loads = DynamicLoads::new(n).unwrap();
    fn refuses<A: Advisor<Failure = std::convert::Infallible>>(advisor: A, loads: &DynamicLoads) -> bool {
        let mut rule = Bounded::new(advisor);
        let refused = rule.start(loads).is_err();
        assert_eq!(refused, matches!(rule.try_removed(loads, 0), Err(RunError::NoRemoval { bin: 0 })));
        refused
    }
    assert!(refuses(ApproximateCounters::new(n, 3, 2.0).unwrap(), &loads));
    assert!(refuses(Window::new(n, 3, 4, 0.0).unwrap(), &loads));
    assert!(refuses(RelativeCounters::new(n, 3, 100).unwrap(), &loads));
    assert!(!refuses(HeavyList::fill(n, bits(80)).unwrap(), &loads));
    assert!(!refuses(SaturatingCounters::new(n, 8).unwrap(), &loads));
    assert!(!refuses(ThresholdBit::new(n, 2).unwrap(), &loads));
    // A full counter does not say what is left.
    let mut rule = Bounded::new(SaturatingCounters::new(1, 1).unwrap());
    let mut one = DynamicLoads::new(1).unwrap();
    rule.start_and_run(&mut one, 2, &mut rng_for_trial(257, 0)).unwrap();
    one.remove(0);
    assert!(matches!(rule.try_removed(&one, 0), Err(RunError::State { error: StateError::NonCanonical { .. }, .. })));
}

/// Where balls leave, what the state says stays true of the loads.
#[test]
fn lists_follow_departures() {
    let n = 40;
    let mut loads = DynamicLoads::new(n).unwrap();
    let mut system =
        Supermarket::new(0.95, 1).unwrap().with_rule(Bounded::new(HeavyList::fixed(n, bits(500), 2.0).unwrap()));
    system.start(&loads).unwrap();
    let mut rng = rng_for_trial(258, 0);
    let mut longest = 0;
    for _ in 0..60 {
        system.run(&mut loads, 1, &mut rng);
        longest = longest.max(loads.bins_at_least(2));
    }
    assert!(longest > 3, "{longest}");
    let mut list = HeavyList::fixed(n, bits(500), 1.0).unwrap();
    let mut counters = Bounded::new(SaturatingCounters::new(n, 12).unwrap());
    let mut rule = Bounded::new(list.clone());
    let mut loads = DynamicLoads::new(n).unwrap();
    rule.start(&loads).unwrap();
    counters.start(&loads).unwrap();
    for step in 0..2000 {
        let bin = rule.step(&mut loads, &mut rng);
        counters.learn_placed_elsewhere(&loads, bin);
        if step % 3 > 0
            && let Some(bin) = loads.draw_ball(&mut rng)
        {
            loads.remove(bin);
            rule.try_removed(&loads, bin).unwrap();
        }
        let threshold = rule.advisor().threshold();
        let heavy: Vec<(usize, u64)> = (0..n as usize)
            .map(|bin| (bin, loads.load(bin)))
            .filter(|&(_, load)| load >= threshold)
            .map(|(bin, load)| (bin, load - threshold))
            .collect();
        // A bin that fell below a threshold that has risen since is back as soon as it grows.
        assert!(rule.advisor().list().iter().all(|entry| heavy.contains(entry)));
    }
    assert!(!rule.report().is_certified());
    list = list.with_ties(TieRule::Left);
    assert_eq!(list.first_threshold(), 1);
}

trait Elsewhere {
    fn learn_placed_elsewhere(&mut self, loads: &DynamicLoads, bin: usize);
}

impl Elsewhere for Bounded<bb_memory::Computed<SaturatingCounters>> {
    /// The sample of such a ball is not known, so a machine cannot follow it: only that there is such a bin
    /// is checked.
    fn learn_placed_elsewhere(&mut self, loads: &DynamicLoads, bin: usize) {
        assert!((bin as u64) < loads.bins());
    }
}
