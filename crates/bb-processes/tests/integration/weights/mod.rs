//! Balls with weights.

mod bounds;
mod exact;
mod laws;
mod noise;
mod same_path;
mod stationary;
mod sums;

use bb_processes::WeightLaw;

/// Every named law.
fn laws() -> Vec<(&'static str, WeightLaw)> {
    vec![
        ("constant", WeightLaw::constant()),
        ("uniform12", WeightLaw::uniform12()),
        ("exp", WeightLaw::exponential()),
        ("geometric", WeightLaw::geometric(0.3).unwrap()),
        ("pareto", WeightLaw::pareto(5.0).unwrap()),
        ("lognormal", WeightLaw::log_normal(0.5).unwrap()),
        ("empirical", WeightLaw::empirical(vec![0.0, 1.0, 1.0, 5.0]).unwrap()),
    ]
}
