//! Paths that must be the same: the scalar process, permuted dimensions, cut runs, old loads.

use bb_processes::bb_core::{
    Allocator, Bins, BinsExt, DynAllocator, LoadVector, Metrics, Place, TrialRng, Weight, rng_for_trial,
};
use bb_processes::{
    BallModel, Batched, Caching, DChoice, Delayed, DistinctChoice, GBounded, KThreshold, Key, KeyView, LoadThreshold,
    MeanThinning, MultiBall, MultiBins, MultiLoads, OneChoice, OnePlusBeta, RelativeThreshold, Twinning,
};
use proptest::prelude::*;

const BINS: u64 = 50;
const BALLS: u64 = 3_000;

/// The same rule for the scalar process and for keys.
type Both = (Box<dyn DynAllocator>, Box<dyn DynAllocator<KeyView<MultiLoads>>>);
type Named = (&'static str, fn() -> Both);

fn both<A>(rule: A) -> Both
where
    A: Allocator<LoadVector> + Allocator<KeyView<MultiLoads>> + Clone + 'static,
{
    (Box::new(rule.clone()), Box::new(rule))
}

/// Every rule that is written for all views, made anew.
fn rules() -> Vec<Named> {
    vec![
        ("one-choice", || both(OneChoice)),
        ("two-choice", || both(DChoice::two())),
        ("three-choice", || both(DChoice::new(3).unwrap())),
        ("distinct", || both(DistinctChoice::new(2).unwrap())),
        ("(1+½)", || both(OnePlusBeta::new(0.5).unwrap())),
        ("load-threshold", || both(LoadThreshold::new(30).unwrap())),
        ("mean-thinning", || both(MeanThinning)),
        ("relative-threshold", || both(RelativeThreshold::new(1.0).unwrap())),
        ("k-threshold", || both(KThreshold::new(&[-1.0, 1.5]).unwrap())),
        ("caching", || both(Caching::new())),
        ("g-bounded", || both(GBounded::new(1))),
    ]
}

/// All dimensions populated: each is the scalar process, from the same words.
#[test]
fn whole_balls_are_the_scalar_process() {
    for (name, make) in rules() {
        for dimensions in [1, 2, 5] {
            for key in [Key::MaxPopulated, Key::MaxAll] {
                let (mut rng, mut same) = (rng_for_trial(3, 0), rng_for_trial(3, 0));
                let mut scalar = LoadVector::new(BINS).unwrap();
                let (mut rule, mut by_key) = make();
                rule.start_and_run(&mut scalar, BALLS, &mut same).unwrap();
                let mut view = KeyView::new(MultiLoads::new(BINS, dimensions).unwrap(), key);
                let mut model = BallModel::fixed_uniform(dimensions, dimensions).unwrap();
                view.start(&mut by_key, &model).unwrap();
                view.run(&mut by_key, &mut model, BALLS, &mut rng);
                let loads = view.loads();
                for dimension in 0..dimensions as usize {
                    assert!(loads.column(dimension).eq(scalar.iter()), "{name}, D = {dimensions}, {key}");
                    assert_eq!(loads.gap_dim(dimension), scalar.gap());
                }
                assert_eq!((rng, view.balls()), (same, BALLS), "{name}, D = {dimensions}, {key}");
                assert_eq!((loads.all_time_gap(), loads.min_gap()), (scalar.all_time_gap(), scalar.min_gap()));
                assert_eq!(loads.gap_total(), dimensions as f64 * scalar.gap());
            }
        }
    }
}

/// Two balls a step are two of a kind.
#[test]
fn a_step_may_place_several_balls() {
    let mut scalar = LoadVector::new(BINS).unwrap();
    let placed = Twinning::new().run(&mut scalar, BALLS, &mut rng_for_trial(4, 0));
    let mut view = KeyView::new(MultiLoads::new(BINS, 2).unwrap(), Key::MaxPopulated);
    view.run(&mut Twinning::new(), &mut BallModel::fixed_uniform(2, 2).unwrap(), BALLS, &mut rng_for_trial(4, 0));
    assert!(view.loads().column(1).eq(scalar.iter()));
    assert_eq!(view.balls(), placed);
}

/// The sum over all dimensions is a proportional key: under it, and where each ball populates as many
/// dimensions, the totals are the scalar process, ball for ball.
#[test]
fn totals_under_the_total_are_the_scalar_process() {
    let (dimensions, f) = (4, 3);
    let mut view = KeyView::new(MultiLoads::new(BINS, dimensions).unwrap(), Key::Total);
    let mut model = BallModel::fixed_uniform(dimensions, f).unwrap();
    let (mut rng, mut scalar) = (rng_for_trial(5, 0), LoadVector::new(BINS).unwrap());
    for _ in 0..BALLS {
        let mut same = rng.clone();
        view.run(&mut DChoice::two(), &mut model, 1, &mut rng);
        // Three words for the set, then those of the choice.
        let mut ball = MultiBall::<u64>::default();
        model.clone().draw_into(&mut ball, &mut same);
        DChoice::two().step(&mut scalar, &mut same);
        assert_eq!(same, rng);
    }
    assert!((0..BINS as usize).all(|bin| view.loads().load(bin) == f * scalar.load(bin)));
    assert_eq!(view.loads().gap_total(), f as f64 * scalar.gap());
}

/// A run in pieces is the uncut run, with models and rules that keep something.
#[test]
fn a_run_may_be_cut() {
    let models = [
        BallModel::fixed_uniform(5, 2).unwrap(),
        BallModel::fixed_weighted(3, 2, &[3.0, 1.0, 2.0]).unwrap(),
        BallModel::binomial(4, 0.2).unwrap(),
        BallModel::independent(&[0.1, 0.9]).unwrap().never_empty().unwrap(),
        BallModel::fixed_uniform(3, 3).unwrap(),
    ];
    for model in models {
        let run = |pieces: &[u64]| {
            let loads = MultiLoads::new(BINS, model.dimensions() as u64).unwrap();
            let (mut view, mut rng) = (KeyView::new(loads, Key::SumPopulated), rng_for_trial(6, 0));
            let (mut rule, mut model) = (Caching::new(), model.clone());
            for &balls in pieces {
                view.run(&mut rule, &mut model, balls, &mut rng);
            }
            assert_eq!(view.balls(), pieces.iter().sum::<u64>());
            (view.into_loads(), rng)
        };
        let (whole, cut) = (run(&[1000]), run(&[0, 1, 499, 500]));
        assert!(whole.0 == cut.0 && whole.1 == cut.1, "{model:?}");
    }
}

/// What is kept, from scratch.
fn check(loads: &MultiLoads) {
    let bins = loads.column(0).len() as f64;
    for dimension in 0..loads.dimensions() {
        let total: u64 = loads.column(dimension).sum();
        assert_eq!(loads.total_of(dimension), total);
        assert_eq!(Some(loads.max_of(dimension)), loads.column(dimension).max());
        assert!((loads.gap_dim(dimension) - (loads.max_of(dimension) as f64 - total as f64 / bins)).abs() < 1e-9);
    }
    assert!(loads.all_time_gap() >= loads.gap());
}

/// `b = 1` and `τ = 0` are the loads as they are.
#[test]
fn batches_of_one_and_no_delay_are_fresh() {
    fn run<L, A>(loads: L, mut rule: A) -> (L, TrialRng)
    where
        L: MultiBins<Load = u64> + Place<MultiBall>,
        A: Allocator<KeyView<L>>,
    {
        let (mut view, mut rng) = (KeyView::new(loads, Key::MaxPopulated), rng_for_trial(7, 0));
        view.run(&mut rule, &mut BallModel::fixed_uniform(3, 2).unwrap(), 1000, &mut rng);
        (view.into_loads(), rng)
    }
    let empty = || MultiLoads::new(BINS, 3).unwrap();
    let (fresh, rng) = run(empty(), Caching::new());
    check(&fresh);
    let (batched, same) = run(Batched::of_balls(empty(), 1, MultiLoads::gap).unwrap(), Caching::new());
    assert!(batched.loads() == &fresh && same == rng && batched.batch_end_gap() == fresh.all_time_gap());
    let (delayed, same) = run(Delayed::of_balls(empty(), 0).unwrap(), Caching::new());
    assert!(delayed.loads() == &fresh && same == rng);
    // Old loads are worse.
    let (batched, _) = run(Batched::of_balls(empty(), 500, MultiLoads::gap).unwrap(), DChoice::two());
    assert!(batched.loads().gap() > fresh.gap() + 1.0);
    let (delayed, _) = run(Delayed::of_balls(empty(), 500).unwrap(), DChoice::two());
    assert!(delayed.loads().gap() > fresh.gap() + 1.0);
}

/// What is seen is the state of the last end of a batch, or of so many balls ago, cell by cell.
#[test]
fn old_vectors_are_seen_as_they_were() {
    let empty = || MultiLoads::new(4, 2).unwrap();
    let mut batched = Batched::of_balls(empty(), 3, MultiLoads::gap).unwrap();
    let mut delayed = Delayed::of_balls(empty(), 2).unwrap();
    let mut history = vec![empty()];
    for step in 0..40_usize {
        let ball = MultiBall::new([(step % 2, 1 + step as u64 % 3)]).unwrap();
        let mut next = history[step].clone();
        let bin = next.place(step * 7 % 4, &ball);
        batched.place(bin, &ball);
        delayed.place(bin, &ball);
        history.push(next);
        let old = [&history[(step + 1) / 3 * 3], &history[(step + 1).saturating_sub(2)]];
        for bin in 0..4 {
            for dimension in 0..2 {
                assert_eq!(batched.cell(bin, dimension), old[0].cell(bin, dimension));
                assert_eq!(delayed.cell(bin, dimension), old[1].cell(bin, dimension));
            }
        }
        assert_eq!([batched.total_of(1), delayed.total_of(1)], old.map(|loads| loads.total_of(1)));
        assert_eq!(batched.loads(), &history[step + 1]);
    }
}

/// Real weights that are integers are integer weights.
#[test]
fn integer_weights_in_both_numbers() {
    let mut rng = (rng_for_trial(8, 0), rng_for_trial(8, 0));
    let mut counts = KeyView::new(MultiLoads::new(BINS, 3).unwrap(), Key::MaxPopulated);
    let mut reals = KeyView::new(MultiLoads::weighted(BINS, 3).unwrap(), Key::MaxPopulated);
    for step in 0..2000_u64 {
        let parts = [(0, step % 4), (1 + step as usize % 2, 1 + step % 7)];
        let ball = MultiBall::new(parts).unwrap();
        let real = MultiBall::new(parts.map(|(k, weight)| (k, Weight::new(weight as f64).unwrap()))).unwrap();
        let bins = (
            counts.try_step(&mut MeanThinning, &ball, &mut rng.0).unwrap(),
            reals.try_step(&mut DChoice::two(), &real, &mut rng.1).unwrap(),
        );
        assert!(bins.0.is_some() && bins.1.is_some());
    }
    check(counts.loads());
    let loads = reals.loads();
    for k in 0..3 {
        assert_eq!(loads.total_of(k), counts.loads().total_of(k) as f64);
        assert_eq!(loads.column(k).sum::<f64>(), loads.total_of(k));
    }
}

fn vectors() -> impl Strategy<Value = (usize, Vec<u64>, Vec<usize>, Vec<Vec<bool>>)> {
    (1..5_usize, 1..6_usize).prop_flat_map(|(bins, dimensions)| {
        let order = Just((0..dimensions).collect::<Vec<_>>()).prop_shuffle();
        let set = prop::collection::vec(any::<bool>(), dimensions);
        (Just(dimensions), prop::collection::vec(0..9_u64, bins * dimensions), order, prop::collection::vec(set, 0..30))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// Permuted dimensions change no choice, and permute loads, totals and gaps.
    #[test]
    fn permuted_dimensions_permute_gaps((dimensions, start, order, sets) in vectors(), key in 0..4_usize, seed: u64) {
        let permuted: Vec<u64> = start.chunks(dimensions).flat_map(|bin| order.iter().map(|&k| bin[k])).collect();
        let view = |loads: Vec<u64>| KeyView::new(MultiLoads::from_loads(loads, dimensions as u64).unwrap(), Key::ALL[key]);
        let (mut plain, mut other) = (view(start), view(permuted));
        let (mut rng, mut same) = (rng_for_trial(seed, 0), rng_for_trial(seed, 0));
        for set in &sets {
            let ball = MultiBall::unit((0..dimensions).filter(|&k| set[k])).unwrap();
            let moved = MultiBall::unit((0..dimensions).filter(|&k| set[order[k]])).unwrap();
            let bin = plain.try_step(&mut DChoice::two(), &ball, &mut rng).unwrap();
            prop_assert_eq!(other.try_step(&mut DChoice::two(), &moved, &mut same).unwrap(), bin);
            prop_assert_eq!(bin.is_none(), ball.is_empty());
        }
        let (plain, other) = (plain.loads(), other.loads());
        check(plain);
        for (k, &from) in order.iter().enumerate() {
            prop_assert!(other.column(k).eq(plain.column(from)));
            prop_assert_eq!(other.gap_dim(k), plain.gap_dim(from));
            prop_assert_eq!(other.total_of(k), plain.total_of(from));
        }
        prop_assert_eq!(other.gap(), plain.gap());
        prop_assert_eq!(other.gap_total(), plain.gap_total());
        prop_assert_eq!(other.min_gap(), plain.min_gap());
        prop_assert_eq!(other.all_time_gap(), plain.all_time_gap());
    }

    /// The keys of the average bin: below the mean in integers, as in rationals.
    #[test]
    fn below_the_mean_is_below_the_key_of_the_average_bin((dimensions, start, _, sets) in vectors()) {
        let loads = MultiLoads::from_loads(start.clone(), dimensions as u64).unwrap();
        let bins = start.len() / dimensions;
        for set in sets {
            let populated: Vec<usize> = (0..dimensions).filter(|&k| set[k]).collect();
            let mut view = KeyView::new(loads.clone(), Key::MaxPopulated);
            view.try_step(&mut OneChoice, &MultiBall::new(populated.iter().map(|&k| (k, 0))).unwrap(), &mut rng_for_trial(1, 0)).unwrap();
            let most = |bin: usize| populated.iter().map(|k| start[bin * dimensions + k]).max().unwrap_or(0);
            let total = populated.iter().map(|k| (0..bins).map(|bin| start[bin * dimensions + k]).sum::<u64>()).max().unwrap_or(0);
            prop_assert_eq!(view.total(), total);
            for bin in 0..bins {
                prop_assert_eq!(view.load(bin), most(bin));
                prop_assert_eq!(view.below_mean(bin), most(bin) * (bins as u64) < total);
            }
        }
    }
}
