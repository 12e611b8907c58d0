use super::throw::BLOCKS_FROM;
use super::*;
use crate::least::least_of;
use crate::mix::Mix;
use crate::place::Place;
use crate::seeds::{TrialRng, rng_for_trial};
use crate::store::Counts;
use bb_samplers::Coin;

impl<T: Load> LoadVector<T> {
    /// Recomputes what is kept, from scratch.
    fn check(&self) {
        let max = self.iter().fold(self.store.get(0), |max, load| if load > max { load } else { max });
        assert_eq!(self.max, max);
        let total = self.iter().fold(T::default(), |sum, load| sum + load);
        assert_eq!(self.total(), total);
        assert!(self.all_time_gap >= self.gap());
    }
}

/// One bin that takes nearly all balls: offsets leave a byte, and the loads widen.
#[test]
fn loads_widen_without_a_trace() {
    let mut loads = LoadVector::new(3).unwrap();
    let mut plain = [0_u64; 3];
    for ball in 0..2000 {
        let bin = if ball % 50 == 0 { 1 } else { 2 };
        loads.place(bin, &());
        plain[bin] += 1;
        loads.check();
        assert_eq!(loads.to_vec(), plain);
    }
    assert!(matches!(loads.store, Counts::Wide(_)));
}

#[test]
fn the_base_rises_without_a_trace() {
    let mut loads = LoadVector::new(7).unwrap();
    let mut wide = LoadVector::from_loads(vec![0; 7]).unwrap();
    wide.store = Counts::Wide(vec![0; 7]);
    let mut rng = rng_for_trial(1, 0);
    for d in [1, 2, 3, 5] {
        loads.throw_to_least(d, &(), 3000, &mut rng.clone());
        wide.throw_to_least(d, &(), 3000, &mut rng);
        loads.check();
        assert_eq!(loads, wide);
        assert_eq!(loads.level_counts(), wide.level_counts());
    }
    assert!(matches!(loads.store, Counts::Narrow { base, .. } if base > 200));
}

/// What throwing leaves: the loads, what is kept of them, whether they are wide, and the generator.
type Outcome = (LoadVector, u64, u64, f64, Option<MaxLoadRecord>, bool, TrialRng);

fn thrown(start: &[u64], throw: impl FnOnce(&mut LoadVector, &mut TrialRng)) -> Outcome {
    let mut loads = LoadVector::from_loads(start.to_vec()).unwrap();
    loads.record_maximum();
    let mut rng = rng_for_trial(1, start.len() as u64);
    throw(&mut loads, &mut rng);
    let (total, max, gap) = (loads.total(), loads.max, loads.all_time_gap());
    (loads.clone(), total, max, gap, loads.max_load_record(), matches!(loads.store, Counts::Wide(_)), rng)
}

fn ball_by_ball(loads: &mut LoadVector, d: Mix<u32>, balls: u64, rng: &mut TrialRng) {
    for _ in 0..balls {
        let bin = least_of(loads, d, rng);
        loads.place(bin, &());
    }
}

/// A coin between two numbers of samples.
fn mixed(heads: u32, tails: u32) -> Mix<u32> {
    Mix::Coin { coin: Coin::new("p", 0.5).unwrap(), heads, tails }
}

/// In few bins the maximum rises within nearly every block, bases rise and loads widen.
#[test]
fn blocks_take_the_bins_of_single_balls() {
    let far_apart = [vec![0, 250, 250], vec![1000, 0, 0, 1000, 3], (0..100).map(|bin| 3 * bin).collect()];
    let (mut became_wide, mut base_rose) = (false, false);
    for start in [vec![0; 1], vec![0; 2], vec![0; 7], vec![0; 1000]].into_iter().chain(far_apart) {
        for d in [0, 1, 2, 3, 4].map(Mix::Sure).into_iter().chain([mixed(2, 1), mixed(1, 2), mixed(2, 0)]) {
            for balls in [0, 1, 255, 256, 257, 1000, 3001] {
                let single = thrown(&start, |loads, rng| ball_by_ball(loads, d, balls, rng));
                for blocks_from in [0, usize::MAX] {
                    let many = thrown(&start, |loads, rng| {
                        let narrow = matches!(loads.store, Counts::Narrow { .. });
                        loads.throw_below(d, balls, rng, blocks_from);
                        loads.check();
                        became_wide |= narrow && matches!(loads.store, Counts::Wide(_));
                        base_rose |= matches!(loads.store, Counts::Narrow { base, .. } if base > 0);
                    });
                    assert_eq!(single, many, "{start:?}, d = {d:?}, {balls} balls, blocks from {blocks_from} bytes");
                }
            }
        }
    }
    assert!(became_wide && base_rose);
}

/// At the true size from which blocks are used, a byte a bin and eight.
#[test]
fn large_vectors_take_the_bins_of_single_balls() {
    let mut wide = vec![0; BLOCKS_FROM / 8];
    wide[7] = 300;
    for start in [&vec![0; BLOCKS_FROM - 1], &vec![0; BLOCKS_FROM], &wide[1..], &wide] {
        let single = thrown(start, |loads, rng| ball_by_ball(loads, Mix::Sure(2), 1000, rng));
        let many = thrown(start, |loads, rng| loads.throw_to_least(2, &(), 1000, rng));
        assert!(single == many, "n = {}", start.len());
    }
}
