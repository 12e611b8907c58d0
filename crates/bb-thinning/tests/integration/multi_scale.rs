//! The multi-scale strategy: its parts in their order, and that it is these parts one after another.

use bb_core::{Allocator, Bins, LoadVector, Metrics, WithCounters, rng_for_trial};
use bb_thinning::{
    AlwaysAccept, MultiScale, MultiStage, Scale, ScalePart, Strategy, Thinning, ThinningRelativeThreshold,
};

/// What a ball belongs to: 0 the relative threshold, `i` the multi-stage part of scale `i` above the first,
/// with its `L₀`.
type Ball = (usize, f64);

/// One scale above the first: iterations, length of its multi-stage part in balls, `ℓ`, stages, most balls.
#[derive(Clone, Copy)]
struct Plan {
    iterations: u64,
    balls: u64,
    limit: f64,
    stages: u64,
    most: usize,
}

/// Scale `level` (0 the first) with its `Q`, as a list of balls, by the recursion of the definition.
fn schedule(base: u64, plans: &[Plan], level: usize, q: f64) -> Vec<Ball> {
    if level == 0 {
        return vec![(0, f64::NAN); base as usize];
    }
    let plan = plans[level - 1];
    let mut balls = Vec::new();
    for j in 0..plan.iterations {
        let raised = q + (2.0 * plan.stages as f64 + 1.0) * j as f64 * plan.limit;
        balls.extend(schedule(base, plans, level - 1, raised));
        balls.extend(vec![(level, raised + plan.limit); plan.balls as usize]);
    }
    balls.truncate(plan.most);
    balls
}

fn strategy(n: u64, base: u64, plans: &[Plan], q: f64) -> MultiScale {
    let time = |balls: u64| (balls as f64 + 0.25) / n as f64;
    let scales = plans.iter().map(|plan| {
        let ends: Vec<f64> = (1..=plan.stages).map(|stage| time(plan.balls * stage / plan.stages)).collect();
        let scale = Scale::new(plan.iterations, MultiStage::new(&ends, 55.0, plan.limit).unwrap()).unwrap();
        if plan.most == usize::MAX { scale } else { scale.with_duration(time(plan.most as u64)).unwrap() }
    });
    MultiScale::new(1.5, time(base), scales.collect()).unwrap().with_q(q).unwrap()
}

fn plan(iterations: u64, balls: u64, limit: f64, stages: u64, most: usize) -> Plan {
    Plan { iterations, balls, limit, stages, most }
}

#[test]
fn parts_follow_the_recursion() {
    const ALL: usize = usize::MAX;
    let cases: [(u64, Vec<Plan>); 7] = [
        (5, vec![]),
        (7, vec![plan(3, 4, 1.0, 2, ALL)]),
        (7, vec![plan(2, 4, 1.0, 2, ALL), plan(3, 6, 2.0, 1, ALL)]),
        (5, vec![plan(2, 2, 0.5, 1, ALL), plan(2, 3, 1.0, 1, ALL), plan(2, 8, 2.0, 4, ALL)]),
        // Cut off: in the first scale, in a multi-stage part, between parts, and all scales at once.
        (7, vec![plan(3, 4, 1.0, 2, 15)]),
        (7, vec![plan(3, 4, 1.0, 2, 20), plan(3, 6, 2.0, 1, 53)]),
        (7, vec![plan(2, 4, 1.0, 1, 11), plan(2, 5, 2.0, 1, 16), plan(1, 5, 2.0, 1, 16)]),
    ];
    for (base, plans) in cases {
        let n = 10;
        let expected = schedule(base, &plans, plans.len(), 2.5);
        let mut rule = Thinning::new(strategy(n, base, &plans, 2.5));
        let mut bins = WithCounters::new(LoadVector::new(n).unwrap(), 2).unwrap();
        let mut rng = rng_for_trial(110, 0);
        rule.start(&bins).unwrap();
        for (ball, &(scale, l0)) in expected.iter().enumerate() {
            rule.step(&mut bins, &mut rng);
            let part = match scale {
                0 => ScalePart::RelativeThreshold,
                _ => ScalePart::MultiStage { scale, l0 },
            };
            assert_eq!(rule.strategy().part(), part, "ball {} of {}", ball + 1, expected.len());
        }
        rule.step(&mut bins, &mut rng);
        assert_eq!(rule.strategy().part(), ScalePart::Over);
        let rejections = rule.rejections();
        rule.run(&mut bins, 500, &mut rng);
        assert_eq!((rule.rejections(), bins.total()), (rejections, expected.len() as u64 + 501));
    }
}

