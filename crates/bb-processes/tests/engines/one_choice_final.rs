//! The final loads of One-Choice, drawn at once: exact laws, exact means at any size, and twins.
//!
//! The twins are loads with a few balls too many, and Poisson loads without the repair, whose number of balls
//! is right on average only.

use std::collections::BTreeMap;

use bb_processes::bb_core::samplers::Multinomial;
use bb_processes::bb_core::{Bins, LoadVector, LoadsError, Metrics, TrialRng, rng_for_trial};
use bb_processes::{FinalLoadsError, OneChoice};
use bb_testkit::exact::{Law, chain, ratio};
use bb_testkit::laws::one_choice::max_law;
use bb_testkit::stats::{Mean, Verdict, goodness_of_fit, same_law, tally};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Level counts from load 0 on.
fn profile(bins: u64, balls: u64, rng: &mut TrialRng) -> Vec<u64> {
    let counts = OneChoice::final_profile(bins, balls, rng).unwrap().level_counts();
    let mut levels = vec![0; counts.last().unwrap().0 as usize + 1];
    counts.iter().for_each(|&(load, count)| levels[load as usize] = count);
    levels
}

/// Independent Poisson loads, up to load 40: what the repair starts from.
fn poisson(bins: u64, mean: f64, rng: &mut TrialRng) -> Vec<u64> {
    let weights: Vec<f64> = (0..40)
        .scan(1.0, |weight, load| Some(core::mem::replace(weight, *weight * mean / f64::from(load + 1))))
        .collect();
    let mut counts = vec![0; weights.len()];
    Multinomial::new(&weights).unwrap().split_into(bins, rng, &mut counts).unwrap();
    counts
}

/// All ways to put balls into labelled bins, with their multinomial probabilities.
fn multinomial(bins: u64, balls: u64) -> Law<Vec<u64>> {
    chain(vec![0; bins as usize], balls, |loads| {
        let with = |bin: usize| loads.iter().enumerate().map(|(i, &load)| load + u64::from(i == bin)).collect();
        (0..loads.len()).map(|bin| (ratio(1, bins), with(bin))).collect()
    })
}

fn sorted(mut loads: Vec<u64>) -> Vec<u64> {
    loads.sort_unstable_by(|a, b| b.cmp(a));
    loads
}

const RUNS: usize = 40_000;

/// Few balls a bin are thrown and many are drawn; the labels are kept apart.
#[test]
fn labelled_loads_are_multinomial() {
    for (bins, balls) in [(1, 40), (2, 1), (2, 5), (2, 17), (2, 60), (3, 4), (3, 25), (3, 40), (4, 33), (5, 6)] {
        let law = multinomial(bins, balls).to_f64();
        let draw = |balls, trial| {
            let mut rng = rng_for_trial(60, trial);
            let loads = |_| OneChoice::final_loads(bins, balls, &mut rng).unwrap().to_vec();
            goodness_of_fit(&tally((0..RUNS).map(loads)), &law)
        };
        draw(balls, bins).assert_fits(&format!("{balls} balls in {bins} labelled bins"), 60);
        // With a ball too many no outcome is right.
        draw(balls + 1, bins).assert_rejects("one more ball", 60);
    }
}

/// The joint law of the level counts, and with it the maximum; where levels are not split by rational
/// numbers, the unit tests do the same.
#[test]
fn small_profiles_are_multinomial() {
    for (bins, balls) in [(1, 0), (1, 70), (2, 1), (2, 9), (2, 70), (3, 12), (3, 66), (5, 1), (5, 8), (8, 6)] {
        let law = bb_testkit::ranks::sorted_chain(bins, balls, |_| bb_testkit::ranks::one_choice(bins)).to_f64();
        let mut rng = rng_for_trial(61, bins);
        let loads = |_| {
            let counts = OneChoice::final_profile(bins, balls, &mut rng).unwrap().level_counts();
            sorted(counts.into_iter().flat_map(|(load, count)| vec![load; count as usize]).collect())
        };
        let verdict = goodness_of_fit(&tally((0..RUNS).map(loads)), &law);
        verdict.assert_fits(&format!("{balls} balls in {bins} bins"), 61);
    }
}

