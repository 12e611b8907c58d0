//! The drifts: exact laws of few balls, the martingale of the classes, realizability, and both clocks.

use std::collections::BTreeMap;

use bb_core::{
    Allocator, Bins, LoadProfile, LoadVector, Metrics, Mix, Place, Put, Ranked, RankedVector, rng_for_trial,
};
use bb_testkit::engines::Samples;
use bb_testkit::exact::{Law, chain, ratio};
use bb_testkit::stats::binomial;
use bb_thinning::{Clock, DriftState, Rejections, Strategy, ThetaDrift, Thinning, ThinningStrategy, VaryingDrift};

const SEED: u64 = 70;

/// `P(Z_2 = Z_1)` for two bins from level loads, `θ = 1/5`, exact clock: `½ − θq/2` with `q = P(T_2 ≤ 1)`, an
/// integral over the two points.
pub(crate) const SECOND_BALL: f64 = 0.435_842;

#[test]
fn the_second_ball_of_two_bins_has_its_probability() {
    let theta: f64 = 0.2;
    let a = 2.0 * (1.0 + theta);
    let q = (1.0 - (-a).exp()) - a * (-2.0_f64).exp() * (1.0 - (-2.0 * theta).exp()) / (2.0 * theta);
    assert!((q - 0.641_578).abs() < 1e-6 && (0.5 - theta * q / 2.0 - SECOND_BALL).abs() < 1e-6);

    // From level loads of any height; a false alarm 1e-6 each.
    let same = |clock: Clock, start: u64, rejections: Rejections<f64>| {
        let mut rng = rng_for_trial(SEED, start);
        let drift = ThetaDrift::new(theta).unwrap().with_clock(clock).with_rejections(rejections).unwrap();
        let mut rule = Thinning::new(drift);
        (0..400_000)
            .filter(|_| {
                let mut bins = LoadProfile::from_level_counts(&[(start, 2)]).unwrap();
                rule.start_and_run(&mut bins, 2, &mut rng).unwrap();
                bins.max_load() == start + 2
            })
            .count() as u64
    };
    for start in [0, 3] {
        for rejections in [Rejections::Fewest, Rejections::Most, Rejections::Given(0.6)] {
            let exact = same(Clock::Exact, start, rejections.clone());
            binomial(exact, 400_000, SECOND_BALL).assert_fits("exact clock", SEED);
            binomial(exact, 400_000, (1.0 - theta) / 2.0).assert_rejects("the discrete clock's law", SEED);
            let discrete = same(Clock::Discrete, start, rejections);
            binomial(discrete, 400_000, (1.0 - theta) / 2.0).assert_fits("discrete clock", SEED);
            binomial(discrete, 400_000, SECOND_BALL).assert_rejects("the exact clock's law", SEED);
        }
    }
}

/// The clock starts at the mean, which need not be whole: two bins with one ball. While the clock is below 1,
/// from 1/2 on, the empty bin is low and the other is not, and intensities sum to 2; after it both are low.
#[test]
fn the_clock_starts_at_the_mean() {
    let (theta, runs) = (0.2, 400_000);
    let mut rng = rng_for_trial(SEED, 11);
    let mut rule = Thinning::new(ThetaDrift::new(theta).unwrap());
    let levelled = (0..runs).filter(|_| {
        let mut bins = LoadProfile::from_level_counts(&[(5, 1), (6, 1)]).unwrap();
        rule.start_and_run(&mut bins, 1, &mut rng).unwrap();
        bins.max_load() == 6
    });
    let levelled = levelled.count() as u64;
    let expected = |room: f64| 0.5 + theta / 2.0 * (1.0 - f64::exp(-2.0 * room));
    binomial(levelled, runs, expected(0.5)).assert_fits("from the mean", SEED);
    binomial(levelled, runs, expected(1.0)).assert_rejects("from the whole number below it", SEED);
}

/// The law of the loads under the discrete clock: bins are chosen in proportion to intensities, which is all
/// that realizability has to bring about.
fn discrete_chain(start: &[u64], balls: u64, intensity: impl Fn(i64, i64) -> (u64, u64)) -> Law<Vec<u64>> {
    let n = start.len() as i64;
    chain(start.to_vec(), balls, |loads| {
        let total: u64 = loads.iter().sum();
        let intensities: Vec<_> = loads
            .iter()
            .map(|&load| {
                let (num, den) = intensity(n * load as i64 - total as i64, n);
                ratio(num, den)
            })
            .collect();
        let sum: bb_testkit::BigRational = intensities.iter().sum();
        (0..loads.len())
            .map(|bin| {
                let mut next = loads.clone();
                next[bin] += 1;
                (&intensities[bin] / &sum, next)
            })
            .collect()
    })
}

