//! Systems in which balls also leave.

use bb_memory::{JoinIdleQueue, QueueOrder};
use bb_processes::{LeakyBins, Lifetimes, RandomDeletion, RepeatedBallsIntoBins, Supermarket};

use super::{Entry, Parameter, parameter, system};
use crate::process::Process;

const D: Parameter = parameter("d", "2", "1..2^32").means("the number of bins sampled for a ball");

pub(super) const SUPERMARKET_LAMBDA: Parameter =
    parameter("lambda", "0.9", "(0, 1)").means("the mean number of arrivals a bin and unit of time");

const SUPERMARKET: &str = "Vvedenskaya, Dobrushin and Karpelevich, Probl. Inf. Transm. 32, 1996; \
                           Mitzenmacher, IEEE Trans. Parallel Distrib. Syst. 12, 2001";

pub(super) static ENTRIES: &[Entry] = &[
    system("repeated", "Becchetti, Clementi, Natale, Pasquale and Posta, SPAA 2015")
        .text("in each round every bin that holds a ball throws one into a uniform bin")
        .make(|values| Ok(Process::system(values.name(), RepeatedBallsIntoBins))),
    system("leaky", "Berenbrink, Friedetzky, Kling, Mallmann-Trenn, Nagel and Wastell, PODC 2016")
        .text(
            "in each round Bin(n, lambda) balls arrive, each in the least loaded of d uniform bins, and then \
             every bin that holds a ball loses one",
        )
        .parameters(&[parameter("lambda", "0.9", "(0, 1)").means("the mean number of arrivals a bin and round"), D])
        .make(|values| {
            Ok(Process::system(values.name(), LeakyBins::new(values.real("lambda")?, values.integer("d")?)?))
        }),
    system("deletion", "Azar, Broder, Karlin and Upfal, SIAM J. Comput. 29, 1999")
        .text("in each round a uniform ball leaves, and one is placed in the least loaded of d uniform bins")
        .parameters(&[D])
        .make(|values| Ok(Process::system(values.name(), RandomDeletion::new(values.integer("d")?)?))),
    system("lifetimes", "Luczak and McDiarmid, Ann. Appl. Probab. 15, 2005")
        .text(
            "balls arrive at rate lambda n, each in the least loaded of d uniform bins, and leave after an \
             exponential time of mean 1; a round is a unit of time",
        )
        .parameters(&[parameter("lambda", "1", "(0, 2^20)").means("the mean number of balls a bin"), D])
        .make(|values| {
            Ok(Process::system(values.name(), Lifetimes::new(values.real("lambda")?, values.integer("d")?)?))
        }),
    system("supermarket", SUPERMARKET)
        .text(
            "balls arrive at rate lambda n, each in the shortest of d uniform queues, and every queue serves \
             one at rate 1; a round is a unit of time",
        )
        .parameters(&[SUPERMARKET_LAMBDA, D])
        .make(|values| {
            Ok(Process::system(values.name(), Supermarket::new(values.real("lambda")?, values.integer("d")?)?))
        }),
    system("join-idle-queue", "Lu, Xie, Kliot, Geller, Larus and Greenberg, Perform. Eval. 68, 2011")
        .text(
            "as supermarket, but balls join a bin that has told that it is empty, else a uniform one; a bin \
             that falls empty sends its name, dropped if there are c already",
        )
        .parameters(&[
            parameter("c", "16", "1..=2^16").means("the most names remembered, all bins at most"),
            parameter("order", "fifo", "fifo, lifo, pool")
                .means("whether the name that came first is taken, the one that came last, or a uniform one"),
            SUPERMARKET_LAMBDA,
        ])
        .make(|values| {
            let names = values.integer("c")?;
            let orders = [("fifo", QueueOrder::Fifo), ("lifo", QueueOrder::Lifo), ("pool", QueueOrder::Pool)];
            let rule = JoinIdleQueue::new(values.size.bins, names, values.choose("order", &orders)?)?;
            let system = Supermarket::new(values.real("lambda")?, 1)?.with_rule(rule);
            Ok(Process::memory_system(values.name(), system, |system| system.rule().report()))
        }),
];
