//! The traits carry every awkward kind of rule and of loads, without a change: memory on bins that have no
//! index, several balls a step, loads that lag behind, balls of several dimensions, counters kept by the
//! loads, and rules behind pointers.

use crate::LeastOf;
use bb_core::{
    Allocator, Bins, BinsExt, CountedBin, Counters, DynAllocator, IndexSampler, LoadProfile, LoadVector, Metrics,
    Place, Put, Rng, StartError, WithCounters, rng_for_trial,
};

/// Memory (Mitzenmacher, Prabhakar and Shah 2002): the lesser loaded of a sample and the remembered bin; a
/// tie goes to the sample.
#[derive(Clone)]
struct Caching<Bin> {
    remembered: Option<Bin>,
}

impl<B: Bins> Allocator<B> for Caching<B::Bin> {
    fn start(&mut self, _: &B) -> Result<(), StartError> {
        self.remembered = None;
        Ok(())
    }

    fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> B::Bin {
        let remembered = *self.remembered.get_or_insert_with(|| bins.draw(rng));
        bins.lighter(bins.draw(rng), remembered)
    }

    fn placed(&mut self, bins: &B, was: B::Bin, now: B::Bin) {
        let Some(before) = self.remembered else { return };
        let kept = bins.follow(before, was, now);
        // The receiver was the lesser loaded, or they were equal. It is remembered iff it is so still.
        self.remembered = Some(if bins.load(now) <= bins.load(kept) { now } else { kept });
    }
}

/// Memory, n = 3, m = 9: the exact probabilities of maximum 3 and 4 (chain of sorted vectors with the load of
/// the remembered bin).
const MEMORY_LAW: [(u64, f64); 2] = [(3, 2468.0 / 6561.0), (4, 364.0 / 729.0)];

/// The largest deviation of a frequency from its probability, in standard deviations.
fn worst_deviation(maxima: &[u64]) -> f64 {
    let runs = maxima.len() as f64;
    MEMORY_LAW.iter().fold(0.0, |worst, &(max, p)| {
        let seen = maxima.iter().filter(|&&seen| seen == max).count() as f64;
        worst.max((seen - runs * p).abs() / (runs * p * (1.0 - p)).sqrt())
    })
}

#[test]
fn a_remembered_bin_keeps_its_identity_on_counted_bins() {
    let mut rng = rng_for_trial(11, 0);
    let (mut by_vector, mut by_counts, mut latest) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..200_000 {
        let mut loads = LoadVector::new(3).unwrap();
        Caching { remembered: None }.run(&mut loads, 9, &mut rng);
        by_vector.push(loads.max_load());

        let mut counted = LoadProfile::new(3).unwrap();
        Caching { remembered: None }.run(&mut counted, 9, &mut rng);
        by_counts.push(counted.max_load());

        // The twin: the bin that received is remembered, though it may be the fuller one.
        let mut counted = LoadProfile::new(3).unwrap();
        Latest(Caching { remembered: None }).run(&mut counted, 9, &mut rng);
        latest.push(counted.max_load());
    }
    // Two frequencies, each beyond 5.2 standard deviations with probability 2e-7.
    assert!(worst_deviation(&by_vector) < 5.2, "{}", worst_deviation(&by_vector));
    assert!(worst_deviation(&by_counts) < 5.2, "{}", worst_deviation(&by_counts));
    assert!(worst_deviation(&latest) > 5.2, "{}", worst_deviation(&latest));
}

/// Memory of the bin that received last.
struct Latest(Caching<CountedBin>);

impl Allocator<LoadProfile> for Latest {
    fn choose<R: Rng + ?Sized>(&mut self, bins: &LoadProfile, rng: &mut R) -> CountedBin {
        self.0.choose(bins, rng)
    }
    fn placed(&mut self, _: &LoadProfile, _: CountedBin, now: CountedBin) {
        self.0.remembered = Some(now);
    }
}

/// Twinning: two balls into a bin below the mean, else one (Los, Sauerwald and Sylvester 2022).
struct Twinning;

