//! Rules that compare the loads of the bins they sample.

use bb_processes::{DChoice, DistinctChoice, OneChoice, OnePlusBeta};

use super::kinds::{comparing, comparing_described};
use super::{Entry, Kind, Parameter, RuleInfo};

pub(super) static ENTRIES: &[Entry] = &[
    Entry {
        info: RuleInfo {
            name: "one-choice",
            kind: Kind::Rule,
            rule: "each ball goes to a uniform bin",
            parameters: &[],
            paper: "Raab and Steger, RANDOM 1998",
        },
        make: |values| Ok(comparing_described(values, OneChoice)),
    },
    Entry {
        info: RuleInfo {
            name: "two-choice",
            kind: Kind::Rule,
            rule: "each ball goes to the lesser loaded of two uniform bins",
            parameters: &[],
            paper: "Azar, Broder, Karlin and Upfal, SIAM J. Comput. 29, 1999",
        },
        make: |values| Ok(comparing_described(values, DChoice::two())),
    },
    Entry {
        info: RuleInfo {
            name: "d-choice",
            kind: Kind::Rule,
            rule: "each ball goes to the least loaded of d uniform bins",
            parameters: &[
                Parameter {
                    key: "d",
                    default: "3",
                    range: "1..2^32, at most the number of bins if replacement=false",
                    meaning: "the number of bins sampled for a ball",
                },
                Parameter {
                    key: "replacement",
                    default: "true",
                    range: "true, false",
                    meaning: "whether a bin can be sampled twice for one ball",
                },
            ],
            paper: "Azar, Broder, Karlin and Upfal, SIAM J. Comput. 29, 1999",
        },
        make: |values| {
            let d = values.integer("d")?;
            Ok(if values.truth("replacement")? {
                comparing_described(values, DChoice::new(d)?)
            } else {
                comparing(values, DistinctChoice::new(d)?).with_counted(DistinctChoice::new(d)?)
            })
        },
    },
    Entry {
        info: RuleInfo {
            name: "one-plus-beta",
            kind: Kind::Rule,
            rule: "with probability beta the least loaded of d uniform bins, else the first of them",
            parameters: &[
                Parameter {
                    key: "beta",
                    default: "0.5",
                    range: "[0, 1]",
                    meaning: "the probability that a ball has more than one choice",
                },
                Parameter {
                    key: "d",
                    default: "2",
                    range: "1..2^32",
                    meaning: "the number of choices that it then has",
                },
            ],
            paper: "Peres, Talwar and Wieder, Random Structures & Algorithms 47, 2015",
        },
        make: |values| {
            let rule = OnePlusBeta::new(values.real("beta")?)?.with_d(values.integer("d")?)?;
            Ok(comparing_described(values, rule))
        },
    },
];
