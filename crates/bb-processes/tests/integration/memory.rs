//! Rules that remember bins: exactly on small systems, bin by bin on counted bins, and parameters at which a
//! rule is a simpler one.

use std::collections::BTreeMap;

use bb_processes::bb_core::{
    Allocator, Bins, BinsExt, CountedBin, DynamicLoads, IndexSampler, LoadProfile, LoadVector, Metrics, Place, Put,
    Remove, Rng, TrialRng, rng_for_trial,
};
use bb_processes::{Caching, DChoice, FirstMemory, Memory, OneChoice, Remember};
use bb_testkit::BigRational;
use bb_testkit::exact::{Law, chain, ratio};
use bb_testkit::stats::{Mean, goodness_of_fit, tally};
use bb_testkit::twin;

use crate::table::assert_rows;

const SEED: u64 = 100;

const STARTS: [&[u64]; 4] = [&[0, 0, 0], &[3, 0, 1], &[1, 2, 1, 0], &[0, 7]];

const FORMS: [(FirstMemory, Remember); 4] = [
    (FirstMemory::Uniform, Remember::Lightest),
    (FirstMemory::Uniform, Remember::Recent),
    (FirstMemory::Empty, Remember::Lightest),
    (FirstMemory::Empty, Remember::Recent),
];

/// Loads and remembered bins.
type State = (Vec<u64>, Vec<usize>);

/// All ways to draw `count` bins.
fn draws(bins: usize, count: u32) -> Vec<Vec<usize>> {
    let one_more = |all: Vec<Vec<usize>>| {
        all.iter().flat_map(|drawn| (0..bins).map(move |bin| [drawn.as_slice(), &[bin]].concat())).collect()
    };
    (0..count).fold(vec![vec![]], |all, _| one_more(all))
}

fn without_repeats(bins: &[usize]) -> Vec<usize> {
    let mut once = Vec::new();
    bins.iter().for_each(|bin| {
        if !once.contains(bin) {
            once.push(*bin);
        }
    });
    once
}

/// The law of the loads, where `step` gives the state after the sampled bins; `first` says what is remembered
/// before the first ball.
fn law(
    start: &[u64],
    balls: u64,
    (d, r): (u32, u32),
    first: FirstMemory,
    step: impl Fn(&State, &[usize]) -> State,
) -> Law<Vec<u64>> {
    let n = start.len();
    let weighted = |all: Vec<Vec<usize>>| {
        let each = ratio(1, all.len() as u64);
        all.into_iter().map(move |drawn| (each.clone(), drawn))
    };
    let begin = if first == FirstMemory::Empty { vec![vec![]] } else { draws(n, r) };
    // The first step draws what is remembered.
    let begun = chain((start.to_vec(), vec![]), 1, |(loads, _)| {
        weighted(begin.clone()).map(|(each, drawn)| (each, (loads.clone(), without_repeats(&drawn)))).collect()
    });
    let next = |state: &State| -> Vec<(BigRational, State)> {
        weighted(draws(n, d)).map(|(each, samples)| (each, step(state, &samples))).collect()
    };
    (0..balls).fold(begun, |law, _| law.then(next)).map(|(loads, _)| loads.clone())
}

/// The rule of Caching, case by case.
fn caching_step(remember: Remember) -> impl Fn(&State, &[usize]) -> State {
    move |(loads, memory), samples| {
        let (i, mut loads) = (samples[0], loads.clone());
        let Some(&b) = memory.first() else {
            loads[i] += 1;
            return (loads, vec![i]);
        };
        let (receiver, cached) = match loads[i].cmp(&loads[b]) {
            std::cmp::Ordering::Less => (i, i),
            std::cmp::Ordering::Equal => (i, if remember == Remember::Recent { i } else { b }),
            std::cmp::Ordering::Greater => (b, b),
        };
        loads[receiver] += 1;
        (loads, vec![cached])
    }
}