impl<B: Bins> Allocator<B> for Twinning {
    fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> B::Bin {
        bins.draw(rng)
    }
    fn put(&self, bins: &B, bin: B::Bin) -> Put {
        if bins.below_mean(bin) { Put::balls(2.try_into().unwrap()) } else { Put::BALL }
    }
}

#[test]
fn a_step_may_place_several_balls() {
    let mut loads = LoadVector::new(50).unwrap();
    let mut counted = LoadProfile::new(50).unwrap();
    let mut rng = rng_for_trial(12, 0);
    for balls in [1, 2, 7, 1000] {
        let before = loads.total();
        let placed = Twinning.run(&mut loads, balls, &mut rng);
        assert_eq!(loads.total() - before, placed);
        assert!((balls..=balls + 1).contains(&placed));
        Twinning.run(&mut counted, balls, &mut rng);
    }
    // One-Choice has standard deviation 4.5 here.
    assert!(loads.variance() < 9.0, "{}", loads.variance());
}

/// `n` bins of `D` dimensions in one allocation.
#[derive(Clone)]
struct MultiLoads {
    dimensions: usize,
    loads: Vec<u64>,
    draws: IndexSampler,
}

/// A ball of several dimensions: those it fills, by one each.
struct Filled(Vec<usize>);

/// Loads whose bins hold a vector. A ball sees a key of it.
trait Vectors: Bins<Bin = usize> {
    fn vector(&self, bin: usize) -> &[u64];
}

impl MultiLoads {
    fn new(bins: usize, dimensions: usize) -> Self {
        Self { dimensions, loads: vec![0; bins * dimensions], draws: IndexSampler::new(bins as u64).unwrap() }
    }
}

impl Vectors for MultiLoads {
    fn vector(&self, bin: usize) -> &[u64] {
        &self.loads[bin * self.dimensions..][..self.dimensions]
    }
}

impl Bins for MultiLoads {
    type Bin = usize;
    type Load = u64;
    type Places = IndexSampler;
    fn places(&self) -> &IndexSampler {
        &self.draws
    }
    fn nth(&self, place: u64) -> usize {
        place as usize
    }
    fn load(&self, bin: usize) -> u64 {
        self.vector(bin).iter().sum()
    }
    fn total(&self) -> u64 {
        self.loads.iter().sum()
    }
}

impl Place<Filled> for MultiLoads {
    fn put(&mut self, bin: usize, ball: &Filled, put: Put) -> usize {
        for dimension in (0..put.count()).flat_map(|_| &ball.0) {
            self.loads[bin * self.dimensions + dimension] += 1;
        }
        bin
    }
}

/// Loads as they were at the last end of a batch.
struct Batched<L, Ball> {
    live: L,
    seen: L,
    pending: Vec<(usize, Ball)>,
    batch: usize,
}

impl<L: Bins<Bin = usize> + Clone, Ball> Batched<L, Ball> {
    fn new(live: L, batch: usize) -> Self {
        Self { seen: live.clone(), live, pending: Vec::new(), batch }
    }
}

impl<L: Bins<Bin = usize>, Ball> Bins for Batched<L, Ball> {
    type Bin = usize;
    type Load = L::Load;
    type Places = L::Places;
    fn places(&self) -> &L::Places {
        self.seen.places()
    }
    fn nth(&self, place: u64) -> usize {
        self.seen.nth(place)
    }
    fn load(&self, bin: usize) -> L::Load {
        self.seen.load(bin)
    }
    fn total(&self) -> L::Load {
        self.seen.total()
    }
}

impl<L: Vectors, Ball> Vectors for Batched<L, Ball> {
    fn vector(&self, bin: usize) -> &[u64] {
        self.seen.vector(bin)
    }
}

impl<L: Place<Ball> + Bins<Bin = usize>, Ball> Batched<L, Ball> {
    fn add(&mut self, bin: usize, ball: Ball) {
        self.live.place(bin, &ball);
        self.pending.push((bin, ball));
        if self.pending.len() == self.batch {
            for (bin, ball) in self.pending.drain(..) {
                self.seen.place(bin, &ball);
            }
        }
    }
}

/// What one ball sees: the largest load among the dimensions it fills.
struct KeyView<'a, L> {
    loads: &'a L,
    ball: &'a Filled,
}

