//! Probing schemes: the rules by themselves, their bits and samples; reset memory; join-idle-queue.

use std::collections::BTreeSet;

use bb_memory::bb_core::{
    Allocator, Bins, BinsExt, DynamicLoads, LoadVector, Metrics, Place, Remove, Rng, rng_for_trial,
};
use bb_memory::bb_processes::{Caching, DChoice, FirstMemory, Memory, OneChoice, Remember, Supermarket, System};
use bb_memory::{JoinIdleQueue, Probing, QueueOrder, Remembers, ResetMemory, VisibleBins};

fn alone_and_shown<A: Remembers + Allocator<LoadVector> + Clone>(rule: A, n: u64, balls: u64) -> Probing<A> {
    let mut shown = Probing::new(n, rule.clone()).unwrap();
    let mut alone = rule;
    let [mut loads, mut seen] = [0, 1].map(|_| LoadVector::new(n).unwrap());
    let (mut rng, mut other) = (rng_for_trial(260, n), rng_for_trial(260, n));
    alone.start(&loads).unwrap();
    shown.start(&seen).unwrap();
    for _ in 0..balls {
        assert_eq!(alone.step(&mut loads, &mut rng), shown.step(&mut seen, &mut other));
        assert_eq!(shown.state().unwrap().bits(), shown.report().budget().get());
    }
    assert_eq!(rng, other);
    assert_eq!(shown.asked_outside(), None);
    shown
}

/// Caching and (d,r)-memory ask for visible bins only, and run as they are.
#[test]
fn the_rules_of_bb_processes_are_probing_schemes() {
    for first in [FirstMemory::Uniform, FirstMemory::Empty] {
        for remember in [Remember::Lightest, Remember::Recent] {
            let shown = alone_and_shown(Caching::new().with_first(first).with_remember(remember), 50, 500);
            assert!((900..=1000).contains(&shown.report().sample_count().unwrap()));
            for (d, r) in [(1, 1), (2, 1), (1, 4), (3, 2), (2, 0)] {
                let rule = Memory::new(d, r).unwrap().with_first(first).with_remember(remember);
                let shown = alone_and_shown(rule, 50, 500);
                assert!(shown.report().sample_count().unwrap() <= 500 * u64::from(d + r));
            }
        }
    }
    // No bin is remembered: Greedy[d], of no bits.
    assert_eq!(alone_and_shown(Memory::new(2, 0).unwrap(), 50, 100).report().budget().get(), 0);
    // One of 50 bins or none; two in order, one or none: 51 and 50·49 + 51 states.
    assert_eq!(alone_and_shown(Caching::new(), 50, 100).report().budget().get(), 6);
    assert_eq!(alone_and_shown(Memory::new(1, 2).unwrap(), 50, 100).report().budget().get(), 12);
}

#[test]
fn greedy_is_memory_without_memory() {
    let run = |rule: &mut dyn bb_memory::bb_core::DynAllocator| {
        let mut loads = LoadVector::new(100).unwrap();
        rule.start_and_run(&mut loads, 1000, &mut rng_for_trial(261, 0)).unwrap();
        loads
    };
    assert_eq!(run(&mut Memory::new(3, 0).unwrap()), run(&mut DChoice::new(3).unwrap()));
    assert_eq!(run(&mut ResetMemory::new(1).unwrap()), run(&mut OneChoice));
    let empty = Caching::new().with_first(FirstMemory::Empty);
    assert_eq!(run(&mut ResetMemory::new(u64::MAX).unwrap()), run(&mut empty.clone()));
    assert_ne!(run(&mut ResetMemory::new(2).unwrap()), run(&mut empty.clone()));
    assert_ne!(run(&mut ResetMemory::new(2).unwrap()), run(&mut OneChoice));
}

