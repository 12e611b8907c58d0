//! Systems in which balls leave: small ones exactly, stationary ones against what is known, and both kinds of
//! loads against each other.

mod engines;
mod exact;
mod stationary;

use bb_processes::bb_core::{
    Allocator, Bins, BinsExt, DynamicLoads, LoadProfile, Metrics, ParameterError, Remove, Rng, rng_for_trial,
};
use bb_processes::{DChoice, LeakyBins, Lifetimes, RandomDeletion, RepeatedBallsIntoBins, Supermarket, System};

const SEED: u64 = 90;

/// A system on both kinds of loads.
trait Both: System<DynamicLoads> + System<LoadProfile> + Clone {}
impl<S: System<DynamicLoads> + System<LoadProfile> + Clone> Both for S {}

#[test]
fn bad_input_is_refused() {
    let lambda = |error: ParameterError, value: f64, range: &str| {
        assert_eq!(error.to_string(), format!("lambda = {value:?} is outside {range}"));
    };
    for value in [0.0, -0.5, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1.0, 1.5] {
        lambda(LeakyBins::new(value, 2).unwrap_err(), value, "(0, 1)");
        lambda(Supermarket::new(value, 2).unwrap_err(), value, "(0, 1)");
        if !(value > 0.0 && value < 2.0) {
            lambda(Lifetimes::new(value, 2).unwrap_err(), value, "(0, 2^20)");
        }
    }
    lambda(Lifetimes::new(1048576.0, 2).unwrap_err(), 1048576.0, "(0, 2^20)");
    let no_choice = [
        LeakyBins::new(0.5, 0).unwrap_err(),
        Supermarket::new(0.5, 0).unwrap_err(),
        Lifetimes::new(0.5, 0).unwrap_err(),
        RandomDeletion::new(0).unwrap_err(),
    ];
    assert!(no_choice.iter().all(|error| error.to_string() == "d = 0 is outside 1.."));
}

/// What the rule for new balls finds at the start is handed on.
#[test]
fn a_rule_that_does_not_suit_the_loads_is_refused_at_the_start() {
    let loads = DynamicLoads::new(2).unwrap();
    let three = || DChoice::without_replacement(3).unwrap();
    assert!(LeakyBins::new(0.5, 1).unwrap().with_rule(three()).start(&loads).is_err());
    assert!(Supermarket::new(0.5, 1).unwrap().with_rule(three()).start(&loads).is_err());
    assert!(Lifetimes::new(0.5, 1).unwrap().with_rule(three()).start(&loads).is_err());
    assert!(RandomDeletion::new(1).unwrap().with_rule(three()).start(&loads).is_err());
    assert!(Supermarket::new(0.5, 1).unwrap().start(&loads).is_ok());
}

#[test]
fn checkpoints_do_not_change_a_run() {
    fn check<S: Both>(system: S) {
        fn on<S: System<L> + Clone, L: Remove + Metrics + Clone + PartialEq + core::fmt::Debug>(system: &S, start: &L) {
            let (mut whole, mut looked) = (start.clone(), start.clone());
            let (mut rng, mut other) = (rng_for_trial(SEED, 1), rng_for_trial(SEED, 1));
            system.clone().run(&mut whole, 50, &mut rng);
            let mut seen = Vec::new();
            system.clone().run_with_checkpoints(&mut looked, 50, [0, 0, 7, 3, 50, 51], &mut other, |round, loads| {
                seen.push((round, loads.total()));
            });
            assert_eq!((&whole, rng), (&looked, other));
            assert!(seen.iter().map(|&(round, _)| round).eq([0, 7, 50]));
            assert_eq!((seen[0].1, seen[2].1), (start.total(), whole.total()));
        }
        on(&system, &DynamicLoads::from_loads(vec![9, 0, 1, 0, 2]).unwrap());
        on(&system, &LoadProfile::from_level_counts(&[(0, 2), (1, 1), (2, 1), (9, 1)]).unwrap());
    }
    check(RepeatedBallsIntoBins);
    check(LeakyBins::new(0.7, 2).unwrap());
    check(RandomDeletion::new(2).unwrap());
    check(Lifetimes::new(2.0, 2).unwrap());
    check(Supermarket::new(0.7, 2).unwrap());
}

#[test]
fn closed_systems_keep_their_balls() {
    fn check<S: Both>(system: S) {
        for balls in [0, 1, 17] {
            let mut labelled = DynamicLoads::from_loads(vec![0, 0, balls, 0]).unwrap();
            let mut counted = LoadProfile::from_level_counts(&[(0, 3), (balls, 1)]).unwrap();
            let mut rng = rng_for_trial(SEED, balls);
            for _ in 0..100 {
                system.clone().round(&mut labelled, &mut rng);
                system.clone().round(&mut counted, &mut rng);
                assert_eq!((labelled.total(), counted.total()), (balls, balls));
                assert_eq!(labelled.as_slice().iter().sum::<u64>(), balls);
            }
        }
    }
    check(RepeatedBallsIntoBins);
    check(RandomDeletion::new(2).unwrap());
}

/// Watches one bin, and counts its balls from what it is told.
struct Watches<Bin> {
    bin: Bin,
    balls: u64,
}

impl<B: Bins<Load = u64>> Allocator<B> for Watches<B::Bin> {
    fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> B::Bin {
        assert_eq!(bins.load(self.bin), self.balls);
        bins.draw(rng)
    }
    fn placed(&mut self, bins: &B, was: B::Bin, now: B::Bin) {
        self.balls += u64::from(self.bin == was);
        self.bin = bins.follow(self.bin, was, now);
    }
    fn removed(&mut self, bins: &B, was: B::Bin, now: B::Bin) {
        self.balls -= u64::from(self.bin == was);
        self.bin = bins.follow(self.bin, was, now);
    }
}

#[test]
fn rules_with_memory_follow_their_bins_through_departures() {
    fn check<S>(name: &str, with: impl Fn(Watches<<LoadProfile as Bins>::Bin>) -> S)
    where
        S: System<LoadProfile>,
    {
        let mut loads = LoadProfile::from_level_counts(&[(0, 5), (1, 2), (7, 1)]).unwrap();
        let watched = Watches { bin: loads.nth(0), balls: 7 };
        with(watched).run(&mut loads, 3000, &mut rng_for_trial(SEED, 2));
        assert!(loads.total() > 0, "{name}");
    }
    check("deletion", |rule| RandomDeletion::new(1).unwrap().with_rule(rule));
    check("lifetimes", |rule| Lifetimes::new(1.5, 1).unwrap().with_rule(rule));
    check("supermarket", |rule| Supermarket::new(0.9, 1).unwrap().with_rule(rule));
}
