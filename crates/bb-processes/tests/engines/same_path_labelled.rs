//! The same bins from the same words, whichever way a rule is called; and what a run leaves for a fixed seed.

use bb_processes::bb_core::{History, LoadVector, Rng, rng_for_trial};

use crate::rules::labelled_rules;
use crate::same_path::{Outcome, outcome, run, run_dynamic, steps, steps_dynamic};

const SIZES: [(u64, u64); 5] = [(3, 1000), (4, 7), (12, 5000), (100, 12_345), (1009, 20_000)];

#[test]
fn run_is_step_repeated_and_goes_through_pointers() {
    for (bins, balls) in SIZES {
        for (name, rule) in labelled_rules(bins) {
            let whole = run(&*rule, bins, balls);
            assert_eq!(whole.0.total(), balls, "{name}");
            assert_eq!(whole, steps(&*rule, bins, balls), "{name}, n = {bins}");
            let in_pieces = outcome(bins, |loads, rng| {
                let mut rule = rule.copy();
                rule.run(loads, balls / 3, rng);
                rule.step(loads, rng);
                rule.run(loads, balls - balls / 3 - 1, rng);
            });
            assert_eq!(whole, in_pieces, "{name} in pieces, n = {bins}");
            let mut boxed = rule.dynamic();
            assert_eq!(whole, run_dynamic(&mut boxed, bins, balls), "{name} boxed, n = {bins}");
            assert_eq!(whole, steps_dynamic(&mut { boxed }, bins, balls), "{name} boxed by step, n = {bins}");
        }
    }
}

#[test]
fn decide_is_choose() {
    for bins in [3, 12, 1009] {
        for (name, rule) in labelled_rules(bins) {
            let chosen = steps(&*rule, bins, 3000);
            let mut history = History::new();
            let decided: Outcome = outcome(bins, |loads, rng| rule.copy().record(&mut history, loads, 3000, rng));
            assert_eq!(chosen, decided, "{name}, n = {bins}");
            let later = history.iter().filter(|step| step.decision.sample > 1).count();
            assert!(
                history.iter().map(|step| step.decision).all(|taken| !taken.is_primary() || taken.bin == taken.primary)
            );
            assert!(later > 100 || name.contains("d = 1"), "{name}: a later sample was taken {later} times");
        }
    }
}

/// `choose` places nothing, and twice from the same words is the same bin. A rule starts where it is made
/// for, and knows its samples.
#[test]
fn choose_only_looks() {
    for (name, mut rule) in labelled_rules(6) {
        let loads = LoadVector::from_loads(vec![4, 0, 2, 2, 9, 1]).unwrap();
        assert_eq!(rule.start(&loads), Ok(()), "{name}");
        assert!(rule.sample_count().unwrap().per_ball(1) >= 1.0, "{name}");
        let before = loads.clone();
        for trial in 0..50 {
            let choose = || rule.copy().choose(&loads, &mut rng_for_trial(4, trial));
            assert_eq!(choose(), choose(), "{name}");
        }
        assert_eq!(loads, before, "{name}");
    }
}

#[test]
fn no_ball_takes_no_word() {
    for (name, mut rule) in labelled_rules(3) {
        let mut loads = LoadVector::from_loads(vec![2, 5, 3]).unwrap();
        let mut rng = rng_for_trial(8, 1);
        assert_eq!(rule.start(&loads), Ok(()), "{name}");
        assert_eq!(rule.run(&mut loads, 0, &mut rng), 0, "{name}");
        assert_eq!(loads.to_vec(), [2, 5, 3], "{name}");
        assert_eq!(rng.next_u64(), rng_for_trial(8, 1).next_u64(), "{name}");
    }
}

/// Fixed results for fixed seeds: the first bins of ten, and a digest of 1009. To change one is a
/// value-breaking change and belongs into the changelog.
#[test]
fn value_stability() {
    let firsts = labelled_rules(10).into_iter().map(|(name, mut rule)| {
        let (mut loads, mut rng) = (LoadVector::new(10).unwrap(), rng_for_trial(1, 0));
        (name, std::array::from_fn(|_| rule.step(&mut loads, &mut rng)))
    });
    let digests = labelled_rules(1009).into_iter().map(|(_, mut rule)| {
        let mut loads = LoadVector::new(1009).unwrap();
        rule.run(&mut loads, 10_000, &mut rng_for_trial(1, 1));
        loads.iter().fold(0, |digest: u64, load| digest.wrapping_mul(31).wrapping_add(load))
    });
    let all: Vec<(_, [usize; 6], _)> =
        firsts.zip(digests).map(|((name, first), digest)| (name, first, digest)).collect();
    assert_eq!(
        all,
        [
            ("always-go-left, d = 1", [8, 9, 4, 6, 2, 6], 10_410_803_057_035_785_936),
            ("always-go-left, d = 2", [4, 2, 1, 7, 9, 3], 744_094_193_046_990_922),
            ("always-go-left, d = 3", [2, 3, 1, 4, 0, 8], 9_657_879_836_776_349_452),
            ("group choice, d = 2", [9, 3, 2, 8, 6, 3], 2_255_307_216_265_787_634),
            ("group choice, d = 3", [8, 4, 7, 1, 9, 3], 14_806_039_741_939_661_512),
            ("double hashing, d = 1", [8, 4, 2, 5, 9, 1], 15_973_605_274_564_310_336),
            ("double hashing, d = 3", [7, 2, 8, 4, 9, 5], 11_489_211_898_892_584_458),
            ("two classes", [1, 0, 2, 4, 2, 8], 7_110_633_422_078_845_408),
            ("two classes, the less likely", [1, 6, 2, 4, 2, 8], 17_561_687_874_984_789_098),
            ("circle", [1, 6, 0, 5, 7, 9], 9_270_289_205_355_460_554),
            ("cycle", [8, 9, 4, 7, 3, 6], 7_695_796_348_704_831_760),
            ("cycle, the first end", [8, 9, 4, 6, 2, 7], 17_237_239_948_380_745_070),
            ("cycle, beta = 0.5", [9, 7, 6, 4, 9, 1], 1_357_008_761_281_120_932),
            ("complete graph", [8, 4, 2, 5, 9, 6], 13_018_387_511_291_459_620),
            ("complete graph, beta = 0.5", [9, 6, 5, 8, 1, 3], 17_830_518_064_783_818_862),
            ("hypergraph", [8, 3, 6, 1, 0, 7], 18_313_735_717_895_894_322),
            ("hypergraph, the first vertex", [8, 0, 3, 9, 4, 7], 7_780_724_477_548_684_700),
            ("hypergraph, two of an edge", [9, 7, 6, 8, 0, 3], 5_255_244_293_157_239_014),
            ("hypergraph, beta = 0.5", [9, 7, 5, 6, 0, 3], 2_654_039_336_146_095_236),
        ]
    );
}