/// All states of a small scheme have different bits, and there are as many as the bits allow for.
#[test]
fn states_are_distinct() {
    #[derive(Clone, Debug)]
    struct Fixed(Vec<usize>);
    impl Allocator<VisibleBins<'_>> for Fixed {
        fn choose<R: Rng + ?Sized>(&mut self, bins: &VisibleBins<'_>, rng: &mut R) -> usize {
            bins.draw(rng)
        }
    }
    impl Remembers for Fixed {
        fn most_remembered(&self) -> u32 {
            2
        }
        fn samples(&self) -> u32 {
            1
        }
        fn each_remembered(&self, each: impl FnMut(usize)) {
            self.0.iter().copied().for_each(each);
        }
    }
    let state = |list: &[usize]| Probing::new(5, Fixed(list.to_vec())).unwrap().state();
    let mut seen = BTreeSet::new();
    seen.insert(state(&[]).unwrap().get(0, 5).unwrap());
    for first in 0..5 {
        seen.insert(state(&[first]).unwrap().get(0, 5).unwrap());
        for second in (0..5).filter(|&second| second != first) {
            seen.insert(state(&[first, second]).unwrap().get(0, 5).unwrap());
        }
    }
    assert_eq!(seen, (0..26).collect());
    assert!(state(&[1, 1]).is_err() && state(&[5]).is_err() && state(&[0, 1, 2]).is_err());
}

/// A rule that asks for the load of a bin that is not visible is found, and gets no load.
#[test]
fn a_rule_that_looks_elsewhere_is_found() {
    #[derive(Clone, Debug)]
    struct Peeks;
    impl Allocator<VisibleBins<'_>> for Peeks {
        fn choose<R: Rng + ?Sized>(&mut self, bins: &VisibleBins<'_>, rng: &mut R) -> usize {
            let bin = bins.draw(rng);
            let next = (bin + 1) % 20;
            if bins.load(next) < bins.load(bin) { next } else { bin }
        }
    }
    impl Remembers for Peeks {
        fn most_remembered(&self) -> u32 {
            0
        }
        fn samples(&self) -> u32 {
            1
        }
        fn each_remembered(&self, _: impl FnMut(usize)) {}
    }
    let mut rule = Probing::new(20, Peeks).unwrap();
    let mut loads = LoadVector::from_loads(vec![7; 20]).unwrap();
    let bin = rule.step(&mut loads, &mut rng_for_trial(262, 0));
    assert_eq!(rule.asked_outside(), Some(bin), "it was told 0, and went there");
}

/// Loads and samples by hand: a tie is where the two memories differ, and a full period is where the reset
/// shows.
#[test]
fn traces_by_hand() {
    struct Script(Vec<usize>);
    impl Script {
        fn run<A: Allocator<LoadVector>>(&self, rule: &mut A, mut after: impl FnMut(&A)) -> Vec<usize> {
            let mut loads = LoadVector::new(4).unwrap();
            rule.start(&loads).unwrap();
            let mut taken = Vec::new();
            for &bin in &self.0 {
                // A seed whose draw is the bin wanted.
                let mut rng = (0..)
                    .map(|trial| rng_for_trial(263, trial))
                    .find(|rng| loads.draw(&mut rng.clone()) == bin)
                    .unwrap();
                let chosen = rule.choose(&loads, &mut rng);
                loads.place(chosen, &());
                rule.placed(&loads, chosen, chosen);
                after(rule);
                taken.push(chosen);
            }
            taken
        }
    }
    // Bin 0 takes the first ball and is remembered with 1; sample 1 is lighter and is remembered; sample 0
    // ties with it (1 and 1): it takes the ball, and the memory stays at 1, or goes to 0.
    let script = Script(vec![0, 1, 0, 2, 3]);
    let mut memory = Vec::new();
    let mut lightest = Caching::new().with_first(FirstMemory::Empty);
    assert_eq!(script.run(&mut lightest, |rule| memory.push(rule.remembered().unwrap())), [0, 1, 0, 2, 3]);
    // After the tie bin 1 has 1 and bin 0 has 2.
    assert_eq!(memory, [0, 1, 1, 2, 3]);
    memory.clear();
    let mut recent = lightest.with_remember(Remember::Recent);
    assert_eq!(script.run(&mut recent, |rule| memory.push(rule.remembered().unwrap())), [0, 1, 0, 2, 3]);
    assert_eq!(memory, [0, 1, 0, 2, 3]);
    // The remembered bin takes a ball whose sample is heavier, unless the memory was emptied: before ball 2.
    let script = Script(vec![0, 1, 0, 0, 0]);
    assert_eq!(script.run(&mut ResetMemory::new(2).unwrap(), |_| ()), [0, 1, 0, 0, 0]);
    let script = Script(vec![0, 0, 1, 0, 0]);
    assert_eq!(script.run(&mut ResetMemory::new(3).unwrap(), |_| ()), [0, 0, 1, 0, 0]);
    let mut caching = Caching::new().with_first(FirstMemory::Empty);
    assert_eq!(script.run(&mut caching, |_| ()), [0, 0, 1, 1, 0]);
}

