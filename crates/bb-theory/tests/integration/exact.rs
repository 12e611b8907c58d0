use std::collections::{BTreeMap, BTreeSet};

use bb_testkit::data::{Quantity, exact_small};
use bb_testkit::ranks;
use bb_theory::exact::{self, Law, ratio, sorted_loads, vectors};

/// The law of the process that the table calls so.
fn named(process: &str, n: u64, steps: u64) -> Law<Vec<u64>> {
    let within_one = |rho: (u64, u64)| {
        move |loads: &[u64]| vectors::comparison(loads, |d| if d <= 1 { ratio(rho.0, rho.1) } else { ratio(1, 1) })
    };
    let fixed = |vector: Vec<exact::BigRational>| sorted_loads(n, steps, |_| vector.clone());
    match process {
        "one-choice" => fixed(vectors::d_choice(n, 1)),
        "two-choice with replacement" => fixed(vectors::d_choice(n, 2)),
        "three-choice with replacement" => fixed(vectors::d_choice(n, 3)),
        "two-choice without replacement" => fixed(vectors::distinct_choice(n, 2)),
        "three-choice without replacement" => fixed(vectors::distinct_choice(n, 3)),
        "one-plus-beta beta=1/2 with replacement" => fixed(vectors::one_plus_beta(n, &ratio(1, 2), 2)),
        "quantile delta=1/2" => fixed(vectors::quantiles(n, &[n / 2])),
        "mean-thinning" => sorted_loads(n, steps, vectors::mean_thinning),
        "g-bounded g=1 with replacement" => sorted_loads(n, steps, within_one((0, 1))),
        "g-myopic g=1 with replacement" => sorted_loads(n, steps, within_one((1, 2))),
        "always-go-left d=2" => exact::always_go_left(n, 2, steps),
        "always-go-left d=3" => exact::always_go_left(n, 3, steps),
        "memory" => exact::caching(n, steps),
        "twinning rounds" => exact::twinning(n, steps),
        "packing e=0 rounds" => exact::packing(n, 0, steps),
        "packing e=1 rounds" => exact::packing(n, 1, steps),
        _ => panic!("unknown process {process}"),
    }
}

#[test]
fn every_row_of_the_table() {
    let mut laws: BTreeMap<(String, u64, u64), Law<Vec<u64>>> = BTreeMap::new();
    let mut max_probabilities = ratio(0, 1);
    let rows = exact_small();
    for row in &rows {
        let key = (row.process.clone(), row.bins, row.steps);
        let law = laws.entry(key).or_insert_with(|| named(&row.process, row.bins, row.steps));
        let value = match row.quantity {
            Quantity::MeanMax => law.mean_max(),
            Quantity::MeanGap => law.mean_gap(),
            Quantity::MeanMin => law.mean_min(),
            Quantity::MeanSumSqDev => law.mean_quadratic_potential(),
            Quantity::MaxIs(max) => law.max_load().probability(&max),
            _ => panic!("not in this table: {row:?}"),
        };
        assert_eq!(value, row.value, "{row:?}");
        if matches!(row.quantity, Quantity::MaxIs(_)) {
            max_probabilities += value;
        }
    }
    // No row is missing: the probabilities of each law sum to 1.
    assert_eq!(max_probabilities, ratio(laws.len() as u64, 1));
    let processes: BTreeSet<&String> = rows.iter().map(|row| &row.process).collect();
    assert_eq!((processes.len(), laws.len(), rows.len()), (16, 101, 918));
}

/// The test kit has its own vectors and its own chain.
#[test]
fn vectors_and_chains_are_those_of_the_test_kit() {
    for n in 1..=6 {
        for d in 1..=6_u16 {
            assert_eq!(vectors::d_choice(n, d), ranks::d_choice(n, u32::from(d)));
            let beta = ratio(u64::from(d), 7);
            assert_eq!(vectors::one_plus_beta(n, &beta, d), ranks::one_plus_beta(n, &beta, u32::from(d)));
            if u64::from(d) <= n {
                assert_eq!(vectors::distinct_choice(n, d), ranks::d_choice_distinct(n, u32::from(d)));
            }
        }
    }
    // The largest size that is promised.
    let here = sorted_loads(6, 16, |_| vectors::d_choice(6, 2));
    let kit = ranks::sorted_chain(6, 16, |_| ranks::d_choice(6, 2));
    assert!(here.iter().eq(kit.iter()));
    for law in [exact::caching(6, 16), exact::always_go_left(6, 3, 16), exact::packing(6, 1, 10)] {
        assert_eq!(law.iter().map(|(_, probability)| probability).sum::<exact::BigRational>(), ratio(1, 1));
    }
}

#[test]
fn vectors_are_laws() {
    let one = ratio(1, 1);
    let sum = |vector: Vec<exact::BigRational>| vector.iter().sum::<exact::BigRational>();
    for loads in [vec![3_u64, 1, 1, 0], vec![2, 2], vec![5], vec![9, 4, 4, 4, 1, 0]] {
        let n = loads.len() as u64;
        assert_eq!(sum(vectors::mean_thinning(&loads)), one);
        assert_eq!(sum(vectors::thinning(&loads, 3, |load| load < 2)), one);
        assert_eq!(sum(vectors::comparison(&loads, |d| ratio(d, d + 1))), one);
        assert_eq!(sum(vectors::quantiles(n, &[1, 3])), one);
        // Right always and wrong half the time.
        assert_eq!(vectors::comparison(&loads, |_| ratio(1, 2)), vectors::d_choice(n, 1));
    }
    assert_eq!(vectors::comparison(&[2, 1, 0], |_| one.clone()), vectors::d_choice(3, 2));
}

/// Nonsense gives an empty law, not a panic.
#[test]
fn impossible_sizes_give_empty_laws() {
    assert_eq!(exact::always_go_left(2, 3, 1).iter().count(), 0);
    assert_eq!(exact::always_go_left(2, 0, 1).iter().count(), 0);
    assert_eq!(exact::twinning(0, 1).iter().count(), 0);
    assert_eq!(vectors::distinct_choice(3, 5), vec![ratio(0, 1); 3]);
}
