//! Counters and bits, for each bin or for several.

use bb_core::ParameterError;
use bb_memory::{
    AdaptiveClusters, ApproximateCounters, ClockHand, ClusterCount, Compare, RelativeCounters, SaturatingCounters,
    SplittingClusters, Thresholds, TieRule,
};

use super::{BM, D, Entry, Parameter, TIES, Values, bounded, memory, parameter, tie_rule};
use crate::number::parse_integer;
use crate::spec::RuleError;

const fn width(default: &'static str) -> Parameter {
    parameter("b", default, "1..=32").means("the bits of a counter")
}

/// The bits of a counter, within their range.
fn bits(values: &Values<'_>) -> Result<u32, ParameterError> {
    values.read("b", |text| parse_integer(text).ok().filter(|bits| (1..=32).contains(bits)).ok_or(()))
}

fn thresholds(values: &Values<'_>, thetas: &[u64]) -> Result<Thresholds, RuleError> {
    let (samples, ties) = (values.integer("d")?, tie_rule(values, "ties")?);
    Ok(Thresholds::new(values.size.bins, thetas)?.with_samples(samples)?.with_ties(ties))
}

pub(in crate::registry) static ENTRIES: &[Entry] = &[
    memory("threshold-bit", "Los and Sauerwald, ITCS 2022")
        .text("of d bins the first whose bit does not say that it holds theta balls or more")
        .parameters(&[parameter("theta", "3", "1..2^64").means("the load at which the bit is set"), D, TIES])
        .make(|values| {
            let theta = values.read("theta", |text| parse_integer(text).ok().filter(|&theta| theta > 0).ok_or(()))?;
            Ok(bounded(values, thresholds(values, &[theta])?))
        }),
    memory("thresholds", "Los and Sauerwald, ITCS 2022")
        .text("of d bins the one that has reached the fewest of some thresholds")
        .parameters(&[
            parameter("thetas", "1/2/3", "theta_1/theta_2/…, increasing integers above 0").means("the thresholds"),
            D,
            TIES,
        ])
        .make(|values| Ok(bounded(values, thresholds(values, &values.integers("thetas")?)?))),
    memory("saturating", BM)
        .text("of d bins the one with the least counter, and counters stop at 2^b - 1")
        .parameters(&[
            width("2"),
            parameter("base", "absolute", "absolute, relative")
                .means("whether counters start at 0, or at a stored base that rises when all are above it"),
            D,
            TIES,
        ])
        .make(|values| {
            let (bins, bits) = (values.size.bins, bits(values)?);
            let (samples, ties) = (values.integer("d")?, tie_rule(values, "ties")?);
            if values.choose("base", &[("absolute", true), ("relative", false)])? {
                return Ok(bounded(values, SaturatingCounters::with_choices(bins, bits, samples, ties)?));
            }
            for (key, range, fits) in [
                ("d", "2, with a relative base", samples == 2),
                ("ties", "first, with a relative base", ties == TieRule::First),
            ] {
                if !fits {
                    values.refuse(key, range)?;
                }
            }
            let balls = values.size.balls;
            Ok(bounded(values, RelativeCounters::new(bins.max(1), bits, balls)?))
        }),
    memory("morris", "Morris, Comm. ACM 21, 1978, for the counters")
        .text("of two bins the one with the lesser counter c, which goes up with probability a^-c")
        .parameters(&[width("4"), parameter("a", "1.5", "(1, inf)").means("the base of the counters")])
        .make(|values| {
            let (bits, base) = (bits(values)?, values.real("a")?);
            Ok(bounded(values, ApproximateCounters::new(values.size.bins, bits, base)?))
        }),
    memory("clock-hand", "a hand that sweeps the bins")
        .text("of two bins the one that comes first from the hand on, which then moves behind it")
        .make(|values| Ok(bounded(values, ClockHand::new(values.size.bins)?))),
    memory("clusters", BM)
        .text("of two bins the one whose cluster of bins has fewer balls")
        .parameters(&[
            parameter("k", "n/4", "n, n/2, …, 1..=n").means("the number of clusters"),
            width("8"),
            parameter("kind", "equal", "equal, density, asymmetric, adaptive, splitting").means(
                "whether clusters are equal and their counts are compared, or their counts over their \
                 sizes; or the first bin is from the first half and the second from the second; or \
                 clusters are small where loads are large; or those that are full are split",
            ),
            TIES,
        ])
        .make(|values| {
            let (bins, clusters, bits, ties) =
                (values.size.bins, values.share("k")?, bits(values)?, tie_rule(values, "ties")?);
            let most = (1 << bits) - 1;
            let kinds = [("equal", 0), ("density", 1), ("asymmetric", 2), ("adaptive", 3), ("splitting", 4)];
            let kind = values.choose("kind", &kinds)?;
            if kind > 0 && ties != TieRule::First {
                values.refuse("ties", "first, unless clusters are equal")?;
            }
            Ok(match kind {
                0 => bounded(values, ClusterCount::with_ties(bins, clusters, most, ties)?),
                1 => {
                    let compare = Compare::Density;
                    bounded(values, ClusterCount::with_compare(bins, clusters, most, compare)?)
                }
                2 => bounded(values, ClusterCount::asymmetric(bins, clusters, most)?),
                3 => bounded(values, AdaptiveClusters::new(bins, clusters, bits)?),
                _ => bounded(values, SplittingClusters::new(bins, clusters, bits)?),
            })
        }),
];
