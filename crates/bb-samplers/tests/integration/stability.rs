//! Fixed outputs for a fixed seed, one case for each path through the code.
//!
//! A change of these numbers is a value-breaking change.

use bb_samplers::{Binomial, Hypergeometric, Multinomial, multinomial, multivariate_hypergeometric_into};
use rand::SeedableRng;
use rand::distr::Distribution;
use rand_pcg::Pcg64Mcg;

fn five(law: impl Distribution<u64>) -> [u64; 5] {
    let mut rng = Pcg64Mcg::seed_from_u64(0x7374_6162);
    std::array::from_fn(|_| law.sample(&mut rng))
}

#[test]
fn value_stability() {
    let urn = |total, marked, draws| five(Hypergeometric::new(total, marked, draws).unwrap());
    let coin = |trials, p| five(Binomial::new(trials, p).unwrap());
    let ratio = |trials, a, b| five(Binomial::from_ratio(trials, a, b).unwrap());
    let found = [
        ("urn, certain", urn(10, 10, 4)),
        ("urn, product form", urn(52, 13, 5)),
        ("urn, unmarked are fewer", urn(52, 39, 5)),
        ("urn, left are fewer", urn(52, 13, 47)),
        ("urn, both are fewer", urn(52, 39, 47)),
        ("urn, inversion by logarithms", urn(10_000_000, 30_000, 3162)),
        ("urn, inversion near P(0) = 1", urn(1 << 62, 1 << 30, 1 << 31)),
        ("urn, rejection", urn(1000, 500, 300)),
        ("urn, rejection, mirrored", urn(1000, 300, 700)),
        ("urn, rejection, long steps", urn(146, 73, 73)),
        ("urn, rejection by blocks", urn(1 << 62, 1 << 61, 1 << 61)),
        ("coin, inversion", coin(100, 0.05)),
        ("coin, rejection", coin(1000, 0.3)),
        ("coin, mirrored", coin(1000, 0.7)),
        ("coin, rejection by blocks", coin(1 << 62, 0.4)),
        ("ratio, rejection", ratio(1000, 1, 3)),
        ("ratio, rejection by blocks", ratio(1 << 62, 2, 3)),
    ];
    let expected = [
        ("urn, certain", [4, 4, 4, 4, 4]),
        ("urn, product form", [1, 1, 1, 1, 3]),
        ("urn, unmarked are fewer", [4, 4, 4, 4, 2]),
        ("urn, left are fewer", [12, 12, 12, 12, 10]),
        ("urn, both are fewer", [35, 35, 35, 35, 37]),
        ("urn, inversion by logarithms", [8, 7, 10, 9, 14]),
        ("urn, inversion near P(0) = 1", [0, 0, 0, 0, 2]),
        ("urn, rejection", [141, 163, 152, 150, 151]),
        ("urn, rejection, mirrored", [218, 198, 208, 210, 209]),
        ("urn, rejection, long steps", [42, 37, 37, 37, 32]),
        (
            "urn, rejection by blocks",
            [1152921503983318388, 1152921503585755842, 1152921504622327786, 1152921504911461778, 1152921504403739861],
        ),
        ("coin, inversion", [4, 3, 5, 4, 8]),
        ("coin, rejection", [283, 326, 304, 300, 302]),
        ("coin, mirrored", [717, 674, 696, 700, 698]),
        (
            "coin, rejection by blocks",
            [1844674406149214068, 1844674405369707714, 1844674407401378282, 1844674407967860626, 1844674406972813013],
        ),
        ("ratio, rejection", [316, 360, 337, 334, 336]),
        (
            "ratio, rejection by blocks",
            [3074457346793862540, 3074457347543746622, 3074457345589146390, 3074457345043897710, 3074457346001196587],
        ),
    ];
    for (found, expected) in found.into_iter().zip(expected) {
        assert_eq!(found, expected);
    }
}

#[test]
fn value_stability_of_splits() {
    let rng = &mut Pcg64Mcg::seed_from_u64(0x7370_6c69);
    let mut out = [0; 4];
    multivariate_hypergeometric_into(&[1 << 40, 7, 0, 1 << 30], 1 << 20, rng, &mut out).unwrap();
    let urn = out;
    out = [0; 4];
    multinomial(&[5, 1, 0, 3], 1 << 40, rng, |i, part| out[i] = part).unwrap();
    let integers = out;
    Multinomial::new(&[0.5, 0.1, 0.0, 0.3]).unwrap().split_into(1 << 40, rng, &mut out).unwrap();
    assert_eq!(
        [urn, integers, out],
        [
            [1047590, 0, 0, 986],
            [610839183375, 122168316661, 0, 366504127740],
            [610840608259, 122168125766, 0, 366502893751],
        ]
    );
}
