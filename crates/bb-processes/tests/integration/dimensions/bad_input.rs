//! Refusals: each names the parameter, its value and its range, and places nothing.

use bb_processes::bb_core::{Allocator, ParameterError, rng_for_trial};
use bb_processes::{
    BallModel, Batched, DChoice, Delayed, DistinctChoice, Key, KeyView, MultiBall, MultiBins, MultiLoads,
    ParallelRounds,
};

fn says<T: std::fmt::Debug>(result: Result<T, impl std::fmt::Display>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn models_name_what_is_wrong() {
    assert_eq!(says(BallModel::fixed_uniform(0, 1)), "dimensions = 0 is outside 1..2^24");
    assert_eq!(says(BallModel::fixed_uniform(3, 0)), "f = 0 is outside 1..=3, the number of dimensions");
    assert_eq!(says(BallModel::fixed_uniform(3, 4)), "f = 4 is outside 1..=3, the number of dimensions");
    assert_eq!(
        says(BallModel::fixed_uniform(3, u64::MAX)),
        "f = 18446744073709551615 is outside 1..=3, the number of dimensions"
    );
    assert_eq!(says(BallModel::fixed_uniform(u64::MAX, 1)), "dimensions = 18446744073709551615 is outside 1..2^24");
    let q = |f, q: &[f64]| says(BallModel::fixed_weighted(3, f, q));
    assert_eq!(q(1, &[1.0, 2.0]), "q = a list of 2 is outside the lists of 3, one for each dimension");
    assert_eq!(q(2, &[1.0, 0.0, 0.0]), "f = 2 is outside 1..=1, the number of dimensions with positive q");
    assert_eq!(q(1, &[0.0, 0.0, 0.0]), "f = 1 is outside 1..=0, the number of dimensions with positive q");
    assert_eq!(q(1, &[1.0, -0.5, 0.0]), "q = -0.5 is outside the finite numbers from 0");
    assert_eq!(q(1, &[1.0, f64::NAN, 0.0]), "q = NaN is outside the finite numbers from 0");
    assert_eq!(q(1, &[1.0, f64::INFINITY, 0.0]), "q = inf is outside the finite numbers from 0");
    for (p, shown) in [(-0.1, "-0.1"), (1.5, "1.5"), (f64::NAN, "NaN")] {
        assert_eq!(says(BallModel::binomial(2, p)), format!("p = {shown} is outside [0, 1]"));
        assert_eq!(says(BallModel::independent(&[0.5, p])), format!("p = {shown} is outside [0, 1]"));
    }
    assert_eq!(says(BallModel::independent(&[])), "dimensions = 0 is outside 1..2^24");
    let never = "p = 0 is outside (0, 1] for some dimension, where empty balls are drawn again";
    assert_eq!(says(BallModel::binomial(4, 0.0).unwrap().never_empty()), never);
    assert_eq!(says(BallModel::independent(&[0.0, 0.0]).unwrap().never_empty()), never);
}

/// Redrawing one by one would never end here.
#[test]
fn rare_balls_are_drawn_at_once() {
    let mut model = BallModel::binomial(3, 1e-300).unwrap().never_empty().unwrap();
    let mut counts = [0_u32; 3];
    let (mut ball, mut rng) = (MultiBall::<u64>::default(), rng_for_trial(1, 0));
    for _ in 0..3000 {
        model.draw_into(&mut ball, &mut rng);
        assert_eq!(ball.parts().len(), 1);
        counts[ball.parts()[0].0] += 1;
    }
    // Each a third: six standard deviations.
    assert!(counts.iter().all(|&count| (f64::from(count) - 1000.0).abs() < 6.0 * 25.9), "{counts:?}");
    assert!((0..3).all(|k| (model.probability(k).unwrap() - 1.0 / 3.0).abs() < 1e-12));
}

#[test]
fn loads_and_settings_name_what_is_wrong() {
    assert_eq!(says(MultiLoads::from_loads(vec![1_u64, 2, 3], 2)), "dimensions = 2 is outside the divisors of 3 loads");
    assert_eq!(says(MultiLoads::from_loads(vec![1_u64, 2, 3], 0)), "dimensions = 0 is outside the divisors of 3 loads");
    assert!(says(MultiLoads::<u64>::from_loads(vec![], 2)).starts_with("bins = 0"));
    assert!(says(MultiLoads::from_loads(vec![1.0, f64::NAN], 2)).contains("NaN"));
    assert!(says(MultiLoads::new(1 << 50, 1 << 10)).contains("bytes"));
    assert!(says(MultiLoads::weighted(2, 0)).starts_with("dimensions = 0"));
    let loads = || MultiLoads::new(2, 2).unwrap();
    assert_eq!(says(Batched::<_, MultiBall>::of_balls(loads(), 0, MultiLoads::gap)), "b = 0 is outside 1..");
    assert!(says(Delayed::<_, MultiBall>::of_balls(loads(), u64::MAX)).starts_with("tau = 18446744073709551615"));
    assert_eq!(says(ParallelRounds::new(0, 1, 1)), "d = 0 is outside 1..");
    assert_eq!(says(ParallelRounds::new(2, 0, 1)), "T = 0 is outside 1..");
    assert_eq!(says(ParallelRounds::new(2, 1, 1).unwrap().with_wave(0)), "wave = 0 is outside 1..");
}

#[test]
fn nothing_is_placed_where_something_is_wrong() {
    let mut view = KeyView::new(MultiLoads::new(3, 2).unwrap(), Key::MaxPopulated);
    let ball = MultiBall::unit([0, 2]).unwrap();
    let refused: ParameterError = view.try_step(&mut DChoice::two(), &ball, &mut rng_for_trial(1, 0)).unwrap_err();
    assert_eq!(refused.to_string(), "dimension = 2 is outside 0..2");
    let model = BallModel::fixed_uniform(3, 1).unwrap();
    assert!(view.start(&mut DChoice::two(), &model).is_err());
    let model = BallModel::fixed_uniform(2, 1).unwrap();
    let too_many = view.start(&mut DistinctChoice::new(4).unwrap(), &model).unwrap_err();
    assert_eq!(too_many.to_string(), "d = 4 is outside 1..=3, the number of bins");
    assert!(Allocator::start(&mut DChoice::two(), &view).is_ok());
    assert_eq!((view.balls(), view.loads().total_of(0)), (0, 0));
}

#[test]
#[should_panic(expected = "dimension 3 of 2")]
fn a_dimension_too_many_is_no_neighbour() {
    use bb_processes::bb_core::Place;
    MultiLoads::new(3, 2).unwrap().place(0, &MultiBall::unit([3]).unwrap());
}
