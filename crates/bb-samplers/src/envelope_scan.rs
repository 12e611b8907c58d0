//! Whether the rejection's hat lies above the law and its squeeze below.
//!
//! Hörmann proves the constants for the binomial; for the hypergeometric law
//! they are scanned here, block by block out to where the law is below `e^-80` of its
//! mode (the hat falls like the square of the distance only). Standard deviations
//! up to 4096 are scanned at every value, wider laws at both ends and the
//! middle of every block.

use crate::binomial::Binomial;
use crate::hypergeometric::Hypergeometric;
use crate::rejection::{Hat, MIDDLE};

/// The largest `law / hat`, which must not exceed 1, and the least distance of the
/// squeeze from the law, which must not be negative.
#[derive(Debug, Clone, Copy)]
struct Margins {
    envelope: f64,
    squeeze: f64,
}

impl Margins {
    const NONE: Self = Self { envelope: 0.0, squeeze: f64::INFINITY };

    fn merge(self, other: Self) -> Self {
        Self { envelope: self.envelope.max(other.envelope), squeeze: self.squeeze.min(other.squeeze) }
    }
}

fn scan(hat: Hat, max: u64, ln_ratio: impl Fn(i64) -> f64) -> Margins {
    let mut margins = Margins::NONE;
    let squeezed = hat.place(0.5 - MIDDLE);
    let width = 1_i64 << hat.shift();
    for direction in [-1, 1] {
        for index in 0_i64.. {
            // Blocks 0, 1, 2, … and -1, -2, …
            let block = if direction > 0 { index } else { -1 - index };
            let first = block.saturating_mul(width);
            let ends = [first, first + width / 2, first + width - 1];
            let laws = ends.map(|d| match hat.mode().checked_add_signed(d) {
                Some(x) if x <= max => ln_ratio(d).exp(),
                _ => 0.0,
            });
            let (low, high) =
                laws.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), &law| (low.min(law), high.max(law)));
            // The uniform numbers that propose this block; the hat is lowest at its far
            // edge and highest at its near one.
            let (start, end) = (hat.uniform(block as f64), hat.uniform(block as f64 + 1.0));
            let lowest = hat.height(start).min(hat.height(end));
            margins.envelope = margins.envelope.max(high / lowest);
            let near = if start * end < 0.0 { 0.0 } else { start.abs().min(end.abs()) };
            if near < 0.5 - MIDDLE {
                margins.squeeze = margins.squeeze.min(low / hat.height(near) - hat.v_r());
            }
            let past_squeeze = (block as f64).abs() > squeezed.abs() + 2.0;
            if past_squeeze && high < (-80.0_f64).exp() {
                break;
            }
        }
    }
    margins
}

/// Every reduced parameter set of a coarse logarithmic grid.
fn grid() -> impl Iterator<Item = (u64, u64, u64)> {
    let totals = [
        40,
        41,
        50,
        64,
        77,
        100,
        144,
        145,
        200,
        333,
        500,
        1000,
        3000,
        10_000,
        100_000,
        1_000_000,
        10_000_000,
        1_000_000_000,
        3_000_000_000,
        1 << 40,
        1 << 50,
        (1 << 60) + 7,
        1 << 62,
    ];
    let shares = [
        0.5, 0.49, 0.45, 0.4, 0.33, 0.25, 0.2, 0.15, 0.1, 0.07, 0.05, 0.03, 0.02, 0.01, 3e-3, 1e-3, 1e-4, 1e-5, 1e-6,
        1e-7, 1e-8, 1e-9, 1e-11, 1e-13, 1e-15,
    ];
    totals.into_iter().flat_map(move |total| {
        shares.into_iter().enumerate().flat_map(move |(i, marked)| {
            shares.into_iter().skip(i).map(move |draws| {
                let count = |share: f64| (share * total as f64) as u64;
                (total, count(marked), count(draws))
            })
        })
    })
}

fn report(name: &str, sets: usize, worst: Margins) {
    println!("{name}: {sets} sets, law/hat at most {:.4}, squeeze inside by {:.4}", worst.envelope, worst.squeeze);
    assert!(worst.envelope <= 1.0 && worst.squeeze >= 0.0, "{worst:?}");
}

/// A few laws of every size, for every run of the tests.
#[test]
fn short_scan() {
    for (total, marked, draws) in [
        (144, 72, 72),
        (146, 73, 73),
        (400, 120, 100),
        (1000, 500, 300),
        (10_000_000, 40_000, 3162),
        (1 << 40, 1 << 39, 1_000_000),
        (1 << 62, 1 << 61, 1 << 30),
    ] {
        let law = Hypergeometric::unchecked(total, marked, draws);
        let (hat, max) = law.hat().expect("served by rejection");
        report("hypergeometric", 1, scan(hat, max, |d| law.ln_ratio_at(d)));
    }
    for (trials, p) in [(20, 0.5), (1000, 0.0101), (1000, 0.3), (1 << 40, 1e-6)] {
        let law = Binomial::new(trials, p).expect("valid parameters");
        let hat = law.hat().expect("served by rejection");
        report("binomial", 1, scan(hat, trials, |d| law.ln_ratio_at(d)));
    }
}

#[test]
#[ignore = "slow: cargo test -p bb-samplers --release --lib envelope_scan -- --ignored --nocapture"]
fn envelope_scan() {
    let (mut worst, mut sets) = (Margins::NONE, 0);
    for (total, marked, draws) in grid() {
        let law = Hypergeometric::unchecked(total, marked, draws);
        let Some((hat, max)) = law.hat() else { continue };
        worst = worst.merge(scan(hat, max, |d| law.ln_ratio_at(d)));
        sets += 1;
    }
    // The narrow laws, one by one: here the hat is tightest.
    for total in 40..=400 {
        for marked in 1..=total / 2 {
            for draws in (1..=marked).rev() {
                let law = Hypergeometric::unchecked(total, marked, draws);
                let Some((hat, max)) = law.hat() else { break };
                worst = worst.merge(scan(hat, max, |d| law.ln_ratio_at(d)));
                sets += 1;
            }
        }
    }
    report("hypergeometric", sets, worst);
}

#[test]
#[ignore = "slow: cargo test -p bb-samplers --release --lib envelope_scan -- --ignored --nocapture"]
fn envelope_scan_of_the_binomial() {
    let (mut worst, mut sets) = (Margins::NONE, 0);
    for (trials, success, _) in grid().filter(|&(_, success, draws)| success == draws) {
        for p in [0.5, 0.49, 0.4, 0.3, 0.2, 0.1, 0.05, 0.01, 1e-3, 1e-5, success as f64 / trials as f64] {
            let law = Binomial::new(trials, p).expect("valid parameters");
            let Some(hat) = law.hat() else { continue };
            worst = worst.merge(scan(hat, trials, |d| law.ln_ratio_at(d)));
            sets += 1;
        }
    }
    report("binomial", sets, worst);
}
