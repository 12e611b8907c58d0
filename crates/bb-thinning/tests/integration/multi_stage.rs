//! The multi-stage strategy against a naive chain that keeps its sets of bins by name.

use bb_core::{
    Allocator, Counters, LoadProfile, LoadVector, Metrics, ProfileWithCounters, WithCounters, rng_for_trial,
};
use bb_testkit::BigRational;
use bb_testkit::engines::Samples;
use bb_testkit::exact::{Law, chain, ratio};
use bb_thinning::{MultiStage, Thinning};

use crate::laws::by_twin;

/// Start, ends of stages in balls, `2·L₀` and `2·ℓ`, balls.
pub(crate) type Case = (&'static [u64], &'static [u64], i64, i64, u64);

/// Loads and borders small enough that all sets matter.
pub(crate) const CASES: [Case; 4] = [
    (&[0, 2, 1], &[3, 6], 0, 1, 7),
    (&[3, 0, 0], &[2, 4, 6], 1, 1, 7),
    (&[1, 1, 3], &[3, 6], 1, 1, 6),
    (&[4, 0, 4, 3], &[2, 5], 0, 1, 5),
];

/// The rule, or the nearest wrong ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Rule {
    Right,
    KeepH0,
    WithoutH0,
    /// Bins of `H_0` may enter `H_1`.
    NoExclusion,
    /// Counters go on over the stages.
    OneCount,
}

/// What the naive rule keeps.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Naive {
    loads: Vec<u64>,
    accepted: Vec<u64>,
    stage: usize,
    h0: Vec<bool>,
    /// `H_1 ∪ H_2 ∪ …`.
    later: Vec<bool>,
}

fn whole(number: i64) -> BigRational {
    BigRational::from_integer(number.into())
}

/// The law of the loads.
pub(crate) fn naive(&(start, ends, l0, limit, balls): &Case, rule: Rule) -> Law<Vec<u64>> {
    let n = start.len();
    let initial: u64 = start.iter().sum();
    let (l0, limit) = (whole(l0) / whole(2), whole(limit) / whole(2));
    let very_low = -(n as f64).ln();
    let load = |state: &Naive, bin: usize| {
        let total: u64 = state.loads.iter().sum();
        ratio(state.loads[bin], 1) - ratio(total, n as u64)
    };
    let float = |state: &Naive, bin: usize| state.loads[bin] as f64 - state.loads.iter().sum::<u64>() as f64 / n as f64;
    let empty = vec![false; n];
    let first = Naive { loads: start.to_vec(), accepted: vec![0; n], stage: 0, h0: empty.clone(), later: empty };
    let first = Naive { h0: (0..n).map(|bin| rule != Rule::WithoutH0 && load(&first, bin) > l0).collect(), ..first };
    let law = chain(first, balls, |state| {
        let mut state = state.clone();
        let placed = state.loads.iter().sum::<u64>() - initial;
        while state.stage < ends.len() && placed >= ends[state.stage] {
            let ended = state.stage as i64 + 1;
            for bin in 0..n {
                let excluded = state.later[bin] || ended == 1 && rule != Rule::NoExclusion && state.h0[bin];
                if !excluded && load(&state, bin) >= &l0 + whole(2 * ended) * &limit {
                    state.later[bin] = true;
                }
            }
            if rule != Rule::OneCount {
                state.accepted = vec![0; n];
            }
            state.stage += 1;
        }
        let mut next = Vec::new();
        let probability = ratio(1, n as u64);
        for primary in 0..n {
            let rejected = state.stage < ends.len() && {
                let begun = if state.stage == 0 { 0 } else { ends[state.stage - 1] };
                let most = ratio(ends[state.stage] - begun, n as u64) + &limit;
                let in_h0 = state.h0[primary] && (state.stage == 0 || rule == Rule::KeepH0);
                let heavy = in_h0 || state.later[primary];
                float(&state, primary) >= very_low && (heavy || ratio(state.accepted[primary], 1) >= most)
            };
            if rejected {
                for secondary in 0..n {
                    let mut after = state.clone();
                    after.loads[secondary] += 1;
                    next.push((&probability * &probability, after));
                }
            } else {
                let mut after = state.clone();
                after.loads[primary] += 1;
                after.accepted[primary] += 1;
                next.push((probability.clone(), after));
            }
        }
        next
    });
    law.map(|state| state.loads.clone())
}

fn strategy(&(start, ends, l0, limit, _): &Case) -> MultiStage {
    // Ends are times in units of n balls. Thirds are no doubles; a little later is rounded to the same ball.
    let later = if start.len() == 3 { 1e-9 } else { 0.0 };
    let times: Vec<f64> = ends.iter().map(|&end| (end as f64 + later) / start.len() as f64).collect();
    MultiStage::new(&times, l0 as f64 / 2.0, limit as f64 / 2.0).unwrap()
}

