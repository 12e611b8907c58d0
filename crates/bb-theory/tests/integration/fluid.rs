use std::collections::BTreeMap;

use bb_processes::bb_core::{Allocator, LoadProfile, LoadVector, Metrics, Rng, rng_for_trial};
use bb_processes::{LoadThreshold, MeanThinning};
use bb_testkit::data::fluid_tails;
use bb_testkit::laws::mean_field;
use bb_theory::allocation::RankLaw;
use bb_theory::fluid::{Comparison, Fluid, RepeatedBalls, d_choice_time, supermarket_tail};

use super::named;

/// The largest difference seen is 2e-9, for quantiles, whose kinks the table's fixed steps pass over; else
/// 5e-12.
#[test]
fn tails_are_those_of_the_table() {
    let mut solved = BTreeMap::new();
    let (mut largest, mut largest_relative) = (0.0_f64, 0.0_f64);
    for row in fluid_tails() {
        let process = row.process.split("; group ").next().unwrap().to_owned();
        let tails = solved
            .entry((process.clone(), row.time))
            .or_insert_with(|| named(&process).tails(row.time as f64).unwrap());
        let tail = match row.process.split_once("; group ") {
            Some((_, group)) => tails.group_tail(group.parse::<usize>().unwrap() - 1, row.level as u64),
            None => tails.tail(row.level as u64),
        };
        largest = largest.max((tail - row.tail).abs());
        assert!((tail - row.tail).abs() < 1e-8, "{row:?}: {tail}");
        if row.tail > 1e-12 {
            largest_relative = largest_relative.max((tail / row.tail - 1.0).abs());
            assert!((tail / row.tail - 1.0).abs() < 1e-6, "{row:?}: {tail}");
        }
    }
    println!("largest difference {largest:e}, relative {largest_relative:e}");
    assert_eq!(solved.len(), 25);
}

/// All processes with parameters, where one unit of time is a ball a bin.
fn all() -> Vec<Fluid> {
    let mut all: Vec<Fluid> =
        ["two-choice", "four-choice", "(1+beta); beta=0.5", "quantile(1/4;1/2)", "always-go-left; d=3", "memory"]
            .map(named)
            .into();
    all.extend(["g-Bounded; g=3", "g-Myopic-Comp; g=2", "sigma-Noisy-Load; sigma=2"].map(named));
    all.extend([Fluid::mean_thinning(), Fluid::twinning(), Fluid::d_choice(20).unwrap()]);
    all.extend([0.5, 2.0].map(|f| Fluid::relative_threshold(f).unwrap()));
    all.extend([(1, 2), (3, 3), (2, 50)].map(|(level, d)| Fluid::load_threshold(level, d).unwrap()));
    all.extend([0, 1, 3].map(|extra| Fluid::packing(extra).unwrap()));
    all
}

#[test]
fn balls_are_conserved() {
    for fluid in all() {
        for time in [0.0, 0.3, 1.0, 2.5, 9.0, 40.0] {
            let tails = fluid.tails(time).unwrap();
            assert!((tails.mean() - time).abs() < 5e-12 * (1.0 + time), "{fluid:?} at {time}: {}", tails.mean());
            let shares: f64 = tails.levels().map(|level| tails.share(level)).sum();
            assert!((shares - 1.0).abs() < 1e-12, "{fluid:?} at {time}");
            assert_eq!((tails.time(), tails.tail(0), tails.complement(0)), (time, 1.0, 0.0), "{fluid:?}");
        }
    }
}

