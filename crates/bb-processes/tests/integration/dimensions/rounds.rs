//! Parallel rounds: the law of tiny waves by all words against a twin that goes through all orders at all
//! bins.

use std::collections::BTreeMap;

use bb_processes::bb_core::rng_for_trial;
use bb_processes::{BallModel, Batched, DChoice, Key, KeyView, MultiLoads, ParallelRounds};
use bb_testkit::exact::{Law, ratio};
use num_rational::BigRational;

use super::words::{cells, outcomes};

type Outcomes<T> = Vec<(BigRational, T)>;

/// All orders of a list.
fn orders(list: &[usize]) -> Vec<Vec<usize>> {
    if list.is_empty() {
        return vec![vec![]];
    }
    let mut all = Vec::new();
    for (place, &first) in list.iter().enumerate() {
        let mut rest = list.to_vec();
        rest.remove(place);
        all.extend(orders(&rest).into_iter().map(|mut order| {
            order.insert(0, first);
            order
        }));
    }
    all
}

/// A wave of balls: loads `bin·D + k`, for each ball its set and its bins, and which are placed.
#[derive(Clone)]
struct Wave {
    dimensions: usize,
    loads: Vec<u64>,
    balls: Vec<(Vec<usize>, Vec<usize>)>,
    left: Vec<usize>,
    rounds: u64,
    messages: u64,
}

impl Wave {
    fn key(&self, bin: usize, ball: usize) -> u64 {
        self.balls[ball].0.iter().map(|k| self.loads[bin * self.dimensions + k]).max().unwrap()
    }

    fn put(&mut self, bin: usize, ball: usize) {
        for k in self.balls[ball].0.clone() {
            self.loads[bin * self.dimensions + k] += 1;
        }
    }

    /// The bins of a ball, each once.
    fn bins(&self, ball: usize) -> Vec<usize> {
        let mut bins: Vec<usize> = Vec::new();
        for &bin in &self.balls[ball].1 {
            if !bins.contains(&bin) {
                bins.push(bin);
            }
        }
        bins
    }

    /// All ways of a round: every bin has an order of its own.
    fn round(&self, threshold: usize) -> Outcomes<Self> {
        let bins = self.loads.len() / self.dimensions;
        let asked = |bin: usize| -> Vec<usize> {
            self.left.iter().copied().filter(|&ball| self.balls[ball].1.contains(&bin)).collect()
        };
        let mut accepted: Outcomes<Vec<Vec<usize>>> = vec![(ratio(1, 1), vec![])];
        for bin in 0..bins {
            let orders = orders(&asked(bin));
            let each = ratio(1, orders.len() as u64);
            let answer = |order: &Vec<usize>| {
                let mut taken: Vec<usize> = Vec::new();
                for &ball in order {
                    let fits = self.balls[ball]
                        .0
                        .iter()
                        .all(|k| taken.iter().filter(|&&other| self.balls[other].0.contains(k)).count() < threshold);
                    if fits {
                        taken.push(ball);
                    }
                }
                taken
            };
            accepted = accepted
                .iter()
                .flat_map(|(p, so_far)| {
                    let each = &each;
                    orders.iter().map(move |order| {
                        let mut next = so_far.clone();
                        next.push(answer(order));
                        (p * each, next)
                    })
                })
                .collect();
        }
        accepted
            .into_iter()
            .map(|(p, accepted)| {
                let mut next = self.clone();
                next.rounds += 1;
                next.messages +=
                    (0..bins).map(|bin| asked(bin).len() as u64 + 2 * accepted[bin].len() as u64).sum::<u64>();
                for &ball in &self.left {
                    let samples = self.bins(ball).into_iter().filter(|&bin| accepted[bin].contains(&ball));
                    if let Some(bin) = samples.min_by_key(|&bin| self.key(bin, ball)) {
                        next.put(bin, ball);
                        next.left.retain(|&other| other != ball);
                    }
                }
                (p, next)
            })
            .collect()
    }

