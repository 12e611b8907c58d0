//! Quantile and k-Quantile: exact laws, special cases, and ranks in batches. The engines are compared in
//! `engines`.

use std::collections::BTreeSet;

use bb_processes::bb_core::{
    Allocator, Bins, BinsExt, LoadProfile, LoadVector, Metrics, RankedVector, TrialRng, rng_for_trial,
};
use bb_processes::{Batched, DChoice, KQuantile, OneChoice, Quantile};
use bb_testkit::data::{Quantity, exact_small};
use bb_testkit::exact::ratio;
use bb_testkit::ranks::{self, k_quantile, sorted_chain};
use bb_testkit::stats::{Verdict, same_law, tally};
use bb_testkit::twin;

const SEED: u64 = 60;

fn quantile(delta: f64) -> Quantile {
    Quantile::new(delta).unwrap()
}

fn quantiles(deltas: &[f64]) -> KQuantile {
    KQuantile::new(deltas).unwrap()
}

const PROCESS: &str = "quantile delta=1/2";

/// Of the table, all rows by the chain, and the sizes that are small enough by the real rule on all its
/// outcomes.
#[test]
fn the_table_is_reproduced() {
    let sizes: BTreeSet<(u64, u64)> =
        exact_small().iter().filter(|row| row.process == PROCESS).map(|row| (row.bins, row.steps)).collect();
    assert!(sizes.len() >= 5, "{sizes:?}");
    for (bins, balls) in sizes {
        let law = sorted_chain(bins, balls, |_| k_quantile(bins, &[bins / 2]));
        if bins.pow(3) * balls <= 320 {
            let real = twin::law(&quantile(0.5), &vec![0; bins as usize], balls, &[]).sorted();
            assert_eq!(law, real, "n = {bins}, m = {balls}");
        }
        for row in exact_small().iter().filter(|row| (row.bins, row.steps) == (bins, balls) && row.process == PROCESS) {
            let value = match row.quantity {
                Quantity::MeanMax => law.mean_max(),
                Quantity::MeanGap => law.mean_gap(),
                Quantity::MeanMin => law.mean_min(),
                Quantity::MeanSumSqDev => law.mean_sum_sq_dev(),
                Quantity::MaxIs(max) => law.max_load().probability(&max),
                Quantity::GapIs(_) | Quantity::Gonnet => panic!("not in this table: {row:?}"),
            };
            assert_eq!(value, row.value, "{row:?}");
        }
    }
    assert_eq!(sorted_chain(4, 8, |_| k_quantile(4, &[2])).mean_gap(), ratio(501_219, 524_288));
}

#[test]
fn quantiles_on_all_their_outcomes_give_the_chain() {
    for (deltas, bins, balls) in [
        (&[0.5][..], 4, 4),
        (&[0.25, 0.5], 4, 4),
        (&[0.25, 0.5, 0.75], 4, 4),
        (&[0.34, 0.67], 3, 6),
        (&[0.0, 0.5, 1.0], 2, 8),
        (&[0.1], 3, 4),
    ] {
        let boundaries: Vec<u64> = deltas.iter().map(|delta| (delta * bins as f64) as u64).collect();
        let law = twin::law(&quantiles(deltas), &vec![0; bins as usize], balls, &[]).sorted();
        assert_eq!(law, sorted_chain(bins, balls, |_| k_quantile(bins, &boundaries)), "{deltas:?}, n = {bins}");
    }
    // With a quantile for every rank it is Two-Choice.
    let all = twin::law(&quantiles(&[0.25, 0.5, 0.75]), &[0; 4], 4, &[]).sorted();
    assert_eq!(all, twin::law(&DChoice::two(), &[0; 4], 4, &[]).sorted());
    // The same equality fails one parameter away.
    assert_ne!(all, twin::law(&quantiles(&[0.25, 0.5]), &[0; 4], 4, &[]).sorted());
    assert_ne!(twin::law(&quantile(0.5), &[0; 4], 4, &[]).sorted(), sorted_chain(4, 4, |_| k_quantile(4, &[1])));
}