impl<L: Vectors<Load = u64>> Bins for KeyView<'_, L> {
    type Bin = usize;
    type Load = u64;
    type Places = L::Places;
    fn places(&self) -> &L::Places {
        self.loads.places()
    }
    fn nth(&self, place: u64) -> usize {
        self.loads.nth(place)
    }
    fn load(&self, bin: usize) -> u64 {
        let vector = self.loads.vector(bin);
        self.ball.0.iter().map(|&dimension| vector[dimension]).max().unwrap_or(0)
    }
    fn total(&self) -> u64 {
        self.loads.total()
    }
}

#[test]
fn a_rule_runs_unchanged_on_a_key_of_batched_vectors() {
    let (bins, dimensions, batch) = (50, 3, 7);
    let mut loads = Batched::new(MultiLoads::new(bins, dimensions), batch);
    let mut rng = rng_for_trial(13, 0);
    let mut rule = LeastOf(2);
    for ball in 0..10_000 {
        let ball = Filled(vec![ball % dimensions, (ball + 1) % dimensions]);
        let bin = rule.choose(&KeyView { loads: &loads, ball: &ball }, &mut rng);
        loads.add(bin, ball);
    }
    let heaviest = |loads: &MultiLoads| loads.loads.iter().copied().max().unwrap();
    let mean = 10_000.0 * 2.0 / (bins * dimensions) as f64;
    assert_eq!(loads.live.loads.iter().sum::<u64>(), 20_000);
    // What is seen lags by the batch that is not full: 10000 mod 7 = 4 balls.
    assert_eq!(loads.seen.loads.iter().sum::<u64>(), 20_000 - 2 * 4);
    assert!(heaviest(&loads.live) as f64 - mean < 10.0);
}

/// ℓ-threshold: accepts a sample while the bin has accepted fewer than ℓ (Feldheim and Gurel-Gurevich 2021).
struct Threshold {
    level: u64,
    accepted: bool,
}

impl<B: Counters> Allocator<B> for Threshold {
    fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> B::Bin {
        let [primary, secondary] = bins.draw_pair(rng);
        self.accepted = bins.counter(primary, 0) < self.level;
        if self.accepted { primary } else { secondary }
    }
    fn put(&self, _: &B, _: B::Bin) -> Put {
        if self.accepted { Put::BALL.counting(0) } else { Put::BALL }
    }
}

#[test]
fn the_loads_keep_the_counters_of_a_threshold_rule() {
    let mut bins = WithCounters::new(LoadVector::new(100).unwrap(), 1).unwrap();
    Threshold { level: 2, accepted: false }.run(&mut bins, 1000, &mut rng_for_trial(14, 0));
    // Ten samples a bin on average: every bin has had its two (short of one with probability below 1e-1).
    assert!((0..100).all(|bin| bins.counter(bin, 0) <= 2));
    assert!(bins.counter_total(0) > 190);
    assert_eq!(bins.loads().total(), 1000);
}

/// A boxed rule with memory must be told of placements and starts, in all its disguises.
#[test]
fn pointers_forward_everything() {
    let rule = Caching { remembered: None };
    let mut reference = LoadVector::new(40).unwrap();
    let mut rng = rng_for_trial(15, 0);
    rule.clone().start_and_run(&mut reference, 2000, &mut rng).unwrap();

    let mut borrowed = rule.clone();
    let boxes: Vec<Box<dyn DynAllocator + '_>> = vec![
        Box::new(rule.clone()),
        Box::new(Box::new(rule.clone())),
        Box::new(Box::new(rule.clone()) as Box<dyn DynAllocator + Send>),
        Box::new(&mut borrowed as &mut (dyn DynAllocator + Send + Sync)),
    ];
    for mut boxed in boxes {
        for by_step in [false, true] {
            let mut loads = LoadVector::new(40).unwrap();
            let mut rng = rng_for_trial(15, 0);
            boxed.start(&loads).unwrap();
            if by_step {
                for _ in 0..2000 {
                    boxed.step(&mut loads, &mut rng);
                }
            } else {
                assert_eq!(boxed.run(&mut loads, 2000, &mut rng), 2000);
            }
            assert_eq!(loads, reference);
        }
    }
}