    fn one_by_one(mut self) -> Self {
        for ball in core::mem::take(&mut self.left) {
            let bin = self.bins(ball).into_iter().min_by_key(|&bin| self.key(bin, ball)).unwrap();
            self.messages += 3 * self.bins(ball).len() as u64;
            self.put(bin, ball);
        }
        self
    }
}

/// Loads, rounds and messages.
type Seen = (Vec<u64>, u64, u64);

/// The law of one wave of two balls into two bins by the definition, two choices, sets as listed.
fn twin(dimensions: usize, sets: &[Vec<usize>], threshold: usize, rounds: u64) -> Law<Seen> {
    let mut all: Outcomes<Wave> = Vec::new();
    let pairs = [[0, 0], [0, 1], [1, 0], [1, 1]];
    for one in sets {
        for other in sets {
            for first in pairs {
                for second in pairs {
                    let balls = vec![(one.clone(), first.to_vec()), (other.clone(), second.to_vec())];
                    let p = ratio(1, (sets.len() * sets.len() * 16) as u64);
                    let loads = vec![0; 2 * dimensions];
                    all.push((p, Wave { dimensions, loads, balls, left: vec![0, 1], rounds: 0, messages: 0 }));
                }
            }
        }
    }
    for _ in 0..rounds {
        all = all
            .into_iter()
            .flat_map(|(p, wave)| {
                if wave.left.is_empty() {
                    return vec![(p, wave)];
                }
                wave.round(threshold).into_iter().map(|(q, next)| (&p * q, next)).collect()
            })
            .collect();
    }
    all.into_iter()
        .map(|(p, wave)| {
            let wave = wave.one_by_one();
            (p, (wave.loads, wave.rounds, wave.messages))
        })
        .collect()
}

fn real(model: &BallModel, words: &[u64], threshold: u64, rounds: u64) -> Law<Seen> {
    // For each ball its set and its pair; then shuffles, of up to four requests.
    let ball: Vec<u64> = words.iter().copied().chain([4]).collect();
    let sides = [ball.clone(), ball, vec![12; 8]].concat();
    outcomes(&sides, |dice| {
        let loads = MultiLoads::new(2, model.dimensions() as u64).unwrap();
        let mut view = KeyView::new(loads, Key::MaxPopulated);
        let protocol = ParallelRounds::new(2, threshold, rounds).unwrap();
        let report = protocol.run(&mut view, &mut model.clone(), 2, dice);
        (cells(view.loads()), report.rounds, report.messages)
    })
    .into_iter()
    .collect()
}

#[test]
fn a_wave_on_all_its_words_gives_the_twin() {
    let scalar = BallModel::fixed_uniform(1, 1).unwrap();
    for (threshold, rounds) in [(1, 0), (1, 1), (1, 2), (1, 9), (2, 1)] {
        let exact = twin(1, &[vec![0]], threshold, rounds);
        assert_eq!(real(&scalar, &[], threshold as u64, rounds), exact, "T = {threshold}, r = {rounds}");
        assert_eq!(exact.total(), ratio(1, 1));
    }
    // Balls in different dimensions do not stand in each other's way.
    let single = BallModel::fixed_uniform(2, 1).unwrap();
    let exact = twin(2, &[vec![0], vec![1]], 1, 1);
    assert_eq!(real(&single, &[2], 1, 1), exact);
    // The neighbours.
    assert_ne!(real(&single, &[2], 2, 1), exact);
    assert_ne!(real(&scalar, &[], 1, 1), twin(1, &[vec![0]], 1, 2));
}

