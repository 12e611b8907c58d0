//! Generators for corner cases, and how many words each sampler takes.

use std::convert::Infallible;

use bb_samplers::{Binomial, Hypergeometric, Multinomial, multinomial, multivariate_hypergeometric};
use rand::SeedableRng;
use rand::distr::Distribution;
use rand_core::TryRng;
use rand_pcg::Pcg64Mcg;

/// Gives one word, once.
pub(super) struct Fixed(Option<u64>);

impl Fixed {
    pub(super) fn new(word: u64) -> Self {
        Self(Some(word))
    }
}

impl TryRng for Fixed {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        unreachable!("the samplers take 64-bit words")
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.0.take().expect("a second word was asked for"))
    }

    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Infallible> {
        unreachable!("the samplers take 64-bit words")
    }
}

/// Counts the words taken from a good generator.
struct Counted {
    rng: Pcg64Mcg,
    words: u64,
}

impl Counted {
    fn new() -> Self {
        Self { rng: Pcg64Mcg::seed_from_u64(3), words: 0 }
    }
}

impl TryRng for Counted {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        unreachable!("the samplers take 64-bit words")
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.words += 1;
        self.rng.try_next_u64()
    }

    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Infallible> {
        unreachable!("the samplers take 64-bit words")
    }
}

/// A generator that fails the test when it is used.
fn unused() -> Fixed {
    Fixed(None)
}

#[test]
fn certain_answers_take_no_words() {
    for total in [0, 1, 7, 1 << 62] {
        for part in [0, total / 3, total] {
            for (marked, draws, expected) in [(0, part, 0), (total, part, part), (part, 0, 0), (part, total, part)] {
                let law = Hypergeometric::new(total, marked, draws).unwrap();
                assert_eq!(law.sample(&mut unused()), expected, "{total}, {marked}, {draws}");
            }
        }
        assert_eq!(Binomial::new(total, 0.0).unwrap().sample(&mut unused()), 0);
        assert_eq!(Binomial::new(total, 1.0).unwrap().sample(&mut unused()), total);
        assert_eq!(Binomial::from_ratio(total, 5, 5).unwrap().sample(&mut unused()), total);
    }
    assert_eq!(Binomial::new(0, 0.3).unwrap().sample(&mut unused()), 0);
    multivariate_hypergeometric(&[3, 4], 0, &mut unused(), |_, _| unreachable!()).unwrap();
    multivariate_hypergeometric(&[0, 9, 0], 9, &mut unused(), |i, x| assert_eq!((i, x), (1, 9))).unwrap();
    multinomial(&[0, 9, 0], 77, &mut unused(), |i, x| assert_eq!((i, x), (1, 77))).unwrap();
    let mut out = [9; 3];
    Multinomial::new(&[0.0, 0.1, 0.0]).unwrap().split_into(77, &mut unused(), &mut out).unwrap();
    assert_eq!(out, [0, 77, 0]);
}

/// The extreme words end inversion inside the support and at a sane value.
#[test]
fn extreme_words_are_harmless() {
    for (total, marked, draws) in [(1u64 << 62, 1u64 << 31, 1u64 << 31), (1 << 62, 5, 1 << 61), (52, 13, 5), (2, 1, 1)]
    {
        for word in [0, 1, 2, u64::MAX - 1, u64::MAX] {
            let x = Hypergeometric::new(total, marked, draws).unwrap().sample(&mut Fixed::new(word));
            assert!(x <= marked.min(draws).min(60), "{total}, {marked}, {draws}, {word}: {x}");
        }
    }
    for word in [0, 1, u64::MAX] {
        assert!(Binomial::new(1 << 62, 1e-18).unwrap().sample(&mut Fixed::new(word)) < 60);
        assert!(Binomial::new(1 << 62, f64::MIN_POSITIVE).unwrap().sample(&mut Fixed::new(word)) < 2);
    }
}

#[test]
fn rejection_takes_few_words() {
    for (law, words_a_try, most_tries) in [
        (Hypergeometric::new(1000, 500, 300), 2, 1.4),
        (Hypergeometric::new(146, 73, 73), 2, 1.6),
        (Hypergeometric::new(1 << 40, 1 << 39, 1_000_000), 2, 1.2),
        (Hypergeometric::new(1 << 62, 1 << 61, 1 << 60), 3, 1.2),
    ] {
        let (law, mut rng) = (law.unwrap(), Counted::new());
        for _ in 0..10_000 {
            law.sample(&mut rng);
        }
        let tries = rng.words as f64 / (10_000 * words_a_try) as f64;
        println!("{law:?}: {tries} tries");
        assert!((1.1..most_tries).contains(&tries), "{law:?}: {tries} tries");
        assert_eq!(rng.words % words_a_try, 0);
    }
}
