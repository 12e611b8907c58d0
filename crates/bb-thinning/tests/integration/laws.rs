//! The exact laws of the strategies that count, by two enumerations and by simulation on labelled and counted
//! bins.

use std::collections::BTreeMap;

use bb_core::{
    Allocator, Bins, Counters, LoadProfile, LoadVector, Metrics, Place, ProfileWithCounters, StartError, TrialRng,
    WithCounters,
};
use bb_testkit::BigRational;
use bb_testkit::engines::Samples;
use bb_testkit::exact::{Law, chain, ratio};
use bb_testkit::twin::{self, ScriptedBins};
use bb_thinning::{DThinning, Thinning, ThinningRelativeThreshold, ThinningStrategy, Threshold};

const SEED: u64 = 50;

/// Of every bin its load and its counters.
pub(crate) type State = Vec<(u64, Vec<u64>)>;

pub(crate) fn state<B: Counters<Load = u64>>(bins: &B) -> State {
    let counts = |bin| (0..bins.counters()).map(|which| bins.counter(bin, which)).collect();
    (0..bins.bins()).map(|place| bins.nth(place)).map(|bin| (bins.load(bin), counts(bin))).collect()
}

/// The chain of d-thinning by its definition: in round `j < d` a bin is accepted iff
/// `accepts(state, ball, bin, j)`, ball counted from 1; all samples are listed.
pub(crate) fn thinning_chain(
    start: &[u64],
    balls: u64,
    d: usize,
    accepts: impl Fn(&State, u64, usize, usize) -> bool,
) -> Law<State> {
    struct Step<'a> {
        state: &'a State,
        ball: u64,
        d: usize,
        accepts: &'a dyn Fn(&State, u64, usize, usize) -> bool,
    }
    fn samples(step: &Step<'_>, round: usize, before: &BigRational, next: &mut Vec<(BigRational, State)>) {
        for bin in 0..step.state.len() {
            let probability = before * ratio(1, step.state.len() as u64);
            let mut after = step.state.clone();
            after[bin].0 += 1;
            if round + 1 == step.d {
                next.push((probability, after));
            } else if (step.accepts)(step.state, step.ball, bin, round) {
                after[bin].1[round] += 1;
                next.push((probability, after));
            } else {
                samples(step, round + 1, &probability, next);
            }
        }
    }
    let initial: u64 = start.iter().sum();
    chain(start.iter().map(|&load| (load, vec![0; d - 1])).collect(), balls, |state: &State| {
        let ball = state.iter().map(|bin| bin.0).sum::<u64>() - initial + 1;
        let mut next = Vec::new();
        samples(&Step { state, ball, d, accepts: &accepts }, 0, &ratio(1, 1), &mut next);
        next
    })
}

pub(crate) fn max_law(law: &Law<State>) -> Law<u64> {
    law.map(|bins| bins.iter().map(|bin| bin.0).max().unwrap())
}

/// The real strategy on marked scripted bins.
pub(crate) fn by_twin<S>(start: &[u64], balls: u64, strategy: &S) -> Law<State>
where
    S: ThinningStrategy<WithCounters<ScriptedBins>> + Clone,
{
    let wrap = |bins| WithCounters::new(bins, strategy.counters()).unwrap();
    twin::law_on(&Thinning::new(strategy.clone()), start, balls, &[], wrap, |_, bins| state(bins))
}

