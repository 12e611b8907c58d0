//! Exact laws of inversion, read off the sampler without chance.
//!
//! A sampler that uses one word is a monotone function of it. Bisection finds the words
//! at which the answer changes, and so every probability to the last bit.

use bb_samplers::{Binomial, Hypergeometric};
use rand::distr::Distribution;

use super::words::Fixed;

/// The probability of each of `0..=max`, for a sampler monotone in its one word.
fn probabilities(max: u64, draw: impl Fn(u64) -> u64) -> Vec<f64> {
    let rising = draw(0) <= draw(u64::MAX);
    // The share of words whose answer is at most x.
    let at_most = |x: u64| -> f64 {
        let inside = |word: u64| if rising { draw(word) <= x } else { draw(word) > x };
        if !inside(0) {
            return if rising { 0.0 } else { 1.0 };
        }
        let (mut low, mut high) = (0u64, u64::MAX);
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            if inside(middle) { low = middle } else { high = middle - 1 }
        }
        let share = (low as f64 + 1.0) * 2f64.powi(-64);
        if rising { share } else { 1.0 - share }
    };
    let mut last = 0.0;
    (0..=max)
        .map(|x| {
            let now = at_most(x);
            let p = now - last;
            last = now;
            p
        })
        .collect()
}

fn choose(n: u64, k: u64) -> u128 {
    if k > n { 0 } else { (0..k).fold(1, |c, i| c * u128::from(n - i) / u128::from(i + 1)) }
}

fn assert_hypergeometric(total: u64, marked: u64, draws: u64) {
    let law = Hypergeometric::new(total, marked, draws).unwrap();
    let found = probabilities(draws, |word| law.sample(&mut Fixed::new(word)));
    let all = choose(total, draws) as f64;
    for (x, p) in (0..=draws).zip(found) {
        let ways = choose(marked, x) * choose(total - marked, draws - x);
        let expected = ways as f64 / all;
        assert!((p - expected).abs() < 1e-14, "{total}, {marked}, {draws}: P({x}) is {p}, not {expected}");
    }
}

#[test]
fn every_small_urn_is_exact() {
    for total in 1..=22 {
        for marked in 0..=total {
            for draws in 0..=total {
                assert_hypergeometric(total, marked, draws);
            }
        }
    }
}

#[test]
fn larger_urns_are_exact() {
    for (total, marked, draws) in
        [(60, 30, 30), (60, 31, 12), (120, 5, 50), (120, 40, 30), (100, 80, 20), (120, 60, 60)]
    {
        assert_hypergeometric(total, marked, draws);
    }
}

/// The probability of a rare event is right to 63 binary places: its P(0) is not rounded to 1.
#[test]
fn rare_events_keep_relative_precision() {
    for (total, marked, draws) in [(1u64 << 62, 1, 1u64 << 20), (1 << 62, 1 << 10, 1 << 10), (1 << 50, 3, 1)] {
        let law = Hypergeometric::new(total, marked, draws).unwrap();
        let found = probabilities(1, |word| u64::from(law.sample(&mut Fixed::new(word)) == 0));
        let mean = marked as f64 * draws as f64 / total as f64;
        assert!((found[0] - mean).abs() <= mean * 1e-12 + 2f64.powi(-63), "{found:?} {mean}");
    }
}

#[test]
fn small_binomials_are_exact() {
    for trials in 1..=19_u64 {
        for (numerator, denominator) in [(1u64, 2u64), (1, 3), (2, 3), (1, 10), (9, 10), (1, 100)] {
            let p = numerator as f64 / denominator as f64;
            for law in
                [Binomial::new(trials, p).unwrap(), Binomial::from_ratio(trials, numerator, denominator).unwrap()]
            {
                let found = probabilities(trials, |word| law.sample(&mut Fixed::new(word)));
                for (x, found) in (0..=trials).zip(found) {
                    let rest = denominator - numerator;
                    let ways = choose(trials, x) as f64
                        * (numerator as f64).powi(x as i32)
                        * (rest as f64).powi((trials - x) as i32);
                    let expected = ways / (denominator as f64).powi(trials as i32);
                    assert!((found - expected).abs() < 1e-14, "{trials}, {p}: {x}");
                }
            }
        }
    }
}
