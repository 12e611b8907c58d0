//! Balls that leave: counted and labelled bins against plain loads, and what rules learn of it.

use bb_core::{
    Allocator, Bins, BinsExt, CountedBin, DynAllocator, DynamicLoads, LoadProfile, LoadVector, LoadsError, Metrics,
    Place, Put, Remove, Rng, TrialRng, rng_for_trial,
};
use bb_testkit::stats::{goodness_of_fit, tally};
use rand::RngExt;

const SEED: u64 = 70;

/// Loads in a plain vector, looked at from scratch after every operation.
struct Plain {
    loads: Vec<u64>,
    all_time_gap: f64,
}

impl Plain {
    fn new(loads: Vec<u64>) -> Self {
        let mut made = Self { loads, all_time_gap: 0.0 };
        made.judge();
        made
    }

    fn max_total(&self) -> (u64, u64) {
        (*self.loads.iter().max().unwrap(), self.loads.iter().sum())
    }

    fn judge(&mut self) {
        let ((max, total), n) = (self.max_total(), self.loads.len() as f64);
        self.all_time_gap = self.all_time_gap.max((max as f64 * n - total as f64) / n);
    }

    fn remove(&mut self, bin: usize) -> bool {
        let holds = self.loads[bin] > 0;
        self.loads[bin] -= u64::from(holds);
        self.judge();
        holds
    }

    fn remove_from_each(&mut self) -> u64 {
        let holding = self.holding();
        self.loads.iter_mut().for_each(|load| *load = load.saturating_sub(1));
        self.judge();
        holding
    }

    fn holding(&self) -> u64 {
        self.loads.iter().filter(|&&load| load > 0).count() as u64
    }

    fn check<L: Remove + Metrics>(&self, loads: &L, all_time_gap: f64) {
        let (max, total) = self.max_total();
        assert_eq!((loads.max_load(), loads.total(), loads.holding()), (max, total, self.holding()));
        assert_eq!(loads.min_load(), *self.loads.iter().min().unwrap());
        assert_eq!(loads.level_counts(), LoadVector::from_loads(self.loads.clone()).unwrap().level_counts());
        assert_eq!(all_time_gap, self.all_time_gap);
        // The ranks sort the loads.
        let by_rank: Vec<u64> = (0..loads.bins()).map(|place| loads.load(loads.nth(place))).collect();
        let mut expected = self.loads.clone();
        if by_rank != expected {
            expected.sort_unstable_by(|a, b| b.cmp(a));
            assert_eq!(by_rank, expected);
        }
    }
}

/// Random arrivals and departures, of which there are as many, more, or fewer, so that loads fall to 0 and
/// rise to dozens.
#[test]
fn loads_are_those_of_a_plain_vector_at_any_time() {
    for (n, start) in [(1, 0), (1, 5), (2, 3), (7, 0), (7, 40), (20, 2)] {
        let mut rng = rng_for_trial(SEED, n as u64 + 100 * start);
        let mut plain = Plain::new(vec![start; n]);
        let mut labelled = DynamicLoads::from_loads(plain.loads.clone()).unwrap();
        let mut counted = LoadProfile::from_level_counts(&[(start, n as u64)]).unwrap();
        let mut names: Vec<CountedBin> = (0..n as u64).map(|place| counted.nth(place)).collect();
        for step in 0..6000 {
            let bin = rng.random_range(0..n);
            let was = names[bin];
            // Thirds of the run with more arrivals, as many, and more departures.
            let now = if rng.random_range(0..10) < 7 - 2 * (step / 2000) {
                let put = if step % 50 == 0 { Put::balls(4.try_into().unwrap()) } else { Put::BALL };
                plain.loads[bin] += put.count();
                plain.judge();
                assert_eq!(labelled.put(bin, &(), put), bin);
                Some(counted.put(was, &(), put))
            } else {
                let holds = plain.remove(bin);
                assert_eq!(labelled.remove(bin), holds.then_some(bin));
                let now = counted.remove(was);
                assert_eq!(now.is_some(), holds);
                now
            };
            if let Some(now) = now {
                names = names.into_iter().map(|kept| counted.follow(kept, was, now)).collect();
            }
            if step % 400 == 399 {
                let holding = plain.remove_from_each();
                assert_eq!((labelled.remove_from_each(), counted.remove_from_each()), (holding, holding));
                names = names.into_iter().map(|name| counted.nth(name.rank())).collect();
            }
            plain.check(&labelled, labelled.all_time_gap());
            plain.check(&counted, counted.all_time_gap());
            assert_eq!(labelled.as_slice(), plain.loads);
            for (&name, &load) in names.iter().zip(&plain.loads) {
                // As the name remembers it, and looked up afresh.
                assert_eq!((counted.load(name), counted.load(counted.nth(name.rank()))), (load, load));
            }
            let mut ranks: Vec<u64> = names.iter().map(|name| name.rank()).collect();
            ranks.sort_unstable();
            assert!(ranks.into_iter().eq(0..n as u64));
        }
    }
}

