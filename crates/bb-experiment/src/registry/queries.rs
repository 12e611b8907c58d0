//! Rules that ask each bin a question with few answers.

use bb_processes::{KQuantile, KThreshold, LoadThreshold, MeanThinning, Quantile, RelativeThreshold};

use super::{Entry, parameter, rule};
use crate::process::Process;

pub(super) static ENTRIES: &[Entry] = &[
    rule("load-threshold", "threshold on loads; Los and Sauerwald, arXiv 2107.03916, study such queries")
        .text("up to d uniform bins are sampled; the first with load below l takes the ball, else the last")
        .parameters(&[
            parameter("l", "1", "1..2^64").means("loads below it are accepted"),
            parameter("d", "2", "1..=2^16").means("the number of samples"),
        ])
        .make(|values| {
            let rule = LoadThreshold::new(values.integer("l")?)?.with_d(values.integer("d")?)?;
            Ok(Process::described(values.name(), rule))
        }),
    rule("mean-thinning", "Los, Sauerwald and Sylvester, arXiv 2308.05087")
        .text("a uniform bin takes the ball if its load is below the mean, else a second uniform bin does")
        .make(|values| Ok(Process::described(values.name(), MeanThinning))),
    rule("quantile", "Los and Sauerwald, arXiv 2107.03916")
        .text("a uniform bin takes the ball unless it is among the delta·n fullest, else a second uniform bin does")
        .parameters(&[parameter("delta", "0.5", "[0, 1]").means("the share of bins that refuse a ball")])
        .make(|values| Ok(Process::ranked(values.name(), Quantile::new(values.real("delta")?)?))),
    rule("k-quantile", "Los and Sauerwald, arXiv 2107.03916")
        .text(
            "of two uniform bins the one in the lighter class of ranks takes the ball, the first if both are \
             in the same",
        )
        .parameters(&[parameter("delta", "0.25/0.5", "increasing numbers in [0, 1], with / between them")
            .means("the quantiles that divide the classes")])
        .make(|values| Ok(Process::ranked(values.name(), KQuantile::new(&values.reals("delta")?)?))),
    rule("relative-threshold", "Los, Sauerwald and Sylvester, arXiv 2308.05087")
        .text("a uniform bin takes the ball if its load is below the mean plus f, else a second uniform bin does")
        .parameters(&[
            parameter("f", "2", "the finite numbers from 0").means("how far above the mean the threshold lies")
        ])
        .make(|values| Ok(Process::described(values.name(), RelativeThreshold::new(values.real("f")?)?))),
    rule("k-threshold", "Los and Sauerwald, arXiv 2107.03916")
        .text(
            "of two uniform bins the one whose load is not below fewer of the thresholds, which are the mean \
             plus offsets",
        )
        .parameters(&[parameter("offsets", "0/2", "1 to 16 increasing finite numbers, with / between them")
            .means("how far above the mean the thresholds lie")])
        .make(|values| Ok(Process::described(values.name(), KThreshold::new(&values.reals("offsets")?)?))),
];