/// Names are those of idle bins, in order, without a double; messages are counted, and those that found the
/// list full.
#[test]
fn the_idle_queue_holds_idle_bins() {
    for order in [QueueOrder::Fifo, QueueOrder::Lifo, QueueOrder::Pool] {
        for names in [1, 5, 60] {
            let n = 60;
            let (mut loads, mut rng) = (DynamicLoads::new(n).unwrap(), rng_for_trial(264, names));
            let mut rule = JoinIdleQueue::new(n, names, order).unwrap();
            rule.start(&loads).unwrap();
            let mut fallen = 0;
            for step in 0..3000 {
                let listed: Vec<usize> = rule.names().collect();
                assert!(listed.iter().all(|&bin| loads.load(bin) == 0) && listed.len() as u64 <= names);
                assert_eq!(listed.iter().collect::<BTreeSet<_>>().len(), listed.len());
                let bin = rule.step(&mut loads, &mut rng);
                match order {
                    _ if listed.is_empty() => {}
                    QueueOrder::Fifo => assert_eq!(bin, listed[0]),
                    QueueOrder::Lifo => assert_eq!(bin, listed[listed.len() - 1]),
                    QueueOrder::Pool => assert!(listed.contains(&bin)),
                }
                for _ in 0..[0, 1, 3][step % 3] {
                    let Some(bin) = loads.draw_holding(&mut rng) else { break };
                    loads.remove(bin);
                    rule.removed(&loads, bin, bin);
                    fallen += u64::from(loads.load(bin) == 0);
                }
                assert_eq!(rule.state().unwrap().bits(), rule.report().budget().get());
            }
            let report = rule.report();
            assert_eq!(report.messages(), Some(fallen));
            assert_eq!(rule.dropped() > 0, names == 1, "{order:?}, {names}");
            assert!(report.longest_list().unwrap() <= names);
        }
    }
}

/// More names, less waiting; a rule that learns of no idle bin is One-Choice after its first names.
#[test]
fn names_are_worth_their_bits() {
    let waiting = |rule: Option<JoinIdleQueue>| {
        let n = 2000;
        let (mut loads, mut rng) = (DynamicLoads::new(n).unwrap(), rng_for_trial(265, 0));
        let mut sum = 0;
        match rule {
            Some(rule) => {
                let mut system = Supermarket::new(0.8, 1).unwrap().with_rule(rule);
                system.start(&loads).unwrap();
                for _ in 0..60 {
                    system.run(&mut loads, 1, &mut rng);
                    sum += loads.bins_at_least(2);
                }
            }
            None => {
                let mut system = Supermarket::new(0.8, 1).unwrap();
                for _ in 0..60 {
                    system.run(&mut loads, 1, &mut rng);
                    sum += loads.bins_at_least(2);
                }
            }
        }
        sum
    };
    let names = |names| waiting(Some(JoinIdleQueue::new(2000, names, QueueOrder::Fifo).unwrap()));
    let (all, few, none) = (names(2000), names(4), waiting(None));
    assert!(all * 5 < few && few < none, "{all} {few} {none}");
}