/// The rule of (d,r)-memory, by sorting.
fn memory_step(r: u32, remember: Remember) -> impl Fn(&State, &[usize]) -> State {
    move |(loads, memory), samples| {
        let mut loads = loads.clone();
        let candidates = without_repeats(&[samples, memory.as_slice()].concat());
        let receiver = *candidates.iter().min_by_key(|&&bin| loads[bin]).unwrap();
        loads[receiver] += 1;
        let mut kept = without_repeats(&[memory.as_slice(), samples].concat());
        kept.sort_by_key(|&bin| (loads[bin], bin != receiver));
        if remember == Remember::Recent {
            kept.sort_by_key(|&bin| bin != receiver);
        }
        kept.truncate(r as usize);
        (loads, kept)
    }
}

#[test]
fn caching_on_all_its_outcomes_has_its_law() {
    let real = |form: (FirstMemory, Remember), start: &[u64]| {
        let rule = Caching::new().with_first(form.0).with_remember(form.1);
        twin::law_with_memory(&rule, start, 6, &[], |rule| rule.remembered())
    };
    for start in STARTS {
        for form in FORMS {
            let exact = law(start, 6, (1, 1), form.0, caching_step(form.1));
            assert_eq!(real(form, start), exact, "{form:?}, {start:?}");
        }
    }
    // The four have four laws, but from level bins: there the first ball makes a memory that the next one may
    // as well have been given.
    let laws = FORMS.map(|form| real(form, &[3, 0, 1]));
    for (place, one) in laws.iter().enumerate() {
        assert!(laws[..place].iter().all(|other| other != one));
    }
}

#[test]
fn memory_on_all_its_outcomes_has_its_law() {
    for (d, r) in [(1, 0), (1, 1), (2, 1), (1, 2), (2, 2), (1, 4), (3, 1), (3, 0)] {
        for (first, remember) in FORMS {
            for (start, balls) in [(STARTS[0], 4), (STARTS[1], 3), (STARTS[3], 5)] {
                let rule = Memory::new(d, r).unwrap().with_first(first).with_remember(remember);
                let real = twin::law_with_memory(&rule, start, balls, &[], |rule| rule.remembered().to_vec());
                let exact = law(start, balls, (d, r), first, memory_step(r, remember));
                assert_eq!(real, exact, "({d},{r}), {first:?}, {remember:?}, {start:?}");
            }
        }
    }
    let (first, lightest) = (FirstMemory::Uniform, Remember::Lightest);
    let real = |d, r| {
        let rule = Memory::new(d, r).unwrap();
        twin::law_with_memory(&rule, &[0; 4], 4, &[], |rule| rule.remembered().to_vec())
    };
    let exact = law(&[0; 4], 4, (1, 2), first, memory_step(2, lightest));
    assert_eq!(real(1, 2), exact);
    assert_ne!(real(1, 1), exact);
    assert_ne!(real(2, 2), exact);
    assert_ne!(real(1, 3), exact);
}

/// Which of several equal bins takes the ball, or is remembered, is no matter of the law: here the bins
/// themselves, from the words as documented.
#[test]
fn memory_takes_and_remembers_the_documented_bins() {
    for (d, r) in [(1, 1), (2, 3), (3, 2), (1, 5)] {
        for (first, remember) in FORMS {
            let mut rule = Memory::new(d, r).unwrap().with_first(first).with_remember(remember);
            let (mut loads, mut rng) = (LoadVector::new(7).unwrap(), rng_for_trial(SEED, 7));
            let draw = |count, rng: &mut TrialRng| {
                let mut drawn = Vec::new();
                LoadVector::new(7).unwrap().draw_each(count, rng, |bin| drawn.push(bin));
                drawn
            };
            let mut words = rng.clone();
            let begin = if first == FirstMemory::Empty { vec![] } else { draw(r, &mut words) };
            let mut state = (vec![0; 7], without_repeats(&begin));
            for ball in 0..2000 {
                rule.step(&mut loads, &mut rng);
                state = memory_step(r, remember)(&state, &draw(d, &mut words));
                assert_eq!(
                    (loads.to_vec(), rule.remembered()),
                    (state.0.clone(), &state.1[..]),
                    "({d},{r}), ball {ball}"
                );
            }
        }
    }
}

#[test]
fn the_table_of_small_systems() {
    let real = |bins: u64, balls| {
        twin::law_with_memory(&Caching::new(), &vec![0; bins as usize], balls, &[], |rule| rule.remembered())
    };
    assert_rows("memory", real);
    assert_eq!(real(4, 8).mean_gap(), ratio(7749, 8192));
}