#[test]
fn closed_forms() {
    for time in [0.1, 0.5, 1.0, 3.0, 8.0] {
        let empty = |process: &str| named(process).tails(time).unwrap().complement(1);
        let near = |found: f64, exact: f64| assert!((found / exact - 1.0).abs() < 1e-9, "t = {time}: {found} {exact}");
        near(empty("one-choice"), (-time).exp());
        near(empty("memory"), (-time).exp());
        // 1 − tanh t.
        near(empty("two-choice"), 2.0 / ((2.0 * time).exp() + 1.0));
        if time < 4.0 {
            for d in 1..6 {
                let filled = Fluid::d_choice(d).unwrap().tails(time).unwrap().tail(1);
                near(d_choice_time(d, filled).unwrap(), time);
            }
        }
        // Quantile(δ): F(u) = δu up to δ, then u − δ(1 − u). The kink is passed at t = ln(1/(1 − δ²))/δ.
        for delta in [0.25_f64, 0.5, 0.9] {
            let kink = -(1.0 - delta * delta).ln() / delta;
            let exact = if time < kink {
                1.0 - (1.0 - (-delta * time).exp()) / delta
            } else {
                (1.0 - delta) * (-(1.0 + delta) * (time - kink)).exp()
            };
            let fluid = Fluid::by_rank(RankLaw::quantile(delta).unwrap());
            near(fluid.tails(time).unwrap().complement(1), exact);
        }
        // One-Choice: Poisson shares, in both tails.
        let one = named("one-choice").tails(time).unwrap();
        let mut share = (-time).exp();
        for level in 0..20 {
            if share > 1e-15 {
                near(one.share(level), share);
            }
            share *= time / (level + 1) as f64;
        }
    }
}

/// Processes that are the same by definition.
#[test]
fn degenerate_parameters() {
    let same = |one: &Fluid, other: &Fluid| {
        let (one, other) = (one.tails(3.3).unwrap(), other.tails(3.3).unwrap());
        for level in 0..20 {
            let (a, b) = (one.tail(level), other.tail(level));
            assert!((a - b).abs() <= 1e-9 * a.max(1e-14), "level {level}: {a} {b}");
        }
    };
    let rank = |law: Result<RankLaw, _>| Fluid::by_rank(law.unwrap());
    let (one, two) = (named("one-choice"), named("two-choice"));
    same(&rank(RankLaw::one_plus_beta(0.0, 2)), &one);
    same(&rank(RankLaw::one_plus_beta(1.0, 2)), &two);
    same(&rank(RankLaw::distinct_choice(2)), &two);
    same(&rank(RankLaw::quantile(0.0)), &one);
    same(&rank(RankLaw::quantile(1.0)), &one);
    same(&Fluid::always_go_left(1).unwrap(), &one);
    same(&Fluid::comparison(Comparison::bounded(0)), &two);
    same(&Fluid::comparison(Comparison::myopic(1000)), &one);
    same(&Fluid::comparison(Comparison::noisy_load(0.0).unwrap()), &two);
    same(&Fluid::comparison(Comparison::new(vec![0.75]).unwrap()), &named("(1+beta); beta=0.5"));
    same(&Fluid::load_threshold(1000, 2).unwrap(), &one);
    same(&Fluid::load_threshold(2, 1).unwrap(), &one);
    same(&Fluid::relative_threshold(0.0).unwrap(), &Fluid::mean_thinning());
    same(&Fluid::relative_threshold(1000.0).unwrap(), &one);
    // In the limit: many quantiles are Two-Choice, up to 1/(4·64²).
    let many: Vec<f64> = (1..64).map(|k| f64::from(k) / 64.0).collect();
    let (many, two) = (rank(RankLaw::quantiles(&many)).tails(3.0).unwrap(), two.tails(3.0).unwrap());
    for level in 1..6 {
        let difference = (many.tail(level) - two.tail(level)).abs();
        assert!(difference < 3e-4 && difference > 0.0, "level {level}: {difference}");
    }
}