fn sorted_levels(levels: &[(u64, u64)]) -> Vec<u64> {
    levels.iter().rev().flat_map(|&(load, count)| vec![load; count as usize]).collect()
}

fn drift_samples<S>(strategy: &S, start: &[u64], balls: u64) -> Samples<Vec<u64>, 1>
where
    S: ThinningStrategy<RankedVector> + ThinningStrategy<LoadProfile> + Clone,
{
    Samples::new(SEED, 60_000)
        .with("labelled", |rng| {
            let mut bins = RankedVector::from(LoadVector::from_loads(start.to_vec()).unwrap());
            Thinning::new(strategy.clone()).start_and_run(&mut bins, balls, rng).unwrap();
            [sorted_levels(&bins.level_counts())]
        })
        .with("counted", |rng| {
            let mut bins = LoadProfile::from(&LoadVector::from_loads(start.to_vec()).unwrap());
            Thinning::new(strategy.clone()).start_and_run(&mut bins, balls, rng).unwrap();
            [sorted_levels(&bins.level_counts())]
        })
}

/// `θ = 1/5` and the varying drift, from level and other loads, on labelled and counted bins.
#[test]
fn discrete_drifts_follow_their_exact_laws() {
    let theta = |scaled: i64, _: i64| if scaled < 0 { (6, 5) } else { (4, 5) };
    let varying = |scaled: i64, n: i64| match scaled {
        _ if scaled < 0 => (6, 5),
        _ if 2 * scaled < 3 * n => (4, 5),
        _ => (3, 5),
    };
    for (start, balls) in [(vec![0, 0, 0], 6), (vec![4, 0, 1, 1], 4)] {
        let sorted = |law: Law<Vec<u64>>| -> BTreeMap<Vec<u64>, f64> { law.sorted().to_f64() };
        let by_theta = sorted(discrete_chain(&start, balls, theta));
        let by_varying = sorted(discrete_chain(&start, balls, varying));
        let drift = ThetaDrift::new(0.2).unwrap().with_clock(Clock::Discrete);
        let drift_samples_most = drift.clone().with_rejections(Rejections::Most).unwrap();
        let samples = drift_samples(&drift, &start, balls);
        samples.assert_follow("θ-drift", &by_theta);
        drift_samples(&drift_samples_most, &start, balls).assert_follow("θ-drift, most rejections", &by_theta);
        let other = ThetaDrift::new(0.26).unwrap().with_clock(Clock::Discrete);
        drift_samples(&other, &start, balls).assert_rejects("θ = 0.26", &by_theta);
        let drift = VaryingDrift::new(0.2, 0.2, 0.6, 1.5).unwrap().with_clock(Clock::Discrete);
        drift_samples(&drift, &start, balls).assert_follow("varying drift", &by_varying);
        drift_samples(&drift.clone().with_most_rejections(), &start, balls)
            .assert_follow("varying drift, most rejections", &by_varying);
        if start[0] > 0 {
            samples.assert_rejects("without the very high class", &by_varying);
        }
    }
}

/// What a strategy shows of the ball at hand.
trait Sees: Strategy {
    fn sees(&self) -> DriftState;
    fn intensities(&self) -> [f64; 3];
}

impl Sees for ThetaDrift {
    fn sees(&self) -> DriftState {
        self.seen()
    }
    fn intensities(&self) -> [f64; 3] {
        [1.0 + self.theta(), 1.0 - self.theta(), 0.0]
    }
}

impl Sees for VaryingDrift {
    fn sees(&self) -> DriftState {
        self.seen()
    }
    fn intensities(&self) -> [f64; 3] {
        self.intensities()
    }
}

