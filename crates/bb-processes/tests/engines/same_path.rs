//! The same bins from the same words, whichever way a rule is called.

use bb_processes::bb_core::{
    Allocator, Bins, BinsExt, Coin, Decision, DistinctSampler, DynAllocator, History, LoadProfile, LoadVector, Metrics,
    Rng, TrialRng, rng_for_trial,
};
use bb_processes::{DChoice, DistinctChoice, LoadThreshold, MeanThinning, OnePlusBeta};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::rules::{DescribedRule, Rule, described_rules, rules, rules_on_counted_bins};

/// (bins, balls), with few bins and so many balls that the byte a bin does not suffice, and more bins than 16
/// bits count.
const SIZES: [(u64, u64); 12] = [
    (1, 0),
    (1, 1),
    (1, 1000),
    (2, 7),
    (2, 200_000),
    (3, 300_000),
    (7, 0),
    (7, 10_001),
    (100, 12_345),
    (1000, 50_000),
    (70_000, 0),
    (70_000, 140_001),
];

/// Everything that a run leaves: loads, maximum, its record in time, and the generator.
pub(crate) type Outcome = (LoadVector, u64, f64, u64);

pub(crate) fn outcome(bins: u64, act: impl FnOnce(&mut LoadVector, &mut TrialRng)) -> Outcome {
    let mut loads = LoadVector::new(bins).unwrap();
    let mut rng = rng_for_trial(3, bins);
    act(&mut loads, &mut rng);
    let (max, all_time_gap) = (loads.max_load(), loads.all_time_gap());
    (loads, max, all_time_gap, rng.next_u64())
}

pub(crate) fn run(rule: &dyn Rule, bins: u64, balls: u64) -> Outcome {
    run_by(rule, bins, balls, |rule, loads, rng| rule.run(loads, balls, rng))
}

/// A run by a way of calling it.
fn run_by(
    rule: &dyn Rule,
    bins: u64,
    balls: u64,
    run: impl FnOnce(&mut dyn Rule, &mut LoadVector, &mut TrialRng) -> u64,
) -> Outcome {
    outcome(bins, |loads, rng| {
        let mut rule = rule.copy();
        let _ = rule.start(loads); // Forgets. Whether there are bins enough is not the question here.
        assert_eq!(run(&mut *rule, loads, rng), balls);
    })
}

/// A run of a rule behind `dyn`, through whatever it is wrapped in.
pub(crate) fn run_dynamic<A: Allocator + ?Sized>(rule: &mut A, bins: u64, balls: u64) -> Outcome {
    outcome(bins, |loads, rng| {
        let _ = rule.start(loads);
        assert_eq!(rule.run(loads, balls, rng), balls);
    })
}

pub(crate) fn steps(rule: &dyn Rule, bins: u64, balls: u64) -> Outcome {
    outcome(bins, |loads, rng| {
        let mut rule = rule.copy();
        let _ = rule.start(loads);
        (0..balls).for_each(|_| {
            rule.step(loads, rng);
        });
    })
}

pub(crate) fn steps_dynamic<A: Allocator + ?Sized>(rule: &mut A, bins: u64, balls: u64) -> Outcome {
    outcome(bins, |loads, rng| {
        let _ = rule.start(loads);
        (0..balls).for_each(|_| {
            rule.step(loads, rng);
        });
    })
}

#[test]
fn run_is_step_repeated() {
    for (name, rule) in rules() {
        for (bins, balls) in SIZES {
            let whole = run(&*rule, bins, balls);
            assert_eq!(whole.0.iter().sum::<u64>(), balls);
            assert_eq!(whole, steps(&*rule, bins, balls), "{name}, n = {bins}, m = {balls}");
            let in_pieces = outcome(bins, |loads, rng| {
                let mut rule = rule.copy();
                let first = balls / 3;
                rule.run(loads, first, rng);
                (0..balls.min(2)).for_each(|_| {
                    rule.step(loads, rng);
                });
                rule.run(loads, balls - first - balls.min(2), rng);
            });
            assert_eq!(whole, in_pieces, "{name} in pieces, n = {bins}, m = {balls}");
        }
    }
}

#[test]
fn decide_is_choose() {
    for (name, rule) in rules() {
        for (bins, balls) in [(1, 10), (2, 3000), (7, 3000), (1000, 5000)] {
            let chosen = steps(&*rule, bins, balls);
            let mut history = History::new();
            let decided = outcome(bins, |loads, rng| rule.copy().record(&mut history, loads, balls, rng));
            assert_eq!(chosen, decided, "{name}, n = {bins}");
            for step in history.iter() {
                let decision = step.decision;
                assert!(decision.sample >= 1 && (!decision.is_primary() || decision.bin == decision.primary));
            }
        }
    }
}

