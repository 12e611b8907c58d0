//! Indices: uniform, one by one and distinct.

use std::collections::BTreeMap;

use bb_core::rng_for_trial;
use bb_samplers::rand::Rng;
use bb_samplers::{DistinctSampler, IndexSampler};

/// A modulo or an unchecked multiply-shift favours some indices by a quarter at these sizes.
#[test]
fn thirds_of_the_range_are_equally_likely_where_bias_would_be_largest() {
    for n in [3 << 30, (1 << 31) + 1, 3 << 61] {
        let sampler = IndexSampler::new(n).unwrap();
        let mut rng = rng_for_trial(7, n);
        let draws = 300_000;
        let low = (0..draws).filter(|_| sampler.draw(&mut rng) < n / 3).count() as f64;
        // Five standard deviations of Bin(300000, 1/3): false alarm 6e-7.
        let sd = (f64::from(draws) * 2.0 / 9.0).sqrt();
        assert!((low - f64::from(draws) / 3.0).abs() < 5.0 * sd, "n = {n}: {low}");
        // The twin: bare multiply-shift from 32 bits gives the first third of 3·2^30 half of the words it
        // should not have.
        if n == 3 << 30 {
            let biased = (0..draws).filter(|_| rng.next_u64() as u32 as u64 % n < n / 3).count() as f64;
            assert!((biased - f64::from(draws) / 3.0).abs() > 5.0 * sd, "twin: {biased}");
        }
    }
}

/// Every index of a word gets equally many words: counted over a small copy of the same arithmetic.
#[test]
fn every_outcome_has_equally_many_words() {
    const BITS: u32 = 12;
    for (n, k) in [(3_u64, 2), (5, 3), (7, 4), (60, 2)] {
        let outcomes = n.pow(k);
        let redraw_below = (1_u64 << BITS) % outcomes;
        let mut words = vec![0; outcomes as usize];
        for word in 0..1_u64 << BITS {
            let (mut rest, mut outcome) = (word, 0);
            for _ in 0..k {
                outcome = outcome * n + ((rest * n) >> BITS);
                rest = rest * n % (1 << BITS);
            }
            if rest >= redraw_below {
                words[outcome as usize] += 1;
            }
        }
        assert!(words.iter().all(|&count| count == (1 << BITS) / outcomes), "n = {n}, k = {k}");
    }
}

#[test]
fn distinct_indices_are_uniform_over_ordered_choices() {
    let mut rng = rng_for_trial(3, 0);
    let mut sampler = DistinctSampler::default();
    let mut counts = BTreeMap::new();
    let draws = 120_000;
    for _ in 0..draws {
        let mut outcome = Vec::new();
        sampler.draw_each(4, 3, &mut rng, |index| outcome.push(index));
        *counts.entry(outcome).or_insert(0) += 1;
    }
    assert_eq!(counts.len(), 24);
    let expected = f64::from(draws) / 24.0;
    let chi: f64 = counts.values().map(|&c| (f64::from(c) - expected).powi(2) / expected).sum();
    // 23 degrees of freedom: chi-square above 80 has probability 4e-8.
    assert!(chi < 80.0, "{chi}");
}