/// Loads and generator after a run.
fn path<B: Place + Clone, A: Allocator<B>>(mut rule: A, loads: &B) -> (B, u64) {
    let (mut loads, mut rng) = (loads.clone(), rng_for_trial(SEED, 0));
    rule.start_and_run(&mut loads, 3000, &mut rng).unwrap();
    (loads, rng.next_u64())
}

#[test]
fn simpler_memories_are_simpler_rules_draw_for_draw() {
    let (vector, profile) = (LoadVector::new(30).unwrap(), LoadProfile::new(30).unwrap());
    for (first, remember) in FORMS {
        let caching = Caching::new().with_first(first).with_remember(remember);
        let memory = Memory::new(1, 1).unwrap().with_first(first).with_remember(remember);
        assert_eq!(path(caching.clone(), &vector), path(memory.clone(), &vector));
        assert_eq!(path(caching.for_bins(), &profile), path(memory.for_bins(), &profile));
        for d in [1, 2, 5] {
            let none = Memory::new(d, 0).unwrap().with_first(first).with_remember(remember);
            assert_eq!(path(none.clone(), &vector), path(DChoice::new(d).unwrap(), &vector));
            assert_eq!(path(none.for_bins(), &profile), path(DChoice::new(d).unwrap(), &profile));
        }
    }
    assert_ne!(path(Caching::new(), &vector), path(OneChoice, &vector));
}

/// Counted bins with labels: the name of each labelled bin is followed through every placement, and bins are
/// drawn by label. So a rule that remembers counted bins meets the same bins as on a vector.
#[derive(Clone)]
struct Followed {
    profile: LoadProfile,
    names: Vec<CountedBin>,
    labels: IndexSampler,
}

impl Followed {
    fn new(start: &[u64]) -> Self {
        let mut profile = LoadProfile::new(start.len() as u64).unwrap();
        let mut names: Vec<_> = (0..start.len() as u64).map(|place| profile.nth(place)).collect();
        for (bin, &load) in start.iter().enumerate() {
            for _ in 0..load {
                let was = names[bin];
                let now = profile.place(was, &());
                names.iter_mut().for_each(|name| *name = profile.follow(*name, was, now));
            }
        }
        Self { profile, names, labels: IndexSampler::new(start.len() as u64).unwrap() }
    }
}

impl Followed {
    fn remove(&mut self, bin: CountedBin) -> CountedBin {
        let now = self.profile.remove(bin).expect("the bin holds a ball");
        self.names.iter_mut().for_each(|name| *name = self.profile.follow(*name, bin, now));
        now
    }
}

impl Bins for Followed {
    type Bin = CountedBin;
    type Load = u64;
    type Places = IndexSampler;
    fn places(&self) -> &IndexSampler {
        &self.labels
    }
    fn nth(&self, place: u64) -> CountedBin {
        self.names[place as usize]
    }
    fn load(&self, bin: CountedBin) -> u64 {
        self.profile.load(bin)
    }
    fn total(&self) -> u64 {
        Bins::total(&self.profile)
    }
    fn lighter(&self, first: CountedBin, second: CountedBin) -> CountedBin {
        self.profile.lighter(first, second)
    }
    fn follow(&self, kept: CountedBin, was: CountedBin, now: CountedBin) -> CountedBin {
        self.profile.follow(kept, was, now)
    }
}

impl Place for Followed {
    fn put(&mut self, bin: CountedBin, (): &(), put: Put) -> CountedBin {
        let now = self.profile.put(bin, &(), put);
        self.names.iter_mut().for_each(|name| *name = self.profile.follow(*name, bin, now));
        now
    }
}

