use bb_processes::bb_core::{Allocator, Bins, LoadProfile, LoadVector, Metrics, Place, majorizes, rng_for_trial};
use bb_processes::{ByRank, DChoice, DistinctChoice, OneChoice, OnePlusBeta};
use bb_testkit::BigRational;
use bb_testkit::ranks;
use bb_testkit::stats::{goodness_of_fit, tally};
use bb_theory::allocation::RankLaw;
use bb_theory::exact::{ratio, vectors};
use num_traits::ToPrimitive;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const SEED: u64 = 30;

/// Pairs (law, its exact vector by the test kit or by the exact module, which share no code with it).
fn laws(n: u64) -> Vec<(RankLaw, Vec<BigRational>)> {
    let end = |delta: f64| (delta * n as f64) as u64;
    let mut laws = vec![
        (RankLaw::one_choice(), ranks::one_choice(n)),
        (RankLaw::d_choice(2).unwrap(), ranks::d_choice(n, 2)),
        (RankLaw::d_choice(5).unwrap(), ranks::d_choice(n, 5)),
        (RankLaw::one_plus_beta(0.5, 2).unwrap(), ranks::one_plus_beta(n, &ratio(1, 2), 2)),
        (RankLaw::one_plus_beta(0.25, 3).unwrap(), ranks::one_plus_beta(n, &ratio(1, 4), 3)),
        (RankLaw::quantile(0.5).unwrap(), vectors::quantiles(n, &[end(0.5)])),
        (RankLaw::quantile(1.0).unwrap(), ranks::one_choice(n)),
        (RankLaw::quantile(0.0).unwrap(), ranks::one_choice(n)),
        (RankLaw::quantiles(&[0.25, 0.5, 0.8]).unwrap(), vectors::quantiles(n, &[0.25, 0.5, 0.8].map(end))),
    ];
    for d in 1..=n.min(4) as u32 {
        laws.push((RankLaw::distinct_choice(d).unwrap(), ranks::d_choice_distinct(n, d)));
    }
    laws
}

#[test]
fn vectors_are_the_exact_ones() {
    for n in 1..=9 {
        for (law, exact) in laws(n) {
            let mut prefix = ratio(0, 1);
            for (rank, probability) in (1..).zip(&exact) {
                let near = |found: f64, exact: &BigRational| (found - exact.to_f64().unwrap()).abs() < 1e-15;
                assert!(near(law.probability(rank, n), probability), "{law:?}, rank {rank} of {n}");
                prefix += probability;
                assert!(near(law.prefix(rank, n), &prefix), "{law:?}, prefix {rank} of {n}");
            }
            assert_eq!((law.prefix(0, n), law.prefix(n, n), law.probability(0, n)), (0.0, 1.0, 0.0), "{law:?}");
        }
    }
}

/// Small differences keep their digits: the heaviest of 2^40 bins.
#[test]
fn nothing_cancels_for_many_bins() {
    let n = 1 << 40;
    let relative = |found: f64, exact: f64| (found / exact - 1.0).abs() < 1e-14;
    let two = RankLaw::d_choice(2).unwrap();
    assert!(relative(two.probability(1, n), (n as f64).powi(-2)));
    assert!(relative(two.probability(1 << 39, n), (n as f64 - 1.0) / (n as f64).powi(2)));
    let distinct = RankLaw::distinct_choice(2).unwrap();
    assert!(relative(distinct.probability(2, n), 2.0 / (n as f64) / (n as f64 - 1.0)));
    // The limit, and its ends.
    for (law, _) in laws(8) {
        for u in [0.0, 0.1, 0.25, 0.3, 0.5, 0.77, 1.0] {
            let prefix = law.prefix((u * n as f64) as u64, n);
            assert!((law.limit(u) - prefix).abs() < 1e-10, "{law:?} at {u}");
        }
        assert!((n as f64 * law.probability(1, n) - law.slope_at_heaviest()).abs() < 1e-10, "{law:?}");
        assert!((n as f64 * law.probability(n, n) - law.slope_at_lightest()).abs() < 1e-10, "{law:?}");
    }
}

#[test]
fn bad_parameters_are_refused() {
    let message = |law: Result<RankLaw, bb_theory::ParameterError>| law.unwrap_err().to_string();
    assert_eq!(message(RankLaw::d_choice(0)), "d = 0 is outside 1..");
    assert_eq!(message(RankLaw::distinct_choice(0)), "d = 0 is outside 1..");
    assert_eq!(message(RankLaw::one_plus_beta(-0.5, 2)), "beta = -0.5 is outside [0, 1]");
    assert_eq!(message(RankLaw::quantiles(&[0.5, 0.5])), "delta = 0.5 is outside [0, 1], increasing");
    assert!(RankLaw::quantile(f64::NAN).is_err() && RankLaw::quantiles(&[0.5, 1.5]).is_err());
}

