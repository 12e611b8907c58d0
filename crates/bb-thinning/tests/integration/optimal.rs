//! The optimal programme: against a search over all decisions, played, and against every strategy.

use std::collections::BTreeMap;

use bb_core::{Allocator, LoadVector, Metrics, RankedVector, WithCounters, rng_for_trial};
use bb_processes::MeanThinning;
use bb_testkit::BigRational;
use bb_testkit::exact::ratio;
use bb_testkit::stats::Mean;
use bb_testkit::twin::ScriptedBins;

use bb_thinning::{
    AlwaysAccept, ByLoad, Clock, DThinning, MultiStage, NeverAccept, Objective, OptimalThinning, Sampling, Strategy,
    ThetaDrift, Thinning, ThinningRelativeThreshold, ThinningStrategy, Threshold, VaryingDrift, optimal_value,
};
use num_traits::ToPrimitive;

use crate::laws::{by_twin, max_law};

const CASES: [(u32, u32); 6] = [(1, 3), (2, 2), (2, 5), (3, 3), (3, 5), (4, 4)];

/// Loads of labelled bins, and the largest gap so far in units of `1/n`.
type State = (Vec<u64>, u64);

/// The best value by trying, in each state, every set of bins that is accepted, or every way to choose.
fn search(
    (loads, record): &State,
    left: u32,
    sampling: Sampling,
    objective: Objective,
    known: &mut BTreeMap<(State, u32), BigRational>,
) -> BigRational {
    let n = loads.len() as u64;
    let most = *loads.iter().max().unwrap();
    let record = (*record).max(most * n - loads.iter().sum::<u64>());
    if left == 0 {
        return match objective {
            Objective::Maximum => ratio(most, 1),
            Objective::Tail(least) => ratio(u64::from(most >= least), 1),
            _ => ratio(record, n),
        };
    }
    let key = ((loads.clone(), record), left);
    if let Some(value) = known.get(&key) {
        return value.clone();
    }
    let after: Vec<BigRational> = (0..loads.len())
        .map(|bin| {
            let mut loads = loads.clone();
            loads[bin] += 1;
            search(&(loads, record), left - 1, sampling, objective, known)
        })
        .collect();
    let mean: BigRational = after.iter().sum::<BigRational>() * ratio(1, n);
    let value = match sampling {
        Sampling::Thinning(2) => (0..1_u32 << n)
            .map(|accepted| {
                let sample = |bin: usize| if accepted & (1 << bin) != 0 { after[bin].clone() } else { mean.clone() };
                (0..loads.len()).map(sample).sum::<BigRational>() * ratio(1, n)
            })
            .min()
            .unwrap(),
        Sampling::Choice(2) => {
            let pairs = after.iter().flat_map(|one| after.iter().map(move |other| one.min(other).clone()));
            pairs.sum::<BigRational>() * ratio(1, n * n)
        }
        _ => panic!("not searched"),
    };
    known.insert(key, value.clone());
    value
}

#[test]
fn it_is_the_best_of_all_decisions() {
    for (n, balls) in CASES {
        for sampling in [Sampling::Thinning(2), Sampling::Choice(2)] {
            for objective in [Objective::Maximum, Objective::Tail(2), Objective::Tail(3), Objective::AllTimeMaximum] {
                let start = (vec![0; n as usize], 0);
                let found = search(&start, balls, sampling, objective, &mut BTreeMap::new());
                let value: BigRational = optimal_value(n, balls, sampling, objective).unwrap();
                assert_eq!(value, found, "{n} bins, {balls} balls, {sampling}, {objective:?}");
                let rounded: f64 = optimal_value(n, balls, sampling, objective).unwrap();
                assert!((rounded - found.to_f64().unwrap()).abs() < 1e-14, "{rounded} {found}");
            }
        }
    }
}

/// Two-Choice is the best rule of two bins at once, and a rule with one sample is One-Choice.
#[test]
fn greedy_is_the_best_of_two_choices() {
    for (n, balls) in CASES {
        let start = vec![0; n as usize];
        let value = |sampling| optimal_value::<BigRational>(n, balls, sampling, Objective::Maximum).unwrap();
        let two = bb_testkit::twin::law(&bb_processes::DChoice::two(), &start, balls.into(), &[]);
        assert_eq!(value(Sampling::Choice(2)), two.mean_max());
        let one = bb_testkit::twin::law(&bb_processes::OneChoice, &start, balls.into(), &[]);
        assert_eq!(value(Sampling::Choice(1)), one.mean_max());
        assert_eq!(value(Sampling::Thinning(1)), one.mean_max());
    }
}

fn played<S>(strategy: &S, n: u32, balls: u32) -> BigRational
where
    S: ThinningStrategy<WithCounters<ScriptedBins>> + Clone,
{
    max_law(&by_twin(&vec![0; n as usize], balls.into(), strategy)).mean(|&max| ratio(max, 1))
}

#[test]
fn it_is_reached_by_its_strategy() {
    for (n, balls) in CASES {
        let strategy = OptimalThinning::new(n, balls, Objective::Maximum).unwrap();
        let value: BigRational = optimal_value(n, balls, Sampling::Thinning(2), Objective::Maximum).unwrap();
        assert_eq!(played(&strategy, n, balls), value);
        // For fewer balls it is another strategy, and for more it does not know what to do.
        let strategy = OptimalThinning::new(n, balls, Objective::Tail(2)).unwrap();
        let tail: BigRational = optimal_value(n, balls, Sampling::Thinning(2), Objective::Tail(2)).unwrap();
        let law = max_law(&by_twin(&vec![0; n as usize], balls.into(), &strategy));
        assert_eq!(law.mean(|&max| ratio(u64::from(max >= 2), 1)), tail);
    }
}