/// Draw for draw, it is its parts combined by hand.
#[test]
fn it_is_its_parts_one_after_another() {
    let (n, base) = (20, 60);
    let scale = strategy(n, base, &[plan(2, 40, 1.0, 2, usize::MAX)], 1.0);
    let relative = || ThinningRelativeThreshold::new(1.5).unwrap();
    let regulate = |l0| MultiStage::new(&[20.25 / 20.0, 40.25 / 20.0], l0, 1.0).unwrap();
    let by_hand = |second: f64| {
        relative()
            .then(3.0, regulate(2.0))
            .unwrap()
            .then(5.0, relative())
            .unwrap()
            .then(8.0, regulate(second))
            .unwrap()
            .then(10.0, AlwaysAccept)
            .unwrap()
    };
    fn run<S: bb_thinning::ThinningStrategy<WithCounters<LoadVector>>>(strategy: S) -> WithCounters<LoadVector> {
        let mut bins = WithCounters::new(LoadVector::new(20).unwrap(), 2).unwrap();
        Thinning::new(strategy).start_and_run(&mut bins, 250, &mut rng_for_trial(111, 0)).unwrap();
        bins
    }
    let found = run(scale.clone());
    assert_eq!(found.loads(), run(by_hand(7.0)).loads(), "L₀ = Q + 5ℓ + ℓ");
    // The borders matter: with Q so low that all are heavy, another run.
    assert_ne!(found.loads(), run(scale.with_q(-9.0).unwrap()).loads());
}

/// A figure of the simulations of others: `n = 10^5`, two scales (`L = 7`, three times 10 and 6, two stages,
/// `ℓ = 2`): 25 above the mean at the end.
#[test]
fn its_gap_at_a_real_size_is_as_measured() {
    let scale = Scale::new(3, MultiStage::new(&[3.0, 6.0], 0.0, 2.0).unwrap()).unwrap();
    let mut bins = WithCounters::new(LoadVector::new(20_000).unwrap(), 2).unwrap();
    let mut rule = Thinning::new(MultiScale::new(7.0, 10.0, vec![scale]).unwrap());
    rule.start_and_run(&mut bins, 48 * 20_000, &mut rng_for_trial(112, 0)).unwrap();
    assert!((15.0..30.0).contains(&bins.gap()), "{}", bins.gap());
}

#[test]
fn the_formulas_hang_together() {
    for (n, k, alpha1, scales) in [(1e6, 1, 1.0, 3), (1e6, 1, 0.8, 2), (1e60, 2, 0.9, 1), (1e200, 3, 1.0, 1)] {
        let log = f64::ln(n);
        let strategy = MultiScale::with_exponents(n, k, alpha1, scales).unwrap();
        assert!((strategy.limit() - log.powf((1.0 + alpha1) / 3.0)).abs() < 1e-9);
        let mut alpha = alpha1;
        let stages = f64::from(k);
        for scale in strategy.scales() {
            let limit = log.powf(0.5 + (alpha - 0.5) / (stages + 1.0));
            assert!((scale.multi_stage().limit() / limit - 1.0).abs() < 1e-12);
            assert_eq!(scale.iterations(), (strategy.limit() / (3.0 * stages * limit)).ceil() as u64);
            let regulating = 0.5 + (alpha - 0.5) * (4.0 * stages - 2.0) / (4.0 * stages - 1.0);
            let time = log.powf(regulating);
            assert!((scale.multi_stage().duration() / time - 1.0).abs() < 1e-12);
            // α = α′ + η, with the largest η that multi-stage allows.
            let eta = (regulating - 0.5) / (4.0 * stages - 2.0);
            assert!((regulating + eta - alpha).abs() < 1e-12);
            alpha = (strategy.limit() / (3.0 * stages * limit) * (log.powf(alpha) + time)).ln() / log.ln();
        }
        // What is left of the times of lower scales is cut off.
        assert!((strategy.duration() / log.powf(alpha) - 1.0).abs() < 1e-9);
    }
}
