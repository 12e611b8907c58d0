//! Real loads do not drift.

use bb_processes::bb_core::rand::distr::Distribution;
use bb_processes::bb_core::{
    Allocator, Bins, BinsExt, DistinctSampler, LoadVector, Metrics, Place, Rng, Weight, rng_for_trial,
};
use bb_processes::{DChoice, WeightLaw, throw_weighted};
use proptest::prelude::*;

/// Weights and loads as multiples of `2^-64`: exact sums.
fn exact(number: f64) -> i128 {
    (number * 2_f64.powi(64)) as i128
}

/// The nearest weight that is a multiple of `2^-64`.
fn on_grid(weight: f64) -> f64 {
    exact(weight) as f64 / 2_f64.powi(64)
}

/// Ten million balls into 100 bins, against sums in integers: each load, the total, the average and the gap.
/// Plain sums of such numbers are off by 1e-11.
#[test]
fn loads_total_and_gap_do_not_drift() {
    let (bins, balls) = (100, 10_000_000);
    for (name, law) in [("exp", WeightLaw::exponential()), ("uniform12", WeightLaw::uniform12())] {
        let mut loads = LoadVector::weighted(bins).unwrap();
        let mut sums = vec![0_i128; bins as usize];
        let mut plain = vec![0.0; bins as usize];
        let mut rng = rng_for_trial(1, 0);
        let mut rule = DChoice::two();
        for _ in 0..balls {
            let weight: f64 = on_grid(law.sample(&mut rng));
            let bin = rule.step_ball(&mut loads, &Weight::new(weight).unwrap(), &mut rng);
            sums[bin] += exact(weight);
            plain[bin] += weight;
        }
        let real = |sum: i128| sum as f64 / 2_f64.powi(64);
        for (bin, &sum) in sums.iter().enumerate() {
            let load = loads.load(bin);
            assert!((load - real(sum)).abs() <= load * 2.0_f64.powi(-52), "{name}: {load}");
        }
        let total: i128 = sums.iter().sum();
        assert!((loads.total() / real(total) - 1.0).abs() < 1e-15);
        assert!((loads.average() * bins as f64 / real(total) - 1.0).abs() < 1e-15);
        let gap = real(*sums.iter().max().unwrap() * i128::from(bins) - total) / bins as f64;
        assert!((loads.gap() - gap).abs() < 1e-15 * loads.average(), "{name}: {} and {gap}", loads.gap());
        // Plain sums would be seen.
        let drift = plain.iter().zip(&sums).map(|(load, &sum)| (load / real(sum) - 1.0).abs()).fold(0.0, f64::max);
        assert!(drift > 1e-14, "{name}: {drift:e}");
    }
}

/// A large load does not swallow small weights.
#[test]
fn small_weights_on_a_large_load_are_kept() {
    let mut loads = LoadVector::from_loads(vec![1e16, 0.0]).unwrap();
    for _ in 0..1_000_000 {
        loads.place(0, &Weight::new(0.25).unwrap());
    }
    assert_eq!((loads.load(0), loads.total()), (1e16 + 250_000.0, 1e16 + 250_000.0));
    assert_eq!(loads.max_load(), 1e16 + 250_000.0);
}

/// Every weight of a law times a power of two.
struct Scaled(WeightLaw, f64);

impl Distribution<f64> for Scaled {
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        let weight: f64 = self.0.sample(rng);
        self.1 * weight
    }
}

proptest! {
    /// Weights times a power of two make loads, gaps and totals times that power, to the last bit.
    #[test]
    fn a_power_of_two_scales_everything(power in -300..300_i32, seed in 0..1000_u64, which in 0..7_usize) {
        let (_, law) = super::laws().swap_remove(which);
        let scale = 2_f64.powi(power);
        let throw = |scale: f64| {
            let mut loads = LoadVector::weighted(7).unwrap();
            let law = Scaled(law.clone(), scale);
            throw_weighted(&mut DChoice::two(), &mut loads, &law, 500, &mut rng_for_trial(seed, 0)).unwrap();
            loads
        };
        let (one, scaled) = (throw(1.0), throw(scale));
        prop_assert!(one.iter().zip(scaled.iter()).all(|(one, scaled)| one * scale == scaled));
        prop_assert_eq!(one.gap() * scale, scaled.gap());
        prop_assert_eq!(one.all_time_gap() * scale, scaled.all_time_gap());
        prop_assert_eq!(one.min_gap() * scale, scaled.min_gap());
        prop_assert_eq!(Bins::total(&one) * scale, Bins::total(&scaled));
    }

    /// What is kept is what the loads say: the maximum, distinct draws on real loads.
    #[test]
    fn the_maximum_is_that_of_the_loads(seed in 0..1000_u64, which in 0..7_usize) {
        let (_, law) = super::laws().swap_remove(which);
        let mut loads = LoadVector::weighted(5).unwrap();
        let mut rng = rng_for_trial(seed, 1);
        throw_weighted(&mut DChoice::two(), &mut loads, &law, 300, &mut rng).unwrap();
        let max = loads.iter().fold(0.0, f64::max);
        prop_assert!((loads.max_load() - max).abs() <= max * f64::EPSILON);
        let mut drawn = Vec::new();
        loads.draw_distinct(5, &mut DistinctSampler::default(), &mut rng, |bin| drawn.push(bin));
        drawn.sort_unstable();
        prop_assert_eq!(drawn, [0, 1, 2, 3, 4]);
    }
}
