//! Audits: clean for every scheme of the crate, and each kind of cheat is caught.

use std::cell::Cell;
use std::convert::Infallible;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

use bb_memory::audit::{AuditError, Table, Transcript, whole_run};
use bb_memory::bb_core::{LoadVector, Rng, StartError, draw_below, rng_for_trial};
use bb_memory::{
    AdaptiveClusters, Advisor, ApproximateCounters, Ball, Bounded, Budget, Choice, ClusterCount, Decider, EpochAdvice,
    Format, HeavyList, IdleHint, Layout, ListDecider, Loads, NoMemory, Odds, Overflow, Policy, RelativeCounters,
    SampleKind, Samples, SaturatingCounters, SplittingClusters, State, StateError, StateWriter, ThresholdBit,
    Thresholds, TieRule, Window,
};

use super::same_path::for_each_scheme;

fn clean<A: Advisor<Failure = Infallible> + Clone>(name: &str, advisor: A, n: u64) {
    let loads = LoadVector::new(n).unwrap();
    let audited = whole_run(&advisor, &loads, 3 * n, &mut rng_for_trial(240, 0));
    let audited = audited.unwrap_or_else(|error| panic!("{name}: {error}"));
    // The audit plays what the driver plays.
    let (mut rule, mut loads) = (Bounded::new(advisor), loads);
    rule.try_run(&mut loads, 3 * n, &mut rng_for_trial(240, 0)).unwrap();
    assert_eq!(audited.loads(), &loads, "{name}");
    assert!(audited.changes() >= 1);
}

#[test]
fn the_schemes_are_clean() {
    for_each_scheme!(clean, 60);
}

/// Whole runs at the largest size that is audited.
#[test]
fn lists_are_clean_at_two_to_the_ten() {
    let n = 1 << 10;
    for format in [Format::Naive, Format::EliasFano] {
        let layout = Layout::new(n, Budget::bits(300).unwrap(), format, 8).unwrap();
        for policy in [Policy::Raise, Policy::Fill, Policy::Fixed(4.0)] {
            let list = HeavyList::new(layout, policy).unwrap();
            let audited = whole_run(&list, &LoadVector::new(n).unwrap(), n, &mut rng_for_trial(241, 0)).unwrap();
            // A filled list depends on who came first, so other loads seldom lead to the same one.
            assert!(policy == Policy::Fill || audited.compared() > 500, "{}", audited.compared());
        }
    }
}

// A scheme with one bit that means nothing, and a decider that learns of loads by other ways.

static LOADS: AtomicU64 = AtomicU64::new(0);
static CALLS: AtomicU64 = AtomicU64::new(0);
thread_local! {
    static LOCAL: Cell<u64> = const { Cell::new(0) };
}