/// `Σ (1{Z_k in a class} − its probability)` over its standard deviation, for each class; the probability is
/// that of `claimed` intensities.
fn martingale<B, S>(mut rule: Thinning<S>, mut bins: B, balls: u64, trial: u64, claimed: [f64; 3]) -> [f64; 3]
where
    B: Ranked + Place,
    S: Sees + ThinningStrategy<B>,
{
    let mut rng = rng_for_trial(SEED + 1, trial);
    rule.start(&bins).unwrap();
    let (mut sums, mut variances) = ([0.0; 3], [0.0; 3]);
    for _ in 0..balls {
        let bin = rule.choose(&bins, &mut rng);
        let state = rule.strategy().sees();
        let rates: Vec<f64> = (0..3).map(|class| state.sizes[class] as f64 * claimed[class]).collect();
        let all: f64 = rates.iter().sum();
        let hit = state.class(bins.load(bin));
        for class in 0..3 {
            let p = rates[class] / all;
            sums[class] += f64::from(u8::from(hit == class)) - p;
            variances[class] += p * (1.0 - p);
        }
        let put = rule.put(&bins, bin);
        let now = bins.put(bin, &(), put);
        rule.placed(&bins, bin, now);
    }
    [0, 1, 2].map(|class: usize| if variances[class] > 0.0 { sums[class] / f64::sqrt(variances[class]) } else { 0.0 })
}

/// 200 runs each of both drifts under both clocks. The sum of the squares of 200 normal variates is compared
/// with its mean, with 4.9 standard deviations either side: a false alarm of 1e-6 or so for each of 9 sums.
#[test]
fn balls_go_to_classes_with_their_probabilities() {
    const RUNS: u64 = 200;
    let (n, balls) = (50, 5_000);
    let profile = || LoadProfile::new(n).unwrap();
    let vector = || RankedVector::from(LoadVector::new(n).unwrap());
    let check = |name: &str, statistics: &dyn Fn(u64) -> [f64; 3], classes: usize, fits: bool| {
        let (mut squares, mut sums) = ([0.0; 3], [0.0; 3]);
        for trial in 0..RUNS {
            for (class, statistic) in statistics(trial).into_iter().enumerate() {
                squares[class] += statistic * statistic;
                sums[class] += statistic;
            }
        }
        let runs = RUNS as f64;
        let ok = (0..classes).all(|class| {
            (squares[class] - runs).abs() < 4.9 * (2.0 * runs).sqrt() && sums[class].abs() < 4.9 * runs.sqrt()
        });
        assert_eq!(ok, fits, "{name}: {squares:?}, {sums:?}");
    };
    for clock in [Clock::Exact, Clock::Discrete] {
        let theta = Thinning::new(ThetaDrift::new(0.2).unwrap().with_clock(clock));
        let right = theta.strategy().intensities();
        check("θ-drift, counted", &|trial| martingale(theta.clone(), profile(), balls, trial, right), 2, true);
        check("θ-drift, labelled", &|trial| martingale(theta.clone(), vector(), balls, trial, right), 2, true);
        let wrong = [1.2, 0.9, 0.0];
        check("other intensities", &|trial| martingale(theta.clone(), profile(), balls, trial, wrong), 2, false);

        let varying = Thinning::new(VaryingDrift::new(0.2, 0.2, 0.6, 1.7).unwrap().with_clock(clock));
        let right = varying.strategy().intensities();
        check("varying drift", &|trial| martingale(varying.clone(), profile(), balls, trial, right), 3, true);
        let wrong = [1.2, 0.8, 0.8];
        check("no third class", &|trial| martingale(varying.clone(), profile(), balls, trial, wrong), 3, false);
    }
}

/// The clock goes on where it was: a drift on loads that are far from level pulls them together, whatever
/// total it began at.
#[test]
fn a_drift_begins_on_any_loads() {
    for start in [0, 17] {
        let mut bins = LoadProfile::from_level_counts(&[(start, 50), (start + 20, 50)]).unwrap();
        let mut rule = Thinning::new(ThetaDrift::new(1.0 / 3.0).unwrap());
        rule.start_and_run(&mut bins, 20_000, &mut rng_for_trial(SEED, 5)).unwrap();
        assert!(bins.gap() < 14.0 && bins.gap() > 1.0, "{}", bins.gap());
        let mut one = LoadProfile::from_level_counts(&[(start, 50), (start + 20, 50)]).unwrap();
        Thinning::new(bb_thinning::AlwaysAccept).run(&mut one, 20_000, &mut rng_for_trial(SEED, 5));
        assert!(one.gap() > 20.0, "the twin does not pull");
    }
}