/// The same bins from the same words, ball by ball, whether bins are labelled or counted.
#[test]
fn remembered_bins_are_followed_on_counted_bins() {
    fn check<A, C>(name: &str, labelled: &A, counted: &C)
    where
        A: Allocator + Clone,
        C: Allocator<Followed> + Clone,
    {
        for (trial, start) in [vec![0; 5], vec![9, 0, 3, 3, 1, 0, 4], vec![0; 40], vec![2]].into_iter().enumerate() {
            let (mut labelled, mut counted) = (labelled.clone(), counted.clone());
            let (mut loads, mut followed) = (LoadVector::from_loads(start.clone()).unwrap(), Followed::new(&start));
            let mut rng = rng_for_trial(SEED, trial as u64);
            let mut words = rng.clone();
            for ball in 0..3000 {
                let bin = labelled.step(&mut loads, &mut rng);
                let now = counted.step(&mut followed, &mut words);
                assert_eq!((followed.names[bin], &rng), (now, &words), "{name}, ball {ball} from {start:?}");
                assert_eq!(followed.profile, LoadProfile::from(&loads), "{name}, ball {ball} from {start:?}");
            }
        }
    }
    for (first, remember) in FORMS {
        let caching = Caching::new().with_first(first).with_remember(remember);
        check("caching", &caching, &caching.for_bins());
        for (d, r) in [(1, 1), (2, 1), (1, 3), (3, 4), (2, 50)] {
            let memory = Memory::new(d, r).unwrap().with_first(first).with_remember(remember);
            check("memory", &memory, &memory.for_bins());
        }
    }
}

/// The same where balls leave, too: here with probability near 1/2 after each ball, from any bin that holds
/// one.
#[test]
fn remembered_bins_are_followed_where_balls_leave() {
    fn check<A, C>(name: &str, labelled: &A, counted: &C)
    where
        A: Allocator<DynamicLoads> + Clone,
        C: Allocator<Followed> + Clone,
    {
        let start = [9, 0, 3, 3, 1, 0, 4];
        let (mut labelled, mut counted) = (labelled.clone(), counted.clone());
        let (mut loads, mut followed) = (DynamicLoads::from_loads(start.to_vec()).unwrap(), Followed::new(&start));
        let (mut rng, mut leaving) = (rng_for_trial(SEED, 5), rng_for_trial(SEED, 6));
        let mut words = rng.clone();
        let mut left = 0;
        for ball in 0..3000 {
            let bin = labelled.step(&mut loads, &mut rng);
            let now = counted.step(&mut followed, &mut words);
            assert_eq!((followed.names[bin], &rng), (now, &words), "{name}, ball {ball}");
            let (bin, stays) = (loads.draw(&mut leaving), leaving.next_u64() >> 63 == 0);
            if !stays && loads.remove(bin).is_some() {
                labelled.removed(&loads, bin, bin);
                let was = followed.names[bin];
                let now = followed.remove(was);
                counted.removed(&followed, was, now);
                left += 1;
            }
            assert_eq!(&followed.profile, loads.profile(), "{name}, ball {ball}");
        }
        assert!(left > 500, "{name}: {left}");
    }
    for (first, remember) in FORMS {
        let caching = Caching::new().with_first(first).with_remember(remember);
        check("caching", &caching, &caching.for_bins());
        let memory = Memory::new(2, 3).unwrap().with_first(first).with_remember(remember);
        check("memory", &memory, &memory.for_bins());
    }
}

/// Counted bins themselves, by `run`: 4 forms of caching and (2,2)-memory, 5 tests.
#[test]
fn counted_bins_follow_the_exact_law() {
    fn maxima<A: Allocator<LoadProfile> + Clone>(rule: &A) -> BTreeMap<Vec<(u64, u64)>, u64> {
        let mut rng = rng_for_trial(SEED, 1);
        tally((0..50_000).map(|_| {
            let mut loads = LoadProfile::new(3).unwrap();
            rule.clone().run(&mut loads, 7, &mut rng);
            loads.level_counts()
        }))
    }
    let counts =
        |law: Law<Vec<u64>>| law.map(|loads| LoadVector::from_loads(loads.clone()).unwrap().level_counts()).to_f64();
    let laws = FORMS.map(|(first, remember)| counts(law(&[0; 3], 7, (1, 1), first, caching_step(remember))));
    for (place, (first, remember)) in FORMS.into_iter().enumerate() {
        let found = maxima(&Caching::new().with_first(first).with_remember(remember));
        goodness_of_fit(&found, &laws[place]).assert_fits("caching", SEED);
        goodness_of_fit(&found, &laws[place ^ 1]).assert_rejects("the other ties", SEED);
    }
    let exact = counts(law(&[0; 3], 7, (2, 2), FirstMemory::Uniform, memory_step(2, Remember::Lightest)));
    goodness_of_fit(&maxima(&Memory::new(2, 2).unwrap()), &exact).assert_fits("(2,2)-memory", SEED);
    goodness_of_fit(&maxima(&Memory::new(2, 1).unwrap()), &exact).assert_rejects("(2,1)-memory", SEED);
}