/// From which maximum on its probabilities: numerators and denominator.
pub(crate) type Maxima = (u64, &'static [(u64, u64)]);

fn maxima((least, rows): Maxima) -> Law<u64> {
    (least..).zip(rows).map(|(max, &(num, den))| (ratio(num, den), max)).collect()
}

/// Maximum loads on both kinds of bins.
fn samples<S>(strategy: &S, n: u64, balls: u64) -> Samples<u64, 1>
where
    S: ThinningStrategy<WithCounters<LoadVector>> + ThinningStrategy<ProfileWithCounters> + Clone,
{
    let counters = strategy.counters();
    Samples::new(SEED, 40_000)
        .with("labelled", |rng| {
            let bins = WithCounters::new(LoadVector::new(n).unwrap(), counters).unwrap();
            [run(strategy, bins, balls, rng).unwrap().max_load()]
        })
        .with("counted", |rng| {
            let bins = ProfileWithCounters::new(LoadProfile::new(n).unwrap(), counters);
            [run(strategy, bins, balls, rng).unwrap().max_load()]
        })
}

fn run<B, S>(strategy: &S, mut bins: B, balls: u64, rng: &mut TrialRng) -> Result<B, StartError>
where
    B: Place,
    S: ThinningStrategy<B> + Clone,
{
    Thinning::new(strategy.clone()).start_and_run(&mut bins, balls, rng)?;
    Ok(bins)
}

/// Checks a strategy against the chain of its definition, the published maxima and samples; `other` is the
/// nearest wrong one.
fn check<S>(name: &str, (n, balls): (u64, u64), strategy: &S, other: &S, chain: &Law<State>, rows: Maxima)
where
    S: ThinningStrategy<WithCounters<ScriptedBins>>
        + ThinningStrategy<WithCounters<LoadVector>>
        + ThinningStrategy<ProfileWithCounters>
        + Clone,
{
    let rows = maxima(rows);
    assert_eq!(chain.total(), ratio(1, 1));
    assert_eq!(max_law(chain), rows, "{name}");
    assert_eq!(by_twin(&vec![0; n as usize], balls, strategy), *chain, "{name}");
    assert_ne!(max_law(&by_twin(&vec![0; n as usize], balls, other)), rows, "{name}");
    let law: BTreeMap<u64, f64> = rows.to_f64();
    samples(strategy, n, balls).assert_follow(name, &law);
    samples(other, n, balls).assert_rejects(name, &law);
}

/// (bins, balls, ℓ) and the law of the maximum, enumerated in rationals apart from this code.
const THRESHOLD: [((u64, u64, u64), Maxima); 5] = [
    ((2, 2, 1), (1, &[(3, 4), (1, 4)])),
    ((3, 3, 1), (1, &[(38, 81), (14, 27), (1, 81)])),
    ((4, 4, 1), (1, &[(567, 2048), (2781, 4096), (45, 1024), (1, 4096)])),
    ((4, 4, 2), (1, &[(3, 32), (873, 1024), (27, 512), (1, 1024)])),
    ((3, 6, 2), (2, &[(2258, 6561), (11416, 19683), (1448, 19683), (44, 19683), (1, 19683)])),
];

#[test]
fn the_threshold_has_its_law() {
    for ((n, balls, limit), rows) in THRESHOLD {
        let law = thinning_chain(&vec![0; n as usize], balls, 2, |bins, _, bin, _| bins[bin].1[0] < limit);
        let (strategy, other) = (Threshold::new(limit).unwrap(), Threshold::new(limit + 1).unwrap());
        check(&format!("threshold {limit}, n = {n}, {balls} balls"), (n, balls), &strategy, &other, &law, rows);
    }
}

/// As above.
pub(crate) const RELATIVE: [((u64, u64, u64), Maxima); 3] = [
    ((2, 4, 1), (2, &[(7, 16), (1, 2), (1, 16)])),
    ((2, 6, 1), (3, &[(51, 128), (63, 128), (13, 128), (1, 128)])),
    ((3, 6, 1), (2, &[(116, 729), (4724, 6561), (250, 2187), (14, 2187), (1, 6561)])),
];

/// With and without the clause of very low loads, which changes nothing from level bins.
#[test]
fn the_relative_threshold_has_its_law() {
    for ((n, balls, limit), rows) in RELATIVE {
        let below = |bins: &State, ball: u64, bin: usize| bins[bin].1[0] * n < limit * n + ball - 1;
        let law = thinning_chain(&vec![0; n as usize], balls, 2, |bins, ball, bin, _| below(bins, ball, bin));
        let with_clause = thinning_chain(&vec![0; n as usize], balls, 2, |bins, ball, bin, _| {
            let load = bins[bin].0 as f64 - (ball - 1) as f64 / n as f64;
            below(bins, ball, bin) || load < -(n as f64).ln()
        });
        assert_eq!(law, with_clause);
        let [strategy, other] = [0.0, 0.5].map(|more| ThinningRelativeThreshold::new(limit as f64 + more).unwrap());
        check(
            &format!("relative threshold {limit}, n = {n}, {balls} balls"),
            (n, balls),
            &strategy,
            &other,
            &law,
            rows,
        );
    }
}

/// The clause itself: a bin that starts far below is accepted whatever it has accepted. Limits that are no
/// integers are compared exactly.
#[test]
fn very_low_bins_are_accepted() {
    let start = [0, 9, 9];
    for limit in [0.5, 1.0, 4.0 / 3.0] {
        let strategy = ThinningRelativeThreshold::new(limit).unwrap();
        let clause = |bins: &State, clause: bool, ball: u64, bin: usize| {
            let load = bins[bin].0 as f64 - (18 + ball - 1) as f64 / 3.0;
            (bins[bin].1[0] as f64) < limit + (ball - 1) as f64 / 3.0 - 1e-9 || clause && load < -(3.0_f64.ln())
        };
        let law = |on| thinning_chain(&start, 4, 2, |bins, ball, bin, _| clause(bins, on, ball, bin));
        assert_eq!(by_twin(&start, 4, &strategy), law(true), "limit {limit}");
        assert_ne!(law(true), law(false));
    }
}

/// Real loads, differences from the mean that sum to 0: the same run as on the counts that they come from,
/// and on loads with other fractions.
#[test]
fn real_initial_loads_are_loads() {
    let strategy = ThinningRelativeThreshold::new(1.25).unwrap();
    let real = |loads: Vec<f64>| {
        let mut bins = WithCounters::new(LoadVector::from_normalised(loads).unwrap(), 1).unwrap();
        let mut rule = Thinning::new(strategy);
        rule.start_and_run(&mut bins, 300, &mut bb_core::rng_for_trial(SEED, 3)).unwrap();
        (bins.into_loads(), rule.rejections())
    };
    let mut counts = WithCounters::new(LoadVector::from_loads(vec![0, 30, 30]).unwrap(), 1).unwrap();
    let mut rule = Thinning::new(strategy);
    rule.start_and_run(&mut counts, 300, &mut bb_core::rng_for_trial(SEED, 3)).unwrap();
    let (bins, rejections) = real(vec![-20.0, 10.0, 10.0]);
    assert_eq!(rejections, rule.rejections());
    assert!((0..3).all(|bin| bins.load(bin) + 20.0 == counts.load(bin) as f64));
    // From level loads no clause helps the first bin: more are rejected.
    assert!(real(vec![0.5, -0.25, -0.25]).1 > rejections);
}

/// (bins, balls, d, ℓ), as above.
const D_THINNING: [((u64, u64, u32, u64), Maxima); 2] =
    [((2, 2, 3, 1), (1, &[(3, 4), (1, 4)])), ((3, 3, 3, 1), (1, &[(116, 243), (14, 27), (1, 243)]))];

#[test]
fn d_thinning_has_its_law() {
    for ((n, balls, d, limit), rows) in D_THINNING {
        let law =
            thinning_chain(&vec![0; n as usize], balls, d as usize, |bins, _, bin, round| bins[bin].1[round] < limit);
        let [strategy, other] = [limit, limit + 1].map(|limit| DThinning::new(d, limit).unwrap());
        check(&format!("{d}-thinning {limit}, n = {n}, {balls} balls"), (n, balls), &strategy, &other, &law, rows);
    }
    // Two samples are the threshold, draw for draw.
    let run_with = |counted: &mut WithCounters<LoadVector>,
                    mut rule: Box<dyn bb_core::DynAllocator<WithCounters<LoadVector>>>| {
        rule.start_and_run(counted, 500, &mut bb_core::rng_for_trial(SEED, 1)).unwrap();
        state(counted)
    };
    let bins = || WithCounters::new(LoadVector::new(100).unwrap(), 1).unwrap();
    let by_rounds = run_with(&mut bins(), Box::new(Thinning::new(DThinning::new(2, 4).unwrap())));
    assert_eq!(by_rounds, run_with(&mut bins(), Box::new(Thinning::new(Threshold::new(4).unwrap()))));
}

/// At one ball a bin, a share `E(Poisson(1) − ℓ)⁺` of the balls is rejected: within 5 standard errors.
#[test]
fn the_share_of_rejections_is_that_of_poisson_counts() {
    let n = 1 << 20;
    for (limit, share) in [(1, 0.36788), (2, 0.10364), (3, 0.02334), (4, 0.00435)] {
        let mut rule = Thinning::new(Threshold::new(limit).unwrap());
        let mut bins = WithCounters::new(LoadVector::new(n).unwrap(), 1).unwrap();
        rule.start_and_run(&mut bins, n, &mut bb_core::rng_for_trial(SEED, 2)).unwrap();
        let found = rule.rejections() as f64 / n as f64;
        // The number of rejections has a variance below that of as many independent balls; five digits are
        // given.
        let error = (share / n as f64).sqrt();
        assert!((found - share).abs() < 5.0 * error + 5e-6, "limit {limit}: {found}");
        assert!((found - share * 1.2).abs() > 5.0 * error + 5e-6, "twin");
        assert_eq!(rule.rejections(), n - bins.counter_total(0));
    }
}