/// The sorted loads, heaviest first.
fn sorted(loads: &LoadProfile) -> Vec<u64> {
    (0..loads.bins()).map(|rank| loads.load(loads.nth(rank))).collect()
}

/// Runs by rank and the rule itself have one law: 4 bins, 8 balls, against the exact chain of the vector.
/// False alarm 1e-6 each.
#[test]
fn runs_by_rank_follow_the_law_of_the_vector() {
    for (law, exact) in laws(4) {
        let chain = ranks::sorted_chain(4, 8, |_| exact.clone()).to_f64();
        let run = |law: &RankLaw| {
            let mut rng = rng_for_trial(SEED, 0);
            tally((0..30_000).map(|_| {
                let mut loads = LoadProfile::new(4).unwrap();
                ByRank::new(law.clone()).run(&mut loads, 8, &mut rng);
                sorted(&loads)
            }))
        };
        goodness_of_fit(&run(&law), &chain).assert_fits(&format!("{law:?}"), SEED);
        // On four bins, three quantiles tell all ranks apart: Two-Choice.
        let wrong = if exact == ranks::d_choice(4, 2) { 3 } else { 2 };
        let wrong = RankLaw::d_choice(wrong).unwrap();
        goodness_of_fit(&run(&wrong), &chain).assert_rejects(&format!("{wrong:?} as {law:?}"), SEED);
    }
}

/// What a random case of the chains of laws is made of.
#[derive(Clone, Copy, Debug)]
struct Case {
    bins: u64,
    d: u32,
    /// In sixteenths, the second more than the first.
    betas: [u64; 2],
    /// The cuts between ranks, as bits: the second set is part of the first.
    cuts: [u8; 2],
    /// One cut, for a quantile.
    cut: u64,
}

impl Case {
    /// Quantiles that are whole numbers of bins.
    fn quantiles(&self, which: usize) -> RankLaw {
        let cuts = (1..self.bins).filter(|cut| self.cuts[which] >> cut & 1 == 1);
        RankLaw::quantiles(&cuts.map(|cut| cut as f64 / self.bins as f64).collect::<Vec<f64>>()).unwrap()
    }

    fn beta(sixteenths: u64) -> RankLaw {
        RankLaw::one_plus_beta(sixteenths as f64 / 16.0, 2).unwrap()
    }

    fn delta(&self) -> f64 {
        self.cut as f64 / self.bins as f64
    }

    /// The largest β, in sixteenths, with β ≤ min(δ, 1 − δ).
    fn beta_of_delta(&self) -> u64 {
        16 * self.cut.min(self.bins - self.cut) / self.bins
    }

    /// Pairs (better, worse): every chain, link by link.
    fn chains(&self) -> Vec<(RankLaw, RankLaw)> {
        let choice = |d| RankLaw::d_choice(d).unwrap();
        let distinct = |d| RankLaw::distinct_choice(d).unwrap();
        let quantile = RankLaw::quantile(self.delta()).unwrap();
        let [less, more] = self.betas.map(Self::beta);
        vec![
            // More choices.
            (choice(2), RankLaw::one_choice()),
            (choice(self.d + 1), choice(self.d)),
            (distinct(self.d + 1), distinct(self.d)),
            // Without replacement.
            (distinct(self.d), choice(self.d)),
            // (1+β).
            (more, less.clone()),
            (choice(2), less),
            // Quantiles, and fewer of them.
            (choice(2), self.quantiles(0)),
            (self.quantiles(0), self.quantiles(1)),
            (self.quantiles(1), RankLaw::one_choice()),
            (choice(2), quantile.clone()),
            // β ≤ min(δ, 1 − δ).
            (quantile, Self::beta(self.beta_of_delta())),
        ]
    }
}

/// Sorted loads, each with a ball more at the rank to which the same number leads.
fn coupled(laws: [&RankLaw; 2], loads: &mut [LoadProfile; 2], u: f64) {
    for (law, loads) in laws.into_iter().zip(loads) {
        let bin = loads.nth(law.rank(u, loads.bins()) - 1);
        loads.place(bin, &());
    }
}