/// The fluid limit at one ball a bin: the fractions of bins with 0, 1, 2 and 3 balls. The first is 1/e, since
/// an empty bin that is sampled takes the ball. 4 tests.
#[test]
fn caching_has_its_fluid_limit() {
    const LIMIT: [f64; 4] = [0.367_879, 0.302_015, 0.292_415, 0.037_606_5];
    const BINS: u64 = 1 << 18;
    let shares: Vec<[f64; 4]> = (0..40)
        .map(|trial| {
            let mut loads = LoadVector::new(BINS).unwrap();
            Caching::new().run(&mut loads, BINS, &mut rng_for_trial(SEED, trial));
            let counts: BTreeMap<u64, u64> = loads.level_counts().into_iter().collect();
            [0, 1, 2, 3].map(|load| counts.get(&load).copied().unwrap_or(0) as f64 / BINS as f64)
        })
        .collect();
    for (load, limit) in LIMIT.into_iter().enumerate() {
        let mean = Mean::of(shares.iter().map(|shares| shares[load]));
        mean.agrees(Mean::exact(limit)).assert_fits(&format!("load {load}: {mean:?}"), SEED);
        let two_choice = [0.238_406, 0.532_090, 0.220_609, 0.008_889_21][load];
        mean.agrees(Mean::exact(two_choice)).assert_rejects("two-choice", SEED);
    }
}

/// A start forgets; without one a run goes on where it was, also on other loads with the same names.
#[test]
fn a_start_forgets_what_was_remembered() {
    let mut loads = LoadVector::new(20).unwrap();
    let mut rng = rng_for_trial(SEED, 2);
    let (mut caching, mut memory) = (Caching::new(), Memory::new(1, 3).unwrap());
    assert_eq!((caching.remembered(), memory.remembered()), (None, &[][..]));
    caching.run(&mut loads, 100, &mut rng);
    memory.run(&mut loads, 100, &mut rng);
    assert!(caching.remembered().is_some() && memory.remembered().len() == 3);
    caching.start(&loads).unwrap();
    memory.start(&loads).unwrap();
    assert_eq!((&caching, memory.remembered()), (&Caching::new(), &[][..]));
    // Used rules that start again are as new, also in what they draw first.
    assert_eq!(path(caching.clone(), &loads), path(Caching::new(), &loads));
    assert_eq!(path(memory, &loads), path(Memory::new(1, 3).unwrap(), &loads));
    let after = |rule: &mut Caching, words: u64| {
        let mut loads = LoadVector::new(1 << 40 >> 20).unwrap();
        let (mut rng, mut other) = (rng_for_trial(SEED, 3), rng_for_trial(SEED, 3));
        rule.step(&mut loads, &mut rng);
        (0..words).for_each(|_| {
            other.next_u64();
        });
        rng == other
    };
    assert!(after(&mut caching, 2) && after(&mut caching, 1));
    assert!(after(&mut Caching::new().with_first(FirstMemory::Empty), 1));
}

#[test]
fn bad_parameters_are_refused() {
    for d in [0, (1 << 16) + 1] {
        let error = Memory::<usize>::new(d, 1).unwrap_err();
        assert_eq!((error.parameter(), error.value(), error.range()), ("d", &*d.to_string(), "1..=2^16"));
    }
    let error = Memory::<usize>::new(1, (1 << 16) + 1).unwrap_err();
    assert_eq!((error.parameter(), error.value(), error.range()), ("r", "65537", "0..=2^16"));
    // More remembered bins than there are: all of them.
    let (mut rule, mut loads) = (Memory::new(40, 1 << 16).unwrap(), LoadVector::new(3).unwrap());
    rule.run(&mut loads, 100, &mut rng_for_trial(SEED, 4));
    assert_eq!((rule.remembered().len(), loads.max_load()), (3, 34));
}