/// On counted bins too, where `run` has loops of its own, and blocks of balls for many bins.
#[test]
fn run_is_step_repeated_on_counted_bins() {
    for (name, rule) in rules_on_counted_bins() {
        for (bins, balls) in [(1, 100), (2, 2000), (7, 5001), (1000, 20_000), (70_000, 140_001), (1 << 40, 5000)] {
            let start = || (LoadProfile::new(bins).unwrap(), rng_for_trial(3, bins), rule.copy());
            let (mut whole, mut rng, mut run) = start();
            assert_eq!(run.run(&mut whole, balls, &mut rng), balls);
            let (mut stepped, mut words, mut step) = start();
            (0..balls).for_each(|_| {
                step.step(&mut stepped, &mut words);
            });
            assert_eq!((&whole, &rng), (&stepped, &words), "{name}, n = {bins}");
            assert_eq!(whole.level_counts().iter().map(|(load, count)| load * count).sum::<u64>(), balls);
            assert_eq!((whole.total(), whole.all_time_gap()), (balls, stepped.all_time_gap()), "{name}, n = {bins}");
        }
    }
}

/// A rule that has a loop of its own takes the same bins as its description does, ball by ball and in the
/// loop for described rules.
#[test]
fn the_description_is_the_rule() {
    for DescribedRule { name, rule, description, on_counted_bins, .. } in described_rules() {
        for (bins, balls) in SIZES {
            let own = run(&*rule, bins, balls);
            assert_eq!(own, run(&*description, bins, balls), "{name}, n = {bins}, m = {balls}");
            assert_eq!(own, steps(&*description, bins, balls), "{name} by step, n = {bins}, m = {balls}");
            let [own, description] = on_counted_bins.each_ref().map(|rule| {
                let (mut loads, mut rng) = (LoadProfile::new(bins).unwrap(), rng_for_trial(3, bins));
                rule.dynamic().run(&mut loads, balls.min(50_000), &mut rng);
                (loads, rng)
            });
            assert_eq!(own, description, "{name}, counted, n = {bins}");
        }
    }
}

/// The place of the first sample below a level, else of the last one.
fn first_below(level: u64) -> impl Fn(&LoadVector, &[usize]) -> usize {
    move |loads, drawn| drawn.iter().position(|&bin| loads.load(bin) < level).unwrap_or(drawn.len() - 1)
}

/// A decision names the samples in the order in which they are documented to be drawn: the first is the
/// primary; the first least loaded is taken, or the first accepted.
#[test]
fn decide_names_the_samples() {
    fn check<A: Allocator>(name: &str, rule: A, samples: impl Fn(&LoadVector, &mut TrialRng) -> Vec<usize>) {
        check_taken(name, rule, samples, |loads, drawn| {
            (0..drawn.len()).min_by_key(|&place| loads.load(drawn[place])).unwrap()
        });
    }
    fn check_taken<A: Allocator>(
        name: &str,
        mut rule: A,
        samples: impl Fn(&LoadVector, &mut TrialRng) -> Vec<usize>,
        taken: impl Fn(&LoadVector, &[usize]) -> usize,
    ) {
        let loads = LoadVector::from_loads((0..40).map(|bin| bin * 7 % 10).collect()).unwrap();
        let mut rng = rng_for_trial(17, 0);
        let mut later = 0;
        for _ in 0..2000 {
            let drawn = samples(&loads, &mut rng.clone());
            let taken = taken(&loads, &drawn);
            let decision = rule.decide(&loads, &mut rng);
            let expected = Decision { bin: drawn[taken], primary: drawn[0], sample: taken as u32 + 1 };
            assert_eq!(decision, expected, "{name}: {drawn:?}");
            later += u32::from(taken > 0);
        }
        assert!(later > 200, "{name}: a later sample was taken {later} times");
    }
    fn with(d: u32) -> impl Fn(&LoadVector, &mut TrialRng) -> Vec<usize> {
        move |loads, rng| {
            let mut drawn = Vec::new();
            loads.draw_each(d, rng, |bin| drawn.push(bin));
            drawn
        }
    }
    fn without(d: u32) -> impl Fn(&LoadVector, &mut TrialRng) -> Vec<usize> {
        move |loads, rng| {
            let mut drawn = Vec::new();
            loads.draw_distinct(d, &mut DistinctSampler::default(), rng, |bin| drawn.push(bin));
            drawn
        }
    }
    /// The coin comes first; on tails only the first sample counts.
    fn with_coin(d: u32) -> impl Fn(&LoadVector, &mut TrialRng) -> Vec<usize> {
        move |loads, rng| {
            let counts = if Coin::new("beta", 0.3).unwrap().flip(rng) { d as usize } else { 1 };
            let drawn = with(d)(loads, rng);
            drawn[..counts].to_vec()
        }
    }
    check("two-choice", DChoice::two(), with(2));
    check("5-choice", DChoice::new(5).unwrap(), with(5));
    check("4 distinct", DistinctChoice::new(4).unwrap(), without(4));
    check("(1+0.3)", OnePlusBeta::new(0.3).unwrap(), with_coin(2));
    check("(1+0.3) with d = 5", OnePlusBeta::new(0.3).unwrap().with_d(5).unwrap(), with_coin(5));
    // Of loads 0 to 9 four bins each; the mean is 4.5.
    check_taken("mean-thinning", MeanThinning, with(2), first_below(5));
    check_taken("load threshold", LoadThreshold::new(2).unwrap().with_d(6).unwrap(), with(6), first_below(2));
}