/// The right-hand side in tails, as the test kit and the definitions have it.
#[test]
fn rates_are_those_of_the_definitions() {
    let tails = [1.0, 0.9, 0.5, 0.2, 0.05, 0.0];
    let check = |fluid: &Fluid, mean: u64, expected: &dyn Fn(usize) -> f64| {
        for (level, rate) in fluid.rates(mean, &tails).into_iter().enumerate().skip(1) {
            assert!((rate - expected(level)).abs() < 1e-15, "{fluid:?}, level {level}: {rate} {}", expected(level));
        }
    };
    check(&named("three-choice"), 1, &|k| tails[k - 1].powi(3) - tails[k].powi(3));
    let quantile = |u: f64| if u < 0.5 { u / 2.0 } else { 1.5 * u - 0.5 };
    check(&named("quantile(1/2)"), 1, &|k| quantile(tails[k - 1]) - quantile(tails[k]));
    let q: Vec<f64> = (1..6).fold(vec![1.0], |mut q, k| {
        q.push(q[k - 1] * tails[k] / (1.0 - tails[k - 1] + tails[k]));
        q
    });
    check(&Fluid::caching(), 1, &|k| tails[k - 1] * q[k - 1] - tails[k] * q[k]);
    let p = |k: usize| tails[k] - tails.get(k + 1).unwrap_or(&0.0);
    check(&Fluid::mean_thinning(), 2, &|k| p(k - 1) * if k - 1 < 2 { 1.0 + tails[2] } else { tails[2] });
    let h = tails[3];
    check(&Fluid::load_threshold(3, 3).unwrap(), 1, &|k| p(k - 1) * if k - 1 < 3 { 1.0 + h + h * h } else { h * h });
    for comparison in [Comparison::bounded(1), Comparison::myopic(2), Comparison::noisy_load(1.5).unwrap()] {
        let fluid = Fluid::comparison(comparison.clone());
        check(&fluid, 1, &|k| {
            let against = |other: usize| match other as i64 - (k as i64 - 1) {
                0 => 0.5,
                difference if difference > 0 => comparison.probability(difference as u64),
                difference => 1.0 - comparison.probability(difference.unsigned_abs()),
            };
            2.0 * p(k - 1) * (0..6).map(|other| p(other) * against(other)).sum::<f64>()
        });
    }
    let supermarket = Fluid::supermarket(0.8, 2).unwrap();
    check(&supermarket, 1, &|k| 0.8 * (tails[k - 1].powi(2) - tails[k].powi(2)) - p(k));
    // Two groups, the left one fuller.
    let (left, right) = ([1.0, 0.8, 0.3], [1.0, 0.6, 0.1]);
    let rates = Fluid::always_go_left(2).unwrap().rates(1, &[left, right].concat());
    for k in 1..3 {
        let expected = [2.0 * (left[k - 1] - left[k]) * right[k - 1], 2.0 * (right[k - 1] - right[k]) * left[k]];
        assert!((rates[k] - expected[0]).abs() < 1e-15 && (rates[3 + k] - expected[1]).abs() < 1e-15);
    }
}

/// The test kit's own solution, to its accuracy.
#[test]
fn tails_are_those_of_the_test_kit() {
    for time in [0.7, 2.0, 5.5] {
        for (fluid, flow) in [
            (Fluid::d_choice(3).unwrap(), Box::new(mean_field::d_choice(3)) as Box<dyn Fn(f64) -> f64>),
            (Fluid::one_plus_beta(0.4).unwrap(), Box::new(mean_field::one_plus_beta(0.4))),
        ] {
            let tails = fluid.tails(time).unwrap();
            for (level, other) in mean_field::tails(&flow, time).iter().enumerate() {
                assert!((tails.tail(level as u64) - other).abs() < 2e-8, "{fluid:?} at {time}, level {level}");
            }
        }
    }
}

#[test]
fn the_supermarket_comes_to_its_fixed_point() {
    for (lambda, d) in [(0.5, 1), (0.9, 2), (0.8, 5)] {
        let tails = Fluid::supermarket(lambda, d).unwrap().tails(600.0).unwrap();
        for k in 0..12 {
            let fixed = supermarket_tail(lambda, d, k).unwrap();
            if fixed > 1e-14 {
                let tail = tails.tail(u64::from(k));
                assert!((tail / fixed - 1.0).abs() < 1e-8, "λ = {lambda}, d = {d}, k = {k}: {tail} {fixed}");
            }
        }
    }
    // From empty, queues first grow at the rate λ.
    let tails = Fluid::supermarket(0.9, 2).unwrap().tails(1e-4).unwrap();
    assert!((tails.tail(1) / 0.9e-4 - 1.0).abs() < 1e-3);
    assert_eq!(supermarket_tail(0.9, 2, 4000).unwrap(), 0.0);
}

