use bb_processes::DChoice;
use bb_processes::bb_core::{Allocator, LoadProfile, Metrics, rng_for_trial};
use bb_theory::fluid::Fluid;
use bb_theory::recurrence::{LayeredInduction, Recovery};

use super::profile;

/// The recurrence with factor 1 is a bound in the limit of many bins: a level is only entered from the level
/// below, and the fraction there only rises.
#[test]
fn the_fluid_limit_lies_below_the_layers() {
    for d in 2..6 {
        for time in [0.5, 1.0, 3.0] {
            let tails = Fluid::d_choice(d).unwrap().tails(time).unwrap();
            for start in 1..6 {
                let layers = LayeredInduction::new(d, time, start, tails.tail(start)).unwrap();
                for (height, fraction) in layers.take(8) {
                    assert!(tails.tail(height) <= fraction * (1.0 + 1e-9), "d = {d}, t = {time}, height {height}");
                }
            }
        }
    }
}

/// log_d log n: one more layer each time the logarithm of n is multiplied by d.
#[test]
fn heights_grow_as_the_iterated_logarithm() {
    for d in [2_u32, 3, 4] {
        let layers = LayeredInduction::new(d, 1.0, 2, 0.5).unwrap();
        let height = |log_n: u32| layers.height(1 << log_n).unwrap();
        assert_eq!(height(4 * d) - height(4), 1);
        assert_eq!(height(2 * d * d) - height(2), 2);
    }
    // Above (1/L)^(1/(d − 1)) it does not fall.
    assert_eq!(LayeredInduction::new(2, 4.0, 10, 0.25).unwrap().height(100), None);
    assert_eq!(LayeredInduction::new(2, 4.0, 10, 0.24).unwrap().next(), Some((10, 0.24)));
    assert_eq!(LayeredInduction::new(2, 1.0, 3, 0.0).unwrap().collect::<Vec<_>>(), [(3, 0.0)]);
}

/// The rounds from a gap, with a base `C e^{−h}` that Two-Choice obeys in the stationary limit, and the gaps
/// of a run at their ends.
fn recover(start: &[(u64, u64)]) -> Vec<(f64, f64, f64)> {
    let n: u64 = start.iter().map(|&(_, count)| count).sum();
    let profile = profile("two-choice");
    let scale = profile.heights().map(|h| profile.tail(h) * (h as f64).exp()).fold(0.0, f64::max);
    let mut loads = LoadProfile::from_level_counts(start).unwrap();
    let (mut rng, mut thrown) = (rng_for_trial(34, 0), 0);
    let rounds = Recovery::new(n, 2, loads.gap(), 1.0, scale).unwrap();
    rounds
        .map(|round| {
            let until = (round.balls_per_bin * n as f64).ceil() as u64;
            DChoice::two().run(&mut loads, until - thrown, &mut rng);
            thrown = until;
            (round.balls_per_bin, round.gap, loads.gap())
        })
        .collect()
}

#[test]
fn a_run_recovers_no_later_than_the_rounds_say() {
    // One bin is 60 above the others.
    let rounds = recover(&[(0, 99_999), (60, 1)]);
    assert!(rounds.len() >= 3, "{rounds:?}");
    assert!(rounds.iter().all(|&(_, allowed, gap)| gap <= allowed + 1e-9), "{rounds:?}");
    assert!(rounds.windows(2).all(|pair| pair[1].1 < pair[0].1 && pair[1].0 > pair[0].0), "{rounds:?}");
    // Of the order of log₂ ln n, which is 3.5, and the layers of the base.
    assert!(rounds.last().unwrap().1 < 12.0, "{rounds:?}");
}

/// Where a tenth of the bins are far above, the base does not hold yet after a round, and the run is later
/// than that.
#[test]
fn the_base_is_needed() {
    let rounds = recover(&[(0, 9000), (660, 1000)]);
    assert!(rounds[1].2 > 3.0 * rounds[1].1, "{rounds:?}");
}

#[test]
fn bad_input_is_refused() {
    assert_eq!(LayeredInduction::new(1, 1.0, 2, 0.5).unwrap_err().to_string(), "d = 1 is outside 2..");
    assert!(LayeredInduction::new(2, 0.0, 2, 0.5).is_err() && LayeredInduction::new(2, 1.0, 2, 1.5).is_err());
    assert!(LayeredInduction::new(2, 1.0, 2, 0.5).unwrap().with_factor(f64::NAN).is_err());
    for (n, d, gap, alpha, scale) in [
        (1, 2, 1.0, 1.0, 1.0),
        (9, 1, 1.0, 1.0, 1.0),
        (9, 2, -1.0, 1.0, 1.0),
        (9, 2, 1.0, 0.0, 1.0),
        (9, 2, 1.0, 1.0, f64::NAN),
    ] {
        assert!(Recovery::new(n, d, gap, alpha, scale).is_err());
    }
}