/// A ball that leaves a bin below the maximum raises the gap, though the maximum stays.
#[test]
fn the_largest_gap_may_come_from_a_departure() {
    let mut loads = LoadProfile::from_level_counts(&[(0, 1), (1, 1), (2, 1)]).unwrap();
    loads.remove(loads.nth(1));
    assert_eq!((loads.gap(), loads.all_time_gap()), (4.0 / 3.0, 4.0 / 3.0));
    loads.place(loads.nth(2), &());
    assert_eq!((loads.gap(), loads.all_time_gap()), (1.0, 4.0 / 3.0));
}

#[test]
fn a_departure_ends_a_record() {
    let mut loads = LoadProfile::new(2).unwrap();
    loads.record_maximum();
    assert_eq!(loads.remove_from_each(), 0);
    assert_eq!(loads.remove(loads.nth(0)), None);
    assert!(loads.max_load_record().is_some(), "nothing left");
    let now = loads.place(loads.nth(0), &());
    loads.remove(now);
    assert!(loads.max_load_record().is_none());
    loads.record_maximum();
    loads.place(loads.nth(0), &());
    assert_eq!(loads.max_load_record().unwrap().rises(), [(1, 1)]);
    loads.remove_from_each();
    assert!(loads.max_load_record().is_none());
}

/// Without departures, the same bins from the same words as on a load vector.
#[test]
fn without_departures_they_are_a_load_vector() {
    for d in [1, 2, 3, 9] {
        let (mut rng, mut other) = (rng_for_trial(SEED, d), rng_for_trial(SEED, d));
        let mut vector = LoadVector::new(50).unwrap();
        let mut dynamic = DynamicLoads::new(50).unwrap();
        vector.throw_to_least(d as u32, &(), 3000, &mut rng);
        dynamic.throw_to_least(d as u32, &(), 3000, &mut other);
        assert_eq!((vector.to_vec(), vector.all_time_gap()), (dynamic.as_slice().to_vec(), dynamic.all_time_gap()));
        assert_eq!(rng, other);
    }
}