/// Los and Sauerwald's published fraction of empty bins at n = 10⁴ (arXiv 2203.12400), read off to 0.0002.
#[test]
fn repeated_balls_are_those_published() {
    for (mean, published) in [(1.0, 0.4142), (2.0, 0.2360), (3.0, 0.1622)] {
        let limit = RepeatedBalls::new(mean).unwrap();
        assert!((limit.empty() - published).abs() < 4e-4, "{}", limit.empty());
        let rho = limit.nonempty();
        assert!((rho + rho * rho / (2.0 * (1.0 - rho)) - mean).abs() < 1e-12);
        // The shares are stationary: π' = π for x' = max(x − 1, 0) + Poisson(ρ).
        let shares = limit.shares(80);
        let poisson = |k: usize| (1..=k).fold((-rho).exp(), |weight, j| weight * rho / j as f64);
        for load in 0..20 {
            let next: f64 = (0..=load + 1)
                .map(|x| shares[x] * if load + 1 >= x.max(1) { poisson(load + 1 - x.max(1)) } else { 0.0 })
                .sum();
            assert!((next - shares[load]).abs() < 1e-14, "mean {mean}, load {load}");
        }
    }
}

/// The limit against a run: 10⁶ bins, every level with 100 bins or more within 6 times the spread of
/// independent bins, which is more than the real one.
fn is_near(fluid: &Fluid, counts: &[(u64, u64)], time: f64) -> bool {
    let tails = fluid.tails(time).unwrap();
    let bins: u64 = counts.iter().map(|&(_, count)| count).sum();
    counts.iter().all(|&(level, count)| {
        let expected = bins as f64 * tails.share(level);
        expected < 100.0 || (count as f64 - expected).abs() < 6.0 * expected.sqrt()
    })
}

/// Balls into a million bins by a rule that is told here anew, from its definition.
fn throw(
    time: f64,
    seed: u64,
    mut step: impl FnMut(&mut [u64], u64, &mut dyn FnMut() -> usize) -> u64,
) -> Vec<(u64, u64)> {
    const BINS: usize = 1_000_000;
    let mut loads = vec![0; BINS];
    let mut rng = rng_for_trial(31, seed);
    let mut draw = || ((u128::from(rng.next_u64()) * BINS as u128) >> 64) as usize;
    let mut total = 0;
    while (total as f64) < time * BINS as f64 {
        total += step(&mut loads, total, &mut draw);
    }
    LoadVector::from_loads(loads).unwrap().level_counts()
}

