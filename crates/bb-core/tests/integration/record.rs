//! [`MaxLoadRecord`](bb_core::MaxLoadRecord) against a plain computation over every ball.

use bb_core::{LoadVector, Metrics, Place, Put, RecordError};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// `n·MaxLoad(k)` for k = 0..=m, by looking after every ball.
fn every_moment(initial: &[u64], puts: &[(usize, u64)]) -> Vec<i128> {
    let mut loads = initial.to_vec();
    let n = loads.len() as i128;
    let scaled = |loads: &[u64]| {
        let (max, total) = (loads.iter().max().unwrap(), loads.iter().sum::<u64>());
        i128::from(*max) * n - i128::from(total)
    };
    let mut moments = vec![scaled(&loads)];
    for &(bin, balls) in puts {
        for _ in 0..balls {
            loads[bin] += 1;
            moments.push(scaled(&loads));
        }
    }
    moments
}

/// The ⌈ε|K|⌉-th largest, by sorting.
fn typical(moments: &[i128], epsilon: f64, n: f64) -> f64 {
    let mut sorted = moments.to_vec();
    sorted.sort_by(|a, b| b.cmp(a));
    let rank = (epsilon * moments.len() as f64).ceil() as usize;
    sorted[rank.clamp(1, moments.len()) - 1] as f64 / n
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(21), cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn agrees_with_a_look_after_every_ball(
        initial in prop::collection::vec(0_u64..6, 1..6),
        puts in prop::collection::vec((0_usize..6, prop_oneof![9 => Just(1_u64), 1 => 2_u64..9]), 0..60),
        cuts in prop::collection::vec((0.0..1.0_f64, 0.0..1.0_f64), 4),
    ) {
        let n = initial.len();
        let puts: Vec<(usize, u64)> = puts.into_iter().map(|(bin, balls)| (bin % n, balls)).collect();
        let mut loads = LoadVector::from_loads(initial.clone()).unwrap();
        loads.record_maximum();
        for &(bin, balls) in &puts {
            loads.put(bin, &(), Put::balls(balls.try_into().unwrap()));
        }
        let record = loads.max_load_record().unwrap();
        let moments = every_moment(&initial, &puts);
        let m = record.balls();
        prop_assert_eq!(m as usize + 1, moments.len());
        prop_assert_eq!(record.all_time(0..=m)?, loads.all_time_gap());
        for (ball, &moment) in moments.iter().enumerate() {
            prop_assert_eq!(record.single_time(ball as u64)?, moment as f64 / n as f64);
        }
        for (from, to) in cuts {
            let first = (from * moments.len() as f64) as usize;
            let last = first + (to * (moments.len() - first) as f64) as usize;
            let part = &moments[first..=last.min(moments.len() - 1)];
            let over = first as u64..=(first + part.len() - 1) as u64;
            prop_assert_eq!(record.all_time(over.clone())?, *part.iter().max().unwrap() as f64 / n as f64);
            // Dyadic shares, so that the plain ⌈ε|K|⌉ has no rounding; and the smallest and the largest there
            // are.
            for epsilon in [f64::MIN_POSITIVE, 0.125, 0.25, 0.5, 0.75, 0.9375, 1.0] {
                prop_assert_eq!(record.typical(epsilon, over.clone())?, typical(part, epsilon, n as f64));
            }
        }
    }
}

/// A share such as 1/10 is not a binary fraction: ⌈0.1·10⌉ must be of the number itself, which is a little
/// above 1/10.
#[test]
fn shares_are_taken_at_their_exact_value() {
    let mut loads = LoadVector::new(2).unwrap();
    loads.record_maximum();
    for ball in 0..10 {
        loads.place(ball % 2, &());
    }
    let record = loads.max_load_record().unwrap();
    // MaxLoad is 1/2, 0, 1/2, 0, …: half of the time 1/2.
    assert_eq!(record.typical(0.5, 1..=10), Ok(0.5));
    assert_eq!(record.typical(0.5_f64.next_up(), 1..=10), Ok(0.0));
}

#[test]
fn long_rises_take_no_room_and_no_time() {
    let mut loads = LoadVector::new(1).unwrap();
    loads.record_maximum();
    for _ in 0..1000 {
        loads.place(0, &());
    }
    loads.put(0, &(), Put::balls((1 << 40).try_into().unwrap()));
    let record = loads.max_load_record().unwrap();
    assert_eq!(record.balls(), 1000 + (1 << 40));
    assert_eq!(record.max_count(1 << 30), Ok(1 << 30));
    assert_eq!(record.typical(0.5, 1..=record.balls()), Ok(0.0));
}

#[test]
fn questions_that_have_no_answer_are_refused() {
    let mut loads = LoadVector::new(3).unwrap();
    assert!(loads.max_load_record().is_none());
    loads.record_maximum();
    loads.place(0, &());
    let record = loads.max_load_record().unwrap();
    assert_eq!(record.single_time(2), Err(RecordError::BallOutside { ball: 2, balls: 1 }));
    assert_eq!(record.all_time(0..=2), Err(RecordError::BallOutside { ball: 2, balls: 1 }));
    let beyond = Err(RecordError::BallOutside { ball: u64::MAX, balls: 1 });
    assert_eq!(record.typical(0.5, 0..=u64::MAX), beyond);
    #[allow(clippy::reversed_empty_ranges, reason = "an empty interval is the point")]
    let empty = record.all_time(1..=0);
    assert_eq!(empty, Err(RecordError::EmptyInterval { first: 1, last: 0 }));
    for epsilon in [0.0, -0.5, 1.5, f64::INFINITY] {
        assert_eq!(record.typical(epsilon, 0..=1), Err(RecordError::Epsilon { epsilon }));
    }
    assert!(matches!(record.typical(f64::NAN, 0..=1), Err(RecordError::Epsilon { .. })));
}

/// The record also holds after the many balls of `run`, and does not change them.
#[test]
fn a_run_is_recorded_like_its_steps() {
    let mut rng = bb_core::rng_for_trial(5, 0);
    let mut recorded = LoadVector::new(64).unwrap();
    recorded.record_maximum();
    recorded.throw_to_least(2, &(), 10_000, &mut rng.clone());
    let mut plain = LoadVector::new(64).unwrap();
    let mut largest = 0.0_f64;
    let mut rises = Vec::new();
    for ball in 1..=10_000 {
        let before = plain.max_load();
        plain.throw_to_least(2, &(), 1, &mut rng);
        largest = largest.max(plain.gap());
        if plain.max_load() > before {
            rises.push((ball, plain.max_load()));
        }
    }
    assert_eq!(recorded, plain);
    assert_eq!(recorded.max_load_record().unwrap().rises(), rises);
    assert_eq!(recorded.all_time_gap(), largest);
}
