//! Histories and checkpoints leave a run as it is.

use bb_core::{Allocator, Bins, BinsExt, Decision, History, LoadVector, Put, Rng, rng_for_trial, run_with_checkpoints};

use crate::LeastOf;

/// The second sample where it is emptier, told as a decision.
struct Told;

impl<B: Bins> Allocator<B> for Told {
    fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> B::Bin {
        self.decide(bins, rng).bin
    }
    fn decide<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> Decision<B::Bin> {
        let [primary, second] = bins.draw_pair(rng);
        if bins.load(second) < bins.load(primary) {
            Decision { bin: second, primary, sample: 2 }
        } else {
            Decision::first(primary)
        }
    }
    fn put(&self, bins: &B, bin: B::Bin) -> Put {
        if bins.below_mean(bin) { Put::balls(3.try_into().unwrap()) } else { Put::BALL }
    }
}

#[test]
fn a_history_changes_nothing_and_replays() {
    let mut run = LoadVector::new(20).unwrap();
    let placed = Told.run(&mut run, 1000, &mut rng_for_trial(1, 0));
    let mut loads = LoadVector::new(20).unwrap();
    let mut history = History::new();
    let mut rng = rng_for_trial(1, 0);
    history.record(&mut Told, &mut loads, 600, &mut rng);
    history.record(&mut Told, &mut loads, placed - history.balls(), &mut rng);
    assert_eq!(loads, run);
    assert_eq!(history.balls(), placed);
    assert!(history.iter().any(|step| !step.decision.is_primary() && step.decision.bin != step.decision.primary));

    let mut again = LoadVector::new(20).unwrap();
    again.record_maximum();
    history.replay(&mut again);
    assert_eq!(again, run);
    assert_eq!(again.max_load_record().unwrap().balls(), placed);
}

#[test]
fn checkpoints_change_nothing() {
    let mut run = LoadVector::new(20).unwrap();
    LeastOf(2).run(&mut run, 1000, &mut rng_for_trial(1, 0));
    for at in [vec![], vec![0], vec![1000], vec![0, 1, 1, 0, 7, 500, 1000, 1001], vec![2000]] {
        let mut loads = LoadVector::new(20).unwrap();
        let mut seen = Vec::new();
        let look = |ball, loads: &LoadVector| {
            assert_eq!(loads.total(), ball);
            seen.push(ball);
        };
        run_with_checkpoints(&mut LeastOf(2), &mut loads, 1000, at.clone(), &mut rng_for_trial(1, 0), look);
        assert_eq!(loads, run);
        let mut expected: Vec<u64> = at.into_iter().filter(|&ball| ball <= 1000).collect();
        expected.sort_unstable();
        expected.dedup();
        assert_eq!(seen, expected);
    }
}

#[test]
fn a_step_may_pass_a_checkpoint() {
    let mut loads = LoadVector::new(2).unwrap();
    let mut seen = Vec::new();
    run_with_checkpoints(&mut Told, &mut loads, 50, 0..=50, &mut rng_for_trial(1, 0), |ball, loads| {
        seen.push(ball);
        assert!((ball..ball + 3).contains(&loads.total()));
    });
    assert_eq!(seen, (0..=50).collect::<Vec<_>>());
}
