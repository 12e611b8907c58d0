//! Tests of the public theory: against the tables, against the test kit's own solutions, against closed
//! forms, and against the rules.

mod allocation;
mod bounds;
mod exact;
mod fluid;
mod identities;
mod one_choice;
mod recurrence;
mod stationary;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bb_theory::allocation::RankLaw;
use bb_theory::fluid::{Comparison, Fluid};
use bb_theory::stationary::Profile;

/// The limit of the process that the tables call so.
fn named(process: &str) -> Fluid {
    let choice = |d| Fluid::d_choice(d).unwrap();
    let words: Vec<&str> = process.split("; ").collect();
    let value = || words[1].split_once('=').unwrap().1;
    match words[0] {
        "one-choice" => choice(1),
        "two-choice" => choice(2),
        "three-choice" => choice(3),
        "four-choice" => choice(4),
        "(1+beta)" => Fluid::one_plus_beta(value().parse().unwrap()).unwrap(),
        "quantile(1/2)" => Fluid::by_rank(RankLaw::quantile(0.5).unwrap()),
        "quantile(1/4;1/2)" => Fluid::by_rank(RankLaw::quantiles(&[0.25, 0.5]).unwrap()),
        "always-go-left" => Fluid::always_go_left(value().parse().unwrap()).unwrap(),
        "memory" => Fluid::caching(),
        "mean-thinning" => Fluid::mean_thinning(),
        "g-Bounded" => Fluid::comparison(Comparison::bounded(value().parse().unwrap())),
        "g-Myopic-Comp" => Fluid::comparison(Comparison::myopic(value().parse().unwrap())),
        "sigma-Noisy-Load" => Fluid::comparison(Comparison::noisy_load(value().parse().unwrap()).unwrap()),
        _ => panic!("unknown process {process}"),
    }
}

/// The stationary profile of the process that the tables call so: worked out once for all tests.
fn profile(process: &str) -> Arc<Profile> {
    static KNOWN: Mutex<BTreeMap<String, Arc<Profile>>> = Mutex::new(BTreeMap::new());
    if let Some(profile) = KNOWN.lock().unwrap().get(process) {
        return Arc::clone(profile);
    }
    let profile = Arc::new(Profile::new(&named(process)).unwrap());
    KNOWN.lock().unwrap().insert(process.to_owned(), Arc::clone(&profile));
    profile
}
