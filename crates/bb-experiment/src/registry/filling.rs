//! Rules that put several balls into a bin at once.

use bb_processes::{Packing, Twinning};

use super::{Entry, Kind, Parameter, RuleInfo};
use crate::process::Process;

pub(super) static ENTRIES: &[Entry] = &[
    Entry {
        info: RuleInfo {
            name: "twinning",
            kind: Kind::Rule,
            rule: "a uniform bin gets two balls if its load is below the mean, else one",
            parameters: &[],
            paper: "Los, Sauerwald and Sylvester, arXiv 2308.05087",
        },
        make: |values| Ok(Process::in_settings(values.name(), Twinning::new()).with_counted(Twinning::new())),
    },
    Entry {
        info: RuleInfo {
            name: "packing",
            kind: Kind::Rule,
            rule: "a uniform bin whose load is below the mean is filled to the mean, rounded up, plus e; any other gets one ball",
            parameters: &[Parameter {
                key: "e",
                default: "1",
                range: "0..=2^16",
                meaning: "the number of balls above the mean",
            }],
            paper: "Los, Sauerwald and Sylvester, arXiv 2204.04057",
        },
        make: |values| {
            let rule = Packing::new(values.integer("e")?)?;
            Ok(Process::in_settings(values.name(), rule).with_counted(rule))
        },
    },
];
