//! Few weighted balls in few bins, all outcomes enumerated.
use std::collections::BTreeMap;

use bb_processes::bb_core::{Allocator, Bins, LoadVector, Metrics, Place, Places, Rng, Weight, rng_for_trial};
use bb_processes::theory::identities::{Moments, exponential_step, quadratic_drift};
use bb_processes::{DChoice, OneChoice, OnePlusBeta, WeightLaw, throw_weighted};
use bb_testkit::exact::{Law, chain, ratio};
use bb_testkit::stats::{goodness_of_fit, tally};

/// Real loads whose pairs are told beforehand.
struct Told<'a> {
    loads: &'a LoadVector<f64>,
    pair: Pair,
}

/// The pair that is drawn next, among so many places.
struct Pair {
    bins: u64,
    next: [u64; 2],
}

impl Places for Pair {
    fn bound(&self) -> u64 {
        self.bins
    }
    fn draw<R: Rng + ?Sized>(&self, _: &mut R) -> u64 {
        self.next[0]
    }
    fn draw_pair<R: Rng + ?Sized>(&self, _: &mut R) -> [u64; 2] {
        self.next
    }
}

impl Bins for Told<'_> {
    type Bin = usize;
    type Load = f64;
    type Places = Pair;
    fn places(&self) -> &Pair {
        &self.pair
    }
    fn nth(&self, place: u64) -> usize {
        place as usize
    }
    fn load(&self, bin: usize) -> f64 {
        self.loads.load(bin)
    }
    fn total(&self) -> f64 {
        Bins::total(self.loads)
    }
}

/// How many of the `n²` pairs send the ball to each bin.
fn counts(rule: &mut impl for<'a> Allocator<Told<'a>>, loads: &LoadVector<f64>) -> Vec<i64> {
    let n = loads.bins() as usize;
    let mut counts = vec![0; n];
    for first in 0..n {
        for second in 0..n {
            let told = Told { loads, pair: Pair { bins: n as u64, next: [first as u64, second as u64] } };
            counts[rule.choose(&told, &mut rng_for_trial(1, 0))] += 1;
        }
    }
    counts
}

/// All loads that up to four balls of weight 1 or 2 make in three bins.
fn states() -> Vec<[i64; 3]> {
    let mut states = vec![[0; 3]];
    let mut last = states.clone();
    for _ in 0..4 {
        last = last
            .iter()
            .flat_map(|state| {
                (0..3).flat_map(move |bin| [1, 2].map(move |weight| (bin, weight))).map(|(bin, weight)| {
                    let mut state = *state;
                    state[bin] += weight;
                    state
                })
            })
            .collect();
        last.sort_unstable();
        last.dedup();
        states.extend(&last);
    }
    states
}

/// `n Υ = n Σ x² − W²`, an integer.
fn quadratic(loads: &[i64]) -> i64 {
    let total: i64 = loads.iter().sum();
    loads.len() as i64 * loads.iter().map(|load| load * load).sum::<i64>() - total * total
}

fn check_one_step(rule: &mut impl for<'a> Allocator<Told<'a>>) {
    for state in states() {
        let n = 3;
        let loads = LoadVector::from_loads(state.map(|load| load as f64).to_vec()).unwrap();
        let counts = counts(rule, &loads);
        assert_eq!(counts.iter().sum::<i64>(), n * n);
        // Over all pairs, and the two weights.
        let (mut sum, mut phi, mut psi) = (0, 0.0, 0.0);
        let alpha = 0.3;
        for (bin, &count) in counts.iter().enumerate() {
            for weight in [1, 2] {
                let mut after = state;
                after[bin] += weight;
                sum += count * (quadratic(&after) - quadratic(&state));
                let after = LoadVector::from_loads(after.map(|load| load as f64).to_vec()).unwrap();
                let potentials = after.exponential_potentials(alpha).unwrap();
                phi += count as f64 * potentials.phi() / (2 * n * n) as f64;
                psi += count as f64 * potentials.psi() / (2 * n * n) as f64;
            }
        }
        // E[ΔΥ] = 2 E[w] Σ p_i y_i + E[w²](1 − 1/n), times 2n³; E[w] = 3/2, E[w²] = 5/2.
        let total: i64 = state.iter().sum();
        let chosen: i64 = counts.iter().zip(state).map(|(count, load)| count * (n * load - total)).sum();
        assert_eq!(sum, 6 * chosen + 5 * n * n * (n - 1), "{state:?}");

        let real = state.map(|load| load as f64);
        let probabilities: Vec<f64> = counts.iter().map(|&count| count as f64 / (n * n) as f64).collect();
        let drift = quadratic_drift(&real, &probabilities, Moments::new(1.5, 2.5).unwrap()).unwrap();
        assert!((drift - sum as f64 / (2 * n * n * n) as f64).abs() < 1e-12);
        let mgf = |z: f64| (z.exp() + (2.0 * z).exp()) / 2.0;
        let [found_phi, found_psi] = exponential_step(&real, &probabilities, alpha, mgf).unwrap();
        assert!((found_phi - phi).abs() < 1e-11 && (found_psi - psi).abs() < 1e-11, "{state:?}");
    }
}

