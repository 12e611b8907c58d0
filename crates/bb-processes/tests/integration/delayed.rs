//! Delays: the law of every strategy of reports against a chain written from its definition, and what is
//! seen.

use bb_processes::bb_core::{
    Allocator, Bins, BinsExt, Counters, LoadVector, Metrics, Place, Put, Ranked, RankedVector, Rng, Weight,
    WithCounters, draw_below, rng_for_trial,
};
use bb_processes::{
    Batched, DChoice, Delayed, DelayedTwoChoice, DistinctChoice, LoadThreshold, MeanThinning, OneChoice, OnePlusBeta,
};
use bb_testkit::BigRational;
use bb_testkit::exact::{Law, chain, ratio};
use bb_testkit::stats::Mean;
use bb_testkit::twin::{ScriptedBins, Word, law_by_words, law_on};

const SEED: u64 = 80;

/// Unsorted loads, and the bins of the last balls, oldest first.
type State = (Vec<u64>, Vec<usize>);

/// The receivers of a pair of samples with their probabilities, given the intervals of their loads.
type Strategy = fn([usize; 2], [(u64, u64); 2]) -> Vec<(BigRational, usize)>;

fn stale([i, j]: [usize; 2], [a, b]: [(u64, u64); 2]) -> Vec<(BigRational, usize)> {
    vec![(ratio(1, 1), if b.0 < a.0 { j } else { i })]
}

fn fresh([i, j]: [usize; 2], [a, b]: [(u64, u64); 2]) -> Vec<(BigRational, usize)> {
    vec![(ratio(1, 1), if b.1 < a.1 { j } else { i })]
}

fn uniform([i, j]: [usize; 2], [a, b]: [(u64, u64); 2]) -> Vec<(BigRational, usize)> {
    let each = ratio(1, (a.1 - a.0 + 1) * (b.1 - b.0 + 1));
    let reports = (a.0..=a.1).flat_map(|one| (b.0..=b.1).map(move |other| other < one));
    reports.map(|second| (each.clone(), if second { j } else { i })).collect()
}

/// Heavier and lighter sample by the true loads; the ball goes to the heavier one iff `x_h − c_h ≤ x_l`.
fn adversarial([i, j]: [usize; 2], [a, b]: [(u64, u64); 2]) -> Vec<(BigRational, usize)> {
    let (h, heavy, l, light) = if b.1 > a.1 { (j, b, i, a) } else { (i, a, j, b) };
    let equal = heavy.1 == light.1;
    vec![(
        ratio(1, 1),
        if equal {
            i
        } else if heavy.0 <= light.1 {
            h
        } else {
            l
        },
    )]
}

fn exact(start: &[u64], balls: u64, delay: usize, strategy: Strategy) -> Law<State> {
    chain((start.to_vec(), Vec::new()), balls, |(loads, recent)| {
        let n = loads.len();
        let interval = |bin: usize| {
            let new = recent.iter().filter(|&&receiver| receiver == bin).count() as u64;
            (loads[bin] - new, loads[bin])
        };
        let pairs = (0..n).flat_map(|i| (0..n).map(move |j| [i, j]));
        let receivers = pairs.flat_map(|pair| strategy(pair, pair.map(interval)));
        let next = receivers.map(|(probability, bin)| {
            let (mut loads, mut recent) = (loads.clone(), recent.clone());
            loads[bin] += 1;
            recent.push(bin);
            if recent.len() > delay {
                recent.remove(0);
            }
            (probability * ratio(1, (n * n) as u64), (loads, recent))
        });
        next.collect()
    })
}

fn real<A>(rule: &A, start: &[u64], balls: u64, delay: u64, words: &[Word]) -> Law<State>
where
    A: Allocator<Delayed<ScriptedBins>> + Clone,
{
    let wrap = |bins| Delayed::new(bins, delay).unwrap();
    law_by_words(rule, start, balls, words, wrap, |_, delayed| {
        let loads = delayed.loads();
        (
            (0..loads.bins() as usize).map(|bin| loads.load(bin)).collect(),
            delayed.unseen().map(|&(bin, ..)| bin).collect(),
        )
    })
}

/// What of the state the law of the loads is.
fn loads(law: &Law<State>) -> Law<Vec<u64>> {
    law.map(|(loads, _)| loads.clone())
}

/// Starts and numbers of balls: up to 3 bins, up to 6 balls, level and uneven.
const CASES: [(&[u64], u64); 5] = [(&[0], 4), (&[0, 0], 6), (&[3, 1], 5), (&[0, 0, 0], 6), (&[0, 2, 1], 4)];