/// Which way a cheat takes.
trait Way: Copy + std::fmt::Debug + PartialEq + Send + Sync + 'static {
    /// Tells the decider which bins have balls, as bits.
    fn tell(bins: u64);
    fn told() -> u64;
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Static;
impl Way for Static {
    fn tell(bins: u64) {
        LOADS.store(bins, Ordering::SeqCst);
    }
    fn told() -> u64 {
        LOADS.load(Ordering::SeqCst)
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Local;
impl Way for Local {
    fn tell(bins: u64) {
        LOCAL.set(bins);
    }
    fn told() -> u64 {
        LOCAL.get()
    }
}

/// Counts its calls: it decides by the number of the ball.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Counter;
impl Way for Counter {
    fn tell(_: u64) {}
    fn told() -> u64 {
        CALLS.fetch_add(1, Ordering::SeqCst).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Cheating<W>(std::marker::PhantomData<W>);

impl<W: Way> Decider for Cheating<W> {
    type View = ();
    fn to_words(&self) -> Vec<u64> {
        Vec::new()
    }
    fn from_words(words: &[u64]) -> Option<Self> {
        words.is_empty().then_some(Self(std::marker::PhantomData))
    }
    fn budget(&self) -> Budget {
        Budget::NONE
    }
    fn view(&self, _: &State) -> Result<(), StateError> {
        Ok(())
    }
    fn decide(&self, (): &(), samples: Samples<'_>) -> Choice {
        let told = W::told();
        let has = |bin: usize| told >> (bin % 64) & 1 == 1;
        Choice::sure(u32::from(has(samples.first()) && !has(samples.second())))
    }
}

#[derive(Clone)]
struct Teller<W>(std::marker::PhantomData<W>);

impl<W: Way> Teller<W> {
    fn tell(loads: Loads<'_>) {
        W::tell(loads.iter().enumerate().map(|(bin, load)| u64::from(load > 0) << bin).sum());
    }
}

impl<W: Way> Advisor for Teller<W> {
    type Decider = Cheating<W>;
    type Failure = Infallible;
    fn decider(&self) -> Cheating<W> {
        Cheating(std::marker::PhantomData)
    }
    fn begin(&mut self, loads: Loads<'_>) -> Result<(), StartError> {
        Self::tell(loads);
        Ok(())
    }
    fn write(&self, loads: Loads<'_>, _: &mut StateWriter) -> Result<(), StateError> {
        Self::tell(loads);
        Ok(())
    }
    fn placed(&mut self, loads: Loads<'_>, _: Ball<'_>) {
        Self::tell(loads);
    }
}

fn audit<W: Way>() -> AuditError {
    let teller = Teller::<W>(std::marker::PhantomData);
    whole_run(&teller, &LoadVector::new(64).unwrap(), 64, &mut rng_for_trial(242, 0)).map(|_| ()).unwrap_err()
}

#[test]
fn a_decider_that_reads_a_static_is_caught() {
    assert!(matches!(audit::<Static>(), AuditError::NotBlind { .. } | AuditError::Replay { .. }));
}

#[test]
fn a_decider_that_reads_a_thread_local_is_caught() {
    assert!(matches!(audit::<Local>(), AuditError::NotBlind { .. } | AuditError::Replay { .. }));
}

#[test]
fn a_decider_that_counts_is_caught() {
    assert!(matches!(audit::<Counter>(), AuditError::Impure { .. }));
}

/// A third bin cannot be named: a place beyond the last sample counts as the last.
#[test]
fn a_decider_that_names_a_third_bin_gets_the_last_sample() {
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Third;
    impl Decider for Third {
        type View = ();
        fn to_words(&self) -> Vec<u64> {
            Vec::new()
        }
        fn from_words(words: &[u64]) -> Option<Self> {
            words.is_empty().then_some(Self)
        }
        fn budget(&self) -> Budget {
            Budget::NONE
        }
        fn view(&self, _: &State) -> Result<(), StateError> {
            Ok(())
        }
        fn decide(&self, (): &(), _: Samples<'_>) -> Choice {
            Choice::sure(2)
        }
    }
    #[derive(Clone)]
    struct Silent;
    impl Advisor for Silent {
        type Decider = Third;
        type Failure = Infallible;
        fn decider(&self) -> Third {
            Third
        }
        fn begin(&mut self, _: Loads<'_>) -> Result<(), StartError> {
            Ok(())
        }
        fn write(&self, _: Loads<'_>, _: &mut StateWriter) -> Result<(), StateError> {
            Ok(())
        }
    }
    let (mut rule, mut loads) = (Bounded::new(Silent), LoadVector::new(50).unwrap());
    for _ in 0..200 {
        let bin = rule.try_step(&mut loads, &mut rng_for_trial(243, 0)).unwrap();
        assert_eq!((bin, rule.last_place()), (rule.last_samples()[1], 1));
    }
}

/// An advisor that writes so many bits in a budget of three, and says how large the first number is at most.
#[derive(Clone)]
struct Wordy {
    bits: u64,
    said: u64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Reads(u64);

impl Decider for Reads {
    type View = u64;
    fn to_words(&self) -> Vec<u64> {
        vec![self.0]
    }
    fn from_words(words: &[u64]) -> Option<Self> {
        if let &[said] = words { Some(Self(said)) } else { None }
    }
    fn budget(&self) -> Budget {
        Budget::bits(3).unwrap()
    }
    fn view(&self, state: &State) -> Result<u64, StateError> {
        let value = state.get(0, 3)?;
        if value > self.0 { Err(StateError::NonCanonical { reason: "too large" }) } else { Ok(value) }
    }
    fn decide(&self, _: &u64, _: Samples<'_>) -> Choice {
        Choice::sure(0)
    }
}

impl Advisor for Wordy {
    type Decider = Reads;
    type Failure = Infallible;
    fn decider(&self) -> Reads {
        Reads(self.said)
    }
    fn begin(&mut self, _: Loads<'_>) -> Result<(), StartError> {
        Ok(())
    }
    fn write(&self, loads: Loads<'_>, writer: &mut StateWriter) -> Result<(), StateError> {
        writer.write(loads.total() % 8, 3)?;
        writer.write(0, (self.bits - 3) as u32)
    }
    fn is_function_of_loads(&self) -> bool {
        true
    }
}

/// An advisor whose state is not what it says: too long, changed in silence, or not readable.
#[test]
fn an_advisor_that_breaks_its_word_is_caught() {
    let run = |bits, said| {
        let loads = LoadVector::new(9).unwrap();
        whole_run(&Wordy { bits, said }, &loads, 30, &mut rng_for_trial(244, 0)).map(|_| ())
    };
    assert_eq!(run(3, 7), Ok(()));
    let over = StateError::OverBudget { needed: 4, budget: 3 };
    assert_eq!(run(4, 7), Err(AuditError::State { step: 0, error: over }));
    let refused = StateError::NonCanonical { reason: "too large" };
    assert_eq!(run(3, 4), Err(AuditError::State { step: 5, error: refused }));
    // As an allocator it plays on without memory, and says so; step by step it is an error.
    let (mut rule, mut loads) = (Bounded::new(Wordy { bits: 4, said: 7 }), LoadVector::new(9).unwrap());
    use bb_memory::bb_core::Allocator;
    rule.start_and_run(&mut loads, 20, &mut rng_for_trial(244, 0)).unwrap();
    assert_eq!((rule.report().overflows(), rule.report().is_certified()), (20, false));
    let mut rule = Bounded::new(Wordy { bits: 4, said: 7 });
    assert!(rule.try_step(&mut loads, &mut rng_for_trial(244, 0)).is_err());
    assert_eq!(loads.total(), 20);
}

/// The transcript of a run is played again in a process that never held any loads: honest ones agree, and a
/// cheat by a static that was never written does not.
#[test]
fn a_transcript_is_replayed_in_another_process() {
    const CHILD: &str = "BB_MEMORY_TRANSCRIPT";
    if let Ok(file) = std::env::var(CHILD) {
        let bytes = std::fs::read(file).unwrap();
        let words: Vec<u64> = bytes.chunks(8).map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect();
        let honest = Transcript::<ListDecider>::from_words(&words).map(|transcript| transcript.replay());
        let cheat = Transcript::<Cheating<Static>>::from_words(&words).map(|transcript| transcript.replay());
        match (words[0], honest, cheat) {
            (0, _, Some(Err(AuditError::Replay { .. }))) | (6, Some(Ok(200)), _) => return,
            other => panic!("{other:?}"),
        }
    }
    let list = HeavyList::fill(100, Budget::bits(70).unwrap()).unwrap();
    let honest = whole_run(&list, &LoadVector::new(100).unwrap(), 200, &mut rng_for_trial(245, 0)).unwrap();
    // The words of a cheat, put together as the driver plays it: the audit would refuse to give them.
    let mut words = vec![0, 0, 2, 1];
    let (mut rule, mut loads) =
        (Bounded::new(Teller::<Static>(std::marker::PhantomData)), LoadVector::new(64).unwrap());
    let (mut rng, mut keys) = (rng_for_trial(246, 0), rng_for_trial(246, 0));
    let mut steps = Vec::new();
    for _ in 0..64 {
        rule.try_step(&mut loads, &mut rng).unwrap();
        steps.push(0);
        steps.extend(rule.last_samples().iter().map(|&bin| bin as u64));
        steps.extend([keys.next_u64(), u64::from(rule.last_place())]);
    }
    words.push(64);
    words.extend(steps);
    for (name, words) in [("honest", honest.transcript().to_words()), ("cheat", words)] {
        let file = std::env::temp_dir().join(format!("bb-memory-{name}-{}", std::process::id()));
        std::fs::write(&file, words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>()).unwrap();
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "audits::a_transcript_is_replayed_in_another_process"])
            .env(CHILD, &file)
            .output()
            .unwrap();
        std::fs::remove_file(&file).unwrap();
        let said = String::from_utf8_lossy(&child.stdout);
        assert!(child.status.success() && said.contains("1 passed"), "{name}: {said}");
    }
}

#[test]
fn words_that_are_no_transcript_are_refused() {
    let list = HeavyList::fill(20, Budget::bits(30).unwrap()).unwrap();
    let audited = whole_run(&list, &LoadVector::new(20).unwrap(), 20, &mut rng_for_trial(247, 0)).unwrap();
    let words = audited.transcript().to_words();
    assert_eq!(Transcript::from_words(&words).as_ref(), Some(audited.transcript()));
    for length in 0..words.len() {
        assert_eq!(Transcript::<ListDecider>::from_words(&words[..length]), None);
    }
    // Other picks are found.
    let mut wrong = words.clone();
    *wrong.last_mut().unwrap() ^= 1;
    let replayed = Transcript::<ListDecider>::from_words(&wrong).unwrap().replay();
    assert_eq!(replayed, Err(AuditError::Replay { step: 19 }));
}

/// A table from a hash of seed, state and samples.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Random {
    seed: u64,
    bits: u64,
}

impl Decider for Random {
    type View = u64;
    fn to_words(&self) -> Vec<u64> {
        vec![self.seed, self.bits]
    }
    fn from_words(words: &[u64]) -> Option<Self> {
        if let &[seed, bits] = words { Some(Self { seed, bits }) } else { None }
    }
    fn budget(&self) -> Budget {
        Budget::bits(self.bits).unwrap()
    }
    fn view(&self, state: &State) -> Result<u64, StateError> {
        state.get(0, self.bits as u32)
    }
    fn decide(&self, state: &u64, samples: Samples<'_>) -> Choice {
        let at = state << 32 | (samples.first() as u64) << 16 | samples.second() as u64;
        let mut rng = rng_for_trial(self.seed, at);
        match draw_below(4, &mut rng) {
            0 => Choice::sure(0),
            1 => Choice::sure(1),
            _ => Choice::first_with(Odds::new(rng.next_u64() >> 32).unwrap()),
        }
    }
}

/// Random tables `f(state, i, j)`: whatever they are, the laws of all decisions hold.
#[test]
fn the_laws_of_all_decisions_hold() {
    for seed in 0..40 {
        for bits in 0..=4 {
            for bins in 1..=8 {
                for sampling in [SampleKind::Independent, SampleKind::Distinct] {
                    if sampling == SampleKind::Distinct && bins == 1 {
                        continue;
                    }
                    let table = Table::new(&Random { seed, bits }, bins, sampling).unwrap();
                    assert_eq!(table.states().len(), 1 << bits);
                    table.check().unwrap();
                }
            }
        }
    }
    assert!(Table::new(&Random { seed: 0, bits: 21 }, 4, SampleKind::Independent).is_err());
    assert!(Table::new(&Random { seed: 0, bits: 1 }, 0, SampleKind::Independent).is_err());
    assert!(Table::new(&Random { seed: 0, bits: 1 }, 1, SampleKind::Distinct).is_err());
}

/// The laws of all decisions hold for the schemes, at tiny sizes.
#[test]
fn the_laws_of_all_decisions_hold_for_the_schemes() {
    for format in Format::ALL {
        let layout = Layout::new(5, Budget::bits(11).unwrap(), format, 2).unwrap();
        let list = HeavyList::new(layout, Policy::Fill).unwrap().with_ties(TieRule::Coin);
        Table::new(&list.decider(), 5, SampleKind::Independent).unwrap().check().unwrap();
    }
    let counters = SaturatingCounters::with_choices(4, 2, 3, TieRule::Coin).unwrap();
    Table::new(&counters.decider(), 4, SampleKind::Independent).unwrap().check().unwrap();
    let adaptive = AdaptiveClusters::new(5, 3, 2).unwrap();
    let table = Table::new(&adaptive.decider(), 5, SampleKind::Independent).unwrap();
    table.check().unwrap();
    // Five trees of three leaves on intervals of 4 and 1, fewer for the trimmed one; each with 4^3 counts.
    assert_eq!(table.states().len() % 64, 0);
    assert!(table.unread() > 0);
    let splitting = SplittingClusters::new(5, 3, 2).unwrap();
    let same = Table::new(&splitting.decider(), 5, SampleKind::Independent).unwrap();
    same.check().unwrap();
    assert_eq!(same.states(), table.states(), "the same trees and decisions, kept up by another");
    let clusters = ClusterCount::asymmetric(5, 4, 3).unwrap();
    let table = Table::new(&clusters.decider(), 5, SampleKind::Halves).unwrap();
    table.check().unwrap();
    // All counters 0: the first half, of three bins, takes all.
    assert_eq!(table.states()[0].1[3..], [0.0, 0.0]);
}

/// Deciders come back from their words, and words of others do not become some.
#[test]
fn deciders_are_their_words() {
    fn check<D: Decider>(decider: D) {
        let words = decider.to_words();
        assert_eq!(D::from_words(&words), Some(decider));
        assert_eq!(D::from_words(&[words, vec![1]].concat()), None);
    }
    check(HeavyList::fill(100, Budget::bits(70).unwrap()).unwrap().with_ties(TieRule::Left).decider());
    check(SaturatingCounters::new(10, 3).unwrap().decider());
    check(ClusterCount::asymmetric(10, 3, 9).unwrap().decider());
    check(AdaptiveClusters::new(10, 3, 9).unwrap().decider());
    check(ApproximateCounters::new(10, 3, 1.25).unwrap().decider());
    check(RelativeCounters::new(10, 3, 1000).unwrap().decider());
    check(Window::new(10, 3, 4, 0.5).unwrap().decider());
    check(NoMemory::new(10, TieRule::Coin).unwrap().decider());
    check(IdleHint::new(10, Budget::bits(20).unwrap(), 3).unwrap().decider());
    check(SplittingClusters::new(10, 3, 9).unwrap().decider());
    assert_eq!(NoMemory::new(10, TieRule::Coin).unwrap().decider().budget(), Budget::NONE);
}