/// One-step identities of the quadratic and the exponential potentials, weights 1 and 2, the real rules.
#[test]
fn one_step_expectations_hold_in_every_small_state() {
    check_one_step(&mut OneChoice);
    check_one_step(&mut DChoice::two());
    // A coin that always shows tails, and one that always shows heads.
    check_one_step(&mut OnePlusBeta::new(0.0).unwrap());
    check_one_step(&mut OnePlusBeta::new(1.0).unwrap());
}

/// The sorted loads after `balls` balls of weight 1 or 2, in three bins, where a bin of rank `i` (from the
/// heaviest) takes the ball with probability `p_i/9`. Rank by rank, for ties do not matter.
fn law(balls: u64, ranks: [u64; 3]) -> Law<Vec<u64>> {
    chain(vec![0; 3], balls, |state| {
        let outcomes = (0..3).flat_map(|rank| [1, 2].map(|weight| (rank, weight)));
        outcomes
            .map(|(rank, weight)| {
                let mut after = state.clone();
                after[rank] += weight;
                after.sort_unstable_by(|a, b| b.cmp(a));
                (ratio(ranks[rank], 18), after)
            })
            .collect()
    })
}

/// Chi-square over all sorted loads, α = 1e-6 each; a law one parameter away is rejected.
#[test]
fn laws_of_sorted_loads() {
    const TRIALS: u64 = 100_000;
    fn sample<A: Allocator<LoadVector<f64>> + Clone>(rule: &A, balls: u64) -> BTreeMap<Vec<u64>, u64> {
        tally((0..TRIALS).map(|trial| {
            let mut loads = LoadVector::weighted(3).unwrap();
            let mut rng = rng_for_trial(5, trial);
            throw_weighted(&mut rule.clone(), &mut loads, &WeightLaw::uniform12(), balls, &mut rng).unwrap();
            let mut units: Vec<u64> = loads.iter().map(|load| (1.5 * load).round() as u64).collect();
            units.sort_unstable_by(|a, b| b.cmp(a));
            units
        }))
    }
    // Of 9 pairs the heaviest bin takes 1, the next 3.
    for balls in [3, 5] {
        let two = sample(&DChoice::two(), balls);
        goodness_of_fit(&two, &law(balls, [1, 3, 5]).to_f64()).assert_fits("two-choice", 5);
        goodness_of_fit(&sample(&OneChoice, balls), &law(balls, [3, 3, 3]).to_f64()).assert_fits("one-choice", 5);
        let near = sample(&OnePlusBeta::new(0.95).unwrap(), balls);
        goodness_of_fit(&near, &law(balls, [1, 3, 5]).to_f64()).assert_rejects("(1+0.95) for two-choice", 5);
    }
}

/// A weight of 0 places nothing and is a ball all the same.
#[test]
fn weights_of_zero() {
    let law = WeightLaw::empirical(vec![0.0, 2.0]).unwrap();
    let mut loads = LoadVector::weighted(4).unwrap();
    throw_weighted(&mut DChoice::two(), &mut loads, &law, 1000, &mut rng_for_trial(6, 0)).unwrap();
    let heavy = loads.total() / 2.0;
    assert!(heavy.fract() == 0.0 && (400.0..600.0).contains(&heavy));
    let before = loads.clone();
    loads.place(2, &Weight::new(0.0).unwrap());
    assert_eq!((&loads, loads.max_load()), (&before, before.max_load()));
}