#[test]
fn the_real_rules_on_all_their_outcomes_give_the_chain() {
    for (start, balls) in CASES {
        for delay in 0..4 {
            let name = format!("from {start:?}, m = {balls}, delay {delay}");
            let exact = |strategy| exact(start, balls, delay as usize, strategy);
            assert_eq!(real(&DChoice::two(), start, balls, delay, &[]), exact(stale), "stale {name}");
            assert_eq!(
                real(&DelayedTwoChoice::adversarial(), start, balls, delay, &[]),
                exact(adversarial),
                "adversarial {name}"
            );
            // Multiples of all sizes of an interval: 1 to delay + 1.
            let die = Word::Die([1, 2, 6, 12][delay as usize]);
            assert_eq!(
                real(&DelayedTwoChoice::uniform(), start, balls, delay, &[die.clone(), die]),
                exact(uniform),
                "uniform {name}"
            );
            // Fresh reports are the loads themselves.
            let wrap = |bins: ScriptedBins| bins;
            let on_loads = law_on(&DChoice::two(), start, balls, &[], wrap, |_, bins| {
                (0..bins.bins() as usize).map(|bin| bins.load(bin)).collect::<Vec<_>>()
            });
            assert_eq!(on_loads, loads(&exact(fresh)), "fresh {name}");
        }
    }
}

/// The same equality fails for the neighbour: another strategy, and a delay longer by one.
#[test]
fn the_strategies_differ_and_so_do_the_delays() {
    let strategies: [Strategy; 4] = [stale, fresh, uniform, adversarial];
    for (place, one) in strategies.into_iter().enumerate() {
        for other in &strategies[place + 1..] {
            assert_ne!(loads(&exact(&[0; 3], 6, 2, one)).sorted(), loads(&exact(&[0; 3], 6, 2, *other)).sorted());
        }
        let changed = loads(&exact(&[0; 3], 6, 2, one)) != loads(&exact(&[0; 3], 6, 3, one));
        assert_eq!(changed, place != 1, "only fresh reports know no delay");
    }
}

#[test]
fn what_is_seen_lags_by_the_delay() {
    let mut loads = Delayed::new(LoadVector::new(2).unwrap(), 3).unwrap();
    for (ball, seen) in (1..=7).zip([0, 0, 0, 1, 2, 3, 4]) {
        loads.place(0, &());
        assert_eq!((loads.load(0), loads.total(), loads.interval(0)), (seen, seen, (seen, ball)));
        assert_eq!((loads.loads().load(0), loads.loads().total()), (ball, ball));
        assert_eq!(loads.unseen().len() as u64, ball - seen);
    }
    assert!(loads.below_mean(1) && !loads.below_mean(0));
    // A step that places several balls is seen as a whole.
    loads.put(1, &(), Put::balls(5.try_into().unwrap()));
    (0..2).for_each(|_| {
        loads.place(0, &());
    });
    assert_eq!(loads.interval(1), (0, 5));
    loads.place(0, &());
    assert_eq!(loads.interval(1), (5, 5));
}

fn sequential<A: Allocator + Allocator<Delayed<LoadVector>> + Clone>(mut rule: A) {
    for n in [1, 2, 7, 100] {
        let mut plain = LoadVector::new(n).unwrap();
        let mut delayed = Delayed::new(LoadVector::new(n).unwrap(), 0).unwrap();
        let (mut rng, mut other) = (rng_for_trial(SEED, n), rng_for_trial(SEED, n));
        rule.clone().run(&mut plain, 1003, &mut rng);
        rule.run(&mut delayed, 1003, &mut other);
        assert_eq!((delayed.loads(), rng), (&plain, other));
    }
}

#[test]
fn no_delay_is_the_sequential_process_draw_for_draw() {
    sequential(OneChoice);
    sequential(DChoice::two());
    sequential(DChoice::new(4).unwrap());
    sequential(OnePlusBeta::new(0.3).unwrap());
    sequential(LoadThreshold::new(2).unwrap());
    sequential(MeanThinning);
    for mut rule in [DelayedTwoChoice::uniform(), DelayedTwoChoice::adversarial()] {
        let mut plain = LoadVector::new(50).unwrap();
        let mut delayed = Delayed::new(LoadVector::new(50).unwrap(), 0).unwrap();
        let (mut rng, mut other) = (rng_for_trial(SEED, 0), rng_for_trial(SEED, 0));
        DChoice::two().run(&mut plain, 1003, &mut rng);
        rule.run(&mut delayed, 1003, &mut other);
        assert_eq!((delayed.loads(), rng), (&plain, other));
    }
}