/// The exact law of the number of empty bins: a ball fills one with probability empty/n.
fn empty_law(bins: usize, balls: u64) -> BTreeMap<u64, f64> {
    let mut law = vec![0.0; bins + 1];
    law[bins] = 1.0;
    for _ in 0..balls {
        for empty in 0..bins {
            let fills = (empty + 1) as f64 / bins as f64;
            law[empty] = law[empty] * (1.0 - empty as f64 / bins as f64) + law[empty + 1] * fills;
        }
        law[bins] = 0.0;
    }
    (0..).zip(law).filter(|&(_, probability)| probability > 1e-14).collect()
}

/// Means of Poisson loads are nearly right; their spread is not.
#[test]
fn empty_bins_have_the_exact_law() {
    let law = empty_law(1000, 1000);
    let test = |mut levels: Box<dyn FnMut() -> Vec<u64>>| {
        goodness_of_fit(&tally((0..100_000).map(|_| levels().first().copied().unwrap_or(0))), &law)
    };
    let mut rng = [0, 1, 2].map(|trial| rng_for_trial(62, trial)).into_iter();
    let mut next = || rng.next().unwrap();
    let (mut right, mut more, mut unrepaired) = (next(), next(), next());
    test(Box::new(move || profile(1000, 1000, &mut right))).assert_fits("empty bins", 62);
    test(Box::new(move || profile(1000, 1001, &mut more))).assert_rejects("one ball in 1000 too many", 62);
    test(Box::new(move || poisson(1000, 1.0, &mut unrepaired))).assert_rejects("without repair", 62);
}

/// `n·P(Bin(m, 1/n) = k)` from level `first`, for `levels` levels.
fn expected_levels(bins: u64, balls: u64, first: u64, levels: u64) -> Vec<f64> {
    let (n, m) = (bins as f64, balls as f64);
    let ln_missed = (-1.0 / n).ln_1p();
    let mut ln = m * ln_missed + n.ln();
    let mut means = Vec::new();
    for level in 0..first + levels {
        if level >= first {
            means.push(ln.exp());
        }
        let k = level as f64;
        ln += ((m - k) / (k + 1.0) / n).ln() - ln_missed;
    }
    means
}

/// All levels within one band: the least p-value, times the number of levels. Levels met fewer than 1000
/// times in all runs are left out.
fn level_means(bins: u64, [balls, balls_expected]: [u64; 2], runs: u64, seed: u64) -> Verdict {
    let mean = balls_expected / bins;
    let spread = 8 * (mean + 1).isqrt() + 20;
    let first = mean.saturating_sub(spread);
    let expected = expected_levels(bins, balls_expected, first, 2 * spread + 1);
    let mut rng = rng_for_trial(seed, bins);
    let mut values = vec![Vec::new(); expected.len()];
    for _ in 0..runs {
        let levels = profile(bins, balls, &mut rng);
        for (level, values) in (first as usize..).zip(&mut values) {
            values.push(levels.get(level).copied().unwrap_or(0) as f64);
        }
    }
    let verdicts: Vec<Verdict> = (expected.iter().zip(values))
        .filter(|&(expected, _)| expected * runs as f64 > 1000.0)
        .map(|(&expected, values)| Mean::of(values).agrees(Mean::exact(expected)))
        .collect();
    assert!(verdicts.len() >= 5, "{} levels", verdicts.len());
    let worst = *verdicts.iter().min_by(|a, b| a.p_value.total_cmp(&b.p_value)).unwrap();
    Verdict { p_value: (worst.p_value * verdicts.len() as f64).min(1.0), ..worst }
}

#[test]
fn level_means_are_binomial_at_every_size() {
    for (bins, balls, runs) in [
        (1000, 1000, 10_000),
        (100_000, 100_000, 10_000),
        (1 << 30, 1 << 30, 10_000),
        (1 << 40, 1 << 40, 10_000),
        (1 << 60, 1 << 60, 10_000),
        (1 << 62, 1 << 62, 10_000),
        (1 << 59, 1 << 62, 3000),
        (1 << 30, 1 << 27, 10_000),
        (10_000, 1_000_000, 2000),
        (100_000, 100_000_000, 300),
        (1 << 40, 100 << 40, 1000),
    ] {
        level_means(bins, [balls, balls], runs, 63).assert_fits(&format!("{balls} balls in {bins} bins"), 63);
        // 30 standard errors of a mean over all bins and runs; at 2^62 bins that is one ball in 7·10^9.
        let excess = (balls as f64 * 30.0 / (bins as f64 * runs as f64).sqrt()).ceil() as u64;
        level_means(bins, [balls - excess, balls], runs, 63).assert_rejects("a few balls too few", 63);
    }
}

