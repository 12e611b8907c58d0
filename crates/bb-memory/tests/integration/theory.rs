//! Tables 1 and 2: numbers worked out independently, to the printed digits.

use bb_memory::Budget;
use bb_memory::theory::{Fitted, Fitting, PaperThreshold, Tradeoff, certificate, heavy_bins_expected};

/// Equal up to half a unit of the last digit of `printed`.
fn assert_printed(found: f64, printed: &str, what: &str) {
    let value: f64 = printed.parse().unwrap();
    let (mantissa, exponent) = printed.split_once('e').map_or((printed, 0), |(m, e)| (m, e.parse().unwrap()));
    let decimals = mantissa.split_once('.').map_or(0, |(_, digits)| digits.len()) as i32;
    let unit = 10_f64.powi(exponent - decimals);
    assert!((found - value).abs() <= 0.5001 * unit, "{what}: {found} against {printed}");
}

fn assert_threshold(found: Option<PaperThreshold>, printed: &str, what: &str) {
    let words: Vec<&str> = printed.split_whitespace().collect();
    let &[threshold, rounded, at_1, at_2] = words.as_slice() else {
        assert!(found.is_none(), "{what}: {found:?}");
        return;
    };
    let found = found.unwrap_or_else(|| panic!("{what} is not defined"));
    assert_printed(found.threshold, threshold, what);
    assert_eq!(found.rounded.to_string(), rounded, "{what}");
    assert_printed(found.at_rate_1, at_1, what);
    assert_printed(found.at_rate_2, at_2, what);
}

/// lg n, δ, M, lower bound, rounded, that of choice and memory, certificate; the threshold by ln, rounded, E
/// at rates 1 and 2; the same by lg; entries allowed.
const TABLE_1: &str = "
10 | 0.1 | 512 | 0.18 1 | 2.12 | 1 | - | - | 25.60
10 | 0.25 | 181 | 0.45 1 | 1.39 | 1 | 10.82 11 1e-05 0.009 | 6.06 7 0.085 4.64 | 9.05
10 | 0.5 | 32 | 0.90 1 | 1.79 | 1 | 7.57 8 0.010 1.12 | 5.60 6 0.608 16.96 | 1.60
10 | 0.75 | 5 | 1.34 2 | 2.22 | 1 | 7.24 8 0.010 1.12 | 5.80 6 0.608 16.96 | 0.283
16 | 0.1 | 21618 | 0.23 1 | 1.39 | 1 | 41.94 42 2e-47 3e-35 | 8.64 9 0.074 15.56 | 676
16 | 0.25 | 4096 | 0.58 1 | 1.62 | 2 | 8.57 9 0.074 15.56 | 6.00 6 38.94 1086 | 128
16 | 0.5 | 256 | 1.15 2 | 2.30 | 2 | 8.34 9 0.074 15.56 | 6.67 7 5.46 297 | 8.00
16 | 0.75 | 16 | 1.73 2 | 2.96 | 2 | 8.79 9 0.074 15.56 | 7.39 8 0.672 71.87 | 0.500
20 | 0.1 | 262144 | 0.26 1 | 1.36 | 1 | 15.92 16 2e-08 5e-04 | 7.07 8 10.75 1150 | 6554
20 | 0.25 | 32768 | 0.66 1 | 1.79 | 2 | 8.52 9 1.18 249 | 6.30 7 87.28 4754 | 819
20 | 0.5 | 1024 | 1.32 2 | 2.64 | 3 | 9.05 10 0.117 48.76 | 7.41 8 10.75 1150 | 25.60
20 | 0.75 | 32 | 1.98 2 | 3.43 | 3 | 9.85 10 0.117 48.76 | 8.42 9 1.18 249 | 0.800
24 | 0.1 | 3178688 | 0.30 1 | 1.38 | 1 | 11.89 12 0.014 22.89 | 6.55 7 1397 76065 | 66223
24 | 0.25 | 262144 | 0.74 1 | 1.96 | 2 | 8.71 9 18.88 3984 | 6.67 7 1397 76065 | 5461
24 | 0.5 | 4096 | 1.48 2 | 2.96 | 3 | 9.79 10 1.87 780 | 8.15 9 18.88 3984 | 85.33
24 | 0.75 | 64 | 2.22 3 | 3.88 | 3 | 10.90 11 0.169 139 | 9.41 10 1.87 780 | 1.33";

#[test]
fn the_quantities_of_the_theorems() {
    let mut rows = 0;
    for row in TABLE_1.trim().lines() {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let (lg, delta): (u32, f64) = (cells[0].parse().unwrap(), cells[1].parse().unwrap());
        let at = Tradeoff::new(1 << lg, delta).unwrap();
        assert_eq!(at.budget.get().to_string(), cells[2], "{row}");
        let (bound, rounded) = cells[3].split_once(' ').unwrap();
        assert_printed(at.lower_bound, bound, row);
        assert_eq!(at.lower_bound.ceil().to_string(), rounded, "{row}");
        assert_printed(at.choice_memory_bound.unwrap(), cells[4], row);
        assert_eq!(at.certificate.to_string(), cells[5], "{row}");
        assert_threshold(at.natural, cells[6], row);
        assert_threshold(at.two, cells[7], row);
        assert_printed(at.list_length, cells[8], row);
        rows += 1;
    }
    assert_eq!(rows, 16);
}

