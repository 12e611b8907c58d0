//! No memory, a window, and a remembered bin.

use bb_memory::{NoMemory, Probing, ResetMemory, Window};

use super::super::memory::{REMEMBER, remember};
use super::{Entry, Kind, Parameter, RuleInfo, TIES, bounded, tie_rule};
use crate::process::Process;

pub(in crate::registry) static ENTRIES: &[Entry] = &[
    Entry {
        info: RuleInfo {
            name: "no-memory",
            kind: Kind::Memory,
            rule: "of two bins the first, the one on the left, or either by a coin",
            parameters: &[Parameter {
                key: "take",
                default: "first",
                range: TIES.range,
                meaning: "which of the two takes the ball",
            }],
            paper: "Benjamini and Makarychev, Ann. Appl. Probab. 22, 2012, who credit N. Alon",
        },
        make: |values| Ok(bounded(values, NoMemory::new(values.size.bins, tie_rule(values, "take")?)?)),
    },
    Entry {
        info: RuleInfo {
            name: "window",
            kind: Kind::Memory,
            rule: "the first of k bins that lies in a window of s bins and is not marked, and is marked then, else the first beyond the window, else the first; the window moves on when few of its bins are left",
            parameters: &[
                Parameter {
                    key: "k",
                    default: "4",
                    range: "1..=2^16",
                    meaning: "the number of bins offered to a ball",
                },
                Parameter {
                    key: "s",
                    default: "n/4",
                    range: "n, n/2, …, 1..=n",
                    meaning: "the number of bins in the window",
                },
                Parameter {
                    key: "gamma",
                    default: "0.2",
                    range: "[0, 1)",
                    meaning: "the share of the window that is left when it moves on",
                },
            ],
            paper: "after Alon, Gurel-Gurevich and Lubetzky, Ann. Appl. Probab. 20, 2010",
        },
        make: |values| {
            let (samples, size, gamma) = (values.integer("k")?, values.share("s")?, values.real("gamma")?);
            Ok(bounded(values, Window::new(values.size.bins, samples, size, gamma)?))
        },
    },
    Entry {
        info: RuleInfo {
            name: "reset-memory",
            kind: Kind::Memory,
            rule: "as caching, and before every q-th ball the remembered bin is forgotten",
            parameters: &[
                Parameter {
                    key: "q",
                    default: "4",
                    range: "1..2^64",
                    meaning: "the number of balls after which the memory is emptied",
                },
                REMEMBER,
            ],
            paper: "Los, Sauerwald and Sylvester, SODA 2023",
        },
        make: |values| {
            let rule = ResetMemory::new(values.integer("q")?)?.with_remember(remember(values)?);
            Ok(Process::memory(values.name(), Probing::new(values.size.bins, rule)?, Probing::report))
        },
    },
];
