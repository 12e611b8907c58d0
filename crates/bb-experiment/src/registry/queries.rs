//! Rules that ask each bin a question with few answers.

use bb_processes::{KQuantile, KThreshold, LoadThreshold, MeanThinning, Quantile, RelativeThreshold};

use super::{Entry, Kind, Parameter, RuleInfo};
use crate::process::Process;

pub(super) static ENTRIES: &[Entry] = &[
    Entry {
        info: RuleInfo {
            name: "load-threshold",
            kind: Kind::Rule,
            rule: "up to d uniform bins are suggested; the first with load below l takes the ball, else the last",
            parameters: &[
                Parameter { key: "l", default: "1", range: "1..2^64", meaning: "loads below it are accepted" },
                Parameter { key: "d", default: "2", range: "1..=2^16", meaning: "the number of suggestions" },
            ],
            paper: "threshold on loads; Los and Sauerwald, arXiv 2107.03916, study such queries",
        },
        make: |values| {
            let rule = LoadThreshold::new(values.integer("l")?)?.with_d(values.integer("d")?)?;
            Ok(Process::described(values.name(), rule))
        },
    },
    Entry {
        info: RuleInfo {
            name: "mean-thinning",
            kind: Kind::Rule,
            rule: "a uniform bin takes the ball if its load is below the mean, else a second uniform bin does",
            parameters: &[],
            paper: "Los, Sauerwald and Sylvester, arXiv 2308.05087",
        },
        make: |values| Ok(Process::described(values.name(), MeanThinning)),
    },
    Entry {
        info: RuleInfo {
            name: "quantile",
            kind: Kind::Rule,
            rule: "a uniform bin takes the ball unless it is among the delta·n fullest, else a second uniform bin does",
            parameters: &[Parameter {
                key: "delta",
                default: "0.5",
                range: "[0, 1]",
                meaning: "the share of bins that refuse a ball",
            }],
            paper: "Los and Sauerwald, arXiv 2107.03916",
        },
        make: |values| Ok(Process::ranked(values.name(), Quantile::new(values.real("delta")?)?)),
    },
    Entry {
        info: RuleInfo {
            name: "k-quantile",
            kind: Kind::Rule,
            rule: "of two uniform bins the one in the lighter class of ranks takes the ball, the first if both are in the same",
            parameters: &[Parameter {
                key: "delta",
                default: "0.25/0.5",
                range: "increasing numbers in [0, 1], with / between them",
                meaning: "the quantiles that divide the classes",
            }],
            paper: "Los and Sauerwald, arXiv 2107.03916",
        },
        make: |values| Ok(Process::ranked(values.name(), KQuantile::new(&values.reals("delta")?)?)),
    },
    Entry {
        info: RuleInfo {
            name: "relative-threshold",
            kind: Kind::Rule,
            rule: "a uniform bin takes the ball if its load is below the mean plus f, else a second uniform bin does",
            parameters: &[Parameter {
                key: "f",
                default: "2",
                range: "the finite numbers from 0",
                meaning: "how far above the mean the threshold lies",
            }],
            paper: "Los, Sauerwald and Sylvester, arXiv 2308.05087",
        },
        make: |values| Ok(Process::described(values.name(), RelativeThreshold::new(values.real("f")?)?)),
    },
    Entry {
        info: RuleInfo {
            name: "k-threshold",
            kind: Kind::Rule,
            rule: "of two uniform bins the one whose load is not below fewer of the thresholds, which are the mean plus offsets",
            parameters: &[Parameter {
                key: "offsets",
                default: "0/2",
                range: "1 to 16 increasing finite numbers, with / between them",
                meaning: "how far above the mean the thresholds lie",
            }],
            paper: "Los and Sauerwald, arXiv 2107.03916",
        },
        make: |values| Ok(Process::described(values.name(), KThreshold::new(&values.reals("offsets")?)?)),
    },
];