/// No round at all: d-choice, ball after ball, from the same bins.
#[test]
fn no_round_is_the_sequential_process() {
    let law = |parallel: bool| {
        let mut counts = BTreeMap::new();
        let mut rng = rng_for_trial(81, 0);
        for _ in 0..20_000 {
            let mut view = KeyView::new(MultiLoads::new(3, 2).unwrap(), Key::MaxPopulated);
            let mut model = BallModel::fixed_uniform(2, 1).unwrap();
            if parallel {
                ParallelRounds::new(2, 1, 0).unwrap().run(&mut view, &mut model, 7, &mut rng);
            } else {
                view.run(&mut DChoice::two(), &mut model, 7, &mut rng);
            }
            let mut gaps = [view.loads().gap_dim(0), view.loads().gap_dim(1)].map(|gap| (gap * 3.0).round() as u64);
            gaps.sort_unstable();
            *counts.entry(gaps).or_insert(0_u64) += 1;
        }
        counts
    };
    bb_testkit::stats::same_law(&law(true), &law(false)).assert_fits("r = 0 against two-choice", 81);
}

#[test]
fn waves_rounds_and_messages_are_counted() {
    let run = |threshold, rounds, wave: Option<u64>, balls| {
        let mut view = KeyView::<_, _, u64>::new(MultiLoads::new(100, 3).unwrap(), Key::MaxPopulated);
        let mut protocol = ParallelRounds::new(2, threshold, rounds).unwrap();
        if let Some(wave) = wave {
            protocol = protocol.with_wave(wave).unwrap();
        }
        let mut model = BallModel::binomial(3, 0.4).unwrap();
        let report = protocol.run(&mut view, &mut model, balls, &mut rng_for_trial(82, 0));
        assert_eq!(view.balls(), balls);
        report
    };
    let short = run(1, 1, None, 250);
    assert_eq!((short.waves, short.rounds), (3, 1));
    // Four balls in five populate a dimension, and each asks two bins at least once.
    assert!(short.one_by_one > 0 && short.messages > 4 * 150, "{short:?}");
    // Enough rounds place all; a bin that takes all that come needs one.
    let long = run(1, u64::MAX, None, 250);
    assert!(long.one_by_one == 0 && (2..20).contains(&long.rounds), "{long:?}");
    assert_eq!(run(1000, 5, Some(10), 250).rounds, 1);
    assert_eq!(run(1, 5, Some(10), 0), bb_processes::RoundsReport::default());
}

/// Bins that accept all that come: the balls of a wave decide on the loads at its start, as in batches.
#[test]
fn without_a_threshold_a_wave_is_a_batch() {
    let start: Vec<u64> = (0..300).map(|cell| cell * 7 % 5).collect();
    let loads = || MultiLoads::from_loads(start.clone(), 3).unwrap();
    let mut model = BallModel::fixed_uniform(3, 2).unwrap();
    let mut parallel = KeyView::new(loads(), Key::MaxPopulated);
    let protocol = ParallelRounds::new(2, u64::MAX, 1).unwrap();
    let report = protocol.run(&mut parallel, &mut model.clone(), 100, &mut rng_for_trial(83, 0));
    let mut batched = KeyView::new(Batched::of_balls(loads(), 100, MultiLoads::gap).unwrap(), Key::MaxPopulated);
    batched.run(&mut DChoice::two(), &mut model, 100, &mut rng_for_trial(83, 0));
    assert_eq!((parallel.loads(), report.one_by_one), (batched.loads().loads(), 0));
}

/// As many balls as bins: a bin gets at most one ball a round, so few rounds with replies leave a low
/// maximum, lower than that of one round without.
#[test]
fn rounds_keep_one_wave_low() {
    let max = |threshold, rounds| {
        let mut view = KeyView::<_, _, u64>::new(MultiLoads::new(10_000, 1).unwrap(), Key::MaxPopulated);
        let mut model = BallModel::fixed_uniform(1, 1).unwrap();
        let protocol = ParallelRounds::new(2, threshold, rounds).unwrap();
        let report = protocol.run(&mut view, &mut model, 10_000, &mut rng_for_trial(84, 0));
        (view.loads().max_of(0), report)
    };
    let (low, report) = max(1, 8);
    let (high, _) = max(u64::MAX, 1);
    // All bins are empty, so a ball without replies goes to its first one: the maximum of One-Choice, 5 or
    // more with probability 1 − 1e-15.
    assert!(low <= 4 && report.one_by_one == 0 && high >= 5, "{low}, {high}, {report:?}");
}
