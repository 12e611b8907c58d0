//! The law of the real code, by all its words, against a slow twin written from the definitions; and the
//! one-step identity.

use bb_processes::bb_core::Allocator;
use bb_processes::{BallModel, DChoice, Key, KeyView, MultiLoads, OneChoice, OnePlusBeta};
use bb_testkit::exact::{Law, chain, ratio};
use bb_testkit::stats::{goodness_of_fit, tally};
use num_rational::BigRational;
use num_traits::{One, Zero};

use super::words::{cells, outcomes};

const KEYS: [Key; 4] = Key::ALL;

/// Sets of populated dimensions with their probabilities.
type Sets = Vec<(BigRational, Vec<usize>)>;

/// The law of `d` samples: for each number of them its probability.
type Samples = Vec<(BigRational, u32)>;

/// Loads of so many dimensions as the definition of a key sees them.
fn key(key: Key, vector: &[u64], set: &[usize]) -> u64 {
    let populated = || vector.iter().enumerate().filter(|(k, _)| set.contains(k)).map(|(_, &load)| load);
    match key {
        Key::MaxPopulated => populated().max().unwrap_or(0),
        Key::SumPopulated => populated().sum(),
        Key::Total => vector.iter().sum(),
        Key::MaxAll => *vector.iter().max().unwrap(),
        other => panic!("no definition of {other}"),
    }
}

/// All ways in which one more ball can go, with the set of the ball and its bin.
fn ways(
    state: &[u64],
    dimensions: usize,
    sets: &Sets,
    samples: &Samples,
    by: Key,
) -> Vec<(BigRational, usize, Vec<usize>)> {
    let n = state.len() / dimensions;
    let mut all = Vec::new();
    for (p_set, set) in sets {
        for (p_number, number) in samples {
            for code in 0..n.pow(*number) {
                let drawn: Vec<usize> = (0..*number).map(|place| code / n.pow(place) % n).collect();
                let seen = |bin: &usize| key(by, &state[bin * dimensions..][..dimensions], set);
                let least = drawn.iter().map(seen).min().unwrap();
                let bin = *drawn.iter().find(|bin| seen(bin) == least).unwrap();
                all.push((p_set * p_number * ratio(1, n.pow(*number) as u64), bin, set.clone()));
            }
        }
    }
    all
}

fn put(state: &[u64], dimensions: usize, bin: usize, set: &[usize]) -> Vec<u64> {
    let mut next = state.to_vec();
    set.iter().for_each(|k| next[bin * dimensions + k] += 1);
    next
}

fn twin(start: &[u64], dimensions: usize, balls: u64, sets: &Sets, samples: &Samples, by: Key) -> Law<Vec<u64>> {
    chain(start.to_vec(), balls, |state| {
        let next = |(p, bin, set): (BigRational, usize, Vec<usize>)| (p, put(state, dimensions, bin, &set));
        ways(state, dimensions, sets, samples, by).into_iter().map(next).collect()
    })
}

/// The law of the library; a ball takes words of these numbers of sides.
fn real<A>(start: &[u64], model: &BallModel, balls: u64, rule: &A, by: Key, sides: &[u64]) -> Law<Vec<u64>>
where
    A: Allocator<KeyView<MultiLoads>> + Clone,
{
    chain(start.to_vec(), balls, |state| {
        outcomes(sides, |dice| {
            let loads = MultiLoads::from_loads(state.clone(), model.dimensions() as u64).unwrap();
            let mut view = KeyView::new(loads, by);
            view.run(&mut rule.clone(), &mut model.clone(), 1, dice);
            cells(view.loads())
        })
    })
}

