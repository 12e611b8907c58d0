//! Batches: what is seen lags as it should, and whole batches at once follow the law of ball by ball.

use bb_processes::bb_core::{
    Allocator, Bins, BinsExt, Counters, Description, LoadProfile, LoadVector, Metrics, Place, Put, WithCounters,
    rng_for_trial,
};
use bb_processes::{Batched, BatchedProfile, DChoice, GMyopic, LoadThreshold, MeanThinning, OneChoice, OnePlusBeta};
use bb_testkit::engines::Samples;
use bb_testkit::exact::{chain, ratio};
use bb_testkit::twin::{ScriptedBins, law_on};

const SEED: u64 = 60;

#[test]
fn what_is_seen_is_the_end_of_the_last_batch() {
    let mut loads = Batched::new(LoadVector::new(2).unwrap(), 3).unwrap();
    for (ball, seen) in (1..=7).zip([0, 0, 3, 3, 3, 6, 6]) {
        loads.place(0, &());
        assert_eq!((loads.load(0), loads.total()), (seen, seen));
        assert_eq!((loads.loads().load(0), loads.loads().total()), (ball, ball));
    }
    // Ends of batches: gaps 1.5 and 3; the seventh ball ends none.
    assert_eq!(loads.batch_end_gap(), 3.0);
    assert!(loads.below_mean(1) && !loads.below_mean(0));
}

/// Steps that place several balls may end a batch late, as a whole.
#[test]
fn a_put_is_not_cut_in_two() {
    let mut loads = Batched::new(LoadVector::new(2).unwrap(), 3).unwrap();
    loads.put(1, &(), Put::balls(2.try_into().unwrap()));
    assert_eq!(loads.total(), 0);
    loads.put(1, &(), Put::balls(2.try_into().unwrap()));
    assert_eq!(loads.total(), 4);
}

/// Inside the batches counters lag as the loads do, around them they do not.
#[test]
fn counters_lag_inside_and_not_around() {
    let plain = || LoadVector::new(2).unwrap();
    let mut inside = Batched::new(WithCounters::new(plain(), 1).unwrap(), 3).unwrap();
    let mut around = WithCounters::new(Batched::new(plain(), 3).unwrap(), 1).unwrap();
    for (ball, seen) in (1..=7).zip([0, 0, 3, 3, 3, 6, 6]) {
        inside.put(1, &(), Put::BALL.counting(0));
        around.put(1, &(), Put::BALL.counting(0));
        assert_eq!(
            (inside.load(1), inside.counter(1, 0), inside.counter_total(0), inside.counters()),
            (seen, seen, seen, 1)
        );
        assert_eq!((inside.loads().load(1), inside.loads().counter(1, 0)), (ball, ball));
        assert_eq!((around.load(1), around.counter(1, 0)), (seen, ball));
    }
}

/// Two-Choice on all its outcomes against a chain of (loads, loads seen) written from the definition; a batch
/// longer by one is another process.
#[test]
fn batches_on_all_their_outcomes_give_the_chain() {
    for (start, balls) in [(vec![0, 0], 7), (vec![2, 0], 5), (vec![0, 0, 0], 6), (vec![1, 0, 3], 5)] {
        let exact = |batch: u64| {
            chain((start.clone(), start.clone(), 0), balls, |(loads, seen, pending)| {
                let n = loads.len();
                let pairs = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
                let next = pairs.map(|(i, j)| {
                    let mut loads = loads.clone();
                    loads[if seen[j] < seen[i] { j } else { i }] += 1;
                    let ends = pending + 1 == batch;
                    let seen = if ends { loads.clone() } else { seen.clone() };
                    (ratio(1, (n * n) as u64), (loads, seen, if ends { 0 } else { pending + 1 }))
                });
                next.collect()
            })
            .map(|(loads, seen, _)| (loads.clone(), seen.clone()))
        };
        for batch in 1..=4 {
            let wrap = |bins: ScriptedBins| Batched::new(bins, batch).unwrap();
            let law = law_on(&DChoice::two(), &start, balls, &[], wrap, |_, batched| {
                let bins = 0..start.len();
                let live: Vec<u64> = bins.clone().map(|bin| batched.loads().load(bin)).collect();
                (live, bins.map(|bin| batched.load(bin)).collect::<Vec<u64>>())
            });
            assert_eq!(law, exact(batch), "from {start:?}, b = {batch}");
            assert_ne!(law, exact(batch + 1), "from {start:?}, b = {batch}");
        }
    }
}

