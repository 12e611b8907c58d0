//! Mistakes that have been made with these strategies: each as a strategy of its own, which the tests of the
//! right one must reject.

use bb_core::rand::RngExt;
use bb_core::{
    Allocator, Bins, Counters, LoadVector, Mix, Put, RankedVector, Rng, StartError, WithCounters, rng_for_trial,
};
use bb_testkit::exact::{Law, ratio};
use bb_testkit::stats::binomial;
use bb_thinning::{MultiStage, Strategy, Thinning, ThinningStrategy};

use crate::drift::SECOND_BALL;
use crate::laws::{RELATIVE, by_twin, max_law};
use crate::multi_stage::{CASES, Rule, naive};

/// A threshold on accepted primaries that goes wrong in one way.
#[derive(Clone)]
struct Wrong {
    /// Accepted if `n·p < slack + n·ℓ + relative·(k − 1)`.
    limit: u64,
    relative: u64,
    slack: u64,
    /// Accepted too if the load is below this.
    exempt: f64,
    balls: u64,
}

impl Strategy for Wrong {
    fn counters(&self) -> u8 {
        1
    }
}

impl<B: Counters<Load = u64>> ThinningStrategy<B> for Wrong {
    fn check(&self, bins: &B) -> Result<(), StartError> {
        bins.check_counters(1)
    }
    fn accept(&self, bins: &B, bin: B::Bin, _: u32) -> Mix<bool> {
        let n = bins.bins();
        let below = bins.counter(bin, 0) * n < self.slack + self.limit * n + self.relative * self.balls;
        let load = bins.load(bin) as f64 - bins.total() as f64 / n as f64;
        Mix::Sure(below || load < self.exempt)
    }
    fn put(&self, _: &B, _: B::Bin, sample: u32) -> Put {
        if sample == 1 { Put::BALL.counting(0) } else { Put::BALL }
    }
    fn placed(&mut self, _: &B, _: B::Bin, _: B::Bin, _: u32) {
        self.balls += 1;
    }
}

/// A level from which on nothing is exempt.
const NEVER: f64 = f64::NEG_INFINITY;

fn rows(place: usize) -> ((u64, u64, u64), Law<u64>) {
    let (parameters, (least, rows)) = RELATIVE[place];
    (parameters, (least..).zip(rows).map(|(max, &(num, den))| (ratio(num, den), max)).collect())
}

fn law_of(n: u64, balls: u64, wrong: Wrong) -> Law<u64> {
    max_law(&by_twin(&vec![0; n as usize], balls, &wrong))
}

/// The exempt loads are those below `−ln n`, not `+ln n`; ball `k` adds `(k − 1)/n`, not `k/n`.
#[test]
fn the_relative_threshold_with_a_sign_or_an_index_wrong_is_rejected() {
    let mut noticed = [0; 2];
    for place in 0..RELATIVE.len() {
        let ((n, balls, limit), expected) = rows(place);
        let right = Wrong { limit, relative: 1, slack: 0, exempt: -(n as f64).ln(), balls: 0 };
        assert_eq!(law_of(n, balls, right.clone()), expected);
        let sign = Wrong { exempt: (n as f64).ln(), ..right.clone() };
        let index = Wrong { slack: 1, ..right };
        for (noticed, wrong) in noticed.iter_mut().zip([sign, index]) {
            *noticed += usize::from(law_of(n, balls, wrong) != expected);
        }
    }
    assert!(noticed[0] >= 1 && noticed[1] >= 2, "rows of the table that notice: {noticed:?}");
}

/// A bin that has accepted `ℓ` is rejected.
#[test]
fn a_threshold_that_is_not_strict_is_rejected() {
    let expected: Law<u64> = [(ratio(3, 4), 1), (ratio(1, 4), 2)].into_iter().collect();
    let right = Wrong { limit: 1, relative: 0, slack: 0, exempt: NEVER, balls: 0 };
    assert_eq!(law_of(2, 2, right.clone()), expected);
    // p ≤ ℓ is p < ℓ + 1.
    assert_ne!(law_of(2, 2, Wrong { limit: 2, ..right }), expected);
}