fn max_loads(bins: u64, balls: u64, runs: usize, trial: u64) -> BTreeMap<u64, u64> {
    let mut rng = rng_for_trial(65, trial);
    tally((0..runs).map(|_| OneChoice::final_profile(bins, balls, &mut rng).unwrap().max_load()))
}

#[test]
fn maximum_loads_have_the_exact_law() {
    for (bins, balls, runs) in
        [(1000, 1000, 40_000), (100_000, 100_000, 40_000), (1000, 100_000, 10_000), (100, 100_000, 10_000)]
    {
        let law = max_law(bins, balls);
        goodness_of_fit(&max_loads(bins, balls, runs, bins), &law).assert_fits(&format!("maximum of {balls}"), 65);
        let more = max_loads(bins, balls + balls / 50, runs, bins);
        goodness_of_fit(&more, &law).assert_rejects("one ball in 50 too many", 65);
    }
}

fn count_ends(loads: &impl Metrics<Load = u64>, [maxima, minima]: &mut [BTreeMap<u64, u64>; 2]) {
    *maxima.entry(loads.max_load()).or_insert(0) += 1;
    *minima.entry(loads.min_load()).or_insert(0) += 1;
}

/// Two ways that share nothing but the binomial draws.
#[test]
fn labelled_loads_and_profiles_agree_for_many_balls_a_bin() {
    let (bins, balls, runs) = (10_000, 200_000, 2000);
    let mut rng = rng_for_trial(66, 0);
    let mut labelled = [BTreeMap::new(), BTreeMap::new()];
    for _ in 0..runs {
        count_ends(&OneChoice::final_loads(bins, balls, &mut rng).unwrap(), &mut labelled);
    }
    for (balls, right) in [(balls, true), (balls + balls / 25, false)] {
        let mut counted = [BTreeMap::new(), BTreeMap::new()];
        for _ in 0..runs {
            count_ends(&OneChoice::final_profile(bins, balls, &mut rng).unwrap(), &mut counted);
        }
        for (a, b) in labelled.iter().zip(&counted) {
            let verdict = same_law(a, b);
            if right {
                verdict.assert_fits("labelled and counted", 66);
            } else {
                verdict.assert_rejects("one ball in 25 too many", 66);
            }
        }
    }
}

