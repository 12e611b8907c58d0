//! Rules with a bounded memory, by name and not.

use bb_core::{Allocator, DynamicLoads, LoadVector, Metrics, rng_for_trial};
use bb_experiment::{Delay, Engine, Experiment, ExperimentError, Kind, Process, Report, Reports, Setting, rules};
use bb_memory::{
    Bounded, Budget, HeavyList, JoinIdleQueue, Layout, Overflow, Policy, Probing, QueueOrder, ResetMemory,
};
use bb_processes::{OneChoice, Supermarket, System};

fn run(experiment: &Experiment, name: &str) -> Result<Report, ExperimentError> {
    experiment.run_spec(&name.parse().unwrap())
}

/// The straight loops that an experiment stands for.
#[test]
fn an_experiment_is_a_loop() {
    let experiment = Experiment::new(500, 1500).with_seed(4).with_epsilon(0.5);
    let mut rule = Bounded::new(HeavyList::fill(500, Budget::bits(300).unwrap()).unwrap());
    let mut loads = LoadVector::new(500).unwrap();
    rule.start_and_run(&mut loads, 1500, &mut rng_for_trial(4, 0)).unwrap();
    let (report, memory) = (run(&experiment, "heavy-list:bits=300").unwrap(), rule.report());
    assert_eq!((report.gap().max(), report.all_time_gap().max()), (Some(loads.gap()), Some(loads.all_time_gap())));
    assert_eq!((report.bits(), report.is_certified()), (Some(300), Some(true)));
    assert_eq!(report.state_changes().unwrap().max(), Some(memory.state_changes()));
    assert_eq!(report.overflow().unwrap().max(), Some(0));
    assert!(report.typical_gap().is_some() && report.sample_count().is_none() && report.engine() == Engine::Vector);
    assert_eq!(
        run(&Experiment::new(500, 0).with_rounds(1500).with_seed(4), "heavy-list:bits=300").unwrap().gap(),
        report.gap()
    );

    let mut rule = Probing::new(500, ResetMemory::new(5).unwrap()).unwrap();
    let mut loads = LoadVector::new(500).unwrap();
    rule.start_and_run(&mut loads, 1500, &mut rng_for_trial(4, 0)).unwrap();
    let report = run(&experiment, "reset-memory:q=5").unwrap();
    assert_eq!((report.gap().max(), report.bits()), (Some(loads.gap()), Some(rule.report().budget().get())));
    assert_eq!(report.sample_count().unwrap().max(), Some(rule.report().sample_count().unwrap() as f64 / 1500.0));

    let queue = JoinIdleQueue::new(50, 7, QueueOrder::Lifo).unwrap();
    let mut system = Supermarket::new(0.8, 1).unwrap().with_rule(queue);
    let mut rng = rng_for_trial(1, 0);
    let thrown = OneChoice::final_loads(50, 20, &mut rng).unwrap();
    let mut loads = DynamicLoads::from_loads(thrown.to_vec()).unwrap();
    system.start(&loads).unwrap();
    system.run(&mut loads, 30, &mut rng);
    let report = run(&Experiment::new(50, 20).with_rounds(30), "join-idle-queue:c=7,order=lifo,lambda=0.8").unwrap();
    assert_eq!((report.gap().max(), report.bits()), (Some(loads.gap()), Some(system.rule().report().budget().get())));
    assert_eq!(report.overflow().unwrap().max(), Some(system.rule().dropped()));
}