#[test]
fn multi_stage_has_the_law_of_its_definition() {
    let mut told_apart = [0; 3];
    for case in &CASES {
        let right = naive(case, Rule::Right);
        let loads = |law: &Law<crate::laws::State>| law.map(|bins| bins.iter().map(|bin| bin.0).collect::<Vec<_>>());
        assert_eq!(loads(&by_twin(case.0, case.4, &strategy(case))), right, "{case:?}");
        assert_eq!(loads(&by_twin(case.0, case.4, &strategy(case).keep_h0())), naive(case, Rule::KeepH0), "{case:?}");
        for (noticed, wrong) in told_apart.iter_mut().zip([Rule::KeepH0, Rule::NoExclusion, Rule::OneCount]) {
            *noticed += usize::from(naive(case, wrong) != right);
        }
    }
    assert!(told_apart.iter().all(|&noticed| noticed > 0), "{told_apart:?}");
}

/// Counted bins follow the exact law too: flags and counters of bins without a name.
#[test]
fn counted_bins_have_the_same_law() {
    for case in &CASES {
        let run = |strategy: MultiStage| {
            let start = LoadVector::from_loads(case.0.to_vec()).unwrap();
            Samples::new(80, 50_000).with("counted", move |rng| {
                let mut bins = ProfileWithCounters::new(LoadProfile::from(&start), 2);
                Thinning::new(strategy.clone()).start_and_run(&mut bins, case.4, rng).unwrap();
                let levels = bins.level_counts();
                [levels.iter().rev().flat_map(|&(load, count)| vec![load; count as usize]).collect::<Vec<_>>()]
            })
        };
        let right = naive(case, Rule::Right).sorted();
        run(strategy(case)).assert_follow(&format!("{case:?}"), &right.to_f64());
        let kept = naive(case, Rule::KeepH0).sorted();
        run(strategy(case).keep_h0()).assert_follow(&format!("{case:?}, H_0 kept"), &kept.to_f64());
    }
}

/// One stage without heavy bins is the plain `(t + ℓ)`-threshold; after the last stage all primaries are
/// accepted.
#[test]
fn one_stage_is_a_threshold() {
    let mut bins = WithCounters::new(LoadVector::new(100).unwrap(), 2).unwrap();
    // At t = 1 no load is below −ln 100 = −4.6.
    let mut rule = Thinning::new(MultiStage::new(&[1.0], 1000.0, 0.5).unwrap());
    rule.start_and_run(&mut bins, 100, &mut rng_for_trial(81, 0)).unwrap();
    let mut plain = WithCounters::new(LoadVector::new(100).unwrap(), 1).unwrap();
    let mut threshold = Thinning::new(bb_thinning::Threshold::new(2).unwrap());
    threshold.start_and_run(&mut plain, 100, &mut rng_for_trial(81, 0)).unwrap();
    assert_eq!(bins.loads(), plain.loads());
    let rejections = rule.rejections();
    assert!(rejections > 0);
    rule.run(&mut bins, 1000, &mut rng_for_trial(81, 1));
    assert_eq!((rule.rejections(), rule.strategy().stage()), (rejections, 2));
}

/// The constructor's times and limits at real sizes, from the formulas.
#[test]
fn the_formulas_give_these_stages() {
    for (stages, limit, ends) in [(1, 7.21, vec![14.0]), (2, 5.78, vec![5.0, 14.0]), (3, 5.18, vec![3.0, 6.0, 14.0])] {
        let strategy = MultiStage::with_stages(1e6, 14.0, stages, 0.0).unwrap();
        assert_eq!(strategy.ends(), ends);
        assert!((strategy.limit() - limit).abs() < 0.005, "{}", strategy.limit());
    }
    let strategy = MultiStage::practical(1000, 7.0, 2).unwrap();
    assert_eq!(strategy.ends(), [1.0, 7.0]);
    assert!((strategy.limit() - 3.64).abs() < 0.005);
    // η at its largest still has all stages, and a larger ℓ.
    let alpha = 14.0_f64.ln() / 1e6_f64.ln().ln();
    let most = (alpha - 0.5) / 10.0;
    let wide = MultiStage::with_stages(1e6, 14.0, 3, most * 0.999_999).unwrap();
    assert!(wide.limit() > 5.18 && wide.ends()[0] > 0.0);
    assert_eq!(MultiStage::with_stages(1e6, 14.0, 3, most * 1.000_001).unwrap_err().parameter(), "eta");
}

/// A mean over runs that is in the literature of this strategy's simulations: `n = 10^4`, `t = 10`, two
/// stages, `ℓ = 2`.
#[test]
fn its_gap_at_a_real_size_is_as_measured() {
    let gaps: Vec<f64> = (0..10)
        .map(|trial| {
            let mut bins = ProfileWithCounters::new(LoadProfile::new(10_000).unwrap(), 2);
            let strategy = MultiStage::new(&[7.0, 10.0], 0.0, 2.0).unwrap();
            Thinning::new(strategy).start_and_run(&mut bins, 100_000, &mut rng_for_trial(82, trial)).unwrap();
            assert!(bins.counter_total(1) <= 10_000);
            bins.gap()
        })
        .collect();
    let mean = gaps.iter().sum::<f64>() / 10.0;
    assert!((mean - 7.0).abs() < 1.0, "{mean}");
}
