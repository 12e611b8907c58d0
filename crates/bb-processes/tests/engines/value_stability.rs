//! Fixed results for fixed seeds, one case for each way of drawing. To change one is a value-breaking change
//! and belongs into the changelog.

use bb_processes::bb_core::rand::SeedableRng;
use bb_processes::bb_core::{
    Allocator, Description, IndexSampler, LoadProfile, LoadVector, Metrics, TrialRng, rng_for_trial,
};
use bb_processes::{
    Caching, FirstMemory, GBounded, GMyopic, KThreshold, Memory, Packing, RelativeThreshold, Remember, SigmaNoisyLoad,
    Twinning,
};
use bb_processes::{DChoice, DistinctChoice, LoadThreshold, MeanThinning, OneChoice, OnePlusBeta};

/// The bins of the first ten balls into ten bins, and a digest of the loads after 10 000 balls into 1000
/// bins.
fn values<A: Allocator + Clone>(rule: A) -> ([usize; 10], u64) {
    let mut few = LoadVector::new(10).unwrap();
    let mut rng = rng_for_trial(1, 0);
    let mut stepping = rule.clone();
    let first = std::array::from_fn(|_| stepping.step(&mut few, &mut rng));
    let mut many = LoadVector::new(1000).unwrap();
    rule.clone().run(&mut many, 10_000, &mut rng_for_trial(1, 1));
    let digest = many.iter().fold(0_u64, |digest, load| digest.wrapping_mul(31).wrapping_add(load));
    (first, digest)
}

#[test]
fn rules() {
    let beta = OnePlusBeta::new(0.5).unwrap();
    assert_eq!(values(OneChoice), ([8, 9, 4, 6, 2, 6, 5, 4, 8, 9], 13_175_361_201_854_488_728));
    assert_eq!(values(DChoice::two()), ([8, 9, 4, 6, 2, 6, 5, 4, 8, 9], 17_377_145_116_130_130_672));
    assert_eq!(values(DChoice::new(3).unwrap()), ([8, 9, 4, 6, 2, 5, 5, 3, 7, 9], 16_022_765_237_541_027_624));
    assert_eq!(values(DChoice::new(9).unwrap()), ([8, 4, 2, 5, 7, 6, 1, 3, 0, 9], 11_213_583_901_509_398_158));
    assert_eq!(values(DistinctChoice::new(2).unwrap()), ([8, 4, 2, 5, 9, 6, 2, 6, 4, 9], 8_843_430_407_098_918_298));
    assert_eq!(values(DistinctChoice::new(4).unwrap()), ([8, 2, 9, 4, 6, 1, 3, 3, 5, 7], 11_041_110_364_915_281_846));
    assert_eq!(values(beta), ([9, 6, 6, 4, 9, 1, 3, 1, 5, 9], 17_461_376_240_423_341_636));
    assert_eq!(values(beta.with_d(3).unwrap()), ([9, 6, 5, 4, 9, 1, 3, 2, 5, 9], 8_889_619_643_826_989_444));
    assert_eq!(values(MeanThinning), ([2, 9, 4, 6, 7, 9, 5, 8, 5, 9], 15_926_298_662_595_287_532));
    assert_eq!(values(LoadThreshold::new(1).unwrap()), ([8, 9, 4, 6, 2, 9, 5, 8, 5, 9], 10_925_440_833_326_888_534));
    assert_eq!(
        values(LoadThreshold::new(2).unwrap().with_d(5).unwrap()),
        ([8, 9, 4, 6, 2, 6, 5, 4, 8, 9], 6_573_011_514_197_809_356)
    );
}

#[test]
fn rules_with_noise_thresholds_several_balls_and_memory() {
    assert_eq!(values(GBounded::new(2)), ([8, 9, 4, 9, 2, 9, 5, 4, 8, 9], 15_452_019_822_763_085_894));
    assert_eq!(values(GMyopic::new(2)), ([8, 9, 4, 9, 6, 4, 5, 6, 2, 8], 16_433_631_938_175_102_966));
    assert_eq!(values(SigmaNoisyLoad::new(2.0).unwrap()), ([8, 9, 4, 9, 6, 4, 5, 6, 2, 8], 5_842_933_512_803_904_138));
    assert_eq!(
        values(RelativeThreshold::new(0.5).unwrap()),
        ([8, 9, 4, 6, 2, 9, 5, 4, 8, 9], 3_629_634_200_091_286_858)
    );
    assert_eq!(
        values(KThreshold::new(&[0.0, 2.0]).unwrap()),
        ([8, 9, 4, 6, 2, 6, 5, 4, 8, 9], 8_885_853_538_583_001_916)
    );
    assert_eq!(values(Twinning::new()), ([8, 9, 4, 6, 2, 6, 5, 4, 8, 9], 11_079_445_121_913_997_595));
    assert_eq!(values(Packing::new(1).unwrap()), ([8, 9, 4, 6, 2, 6, 5, 4, 8, 9], 10_679_342_024_987_031_492));
    assert_eq!(values(Caching::new()), ([9, 4, 6, 2, 8, 5, 4, 8, 9, 6], 18_299_559_378_251_899_042));
    assert_eq!(
        values(Caching::new().with_first(FirstMemory::Empty)),
        ([8, 9, 4, 6, 2, 6, 5, 4, 8, 9], 8_219_642_439_999_225_088)
    );
    assert_eq!(values(Memory::new(2, 3).unwrap()), ([9, 4, 6, 2, 8, 5, 7, 8, 9, 3], 13_165_130_327_194_750_806));
    assert_eq!(
        values(Memory::new(2, 3).unwrap().with_remember(Remember::Recent)),
        ([9, 4, 6, 2, 8, 5, 7, 8, 9, 3], 11_283_298_620_904_390_550)
    );
}