/// In equilibrium about a share `θ` of the balls is rejected.
#[test]
fn a_drift_rejects_a_share_theta() {
    for (theta, share) in [(0.1, 0.1), (0.2, 0.2), (ThetaDrift::SHARED_C, 0.237), (1.0 / 3.0, 0.334)] {
        let mut rule = Thinning::new(ThetaDrift::new(theta).unwrap());
        let mut bins = LoadProfile::new(10_000).unwrap();
        rule.start_and_run(&mut bins, 500_000, &mut rng_for_trial(SEED, 6)).unwrap();
        let found = rule.rejections() as f64 / 500_000.0;
        assert!((found - share).abs() < 0.01, "θ = {theta}: {found}");
    }
}

/// In the safe region no state fails; outside, the first ball that has no law is named, and from it on all
/// primaries are accepted.
#[test]
fn the_varying_drift_tells_when_it_cannot_be_realised() {
    // Half of the bins low, half very high: λ_max − λ_min = 1.2 − 0.35 exceeds the mean 0.775. Near
    // equilibrium the mean is about 1.
    let split = || LoadProfile::from_level_counts(&[(0, 50), (100, 50)]).unwrap();
    for clock in [Clock::Exact, Clock::Discrete] {
        let mut rule = Thinning::new(VaryingDrift::new(0.2, 0.2, 0.35, 4.0).unwrap().with_clock(clock));
        let mut bins = split();
        rule.start_and_run(&mut bins, 1000, &mut rng_for_trial(SEED, 7)).unwrap();
        assert_eq!((rule.strategy().unrealizable_at(), rule.rejections()), (Some(1), 0));
        // Restarted on better loads, it works.
        let mut level = LoadProfile::new(100).unwrap();
        rule.start_and_run(&mut level, 1000, &mut rng_for_trial(SEED, 7)).unwrap();
        assert_eq!(rule.strategy().unrealizable_at(), None);
        assert!(rule.rejections() > 100);

        let mut safe = Thinning::new(VaryingDrift::new(0.2, 0.2, 0.6, 2.0).unwrap().with_clock(clock));
        safe.start_and_run(&mut split(), 100_000, &mut rng_for_trial(SEED, 8)).unwrap();
        assert_eq!(safe.strategy().unrealizable_at(), None);
        assert!(safe.rejections() > 10_000);
    }

    // A state that fails in the middle of a run: the ball is named, counted from the beginning.
    let mut rule = Thinning::new(VaryingDrift::new(0.2, 0.2, 0.3, 0.5).unwrap());
    let mut bins = LoadProfile::new(20).unwrap();
    rule.start_and_run(&mut bins, 5000, &mut rng_for_trial(SEED, 9)).unwrap();
    let failed = rule.strategy().unrealizable_at().expect("so small an offset makes many bins very high");
    assert!(failed > 1);
    let mut again = Thinning::new(VaryingDrift::new(0.2, 0.2, 0.3, 0.5).unwrap());
    let mut bins = LoadProfile::new(20).unwrap();
    let mut rng = rng_for_trial(SEED, 9);
    again.start_and_run(&mut bins, failed - 1, &mut rng).unwrap();
    assert_eq!(again.strategy().unrealizable_at(), None);
    let before = again.rejections();
    again.run(&mut bins, 4000, &mut rng);
    assert_eq!((again.strategy().unrealizable_at(), again.rejections()), (Some(failed), before));
}

/// Whatever the states, `c` and the class: sizes, accept probabilities and intensities go together.
#[test]
fn accept_probabilities_are_those_of_the_formulas() {
    let mut drift = ThetaDrift::new(0.2).unwrap().with_clock(Clock::Discrete);
    for low in 0..=10 {
        let bins = LoadProfile::from_level_counts(&[(0, low), (7, 10 - low)]).unwrap();
        drift.begin(&bins);
        drift.next_ball(&bins, &mut rng_for_trial(SEED, 0));
        let state = drift.seen();
        if low == 0 || low == 10 {
            // Level: every bin is at the mean.
            assert_eq!(state.sizes, [0, 10, 0]);
            assert_eq!(state.accept[1], 1.0);
            continue;
        }
        assert_eq!(state.sizes, [low, 10 - low, 0]);
        let mean = 0.8 + 0.4 * low as f64 / 10.0;
        assert!((state.accept[0] - 1.0).abs() < 1e-15 && (state.accept[1] - (1.0 - 0.4 / mean)).abs() < 1e-15);
        let Mix::Coin { coin, heads: true, tails: false } = drift.accept(&bins, bins.nth(0), 1) else { panic!() };
        assert_eq!(coin.probability(), state.accept[1]);
        assert_eq!(ThinningStrategy::put(&drift, &bins, bins.nth(0), 1), Put::BALL);
    }
}
