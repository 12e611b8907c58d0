//! Counted bins from outside: they are labelled bins that are renamed, and blocks of balls are their balls.

use bb_core::{Bins, BinsExt, LoadProfile, LoadVector, LoadsError, Metrics, Place, Put, least_of, rng_for_trial};

/// What the profile keeps, against what follows from its level counts.
fn check(profile: &LoadProfile) {
    let counts = profile.level_counts();
    let (lowest, highest) = (counts[0].0, counts[counts.len() - 1].0);
    assert_eq!((profile.min_load(), profile.max_load()), (lowest, highest));
    assert_eq!(profile.bins(), counts.iter().map(|&(_, count)| count).sum());
    assert_eq!(profile.total(), counts.iter().map(|&(load, count)| load * count).sum());
    // The loads of the first and of the last bin of each level, looked up by rank.
    let mut rank = 0;
    for &(load, count) in counts.iter().rev() {
        for rank in [rank, rank + count - 1] {
            assert_eq!(profile.load(profile.nth(rank)), load);
        }
        rank += count;
    }
}

#[test]
fn blocks_are_their_balls_bit_for_bit() {
    for n in [1 << 16, 100_003, 1 << 22, (1 << 33) + 7, 1 << 50] {
        let (mut steps, mut blocks) = (rng_for_trial(1, n), rng_for_trial(1, n));
        // A stationary start, so that blocks meet many levels.
        let counts = [(0, n / 40), (1, n / 8), (2, n / 2), (3, n - n / 40 - n / 8 - n / 2 - n / 300), (4, n / 300)];
        let mut one = LoadProfile::from_level_counts(&counts).unwrap();
        let mut other = one.clone();
        for _ in 0..20 {
            for _ in 0..10_007 {
                let bin = least_of(&one, 2, &mut steps);
                one.place(bin, &());
            }
            other.throw_to_least(2, &(), 10_007, &mut blocks);
            assert_eq!(one, other);
            assert_eq!(steps, blocks);
            check(&other);
        }
        assert_eq!((one.total(), one.all_time_gap()), (other.total(), other.all_time_gap()));
    }
}

/// Every bin of a vector is followed through the profile.
#[test]
fn it_is_a_load_vector_whose_bins_are_renamed() {
    let mut rng = rng_for_trial(2, 0);
    let mut vector = LoadVector::new(7).unwrap();
    let mut profile = LoadProfile::new(7).unwrap();
    profile.record_maximum();
    vector.record_maximum();
    let mut names: Vec<_> = (0..7).map(|place| profile.nth(place)).collect();
    for ball in 0..2000 {
        let bin = vector.draw(&mut rng);
        let put = if ball % 4 == 0 { Put::balls((1 + ball % 7).try_into().unwrap()) } else { Put::BALL };
        vector.put(bin, &(), put);
        let was = names[bin];
        let now = profile.put(was, &(), put);
        names = names.into_iter().map(|kept| profile.follow(kept, was, now)).collect();
        check(&profile);
        assert_eq!(profile, LoadProfile::from(&vector));
        assert_eq!(profile.all_time_gap(), vector.all_time_gap());
        assert_eq!(profile.max_load_record(), vector.max_load_record());
        for (bin, &name) in names.iter().enumerate() {
            // Judged up afresh, and as the name remembers it.
            assert_eq!(profile.load(profile.nth(name.rank())), vector.load(bin));
            assert_eq!(profile.load(name), vector.load(bin));
        }
        let mut ranks: Vec<_> = names.iter().map(|name| name.rank()).collect();
        ranks.sort_unstable();
        assert_eq!(ranks, [0, 1, 2, 3, 4, 5, 6]);
    }
}

/// A stale name may be that of another bin by now; every question about it is refused.
#[cfg(debug_assertions)]
#[test]
fn names_of_an_earlier_state_are_refused() {
    let mut profile = LoadProfile::new(3).unwrap();
    let (stale, was) = (profile.nth(0), profile.nth(2));
    let middle = profile.place(was, &());
    let now = profile.place(middle, &());
    let refuses = |question: &dyn Fn(LoadProfile)| {
        let asked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| question(profile.clone())));
        let message = *asked.unwrap_err().downcast::<String>().unwrap();
        assert!(message.contains("rank 0 is a name from another state"), "{message}");
    };
    refuses(&|profile| _ = profile.load(stale));
    refuses(&|profile| _ = profile.lighter(now, stale));
    refuses(&|profile| _ = profile.lighter(stale, now));
    refuses(&|mut profile| _ = profile.place(stale, &()));
    // It missed the first placement.
    refuses(&|profile| _ = profile.follow(stale, middle, now));
    assert_eq!(profile.load(profile.follow(middle, middle, now)), 2);
}

#[test]
fn the_first_sample_wins_a_tie() {
    let profile = LoadProfile::from_level_counts(&[(1, 3), (2, 2)]).unwrap();
    for (first, second, lighter) in [(0, 1, 0), (1, 0, 1), (2, 4, 2), (4, 2, 4), (1, 3, 3), (3, 1, 3), (2, 2, 2)] {
        assert_eq!(profile.lighter(profile.nth(first), profile.nth(second)).rank(), lighter);
    }
}

#[test]
fn bad_profiles_are_refused() {
    assert_eq!(LoadProfile::new(0), Err(LoadsError::NoBins));
    assert_eq!(LoadProfile::from_level_counts(&[]), Err(LoadsError::NoBins));
    assert_eq!(LoadProfile::new((1 << 62) + 1), Err(LoadsError::TooManyBins { bins: (1 << 62) + 1 }));
    assert!(matches!(LoadProfile::from_level_counts(&[(u64::MAX, 2)]), Err(LoadsError::TotalTooLarge { .. })));
    let wide = LoadProfile::from_level_counts(&[(0, 1), (1 << 24, 1)]);
    assert_eq!(wide, Err(LoadsError::TooManyLevels { lowest: 0, highest: 1 << 24 }));
}