/// Where the prefix sums are out of order, some number leads the "better" process to a heavier rank, and from
/// loads that are all different majorization is lost at once.
fn is_lost(better: &RankLaw, worse: &RankLaw, bins: u64) -> bool {
    let stairs = LoadProfile::from_level_counts(&(0..bins).map(|load| (load, 1)).collect::<Vec<_>>()).unwrap();
    (1..bins).any(|rank| {
        let (first, second) = (better.prefix(rank, bins), worse.prefix(rank, bins));
        let mut loads = [stairs.clone(), stairs.clone()];
        coupled([better, worse], &mut loads, (first + second) / 2.0);
        first > second + 1e-12 && !majorizes(&sorted(&loads[1]), &sorted(&loads[0]))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, rng_seed: RngSeed::Fixed(31), failure_persistence: None, ..ProptestConfig::default() })]

    /// After every ball, from loads in any common state, with one uniform number a ball.
    #[test]
    fn the_better_process_stays_majorized_ball_by_ball(
        (bins, cut) in (1_u64..9).prop_flat_map(|bins| (Just(bins), 0..=bins)),
        d in 1_u32..7,
        (less, more) in (0_u64..=16).prop_flat_map(|less| (Just(less), less..=16)),
        (fine, part) in (any::<u8>(), any::<u8>()),
        start in prop::collection::vec(0_u64..4, 8),
        uniforms in prop::collection::vec(0.0..1.0, 0..60),
    ) {
        let case = Case { bins, d, betas: [less, more], cuts: [fine, fine & part], cut };
        let start = LoadVector::from_loads(start[..bins as usize].to_vec()).unwrap();
        for (better, worse) in case.chains() {
            let mut loads = [LoadProfile::from(&start), LoadProfile::from(&start)];
            for &u in &uniforms {
                coupled([&better, &worse], &mut loads, u);
                let [low, up] = loads.each_ref().map(sorted);
                prop_assert!(majorizes(&up, &low), "{better:?} {worse:?} {low:?} {up:?}");
            }
            // The other way round: wherever the two laws differ.
            let differ = (1..bins).any(|rank| better.prefix(rank, bins) < worse.prefix(rank, bins) - 1e-12);
            prop_assert_eq!(is_lost(&worse, &better, bins), differ, "{:?} {:?}", worse, better);
        }
        // Only if β ≤ min(δ, 1 − δ), for β(1 − 1/n) where the number of bins is finite.
        let quantile = RankLaw::quantile(case.delta()).unwrap();
        for sixteenths in 0..=16 {
            let enough = sixteenths * (bins - 1) <= 16 * cut.min(bins - cut);
            prop_assert_eq!(!is_lost(&quantile, &Case::beta(sixteenths), bins), enough, "{:?}, {}/16", quantile, sixteenths);
        }
    }
}

/// Every link of the chains is broken the other way round by a plain run from empty bins, too.
#[test]
fn the_worse_process_does_not_stay_majorized() {
    let run = |better: &RankLaw, worse: &RankLaw, n: u64| {
        let (mut low, mut up) = (LoadProfile::new(n).unwrap(), LoadProfile::new(n).unwrap());
        let (mut first, mut second) = (ByRank::new(better.clone()), ByRank::new(worse.clone()));
        let (mut rng, mut same) = (rng_for_trial(SEED, n), rng_for_trial(SEED, n));
        (0..40 * n).all(|_| {
            first.step(&mut low, &mut rng);
            second.step(&mut up, &mut same);
            majorizes(&sorted(&up), &sorted(&low))
        })
    };
    for (bins, cut) in [(8, 4), (8, 2), (8, 6)] {
        let case = Case { bins, d: 2, betas: [4, 12], cuts: [0b0101_0100, 0b0001_0000], cut };
        for (better, worse) in case.chains() {
            assert!(run(&better, &worse, bins), "{better:?} {worse:?}");
            assert!(!run(&worse, &better, bins), "{better:?} {worse:?}");
        }
    }
}

/// At many bins the gap of a run by rank is that of the rule: means over 60 runs, 5 standard errors of each.
#[test]
fn runs_by_rank_are_the_rules() {
    fn check<A: Allocator<LoadProfile> + Clone>(law: RankLaw, rule: &A) {
        let by_rank = gaps(&ByRank::new(law.clone()), 0);
        let by_rule = gaps(rule, 1);
        let spread = ((by_rank.1 + by_rule.1) / 60.0).sqrt();
        assert!((by_rank.0 - by_rule.0).abs() < 5.0 * spread, "{law:?}: {by_rank:?} {by_rule:?}");
    }
    fn gaps<A: Allocator<LoadProfile> + Clone>(rule: &A, seed: u64) -> (f64, f64) {
        let variances: Vec<f64> = (0..60)
            .map(|trial| {
                let mut loads = LoadProfile::new(500).unwrap();
                rule.clone().start_and_run(&mut loads, 5000, &mut rng_for_trial(seed, trial)).unwrap();
                loads.variance()
            })
            .collect();
        let mean = variances.iter().sum::<f64>() / 60.0;
        (mean, variances.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 59.0)
    }
    check(RankLaw::one_choice(), &OneChoice);
    check(RankLaw::d_choice(2).unwrap(), &DChoice::two());
    check(RankLaw::distinct_choice(3).unwrap(), &DistinctChoice::new(3).unwrap());
    check(RankLaw::one_plus_beta(0.3, 2).unwrap(), &OnePlusBeta::new(0.3).unwrap());
}