/// A model, the words that a ball takes for it, and its law by hand.
fn models() -> Vec<(&'static str, BallModel, Vec<u64>, Sets)> {
    let half = || ratio(1, 2);
    let uniform = |p: BigRational, sets: &[&[usize]]| sets.iter().map(|set| (p.clone(), set.to_vec())).collect();
    vec![
        ("one of two", BallModel::fixed_uniform(2, 1).unwrap(), vec![2], uniform(half(), &[&[0], &[1]])),
        ("two of two", BallModel::fixed_uniform(2, 2).unwrap(), vec![], vec![(ratio(1, 1), vec![0, 1])]),
        (
            "two of three",
            BallModel::fixed_uniform(3, 2).unwrap(),
            vec![3, 2],
            uniform(ratio(1, 3), &[&[0, 1], &[0, 2], &[1, 2]]),
        ),
        (
            "two of three, by weights 2, 1, 1",
            BallModel::fixed_weighted(3, 2, &[2.0, 1.0, 1.0]).unwrap(),
            vec![4, 6],
            // 0 then any; 1 then 0 or 2; 2 then 0 or 1.
            vec![
                (ratio(1, 4) + ratio(1, 4) * ratio(2, 3), vec![0, 1]),
                (ratio(1, 4) + ratio(1, 4) * ratio(2, 3), vec![0, 2]),
                (ratio(1, 4) * ratio(1, 3) * ratio(2, 1), vec![1, 2]),
            ],
        ),
        (
            "binomial, 1/4",
            BallModel::binomial(2, 0.25).unwrap(),
            vec![4, 4],
            vec![(ratio(9, 16), vec![]), (ratio(3, 16), vec![0]), (ratio(3, 16), vec![1]), (ratio(1, 16), vec![0, 1])],
        ),
        (
            "independent, 1 and 1/2",
            BallModel::independent(&[1.0, 0.5]).unwrap(),
            vec![2],
            vec![(half(), vec![0]), (half(), vec![0, 1])],
        ),
        (
            "independent, 1/4 and 1/2, never empty",
            BallModel::independent(&[0.25, 0.5]).unwrap().never_empty().unwrap(),
            // The first is populated with probability 1/4 over 5/8; then the second must be, or may be.
            // The second word is the coin or, where no coin is needed, the pair.
            vec![5, 36],
            vec![(ratio(1, 5), vec![0]), (ratio(3, 5), vec![1]), (ratio(1, 5), vec![0, 1])],
        ),
    ]
}

#[test]
fn all_words_give_the_law_of_the_twin() {
    let two = vec![(ratio(1, 1), 2)];
    for (name, model, words, sets) in models() {
        let dimensions = model.dimensions();
        for (n, balls) in [(2_usize, 4), (3, 2)] {
            for start in [vec![0; n * dimensions], (0..n * dimensions).map(|cell| cell as u64 * 5 % 3).collect()] {
                let pair = (n * n) as u64;
                let sides: Vec<u64> = words.iter().copied().chain([pair]).collect();
                for by in KEYS {
                    let law = real(&start, &model, balls, &DChoice::two(), by, &sides);
                    assert_eq!(law, twin(&start, dimensions, balls, &sets, &two, by), "{name}, {by}, from {start:?}");
                }
            }
        }
    }
}

/// One-Choice, Three-Choice and (1+¼), each beside its neighbour, which has another law.
#[test]
fn other_rules_on_all_their_words() {
    let (_, model, words, sets) = models().remove(2);
    let start = [0; 6];
    let sides = |more: &[u64]| -> Vec<u64> { words.iter().chain(more).copied().collect() };
    let by = Key::MaxPopulated;
    let law = |samples| twin(&start, 3, 3, &sets, &samples, by);
    let one = real(&start, &model, 3, &OneChoice, by, &sides(&[2]));
    let three = real(&start, &model, 3, &DChoice::new(3).unwrap(), by, &sides(&[8]));
    let quarter = real(&start, &model, 3, &OnePlusBeta::new(0.25).unwrap(), by, &{
        // The coin comes first, then the pair.
        sides(&[4, 4])
    });
    assert_eq!(one, law(vec![(ratio(1, 1), 1)]));
    assert_eq!(three, law(vec![(ratio(1, 1), 3)]));
    assert_eq!(quarter, law(vec![(ratio(1, 4), 2), (ratio(3, 4), 1)]));
    assert_ne!(three, law(vec![(ratio(1, 1), 2)]));
    assert_ne!(quarter, law(vec![(ratio(1, 2), 2), (ratio(1, 2), 1)]));
}