/// lg n, δ, M, capacities; for naive and flat: T, E, bits; entropy of the latter.
const TABLE_2: &str = "
10 0.1 512 38 60 4 19.44 259 4 19.44 200 149
10 0.25 181 13 17 5 3.75 52.72 5 3.75 49.67 34.87
10 0.5 32 2 2 6 0.608 9.91 6 0.608 10.07 6.32
10 0.75 5 0 0
16 0.1 21618 1137 2343 5 240 4568 4 1244 12633 9935
16 0.25 4096 215 340 6 38.94 748 5 240 3010 2453
16 0.5 256 13 15 7 5.46 108 7 5.46 99.60 81.12
16 0.75 16 0 0
20 0.1 262144 11396 27018 5 3838 88279 4 19911 202052 159236
20 0.25 32768 1424 2489 6 623 14341 6 623 9451 7978
20 0.5 1024 44 54 8 10.75 253 8 10.75 229 195
20 0.75 32 1 1 10 0.117 3.69 10 0.117 3.77 2.42
24 0.1 3178688 117728 312360 5 61402 1.66e+06 5 61402 769626 631342
24 0.25 262144 9708 18360 7 1397 37721 6 9969 151124 127860
24 0.5 4096 151 196 9 18.88 518 8 172 3617 3183
24 0.75 64 2 2 10 1.87 52.47 10 1.87 51.64 44.35";

fn assert_fitted(found: Option<Fitted>, cells: &[&str], row: &str) -> Option<Fitted> {
    let Some((threshold, rest)) = cells.split_first() else {
        assert_eq!(found, None, "{row}");
        return None;
    };
    let found = found.unwrap();
    assert_eq!(found.threshold.to_string(), *threshold, "{row}");
    assert_printed(found.heavy, rest[0], row);
    assert_printed(found.bits, rest[1], row);
    Some(found)
}

#[test]
fn what_fits() {
    let mut rows = 0;
    for row in TABLE_2.trim().lines() {
        let cells: Vec<&str> = row.split_whitespace().collect();
        let bits = cells[2].parse().unwrap();
        let bins = 1 << cells[0].parse::<u32>().unwrap();
        assert_eq!(Budget::from_delta(bins, cells[1].parse().unwrap()).unwrap().get(), bits);
        let fit = Fitting::new(bins, Budget::bits(bits).unwrap()).unwrap();
        assert_eq!([fit.naive_capacity.to_string(), fit.flat_capacity.to_string()], cells[3..5], "{row}");
        let (naive, flat) = if cells.len() > 5 { (&cells[5..8], &cells[8..11]) } else { (&cells[..0], &cells[..0]) };
        assert_fitted(fit.naive, naive, row);
        if let Some(flat) = assert_fitted(fit.flat, flat, row) {
            assert_printed(flat.entropy, cells[11], row);
        }
        rows += 1;
    }
    assert_eq!(rows, 16);
}

#[test]
fn a_certificate_proves_itself_and_nothing_beyond() {
    for (bins, bits) in [(1 << 10, 32), (1 << 16, 256), (1 << 20, 1024), (1 << 24, 64), (1 << 40, 1 << 10)] {
        let proof = certificate(bins, bits, 0.01).unwrap().unwrap();
        assert!(proof.holds(), "{proof:?}");
        assert_eq!(proof.shares().len() as u64, proof.load());
        // More memory never proves more.
        let more = certificate(bins, bits * 64, 0.01).unwrap().unwrap();
        assert!(more.load() <= proof.load());
    }
    // With full memory Greedy[2] has a maximum of 4 at this size, and one ball a bin is all that can be
    // proved.
    assert_eq!(certificate(1 << 16, 1 << 20, 0.01).unwrap().unwrap().load(), 1);
    assert_eq!(certificate(1, 0, 0.01).unwrap(), None);
    assert!(
        certificate(0, 0, 0.01).is_err() && certificate(9, 0, 1.0).is_err() && certificate(9, 0, f64::NAN).is_err()
    );
}

#[test]
fn tails_at_the_edges() {
    assert_eq!(heavy_bins_expected(1, 5, 1.0, 5).unwrap(), 1.0);
    assert_eq!(heavy_bins_expected(1, 5, 1.0, 6).unwrap(), 0.0);
    assert_eq!(heavy_bins_expected(7, 0, 1.0, 0).unwrap(), 7.0);
    for rate in [0.0, -1.0, 7.5, f64::NAN, f64::INFINITY] {
        assert!(heavy_bins_expected(7, 1, rate, 0).is_err(), "{rate}");
    }
    // Both ways of summing agree around the mean.
    let sum: f64 = (1..=400).map(|at_least| bb_memory::theory::binomial_tail(400, 0.25, at_least).unwrap()).sum();
    assert!((sum - 100.0).abs() < 1e-9, "{sum}");
}
