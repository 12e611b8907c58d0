//! Rules whose candidates have a structure: groups, hash values, rounds.

use bb_core::CountedBin;
use bb_processes::{AlwaysGoLeft, DoubleHashing, GroupChoice, KdChoice};

use super::kinds::comparing;
use super::{Entry, Kind, Parameter, RuleInfo};

const GROUPS: Parameter = Parameter {
    key: "d",
    default: "2",
    range: "1..2^32, at most the number of bins",
    meaning: "the number of groups, of n/d bins each up to rounding",
};

pub(super) static ENTRIES: &[Entry] = &[
    Entry {
        info: RuleInfo {
            name: "left",
            kind: Kind::Rule,
            rule: "always-go-left: the least loaded of one uniform bin from each of d groups, the leftmost on a tie",
            parameters: &[GROUPS],
            paper: "Vöcking, J. ACM 50, 2003",
        },
        make: |values| Ok(comparing(values, AlwaysGoLeft::new(values.integer("d")?)?)),
    },
    Entry {
        info: RuleInfo {
            name: "group-choice",
            kind: Kind::Rule,
            rule: "the least loaded of one uniform bin from each of d groups, fair ties",
            parameters: &[GROUPS],
            paper: "cf. Vöcking, J. ACM 50, 2003",
        },
        make: |values| Ok(comparing(values, GroupChoice::new(values.integer("d")?)?)),
    },
    Entry {
        info: RuleInfo {
            name: "double-hashing",
            kind: Kind::Rule,
            rule: "the least loaded of f, f + g, …, f + (d − 1)g modulo n, with f uniform and g uniform coprime to n, fair ties",
            parameters: &[Parameter {
                key: "d",
                default: "2",
                range: "1..2^32, at most the number of bins",
                meaning: "the number of candidates",
            }],
            paper: "Mitzenmacher, arXiv 1209.5360",
        },
        make: |values| Ok(comparing(values, DoubleHashing::new(values.integer("d")?)?)),
    },
    Entry {
        info: RuleInfo {
            name: "kd-choice",
            kind: Kind::Rule,
            rule: "in rounds: k balls go into the k lowest slots of d uniform bins; a bin sampled r times offers r slots",
            parameters: &[
                Parameter {
                    key: "k",
                    default: "2",
                    range: "1..=2^16, at most d",
                    meaning: "the number of balls of a round",
                },
                Parameter {
                    key: "d",
                    default: "3",
                    range: "1..=2^16",
                    meaning: "the number of bins sampled for a round",
                },
            ],
            paper: "Park, arXiv 1201.3310",
        },
        make: |values| {
            let (k, d) = (values.integer("k")?, values.integer("d")?);
            Ok(comparing(values, KdChoice::<usize>::new(k, d)?).with_counted(KdChoice::<CountedBin>::new(k, d)?))
        },
    },
];