/// One populated dimension: as many scalar processes, among which the balls are split at random.
#[test]
fn one_populated_dimension_is_as_many_scalar_processes() {
    let (n, balls) = (2_u64, 4);
    let (_, model, words, _) = models().remove(0);
    let sides: Vec<u64> = words.into_iter().chain([n * n]).collect();
    let two = |balls| bb_testkit::twin::law(&DChoice::two(), &[0, 0], balls, &[]);
    let mut split: Vec<(BigRational, Vec<u64>)> = Vec::new();
    for first in 0..=balls {
        // So many of the balls populate the first dimension.
        let ways = (0..16_u32).filter(|balls| u64::from(balls.count_ones()) == first).count() as u64;
        for (one, p_one) in two(first).iter() {
            for (other, p_other) in two(balls - first).iter() {
                let state = one.iter().zip(other).flat_map(|(&a, &b)| [a, b]).collect();
                split.push((ratio(ways, 16) * p_one * p_other, state));
            }
        }
    }
    let split: Law<Vec<u64>> = split.into_iter().collect();
    for by in [Key::MaxPopulated, Key::SumPopulated] {
        assert_eq!(real(&[0; 4], &model, balls, &DChoice::two(), by, &sides), split, "{by}");
    }
    for by in [Key::Total, Key::MaxAll] {
        assert_ne!(real(&[0; 4], &model, balls, &DChoice::two(), by, &sides), split, "{by}");
    }
}

/// `E[ΔΥ_k] = 2 Σ_i p_{i,k} y_i[k] + P(k ∈ S)(1 − 1/n)`, where `p_{i,k}` is the probability that the ball
/// goes to bin `i` and populates `k`.
#[test]
fn the_one_step_identity_holds_in_each_dimension() {
    let two = vec![(ratio(1, 1), 2)];
    let start = |cells: usize| -> Vec<u64> { (0..cells).map(|cell| (cell as u64 * 7 + 3) % 5).collect() };
    for (name, model, words, sets) in models() {
        let (n, dimensions) = (3, model.dimensions());
        let state = start(n * dimensions);
        let integer = |value: u64| ratio(value, 1);
        let normalised = |state: &[u64], bin: usize, k: usize| {
            let total: u64 = (0..n).map(|bin| state[bin * dimensions + k]).sum();
            integer(state[bin * dimensions + k]) - ratio(total, n as u64)
        };
        let quadratic = |state: &[u64], k: usize| -> BigRational {
            (0..n).map(|bin| normalised(state, bin, k)).map(|y| &y * &y).sum()
        };
        let sides: Vec<u64> = words.iter().copied().chain([9]).collect();
        for by in KEYS {
            let after = real(&state, &model, 1, &DChoice::two(), by, &sides);
            for k in 0..dimensions {
                let change = after.mean(|state| quadratic(state, k)) - quadratic(&state, k);
                let mut expected = BigRational::zero();
                for (p, bin, set) in ways(&state, dimensions, &sets, &two, by) {
                    if set.contains(&k) {
                        let once = integer(2) * normalised(&state, bin, k) + BigRational::one() - ratio(1, n as u64);
                        expected += p * once;
                    }
                }
                assert_eq!(change, expected, "{name}, {by}, dimension {k}");
            }
        }
    }
}

/// Many runs, as they are made, against the exact law: what enumeration of words cannot see is whether words
/// are asked for as the generator gives them. A false alarm of 1e-6 each.
#[test]
fn runs_follow_the_law() {
    let seed = 71;
    let two = vec![(ratio(1, 1), 2)];
    let simulate = |model: &BallModel, by: Key| {
        let mut rng = bb_processes::bb_core::rng_for_trial(seed, 0);
        tally((0..30_000).map(|_| {
            let mut view = KeyView::new(MultiLoads::new(2, model.dimensions() as u64).unwrap(), by);
            view.run(&mut DChoice::two(), &mut model.clone(), 4, &mut rng);
            cells(view.loads())
        }))
    };
    for (name, model, _, sets) in models() {
        let dimensions = model.dimensions();
        let law = twin(&vec![0; 2 * dimensions], dimensions, 4, &sets, &two, Key::MaxPopulated).to_f64();
        goodness_of_fit(&simulate(&model, Key::MaxPopulated), &law).assert_fits(name, seed);
        if name == "two of three" {
            goodness_of_fit(&simulate(&model, Key::Total), &law).assert_rejects("total as max-populated", seed);
            let weighted = BallModel::fixed_weighted(3, 2, &[1.1, 1.0, 1.0]).unwrap();
            goodness_of_fit(&simulate(&weighted, Key::MaxPopulated), &law).assert_rejects("weighted as uniform", seed);
        }
    }
}