#[test]
fn rules_without_loads_do_not_notice() {
    for (delay, n) in [(1, 3), (10, 3), (500, 100)] {
        let mut plain = LoadVector::new(n).unwrap();
        let mut delayed = Delayed::new(LoadVector::new(n).unwrap(), delay).unwrap();
        OneChoice.run(&mut plain, 1000, &mut rng_for_trial(SEED, n));
        OneChoice.run(&mut delayed, 1000, &mut rng_for_trial(SEED, n));
        assert_eq!(delayed.into_loads(), plain);
    }
    // A delay beyond the end of the run: the rule never sees a ball, and the first sample wins every tie.
    let mut blind = Delayed::new(LoadVector::new(9).unwrap(), 1000).unwrap();
    DistinctChoice::new(3).unwrap().run(&mut blind, 1000, &mut rng_for_trial(SEED, 9));
    assert_eq!((blind.total(), blind.loads().total()), (0, 1000));
}

/// Settings nest: batches of delayed loads, and delays of real weights.
#[test]
fn settings_nest() {
    let mut loads = Delayed::new(LoadVector::weighted(3).unwrap(), 1).unwrap();
    loads.place(0, &());
    loads.place(0, &());
    assert_eq!(loads.interval(0), (1.0, 2.0));
    assert!(Weight::new(loads.load(0)).is_ok());
    let batched = Batched::new(LoadVector::new(100).unwrap(), 50).unwrap();
    let mut both = Delayed::new(batched, 20).unwrap();
    DChoice::two().run(&mut both, 1000, &mut rng_for_trial(SEED, 0));
    assert_eq!(both.loads().loads().total(), 1000);
}

/// Ranks and counters are those of the seen loads.
#[test]
fn ranks_and_counters_lag_too() {
    let mut loads = Delayed::new(WithCounters::new(LoadVector::new(2).unwrap(), 1).unwrap(), 2).unwrap();
    for seen in [0, 0, 1, 2] {
        loads.put(1, &(), Put::BALL.counting(0));
        assert_eq!(
            (loads.load(1), loads.counter(1, 0), loads.counter_total(0), loads.counters()),
            (seen, seen, seen, 1)
        );
    }
    let mut ranked = Delayed::new(RankedVector::from(LoadVector::new(3).unwrap()), 1).unwrap();
    ranked.place(2, &());
    assert_eq!((ranked.at_least(1), ranked.loads().at_least(1)), (0, 1));
    ranked.place(0, &());
    assert_eq!((ranked.at_least(1), ranked.rank(2, &[], &mut rng_for_trial(SEED, 3))), (1, 0));
}

/// A longer delay is worse, and so is a worse report: mean gaps of 30 runs, each pair apart beyond the 1e-6
/// band.
#[test]
fn later_and_worse_reports_give_a_larger_gap() {
    fn mean_gap<A: Allocator<Delayed<LoadVector>> + Clone>(rule: A, delay: u64) -> Mean {
        Mean::of((0..30).map(|trial| {
            let mut loads = Delayed::new(LoadVector::new(1000).unwrap(), delay).unwrap();
            rule.clone().run(&mut loads, 50_000, &mut rng_for_trial(SEED, trial));
            loads.into_loads().gap()
        }))
    }
    let n = 1000;
    let gaps = [
        mean_gap(DChoice::two(), 0),
        mean_gap(DelayedTwoChoice::uniform(), n),
        mean_gap(DChoice::two(), n),
        mean_gap(DelayedTwoChoice::adversarial(), n),
        mean_gap(DelayedTwoChoice::adversarial(), 10 * n),
    ];
    for pair in gaps.windows(2) {
        assert!(pair[0].mean < pair[1].mean, "{gaps:?}");
        pair[0].agrees(pair[1]).assert_rejects("equal gaps", SEED);
    }
}

/// Draws that a report may take: none where there is nothing to choose.
#[test]
fn a_report_takes_a_word_only_if_there_is_a_choice() {
    let mut loads = Delayed::new(LoadVector::new(2).unwrap(), 5).unwrap();
    let words = |loads: &Delayed<LoadVector>| {
        let (mut rng, mut other) = (rng_for_trial(SEED, 1), rng_for_trial(SEED, 1));
        let [first, second] = loads.draw_pair(&mut other);
        let choices = [first, second].map(|bin| loads.interval(bin)).map(|(low, high)| high - low + 1);
        DelayedTwoChoice::uniform().choose(loads, &mut rng);
        choices.iter().filter(|&&choice| choice > 1).for_each(|&choice| {
            draw_below(choice, &mut other);
        });
        assert_eq!(rng.next_u64(), other.next_u64());
    };
    words(&loads);
    loads.place(0, &());
    words(&loads);
    loads.place(1, &());
    words(&loads);
}

#[test]
fn a_delay_beyond_memory_is_refused() {
    for delay in [1 << 60, u64::MAX] {
        let error = Delayed::new(LoadVector::new(1).unwrap(), delay).unwrap_err();
        assert_eq!((error.parameter(), error.value()), ("tau", delay.to_string().as_str()));
    }
}