/// `choose` places nothing, and twice from the same words is the same bin.
#[test]
fn choose_only_looks() {
    for (name, rule) in rules() {
        let loads = LoadVector::from_loads(vec![4, 0, 2, 2, 9, 1]).unwrap();
        let before = loads.clone();
        for trial in 0..50 {
            let choose = || rule.copy().choose(&loads, &mut rng_for_trial(4, trial));
            assert_eq!(choose(), choose(), "{name}");
        }
        assert_eq!(loads, before, "{name}");
    }
}

#[test]
fn borrowed_boxed_and_dynamic_rules_are_the_rule() {
    for (name, rule) in rules() {
        let (bins, balls) = (50, 20_000);
        let plain = run(&*rule, bins, balls);
        let way = |way: fn(&mut dyn Rule, &mut LoadVector, &mut TrialRng) -> u64| run_by(&*rule, bins, balls, way);
        assert_eq!(plain, way(|rule, loads, rng| rule.run_borrowed(loads, 20_000, rng)), "{name}, borrowed");
        assert_eq!(plain, way(|rule, loads, rng| rule.run_boxed(loads, 20_000, rng)), "{name}, boxed");
        assert_eq!(plain, way(|rule, loads, rng| rule.run_on_dyn_rng(loads, 20_000, rng)), "{name}, dyn Rng");

        let mut plain_dyn: Box<dyn DynAllocator> = rule.dynamic();
        let mut send: Box<dyn DynAllocator + Send> = rule.dynamic();
        let mut sync: Box<dyn DynAllocator + Sync> = rule.dynamic();
        let mut both: Box<dyn DynAllocator + Send + Sync> = rule.dynamic();
        assert_eq!(plain, run_dynamic(&mut plain_dyn, bins, balls), "{name}, dyn");
        assert_eq!(plain, run_dynamic(&mut send, bins, balls), "{name}, dyn Send");
        assert_eq!(plain, run_dynamic(&mut sync, bins, balls), "{name}, dyn Sync");
        assert_eq!(plain, run_dynamic(both.as_mut(), bins, balls), "{name}, dyn Send Sync, unboxed");
        assert_eq!(plain, steps_dynamic(&mut plain_dyn, bins, balls), "{name}, dyn by step");
        assert_eq!(plain, steps_dynamic(&mut Box::new(&mut both), bins, balls), "{name}, twice wrapped by step");

        let mut history = (History::new(), History::new());
        outcome(bins, |loads, rng| rule.copy().record(&mut history.0, loads, 500, rng));
        outcome(bins, |loads, rng| {
            plain_dyn.start(loads).unwrap();
            history.1.record(&mut plain_dyn, loads, 500, rng);
        });
        assert_eq!(history.0, history.1, "{name}, decisions behind dyn");
    }
}

/// What `start` finds and what `samples` knows pass through every kind of pointer.
#[test]
fn start_and_probes_pass_through_pointers() {
    for (name, mut rule) in rules() {
        let loads = LoadVector::new(3).unwrap();
        let mut boxed: Box<dyn DynAllocator> = rule.dynamic();
        assert_eq!(rule.start(&loads), boxed.start(&loads), "{name}");
        outcome(3, |loads, rng| {
            rule.run(loads, 100, rng);
        });
        outcome(3, |loads, rng| {
            boxed.run(loads, 100, rng);
        });
        assert_eq!(rule.sample_count(), boxed.sample_count(), "{name}");
        assert_eq!(rule.sample_count(), rule.sample_count_borrowed(), "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, rng_seed: RngSeed::Fixed(5), failure_persistence: None, ..ProptestConfig::default() })]

    /// From any loads, also far apart, a run is its steps, and a clone takes the same path.
    #[test]
    fn paths_agree_from_any_start(start in prop::collection::vec(0_u64..600, 1..20), balls in 0_u64..3000, seed: u64) {
        for (name, mut rule) in rules() {
            let by_run = {
                let (mut loads, mut rng) = (LoadVector::from_loads(start.clone()).unwrap(), rng_for_trial(seed, 0));
                rule.copy().run(&mut loads, balls, &mut rng);
                (loads.gap(), loads, rng.next_u64())
            };
            let (mut loads, mut rng) = (LoadVector::from_loads(start.clone()).unwrap(), rng_for_trial(seed, 0));
            (0..balls).for_each(|_| {
                rule.step(&mut loads, &mut rng);
            });
            assert_eq!(loads.bins(), start.len() as u64);
            assert_eq!(by_run, (loads.gap(), loads, rng.next_u64()), "{name}");
        }
    }
}
