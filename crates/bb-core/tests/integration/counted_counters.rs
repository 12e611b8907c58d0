//! Counted bins with counters: they are labelled bins with counters that are renamed.

use std::collections::BTreeMap;

use bb_core::counters::{Afresh, Flag, Old};
use bb_core::{
    Bins, BinsExt, Counters, LoadProfile, LoadVector, Metrics, Place, ProfileWithCounters, Put, Ranked, WithCounters,
    rng_for_trial,
};

/// What the profile keeps, against what follows from its classes.
fn check(profile: &ProfileWithCounters) {
    let classes: Vec<_> = profile.class_counts().collect();
    assert_eq!(profile.bins(), classes.iter().map(|&(.., count)| count).sum());
    assert!(classes.iter().all(|&(.., count)| count > 0));
    assert!(classes.windows(2).all(|pair| (pair[0].0, pair[0].1) < (pair[1].0, pair[1].1)));
    let mut levels = BTreeMap::new();
    classes.iter().for_each(|&(load, _, count)| *levels.entry(load).or_insert(0) += count);
    assert_eq!(profile.level_counts(), levels.into_iter().collect::<Vec<_>>());
    for which in 0..profile.counters() {
        let sum: u64 = classes.iter().map(|&(_, counters, count)| counters[usize::from(which)] * count).sum();
        assert_eq!(profile.counter_total(which), sum);
    }
}

/// Every bin of labelled loads is followed through the counted ones.
#[test]
fn it_is_a_vector_with_counters_whose_bins_are_renamed() {
    for n in [1, 2, 7, 40] {
        let mut rng = rng_for_trial(2, n);
        let mut vector = WithCounters::new(LoadVector::new(n).unwrap(), 2).unwrap();
        let mut profile = ProfileWithCounters::new(LoadProfile::new(n).unwrap(), 2);
        profile.record_maximum();
        vector.record_maximum();
        let mut names: Vec<_> = (0..n).map(|place| profile.nth(place)).collect();
        for ball in 0..3000 {
            let bin = vector.draw(&mut rng);
            let put = if ball % 4 == 0 { Put::balls((1 + ball % 7).try_into().unwrap()) } else { Put::BALL };
            let put = [put, put.counting(0), put.counting(1)][ball as usize % 3];
            vector.put(bin, &(), put);
            let was = names[bin];
            let now = profile.put(was, &(), put);
            names = names.into_iter().map(|kept| profile.follow(kept, was, now)).collect();
            if ball == 2000 {
                vector.clear_counters();
                profile.clear_counters();
            }
            check(&profile);
            assert_eq!(profile, ProfileWithCounters::from(&vector));
            assert_eq!(profile.loads().all_time_gap(), vector.loads().all_time_gap());
            assert_eq!(profile.loads().max_load_record(), vector.loads().max_load_record());
            for (bin, &name) in names.iter().enumerate() {
                // Judged up afresh, and as the name remembers it.
                assert_eq!(profile.load(profile.nth(name.rank())), vector.load(bin));
                assert_eq!(profile.load(name), vector.load(bin));
                assert_eq!(
                    [0, 1].map(|which| profile.counter(name, which)),
                    [0, 1].map(|which| vector.counter(bin, which))
                );
            }
            let mut ranks: Vec<_> = names.iter().map(|name| name.rank()).collect();
            ranks.sort_unstable();
            assert!(ranks.into_iter().eq(0..n));
        }
    }
}

