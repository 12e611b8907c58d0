//! Fixed outputs for a fixed seed. A change here is value-breaking and belongs in the changelog.

use bb_core::{Bins, LoadVector, Metrics, RankedVector, WithCounters, rng_for_trial};

use crate::same_path::{Entry, Labelled, strategies};

/// A sum over bins that tells their loads apart, largest load, rejections; for the plain and the coupled
/// mode.
type Values = [u64; 4];

/// Twenty bins, of which some are heavy already.
fn uneven(counters: u8) -> Labelled {
    let loads = LoadVector::from_loads((0..20).map(|bin| bin % 4).collect()).unwrap();
    WithCounters::new(RankedVector::from(loads), counters).unwrap()
}

fn values(entry: Entry) -> (&'static str, Values) {
    let digest = |bins: &Labelled| {
        (0..bins.bins()).fold(0_u64, |sum, bin| sum.wrapping_mul(31).wrapping_add(bins.load(bin as usize))) % 1_000_003
    };
    let Entry { name, counters, labelled: mut rule, mut coupled, .. } = entry;
    let mut bins = uneven(counters);
    rule.dyn_start(&bins).unwrap();
    rule.dyn_run(&mut bins, 400, &mut rng_for_trial(150, 0));
    let mut other = uneven(counters);
    coupled.dyn_start(&other).unwrap();
    coupled.dyn_run(&mut other, 400, &mut rng_for_trial(0, 0));
    (name, [digest(&bins), bins.max_load(), rule.rejections(), digest(&other)])
}

const VALUES: [(&str, Values); 20] = [
    ("always", [422485, 28, 0, 74724]),
    ("never", [76006, 29, 400, 115592]),
    ("threshold", [434278, 27, 340, 816686]),
    ("relative threshold", [735128, 27, 46, 923714]),
    ("3-thinning", [859400, 29, 680, 862036]),
    ("mean-thinning", [279951, 23, 218, 549546]),
    ("thinning by load", [204985, 28, 540, 401923]),
    ("relative threshold by load", [672241, 24, 99, 908145]),
    ("quantile", [858363, 23, 119, 719183]),
    ("drift", [365535, 26, 91, 176474]),
    ("drift, discrete", [785, 24, 98, 553945]),
    ("drift, most", [155469, 26, 307, 388307]),
    ("varying drift", [568955, 24, 86, 693851]),
    ("varying drift that fails", [730914, 31, 0, 74724]),
    ("multi-stage", [171126, 29, 14, 365002]),
    ("multi-stage, H_0 kept", [31971, 30, 34, 488078]),
    ("drift-multi-stage", [368376, 32, 31, 61740]),
    ("multi-scale", [756706, 26, 24, 624183]),
    ("long-term", [284365, 28, 46, 82129]),
    ("cycle", [661700, 25, 162, 699981]),
];

#[test]
fn outputs_for_a_seed_stay() {
    let found: Vec<_> = strategies().into_iter().map(values).collect();
    assert_eq!(found, VALUES);
}