/// Means of the largest gap at any time, and of the maximum, over trials on labelled bins.
fn simulated<S>(strategy: &S, n: u32, balls: u32, trials: u64) -> [Mean; 2]
where
    S: ThinningStrategy<WithCounters<RankedVector>> + Clone,
{
    let runs: Vec<_> = (0..trials)
        .map(|trial| {
            let loads = RankedVector::from(LoadVector::new(n.into()).unwrap());
            let mut loads = WithCounters::new(loads, strategy.counters()).unwrap();
            let mut rule = Thinning::new(strategy.clone());
            rule.start_and_run(&mut loads, balls.into(), &mut rng_for_trial(140, trial)).unwrap();
            (loads.loads().loads().all_time_gap(), loads.max_load() as f64)
        })
        .collect();
    [Mean::of(runs.iter().map(|run| run.0)), Mean::of(runs.iter().map(|run| run.1))]
}

/// The largest gap at any time: within 5 standard errors of its value, and the strategy for the maximum at
/// the end is worse in it, and the other way round.
#[test]
fn the_best_over_time_is_another() {
    let (n, balls, trials) = (4, 24, 200_000);
    let over_time = OptimalThinning::new(n, balls, Objective::AllTimeMaximum).unwrap();
    let at_the_end = OptimalThinning::new(n, balls, Objective::Maximum).unwrap();
    let [gap, max] = simulated(&over_time, n, balls, trials);
    let [gap_of_end, max_of_end] = simulated(&at_the_end, n, balls, trials);
    gap.agrees(Mean::exact(over_time.value())).assert_fits("largest gap", 140);
    max_of_end.agrees(Mean::exact(at_the_end.value())).assert_fits("maximum", 140);
    gap_of_end.agrees(Mean::exact(over_time.value())).assert_rejects("the strategy for the end", 140);
    max.agrees(Mean::exact(at_the_end.value())).assert_rejects("the strategy for all times", 140);
}

/// Compares a strategy exactly: never below the optimum, and above it somewhere.
fn is_beaten<S>(name: &str, strategy: &S)
where
    S: ThinningStrategy<WithCounters<ScriptedBins>> + Clone,
{
    let mut beaten = false;
    for (n, balls) in [(2, 4), (3, 4), (4, 4), (3, 6), (2, 9)] {
        let value: BigRational = optimal_value(n, balls, Sampling::Thinning(2), Objective::Maximum).unwrap();
        let played = played(strategy, n, balls);
        assert!(played >= value, "{name}: {n} bins, {balls} balls: {played} below {value}");
        beaten |= played > value;
    }
    assert!(beaten, "{name} is as good everywhere");
}

#[test]
fn no_strategy_beats_it_and_it_beats_each() {
    is_beaten("always accept", &AlwaysAccept);
    is_beaten("never accept", &NeverAccept);
    for limit in 1..4 {
        is_beaten("threshold", &Threshold::new(limit).unwrap());
        is_beaten("two of d-thinning", &DThinning::new(2, limit).unwrap());
        is_beaten("relative threshold", &ThinningRelativeThreshold::new(limit as f64).unwrap());
    }
    is_beaten("mean-thinning", &ByLoad::new(MeanThinning).unwrap());
    is_beaten("multi-stage", &MultiStage::new(&[0.5, 1.0], 0.0, 0.5).unwrap());
    is_beaten("one after another", &Threshold::new(1).unwrap().then(1.0, AlwaysAccept).unwrap());
}

/// Drifts have a clock of real numbers: their means by simulation, 6 balls in 3 bins, at 5 standard errors.
#[test]
fn no_drift_beats_it() {
    let value: f64 = optimal_value(3, 6, Sampling::Thinning(2), Objective::Maximum).unwrap();
    for theta in [0.1, 0.2, 1.0 / 3.0] {
        for clock in [Clock::Exact, Clock::Discrete] {
            let [_, max] = simulated(&ThetaDrift::new(theta).unwrap().with_clock(clock), 3, 6, 40_000);
            assert!(max.mean - 5.0 * max.error > value, "{theta}: {max:?} against {value}");
        }
    }
    let [_, max] = simulated(&VaryingDrift::new(0.2, 0.2, 0.6, 1.0).unwrap(), 3, 6, 40_000);
    assert!(max.mean - 5.0 * max.error > value, "{max:?} against {value}");
}

/// The largest programme, and what more freedom buys.
#[test]
fn eight_bins_and_64_balls_are_in_reach() {
    let value = |sampling| optimal_value::<f64>(8, 64, sampling, Objective::Maximum).unwrap();
    let values = [Sampling::Thinning(3), Sampling::Choice(2), Sampling::Thinning(2), Sampling::Choice(1)].map(value);
    assert!(values.is_sorted() && values[0] > 8.0 && values[3] < 13.0, "{values:?}");
    assert!(optimal_value::<f64>(8, 65, Sampling::Thinning(2), Objective::Maximum).is_err());
}
