//! Always-go-left, and the same groups with fair ties.

use bb_processes::bb_core::{LoadVector, rng_for_trial};
use bb_processes::{AlwaysGoLeft, DChoice, GroupChoice};
use bb_testkit::exact::{Law, ratio};
use bb_testkit::stats::{goodness_of_fit, tally};
use bb_testkit::{ranks, twin};

use crate::table::assert_rows_of;

use super::{Settle, fair, first, labelled_chain, law_on_grid, one_of, product};
use bb_processes::bb_core::Allocator;

fn left(d: u32) -> AlwaysGoLeft {
    AlwaysGoLeft::new(d).unwrap()
}

fn group(d: u32) -> GroupChoice {
    GroupChoice::new(d).unwrap()
}

/// One bin of each group, by the formula for the groups.
fn group_chain(start: &[u64], balls: u64, d: usize, settle: Settle) -> Law<Vec<u64>> {
    let n = start.len();
    let groups: Vec<Vec<usize>> = (0..d).map(|j| (j * n / d..(j + 1) * n / d).collect()).collect();
    let candidates = product(&groups);
    labelled_chain(start, balls, |loads| one_of(loads, &candidates, settle))
}

#[test]
fn all_outcomes_give_the_chain() {
    // Numbers below 1, 2, 3 and 4 are drawn, and for fair ties below 2 and 3: the grids are common multiples.
    for (start, d, grid) in [
        (&[0, 0][..], 1, 2),
        (&[0, 0], 2, 2),
        (&[0, 0, 0], 1, 3),
        (&[0, 0, 0], 2, 2),
        (&[2, 0, 1], 2, 2),
        (&[0, 0, 0], 3, 1),
        (&[0, 0, 0, 0], 1, 4),
        (&[0, 0, 0, 0], 2, 2),
        (&[1, 0, 3, 0], 2, 2),
        (&[0, 0, 0, 0], 3, 2),
        (&[0, 2, 1, 0], 3, 2),
        (&[0, 0, 0, 0], 4, 1),
    ] {
        let exact = group_chain(start, 8, d, first);
        assert_eq!(law_on_grid(&left(d as u32), start, 8, grid), exact, "left, {start:?}, d = {d}");
    }
    for (start, d, grid, balls) in [
        (&[0, 0][..], 1, 2, 8),
        (&[0, 0], 2, 2, 8),
        (&[0, 0, 0], 2, 2, 8),
        (&[2, 0, 1], 2, 2, 8),
        (&[0, 0, 0], 3, 6, 4),
        (&[0, 0, 0, 0], 2, 2, 8),
        (&[1, 0, 3, 0], 2, 2, 8),
        (&[0, 0, 0, 0], 3, 6, 3),
    ] {
        let exact = group_chain(start, balls, d, fair);
        assert_eq!(law_on_grid(&group(d as u32), start, balls, grid), exact, "fair, {start:?}, d = {d}");
    }
}

#[test]
fn the_table_has_the_same_values() {
    for (d, sizes) in [(2, 5), (3, 2)] {
        assert_rows_of(&format!("always-go-left d={d}"), sizes, |bins, balls| {
            law_on_grid(&left(d), &vec![0; bins as usize], balls, bins / u64::from(d))
        });
    }
    assert_eq!(law_on_grid(&left(2), &[0; 4], 8, 2).mean_gap(), ratio(5001, 8192));
}

/// One group is One-Choice; as many groups as bins always find a least loaded one.
#[test]
fn one_group_and_all_groups() {
    let one = ranks::sorted_chain(3, 5, |_| ranks::one_choice(3));
    assert_eq!(law_on_grid(&left(1), &[0; 3], 5, 3).sorted(), one);
    assert_eq!(law_on_grid(&group(1), &[0; 3], 5, 3).sorted(), one);
    let balanced = law_on_grid(&left(4), &[0; 4], 6, 1);
    assert_eq!(balanced.probability(&vec![2, 2, 1, 1]), ratio(1, 1));
}

/// Left, fair and plain Two-Choice differ, though barely: the ties are seen.
#[test]
fn the_neighbours_are_told_apart() {
    let laws = [
        law_on_grid(&left(2), &[0; 4], 8, 2).sorted(),
        law_on_grid(&group(2), &[0; 4], 8, 2).sorted(),
        twin::law(&DChoice::two(), &[0; 4], 8, &[]).sorted(),
    ];
    let gaps: Vec<_> = laws.iter().map(Law::mean_gap).collect();
    assert!(gaps[0] < gaps[1] && gaps[1] < gaps[2], "{gaps:?}");
}

/// The words of a real generator, on groups of 3, 3 and 4 bins: the law of the loads, and the neighbour is
/// rejected.
#[test]
fn simulated_loads_follow_the_law() {
    const SEED: u64 = 81;
    fn loads<A: Allocator + Clone>(rule: &A) -> std::collections::BTreeMap<Vec<u64>, u64> {
        let mut rng = rng_for_trial(SEED, 0);
        tally((0..100_000).map(|_| {
            let mut loads = LoadVector::new(10).unwrap();
            rule.clone().start_and_run(&mut loads, 3, &mut rng).unwrap();
            loads.to_vec()
        }))
    }
    let (exact, fair_law) = (group_chain(&[0; 10], 3, 3, first), group_chain(&[0; 10], 3, 3, fair));
    goodness_of_fit(&loads(&left(3)), &exact.to_f64()).assert_fits("left", SEED);
    goodness_of_fit(&loads(&group(3)), &exact.to_f64()).assert_rejects("fair as left", SEED);
    goodness_of_fit(&loads(&group(3)), &fair_law.to_f64()).assert_fits("fair", SEED);
    goodness_of_fit(&loads(&left(3)), &fair_law.to_f64()).assert_rejects("left as fair", SEED);
}
