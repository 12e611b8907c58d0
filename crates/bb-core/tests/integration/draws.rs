//! Who takes words from the generator, and how many.

use std::convert::Infallible;

use bb_core::rand::rand_core::TryRng;
use bb_core::{Bins, BinsExt, Coin, IndexSampler, LoadVector, Metrics, Place, Rng, rng_for_trial};

/// A generator that gives one word for ever, and counts.
struct Constant {
    word: u64,
    taken: u32,
}

impl TryRng for Constant {
    type Error = Infallible;
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        unreachable!("all draws are of whole words")
    }
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.taken += 1;
        Ok(self.word)
    }
    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Infallible> {
        unreachable!("all draws are of whole words")
    }
}

fn words(word: u64, draw: impl FnOnce(&mut Constant)) -> u32 {
    let mut rng = Constant { word, taken: 0 };
    draw(&mut rng);
    rng.taken
}

/// What was drawn does not matter here.
fn ignore<T>(_: T) {}

#[test]
fn draws_take_the_words_they_promise() {
    // The largest word is never redrawn: its fraction is the largest of all.
    let small = LoadVector::new(1000).unwrap();
    assert_eq!(words(u64::MAX, |rng| ignore(small.draw(rng))), 1);
    assert_eq!(words(u64::MAX, |rng| ignore(small.draw_pair(rng))), 1);
    // 1000^6 < 2^64 < 1000^7.
    assert_eq!(words(u64::MAX, |rng| small.draw_each(6, rng, |_| ())), 1);
    assert_eq!(words(u64::MAX, |rng| small.draw_each(7, rng, |_| ())), 2);
    let large = IndexSampler::new(1 << 32).unwrap();
    assert_eq!(words(u64::MAX, |rng| ignore(large.draw_pair(rng))), 2);
    for p in [0.0, 0.3, 1.0] {
        assert_eq!(words(5, |rng| ignore(Coin::new("p", p).unwrap().flip(rng))), 1);
    }
}

#[test]
fn looking_and_placing_take_none() {
    let mut loads = LoadVector::new(10).unwrap();
    loads.place(3, &());
    // No generator is passed, so none can be used: that these compile is the test.
    let _ = (loads.load(3), loads.gap(), loads.level_counts(), loads.lighter(1, 2), loads.below_mean(0));
}

/// A pair, the first two of `draw_each`, and the loops of `run` read the words alike.
#[test]
fn every_way_of_drawing_reads_the_words_alike() {
    for n in [1, 2, 3, 10, 1000, 65_537, 1 << 31, (1 << 32) - 5] {
        let sampler = IndexSampler::new(n).unwrap();
        let (mut pairs, mut each) = (rng_for_trial(4, n), rng_for_trial(4, n));
        for _ in 0..200 {
            let pair = sampler.draw_pair(&mut pairs);
            let mut drawn = Vec::new();
            sampler.draw_each(2, &mut each, |index| drawn.push(index));
            assert_eq!(drawn, pair);
        }
        assert_eq!(pairs, each);
    }
}

/// Outputs fixed for good, computed by a separate program from the definitions (ChaCha8, PCG, the draws): a
/// change here is a value-breaking change and needs a line in the changelog.
#[test]
fn value_stability() {
    let mut rng = rng_for_trial(42, 7);
    assert_eq!([rng.next_u64(), rng.next_u64()], [3_325_705_237_668_007_249, 13_683_179_153_027_530_880]);
    // Near 3·10⁹ the usual ways to draw a bounded number give different indices at once.
    let sampler = IndexSampler::new(3_000_000_001).unwrap();
    let mut indices = vec![sampler.draw(&mut rng)];
    indices.extend(sampler.draw_pair(&mut rng));
    sampler.draw_each(3, &mut rng, |index| indices.push(index));
    assert_eq!(indices, [1_113_999_651, 820_548_894, 2_032_309_464, 1_321_446_812, 1_466_081_073, 1_624_288_042]);
    let mut distinct = Vec::new();
    bb_core::DistinctSampler::default().draw_each(10, 4, &mut rng, |index| distinct.push(index));
    assert_eq!(distinct, [6, 4, 3, 9]);
    let coin = Coin::new("p", 0.3).unwrap();
    let heads: Vec<bool> = (0..8).map(|_| coin.flip(&mut rng)).collect();
    assert_eq!(heads, [true, false, false, false, true, false, false, false]);
}