/// Counters begin afresh in all ways, on the way of a ball; every bin is followed through it.
#[test]
fn counters_begin_afresh_alike() {
    for n in [1, 2, 7, 40] {
        let mut rng = rng_for_trial(4, n);
        let mut vector = WithCounters::new(LoadVector::new(n).unwrap(), 3).unwrap();
        let mut profile = ProfileWithCounters::new(LoadProfile::new(n).unwrap(), 3);
        let mut names: Vec<_> = (0..n).map(|place| profile.nth(place)).collect();
        let mut flagged = [0; 3];
        for ball in 0..2000_u64 {
            let bin = vector.draw(&mut rng);
            let put = if ball % 4 == 0 { Put::balls((1 + ball % 7).try_into().unwrap()) } else { Put::BALL };
            let put = [put, put.counting(0), put.counting(2)][ball as usize % 3];
            let old = [Old::Forget, Old::Exclude, Old::Keep][(ball / 5 % 3) as usize];
            let flag = Flag::new(1, vector.total() / n + ball % 2, old);
            let put = match ball % 10 {
                0 if ball % 50 == 0 => put.after(Afresh::COUNT),
                0 | 5 => put.after(Afresh::COUNT.with_flag(flag)),
                _ => put,
            };
            // What a flag says, in plain words.
            let before: Vec<_> = (0..n as usize).map(|bin| (vector.load(bin), vector.counter(bin, 1))).collect();
            vector.put(bin, &(), put);
            if let Some(flag) = put.fresh().and_then(Afresh::flag) {
                for (bin, (load, old_flag)) in before.into_iter().enumerate() {
                    let full = load >= flag.at_least();
                    let expected = match old {
                        Old::Forget => full,
                        Old::Keep => full || old_flag == 1,
                        Old::Exclude => full && old_flag == 0,
                    };
                    assert_eq!(vector.counter(bin, 1), u64::from(expected));
                }
                flagged[(ball / 5 % 3) as usize] += vector.counter_total(1);
                assert!(vector.counter_total(0) + vector.counter_total(2) <= 1);
            }
            let was = names[bin];
            let now = profile.put(was, &(), put);
            names = names.into_iter().map(|kept| profile.follow(kept, was, now)).collect();
            check(&profile);
            assert_eq!(profile, ProfileWithCounters::from(&vector));
            let mut ranks: Vec<_> = names.iter().map(|name| name.rank()).collect();
            for (bin, &name) in names.iter().enumerate() {
                assert_eq!(profile.load(name), vector.load(bin));
                assert_eq!(profile.load(profile.nth(name.rank())), vector.load(bin));
                for which in 0..3 {
                    assert_eq!(profile.counter(name, which), vector.counter(bin, which), "ball {ball}, bin {bin}");
                }
            }
            ranks.sort_unstable();
            assert!(ranks.into_iter().eq(0..n));
        }
        assert!(n == 1 || flagged.iter().all(|&bins| bins > 0), "{flagged:?}");
    }
}

/// Within a load the names are sorted by counters; ranks are not.
#[test]
fn equal_loads_are_ranked_at_random() {
    let mut profile = ProfileWithCounters::new(LoadProfile::new(2).unwrap(), 1);
    let first = profile.put(profile.nth(0), &(), Put::BALL.counting(0));
    profile.place(profile.nth(u64::from(first.rank() == 0)), &());
    let marked = (0..2).map(|place| profile.nth(place)).find(|&bin| profile.counter(bin, 0) == 1).unwrap();
    let mut rng = rng_for_trial(1, 0);
    let fullest = (0..1000).filter(|_| profile.rank(marked, &[], &mut rng) == 0).count();
    // Five standard deviations of Bin(1000, 1/2): 79.
    assert!(fullest.abs_diff(500) < 79, "{fullest}");
    assert_eq!((profile.at_least(1), profile.at_least(2)), (2, 0));
}

#[cfg(debug_assertions)]
#[test]
fn names_of_an_earlier_state_are_refused() {
    let mut profile = ProfileWithCounters::new(LoadProfile::new(3).unwrap(), 1);
    let (stale, was) = (profile.nth(0), profile.nth(2));
    let middle = profile.put(was, &(), Put::BALL.counting(0));
    let now = profile.place(middle, &());
    let refuses = |question: &dyn Fn()| {
        let asked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(question));
        assert!(asked.unwrap_err().downcast::<String>().unwrap().contains("a name from another state"));
    };
    refuses(&|| _ = profile.load(stale));
    refuses(&|| _ = profile.counter(stale, 0));
    refuses(&|| _ = profile.clone().place(stale, &()));
    refuses(&|| _ = profile.follow(stale, middle, now));
    refuses(&|| _ = profile.follow(was, was, middle));
    assert_eq!(profile.counter(profile.follow(middle, middle, now), 0), 1);
}