/// Without the leading `β` the exponents of the times rise with the stage, and its ends fall. Without `H_0`
/// the law is another.
#[test]
fn multi_stage_with_its_times_reversed_or_without_h0_is_rejected() {
    let (log, time, k) = (1e6_f64.ln(), 14.0_f64, 3_u32);
    let beta = time.ln() / log.ln();
    let epsilon = (beta - 0.5) / f64::from(k + 1);
    let ends = |exponent: &dyn Fn(u32) -> f64| -> Vec<f64> {
        (1..k).map(|i| (time - log.powf(exponent(i))).floor()).chain([time]).collect()
    };
    let right = ends(&|i| beta - f64::from(i) * epsilon);
    assert_eq!(MultiStage::with_stages(1e6, time, k, 0.0).unwrap().ends(), right);
    let reversed = ends(&|i| f64::from(i) * epsilon);
    assert_eq!(MultiStage::new(&reversed, 0.0, 5.0).unwrap_err().parameter(), "stages");

    let mut noticed = 0;
    for case in CASES {
        let right = naive(&case, Rule::Right);
        noticed += usize::from(naive(&case, Rule::WithoutH0) != right);
    }
    assert!(noticed > 0);
}

/// A drift whose clock and classes come from points of its own, simulated apart from the balls.
#[derive(Clone)]
struct Apart {
    theta: f64,
    points: Vec<u64>,
    time: f64,
    low: Vec<bool>,
}

impl Strategy for Apart {
    fn is_randomised(&self) -> bool {
        true
    }
}

impl<B: Bins<Bin = usize>> ThinningStrategy<B> for Apart {
    fn begin(&mut self, bins: &B) {
        self.points = vec![0; bins.bins() as usize];
        self.time = 0.0;
    }
    fn next_ball<R: Rng + ?Sized>(&mut self, _: &B, rng: &mut R) {
        // Small steps of time: good enough for what is wrong in any case.
        loop {
            self.time += 1e-3;
            self.low = self.points.iter().map(|&points| (points as f64) < self.time).collect();
            let rate = |low: bool| if low { 1.0 + self.theta } else { 1.0 - self.theta };
            let mut hit = None;
            for (bin, &low) in self.low.iter().enumerate() {
                if rng.random_bool(rate(low) * 1e-3) {
                    hit = Some(bin);
                }
            }
            if let Some(bin) = hit {
                self.points[bin] += 1;
                return;
            }
        }
    }
    fn accept(&self, _: &B, bin: usize, _: u32) -> Mix<bool> {
        let low = self.low.iter().filter(|&&low| low).count();
        if low == 0 || self.low[bin] {
            return Mix::Sure(true);
        }
        let mean = 1.0 - self.theta + 2.0 * self.theta * low as f64 / self.low.len() as f64;
        let coin = bb_core::Coin::new("a", 1.0 - 2.0 * self.theta / mean).unwrap();
        Mix::Coin { coin, heads: true, tails: false }
    }
}

#[test]
fn a_drift_that_does_not_see_the_loads_is_rejected() {
    let mut rng = rng_for_trial(60, 0);
    let runs = 20_000;
    let mut same = 0;
    for _ in 0..runs {
        let mut rule = Thinning::new(Apart { theta: 0.2, points: Vec::new(), time: 0.0, low: Vec::new() });
        let mut bins = RankedVector::from(LoadVector::new(2).unwrap());
        rule.start_and_run(&mut bins, 2, &mut rng).unwrap();
        same += u64::from(bins.load(0) != 1);
    }
    binomial(same, runs, SECOND_BALL).assert_rejects("a clock of points simulated apart", 60);
}

/// What counts is the first ball of a new stage: a rule that does not begin afresh reads the counters of
/// before.
#[test]
fn counters_that_do_not_begin_afresh_are_noticed() {
    let mut bins = WithCounters::new(LoadVector::new(2).unwrap(), 1).unwrap();
    let stale = Wrong { limit: 1, relative: 0, slack: 0, exempt: NEVER, balls: 0 };
    Thinning::new(stale.clone()).run(&mut bins, 10, &mut rng_for_trial(61, 0));
    let refused = Thinning::new(stale).start(&bins);
    assert!(matches!(refused, Err(StartError::CounterInUse { which: 0, .. })));
}
