//! Systems in which balls also leave.

use bb_memory::{JoinIdleQueue, QueueOrder};
use bb_processes::{LeakyBins, Lifetimes, RandomDeletion, RepeatedBallsIntoBins, Supermarket};

use super::{Entry, Kind, Parameter, RuleInfo};
use crate::process::Process;

const D: Parameter =
    Parameter { key: "d", default: "2", range: "1..2^32", meaning: "the number of bins sampled for a ball" };

pub(super) const SUPERMARKET_LAMBDA: Parameter = Parameter {
    key: "lambda",
    default: "0.9",
    range: "(0, 1)",
    meaning: "the mean number of arrivals a bin and unit of time",
};

pub(super) static ENTRIES: &[Entry] = &[
    Entry {
        info: RuleInfo {
            name: "repeated",
            kind: Kind::System,
            rule: "in each round every bin that holds a ball throws one into a uniform bin",
            parameters: &[],
            paper: "Becchetti, Clementi, Natale, Pasquale and Posta, SPAA 2015",
        },
        make: |values| Ok(Process::system(values.name(), RepeatedBallsIntoBins)),
    },
    Entry {
        info: RuleInfo {
            name: "leaky",
            kind: Kind::System,
            rule: "in each round Bin(n, lambda) balls arrive, each in the least loaded of d uniform bins, and then every bin that holds a ball loses one",
            parameters: &[
                Parameter {
                    key: "lambda",
                    default: "0.9",
                    range: "(0, 1)",
                    meaning: "the mean number of arrivals a bin and round",
                },
                D,
            ],
            paper: "Berenbrink, Friedetzky, Kling, Mallmann-Trenn, Nagel and Wastell, PODC 2016",
        },
        make: |values| {
            Ok(Process::system(values.name(), LeakyBins::new(values.real("lambda")?, values.integer("d")?)?))
        },
    },
    Entry {
        info: RuleInfo {
            name: "deletion",
            kind: Kind::System,
            rule: "in each round a uniform ball leaves, and one is placed in the least loaded of d uniform bins",
            parameters: &[D],
            paper: "Azar, Broder, Karlin and Upfal, SIAM J. Comput. 29, 1999",
        },
        make: |values| Ok(Process::system(values.name(), RandomDeletion::new(values.integer("d")?)?)),
    },
    Entry {
        info: RuleInfo {
            name: "lifetimes",
            kind: Kind::System,
            rule: "balls arrive at rate lambda n, each in the least loaded of d uniform bins, and leave after an exponential time of mean 1; a round is a unit of time",
            parameters: &[
                Parameter {
                    key: "lambda",
                    default: "1",
                    range: "(0, 2^20)",
                    meaning: "the mean number of balls a bin",
                },
                D,
            ],
            paper: "Luczak and McDiarmid, Ann. Appl. Probab. 15, 2005",
        },
        make: |values| {
            Ok(Process::system(values.name(), Lifetimes::new(values.real("lambda")?, values.integer("d")?)?))
        },
    },
    Entry {
        info: RuleInfo {
            name: "supermarket",
            kind: Kind::System,
            rule: "balls arrive at rate lambda n, each in the shortest of d uniform queues, and every queue serves one at rate 1; a round is a unit of time",
            parameters: &[SUPERMARKET_LAMBDA, D],
            paper: "Vvedenskaya, Dobrushin and Karpelevich, Probl. Inf. Transm. 32, 1996; Mitzenmacher, IEEE Trans. Parallel Distrib. Syst. 12, 2001",
        },
        make: |values| {
            Ok(Process::system(values.name(), Supermarket::new(values.real("lambda")?, values.integer("d")?)?))
        },
    },
    Entry {
        info: RuleInfo {
            name: "join-idle-queue",
            kind: Kind::System,
            rule: "as supermarket, but balls join a bin that has told that it is empty, else a uniform one; a bin that falls empty sends its name, dropped if there are c already",
            parameters: &[
                Parameter {
                    key: "c",
                    default: "16",
                    range: "1..=2^16",
                    meaning: "the most names remembered, all bins at most",
                },
                Parameter {
                    key: "order",
                    default: "fifo",
                    range: "fifo, lifo, pool",
                    meaning: "whether the name that came first is taken, the one that came last, or a uniform one",
                },
                SUPERMARKET_LAMBDA,
            ],
            paper: "Lu, Xie, Kliot, Geller, Larus and Greenberg, Perform. Eval. 68, 2011",
        },
        make: |values| {
            let names = values.integer("c")?;
            let order = [QueueOrder::Fifo, QueueOrder::Lifo, QueueOrder::Pool]
                [values.one_of("order", &["fifo", "lifo", "pool"])?];
            let rule = JoinIdleQueue::new(values.size.bins, names, order)?;
            Ok(Process::memory_system(
                values.name(),
                Supermarket::new(values.real("lambda")?, 1)?.with_rule(rule),
                |system| system.rule().report(),
            ))
        },
    },
];