#[test]
fn special_cases_are_the_simpler_process() {
    for delta in [0.0, 1.0, 0.2] {
        let law = twin::law(&quantile(delta), &[0; 4], 4, &[]).sorted();
        assert_eq!(law, sorted_chain(4, 4, |_| ranks::one_choice(4)), "{delta}");
    }
    for start in [[0; 3], [2, 0, 1]] {
        let one = twin::law(&quantiles(&[0.7]), &start, 4, &[]);
        assert_eq!(one.sorted(), twin::law(&quantile(0.7), &start, 4, &[]).sorted());
    }
    // One bin.
    let mut loads = RankedVector::from(LoadVector::new(1).unwrap());
    quantile(0.5).run(&mut loads, 10, &mut rng_for_trial(SEED, 0));
    assert_eq!((loads.max_load(), loads.min_load(), loads.bins()), (10, 10, 1));
}

#[test]
fn bad_quantiles_are_refused() {
    for delta in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        assert_eq!(Quantile::new(delta).unwrap_err().to_string(), format!("delta = {delta:?} is outside [0, 1]"));
    }
    for deltas in [&[][..], &[0.5, 0.4], &[0.5, 0.5], &[0.2, f64::NAN], &[-0.5, 0.5], &[0.5, 1.5]] {
        let error = KQuantile::new(deltas).unwrap_err();
        assert_eq!((error.parameter(), error.range()), ("delta", "increasing numbers in [0, 1]"), "{deltas:?}");
    }
}

/// Sorted loads after three batches of four balls: by the rule in batches, and by a loop that draws all ranks
/// anew from the loads at the batch's start.
fn in_batches(delta: f64, fresh_ranks: bool) -> Verdict {
    const RUNS: u64 = 100_000;
    let sorted = |mut loads: Vec<u64>| {
        loads.sort_unstable();
        loads
    };
    let by_rule = |rng: &mut TrialRng| {
        let loads = RankedVector::from(LoadVector::new(4).unwrap());
        let mut loads = Batched::new(loads, 4).unwrap();
        quantile(delta).run(&mut loads, 12, rng);
        sorted(loads.into_loads().into_loads().to_vec())
    };
    let by_hand = |rng: &mut TrialRng| {
        let mut loads = vec![0_u64; 4];
        for _ in 0..3 {
            let seen = loads.clone();
            let mut order: Vec<usize> = (0..4).collect();
            for ball in 0..4 {
                if fresh_ranks || ball == 0 {
                    // A random order of equal bins: shuffle, then sort stably.
                    for place in (1..4).rev() {
                        order.swap(place, OneChoice.choose(&LoadVector::new(place as u64 + 1).unwrap(), rng));
                    }
                    order.sort_by_key(|&bin| std::cmp::Reverse(seen[bin]));
                }
                let [first, second] = LoadVector::new(4).unwrap().draw_pair(rng);
                let rank = order.iter().position(|&bin| bin == first).unwrap();
                loads[if rank < (delta * 4.0) as usize { second } else { first }] += 1;
            }
        }
        sorted(loads)
    };
    let mut rng = rng_for_trial(SEED, 1);
    let first = tally((0..RUNS).map(|_| by_rule(&mut rng)));
    same_law(&first, &tally((0..RUNS).map(|_| by_hand(&mut rng))))
}

/// Ranks of equal bins are drawn anew for every ball of a batch; an order that is fixed for the batch sends
/// too many balls to the same bins. 1 test.
#[test]
fn ranks_in_a_batch_are_drawn_for_every_ball() {
    in_batches(0.5, true).assert_fits("fresh ranks", SEED);
    in_batches(0.5, false).assert_rejects("one order a batch", SEED);
}

/// Level counts of `2^30` bins and balls in bulk are within 5 standard errors (at most `√(s/n)`) of the fluid
/// limit, and off that of a near quantile.
#[test]
fn levels_in_bulk_are_those_of_the_fluid_limit() {
    let bins = 1_u64 << 30;
    let levels = |delta| {
        let mut loads = LoadProfile::new(bins).unwrap();
        loads.run_bulk_by_ranks(&quantile(delta), bins, &mut rng_for_trial(SEED, 2));
        let counts = loads.level_counts();
        [0, 1, 2, 3].map(|load| counts[load].1 as f64 / bins as f64)
    };
    // Runge–Kutta, to six places; 10^-6 is for the places cut off.
    let limit = [0.264_451, 0.507_442, 0.195_841, 0.028_575];
    let close = |levels: [f64; 4]| {
        levels.iter().zip(limit).all(|(level, limit)| (level - limit).abs() < 1e-6 + 5.0 * (limit / bins as f64).sqrt())
    };
    assert!(close(levels(0.5)), "{:?}", levels(0.5));
    assert!(!close(levels(0.499)), "{:?}", levels(0.499));
}