/// Eight tests with a false alarm of 1e-6 each, and their twins.
#[test]
fn balls_and_bins_that_hold_one_are_drawn_uniformly() {
    const DRAWS: u64 = 100_000;
    for loads in [vec![3, 0, 1, 2], vec![5, 9, 2, 2]] {
        let total: u64 = loads.iter().sum();
        let holding = loads.iter().filter(|&&load| load > 0).count();
        let labelled = DynamicLoads::from_loads(loads.clone()).unwrap();
        let counted = LoadProfile::from(&LoadVector::from_loads(loads.clone()).unwrap());
        // The probability of each load, among balls and among bins that hold one.
        let law = |weight: &dyn Fn(u64) -> f64| {
            let mut law = std::collections::BTreeMap::new();
            loads.iter().filter(|&&load| load > 0).for_each(|&load| *law.entry(load).or_insert(0.0) += weight(load));
            law
        };
        let by_ball = law(&|load| load as f64 / total as f64);
        let by_bin = law(&|_| 1.0 / holding as f64);
        let mut rng = rng_for_trial(SEED, total);
        let mut check = |draw: &mut dyn FnMut(&mut TrialRng) -> [u64; 4]| {
            let draws: Vec<[u64; 4]> = (0..DRAWS).map(|_| draw(&mut rng)).collect();
            for (place, right, wrong) in
                [(0, &by_ball, &by_bin), (1, &by_bin, &by_ball), (2, &by_ball, &by_bin), (3, &by_bin, &by_ball)]
            {
                let seen = tally(draws.iter().map(|draw| draw[place]));
                goodness_of_fit(&seen, right).assert_fits(&format!("{loads:?}, draw {place}"), SEED);
                goodness_of_fit(&seen, wrong).assert_rejects(&format!("{loads:?}, draw {place}"), SEED);
            }
        };
        check(&mut |rng| {
            [
                labelled.load(labelled.draw_ball(rng).unwrap()),
                labelled.load(labelled.draw_holding(rng).unwrap()),
                counted.load(counted.draw_ball(rng).unwrap()),
                counted.load(counted.draw_holding(rng).unwrap()),
            ]
        });
        // Bins of equal load are told apart by their label alone.
        let seen = tally((0..DRAWS).map(|_| labelled.draw_ball(&mut rng).unwrap()));
        let each = loads.iter().map(|&load| load as f64 / total as f64).enumerate();
        goodness_of_fit(&seen, &each.filter(|(_, share)| *share > 0.0).collect()).assert_fits("labels", SEED);
    }
}

#[test]
fn huge_profiles_keep_their_sums() {
    let n = 1 << 62;
    let mut loads = LoadProfile::new(n).unwrap();
    let mut rng = rng_for_trial(SEED, 0);
    loads.throw_to_least(1, &(), 1000, &mut rng);
    assert_eq!(loads.remove_from_each(), 1000);
    assert_eq!((loads.total(), loads.max_load()), (0, 0));
    let mut loads = LoadProfile::from_level_counts(&[(1, n)]).unwrap();
    for left in (n - 1000..n).rev() {
        let ball = loads.draw_ball(&mut rng).unwrap();
        loads.remove(ball).unwrap();
        assert_eq!((loads.total(), loads.holding()), (left, left));
    }
    assert_eq!(loads.level_counts(), [(0, 1000), (1, n - 1000)]);
}

#[test]
fn bad_loads_are_refused() {
    assert_eq!(DynamicLoads::new(0), Err(LoadsError::NoBins));
    assert_eq!(DynamicLoads::from_loads(vec![]), Err(LoadsError::NoBins));
    assert!(matches!(DynamicLoads::new(1 << 61), Err(LoadsError::DoesNotFit { .. })));
    assert!(matches!(DynamicLoads::new(u64::MAX), Err(LoadsError::TooManyBins { .. })));
    assert!(matches!(DynamicLoads::from_loads(vec![u64::MAX, 1]), Err(LoadsError::TotalTooLarge { .. })));
    assert!(matches!(DynamicLoads::from_loads(vec![0, 1 << 24]), Err(LoadsError::TooManyLevels { .. })));
    let mut loads = LoadProfile::from_level_counts(&[(3, 2)]).unwrap();
    assert!(loads.set_level_counts(&[]).is_err());
    assert_eq!(loads.total(), 6);
}

/// Counts what it learns.
#[derive(Default)]
struct Learns(u32);

impl<B: Bins> Allocator<B> for Learns {
    fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> B::Bin {
        bins.draw(rng)
    }
    fn removed(&mut self, _: &B, _: B::Bin, _: B::Bin) {
        self.0 += 1;
    }
}

#[test]
fn rules_behind_pointers_learn_of_departures() {
    fn tell<A: Allocator<LoadProfile>>(mut rule: A) {
        let loads = LoadProfile::new(1).unwrap();
        rule.removed(&loads, loads.nth(0), loads.nth(0));
    }
    let mut rule = Learns::default();
    tell(&mut rule);
    tell(Box::new(&mut rule));
    tell(Box::new(&mut rule) as Box<dyn DynAllocator<LoadProfile> + '_>);
    assert_eq!(rule.0, 3);
}