#[test]
fn runs_lie_on_the_limit() {
    const N: u64 = 1_000_000;
    let twinning = throw(1.5, 0, |loads, total, draw| {
        let bin = draw();
        let balls = if loads[bin] * N < total { 2 } else { 1 };
        loads[bin] += balls;
        balls
    });
    assert!(is_near(&Fluid::twinning(), &twinning, 1.5));
    assert!(!is_near(&Fluid::mean_thinning(), &twinning, 1.5));
    for extra in [0, 1] {
        let packing = throw(2.5, 1, |loads, total, draw| {
            let bin = draw();
            let balls = if loads[bin] * N < total { total.div_ceil(N) + extra - loads[bin] } else { 1 };
            loads[bin] += balls;
            balls
        });
        let fluid = |extra: u64| Fluid::packing(extra as u32).unwrap();
        assert!(is_near(&fluid(extra), &packing, 2.5), "{packing:?}");
        assert!(!is_near(&fluid(1 - extra), &packing, 2.5));
    }
    let relative = throw(2.5, 2, |loads, total, draw| {
        let (first, second) = (draw(), draw());
        // f = 1/2.
        let bin = if 2 * loads[first] * N < 2 * total + N { first } else { second };
        loads[bin] += 1;
        1
    });
    assert!(is_near(&Fluid::relative_threshold(0.5).unwrap(), &relative, 2.5));
    assert!(!is_near(&Fluid::mean_thinning(), &relative, 2.5));
    let myopic = throw(3.0, 3, |loads, _, draw| {
        let (first, second) = (draw(), draw());
        // g = 1: the first sample is as good as a coin.
        let bin = if loads[second] + 1 < loads[first] { second } else { first };
        loads[bin] += 1;
        1
    });
    assert!(is_near(&named("g-Myopic-Comp; g=1"), &myopic, 3.0));
    assert!(!is_near(&named("g-Myopic-Comp; g=2"), &myopic, 3.0));
    let caching = {
        let mut kept = 0;
        throw(2.0, 4, move |loads, _, draw| {
            let sample = draw();
            let bin = if loads[sample] <= loads[kept] { sample } else { kept };
            loads[bin] += 1;
            if sample == bin && loads[sample] - 1 < loads[kept] && sample != kept {
                kept = sample;
            }
            1
        })
    };
    assert!(is_near(&Fluid::caching(), &caching, 2.0));
    assert!(!is_near(&named("two-choice"), &caching, 2.0));
}

/// Rules of the library, in bulk.
#[test]
fn rules_lie_on_the_limit() {
    let run = |seed: u64, run: &dyn Fn(&mut LoadProfile, &mut bb_processes::bb_core::TrialRng)| {
        let mut loads = LoadProfile::new(1_000_000).unwrap();
        run(&mut loads, &mut rng_for_trial(32, seed));
        loads.level_counts()
    };
    let thinning = run(0, &|loads, rng| {
        MeanThinning.run(loads, 3_000_000, rng);
    });
    assert!(is_near(&Fluid::mean_thinning(), &thinning, 3.0));
    assert!(!is_near(&named("quantile(1/2)"), &thinning, 3.0));
    let threshold = |level, d| LoadThreshold::new(level).unwrap().with_d(d).unwrap();
    let loads = run(1, &|loads, rng| {
        threshold(2, 3).run(loads, 2_000_000, rng);
    });
    assert!(is_near(&Fluid::load_threshold(2, 3).unwrap(), &loads, 2.0));
    assert!(!is_near(&Fluid::load_threshold(2, 2).unwrap(), &loads, 2.0));
}

#[test]
fn bad_input_is_refused() {
    for t in [-1.0, f64::NAN, f64::INFINITY, 1e7] {
        assert!(Fluid::caching().tails(t).is_err(), "t = {t}");
    }
    assert_eq!(Fluid::d_choice(0).unwrap_err().to_string(), "d = 0 is outside 1..");
    assert_eq!(Fluid::always_go_left(65).unwrap_err().to_string(), "d = 65 is outside 1..=64");
    assert_eq!(Fluid::supermarket(1.0, 2).unwrap_err().to_string(), "lambda = 1.0 is outside (0, 1)");
    assert_eq!(Fluid::relative_threshold(-1.0).unwrap_err().to_string(), "f = -1.0 is outside [0, 2^20]");
    assert!(Fluid::load_threshold(0, 2).is_err() && Fluid::load_threshold(1, 0).is_err());
    assert!(Fluid::packing(65).is_err() && Fluid::supermarket(0.5, 0).is_err());
    assert!(Comparison::new(vec![]).is_err() && Comparison::new(vec![1.5]).is_err());
    assert!(Comparison::noisy_load(-1.0).is_err() && Comparison::noisy_load(f64::NAN).is_err());
    assert!(d_choice_time(0, 0.5).is_err() && d_choice_time(2, 1.0).is_err());
    assert!(supermarket_tail(1.5, 2, 1).is_err() && supermarket_tail(0.5, 0, 1).is_err());
    assert!(RepeatedBalls::new(-1.0).is_err());
    // No levels, no rates.
    assert!(Fluid::caching().rates(1, &[]).is_empty());
}