/// The number of bins of each load after `n = 2^20` balls, by the ball and in bulk.
fn counted<P: Description + Allocator<LoadProfile>>(mut rule: P) -> [Vec<u64>; 2] {
    let start = || (LoadProfile::new(1 << 20).unwrap(), rng_for_trial(1, 2));
    let counts = |loads: &LoadProfile| loads.level_counts().iter().map(|&(_, count)| count).collect();
    let (mut single, mut rng) = start();
    rule.run(&mut single, 1 << 20, &mut rng);
    let (mut bulk, mut rng) = start();
    bulk.run_bulk(&rule, 1 << 20, &mut rng);
    [counts(&single), counts(&bulk)]
}

#[test]
fn counted_bins() {
    assert_eq!(
        counted(OneChoice),
        [
            vec![385_638, 385_881, 192_980, 64178, 16023, 3252, 531, 83, 8, 2],
            vec![385_619, 386_102, 192_586, 64311, 16090, 3278, 522, 58, 9, 1]
        ]
    );
    assert_eq!(
        counted(DChoice::two()),
        [vec![250_178, 557_433, 231_759, 9199, 7], vec![250_427, 557_199, 231_477, 9469, 4]]
    );
    assert_eq!(
        counted(OnePlusBeta::new(0.5).unwrap()),
        [
            vec![314_983, 471_208, 215_898, 40985, 4945, 509, 44, 4],
            vec![315_851, 469_653, 216_261, 41376, 4943, 455, 33, 4]
        ]
    );
    assert_eq!(
        counted(LoadThreshold::new(2).unwrap().with_d(3).unwrap()),
        [vec![336_169, 381_653, 325_392, 5309, 53], vec![336_464, 381_272, 325_264, 5528, 48]]
    );
    assert_eq!(
        counted(MeanThinning),
        [
            vec![250_178, 587_895, 175_567, 30628, 3914, 360, 31, 3],
            vec![249_794, 588_324, 175_718, 30571, 3772, 370, 24, 3]
        ]
    );
    assert_eq!(
        counted(GMyopic::new(1)),
        [vec![346_630, 410_059, 239_563, 49916, 2397, 11], vec![346_406, 410_268, 239_823, 49669, 2395, 15]]
    );
    assert_eq!(
        counted(KThreshold::new(&[0.0, 2.0]).unwrap()),
        [vec![250_178, 584_610, 177_525, 36136, 127], vec![250_019, 584_769, 177_685, 35975, 128]]
    );
}

/// Near 3·10⁹ all ways of drawing an index differ at once: a quarter of the words of 32 bits would be
/// redrawn.
#[test]
fn indices_of_three_thousand_million_bins() {
    let sampler = IndexSampler::new(3_000_000_000).unwrap();
    let mut rng = TrialRng::seed_from_u64(1);
    let single: [u64; 4] = std::array::from_fn(|_| sampler.draw(&mut rng));
    assert_eq!(single, [2_570_151_398, 412_663_456, 1_411_384_579, 2_178_749_162]);
    assert_eq!(sampler.draw_pair(&mut rng), [1_109_531_206, 1_713_428_310]);
    let mut each = Vec::new();
    sampler.draw_each(5, &mut rng, |index| each.push(index));
    assert_eq!(each, [1_671_460_010, 2_892_046_398, 1_175_535_609, 1_904_392_754, 2_218_099_373]);
}

/// Small bounds take several indices from one word, here eight and then one more.
#[test]
fn indices_of_ten_bins() {
    let sampler = IndexSampler::new(10).unwrap();
    let mut each = Vec::new();
    sampler.draw_each(9, &mut TrialRng::seed_from_u64(1), |index| each.push(index));
    assert_eq!(each, [8, 5, 6, 7, 1, 7, 1, 3, 1]);
}