/// A list that drops heavy bins is not certified, and the trial where it did so says so.
#[test]
fn what_is_not_certified_is_told() {
    let layout = Layout::new(500, Budget::bits(60).unwrap(), bb_memory::Format::Naive, 8).unwrap();
    let list = HeavyList::new(layout, Policy::Fixed(1.0)).unwrap().with_overflow(Overflow::KeepHeaviest);
    let report = Experiment::new(500, 500)
        .with_trials(4)
        .run(&Process::memory("mine", Bounded::new(list), Bounded::report))
        .unwrap();
    assert_eq!(report.is_certified(), Some(false));
    assert!(report.overflow().unwrap().min() > Some(0));
    let name = "heavy-list:bits=60,format=naive,policy=fixed,T=1,overflow=keep-heaviest";
    let named = run(&Experiment::new(500, 500).with_trials(4), name).unwrap();
    assert_eq!((named.gap(), named.overflow()), (report.gap(), report.overflow()));
    let json = report.to_json();
    assert!(
        json.contains(r#""bits":60,"state_changes":{"mean":"#) && json.contains(r#""certified":false,"overflow":{"#)
    );
    for text in [report.to_string(), report.to_csv()] {
        assert!(["bits", "state_changes", "certified", "overflow"].iter().all(|word| text.contains(word)), "{text}");
    }
}

/// What parameters change.
fn figures(name: &str) -> (Option<f64>, Option<f64>, Option<u64>, Option<f64>) {
    let report = run(&Experiment::new(200, 800).with_trials(6), name).unwrap();
    (report.gap().mean(), report.min_gap().mean(), report.bits(), report.state_changes().unwrap().mean())
}

#[test]
fn parameters_reach_the_memory() {
    for (one, other) in [
        ("no-memory:take=first", "no-memory:take=left"),
        ("no-memory:take=first", "no-memory:take=coin"),
        ("heavy-list:delta=0.25", "heavy-list:delta=0.1"),
        ("heavy-list:bits=100", "heavy-list:bits=300"),
        ("heavy-list:policy=fill", "heavy-list:policy=raise"),
        ("heavy-list:policy=raise", "heavy-list:policy=tail"),
        ("heavy-list:bits=900,policy=fixed,T=4", "heavy-list:bits=900,policy=fixed,T=5"),
        ("heavy-list:format=elias-fano", "heavy-list:format=naive"),
        ("heavy-list:format=naive", "heavy-list:format=flat"),
        ("heavy-list:bits=200,format=flat", "heavy-list:bits=200,format=layered"),
        ("heavy-list:bits=200,format=joint", "heavy-list:bits=200,format=layered"),
        ("heavy-list:light=first", "heavy-list:light=left"),
        ("heavy-list:bits=900,ties=first", "heavy-list:bits=900,ties=coin"),
        ("heavy-list:policy=tail,light=first,delta=0", "heavy-list:policy=tail,light=left,delta=0"),
        ("heavy-set:bits=900,T=4", "heavy-list:bits=900,policy=fixed,T=4"),
        ("heavy-set:bits=900,T=4", "heavy-set:bits=900,T=5"),
        ("heavy-set:bits=50,T=4,overflow=empty", "heavy-set:bits=50,T=4"),
        ("epoch:q=2", "epoch:q=50"),
        ("epoch:bits=100", "epoch:bits=300"),
        ("idle-hint:bits=100", "idle-hint:bits=300"),
        ("idle-hint:bits=300,c=4", "idle-hint:bits=300"),
        ("threshold-bit:theta=3", "threshold-bit:theta=5"),
        ("threshold-bit:theta=5,d=2", "threshold-bit:theta=5,d=3"),
        ("threshold-bit:ties=first", "threshold-bit:ties=left"),
        ("thresholds:thetas=3/5", "thresholds:thetas=3/6"),
        ("saturating:b=2", "saturating:b=3"),
        ("saturating:b=2,d=2", "saturating:b=2,d=3"),
        ("saturating:b=2", "saturating:b=2,base=relative"),
        ("saturating:ties=first", "saturating:ties=coin"),
        ("morris:b=3", "morris:b=4"),
        ("morris:a=1.5", "morris:a=2"),
        ("clusters:k=100", "clusters:k=50"),
        ("clusters:b=8", "clusters:b=2"),
        ("clusters:kind=equal", "clusters:kind=asymmetric"),
        ("clusters:kind=equal", "clusters:kind=adaptive"),
        ("clusters:b=2,kind=adaptive", "clusters:b=2,kind=splitting"),
        ("clusters:k=70,kind=equal", "clusters:k=70,kind=density"),
        ("clusters:ties=first", "clusters:ties=left"),
        ("window:k=2", "window:k=4"),
        ("window:s=20", "window:s=40"),
        ("window:gamma=0.2", "window:gamma=0.5"),
        ("reset-memory:q=2", "reset-memory:q=4"),
        ("reset-memory:remember=lightest", "reset-memory:remember=recent"),
    ] {
        assert_ne!(figures(one), figures(other), "{one} {other}");
    }
}

#[test]
fn parameters_may_name_the_same_memory() {
    for (one, other) in [
        ("heavy-list:delta=0.5", "heavy-list:bits=14"),
        ("epoch:q=1", "heavy-list"),
        ("threshold-bit:theta=3", "thresholds:thetas=3"),
        ("threshold-bit:theta=1", "saturating:b=1"),
        ("clusters", "clusters:k=50"),
        ("clusters:k=n", "clusters:k=200"),
        ("window:s=n/4", "window:s=50"),
        ("idle-hint:c=n", "idle-hint:c=200"),
    ] {
        assert_eq!(figures(one), figures(other), "{one} {other}");
    }
}

#[test]
fn parameters_reach_the_queue() {
    let max = |name| run(&Experiment::new(200, 0).with_rounds(50).with_trials(20), name).unwrap().max_load().mean();
    assert!(max("join-idle-queue:c=1") > max("join-idle-queue:c=100"));
    assert!(max("join-idle-queue:lambda=0.95") > max("join-idle-queue:lambda=0.5"));
    assert_ne!(max("join-idle-queue:order=fifo"), max("join-idle-queue:order=pool"));
}

#[test]
fn bad_numbers_are_refused_by_name() {
    let message = |name: &str| run(&Experiment::new(100, 100), name).unwrap_err().to_string();
    for (name, expected) in [
        ("no-memory:take=second", "take = second is outside first, left, coin"),
        ("heavy-list:delta=1.5", "delta = 1.5 is outside [0, 1]"),
        ("heavy-list:delta=0.5,bits=9", "delta = 0.5 is outside what bits leaves open: it is the budget"),
        ("heavy-list:bits=2^37", "bits = 137438953472 is outside 0..=2^36"),
        ("heavy-list:bits=n", "bits = n is outside n^(1-delta), 0..=2^36"),
        ("heavy-list:T=4", "T = 4 is outside what the policy leaves open: it chooses the threshold"),
        ("heavy-list:policy=fixed,T=-1", "T = -1 is outside 0..=2^32"),
        ("heavy-list:overflow=fill", "overflow = fill is outside what the policy leaves open: the list always fits"),
        ("heavy-list:policy=grow", "policy = grow is outside fill, raise, fixed, tail"),
        ("epoch:q=0", "q = 0 is outside 1.."),
        ("idle-hint:c=0", "c = 0 is outside 1.."),
        ("threshold-bit:theta=0", "theta = 0 is outside 1..2^64"),
        ("threshold-bit:d=0", "d = 0 is outside 1..=2^16"),
        (
            "thresholds:thetas=3/3",
            "thetas = [3, 3] is outside the strictly increasing lists of numbers above 0, not empty",
        ),
        ("saturating:b=0", "b = 0 is outside 1..=32"),
        ("saturating:b=33", "b = 33 is outside 1..=32"),
        ("saturating:base=relative,d=3", "d = 3 is outside 2, with a relative base"),
        ("saturating:base=relative,ties=coin", "ties = coin is outside first, with a relative base"),
        ("morris:a=1", "a = 1.0 is outside (1, inf)"),
        ("clusters:k=101", "K = 101 is outside 1..=100, the number of bins"),
        ("clusters:k=n/0", "k = n/0 is outside n, n/2, …, 1..=n"),
        ("clusters:k=1,kind=asymmetric", "K = 1 is outside 2..=100, the number of bins"),
        ("clusters:kind=adaptive,ties=coin", "ties = coin is outside first, unless clusters are equal"),
        ("window:s=0", "s = 0 is outside 1..=100, the number of bins"),
        ("window:gamma=1", "gamma = 1.0 is outside [0, 1)"),
        ("reset-memory:q=0", "q = 0 is outside 1.."),
    ] {
        assert_eq!(message(name), expected, "{name}");
    }
    let small = run(&Experiment::new(1 << 16, 10), "heavy-list:bits=16").unwrap_err().to_string();
    assert_eq!(small, "bits = 16 is outside 20.., what one entry takes");
    let error = run(&Experiment::new(2, 10), "heavy-list").unwrap_err().to_string();
    assert!(error.starts_with("n = 2 is outside 3.."), "{error}");
}

/// Memory is written from the loads as they are, bin by bin.
#[test]
fn what_makes_no_sense_is_refused_by_name() {
    let experiment = Experiment::new(20, 100);
    for info in rules().iter().filter(|info| info.kind == Kind::Memory) {
        let message = |experiment: Experiment| run(&experiment, info.name).unwrap_err().to_string();
        let batched = message(experiment.clone().with_setting(Setting::Batched(5)));
        assert_eq!(batched, format!("batch 5 is given, and {} is for fresh loads alone", info.name));
        let late = Setting::Delayed(Delay { tau: 5, reports: Reports::Stale });
        assert!(message(experiment.clone().with_setting(late)).starts_with("delay 5:stale is given"));
        for engine in [Engine::Profile, Engine::Bulk] {
            let expected = format!("engine = {engine} is outside vector, auto, which run {} on fresh loads", info.name);
            assert_eq!(message(experiment.clone().with_engine(engine)), expected);
        }
        let fresh = Setting::Delayed(Delay { tau: 5, reports: Reports::Fresh });
        assert!(run(&experiment.clone().with_setting(fresh), info.name).is_ok());
    }
    let message = |experiment: Experiment| run(&experiment, "join-idle-queue").unwrap_err().to_string();
    assert_eq!(message(experiment.clone()), "rounds are not given, and join-idle-queue is a system, driven by them");
    let rounds = experiment.with_rounds(3);
    assert!(
        message(rounds.clone().with_setting(Setting::Batched(5)))
            .contains("batch 5 is given, and join-idle-queue is a system")
    );
    assert_eq!(
        message(rounds.with_engine(Engine::Profile)),
        "engine = profile is outside vector, auto, which run join-idle-queue on fresh loads"
    );
}