/// Numbers of every magnitude up to `2^bits`.
fn number(bits: u32) -> impl Strategy<Value = u64> {
    prop_oneof![
        (0..=bits).prop_map(|bits| 1 << bits),
        (0..=bits, any::<u64>()).prop_map(move |(bits, x)| (x >> 1 >> (63 - bits)).max(1)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, rng_seed: RngSeed::Fixed(67), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bins_and_balls_of_profiles_are_exact(bins in number(62), share in number(7), balls in number(62), seed: u64) {
        // At most 128 balls a bin, to be fast.
        let balls = balls.min(bins.saturating_mul(share));
        let loads = OneChoice::final_profile(bins, balls, &mut rng_for_trial(seed, 0)).unwrap();
        let counts = loads.level_counts();
        prop_assert_eq!((loads.bins(), loads.total()), (bins, balls));
        prop_assert_eq!(counts.iter().map(|&(_, count)| count).sum::<u64>(), bins);
        let sum: u128 = counts.iter().map(|&(load, count)| u128::from(load) * u128::from(count)).sum();
        prop_assert_eq!(sum, u128::from(balls));
    }

    #[test]
    fn balls_of_labelled_loads_are_exact(bins in 1..100_u64, balls in number(62), seed: u64) {
        let loads = OneChoice::final_loads(bins, balls, &mut rng_for_trial(seed, 0)).unwrap();
        prop_assert_eq!((loads.bins(), loads.total(), loads.iter().sum::<u64>()), (bins, balls, balls));
    }
}

#[test]
fn the_ends_of_the_ranges() {
    let mut rng = rng_for_trial(68, 0);
    for bins in [1, 2, 1000, 1 << 62] {
        let profile = OneChoice::final_profile(bins, 0, &mut rng).unwrap();
        assert_eq!((profile.level_counts(), profile.all_time_gap()), (vec![(0, bins)], 0.0));
    }
    assert_eq!(OneChoice::final_loads(5, 0, &mut rng).unwrap(), LoadVector::new(5).unwrap());
    let most = 1 << 62;
    assert_eq!(OneChoice::final_profile(1, most, &mut rng).unwrap().level_counts(), [(most, 1)]);
    assert_eq!(OneChoice::final_loads(1, most, &mut rng).unwrap().to_vec(), [most]);
    let halves = OneChoice::final_loads(2, most, &mut rng).unwrap();
    // Standard deviation 2^30.
    assert!((halves.gap() - 0.0).abs() < 6.0 * 2_f64.powi(30) && halves.gap() > 1e4);
    let profile = OneChoice::final_profile(2000, 1 << 40, &mut rng).unwrap();
    assert_eq!((profile.bins(), profile.total(), profile.all_time_gap()), (2000, 1 << 40, profile.gap()));
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let mut rng = rng_for_trial(69, 0);
    let untouched = rng.clone();
    let too_many = |error: FinalLoadsError| {
        assert_eq!(error.to_string(), "balls = 4611686018427387905 is outside 0..=2^62");
        matches!(error, FinalLoadsError::Balls(_))
    };
    assert!(too_many(OneChoice::final_loads(3, (1 << 62) + 1, &mut rng).unwrap_err()));
    assert!(too_many(OneChoice::final_profile(3, (1 << 62) + 1, &mut rng).unwrap_err()));
    let mut refused = |bins, balls| match OneChoice::final_profile(bins, balls, &mut rng).unwrap_err() {
        FinalLoadsError::Loads(error) => error,
        error => panic!("{error}"),
    };
    assert_eq!(refused(0, 1), LoadsError::NoBins);
    assert!(matches!(refused((1 << 62) + 1, 1), LoadsError::TooManyBins { .. }));
    assert!(matches!(refused(2, 1 << 60), LoadsError::TooManyLevels { .. }));
    assert_eq!(OneChoice::final_loads(0, 1, &mut rng).unwrap_err(), LoadsError::NoBins.into());
    let huge = OneChoice::final_loads(1 << 61, 1, &mut rng).unwrap_err();
    assert!(matches!(huge, FinalLoadsError::Loads(LoadsError::DoesNotFit { .. })));
    assert_eq!(rng, untouched);
}

#[test]
fn fixed_results_for_fixed_seeds() {
    let mut rng = rng_for_trial(1, 0);
    assert_eq!(OneChoice::final_loads(8, 10, &mut rng).unwrap().to_vec(), [0, 0, 1, 2, 1, 2, 2, 2]);
    assert_eq!(
        OneChoice::final_loads(8, 1 << 40, &mut rng).unwrap().to_vec(),
        [
            137_438_513_948,
            137_439_500_051,
            137_438_434_634,
            137_438_983_962,
            137_439_196_523,
            137_439_272_271,
            137_439_203_453,
            137_438_522_934
        ]
    );
    assert_eq!(OneChoice::final_profile(1 << 50, 50, &mut rng).unwrap().level_counts(), [(0, (1 << 50) - 50), (1, 50)]);
    assert_eq!(
        OneChoice::final_profile(5, 100, &mut rng).unwrap().level_counts(),
        [(13, 1), (18, 1), (20, 1), (22, 1), (27, 1)]
    );
    assert_eq!(
        OneChoice::final_profile(1 << 60, 1 << 60, &mut rng).unwrap().level_counts(),
        [
            (0, 424_136_118_609_003_459),
            (1, 424_136_119_347_266_720),
            (2, 212_068_059_127_920_753),
            (3, 70_689_353_014_341_294),
            (4, 17_672_338_380_337_058),
            (5, 3_534_467_683_943_200),
            (6, 589_077_951_202_563),
            (7, 84_153_984_332_886),
            (8, 10_519_241_174_988),
            (9, 1_168_802_360_187),
            (10, 116_880_815_788),
            (11, 10_625_382_575),
            (12, 885_436_830),
            (13, 68_114_438),
            (14, 4_868_903),
            (15, 323_773),
            (16, 20245),
            (17, 1241),
            (18, 69),
            (19, 6)
        ]
    );
    assert_eq!(
        profile(1000, 20_000, &mut rng)[9..],
        [2, 5, 13, 23, 31, 32, 42, 65, 80, 81, 84, 90, 95, 77, 73, 63, 42, 24, 31, 17, 12, 9, 5, 0, 1, 2, 0, 0, 1]
    );
}