fn sequential<A: Allocator + Allocator<Batched<LoadVector>> + Clone>(mut rule: A) {
    for n in [1, 2, 7, 100] {
        let mut plain = LoadVector::new(n).unwrap();
        let mut batched = Batched::new(LoadVector::new(n).unwrap(), 1).unwrap();
        rule.clone().run(&mut plain, 1003, &mut rng_for_trial(SEED, n));
        rule.run(&mut batched, 1003, &mut rng_for_trial(SEED, n));
        assert_eq!(batched.loads(), &plain);
        assert_eq!(batched.batch_end_gap(), plain.all_time_gap());
    }
}

#[test]
fn batches_of_one_are_the_sequential_process_draw_for_draw() {
    sequential(OneChoice);
    sequential(DChoice::two());
    sequential(DChoice::new(4).unwrap());
    sequential(OnePlusBeta::new(0.3).unwrap());
    sequential(LoadThreshold::new(2).unwrap());
    sequential(MeanThinning);
}

/// Joint level counts and the gap at the ends of batches, in units of 1/n, ball by ball and by whole batches.
/// False alarm 1e-6 a comparison, two for each call.
fn agrees<P>(name: &str, rule: P)
where
    P: Description + Allocator<Batched<LoadVector>> + Copy,
{
    let by_ball = |n: u64, b: u64, balls: u64| {
        Samples::new(SEED, 15_000).with("ball by ball", move |rng| {
            let mut loads = Batched::new(LoadVector::new(n).unwrap(), b).unwrap();
            let mut rule = rule;
            rule.run(&mut loads, balls, rng);
            [loads.loads().level_counts(), vec![((loads.batch_end_gap() * n as f64).round() as u64, 1)]]
        })
    };
    let at_once = |n: u64, b: u64, balls: u64, bias: u64| {
        move |rng: &mut _| {
            let mut loads = BatchedProfile::new(LoadProfile::new(n).unwrap(), b + bias).unwrap();
            loads.run(&rule, balls, rng).unwrap();
            [loads.loads().level_counts(), vec![((loads.batch_end_gap() * n as f64).round() as u64, 1)]]
        }
    };
    for (n, b, balls) in [(3, 2, 7), (4, 5, 15), (5, 30, 75)] {
        by_ball(n, b, balls).with("at once", at_once(n, b, balls, 0)).assert_same(&format!("{name}, n = {n}, b = {b}"));
    }
    // The twin: batches longer by half.
    by_ball(5, 4, 16).with("longer batches", at_once(5, 4, 16, 2)).assert_told_apart(name);
}

#[test]
fn whole_batches_follow_the_law_of_single_balls() {
    agrees("two-choice", DChoice::two());
    agrees("3-choice", DChoice::new(3).unwrap());
    agrees("(1+1/2)", OnePlusBeta::new(0.5).unwrap());
    agrees("load threshold 3", LoadThreshold::new(3).unwrap());
    agrees("mean-thinning", MeanThinning);
    agrees("g-myopic 1", GMyopic::new(1));
}

#[test]
fn sizes_beyond_any_vector_keep_their_sums() {
    let n = 1 << 50;
    let mut loads = BatchedProfile::new(LoadProfile::new(n).unwrap(), 3 * n).unwrap();
    loads.run(&DChoice::two(), 10 * n + 1, &mut rng_for_trial(SEED, 0)).unwrap();
    assert_eq!((loads.loads().bins(), loads.loads().total()), (n, 10 * n + 1));
}

#[test]
fn a_batch_holds_a_ball() {
    assert_eq!(Batched::new(LoadVector::new(1).unwrap(), 0).unwrap_err().to_string(), "b = 0 is outside 1..");
    for b in [0, (1 << 62) + 1] {
        let error = BatchedProfile::new(LoadProfile::new(1).unwrap(), b).unwrap_err();
        assert_eq!((error.parameter(), error.range()), ("b", "1..=2^62"));
    }
}
