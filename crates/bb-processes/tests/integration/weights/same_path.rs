//! Unit weights are unit balls, in every setting; a run in pieces is the uncut run.

use bb_processes::bb_core::{
    Allocator, Bins, BinsExt, Counters, LoadVector, Metrics, Put, Rng, Weight, WithCounters, rng_for_trial,
};
use bb_processes::{
    AlwaysGoLeft, Batched, Caching, DChoice, Delayed, DistinctChoice, DoubleHashing, Graph, GraphChoice, GroupChoice,
    KdChoice, OneChoice, OnePlusBeta, Twinning, WeightLaw, throw_weighted,
};

const BINS: u64 = 60;
const BALLS: u64 = 3000;

fn check<A, W>(name: &str, units: A, weights: W)
where
    A: Allocator,
    W: Allocator<LoadVector<f64>>,
{
    let (mut units, mut weights) = (units, weights);
    let mut counts = LoadVector::new(BINS).unwrap();
    let mut loads = LoadVector::weighted(BINS).unwrap();
    let (mut rng, mut same) = (rng_for_trial(1, 0), rng_for_trial(1, 0));
    for _ in 0..BALLS {
        units.step(&mut counts, &mut rng);
    }
    throw_weighted(&mut weights, &mut loads, &WeightLaw::constant(), BALLS, &mut same).unwrap();
    assert!(counts.iter().map(|count| count as f64).eq(loads.iter()), "{name}");
    assert_eq!((counts.gap(), counts.all_time_gap()), (loads.gap(), loads.all_time_gap()), "{name}");
    assert_eq!(rng, same, "{name}");
}

#[test]
fn unit_weights_are_unit_balls() {
    check("one-choice", OneChoice, OneChoice);
    check("two-choice", DChoice::two(), DChoice::two());
    check("five-choice", DChoice::new(5).unwrap(), DChoice::new(5).unwrap());
    check("(1+β)", OnePlusBeta::new(0.4).unwrap(), OnePlusBeta::new(0.4).unwrap());
    check("distinct", DistinctChoice::new(3).unwrap(), DistinctChoice::new(3).unwrap());
    check("left", AlwaysGoLeft::new(3).unwrap(), AlwaysGoLeft::new(3).unwrap());
    check("group", GroupChoice::new(3).unwrap(), GroupChoice::new(3).unwrap());
    check("double hashing", DoubleHashing::new(3).unwrap(), DoubleHashing::new(3).unwrap());
    check("caching", Caching::new(), Caching::new());
    let graph = Graph::cycle(BINS).unwrap();
    check("graph", GraphChoice::new(graph.clone()), GraphChoice::new(graph));
    check("kd", KdChoice::new(2, 4).unwrap(), KdChoice::new(2, 4).unwrap());
}

#[test]
fn unit_weights_are_unit_balls_in_batches_and_late() {
    let units = LoadVector::new(BINS).unwrap();
    let weights = LoadVector::weighted(BINS).unwrap();
    let law = WeightLaw::constant();

    let mut counts = Batched::new(units.clone(), 37).unwrap();
    let mut loads = Batched::<_, Weight>::of_balls(weights.clone(), 37, Metrics::gap).unwrap();
    DChoice::two().run(&mut counts, BALLS, &mut rng_for_trial(2, 0));
    throw_weighted(&mut DChoice::two(), &mut loads, &law, BALLS, &mut rng_for_trial(2, 0)).unwrap();
    assert_eq!(counts.batch_end_gap(), loads.batch_end_gap());
    assert!(counts.into_loads().iter().map(|count| count as f64).eq(loads.into_loads().iter()));

    let mut counts = Delayed::new(units, 37).unwrap();
    let mut loads = Delayed::<_, Weight>::of_balls(weights, 37).unwrap();
    DChoice::two().run(&mut counts, BALLS, &mut rng_for_trial(2, 0));
    throw_weighted(&mut DChoice::two(), &mut loads, &law, BALLS, &mut rng_for_trial(2, 0)).unwrap();
    assert!(counts.into_loads().iter().map(|count| count as f64).eq(loads.into_loads().iter()));
}

/// A rule that counts has its counts on weights too, and one that places two balls places two of a kind.
#[test]
fn puts_are_put_on_weights() {
    struct AcceptTwice;
    impl<B: Counters> Allocator<B> for AcceptTwice {
        fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> B::Bin {
            let [first, second] = bins.draw_pair(rng);
            if bins.counter(first, 0) < 2 { first } else { second }
        }
        fn put(&self, _: &B, _: B::Bin) -> Put {
            Put::BALL.counting(0)
        }
    }

    let mut loads = WithCounters::new(LoadVector::weighted(10).unwrap(), 1).unwrap();
    throw_weighted(&mut AcceptTwice, &mut loads, &WeightLaw::exponential(), 25, &mut rng_for_trial(3, 0)).unwrap();
    assert_eq!(loads.counter_total(0), 25);
    assert!(loads.total() != 25.0);

    // Twinning puts two balls into a bin below the mean.
    let mut loads = LoadVector::weighted(2).unwrap();
    let mut rng = rng_for_trial(3, 0);
    let weight = Weight::new(0.75).unwrap();
    let mut twinning = Twinning::new();
    let first = twinning.step_ball(&mut loads, &weight, &mut rng);
    while loads.load(1 - first) == 0.0 {
        twinning.step_ball(&mut loads, &weight, &mut rng);
    }
    assert_eq!(loads.load(1 - first), 1.5);
}

#[test]
fn a_run_in_pieces_is_the_uncut_run() {
    let law = WeightLaw::pareto(2.5).unwrap();
    let throw = |pieces: &[u64]| {
        let mut loads = LoadVector::weighted(BINS).unwrap();
        let (mut rule, mut rng) = (Caching::new(), rng_for_trial(4, 0));
        pieces.iter().for_each(|&balls| throw_weighted(&mut rule, &mut loads, &law, balls, &mut rng).unwrap());
        loads
    };
    assert_eq!(throw(&[1000]), throw(&[1, 332, 0, 667]));
}

/// What is not a weight is not placed, and nothing before it is lost.
#[test]
fn a_bad_weight_stops_the_run() {
    use bb_processes::bb_core::rand::distr::Distribution;
    use std::cell::Cell;

    struct Then(Cell<u64>, f64);
    impl Distribution<f64> for Then {
        fn sample<R: Rng + ?Sized>(&self, _: &mut R) -> f64 {
            self.0.set(self.0.get() + 1);
            if self.0.get() == 4 { self.1 } else { 0.5 }
        }
    }

    for bad in [-1.0, f64::NAN, f64::INFINITY, -f64::MIN_POSITIVE] {
        let mut loads = LoadVector::weighted(3).unwrap();
        let law = Then(Cell::new(0), bad);
        let error = throw_weighted(&mut DChoice::two(), &mut loads, &law, 10, &mut rng_for_trial(5, 0)).unwrap_err();
        assert_eq!((error.ball, error.reason.parameter(), loads.total()), (4, "weight", 1.5));
        assert!(error.to_string().starts_with("ball 4: weight = "), "{error}");
    }
}
